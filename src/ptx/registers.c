/* registers.c - registers of a thread of an assembled program: an allocator that does what ptxas does.
 *
 * The values of a kernel are given machine registers, the lowest that are free wherever the value is live, those of 64
 * bits an even pair. R1 is the stack pointer, and two registers on top are the hardware's: the machine code of
 * our kernels by ptxas 13.0 uses two less than `ptxas -v` says, always. Done twice:
 *
 * - The least: instructions in the order of the text, values made late (sink.h).
 * - The most: in the order that hides latencies best (block_order.h), values made late, and registers as
 *   ptxas spends them while that costs no occupancy. A word loaded from memory takes a pair: the one of its address if
 *   that is no longer needed (LDG R2, [R2.64]), else the address stays until the word is read. A base of addresses that
 *   is a parameter is loaded from the constant bank some instructions ahead of the sum (LDC.64).
 *
 * Constants and parameters are operands, but accesses of memory have theirs in registers, and from sm_90 on, where
 * registers are spent, so have instructions that read two constants (hold.h). Short loops are repeated
 * (repeat.h). ptx_registers chooses between the two. What it comes to: tests/unit/test_registers.c. */
#include "ptx/registers.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/assemble.h"
#include "ptx/block_order.h"
#include "ptx/hold.h"
#include "ptx/known_registers.h"
#include "ptx/live.h"
#include "ptx/opcodes.h"
#include "ptx/repeat.h"
#include "ptx/sink.h"

enum { ROWS = MAX_THREAD_REGS + 1, STACK_POINTER = 1, OF_HARDWARE = 2 };
enum { AHEAD = 12 };            /* instructions between LDC and the sum, about its latency */
enum { FREE_REGS = 32 };        /* 65,536 registers for 2048 threads */
enum { HOLDS_PARAMETERS = 90 }; /* the compute capability: see hold.h */
enum { MOST_INST = 1 << 17 };   /* of a kernel; in a longer one nobody counts */
#define NONE UINT32_MAX

/* A value is live at the points from begin to before end. Point i + b stands in front of instruction i of block b, and
 * there is one at each block's end. */
struct live_span {
    uint32_t begin, end, next;
};

struct allocation {
    struct live l;
    struct sched sched;
    struct sinker sinker;
    struct live_span *span;
    uint32_t nspan, span_cap;
    uint32_t nvalues, value_cap; /* registers of PTX, and behind them operands that need a register */
    uint8_t *weight;             /* by value */
    uint32_t *spans, *end;       /* by value: its spans, the first one first; up to where it is live in this block */
    uint32_t *pair;              /* by value: a load's result may have the registers of this one, plus one */
    uint32_t *machine, *next;    /* by value: its register; the next value that begins at the same point */
    uint32_t *first;             /* by point: values that begin here */
    uint32_t *read_at;           /* by place of an instruction: of a load, the point after its result's first read */
    uint64_t *busy;              /* by machine register: points where it is taken */
    uint32_t points, words, used;
    bool plenty, failed;
};

static const struct ptx_inst *inst_of(const struct allocation *a, const struct ptx_block *blk, uint32_t place)
{
    return &a->l.fi->inst[blk->first + a->sinker.order[blk->first + place]];
}

/* ---- live ranges ---- */

static void add_span(struct allocation *a, uint32_t v, uint32_t begin, uint32_t end)
{
    if (a->nspan == a->span_cap) {
        uint32_t cap = 2 * a->span_cap + 1024;
        struct live_span *p = realloc(a->span, cap * sizeof *p);
        if (!p) {
            a->failed = true;
            return;
        }
        a->span = p;
        a->span_cap = cap;
    }
    a->span[a->nspan] = (struct live_span){begin, end, a->spans[v]};
    a->spans[v] = a->nspan++;
}

static void live_until(struct allocation *a, uint32_t v, uint32_t point)
{
    if (a->weight[v] && a->end[v] < point) a->end[v] = point;
}

static bool is_load(const struct ptx_inst *in) { return in->op == OP_LD && in->space != PTX_PARAM_KERNEL; }

