/* test_driver.c - every call of the driver API, used well and used badly.
 *
 * Each test starts with a functional session, initialised, with a current context. */
#include "test.h"

#include "sim/session.h"
#include "warpline/cuda.h"

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), CUDA_ERROR_##code)

static const char program[] = ".version 7.5\n"
                              ".target sm_75\n"
                              ".address_size 64\n"
                              ".global .align 4 .u32 counter = 5;\n"
                              ".const .align 4 .u32 bias[2] = {10, 20};\n"
                              ".visible .entry fill(.param .u64 out, .param .u8 tag, .param .u32 value)\n"
                              "{\n"
                              "  .reg .u32 %r<6>;\n"
                              "  .reg .u64 %rd<4>;\n"
                              "  ld.param.u64 %rd1, [out];\n"
                              "  ld.param.u32 %r1, [value];\n"
                              "  ld.param.u8 %r2, [tag];\n"
                              "  ld.const.u32 %r3, [bias+4];\n"
                              "  add.u32 %r1, %r1, %r2;\n"
                              "  add.u32 %r1, %r1, %r3;\n"
                              "  mov.u32 %r4, %tid.x;\n"
                              "  mul.wide.u32 %rd2, %r4, 4;\n"
                              "  add.u64 %rd3, %rd1, %rd2;\n"
                              "  st.global.u32 [%rd3], %r1;\n"
                              "  ret;\n"
                              "}\n"
                              ".visible .entry small() .maxntid 64, 1, 1\n"
                              "{\n"
                              "  .shared .align 4 .b8 buffer[128];\n"
                              "  .reg .u32 %r<2>;\n"
                              "  ld.shared.u32 %r1, [buffer];\n"
                              "  ret;\n"
                              "}\n";

struct fixture {
    struct session *session;
    CUcontext ctx;
};

static int setup(void **state)
{
    static struct fixture f;
    struct session_options o = {.mode = SESSION_FUNCTIONAL, .memory_bytes = 1 << 20};
    f.session = session_new(&o, NULL);
    if (!f.session) return -1;
    session_make_current(f.session);
    *state = &f;
    return cuInit(0) || cuCtxCreate(&f.ctx, 0, 0) ? -1 : 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    session_free(f->session);
    return session_current() ? -1 : 0;
}

static void assert_says(const char *words)
{
    const char *text = session_error(session_current())->text;
    if (!strstr(text, words)) fail_msg("the error says \"%s\", not \"%s\"", text, words);
}

static CUfunction kernel(CUmodule *m, const char *name)
{
    CUfunction f = NULL;
    OK(cuModuleLoadData(m, program));
    OK(cuModuleGetFunction(&f, *m, name));
    return f;
}

/* ---- without a session, without cuInit ---- */

TEST(test_uninitialised)
{
    int n;
    CUdeviceptr p;
    session_make_current(NULL);
    FAILS(NO_DEVICE, cuInit(0));
    FAILS(NOT_INITIALIZED, cuDeviceGetCount(&n));
    struct session_options o = {.mode = SESSION_FUNCTIONAL};
    struct session *s = session_new(&o, NULL);
    assert_non_null(s);
    session_make_current(s);
    FAILS(NOT_INITIALIZED, cuMemAlloc(&p, 4));
    FAILS(INVALID_VALUE, cuInit(1));
    OK(cuInit(0));
    OK(cuInit(0));
    FAILS(INVALID_CONTEXT, cuMemAlloc(&p, 4));
    session_free(s);
    assert_null(session_current());
}

/* ---- device and contexts ---- */

