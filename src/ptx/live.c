/* live.c - how many registers a thread needs.
 *
 * PTX has as many registers as it likes; a machine has not, and their number limits how many
 * warps are resident. The estimate is the most 32-bit registers live at one place, a 64-bit
 * value counting two and a predicate none, plus LIVE_EXTRA for what the machine code keeps
 * in addition (a stack pointer and an address or constant in flight).
 *
 * Liveness is found one register at a time: from each block that reads it before writing it,
 * walk against control flow until blocks that write it. The work is the size of the answer.
 * A guarded write does not end a live range, for some lanes keep the old value. When the
 * answer would be absurdly large (LIVE_BUDGET) the function is taken to need every register
 * a thread can have. */
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

enum { LIVE_EXTRA = 4, LIVE_BUDGET = 1 << 23, MAX_THREAD_REGS = 255 };
#define NONE UINT32_MAX

/* ---- registers of an instruction ---- */

static unsigned operand_regs(const struct ptx_operand *o, int32_t *out)
{
    unsigned n = 0;
    if ((o->kind == OPND_REG || o->kind == OPND_ADDR) && o->reg >= 0) out[n++] = o->reg;
    if (o->kind == OPND_VEC)
        for (unsigned i = 0; i < o->nvec; i++)
            if (o->vec[i].kind == OPND_REG) out[n++] = o->vec[i].reg;
    return n;
}

unsigned inst_writes(const struct ptx_inst *in, int32_t *out)
{
    unsigned n = 0;
    for (unsigned i = 0; i < in->ndst; i++) n += operand_regs(&in->dst[i], out + n);
    return n;
}

unsigned inst_reads(const struct ptx_inst *in, int32_t *out)
{
    unsigned n = 0;
    for (unsigned i = 0; i < in->nsrc; i++) n += operand_regs(&in->src[i], out + n);
    if (in->guard >= 0) out[n++] = in->guard;
    return n;
}

/* ---- live ranges ---- */

struct live_node {
    uint32_t value, next;
};

struct live {
    struct func_info *fi;
    struct live_node *node;                   /* pool of all lists */
    uint32_t nnode, node_cap, base;           /* base: nodes that describe the program, not the answer */
    uint32_t *exposed, *kills;                /* by register: blocks that read it first, that write it */
    uint32_t *used_in, *killed_in;            /* by register: last block seen to do so, plus one */
    uint32_t *out;                            /* by block: registers live at its end */
    uint32_t *in_mark, *out_mark, *kill_mark; /* by block: register last marked, plus one */
    uint32_t *stack, *pred_first, *pred;
    uint8_t *live, *weight; /* by register */
    bool failed, too_large;
};

static void push(struct live *l, uint32_t *head, uint32_t value)
{
    if (l->nnode == l->node_cap) {
        uint32_t cap = l->node_cap ? l->node_cap * 2 : 1024;
        struct live_node *p = cap > 4 * (uint32_t)LIVE_BUDGET ? NULL : realloc(l->node, cap * sizeof *p);
        if (!p) {
            l->failed = true;
            return;
        }
        l->node = p;
        l->node_cap = cap;
    }
    l->node[l->nnode] = (struct live_node){value, *head};
    *head = l->nnode++;
}

/* Which registers a block reads before it writes them, and which it surely writes. */
static void scan_block(struct live *l, uint32_t b)
{
    const struct ptx_block *blk = &l->fi->block[b];
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = blk->first; i < blk->first + blk->count; i++) {
        const struct ptx_inst *in = &l->fi->inst[i];
        unsigned n = inst_reads(in, regs);
        for (unsigned k = 0; k < n; k++) {
            int32_t r = regs[k];
            if (!l->weight[r] || l->killed_in[r] == b + 1 || l->used_in[r] == b + 1) continue;
            l->used_in[r] = b + 1;
            push(l, &l->exposed[r], b);
        }
        n = in->guard < 0 ? inst_writes(in, regs) : 0;
        for (unsigned k = 0; k < n; k++) {
            int32_t r = regs[k];
            if (!l->weight[r] || l->killed_in[r] == b + 1) continue;
            l->killed_in[r] = b + 1;
            push(l, &l->kills[r], b);
        }
    }
}

static void spread(struct live *l, uint32_t r)
{
    uint32_t top = 0, mark = r + 1;
    if (!l->node) return; /* no block reads or writes any register: all lists are empty */
    for (uint32_t n = l->kills[r]; n != NONE; n = l->node[n].next) l->kill_mark[l->node[n].value] = mark;
    for (uint32_t n = l->exposed[r]; n != NONE; n = l->node[n].next) {
        l->in_mark[l->node[n].value] = mark;
        l->stack[top++] = l->node[n].value;
    }
    while (top && !l->failed && !l->too_large) {
        uint32_t b = l->stack[--top];
        for (uint32_t i = l->pred_first[b]; i < l->pred_first[b + 1]; i++) {
            uint32_t p = l->pred[i];
            if (l->out_mark[p] == mark) continue;
            l->out_mark[p] = mark;
            push(l, &l->out[p], r);
            l->too_large |= l->nnode - l->base > LIVE_BUDGET;
            if (l->kill_mark[p] == mark || l->in_mark[p] == mark) continue;
            l->in_mark[p] = mark;
            l->stack[top++] = p;
        }
    }
}

