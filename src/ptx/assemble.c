/* assemble.c - see assemble.h.
 *
 * The sequences are those of ptxas 13.0 for sm_90, counted by the hardware: sixteen of an operation one behind the
 * other in a kernel of one warp, smsp__inst_executed of ncu by pipe (docs/results/h200-sequences.txt). Only the way
 * that ordinary numbers take is counted, not the call that denormal ones make. What is dropped was found in the machine
 * code of our workloads. */
#include "ptx/assemble.h"

#include "ptx/opcodes.h"

enum { CHAIN_MOST = 64 }; /* dropped instructions looked through: an undefined value may be made of itself */

static bool is_reg(const struct ptx_operand *o) { return o->kind == OPND_REG && o->reg >= 0; }

static unsigned bytes_of(uint8_t type) { return ptx_type_bytes((enum ptx_type)type); }

/* ---- what costs nothing ---- */

/* A copy or a widened, scaled or moved index that a register which is written once holds (values.h). */
bool assemble_drops(const struct value *v, const struct func_info *fi, const struct ptx_inst *in)
{
    if (in->guard >= 0 || in->ndst != 1 || !is_reg(&in->dst[0]) || !v[in->dst[0].reg].folded) return false;
    switch (in->op) {
    case OP_MOV:
    case OP_CVTA:
    case OP_CVT: return true;
    case OP_MUL:
    case OP_SHL:
    case OP_ADD:
    case OP_SUB: return bytes_of(fi->f.reg[in->dst[0].reg].type) > 4 && v[in->dst[0].reg].nroots;
    default: return false;
    }
}

static const struct ptx_inst *maker(const struct value *v, const struct func_info *fi, int32_t reg)
{
    return v[reg].writes == 1 ? &fi->inst[v[reg].def] : NULL;
}

static unsigned note(int32_t *out, unsigned n, unsigned room, int32_t reg)
{
    for (unsigned i = 0; i < n; i++)
        if (out[i] == reg) return n;
    if (n < room) out[n++] = reg;
    return n;
}

/* A dropped instruction has one register to wait for, its first: the other operand is a constant. */
static int32_t origin_of(const struct value *v, const struct func_info *fi, int32_t reg)
{
    for (unsigned steps = 0; steps < CHAIN_MOST; steps++) {
        const struct ptx_inst *m = maker(v, fi, reg);
        if (!m || !assemble_drops(v, fi, m) || !is_reg(&m->src[0])) break;
        reg = m->src[0].reg;
    }
    return reg;
}

unsigned assemble_reads(const struct value *v, const struct func_info *fi, const struct ptx_inst *in, int32_t *out,
                        unsigned room)
{
    int32_t regs[MAX_INST_REGS];
    unsigned n = inst_reads(in, regs), kept = 0;
    for (unsigned i = 0; i < n; i++) kept = note(out, kept, room, origin_of(v, fi, regs[i]));
    return kept;
}

/* ---- sequences ---- */

#define ONE(class)                                                                                                     \
    {                                                                                                                  \
        LAT_##class, 1, 0                                                                                              \
    }
#define CHAIN(class, n)                                                                                                \
    {                                                                                                                  \
        LAT_##class, n, 0                                                                                              \
    }
#define SIDE(class, n)                                                                                                 \
    {                                                                                                                  \
        LAT_##class, n, 1                                                                                              \
    }

enum recipe_name {
    R_WIDE_ADD,
    R_PAIR,
    R_PAIR_LOGIC,
    R_SHIFT64,
    R_SELECT64,
    R_MUL64,
    R_MULHI64,
    R_DIV_F32,
    R_DIV_APPROX,
    R_RCP_F32,
    R_SQRT_F32,
    R_SCALED,
    R_REDUCED,
    R_DIV_F64,
    R_RCP_F64,
    R_SQRT_F64,
    R_DIV_32,
    R_REM_32,
    R_DIV_64,
    R_MULHI32
};

