/* cfg.c - basic blocks, their dominators and loops.
 *
 * Blocks. An instruction begins a block if it is a branch target or follows one that ends a
 * block: bra, brx, ret, exit, trap, call. Guarded ones fall through, so they have a `next`. A read of a clock ends a
 * block too, and so do barriers in a function that reads one: what follows may not be known when they issue (step.c).
 * A bulk copy is a block of its own (bulk.h), and so is a barrier to which lanes of a warp may come apart, which is
 * known when the blocks are: then they are made once more.
 *
 * Loops. A back edge goes to a block that dominates its source; the loop of that header is
 * what reaches the back edge without passing the header. Headers are visited from the last
 * to the first in preorder and a finished loop collapses into its header, so each block is
 * walked once, not once per nesting level. Irreducible cycles have no such
 * header and are no loops here. */
#include "ptx/bulk.h"
#include "ptx/converge.h"
#include "ptx/module.h"
#include "ptx/opcodes.h"
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

static void cut_at_clocks(struct cfg *c)
{
    const struct func_info *fi = c->fi;
    bool clocks = false;
    for (uint32_t i = 0; i < fi->f.ninst; i++) clocks |= inst_reads_clock(&fi->inst[i]);
    for (uint32_t i = 0; clocks && i + 1 < fi->f.ninst; i++) {
        const struct ptx_inst *in = &fi->inst[i];
        bool barrier = ptx_opcodes[in->op].kind == INST_BARRIER || in->op == OP_BARRIER_CLUSTER;
        if (inst_reads_clock(in) || barrier) c->block_of[i + 1] = 1;
    }
}

static void mark_leaders(struct cfg *c)
{
    struct func_info *fi = c->fi;
    c->block_of[0] = 1;
    cut_at_clocks(c);
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        if (fi->inst[i].apart) c->block_of[i] = 1;
        if (fi->inst[i].apart && i + 1 < fi->f.ninst) c->block_of[i + 1] = 1;
        if (fi->inst[i].op == OP_BRA) c->block_of[fi->inst[i].target] = 1;
        if (ends_block(&fi->inst[i]) && i + 1 < fi->f.ninst) c->block_of[i + 1] = 1;
        if (inst_calls_pointer(&fi->inst[i])) c->block_of[i] = 1; /* it is executed once for each function */
        if (inst_awaits_products(&fi->inst[i]) && i + 1 < fi->f.ninst) c->block_of[i + 1] = 1; /* nobody looks before */
        if (!inst_is_bulk(&fi->inst[i])) continue;
        c->block_of[i] = 1;
        if (i + 1 < fi->f.ninst) c->block_of[i + 1] = 1;
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

/* ---- dominators ---- */

/* Numbers the tree so that a subtree is an interval. `used` is scratch: nodes already placed below each parent. */
static void number_dom_tree(struct dom_tree *t, uint32_t *used)
{
    for (uint32_t i = 0; i < t->count; i++) t->size[t->order[i]] = 1;
    for (uint32_t i = t->count; i-- > 1;) t->size[t->idom[t->order[i]]] += t->size[t->order[i]];
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t v = t->order[i], parent = t->idom[v];
        used[v] = 1;
        t->in[v] = i ? t->in[parent] + used[parent] : 0;
        if (i) used[parent] += t->size[v];
    }
}

static int make_dom_tree(struct cfg *c, struct dom_tree *t)
{
    struct func_info *fi = c->fi;
    uint32_t n = c->nblock;
    uint32_t *w = calloc((size_t)n * 7 + 1 + fi->succ_first[n], sizeof *w);
    *t = (struct dom_tree){.work = w};
    if (!w) return -1;
    uint32_t **array[] = {&t->idom, &t->order, &t->number, &t->in, &t->size, &t->loop_header, &t->pred_first};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) *array[i] = w + i * n;
    t->pred = t->pred_first + n + 1;
    graph_reverse(n, fi->succ_first, fi->succ, t->pred_first, t->pred);
    struct flow_graph g = {n, fi->succ_first, fi->succ, t->pred_first, t->pred};
    int64_t count = graph_dominators(&g, 0, t->idom, t->order, t->number);
    if (count < 0) return -1;
    t->count = (uint32_t)count;
    number_dom_tree(t, t->loop_header); /* which is free until the loops are found */
    return 0;
}