/* Where the results of loads are read first: until then nothing may be written to the registers of the address. */
static void find_reads(struct allocation *a, uint32_t b, const struct ptx_block *blk)
{
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = 0; i < blk->count; i++) {
        const struct ptx_inst *in = inst_of(a, blk, i);
        unsigned n = inst_reads(in, regs);
        for (unsigned k = 0; k < n; k++) {
            uint32_t load = a->l.loader[regs[k]];
            a->l.loader[regs[k]] = 0;
            if (load && !a->read_at[blk->first + load - 1]) a->read_at[blk->first + load - 1] = blk->first + b + i + 1;
        }
        a->read_at[blk->first + i] = 0;
        n = inst_writes(in, regs);
        for (unsigned k = 0; k < n; k++) a->l.loader[regs[k]] = is_load(in) ? i + 1 : 0;
    }
    for (uint32_t i = 0; i < blk->count; i++) {
        unsigned n = inst_writes(inst_of(a, blk, i), regs);
        for (unsigned k = 0; k < n; k++) a->l.loader[regs[k]] = 0;
    }
}

static bool is_constant(const struct allocation *a, const struct ptx_operand *o)
{
    return o->reg >= 0 && a->l.value[o->reg].folded && !a->l.value[o->reg].nroots;
}

static bool adds_to_constant(const struct allocation *a, const struct ptx_inst *in)
{
    for (unsigned i = 0; in->op == OP_ADD && i < in->nsrc; i++)
        if (in->src[i].kind == OPND_REG && is_constant(a, &in->src[i])) return true;
    return false;
}

/* Zero is a register of its own. */
static bool is_zero(const struct allocation *a, const struct ptx_operand *o)
{
    if (o->kind == OPND_IMM) return o->imm == 0;
    const struct ptx_inst *maker = &a->l.fi->inst[a->l.value[o->reg].def];
    return maker->op == OP_MOV && maker->src[0].kind == OPND_IMM && maker->src[0].imm == 0;
}

/* Registers that a constant operand of an access of memory needs. */
static uint8_t operand_weight(const struct allocation *a, const struct ptx_inst *in, const struct ptx_operand *o)
{
    uint8_t data = ptx_type_bytes((enum ptx_type)in->type) > 4 ? 2 : 1;
    if (o->kind == OPND_ADDR && o->var) return in->space == PTX_GLOBAL ? 2 : 0;
    if (o->kind == OPND_ADDR)
        return is_constant(a, o) && ptx_type_bytes((enum ptx_type)a->l.fi->f.reg[o->reg].type) > 4 ? 2 : 0;
    if (o->kind == OPND_IMM || (o->kind == OPND_REG && is_constant(a, o))) return is_zero(a, o) ? 0 : data;
    return 0;
}

static void add_operands(struct allocation *a, const struct ptx_inst *in, uint32_t point)
{
    uint8_t kind = ptx_opcodes[in->op].kind;
    if (kind != INST_LOAD && kind != INST_STORE && kind != INST_ATOMIC) return;
    if (in->space == PTX_PARAM_KERNEL || in->space == PTX_PARAM_LOCAL) return;
    for (unsigned k = 0; k < in->nsrc; k++) {
        uint8_t weight = operand_weight(a, in, &in->src[k]);
        if (!weight || a->nvalues == a->value_cap) continue;
        a->weight[a->nvalues] = weight;
        add_span(a, a->nvalues++, point, point + 1);
    }
}

static void add_writes(struct allocation *a, const struct ptx_inst *in, uint32_t base, uint32_t i)
{
    int32_t regs[MAX_VALUE_REGS];
    unsigned n = value_writes(a->l.value, in, regs);
    for (unsigned k = 0; k < n; k++) {
        uint32_t v = (uint32_t)regs[k], begin = base + i + 1;
        if (!a->weight[v]) continue;
        live_until(a, v, begin + 1); /* even a value nobody reads has its place */
        if (!live_ends(&a->l, in, regs[k])) continue;
        if (a->plenty && a->weight[v] == 2 && adds_to_constant(a, in)) begin = i < AHEAD ? base + 1 : begin - AHEAD;
        add_span(a, v, begin, a->end[v]);
        a->end[v] = 0;
    }
}

