/* test_driver_exec.c - what a program that runs under `warpline exec` needs of session and driver: which launches are
 * timed, which are cut, who hears of a fault, host memory the device sees, and further calls of the driver API. */
#include "test.h"

#include "sim/process_report.h"
#include "sim/session.h"
#include "warpline/cuda.h"

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), CUDA_ERROR_##code)

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
static const char program[] =
    HEAD ".visible .global .align 4 .u32 calls;\n"
         ".visible .entry fill(.param .u64 out, .param .u32 value)\n{\n"
         " .reg .u32 %r<6>;\n .reg .u64 %rd<6>;\n"
         " ld.param.u64 %rd1, [out];\n ld.param.u32 %r1, [value];\n"
         " mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n mov.u32 %r4, %tid.x;\n mad.lo.u32 %r5, %r2, %r3, %r4;\n"
         " mul.wide.u32 %rd2, %r5, 4;\n add.u64 %rd3, %rd1, %rd2;\n st.global.u32 [%rd3], %r1;\n"
         " mov.u64 %rd4, calls;\n red.global.add.u32 [%rd4], 1;\n ret;\n}\n"
         ".visible .entry _Z5otherPf(.param .u64 out)\n{\n ret;\n}\n";

/* ---- a session with a watcher ---- */

struct heard {
    unsigned launches, complaints;
    char text[512];
};

static bool select_second(void *arg, const char *kernel, unsigned launch)
{
    (void)arg, (void)kernel;
    return launch == 2;
}

static void launched(void *arg) { ((struct heard *)arg)->launches++; }

static void complain(void *arg, const char *text)
{
    struct heard *h = arg;
    h->complaints++;
    snprintf(h->text, sizeof h->text, "%s", text);
}

struct rig {
    struct session *session;
    struct session_watch watch;
    struct heard heard;
    CUmodule module;
    CUfunction fill, other;
    CUdeviceptr out;
};

static void rig_begin(struct rig *r, struct session_options o, bool select)
{
    CUcontext ctx;
    struct wl_err e = {.text = ""};
    *r = (struct rig){.watch = {.arg = &r->heard, .launched = launched, .complain = complain}};
    if (select) r->watch.select = select_second;
    o.watch = &r->watch;
    o.memory_bytes = 1 << 24;
    if (o.mode == SESSION_TIMING) {
        assert_int_equal(config_load(&o.config, "gtx480", &e), 0);
        assert_int_equal(config_set(&o.config, "sm.count=1", &e), 0);
        assert_int_equal(config_set(&o.config, "sm.ctas=1", &e), 0);
        assert_int_equal(config_set(&o.config, "sm.registers=1024", &e), 0);
    }
    r->session = session_new(&o, &e);
    if (!r->session) fail_msg("%s", e.text);
    session_make_current(r->session);
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&ctx, 0));
    OK(cuCtxSetCurrent(ctx));
    OK(cuModuleLoadData(&r->module, program));
    OK(cuModuleGetFunction(&r->fill, r->module, "fill"));
    OK(cuModuleGetFunction(&r->other, r->module, "_Z5otherPf"));
    OK(cuMemAlloc(&r->out, 64 * 64 * 4));
}

static void rig_end(struct rig *r) { session_free(r->session); }

static CUresult launch(struct rig *r, unsigned blocks, unsigned value)
{
    return cuLaunchKernel(r->fill, blocks, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&r->out, &value}, NULL);
}

static void expect_filled(struct rig *r, unsigned words, unsigned value)
{
    for (unsigned i = 0; i < words; i++) {
        unsigned v;
        OK(cuMemcpyDtoH(&v, r->out + 4 * i, 4));
        assert_int_equal(v, value);
    }
}

