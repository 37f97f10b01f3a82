/* driver_work.c - work of streams: kernels, copies, fills, host functions; run at once, or kept by a stream that
 * captures. The calls with a stream that are nothing but work are here too. */
#include "cuda/driver_work.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists of nodes ---- */

bool list_add(struct node_list *l, struct CUgraphNode_st *n)
{
    if (l->count == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 8;
        struct CUgraphNode_st **p = realloc(l->node, cap * sizeof(struct CUgraphNode_st *));
        if (!p) return false;
        l->node = p;
        l->cap = cap;
    }
    l->node[l->count++] = n;
    return true;
}

bool list_has(const struct node_list *l, const struct CUgraphNode_st *n)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->node[i] == n) return true;
    return false;
}

void list_free(struct node_list *l)
{
    free(l->node);
    *l = (struct node_list){0};
}

/* ---- running ---- */

/* A row of bytes between memories that are no arrays. */
static CUresult copy_row(const CUDA_MEMCPY3D *c)
{
    CUdeviceptr from_device = c->srcMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)c->srcHost : c->srcDevice;
    CUdeviceptr to_device = c->dstMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)c->dstHost : c->dstDevice;
    CUdeviceptr src = from_device + c->srcXInBytes, dst = to_device + c->dstXInBytes;
    bool from_host = c->srcMemoryType == CU_MEMORYTYPE_HOST, to_host = c->dstMemoryType == CU_MEMORYTYPE_HOST;
    bool any = c->srcMemoryType == CU_MEMORYTYPE_UNIFIED || c->dstMemoryType == CU_MEMORYTYPE_UNIFIED;
    if (any) return cuMemcpy(dst, src, c->WidthInBytes);
    if (from_host && to_host) {
        memmove((void *)(uintptr_t)dst, (const void *)(uintptr_t)src, c->WidthInBytes);
        return CUDA_SUCCESS;
    }
    if (from_host) return cuMemcpyHtoD(dst, (const void *)(uintptr_t)src, c->WidthInBytes);
    if (to_host) return cuMemcpyDtoH((void *)(uintptr_t)dst, src, c->WidthInBytes);
    return cuMemcpyDtoD(dst, src, c->WidthInBytes);
}

static CUresult run_copy(const CUDA_MEMCPY3D *c)
{
    bool flat = c->Height <= 1 && c->Depth <= 1 && !c->srcY && !c->srcZ && !c->dstY && !c->dstZ &&
                c->srcMemoryType != CU_MEMORYTYPE_ARRAY && c->dstMemoryType != CU_MEMORYTYPE_ARRAY;
    return flat ? copy_row(c) : cuMemcpy3D(c);
}

static CUresult run_fill(const CUDA_MEMSET_NODE_PARAMS *f)
{
    CUresult r = CUDA_SUCCESS;
    for (size_t y = 0; y < (f->height ? f->height : 1) && !r; y++) {
        CUdeviceptr row = f->dst + y * f->pitch;
        if (f->elementSize == 4) r = cuMemsetD32(row, f->value, f->width);
        else if (f->elementSize == 2) r = cuMemsetD16(row, (unsigned short)f->value, f->width);
        else if (f->elementSize == 1) r = cuMemsetD8(row, (unsigned char)f->value, f->width);
        else r = CUDA_ERROR_INVALID_VALUE;
    }
    return r;
}