static void add_reads(struct allocation *a, const struct ptx_inst *in, const struct ptx_block *blk, uint32_t base,
                      uint32_t i)
{
    int32_t regs[MAX_VALUE_REGS];
    unsigned n = value_reads(a->l.value, in, regs);
    bool loads = a->plenty && is_load(in) && in->dst[0].kind == OPND_REG && in->dst[0].reg >= 0;
    for (unsigned k = 0; k < n && loads; k++) /* not live behind it: the result may have its registers */
        if (a->weight[regs[k]] == 2 && !a->end[regs[k]]) a->pair[in->dst[0].reg] = (uint32_t)regs[k] + 1;
    uint32_t until = base + i + 1;
    if (a->plenty && a->read_at[blk->first + i] && !(loads && a->pair[in->dst[0].reg]))
        until = a->read_at[blk->first + i];
    for (unsigned k = 0; k < n; k++) live_until(a, (uint32_t)regs[k], until);
}

static void begin_at(struct allocation *a, uint32_t v, uint32_t point)
{
    if (a->end[v]) add_span(a, v, point, a->end[v]);
    a->end[v] = 0;
}

/* From the block's end to its begin, so that each value's first span comes first. */
static void add_block(struct allocation *a, uint32_t b)
{
    const struct ptx_block *blk = &a->l.fi->block[b];
    uint32_t base = blk->first + b;
    int32_t regs[MAX_VALUE_REGS];
    if (a->plenty) find_reads(a, b, blk);
    for (uint32_t n = a->l.out[b]; n != NONE; n = a->l.node[n].next)
        live_until(a, a->l.node[n].value, base + blk->count + 1);
    for (uint32_t i = blk->count; i-- > 0;) {
        const struct ptx_inst *in = inst_of(a, blk, i);
        add_writes(a, in, base, i);
        add_operands(a, in, base + i);
        add_reads(a, in, blk, base, i);
    }
    for (uint32_t n = a->l.out[b]; n != NONE; n = a->l.node[n].next) begin_at(a, a->l.node[n].value, base);
    for (uint32_t i = 0; i < blk->count; i++) {
        unsigned n = value_reads(a->l.value, inst_of(a, blk, i), regs);
        for (unsigned k = 0; k < n; k++) begin_at(a, (uint32_t)regs[k], base);
        n = value_writes(a->l.value, inst_of(a, blk, i), regs); /* by some lanes */
        for (unsigned k = 0; k < n; k++) begin_at(a, (uint32_t)regs[k], base);
    }
}

/* ---- machine registers ---- */

/* The bits of points begin to before end that lie in word w. */
static uint64_t bits_in(const struct live_span *s, uint32_t w)
{
    uint64_t bits = UINT64_MAX;
    if (w == s->begin / 64) bits <<= s->begin % 64;
    if (w == (s->end - 1) / 64) bits &= UINT64_MAX >> (63 - (s->end - 1) % 64);
    return bits;
}

static bool is_free(const struct allocation *a, uint32_t m, uint32_t v)
{
    const uint64_t *row = a->busy + (size_t)m * a->words;
    for (uint32_t s = a->spans[v]; s != NONE; s = a->span[s].next)
        for (uint32_t w = a->span[s].begin / 64; w <= (a->span[s].end - 1) / 64; w++)
            if (row[w] & bits_in(&a->span[s], w)) return false;
    return true;
}

static void take(struct allocation *a, uint32_t m, uint32_t v)
{
    uint64_t *row = a->busy + (size_t)m * a->words;
    for (uint32_t s = a->spans[v]; s != NONE; s = a->span[s].next)
        for (uint32_t w = a->span[s].begin / 64; w <= (a->span[s].end - 1) / 64; w++) row[w] |= bits_in(&a->span[s], w);
    if (m + 1 > a->used) a->used = m + 1;
}

static bool fits(const struct allocation *a, uint32_t m, uint32_t v)
{
    return is_free(a, m, v) && (a->weight[v] == 1 || is_free(a, m + 1, v));
}