TEST_WITH(test_device, setup, teardown)
{
    int n = 0, minor = 0;
    size_t bytes = 0;
    CUdevice dev = 7;
    char name[64];
    OK(cuDriverGetVersion(&n));
    assert_int_equal(n, CUDA_VERSION);
    FAILS(INVALID_VALUE, cuDriverGetVersion(NULL));
    OK(cuDeviceGetCount(&n));
    assert_int_equal(n, 1);
    FAILS(INVALID_VALUE, cuDeviceGetCount(NULL));
    OK(cuDeviceGet(&dev, 0));
    FAILS(INVALID_DEVICE, cuDeviceGet(&dev, 1));
    FAILS(INVALID_DEVICE, cuDeviceGet(&dev, -1));
    FAILS(INVALID_VALUE, cuDeviceGet(NULL, 0));
    OK(cuDeviceGetName(name, sizeof name, dev));
    assert_string_equal(name, "warpline functional");
    OK(cuDeviceGetName(name, 5, dev));
    assert_string_equal(name, "warp");
    FAILS(INVALID_VALUE, cuDeviceGetName(name, 0, dev));
    FAILS(INVALID_DEVICE, cuDeviceGetName(name, sizeof name, 3));
    OK(cuDeviceTotalMem(&bytes, dev));
    assert_int_equal(bytes, 1 << 20);
    OK(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev));
    assert_int_equal(n, 32);
    OK(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, dev));
    assert_true(n > 0);
    FAILS(INVALID_VALUE, cuDeviceGetAttribute(&n, (CUdevice_attribute)9999, dev));
    OK(cuDeviceComputeCapability(&n, &minor, dev));
    assert_int_equal(10 * n + minor, 75);
}

TEST_WITH(test_contexts, setup, teardown)
{
    struct fixture *f = *state;
    CUcontext a, b, primary, primary2;
    CUstream s;
    OK(cuCtxGetCurrent(&a));
    assert_ptr_equal(a, f->ctx);
    FAILS(INVALID_VALUE, cuCtxGetCurrent(NULL));
    OK(cuStreamCreate(&s, 0));
    OK(cuCtxCreate_v4(&b, NULL, 0, 0));
    FAILS(INVALID_DEVICE, cuCtxCreate(&b, 0, 1));
    OK(cuCtxSetCurrent(a));
    FAILS(INVALID_CONTEXT, cuCtxSetCurrent((CUcontext)(uintptr_t)0x1234));
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuDevicePrimaryCtxRetain(&primary2, 0));
    assert_ptr_equal(primary, primary2);
    FAILS(INVALID_CONTEXT, cuCtxDestroy(primary));
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxSetCurrent(primary));
    OK(cuDevicePrimaryCtxRelease(0));
    FAILS(INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    FAILS(INVALID_CONTEXT, cuCtxSynchronize()); /* the current one is gone */
    OK(cuCtxDestroy(a));
    FAILS(INVALID_CONTEXT, cuCtxDestroy(a));
    OK(cuCtxSetCurrent(b));
    OK(cuCtxSynchronize());
    FAILS(INVALID_HANDLE, cuStreamSynchronize(s)); /* died with its context */
}

/* ---- memory ---- */

TEST_WITH(test_allocation, setup, teardown)
{
    CUdeviceptr p, q;
    size_t free_bytes, total, pitch = 0;
    OK(cuMemAlloc(&p, 100));
    OK(cuMemAlloc(&q, 100));
    assert_int_equal(p, DEVICE_BASE);
    assert_int_equal(q, DEVICE_BASE + 256);
    OK(cuMemGetInfo(&free_bytes, &total));
    assert_int_equal(total - free_bytes, 512);
    FAILS(INVALID_VALUE, cuMemGetInfo(NULL, &total));
    FAILS(INVALID_VALUE, cuMemAlloc(&p, 0));
    FAILS(INVALID_VALUE, cuMemAlloc(NULL, 4));
    FAILS(OUT_OF_MEMORY, cuMemAlloc(&p, (size_t)1 << 40));
    FAILS(INVALID_VALUE, cuMemFree(q + 4));
    OK(cuMemFree(q));
    FAILS(INVALID_VALUE, cuMemFree(q));
    OK(cuMemFree(0));
    OK(cuMemAllocPitch(&q, &pitch, 300, 3, 4));
    assert_int_equal(pitch, 512);
    OK(cuMemsetD8(q + 2 * pitch, 1, pitch));
    FAILS(INVALID_VALUE, cuMemsetD8(q + 2 * pitch, 1, pitch + 1));
    FAILS(INVALID_VALUE, cuMemAllocPitch(&q, &pitch, 300, 3, 5));
    FAILS(INVALID_VALUE, cuMemAllocPitch(&q, &pitch, SIZE_MAX, 3, 4));
    FAILS(OUT_OF_MEMORY, cuMemAllocPitch(&q, &pitch, 1 << 20, SIZE_MAX / 4, 4));
}