TEST(only_selected_launches_are_timed)
{
    struct rig r;
    rig_begin(&r, (struct session_options){.mode = SESSION_TIMING}, true);
    for (unsigned i = 1; i <= 3; i++) {
        OK(launch(&r, 4, i));
        expect_filled(&r, 256, i); /* executed all the same */
    }
    unsigned n;
    const struct kernel_record *k = session_kernels(r.session, &n);
    assert_int_equal(n, 1);
    assert_true(k->cycles > 0);
    struct launch_counts c = session_launches(r.session);
    assert_int_equal(c.all, 3);
    assert_int_equal(c.skipped, 2);
    assert_int_equal(r.heard.launches, 3);
    struct run_stats s;
    gpu_read_stats(session_gpu(r.session), &s);
    assert_int_equal(s.sm.warp_instructions, k->warp_instructions);
    assert_int_equal(session_counts(r.session).warp_instructions, k->warp_instructions);
    rig_end(&r);
}

TEST(a_cut_launch_is_executed_to_its_end)
{
    struct rig r;
    rig_begin(&r, (struct session_options){.mode = SESSION_TIMING, .gpu = {.cut_cycles = 1}}, false);
    OK(launch(&r, 1, 5)); /* nothing left to cut */
    assert_int_equal(session_launches(r.session).cut, 0);
    OK(launch(&r, 64, 6));
    expect_filled(&r, 64 * 64, 6);
    unsigned n;
    const struct kernel_record *k = session_kernels(r.session, &n);
    assert_int_equal(n, 2);
    assert_int_equal(session_launches(r.session).cut, 1);
    assert_true(k[1].warp_instructions < 64 * k[0].warp_instructions);
    OK(launch(&r, 1, 7)); /* the machine is whole */
    rig_end(&r);
}

TEST(the_user_hears_of_faults_and_bad_modules)
{
    struct rig r;
    CUmodule m;
    rig_begin(&r, (struct session_options){.mode = SESSION_TIMING}, false);
    FAILS(INVALID_PTX, cuModuleLoadData(&m, HEAD "nonsense"));
    assert_int_equal(r.heard.complaints, 1);
    FAILS(NO_BINARY_FOR_GPU, cuModuleLoadData(&m, "\177ELF"));
    assert_int_equal(r.heard.complaints, 2);
    FAILS(INVALID_VALUE, launch(&r, 0, 1)); /* a program's own mistake, which its code tells */
    assert_int_equal(r.heard.complaints, 2);
    FAILS(ILLEGAL_ADDRESS, launch(&r, 65, 1));
    assert_int_equal(r.heard.complaints, 3);
    assert_non_null(strstr(r.heard.text, "out-of-bounds"));
    FAILS(ILLEGAL_ADDRESS, launch(&r, 1, 1)); /* lost */
    rig_end(&r);
}

TEST(a_block_without_room_does_no_harm)
{
    struct rig r;
    rig_begin(&r, (struct session_options){.mode = SESSION_TIMING}, false);
    unsigned v = 1;
    int blocks = -1;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, r.fill, 1024, 0));
    assert_int_equal(blocks, 0);
    FAILS(LAUNCH_OUT_OF_RESOURCES, cuLaunchKernel(r.fill, 1, 1, 1, 1024, 1, 1, 0, NULL, (void *[]){&r.out, &v}, NULL));
    assert_non_null(strstr(r.heard.text, "does not fit an SM"));
    OK(launch(&r, 1, 1));
    rig_end(&r);
}

/* ---- host memory ---- */

