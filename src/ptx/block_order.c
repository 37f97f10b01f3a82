/* block_order.c - see block_order.h.
 *
 * The graph of a block is made in the order of the text: an edge from each instruction to those that must follow it,
 * with the cycles between them. Loads may pass loads. A store keeps its place among accesses that could touch the same
 * bytes: those of another named space cannot, nor those at another distance from the same address, nor loads
 * through the read-only path. Barriers, fences, atomics, volatile accesses and calls keep their place
 * among all memory accesses and each other, clock reads among all instructions. Latencies are those of the pipes of
 * current GPUs (docs/results/h200-microbench.txt). A load from memory takes long: ptxas 13.0 puts arithmetic that waits
 * for one behind all loads that have registers (the sixteen of gramschm_norm, seventeen of matmul_naive). */
#include "ptx/block_order.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/assemble.h"
#include "ptx/opcodes.h"

enum { SCHED_MOST = 1024, SCHED_MEMORY = 256 }; /* longer blocks keep their order; accesses that are compared */
enum { FAR = 300 };                             /* cycles of a load from memory */
#define NONE UINT32_MAX

struct sched_node {
    const struct ptx_inst *in;
    uint32_t first; /* of its edges */
    uint32_t waits; /* for how many, not yet placed */
    uint32_t ready, height;
    bool placed;
};

struct sched_edge {
    uint32_t to, next, cycles;
};

/* ---- what an instruction is to the order ---- */

static uint32_t cycles_of(const struct ptx_inst *in)
{
    const struct ptx_opcode *op = &ptx_opcodes[in->op];
    if (in->dropped) return 0;
    if (op->kind == INST_LOAD || op->kind == INST_ATOMIC)
        return in->space == PTX_SHARED ? 23 : in->space == PTX_PARAM_KERNEL || in->space == PTX_PARAM_LOCAL ? 1 : FAR;
    bool f64 = in->type == T_F64 || in->type2 == T_F64;
    switch (op->pace) {
    case PACE_DIV: return f64 ? 111 : 40;
    case PACE_SFU: return f64 ? 80 : 17;
    case PACE_CVT: return ptx_is_float(in->type2) || f64 ? 17 : 4;
    case PACE_BITS: return 17;
    case PACE_SHFL: return 24;
    default: return f64 ? 8 : 4;
    }
}

static bool is_memory(const struct ptx_inst *in)
{
    uint8_t kind = ptx_opcodes[in->op].kind;
    return kind == INST_LOAD || kind == INST_STORE || kind == INST_ATOMIC;
}

static bool is_store(const struct ptx_inst *in) { return ptx_opcodes[in->op].kind == INST_STORE; }

/* Keeps its place among all accesses of memory. */
static bool is_fence(const struct ptx_inst *in)
{
    uint8_t kind = ptx_opcodes[in->op].kind;
    return kind == INST_ATOMIC || kind == INST_BARRIER || kind == INST_MEMBAR || kind == INST_NOP ||
           kind == INST_EXIT || (is_memory(in) && in->flags & FLAG_VOLATILE) || inst_reads_clock(in);
}

static bool ends_block(const struct ptx_inst *in)
{
    uint8_t kind = ptx_opcodes[in->op].kind;
    return kind == INST_BRANCH || kind == INST_EXIT;
}

/* ---- the graph ---- */

enum { SOME_EDGES = 4096 }; /* to begin with */

/* A place in the pool, or NONE without memory. */
static uint32_t new_edge(struct sched *s, struct sched_edge edge)
{
    if (s->nedge == s->edge_cap) {
        uint32_t cap = 2 * s->edge_cap + SOME_EDGES;
        struct sched_edge *e = realloc(s->edge, cap * sizeof *e);
        if (!e) {
            s->failed = true;
            return NONE;
        }
        s->edge = e;
        s->edge_cap = cap;
    }
    s->edge[s->nedge] = edge;
    return s->nedge++;
}

static void add_edge(struct sched *s, uint32_t from, uint32_t to, uint32_t cycles)
{
    uint32_t e = new_edge(s, (struct sched_edge){to, s->node[from].first, cycles});
    if (e == NONE) return;
    s->node[from].first = e;
    s->node[to].waits++;
}

