/* sink.c - see sink.h. */
#include "ptx/sink.h"

#include <string.h>

#include "ptx/opcodes.h"

enum { FAR = 256, MOST = 1024 }; /* instructions that are looked ahead; longer blocks keep their order */
#define OUTLIVES UINT32_MAX      /* of last[]: the register is live at the end */

static const struct ptx_inst *inst_of(const struct sinker *s, const struct ptx_block *blk, uint32_t place)
{
    return &s->l->fi->inst[blk->first + s->order[blk->first + place]];
}

/* What could stand elsewhere without changing anything but registers. */
static bool may_sink(const struct ptx_inst *in)
{
    if (in->guard >= 0 || ptx_opcodes[in->op].kind != INST_ALU || in->flags & FLAG_CC || inst_reads_clock(in))
        return false;
    return in->op != OP_ADDC && in->op != OP_SUBC && in->op != OP_MADC && in->op != OP_SHFL;
}

/* Whether `in` must stay in front of `behind`. */
static bool is_before(const struct ptx_inst *in, const struct ptx_inst *behind)
{
    int32_t regs[MAX_INST_REGS];
    unsigned n = inst_writes(in, regs);
    for (unsigned k = 0; k < n; k++)
        if (inst_reads_reg(behind, regs[k]) || inst_writes_reg(behind, regs[k])) return true;
    n = inst_reads(in, regs);
    for (unsigned k = 0; k < n; k++)
        if (inst_writes_reg(behind, regs[k])) return true;
    return ptx_opcodes[behind->op].kind == INST_BRANCH;
}

static void find_waits(struct sinker *s, const struct ptx_block *blk)
{
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = 0; i < blk->count; i++) {
        const struct ptx_inst *in = inst_of(s, blk, i);
        uint8_t *waits = &s->waits[s->order[blk->first + i]];
        unsigned n = inst_reads(in, regs);
        *waits = 0;
        for (unsigned k = 0; k < n; k++) {
            *waits |= s->loaded[regs[k]];
            s->loaded[regs[k]] = 0;
        }
        n = inst_writes(in, regs);
        for (unsigned k = 0; k < n; k++) s->loaded[regs[k]] = in->op == OP_LD && in->space != PTX_PARAM_KERNEL;
    }
    for (uint32_t i = 0; i < blk->count; i++) {
        unsigned n = inst_writes(inst_of(s, blk, i), regs);
        for (unsigned k = 0; k < n; k++) s->loaded[regs[k]] = 0;
    }
}

static void find_last(struct sinker *s, uint32_t b, const struct ptx_block *blk)
{
    int32_t regs[MAX_VALUE_REGS];
    for (uint32_t i = 0; i < blk->count; i++) {
        uint32_t number = s->order[blk->first + i];
        unsigned n = value_reads(s->l->value, inst_of(s, blk, i), regs);
        s->place[number] = i;
        for (unsigned k = 0; k < n; k++) s->last[regs[k]] = number + 1;
    }
    for (uint32_t n = s->l->out[b]; n != UINT32_MAX; n = s->l->node[n].next) s->last[s->l->node[n].value] = OUTLIVES;
}

static void forget_last(struct sinker *s, uint32_t b, const struct ptx_block *blk)
{
    int32_t regs[MAX_VALUE_REGS];
    for (uint32_t i = 0; i < blk->count; i++) {
        unsigned n = value_reads(s->l->value, inst_of(s, blk, i), regs);
        for (unsigned k = 0; k < n; k++) s->last[regs[k]] = 0;
    }
    for (uint32_t n = s->l->out[b]; n != UINT32_MAX; n = s->l->node[n].next) s->last[s->l->node[n].value] = 0;
}

/* The place in front of which instruction i could stand: its first reader, or the last wait before that. */
static uint32_t target_of(const struct sinker *s, const struct ptx_block *blk, uint32_t i)
{
    const struct ptx_inst *in = inst_of(s, blk, i);
    uint32_t to = i + 1, end = blk->count - i > FAR ? i + FAR : blk->count;
    while (to < end && !is_before(in, inst_of(s, blk, to))) to++;
    for (uint32_t k = to; k-- > i + 1;)
        if (s->waits[s->order[blk->first + k]]) return k;
    return to;
}

/* Whether no more registers are live when the instruction stands before place `to`. */
static bool saves(const struct sinker *s, const struct ptx_inst *in, uint32_t to)
{
    int32_t regs[MAX_VALUE_REGS];
    int gain = 0;
    unsigned n = value_writes(s->l->value, in, regs);
    for (unsigned k = 0; k < n; k++) gain += s->l->weight[regs[k]];
    n = value_reads(s->l->value, in, regs);
    for (unsigned k = 0; k < n; k++) {
        uint32_t last = s->last[regs[k]];
        if (last != OUTLIVES && s->place[last - 1] < to) gain -= s->l->weight[regs[k]];
    }
    return gain >= 0;
}

static void move(struct sinker *s, const struct ptx_block *blk, uint32_t i, uint32_t to)
{
    int32_t regs[MAX_VALUE_REGS];
    uint32_t *order = s->order + blk->first, number = order[i];
    memmove(order + i, order + i + 1, (to - 1 - i) * sizeof *order);
    order[to - 1] = number;
    for (uint32_t k = i; k < to; k++) s->place[order[k]] = k;
    unsigned n = value_reads(s->l->value, &s->l->fi->inst[blk->first + number], regs);
    for (unsigned k = 0; k < n; k++) {
        uint32_t *last = &s->last[regs[k]];
        if (*last != OUTLIVES && s->place[*last - 1] < to) *last = number + 1;
    }
}

void sink_block(struct sinker *s, uint32_t b)
{
    const struct ptx_block *blk = &s->l->fi->block[b];
    if (blk->count > MOST) return;
    find_waits(s, blk);
    find_last(s, b, blk);
    for (uint32_t i = blk->count; i-- > 0;) {
        const struct ptx_inst *in = inst_of(s, blk, i);
        if (!may_sink(in) || s->waits[s->order[blk->first + i]]) continue;
        uint32_t to = target_of(s, blk, i);
        if (to > i + 1 && saves(s, in, to)) move(s, blk, i, to);
    }
    forget_last(s, b, blk);
}
