/* assemble.c - see assemble.h.
 *
 * The sequences are those of ptxas 13.0 for sm_90, counted by the hardware: sixteen of an operation one behind the
 * other in a kernel of one warp, smsp__inst_executed of ncu by pipe (docs/results/h200-sequences.txt). Only the way
 * that ordinary numbers take is counted, not the call that denormal ones make. What is dropped was found in the machine
 * code of our workloads. */
#include "ptx/assemble.h"

#include "ptx/opcodes.h"

enum { NEAR = 256 };      /* instructions that are looked at for readers of a result */
enum { CHAIN_MOST = 64 }; /* dropped instructions looked through: an undefined value may be made of itself */

static bool is_reg(const struct ptx_operand *o) { return o->kind == OPND_REG && o->reg >= 0; }

static unsigned bytes_of(uint8_t type) { return ptx_type_bytes((enum ptx_type)type); }

/* ---- what costs nothing ---- */

/* A copy, or an index that is widened or scaled by a constant, or moved by one as part of addresses only. */
static bool could_drop(const struct value *v, const struct func_info *fi, const struct ptx_inst *in)
{
    if (in->guard >= 0 || in->ndst != 1 || !is_reg(&in->dst[0]) || v[in->dst[0].reg].writes != 1) return false;
    bool wide = bytes_of(fi->f.reg[in->dst[0].reg].type) > 4 && !ptx_is_float(in->type) && !ptx_is_float(in->type2);
    switch (in->op) {
    case OP_MOV: return in->src[0].kind != OPND_VEC && in->src[0].kind != OPND_SREG;
    case OP_CVTA: return true;
    case OP_CVT: /* wider, or the lower half of a pair */
        return (wide && bytes_of(in->type2) == 4) || (!ptx_is_float(in->type) && !ptx_is_float(in->type2) &&
                                                      bytes_of(in->type) == 4 && bytes_of(in->type2) == 8);
    case OP_NEG:
    case OP_ABS: return in->type == T_F32 || in->type == T_F64; /* the operand has a sign of its own */
    case OP_MUL:
    case OP_SHL: return wide && is_reg(&in->src[0]) && in->src[1].kind == OPND_IMM;
    case OP_ADD:
    case OP_SUB: return wide && v[in->dst[0].reg].address && is_reg(&in->src[0]) && in->src[1].kind == OPND_IMM;
    default: return false;
    }
}

/* Whether everybody who reads the result stands behind it in the block, before its source changes. */
static bool stays_near(const struct value *v, const struct func_info *fi, uint32_t i, uint32_t end)
{
    int32_t regs[MAX_INST_REGS], to = fi->inst[i].dst[0].reg;
    uint32_t reads = 0;
    if (end - i > NEAR) end = i + NEAR;
    for (uint32_t k = i + 1, changed = 0; k < end && !changed; k++) {
        unsigned n = inst_reads(&fi->inst[k], regs);
        bool read = false;
        for (unsigned r = 0; r < n; r++) read |= regs[r] == to;
        reads += read;
        n = inst_writes(&fi->inst[k], regs);
        for (unsigned r = 0; r < n; r++) changed |= regs[r] == fi->inst[i].src[0].reg;
    }
    return reads && reads == v[to].reads; /* nobody reads it: it is there to be waited for, as in micro-benchmarks */
}

/* A widened or scaled number that never changes and is only added to addresses: each sum multiplies anew, as the loops
 * of gemm, mm2 and mvt do. */
static bool is_stride(const struct value *v, const struct ptx_inst *in)
{
    const struct value *to = &v[in->dst[0].reg];
    return in->op == OP_MUL && in->flags & FLAG_WIDE && to->address && to->reads && v[in->src[0].reg].writes == 1;
}