/* Readers are a list in the same pool; its `cycles` is not used. */
static void note_reader(struct sched *s, uint32_t reg, uint32_t node)
{
    uint32_t e = new_edge(s, (struct sched_edge){node, s->readers[reg], 0});
    if (e != NONE) s->readers[reg] = e;
}

static void read_reg(struct sched *s, uint32_t reg, uint32_t i)
{
    if (s->writer[reg] != NONE) add_edge(s, s->writer[reg], i, cycles_of(s->node[s->writer[reg]].in));
    note_reader(s, reg, i);
    if (reg < s->nregs - 1) s->left[reg]++;
}

static void write_reg(struct sched *s, uint32_t reg, uint32_t i)
{
    uint32_t before = s->writer[reg];
    if (before != NONE && before != i) add_edge(s, before, i, 1); /* i itself: mov {%r1, %r1} writes it twice */
    for (uint32_t e = s->readers[reg]; e != NONE; e = s->edge[e].next)
        if (s->edge[e].to != i) add_edge(s, s->edge[e].to, i, 0);
    s->writer[reg] = i;
    s->readers[reg] = NONE;
}

/* Of an instruction that is only an operand of others (assemble.h) these read the source: it must not change before. */
static void read_through(struct sched *s, uint32_t reg, uint32_t i)
{
    for (uint32_t w = s->writer[reg], last = i; w != NONE && w < last; w = s->writer[reg]) {
        const struct ptx_inst *in = s->node[w].in;
        if (!in->dropped || in->src[0].kind != OPND_REG || in->src[0].reg < 0) return;
        reg = (uint32_t)in->src[0].reg;
        note_reader(s, reg, i);
        last = w;
    }
}

/* The carry is a register behind all others. */
static void link_registers(struct sched *s, uint32_t i)
{
    const struct ptx_inst *in = s->node[i].in;
    int32_t regs[MAX_INST_REGS];
    uint32_t carry = s->nregs - 1;
    unsigned n = inst_reads(in, regs);
    for (unsigned k = 0; k < n; k++) {
        read_reg(s, (uint32_t)regs[k], i);
        read_through(s, (uint32_t)regs[k], i);
    }
    if (in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC) read_reg(s, carry, i);
    n = inst_writes(in, regs);
    for (unsigned k = 0; k < n; k++) write_reg(s, (uint32_t)regs[k], i);
    if (in->flags & FLAG_CC) write_reg(s, carry, i);
}

static const struct ptx_operand *address_of(const struct ptx_inst *in)
{
    for (unsigned k = 0; k < in->nsrc; k++)
        if (in->src[k].kind == OPND_ADDR) return &in->src[k];
    for (unsigned k = 0; k < in->ndst; k++)
        if (in->dst[k].kind == OPND_ADDR) return &in->dst[k];
    return NULL;
}

/* Whether two accesses, at most one of them a load, cannot touch the same bytes. The one that wrote the address
 * register is older than both, or the address is another. */
static bool apart(const struct sched *s, uint32_t first, const struct ptx_inst *a, const struct ptx_inst *b)
{
    if (a->cop == CACHE_NC || b->cop == CACHE_NC || a->op == OP_TEX || b->op == OP_TEX) return true;
    if (a->space != b->space) return a->space != PTX_SPACE_NONE && b->space != PTX_SPACE_NONE;
    const struct ptx_operand *x = address_of(a), *y = address_of(b);
    if (!x || !y || x->reg != y->reg || x->var != y->var) return false;
    if (x->reg >= 0 && s->writer[x->reg] != NONE && s->writer[x->reg] > first) return false;
    int64_t gap = (int64_t)(y->imm - x->imm);
    unsigned below = ptx_type_bytes((enum ptx_type)a->type) * a->vec,
             above = ptx_type_bytes((enum ptx_type)b->type) * b->vec;
    return gap >= (int64_t)below || -gap >= (int64_t)above;
}