CUresult work_run(struct driver *d, const struct work *w, CUstream stream)
{
    switch (w->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return kernel_work_run(d, &w->u.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return run_copy(&w->u.copy);
    case CU_GRAPH_NODE_TYPE_MEMSET: return run_fill(&w->u.fill);
    case CU_GRAPH_NODE_TYPE_HOST:
        if (w->u.host.call) w->u.host.call(w->u.host.arg);
        else w->u.host.callback(stream, CUDA_SUCCESS, w->u.host.arg);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_GRAPH: return graph_run(d, w->u.graph, stream);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return choice_run(d, &w->u.choice, stream);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return cuEventRecord(w->u.event, NULL);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return graph_memory(d, w->u.memory.ptr) ? CUDA_SUCCESS : cuMemFree(w->u.memory.ptr);
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:       /* all that was recorded has happened */
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: break; /* the memory is there since the node was made */
    }
    return CUDA_SUCCESS;
}

void work_free(struct driver *d, struct work *w)
{
    if (w->type == CU_GRAPH_NODE_TYPE_KERNEL) free(w->u.kernel.pointers);
    if (w->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) choice_free(d, &w->u.choice);
    if (w->type == CU_GRAPH_NODE_TYPE_GRAPH && object_find(d, w->u.graph, OBJECT_GRAPH))
        object_free(d, &w->u.graph->object);
    w->type = CU_GRAPH_NODE_TYPE_EMPTY;
}

CUresult work_copy(struct driver *d, struct work *to, const struct work *from)
{
    *to = *from;
    if (from->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        to->u.kernel.pointers = NULL;
        return kernel_work_params(d, &to->u.kernel, from->u.kernel.pointers, NULL);
    }
    bool choice = from->type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
    if (from->type != CU_GRAPH_NODE_TYPE_GRAPH && !choice) return CUDA_SUCCESS;
    to->type = CU_GRAPH_NODE_TYPE_EMPTY; /* until the copy is there */
    CUresult r = choice ? choice_copy(d, &to->u.choice, &from->u.choice)
                        : graph_copy(d, &to->u.graph, from->u.graph, &d->current->object);
    if (!r) to->type = from->type;
    return r;
}

CUresult work_submit(struct driver *d, const char *call, CUstream stream, struct work *w)
{
    struct CUstream_st *s = stream_state(d, stream);
    CUresult r = s ? CUDA_SUCCESS : driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "%s: not a stream", call);
    if (!r && s->capture) return capture_add(d, s, w, NULL);
    struct work_order o;
    if (!r) {
        order_begin(d, s, &o);
        r = d->fault ? d->fault : work_run(d, w, stream);
        order_end(d, stream_state(d, stream) == s ? s : NULL, &o); /* a host function may destroy the stream */
    }
    work_free(d, w);
    return r;
}

/* ---- calls that are work ---- */

static CUresult submit(const char *call, CUstream stream, struct work w)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    return r ? r : work_submit(d, call, stream, &w);
}

static struct work row_copy(CUmemorytype to, CUdeviceptr dst, CUmemorytype from, CUdeviceptr src, size_t bytes)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    w.u.copy = (CUDA_MEMCPY3D){.srcMemoryType = from,
                               .srcHost = (const void *)(uintptr_t)src,
                               .srcDevice = src,
                               .srcPitch = bytes,
                               .dstMemoryType = to,
                               .dstHost = (void *)(uintptr_t)dst,
                               .dstDevice = dst,
                               .dstPitch = bytes,
                               .WidthInBytes = bytes,
                               .Height = 1,
                               .Depth = 1};
    return w;
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    return submit("cuMemcpyAsync", stream, row_copy(CU_MEMORYTYPE_UNIFIED, dst, CU_MEMORYTYPE_UNIFIED, src, bytes));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
    return submit("cuMemcpyHtoDAsync", stream,
                  row_copy(CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_HOST, (uintptr_t)src, bytes));
}

CUresult cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    return submit("cuMemcpyDtoHAsync", stream,
                  row_copy(CU_MEMORYTYPE_HOST, (uintptr_t)dst, CU_MEMORYTYPE_DEVICE, src, bytes));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    return submit("cuMemcpyDtoDAsync", stream, row_copy(CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_DEVICE, src, bytes));
}

/* There is one device, so a peer is the device itself. */
CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes)
{
    (void)to, (void)from;
    return cuMemcpyDtoD(dst, src, bytes);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes,
                           CUstream stream)
{
    (void)to, (void)from;
    return cuMemcpyDtoDAsync(dst, src, bytes, stream);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    w.u.copy = (CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes,
                               .srcY = c->srcY,
                               .srcMemoryType = c->srcMemoryType,
                               .srcHost = c->srcHost,
                               .srcDevice = c->srcDevice,
                               .srcArray = c->srcArray,
                               .srcPitch = c->srcPitch,
                               .dstXInBytes = c->dstXInBytes,
                               .dstY = c->dstY,
                               .dstMemoryType = c->dstMemoryType,
                               .dstHost = c->dstHost,
                               .dstDevice = c->dstDevice,
                               .dstArray = c->dstArray,
                               .dstPitch = c->dstPitch,
                               .WidthInBytes = c->WidthInBytes,
                               .Height = c->Height,
                               .Depth = 1};
    return submit("cuMemcpy2DAsync", stream, w);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    w.u.copy = *c;
    return submit("cuMemcpy3DAsync", stream, w);
}

static CUresult submit_fill(const char *call, CUstream stream, CUDA_MEMSET_NODE_PARAMS f)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
    w.u.fill = f;
    return submit(call, stream, w);
}

#define FILL_CALL(name, type, bytes)                                                                                   \
    CUresult cuMemset##name##Async(CUdeviceptr dst, type value, size_t count, CUstream stream)                         \
    {                                                                                                                  \
        return submit_fill("cuMemset" #name "Async", stream,                                                           \
                           (CUDA_MEMSET_NODE_PARAMS){dst, 0, value, bytes, count, 1});                                 \
    }
FILL_CALL(D8, unsigned char, 1)
FILL_CALL(D16, unsigned short, 2)
FILL_CALL(D32, unsigned int, 4)