TEST_WITH(test_copies, setup, teardown)
{
    CUdeviceptr p, q;
    CUstream bad = (CUstream)(uintptr_t)0x4444;
    int in[4] = {1, 2, 3, 4}, out[4] = {0};
    OK(cuMemAlloc(&p, sizeof in));
    OK(cuMemAlloc(&q, sizeof in));
    OK(cuMemcpyHtoD(p, in, sizeof in));
    OK(cuMemcpyDtoD(q, p, sizeof in));
    OK(cuMemcpyDtoH(out, q, sizeof out));
    assert_memory_equal(in, out, sizeof in);
    OK(cuMemcpyHtoD(p, NULL, 0));
    FAILS(INVALID_VALUE, cuMemcpyHtoD(p, NULL, 4));
    FAILS(INVALID_VALUE, cuMemcpyHtoD(p + 4, in, sizeof in));
    assert_says("past the end");
    FAILS(INVALID_VALUE, cuMemcpyDtoH(out, 0x1000, 4));
    assert_says("not in device memory");
    FAILS(INVALID_VALUE, cuMemcpyDtoD(q, p, sizeof in + 1));
    OK(cuMemcpyHtoDAsync(p + 12, in, 4, CU_STREAM_PER_THREAD));
    FAILS(INVALID_HANDLE, cuMemcpyHtoDAsync(p, in, 4, bad));
    OK(cuMemcpyDtoHAsync(out, p + 12, 4, NULL));
    assert_int_equal(out[0], 1);
    FAILS(INVALID_HANDLE, cuMemcpyDtoHAsync(out, p, 4, bad));
    CUdeviceptr host_in = (uintptr_t)in, host_out = (uintptr_t)out;
    OK(cuMemcpy(q, host_in, sizeof in));
    OK(cuMemcpy(p, q, sizeof in));
    OK(cuMemcpy(host_out, p, sizeof in));
    assert_memory_equal(in, out, sizeof in);
    FAILS(INVALID_VALUE, cuMemcpy(q, 0, 4));
    OK(cuMemcpy(host_out, host_in + 8, 4));
    assert_int_equal(out[0], 3);
}

TEST_WITH(test_fills, setup, teardown)
{
    CUdeviceptr p;
    uint32_t out[4];
    OK(cuMemAlloc(&p, sizeof out));
    OK(cuMemsetD32(p, 0x01020304, 4));
    OK(cuMemsetD16(p + 4, 0xabcd, 2));
    OK(cuMemsetD8(p + 15, 0xff, 1));
    OK(cuMemsetD8(p, 0xff, 0));
    OK(cuMemcpyDtoH(out, p, sizeof out));
    assert_int_equal(out[0], 0x01020304);
    assert_int_equal(out[1], 0xabcdabcd);
    assert_int_equal(out[3], 0xff020304);
    FAILS(INVALID_VALUE, cuMemsetD32(p, 0, 5));
    FAILS(INVALID_VALUE, cuMemsetD32(p + 2, 0, 1));
    FAILS(INVALID_VALUE, cuMemsetD32(p, 0, SIZE_MAX / 2));
}

TEST_WITH(test_pointers, setup, teardown)
{
    void *host = NULL;
    CUdeviceptr p, base;
    CUmemorytype type;
    size_t size;
    OK(cuMemAllocHost(&host, 64));
    FAILS(INVALID_VALUE, cuMemAllocHost(NULL, 64));
    OK(cuMemAlloc(&p, 64));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 5));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    OK(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 5));
    assert_int_equal(base, p);
    OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p + 5));
    assert_int_equal(size, 64);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)host + 63));
    assert_int_equal(type, CU_MEMORYTYPE_HOST);
    FAILS(INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 64));
    FAILS(INVALID_VALUE, cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    FAILS(INVALID_VALUE, cuPointerGetAttribute(&type, (CUpointer_attribute)999, p));
    FAILS(INVALID_VALUE, cuMemFreeHost((char *)host + 1));
    OK(cuMemFreeHost(host));
    FAILS(INVALID_VALUE, cuMemFreeHost(host));
}

/* ---- modules ---- */

