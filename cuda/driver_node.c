/* driver_node.c - nodes of graphs: how each kind is made, asked what it does, and told to do something else. */
#include "cuda/driver_graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

static CUresult add_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, struct work *w)
{
    GRAPH_CALL(d);
    struct CUgraph_st *g = graph_of(d, graph);
    if (g && node) return graph_add(d, g, after, count, w, node);
    work_free(d, w);
    return graph_bad(d, "not a graph");
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
    CUresult r = params ? make_kernel(d, &w, params) : graph_bad(d, "no parameters");
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
    CUresult r = from ? graph_copy(d, &w.u.graph, from, &d->current->object) : graph_bad(d, "not a graph");
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
    return object_find(d, event, OBJECT_EVENT) ? add_node(node, graph, after, count, &w) : graph_bad(d, "not an event");
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
    CUresult r = params ? graph_memory_new(d, &params->dptr, params->bytesize) : graph_bad(d, "no parameters");
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
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: break;
    }
    GRAPH_CALL(d);
    if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        return node_add_conditional(d, node, graph, after, count, &p->u.conditional);
    return driver_complain(d, CUDA_ERROR_NOT_SUPPORTED, "graph nodes of type %d (semaphores) are not supported",
                           (int)p->type);
}

/* ---- what a node does: questions and changes ---- */

/* The node, when it is one of this type. */
static CUresult typed_node(struct driver *d, CUgraphNode node, CUgraphNodeType type, struct CUgraphNode_st **out)
{
    *out = node_of(d, node);
    return *out && (*out)->work.type == type ? CUDA_SUCCESS
                                             : graph_bad(d, "not a node of the type that the call is for");
}

CUresult node_in_exec(struct driver *d, CUgraphExec exec, CUgraphNode node, struct CUgraphNode_st **out)
{
    const struct CUgraphExec_st *x = object_find(d, exec, OBJECT_EXEC);
    *out = NULL;
    if (!x) return graph_bad(d, "not an instantiated graph");
    for (size_t i = 0; i < x->order.count; i++)
        if (x->order.node[i]->original == node) return *out = x->order.node[i], CUDA_SUCCESS;
    return graph_bad(d, "the instantiated graph has no such node");
}

CUresult node_replace(struct driver *d, struct CUgraphNode_st *n, struct work *w)
{
    if (n->work.type != w->type) {
        work_free(d, w);
        return graph_bad(d, "a node keeps its type");
    }
    work_free(d, &n->work);
    n->work = *w;
    return CUDA_SUCCESS;
}

static CUresult set_kernel(struct driver *d, struct CUgraphNode_st *n, const CUDA_KERNEL_NODE_PARAMS *p)
{
    struct work w;
    CUresult r = p ? make_kernel(d, &w, p) : graph_bad(d, "no parameters");
    return r ? r : node_replace(d, n, &w);
}

static CUresult set_copy(struct driver *d, struct CUgraphNode_st *n, const CUDA_MEMCPY3D *p)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    if (!p) return graph_bad(d, "no parameters");
    w.u.copy = *p;
    return node_replace(d, n, &w);
}

static CUresult set_fill(struct driver *d, struct CUgraphNode_st *n, const CUDA_MEMSET_NODE_PARAMS *p)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
    if (!p) return graph_bad(d, "no parameters");
    w.u.fill = *p;
    return node_replace(d, n, &w);
}

static CUresult set_host(struct driver *d, struct CUgraphNode_st *n, const CUDA_HOST_NODE_PARAMS *p)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_HOST};
    if (!p || !p->fn) return graph_bad(d, "no parameters");
    w.u.host = (struct host_work){.call = p->fn, .arg = p->userData};
    return node_replace(d, n, &w);
}

static CUresult set_event(struct driver *d, struct CUgraphNode_st *n, CUevent event, CUgraphNodeType type)
{
    struct work w = {.type = type};
    w.u.event = event;
    return object_find(d, event, OBJECT_EVENT) ? node_replace(d, n, &w) : graph_bad(d, "not an event");
}

static CUresult set_child(struct driver *d, struct CUgraphNode_st *n, CUgraph child)
{
    struct work w = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    const struct CUgraph_st *g = graph_of(d, child);
    CUresult r = g ? graph_copy(d, &w.u.graph, g, &d->current->object) : graph_bad(d, "not a graph");
    return r ? r : node_replace(d, n, &w);
}

static CUresult set_any(struct driver *d, struct CUgraphNode_st *n, const CUgraphNodeParams *p)
{
    if (!p) return graph_bad(d, "no parameters");
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return set_kernel(d, n, &p->u.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return set_copy(d, n, &p->u.memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: return set_fill(d, n, &p->u.memset.set);
    case CU_GRAPH_NODE_TYPE_HOST: return set_host(d, n, &p->u.host);
    case CU_GRAPH_NODE_TYPE_GRAPH: return set_child(d, n, p->u.graph);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return set_event(d, n, p->u.event, p->type);
    default: return graph_bad(d, "nodes of this type cannot be changed");
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
        CUresult r = node_in_exec(d, exec, node, &n);                                                                  \
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
    CUresult r = node_in_exec(d, exec, node, &n);
    return r ? r : set_child(d, n, child);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = node_of(d, node);
    return n ? set_any(d, n, params) : graph_bad(d, "not a node");
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = node_in_exec(d, exec, node, &n);
    return r ? r : set_any(d, n, params);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = params ? typed_node(d, node, CU_GRAPH_NODE_TYPE_KERNEL, &n) : graph_bad(d, "no room for the answer");
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
        CUresult r = out ? typed_node(d, node, wanted, &n) : graph_bad(d, "no room for the answer");                   \
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
    if (!n || !type) return graph_bad(d, "not a node");
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
    if (!r && (!value || !known_attribute(id))) r = graph_bad(d, "an unknown attribute");
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
    if (!r && (!value || !known_attribute(id))) r = graph_bad(d, "an unknown attribute");
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
