/* texture_rig.h - what the texture tests share: a session with kernels that fetch, and textures to fetch from.
 *
 * With WL_REAL_CUDA there is no session: the same code talks to a real GPU. */
#ifndef WL_TESTS_TEXTURE_RIG_H
#define WL_TESTS_TEXTURE_RIG_H

#include <stdbool.h>
#include "test.h"

#include "warpline/cuda.h"
#ifndef WL_REAL_CUDA
#include "sim/session.h"
#endif

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), CUDA_ERROR_##code)

enum { LANES = 32 };

/* fetch_<dims><coordinates>: lane i stores the texel at (x[i], y[i]) as four words; texture from a handle,
 * or from the reference `ref` when the name ends in _ref. */
#define FETCH(name, geometry, type, coords, texture)                                                                   \
    ".visible .entry " name "(.param .u64 out, .param .u64 xs, .param .u64 ys, .param .u64 handle)\n"                  \
    "{ .reg .u32 %r<6>; .reg ." type " %c<4>; .reg .u64 %rd<9>; .reg .b32 %v<4>;\n"                                    \
    "  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [xs]; ld.param.u64 %rd3, [ys]; ld.param.u64 %rd4, [handle];\n"     \
    "  mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4; mul.wide.u32 %rd6, %r1, 16;\n"                                  \
    "  add.u64 %rd2, %rd2, %rd5; add.u64 %rd3, %rd3, %rd5; add.u64 %rd1, %rd1, %rd6;\n"                                \
    "  ld.global." type " %c0, [%rd2]; ld.global." type " %c1, [%rd3];\n"                                              \
    "  tex." geometry ".v4.u32." type " {%v0, %v1, %v2, %v3}, [" texture ", " coords "];\n"                            \
    "  st.global.v4.b32 [%rd1], {%v0, %v1, %v2, %v3}; ret; }\n"

static const char program[] = ".version 6.4\n.target sm_75, texmode_unified\n.address_size 64\n"
                              ".visible .global .texref ref;\n" /* a driver optimises away what no kernel names */
    FETCH("fetch_1i", "1d", "s32", "{%c0}", "%rd4") FETCH("fetch_1f", "1d", "f32", "{%c0}", "%rd4")
        FETCH("fetch_2i", "2d", "s32", "{%c0, %c1}", "%rd4") FETCH("fetch_2f", "2d", "f32", "{%c0, %c1}", "%rd4")
            FETCH("fetch_1i_ref", "1d", "s32", "{%c0}", "ref") FETCH("fetch_2f_ref", "2d", "f32", "{%c0, %c1}", "ref");

struct fixture {
    void *session;
    CUcontext ctx;
    CUmodule module;
    CUdeviceptr out, xs, ys;
    uint32_t got[4 * LANES];
    bool faulted;
};
static struct fixture fix;

static inline int setup(void **state)
{
    (void)state;
    fix = (struct fixture){0};
#ifndef WL_REAL_CUDA
    struct session_options o = {.mode = SESSION_FUNCTIONAL, .memory_bytes = 1 << 20};
    fix.session = session_new(&o, NULL);
    if (!fix.session) return -1;
    session_make_current(fix.session);
#endif
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&fix.ctx, 0) || cuCtxSetCurrent(fix.ctx)) return -1;
    if (cuModuleLoadData(&fix.module, program)) return -1;
    return cuMemAlloc(&fix.out, sizeof fix.got) || cuMemAlloc(&fix.xs, 4 * LANES) || cuMemAlloc(&fix.ys, 4 * LANES) ? -1
                                                                                                                    : 0;
}

static inline int teardown(void **state)
{
    (void)state;
    cuMemFree(fix.out), cuMemFree(fix.xs), cuMemFree(fix.ys);
    cuModuleUnload(fix.module);
    cuDevicePrimaryCtxRelease(0);
#ifndef WL_REAL_CUDA
    bool stays = dev_used(session_memory(fix.session)) && !fix.faulted; /* after a fault nothing can be freed */
    session_free(fix.session);
    return stays ? -1 : 0;
#else
    return 0;
#endif
}

