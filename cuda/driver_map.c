/* driver_map.c - virtual memory management: addresses are reserved, memory is created, and one is mapped to the other.
 *
 * A reservation is a piece of the window of addresses (dev_map.h), memory is a file without a name, a mapping joins
 * them page by page. What is mapped and may be used is kept as one flag per page of the reservation; neighbouring pages
 * make one allocation, so that a copy over several mappings is one copy. */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ptx/dev_map.h"

/* Memory. It lives as long as its handle or a mapping does. */
struct device_chunk {
    struct object object; /* OBJECT_CHUNK; the handle is its address */
    uint64_t bytes;
    int fd;
    unsigned references; /* cuMemCreate and cuMemRetainAllocationHandle */
    unsigned pages;      /* mapped ones */
    CUmemAllocationProp prop;
};

struct mapped_page {
    struct device_chunk *chunk; /* NULL: nothing is mapped */
    bool first;                 /* of its mapping: a mapping is undone as a whole */
    uint8_t access;
};

struct reservation {
    struct object object; /* OBJECT_RESERVATION */
    uint64_t addr, bytes;
    struct mapped_page *page;
};

static CUresult bad(struct driver *d, const char *call, const char *what)
{
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "%s: %s", call, what);
}

static bool whole_pages(uint64_t a, uint64_t b) { return b && !(a % DEV_MAP_GRAIN) && !(b % DEV_MAP_GRAIN); }

/* ---- addresses ---- */

static struct reservation *reservation_at(const struct driver *d, uint64_t addr, uint64_t bytes)
{
    for (struct object *o = d->objects; o; o = o->next) {
        struct reservation *r = (struct reservation *)(void *)o;
        if (o->kind == OBJECT_RESERVATION && addr >= r->addr && addr - r->addr <= r->bytes &&
            bytes <= r->bytes - (addr - r->addr))
            return r;
    }
    return NULL;
}

/* The reservation with the lowest address that ends above `from`; NULL: none does. */
static const struct reservation *next_reservation(const struct driver *d, uint64_t from)
{
    const struct reservation *found = NULL;
    for (const struct object *o = d->objects; o; o = o->next) {
        const struct reservation *r = (const struct reservation *)(const void *)o;
        if (o->kind == OBJECT_RESERVATION && r->addr + r->bytes > from && (!found || r->addr < found->addr)) found = r;
    }
    return found;
}

/* The first place for so many bytes at or after `at`; 0: there is none. */
static uint64_t find_place(const struct driver *d, uint64_t at, uint64_t bytes, uint64_t align)
{
    uint64_t from, size;
    dev_map_window(session_memory(d->session), &from, &size);
    if (at < from) at = from;
    while (true) {
        at = (at + align - 1) / align * align;
        if (at - from > size || bytes > size - (at - from)) return 0;
        const struct reservation *r = next_reservation(d, at);
        if (!r || (r->addr >= at && r->addr - at >= bytes)) return at;
        at = r->addr + r->bytes;
    }
}

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags)
{
    DRIVER(d);
    CUresult rc = driver_context(&d);
    if (rc) return rc;
    if (!ptr || flags || !whole_pages(addr, size) || (alignment & (alignment - 1)))
        return bad(d, "cuMemAddressReserve", "NULL, flags, an alignment that is no power of two, or no whole pages");
    uint64_t align = alignment > DEV_MAP_GRAIN ? alignment : DEV_MAP_GRAIN;
    uint64_t at = addr && find_place(d, addr, size, align) == addr ? addr : find_place(d, 0, size, align);
    struct reservation *r = at ? object_new(d, sizeof *r, OBJECT_RESERVATION, &d->current->object) : NULL;
    struct mapped_page *page = r ? calloc(size / DEV_MAP_GRAIN, sizeof *page) : NULL;
    if (!page) {
        if (r) object_free(d, &r->object);
        return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "cuMemAddressReserve: no %llu bytes of addresses are free",
                           (unsigned long long)size);
    }
    r->addr = at;
    r->bytes = size;
    r->page = page;
    *ptr = at;
    return CUDA_SUCCESS;
}

/* Tells the device which pages may be used. */
static void show_pages(struct driver *d, const struct reservation *r)
{
    struct dev_mem *m = session_memory(d->session);
    uint64_t n = r->bytes / DEV_MAP_GRAIN, i = 0;
    dev_hide(m, r->addr, r->bytes);
    while (i < n) {
        uint64_t from = i;
        while (i < n && r->page[i].chunk && r->page[i].access) i++;
        if (i > from) dev_expose(m, r->addr + from * DEV_MAP_GRAIN, (i - from) * DEV_MAP_GRAIN);
        else i++;
    }
}

