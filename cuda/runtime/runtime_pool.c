/* runtime_pool.c - memory pools, libraries of kernels, surfaces, peers, and the other calls that are the driver's. */
#include <string.h>

#include "cuda/runtime/runtime.h"

/* A call that is the driver's, under another name or with other arguments. */
#define CALL(name, declared, call)                                                                                     \
    cudaError_t cuda##name declared;                                                                                   \
    cudaError_t cuda##name declared { RT_CALL(call); }

/* ---- pools ---- */

CALL(MemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps *props), cuMemPoolCreate(pool, props))
CALL(MemPoolDestroy, (CUmemoryPool pool), cuMemPoolDestroy(pool))
CALL(MemPoolTrimTo, (CUmemoryPool pool, size_t keep), cuMemPoolTrimTo(pool, keep))
CALL(MemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute a, void *value),
     cuMemPoolSetAttribute(pool, a, value))
CALL(MemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute a, void *value),
     cuMemPoolGetAttribute(pool, a, value))
CALL(MemPoolSetAccess, (CUmemoryPool pool, const CUmemAccessDesc *map, size_t n), cuMemPoolSetAccess(pool, map, n))
CALL(MemPoolGetAccess, (int *flags, CUmemoryPool pool, CUmemLocation *at), cuMemPoolGetAccess(flags, pool, at))
CALL(DeviceGetDefaultMemPool, (CUmemoryPool * pool, int dev), cuDeviceGetDefaultMemPool(pool, dev))
CALL(DeviceGetMemPool, (CUmemoryPool * pool, int dev), cuDeviceGetMemPool(pool, dev))
CALL(DeviceSetMemPool, (int dev, CUmemoryPool pool), cuDeviceSetMemPool(dev, pool))

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t bytes, CUmemoryPool pool, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t bytes, CUmemoryPool pool, cudaStream_t stream)
{
    CUdeviceptr p = 0;
    CUresult r = ptr ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = cuMemAllocFromPoolAsync(&p, bytes, pool, stream);
    if (!r) *ptr = (void *)(uintptr_t)p;
    return rt_driver(r);
}

/* ---- managed memory: hints and what was advised ---- */

CALL(MemRangeGetAttribute, (void *data, size_t size, int attribute, const void *ptr, size_t bytes),
     cuMemRangeGetAttribute(data, size, attribute, (uintptr_t)ptr, bytes))

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, int *attributes, size_t n, const void *ptr,
                                      size_t bytes);
cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, int *attributes, size_t n, const void *ptr,
                                      size_t bytes)
{
    if (!data || !sizes || !attributes) return rt_done(cudaErrorInvalidValue);
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; i < n && !e; i++) e = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], ptr, bytes);
    return e;
}

/* ---- libraries ---- */

#define OPTIONS                                                                                                        \
    CUjit_option *option, void **value, unsigned options, void *library_option, void **library_value,                  \
        unsigned library_options
#define GIVEN option, value, options, library_option, library_value, library_options
CALL(LibraryLoadData, (CUlibrary * library, const void *code, OPTIONS), cuLibraryLoadData(library, code, GIVEN))
CALL(LibraryLoadFromFile, (CUlibrary * library, const char *file, OPTIONS), cuLibraryLoadFromFile(library, file, GIVEN))
CALL(LibraryUnload, (CUlibrary library), cuLibraryUnload(library))
CALL(LibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char *name),
     cuLibraryGetKernel(kernel, library, name))
CALL(LibraryGetKernelCount, (unsigned *count, CUlibrary library), cuLibraryGetKernelCount(count, library))
CALL(LibraryEnumerateKernels, (CUkernel * kernels, unsigned count, CUlibrary library),
     cuLibraryEnumerateKernels(kernels, count, library))
CALL(KernelSetAttributeForDevice, (CUkernel kernel, int attribute, int value, int dev),
     cuKernelSetAttribute((CUfunction_attribute)attribute, value, kernel, dev))

