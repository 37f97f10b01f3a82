/* runtime_memory.c - linear memory: allocation, copies, fills, symbols, host memory, questions. */
#include <string.h>

#include "cuda/runtime/runtime.h"

struct pointer_attributes { /* cudaPointerAttributes; what newer versions added behind stays untouched */
    int type, device;
    void *device_pointer, *host_pointer;
};
enum { MEMORY_UNREGISTERED, MEMORY_HOST, MEMORY_DEVICE, MEMORY_MANAGED };

cudaError_t cudaMalloc(void **ptr, size_t bytes);
cudaError_t cudaMallocAsync(void **ptr, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocManaged(void **ptr, size_t bytes, unsigned flags);
cudaError_t cudaMallocHost(void **ptr, size_t bytes);
cudaError_t cudaHostAlloc(void **ptr, size_t bytes, unsigned flags);
cudaError_t cudaFree(void *ptr);
cudaError_t cudaFreeAsync(void *ptr, cudaStream_t stream);
cudaError_t cudaFreeHost(void *ptr);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned *flags, void *host);
cudaError_t cudaHostRegister(void *ptr, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *ptr);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);
cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, cudaStream_t stream);
cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemset(void *ptr, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *ptr, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset, int kind);
cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, int kind);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset, int kind,
                                    cudaStream_t stream);
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset, int kind,
                                      cudaStream_t stream);
cudaError_t cudaGetSymbolAddress(void **addr, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);
cudaError_t cudaPointerGetAttributes(struct pointer_attributes *out, const void *ptr);
cudaError_t cudaMemPrefetchAsync(void);
cudaError_t cudaMemAdvise(void);

static CUdeviceptr device(const void *p) { return (uintptr_t)p; }

/* ---- allocation ---- */

cudaError_t cudaMalloc(void **ptr, size_t bytes)
{
    CUresult r = rt_enter();
    CUdeviceptr p = 0;
    if (!r && !ptr) r = CUDA_ERROR_INVALID_VALUE;
    if (!r && bytes) r = cuMemAlloc(&p, bytes); /* nothing at all is allocated at NULL */
    if (!r) *ptr = (void *)(uintptr_t)p;
    return rt_driver(r);
}

cudaError_t cudaMallocAsync(void **ptr, size_t bytes, cudaStream_t stream)
{
    CUresult r = rt_enter();
    CUdeviceptr p = 0;
    if (!r && !ptr) r = CUDA_ERROR_INVALID_VALUE;
    if (!r && bytes) r = cuMemAllocAsync(&p, bytes, stream);
    if (!r) *ptr = (void *)(uintptr_t)p;
    return rt_driver(r);
}

cudaError_t cudaMallocManaged(void **ptr, size_t bytes, unsigned flags)
{
    CUresult r = rt_enter();
    CUdeviceptr p = 0;
    if (!r && !ptr) r = CUDA_ERROR_INVALID_VALUE;
    if (!r) r = cuMemAllocManaged(&p, bytes, flags);
    if (!r) *ptr = (void *)(uintptr_t)p;
    return rt_driver(r);
}

cudaError_t cudaHostAlloc(void **ptr, size_t bytes, unsigned flags)
{
    if (ptr && !bytes) {
        *ptr = NULL;
        RT_CALL(CUDA_SUCCESS);
    }
    RT_CALL(cuMemHostAlloc(ptr, bytes, flags));
}

cudaError_t cudaMallocHost(void **ptr, size_t bytes) { return cudaHostAlloc(ptr, bytes, 0); }
cudaError_t cudaFree(void *ptr) { RT_CALL(cuMemFree(device(ptr))); }
cudaError_t cudaFreeAsync(void *ptr, cudaStream_t stream) { RT_CALL(cuMemFreeAsync(device(ptr), stream)); }
cudaError_t cudaFreeHost(void *ptr) { RT_CALL(ptr ? cuMemFreeHost(ptr) : CUDA_SUCCESS); }
cudaError_t cudaHostGetFlags(unsigned *flags, void *host) { RT_CALL(cuMemHostGetFlags(flags, host)); }
cudaError_t cudaHostRegister(void *ptr, size_t bytes, unsigned flags) { RT_CALL(cuMemHostRegister(ptr, bytes, flags)); }
cudaError_t cudaHostUnregister(void *ptr) { RT_CALL(cuMemHostUnregister(ptr)); }
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) { RT_CALL(cuMemGetInfo(free_bytes, total)); }

cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
    CUdeviceptr p = 0;
    CUresult r = out ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = cuMemHostGetDevicePointer(&p, host, flags);
    if (!r) *out = (void *)(uintptr_t)p;
    return rt_driver(r);
}

/* ---- copies and fills ---- */

static CUresult copy(void *dst, const void *src, size_t bytes, int kind)
{
    switch (kind) {
    case cudaMemcpyHostToHost: memmove(dst, src, bytes); return CUDA_SUCCESS;
    case cudaMemcpyHostToDevice: return cuMemcpyHtoD(device(dst), src, bytes);
    case cudaMemcpyDeviceToHost: return cuMemcpyDtoH(dst, device(src), bytes);
    case cudaMemcpyDeviceToDevice: return cuMemcpyDtoD(device(dst), device(src), bytes);
    case cudaMemcpyDefault: return cuMemcpy(device(dst), device(src), bytes);
    default: return (CUresult)cudaErrorInvalidMemcpyDirection;
    }
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, int kind) { RT_CALL(copy(dst, src, bytes, kind)); }