TEST(host_memory_the_device_sees)
{
    struct rig r;
    rig_begin(&r, (struct session_options){.mode = SESSION_FUNCTIONAL, .unified = true}, false);
    unsigned *host, flags, v = 9;
    CUdeviceptr seen, next;
    size_t free_before, free_after, total;
    OK(cuMemGetInfo(&free_before, &total));
    OK(cuMemHostAlloc((void **)&host, 1024, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemGetInfo(&free_after, &total));
    assert_int_equal(free_before, free_after); /* it is not device memory */
    OK(cuMemHostGetFlags(&flags, host + 3));
    assert_int_equal(flags, CU_MEMHOSTALLOC_DEVICEMAP);
    OK(cuMemHostGetDevicePointer(&seen, host + 1, 0));
    OK(cuLaunchKernel(r.fill, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&seen, &v}, NULL));
    assert_int_equal(host[0], 0);
    assert_int_equal(host[1], 9);
    assert_int_equal(host[64], 9);
    assert_int_equal(host[65], 0);
    if (dev_unified(session_memory(r.session))) assert_int_equal(seen, (uintptr_t)(host + 1));
    CUdeviceptr before = r.out;
    OK(cuMemAlloc(&next, 256)); /* and moves no device address */
    assert_int_equal(next, before + 64 * 64 * 4);
    host[5] = 77;
    OK(cuMemcpy(next, seen, 64)); /* by either address */
    OK(cuMemcpy(next, (uintptr_t)host, 64));
    OK(cuMemcpyDtoH(&v, next + 20, 4));
    assert_int_equal(v, 77);
    CUmemorytype type;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)host));
    assert_int_equal(type, CU_MEMORYTYPE_HOST);
    FAILS(INVALID_VALUE, cuMemFreeHost(host + 1));
    OK(cuMemFreeHost(host));
    FAILS(INVALID_VALUE, cuMemFreeHost(host));
    FAILS(OUT_OF_MEMORY, cuMemHostAlloc((void **)&host, (size_t)1 << 25, 0));
    rig_end(&r);
}

TEST(managed_memory_needs_one_address)
{
    struct rig r;
    CUdeviceptr p;
    rig_begin(&r, (struct session_options){.mode = SESSION_FUNCTIONAL, .unified = true}, false);
    if (dev_unified(session_memory(r.session))) {
        unsigned v = 4;
        OK(cuMemAllocManaged(&p, 256, CU_MEM_ATTACH_GLOBAL));
        OK(cuLaunchKernel(r.fill, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&p, &v}, NULL));
        assert_int_equal(((unsigned *)(uintptr_t)p)[63], 4);
        OK(cuMemFree(p));
    } else {
        FAILS(NOT_SUPPORTED, cuMemAllocManaged(&p, 256, CU_MEM_ATTACH_GLOBAL));
    }
    FAILS(INVALID_VALUE, cuMemAllocManaged(&p, 256, 0));
    rig_end(&r);
    rig_begin(&r, (struct session_options){.mode = SESSION_FUNCTIONAL}, false);
    FAILS(NOT_SUPPORTED, cuMemAllocManaged(&p, 256, CU_MEM_ATTACH_GLOBAL));
    rig_end(&r);
}

/* Where the process has the device's addresses free, kernels write into memory that the program registered, and it
 * stays the program's; else only copies reach it. */
