/* driver_more.c - the calls that answer questions about kernels, modules, memory and peers, and those that are hints.
 */
#include "cuda/driver_work.h"
#include "sim/dispatch.h"

#include <string.h>

static CUresult invalid(struct driver *d, const char *call)
{
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "%s: a wrong handle, number or pointer", call);
}

/* ---- kernels ---- */

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUfunc_st *f = object_find(d, function, OBJECT_FUNCTION);
    if (!f || index >= f->kernel->nparams) return invalid(d, "cuFuncGetParamInfo");
    if (offset) *offset = f->kernel->param[index]->offset;
    if (bytes) *bytes = f->kernel->param[index]->bytes;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
    return cuFuncGetParamInfo((CUfunction)kernel, index, offset, bytes);
}

CUresult cuFuncLoad(CUfunction function)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    return r || object_find(d, function, OBJECT_FUNCTION) ? r : invalid(d, "cuFuncLoad");
}

CUresult cuFuncIsLoaded(int *state, CUfunction function)
{
    CUresult r = state ? cuFuncLoad(function) : CUDA_ERROR_INVALID_VALUE;
    if (!r) *state = 1; /* CU_FUNCTION_LOADING_STATE_LOADED */
    return r;
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, int config)
{
    (void)config; /* the width of a bank is a parameter of the machine */
    return cuFuncLoad(function);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    return dev ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig((CUfunction)kernel, config);
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    return cuFuncGetModule((CUmodule *)library, (CUfunction)kernel);
}

/* ---- modules and libraries ---- */

CUresult cuModuleGetLoadingMode(int *mode)
{
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = 1; /* CU_MODULE_EAGER_LOADING: a module is read whole when it is loaded */
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUmod_st *m = object_find(d, module, OBJECT_MODULE);
    if (!m || !count) return invalid(d, "cuModuleGetFunctionCount");
    *count = 0;
    for (const struct ptx_func *f = m->ptx->funcs; f; f = f->next) *count += f->is_kernel && !f->is_extern;
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUmod_st *m = object_find(d, module, OBJECT_MODULE);
    if (!m || !functions) return invalid(d, "cuModuleEnumerateFunctions");
    unsigned n = 0;
    for (const struct ptx_func *f = m->ptx->funcs; f && n < count && !r; f = f->next)
        if (f->is_kernel && !f->is_extern) r = cuModuleGetFunction(&functions[n++], module, f->name);
    return r;
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
    return cuModuleGetFunctionCount(count, (CUmodule)library);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary library)
{
    return cuModuleEnumerateFunctions((CUfunction *)kernels, count, (CUmodule)library);
}

CUresult cuLibraryGetManaged(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name)
{
    return cuModuleGetGlobal(ptr, bytes, (CUmodule)library, name);
}

/* ---- occupancy ---- */

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int threads)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUfunc_st *f = object_find(d, function, OBJECT_FUNCTION);
    if (!f || !bytes || blocks < 1 || threads < 1) return invalid(d, "cuOccupancyAvailableDynamicSMemPerBlock");
    int64_t each = session_param(d->session, P_SM_SHARED) / blocks, used = (int64_t)f->kernel->shared_bytes;
    *bytes = each > used ? (size_t)(each - used) : 0;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                   size_t (*block_to_shared)(int threads), size_t shared_bytes,
                                                   int limit, unsigned int flags)
{
    (void)flags;
    return cuOccupancyMaxPotentialBlockSize(grid, block, function, block_to_shared, shared_bytes, limit);
}

