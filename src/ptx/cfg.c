/* cfg.c - basic blocks, where lanes meet again, and loops.
 *
 * Blocks. An instruction begins a block if it is a branch target or follows one that ends a
 * block: bra, brx, ret, exit, trap, call. Guarded ones fall through, so they have a `next`.
 *
 * Meeting again. Lanes that part at the end of a block meet at its immediate post-dominator:
 * the dominator of the block in the reversed graph, rooted at a virtual exit behind every
 * ret, exit and trap. Lanes that exit or trap never come back, so a path on which no lane
 * can return must not keep the others apart: an edge into blocks that reach no ret is left
 * out where the block has another way. Likewise a guarded exit only falls through.
 *
 * Loops. A back edge goes to a block that dominates its source; the loop of that header is
 * what reaches the back edge without passing the header. Headers are visited from the last
 * to the first in preorder and a finished loop collapses into its header, so each block is
 * walked once, not once per nesting level. Irreducible cycles have no such
 * header and are no loops here. */
#include "ptx/module.h"
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_EDGES = 1 << 25 };

struct cfg {
    struct build *b;
    struct func_info *fi;
    uint32_t nblock;
    uint32_t *block_of; /* block that begins at an instruction, for leaders */
};

static bool ends_block(const struct ptx_inst *in)
{
    return in->op == OP_BRA || in->op == OP_BRX || in->op == OP_RET || in->op == OP_EXIT || in->op == OP_TRAP ||
           in->op == OP_CALL;
}

static bool falls_through(const struct ptx_inst *in) { return in->guard >= 0 || !ends_block(in) || in->op == OP_CALL; }

static const struct ptx_inst *last_of(const struct func_info *fi, uint32_t b)
{
    return &fi->inst[fi->block[b].first + fi->block[b].count - 1];
}

/* ---- blocks ---- */

static void mark_leaders(struct cfg *c)
{
    struct func_info *fi = c->fi;
    c->block_of[0] = 1;
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        if (fi->inst[i].op == OP_BRA) c->block_of[fi->inst[i].target] = 1;
        if (ends_block(&fi->inst[i]) && i + 1 < fi->f.ninst) c->block_of[i + 1] = 1;
    }
    for (struct target_list *l = fi->lists; l; l = l->next)
        for (uint32_t i = 0; i < l->count; i++) c->block_of[l->at[i]] = 1;
}

static int make_blocks(struct cfg *c)
{
    struct func_info *fi = c->fi;
    mark_leaders(c);
    for (uint32_t i = 0; i < fi->f.ninst; i++) c->nblock += c->block_of[i];
    fi->block = ARENA_ARRAY(&c->b->m->arena, struct ptx_block, c->nblock);
    if (!fi->block) return -1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        if (c->block_of[i]) {
            fi->block[n] = (struct ptx_block){.first = i, .next = PTX_NO_BLOCK, .ipdom = PTX_NO_BLOCK};
            c->block_of[i] = n++;
        }
        fi->block[n - 1].count++;
    }
    for (uint32_t i = 0; i < n; i++)
        if (falls_through(last_of(fi, i)) && i + 1 < n) fi->block[i].next = i + 1;
    fi->f.block = fi->block;
    fi->f.nblock = n;
    return 0;
}

/* Labels were instruction indices until now. */
static void targets_to_blocks(struct cfg *c)
{
    for (uint32_t i = 0; i < c->fi->f.ninst; i++)
        if (c->fi->inst[i].op == OP_BRA) c->fi->inst[i].target = c->block_of[c->fi->inst[i].target];
    for (struct target_list *l = c->fi->lists; l; l = l->next)
        for (uint32_t i = 0; i < l->count; i++) l->at[i] = c->block_of[l->at[i]];
}

/* ---- edges ---- */

/* An upper bound. Every brx of a long list adds the whole list, so it can be absurd. */
static uint64_t count_edges(const struct func_info *fi)
{
    uint64_t n = 0;
    for (uint32_t b = 0; b < fi->f.nblock; b++) n += UINT64_C(2) + last_of(fi, b)->ntargets;
    return n;
}

static int make_edges(struct cfg *c)
{
    struct func_info *fi = c->fi;
    uint32_t n = 0;
    fi->succ_first = ARENA_ARRAY(&c->b->m->arena, uint32_t, c->nblock + 1);
    fi->succ = ARENA_ARRAY(&c->b->m->arena, uint32_t, count_edges(fi));
    if (!fi->succ_first || !fi->succ) return -1;
    for (uint32_t b = 0; b < c->nblock; b++) {
        const struct ptx_inst *last = last_of(fi, b);
        fi->succ_first[b] = n;
        if (last->op == OP_BRA) fi->succ[n++] = last->target;
        if (last->op == OP_BRX)
            for (uint32_t i = 0; i < last->ntargets; i++) fi->succ[n++] = last->targets[i];
        if (fi->block[b].next != PTX_NO_BLOCK) fi->succ[n++] = fi->block[b].next;
    }
    fi->succ_first[c->nblock] = n;
    return 0;
}