TEST(registered_memory)
{
    struct rig r;
    static unsigned mine[64];
    CUdeviceptr p;
    rig_begin(&r, (struct session_options){.mode = SESSION_FUNCTIONAL, .unified = true}, false);
    OK(cuMemHostRegister(mine, sizeof mine, 0));
    FAILS(HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(mine + 1, 4, 0));
    if (dev_unified(session_memory(r.session)) && (uintptr_t)mine >= GENERIC_END) {
        unsigned value = 7;
        void *params[] = {&p, &value};
        OK(cuMemHostGetDevicePointer(&p, mine + 32, 0));
        assert_int_equal(p, (uintptr_t)(mine + 32));
        OK(cuLaunchKernel(r.fill, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
        for (unsigned i = 0; i < 64; i++) assert_int_equal(mine[i], i < 32 ? 0 : 7);
        FAILS(ILLEGAL_ADDRESS, cuLaunchKernel(r.fill, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL)); /* its end */
        rig_end(&r);
        assert_int_equal(mine[32], 7);
        return;
    }
    FAILS(NOT_SUPPORTED, cuMemHostGetDevicePointer(&p, mine, 0));
    assert_non_null(strstr(r.heard.text, "cudaHostAlloc"));
    FAILS(INVALID_VALUE, cuMemFreeHost(mine));
    OK(cuMemHostUnregister(mine));
    FAILS(HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(mine));
    rig_end(&r);
}

/* Gaps of the host part are used again when it is full; the device part keeps its own. */
TEST(the_two_parts_of_a_memory)
{
    struct dev_mem *m = dev_mem_new_unified(4096);
    assert_non_null(m);
    uint64_t a = dev_alloc_host(m, 2048), b = dev_alloc_host(m, 2048), d = dev_alloc(m, 4096);
    assert_true(a && b && d == DEVICE_BASE && a == DEVICE_BASE + 4096);
    assert_true(dev_is_host(m, a) && dev_is_host(m, b + 2047) && !dev_is_host(m, d + 4095));
    assert_int_equal(dev_alloc_host(m, 1), 0);
    assert_int_equal(dev_alloc(m, 1), 0);
    assert_int_equal(dev_addr_of(m, dev_ptr(m, b, 1)), b);
    assert_int_equal(dev_addr_of(m, &m), 0);
    dev_release(m, a);
    assert_int_equal(dev_used(m), 4096);
    assert_int_equal(dev_alloc(m, 1), 0);
    assert_int_equal(dev_alloc_host(m, 1000), a);
    dev_release_all(m);
    assert_int_equal(dev_used(m), 0);
    assert_null(dev_ptr(m, d, 1));
    dev_mem_free(m);
}

/* ---- further calls ---- */

TEST(contexts_on_a_stack)
{
    struct rig r;
    CUcontext primary, own, got;
    rig_begin(&r, (struct session_options){.mode = SESSION_FUNCTIONAL}, false);
    OK(cuCtxGetCurrent(&primary));
    OK(cuCtxCreate(&own, 0, 0));
    OK(cuCtxSetCurrent(primary));
    OK(cuCtxPushCurrent(own));
    OK(cuCtxGetCurrent(&got));
    assert_ptr_equal(got, own);
    OK(cuCtxPopCurrent(&got));
    assert_ptr_equal(got, own);
    OK(cuCtxGetCurrent(&got));
    assert_ptr_equal(got, primary);
    FAILS(INVALID_CONTEXT, cuCtxPushCurrent((CUcontext)&r));
    OK(cuCtxPushCurrent(own));
    OK(cuCtxDestroy(own));
    OK(cuCtxSetCurrent(primary));
    OK(cuDevicePrimaryCtxReset(0));
    FAILS(INVALID_CONTEXT, cuCtxPopCurrent(&got));
    size_t free_bytes, total;
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuCtxSetCurrent(primary));
    OK(cuMemGetInfo(&free_bytes, &total));
    assert_int_equal(free_bytes, total); /* a reset frees the program's memory */
    rig_end(&r);
}

static unsigned called;
static void host_call(void *arg) { called += *(unsigned *)arg; }

TEST(calls_on_streams)
{
    struct rig r;
    CUstream s;
    CUevent v;
    unsigned char host[64];
    unsigned one = 1;
    rig_begin(&r, (struct session_options){.mode = SESSION_FUNCTIONAL}, false);
    OK(cuStreamCreateWithPriority(&s, 0, -1));
    OK(cuEventCreate(&v, 0));
    OK(cuEventRecordWithFlags(v, s, 0));
    OK(cuStreamWaitEvent(s, v, 0));
    OK(cuMemsetD8Async(r.out, 3, 64, s));
    OK(cuMemsetD2D8(r.out, 16, 5, 4, 4)); /* four bytes in each of four rows */
    OK(cuMemcpyAsync((uintptr_t)host, r.out, 64, s));
    for (unsigned i = 0; i < 64; i++) assert_int_equal(host[i], i % 16 < 4 ? 5 : 3);
    OK(cuLaunchHostFunc(s, host_call, &one));
    assert_int_equal(called, 1);
    CUstream bad = (CUstream)&r;
    FAILS(INVALID_HANDLE, cuMemsetD8Async(r.out, 3, 64, bad));
    FAILS(INVALID_HANDLE, cuMemcpyAsync(r.out, r.out, 4, bad));
    FAILS(INVALID_HANDLE, cuLaunchHostFunc(bad, host_call, &one));
    CUdeviceptr p, base;
    size_t bytes;
    OK(cuMemAllocAsync(&p, 100, s));
    OK(cuMemGetAddressRange(&base, &bytes, p + 99));
    assert_int_equal(base, p);
    assert_int_equal(bytes, 100);
    OK(cuMemFreeAsync(p, s));
    FAILS(NOT_FOUND, cuMemGetAddressRange(&base, &bytes, p));
    rig_end(&r);
}

TEST(questions_about_functions)
{
    struct rig r;
    const char *name;
    CUmodule m;
    int grid, block, blocks;
    rig_begin(&r, (struct session_options){.mode = SESSION_FUNCTIONAL}, false);
    OK(cuFuncGetName(&name, r.fill));
    assert_string_equal(name, "fill");
    OK(cuFuncGetModule(&m, r.fill));
    assert_ptr_equal(m, r.module);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, r.other, 256, 0));
    assert_int_equal(blocks, 6); /* 48 warps of the default machine */
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, r.other, 256, 20000));
    assert_int_equal(blocks, 2);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, r.other, NULL, 0, 0));
    assert_true(block % 32 == 0 && grid * block == 15 * 48 * 32);
    CUlaunchConfig c = {.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 64, .blockDimY = 1, .blockDimZ = 1};
    unsigned v = 8;
    OK(cuLaunchKernelEx(&c, r.fill, (void *[]){&r.out, &v}, NULL));
    expect_filled(&r, 64, 8);
    c.numAttrs = 1;
    FAILS(INVALID_VALUE, cuLaunchKernelEx(&c, r.fill, (void *[]){&r.out, &v}, NULL));
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {2, 1, 1}};
    c.attrs = &cluster;
    FAILS(LAUNCH_OUT_OF_RESOURCES, cuLaunchKernelEx(&c, r.fill, (void *[]){&r.out, &v}, NULL)); /* a grid of one */
    cluster.id = (CUlaunchAttributeID)99;
    FAILS(NOT_SUPPORTED, cuLaunchKernelEx(&c, r.fill, (void *[]){&r.out, &v}, NULL));
    rig_end(&r);
}

