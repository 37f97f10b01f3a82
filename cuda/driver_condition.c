/* driver_condition.c - conditional nodes of graphs: if, while and switch over a word that kernels write
 * (cudaGraphSetConditional). Kernels are executed when they are launched, so the word has its value when the node asks.
 */
#include "cuda/driver_graph.h"

#include <stdlib.h>
#include <string.h>

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext ctx,
                                        unsigned int default_value, unsigned int flags)
{
    GRAPH_CALL(d);
    struct CUgraph_st *g = graph_of(d, graph);
    (void)ctx;
    if (!g || !handle || flags > CU_GRAPH_COND_ASSIGN_DEFAULT) return graph_bad(d, "not a graph, NULL, or flags");
    struct condition *p = realloc(g->condition, (g->conditions + 1) * sizeof *p);
    if (!p) return graph_no_memory(d);
    g->condition = p;
    struct condition c = {.value = default_value, .assign = flags & CU_GRAPH_COND_ASSIGN_DEFAULT};
    CUresult r = graph_memory_new(d, &c.word, sizeof default_value);
    if (!r) r = cuMemcpyHtoD(c.word, &default_value, sizeof default_value);
    if (r) return r;
    g->condition[g->conditions++] = c;
    *handle = c.word;
    return CUDA_SUCCESS;
}

CUresult graph_copy_conditions(struct driver *d, struct CUgraph_st *to, const struct CUgraph_st *from)
{
    if (!from->conditions) return CUDA_SUCCESS;
    to->condition = malloc(from->conditions * sizeof *to->condition);
    if (!to->condition) return graph_no_memory(d);
    memcpy(to->condition, from->condition, from->conditions * sizeof *to->condition);
    to->conditions = from->conditions;
    return CUDA_SUCCESS;
}

CUresult graph_assign_conditions(struct driver *d, const struct CUgraph_st *g)
{
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; i < g->conditions && !r; i++)
        if (g->condition[i].assign) r = cuMemcpyHtoD(g->condition[i].word, &g->condition[i].value, sizeof(unsigned));
    for (size_t i = 0; i < g->nodes.count && !r; i++) {
        const struct work *w = &g->nodes.node[i]->work;
        if (w->type == CU_GRAPH_NODE_TYPE_GRAPH) r = graph_assign_conditions(d, w->u.graph);
        if (w->type != CU_GRAPH_NODE_TYPE_CONDITIONAL) continue;
        for (unsigned k = 0; k < w->u.choice.count && !r; k++) r = graph_assign_conditions(d, w->u.choice.body[k]);
    }
    return r;
}

/* ---- nodes ---- */

void choice_free(struct driver *d, struct choice *c)
{
    for (unsigned i = 0; c->body && i < c->count; i++)
        if (object_find(d, c->body[i], OBJECT_GRAPH)) object_free(d, &c->body[i]->object);
    free(c->body);
    c->body = NULL;
}

/* Graphs for all that may be done: copies, or empty ones. */
static CUresult make_bodies(struct driver *d, struct choice *c, const struct choice *from)
{
    CUresult r = CUDA_SUCCESS;
    c->body = calloc(c->count, sizeof(struct CUgraph_st *));
    if (!c->body) return graph_no_memory(d);
    for (unsigned i = 0; i < c->count && !r; i++)
        r = from ? graph_copy(d, &c->body[i], from->body[i], &d->current->object)
                 : graph_new(d, &c->body[i], &d->current->object);
    if (r) choice_free(d, c);
    return r;
}

CUresult choice_copy(struct driver *d, struct choice *to, const struct choice *from)
{
    *to = *from;
    return make_bodies(d, to, from);
}

static bool has_condition(const struct CUgraph_st *g, CUdeviceptr word)
{
    for (size_t i = 0; i < g->conditions; i++)
        if (g->condition[i].word == word) return true;
    return false;
}

CUresult node_add_conditional(struct driver *d, CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t count, CUDA_CONDITIONAL_NODE_PARAMS *p)
{
    struct CUgraph_st *g = graph_of(d, graph);
    unsigned most = p->type == CU_GRAPH_COND_TYPE_WHILE ? 1 : p->type == CU_GRAPH_COND_TYPE_IF ? 2 : 1 << 16;
    if (!g || !node || !has_condition(g, p->handle)) return graph_bad(d, "not a graph, or not its condition");
    if ((unsigned)p->type > CU_GRAPH_COND_TYPE_SWITCH || !p->size || p->size > most)
        return graph_bad(d, "a condition of no known type, or with too many or too few graphs");
    struct work w = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    w.u.choice = (struct choice){.word = p->handle, .type = p->type, .count = p->size};
    CUresult r = make_bodies(d, &w.u.choice, NULL);
    if (r) return r;
    struct CUgraph_st **body = w.u.choice.body;
    r = graph_add(d, g, after, count, &w, node); /* frees the work when it fails */
    if (!r) p->phGraph_out = body;
    return r;
}

/* ---- running ---- */

static CUresult condition_value(const struct choice *c, unsigned *value)
{
    return cuMemcpyDtoH(value, c->word, sizeof *value);
}

CUresult choice_run(struct driver *d, const struct choice *c, CUstream stream)
{
    unsigned value;
    CUresult r = condition_value(c, &value);
    if (c->type == CU_GRAPH_COND_TYPE_WHILE) {
        while (!r && value) {
            r = graph_run(d, c->body[0], stream);
            if (!r) r = condition_value(c, &value);
        }
        return r;
    }
    if (c->type == CU_GRAPH_COND_TYPE_IF) value = !value;
    return !r && value < c->count ? graph_run(d, c->body[value], stream) : r;
}
