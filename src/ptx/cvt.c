/* cvt.c - conversions: which have a vector loop, and one lane of any of them.
 *
 * A lane is converted in three steps: the source bits become an integer or a double (exact
 * for every source type), the value is rounded or clamped as the destination and the
 * modifiers ask, and the result is extended to the width of its register. NaNs go their own
 * way, on bits. */
#include "ptx/fpmath.h"
#include "ptx/ops.h"

#include <math.h>

static uint64_t extend(uint64_t v, unsigned bits, bool sign)
{
    unsigned unused = 64 - bits;
    return sign ? (uint64_t)((int64_t)(v << unused) >> unused) : v << unused >> unused;
}

/* ---- to integers ---- */

static uint64_t clamp_int(uint64_t v, bool from_signed, unsigned to)
{
    unsigned bits = ptx_type_bits(to);
    if (ptx_is_signed(to)) {
        int64_t max = (int64_t)(UINT64_MAX >> (65 - bits)), min = -max - 1;
        if (!from_signed) return v > (uint64_t)max ? (uint64_t)max : v;
        return (uint64_t)((int64_t)v > max ? max : (int64_t)v < min ? min : (int64_t)v);
    }
    if (from_signed && (int64_t)v < 0) return 0;
    uint64_t max = UINT64_MAX >> (64 - bits);
    return v > max ? max : v;
}

static double round_integral(double x, unsigned rnd)
{
    switch (rnd) {
    case RND_RNI:
    case RND_RN: return nearbyint(x);
    case RND_RMI:
    case RND_RM: return floor(x);
    case RND_RPI:
    case RND_RP: return ceil(x);
    default: return trunc(x);
    }
}

/* Out of range clamps. */
static uint64_t float_to_int(double x, const struct uop *u)
{
    unsigned bits = ptx_type_bits(u->type);
    double r = round_integral(x, u->rnd);
    if (ptx_is_signed(u->type)) {
        double top = ldexp(1, (int)bits - 1);
        int64_t max = (int64_t)(UINT64_MAX >> (65 - bits));
        return (uint64_t)(r >= top ? max : r < -top ? -max - 1 : (int64_t)r);
    }
    double top = ldexp(1, (int)bits);
    return r >= top ? UINT64_MAX >> (64 - bits) : r <= 0 ? 0 : (uint64_t)r;
}

/* ---- to floats ---- */

static const struct fp_format *format_of(unsigned t)
{
    /* e4m3 has no infinity: its greatest exponent is that of numbers, and what is larger has been clamped */
    static const struct fp_format e4m3 = {4, -6, 8, 8, 0x7f}, e5m2 = {3, -14, 15, 8, 0x7f},
                                  tf32 = {11, -126, 127, 19, 0};
    if (t == T_E4M3) return &e4m3;
    if (t == T_E5M2) return &e5m2;
    if (t == T_TF32) return &tf32;
    return t == T_F16 ? &fp_f16 : t == T_BF16 ? &fp_bf16 : t == T_F32 ? &fp_f32 : &fp_f64;
}

static uint64_t int_to_float(uint64_t v, bool from_signed, const struct uop *u)
{
    bool neg = from_signed && (int64_t)v < 0;
    return fp_pack(format_of(u->type), neg, 0, neg ? 0 - v : v, false, u->rnd);
}

static uint64_t flush_bits(uint64_t b, unsigned type, const struct uop *u)
{
    return type == T_F32 && u->flags & FLAG_FTZ && !(b & 0x7f800000) ? b & 0x80000000 : b;
}

static bool is_integral(unsigned rnd) { return rnd >= RND_RNI; }

/* The greatest finite number of a format. */
static double greatest(unsigned t)
{
    const struct fp_format *f = format_of(t);
    return t == T_E4M3 ? 448 : ldexp(2 - ldexp(1, 1 - f->digits), f->emax);
}

static uint64_t float_to_float(double x, const struct uop *u)
{
    unsigned rnd = is_integral(u->rnd) ? RND_RN : u->rnd;
    if (is_integral(u->rnd)) x = round_integral(x, u->rnd);
    if (u->flags & FLAG_SAT) x = !(x > 0) ? 0 : x > 1 ? 1 : x;
    if (u->flags & FLAG_RELU && !(x > 0)) x = 0;
    if (u->flags & FLAG_SATFINITE) x = fmin(fmax(x, -greatest(u->type)), greatest(u->type));
    uint64_t b = fp_from_f64(format_of(u->type), x, rnd);
    /* 2^-126 is flushed where it was less before the least exponent rounded it up. */
    if (u->type == T_F32 && u->flags & FLAG_FTZ &&
        (fp_from_f64(&fp_f32, x * 0x1p32, rnd) & 0x7fffffff) < f32_bits(0x1p-94f))
        b &= 0x80000000;
    return b;
}

