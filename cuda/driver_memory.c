/* driver_memory.c - allocation, copies, fills and questions about pointers.
 *
 * Device bytes are reached only through device_bytes(), which knows the exact bounds of every
 * allocation: a copy that runs one byte over is refused whole, before it changes anything. A copy
 * from the host is also told to the machine, whose L2 it may pass through. */
#include "cuda/driver_work.h"

#include <inttypes.h>
#include <string.h>

/* Rows of a pitched allocation start on a multiple of this, as on real devices. */
enum { PITCH_ALIGN = 512 };

static void *window_bytes(const struct driver *d, CUdeviceptr addr, uint64_t bytes)
{
    for (const struct object *o = d->objects; o; o = o->next) {
        if (o->kind != OBJECT_MODULE) continue;
        for (const struct const_window *w = ((const struct CUmod_st *)(const void *)o)->windows; w; w = w->next)
            if (addr >= w->addr && addr - w->addr <= w->size && bytes <= w->size - (addr - w->addr))
                return (char *)w->bytes + (addr - w->addr);
    }
    return NULL;
}

void *device_bytes(struct driver *d, CUdeviceptr addr, uint64_t bytes)
{
    void *p = dev_ptr(session_memory(d->session), addr, bytes);
    return p ? p : window_bytes(d, addr, bytes);
}

CUresult device_outside(struct driver *d, const char *call, CUdeviceptr addr, uint64_t bytes)
{
    uint64_t base, size;
    if (!dev_range(session_memory(d->session), addr, &base, &size))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE,
                           "%s: %" PRIu64 " bytes at 0x%llx run past the end of the allocation of %" PRIu64
                           " bytes at 0x%" PRIx64,
                           call, bytes, addr, size, base);
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "%s: 0x%llx is not in device memory", call, addr);
}

/* ---- allocation ---- */

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!free_bytes || !total_bytes) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemGetInfo: a pointer is NULL");
    *total_bytes = session_setup(d->session)->memory_bytes;
    *free_bytes = *total_bytes - dev_used(session_memory(d->session));
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *ptr, size_t bytes)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!ptr || !bytes) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemAlloc: NULL pointer or 0 bytes");
    uint64_t addr = dev_alloc(session_memory(d->session), bytes);
    if (!addr)
        return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY,
                           "cuMemAlloc: no room for %zu bytes; %" PRIu64 " of %" PRIu64 " are in use", bytes,
                           dev_used(session_memory(d->session)), session_setup(d->session)->memory_bytes);
    *ptr = addr;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocPitch(CUdeviceptr *ptr, size_t *pitch, size_t width_bytes, size_t height, unsigned int element_bytes)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!pitch || (element_bytes != 4 && element_bytes != 8 && element_bytes != 16))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemAllocPitch: element size %u, must be 4, 8 or 16",
                           element_bytes);
    if (width_bytes > SIZE_MAX - PITCH_ALIGN)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemAllocPitch: rows of %zu bytes", width_bytes);
    size_t row = (width_bytes + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    if (height && row > SIZE_MAX / height)
        return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "cuMemAllocPitch: %zu rows of %zu bytes", height, row);
    r = cuMemAlloc(ptr, row * height);
    if (!r) *pitch = row;
    return r;
}

CUresult cuMemFree(CUdeviceptr ptr)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r || !ptr || graph_memory(d, ptr)) return r;
    struct dev_mem *m = session_memory(d->session);
    if (host_memory_at(d, (const void *)(uintptr_t)ptr) || dev_release(m, ptr)) /* cuMemFreeHost is for that */
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemFree: no allocation starts at 0x%llx", ptr);
    pool_forget(d, ptr);
    managed_forget(d, ptr);
    if (!d->doing) order_host_all(d); /* it waits for the device */
    return d->fault;
}

/* ---- copies ---- */

static CUresult copy_in(struct driver *d, const char *call, CUdeviceptr dst, const void *src, size_t bytes)
{
    if (!bytes) return CUDA_SUCCESS;
    if (!src) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "%s: the host pointer is NULL", call);
    void *to = device_bytes(d, dst, bytes);
    if (!to) return device_outside(d, call, dst, bytes);
    memcpy(to, src, bytes);
    order_host_default(d);
    bool own = dev_ptr(session_memory(d->session), dst, bytes);
    return own && order_copied(d, dst, bytes) ? CUDA_ERROR_OUT_OF_MEMORY : d->fault;
}

static CUresult copy_out(struct driver *d, const char *call, void *dst, CUdeviceptr src, size_t bytes)
{
    if (!bytes) return CUDA_SUCCESS;
    if (!dst) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "%s: the host pointer is NULL", call);
    const void *from = device_bytes(d, src, bytes);
    if (!from) return device_outside(d, call, src, bytes);
    if (session_look(d->session, session_error(d->session))) return CUDA_ERROR_NOT_PERMITTED;
    memcpy(dst, from, bytes);
    order_host_default(d);
    return d->fault;
}

