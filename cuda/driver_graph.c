/* driver_graph.c - graphs: nodes of work with dependencies, copied when they are instantiated, run one after another.
 *
 * A run does, again and again, the first node in the order of their making whose dependencies are all done: the order
 * depends on nothing but the graph. */
#include "cuda/driver_work.h"

#include <stdlib.h>
#include <string.h>

/* How a call of this file begins. */
#define GRAPH_CALL(d)                                                                                                  \
    DRIVER(d);                                                                                                         \
    {                                                                                                                  \
        CUresult begun_ = driver_context(&d);                                                                          \
        if (begun_) return begun_;                                                                                     \
    }

static CUresult bad(struct driver *d, const char *what)
{
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "graphs: %s", what);
}

static CUresult no_memory(struct driver *d) { return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory"); }

/* ---- making and freeing ---- */

CUresult graph_new(struct driver *d, struct CUgraph_st **out, struct object *parent)
{
    *out = object_new(d, sizeof **out, OBJECT_GRAPH, parent);
    return *out ? CUDA_SUCCESS : no_memory(d);
}

static void user_release(struct driver *d, struct CUuserObject_st *u)
{
    if (--u->references) return;
    if (u->destroy) u->destroy(u->ptr);
    object_free(d, &u->object);
}

void graph_release(struct driver *d, struct CUgraph_st *g)
{
    list_free(&g->nodes); /* the nodes themselves were freed as its children */
    for (size_t i = 0; i < g->users; i++)
        if (object_find(d, g->user[i], OBJECT_USER)) user_release(d, g->user[i]);
    free(g->user);
    g->user = NULL;
    g->users = 0;
}

void graph_node_release(struct driver *d, struct CUgraphNode_st *n)
{
    work_free(d, &n->work);
    list_free(&n->after);
    set_free(&n->over);
}

CUresult graph_add(struct driver *d, struct CUgraph_st *g, const CUgraphNode *after, size_t count, struct work *w,
                   CUgraphNode *out)
{
    struct CUgraphNode_st *n = NULL;
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; i < count && !r; i++)
        if (!after || !list_has(&g->nodes, after[i])) r = bad(d, "a dependency is no node of the graph");
    if (!r && !(n = object_new(d, sizeof *n, OBJECT_NODE, &g->object))) r = no_memory(d);
    for (size_t i = 0; i < count && !r; i++)
        if (!list_has(&n->after, after[i]) && !list_add(&n->after, after[i])) r = no_memory(d);
    if (!r && !list_add(&g->nodes, n)) r = no_memory(d);
    if (r) {
        work_free(d, w);
        if (n) object_free(d, &n->object);
        return r;
    }
    n->graph = g;
    n->work = *w;
    w->type = CU_GRAPH_NODE_TYPE_EMPTY;
    if (out) *out = n;
    return CUDA_SUCCESS;
}

/* The place of a node among those of its graph. */
static size_t place_of(const struct CUgraph_st *g, const struct CUgraphNode_st *n)
{
    size_t i = 0;
    while (i < g->nodes.count && g->nodes.node[i] != n) i++;
    return i;
}

static CUresult copy_node(struct driver *d, struct CUgraph_st *g, const struct CUgraph_st *from, size_t i)
{
    struct CUgraphNode_st *old = from->nodes.node[i], *n = NULL;
    struct work w;
    CUresult r = work_copy(d, &w, &old->work);
    if (!r) r = graph_add(d, g, NULL, 0, &w, &n);
    if (r) return r;
    n->original = old;
    n->disabled = old->disabled;
    memcpy(n->attribute, old->attribute, sizeof n->attribute);
    return CUDA_SUCCESS;
}

CUresult graph_copy(struct driver *d, struct CUgraph_st **out, const struct CUgraph_st *from, struct object *parent)
{
    CUresult r = graph_new(d, out, parent);
    for (size_t i = 0; i < from->nodes.count && !r; i++) r = copy_node(d, *out, from, i);
    for (size_t i = 0; i < from->nodes.count && !r; i++)
        for (size_t k = 0; k < from->nodes.node[i]->after.count && !r; k++) {
            size_t at = place_of(from, from->nodes.node[i]->after.node[k]);
            if (!list_add(&(*out)->nodes.node[i]->after, (*out)->nodes.node[at])) r = no_memory(d);
        }
    if (!r || !*out) return r;
    object_free(d, &(*out)->object);
    *out = NULL;
    return r;
}