/* ---- NaN ---- */

/* Bits of the significand field. */
static unsigned fraction_bits(unsigned t) { return (unsigned)format_of(t)->digits - 1; }

static bool is_nan(uint64_t v, unsigned t)
{
    unsigned bits = ptx_type_bits(t);
    uint64_t magnitude = extend(v, bits, false) & ~(UINT64_C(1) << (bits - 1));
    return magnitude > ((UINT64_C(1) << (bits - 1)) - (UINT64_C(1) << fraction_bits(t)));
}

/* Integers: 0, or the most negative number when 64 bits are on either side, even where it is
 * not a value of the type. Floats: to or from f64 the sign and the upper bits of the payload
 * survive, quiet; among the shorter formats there is one NaN, but for bf16 to f32, which is a shift. */
static uint64_t convert_nan(uint64_t v, const struct uop *u)
{
    unsigned bits = ptx_type_bits(u->type), from = ptx_type_bits(u->type2);
    if (!ptx_is_float(u->type)) return bits == 64 || from == 64 ? UINT64_C(1) << (bits - 1) : 0;
    if (u->flags & FLAG_SAT) return 0;
    if (u->type2 == T_BF16 && u->type == T_F32) return v << 16 & UINT32_MAX;
    if (bits != 64 && from != 64) return format_of(u->type)->nan;
    if (u->type2 == T_F32 && u->flags & FLAG_FTZ) v = F32_NAN;
    uint64_t payload = v << (64 - fraction_bits(u->type2)) >> 12 | F64_QUIET;
    uint64_t sign = v >> (from - 1) & 1,
             exponent = (UINT64_C(1) << (bits - 1)) - (UINT64_C(1) << fraction_bits(u->type));
    return sign << (bits - 1) | exponent | payload >> (52 - fraction_bits(u->type));
}

/* ---- a lane ---- */

static double float_value(uint64_t v, const struct uop *u)
{
    switch (u->type2) {
    case T_F16: return f16_to_f32((uint16_t)v);
    case T_BF16: return bf16_to_f32((uint16_t)v);
    case T_F32: return f32_of((uint32_t)flush_bits(v & UINT32_MAX, T_F32, u));
    default: return f64_of(v);
    }
}

static uint64_t convert(uint64_t v, const struct uop *u)
{
    if (ptx_is_float(u->type2)) {
        if (is_nan(v, u->type2)) return convert_nan(v, u);
        double x = float_value(v, u);
        return ptx_is_float(u->type) ? float_to_float(x, u) : float_to_int(x, u);
    }
    v = extend(v, ptx_type_bits(u->type2), ptx_is_signed(u->type2));
    if (!ptx_is_float(u->type)) return u->flags & FLAG_SAT ? clamp_int(v, ptx_is_signed(u->type2), u->type) : v;
    uint64_t b = int_to_float(v, ptx_is_signed(u->type2), u);
    if (u->flags & FLAG_SAT) { /* an integer saturates to 0 or 1 */
        bool positive = ptx_is_signed(u->type2) ? (int64_t)v > 0 : v > 0;
        b = positive ? fp_from_f64(format_of(u->type), 1, RND_RN) : 0;
    }
    return b;
}

static int op_cvt(struct exec_warp *w, const struct uop *u)
{
    unsigned bits = ptx_type_bits(u->type);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint64_t r = convert(get_lane(w, u->s[0], u->src_wide, i), u);
        put_lane(w, u->d, u->wide, i, extend(r, bits, ptx_is_signed(u->type)));
    }
    return RUN_ON;
}

/* ---- pairs, tf32, the 8-bit formats and cvt.pack ---- */

static unsigned half_of(unsigned t)
{
    switch (t) {
    case T_F16X2: return T_F16;
    case T_BF16X2: return T_BF16;
    case T_E4M3X2: return T_E4M3;
    case T_E5M2X2: return T_E5M2;
    default: return t;
    }
}

static unsigned element_bits(unsigned t) { return t == T_TF32 ? 32 : ptx_type_bits(half_of(t)); }

static double byte_value(unsigned v, unsigned t)
{
    unsigned digits = t == T_E4M3 ? 4 : 3, bias = t == T_E4M3 ? 7 : 15;
    unsigned m = v & ((1u << (digits - 1)) - 1), e = (v & 127) >> (digits - 1);
    double x;
    if (t == T_E4M3 ? (v & 127) == 127 : e == 31 && m) return NAN;
    if (t == T_E5M2 && e == 31) x = INFINITY;
    else if (e) x = ldexp(m + (1u << (digits - 1)), (int)e - (int)bias - (int)digits + 1);
    else x = ldexp(m, 2 - (int)bias - (int)digits);
    return v & 128 ? -x : x;
}

