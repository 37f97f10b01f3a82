/* driver_host.c - host memory of the driver API: pinned, mapped, managed.
 *
 * A unified session keeps host memory that the device sees in a part of its memory of its own; the
 * program gets the host address of those bytes, kernels use the device address, and where the two
 * are equal (dev_unified) a pointer means the same everywhere, as on a real system. Then kernels see
 * memory that the program registers, too. Without that, host memory is ordinary memory which only
 * copies reach. */
#include "cuda/driver.h"
#include "ptx/dev_share.h"

#include <stdlib.h>
#include <string.h>

struct host_memory *host_memory_at(const struct driver *d, const void *ptr)
{
    for (struct object *o = d->objects; o; o = o->next) {
        struct host_memory *h = (struct host_memory *)(void *)o;
        if (o->kind != OBJECT_HOST_MEMORY) continue;
        if ((uintptr_t)ptr - (uintptr_t)h->ptr < h->bytes) return h;
        if (h->addr && (uintptr_t)ptr - h->addr < h->bytes) return h;
    }
    return NULL;
}

void host_memory_release(struct host_memory *h)
{
    if (h->addr) dev_release(session_memory(h->driver->session), h->addr);
    else if (!h->registered) free(h->ptr);
}

/* The bytes: seen by the device when the session can do that. */
static bool take_memory(struct driver *d, struct host_memory *h, size_t bytes)
{
    struct dev_mem *m = session_memory(d->session);
    if (session_setup(d->session)->unified) {
        h->addr = dev_alloc_host(m, bytes);
        h->ptr = h->addr ? dev_ptr(m, h->addr, bytes) : NULL;
    } else {
        h->ptr = calloc(1, bytes);
    }
    h->bytes = bytes;
    return h->ptr;
}

CUresult cuMemHostAlloc(void **ptr, size_t bytes, unsigned int flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!ptr || !bytes || flags > 7)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemHostAlloc: NULL pointer, 0 bytes or flags 0x%x", flags);
    struct host_memory *h = object_new(d, sizeof *h, OBJECT_HOST_MEMORY, &d->current->object);
    if (!h) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    h->driver = d;
    h->flags = flags;
    if (!take_memory(d, h, bytes)) {
        object_free(d, &h->object);
        return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "cuMemHostAlloc: no room for %zu bytes", bytes);
    }
    *ptr = h->ptr;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void **ptr, size_t bytes) { return cuMemHostAlloc(ptr, bytes, 0); }

CUresult cuMemFreeHost(void *ptr)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct host_memory *h = host_memory_at(d, ptr);
    if (!h || h->ptr != ptr || h->registered)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemFreeHost: not a pointer from cuMemHostAlloc");
    object_free(d, &h->object);
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *ptr, unsigned int flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct host_memory *h = host_memory_at(d, ptr);
    if (!device || !h || flags)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemHostGetDevicePointer: not host memory of this API");
    if (!h->addr)
        return driver_complain(
            d, CUDA_ERROR_NOT_SUPPORTED,
            "kernels do not see this memory, which the program registered itself: the process uses the "
            "device's addresses, or the memory lies below 0x%llx; allocate it with cudaHostAlloc",
            (unsigned long long)GENERIC_END);
    *device = h->addr + ((uintptr_t)ptr - (uintptr_t)h->ptr);
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *ptr)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct host_memory *h = host_memory_at(d, ptr);
    if (!flags || !h) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemHostGetFlags: not host memory of this API");
    *flags = h->flags;
    return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void *ptr, size_t bytes, unsigned int flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!ptr || !bytes) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemHostRegister: NULL pointer or 0 bytes");
    if (host_memory_at(d, ptr))
        return driver_fail(d, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "cuMemHostRegister: registered already");
    struct host_memory *h = object_new(d, sizeof *h, OBJECT_HOST_MEMORY, &d->current->object);
    if (!h) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    h->driver = d;
    h->ptr = ptr;
    h->bytes = bytes;
    h->flags = flags;
    h->registered = true;
    if (!dev_share(session_memory(d->session), ptr, bytes)) h->addr = (uintptr_t)ptr;
    return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *ptr)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct host_memory *h = host_memory_at(d, ptr);
    if (!h || h->ptr != ptr || !h->registered)
        return driver_fail(d, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "cuMemHostUnregister: not registered");
    object_free(d, &h->object);
    return CUDA_SUCCESS;
}

/* ---- managed memory ---- */

static bool managed_make_room(struct driver *d)
{
    if (d->nmanaged < d->managed_room) return true;
    size_t room = d->managed_room ? 2 * d->managed_room : 16;
    CUdeviceptr *p = realloc(d->managed, room * sizeof *p);
    if (!p) return false;
    d->managed = p;
    d->managed_room = room;
    return true;
}

bool managed_is(const struct driver *d, CUdeviceptr base)
{
    for (size_t i = d->nmanaged; i-- > 0;)
        if (d->managed[i] == base) return true;
    return false;
}

void managed_forget(struct driver *d, CUdeviceptr base)
{
    for (size_t i = d->nmanaged; i-- > 0;) {
        if (d->managed[i] != base) continue;
        d->managed[i] = d->managed[--d->nmanaged];
        return;
    }
}

CUresult cuMemAllocManaged(CUdeviceptr *ptr, size_t bytes, unsigned int flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemAllocManaged: flags 0x%x", flags);
    if (!dev_unified(session_memory(d->session)))
        return driver_complain(d, CUDA_ERROR_NOT_SUPPORTED,
                               "managed memory needs the addresses from 0x%llx on, which this process uses otherwise",
                               (unsigned long long)DEVICE_BASE);
    r = managed_make_room(d) ? cuMemAlloc(ptr, bytes) : CUDA_ERROR_OUT_OF_MEMORY;
    if (!r) d->managed[d->nmanaged++] = *ptr;
    return r;
}