static void link_memory(struct sched *s, uint32_t i, uint32_t *recent, uint32_t *nrecent)
{
    const struct ptx_inst *in = s->node[i].in;
    bool fence = is_fence(in) || *nrecent == SCHED_MEMORY;
    if (!fence && !is_memory(in)) return;
    for (uint32_t k = 0; k < *nrecent; k++) {
        uint32_t other = recent[k];
        const struct ptx_inst *o = s->node[other].in;
        bool free = !is_fence(o) && !fence && ((!is_store(in) && !is_store(o)) || apart(s, other, o, in));
        if (!free) add_edge(s, other, i, 1);
    }
    if (fence) *nrecent = 0;
    recent[(*nrecent)++] = i;
}

/* Of the registers that the block names: a function has many more. */
static void forget_registers(struct sched *s, const struct func_info *fi, const struct ptx_block *blk)
{
    int32_t regs[MAX_INST_REGS];
    s->writer[s->nregs - 1] = s->readers[s->nregs - 1] = NONE; /* the carry */
    for (uint32_t i = blk->first; i < blk->first + blk->count; i++) {
        unsigned n = inst_reads(&fi->inst[i], regs);
        for (unsigned k = 0; k < n; k++) s->writer[regs[k]] = s->readers[regs[k]] = NONE, s->left[regs[k]] = 0;
        n = inst_writes(&fi->inst[i], regs);
        for (unsigned k = 0; k < n; k++) s->writer[regs[k]] = s->readers[regs[k]] = NONE, s->left[regs[k]] = 0;
    }
}

/* Nothing passes a read of the clock: what stands between two of them is what is being timed. `since`: the last one,
 * or 0. */
static void link_clock(struct sched *s, uint32_t i, uint32_t *since)
{
    bool first = !*since && !inst_reads_clock(s->node[0].in);
    if (inst_reads_clock(s->node[i].in)) {
        for (uint32_t k = *since; k < i && !s->failed; k++) add_edge(s, k, i, 1);
        *since = i;
    } else if (!first) {
        add_edge(s, *since, i, 1);
    }
}

static void build_graph(struct sched *s, const struct func_info *fi, const struct ptx_block *blk)
{
    uint32_t recent[SCHED_MEMORY + 1], nrecent = 0, clock = 0;
    s->nedge = 0;
    forget_registers(s, fi, blk);
    for (uint32_t i = 0; i < blk->count && !s->failed; i++) {
        s->node[i] = (struct sched_node){.in = &fi->inst[blk->first + i], .first = NONE};
        link_registers(s, i);
        link_memory(s, i, recent, &nrecent);
        link_clock(s, i, &clock);
    }
    if (s->failed) return; /* the nodes behind are not made */
    const struct ptx_inst *last = &fi->inst[blk->first + blk->count - 1];
    if (ends_block(last))
        for (uint32_t i = 0; i + 1 < blk->count && !s->failed; i++) add_edge(s, i, blk->count - 1, 0);
    for (uint32_t i = blk->count; i-- > 0;)
        for (uint32_t e = s->node[i].first; e != NONE; e = s->edge[e].next) {
            uint32_t h = s->node[s->edge[e].to].height + s->edge[e].cycles;
            if (h > s->node[i].height) s->node[i].height = h;
        }
}

/* ---- the order ---- */

static int weight_of(const struct func_info *fi, int32_t r)
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)fi->f.reg[r].type);
    return bytes > 4 ? 2 : bytes ? 1 : 0;
}

/* By how many registers the values of the block grow when i is placed. */
static int growth(const struct sched *s, const struct func_info *fi, const struct value *value, uint32_t i)
{
    int32_t regs[MAX_VALUE_REGS];
    const struct ptx_inst *in = s->node[i].in;
    int n = 0;
    unsigned count = value_writes(value, in, regs);
    for (unsigned k = 0; k < count; k++) n += weight_of(fi, regs[k]);
    count = inst_reads(in, regs);
    for (unsigned k = 0; k < count; k++)
        if (s->left[regs[k]] == 1 && !value[regs[k]].folded && value[regs[k]].writes == 1) n -= weight_of(fi, regs[k]);
    return n;
}

static void place(struct sched *s, uint32_t i, uint32_t now)
{
    int32_t regs[MAX_INST_REGS];
    s->node[i].placed = true;
    unsigned n = inst_reads(s->node[i].in, regs);
    for (unsigned k = 0; k < n; k++) s->left[regs[k]]--;
    for (uint32_t e = s->node[i].first; e != NONE; e = s->edge[e].next) {
        struct sched_node *to = &s->node[s->edge[e].to];
        to->waits--;
        if (now + s->edge[e].cycles > to->ready) to->ready = now + s->edge[e].cycles;
    }
}

