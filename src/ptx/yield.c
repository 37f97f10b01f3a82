/* yield.c - see yield.h. */
#include "ptx/yield.h"

#include "ptx/converge.h"
#include "ptx/opcodes.h"

#include <string.h>

/* ---- where they are ---- */

static uint16_t outermost(const struct code_loop *loop, uint16_t id)
{
    while (id != CODE_NO_LOOP && loop[id].parent != CODE_NO_LOOP) id = loop[id].parent;
    return id;
}

static bool needs_all(const struct ptx_inst *in)
{
    return ptx_opcodes[in->op].kind == INST_BARRIER || in->op == OP_SHFL || in->op == OP_VOTE || in->op == OP_MATCH ||
           in->op == OP_REDUX || in->op == OP_CALL;
}

/* Whether the comparison at `at` of the block looks at what an exchange in front of it has found. */
static bool looks_at_exchange(const struct func_info *fi, const struct ptx_block *pb, uint32_t at)
{
    int32_t regs[MAX_INST_REGS];
    unsigned n = inst_reads(&fi->inst[at], regs);
    for (uint32_t i = pb->first; i < at; i++)
        for (unsigned k = 0; k < n; k++)
            if (fi->inst[i].op == OP_ATOM && fi->inst[i].mode == ATOM_CAS && inst_writes_reg(&fi->inst[i], regs[k]))
                return true;
    return false;
}

/* The block ends with a branch that depends on whether its exchange has succeeded. */
static bool repeats_exchange(const struct func_info *fi, uint32_t block)
{
    const struct ptx_block *pb = &fi->block[block];
    const struct ptx_inst *last = pb->count ? &fi->inst[pb->first + pb->count - 1] : NULL;
    if (!last || last->op != OP_BRA || last->guard < 0 || !converge_parts(fi, last)) return false;
    for (uint32_t i = pb->first; i < pb->first + pb->count; i++)
        if (fi->inst[i].op == OP_SETP && inst_writes_reg(&fi->inst[i], last->guard) && looks_at_exchange(fi, pb, i))
            return true;
    return false;
}

static bool nest_is_free(const struct build *b, const struct func_info *fi, uint16_t nest)
{
    for (uint32_t i = 0; i < fi->f.nblock; i++) {
        if (fi->block_loop[i] == CODE_NO_LOOP || outermost(b->loop, fi->block_loop[i]) != nest) continue;
        for (uint32_t k = fi->block[i].first; k < fi->block[i].first + fi->block[i].count; k++)
            if (needs_all(&fi->inst[k])) return false;
    }
    return true;
}

void yield_find(const struct build *b, struct func_info *fi)
{
    for (uint32_t i = 0; i < fi->f.nblock; i++) {
        if (fi->block_loop[i] == CODE_NO_LOOP || !repeats_exchange(fi, i)) continue;
        uint16_t nest = outermost(b->loop, fi->block_loop[i]);
        uint32_t out = fi->block[i].ipdom;
        while (out < fi->f.nblock && outermost(b->loop, fi->block_loop[out]) == nest) out = fi->block[out].ipdom;
        fi->block[i].yields = nest_is_free(b, fi, nest);
        fi->block[i].outside = out < fi->f.nblock ? out : PTX_NO_BLOCK;
    }
}

/* ---- what they do ---- */

static uint16_t loop_of(const struct exec_warp *w, uint32_t block)
{
    const struct xfunc *f = w->frame[w->nframe - 1].f;
    return w->run->l.image->mod->code.block[f->block[block].code_block].loop;
}

static uint16_t nest_of(const struct exec_warp *w, uint32_t block)
{
    return block == PTX_NO_BLOCK ? CODE_NO_LOOP : outermost(w->run->l.image->mod->code.loop, loop_of(w, block));
}

/* The lowest level that the loop's lanes are on: those above meet inside of it, or behind it with this one. */
static uint32_t lowest_level(const struct exec_warp *w, const struct xblock *b, uint16_t nest)
{
    uint32_t j = w->depth - 1, base = w->frame[w->nframe - 1].stack;
    while (j > base && (w->stack[j].reconv == b->outside || nest_of(w, w->stack[j].reconv) == nest)) j--;
    return j;
}

/* The lowest level that lanes of the loop are on becomes two: one waits behind the outermost loop, the other goes on.
 */
static int wait_outside(struct exec_warp *w, const struct xblock *b, uint32_t level)
{
    struct simt *at = &w->stack[level];
    if (at->reconv == b->outside || at->block == b->outside) return 0;
    struct simt on = {.block = at->block, .reconv = b->outside, .mask = at->mask};
    at->block = b->outside;
    if (!warp_push_level(w, 0, 0, 0)) return -1;
    memmove(&w->stack[level + 2], &w->stack[level + 1], (w->depth - level - 2) * sizeof *w->stack);
    w->stack[level + 1] = on;
    return 0;
}

int yield_branch(struct exec_warp *w, const struct xblock *b, const struct simt *leave, const struct simt *stay)
{
    uint16_t nest = nest_of(w, (uint32_t)(b - w->frame[w->nframe - 1].f->block));
    uint32_t from = lowest_level(w, b, nest);
    if (wait_outside(w, b, from)) return -1;
    w->stack[w->depth - 1].block = leave->block;
    for (uint32_t j = from; j < w->depth; j++)
        if (w->stack[j].block != b->outside) w->stack[j].mask &= ~stay->mask;
    return warp_push_level(w, stay->block, b->outside, stay->mask) ? 0 : -1;
}

bool yield_stays(const struct exec_warp *w, const struct xblock *b, uint32_t block)
{
    const struct xfunc *f = w->frame[w->nframe - 1].f;
    return block != b->ipdom && loop_of(w, block) == loop_of(w, (uint32_t)(b - f->block));
}
