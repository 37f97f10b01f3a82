/* live.c - how many registers a thread needs: what an assembler would use.
 *
 * PTX has as many registers as it likes; a machine has not, and their number limits how many warps are
 * resident. Two numbers are found. The least is the most 32-bit registers live at one place when the
 * instructions stay in their order: a 64-bit value counts two, a predicate none, what is folded into its readers
 * (values.h) none, and some instructions need registers of their own (inner_registers). The most is the same in the
 * order that hides latencies best (block_order.h), with registers as an assembler spends them that need not save: a
 * loaded word gets a pair, and the address of a load keeps its registers until the word is used.
 *
 * Between the two the assembler is free. It takes what it likes as long as that costs no occupancy (if nothing else is
 * said FREE_REGS: 32,768 registers for 1536 threads, a GTX 480), and goes beyond only when it has to; a little above it
 * makes values again rather than lose warps. Of assembled programs registers.c counts, with an allocator; this count is
 * that of programs which run as their text stands, and of traces of them.
 *
 * Liveness is found one register at a time: from each block that reads it before writing it,
 * walk against control flow until blocks that write it. The work is the size of the answer.
 * A guarded write does not end a live range, for some lanes keep the old value. When the
 * answer would be absurdly large (LIVE_BUDGET) the function is taken to need every register
 * a thread can have. */
#include "ptx/live.h"

#include "ptx/block_order.h"

#include <stdlib.h>
#include <string.h>

enum { LIVE_EXTRA = 4, FREE_REGS = 21, SQUEEZED = 4, LIVE_BUDGET = 1 << 23 };
/* For the order of instructions on GPUs with an assembler of today: 65,536 registers for 2048 threads, and of what is
 * live so many stand elsewhere: parameters in the constant bank, counters and pitches, which are equal in all lanes, in
 * uniform registers (gramschm_norm, matmul_naive and streamcluster as ptxas 13.0 assembles them for sm_90). How many is
 * a guess: eight fitted the cycles of these three better than four. */
enum { ORDER_REGS = 32, UNIFORM_REGS = 8 };
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

bool inst_reads_reg(const struct ptx_inst *in, int32_t reg)
{
    int32_t regs[MAX_INST_REGS];
    unsigned n = inst_reads(in, regs);
    for (unsigned i = 0; i < n; i++)
        if (regs[i] == reg) return true;
    return false;
}

bool inst_writes_reg(const struct ptx_inst *in, int32_t reg)
{
    int32_t regs[MAX_INST_REGS];
    unsigned n = inst_writes(in, regs);
    for (unsigned i = 0; i < n; i++)
        if (regs[i] == reg) return true;
    return false;
}

unsigned inst_reads(const struct ptx_inst *in, int32_t *out)
{
    unsigned n = 0;
    for (unsigned i = 0; i < in->nsrc; i++) n += operand_regs(&in->src[i], out + n);
    if (in->guard >= 0) out[n++] = in->guard;
    return n;
}

/* ---- live ranges ---- */

