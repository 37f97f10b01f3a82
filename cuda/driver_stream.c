/* driver_stream.c - streams and events.
 *
 * Work is done when a call returns, as far as memory goes, so everything recorded has already happened there. When
 * kernels run on the machine is another matter (driver_order.h): an event remembers the device's cycle count, and what
 * must have ended when it happens. A stream that captures is a third one: see driver_capture.c. */
#include "cuda/driver_work.h"

#include <stdlib.h>
#include <string.h>

/* Priorities that programs may ask for, as on devices since Volta; a larger number is a lower priority. */
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

static struct CUstream_st *default_stream(struct driver *d, struct CUstream_st **s)
{
    if (!*s && (*s = object_new(d, sizeof **s, OBJECT_STREAM, NULL))) (*s)->id = ++d->ids;
    return *s;
}

struct CUstream_st *stream_state(struct driver *d, CUstream stream)
{
    if (!stream || stream == CU_STREAM_LEGACY) return default_stream(d, &d->legacy);
    if (stream == CU_STREAM_PER_THREAD) return default_stream(d, &d->per_thread);
    return object_find(d, stream, OBJECT_STREAM);
}

bool stream_valid(const struct driver *d, CUstream stream)
{
    return !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD ||
           object_find(d, stream, OBJECT_STREAM);
}

/* How a call with a stream begins. */
static CUresult stream_call(struct driver **d, const char *call, CUstream stream, struct CUstream_st **s)
{
    CUresult r = driver_context(d);
    if (!r && !(*s = stream_state(*d, stream)))
        r = driver_fail(*d, CUDA_ERROR_INVALID_HANDLE, "%s: not a stream", call);
    return r;
}

static CUresult bad_event(struct driver *d, const char *call)
{
    return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "%s: not an event", call);
}

/* ---- streams ---- */

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!stream || flags > CU_STREAM_NON_BLOCKING)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuStreamCreate: NULL pointer or unknown flags 0x%x", flags);
    struct CUstream_st *s = object_new(d, sizeof *s, OBJECT_STREAM, &d->current->object);
    if (!s) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    s->flags = flags;
    s->priority = priority > LEAST_PRIORITY      ? LEAST_PRIORITY
                  : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                                 : priority;
    s->id = ++d->ids;
    d->free_streams += flags == CU_STREAM_NON_BLOCKING;
    *stream = s;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    return cuStreamCreateWithPriority(stream, flags, LEAST_PRIORITY);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (least) *least = LEAST_PRIORITY;
    if (greatest) *greatest = GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

void stream_release(struct driver *d, struct CUstream_st *s)
{
    if (s == d->legacy) d->legacy = NULL;
    if (s == d->per_thread) d->per_thread = NULL;
    list_free(&s->after);
    order_orphan(d, s);
}

CUresult cuStreamDestroy(CUstream stream)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUstream_st *s = object_find(d, stream, OBJECT_STREAM);
    if (!s) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuStreamDestroy: not a stream");
    object_free(d, &s->object);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = stream_call(&d, "cuStreamSynchronize", stream, &s);
    if (!r) r = capture_forbids(d, s, "cuStreamSynchronize");
    if (!r) order_host_stream(d, s);
    return r ? r : d->fault;
}

CUresult cuStreamQuery(CUstream stream)
{
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = stream_call(&d, "cuStreamQuery", stream, &s);
    if (!r) r = capture_forbids(d, s, "cuStreamQuery");
    if (!r) order_host_stream(d, s); /* it is told that the work is over */
    return r ? r : d->fault;
}

