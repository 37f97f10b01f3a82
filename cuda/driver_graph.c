/* driver_graph.c - graphs: nodes of work with dependencies, copied when they are instantiated, run one after another.
 *
 * A run does, again and again, the first node in the order of their making whose dependencies are all done: the order
 * depends on nothing but the graph. */
#include "cuda/driver_graph.h"

#include <stdlib.h>
#include <string.h>

CUresult graph_bad(struct driver *d, const char *what)
{
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "graphs: %s", what);
}

CUresult graph_no_memory(struct driver *d) { return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory"); }

/* ---- making and freeing ---- */

CUresult graph_new(struct driver *d, struct CUgraph_st **out, struct object *parent)
{
    *out = object_new(d, sizeof **out, OBJECT_GRAPH, parent);
    return *out ? CUDA_SUCCESS : graph_no_memory(d);
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
    free(g->condition);
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
        if (!after || !list_has(&g->nodes, after[i])) r = graph_bad(d, "a dependency is no node of the graph");
    if (!r && !(n = object_new(d, sizeof *n, OBJECT_NODE, &g->object))) r = graph_no_memory(d);
    for (size_t i = 0; i < count && !r; i++)
        if (!list_has(&n->after, after[i]) && !list_add(&n->after, after[i])) r = graph_no_memory(d);
    if (!r && !list_add(&g->nodes, n)) r = graph_no_memory(d);
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

size_t node_place(const struct CUgraph_st *g, const struct CUgraphNode_st *n)
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
    if (!r) r = graph_copy_conditions(d, *out, from);
    for (size_t i = 0; i < from->nodes.count && !r; i++) r = copy_node(d, *out, from, i);
    for (size_t i = 0; i < from->nodes.count && !r; i++)
        for (size_t k = 0; k < from->nodes.node[i]->after.count && !r; k++) {
            size_t at = node_place(from, from->nodes.node[i]->after.node[k]);
            if (!list_add(&(*out)->nodes.node[i]->after, (*out)->nodes.node[at])) r = graph_no_memory(d);
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

CUresult graph_order(struct driver *d, const struct CUgraph_st *g, struct node_list *order)
{
    unsigned run = ++d->graph_runs;
    size_t first = 0; /* all nodes before it are done */
    for (bool found = true; found;) {
        found = false;
        while (first < g->nodes.count && g->nodes.node[first]->done == run) first++;
        for (size_t i = first; i < g->nodes.count && !found; i++) {
            struct CUgraphNode_st *n = g->nodes.node[i];
            if (!is_ready(n, run)) continue;
            if (!list_add(order, n)) return graph_no_memory(d);
            n->done = run;
            found = true;
        }
    }
    return order->count == g->nodes.count ? CUDA_SUCCESS : graph_bad(d, "dependencies go round in a circle");
}

CUresult graph_run_list(struct driver *d, const struct node_list *order, CUstream stream)
{
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; i < order->count && !r; i++) {
        struct CUgraphNode_st *n = order->node[i];
        const struct work_set **after = calloc(n->after.count + 1, sizeof(const struct work_set *));
        struct work_order o;
        if (!after) return graph_no_memory(d);
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
    if (!r) r = graph_run_list(d, &order, stream);
    list_free(&order);
    return r;
}

/* ---- graphs ---- */

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
    GRAPH_CALL(d);
    return graph && !flags ? graph_new(d, graph, &d->current->object) : graph_bad(d, "no pointer, or flags");
}

struct CUgraph_st *graph_of(const struct driver *d, CUgraph graph) { return object_find(d, graph, OBJECT_GRAPH); }

struct CUgraphNode_st *node_of(const struct driver *d, CUgraphNode node) { return object_find(d, node, OBJECT_NODE); }

CUresult cuGraphDestroy(CUgraph graph)
{
    GRAPH_CALL(d);
    struct CUgraph_st *g = graph_of(d, graph);
    if (!g) return graph_bad(d, "not a graph");
    object_free(d, &g->object);
    return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph original)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, original);
    return g && clone ? graph_copy(d, clone, g, &d->current->object) : graph_bad(d, "not a graph");
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, clone);
    if (!g || !node) return graph_bad(d, "not a graph");
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.node[i]->original == original) return *node = g->nodes.node[i], CUDA_SUCCESS;
    return graph_bad(d, "the clone has no copy of that node");
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
    if (!g || !count) return graph_bad(d, "not a graph");
    for (size_t i = 0; i < g->nodes.count; i++) answer(nodes, count, &n, g->nodes.node[i]);
    answer_end(nodes, count, n);
    return CUDA_SUCCESS;
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, graph);
    size_t n = 0;
    if (!g || !count) return graph_bad(d, "not a graph");
    for (size_t i = 0; i < g->nodes.count; i++)
        if (!g->nodes.node[i]->after.count) answer(nodes, count, &n, g->nodes.node[i]);
    answer_end(nodes, count, n);
    return CUDA_SUCCESS;
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count)
{
    GRAPH_CALL(d);
    const struct CUgraph_st *g = graph_of(d, graph);
    if (!g || !count || !from != !to) return graph_bad(d, "not a graph, or half a list");
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
    if (!x || !count) return graph_bad(d, "not a node");
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
    if (!x || !count) return graph_bad(d, "not a node");
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
    if (!g || (count && (!from || !to))) return graph_bad(d, "not a graph");
    for (size_t i = 0; i < count; i++) {
        if (!list_has(&g->nodes, from[i]) || !list_has(&g->nodes, to[i])) return graph_bad(d, "not nodes of the graph");
        if (from[i] == to[i] || list_has(&to[i]->after, from[i]))
            return graph_bad(d, "the dependency exists, or is on itself");
        if (!list_add(&to[i]->after, from[i])) return graph_no_memory(d);
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
    if (!g || (count && (!from || !to))) return graph_bad(d, "not a graph");
    for (size_t i = 0; i < count; i++)
        if (!list_has(&g->nodes, to[i]) || !list_remove(&to[i]->after, from[i]))
            return graph_bad(d, "no such dependency");
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    GRAPH_CALL(d);
    struct CUgraphNode_st *n = node_of(d, node);
    if (!n) return graph_bad(d, "not a node");
    for (size_t i = 0; i < n->graph->nodes.count; i++) list_remove(&n->graph->nodes.node[i]->after, n);
    list_remove(&n->graph->nodes, n);
    object_free(d, &n->object);
    return CUDA_SUCCESS;
}

/* ---- user objects: freed with the last graph that holds them ---- */

CUresult cuUserObjectCreate(CUuserObject *object, void *ptr, CUhostFn destroy, unsigned int references,
                            unsigned int flags)
{
    GRAPH_CALL(d);
    (void)flags;
    if (!object || !destroy || !references) return graph_bad(d, "a user object needs a destructor and a reference");
    struct CUuserObject_st *u = object_new(d, sizeof *u, OBJECT_USER, &d->current->object);
    if (!u) return graph_no_memory(d);
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
    if (!u) return graph_bad(d, "not a user object");
    u->references += count;
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    GRAPH_CALL(d);
    struct CUuserObject_st *u = object_find(d, object, OBJECT_USER);
    if (!u || count > u->references) return graph_bad(d, "not a user object, or fewer references");
    while (count--) user_release(d, u);
    return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags)
{
    GRAPH_CALL(d);
    struct CUgraph_st *g = graph_of(d, graph);
    struct CUuserObject_st *u = object_find(d, object, OBJECT_USER);
    enum { MOVE = 1 };
    if (!g || !u) return graph_bad(d, "not a graph, or not a user object");
    struct CUuserObject_st **p = realloc(g->user, (g->users + count) * sizeof(struct CUuserObject_st *));
    if (!p) return graph_no_memory(d);
    g->user = p;
    for (unsigned i = 0; i < count; i++) g->user[g->users++] = u;
    if (!(flags & MOVE)) u->references += count; /* else the caller's own references are the graph's now */
    return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    GRAPH_CALL(d);
    struct CUgraph_st *g = graph_of(d, graph);
    if (!g) return graph_bad(d, "not a graph");
    for (size_t i = g->users; i > 0 && count; i--) {
        if (g->user[i - 1] != object) continue;
        g->user[i - 1] = g->user[--g->users];
        count--;
        user_release(d, object);
    }
    return count ? graph_bad(d, "the graph has fewer references") : CUDA_SUCCESS;
}
