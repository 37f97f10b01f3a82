/* test_driver_questions.c - driver calls that answer, and calls that are hints: what they say of this device, what they
 * remember, and what they refuse. */
#include "driver_rig.h"

static const char program[] = DRIVER_HEAD ".global .u32 word;\n"
                                          ".visible .entry k(.param .u64 at, .param .u32 value)\n{\n ret;\n}\n";

struct rig {
    struct driver_rig d;
    CUfunction k;
    CUstream stream;
    CUdeviceptr memory; /* 64 words */
};

static void rig_begin(struct rig *r)
{
    driver_begin(&r->d, program, 1 << 20, NULL);
    OK(cuModuleGetFunction(&r->k, r->d.module, "k"));
    OK(cuStreamCreate(&r->stream, 0));
    OK(cuMemAlloc(&r->memory, 256));
    OK(cuMemsetD32(r->memory, 0, 64));
}

static void rig_end(struct rig *r) { driver_end(&r->d); }
static unsigned word(const struct rig *r, unsigned i) { return driver_word(r->memory + i * 4); }

TEST(the_device_and_its_context)
{
    struct rig r;
    rig_begin(&r);
    CUuuid uuid;
    char bus[16];
    CUdevice dev = 7;
    unsigned flags = 7, version = 0;
    int active = 0, config = 0;
    unsigned long long id = 0, same = 0;
    size_t bytes = 0;
    CUfunc_cache cache;
    OK(cuDeviceGetUuid(&uuid, 0));
    BAD(cuDeviceGetUuid(NULL, 0));
    FAILS(INVALID_DEVICE, cuDeviceGetUuid(&uuid, 1));
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, 0));
    assert_string_equal(bus, "0000:00:00.0");
    BAD(cuDeviceGetPCIBusId(bus, 5, 0));
    OK(cuDeviceGetByPCIBusId(&dev, bus));
    assert_int_equal(dev, 0);
    FAILS(INVALID_DEVICE, cuDeviceGetByPCIBusId(&dev, "0000:01:00.0"));
    BAD(cuDeviceGetByPCIBusId(NULL, bus));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 1);
    OK(cuDevicePrimaryCtxSetFlags(0, 4));
    FAILS(INVALID_DEVICE, cuDevicePrimaryCtxSetFlags(3, 0));
    dev = 7;
    OK(cuCtxGetDevice(&dev));
    assert_int_equal(dev, 0);
    BAD(cuCtxGetDevice(NULL));
    OK(cuCtxGetApiVersion(r.d.context, &version));
    assert_int_equal(version, CUDA_VERSION);
    BAD(cuCtxGetApiVersion(r.d.context, NULL));
    OK(cuCtxGetFlags(&flags));
    OK(cuCtxSetFlags(4));
    BAD(cuCtxGetFlags(NULL));
    OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    BAD(cuCtxSetCacheConfig((CUfunc_cache)9));
    OK(cuCtxGetCacheConfig(&cache)); /* a preference is not kept: the split is a parameter of the machine */
    assert_int_equal(cache, CU_FUNC_CACHE_PREFER_NONE);
    BAD(cuCtxGetCacheConfig(NULL));
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
    BAD(cuCtxSetLimit((CUlimit)9, 1));
    OK(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
    assert_int_equal(bytes, 1024); /* kept */
    OK(cuCtxGetLimit(&bytes, CU_LIMIT_PRINTF_FIFO_SIZE));
    OK(cuCtxGetLimit(&bytes, CU_LIMIT_MALLOC_HEAP_SIZE));
    assert_int_equal(bytes, 8 << 20); /* as CUDA begins */
    BAD(cuCtxGetLimit(&bytes, (CUlimit)9));
    BAD(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
    OK(cuCtxResetPersistingL2Cache());
    OK(cuCtxSetSharedMemConfig(2));
    OK(cuCtxGetSharedMemConfig(&config));
    assert_int_equal(config, 1);
    BAD(cuCtxGetSharedMemConfig(NULL));
    OK(cuCtxGetId(NULL, &id));
    OK(cuCtxGetId(r.d.context, &same));
    assert_true(id == same);
    BAD(cuCtxGetId(r.d.context, NULL));
    OK(cuProfilerStart());
    OK(cuProfilerStop());
    rig_end(&r);
}

TEST(one_device_has_no_peers)
{
    struct rig r;
    int can = 7;
    rig_begin(&r);
    OK(cuDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    BAD(cuDeviceCanAccessPeer(NULL, 0, 0));
    FAILS(INVALID_DEVICE, cuDeviceCanAccessPeer(&can, 0, 1));
    FAILS(INVALID_DEVICE, cuCtxEnablePeerAccess(r.d.context, 0));
    FAILS(PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(r.d.context));
    FAILS(INVALID_DEVICE, cuDeviceGetP2PAttribute(&can, 1, 0, 0));
    unsigned one = 5;
    OK(cuMemcpyHtoD(r.memory, &one, 4));
    OK(cuMemcpyPeer(r.memory + 4, r.d.context, r.memory, r.d.context, 4)); /* to itself is a copy */
    OK(cuMemcpyPeerAsync(r.memory + 8, r.d.context, r.memory + 4, r.d.context, 4, r.stream));
    assert_int_equal(word(&r, 2), 5);
    rig_end(&r);
}

TEST(kernels_and_modules)
{
    struct rig r;
    size_t offset = 0, bytes = 0;
    int loaded = 0, mode = 0, size = 0, grid = 0, block = 0;
    unsigned n = 0;
    rig_begin(&r);
    OK(cuFuncGetParamInfo(r.k, 1, &offset, &bytes));
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 4);
    OK(cuFuncGetParamInfo(r.k, 0, NULL, NULL));
    BAD(cuFuncGetParamInfo(r.k, 2, &offset, &bytes)); /* there are two: how programs count them */
    OK(cuKernelGetParamInfo((CUkernel)r.k, 0, &offset, &bytes));
    OK(cuFuncIsLoaded(&loaded, r.k));
    assert_int_equal(loaded, 1);
    BAD(cuFuncIsLoaded(NULL, r.k));
    OK(cuFuncSetSharedMemConfig(r.k, 2));
    BAD(cuFuncSetSharedMemConfig((CUfunction)(void *)&n, 2));
    OK(cuKernelSetCacheConfig((CUkernel)r.k, CU_FUNC_CACHE_PREFER_L1, 0));
    FAILS(INVALID_DEVICE, cuKernelSetCacheConfig((CUkernel)r.k, CU_FUNC_CACHE_PREFER_L1, 1));
    CUlibrary library;
    OK(cuKernelGetLibrary(&library, (CUkernel)r.k));
    assert_ptr_equal(library, r.d.module);
    OK(cuModuleGetLoadingMode(&mode));
    assert_int_equal(mode, 1);
    BAD(cuModuleGetLoadingMode(NULL));
    OK(cuModuleGetFunctionCount(&n, r.d.module));
    assert_int_equal(n, 1);
    CUdeviceptr at;
    OK(cuLibraryGetManaged(&at, &bytes, (CUlibrary)r.d.module, "word"));
    assert_int_equal(bytes, 4);
    OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, r.k, NULL, 0, 128, 0));
    assert_true(block > 0 && block <= 128 && grid > 0);
    BAD(cuOccupancyMaxPotentialBlockSizeWithFlags(NULL, &block, r.k, NULL, 0, 0, 0));
    CUlaunchConfig c = {.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1};
    OK(cuOccupancyMaxPotentialClusterSize(&size, r.k, &c));
    assert_int_equal(size, 8);
    BAD(cuOccupancyMaxPotentialClusterSize(&size, r.k, NULL));
    rig_end(&r);
}

