/* lower_alu.c - which lane operation an arithmetic instruction becomes.
 *
 * Each family picks an operation by type; forms without a vector loop of their own (directed
 * rounding, carries, rare conversions) go to the one-lane-at-a-time functions of scalar.c. */
#include "ptx/ops.h"
#include "ptx/fpmath.h"

enum { NO_FORM = -1 };

/* Operand widths of a form; 0 means there is no such operand. */
struct form {
    int op;
    uint8_t d, s[4];
};

static bool is_signed(uint8_t t) { return t >= T_S8 && t <= T_S64; }
static unsigned bits_of(uint8_t t) { return t == T_PRED ? 1 : 8 * ptx_type_bytes((enum ptx_type)t); }
static bool is_directed(const struct ptx_inst *in)
{
    return in->rnd == RND_RZ || in->rnd == RND_RM || in->rnd == RND_RP;
}
static int ftz(const struct ptx_inst *in) { return in->flags & FLAG_FTZ ? 1 : 0; }

/* By width alone, or by width and sign. */
static int by_width(uint8_t t, int w16, int w32, int w64)
{
    switch (t) {
    /* clang-format off */
    case T_B16: case T_U16: case T_S16: return w16;
    case T_B32: case T_U32: case T_S32: return w32;
    case T_B64: case T_U64: case T_S64: return w64;
    /* clang-format on */
    default: return NO_FORM;
    }
}

/* Lists give the unsigned form first and the signed one after it. */
static int by_sign(uint8_t t, int u16, int u32, int u64)
{
    int op = by_width(t, u16, u32, u64);
    return op == NO_FORM ? op : op + is_signed(t);
}

static int by_float(uint8_t t, int f32, int f64, int f16)
{
    switch (t) {
    case T_F32: return f32;
    case T_F64: return f64;
    case T_F16: return f16;
    case T_F16X2: return f16 == NO_FORM ? NO_FORM : f16 + 1;
    default: return NO_FORM;
    }
}

static bool is_float(uint8_t t) { return t >= T_F16; }

/* add, sub, mul, fma: four f32 forms in a row, two f16 forms twice. */
static int pick_arith(const struct ptx_inst *in, int f32, int f64, int f16, int f16_sat)
{
    int sat = in->flags & FLAG_SAT ? 1 : 0;
    return by_float(in->type, f32 + ftz(in) + 2 * sat, f64, sat ? f16_sat : f16);
}

static int pick_add(const struct ptx_inst *in)
{
    if (is_float(in->type)) return pick_arith(in, L_add_f32, L_add_f64, L_add_f16, L_add_sat_f16);
    if (in->flags & FLAG_SAT) return in->type == T_S32 ? L_add_sat_s32 : NO_FORM;
    return by_width(in->type, L_add_b16, L_add_b32, L_add_b64);
}

static int pick_sub(const struct ptx_inst *in)
{
    if (is_float(in->type)) return pick_arith(in, L_sub_f32, L_sub_f64, L_sub_f16, L_sub_sat_f16);
    if (in->flags & FLAG_SAT) return in->type == T_S32 ? L_sub_sat_s32 : NO_FORM;
    return by_width(in->type, L_sub_b16, L_sub_b32, L_sub_b64);
}

static int pick_mul(const struct ptx_inst *in)
{
    if (is_float(in->type)) return pick_arith(in, L_mul_f32, L_mul_f64, L_mul_f16, L_mul_sat_f16);
    if (in->flags & FLAG_WIDE) return by_sign(in->type, L_mul_wide_u16, L_mul_wide_u32, NO_FORM);
    if (in->flags & FLAG_HI) return by_sign(in->type, L_mul_hi_u16, L_mul_hi_u32, L_mul_hi_u64);
    return by_width(in->type, L_mul_lo_b16, L_mul_lo_b32, L_mul_lo_b64);
}

static int pick_mad(const struct ptx_inst *in)
{
    if (is_float(in->type)) return pick_arith(in, L_fma_f32, L_fma_f64, L_fma_f16, L_fma_sat_f16);
    if (in->flags & FLAG_SAT) return in->type == T_S32 && in->flags & FLAG_HI ? L_mad_hi_sat_s32 : NO_FORM;
    if (in->flags & FLAG_WIDE) return by_sign(in->type, L_mad_wide_u16, L_mad_wide_u32, NO_FORM);
    if (in->flags & FLAG_HI) return by_sign(in->type, L_mad_hi_u16, L_mad_hi_u32, L_mad_hi_u64);
    return by_width(in->type, L_mad_lo_b16, L_mad_lo_b32, L_mad_lo_b64);
}

