/* values.c - see values.h. One pass counts, one pass in the order of the text folds: a register that is written once
 * is nearly always written above its uses, and where it is not, its reader just keeps a place. */
#include "ptx/values.h"

#include <string.h>

static bool is_reg(const struct ptx_operand *o) { return o->kind == OPND_REG && o->reg >= 0; }

/* An operand that costs no register: a literal, a variable's address, a special register that is a constant. */
static bool is_constant(const struct ptx_operand *o)
{
    if (o->kind == OPND_SREG)
        return (o->sreg >= SREG_NTID_X && o->sreg <= SREG_NTID_Z) ||
               (o->sreg >= SREG_NCTAID_X && o->sreg <= SREG_NCTAID_Z) || o->sreg == SREG_WARP_SZ;
    return o->kind == OPND_IMM || o->kind == OPND_VAR || o->kind == OPND_FUNC || o->kind == OPND_SINK;
}

static bool wide(const struct func_info *fi, int32_t r) { return ptx_type_bytes((enum ptx_type)fi->f.reg[r].type) > 4; }

/* ---- counting ---- */

/* Whether the read of r by `in` leaves r a mere address. */
static bool as_address(const struct ptx_inst *in, int32_t r)
{
    switch (in->op) {
    case OP_LD:
    case OP_LDU: return true;
    case OP_ST:
    case OP_RED:
    case OP_ATOM:
        for (unsigned i = 1; i < in->nsrc; i++)
            if (is_reg(&in->src[i]) && in->src[i].reg == r) return false;
        return true;
    default: return false;
    }
}

static void count(const struct func_info *fi, struct value *v)
{
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        const struct ptx_inst *in = &fi->inst[i];
        unsigned n = inst_writes(in, regs);
        for (unsigned k = 0; k < n; k++) {
            v[regs[k]].def = i;
            v[regs[k]].writes += in->guard >= 0 ? 2 : 1; /* a guarded write leaves two values */
        }
        if (in->guard >= 0) v[in->guard].guards = true;
        n = inst_reads(in, regs);
        for (unsigned k = 0; k < n; k++) {
            v[regs[k]].reads++;
            v[regs[k]].address &= as_address(in, regs[k]);
        }
    }
}

/* ---- folding ---- */

static void add_root(struct value *v, int32_t r)
{
    for (unsigned i = 0; i < v->nroots; i++)
        if (v->root[i] == r) return;
    if (v->nroots == VALUE_ROOTS) v->folded = false; /* more than it could stand for */
    else v->root[v->nroots++] = r;
}

/* The value is made anew from the operands where it is used. */
static void fold(struct value *all, struct value *v, const struct ptx_inst *in)
{
    v->folded = true;
    for (unsigned i = 0; i < in->nsrc && v->folded; i++) {
        const struct ptx_operand *o = &in->src[i];
        if (is_constant(o)) continue;
        if (!is_reg(o) || (!all[o->reg].folded && all[o->reg].writes != 1)) {
            v->folded = false;
            break;
        }
        const struct value *s = &all[o->reg];
        for (unsigned k = 0; k < (s->folded ? s->nroots : 1u); k++) add_root(v, s->folded ? s->root[k] : o->reg);
    }
    if (!v->folded) v->nroots = 0;
}

static bool operand_free(const struct value *v, const struct ptx_operand *o)
{
    return is_constant(o) || (is_reg(o) && v[o->reg].folded && !v[o->reg].nroots);
}

static bool all_free(const struct value *v, const struct ptx_inst *in)
{
    for (unsigned i = 0; i < in->nsrc; i++)
        if (!operand_free(v, &in->src[i])) return false;
    return true;
}

/* Integer arithmetic of constants only has a datapath of its own. */
static bool uniform_op(const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAD:
    case OP_SHL:
    case OP_SHR:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_NEG:
    case OP_MIN:
    case OP_MAX:
    case OP_CVT:
    case OP_CVTA:
    case OP_MOV: return !ptx_is_float(in->type) && !ptx_is_float(in->type2);
    default: return false;
    }
}

/* What an instruction's only result is: something that is folded? */
static bool foldable(const struct func_info *fi, const struct value *v, const struct ptx_inst *in, int32_t r)
{
    switch (in->op) {
    case OP_LD: return in->space == PTX_PARAM_KERNEL && in->vec <= 1;
    case OP_MOV: return in->src[0].kind != OPND_VEC && in->src[0].kind != OPND_SREG ? true : is_constant(&in->src[0]);
    case OP_CVTA: return true;
    case OP_CVT: /* a wider integer's upper half is zero or a sign: it exists only inside an address */
        return !ptx_is_float(in->type) && !ptx_is_float(in->type2) && ptx_type_bytes((enum ptx_type)in->type) == 8 &&
               ptx_type_bytes((enum ptx_type)in->type2) == 4;
    case OP_MUL:
    case OP_SHL: /* an index that is scaled: the multiply-add of the address does it */
        if (all_free(v, in)) return uniform_op(in);
        return wide(fi, r) && !ptx_is_float(in->type) && operand_free(v, &in->src[1]) && is_reg(&in->src[0]);
    case OP_ADD:
    case OP_SUB: /* a constant added to an address is an offset */
        if (all_free(v, in)) return uniform_op(in);
        return v[r].address && in->src[1].kind == OPND_IMM && wide(fi, r);
    default: return uniform_op(in) && all_free(v, in);
    }
}

void values_find(const struct func_info *fi, struct value *v)
{
    for (uint32_t r = 0; r < fi->f.nregs; r++) v[r] = (struct value){.address = true};
    count(fi, v);
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        const struct ptx_inst *in = &fi->inst[i];
        if (in->ndst != 1 || !is_reg(&in->dst[0]) || in->guard >= 0) continue;
        struct value *d = &v[in->dst[0].reg];
        if (d->writes != 1 || !foldable(fi, v, in, in->dst[0].reg)) continue;
        if (in->op == OP_LD) d->folded = true;
        else fold(v, d, in);
    }
}

/* ---- questions ---- */

unsigned value_writes(const struct value *v, const struct ptx_inst *in, int32_t *out)
{
    unsigned n = inst_writes(in, out), kept = 0;
    for (unsigned i = 0; i < n; i++)
        if (!v[out[i]].folded) out[kept++] = out[i];
    return kept;
}

unsigned value_reads(const struct value *v, const struct ptx_inst *in, int32_t *out)
{
    int32_t regs[MAX_INST_REGS];
    unsigned n = inst_reads(in, regs), kept = 0;
    /* What makes a folded value is done where that one is used. */
    if (in->ndst == 1 && is_reg(&in->dst[0]) && v[in->dst[0].reg].folded) return 0;
    for (unsigned i = 0; i < n; i++) {
        const struct value *s = &v[regs[i]];
        if (!s->folded) out[kept++] = regs[i];
        for (unsigned k = 0; s->folded && k < s->nroots; k++) out[kept++] = s->root[k];
    }
    return kept;
}
