#include "ptx/once.h"

#include "ptx/opcodes.h"

enum { DEPTH = 12 }; /* instructions that an address is followed back through */

static bool is_reg(const struct ptx_operand *o) { return o->kind == OPND_REG && o->reg >= 0; }

bool sreg_is_same(uint8_t s)
{
    return (s >= SREG_NTID_X && s <= SREG_NCTAID_Z) || s == SREG_WARPID || s == SREG_NWARPID || s == SREG_SMID ||
           s == SREG_NSMID || s == SREG_GRIDID || s == SREG_WARP_SZ;
}

static bool same_reg(const struct value *v, const struct func_info *fi, int32_t reg, unsigned depth);

static bool same_operand(const struct value *v, const struct func_info *fi, const struct ptx_operand *o, unsigned depth)
{
    switch (o->kind) {
    case OPND_IMM:
    case OPND_VAR: return true;
    case OPND_SREG: return sreg_is_same(o->sreg);
    case OPND_ADDR: return o->reg < 0 || same_reg(v, fi, o->reg, depth);
    case OPND_REG: return o->reg >= 0 && same_reg(v, fi, o->reg, depth);
    default: return false;
    }
}

/* Whether all lanes that are there hold the same value: it is made of nothing but such values. */
static bool same_reg(const struct value *v, const struct func_info *fi, int32_t reg, unsigned depth)
{
    if (!depth || v[reg].writes != 1) return false;
    const struct ptx_inst *in = &fi->inst[v[reg].def];
    bool load =
        in->op == OP_LD && in->space != PTX_LOCAL && in->space != PTX_SPACE_NONE && !(in->flags & FLAG_VOLATILE);
    if (!load && (ptx_opcodes[in->op].kind != INST_ALU || in->op == OP_SHFL)) return false;
    for (unsigned i = 0; i < in->nsrc; i++)
        if (!same_operand(v, fi, &in->src[i], depth - 1)) return false;
    return true;
}

static bool has_result(const struct value *v, const struct ptx_inst *in)
{
    return in->op == OP_ATOM && in->ndst && is_reg(&in->dst[0]) && v[in->dst[0].reg].reads;
}

/* Whether the machine combines the values of lanes for this operation. */
static bool combines(const struct value *v, const struct func_info *fi, const struct ptx_inst *in)
{
    bool constant = same_operand(v, fi, &in->src[1], DEPTH), add = in->mode == ATOM_ADD;
    if (has_result(v, in) || ptx_type_bytes((enum ptx_type)in->type) == 8) return add && constant;
    return add || in->mode == ATOM_MIN || in->mode == ATOM_MAX || in->mode == ATOM_AND || in->mode == ATOM_OR ||
           in->mode == ATOM_XOR;
}

void once_mark(const struct value *v, struct func_info *fi)
{
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        struct ptx_inst *in = &fi->inst[i];
        if ((in->op != OP_ATOM && in->op != OP_RED) || in->guard >= 0 || in->vec > 1 || in->nsrc < 2) continue;
        if (in->space != PTX_GLOBAL && in->space != PTX_SHARED) continue;
        unsigned bytes = ptx_type_bytes((enum ptx_type)in->type);
        if (ptx_is_float(in->type) || (bytes != 4 && bytes != 8)) continue;
        in->once = same_operand(v, fi, &in->src[0], DEPTH) && combines(v, fi, in);
    }
}

/* The vote, the sum of the lanes, the first of them, and whether this is the one. */
unsigned once_before(const struct value *v, const struct ptx_inst *in)
{
    bool counts = in->space == PTX_SHARED && in->mode == ATOM_ADD && in->src[1].kind == OPND_IMM;
    return counts && !has_result(v, in) ? 0 : 5;
}

/* The lanes below, how many they are, the old value of the one lane, and their sum. */
unsigned once_behind(const struct value *v, const struct ptx_inst *in) { return has_result(v, in) ? 4 : 0; }

enum lat_class once_class(unsigned i, bool behind)
{
    static const uint8_t before[] = {LAT_INT_ADD, LAT_INT_MAX, LAT_BITS, LAT_INT_MAX, LAT_PREDICATE};
    static const uint8_t after[] = {LAT_INT_MAX, LAT_BITS, LAT_SHFL, LAT_INT_ADD};
    return behind ? after[i] : before[i];
}