static int pick_24(const struct ptx_inst *in)
{
    bool mad = in->op == OP_MAD24, hi = in->flags & FLAG_HI;
    if (in->flags & FLAG_SAT) return mad && hi && in->type == T_S32 ? L_mad24_hi_sat_s32 : NO_FORM;
    int base = mad ? (hi ? L_mad24_hi_u32 : L_mad24_lo_u32) : (hi ? L_mul24_hi_u32 : L_mul24_lo_u32);
    return by_sign(in->type, NO_FORM, base, NO_FORM);
}

static int pick_div(const struct ptx_inst *in)
{
    if (in->type == T_F32) return (in->flags & FLAG_APPROX ? L_div_approx_f32 : L_div_f32) + ftz(in);
    if (in->type == T_F64) return L_div_f64;
    return by_sign(in->type, L_div_u16, L_div_u32, L_div_u64);
}

static int pick_minmax(const struct ptx_inst *in)
{
    bool min = in->op == OP_MIN;
    if (in->flags & FLAG_NAN) return in->type == T_F32 ? (min ? L_min_nan_f32 : L_max_nan_f32) + ftz(in) : NO_FORM;
    if (is_float(in->type))
        return min ? by_float(in->type, L_min_f32 + ftz(in), L_min_f64, L_min_f16)
                   : by_float(in->type, L_max_f32 + ftz(in), L_max_f64, L_max_f16);
    return min ? by_sign(in->type, L_min_u16, L_min_u32, L_min_u64)
               : by_sign(in->type, L_max_u16, L_max_u32, L_max_u64);
}

static int pick_unary_float(const struct ptx_inst *in)
{
    int z = ftz(in);
    switch (in->op) {
    case OP_RCP:
        return by_float(in->type, L_rcp_f32 + z, in->flags & FLAG_APPROX ? L_rcp_approx_f64 : L_rcp_f64, NO_FORM);
    case OP_SQRT: return by_float(in->type, L_sqrt_f32 + z, L_sqrt_f64, NO_FORM);
    case OP_RSQRT: return by_float(in->type, L_rsqrt_f32 + z, z ? L_rsqrt_approx_f64 : L_rsqrt_f64, NO_FORM);
    case OP_EX2: return by_float(in->type, L_ex2_f32 + z, NO_FORM, L_ex2_f16);
    case OP_LG2: return by_float(in->type, L_lg2_f32 + z, NO_FORM, NO_FORM);
    case OP_SIN: return by_float(in->type, L_sin_f32 + z, NO_FORM, NO_FORM);
    case OP_COS: return by_float(in->type, L_cos_f32 + z, NO_FORM, NO_FORM);
    case OP_TANH: return by_float(in->type, L_tanh_f32 + z, NO_FORM, L_tanh_f16);
    case OP_ABS: return in->type == T_BF16 ? L_abs_bf16 : by_float(in->type, L_abs_f32 + z, L_abs_f64, L_abs_f16);
    default: return in->type == T_BF16 ? L_neg_bf16 : by_float(in->type, L_neg_f32 + z, L_neg_f64, L_neg_f16);
    }
}

static int pick_unary_int(const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_ABS: return by_width(in->type, L_abs_s16, L_abs_s32, L_abs_s64);
    case OP_NEG: return by_width(in->type, L_neg_s16, L_neg_s32, L_neg_s64);
    case OP_NOT: return by_width(in->type, L_not_b32, L_not_b32, L_not_b64);
    case OP_CNOT: return by_width(in->type, L_cnot_b16, L_cnot_b32, L_cnot_b64);
    case OP_CLZ: return by_width(in->type, NO_FORM, L_clz_b32, L_clz_b64);
    case OP_POPC: return by_width(in->type, NO_FORM, L_popc_b32, L_popc_b64);
    case OP_BREV: return by_width(in->type, NO_FORM, L_brev_b32, L_brev_b64);
    default: /* bfind; .shiftamt is its mode */
        return in->mode ? by_sign(in->type, NO_FORM, L_bfind_shift_u32, L_bfind_shift_u64)
                        : by_sign(in->type, NO_FORM, L_bfind_u32, L_bfind_u64);
    }
}

static int pick_bits(const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_AND: return by_width(in->type, L_and_b32, L_and_b32, L_and_b64);
    case OP_OR: return by_width(in->type, L_or_b32, L_or_b32, L_or_b64);
    case OP_XOR: return by_width(in->type, L_xor_b32, L_xor_b32, L_xor_b64);
    case OP_SHL: return by_width(in->type, L_shl_b16, L_shl_b32, L_shl_b64);
    default: return by_sign(in->type, L_shr_u16, L_shr_u32, L_shr_u64);
    }
}