/* ---- order and running ---- */

static bool is_ready(const struct CUgraphNode_st *n, unsigned run)
{
    if (n->done == run) return false;
    for (size_t i = 0; i < n->after.count; i++)
        if (n->after.node[i]->done != run) return false;
    return true;
}

/* All nodes in the order they are run; shorter when dependencies go round in a circle. */
static CUresult graph_order(struct driver *d, const struct CUgraph_st *g, struct node_list *order)
{
    unsigned run = ++d->graph_runs;
    size_t first = 0; /* all nodes before it are done */
    for (bool found = true; found;) {
        found = false;
        while (first < g->nodes.count && g->nodes.node[first]->done == run) first++;
        for (size_t i = first; i < g->nodes.count && !found; i++) {
            struct CUgraphNode_st *n = g->nodes.node[i];
            if (!is_ready(n, run)) continue;
            if (!list_add(order, n)) return no_memory(d);
            n->done = run;
            found = true;
        }
    }
    return order->count == g->nodes.count ? CUDA_SUCCESS : bad(d, "dependencies go round in a circle");
}

static CUresult run_list(struct driver *d, const struct node_list *order, CUstream stream)
{
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; i < order->count && !r; i++) {
        struct CUgraphNode_st *n = order->node[i];
        const struct work_set **after = calloc(n->after.count + 1, sizeof(const struct work_set *));
        struct work_order o;
        if (!after) return no_memory(d);
        for (size_t k = 0; k < n->after.count; k++) after[k] = &n->after.node[k]->over;
        order_node_begin(d, &o, after, (unsigned)n->after.count);
        free(after);
        if (!n->disabled) r = work_run(d, &n->work, stream);
        order_node_end(d, &o, &n->over);
    }
    return r;
}

CUresult graph_run(struct driver *d, struct CUgraph_st *g, CUstream stream)
{
    struct node_list order = {0};
    CUresult r = graph_order(d, g, &order);
    if (!r) r = run_list(d, &order, stream);
    list_free(&order);
    return r;
}

/* ---- graphs ---- */

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
    GRAPH_CALL(d);
    return graph && !flags ? graph_new(d, graph, &d->current->object) : bad(d, "no pointer, or flags");
}

static struct CUgraph_st *graph_of(const struct driver *d, CUgraph graph)
{
    return object_find(d, graph, OBJECT_GRAPH);
}

static struct CUgraphNode_st *node_of(const struct driver *d, CUgraphNode node)
{
    return object_find(d, node, OBJECT_NODE);
}

CUresult cuGraphDestroy(CUgraph graph)
{
    GRAPH_CALL(d);
    struct CUgraph_st *g = graph_of(d, graph);
    if (!g) return bad(d, "not a graph");
    object_free(d, &g->object);
    return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph original)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, original);
    return g && clone ? graph_copy(d, clone, g, &d->current->object) : bad(d, "not a graph");
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, clone);
    if (!g || !node) return bad(d, "not a graph");
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.node[i]->original == original) return *node = g->nodes.node[i], CUDA_SUCCESS;
    return bad(d, "the clone has no copy of that node");
}

/* ---- nodes ---- */

static CUresult add_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, struct work *w)
{
    GRAPH_CALL(d);
    struct CUgraph_st *g = graph_of(d, graph);
    if (g && node) return graph_add(d, g, after, count, w, node);
    work_free(d, w);
    return bad(d, "not a graph");
}

