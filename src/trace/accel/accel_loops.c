/* accel_loops.c - natural loops of a control-flow graph.
 *
 * A step back to a node that every way from the entry passes (a dominator) closes a loop; the loop is
 * all that reaches the step without passing that node. Loops with one head are one loop. Dominators
 * by iteration over the reverse postorder; the nest is built from the inside out: a walk backwards
 * from the closing steps takes loops found before as a whole. Every step of the analysis is linear
 * or nearly so: kernels have up to a million instructions. */
#include <stdlib.h>
#include <string.h>

#include "trace/accel/accel_priv.h"

#define NOBODY UINT32_MAX

struct loop_graph {
    uint32_t nodes, edges;
    uint32_t *out, *out_start; /* successors of n: out[out_start[n]] to before out_start[n + 1] */
    uint32_t *in, *in_start;
    uint32_t *order, *place; /* reverse postorder and its inverse; place NOBODY: cannot be reached */
    uint32_t reached;
    uint32_t *dom;          /* immediate dominator */
    uint32_t *first, *size; /* of the subtree of dominators below a node: numbers first to before first + size */
    uint32_t *stack;
};

static void by_node(uint32_t nodes, const struct flow_edge *e, uint32_t edges, bool forward, uint32_t *start,
                    uint32_t *list)
{
    memset(start, 0, (nodes + 2) * sizeof *start);
    for (uint32_t i = 0; i < edges; i++) start[(forward ? e[i].from : e[i].to) + 2]++;
    for (uint32_t i = 2; i < nodes + 2; i++) start[i] += start[i - 1];
    for (uint32_t i = 0; i < edges; i++)
        list[start[(forward ? e[i].from : e[i].to) + 1]++] = forward ? e[i].to : e[i].from;
}

static bool graph_init(struct loop_graph *g, uint32_t nodes, const struct flow_edge *e, uint32_t edges)
{
    *g = (struct loop_graph){.nodes = nodes, .edges = edges};
    size_t n = (size_t)nodes + 2, m = edges ? edges : 1;
    g->out_start = malloc(n * sizeof *g->out_start);
    g->in_start = malloc(n * sizeof *g->in_start);
    g->out = malloc(m * sizeof *g->out);
    g->in = malloc(m * sizeof *g->in);
    g->order = malloc(n * sizeof *g->order);
    g->place = malloc(n * sizeof *g->place);
    g->dom = malloc(n * sizeof *g->dom);
    g->first = malloc(n * sizeof *g->first);
    g->size = malloc(n * sizeof *g->size);
    g->stack = calloc(m + n, sizeof *g->stack);
    if (!g->out_start || !g->in_start || !g->out || !g->in || !g->order || !g->place || !g->dom || !g->first ||
        !g->size || !g->stack)
        return false;
    by_node(nodes, e, edges, true, g->out_start, g->out);
    by_node(nodes, e, edges, false, g->in_start, g->in);
    return true;
}

static void graph_free(struct loop_graph *g)
{
    free(g->out_start);
    free(g->in_start);
    free(g->out);
    free(g->in);
    free(g->order);
    free(g->place);
    free(g->dom);
    free(g->first);
    free(g->size);
    free(g->stack);
}

/* Depth first without recursion; dom serves as the next successor to look at. */
static void number_nodes(struct loop_graph *g)
{
    uint32_t depth = 0, left = g->nodes;
    memset(g->place, 0xff, g->nodes * sizeof *g->place);
    for (uint32_t i = 0; i < g->nodes; i++) g->dom[i] = g->out_start[i];
    g->stack[depth++] = 0;
    g->place[0] = 0;
    while (depth) {
        uint32_t n = g->stack[depth - 1];
        if (g->dom[n] < g->out_start[n + 1]) {
            uint32_t to = g->out[g->dom[n]++];
            if (g->place[to] != NOBODY) continue;
            g->place[to] = 0; /* seen */
            g->stack[depth++] = to;
        } else {
            g->order[--left] = n;
            depth--;
        }
    }
    g->reached = g->nodes - left;
    memmove(g->order, g->order + left, g->reached * sizeof *g->order);
    for (uint32_t i = 0; i < g->reached; i++) g->place[g->order[i]] = i;
}

static uint32_t common(const struct loop_graph *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (g->place[a] > g->place[b]) a = g->dom[a];
        while (g->place[b] > g->place[a]) b = g->dom[b];
    }
    return a;
}

static void find_dominators(struct loop_graph *g)
{
    memset(g->dom, 0xff, g->nodes * sizeof *g->dom);
    g->dom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < g->reached; i++) {
            uint32_t n = g->order[i], d = NOBODY;
            for (uint32_t k = g->in_start[n]; k < g->in_start[n + 1]; k++) {
                uint32_t p = g->in[k];
                if (g->dom[p] != NOBODY) d = d == NOBODY ? p : common(g, p, d);
            }
            changed |= d != g->dom[n];
            g->dom[n] = d;
        }
    }
}