TEST_WITH(test_module_load, setup, teardown)
{
    CUmodule m = NULL;
    const unsigned char cubin[] = {0x7f, 'E', 'L', 'F', 2, 0};
    const unsigned char fatbin[16] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16}; /* a container without entries */
    FAILS(INVALID_VALUE, cuModuleLoadData(NULL, program));
    FAILS(INVALID_VALUE, cuModuleLoadData(&m, NULL));
    FAILS(NO_BINARY_FOR_GPU, cuModuleLoadData(&m, cubin));
    assert_says("cubin");
    FAILS(NO_BINARY_FOR_GPU, cuModuleLoadData(&m, fatbin));
    assert_says("no PTX");
    FAILS(INVALID_PTX, cuModuleLoadData(&m, ".version 7.5\n.target sm_75\n.address_size 64\nnonsense"));
    assert_says(":4:");
    FAILS(FILE_NOT_FOUND, cuModuleLoad(&m, "/nonexistent/kernel.ptx"));
    assert_says("/nonexistent/kernel.ptx");
    FAILS(INVALID_VALUE, cuModuleLoadDataEx(&m, program, 1, NULL, NULL));
    OK(cuModuleLoadDataEx(&m, program, 0, NULL, NULL));
    OK(cuModuleUnload(m));
    FAILS(INVALID_HANDLE, cuModuleUnload(m));
}

TEST_WITH(test_module_file, setup, teardown)
{
    char path[] = "/tmp/test_driver_XXXXXX";
    CUmodule m;
    CUfunction f;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fputs(program, file);
    fclose(file);
    OK(cuModuleLoad(&m, path));
    remove(path);
    OK(cuModuleGetFunction(&f, m, "fill"));
}

TEST_WITH(test_module_contents, setup, teardown)
{
    CUmodule m;
    CUfunction f = kernel(&m, "fill"), again;
    CUdeviceptr p;
    size_t bytes;
    unsigned value = 0, bias[2] = {0};
    OK(cuModuleGetFunction(&again, m, "fill"));
    assert_ptr_equal(f, again);
    FAILS(NOT_FOUND, cuModuleGetFunction(&f, m, "fil"));
    assert_says("did you mean 'fill'");
    FAILS(INVALID_VALUE, cuModuleGetFunction(&f, m, NULL));
    FAILS(INVALID_HANDLE, cuModuleGetFunction(&f, (CUmodule)again, "fill"));
    OK(cuModuleGetGlobal(&p, &bytes, m, "counter"));
    assert_int_equal(bytes, 4);
    OK(cuMemcpyDtoH(&value, p, 4));
    assert_int_equal(value, 5);
    OK(cuModuleGetGlobal(&p, &bytes, m, "bias"));
    assert_int_equal(bytes, 8);
    OK(cuMemcpyDtoH(bias, p, 8));
    assert_int_equal(bias[1], 20);
    FAILS(INVALID_VALUE, cuMemcpyDtoH(bias, p + 4, 8));
    FAILS(NOT_FOUND, cuModuleGetGlobal(&p, &bytes, m, "nothing"));
    FAILS(INVALID_VALUE, cuModuleGetGlobal(NULL, NULL, m, "bias"));
    OK(cuModuleUnload(m));
    FAILS(INVALID_VALUE, cuMemcpyDtoH(bias, p, 8)); /* the constant went with its module */
    FAILS(INVALID_HANDLE, cuFuncSetCacheConfig(again, CU_FUNC_CACHE_PREFER_L1));
}

TEST_WITH(test_function_attributes, setup, teardown)
{
    CUmodule m;
    CUfunction f = kernel(&m, "small");
    int v = 0;
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    assert_int_equal(v, 64);
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    assert_int_equal(v, 128);
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
    assert_int_equal(v, 75);
    FAILS(INVALID_VALUE, cuFuncGetAttribute(&v, (CUfunction_attribute)77, f));
    FAILS(INVALID_VALUE, cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    FAILS(INVALID_HANDLE, cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL));
    OK(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_SHARED));
    FAILS(INVALID_VALUE, cuFuncSetCacheConfig(f, (CUfunc_cache)9));
}

/* ---- launches ---- */