static CUresult make_kernel(struct driver *d, struct work *w, const CUDA_KERNEL_NODE_PARAMS *p)
{
    CUfunction f = p->func;
    *w = (struct work){.type = CU_GRAPH_NODE_TYPE_EMPTY};
    if (!f && p->kern && cuKernelGetFunction(&f, p->kern)) f = NULL;
    struct kernel_work k = {.function = f,
                            .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                            .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                            .shared = p->sharedMemBytes};
    CUresult r = kernel_work_params(d, &k, p->kernelParams, p->extra);
    if (r) return r;
    w->type = CU_GRAPH_NODE_TYPE_KERNEL;
    w->u.kernel = k;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *params)
{
    GRAPH_CALL(d);
    struct work w;
    CUresult r = params ? make_kernel(d, &w, params) : bad(d, "no parameters");
    return r ? r : add_node(node, graph, after, count, &w);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_MEMCPY3D *copy, CUcontext ctx)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    (void)ctx;
    if (!copy) return CUDA_ERROR_INVALID_VALUE;
    w.u.copy = *copy;
    return add_node(node, graph, after, count, &w);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
    (void)ctx;
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    w.u.fill = *params;
    return add_node(node, graph, after, count, &w);
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_HOST};
    if (!params || !params->fn) return CUDA_ERROR_INVALID_VALUE;
    w.u.host = (struct host_work){.call = params->fn, .arg = params->userData};
    return add_node(node, graph, after, count, &w);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                  CUgraph child)
{
    GRAPH_CALL(d);
    struct work w = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    const struct CUgraph_st *from = graph_of(d, child);
    CUresult r = from ? graph_copy(d, &w.u.graph, from, &d->current->object) : bad(d, "not a graph");
    return r ? r : add_node(node, graph, after, count, &w);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    return add_node(node, graph, after, count, &w);
}

static CUresult add_event(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUevent event,
                          CUgraphNodeType type)
{
    GRAPH_CALL(d);
    struct work w = {.type = type};
    w.u.event = event;
    return object_find(d, event, OBJECT_EVENT) ? add_node(node, graph, after, count, &w) : bad(d, "not an event");
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                   CUevent event)
{
    return add_event(node, graph, after, count, event, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                 CUevent event)
{
    return add_event(node, graph, after, count, event, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    GRAPH_CALL(d);
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
    CUresult r = params ? graph_memory_new(d, &params->dptr, params->bytesize) : bad(d, "no parameters");
    if (r) return r;
    w.u.memory.ptr = params->dptr;
    w.u.memory.bytes = params->bytesize;
    return add_node(node, graph, after, count, &w);
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                               CUdeviceptr ptr)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE};
    w.u.memory.ptr = ptr;
    return add_node(node, graph, after, count, &w);
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data,
                        size_t count, CUgraphNodeParams *p)
{
    (void)data;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return cuGraphAddKernelNode(node, graph, after, count, &p->u.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphAddMemcpyNode(node, graph, after, count, &p->u.memcpy.copyParams, NULL);
    case CU_GRAPH_NODE_TYPE_MEMSET: return cuGraphAddMemsetNode(node, graph, after, count, &p->u.memset.set, NULL);
    case CU_GRAPH_NODE_TYPE_HOST: return cuGraphAddHostNode(node, graph, after, count, &p->u.host);
    case CU_GRAPH_NODE_TYPE_GRAPH: return cuGraphAddChildGraphNode(node, graph, after, count, p->u.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY: return cuGraphAddEmptyNode(node, graph, after, count);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return cuGraphAddEventWaitNode(node, graph, after, count, p->u.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return cuGraphAddEventRecordNode(node, graph, after, count, p->u.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return cuGraphAddMemAllocNode(node, graph, after, count, &p->u.alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return cuGraphAddMemFreeNode(node, graph, after, count, p->u.free);
    }
    GRAPH_CALL(d);
    return driver_complain(d, CUDA_ERROR_NOT_SUPPORTED,
                           "graph nodes of type %d (semaphores, conditions) are not supported", (int)p->type);
}

/* ---- what a node does: questions and changes ---- */

/* The node, when it is one of this type. */
static CUresult typed_node(struct driver *d, CUgraphNode node, CUgraphNodeType type, struct CUgraphNode_st **out)
{
    *out = node_of(d, node);
    return *out && (*out)->work.type == type ? CUDA_SUCCESS : bad(d, "not a node of the type that the call is for");
}

/* The node of an instantiated graph that stands for `node` of the graph it was made of. */
static CUresult node_in(struct driver *d, CUgraphExec exec, CUgraphNode node, struct CUgraphNode_st **out)
{
    const struct CUgraphExec_st *x = object_find(d, exec, OBJECT_EXEC);
    *out = NULL;
    if (!x) return bad(d, "not an instantiated graph");
    for (size_t i = 0; i < x->order.count; i++)
        if (x->order.node[i]->original == node) return *out = x->order.node[i], CUDA_SUCCESS;
    return bad(d, "the instantiated graph has no such node");
}

/* Puts *w, which is used up, in the place of what the node did; it must be of the same type. */
static CUresult replace(struct driver *d, struct CUgraphNode_st *n, struct work *w)
{
    if (n->work.type != w->type) {
        work_free(d, w);
        return bad(d, "a node keeps its type");
    }
    work_free(d, &n->work);
    n->work = *w;
    return CUDA_SUCCESS;
}

static CUresult set_kernel(struct driver *d, struct CUgraphNode_st *n, const CUDA_KERNEL_NODE_PARAMS *p)
{
    struct work w;
    CUresult r = p ? make_kernel(d, &w, p) : bad(d, "no parameters");
    return r ? r : replace(d, n, &w);
}

static CUresult set_copy(struct driver *d, struct CUgraphNode_st *n, const CUDA_MEMCPY3D *p)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    if (!p) return bad(d, "no parameters");
    w.u.copy = *p;
    return replace(d, n, &w);
}

static CUresult set_fill(struct driver *d, struct CUgraphNode_st *n, const CUDA_MEMSET_NODE_PARAMS *p)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
    if (!p) return bad(d, "no parameters");
    w.u.fill = *p;
    return replace(d, n, &w);
}

static CUresult set_host(struct driver *d, struct CUgraphNode_st *n, const CUDA_HOST_NODE_PARAMS *p)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_HOST};
    if (!p || !p->fn) return bad(d, "no parameters");
    w.u.host = (struct host_work){.call = p->fn, .arg = p->userData};
    return replace(d, n, &w);
}