void assemble_mark(const struct value *v, struct func_info *fi)
{
    for (uint32_t b = 0; b < fi->f.nblock; b++)
        for (uint32_t i = fi->block[b].first, end = i + fi->block[b].count; i < end; i++) {
            struct ptx_inst *in = &fi->inst[i];
            in->dropped = could_drop(v, fi, in) &&
                          ((v[in->dst[0].reg].folded && (in->op != OP_ADD || v[in->dst[0].reg].nroots)) ||
                           (is_reg(&in->src[0]) && (stays_near(v, fi, i, end) || is_stride(v, in))));
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
        if (!m || !m->dropped || !is_reg(&m->src[0])) break;
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

/* clang-format off */
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
    R_WIDE_ADD, R_PAIR, R_PAIR_LOGIC, R_TWO, R_SELECT64, R_MUL64, R_MULHI_S64, R_MULHI_U64,
    R_DIV_F32, R_DIV_FULL, R_RCP_F32, R_RCP_APPROX, R_SQRT_F32, R_SCALED, R_REDUCED,
    R_DIV_F64, R_RCP_F64, R_SQRT_F64, R_RSQRT_F64, R_MIN_F64,
    R_DIV_S32, R_DIV_U32, R_REM_S32, R_REM_U32, R_DIV_S64, R_DIV_U64, R_REM_S64, R_REM_U64
};

/* The way to the reciprocal of an integer: to float, reciprocal, a step down, back, and four products. */
#define BY_RECIPROCAL ONE(FP_MAX), ONE(SFU), ONE(INT_ADD), ONE(CVT), CHAIN(INT_MAD, 4)
#define LONG_DIVISION(more) {CHAIN(CVT, 2), ONE(SFU), CHAIN(INT_MAD, 36), CHAIN(INT_ADD, 24), SIDE(INT_ADD, more)}

static const struct machine_code recipes[] = {
    [R_WIDE_ADD] = {{ONE(INT_MAD)}},
    [R_PAIR] = {{ONE(INT_ADD), ONE(INT_MAX)}},
    [R_PAIR_LOGIC] = {{ONE(INT_MAX), SIDE(INT_MAX, 1)}},
    [R_TWO] = {{CHAIN(INT_MAX, 2)}},
    [R_SELECT64] = {{CHAIN(INT_MAX, 3), SIDE(INT_MAX, 1)}},
    [R_MUL64] = {{CHAIN(INT_MAD, 3), SIDE(INT_MAX, 1)}},
    [R_MULHI_S64] = {{CHAIN(INT_MAD, 7), CHAIN(INT_MAX, 5), SIDE(INT_MAX, 4)}},
    [R_MULHI_U64] = {{CHAIN(INT_MAD, 4), CHAIN(INT_MAX, 2), SIDE(INT_MAX, 1)}},
    [R_DIV_F32] = {{ONE(SFU), SIDE(FP_MAX, 1), CHAIN(FP_MAD, 5), CHAIN(INT_ADD, 3), SIDE(INT_ADD, 1)}},
    [R_DIV_FULL] = {{ONE(FP_MUL), ONE(SFU), CHAIN(FP_MUL, 2), SIDE(FP_MAX, 1)}},
    [R_RCP_F32] = {{ONE(SFU), CHAIN(FP_MAD, 3), CHAIN(INT_MAX, 2), CHAIN(INT_ADD, 4)}},
    [R_RCP_APPROX] = {{ONE(FP_MUL), ONE(SFU), ONE(FP_MUL), SIDE(INT_MAX, 4)}},
    [R_SQRT_F32] = {{ONE(SFU), CHAIN(FP_MAD, 4), CHAIN(INT_ADD, 3), SIDE(INT_MAX, 2)}},
    [R_SCALED] = {{ONE(FP_MUL), ONE(SFU), ONE(FP_MUL), SIDE(FP_MAX, 1)}},
    [R_REDUCED] = {{ONE(FP_MUL), ONE(SFU)}},
    [R_DIV_F64] = {{ONE(SFU), CHAIN(DP_MAD, 8), CHAIN(INT_MAX, 4), CHAIN(INT_ADD, 4), SIDE(INT_ADD, 1)}},
    [R_RCP_F64] = {{ONE(SFU), CHAIN(DP_MAD, 5), CHAIN(INT_ADD, 4), SIDE(INT_MAX, 1)}},
    [R_SQRT_F64] = {{ONE(SFU), CHAIN(DP_MAD, 8), CHAIN(INT_ADD, 4), SIDE(INT_MAX, 5)}},
    [R_RSQRT_F64] = {{ONE(SFU), CHAIN(DP_MAD, 5), CHAIN(INT_ADD, 4), SIDE(INT_MAX, 4)}},
    [R_MIN_F64] = {{ONE(DP_ADD), CHAIN(INT_MAX, 4), SIDE(INT_MAD, 4)}},
    [R_DIV_S32] = {{BY_RECIPROCAL, SIDE(INT_ADD, 11)}},
    [R_DIV_U32] = {{BY_RECIPROCAL, SIDE(INT_ADD, 7)}},
    [R_REM_S32] = {{BY_RECIPROCAL, SIDE(INT_ADD, 9)}},
    [R_REM_U32] = {{BY_RECIPROCAL, SIDE(INT_ADD, 6)}},
    [R_DIV_S64] = {LONG_DIVISION(25)},
    [R_DIV_U64] = {LONG_DIVISION(9)},
    [R_REM_S64] = {LONG_DIVISION(19)},
    [R_REM_U64] = {LONG_DIVISION(5)},
};
/* clang-format on */

unsigned recipe_length(const struct machine_code *r)
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
        if (!m || !m->dropped) continue;
        bool widens = m->op == OP_CVT && bytes_of(m->type2) == 4;
        if (widens || (m->op == OP_MUL && m->flags & FLAG_WIDE)) return true;
    }
    return false;
}