/* ---- pressure ---- */

static uint32_t set_live(struct live *l, const int32_t *regs, unsigned n, uint8_t on)
{
    uint32_t change = 0;
    for (unsigned k = 0; k < n; k++) {
        if (l->live[regs[k]] == on) continue;
        l->live[regs[k]] = on;
        change += l->weight[regs[k]];
    }
    return change;
}

/* The most registers live at one place of block b; *at_end receives those at its end. */
static uint32_t block_pressure(struct live *l, uint32_t b, uint32_t *at_end)
{
    const struct ptx_block *blk = &l->fi->block[b];
    int32_t regs[MAX_INST_REGS];
    uint32_t now = 0, most;
    for (uint32_t n = l->out[b]; n != NONE; n = l->node[n].next) {
        int32_t r = (int32_t)l->node[n].value;
        now += set_live(l, &r, 1, 1);
    }
    most = *at_end = now;
    for (uint32_t i = blk->first + blk->count; i-- > blk->first;) {
        const struct ptx_inst *in = &l->fi->inst[i];
        unsigned n = inst_writes(in, regs);
        now += set_live(l, regs, n, 1); /* even a value nobody reads has its place */
        if (now > most) most = now;
        if (in->guard < 0) now -= set_live(l, regs, n, 0);
        n = inst_reads(in, regs);
        now += set_live(l, regs, n, 1);
        if (now > most) most = now;
    }
    for (uint32_t n = l->out[b]; n != NONE; n = l->node[n].next) l->live[l->node[n].value] = 0;
    for (uint32_t i = blk->first; i < blk->first + blk->count; i++) {
        unsigned n = inst_reads(&l->fi->inst[i], regs);
        set_live(l, regs, n, 0);
        n = inst_writes(&l->fi->inst[i], regs);
        set_live(l, regs, n, 0);
    }
    return most;
}

static uint32_t function_pressure(struct live *l)
{
    uint32_t most = 0;
    struct callee *c = l->fi->callees; /* last call first */
    for (uint32_t b = l->fi->f.nblock; b-- > 0;) {
        uint32_t at_end, here = block_pressure(l, b, &at_end);
        if (here > most) most = here;
        for (; c && c->inst >= l->fi->block[b].first; c = c->next) c->live = at_end;
    }
    return most;
}

/* ---- */

static void analyse(struct live *l)
{
    uint32_t nregs = l->fi->f.nregs, nblock = l->fi->f.nblock;
    for (uint32_t r = 0; r < nregs; r++) {
        unsigned bytes = ptx_type_bytes(l->fi->f.reg[r].type);
        l->weight[r] = bytes > 4 ? 2 : bytes ? 1 : 0;
        l->exposed[r] = l->kills[r] = NONE;
    }
    for (uint32_t b = 0; b < nblock; b++) l->out[b] = NONE;
    for (uint32_t b = 0; b < nblock && !l->failed; b++) scan_block(l, b);
    l->base = l->nnode;
    for (uint32_t r = 0; r < nregs && !l->failed && !l->too_large; r++) spread(l, r);
}

/* Registers with those of the callees: a called function's stand on top of what its caller
 * keeps across the call. */
static void settle(struct func_info *fi, uint32_t pressure)
{
    for (const struct callee *c = fi->callees; c; c = c->next)
        if (c->live + c->func->pressure > pressure) pressure = c->live + c->func->pressure;
    if (pressure > MAX_THREAD_REGS) pressure = MAX_THREAD_REGS;
    fi->pressure = pressure;
    pressure += LIVE_EXTRA;
    if (pressure > MAX_THREAD_REGS) pressure = MAX_THREAD_REGS;
    if (fi->maxnreg && pressure > fi->maxnreg) pressure = fi->maxnreg;
    fi->f.regs_per_thread = pressure;
}

int live_count(struct build *b, struct func_info *fi)
{
    struct live l = {.fi = fi};
    size_t nregs = fi->f.nregs, nblock = fi->f.nblock, edges = fi->succ_first[nblock];
    uint32_t *w = calloc(nregs * 4 + nblock * 6 + 2 + edges, sizeof *w);
    l.live = calloc(nregs * 2 + 1, 1);
    if (w && l.live) {
        l.weight = l.live + nregs;
        l.exposed = w;
        l.kills = l.exposed + nregs;
        l.used_in = l.kills + nregs;
        l.killed_in = l.used_in + nregs;
        l.out = l.killed_in + nregs;
        l.in_mark = l.out + nblock;
        l.out_mark = l.in_mark + nblock;
        l.kill_mark = l.out_mark + nblock;
        l.stack = l.kill_mark + nblock;
        l.pred_first = l.stack + nblock;
        l.pred = l.pred_first + nblock + 1;
        graph_reverse((uint32_t)nblock, fi->succ_first, fi->succ, l.pred_first, l.pred);
        analyse(&l);
        if (!l.failed) settle(fi, l.too_large ? MAX_THREAD_REGS : function_pressure(&l));
    } else {
        l.failed = true;
    }
    free(w);
    free(l.live);
    free(l.node);
    return l.failed ? wl_fail(b->e, WL_ERUN, "%s: out of memory while analysing %s", b->m->file, fi->f.name) : 0;
}