static CUresult set_event(struct driver *d, struct CUgraphNode_st *n, CUevent event, CUgraphNodeType type)
{
    struct work w = {.type = type};
    w.u.event = event;
    return object_find(d, event, OBJECT_EVENT) ? replace(d, n, &w) : bad(d, "not an event");
}

static CUresult set_child(struct driver *d, struct CUgraphNode_st *n, CUgraph child)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    const struct CUgraph_st *g = graph_of(d, child);
    CUresult r = g ? graph_copy(d, &w.u.graph, g, &d->current->object) : bad(d, "not a graph");
    return r ? r : replace(d, n, &w);
}

static CUresult set_any(struct driver *d, struct CUgraphNode_st *n, const CUgraphNodeParams *p)
{
    if (!p) return bad(d, "no parameters");
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return set_kernel(d, n, &p->u.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return set_copy(d, n, &p->u.memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: return set_fill(d, n, &p->u.memset.set);
    case CU_GRAPH_NODE_TYPE_HOST: return set_host(d, n, &p->u.host);
    case CU_GRAPH_NODE_TYPE_GRAPH: return set_child(d, n, p->u.graph);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return set_event(d, n, p->u.event, p->type);
    default: return bad(d, "nodes of this type cannot be changed");
    }
}

/* SetParams of a node, and of its copy in an instantiated graph. */
#define SET_CALLS(name, argument, type, set, more, unused)                                                             \
    CUresult cuGraph##name(CUgraphNode node, argument params)                                                          \
    {                                                                                                                  \
        GRAPH_CALL(d);                                                                                                 \
        struct CUgraphNode_st *n = NULL;                                                                               \
        CUresult r = typed_node(d, node, type, &n);                                                                    \
        return r ? r : set;                                                                                            \
    }                                                                                                                  \
    CUresult cuGraphExec##name(CUgraphExec exec, CUgraphNode node, argument params more)                               \
    {                                                                                                                  \
        GRAPH_CALL(d);                                                                                                 \
        struct CUgraphNode_st *n = NULL;                                                                               \
        unused;                                                                                                        \
        CUresult r = node_in(d, exec, node, &n);                                                                       \
        return r ? r : set;                                                                                            \
    }
#define WITH_CONTEXT , CUcontext ctx
#define NO_CONTEXT
SET_CALLS(KernelNodeSetParams_v2, const CUDA_KERNEL_NODE_PARAMS *, CU_GRAPH_NODE_TYPE_KERNEL, set_kernel(d, n, params),
          NO_CONTEXT, (void)0)
SET_CALLS(MemcpyNodeSetParams, const CUDA_MEMCPY3D *, CU_GRAPH_NODE_TYPE_MEMCPY, set_copy(d, n, params), WITH_CONTEXT,
          (void)ctx)
SET_CALLS(MemsetNodeSetParams, const CUDA_MEMSET_NODE_PARAMS *, CU_GRAPH_NODE_TYPE_MEMSET, set_fill(d, n, params),
          WITH_CONTEXT, (void)ctx)
SET_CALLS(HostNodeSetParams, const CUDA_HOST_NODE_PARAMS *, CU_GRAPH_NODE_TYPE_HOST, set_host(d, n, params), NO_CONTEXT,
          (void)0)
SET_CALLS(EventRecordNodeSetEvent, CUevent, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
          set_event(d, n, params, CU_GRAPH_NODE_TYPE_EVENT_RECORD), NO_CONTEXT, (void)0)
SET_CALLS(EventWaitNodeSetEvent, CUevent, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
          set_event(d, n, params, CU_GRAPH_NODE_TYPE_WAIT_EVENT), NO_CONTEXT, (void)0)

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = node_in(d, exec, node, &n);
    return r ? r : set_child(d, n, child);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = node_of(d, node);
    return n ? set_any(d, n, params) : bad(d, "not a node");
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = node_in(d, exec, node, &n);
    return r ? r : set_any(d, n, params);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = params ? typed_node(d, node, CU_GRAPH_NODE_TYPE_KERNEL, &n) : bad(d, "no room for the answer");
    if (r) return r;
    const struct kernel_work *k = &n->work.u.kernel;
    *params = (CUDA_KERNEL_NODE_PARAMS){.func = k->function,
                                        .gridDimX = k->grid[0],
                                        .gridDimY = k->grid[1],
                                        .gridDimZ = k->grid[2],
                                        .blockDimX = k->block[0],
                                        .blockDimY = k->block[1],
                                        .blockDimZ = k->block[2],
                                        .sharedMemBytes = k->shared,
                                        .kernelParams = k->pointers};
    return CUDA_SUCCESS;
}