static void place(struct allocation *a, uint32_t v)
{
    uint32_t m = a->pair[v] ? a->machine[a->pair[v] - 1] : NONE;
    if (m == NONE || !fits(a, m, v))
        for (m = 0; m + a->weight[v] <= ROWS && !fits(a, m, v);) m += a->weight[v];
    if (m + a->weight[v] > ROWS) { /* it would be spilled */
        a->used = MAX_THREAD_REGS;
        return;
    }
    a->machine[v] = m;
    for (uint32_t k = 0; k < a->weight[v]; k++) take(a, m + k, v);
}

/* Registers that an instruction needs on top of what is live there: those of a called function, too. */
static uint32_t inner_of(const struct func_info *fi, const struct ptx_inst *in)
{
    uint32_t most = 0;
    if (!in->call) return inner_registers(in);
    if (in->call->func) return info_of(in->call->func)->pressure;
    for (const struct callee *c = fi->callees; c; c = c->next)
        if (c->indirect && c->func->pressure > most) most = c->func->pressure;
    return most;
}

/* Registers with those that instructions need for themselves. */
static uint32_t used_inside(const struct allocation *a)
{
    uint32_t most = a->used;
    for (uint32_t b = 0; b < a->l.fi->f.nblock; b++)
        for (uint32_t i = 0; i < a->l.fi->block[b].count; i++) {
            uint32_t n = inner_of(a->l.fi, inst_of(a, &a->l.fi->block[b], i)), p = a->l.fi->block[b].first + b + i;
            for (uint32_t m = 0; n && m < ROWS; m++)
                n += (uint32_t)(a->busy[(size_t)m * a->words + p / 64] >> p % 64 & 1);
            if (n > most) most = n;
        }
    return most;
}

/* Registers that the order needs. */
static uint32_t allocate(struct allocation *a, bool plenty)
{
    struct func_info *fi = a->l.fi;
    a->plenty = plenty;
    a->nspan = 0;
    a->nvalues = fi->f.nregs;
    a->used = STACK_POINTER + 1;
    memset(a->busy, 0, (size_t)ROWS * a->words * sizeof *a->busy);
    memset(a->busy + (size_t)STACK_POINTER * a->words, 0xff, a->words * sizeof *a->busy);
    for (uint32_t v = 0; v < a->value_cap; v++) a->spans[v] = a->machine[v] = NONE, a->end[v] = a->pair[v] = 0;
    for (uint32_t p = 0; p < a->points; p++) a->first[p] = NONE;
    for (uint32_t b = fi->f.nblock; b-- > 0 && !a->failed;) add_block(a, b);
    for (uint32_t v = a->nvalues; v-- > 0;) {
        if (a->spans[v] == NONE) continue;
        uint32_t *first = &a->first[a->span[a->spans[v]].begin];
        a->next[v] = *first;
        *first = v;
    }
    for (uint32_t p = 0; p < a->points; p++)
        for (uint32_t v = a->first[p]; v != NONE; v = a->next[v]) place(a, v);
    return used_inside(a) + OF_HARDWARE;
}

/* ---- a kernel ---- */

/* A division or root whose rare cases are a subroutine: the branch to it ends the block of the machine code. */
static bool has_subroutine(const struct ptx_inst *in)
{
    bool word = !ptx_is_float(in->type) && ptx_type_bytes((enum ptx_type)in->type) < 8;
    return inner_registers(in) > 2 && !word;
}

static void schedule(struct allocation *a, const struct ptx_block *blk, uint32_t *order)
{
    struct func_info part = *a->l.fi;
    for (uint32_t from = 0, end; from < blk->count; from = end) {
        for (end = from + 1; end < blk->count && !has_subroutine(&part.inst[blk->first + end - 1]);) end++;
        struct ptx_block piece = {.first = blk->first + from, .count = end - from};
        part.block = &piece;
        if (sched_block(&a->sched, &part, 0, a->l.value, UINT32_MAX, order + from)) a->failed = true;
        for (uint32_t i = from; i < end; i++) order[i] += from;
    }
}

static void order_blocks(struct allocation *a, bool scheduled)
{
    for (uint32_t b = 0; b < a->l.fi->f.nblock; b++) {
        const struct ptx_block *blk = &a->l.fi->block[b];
        uint32_t *order = a->sinker.order + blk->first;
        for (uint32_t i = 0; i < blk->count; i++) order[i] = i;
        if (scheduled) schedule(a, blk, order);
        sink_block(&a->sinker, b);
    }
}