cudaError_t cudaLibraryGetGlobal(void **ptr, size_t *bytes, CUlibrary library, const char *name);
cudaError_t cudaLibraryGetGlobal(void **ptr, size_t *bytes, CUlibrary library, const char *name)
{
    CUdeviceptr p = 0;
    CUresult r = rt_enter();
    if (!r) r = cuLibraryGetGlobal(&p, bytes, library, name);
    if (!r && ptr) *ptr = (void *)(uintptr_t)p;
    return rt_driver(r);
}

cudaError_t cudaLibraryGetManaged(void **ptr, size_t *bytes, CUlibrary library, const char *name);
cudaError_t cudaLibraryGetManaged(void **ptr, size_t *bytes, CUlibrary library, const char *name)
{
    return cudaLibraryGetGlobal(ptr, bytes, library, name);
}

/* ---- surfaces ---- */

struct surface_resource { /* cudaResourceDesc: surfaces are views of arrays */
    int type;
    cudaArray_t array;
};

cudaError_t cudaCreateSurfaceObject(CUsurfObject *out, const struct surface_resource *r);
cudaError_t cudaCreateSurfaceObject(CUsurfObject *out, const struct surface_resource *r)
{
    if (!r || r->type != CU_RESOURCE_TYPE_ARRAY) return rt_done(cudaErrorInvalidValue);
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_ARRAY};
    d.res.array.hArray = r->array;
    RT_CALL(cuSurfObjectCreate(out, &d));
}

CALL(DestroySurfaceObject, (CUsurfObject object), cuSurfObjectDestroy(object))

cudaError_t cudaGetSurfaceObjectResourceDesc(struct surface_resource *out, CUsurfObject object);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct surface_resource *out, CUsurfObject object)
{
    CUDA_RESOURCE_DESC d;
    CUresult r = out ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = cuSurfObjectGetResourceDesc(&d, object);
    if (!r) *out = (struct surface_resource){CU_RESOURCE_TYPE_ARRAY, d.res.array.hArray};
    return rt_driver(r);
}

cudaError_t cudaBindSurfaceToArray(const void *surface, cudaArray_t array, const struct cudaChannelFormatDesc *c);
cudaError_t cudaBindSurfaceToArray(const void *surface, cudaArray_t array, const struct cudaChannelFormatDesc *c)
{
    CUsurfref s;
    cudaError_t e = rt_surface(surface, &s);
    (void)c; /* the array knows its own */
    return e ? rt_done(e) : rt_driver(cuSurfRefSetArray(s, array, 0));
}

cudaError_t cudaGetSurfaceReference(const void **surface, const void *symbol);
cudaError_t cudaGetSurfaceReference(const void **surface, const void *symbol)
{
    if (!surface) return rt_done(cudaErrorInvalidValue);
    *surface = symbol; /* the reference itself is the symbol */
    return cudaSuccess;
}

/* ---- one device has no peers ---- */