/* The best instruction that can go now; if none can, *now moves on to when one can. */
static uint32_t choose(const struct sched *s, uint32_t first, uint32_t count, uint32_t *now)
{
    uint32_t best = NONE, soonest = NONE;
    for (uint32_t i = first; i < count; i++) {
        const struct sched_node *n = &s->node[i];
        if (n->placed || n->waits) continue;
        if (n->ready <= *now) {
            if (best == NONE || n->height > s->node[best].height) best = i;
        } else if (soonest == NONE || n->ready < s->node[soonest].ready) {
            soonest = i;
        }
    }
    if (best != NONE) return best;
    *now = s->node[soonest].ready;
    return choose(s, first, count, now);
}

static int reserve(struct sched *s, const struct func_info *fi, uint32_t count)
{
    if (!s->edge) {
        s->edge_cap = SOME_EDGES;
        s->edge = calloc(s->edge_cap, sizeof *s->edge);
        if (!s->edge) return -1;
    }
    if (count > s->node_cap) {
        struct sched_node *p = realloc(s->node, count * sizeof *p);
        if (!p) return -1;
        s->node = p;
        s->node_cap = count;
    }
    if (!s->writer || s->nregs != fi->f.nregs + 1) {
        uint32_t n = fi->f.nregs + 1, *p = realloc(s->writer, (size_t)n * 3 * sizeof *p);
        if (!p) return -1;
        s->writer = p;
        s->readers = p + n;
        s->left = s->readers + n;
        s->nregs = n;
    }
    return 0;
}

int sched_block(struct sched *s, const struct func_info *fi, uint32_t b, const struct value *value, uint32_t room,
                uint32_t *order)
{
    const struct ptx_block *blk = &fi->block[b];
    for (uint32_t i = 0; i < blk->count; i++) order[i] = i;
    if (blk->count < 3 || blk->count > SCHED_MOST) return 0;
    if (reserve(s, fi, blk->count)) return -1;
    build_graph(s, fi, blk);
    if (s->failed) return -1;
    uint32_t first = 0, now = 0;
    int64_t held = 0;
    for (uint32_t k = 0; k < blk->count; k++) {
        while (first < blk->count && s->node[first].placed) first++;
        uint32_t i = choose(s, first, blk->count, &now);
        int g = growth(s, fi, value, i);
        if (g > 0 && held + g > (int64_t)room) { /* full: on with the text, which ends what it has begun */
            i = first;
            g = growth(s, fi, value, i);
            if (s->node[i].ready > now) now = s->node[i].ready;
        }
        held += g;
        place(s, i, now++);
        order[k] = i;
    }
    return 0;
}

void sched_free(struct sched *s)
{
    free(s->node);
    free(s->edge);
    free(s->writer);
}

/* ---- a whole function ---- */

int sched_function(struct build *b, struct func_info *fi)
{
    struct sched s = {0};
    struct value *value = calloc(fi->f.nregs + 1u, sizeof *value);
    struct ptx_inst *copy = calloc(SCHED_MOST, sizeof *copy);
    uint32_t *order = calloc(fi->f.ninst + 1u, sizeof *order);
    bool failed = !value || !copy || !order;
    if (!failed) {
        values_find(fi, value);
        assemble_mark(value, fi); /* instructions are chosen first, then put in order */
    }
    for (uint32_t i = 0; i < fi->f.nblock && !failed; i++) {
        struct ptx_inst *inst = &fi->inst[fi->block[i].first];
        uint32_t count = fi->block[i].count;
        if (count > SCHED_MOST) continue;
        failed = sched_block(&s, fi, i, value, fi->room[i], order);
        memcpy(copy, inst, count * sizeof *copy);
        for (uint32_t k = 0; k < count && !failed; k++) inst[k] = copy[order[k]];
    }
    sched_free(&s);
    free(value);
    free(copy);
    free(order);
    return failed ? wl_fail(b->e, WL_ERUN, "%s: out of memory while ordering %s", b->m->file, fi->f.name) : 0;
}