static void chunk_check(struct driver *d, struct device_chunk *c)
{
    if (!c->references && !c->pages) object_free(d, &c->object);
}

void chunk_release(struct driver *d, struct object *o)
{
    struct device_chunk *c = (struct device_chunk *)(void *)o;
    if (c->fd >= 0) close(c->fd);
    dev_give_bytes(session_memory(d->session), c->bytes);
}

static void forget_pages(struct driver *d, struct reservation *r, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        struct device_chunk *c = r->page[i].chunk;
        r->page[i] = (struct mapped_page){0};
        if (!c || !object_find(d, c, OBJECT_CHUNK)) continue; /* the context goes, and took it */
        c->pages--;
        chunk_check(d, c);
    }
}

void reservation_release(struct driver *d, struct object *o)
{
    struct reservation *r = (struct reservation *)(void *)o;
    if (!r->page) return;
    dev_hide(session_memory(d->session), r->addr, r->bytes);
    dev_unmap(session_memory(d->session), r->addr, r->bytes);
    forget_pages(d, r, 0, r->bytes / DEV_MAP_GRAIN);
    free(r->page);
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    DRIVER(d);
    CUresult rc = driver_context(&d);
    if (rc) return rc;
    struct reservation *r = reservation_at(d, ptr, size);
    if (!r || r->addr != ptr || r->bytes != size) return bad(d, "cuMemAddressFree", "not a whole reservation");
    for (uint64_t i = 0; i < size / DEV_MAP_GRAIN; i++)
        if (r->page[i].chunk) return bad(d, "cuMemAddressFree", "memory is still mapped there");
    object_free(d, &r->object);
    return CUDA_SUCCESS;
}

/* ---- memory ---- */

static bool of_this_device(const CUmemLocation *l) { return l->type == 1 && l->id == 0; }

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                     unsigned long long flags)
{
    DRIVER(d);
    CUresult rc = driver_context(&d);
    if (rc) return rc;
    if (!handle || !prop || flags || prop->type != 1 || !whole_pages(0, size))
        return bad(d, "cuMemCreate", "NULL, flags, memory that is not pinned, or no whole pages");
    if (prop->requestedHandleTypes || !of_this_device(&prop->location))
        return driver_complain(d, CUDA_ERROR_NOT_SUPPORTED,
                               "cuMemCreate: memory of the host, or that processes share, is not supported");
    struct dev_mem *m = session_memory(d->session);
    if (dev_take_bytes(m, size)) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "cuMemCreate: the device is full");
    struct device_chunk *c = object_new(d, sizeof *c, OBJECT_CHUNK, &d->current->object);
    if (!c) {
        dev_give_bytes(m, size);
        return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    }
    c->bytes = size;
    c->references = 1;
    c->prop = *prop;
    c->fd = memfd_create("warpline", MFD_CLOEXEC);
    if (c->fd < 0 || ftruncate(c->fd, (off_t)size)) {
        object_free(d, &c->object);
        return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "cuMemCreate: the system has no such file");
    }
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)c;
    return CUDA_SUCCESS;
}

static struct device_chunk *chunk_of(const struct driver *d, CUmemGenericAllocationHandle handle)
{
    struct device_chunk *c = object_find(d, (const void *)(uintptr_t)handle, OBJECT_CHUNK);
    return c && c->references ? c : NULL;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    DRIVER(d);
    CUresult rc = driver_context(&d);
    struct device_chunk *c = rc ? NULL : chunk_of(d, handle);
    if (rc || !c) return rc ? rc : bad(d, "cuMemRelease", "not memory");
    c->references--;
    chunk_check(d, c);
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop, int option)
{
    DRIVER(d);
    CUresult rc = driver_context(&d);
    if (rc) return rc;
    if (!bytes || !prop || option < 0 || option > 1) return bad(d, "cuMemGetAllocationGranularity", "NULL, or option");
    *bytes = DEV_MAP_GRAIN;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
    DRIVER(d);
    CUresult rc = driver_context(&d);
    const struct device_chunk *c = rc ? NULL : chunk_of(d, handle);
    if (rc || !c || !prop) return rc ? rc : bad(d, "cuMemGetAllocationPropertiesFromHandle", "not memory");
    *prop = c->prop;
    return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    DRIVER(d);
    CUresult rc = driver_context(&d);
    if (rc) return rc;
    uint64_t at = (uintptr_t)addr;
    const struct reservation *r = reservation_at(d, at, 1);
    struct device_chunk *c = r ? r->page[(at - r->addr) / DEV_MAP_GRAIN].chunk : NULL;
    if (!c || !handle) return bad(d, "cuMemRetainAllocationHandle", "nothing is mapped there");
    c->references++;
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)c;
    return CUDA_SUCCESS;
}