/* clang-format off */
static const struct recipe recipes[] = {
    [R_WIDE_ADD] = {{ONE(INT_MAD)}},
    [R_PAIR] = {{CHAIN(INT_ADD, 2)}},
    [R_PAIR_LOGIC] = {{ONE(INT_MAX), SIDE(INT_MAX, 1)}},
    [R_SHIFT64] = {{ONE(INT_MAX), SIDE(INT_MAX, 1)}},
    [R_SELECT64] = {{CHAIN(INT_MAX, 2), SIDE(INT_MAX, 2)}},
    [R_MUL64] = {{CHAIN(INT_MAD, 3), SIDE(INT_MAD, 1)}},
    [R_MULHI64] = {{CHAIN(INT_MAD, 4), SIDE(INT_MAD, 4)}},
    [R_DIV_F32] = {{ONE(SFU), SIDE(FP_MAX, 1), CHAIN(FP_MAD, 6), SIDE(INT_ADD, 2)}},
    [R_DIV_APPROX] = {{ONE(SFU), ONE(FP_MUL)}},
    [R_RCP_F32] = {{ONE(SFU), SIDE(INT_MAX, 2), CHAIN(FP_MAD, 2), SIDE(INT_ADD, 2)}},
    [R_SQRT_F32] = {{ONE(SFU), SIDE(INT_MAX, 2), CHAIN(FP_MAD, 4), SIDE(INT_ADD, 2)}},
    [R_SCALED] = {{ONE(FP_MUL), ONE(SFU), ONE(FP_MUL), SIDE(FP_MAX, 1)}},
    [R_REDUCED] = {{ONE(FP_MUL), ONE(SFU)}},
    [R_DIV_F64] = {{ONE(SFU), CHAIN(DP_MAD, 9), SIDE(INT_MAX, 4)}},
    [R_RCP_F64] = {{ONE(SFU), CHAIN(DP_MAD, 5), SIDE(INT_MAX, 4)}},
    [R_SQRT_F64] = {{ONE(SFU), CHAIN(DP_MAD, 7), SIDE(INT_MAX, 4)}},
    [R_DIV_32] = {{ONE(CVT), ONE(SFU), ONE(INT_ADD), ONE(CVT), CHAIN(INT_MAD, 3), SIDE(INT_MAX, 8)}},
    [R_REM_32] = {{ONE(CVT), ONE(SFU), ONE(INT_ADD), ONE(CVT), CHAIN(INT_MAD, 3), SIDE(INT_MAX, 8)}},
    [R_DIV_64] = {{ONE(CVT), ONE(SFU), ONE(CVT), CHAIN(INT_MAD, 30), SIDE(INT_ADD, 30)}},
    [R_MULHI32] = {{ONE(INT_MAD), SIDE(INT_ADD, 1)}},
};
/* clang-format on */

unsigned recipe_length(const struct recipe *r)
{
    unsigned n = 0;
    for (unsigned i = 0; i < RECIPE_PARTS; i++) n += r->part[i].count;
    return n;
}

/* Whether the 64-bit sum adds a 32-bit index that is widened, and perhaps scaled: one multiply-add makes it. */
static bool adds_index(const struct value *v, const struct func_info *fi, const struct ptx_inst *in)
{
    for (unsigned i = 0; i < in->nsrc; i++) {
        if (!is_reg(&in->src[i])) continue;
        const struct ptx_inst *m = maker(v, fi, in->src[i].reg);
        if (m && m->op == OP_SHL && is_reg(&m->src[0])) m = maker(v, fi, m->src[0].reg);
        if (!m || !assemble_drops(v, fi, m)) continue;
        if (m->op == OP_CVT || (m->op == OP_MUL && m->flags & FLAG_WIDE)) return true;
    }
    return false;
}

static int float_recipe(const struct ptx_inst *in)
{
    bool exact = in->rnd != RND_NONE, f64 = in->type == T_F64;
    switch (in->op) {
    case OP_DIV: return f64 ? R_DIV_F64 : exact ? R_DIV_F32 : R_DIV_APPROX;
    case OP_RCP: return f64 ? (exact ? R_RCP_F64 : -1) : exact ? R_RCP_F32 : -1;
    case OP_SQRT: return f64 ? R_SQRT_F64 : exact ? R_SQRT_F32 : -1;
    case OP_RSQRT: return f64 ? R_SQRT_F64 : -1;
    case OP_EX2:
    case OP_LG2: return in->type == T_F32 && !(in->flags & FLAG_FTZ) ? R_SCALED : -1;
    case OP_SIN:
    case OP_COS: return R_REDUCED;
    default: return -1;
    }
}

static int wide_recipe(const struct value *v, const struct func_info *fi, const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_ADD:
    case OP_SUB: return adds_index(v, fi, in) ? R_WIDE_ADD : R_PAIR;
    case OP_NEG:
    case OP_SETP: return R_PAIR;
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_SELP: return R_PAIR_LOGIC;
    case OP_SHL:
    case OP_SHR: return R_SHIFT64;
    case OP_MIN:
    case OP_MAX:
    case OP_ABS: return R_SELECT64;
    case OP_MUL:
    case OP_MAD: return in->flags & FLAG_HI ? R_MULHI64 : R_MUL64;
    case OP_DIV:
    case OP_REM: return R_DIV_64;
    default: return -1;
    }
}

static int recipe_name(const struct value *v, const struct func_info *fi, const struct ptx_inst *in)
{
    if (in->guard >= 0 || ptx_opcodes[in->op].kind != INST_ALU || in->type == T_PRED) return -1;
    if (in->type == T_F32 || in->type == T_F64) return float_recipe(in);
    if (ptx_is_float(in->type)) return -1;
    if (bytes_of(in->type) == 8) return wide_recipe(v, fi, in);
    if (in->op == OP_DIV) return R_DIV_32;
    if (in->op == OP_REM) return R_REM_32;
    return in->op == OP_MUL && in->flags & FLAG_HI ? R_MULHI32 : -1;
}

const struct recipe *assemble_recipe(const struct value *v, const struct func_info *fi, const struct ptx_inst *in)
{
    int name = recipe_name(v, fi, in);
    return name < 0 ? NULL : &recipes[name];
}