CUresult cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t bytes)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    return r ? r : copy_in(d, "cuMemcpyHtoD", dst, src, bytes);
}

CUresult cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t bytes)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    return r ? r : copy_out(d, "cuMemcpyDtoH", dst, src, bytes);
}

CUresult cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r || !bytes) return r;
    void *to = device_bytes(d, dst, bytes);
    const void *from = device_bytes(d, src, bytes);
    if (!to) return device_outside(d, "cuMemcpyDtoD", dst, bytes);
    if (!from) return device_outside(d, "cuMemcpyDtoD", src, bytes);
    bool constants = !dev_ptr(session_memory(d->session), dst, bytes); /* which kernels may branch on */
    if (constants && session_look(d->session, session_error(d->session))) return CUDA_ERROR_NOT_PERMITTED;
    memmove(to, from, bytes);
    order_host_default(d);
    return d->fault;
}

/* Whether an address of the unified space means the device's own memory. */
static bool is_device(struct driver *d, CUdeviceptr addr)
{
    return !dev_is_host(session_memory(d->session), addr) && device_bytes(d, addr, 1);
}

/* Host memory the device sees may be named by its device address. */
static void *host_pointer(struct driver *d, CUdeviceptr addr, size_t bytes)
{
    void *p = dev_is_host(session_memory(d->session), addr) ? device_bytes(d, addr, bytes) : NULL;
    return p ? p : (void *)(uintptr_t)addr;
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r || !bytes) return r;
    bool to_device = is_device(d, dst), from_device = is_device(d, src);
    void *host_dst = host_pointer(d, dst, bytes);
    const void *host_src = host_pointer(d, src, bytes);
    if (to_device && from_device) return cuMemcpyDtoD(dst, src, bytes);
    if (to_device) return copy_in(d, "cuMemcpy", dst, host_src, bytes);
    if (from_device) return copy_out(d, "cuMemcpy", host_dst, src, bytes);
    if (!dst || !src) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemcpy: an address is 0");
    memmove(host_dst, host_src, bytes);
    return CUDA_SUCCESS;
}

/* ---- fills ---- */

/* Fills `count` elements of `width` bytes; addresses must be aligned to the element. */
static CUresult fill(const char *call, CUdeviceptr dst, const void *value, size_t width, size_t count)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r || !count) return r;
    if (dst % width) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "%s: 0x%llx is not aligned", call, dst);
    if (count > SIZE_MAX / width) return device_outside(d, call, dst, SIZE_MAX);
    char *to = device_bytes(d, dst, count * width);
    if (!to) return device_outside(d, call, dst, count * width);
    for (size_t i = 0; i < count; i++) memcpy(to + i * width, value, width);
    order_host_default(d);
    return d->fault;
}

CUresult cuMemsetD8(CUdeviceptr dst, unsigned char value, size_t count)
{
    return fill("cuMemsetD8", dst, &value, sizeof value, count);
}

CUresult cuMemsetD16(CUdeviceptr dst, unsigned short value, size_t count)
{
    return fill("cuMemsetD16", dst, &value, sizeof value, count);
}

CUresult cuMemsetD32(CUdeviceptr dst, unsigned int value, size_t count)
{
    return fill("cuMemsetD32", dst, &value, sizeof value, count);
}

/* ---- questions ---- */

static CUresult device_pointer_attribute(struct driver *d, void *data, CUpointer_attribute a, CUdeviceptr ptr)
{
    uint64_t base = 0, size = 0;
    dev_range(session_memory(d->session), ptr, &base, &size);
    switch (a) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)data = d->current; break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(CUmemorytype *)data = CU_MEMORYTYPE_DEVICE; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)data = ptr; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!managed_is(d, base)) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "this is memory of the device alone");
        *(CUdeviceptr *)data = ptr;
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)data = managed_is(d, base); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)data = base; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)data = size; break;
    default: return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "device pointers have no attribute %d here", (int)a);
    }
    return CUDA_SUCCESS;
}

static CUresult host_pointer_attribute(struct driver *d, const struct host_memory *h, void *data, CUpointer_attribute a,
                                       CUdeviceptr ptr)
{
    CUdeviceptr start = (uintptr_t)h->ptr;
    switch (a) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)data = d->current; break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(CUmemorytype *)data = CU_MEMORYTYPE_HOST; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: *(void **)data = (char *)h->ptr + (ptr - start); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        if (!h->addr) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "the device does not see this host memory");
        *(CUdeviceptr *)data = h->addr + (ptr - start);
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)data = 0; break;
    default: return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "host pointers have no attribute %d here", (int)a);
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!data) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuPointerGetAttribute: the result pointer is NULL");
    if (is_device(d, ptr)) return device_pointer_attribute(d, data, attribute, ptr);
    const struct host_memory *h = host_memory_at(d, (void *)(uintptr_t)ptr);
    if (h) return host_pointer_attribute(d, h, data, attribute, ptr);
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuPointerGetAttribute: 0x%llx is in no allocation", ptr);
}
