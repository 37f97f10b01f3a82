/* driver_pool.c - stream-ordered allocation, pools, and the memory of graphs.
 *
 * Pools are names for the one memory of the device: what is freed is free at once, nothing is kept back. What a graph
 * allocates keeps its address from the making of the node to the end of the context, since the graph may be launched
 * again; freeing it in between frees nothing. */
#include "cuda/driver_work.h"

struct CUmemPoolHandle_st {
    struct object object;
    uint64_t reuse[3], threshold, used, high; /* bytes in use now and at most, in the default pool too */
};

struct graph_bytes {
    struct object object;
    CUdeviceptr ptr;
};

/* What was allocated in a stream, so that freeing it is counted for the pool it came from. */
struct pool_bytes {
    struct object object; /* a child of the pool */
    CUdeviceptr ptr;
    uint64_t bytes;
};

static CUresult pool_bad(struct driver *d, const char *call)
{
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "%s: not a pool, or a pointer is NULL", call);
}

/* ---- memory of graphs ---- */

bool graph_memory(const struct driver *d, CUdeviceptr ptr)
{
    for (const struct object *o = d->objects; o; o = o->next)
        if (o->kind == OBJECT_GRAPH_MEMORY && ((const struct graph_bytes *)(const void *)o)->ptr == ptr) return true;
    return false;
}

CUresult graph_memory_new(struct driver *d, CUdeviceptr *ptr, size_t bytes)
{
    struct graph_bytes *g = object_new(d, sizeof *g, OBJECT_GRAPH_MEMORY, &d->current->object);
    if (!g) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    CUresult r = cuMemAlloc(&g->ptr, bytes);
    if (r) object_free(d, &g->object);
    else *ptr = g->ptr;
    return r;
}

void graph_memory_release(struct driver *d, struct object *o)
{
    CUdeviceptr ptr = ((struct graph_bytes *)(void *)o)->ptr;
    if (ptr) dev_release(session_memory(d->session), ptr);
}

CUresult cuDeviceGraphMemTrim(CUdevice dev)
{
    CUdevice known;
    return cuDeviceGet(&known, dev);
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice dev, int attribute, void *value)
{
    DRIVER(d);
    CUdevice known;
    CUresult r = driver_context(&d);
    if (!r) r = cuDeviceGet(&known, dev);
    if (!r && (!value || attribute < 0 || attribute > 3)) r = pool_bad(d, "cuDeviceGetGraphMemAttribute");
    if (r) return r;
    uint64_t bytes = 0, base, size;
    for (const struct object *o = d->objects; o; o = o->next)
        if (o->kind == OBJECT_GRAPH_MEMORY &&
            !dev_range(session_memory(d->session), ((const struct graph_bytes *)(const void *)o)->ptr, &base, &size))
            bytes += size;
    *(uint64_t *)value = bytes; /* in use, at most in use, reserved and at most reserved are one */
    return CUDA_SUCCESS;
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice dev, int attribute, void *value)
{
    CUdevice known;
    (void)attribute, (void)value; /* resets a high-water mark */
    return cuDeviceGet(&known, dev);
}

/* ---- pools ---- */

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!pool || !props) return pool_bad(d, "cuMemPoolCreate");
    if (props->handleTypes)
        return driver_complain(d, CUDA_ERROR_NOT_SUPPORTED,
                               "memory pools that other processes share are not supported");
    struct CUmemPoolHandle_st *p = object_new(d, sizeof *p, OBJECT_POOL, &d->current->object);
    if (!p) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    *pool = p;
    return CUDA_SUCCESS;
}

static struct CUmemPoolHandle_st *default_pool(struct driver *d)
{
    struct CUmemPoolHandle_st *p = object_find(d, d->default_pool, OBJECT_POOL);
    if (p) return p;
    if (!(p = object_new(d, sizeof *p, OBJECT_POOL, NULL))) return NULL;
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    return d->default_pool = p;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUmemPoolHandle_st *p = object_find(d, pool, OBJECT_POOL);
    if (!p || p == d->default_pool) return pool_bad(d, "cuMemPoolDestroy");
    if (d->pool == p) d->pool = NULL;
    object_free(d, &p->object);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    (void)keep;
    return r || object_find(d, pool, OBJECT_POOL) ? r : pool_bad(d, "cuMemPoolTrimTo");
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUmemPoolHandle_st *p = object_find(d, pool, OBJECT_POOL);
    if (!p || !value) return pool_bad(d, "cuMemPoolSetAttribute");
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        p->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = *(unsigned *)value;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: p->threshold = *(uint64_t *)value; return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: p->high = p->used; return CUDA_SUCCESS;
    default: return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemPoolSetAttribute: attribute %d", (int)attribute);
    }
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUmemPoolHandle_st *p = object_find(d, pool, OBJECT_POOL);
    if (!p || !value) return pool_bad(d, "cuMemPoolGetAttribute");
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(unsigned *)value = (unsigned)p->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *(uint64_t *)value = p->threshold; return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *(uint64_t *)value = p->used; return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *(uint64_t *)value = p->high; return CUDA_SUCCESS;
    }
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemPoolGetAttribute: attribute %d", (int)attribute);
}