/* The largest that every device with clusters has. */
enum { PORTABLE_CLUSTER = 8 };

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!size || !config || !object_find(d, function, OBJECT_FUNCTION))
        return invalid(d, "cuOccupancyMaxPotentialClusterSize");
    *size = PORTABLE_CLUSTER;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUfunc_st *f = object_find(d, function, OBJECT_FUNCTION);
    if (!clusters || !config || !f) return invalid(d, "cuOccupancyMaxActiveClusters");
    const CUlaunchAttribute *a = config->attrs;
    int64_t size = 1, blocks = resident_blocks(d, f, config->blockDimX * config->blockDimY * config->blockDimZ,
                                               config->sharedMemBytes);
    for (unsigned i = 0; a && i < config->numAttrs; i++)
        if (a[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            size = (int64_t)a[i].value.clusterDim.x * a[i].value.clusterDim.y * a[i].value.clusterDim.z;
    uint32_t end[GPC_MAX], sms = (uint32_t)session_param(d->session, P_SM_COUNT);
    uint32_t gpcs = dispatch_gpcs((uint64_t)session_param(d->session, P_GPU_GPCS), sms, end);
    *clusters = size > 0 ? (int)dispatch_cluster_room(end, gpcs, (uint32_t)blocks, (uint32_t)size) : 0;
    return CUDA_SUCCESS;
}

/* ---- one device has no peers ---- */

CUresult cuDeviceCanAccessPeer(int *can, CUdevice dev, CUdevice peer)
{
    CUdevice known;
    CUresult r = cuDeviceGet(&known, dev);
    if (!r) r = cuDeviceGet(&known, peer);
    if (r || !can) return r ? r : CUDA_ERROR_INVALID_VALUE;
    *can = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    (void)peer, (void)flags;
    return r ? r : driver_fail(d, CUDA_ERROR_INVALID_DEVICE, "cuCtxEnablePeerAccess: there is one device");
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    (void)peer;
    return r ? r : driver_fail(d, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "cuCtxDisablePeerAccess: there is one device");
}

CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice from, CUdevice to)
{
    DRIVER(d);
    CUresult r = driver_initialized(&d);
    (void)value, (void)attribute, (void)from, (void)to;
    return r ? r : driver_fail(d, CUDA_ERROR_INVALID_DEVICE, "cuDeviceGetP2PAttribute: there is one device");
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *id)
{
    char mine[16];
    CUresult r = dev && id ? cuDeviceGetPCIBusId(mine, sizeof mine, 0) : CUDA_ERROR_INVALID_VALUE;
    if (!r && strcmp(id, mine) != 0) r = CUDA_ERROR_INVALID_DEVICE;
    if (!r) *dev = 0;
    return r;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned int channels, CUdevice dev)
{
    CUdevice known;
    (void)format, (void)channels;
    CUresult r = width ? cuDeviceGet(&known, dev) : CUDA_ERROR_INVALID_VALUE;
    if (!r) *width = (size_t)1 << 28;
    return r;
}

/* ---- hints about memory: the device's memory is the host's ---- */

static CUresult hint(CUdeviceptr ptr, size_t bytes, CUstream stream, const char *call)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!device_bytes(d, ptr, bytes)) return device_outside(d, call, ptr, bytes);
    return stream_valid(d, stream) ? CUDA_SUCCESS : invalid(d, call);
}

CUresult cuMemPrefetchAsync(CUdeviceptr ptr, size_t bytes, CUdevice dev, CUstream stream)
{
    (void)dev;
    return hint(ptr, bytes, stream, "cuMemPrefetchAsync");
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr ptr, size_t bytes, CUmemLocation location, unsigned int flags,
                               CUstream stream)
{
    (void)location, (void)flags;
    return hint(ptr, bytes, stream, "cuMemPrefetchAsync");
}

CUresult cuMemAdvise(CUdeviceptr ptr, size_t bytes, int advice, CUdevice dev)
{
    (void)advice, (void)dev;
    return hint(ptr, bytes, NULL, "cuMemAdvise");
}

CUresult cuMemAdvise_v2(CUdeviceptr ptr, size_t bytes, int advice, CUmemLocation location)
{
    (void)advice, (void)location;
    return hint(ptr, bytes, NULL, "cuMemAdvise");
}

/* Advice is not remembered: nothing is read-mostly, and there is no preferred location (-2). */
CUresult cuMemRangeGetAttribute(void *data, size_t size, int attribute, CUdeviceptr ptr, size_t bytes)
{
    enum { READ_MOSTLY = 1, PREFERRED_LOCATION = 2, ACCESSED_BY = 3, LAST_PREFETCH = 4 };
    CUresult r = hint(ptr, bytes, NULL, "cuMemRangeGetAttribute");
    if (r || !data || size < sizeof(int) || attribute < READ_MOSTLY || attribute > LAST_PREFETCH)
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < size / sizeof(int); i++) ((int *)data)[i] = attribute == READ_MOSTLY ? 0 : -2;
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attribute, void **data, CUdeviceptr ptr)
{
    if (!attribute || !data) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) cuPointerGetAttribute(data[i], attribute[i], ptr); /* unknown ones stay */
    return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    enum { SYNC_MEMOPS = 6 };
    (void)ptr;
    return value && (int)attribute == SYNC_MEMOPS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; /* all copies are */
}

/* ---- contexts ---- */

static CUresult with_context(void)
{
    DRIVER(d);
    return driver_context(&d);
}

CUresult cuCtxResetPersistingL2Cache(void) { return with_context(); }

CUresult cuCtxSetSharedMemConfig(int config)
{
    (void)config; /* the width of a bank is a parameter of the machine */
    return with_context();
}

CUresult cuCtxGetSharedMemConfig(int *config)
{
    CUresult r = config ? with_context() : CUDA_ERROR_INVALID_VALUE;
    if (!r) *config = 1; /* four bytes */
    return r;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
    (void)flags; /* how a thread waits: nothing here waits */
    return with_context();
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *id)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!ctx) ctx = d->current;
    if (!id || !object_find(d, ctx, OBJECT_CONTEXT)) return invalid(d, "cuCtxGetId");
    *id = (uintptr_t)ctx;
    return CUDA_SUCCESS;
}

CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }
