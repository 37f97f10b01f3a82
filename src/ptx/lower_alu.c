/* lower_alu.c - which lane operation an arithmetic instruction becomes.
 *
 * Most opcodes need nothing but their row: lower_lanes takes the operation for the type from
 * its lane_forms and the widths of its operands from its operand letters. Opcodes whose
 * modifiers choose other operations have a function of their own; forms without a vector loop
 * (directed rounding, carries, rare conversions) go to the one-lane-at-a-time functions of scalar.c. */
#include "ptx/fpmath.h"
#include "ptx/cluster.h"
#include "ptx/half.h"
#include "ptx/opcodes.h"
#include "ptx/ops.h"

/* ---- the order of lane operations this file relies on ---- */

#define AFTER(first, steps, other) _Static_assert(L_##other == L_##first + (steps), #other " is out of order")
#define SIGN16(n)                  AFTER(n##_u16, 1, n##_s16)
#define SIGN32(n)                  AFTER(n##_u32, 1, n##_s32)
#define SIGN64(n)                  AFTER(n##_u64, 1, n##_s64)
#define FTZ(n)                     AFTER(n##_f32, 1, n##_f32_ftz)
#define FTZ_SAT(n)                                                                                                     \
    FTZ(n);                                                                                                            \
    AFTER(n##_f32, 2, n##_f32_sat);                                                                                    \
    AFTER(n##_f32, 3, n##_f32_ftz_sat)
#define PACKED(n) AFTER(n##_f16, 1, n##_f16x2)

/* clang-format off */
SIGN16(mul_hi); SIGN32(mul_hi); SIGN64(mul_hi); SIGN16(mul_wide); SIGN32(mul_wide);
SIGN16(mad_hi); SIGN32(mad_hi); SIGN64(mad_hi); SIGN16(mad_wide); SIGN32(mad_wide);
SIGN32(mul24_lo); SIGN32(mul24_hi); SIGN32(mad24_lo); SIGN32(mad24_hi);
SIGN16(sad); SIGN32(sad); SIGN64(sad); SIGN16(div); SIGN32(div); SIGN64(div); SIGN16(rem); SIGN32(rem); SIGN64(rem);
SIGN16(min); SIGN32(min); SIGN64(min); SIGN16(max); SIGN32(max); SIGN64(max); SIGN16(shr); SIGN32(shr); SIGN64(shr);
SIGN32(bfind); SIGN64(bfind); SIGN32(bfind_shift); SIGN64(bfind_shift); SIGN32(bfe); SIGN64(bfe); SIGN32(szext);
FTZ_SAT(add); FTZ_SAT(sub); FTZ_SAT(mul); FTZ_SAT(fma);
FTZ(div); FTZ(div_approx); FTZ(rcp); FTZ(sqrt); FTZ(rsqrt); FTZ(ex2); FTZ(lg2); FTZ(sin); FTZ(cos); FTZ(tanh);
FTZ(abs); FTZ(neg); FTZ(min); FTZ(max); FTZ(min_nan); FTZ(max_nan);
PACKED(add); PACKED(sub); PACKED(mul); PACKED(fma); PACKED(add_sat); PACKED(sub_sat); PACKED(mul_sat); PACKED(fma_sat);
PACKED(min); PACKED(max); PACKED(abs); PACKED(neg); PACKED(ex2); PACKED(tanh);
AFTER(dp4a_uu, 1, dp4a_us); AFTER(dp4a_uu, 2, dp4a_su); AFTER(dp4a_uu, 3, dp4a_ss);
AFTER(dp2a_uu, 1, dp2a_us); AFTER(dp2a_uu, 2, dp2a_su); AFTER(dp2a_uu, 3, dp2a_ss);
AFTER(shf_l_wrap, SHF_L_CLAMP, shf_l_clamp); AFTER(shf_l_wrap, SHF_R_WRAP, shf_r_wrap);
AFTER(shf_l_wrap, SHF_R_CLAMP, shf_r_clamp);
AFTER(slct_b32_s32, 1, slct_b64_s32); AFTER(slct_b32_f32, 1, slct_b64_f32); AFTER(slct_b32_ftz, 1, slct_b64_ftz);
/* clang-format on */

/* ---- operations by type ---- */

static bool is_directed(const struct ptx_inst *in)
{
    return in->rnd == RND_RZ || in->rnd == RND_RM || in->rnd == RND_RP;
}

static unsigned ftz(const struct ptx_inst *in) { return in->flags & FLAG_FTZ ? 1 : 0; }

static unsigned integer_form(const struct lane_forms *f, uint8_t type)
{
    unsigned op;
    switch (type) {
    /* clang-format off */
    case T_B16: case T_U16: case T_S16: op = f->i16; break;
    case T_B32: case T_U32: case T_S32: op = f->i32; break;
    case T_B64: case T_U64: case T_S64: op = f->i64; break;
    /* clang-format on */
    default: return L_NONE;
    }
    return op && f->sign ? op + ptx_is_signed(type) : op;
}

static unsigned float_form(const struct lane_forms *f, const struct ptx_inst *in)
{
    bool sat = in->flags & FLAG_SAT;
    unsigned half = sat ? f->f16_sat : f->f16;
    switch (in->type) {
    case T_F32: return f->f32 ? f->f32 + ftz(in) + 2 * sat : L_NONE;
    case T_F64: return f->f64;
    case T_F16: return half;
    case T_F16X2: return half ? half + 1 : L_NONE;
    default: return L_NONE;
    }
}

static unsigned form_of(const struct lane_forms *f, const struct ptx_inst *in)
{
    if (ptx_is_float(in->type)) return float_form(f, in);
    if (in->flags & FLAG_SAT) return in->type == T_S32 ? f->s32_sat : L_NONE;
    return integer_form(f, in->type);
}

static void use(struct uop *u, unsigned op)
{
    const struct lane_fns *f = &lane_ops()[op];
    u->full = f->full;
    u->part = f->part;
}

/* Modifiers without a meaning here, which must not be ignored: f64 is neither flushed (but in
 * its approximations) nor saturated. */
static bool has_strange_modifier(const struct ptx_inst *in)
{
    bool approximate = in->op == OP_RCP || in->op == OP_RSQRT;
    return in->type == T_F64 && (in->flags & FLAG_SAT || (in->flags & FLAG_FTZ && !approximate));
}

/* The width of the operand a letter stands for; 0: a literal, which is no operand of the micro-op. */
static unsigned operand_bits(const struct ptx_inst *in, char letter)
{
    unsigned bits = ptx_type_bits(in->type);
    switch (letter) {
    case 'w': return in->flags & FLAG_WIDE && !ptx_is_float(in->type) ? 2 * bits : bits;
    case 't': return ptx_type_bits(in->type2);
    case 'n':
    case 'u': return 32;
    case 'i': return 0;
    default: return bits;
    }
}

static int use_form(struct lower *L, struct uop *u, unsigned op)
{
    const struct ptx_inst *in = L->in;
    const char *letter = ptx_opcodes[in->op].operands;
    if (op == L_NONE || has_strange_modifier(in))
        return lower_refuse(L, "not supported for type .%s in this form", ptx_type_name((enum ptx_type)in->type));
    use(u, op);
    u->mode = in->mode;
    int rc = lower_dst(L, &in->dst[0], operand_bits(in, *letter), &u->d);
    letter += 2; /* one destination and '=' */
    for (unsigned i = 0; letter[i] && !rc; i++) {
        unsigned bits = operand_bits(in, letter[i]);
        if (bits) rc = lower_src(L, &in->src[i], bits, &u->s[i]);
    }
    return rc;
}

/* ---- one lane at a time ---- */

static int lower_directed(struct lower *L, struct uop *u, enum fp_op op)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = ptx_type_bits(in->type);
    if (in->type != T_F32 && in->type != T_F64) return lower_refuse(L, "this rounding needs .f32 or .f64");
    if (has_strange_modifier(in)) return lower_refuse(L, ".ftz and .sat need .f32");
    u->full = u->part = op_directed;
    u->mode = (uint8_t)op;
    u->type = in->type;
    u->rnd = in->rnd;
    u->flags = in->flags;
    int rc = lower_dst(L, &in->dst[0], bits, &u->d);
    for (unsigned i = 0; i < in->nsrc && i < 3 && !rc; i++) rc = lower_src(L, &in->src[i], bits, &u->s[i]);
    for (unsigned i = in->nsrc; i < 3; i++) u->s[i] = u->s[0];
    return rc;
}

int lower_carry(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = ptx_type_bits(in->type);
    if (bits != 32 && bits != 64) return lower_refuse(L, "carries need a 32- or 64-bit type");
    u->full = u->part = op_carry;
    u->mode = in->op;
    u->type = in->type;
    u->flags = in->flags;
    int rc = lower_dst(L, &in->dst[0], bits, &u->d);
    for (unsigned i = 0; i < in->nsrc && !rc; i++) rc = lower_src(L, &in->src[i], bits, &u->s[i]);
    return rc;
}

/* ---- arithmetic ---- */

static int use_forms(struct lower *L, struct uop *u, const struct lane_forms *f)
{
    const struct ptx_inst *in = L->in;
    unsigned directed = ptx_opcodes[in->op].forms.directed;
    if (in->flags & FLAG_CC) return lower_carry(L, u);
    if (pair_is_meant(in)) return lower_pair(L, u);
    if (half_is_rare(in)) return lower_half(L, u);
    if (directed && ptx_is_float(in->type) && is_directed(in)) return lower_directed(L, u, (enum fp_op)directed);
    return use_form(L, u, form_of(f, in));
}

int lower_lanes(struct lower *L, struct uop *u) { return use_forms(L, u, &ptx_opcodes[L->in->op].forms); }

/* Products: the row has the .lo forms and those of floats. */
static int lower_product(struct lower *L, struct uop *u, const struct lane_forms *hi, const struct lane_forms *wide)
{
    const struct ptx_inst *in = L->in;
    if (ptx_is_float(in->type) || !(in->flags & (FLAG_HI | FLAG_WIDE))) return lower_lanes(L, u);
    return use_forms(L, u, in->flags & FLAG_WIDE ? wide : hi);
}

int lower_mul(struct lower *L, struct uop *u)
{
    static const struct lane_forms hi = {.i16 = L_mul_hi_u16, .i32 = L_mul_hi_u32, .i64 = L_mul_hi_u64, .sign = true};
    static const struct lane_forms wide = {.i16 = L_mul_wide_u16, .i32 = L_mul_wide_u32, .sign = true};
    return lower_product(L, u, &hi, &wide);
}

int lower_mad(struct lower *L, struct uop *u)
{
    static const struct lane_forms hi = {
        .i16 = L_mad_hi_u16, .i32 = L_mad_hi_u32, .i64 = L_mad_hi_u64, .s32_sat = L_mad_hi_sat_s32, .sign = true};
    static const struct lane_forms wide = {.i16 = L_mad_wide_u16, .i32 = L_mad_wide_u32, .sign = true};
    return lower_product(L, u, &hi, &wide);
}

int lower_mul24(struct lower *L, struct uop *u)
{
    static const struct lane_forms hi = {.i32 = L_mul24_hi_u32, .sign = true};
    return lower_product(L, u, &hi, &hi);
}

int lower_mad24(struct lower *L, struct uop *u)
{
    static const struct lane_forms hi = {.i32 = L_mad24_hi_u32, .s32_sat = L_mad24_hi_sat_s32, .sign = true};
    return lower_product(L, u, &hi, &hi);
}

int lower_div(struct lower *L, struct uop *u)
{
    static const struct lane_forms approximate = {.f32 = L_div_approx_f32};
    bool approx = L->in->type == T_F32 && L->in->flags & FLAG_APPROX;
    return approx ? use_forms(L, u, &approximate) : lower_lanes(L, u);
}

int lower_min(struct lower *L, struct uop *u)
{
    static const struct lane_forms nan = {.f32 = L_min_nan_f32};
    return L->in->flags & FLAG_NAN && L->in->type == T_F32 ? use_forms(L, u, &nan) : lower_lanes(L, u);
}

int lower_max(struct lower *L, struct uop *u)
{
    static const struct lane_forms nan = {.f32 = L_max_nan_f32};
    return L->in->flags & FLAG_NAN && L->in->type == T_F32 ? use_forms(L, u, &nan) : lower_lanes(L, u);
}

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the upper half of the operand only. */
int lower_rcp(struct lower *L, struct uop *u)
{
    static const struct lane_forms approximate = {.f64 = L_rcp_approx_f64};
    bool approx = L->in->type == T_F64 && L->in->flags & FLAG_APPROX;
    return approx ? use_forms(L, u, &approximate) : lower_lanes(L, u);
}

int lower_rsqrt(struct lower *L, struct uop *u)
{
    static const struct lane_forms approximate = {.f64 = L_rsqrt_approx_f64};
    bool approx = L->in->type == T_F64 && L->in->flags & FLAG_FTZ;
    return approx ? use_forms(L, u, &approximate) : lower_lanes(L, u);
}

/* ---- bits ---- */

int lower_bfind(struct lower *L, struct uop *u)
{
    static const struct lane_forms shift = {.i32 = L_bfind_shift_u32, .i64 = L_bfind_shift_u64, .sign = true};
    return L->in->mode ? use_forms(L, u, &shift) : lower_lanes(L, u); /* .shiftamt is its mode */
}

int lower_prmt(struct lower *L, struct uop *u)
{
    return L->in->mode == PRMT_DEFAULT ? lower_lanes(L, u) : use_form(L, u, L_prmt_mode);
}

int lower_shf(struct lower *L, struct uop *u) { return use_form(L, u, (unsigned)L_shf_l_wrap + L->in->mode); }

int lower_lop3(struct lower *L, struct uop *u)
{
    u->imm = (int64_t)L->in->src[3].imm;
    return lower_lanes(L, u);
}

/* dp4a and dp2a: a form for each pair of signs; dp2a takes the upper or the lower bytes. */
int lower_dot(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned first = ptx_opcodes[in->op].forms.i32;
    int rc = use_form(L, u, first + 2 * ptx_is_signed(in->type) + ptx_is_signed(in->type2));
    u->mode = in->flags & FLAG_HI ? 1 : 0;
    return rc;
}

int lower_slct(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned by = in->type2 == T_F32 ? (ftz(in) ? L_slct_b32_ftz : L_slct_b32_f32) : L_slct_b32_s32;
    return use_form(L, u, by + (ptx_type_bits(in->type) == 64));
}

/* ---- predicates ---- */

/* Comparisons of a type follow each other, setp and set in turn; those of integers end with ge. */
#define COMPARES(n)                                                                                                    \
    AFTER(setp_eq_##n, 1, set_eq_##n);                                                                                 \
    AFTER(setp_eq_##n, 2, setp_ne_##n);                                                                                \
    AFTER(setp_eq_##n, 4, setp_lt_##n);                                                                                \
    AFTER(setp_eq_##n, 6, setp_le_##n);                                                                                \
    AFTER(setp_eq_##n, 8, setp_gt_##n);                                                                                \
    AFTER(setp_eq_##n, 10, setp_ge_##n)
#define COMPARES_FLOAT(n)                                                                                              \
    COMPARES(n);                                                                                                       \
    AFTER(setp_eq_##n, 12, setp_equ_##n);                                                                              \
    AFTER(setp_eq_##n, 14, setp_neu_##n);                                                                              \
    AFTER(setp_eq_##n, 16, setp_ltu_##n);                                                                              \
    AFTER(setp_eq_##n, 18, setp_leu_##n);                                                                              \
    AFTER(setp_eq_##n, 20, setp_gtu_##n);                                                                              \
    AFTER(setp_eq_##n, 22, setp_geu_##n);                                                                              \
    AFTER(setp_eq_##n, 24, setp_num_##n);                                                                              \
    AFTER(setp_eq_##n, 26, setp_nan_##n)
/* clang-format off */
COMPARES(u16); COMPARES(s16); COMPARES(u32); COMPARES(s32); COMPARES(u64); COMPARES(s64);
COMPARES_FLOAT(f16); COMPARES_FLOAT(f32); COMPARES_FLOAT(f32z); COMPARES_FLOAT(f64);
/* clang-format on */

static unsigned comparison(const struct ptx_inst *in, uint8_t type)
{
    static const uint8_t order[] = {
        [CMP_EQ] = 0,  [CMP_NE] = 1,  [CMP_LT] = 2,   [CMP_LE] = 3,   [CMP_GT] = 4,   [CMP_GE] = 5,
        [CMP_LO] = 2,  [CMP_LS] = 3,  [CMP_HI] = 4,   [CMP_HS] = 5,   [CMP_EQU] = 6,  [CMP_NEU] = 7,
        [CMP_LTU] = 8, [CMP_LEU] = 9, [CMP_GTU] = 10, [CMP_GEU] = 11, [CMP_NUM] = 12, [CMP_NAN] = 13};
    unsigned base;
    switch (type) {
    case T_B16:
    case T_U16: base = L_setp_eq_u16; break;
    case T_S16: base = L_setp_eq_s16; break;
    case T_B32:
    case T_U32: base = L_setp_eq_u32; break;
    case T_S32: base = L_setp_eq_s32; break;
    case T_B64:
    case T_U64: base = L_setp_eq_u64; break;
    case T_S64: base = L_setp_eq_s64; break;
    case T_F16: base = L_setp_eq_f16; break;
    case T_F32: base = in->flags & FLAG_FTZ ? L_setp_eq_f32z : L_setp_eq_f32; break;
    case T_F64: base = L_setp_eq_f64; break;
    default: return L_NONE;
    }
    if (in->cmp >= CMP_EQU && !ptx_is_float(type)) return L_NONE;
    return base + 2u * order[in->cmp];
}

static int lower_compare(struct lower *L, struct uop *u, bool set)
{
    const struct ptx_inst *in = L->in;
    uint8_t type = set ? in->type2 : in->type;
    unsigned op = comparison(in, type);
    bool pair = type == T_F16X2 || type == T_BF16X2;
    if (pair || type == T_BF16 || (type == T_F16 && in->flags & FLAG_FTZ)) {
        half_compare(u, in, type, set);
    } else if (op == L_NONE) {
        return lower_refuse(L, "not supported for type .%s", ptx_type_name((enum ptx_type)type));
    } else {
        use(u, op + set);
    }
    u->boolop = in->boolop;
    bool bf16 = in->type == T_BF16 || in->type == T_BF16X2, f16 = in->type == T_F16 || in->type == T_F16X2;
    u->imm = in->type == T_F32 ? 0x3f800000 : f16 ? 0x3c00 : bf16 ? 0x3f80 : 0xffffffff;
    int rc = lower_dst(L, &in->dst[0], set ? 32 : 1, &u->d);
    if (!rc) rc = lower_dst(L, &in->dst[in->ndst > 1 ? 1 : 0], set ? 32 : 1, &u->d2);
    if (!rc && in->ndst < 2) rc = lower_dst(L, &(struct ptx_operand){.kind = OPND_SINK}, 1, &u->d2);
    for (unsigned i = 0; i < 2 && !rc; i++) rc = lower_src(L, &in->src[i], ptx_type_bits(type), &u->s[i]);
    if (!rc && in->boolop) rc = lower_src(L, &in->src[2], 1, &u->s[2]);
    u->not_c = in->src[2].negated ? UINT32_MAX : 0;
    return rc;
}

int lower_setp(struct lower *L, struct uop *u) { return lower_compare(L, u, false); }
int lower_set(struct lower *L, struct uop *u) { return lower_compare(L, u, true); }

int lower_testp(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    bool wide = in->type == T_F64;
    use(u, wide ? L_setp_testp_f64 : L_setp_testp_f32);
    u->mode = in->mode;
    int rc = lower_dst(L, &in->dst[0], 1, &u->d);
    if (!rc) rc = lower_dst(L, &(struct ptx_operand){.kind = OPND_SINK}, 1, &u->d2);
    if (!rc) rc = lower_src(L, &in->src[0], wide ? 64 : 32, &u->s[0]);
    u->s[1] = u->s[0];
    return rc;
}

/* Predicates: and, or, xor, not, mov. */
static int lower_bool(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    use(u, ptx_opcodes[in->op].forms.pred);
    int rc = lower_dst(L, &in->dst[0], 1, &u->d);
    for (unsigned i = 0; i < in->nsrc && i < 2 && !rc; i++) {
        rc = lower_src(L, &in->src[i], 1, &u->s[i]);
        u->s[3 + i] = in->src[i].negated ? UINT32_MAX : 0;
    }
    return rc;
}

int lower_logic(struct lower *L, struct uop *u) { return L->in->type == T_PRED ? lower_bool(L, u) : lower_lanes(L, u); }

int lower_selp(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = ptx_type_bits(in->type);
    use(u, bits == 64 ? L_selp_b64 : L_selp_b32);
    u->not_c = in->src[2].negated ? UINT32_MAX : 0;
    int rc = lower_dst(L, &in->dst[0], bits, &u->d);
    for (unsigned i = 0; i < 2 && !rc; i++) rc = lower_src(L, &in->src[i], bits, &u->s[i]);
    return rc ? rc : lower_src(L, &in->src[2], 1, &u->s[2]);
}

/* ---- mov ---- */

/* mov.b64 {lo, hi}, x and back: v[] are the parts, d or s[0] the whole. */
static int lower_mov_vec(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    bool split = in->dst[0].kind == OPND_VEC;
    const struct ptx_operand *parts = split ? &in->dst[0] : &in->src[0];
    unsigned bits = ptx_type_bits(in->type);
    if (bits > 64 || !parts->nvec || parts->nvec > 4 || (!split && in->dst[0].kind == OPND_VEC))
        return lower_refuse(L, "only vectors of up to 64 bits can be moved");
    u->full = u->part = op_mov_vec;
    u->mode = split;
    u->nvec = parts->nvec;
    u->bytes = (uint8_t)(bits / 8 / parts->nvec);
    u->src_wide = bits == 64;
    int rc = split ? lower_src(L, &in->src[0], bits, &u->s[0]) : lower_dst(L, &in->dst[0], bits, &u->d);
    for (unsigned i = 0; i < parts->nvec && !rc; i++)
        rc = split ? lower_dst(L, &parts->vec[i], bits / parts->nvec, &u->v[i])
                   : lower_src(L, &parts->vec[i], bits / parts->nvec, &u->v[i]);
    return rc;
}

int lower_mov(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand *s = &in->src[0];
    unsigned bits = ptx_type_bits(in->type);
    bool cluster = s->kind == OPND_SREG && s->sreg >= SREG_CLUSTERID_X;
    if (cluster) {
        lower_cluster_sreg(u, s->sreg);
        if (bits == 64) return lower_refuse(L, "a 32-bit special register cannot be a 64-bit operand");
        return lower_dst(L, &in->dst[0], bits, &u->d);
    }
    if (in->type == T_PRED) return lower_bool(L, u);
    if (in->dst[0].kind == OPND_VEC || s->kind == OPND_VEC) return lower_mov_vec(L, u);
    int rc = lower_dst(L, &in->dst[0], bits, &u->d);
    if (rc) return rc;
    u->wide = bits == 64;
    if (inst_reads_clock(in)) {
        u->full = u->part = op_clock;
        return 0;
    }
    if (s->kind == OPND_VAR && (s->var->space == PTX_LOCAL || s->var->space == PTX_PARAM_LOCAL)) {
        u->full = u->part = op_local_addr;
        u->imm = (int64_t)(image_var_addr(L->img, s->var) + s->imm +
                           (s->var->space == PTX_PARAM_LOCAL ? L->f->param_at : 0));
        return 0;
    }
    use(u, bits == 64 ? L_mov_b64 : L_mov_b32);
    return lower_src(L, s, bits, &u->s[0]);
}