/* GetParams and the like: one field of the node's work. */
#define GET_CALL(name, argument, wanted, value)                                                                        \
    CUresult cuGraph##name(CUgraphNode node, argument *out)                                                            \
    {                                                                                                                  \
        GRAPH_CALL(d);                                                                                                 \
        struct CUgraphNode_st *n = NULL;                                                                               \
        CUresult r = out ? typed_node(d, node, wanted, &n) : bad(d, "no room for the answer");                         \
        if (!r) *out = value;                                                                                          \
        return r;                                                                                                      \
    }
GET_CALL(MemcpyNodeGetParams, CUDA_MEMCPY3D, CU_GRAPH_NODE_TYPE_MEMCPY, n->work.u.copy)
GET_CALL(MemsetNodeGetParams, CUDA_MEMSET_NODE_PARAMS, CU_GRAPH_NODE_TYPE_MEMSET, n->work.u.fill)
GET_CALL(HostNodeGetParams, CUDA_HOST_NODE_PARAMS, CU_GRAPH_NODE_TYPE_HOST,
         ((CUDA_HOST_NODE_PARAMS){n->work.u.host.call, n->work.u.host.arg}))
GET_CALL(ChildGraphNodeGetGraph, CUgraph, CU_GRAPH_NODE_TYPE_GRAPH, n->work.u.graph)
GET_CALL(EventRecordNodeGetEvent, CUevent, CU_GRAPH_NODE_TYPE_EVENT_RECORD, n->work.u.event)
GET_CALL(EventWaitNodeGetEvent, CUevent, CU_GRAPH_NODE_TYPE_WAIT_EVENT, n->work.u.event)
GET_CALL(MemFreeNodeGetParams, CUdeviceptr, CU_GRAPH_NODE_TYPE_MEM_FREE, n->work.u.memory.ptr)
GET_CALL(MemAllocNodeGetParams, CUDA_MEM_ALLOC_NODE_PARAMS, CU_GRAPH_NODE_TYPE_MEM_ALLOC,
         ((CUDA_MEM_ALLOC_NODE_PARAMS){.bytesize = n->work.u.memory.bytes, .dptr = n->work.u.memory.ptr}))

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    GRAPH_CALL(d);
    const struct CUgraphNode_st *n = node_of(d, node);
    if (!n || !type) return bad(d, "not a node");
    *type = n->work.type;
    return CUDA_SUCCESS;
}