static int pick_packed(const struct ptx_inst *in)
{
    int a = is_signed(in->type) ? 2 : 0, b = is_signed(in->type2) ? 1 : 0;
    switch (in->op) {
    case OP_SAD: return by_sign(in->type, L_sad_u16, L_sad_u32, L_sad_u64);
    case OP_DP4A: return L_dp4a_uu + a + b;
    case OP_DP2A: return L_dp2a_uu + a + b;
    case OP_PRMT: return in->mode == PRMT_DEFAULT ? L_prmt_b32 : L_prmt_mode;
    case OP_SHF: return L_shf_l_wrap + in->mode;
    case OP_LOP3: return L_lop3_b32;
    case OP_BMSK: return L_bmsk_b32;
    case OP_SZEXT: return is_signed(in->type) ? L_szext_s32 : L_szext_u32;
    default: return L_fns_b32;
    }
}

static int pick_slct(const struct ptx_inst *in)
{
    int by = in->type2 == T_F32 ? (ftz(in) ? L_slct_b32_ftz : L_slct_b32_f32) : L_slct_b32_s32;
    return by + (bits_of(in->type) == 64);
}

/* ---- shapes ---- */

static struct form same(const struct ptx_inst *in, int op)
{
    uint8_t b = (uint8_t)bits_of(in->type);
    struct form f = {.op = op, .d = b};
    for (unsigned i = 0; i < in->nsrc && i < 4; i++) f.s[i] = b;
    return f;
}

static struct form unary(const struct ptx_inst *in)
{
    struct form f = same(in, is_float(in->type) ? pick_unary_float(in) : pick_unary_int(in));
    if (in->op == OP_CLZ || in->op == OP_POPC || in->op == OP_BFIND) f.d = 32;
    return f;
}

static struct form wide_product(const struct ptx_inst *in, int op)
{
    struct form f = same(in, op);
    if (in->flags & FLAG_WIDE && !is_float(in->type)) f.d = f.s[2] = (uint8_t)(2 * f.d);
    if (in->nsrc < 3) f.s[2] = 0;
    return f;
}

static struct form fields(const struct ptx_inst *in) /* bfe, bfi: positions are 32 bits */
{
    uint8_t b = (uint8_t)bits_of(in->type);
    if (in->op == OP_BFE) return (struct form){by_sign(in->type, NO_FORM, L_bfe_u32, L_bfe_u64), b, {b, 32, 32}};
    return (struct form){by_width(in->type, NO_FORM, L_bfi_b32, L_bfi_b64), b, {b, b, 32, 32}};
}

static struct form shape(const struct ptx_inst *in)
{
    struct form f;
    switch (in->op) {
    case OP_ADD: return same(in, pick_add(in));
    case OP_SUB: return same(in, pick_sub(in));
    case OP_MUL: return wide_product(in, pick_mul(in));
    case OP_MAD:
    case OP_FMA: return wide_product(in, pick_mad(in));
    case OP_MUL24:
    case OP_MAD24: return same(in, pick_24(in));
    case OP_DIV: return same(in, pick_div(in));
    case OP_REM: return same(in, by_sign(in->type, L_rem_u16, L_rem_u32, L_rem_u64));
    /* clang-format off */
    case OP_MIN: case OP_MAX: return same(in, pick_minmax(in));
    case OP_ABS: case OP_NEG: case OP_NOT: case OP_CNOT: case OP_CLZ: case OP_POPC: case OP_BREV: case OP_BFIND:
    case OP_RCP: case OP_SQRT: case OP_RSQRT: case OP_EX2: case OP_LG2: case OP_SIN: case OP_COS: case OP_TANH:
        return unary(in);
    case OP_AND: case OP_OR: case OP_XOR: return same(in, pick_bits(in));
    case OP_SHL: case OP_SHR:
        /* clang-format on */
        f = same(in, pick_bits(in));
        f.s[1] = 32;
        return f;
    case OP_BFE:
    case OP_BFI: return fields(in);
    case OP_SAD: return same(in, pick_packed(in));
    case OP_DP4A:
    case OP_DP2A:
    case OP_PRMT:
    case OP_SHF:
    case OP_BMSK:
    case OP_SZEXT:
    case OP_FNS: return (struct form){pick_packed(in), 32, {32, 32, in->nsrc > 2 ? 32 : 0}};
    case OP_LOP3: return (struct form){L_lop3_b32, 32, {32, 32, 32}};
    case OP_COPYSIGN: return same(in, by_float(in->type, L_copysign_f32, L_copysign_f64, NO_FORM));
    case OP_SLCT:
        f = same(in, pick_slct(in));
        f.s[2] = 32;
        return f;
    default: return (struct form){.op = NO_FORM};
    }
}