/* ---- mapping ---- */

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    DRIVER(d);
    CUresult rc = driver_context(&d);
    if (rc) return rc;
    struct reservation *r = reservation_at(d, ptr, size);
    struct device_chunk *c = chunk_of(d, handle);
    if (!r || !c || flags || !whole_pages(ptr, size) || !whole_pages(offset, size) || offset > c->bytes ||
        size > c->bytes - offset)
        return bad(d, "cuMemMap", "not memory, not reserved, flags, or no whole pages");
    uint64_t first = (ptr - r->addr) / DEV_MAP_GRAIN, count = size / DEV_MAP_GRAIN;
    for (uint64_t i = first; i < first + count; i++)
        if (r->page[i].chunk) return bad(d, "cuMemMap", "memory is mapped there already");
    if (dev_map(session_memory(d->session), ptr, size, c->fd, offset))
        return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "cuMemMap: the system refused");
    for (uint64_t i = first; i < first + count; i++) r->page[i] = (struct mapped_page){.chunk = c, .first = i == first};
    c->pages += (unsigned)count;
    return CUDA_SUCCESS;
}

/* The pages of [ptr, ptr + size), which must be mappings as a whole. */
static CUresult mapped_pages(struct driver *d, const char *call, CUdeviceptr ptr, size_t size, struct reservation **out,
                             uint64_t *first, uint64_t *count)
{
    struct reservation *r = reservation_at(d, ptr, size);
    if (!r || !whole_pages(ptr, size)) return bad(d, call, "not reserved, or no whole pages");
    *out = r;
    *first = (ptr - r->addr) / DEV_MAP_GRAIN;
    *count = size / DEV_MAP_GRAIN;
    uint64_t end = *first + *count;
    for (uint64_t i = *first; i < end; i++)
        if (!r->page[i].chunk) return bad(d, call, "nothing is mapped there");
    bool whole =
        r->page[*first].first && (end == r->bytes / DEV_MAP_GRAIN || r->page[end].first || !r->page[end].chunk);
    return whole ? CUDA_SUCCESS : bad(d, call, "only part of a mapping");
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    DRIVER(d);
    struct reservation *r;
    uint64_t first, count;
    CUresult rc = driver_context(&d);
    if (!rc) rc = mapped_pages(d, "cuMemUnmap", ptr, size, &r, &first, &count);
    if (rc) return rc;
    forget_pages(d, r, first, count);
    show_pages(d, r);
    if (dev_unmap(session_memory(d->session), ptr, size))
        return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "cuMemUnmap: the system refused");
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    DRIVER(d);
    struct reservation *r;
    uint64_t first, pages;
    CUresult rc = driver_context(&d);
    if (!rc && (!desc || !count)) rc = bad(d, "cuMemSetAccess", "no description");
    if (!rc) rc = mapped_pages(d, "cuMemSetAccess", ptr, size, &r, &first, &pages);
    for (size_t i = 0; i < count && !rc; i++) {
        if (!of_this_device(&desc[i].location)) rc = bad(d, "cuMemSetAccess", "there is one device");
        else if (desc[i].flags != 0 && desc[i].flags != 1 && desc[i].flags != 3)
            rc = bad(d, "cuMemSetAccess", "unknown flags");
    }
    if (rc) return rc;
    for (uint64_t i = first; i < first + pages; i++) r->page[i].access = (uint8_t)desc[count - 1].flags;
    show_pages(d, r);
    return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
    DRIVER(d);
    CUresult rc = driver_context(&d);
    if (rc) return rc;
    const struct reservation *r = reservation_at(d, ptr, 1);
    if (!flags || !location || !r) return bad(d, "cuMemGetAccess", "not reserved");
    *flags = of_this_device(location) ? r->page[(ptr - r->addr) / DEV_MAP_GRAIN].access : 0;
    return CUDA_SUCCESS;
}