/* ---- attributes of kernel nodes ---- */

static bool known_attribute(CUlaunchAttributeID id)
{
    return (unsigned)id <= CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID id, const CUlaunchAttributeValue *value)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = typed_node(d, node, CU_GRAPH_NODE_TYPE_KERNEL, &n);
    if (!r && (!value || !known_attribute(id))) r = bad(d, "an unknown attribute");
    if (r) return r;
    n->attribute[id] = *value;
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) n->work.u.kernel.cooperative = value->cooperative;
    if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY) n->work.u.kernel.priority = value->priority;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID id, CUlaunchAttributeValue *value)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = typed_node(d, node, CU_GRAPH_NODE_TYPE_KERNEL, &n);
    if (!r && (!value || !known_attribute(id))) r = bad(d, "an unknown attribute");
    if (!r) *value = n->attribute[id];
    return r;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *to = NULL, *from = NULL;
    CUresult r = typed_node(d, dst, CU_GRAPH_NODE_TYPE_KERNEL, &to);
    if (!r) r = typed_node(d, src, CU_GRAPH_NODE_TYPE_KERNEL, &from);
    if (r) return r;
    memcpy(to->attribute, from->attribute, sizeof to->attribute);
    to->work.u.kernel.cooperative = from->work.u.kernel.cooperative;
    return CUDA_SUCCESS;
}

/* ---- the shape of a graph ---- */

/* Lists are asked for twice: how many, then which. What there is no node for is NULL. */
static void answer(struct CUgraphNode_st **out, size_t *room, size_t *n, struct CUgraphNode_st *node)
{
    if (out && *n < *room) out[*n] = node;
    ++*n;
}

static void answer_end(CUgraphNode *out, size_t *room, size_t n)
{
    for (size_t i = n; out && i < *room; i++) out[i] = NULL;
    if (!out || *room > n) *room = n;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, graph);
    size_t n = 0;
    if (!g || !count) return bad(d, "not a graph");
    for (size_t i = 0; i < g->nodes.count; i++) answer(nodes, count, &n, g->nodes.node[i]);
    answer_end(nodes, count, n);
    return CUDA_SUCCESS;
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, graph);
    size_t n = 0;
    if (!g || !count) return bad(d, "not a graph");
    for (size_t i = 0; i < g->nodes.count; i++)
        if (!g->nodes.node[i]->after.count) answer(nodes, count, &n, g->nodes.node[i]);
    answer_end(nodes, count, n);
    return CUDA_SUCCESS;
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, graph);
    if (!g || !count || !from != !to) return bad(d, "not a graph, or half a list");
    size_t n = 0, m = 0, room = *count;
    for (size_t i = 0; i < g->nodes.count; i++)
        for (size_t k = 0; k < g->nodes.node[i]->after.count; k++) {
            if (data && n < room) data[n] = (CUgraphEdgeData){0};
            answer(from, &room, &n, g->nodes.node[i]->after.node[k]);
            answer(to, &room, &m, g->nodes.node[i]);
        }
    answer_end(from, count, n);
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count)
{
    GRAPH_CALL(d);
    const struct CUgraphNode_st *x = node_of(d, node);
    size_t n = 0;
    if (!x || !count) return bad(d, "not a node");
    for (size_t i = 0; i < x->after.count; i++) {
        if (data && n < *count) data[n] = (CUgraphEdgeData){0};
        answer(nodes, count, &n, x->after.node[i]);
    }
    answer_end(nodes, count, n);
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count)
{
    GRAPH_CALL(d);
    const struct CUgraphNode_st *x = node_of(d, node);
    size_t n = 0;
    if (!x || !count) return bad(d, "not a node");
    for (size_t i = 0; i < x->graph->nodes.count; i++) {
        if (!list_has(&x->graph->nodes.node[i]->after, x)) continue;
        if (data && n < *count) data[n] = (CUgraphEdgeData){0};
        answer(nodes, count, &n, x->graph->nodes.node[i]);
    }
    answer_end(nodes, count, n);
    return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                const CUgraphEdgeData *data, size_t count)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, graph);
    (void)data;
    if (!g || (count && (!from || !to))) return bad(d, "not a graph");
    for (size_t i = 0; i < count; i++) {
        if (!list_has(&g->nodes, from[i]) || !list_has(&g->nodes, to[i])) return bad(d, "not nodes of the graph");
        if (from[i] == to[i] || list_has(&to[i]->after, from[i]))
            return bad(d, "the dependency exists, or is on itself");
        if (!list_add(&to[i]->after, from[i])) return no_memory(d);
    }
    return CUDA_SUCCESS;
}