static int float_recipe(const struct ptx_inst *in)
{
    bool exact = in->rnd != RND_NONE, f64 = in->type == T_F64, scales = !f64 && !(in->flags & FLAG_FTZ);
    switch (in->op) {
    case OP_DIV: return f64 ? R_DIV_F64 : exact ? R_DIV_F32 : R_DIV_FULL;
    case OP_RCP: return f64 ? (exact ? R_RCP_F64 : -1) : exact ? R_RCP_F32 : scales ? R_RCP_APPROX : -1;
    case OP_SQRT: return f64 ? R_SQRT_F64 : exact ? R_SQRT_F32 : scales ? R_SCALED : -1;
    case OP_RSQRT: return f64 ? R_RSQRT_F64 : scales ? R_SCALED : -1;
    case OP_EX2:
    case OP_LG2: return scales ? R_SCALED : -1;
    case OP_SIN:
    case OP_COS: return R_REDUCED;
    case OP_MIN:
    case OP_MAX: return f64 ? R_MIN_F64 : -1;
    default: return -1;
    }
}

static int wide_recipe(const struct value *v, const struct func_info *fi, const struct ptx_inst *in)
{
    bool is_signed = in->type == T_S64;
    switch (in->op) {
    case OP_ADD:
    case OP_SUB: return adds_index(v, fi, in) ? R_WIDE_ADD : R_PAIR;
    case OP_NEG:
    case OP_SETP: return R_PAIR;
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_SELP:
    case OP_SHL:
    case OP_SHR: return R_PAIR_LOGIC;
    case OP_MIN:
    case OP_MAX:
    case OP_ABS: return R_SELECT64;
    case OP_MUL:
    case OP_MAD: return !(in->flags & FLAG_HI) ? R_MUL64 : is_signed ? R_MULHI_S64 : R_MULHI_U64;
    case OP_DIV: return is_signed ? R_DIV_S64 : R_DIV_U64;
    case OP_REM: return is_signed ? R_REM_S64 : R_REM_U64;
    default: return -1;
    }
}

static int word_recipe(const struct ptx_inst *in)
{
    bool is_signed = in->type == T_S32 || in->type == T_S16;
    switch (in->op) {
    case OP_DIV: return is_signed ? R_DIV_S32 : R_DIV_U32;
    case OP_REM: return is_signed ? R_REM_S32 : R_REM_U32;
    case OP_BFE:
    case OP_BFI: return R_TWO;
    default: return -1;
    }
}

static int recipe_name(const struct value *v, const struct func_info *fi, const struct ptx_inst *in)
{
    if (in->guard >= 0 || ptx_opcodes[in->op].kind != INST_ALU || in->type == T_PRED) return -1;
    if (in->type == T_F32 || in->type == T_F64) return float_recipe(in);
    if (ptx_is_float(in->type)) return -1;
    return bytes_of(in->type) == 8 ? wide_recipe(v, fi, in) : word_recipe(in);
}

const struct machine_code *assemble_recipe(const struct value *v, const struct func_info *fi, const struct ptx_inst *in)
{
    int name = recipe_name(v, fi, in);
    return name < 0 ? NULL : &recipes[name];
}