#define FILL_ROWS_CALL(name, type, bytes)                                                                              \
    CUresult cuMemset##name##Async(CUdeviceptr dst, size_t pitch, type value, size_t width, size_t height,             \
                                   CUstream stream)                                                                    \
    {                                                                                                                  \
        return submit_fill("cuMemset" #name "Async", stream,                                                           \
                           (CUDA_MEMSET_NODE_PARAMS){dst, pitch, value, bytes, width, height});                        \
    }
FILL_ROWS_CALL(D2D8, unsigned char, 1)
FILL_ROWS_CALL(D2D16, unsigned short, 2)
FILL_ROWS_CALL(D2D32, unsigned int, 4)

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn call, void *arg)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_HOST};
    w.u.host = (struct host_work){.call = call, .arg = arg};
    return call ? submit("cuLaunchHostFunc", stream, w) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamAddCallback(CUstream stream, void (*call)(CUstream, CUresult, void *), void *arg, unsigned int flags)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_HOST};
    w.u.host = (struct host_work){.callback = call, .arg = arg};
    return call && !flags ? submit("cuStreamAddCallback", stream, w) : CUDA_ERROR_INVALID_VALUE;
}

/* ---- runs of bytes of arrays ---- */

static CUresult array_copy(CUDA_MEMCPY3D c, size_t bytes, CUstream stream)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    c.WidthInBytes = bytes;
    c.Height = c.Depth = 1;
    w.u.copy = c;
    return submit("cuMemcpyAtoD", stream, w);
}

CUresult cuMemcpyAtoD(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes)
{
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .srcArray = src,
                       .srcXInBytes = offset,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = dst,
                       .dstPitch = bytes};
    return array_copy(c, bytes, NULL);
}

CUresult cuMemcpyDtoA(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes)
{
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = src,
                       .srcPitch = bytes,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = dst,
                       .dstXInBytes = offset};
    return array_copy(c, bytes, NULL);
}

CUresult cuMemcpyAtoA(CUarray dst, size_t to, CUarray src, size_t from, size_t bytes)
{
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .srcArray = src,
                       .srcXInBytes = from,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = dst,
                       .dstXInBytes = to};
    return array_copy(c, bytes, NULL);
}

CUresult cuMemcpyHtoAAsync(CUarray dst, size_t offset, const void *src, size_t bytes, CUstream stream)
{
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = src,
                       .srcPitch = bytes,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = dst,
                       .dstXInBytes = offset};
    return array_copy(c, bytes, stream);
}

CUresult cuMemcpyAtoHAsync(void *dst, CUarray src, size_t offset, size_t bytes, CUstream stream)
{
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .srcArray = src,
                       .srcXInBytes = offset,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = dst,
                       .dstPitch = bytes};
    return array_copy(c, bytes, stream);
}

/* ---- words that streams write and wait for ---- */

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, unsigned int value, unsigned int flags)
{
    (void)flags; /* about fences: everything before has happened */
    return cuMemsetD32Async(addr, value, 1, stream);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, unsigned long long value, unsigned int flags)
{
    CUresult r = cuStreamWriteValue32(stream, addr, (unsigned)value, flags);
    return r ? r : cuStreamWriteValue32(stream, addr + 4, (unsigned)(value >> 32), flags);
}

/* Nothing can come true later that is not true now: a wait that would have to wait is refused, not endless. */
static CUresult wait_value(CUstream stream, CUdeviceptr addr, uint64_t value, unsigned flags, size_t bytes)
{
    enum { AT_LEAST, EQUAL, ANY_BIT, NOR };
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const void *at = stream_valid(d, stream) ? device_bytes(d, addr, bytes) : NULL;
    if (!at) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuStreamWaitValue: not a stream, or not device memory");
    if (session_look(d->session, session_error(d->session))) return CUDA_ERROR_NOT_PERMITTED;
    uint64_t now = 0, mask = bytes == 8 ? UINT64_MAX : UINT32_MAX;
    memcpy(&now, at, bytes);
    bool met = false;
    switch (flags & 3) {
    case AT_LEAST: met = ((now - value) & mask) <= mask / 2; break;
    case EQUAL: met = now == value; break;
    case ANY_BIT: met = now & value; break;
    case NOR: met = ~(now | value) & mask; break;
    }
    if (met) return CUDA_SUCCESS;
    return driver_complain(
        d, CUDA_ERROR_NOT_SUPPORTED,
        "a stream waits for a word that only later work would write: work is done when a call returns");
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, unsigned int value, unsigned int flags)
{
    return wait_value(stream, addr, value, flags, 4);
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, unsigned long long value, unsigned int flags)
{
    return wait_value(stream, addr, value, flags, 8);
}