/* Runs a fetch kernel at n coordinates (32-bit words of either type). */
static inline CUresult fetch(const char *kernel, CUtexObject handle, const void *xs, const void *ys, unsigned n)
{
    CUfunction f;
    uint32_t zero[LANES] = {0};
    OK(cuModuleGetFunction(&f, fix.module, kernel));
    OK(cuMemcpyHtoD(fix.xs, xs, 4 * n));
    OK(cuMemcpyHtoD(fix.ys, ys ? ys : zero, 4 * n));
    void *params[] = {&fix.out, &fix.xs, &fix.ys, &handle};
    CUresult r = cuLaunchKernel(f, 1, 1, 1, n, 1, 1, 0, NULL, params, NULL);
    if (!r) r = cuCtxSynchronize();
    fix.faulted = r != CUDA_SUCCESS;
    return r ? r : cuMemcpyDtoH(fix.got, fix.out, 16 * n);
}

static inline float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline void expect_float(unsigned lane, unsigned channel, float want)
{
    float got = as_float(fix.got[4 * lane + channel]);
    if (got != want) fail_msg("lane %u channel %u: %.9g, should be %.9g", lane, channel, (double)got, (double)want);
}

static inline CUDA_TEXTURE_DESC look(CUaddress_mode mode, CUfilter_mode filter, unsigned flags)
{
    return (CUDA_TEXTURE_DESC){.addressMode = {mode, mode, mode}, .filterMode = filter, .flags = flags};
}

#define POINT_FILTER CU_TR_FILTER_MODE_POINT
#define LINEAR       CU_TR_FILTER_MODE_LINEAR
#define CLAMP        CU_TR_ADDRESS_MODE_CLAMP
#define WRAP         CU_TR_ADDRESS_MODE_WRAP
#define MIRROR       CU_TR_ADDRESS_MODE_MIRROR
#define BORDER       CU_TR_ADDRESS_MODE_BORDER
#define NORMALIZED   CU_TRSF_NORMALIZED_COORDINATES
#define AS_INTEGER   CU_TRSF_READ_AS_INTEGER

/* A texture object over linear memory that holds `data`; *memory is to be freed. */
static inline CUtexObject linear_texture(CUdeviceptr *memory, const void *data, size_t bytes, CUarray_format format,
                                         unsigned channels, unsigned flags)
{
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUDA_TEXTURE_DESC t = look(CLAMP, POINT_FILTER, flags);
    CUtexObject object = 0;
    OK(cuMemAlloc(memory, bytes));
    OK(cuMemcpyHtoD(*memory, data, bytes));
    r.res.linear.devPtr = *memory;
    r.res.linear.format = format;
    r.res.linear.numChannels = channels;
    r.res.linear.sizeInBytes = bytes;
    OK(cuTexObjectCreate(&object, &r, &t, NULL));
    return object;
}

/* An array of width x height with `data`, row by row. */
static inline CUarray make_array(const void *data, size_t width, size_t height, CUarray_format format,
                                 unsigned channels, size_t texel)
{
    CUDA_ARRAY_DESCRIPTOR d = {.Width = width, .Height = height, .Format = format, .NumChannels = channels};
    CUarray a = NULL;
    OK(cuArrayCreate(&a, &d));
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = data,
                       .srcPitch = width * texel,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = a,
                       .WidthInBytes = width * texel,
                       .Height = height ? height : 1};
    OK(cuMemcpy2D(&c));
    return a;
}

static inline CUtexObject array_texture(CUarray a, CUDA_TEXTURE_DESC t)
{
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUtexObject object = 0;
    r.res.array.hArray = a;
    OK(cuTexObjectCreate(&object, &r, &t, NULL));
    return object;
}

#endif