static bool list_remove(struct node_list *l, const struct CUgraphNode_st *n)
{
    for (size_t i = 0; i < l->count; i++) {
        if (l->node[i] != n) continue;
        memmove(&l->node[i], &l->node[i + 1], (l->count - i - 1) * sizeof(struct CUgraphNode_st *));
        l->count--;
        return true;
    }
    return false;
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t count)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, graph);
    (void)data;
    if (!g || (count && (!from || !to))) return bad(d, "not a graph");
    for (size_t i = 0; i < count; i++)
        if (!list_has(&g->nodes, to[i]) || !list_remove(&to[i]->after, from[i])) return bad(d, "no such dependency");
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = node_of(d, node);
    if (!n) return bad(d, "not a node");
    for (size_t i = 0; i < n->graph->nodes.count; i++) list_remove(&n->graph->nodes.node[i]->after, n);
    list_remove(&n->graph->nodes, n);
    object_free(d, &n->object);
    return CUDA_SUCCESS;
}

/* ---- instantiated graphs ---- */

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, graph);
    if (!g || !exec) return bad(d, "not a graph");
    struct CUgraphExec_st *x = object_new(d, sizeof *x, OBJECT_EXEC, &d->current->object);
    if (!x) return no_memory(d);
    x->flags = flags;
    CUresult r = graph_copy(d, &x->graph, g, &x->object);
    if (!r) r = graph_order(d, x->graph, &x->order);
    if (r) object_free(d, &x->object);
    else *exec = x;
    return r;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = cuGraphInstantiate(exec, graph, params->flags);
    params->hErrNode_out = NULL;
    params->result_out = r ? 1 : 0;
    return r;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    GRAPH_CALL(d);
    struct CUgraphExec_st *x = object_find(d, exec, OBJECT_EXEC);
    if (!x) return bad(d, "not an instantiated graph");
    object_free(d, &x->object);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, unsigned long long *flags)
{
    GRAPH_CALL(d);
    const struct CUgraphExec_st *x = object_find(d, exec, OBJECT_EXEC);
    if (!x || !flags) return bad(d, "not an instantiated graph");
    *flags = x->flags;
    return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    GRAPH_CALL(d);
    bool ok = object_find(d, exec, OBJECT_EXEC) && stream_valid(d, stream);
    return ok ? CUDA_SUCCESS : bad(d, "not an instantiated graph, or not a stream");
}

/* Kernels of a graph overlap where it lets them, though in the default stream nothing overlaps with the graph. */
static CUresult launch_graph(struct driver *d, const struct CUgraphExec_st *x, struct CUstream_st *s, CUstream stream)
{
    struct work_order o;
    order_begin(d, s, &o);
    bool alone = !o.kept && x->order.count > 1 && session_orders(d->session);
    if (alone) o.kept = true;
    CUresult r = d->fault ? d->fault : run_list(d, &x->order, stream);
    order_end(d, stream_state(d, stream) == s ? s : NULL, &o);
    if (alone) order_host_all(d);
    return r ? r : d->fault;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    GRAPH_CALL(d);
    const struct CUgraphExec_st *x = object_find(d, exec, OBJECT_EXEC);
    struct CUstream_st *s = stream_state(d, stream);
    if (!x || !s) return bad(d, "not an instantiated graph, or not a stream");
    if (!s->capture) return launch_graph(d, x, s, stream);
    struct work w = {.type = CU_GRAPH_NODE_TYPE_GRAPH}; /* a capture keeps it as a child */
    CUresult r = graph_copy(d, &w.u.graph, x->graph, &d->current->object);
    return r ? r : capture_add(d, s, &w, NULL);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = node_in(d, exec, node, &n);
    if (!r) n->disabled = !enabled;
    return r;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = enabled ? node_in(d, exec, node, &n) : bad(d, "no room for the answer");
    if (!r) *enabled = !n->disabled;
    return r;
}