TEST(linking_at_run_time)
{
    struct rig r;
    CUlinkState s;
    CUmodule m;
    CUlibrary lib;
    CUkernel k;
    CUfunction f;
    void *image;
    size_t size;
    char caller[] =
        HEAD ".extern .func (.param .b32 r) seven ();\n"
             ".visible .entry k (.param .u64 out) { .reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.u64 %d1, [out];\n"
             " { .param .b32 q; call (q), seven, (); ld.param.b32 %r1, [q+0]; } st.global.u32 [%d1], %r1; ret; }\n";
    char callee[] = HEAD ".visible .func (.param .b32 r) seven () { st.param.b32 [r+0], 7; ret; }\n";
    rig_begin(&r, (struct session_options){.mode = SESSION_FUNCTIONAL}, false);
    OK(cuLinkCreate(0, NULL, NULL, &s));
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller", 0, NULL, NULL));
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, callee, sizeof callee - 1, "callee", 0, NULL, NULL));
    FAILS(NO_BINARY_FOR_GPU, cuLinkAddData(s, CU_JIT_INPUT_CUBIN, callee, 4, "cubin", 0, NULL, NULL));
    FAILS(FILE_NOT_FOUND, cuLinkAddFile(s, CU_JIT_INPUT_PTX, "/nonexistent", 0, NULL, NULL));
    OK(cuLinkComplete(s, &image, &size));
    assert_int_equal(size, strlen(image) + 1);
    OK(cuModuleLoadData(&m, image));
    OK(cuLibraryLoadData(&lib, image, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLinkDestroy(s));
    FAILS(INVALID_HANDLE, cuLinkDestroy(s));
    OK(cuLibraryGetKernel(&k, lib, "k"));
    OK(cuKernelGetFunction(&f, k));
    OK(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&r.out}, NULL)); /* a kernel is a function */
    expect_filled(&r, 1, 7);
    OK(cuLibraryUnload(lib));
    FAILS(INVALID_HANDLE, cuKernelGetFunction(&f, k));
    OK(cuLinkCreate(0, NULL, NULL, &s)); /* freed with its context */
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, callee, sizeof callee, "callee", 0, NULL, NULL));
    rig_end(&r);
}