static void use(struct uop *u, int op)
{
    const struct lane_fns *f = &lane_ops()[op];
    u->full = f->full;
    u->part = f->part;
}

/* Modifiers without a meaning here, which must not be ignored: f64 is neither flushed (but in
 * its approximations) nor saturated, and the 16-bit formats are not flushed. */
static bool has_strange_modifier(const struct ptx_inst *in)
{
    bool approximate = in->op == OP_RCP || in->op == OP_RSQRT;
    if (in->type == T_F64) return in->flags & FLAG_SAT || (in->flags & FLAG_FTZ && !approximate);
    return in->flags & FLAG_FTZ && (in->type == T_F16 || in->type == T_F16X2 || in->type == T_BF16);
}

static int finish(struct lower *L, struct uop *u, const struct form *f)
{
    const struct ptx_inst *in = L->in;
    if (f->op == NO_FORM || has_strange_modifier(in))
        return lower_refuse(L, "not supported for type .%s in this form", ptx_type_name((enum ptx_type)in->type));
    use(u, f->op);
    u->mode = in->mode;
    if (in->op == OP_DP2A) u->mode = in->flags & FLAG_HI ? 1 : 0;
    if (in->op == OP_LOP3) u->imm = (int64_t)in->src[3].imm;
    int rc = lower_dst(L, &in->dst[0], f->d, &u->d);
    for (unsigned i = 0; i < 4 && !rc; i++)
        if (f->s[i]) rc = lower_src(L, &in->src[i], f->s[i], &u->s[i]);
    return rc;
}

/* ---- one lane at a time ---- */

static int lower_directed(struct lower *L, struct uop *u, enum fp_op op)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = bits_of(in->type);
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

static int lower_carry(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = bits_of(in->type);
    if (bits != 32 && bits != 64) return lower_refuse(L, "carries need a 32- or 64-bit type");
    u->full = u->part = op_carry;
    u->mode = in->op;
    u->type = in->type;
    u->flags = in->flags;
    int rc = lower_dst(L, &in->dst[0], bits, &u->d);
    for (unsigned i = 0; i < in->nsrc && !rc; i++) rc = lower_src(L, &in->src[i], bits, &u->s[i]);
    return rc;
}

/* ---- predicates ---- */

static int comparison(const struct ptx_inst *in, uint8_t type)
{
    static const uint8_t order[] = {
        [CMP_EQ] = 0,  [CMP_NE] = 1,  [CMP_LT] = 2,   [CMP_LE] = 3,   [CMP_GT] = 4,   [CMP_GE] = 5,
        [CMP_LO] = 2,  [CMP_LS] = 3,  [CMP_HI] = 4,   [CMP_HS] = 5,   [CMP_EQU] = 6,  [CMP_NEU] = 7,
        [CMP_LTU] = 8, [CMP_LEU] = 9, [CMP_GTU] = 10, [CMP_GEU] = 11, [CMP_NUM] = 12, [CMP_NAN] = 13};
    int base;
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
    default: return NO_FORM;
    }
    if (in->cmp >= CMP_EQU && !is_float(type)) return NO_FORM;
    return base + 2 * order[in->cmp];
}

static int lower_compare(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    bool set = in->op == OP_SET;
    uint8_t type = set ? in->type2 : in->type;
    int op = comparison(in, type);
    if (type == T_F16X2 && !set) {
        u->full = u->part = op_setp_halves;
        u->mode = in->cmp;
    } else if (op == NO_FORM) {
        return lower_refuse(L, "not supported for type .%s", ptx_type_name((enum ptx_type)type));
    } else {
        use(u, op + set);
    }
    u->boolop = in->boolop;
    u->imm = in->type == T_F32 ? 0x3f800000 : in->type == T_F16 ? 0x3c00 : 0xffffffff;
    int rc = lower_dst(L, &in->dst[0], set ? 32 : 1, &u->d);
    if (!rc) rc = lower_dst(L, &in->dst[in->ndst > 1 ? 1 : 0], set ? 32 : 1, &u->d2);
    if (!rc && in->ndst < 2) rc = lower_dst(L, &(struct ptx_operand){.kind = OPND_SINK}, 1, &u->d2);
    for (unsigned i = 0; i < 2 && !rc; i++) rc = lower_src(L, &in->src[i], bits_of(type), &u->s[i]);
    if (!rc && in->boolop) rc = lower_src(L, &in->src[2], 1, &u->s[2]);
    u->not_c = in->src[2].negated ? UINT32_MAX : 0;
    return rc;
}