void graph_reverse(uint32_t n, const uint32_t *first, const uint32_t *to, uint32_t *rfirst, uint32_t *rto)
{
    memset(rfirst, 0, (n + 1) * sizeof *rfirst);
    for (uint32_t i = 0; i < first[n]; i++) rfirst[to[i] + 1]++;
    for (uint32_t v = 0; v < n; v++) rfirst[v + 1] += rfirst[v];
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t i = first[v]; i < first[v + 1]; i++) rto[rfirst[to[i]]++] = v;
    for (uint32_t v = n; v > 0; v--) rfirst[v] = rfirst[v - 1]; /* each had moved to its end */
    rfirst[0] = 0;
}

/* ---- post-dominators ---- */

/* alive[b]: a ret can be reached from block b. All blocks when there is no ret at all. */
static void mark_alive(const struct func_info *fi, const uint32_t *pred_first, const uint32_t *pred, uint8_t *alive,
                       uint32_t *stack)
{
    uint32_t top = 0;
    for (uint32_t b = 0; b < fi->f.nblock; b++)
        if (last_of(fi, b)->op == OP_RET) alive[b] = 1, stack[top++] = b;
    if (!top) memset(alive, 1, fi->f.nblock);
    while (top) {
        uint32_t b = stack[--top];
        for (uint32_t i = pred_first[b]; i < pred_first[b + 1]; i++)
            if (!alive[pred[i]]) alive[pred[i]] = 1, stack[top++] = pred[i];
    }
}

/* Edges for post-dominance, with the virtual exit as node nblock. */
static void exit_edges(const struct func_info *fi, const uint8_t *alive, uint32_t *first, uint32_t *to)
{
    uint32_t n = 0, exit_node = fi->f.nblock;
    for (uint32_t b = 0; b < exit_node; b++) {
        const struct ptx_inst *last = last_of(fi, b);
        bool leaves = last->op == OP_RET || last->op == OP_EXIT || last->op == OP_TRAP;
        bool gone = last->op != OP_RET || fi->f.is_kernel; /* its lanes are gone for good */
        first[b] = n;
        for (uint32_t i = fi->succ_first[b]; i < fi->succ_first[b + 1]; i++)
            if (!alive[b] || alive[fi->succ[i]]) to[n++] = fi->succ[i];
        if (leaves && (!gone || fi->block[b].next == PTX_NO_BLOCK || n == first[b])) to[n++] = exit_node;
    }
    first[exit_node] = first[exit_node + 1] = n;
}

static int post_dominators(struct cfg *c)
{
    struct func_info *fi = c->fi;
    uint32_t nodes = c->nblock + 1, most = fi->succ_first[c->nblock] + c->nblock + 1;
    uint32_t *w = calloc((size_t)nodes * 6 + 4 + (size_t)most * 2, sizeof *w);
    uint8_t *alive = calloc(nodes, 1);
    int64_t reached = -1;
    if (w && alive) {
        uint32_t *first = w, *rfirst = first + nodes + 1, *idom = rfirst + nodes + 1, *order = idom + nodes;
        uint32_t *number = order + nodes, *to = number + nodes + 1, *rto = to + most;
        graph_reverse(c->nblock, fi->succ_first, fi->succ, rfirst, rto);
        mark_alive(fi, rfirst, rto, alive, order);
        exit_edges(fi, alive, first, to);
        graph_reverse(nodes, first, to, rfirst, rto);
        struct flow_graph g = {nodes, rfirst, rto, first, to}; /* reversed: successors are predecessors */
        reached = graph_dominators(&g, c->nblock, idom, order, number);
        for (uint32_t b = 0; b < c->nblock && reached >= 0; b++)
            fi->block[b].ipdom = idom[b] == c->nblock ? PTX_NO_BLOCK : idom[b];
    }
    free(w);
    free(alive);
    return reached < 0 ? -1 : 0;
}

/* ---- loops ---- */

struct loops {
    struct func_info *fi;
    const uint32_t *order, *number, *idom, *pred_first, *pred;
    uint32_t *in, *size; /* interval of a node's subtree in the dominator tree */
    uint32_t *leader;    /* union-find: the header a block has collapsed into */
    uint32_t *header;    /* innermost loop header around a block, not counting itself */
    uint32_t *stack;
    uint8_t *is_header;
    uint32_t count;
};

static bool dominates(const struct loops *l, uint32_t a, uint32_t b) { return l->in[b] - l->in[a] < l->size[a]; }

static uint32_t find(uint32_t *leader, uint32_t v)
{
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
}

/* Numbers the dominator tree so that a subtree is an interval. */
static void number_dom_tree(struct loops *l)
{
    for (uint32_t i = 0; i < l->count; i++) l->size[l->order[i]] = 1;
    for (uint32_t i = l->count; i-- > 1;) l->size[l->idom[l->order[i]]] += l->size[l->order[i]];
    uint32_t *used = l->stack; /* nodes already placed below each parent */
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t v = l->order[i], parent = l->idom[v];
        used[v] = 1;
        l->in[v] = i ? l->in[parent] + used[parent] : 0;
        if (i) used[parent] += l->size[v];
    }
}