CALL(DeviceGetP2PAttribute, (int *value, int attribute, int from, int to),
     cuDeviceGetP2PAttribute(value, attribute, from, to))

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer, (void)flags;
    return rt_done(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return rt_done(peer ? cudaErrorInvalidDevice : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

struct peer_copy { /* cudaMemcpy3DPeerParms */
    cudaArray_t src_array;
    struct position src_pos;
    struct pitched src;
    int src_device;
    cudaArray_t dst_array;
    struct position dst_pos;
    struct pitched dst;
    int dst_device;
    struct extent extent;
};

cudaError_t cudaMemcpy3DPeerAsync(const struct peer_copy *p, cudaStream_t stream);
cudaError_t cudaMemcpy3DPeerAsync(const struct peer_copy *p, cudaStream_t stream)
{
    if (!p) return rt_done(cudaErrorInvalidValue);
    if (p->src_device || p->dst_device) return rt_done(cudaErrorInvalidDevice);
    struct copy3d c = {p->src_array, p->src_pos, p->src,    p->dst_array,
                       p->dst_pos,   p->dst,     p->extent, cudaMemcpyDeviceToDevice};
    CUDA_MEMCPY3D d;
    cudaError_t e = rt_copy3d(&c, &d);
    return e ? rt_done(e) : rt_driver(cuMemcpy3DAsync(&d, stream));
}

cudaError_t cudaMemcpy3DPeer(const struct peer_copy *p);
cudaError_t cudaMemcpy3DPeer(const struct peer_copy *p) { return cudaMemcpy3DPeerAsync(p, NULL); }

/* ---- the rest ---- */

CALL(CtxResetPersistingL2Cache, (void), cuCtxResetPersistingL2Cache())
CALL(ThreadGetLimit, (size_t * value, int limit), cuCtxGetLimit(value, (CUlimit)limit))
CALL(ThreadSetLimit, (int limit, size_t value), cuCtxSetLimit((CUlimit)limit, value))
CALL(ThreadGetCacheConfig, (int *config), cuCtxGetCacheConfig((CUfunc_cache *)(void *)config))

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *c, int dev);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *c, int dev)
{
    CUarray_format format;
    unsigned channels;
    if (!c || !rt_format(c, &format, &channels)) return rt_done(cudaErrorInvalidChannelDescriptor);
    RT_CALL(cuDeviceGetTexture1DLinearMaxWidth(width, format, channels, dev));
}

cudaError_t cudaProfilerInitialize(const char *config, const char *output, int mode);
cudaError_t cudaProfilerInitialize(const char *config, const char *output, int mode)
{
    (void)config, (void)output, (void)mode; /* no profiler looks on */
    return cudaSuccess;
}

/* Doubles have been doubles on every device for long. */
cudaError_t cudaSetDoubleForDevice(double *value);
cudaError_t cudaSetDoubleForDevice(double *value)
{
    (void)value;
    return cudaSuccess;
}

cudaError_t cudaSetDoubleForHost(double *value);
cudaError_t cudaSetDoubleForHost(double *value)
{
    (void)value;
    return cudaSuccess;
}

/* Many copies in one call, in their order. CUDA 13's form; that of 12.8 reports the copy that failed, too. */
#if WL_CUDART_MAJOR >= 13
cudaError_t cudaMemcpyBatchAsync(void *const *dst, const void *const *src, const size_t *bytes, size_t count,
                                 void *attrs, size_t *indices, size_t nattrs, cudaStream_t stream);
cudaError_t cudaMemcpyBatchAsync(void *const *dst, const void *const *src, const size_t *bytes, size_t count,
                                 void *attrs, size_t *indices, size_t nattrs, cudaStream_t stream)
{
    (void)attrs, (void)indices, (void)nattrs; /* when the source may change: it has been read when the call returns */
    CUresult r = dst && src && bytes ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && !r; i++) r = cuMemcpyAsync((uintptr_t)dst[i], (uintptr_t)src[i], bytes[i], stream);
    return rt_driver(r);
}
#else
cudaError_t cudaMemcpyBatchAsync(void **dst, void **src, size_t *bytes, size_t count, void *attrs, size_t *indices,
                                 size_t nattrs, size_t *failed, cudaStream_t stream);
cudaError_t cudaMemcpyBatchAsync(void **dst, void **src, size_t *bytes, size_t count, void *attrs, size_t *indices,
                                 size_t nattrs, size_t *failed, cudaStream_t stream)
{
    (void)attrs, (void)indices, (void)nattrs;
    CUresult r = dst && src && bytes ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && !r; i++) {
        r = cuMemcpyAsync((uintptr_t)dst[i], (uintptr_t)src[i], bytes[i], stream);
        if (r && failed) *failed = i;
    }
    return rt_driver(r);
}
#endif