TEST_WITH(test_launch, setup, teardown)
{
    struct fixture *fix = *state;
    CUmodule m;
    CUfunction f = kernel(&m, "fill");
    CUdeviceptr p, bias;
    unsigned value = 100, out[32], two = 2, n;
    unsigned char tag = 3;
    OK(cuMemAlloc(&p, sizeof out));
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&p, &tag, &value}, NULL));
    OK(cuMemcpyDtoH(out, p, sizeof out));
    assert_int_equal(out[0], 123);
    assert_int_equal(out[31], 123);

    struct {
        CUdeviceptr out;
        unsigned char tag;
        unsigned value;
    } packed = {p, 1, 200};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    OK(cuModuleGetGlobal(&bias, NULL, m, "bias")); /* constants can be written between launches */
    OK(cuMemcpyHtoD(bias + 4, &two, 4));
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, CU_STREAM_LEGACY, NULL, extra));
    OK(cuMemcpyDtoH(out, p, sizeof out));
    assert_int_equal(out[7], 203);
    const struct kernel_record *k = session_kernels(fix->session, &n);
    assert_int_equal(n, 2);
    assert_string_equal(k[1].name, "fill");
    assert_int_equal(k[1].block[0], 32);
    assert_int_equal(k[1].warp_instructions, 11);
    assert_int_equal(session_counts(fix->session).thread_instructions, 2 * 11 * 32);

    size = 3;
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    extra[0] = (void *)(uintptr_t)9;
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
}

TEST_WITH(test_launch_refused, setup, teardown)
{
    CUmodule m;
    CUfunction f = kernel(&m, "fill"), small;
    CUdeviceptr p;
    unsigned value = 0;
    unsigned char tag = 0;
    OK(cuModuleGetFunction(&small, m, "small"));
    OK(cuMemAlloc(&p, 4096));
    void *params[] = {&p, &tag, &value}, *missing[] = {&p, NULL, &value};
    FAILS(INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    FAILS(INVALID_HANDLE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, (CUstream)f, params, NULL));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, params));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, missing, NULL));
    assert_says("parameter 2 of 3");
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 0x80000000u, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, params, NULL));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 65536, 1, 1, 1, 0, NULL, params, NULL));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, NULL, params, NULL));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 64, 17, 1, 0, NULL, params, NULL));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, NULL, params, NULL));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 0, 1, 0, NULL, params, NULL));
    FAILS(INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 1 << 20, NULL, params, NULL));
    FAILS(LAUNCH_OUT_OF_RESOURCES, cuLaunchKernel(small, 1, 1, 1, 65, 1, 1, 0, NULL, NULL, NULL));
    OK(cuLaunchKernel(small, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    OK(cuLaunchKernel(f, 1, 1, 1, 1024, 1, 1, 0, NULL, params, NULL)); /* nothing above left a mark */
}

TEST_WITH(test_fault_is_sticky, setup, teardown)
{
    CUmodule m;
    CUfunction f = kernel(&m, "fill");
    CUdeviceptr p;
    unsigned value = 0;
    unsigned char tag = 0;
    OK(cuMemAlloc(&p, 16));
    FAILS(ILLEGAL_ADDRESS, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&p, &tag, &value}, NULL));
    assert_says("fill");
    FAILS(ILLEGAL_ADDRESS, cuCtxSynchronize());
    FAILS(ILLEGAL_ADDRESS, cuMemFree(p));
    assert_says("fill");
}

TEST_WITH(test_misaligned, setup, teardown)
{
    CUmodule m;
    CUfunction f = kernel(&m, "fill");
    CUdeviceptr p;
    unsigned value = 0;
    unsigned char tag = 0;
    OK(cuMemAlloc(&p, 1024));
    p += 2;
    FAILS(MISALIGNED_ADDRESS, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&p, &tag, &value}, NULL));
}

/* ---- recording ---- */

struct recorded {
    unsigned ctas, warps;
    uint64_t copied;
};

static int record(void *arg, struct stream_source *s, struct wl_err *e)
{
    struct recorded *r = arg;
    struct cta_stream cta;
    int got;
    while ((got = s->next(s, &cta, e)) > 0) {
        r->ctas++;
        r->warps += cta.nwarps;
        for (uint32_t w = 0; w < cta.nwarps; w++)
            if (stream_check(s->info->code, cta.warp[w], e)) return WL_ERUN;
        s->release(s, &cta);
    }
    return got < 0 ? WL_ERUN : 0;
}

static void record_copy(void *arg, uint64_t addr, uint64_t bytes)
{
    assert_true(addr >= DEVICE_BASE);
    ((struct recorded *)arg)->copied += bytes;
}