static void push(struct live *l, uint32_t *head, uint32_t value)
{
    if (l->nnode == l->node_cap) {
        uint32_t cap = l->node_cap * 2;
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

static bool complements(const struct ptx_inst *a, const struct ptx_inst *b)
{
    return a->guard >= 0 && a->guard == b->guard && a->guard_neg != b->guard_neg;
}

/* Where branches have become guards (guard_short.c): a register that one instruction writes had no value before, nor
 * had one that is written by two, one for each answer of the guard. */
static void find_beginnings(struct live *l)
{
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = 0; i < l->fi->f.ninst; i++) {
        unsigned n = inst_writes(&l->fi->inst[i], regs);
        for (unsigned k = 0; k < n; k++) {
            uint32_t *first = &l->begins[regs[k]], *count = &l->used_in[regs[k]];
            if (++*count == 1) *first = i + 1;
            else if (*count > 2 || !complements(&l->fi->inst[i], &l->fi->inst[*first - 1])) *first = 0, *count = 3;
        }
    }
    memset(l->used_in, 0, l->fi->f.nregs * sizeof *l->used_in);
}

bool live_ends(const struct live *l, const struct ptx_inst *in, int32_t r)
{
    return in->guard < 0 || (l->assembled && l->begins[r] == (uint32_t)(in - l->fi->inst) + 1);
}

/* Which registers a block reads before it writes them, and which it surely writes. */
static void scan_block(struct live *l, uint32_t b)
{
    const struct ptx_block *blk = &l->fi->block[b];
    int32_t regs[MAX_VALUE_REGS];
    for (uint32_t i = blk->first; i < blk->first + blk->count; i++) {
        const struct ptx_inst *in = &l->fi->inst[i];
        unsigned n = value_reads(l->value, in, regs);
        for (unsigned k = 0; k < n; k++) {
            int32_t r = regs[k];
            if (!l->weight[r] || l->killed_in[r] == b + 1 || l->used_in[r] == b + 1) continue;
            l->used_in[r] = b + 1;
            push(l, &l->exposed[r], b);
        }
        n = value_writes(l->value, in, regs);
        for (unsigned k = 0; k < n; k++) {
            int32_t r = regs[k];
            if (!l->weight[r] || l->killed_in[r] == b + 1 || !live_ends(l, in, r)) continue;
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

/* Registers that the machine code of one PTX instruction needs for itself. From what ptxas 13.0 uses for a
 * kernel with the instruction, less what it uses for one with an addition there. */
uint32_t inner_registers(const struct ptx_inst *in)
{
    bool f64 = in->type == T_F64, exact = in->rnd != RND_NONE, wide = ptx_type_bytes((enum ptx_type)in->type) == 8;
    switch (in->op) {
    case OP_DIV:
        if (in->type == T_F32) return exact ? 8 : 0;
        return f64 ? 15 : wide ? 10 : 4;
    case OP_REM: return wide ? 10 : 4;
    case OP_SQRT: return f64 ? 10 : exact ? 2 : 0;
    case OP_RCP: return f64 ? 4 : exact ? 3 : 0;
    case OP_MIN:
    case OP_MAX: return f64 ? 2 : 0;
    default: return 0;
    }
}

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

/* For each place of the order the loads whose results are read there first: until then an assembler leaves the
 * registers of the address alone, because it would have to wait before writing them. */
static void find_awaited(struct live *l, const struct ptx_inst *inst, uint32_t count, const uint32_t *order)
{
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_inst *in = &inst[order[i]];
        l->awaits[i] = NONE;
        unsigned n = inst_reads(in, regs);
        for (unsigned k = 0; k < n; k++) {
            uint32_t load = l->loader[regs[k]];
            if (load == 0) continue;
            l->loader[regs[k]] = 0;
            if (l->awaits_next[load - 1] != load - 1) continue; /* has been read */
            l->awaits_next[load - 1] = l->awaits[i];
            l->awaits[i] = load - 1;
        }
        n = inst_writes(in, regs);
        bool load = in->op == OP_LD && in->space != PTX_PARAM_KERNEL;
        l->awaits_next[i] = i; /* itself: not read yet */
        for (unsigned k = 0; k < n; k++) l->loader[regs[k]] = load ? i + 1 : 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        unsigned n = inst_writes(&inst[i], regs);
        for (unsigned k = 0; k < n; k++) l->loader[regs[k]] = 0;
    }
}

/* The most registers live at one place of block b with its instructions in the given order; edge[] receives those
 * at its begin and at its end. */
static uint32_t block_pressure(struct live *l, uint32_t b, const uint32_t *order, uint32_t edge[2])
{
    const struct ptx_block *blk = &l->fi->block[b];
    const struct ptx_inst *inst = &l->fi->inst[blk->first];
    int32_t regs[MAX_VALUE_REGS];
    uint32_t now = 0, most;
    if (l->plenty) find_awaited(l, inst, blk->count, order);
    for (uint32_t n = l->out[b]; n != NONE; n = l->node[n].next) {
        int32_t r = (int32_t)l->node[n].value;
        now += set_live(l, &r, 1, 1);
    }
    most = edge[1] = now;
    for (uint32_t i = blk->count; i-- > 0;) {
        const struct ptx_inst *in = &inst[order[i]];
        unsigned n = value_writes(l->value, in, regs);
        now += set_live(l, regs, n, 1); /* even a value nobody reads has its place */
        if (now > most) most = now;
        if (in->guard < 0) now -= set_live(l, regs, n, 0);
        n = value_reads(l->value, in, regs);
        now += set_live(l, regs, n, 1);
        for (uint32_t load = l->plenty ? l->awaits[i] : NONE; load != NONE; load = l->awaits_next[load]) {
            n = value_reads(l->value, &inst[order[load]], regs);
            now += set_live(l, regs, n, 1);
        }
        uint32_t inner = l->plenty ? 0 : inner_registers(in);
        if (now + inner > most) most = now + inner;
    }
    edge[0] = now;
    for (uint32_t n = l->out[b]; n != NONE; n = l->node[n].next) l->live[l->node[n].value] = 0;
    for (uint32_t i = 0; i < blk->count; i++) {
        unsigned n = value_reads(l->value, &inst[i], regs);
        set_live(l, regs, n, 0);
        n = value_writes(l->value, &inst[i], regs);
        set_live(l, regs, n, 0);
    }
    return most;
}

static void swap_weights(struct live *l)
{
    uint8_t *w = l->weight;
    l->weight = l->roomy;
    l->roomy = w;
    l->plenty = !l->plenty;
}

/* In the order of the text (*low), and in the one an assembler would like best (*high). */
static void function_pressure(struct live *l, uint32_t *low, uint32_t *high)
{
    struct sched s = {0};
    struct callee *c = l->fi->callees; /* last call first */
    *low = *high = 0;
    for (uint32_t b = l->fi->f.nblock; b-- > 0;) {
        uint32_t edge[2], here;
        for (uint32_t i = 0; i < l->fi->block[b].count; i++) l->order[i] = i;
        here = block_pressure(l, b, l->order, edge);
        if (here > *low) *low = here;
        for (; c && c->inst >= l->fi->block[b].first; c = c->next) c->live = edge[1];
        l->fi->room[b] = edge[0];
        swap_weights(l);
        if (sched_block(&s, l->fi, b, l->value, UINT32_MAX, l->order)) l->failed = true;
        here = block_pressure(l, b, l->order, edge);
        if (here > *high) *high = here;
        swap_weights(l);
    }
    sched_free(&s);
}

/* ---- */

/* Where registers are plenty a loaded word is put into a pair of its own. */
static void weigh_roomy(struct live *l)
{
    int32_t regs[MAX_INST_REGS];
    memcpy(l->roomy, l->weight, l->fi->f.nregs);
    for (uint32_t i = 0; i < l->fi->f.ninst; i++) {
        const struct ptx_inst *in = &l->fi->inst[i];
        if (in->op != OP_LD || in->space == PTX_PARAM_KERNEL || in->vec > 1) continue;
        unsigned n = inst_writes(in, regs);
        for (unsigned k = 0; k < n; k++)
            if (l->weight[regs[k]]) l->roomy[regs[k]] = 2;
    }
}

static void analyse(struct live *l)
{
    uint32_t nregs = l->fi->f.nregs, nblock = l->fi->f.nblock;
    for (uint32_t r = 0; r < nregs; r++) {
        unsigned bytes = ptx_type_bytes(l->fi->f.reg[r].type);
        l->weight[r] = bytes > 4 ? 2 : bytes ? 1 : 0;
        l->exposed[r] = l->kills[r] = NONE;
    }
    weigh_roomy(l);
    if (l->assembled) find_beginnings(l);
    for (uint32_t b = 0; b < nblock; b++) l->out[b] = NONE;
    for (uint32_t b = 0; b < nblock && !l->failed; b++) scan_block(l, b);
    l->base = l->nnode;
    for (uint32_t r = 0; r < nregs && !l->failed && !l->too_large; r++) spread(l, r);
}

/* What a count of live registers is as a count of registers: some are reserved (the stack pointer, an address or a
 * constant in flight), pairs are aligned, and there is an end. */
static uint32_t with_reserve(const struct func_info *fi, uint32_t live)
{
    uint32_t n = live + LIVE_EXTRA;
    n += n & 1;
    if (n > MAX_THREAD_REGS) n = MAX_THREAD_REGS;
    return fi->maxnreg && n > fi->maxnreg ? fi->maxnreg : n;
}

/* Registers with those of the callees: a called function's stand on top of what its caller
 * keeps across the call. */
static void settle(struct func_info *fi, uint32_t low, uint32_t high)
{
    for (const struct callee *c = fi->callees; c; c = c->next)
        if (c->live + c->func->pressure > low) low = c->live + c->func->pressure;
    if (low > MAX_THREAD_REGS) low = MAX_THREAD_REGS;
    fi->pressure = low;
    fi->f.least_regs = with_reserve(fi, low);
    fi->f.most_regs = with_reserve(fi, high > low ? high : low);
    fi->f.regs_per_thread = ptx_registers(&fi->f, FREE_REGS);
    fi->f.regs_from = REGS_FROM_TEXT;
    uint32_t all = ptx_registers(&fi->f, ORDER_REGS);
    for (uint32_t i = 0; i < fi->f.nblock; i++) { /* so far what is live at the block's begin */
        uint32_t taken = (fi->room[i] > UNIFORM_REGS ? fi->room[i] - UNIFORM_REGS : 0) + LIVE_EXTRA;
        fi->room[i] = all > taken ? all - taken : 0;
    }
}

uint32_t ptx_registers(const struct ptx_func *f, uint32_t free_regs)
{
    if (f->most_regs <= free_regs) return f->most_regs;
    return f->least_regs <= free_regs + SQUEEZED ? free_regs : f->least_regs;
}

static bool take_memory(struct live *l)
{
    size_t nregs = l->fi->f.nregs, nblock = l->fi->f.nblock, ninst = l->fi->f.ninst;
    size_t edges = l->fi->succ_first[nblock];
    uint32_t *w = l->words = calloc(nregs * 6 + nblock * 6 + 2 + edges + 3 * ninst, sizeof *w);
    l->live = calloc(nregs * 3 + 1, 1);
    l->value = calloc(nregs + 1, sizeof *l->value);
    l->node_cap = 1024;
    l->node = calloc(l->node_cap, sizeof *l->node);
    if (!w || !l->live || !l->value || !l->node) return false;
    l->weight = l->live + nregs;
    l->roomy = l->weight + nregs;
    l->exposed = w;
    l->kills = l->exposed + nregs;
    l->used_in = l->kills + nregs;
    l->killed_in = l->used_in + nregs;
    l->loader = l->killed_in + nregs;
    l->begins = l->loader + nregs;
    l->out = l->begins + nregs;
    l->in_mark = l->out + nblock;
    l->out_mark = l->in_mark + nblock;
    l->kill_mark = l->out_mark + nblock;
    l->stack = l->kill_mark + nblock;
    l->order = l->stack + nblock;
    l->awaits = l->order + ninst;
    l->awaits_next = l->awaits + ninst;
    l->pred_first = l->awaits_next + ninst;
    l->pred = l->pred_first + nblock + 1;
    return true;
}

bool live_open(struct live *l, struct func_info *fi, bool assembled)
{
    *l = (struct live){.fi = fi, .assembled = assembled};
    if (!take_memory(l)) {
        l->failed = true;
        return false;
    }
    graph_reverse(fi->f.nblock, fi->succ_first, fi->succ, l->pred_first, l->pred);
    values_find(fi, l->value);
    analyse(l);
    return !l->failed && !l->too_large;
}

void live_close(struct live *l)
{
    free(l->words);
    free(l->live);
    free(l->value);
    free(l->node);
}

int live_count(struct build *b, struct func_info *fi)
{
    struct live l;
    uint32_t low = MAX_THREAD_REGS, high = MAX_THREAD_REGS;
    fi->room = ARENA_ARRAY(&b->m->arena, uint32_t, fi->f.nblock);
    if (live_open(&l, fi, false) && fi->room) function_pressure(&l, &low, &high);
    if (!fi->room) l.failed = true;
    else settle(fi, low, high);
    live_close(&l);
    return l.failed ? wl_fail(b->e, WL_ERUN, "%s: out of memory while analysing %s", b->m->file, fi->f.name) : 0;
}