/* Questions: one field each. */
#define STREAM_QUESTION(name, type, value)                                                                             \
    CUresult cuStream##name(CUstream stream, type *out)                                                                \
    {                                                                                                                  \
        DRIVER(d);                                                                                                     \
        struct CUstream_st *s;                                                                                         \
        CUresult r = stream_call(&d, "cuStream" #name, stream, &s);                                                    \
        if (!r && !out) r = driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuStream" #name ": a result pointer is NULL");   \
        if (!r) *out = value;                                                                                          \
        return r;                                                                                                      \
    }
STREAM_QUESTION(GetFlags, unsigned int, s->flags)
STREAM_QUESTION(GetPriority, int, s->priority)
STREAM_QUESTION(GetId, unsigned long long, s->id)
STREAM_QUESTION(GetDevice, CUdevice, 0)
STREAM_QUESTION(GetCtx, CUcontext, d->current)

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src)
{
    DRIVER(d);
    struct CUstream_st *to, *from;
    CUresult r = stream_call(&d, "cuStreamCopyAttributes", dst, &to);
    if (!r && !(from = stream_state(d, src))) r = CUDA_ERROR_INVALID_HANDLE;
    if (!r) memcpy(to->attribute, from->attribute, sizeof to->attribute);
    return r;
}

CUresult cuStreamGetAttribute(CUstream stream, CUlaunchAttributeID id, CUlaunchAttributeValue *value)
{
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = stream_call(&d, "cuStreamGetAttribute", stream, &s);
    if (r) return r;
    if (!value || (unsigned)id > CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuStreamGetAttribute: attribute %d", (int)id);
    *value = s->attribute[id];
    if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY) value->priority = s->priority;
    return CUDA_SUCCESS;
}

/* Windows of the L2, ways of waiting: remembered, with no effect. */
CUresult cuStreamSetAttribute(CUstream stream, CUlaunchAttributeID id, const CUlaunchAttributeValue *value)
{
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = stream_call(&d, "cuStreamSetAttribute", stream, &s);
    if (r) return r;
    if (!value || (unsigned)id > CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuStreamSetAttribute: attribute %d", (int)id);
    s->attribute[id] = *value;
    if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY) s->priority = value->priority;
    return CUDA_SUCCESS;
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr ptr, size_t bytes, unsigned int flags)
{
    DRIVER(d);
    struct CUstream_st *s;
    (void)ptr, (void)bytes, (void)flags; /* who may touch managed memory when: nothing runs at the same time */
    return stream_call(&d, "cuStreamAttachMemAsync", stream, &s);
}

/* ---- events ---- */

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!event || flags > (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuEventCreate: NULL pointer or unknown flags 0x%x", flags);
    struct CUevent_st *v = object_new(d, sizeof *v, OBJECT_EVENT, &d->current->object);
    if (!v) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    v->flags = flags;
    *event = v;
    return CUDA_SUCCESS;
}

void event_release(struct CUevent_st *v)
{
    free(v->node);
    set_free(&v->after);
}

CUresult cuEventDestroy(CUevent event)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUevent_st *v = object_find(d, event, OBJECT_EVENT);
    if (!v) return bad_event(d, "cuEventDestroy");
    object_free(d, &v->object);
    return CUDA_SUCCESS;
}

/* An event recorded in a capture stands for the nodes that the stream has reached. */
static CUresult record_in_capture(struct driver *d, struct CUevent_st *v, const struct CUstream_st *s)
{
    size_t bytes = s->after.count * sizeof(struct CUgraphNode_st *);
    struct CUgraphNode_st **p = malloc(bytes ? bytes : 1);
    if (!p) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    if (bytes) memcpy(p, s->after.node, bytes);
    free(v->node);
    v->node = p;
    v->nodes = s->after.count;
    v->capture = s->capture;
    return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
    enum { EXTERNAL = 1 };
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = stream_call(&d, "cuEventRecord", stream, &s);
    if (r) return r;
    struct CUevent_st *v = object_find(d, event, OBJECT_EVENT);
    if (!v) return bad_event(d, "cuEventRecord");
    if (s->capture && (flags & EXTERNAL)) { /* a node that records it */
        struct work w = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD};
        w.u.event = v;
        return capture_add(d, s, &w, NULL);
    }
    if (s->capture) return record_in_capture(d, v, s);
    v->capture = NULL;
    v->recorded = true;
    v->cycles = session_cycles(d->session);
    order_event(d, s, &v->after);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) { return cuEventRecordWithFlags(event, stream, 0); }

static CUresult event_call(CUevent event, const char *call)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUevent_st *v = object_find(d, event, OBJECT_EVENT);
    if (!v) return bad_event(d, call);
    if (v->capture) return driver_fail(d, CUDA_ERROR_CAPTURED_EVENT, "%s: the event belongs to a capture", call);
    order_host_set(d, &v->after);
    return d->fault;
}

/* The core cycle in which the event happened; all work has run. */
static uint64_t event_cycle(const struct driver *d, const struct CUevent_st *v)
{
    uint64_t cycle = v->cycles;
    for (unsigned i = 0; i < v->after.count; i++) {
        uint64_t end = session_ended_at(d->session, v->after.number[i]);
        if (end > cycle) cycle = end;
    }
    return cycle;
}

CUresult cuEventSynchronize(CUevent event) { return event_call(event, "cuEventSynchronize"); }
CUresult cuEventQuery(CUevent event) { return event_call(event, "cuEventQuery"); }

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!milliseconds) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuEventElapsedTime: NULL result pointer");
    const struct CUevent_st *a = object_find(d, start, OBJECT_EVENT), *b = object_find(d, end, OBJECT_EVENT);
    if (!a || !b) return bad_event(d, "cuEventElapsedTime");
    if (!a->recorded || !b->recorded || ((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING))
        return driver_fail(d, CUDA_ERROR_INVALID_HANDLE,
                           "cuEventElapsedTime: an event was not recorded or keeps no time");
    order_host_all(d);
    if (d->fault) return d->fault;
    double cycles = (double)(int64_t)(event_cycle(d, b) - event_cycle(d, a));
    *milliseconds = (float)(cycles / (double)session_param(d->session, P_CLOCK_CORE)); /* kHz: cycles per ms */
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime(milliseconds, start, end);
}