/* Collapses the loop of header h, if it has one. */
static void collapse(struct loops *l, uint32_t h)
{
    uint32_t top = 0;
    for (uint32_t i = l->pred_first[h]; i < l->pred_first[h + 1]; i++) {
        uint32_t u = l->pred[i];
        if (l->number[u] == PTX_NO_BLOCK || !dominates(l, h, u)) continue;
        l->is_header[h] = 1;
        u = find(l->leader, u);
        if (u == h) continue;
        l->leader[u] = l->header[u] = h;
        l->stack[top++] = u;
    }
    while (top) {
        uint32_t v = l->stack[--top];
        for (uint32_t i = l->pred_first[v]; i < l->pred_first[v + 1]; i++) {
            uint32_t u = l->pred[i];
            if (l->number[u] == PTX_NO_BLOCK) continue;
            u = find(l->leader, u);
            if (u == h || !dominates(l, h, u)) continue;
            l->leader[u] = l->header[u] = h;
            l->stack[top++] = u;
        }
    }
}

static int add_loop(struct build *b, uint16_t parent, uint16_t *id)
{
    *id = CODE_NO_LOOP;
    if (b->nloop >= CODE_NO_LOOP) return 0; /* more loops than ids: the rest go uncounted */
    if (b->nloop == b->loop_cap) {
        uint32_t cap = b->loop_cap ? b->loop_cap * 2 : 64;
        struct code_loop *p = realloc(b->loop, cap * sizeof *p);
        if (!p) return -1;
        b->loop = p;
        b->loop_cap = cap;
    }
    uint16_t depth = parent == CODE_NO_LOOP ? 0 : b->loop[parent].depth;
    b->loop[b->nloop] = (struct code_loop){.parent = parent, .depth = (uint16_t)(depth + 1)};
    *id = (uint16_t)b->nloop++;
    return 0;
}

/* Numbers the loops from outer to inner and tells each block its own. */
static int assign_loops(struct build *b, const struct loops *l)
{
    uint16_t *loop = l->fi->block_loop;
    for (uint32_t i = 0; i < l->count; i++) { /* preorder: a header comes before what it holds */
        uint32_t v = l->order[i];
        uint16_t around = l->header[v] == PTX_NO_BLOCK ? CODE_NO_LOOP : loop[l->header[v]];
        loop[v] = around;
        if (l->is_header[v] && add_loop(b, around, &loop[v])) return -1;
    }
    return 0;
}

static int find_loops(struct cfg *c)
{
    struct func_info *fi = c->fi;
    uint32_t n = c->nblock, edges = fi->succ_first[n];
    uint32_t *w = calloc((size_t)n * 9 + 1 + edges, sizeof *w);
    uint8_t *is_header = calloc(n, 1);
    int rc = -1;
    if (w && is_header) {
        uint32_t *idom = w, *order = w + n, *number = order + n, *in = number + n, *size = in + n, *leader = size + n;
        uint32_t *header = leader + n, *stack = header + n, *pred_first = stack + n, *pred = pred_first + n + 1;
        graph_reverse(n, fi->succ_first, fi->succ, pred_first, pred);
        struct flow_graph g = {n, fi->succ_first, fi->succ, pred_first, pred};
        int64_t count = graph_dominators(&g, 0, idom, order, number);
        struct loops l = {.fi = fi,
                          .order = order,
                          .number = number,
                          .idom = idom,
                          .pred_first = pred_first,
                          .pred = pred,
                          .in = in,
                          .size = size,
                          .leader = leader,
                          .header = header,
                          .stack = stack,
                          .is_header = is_header};
        if (count >= 0) {
            l.count = (uint32_t)count;
            for (uint32_t v = 0; v < n; v++) l.leader[v] = v, l.header[v] = PTX_NO_BLOCK;
            number_dom_tree(&l);
            for (uint32_t i = l.count; i-- > 0;) collapse(&l, order[i]);
            rc = assign_loops(c->b, &l);
        }
    }
    free(w);
    free(is_header);
    return rc;
}

int cfg_build(struct build *b, struct func_info *fi)
{
    struct cfg c = {.b = b, .fi = fi};
    c.block_of = calloc((size_t)fi->f.ninst + 1, sizeof *c.block_of);
    int rc = c.block_of ? make_blocks(&c) : -1;
    if (!rc && count_edges(fi) > MAX_EDGES) {
        free(c.block_of);
        return wl_fail(b->e, WL_EINPUT, "%s: the brx.idx instructions of %s have more than %d targets together",
                       b->m->file, fi->f.name, MAX_EDGES);
    }
    if (!rc) {
        targets_to_blocks(&c);
        rc = make_edges(&c);
    }
    if (!rc) {
        fi->block_loop = ARENA_ARRAY(&b->m->arena, uint16_t, c.nblock);
        if (fi->block_loop) memset(fi->block_loop, 0xff, c.nblock * sizeof *fi->block_loop);
        rc = !fi->block_loop || post_dominators(&c) || find_loops(&c) ? -1 : 0;
    }
    free(c.block_of);
    return rc ? wl_fail(b->e, WL_ERUN, "%s: out of memory while analysing %s", b->m->file, fi->f.name) : 0;
}