/* ---- loops ---- */

struct loops {
    struct func_info *fi;
    struct dom_tree *t;
    uint32_t *leader; /* union-find: the header a block has collapsed into */
    uint32_t *header; /* innermost loop header around a block, not counting itself */
    uint32_t *stack;
    uint8_t *is_header;
};

static uint32_t find(uint32_t *leader, uint32_t v)
{
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
}

/* Collapses the loop of header h, if it has one. */
static void collapse(struct loops *l, uint32_t h)
{
    uint32_t top = 0;
    for (uint32_t i = l->t->pred_first[h]; i < l->t->pred_first[h + 1]; i++) {
        uint32_t u = l->t->pred[i];
        if (l->t->number[u] == PTX_NO_BLOCK || !dominates(l->t, h, u)) continue;
        l->is_header[h] = 1;
        u = find(l->leader, u);
        if (u == h) continue;
        l->leader[u] = l->header[u] = h;
        l->stack[top++] = u;
    }
    while (top) {
        uint32_t v = l->stack[--top];
        for (uint32_t i = l->t->pred_first[v]; i < l->t->pred_first[v + 1]; i++) {
            uint32_t u = l->t->pred[i];
            if (l->t->number[u] == PTX_NO_BLOCK) continue;
            u = find(l->leader, u);
            if (u == h || !dominates(l->t, h, u)) continue;
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
    for (uint32_t i = 0; i < l->t->count; i++) { /* preorder: a header comes before what it holds */
        uint32_t v = l->t->order[i];
        uint16_t around = l->header[v] == PTX_NO_BLOCK ? CODE_NO_LOOP : loop[l->header[v]];
        loop[v] = around;
        if (l->is_header[v] && add_loop(b, around, &loop[v])) return -1;
    }
    return 0;
}

static int find_loops(struct cfg *c, struct dom_tree *t)
{
    uint32_t n = c->nblock;
    uint32_t *w = calloc((size_t)n * 3, sizeof *w);
    uint8_t *is_header = calloc(n, 1);
    int rc = -1;
    if (w && is_header) {
        struct loops l = {
            .fi = c->fi, .t = t, .leader = w, .header = w + n, .stack = w + 2 * (size_t)n, .is_header = is_header};
        for (uint32_t v = 0; v < n; v++) l.leader[v] = v, l.header[v] = PTX_NO_BLOCK;
        for (uint32_t i = t->count; i-- > 0;) collapse(&l, t->order[i]);
        for (uint32_t v = 0; v < n; v++) t->loop_header[v] = is_header[v] ? v : l.header[v];
        rc = assign_loops(c->b, &l);
    }
    free(w);
    free(is_header);
    return rc;
}

static void targets_to_instructions(struct func_info *fi)
{
    for (uint32_t i = 0; i < fi->f.ninst; i++)
        if (fi->inst[i].op == OP_BRA) fi->inst[i].target = fi->block[fi->inst[i].target].first;
    for (struct target_list *l = fi->lists; l; l = l->next)
        for (uint32_t i = 0; i < l->count; i++) l->at[i] = fi->block[l->at[i]].first;
}

static int build_once(struct build *b, struct func_info *fi)
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
        struct dom_tree t = {0};
        rc = !fi->block_loop || make_dom_tree(&c, &t) || find_loops(&c, &t) || meet_build(b, fi, &t) ? -1 : 0;
        free(t.work);
    }
    free(c.block_of);
    return rc ? wl_fail(b->e, WL_ERUN, "%s: out of memory while analysing %s", b->m->file, fi->f.name) : 0;
}

int cfg_build(struct build *b, struct func_info *fi)
{
    uint32_t loops = b->nloop;
    int rc = build_once(b, fi), again = rc ? 0 : converge_mark_barriers(fi);
    if (again < 0) return wl_fail(b->e, WL_ERUN, "%s: out of memory while analysing %s", b->m->file, fi->f.name);
    if (!again) return rc;
    targets_to_instructions(fi);
    b->nloop = loops;
    return build_once(b, fi);
}