static CUresult copy_async(void *dst, const void *src, size_t bytes, int kind, cudaStream_t stream)
{
    switch (kind) {
    case cudaMemcpyHostToDevice: return cuMemcpyHtoDAsync(device(dst), src, bytes, stream);
    case cudaMemcpyDeviceToHost: return cuMemcpyDtoHAsync(dst, device(src), bytes, stream);
    case cudaMemcpyDeviceToDevice: return cuMemcpyDtoDAsync(device(dst), device(src), bytes, stream);
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault: return cuMemcpyAsync(device(dst), device(src), bytes, stream);
    default: return (CUresult)cudaErrorInvalidMemcpyDirection;
    }
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, cudaStream_t stream)
{
    RT_CALL(copy_async(dst, src, bytes, kind, stream));
}

cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t bytes)
{
    if (to || from) return rt_done(cudaErrorInvalidDevice);
    RT_CALL(cuMemcpyDtoD(device(dst), device(src), bytes));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t bytes, cudaStream_t stream)
{
    if (to || from) return rt_done(cudaErrorInvalidDevice);
    RT_CALL(cuMemcpyDtoDAsync(device(dst), device(src), bytes, stream));
}

cudaError_t cudaMemset(void *ptr, int value, size_t bytes)
{
    RT_CALL(cuMemsetD8(device(ptr), (unsigned char)value, bytes));
}

cudaError_t cudaMemsetAsync(void *ptr, int value, size_t bytes, cudaStream_t stream)
{
    RT_CALL(cuMemsetD8Async(device(ptr), (unsigned char)value, bytes, stream));
}

/* ---- symbols ---- */

/* The device bytes [offset, offset + bytes) of a variable. */
static cudaError_t part_of(const void *symbol, size_t bytes, size_t offset, void **out)
{
    CUdeviceptr addr;
    size_t size;
    cudaError_t e = rt_symbol(symbol, &addr, &size);
    if (e) return e;
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    *out = (void *)(uintptr_t)(addr + offset);
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset, int kind)
{
    void *dst;
    cudaError_t e = part_of(symbol, bytes, offset, &dst);
    if (!e && kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        e = cudaErrorInvalidMemcpyDirection;
    return e ? rt_done(e) : rt_driver(copy(dst, src, bytes, kind));
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, int kind)
{
    void *src;
    cudaError_t e = part_of(symbol, bytes, offset, &src);
    if (!e && kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        e = cudaErrorInvalidMemcpyDirection;
    return e ? rt_done(e) : rt_driver(copy(dst, src, bytes, kind));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset, int kind,
                                    cudaStream_t stream)
{
    void *dst;
    cudaError_t e = part_of(symbol, bytes, offset, &dst);
    return e ? rt_done(e) : rt_driver(copy_async(dst, src, bytes, kind, stream));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset, int kind,
                                      cudaStream_t stream)
{
    void *src;
    cudaError_t e = part_of(symbol, bytes, offset, &src);
    return e ? rt_done(e) : rt_driver(copy_async(dst, src, bytes, kind, stream));
}

cudaError_t cudaGetSymbolAddress(void **addr, const void *symbol)
{
    CUdeviceptr p;
    size_t bytes;
    cudaError_t e = addr ? rt_symbol(symbol, &p, &bytes) : cudaErrorInvalidValue;
    if (!e) *addr = (void *)(uintptr_t)p;
    return rt_done(e);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    CUdeviceptr p;
    return rt_done(bytes ? rt_symbol(symbol, &p, bytes) : cudaErrorInvalidValue);
}

/* ---- questions and hints ---- */

cudaError_t cudaPointerGetAttributes(struct pointer_attributes *out, const void *ptr)
{
    CUresult r = out ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r) return rt_driver(r);
    CUmemorytype type = 0;
    CUdeviceptr p = 0;
    void *host = NULL;
    *out =
        (struct pointer_attributes){.type = MEMORY_UNREGISTERED, .device = -1, .host_pointer = (void *)(uintptr_t)ptr};
    if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device(ptr))) return cudaSuccess;
    out->device = 0;
    out->type = type == CU_MEMORYTYPE_HOST ? MEMORY_HOST : MEMORY_DEVICE;
    if (!cuPointerGetAttribute(&p, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, device(ptr)))
        out->device_pointer = (void *)(uintptr_t)p;
    out->host_pointer = NULL;
    unsigned managed = 0;
    (void)cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, device(ptr));
    if (managed || rt_managed_variable(ptr)) {
        out->type = MEMORY_MANAGED;
        out->host_pointer = out->device_pointer;
    }
    if (type == CU_MEMORYTYPE_HOST && !cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, device(ptr)))
        out->host_pointer = host;
    return cudaSuccess;
}

/* Hints about managed memory. Their arguments differ between versions and are not looked at. */
cudaError_t cudaMemPrefetchAsync(void) { RT_CALL(CUDA_SUCCESS); }
cudaError_t cudaMemAdvise(void) { RT_CALL(CUDA_SUCCESS); }