/* The one device can always read and write its memory. */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!object_find(d, pool, OBJECT_POOL) || (count && !map)) return pool_bad(d, "cuMemPoolSetAccess");
    for (size_t i = 0; i < count; i++)
        if (map[i].location.id != 0) return CUDA_ERROR_INVALID_DEVICE;
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(int *flags, CUmemoryPool pool, CUmemLocation *location)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!flags || !location || !object_find(d, pool, OBJECT_POOL)) return pool_bad(d, "cuMemPoolGetAccess");
    *flags = location->id == 0 ? 3 : 0;
    return CUDA_SUCCESS;
}

static CUresult get_pool(CUmemoryPool *pool, CUdevice dev, bool current)
{
    DRIVER(d);
    CUdevice known;
    CUresult r = driver_context(&d);
    if (!r) r = cuDeviceGet(&known, dev);
    if (r) return r;
    if (!pool) return pool_bad(d, "cuDeviceGetMemPool");
    *pool = current && object_find(d, d->pool, OBJECT_POOL) ? d->pool : default_pool(d);
    return *pool ? CUDA_SUCCESS : driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice dev) { return get_pool(pool, dev, false); }
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) { return get_pool(pool, dev, true); }

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    DRIVER(d);
    CUdevice known;
    CUresult r = driver_context(&d);
    if (!r) r = cuDeviceGet(&known, dev);
    if (r) return r;
    if (!object_find(d, pool, OBJECT_POOL)) return pool_bad(d, "cuDeviceSetMemPool");
    d->pool = pool;
    return CUDA_SUCCESS;
}

/* ---- allocation in a stream ---- */

/* The pool that an allocation comes from: the one named, else the device's current one. */
static struct CUmemPoolHandle_st *pool_of(struct driver *d, CUmemoryPool pool)
{
    struct CUmemPoolHandle_st *p = object_find(d, pool, OBJECT_POOL);
    if (!p) p = object_find(d, d->pool, OBJECT_POOL);
    return p ? p : default_pool(d);
}

static CUresult take_from_pool(struct driver *d, CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool)
{
    struct CUmemPoolHandle_st *p = pool_of(d, pool);
    struct pool_bytes *b = p ? object_new(d, sizeof *b, OBJECT_POOL_MEMORY, &p->object) : NULL;
    if (!b) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    CUresult r = cuMemAlloc(ptr, bytes);
    if (r) {
        object_free(d, &b->object);
        return r;
    }
    b->ptr = *ptr;
    b->bytes = bytes;
    p->used += bytes;
    if (p->used > p->high) p->high = p->used;
    return CUDA_SUCCESS;
}

void pool_forget(struct driver *d, CUdeviceptr ptr)
{
    for (struct object *o = d->objects; o; o = o->next) {
        const struct pool_bytes *b = (const struct pool_bytes *)(const void *)o;
        if (o->kind != OBJECT_POOL_MEMORY || b->ptr != ptr) continue;
        ((struct CUmemPoolHandle_st *)(void *)o->parent)->used -= b->bytes;
        object_free(d, o);
        return;
    }
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUstream_st *s = stream_state(d, stream);
    if (!s || !ptr) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuMemAllocAsync: not a stream, or NULL");
    if (!s->capture) return take_from_pool(d, ptr, bytes, pool);
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
    r = graph_memory_new(d, ptr, bytes);
    if (r) return r;
    w.u.memory.ptr = *ptr;
    w.u.memory.bytes = bytes;
    return capture_add(d, s, &w, NULL);
}

CUresult cuMemAllocAsync(CUdeviceptr *ptr, size_t bytes, CUstream stream)
{
    return cuMemAllocFromPoolAsync(ptr, bytes, NULL, stream);
}

CUresult cuMemFreeAsync(CUdeviceptr ptr, CUstream stream)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE};
    w.u.memory.ptr = ptr;
    return work_submit(d, "cuMemFreeAsync", stream, &w);
}