static double element_value(uint64_t v, unsigned t)
{
    switch (t) {
    case T_E4M3:
    case T_E5M2: return byte_value((unsigned)v & 255, t);
    case T_F16: return f16_to_f32((uint16_t)v);
    case T_BF16: return bf16_to_f32((uint16_t)v);
    default: return f32_of((uint32_t)v);
    }
}

/* tf32 is an f32 whose lowest 13 bits are zero. .rna adds half of the last place kept: the carry does the rest. A NaN
 * gives all ones above those bits; .rna cuts it off instead, so that one of a small payload becomes infinity (an H200).
 */
static uint32_t to_tf32(uint32_t b, const struct uop *u)
{
    double x = f32_of(b);
    if (isnan(x)) return (u->rnd == RND_RNA ? b : F32_NAN) & ~0x1fffu;
    if (u->flags & FLAG_RELU && !(x > 0)) return 0;
    if (u->rnd == RND_RNA) b = isinf(x) ? b : (b + 0x1000) & ~0x1fffu;
    else b = (uint32_t)fp_from_f64(format_of(T_TF32), x, u->rnd) << 13;
    if (u->flags & FLAG_SATFINITE && (b & 0x7fffffff) == 0x7f800000) b = (b & 0x80000000) | 0x7f7fe000;
    return b;
}

static uint64_t convert_element(uint64_t v, const struct uop *u, unsigned to, unsigned from)
{
    if (to == T_TF32) return to_tf32((uint32_t)v, u);
    double x = element_value(v, from);
    if (isnan(x)) return format_of(to)->nan;
    struct uop one = {.type = (uint8_t)to, .type2 = (uint8_t)from, .rnd = u->rnd, .flags = u->flags};
    return float_to_float(x, &one);
}

/* a is the upper half of the result, b the lower; a pair as source is converted half by half. */
static int op_cvt_packed(struct exec_warp *w, const struct uop *u)
{
    unsigned to = half_of(u->type), from = half_of(u->type2), bits = element_bits(u->type), in = element_bits(u->type2);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint64_t a = get_lane(w, u->s[0], u->src_wide, i), r = convert_element(a, u, to, from);
        if (u->nvec > 1) r = r << bits | convert_element(get_lane(w, u->s[1], u->src_wide, i), u, to, from);
        else if (from != u->type2) r |= convert_element(a >> in, u, to, from) << bits;
        put_lane(w, u->d, u->wide, i, r);
    }
    return RUN_ON;
}

/* cvt.pack: d is c shifted up, then a, then b, each clamped. */
static int op_cvt_pack(struct exec_warp *w, const struct uop *u)
{
    unsigned bits = ptx_type_bits(u->type);
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint64_t r = 0, c = u->nvec > 2 ? at32(w, u->s[2])[i] : 0;
        for (unsigned k = 0; k < 2; k++) {
            uint64_t v = extend(at32(w, u->s[k])[i], ptx_type_bits(u->type2), ptx_is_signed(u->type2));
            r = r << bits | (clamp_int(v, ptx_is_signed(u->type2), u->type) & mask);
        }
        at32(w, u->d)[i] = (uint32_t)(c << 2 * bits | r);
    }
    return RUN_ON;
}

static bool is_packed(const struct ptx_inst *in)
{
    return in->mode || half_of(in->type) != in->type || half_of(in->type2) != in->type2 || in->type == T_TF32 ||
           in->type2 == T_TF32;
}

static int lower_packed(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    bool bytes = in->type == T_E4M3X2 || in->type == T_E5M2X2, pair = half_of(in->type) != in->type;
    if (in->mode && !(in->flags & FLAG_SAT)) return lower_refuse(L, "cvt.pack needs .sat");
    if (!in->mode &&
        (in->type2 == T_TF32 || !ptx_is_float(in->type2) || (pair && in->nsrc < 2 && half_of(in->type2) == in->type2)))
        return lower_refuse(L, "there is no conversion from .%s to .%s", ptx_type_name((enum ptx_type)in->type2),
                            ptx_type_name((enum ptx_type)in->type));
    if (bytes && !(in->flags & FLAG_SATFINITE)) return lower_refuse(L, "the 8-bit formats need .satfinite");
    u->full = u->part = in->mode ? op_cvt_pack : op_cvt_packed;
    u->type = in->type;
    u->type2 = in->type2;
    u->rnd = in->rnd;
    u->flags = in->flags & ~(uint32_t)(in->mode ? FLAG_SAT : 0);
    u->nvec = in->nsrc;
    u->wide = lower_is_wide(L, &in->dst[0]);
    u->src_wide = lower_is_wide(L, &in->src[0]);
    int rc = lower_dst(L, &in->dst[0], u->wide ? 64 : 32, &u->d);
    for (unsigned k = 0; k < in->nsrc && !rc; k++) rc = lower_src(L, &in->src[k], u->src_wide ? 64 : 32, &u->s[k]);
    return rc;
}