/* ---- which launches a user means ---- */

TEST(ranges_of_launches)
{
    static const struct {
        const char *text;
        bool good;
        unsigned first, last;
    } cases[] = {{"3", true, 3, 3},   {"3..5", true, 3, 5},  {"3..", true, 3, UINT32_MAX}, {"..5", true, 1, 5},
                 {"..", false, 0, 0}, {"", false, 0, 0},     {"0", false, 0, 0},           {"5..3", false, 0, 0},
                 {"a", false, 0, 0},  {"3.5", false, 0, 0},  {"3..x", false, 0, 0},        {"99999999999", false, 0, 0},
                 {"-1", false, 0, 0}, {"3..5x", false, 0, 0}};
    for (unsigned i = 0; i < COUNT(cases); i++) {
        unsigned first, last;
        assert_int_equal(launch_range(cases[i].text, &first, &last), cases[i].good);
        if (!cases[i].good) continue;
        assert_int_equal(first, cases[i].first);
        assert_int_equal(last, cases[i].last);
    }
}

TEST(names_of_kernels)
{
    assert_true(kernel_matches("add", "add"));
    assert_true(kernel_matches("add", "_Z3addPfi"));
    assert_true(kernel_matches("a*", "_ZN4math3addIfEEvPT_"));
    assert_true(kernel_matches("_Z3add*", "_Z3addPfi"));
    assert_true(kernel_matches("kernel", "_ZL6kernelPi"));
    assert_false(kernel_matches("add", "add2"));
    assert_false(kernel_matches("ad", "_Z3addPfi"));
    assert_false(kernel_matches("x", "_Z"));
    assert_false(kernel_matches("x", "_Z9x"));
    assert_false(kernel_matches("x", "_Z0x"));
    assert_false(kernel_matches("x", "_Z99999999999999999999x"));
}

TEST(labels_of_kernels)
{
    char a[128], b[128];
    assert_true(kernel_label("_Z3addPfi", a, sizeof a));
    assert_string_equal(a, "add");
    assert_true(kernel_label("_ZL6kernelPi", a, sizeof a));
    assert_string_equal(a, "kernel");
    assert_true(kernel_label("_Z3addIfEvPT_", a, sizeof a) && kernel_label("_Z3addIdEvPT_", b, sizeof b));
    assert_true(strncmp(a, "add#", 4) == 0 && strlen(a) == 8 && strncmp(b, "add#", 4) == 0);
    assert_string_not_equal(a, b); /* two instances of a template are two kernels */
    assert_true(kernel_matches(a, "_Z3addIfEvPT_"));
    assert_false(kernel_matches(a, "_Z3addIdEvPT_"));
    assert_true(kernel_label("_ZN4math5applyE11AccumulatorPfi", a, sizeof a));
    assert_true(strncmp(a, "apply#", 6) == 0);
    assert_false(kernel_label("atax_rows", a, sizeof a));
    assert_false(kernel_label("_Z", a, sizeof a));
    char longest[300] = "_Z200"; /* no room: it keeps its symbol */
    memset(longest + 5, 'x', 200);
    assert_false(kernel_label(longest, a, sizeof a));
}