static void give_pairs(struct allocation *a)
{
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = 0; i < a->l.fi->f.ninst; i++) {
        const struct ptx_inst *in = &a->l.fi->inst[i];
        if (!is_load(in) || in->space == PTX_SHARED || in->space == PTX_CONST || in->vec > 1) continue;
        unsigned n = inst_writes(in, regs);
        for (unsigned k = 0; k < n; k++)
            if (a->weight[regs[k]]) a->weight[regs[k]] = 2;
    }
}

static bool take_memory(struct allocation *a)
{
    size_t nregs = a->l.fi->f.nregs, ninst = a->l.fi->f.ninst;
    a->value_cap = (uint32_t)(nregs + 2 * ninst);
    a->points = (uint32_t)ninst + a->l.fi->f.nblock + 1;
    a->words = a->points / 64 + 1;
    a->busy = calloc((size_t)ROWS * a->words, sizeof *a->busy);
    uint32_t *w = a->spans = calloc(5 * (size_t)a->value_cap + a->points + 3 * ninst + nregs + 1, sizeof *w);
    a->weight = calloc(a->value_cap + nregs + ninst + 1, 1);
    if (!a->busy || !w || !a->weight) return false;
    a->end = w + a->value_cap;
    a->pair = a->end + a->value_cap;
    a->machine = a->pair + a->value_cap;
    a->next = a->machine + a->value_cap;
    a->first = a->next + a->value_cap;
    a->read_at = a->first + a->points;
    a->sinker = (struct sinker){.l = &a->l,
                                .order = a->read_at + ninst,
                                .place = a->read_at + 2 * ninst,
                                .last = a->read_at + 3 * ninst,
                                .loaded = a->weight + a->value_cap,
                                .waits = a->weight + a->value_cap + nregs};
    memcpy(a->weight, a->l.weight, nregs);
    return true;
}

static uint32_t limited(const struct func_info *fi, uint32_t n)
{
    if (n > MAX_THREAD_REGS) n = MAX_THREAD_REGS;
    return fi->maxnreg && n > fi->maxnreg ? fi->maxnreg : n;
}

static uint32_t counted(struct allocation *a, bool most)
{
    assemble_mark(a->l.value, a->l.fi);
    order_blocks(a, most);
    if (most) give_pairs(a);
    return allocate(a, most);
}

/* Registers of the kernel with registers spent (`most`) or saved; 0: no memory. */
static uint32_t count(struct build *b, struct func_info *fi, bool most)
{
    struct allocation a = {.nspan = 0};
    struct repeated r;
    uint32_t n = 0;
    bool holds = most && b->target.capability >= HOLDS_PARAMETERS;
    if (!repeat_loops(b, fi, &r) || (holds && !hold_parameters(&r))) a.failed = true;
    else if (!live_open(&a.l, &r.fi, true)) a.failed = a.l.failed, n = MAX_THREAD_REGS;
    else if (!take_memory(&a)) a.failed = true;
    else n = counted(&a, most);
    live_close(&a.l);
    repeat_free(&r);
    sched_free(&a.sched);
    free(a.busy);
    free(a.spans);
    free(a.weight);
    free(a.span);
    return a.failed ? 0 : n;
}

int registers_count(struct build *b, struct func_info *fi)
{
    if (!fi->f.is_kernel || fi->f.ninst > MOST_INST) return 0;
    uint32_t least = count(b, fi, false), most = count(b, fi, true);
    if (!least || !most)
        return wl_fail(b->e, WL_ERUN, "%s: out of memory while counting registers of %s", b->m->file, fi->f.name);
    fi->f.least_regs = limited(fi, least);
    fi->f.most_regs = limited(fi, most > least ? most : least);
    fi->f.regs_per_thread = ptx_registers(&fi->f, FREE_REGS);
    fi->f.regs_from = REGS_FROM_ALLOCATOR;
    uint32_t known = b->target.known_registers ? known_registers(fi, b->target.capability) : 0;
    if (known) {
        fi->f.regs_per_thread = known;
        fi->f.regs_from = REGS_FROM_ASSEMBLER;
    }
    return 0;
}
