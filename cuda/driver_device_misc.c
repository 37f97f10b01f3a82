/* driver_device_misc.c - calls that say little or are another form of one in the other files: what
 * programs and language bindings around the driver API expect to find.
 *
 * Every call has finished when it returns, so the form with a stream is the plain one after a look
 * at the stream, and a host function is called at once. */
#include "cuda/driver.h"

#include <stdio.h>
#include <string.h>

static CUresult null_result(struct driver *d, const char *call)
{
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "%s: a result pointer is NULL", call);
}

/* ---- the device and contexts ---- */

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    char name[64];
    CUresult r = cuDeviceGetName(name, sizeof name, dev);
    if (r || !uuid) return r ? r : CUDA_ERROR_INVALID_VALUE;
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid->bytes, name, strnlen(name, sizeof uuid->bytes));
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int len, CUdevice dev)
{
    CUdevice known;
    CUresult r = cuDeviceGet(&known, dev);
    if (r || !id || len < 13) return r ? r : CUDA_ERROR_INVALID_VALUE;
    snprintf(id, (size_t)len, "0000:00:00.0");
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    DRIVER(d);
    CUdevice known;
    CUresult r = driver_initialized(&d);
    if (!r) r = cuDeviceGet(&known, dev);
    if (r) return r;
    if (flags) *flags = 0;
    if (active) *active = d->primary != NULL;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
    CUdevice known;
    (void)flags; /* how a thread waits: nothing here waits */
    return cuDeviceGet(&known, dev);
}

CUresult cuCtxPushCurrent(CUcontext ctx)
{
    DRIVER(d);
    CUresult r = driver_initialized(&d);
    if (r) return r;
    if (!object_find(d, ctx, OBJECT_CONTEXT))
        return driver_fail(d, CUDA_ERROR_INVALID_CONTEXT, "cuCtxPushCurrent: not a context");
    if (ctx != d->current) ctx->below = d->current;
    d->current = ctx;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *ctx)
{
    DRIVER(d);
    CUresult r = driver_initialized(&d);
    if (r) return r;
    if (!d->current) return driver_fail(d, CUDA_ERROR_INVALID_CONTEXT, "cuCtxPopCurrent: no context is current");
    if (ctx) *ctx = d->current;
    struct CUctx_st *below = object_find(d, d->current->below, OBJECT_CONTEXT);
    d->current->below = NULL;
    d->current = below;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!device) return null_result(d, "cuCtxGetDevice");
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!version || (ctx && !object_find(d, ctx, OBJECT_CONTEXT))) return null_result(d, "cuCtxGetApiVersion");
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!flags) return null_result(d, "cuCtxGetFlags");
    *flags = CU_CTX_SCHED_AUTO;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (!r && (unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        r = driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuCtxSetCacheConfig: unknown preference %d", (int)config);
    return r; /* a preference: the machine's split of shared memory and L1D is a parameter */
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!config) return null_result(d, "cuCtxGetCacheConfig");
    *config = CU_FUNC_CACHE_PREFER_NONE;
    return CUDA_SUCCESS;
}

/* Only the heap has a size; of stack, print buffer and waiting launches there is as much as they need, and the sizes
 * are remembered for who asks. At first they are what CUDA says a context has. */
enum { LIMITS = CU_LIMIT_PERSISTING_L2_CACHE_SIZE + 1 };
static const size_t first_limits[LIMITS] = {1024, 1 << 20, DEV_HEAP, 2, 2048, 64, 0};

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if ((unsigned)limit >= LIMITS)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuCtxSetLimit: limit %d", (int)limit);
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && dev_set_heap(session_memory(d->session), value))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuCtxSetLimit: a kernel has used the heap already");
    d->limits[limit] = value + 1; /* 0: not set */
    return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!value) return null_result(d, "cuCtxGetLimit");
    if ((unsigned)limit >= LIMITS)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuCtxGetLimit: limit %d", (int)limit);
    *value = d->limits[limit] ? d->limits[limit] - 1 : first_limits[limit];
    return CUDA_SUCCESS;
}

/* ---- memory ---- */

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr ptr)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    uint64_t start, size;
    if (dev_range(session_memory(d->session), ptr, &start, &size))
        return driver_fail(d, CUDA_ERROR_NOT_FOUND, "cuMemGetAddressRange: 0x%llx is in no allocation", ptr);
    if (base) *base = start;
    if (bytes) *bytes = size;
    return CUDA_SUCCESS;
}