static int lower_testp(struct lower *L, struct uop *u)
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

static int lower_bool(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    use(u, in->op == OP_AND   ? L_bool_and
           : in->op == OP_OR  ? L_bool_or
           : in->op == OP_XOR ? L_bool_xor
           : in->op == OP_NOT ? L_bool_not
                              : L_bool_mov);
    int rc = lower_dst(L, &in->dst[0], 1, &u->d);
    for (unsigned i = 0; i < in->nsrc && i < 2 && !rc; i++) {
        rc = lower_src(L, &in->src[i], 1, &u->s[i]);
        u->s[3 + i] = in->src[i].negated ? UINT32_MAX : 0;
    }
    return rc;
}

static int lower_selp(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = bits_of(in->type);
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
    unsigned bits = bits_of(in->type);
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

static int lower_mov(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand *s = &in->src[0];
    unsigned bits = bits_of(in->type);
    if (in->type == T_PRED) return lower_bool(L, u);
    if (in->dst[0].kind == OPND_VEC || s->kind == OPND_VEC) return lower_mov_vec(L, u);
    int rc = lower_dst(L, &in->dst[0], bits, &u->d);
    if (rc) return rc;
    u->wide = bits == 64;
    if (s->kind == OPND_SREG && (s->sreg == SREG_CLOCK || s->sreg == SREG_CLOCK64 || s->sreg == SREG_GLOBALTIMER)) {
        u->full = u->part = op_clock;
        return 0;
    }
    if (s->kind == OPND_VAR && (s->var->space == PTX_LOCAL || s->var->space == PTX_PARAM_LOCAL)) {
        u->full = u->part = op_local_addr;
        u->imm = (int64_t)(image_var_addr(L->img, s->var) + s->imm +
                           (s->var->space == PTX_PARAM_LOCAL ? L->f->param_at : 0));
        return 0;
    }
    if (s->kind == OPND_FUNC) return lower_refuse(L, "the address of a function is not supported");
    use(u, bits == 64 ? L_mov_b64 : L_mov_b32);
    return lower_src(L, s, bits, &u->s[0]);
}

static bool has_carry(const struct ptx_inst *in)
{
    return in->flags & FLAG_CC || in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC;
}

/* The directed forms of arithmetic; sqrt and rcp without .rn are approximations. */
static int directed_op(const struct ptx_inst *in)
{
    if (!is_float(in->type) || !is_directed(in)) return NO_FORM;
    switch (in->op) {
    case OP_ADD: return FP_ADD;
    case OP_SUB: return FP_SUB;
    case OP_MUL: return FP_MUL;
    case OP_FMA:
    case OP_MAD: return FP_FMA;
    case OP_DIV: return FP_DIV;
    case OP_SQRT: return FP_SQRT;
    case OP_RCP: return FP_RCP;
    default: return NO_FORM;
    }
}

int lower_alu(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    if (has_carry(in)) return lower_carry(L, u);
    int directed = directed_op(in);
    if (directed != NO_FORM) return lower_directed(L, u, (enum fp_op)directed);
    switch (in->op) {
    case OP_SETP:
    case OP_SET: return lower_compare(L, u);
    case OP_TESTP: return lower_testp(L, u);
    case OP_SELP: return lower_selp(L, u);
    case OP_MOV: return lower_mov(L, u);
    case OP_CVT: return lower_cvt(L, u);
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
        if (in->type == T_PRED) return lower_bool(L, u);
        break;
    /* clang-format off */
    case OP_LD: case OP_LDU: case OP_ST: case OP_ATOM: case OP_RED: case OP_CVTA: case OP_ISSPACEP: case OP_SHFL:
    case OP_VOTE: case OP_MATCH: case OP_REDUX: case OP_ACTIVEMASK: case OP_BAR: case OP_BARRIER: case OP_MEMBAR:
    case OP_FENCE: case OP_NANOSLEEP: case OP_PREFETCH: case OP_PREFETCHU: case OP_TEX: case OP_TRAP: case OP_BRKPT:
        return 1;
    /* clang-format on */
    default: break;
    }
    struct form f = shape(in);
    return finish(L, u, &f);
}
