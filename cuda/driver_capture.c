/* driver_capture.c - capture: what is submitted to a stream becomes nodes of a graph instead of being done.
 *
 * A capture begins in one stream. Others join it when they wait for an event recorded in it, and must be waited for in
 * turn before it ends. Each stream remembers the nodes that its next one depends on. */
#include "cuda/driver_work.h"

static CUresult capture_call(struct driver **d, const char *call, CUstream stream, struct CUstream_st **s)
{
    CUresult r = driver_context(d);
    if (!r && !(*s = stream_state(*d, stream)))
        r = driver_fail(*d, CUDA_ERROR_INVALID_HANDLE, "%s: not a stream", call);
    return r;
}

CUresult capture_forbids(struct driver *d, struct CUstream_st *s, const char *call)
{
    if (!s->capture) return CUDA_SUCCESS;
    s->capture->invalid = true;
    return driver_fail(d, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "%s: the stream captures", call);
}

CUresult capture_add(struct driver *d, struct CUstream_st *s, struct work *w, CUgraphNode *out)
{
    struct CUgraphNode_st *n = NULL;
    if (!object_find(d, s->capture->graph, OBJECT_GRAPH)) s->capture->invalid = true; /* the program destroyed it */
    if (s->capture->invalid) {
        work_free(d, w);
        return driver_fail(d, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                           "the capture was made invalid by an earlier error");
    }
    CUresult r = graph_add(d, s->capture->graph, s->after.node, s->after.count, w, &n);
    if (r) return r;
    s->after.count = 0;
    if (!list_add(&s->after, n)) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    if (out) *out = n;
    return CUDA_SUCCESS;
}

static CUresult begin(struct driver *d, struct CUstream_st *s, CUgraph graph, const CUgraphNode *after, size_t count)
{
    if (s == d->legacy)
        return driver_fail(d, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the default stream cannot be captured");
    if (s->capture) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "the stream captures already");
    struct capture *c = object_new(d, sizeof *c, OBJECT_CAPTURE, &d->current->object);
    if (!c) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    CUresult r = CUDA_SUCCESS;
    c->id = ++d->ids;
    c->origin = s;
    c->own_graph = !graph;
    c->graph = graph;
    if (!graph) r = graph_new(d, &c->graph, &d->current->object);
    s->after.count = 0;
    for (size_t i = 0; i < count && !r; i++)
        if (!list_has(&c->graph->nodes, after[i]) || !list_add(&s->after, after[i])) r = CUDA_ERROR_INVALID_VALUE;
    if (r) object_free(d, &c->object);
    else s->capture = c;
    return r;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = capture_call(&d, "cuStreamBeginCapture", stream, &s);
    (void)mode; /* which calls of other threads are forbidden meanwhile: none are */
    return r ? r : begin(d, s, NULL, NULL, 0);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *after,
                                     const CUgraphEdgeData *data, size_t count, CUstreamCaptureMode mode)
{
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = capture_call(&d, "cuStreamBeginCaptureToGraph", stream, &s);
    (void)mode, (void)data;
    if (!r && (!object_find(d, graph, OBJECT_GRAPH) || (count && !after)))
        r = driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuStreamBeginCaptureToGraph: not a graph");
    return r ? r : begin(d, s, graph, after, count);
}

/* Whether the last nodes of every stream of the capture have been waited for: nothing of it comes after them, or it is
 * the origin's own end. */
static bool all_joined(const struct driver *d, const struct capture *c)
{
    for (const struct object *o = d->objects; o; o = o->next) {
        const struct CUstream_st *s = (const struct CUstream_st *)(const void *)o;
        if (o->kind != OBJECT_STREAM || s->capture != c || s == c->origin) continue;
        for (size_t i = 0; i < s->after.count; i++) {
            bool followed = list_has(&c->origin->after, s->after.node[i]);
            for (size_t k = 0; k < c->graph->nodes.count && !followed; k++)
                followed = list_has(&c->graph->nodes.node[k]->after, s->after.node[i]);
            if (!followed) return false;
        }
    }
    return true;
}