CUresult cuMemsetD2D8(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height)
{
    CUresult r = CUDA_SUCCESS;
    for (size_t y = 0; y < height && !r; y++) r = cuMemsetD8(dst + y * pitch, value, width);
    return r;
}

CUresult cuMemsetD2D16(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height)
{
    CUresult r = CUDA_SUCCESS;
    for (size_t y = 0; y < height && !r; y++) r = cuMemsetD16(dst + y * pitch, value, width);
    return r;
}

CUresult cuMemsetD2D32(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height)
{
    CUresult r = CUDA_SUCCESS;
    for (size_t y = 0; y < height && !r; y++) r = cuMemsetD32(dst + y * pitch, value, width);
    return r;
}

/* ---- functions ---- */

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!object_find(d, function, OBJECT_FUNCTION))
        return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuFuncSetAttribute: not a function");
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS; /* preferences */
    int most;
    r = cuFuncGetAttribute(&most, attribute, function);
    if (!r && value > most)
        r = driver_fail(d, CUDA_ERROR_INVALID_VALUE,
                        "cuFuncSetAttribute: %d bytes of dynamic shared memory, the machine "
                        "has %d (sm.shared)",
                        value, most);
    return r;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUfunc_st *f = object_find(d, function, OBJECT_FUNCTION);
    if (!f || !module) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuFuncGetModule: not a function");
    *module = f->module;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUfunc_st *f = object_find(d, function, OBJECT_FUNCTION);
    if (!f || !name) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuFuncGetName: not a function");
    *name = f->kernel->name;
    return CUDA_SUCCESS;
}

/* An assembler that is told the size of blocks (.maxntid) gives no more registers than let one block fit. */
unsigned kernel_registers(const struct driver *d, const struct ptx_func *k)
{
    int64_t lanes = ((int64_t)k->max_threads + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;
    int64_t most = lanes ? session_param(d->session, P_SM_REGISTERS) / lanes : 0;
    return most && most < k->regs_per_thread ? (unsigned)most : k->regs_per_thread;
}

/* As the simulated SMs fill themselves (src/sm/sm.c). */
int64_t resident_blocks(const struct driver *d, const struct CUfunc_st *f, unsigned threads, size_t dynamic_shared)
{
    const struct session *s = d->session;
    int64_t warps = (threads + WARP_SIZE - 1) / WARP_SIZE, n = session_param(s, P_SM_CTAS);
    int64_t registers = (int64_t)kernel_registers(d, f->kernel) * warps * WARP_SIZE;
    uint64_t shared = f->kernel->shared_bytes + dynamic_shared;
    int64_t by_warps = session_param(s, P_SM_WARPS) / warps;
    int64_t by_registers = registers ? session_param(s, P_SM_REGISTERS) / registers : n;
    int64_t by_shared = shared ? (int64_t)((uint64_t)session_param(s, P_SM_SHARED) / shared) : n;
    n = by_warps < n ? by_warps : n;
    n = by_registers < n ? by_registers : n;
    return by_shared < n ? by_shared : n;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared_bytes)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUfunc_st *f = object_find(d, function, OBJECT_FUNCTION);
    if (!f) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "occupancy of something that is not a function");
    if (!blocks || threads < 1 || threads > 1024)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "occupancy of blocks of %d threads", threads);
    *blocks = (int)resident_blocks(d, f, (unsigned)threads, shared_bytes);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                              size_t shared_bytes, unsigned int flags)
{
    (void)flags; /* whether caching may lower the occupancy: it does not here */
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          size_t (*block_to_shared)(int threads), size_t shared_bytes, int limit)
{
    DRIVER(d);
    int most, best = 0;
    CUresult r = driver_context(&d);
    if (!r) r = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    if (r) return r;
    if (!grid || !block) return null_result(d, "cuOccupancyMaxPotentialBlockSize");
    if (limit > 0 && limit < most) most = limit;
    *grid = *block = 0;
    for (int threads = most / WARP_SIZE * WARP_SIZE; threads > 0 && !r; threads -= WARP_SIZE) {
        int blocks;
        size_t shared = block_to_shared ? block_to_shared(threads) : shared_bytes;
        r = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared);
        if (r || blocks * threads <= best) continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * (int)session_param(d->session, P_SM_COUNT);
    }
    return r;
}