/* Whether two graphs have the same nodes and dependencies; what differs goes into *info. */
static bool same_shape(const struct CUgraph_st *a, const struct CUgraph_st *b, CUgraphExecUpdateResultInfo *info)
{
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    if (a->nodes.count != b->nodes.count) return false;
    for (size_t i = 0; i < a->nodes.count; i++) {
        const struct CUgraphNode_st *x = a->nodes.node[i], *y = b->nodes.node[i];
        info->errorNode = b->nodes.node[i];
        if (x->after.count != y->after.count) return false;
        for (size_t k = 0; k < x->after.count; k++)
            if (place_of(a, x->after.node[k]) != place_of(b, y->after.node[k])) return false;
        if (x->work.type == y->work.type) continue;
        info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
        return false;
    }
    *info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
    return true;
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *result)
{
    GRAPH_CALL(d);
    struct CUgraphExec_st *x = object_find(d, exec, OBJECT_EXEC);
    const struct CUgraph_st *g = graph_of(d, graph);
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    if (!x || !g) return bad(d, "not graphs");
    bool same = same_shape(x->graph, g, &info);
    if (result) *result = info;
    if (!same)
        return driver_fail(d, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "graphs: the shape or a node's type changed");
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; i < g->nodes.count && !r; i++) {
        struct CUgraphNode_st *n = x->graph->nodes.node[i];
        struct work w;
        r = work_copy(d, &w, &g->nodes.node[i]->work);
        if (!r) r = replace(d, n, &w);
        n->original = g->nodes.node[i];
    }
    return r;
}

/* ---- user objects: freed with the last graph that holds them ---- */

CUresult cuUserObjectCreate(CUuserObject *object, void *ptr, CUhostFn destroy, unsigned int references,
                            unsigned int flags)
{
    GRAPH_CALL(d);
    (void)flags;
    if (!object || !destroy || !references) return bad(d, "a user object needs a destructor and a reference");
    struct CUuserObject_st *u = object_new(d, sizeof *u, OBJECT_USER, &d->current->object);
    if (!u) return no_memory(d);
    u->ptr = ptr;
    u->destroy = destroy;
    u->references = references;
    *object = u;
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    GRAPH_CALL(d);
    struct CUuserObject_st *u = object_find(d, object, OBJECT_USER);
    if (!u) return bad(d, "not a user object");
    u->references += count;
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    GRAPH_CALL(d);
    struct CUuserObject_st *u = object_find(d, object, OBJECT_USER);
    if (!u || count > u->references) return bad(d, "not a user object, or fewer references");
    while (count--) user_release(d, u);
    return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags)
{
    GRAPH_CALL(d);
    struct CUgraph_st *g = graph_of(d, graph);
    struct CUuserObject_st *u = object_find(d, object, OBJECT_USER);
    enum { MOVE = 1 };
    if (!g || !u) return bad(d, "not a graph, or not a user object");
    struct CUuserObject_st **p = realloc(g->user, (g->users + count) * sizeof(struct CUuserObject_st *));
    if (!p) return no_memory(d);
    g->user = p;
    for (unsigned i = 0; i < count; i++) g->user[g->users++] = u;
    if (!(flags & MOVE)) u->references += count; /* else the caller's own references are the graph's now */
    return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    GRAPH_CALL(d);
    struct CUgraph_st *g = graph_of(d, graph);
    if (!g) return bad(d, "not a graph");
    for (size_t i = g->users; i > 0 && count; i--) {
        if (g->user[i - 1] != object) continue;
        g->user[i - 1] = g->user[--g->users];
        count--;
        user_release(d, object);
    }
    return count ? bad(d, "the graph has fewer references") : CUDA_SUCCESS;
}