/* Streams and events forget the capture, which is over. */
void capture_release(struct driver *d, const struct capture *c)
{
    for (struct object *o = d->objects; o; o = o->next) {
        struct CUstream_st *s = (struct CUstream_st *)(void *)o;
        struct CUevent_st *v = (struct CUevent_st *)(void *)o;
        if (o->kind == OBJECT_STREAM && s->capture == c) s->capture = NULL, s->after.count = 0;
        if (o->kind == OBJECT_EVENT && v->capture == c) v->capture = NULL, v->nodes = 0;
    }
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = capture_call(&d, "cuStreamEndCapture", stream, &s);
    if (r) return r;
    struct capture *c = s->capture;
    if (!c || (!graph && c->own_graph)) /* a graph that the program had is not asked for again */
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuStreamEndCapture: the stream does not capture");
    if (c->origin != s)
        return driver_fail(d, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "cuStreamEndCapture: it began in another stream");
    if (graph) *graph = NULL;
    if (c->invalid || !object_find(d, c->graph, OBJECT_GRAPH))
        r = driver_fail(d, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                        "cuStreamEndCapture: an error made the capture invalid");
    else if (!all_joined(d, c))
        r = driver_fail(d, CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                        "cuStreamEndCapture: work of another stream that joined the capture was not waited for");
    else if (graph) *graph = c->graph;
    if (r && c->own_graph && object_find(d, c->graph, OBJECT_GRAPH)) object_free(d, &c->graph->object);
    object_free(d, &c->object);
    return r;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = capture_call(&d, "cuStreamWaitEvent", stream, &s);
    if (r) return r;
    enum { EXTERNAL = 1 };
    const struct CUevent_st *v = object_find(d, event, OBJECT_EVENT);
    if (!v) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuStreamWaitEvent: not an event");
    if (s->capture && (flags & EXTERNAL)) {
        struct work w = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT};
        w.u.event = event;
        return capture_add(d, s, &w, NULL);
    }
    if (!v->capture && s->capture && v->recorded)
        return driver_fail(d, CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "cuStreamWaitEvent: an event of before the capture");
    if (!v->capture) {
        order_wait_event(d, s, &v->after);
        return CUDA_SUCCESS;
    }
    if (s == d->legacy)
        return driver_fail(d, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "cuStreamWaitEvent: the default stream cannot wait");
    if (s->capture && s->capture != v->capture)
        return driver_fail(d, CUDA_ERROR_STREAM_CAPTURE_MERGE, "cuStreamWaitEvent: two captures cannot become one");
    if (!s->capture) s->after.count = 0;
    s->capture = v->capture;
    for (size_t i = 0; i < v->nodes; i++)
        if (!list_has(&s->after, v->node[i]) && !list_add(&s->after, v->node[i]))
            return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    return CUDA_SUCCESS;
}

/* ---- questions ---- */

static CUstreamCaptureStatus status_of(const struct CUstream_st *s)
{
    return !s->capture           ? CU_STREAM_CAPTURE_STATUS_NONE
           : s->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                 : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = capture_call(&d, "cuStreamIsCapturing", stream, &s);
    if (!r && !status) r = CUDA_ERROR_INVALID_VALUE;
    if (!r) *status = status_of(s);
    return r;
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, unsigned long long *id, CUgraph *graph,
                                const CUgraphNode **after, const CUgraphEdgeData **data, size_t *count)
{
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = capture_call(&d, "cuStreamGetCaptureInfo", stream, &s);
    if (!r && !status) r = CUDA_ERROR_INVALID_VALUE;
    if (r) return r;
    *status = status_of(s);
    if (!s->capture) return CUDA_SUCCESS;
    if (id) *id = s->capture->id;
    if (graph) *graph = s->capture->graph;
    if (after) *after = s->after.node;
    if (data) *data = NULL;
    if (count) *count = s->after.count;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, unsigned long long *id,
                                   CUgraph *graph, const CUgraphNode **after, size_t *count)
{
    return cuStreamGetCaptureInfo(stream, status, id, graph, after, NULL, count);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after, const CUgraphEdgeData *data,
                                           size_t count, unsigned int flags)
{
    enum { SET = 1 };
    DRIVER(d);
    struct CUstream_st *s;
    CUresult r = capture_call(&d, "cuStreamUpdateCaptureDependencies", stream, &s);
    (void)data;
    if (!r && (!s->capture || (count && !after)))
        r = driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuStreamUpdateCaptureDependencies: the stream does not capture");
    if (r) return r;
    if (flags & SET) s->after.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!list_has(&s->capture->graph->nodes, after[i])) return CUDA_ERROR_INVALID_VALUE;
        if (!list_has(&s->after, after[i]) && !list_add(&s->after, after[i])) return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    static _Thread_local CUstreamCaptureMode now = CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    CUstreamCaptureMode before = now;
    now = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
