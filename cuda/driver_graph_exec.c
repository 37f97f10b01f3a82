/* driver_graph_exec.c - instantiated graphs: a copy of a graph, in the order in which it is run. */
#include "cuda/driver_graph.h"

/* ---- instantiated graphs ---- */

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, graph);
    if (!g || !exec) return graph_bad(d, "not a graph");
    struct CUgraphExec_st *x = object_new(d, sizeof *x, OBJECT_EXEC, &d->current->object);
    if (!x) return graph_no_memory(d);
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
    if (!x) return graph_bad(d, "not an instantiated graph");
    object_free(d, &x->object);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, unsigned long long *flags)
{
    GRAPH_CALL(d);
    const struct CUgraphExec_st *x = object_find(d, exec, OBJECT_EXEC);
    if (!x || !flags) return graph_bad(d, "not an instantiated graph");
    *flags = x->flags;
    return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    GRAPH_CALL(d);
    bool ok = object_find(d, exec, OBJECT_EXEC) && stream_valid(d, stream);
    return ok ? CUDA_SUCCESS : graph_bad(d, "not an instantiated graph, or not a stream");
}

/* Kernels of a graph overlap where it lets them, though in the default stream nothing overlaps with the graph. */
static CUresult launch_graph(struct driver *d, const struct CUgraphExec_st *x, struct CUstream_st *s, CUstream stream)
{
    struct work_order o;
    order_begin(d, s, &o);
    bool alone = !o.kept && x->order.count > 1 && session_orders(d->session);
    if (alone) o.kept = true;
    CUresult r = d->fault ? d->fault : graph_assign_conditions(d, x->graph);
    if (!r) r = graph_run_list(d, &x->order, stream);
    order_end(d, stream_state(d, stream) == s ? s : NULL, &o);
    if (alone) order_host_all(d);
    return r ? r : d->fault;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    GRAPH_CALL(d);
    const struct CUgraphExec_st *x = object_find(d, exec, OBJECT_EXEC);
    struct CUstream_st *s = stream_state(d, stream);
    if (!x || !s) return graph_bad(d, "not an instantiated graph, or not a stream");
    if (!s->capture) return launch_graph(d, x, s, stream);
    struct work w = {.type = CU_GRAPH_NODE_TYPE_GRAPH}; /* a capture keeps it as a child */
    CUresult r = graph_copy(d, &w.u.graph, x->graph, &d->current->object);
    return r ? r : capture_add(d, s, &w, NULL);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = node_in_exec(d, exec, node, &n);
    if (!r) n->disabled = !enabled;
    return r;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = NULL;
    CUresult r = enabled ? node_in_exec(d, exec, node, &n) : graph_bad(d, "no room for the answer");
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
            if (node_place(a, x->after.node[k]) != node_place(b, y->after.node[k])) return false;
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
    if (!x || !g) return graph_bad(d, "not graphs");
    bool same = same_shape(x->graph, g, &info);
    if (result) *result = info;
    if (!same)
        return driver_fail(d, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "graphs: the shape or a node's type changed");
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; i < g->nodes.count && !r; i++) {
        struct CUgraphNode_st *n = x->graph->nodes.node[i];
        struct work w;
        r = work_copy(d, &w, &g->nodes.node[i]->work);
        if (!r) r = node_replace(d, n, &w);
        n->original = g->nodes.node[i];
    }
    return r;
}
