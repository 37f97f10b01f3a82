/* cfg_dom.c - dominators of a directed graph.
 *
 * Lengauer and Tarjan's algorithm with simple path compression: O(edges log nodes) on any
 * graph, which matters because the graph may come from hostile text. Nothing recurses.
 *
 * Inside, a node is its depth-first number, so "smaller" means "earlier" and the arrays are
 * walked in order. sdom[v] is the semidominator, label[v] the node of least semidominator on
 * the compressed path above v. */
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

struct dom {
    const struct flow_graph *g;
    uint32_t *order, *number; /* number to node and back */
    uint32_t *parent, *sdom, *ancestor, *label, *idom, *bucket, *next, *stack;
};

/* Numbers the nodes that root reaches in preorder; returns how many. */
static uint32_t number_nodes(struct dom *d, uint32_t root, uint32_t *edge)
{
    uint32_t count = 0, top = 0;
    for (uint32_t v = 0; v < d->g->n; v++) {
        d->number[v] = PTX_NO_BLOCK;
        edge[v] = d->g->succ_first[v];
    }
    d->number[root] = count;
    d->order[count++] = root;
    d->stack[top++] = root;
    while (top) {
        uint32_t v = d->stack[top - 1];
        if (edge[v] == d->g->succ_first[v + 1]) {
            top--;
            continue;
        }
        uint32_t w = d->g->succ[edge[v]++];
        if (d->number[w] != PTX_NO_BLOCK) continue;
        d->parent[count] = d->number[v];
        d->number[w] = count;
        d->order[count++] = w;
        d->stack[top++] = w;
    }
    return count;
}

/* The node of least semidominator on the path from v up to the root of its tree. */
static uint32_t eval(struct dom *d, uint32_t v)
{
    if (d->ancestor[v] == PTX_NO_BLOCK) return v;
    uint32_t top = 0;
    for (uint32_t u = v; d->ancestor[d->ancestor[u]] != PTX_NO_BLOCK; u = d->ancestor[u]) d->stack[top++] = u;
    while (top) { /* from the root side down, so that each label above is final */
        uint32_t u = d->stack[--top], a = d->ancestor[u];
        if (d->sdom[d->label[a]] < d->sdom[d->label[u]]) d->label[u] = d->label[a];
        d->ancestor[u] = d->ancestor[a];
    }
    return d->label[v];
}

static void find_idoms(struct dom *d, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        d->sdom[v] = d->label[v] = v;
        d->ancestor[v] = d->bucket[v] = PTX_NO_BLOCK;
    }
    for (uint32_t w = count; w-- > 1;) {
        uint32_t node = d->order[w];
        for (uint32_t i = d->g->pred_first[node]; i < d->g->pred_first[node + 1]; i++) {
            uint32_t v = d->number[d->g->pred[i]];
            if (v == PTX_NO_BLOCK) continue;
            uint32_t s = d->sdom[eval(d, v)];
            if (s < d->sdom[w]) d->sdom[w] = s;
        }
        d->next[w] = d->bucket[d->sdom[w]];
        d->bucket[d->sdom[w]] = w;
        uint32_t parent = d->parent[w];
        d->ancestor[w] = parent;
        for (uint32_t v = d->bucket[parent]; v != PTX_NO_BLOCK; v = d->next[v]) {
            uint32_t u = eval(d, v);
            d->idom[v] = d->sdom[u] < d->sdom[v] ? u : parent;
        }
        d->bucket[parent] = PTX_NO_BLOCK;
    }
    d->idom[0] = 0;
    for (uint32_t w = 1; w < count; w++)
        if (d->idom[w] != d->sdom[w]) d->idom[w] = d->idom[d->idom[w]];
}

int64_t graph_dominators(const struct flow_graph *g, uint32_t root, uint32_t *idom, uint32_t *order, uint32_t *number)
{
    uint32_t *work = calloc((size_t)g->n * 8, sizeof *work);
    if (!work) return -1;
    struct dom d = {.g = g, .order = order, .number = number};
    uint32_t **array[] = {&d.parent, &d.sdom, &d.ancestor, &d.label, &d.idom, &d.bucket, &d.next, &d.stack};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) *array[i] = work + i * g->n;
    uint32_t count = number_nodes(&d, root, d.idom); /* idom is free until numbering is done */
    find_idoms(&d, count);
    memset(idom, 0xff, g->n * sizeof *idom);
    for (uint32_t v = 0; v < count; v++) idom[order[v]] = order[d.idom[v]];
    free(work);
    return count;
}