TEST(test_record)
{
    struct recorded r = {0};
    struct session_options o = {.mode = SESSION_RECORD, .record = record, .record_copy = record_copy, .record_arg = &r};
    struct session *s = session_new(&o, NULL);
    CUcontext ctx;
    CUmodule m;
    CUdeviceptr p, bias;
    unsigned value = 1, in[96] = {0};
    unsigned char tag = 1;
    assert_non_null(s);
    session_make_current(s);
    OK(cuInit(0));
    OK(cuCtxCreate(&ctx, 0, 0));
    CUfunction f = kernel(&m, "fill");
    OK(cuMemAlloc(&p, sizeof in));
    OK(cuMemcpyHtoD(p, in, sizeof in));
    OK(cuModuleGetGlobal(&bias, NULL, m, "bias"));
    OK(cuMemcpyHtoD(bias, in, 8)); /* the constant bank is not memory the machine sees */
    OK(cuLaunchKernel(f, 2, 1, 1, 96, 1, 1, 0, NULL, (void *[]){&p, &tag, &value}, NULL));
    assert_int_equal(r.ctas, 2);
    assert_int_equal(r.warps, 6);
    assert_int_equal(r.copied, sizeof in);
    assert_int_equal(session_counts(s).thread_instructions, 2 * 96 * 11);
    assert_int_equal(session_replay(s, NULL, NULL, NULL, NULL), WL_EINPUT); /* there is no machine */
    session_free(s);
}

/* ---- streams, events, errors ---- */

TEST_WITH(test_streams, setup, teardown)
{
    CUstream s, bad = (CUstream)(uintptr_t)0x9999;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    FAILS(INVALID_VALUE, cuStreamCreate(&s, 8));
    FAILS(INVALID_VALUE, cuStreamCreate(NULL, 0));
    OK(cuStreamSynchronize(s));
    OK(cuStreamQuery(s));
    OK(cuStreamQuery(NULL));
    FAILS(INVALID_HANDLE, cuStreamQuery(bad));
    FAILS(INVALID_HANDLE, cuStreamSynchronize(bad));
    OK(cuStreamDestroy(s));
    FAILS(INVALID_HANDLE, cuStreamDestroy(s));
    FAILS(INVALID_HANDLE, cuStreamDestroy(NULL));
}

TEST_WITH(test_events, setup, teardown)
{
    CUevent a, b, untimed;
    float ms = -1;
    OK(cuEventCreate(&a, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&b, CU_EVENT_BLOCKING_SYNC));
    OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    FAILS(INVALID_VALUE, cuEventCreate(&a, 64));
    FAILS(INVALID_VALUE, cuEventCreate(NULL, 0));
    OK(cuEventRecord(a, NULL));
    FAILS(INVALID_HANDLE, cuEventElapsedTime(&ms, a, b)); /* b was never recorded */
    OK(cuEventRecord(b, NULL));
    OK(cuEventRecord(untimed, NULL));
    OK(cuEventSynchronize(b));
    OK(cuEventQuery(b));
    OK(cuEventElapsedTime(&ms, a, b));
    assert_true(ms == 0.0f); /* a functional session has no time */
    OK(cuEventElapsedTime_v2(&ms, a, b));
    FAILS(INVALID_VALUE, cuEventElapsedTime(NULL, a, b));
    FAILS(INVALID_HANDLE, cuEventElapsedTime(&ms, a, untimed));
    FAILS(INVALID_HANDLE, cuEventRecord(NULL, NULL));
    FAILS(INVALID_HANDLE, cuEventRecord(a, (CUstream)a));
    OK(cuEventDestroy(a));
    FAILS(INVALID_HANDLE, cuEventDestroy(a));
    FAILS(INVALID_HANDLE, cuEventSynchronize(a));
    FAILS(INVALID_HANDLE, cuEventQuery(a));
}

TEST_WITH(test_error_names, setup, teardown)
{
    const char *s = NULL;
    OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &s));
    assert_string_equal(s, "CUDA_ERROR_ILLEGAL_ADDRESS");
    OK(cuGetErrorString(CUDA_SUCCESS, &s));
    assert_string_equal(s, "no error");
    FAILS(INVALID_VALUE, cuGetErrorName((CUresult)12345, &s));
    assert_null(s);
    FAILS(INVALID_VALUE, cuGetErrorString((CUresult)12345, &s));
    FAILS(INVALID_VALUE, cuGetErrorName(CUDA_SUCCESS, NULL));
}