/* ---- choosing ---- */

enum { SLOW = -1 };

/* Integer to integer: only the destination's bits matter, and the source's sign when wider. */
static int fast_int(const struct ptx_inst *in, bool wide, bool src_wide)
{
    unsigned to = ptx_type_bits(in->type), from = ptx_type_bits(in->type2);
    if (in->flags & FLAG_SAT) return SLOW;
    if (!wide && !src_wide) {
        unsigned t = to <= from ? in->type : in->type2;          /* whose bits are kept */
        if (in->type == T_U16 && in->type2 == T_S8) return SLOW; /* extended twice, differently */
        switch (t) {
        case T_U8: return L_cvt_u8;
        case T_S8: return L_cvt_s8;
        case T_U16: return L_cvt_u16;
        case T_S16: return L_cvt_s16;
        default: return L_mov_b32;
        }
    }
    if (wide && src_wide) return to == 64 && from == 64 ? L_mov_b64 : SLOW;
    if (wide && to == 64 && from == 32) return ptx_is_signed(in->type2) ? L_cvt_s64_s32 : L_cvt_u64_u32;
    if (wide && to == 64 && from == 16) return ptx_is_signed(in->type2) ? L_cvt_s64_s16 : L_cvt_u64_u16;
    if (!wide && from == 64 && to == 32) return L_cvt_u32_u64;
    if (!wide && from == 64 && in->type == T_U16) return L_cvt_u16_u64;
    return SLOW;
}

static int fast_float(const struct ptx_inst *in)
{
    bool nearest = in->rnd == RND_RN || in->rnd == RND_NONE;
    unsigned pair = (unsigned)in->type << 8 | in->type2;
    if (in->flags & (FLAG_SAT | FLAG_FTZ | FLAG_RELU | FLAG_SATFINITE))
        return in->flags == FLAG_SAT && nearest && pair == (T_F32 << 8 | T_F32) ? L_cvt_sat_f32 : SLOW;
    switch (pair) {
    case T_F32 << 8 | T_S32: return nearest ? L_cvt_f32_s32 : SLOW;
    case T_F32 << 8 | T_U32: return nearest ? L_cvt_f32_u32 : SLOW;
    case T_F64 << 8 | T_S32: return L_cvt_f64_s32;
    case T_F64 << 8 | T_U32: return L_cvt_f64_u32;
    case T_F64 << 8 | T_F32: return is_integral(in->rnd) ? SLOW : L_cvt_f64_f32;
    case T_F32 << 8 | T_F64: return nearest ? L_cvt_f32_f64 : SLOW;
    case T_S32 << 8 | T_F32: return in->rnd == RND_RZI ? L_cvt_rzi_s32_f32 : SLOW;
    case T_U32 << 8 | T_F32: return in->rnd == RND_RZI ? L_cvt_rzi_u32_f32 : SLOW;
    case T_S32 << 8 | T_F64: return in->rnd == RND_RZI ? L_cvt_rzi_s32_f64 : SLOW;
    case T_U32 << 8 | T_F64: return in->rnd == RND_RZI ? L_cvt_rzi_u32_f64 : SLOW;
    default: return SLOW;
    }
}

int lower_cvt(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    if (is_packed(in)) return lower_packed(L, u);
    if (in->rnd == RND_RNA) return lower_refuse(L, ".rna needs .tf32");
    bool wide = lower_is_wide(L, &in->dst[0]);
    bool src_wide = in->src[0].kind == OPND_REG ? lower_is_wide(L, &in->src[0]) : ptx_type_bits(in->type2) == 64;
    bool plain = wide == (ptx_type_bits(in->type) == 64) && src_wide == (ptx_type_bits(in->type2) == 64);
    int op = SLOW;
    if (!ptx_is_float(in->type) && !ptx_is_float(in->type2)) op = fast_int(in, wide, src_wide);
    else if (plain) op = fast_float(in);
    if (op == SLOW) {
        u->full = u->part = op_cvt;
    } else {
        u->full = lane_ops()[op].full;
        u->part = lane_ops()[op].part;
    }
    u->type = in->type;
    u->type2 = in->type2;
    u->rnd = in->rnd;
    u->flags = in->flags;
    u->wide = wide;
    u->src_wide = src_wide;
    int rc = lower_dst(L, &in->dst[0], wide ? 64 : 32, &u->d);
    return rc ? rc : lower_src(L, &in->src[0], src_wide ? 64 : 32, &u->s[0]);
}
