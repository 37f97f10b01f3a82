/* repeat.c - see repeat.h. */
#include "ptx/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/opcodes.h"

enum { COPIES = 4, BODY_LEAST = 3, BODY_MOST = 40 };

/* ---- which loops ---- */

/* Moves a counter or a pointer by a literal. */
static bool is_step(const struct ptx_inst *in)
{
    return (in->op == OP_ADD || in->op == OP_SUB) && in->guard < 0 && in->dst[0].kind == OPND_REG &&
           in->src[0].kind == OPND_REG && in->src[0].reg == in->dst[0].reg && in->src[1].kind == OPND_IMM;
}

static bool is_straight(const struct ptx_inst *in)
{
    uint8_t kind = ptx_opcodes[in->op].kind;
    return !in->rolled && (kind == INST_ALU || kind == INST_LOAD || kind == INST_STORE);
}

/* Whether a test of what steps in the block decides on the next round. */
static bool is_counted(const struct func_info *fi, const struct ptx_block *blk, int32_t guard)
{
    for (uint32_t i = blk->first; i + 1 < blk->first + blk->count; i++) {
        if (fi->inst[i].op != OP_SETP || !inst_writes_reg(&fi->inst[i], guard)) continue;
        for (uint32_t k = blk->first; k < i; k++)
            if (is_step(&fi->inst[k]) && inst_reads_reg(&fi->inst[i], fi->inst[k].dst[0].reg)) return true;
    }
    return false;
}

static bool is_repeated(const struct func_info *fi, uint32_t b)
{
    const struct ptx_block *blk = &fi->block[b];
    if (blk->count < BODY_LEAST || blk->count > BODY_MOST) return false;
    const struct ptx_inst *bra = &fi->inst[blk->first + blk->count - 1];
    if (bra->op != OP_BRA || bra->guard < 0 || bra->target != b) return false;
    for (uint32_t i = blk->first; i + 1 < blk->first + blk->count; i++)
        if (!is_straight(&fi->inst[i])) return false;
    return is_counted(fi, blk, bra->guard);
}

/* ---- the copy ---- */

/* Each round but the last writes registers of its own. */
static int32_t new_name(struct repeated *r, int32_t reg, bool last)
{
    if (last) return r->name[reg] = reg;
    r->reg[r->fi.f.nregs] = r->reg[reg];
    return r->name[reg] = (int32_t)r->fi.f.nregs++;
}

static void rename_operand(struct build *b, struct repeated *r, struct ptx_operand *o, bool written, bool last)
{
    if (o->kind == OPND_VEC) {
        struct ptx_operand *v = ARENA_ARRAY(&b->m->arena, struct ptx_operand, o->nvec);
        r->failed |= !v;
        for (unsigned i = 0; i < o->nvec && v; i++) {
            v[i] = o->vec[i];
            if (v[i].kind == OPND_REG && v[i].reg >= 0)
                v[i].reg = written ? new_name(r, v[i].reg, last) : r->name[v[i].reg];
        }
        if (v) o->vec = v;
    } else if ((o->kind == OPND_REG || o->kind == OPND_ADDR) && o->reg >= 0) {
        o->reg = written && o->kind == OPND_REG ? new_name(r, o->reg, last) : r->name[o->reg];
    }
}

static void put_round(struct build *b, struct repeated *r, const struct func_info *fi, const struct ptx_block *blk,
                      bool last)
{
    for (uint32_t i = blk->first; i < blk->first + blk->count; i++) {
        struct ptx_inst in = fi->inst[i];
        if (!last && (is_step(&in) || in.op == OP_BRA || in.op == OP_SETP)) continue;
        for (unsigned k = 0; k < in.nsrc; k++) rename_operand(b, r, &in.src[k], false, last);
        if (in.guard >= 0) in.guard = r->name[in.guard];
        for (unsigned k = 0; k < in.ndst; k++) rename_operand(b, r, &in.dst[k], true, last);
        r->inst[r->fi.f.ninst++] = in;
    }
}

static bool take_memory(struct repeated *r, const struct func_info *fi)
{
    int32_t regs[MAX_INST_REGS];
    size_t insts = fi->f.ninst, nregs = fi->f.nregs;
    for (uint32_t b = 0; b < fi->f.nblock; b++) {
        if (!is_repeated(fi, b)) continue;
        const struct ptx_block *blk = &fi->block[b];
        insts += (size_t)(COPIES - 1) * blk->count;
        for (uint32_t i = blk->first; i < blk->first + blk->count; i++)
            nregs += (size_t)(COPIES - 1) * inst_writes(&fi->inst[i], regs);
    }
    r->inst = calloc(insts + 1, sizeof *r->inst);
    r->reg = calloc(nregs + 1, sizeof *r->reg);
    r->block = calloc(fi->f.nblock + 1u, sizeof *r->block);
    r->name = calloc(nregs + 1, sizeof *r->name);
    return r->inst && r->reg && r->block && r->name;
}

bool repeat_loops(struct build *b, const struct func_info *fi, struct repeated *r)
{
    *r = (struct repeated){.fi = *fi};
    if (!take_memory(r, fi)) return false;
    if (fi->f.nregs) memcpy(r->reg, fi->f.reg, fi->f.nregs * sizeof *r->reg);
    for (uint32_t i = 0; i < fi->f.nregs; i++) r->name[i] = (int32_t)i;
    r->fi.f.ninst = 0;
    for (uint32_t k = 0; k < fi->f.nblock; k++) {
        const struct ptx_block *blk = &fi->block[k];
        r->block[k] = *blk;
        r->block[k].first = r->fi.f.ninst;
        if (is_repeated(fi, k)) {
            for (unsigned copy = 0; copy < COPIES; copy++) put_round(b, r, fi, blk, copy + 1 == COPIES);
        } else {
            memcpy(r->inst + r->fi.f.ninst, fi->inst + blk->first, blk->count * sizeof *r->inst);
            r->fi.f.ninst += blk->count;
        }
        r->block[k].count = r->fi.f.ninst - r->block[k].first;
    }
    r->fi.f.inst = r->fi.inst = r->inst;
    r->fi.f.block = r->fi.block = r->block;
    r->fi.f.reg = r->reg;
    return !r->failed;
}

void repeat_free(struct repeated *r)
{
    free(r->inst);
    free(r->reg);
    free(r->block);
    free(r->name);
}