TEST(hints_about_memory_want_memory_of_the_device)
{
    struct rig r;
    CUmemLocation here = {1, 0};
    int data[2] = {7, 7};
    rig_begin(&r);
    OK(cuMemPrefetchAsync(r.memory, 256, 0, r.stream));
    OK(cuMemPrefetchAsync_v2(r.memory, 256, here, 0, NULL));
    OK(cuMemAdvise(r.memory, 256, 1, 0));
    OK(cuMemAdvise_v2(r.memory, 256, 1, here));
    BAD(cuMemAdvise(r.memory, 1 << 20, 1, 0));
    BAD(cuMemPrefetchAsync(8, 256, 0, r.stream));
    OK(cuMemRangeGetAttribute(data, sizeof data[0], 1, r.memory, 256));
    assert_int_equal(data[0], 0);
    OK(cuMemRangeGetAttribute(data, sizeof data, 3, r.memory, 256));
    assert_int_equal(data[1], -2);
    BAD(cuMemRangeGetAttribute(data, sizeof data, 9, r.memory, 256));
    BAD(cuMemRangeGetAttribute(data, 1, 1, r.memory, 256));
    BAD(cuMemRangeGetAttribute(NULL, 4, 1, r.memory, 256));
    unsigned on = 1;
    OK(cuPointerSetAttribute(&on, (CUpointer_attribute)6, r.memory));
    BAD(cuPointerSetAttribute(&on, (CUpointer_attribute)2, r.memory));
    unsigned type = 0;
    CUpointer_attribute what[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
    OK(cuPointerGetAttributes(1, what, (void *[]){&type}, r.memory));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    BAD(cuPointerGetAttributes(1, NULL, NULL, r.memory));
    rig_end(&r);
}

TEST(streams_remember_and_wait_for_words)
{
    struct rig r;
    CUstream other;
    CUlaunchAttributeValue v = {.priority = -2}, seen = {.priority = 0};
    unsigned long long id = 0, id2 = 0;
    CUdevice dev = 7;
    CUcontext ctx = NULL;
    unsigned flags = 7;
    rig_begin(&r);
    OK(cuStreamCreateWithPriority(&other, 1, 0));
    OK(cuStreamSetAttribute(r.stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
    OK(cuStreamGetAttribute(r.stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &seen));
    assert_int_equal(seen.priority, -2);
    BAD(cuStreamSetAttribute(r.stream, (CUlaunchAttributeID)99, &v));
    BAD(cuStreamSetAttribute(r.stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
    BAD(cuStreamGetAttribute(r.stream, (CUlaunchAttributeID)99, &seen));
    BAD(cuStreamGetAttribute(r.stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
    OK(cuStreamSetAttribute(r.stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v));
    OK(cuStreamCopyAttributes(other, r.stream));
    seen.priority = 0;
    OK(cuStreamGetAttribute(other, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &seen));
    assert_int_equal(seen.priority, -2);
    FAILS(INVALID_HANDLE, cuStreamCopyAttributes(other, (CUstream)(void *)&v));
    OK(cuStreamGetId(r.stream, &id));
    OK(cuStreamGetId(other, &id2));
    assert_true(id != id2);
    OK(cuStreamGetDevice(r.stream, &dev));
    assert_int_equal(dev, 0);
    OK(cuStreamGetFlags(other, &flags));
    assert_int_equal(flags, 1);
    OK(cuStreamGetCtx(r.stream, &ctx));
    assert_ptr_equal(ctx, r.d.context);
    BAD(cuStreamGetId(r.stream, NULL));
    OK(cuStreamWriteValue32(r.stream, r.memory, 6, 0));
    assert_int_equal(word(&r, 0), 6);
    OK(cuStreamWriteValue64(r.stream, r.memory + 8, 0x700000009ull, 0));
    assert_int_equal(word(&r, 3), 7);
    OK(cuStreamWaitValue32(r.stream, r.memory, 5, 0)); /* 6 is at least 5 */
    OK(cuStreamWaitValue32(r.stream, r.memory, 6, 1));
    OK(cuStreamWaitValue32(r.stream, r.memory, 2, 2)); /* a bit of 6 */
    OK(cuStreamWaitValue32(r.stream, r.memory, 1, 3));
    OK(cuStreamWaitValue64(r.stream, r.memory + 8, 0x700000009ull, 1));
    FAILS(NOT_SUPPORTED, cuStreamWaitValue32(r.stream, r.memory, 7, 0)); /* it would wait for ever */
    FAILS(NOT_SUPPORTED, cuStreamWaitValue64(r.stream, r.memory + 8, 0x800000000ull, 2));
    FAILS(NOT_SUPPORTED, cuStreamWaitValue32(r.stream, r.memory, ~6u, 3));
    BAD(cuStreamWaitValue32(r.stream, 8, 1, 0));
    rig_end(&r);
}

TEST(rows_are_filled_and_arrays_copied)
{
    struct rig r;
    CUarray a, b;
    CUDA_ARRAY_DESCRIPTOR d = {.Width = 8, .Height = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    unsigned v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[8] = {0};
    rig_begin(&r);
    OK(cuMemsetD2D32(r.memory, 32, 9, 2, 3)); /* three rows of two words, eight words apart */
    assert_int_equal(word(&r, 17), 9);
    assert_int_equal(word(&r, 18), 0);
    OK(cuMemsetD2D16(r.memory, 32, 0x102, 2, 1));
    assert_int_equal(word(&r, 0), 0x1020102);
    OK(cuMemsetD2D8Async(r.memory, 32, 3, 4, 2, r.stream));
    OK(cuMemsetD2D16Async(r.memory + 128, 32, 4, 2, 2, r.stream));
    OK(cuMemsetD2D32Async(r.memory + 192, 32, 5, 1, 2, r.stream));
    OK(cuMemsetD16Async(r.memory + 4, 6, 2, r.stream));
    OK(cuMemsetD32Async(r.memory + 12, 7, 1, r.stream));
    assert_int_equal(word(&r, 8), 0x3030303);
    assert_int_equal(word(&r, 32), 0x40004);
    assert_int_equal(word(&r, 56), 5);
    assert_int_equal(word(&r, 1), 0x60006);
    assert_int_equal(word(&r, 3), 7);
    OK(cuArrayCreate(&a, &d));
    OK(cuArrayCreate(&b, &d));
    OK(cuMemcpyHtoAAsync(a, 0, v, sizeof v, r.stream));
    OK(cuMemcpyAtoA(b, 4, a, 0, 8));
    OK(cuMemcpyAtoHAsync(w, b, 0, 16, r.stream));
    assert_int_equal(w[1], 1);
    assert_int_equal(w[2], 2);
    OK(cuMemcpyAtoD(r.memory, a, 8, 8));
    assert_int_equal(word(&r, 0), 3);
    OK(cuMemcpyDtoA(b, 16, r.memory, 8));
    OK(cuMemcpyAtoHAsync(w, b, 16, 8, r.stream));
    assert_int_equal(w[1], 4);
    BAD(cuMemcpyAtoA(b, 28, a, 0, 8)); /* past its end */
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = v,
                       .srcPitch = 16,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = r.memory,
                       .dstPitch = 32,
                       .WidthInBytes = 8,
                       .Height = 2};
    OK(cuMemcpy2DAsync(&c, r.stream));
    assert_int_equal(word(&r, 9), 6);
    OK(cuMemcpy2DUnaligned(&c));
    BAD(cuMemcpy2DAsync(NULL, r.stream));
    rig_end(&r);
}

TEST(pools_know_their_access_and_their_size)
{
    struct rig r;
    CUmemoryPool pool, usual;
    CUmemPoolProps p = {.allocType = 1, .location = {1, 0}};
    CUmemAccessDesc mine = {.location = {1, 0}, .flags = 3}, other = {.location = {1, 1}, .flags = 3};
    CUmemLocation here = {1, 0}, there = {1, 1};
    CUdeviceptr ptr, second;
    int flags = 0;
    uint64_t bytes = 0;
    unsigned reuse = 7;
    rig_begin(&r);
    OK(cuMemPoolCreate(&pool, &p));
    OK(cuMemPoolSetAccess(pool, &mine, 1));
    FAILS(INVALID_DEVICE, cuMemPoolSetAccess(pool, &other, 1));
    BAD(cuMemPoolSetAccess(pool, NULL, 1));
    OK(cuMemPoolGetAccess(&flags, pool, &here));
    assert_int_equal(flags, 3);
    OK(cuMemPoolGetAccess(&flags, pool, &there));
    assert_int_equal(flags, 0);
    BAD(cuMemPoolGetAccess(NULL, pool, &here));
    OK(cuMemAllocFromPoolAsync(&ptr, 512, pool, r.stream)); /* what is freed is counted for the pool it came from */
    OK(cuMemAllocAsync(&second, 256, r.stream));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
    assert_int_equal(bytes, 512);
    OK(cuMemFreeAsync(ptr, r.stream));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
    assert_int_equal(bytes, 0);
    OK(cuDeviceGetDefaultMemPool(&usual, 0));
    OK(cuMemPoolGetAttribute(usual, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
    assert_int_equal(bytes, 256);
    OK(cuDeviceSetMemPool(0, pool));
    OK(cuMemFree(second)); /* by any call, whatever pool is current */
    OK(cuMemPoolGetAttribute(usual, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
    assert_int_equal(bytes, 0);
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &bytes));
    assert_true(bytes >= 512);
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &bytes));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &bytes));
    assert_int_equal(bytes, 0);
    reuse = 0;
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse));
    reuse = 7;
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse));
    assert_int_equal(reuse, 0);
    bytes = 4096;
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
    bytes = 0;
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
    assert_int_equal(bytes, 4096);
    BAD(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes)); /* it is what it is */
    BAD(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)99, &bytes));
    BAD(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)99, &bytes));
    BAD(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, NULL));
    OK(cuMemPoolTrimTo(pool, 0));
    OK(cuMemPoolDestroy(pool));
    BAD(cuMemPoolTrimTo(pool, 0));
    rig_end(&r);
}
