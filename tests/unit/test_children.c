/* test_children.c - kernels that launch kernels (dynamic parallelism), as nvcc 12 and later write it down: a buffer for
 * the parameters, then the launch. */
#include "test.h"

#include "sim/session.h"
#include "warpline/cuda.h"

#define OK(call) assert_int_equal((call), CUDA_SUCCESS)

/* note(out, depth): thread 0 adds 1 to out[0] and keeps the number as out[1 + depth]; then it launches note(out, depth
 * - 1) twice. tail(out): asks for leaf(out, 7) at the end, then for leaf(out, 5); leaf adds `value` to 10 * out[0]. */
static const char program[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12],\n"
    " .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream);\n"
    ".extern .func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 p, .param .b32 v, .param .b64 n, .param .b64 s);\n"
    ".entry leaf(.param .u64 out, .param .u32 value);\n"
    ".entry note(.param .u64 out, .param .u32 depth);\n"
    ".entry leaf(.param .u64 out, .param .u32 value)\n{\n.reg .u32 %a, %b;\n.reg .u64 %o;\nld.param.u64 %o, [out];\n"
    "ld.param.u32 %a, [value];\nld.global.u32 %b, [%o];\nmad.lo.u32 %a, %b, 10, %a;\nst.global.u32 [%o], %a;\nret;\n}\n"
#define LAUNCH(kernel, threads, value, stream)                                                                         \
    "{\n.param .b64 f;\n.param .align 4 .b8 g[12];\n.param .align 4 .b8 b[12];\n.param .b32 s;\n.param .b64 r;\n"      \
    ".param .b64 t;\n.param .b32 e;\nmov.u64 %f, " kernel ";\nst.param.b64 [f], %f;\nst.param.b32 [g], 1;\n"           \
    "st.param.b32 [g+4], 1;\nst.param.b32 [g+8], 1;\nst.param.b32 [b], " threads ";\nst.param.b32 [b+4], 1;\n"         \
    "st.param.b32 [b+8], 1;\nst.param.b32 [s], 0;\ncall (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);\n"          \
    "ld.param.b64 %f, [r];\nst.u64 [%f], %o;\nst.u32 [%f+8], " value ";\nst.param.b64 [r], %f;\n"                      \
    "st.param.b64 [t], " stream ";\ncall (e), __cudaCDP2LaunchDeviceV2, (r, t);\nld.param.b32 %e, [e];\n}\n"
    ".entry note(.param .u64 out, .param .u32 depth)\n{\n.reg .u32 %a, %d, %e;\n.reg .u64 %o, %f, %x;\n.reg .pred %p;\n"
    "ld.param.u64 %o, [out];\nld.param.u32 %d, [depth];\natom.global.add.u32 %a, [%o], 1;\nmul.wide.u32 %x, %d, 4;\n"
    "add.u64 %x, %x, %o;\nst.global.u32 [%x+4], %a;\nsetp.eq.u32 %p, %d, 0;\n@%p ret;\n"
    "sub.u32 %d, %d, 1;\n" LAUNCH("note", "1", "%d", "0") LAUNCH(
        "note", "1", "%d",
        "0") "ret;\n}\n"
             ".entry tail(.param .u64 out)\n{\n.reg .u32 %e;\n.reg .u64 %o, %f;\nld.param.u64 %o, [out];\n" LAUNCH(
                 "leaf", "1", "7", "3")
                 LAUNCH("leaf", "1", "5",
                        "0") "ret;\n}\n"
                             ".entry wrong(.param .u64 out)\n{\n.reg .u32 %e;\n.reg .u64 %o, %f;\nld.param.u64 %o, "
                             "[out];\n" LAUNCH("leaf", "2000", "7",
                                               "0") "st.global.u32 [%o], %e;\nret;\n}\n"
                                                    ".entry fill(.param .u64 out)\n{\n.reg .u64 %o, %f;\n.reg .u32 "
                                                    "%e;\nld.param.u64 %o, [out];\n"
                                                    "{\n.param .b64 p;\n.param .b32 v;\n.param .b64 n;\n.param .b64 "
                                                    "s;\n.param .b32 r;\nst.param.b64 [p], %o;\n"
                                                    "st.param.b32 [v], 3;\nst.param.b64 [n], 4;\nst.param.b64 [s], 0;\n"
                                                    "call (r), __cudaCDP2MemsetAsync, (p, v, n, s);\n}\nst.global.u32 "
                                                    "[%o], 9;\nst.global.u32 [%o+4], 9;\nret;\n}\n";

static struct session *session;
static CUmodule module;
static CUdeviceptr out;

static void begin(enum session_mode mode)
{
    CUcontext ctx;
    struct wl_err e = {.text = ""};
    struct session_options o = {.mode = mode, .memory_bytes = 1 << 24};
    if (mode == SESSION_TIMING) {
        assert_int_equal(config_load(&o.config, "gtx480", &e), 0);
        assert_int_equal(config_set(&o.config, "sm.count=1", &e), 0);
    }
    session = session_new(&o, &e);
    if (!session) fail_msg("%s", e.text);
    session_make_current(session);
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&ctx, 0));
    OK(cuCtxSetCurrent(ctx));
    if (cuModuleLoadData(&module, program)) fail_msg("%s", session_error(session)->text);
    OK(cuMemAlloc(&out, 64));
}

static CUresult launch(const char *name, unsigned depth)
{
    CUfunction f;
    void *params[] = {&out, &depth};
    OK(cuModuleGetFunction(&f, module, name));
    OK(cuMemsetD32(out, 0, 16));
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

static uint32_t word(unsigned i)
{
    uint32_t w[16];
    OK(cuMemcpyDtoH(w, out, sizeof w));
    return w[i];
}

/* A grid ends when all it launched has ended, so the first grandchildren come before the second child. */
static void nest(enum session_mode mode)
{
    begin(mode);
    if (launch("note", 3)) fail_msg("%s", session_error(session)->text);
    assert_int_equal(word(0), 1 + 2 + 4 + 8);
    assert_int_equal(word(4), 0);
    assert_int_equal(word(3), 8);  /* the second child: after the first and its 6 */
    assert_int_equal(word(2), 12); /* the last of the 4 grandchildren: the parent, 1 + 6, 1, 1 + 2 */
    assert_int_equal(word(1), 14);
    assert_int_equal(session_launches(session).all, 15);
    session_free(session);
}

TEST(children_come_after_their_parent_and_before_their_sibling) { nest(SESSION_FUNCTIONAL); }
TEST(children_are_timed) { nest(SESSION_TIMING); }

TEST(a_tail_launch_is_the_last)
{
    begin(SESSION_FUNCTIONAL);
    OK(launch("tail", 0));
    assert_int_equal(word(0), 57);
    session_free(session);
}

TEST(a_launch_that_cannot_be_is_an_error_of_the_caller)
{
    begin(SESSION_FUNCTIONAL);
    OK(launch("wrong", 0));
    assert_int_equal(word(0), 9); /* cudaErrorInvalidConfiguration */
    session_free(session);
}

TEST(a_fill_comes_after_the_kernel)
{
    begin(SESSION_FUNCTIONAL);
    OK(launch("fill", 0));
    assert_int_equal(word(0), 0x03030303);
    assert_int_equal(word(1), 9);
    session_free(session);
}