/* Numbers the tree of dominators in preorder, so that one comparison tells who is below whom. */
static void number_tree(struct loop_graph *g)
{
    uint32_t *next = g->stack;
    for (uint32_t i = 0; i < g->reached; i++) g->size[g->order[i]] = 1;
    for (uint32_t i = g->reached; i-- > 1;) g->size[g->dom[g->order[i]]] += g->size[g->order[i]];
    g->first[0] = 0;
    next[0] = 1;
    for (uint32_t i = 1; i < g->reached; i++) {
        uint32_t n = g->order[i], up = g->dom[n];
        g->first[n] = next[up];
        next[up] += g->size[n];
        next[n] = g->first[n] + 1;
    }
}

static bool dominates(const struct loop_graph *g, uint32_t a, uint32_t b)
{
    return g->first[b] - g->first[a] < g->size[a]; /* less than 0 wraps around */
}

/* ---- the nest ---- */

struct nest {
    struct code_loop *loop;
    uint32_t *head;
    uint16_t *top; /* towards the outermost loop around this one, shortened as it is followed */
    uint32_t count, cap;
    uint16_t *loop_of;
};

static uint16_t outermost(struct nest *t, uint16_t l)
{
    while (t->top[l] != l) l = t->top[l] = t->top[t->top[l]];
    return l;
}

static bool add_loop(struct nest *t, uint32_t head)
{
    if (t->count == t->cap) {
        uint32_t cap = t->cap ? 2 * t->cap : 16;
        struct code_loop *l = realloc(t->loop, cap * sizeof *l);
        if (l) t->loop = l;
        uint32_t *h = realloc(t->head, cap * sizeof *h);
        if (h) t->head = h;
        uint16_t *o = realloc(t->top, cap * sizeof *o);
        if (o) t->top = o;
        if (!l || !h || !o) return false;
        t->cap = cap;
    }
    t->loop[t->count] = (struct code_loop){.parent = CODE_NO_LOOP};
    t->top[t->count] = (uint16_t)t->count;
    t->head[t->count++] = head;
    return true;
}

/* Everything that reaches the closing steps on the stack belongs to loop `l`. */
static void fill_loop(const struct loop_graph *g, struct nest *t, uint16_t l, uint32_t depth)
{
    while (depth) {
        uint32_t n = g->stack[--depth];
        if (g->place[n] == NOBODY) continue;
        uint32_t from = n; /* whose predecessors come next */
        if (t->loop_of[n] == CODE_NO_LOOP) {
            t->loop_of[n] = l;
        } else {
            uint16_t inner = outermost(t, t->loop_of[n]);
            if (inner == l) continue;
            t->loop[inner].parent = t->top[inner] = l;
            from = t->head[inner];
        }
        if (from == t->head[l]) continue;
        for (uint32_t k = g->in_start[from]; k < g->in_start[from + 1]; k++) g->stack[depth++] = g->in[k];
    }
}

static bool build_nest(const struct loop_graph *g, struct nest *t)
{
    for (uint32_t i = g->reached; i-- > 0;) { /* an inner head comes behind the outer one */
        uint32_t head = g->order[i], depth = 0;
        for (uint32_t k = g->in_start[head]; k < g->in_start[head + 1]; k++)
            if (g->place[g->in[k]] != NOBODY && dominates(g, head, g->in[k])) g->stack[depth++] = g->in[k];
        if (!depth || t->count == CODE_NO_LOOP - 1) continue;
        uint16_t l = (uint16_t)t->count;
        if (!add_loop(t, head)) return false;
        if (t->loop_of[head] == CODE_NO_LOOP) t->loop_of[head] = l;
        fill_loop(g, t, l, depth);
    }
    for (uint32_t l = t->count; l-- > 0;) { /* parents come behind their children */
        uint16_t up = t->loop[l].parent;
        t->loop[l].depth = (uint16_t)(up == CODE_NO_LOOP ? 1 : t->loop[up].depth + 1);
    }
    return true;
}

bool find_loops(uint32_t nodes, const struct flow_edge *edge, uint32_t edges, uint16_t *loop_of,
                struct code_loop **loops, uint32_t *nloop)
{
    struct loop_graph g;
    struct nest t = {.loop_of = loop_of};
    *loops = NULL;
    *nloop = 0;
    if (nodes == 0) return true; /* and no first node to begin at */
    for (uint32_t i = 0; i < nodes; i++) loop_of[i] = CODE_NO_LOOP;
    bool ok = graph_init(&g, nodes, edge, edges);
    if (ok) {
        number_nodes(&g);
        find_dominators(&g);
        number_tree(&g);
        ok = build_nest(&g, &t);
    }
    graph_free(&g);
    free(t.head);
    free(t.top);
    *loops = t.loop;
    *nloop = t.count;
    return ok;
}
