/* half.c - the 16-bit formats beyond plain f16: bf16, pairs of it, .relu, .NaN, .ftz, .xorsign.abs.
 *
 * One lane at a time and one half at a time, through double: sums and products of two 16-bit numbers are exact there
 * or made odd (f64_add_odd), so one rounding gives the result. Plain f16 has vector loops (ops_float.inc). */
#include "ptx/exec_priv.h"
#include "ptx/fpmath.h"
#include "ptx/half.h"

#include <math.h>

static const struct fp_format *format_of(unsigned type)
{
    return type == T_F32 ? &fp_f32 : type == T_BF16 || type == T_BF16X2 ? &fp_bf16 : &fp_f16;
}

/* The least normal number. */
static double least(const struct fp_format *f) { return ldexp(1, f->emin); }

static double flush(double x, const struct fp_format *f, bool ftz)
{
    return ftz && fabs(x) < least(f) ? copysign(0, x) : x;
}

/* The low 16 bits (of f32: all) as a number. */
static double half_value(uint32_t bits, unsigned type)
{
    if (type == T_F32) return f32_of(bits);
    return format_of(type) == &fp_bf16 ? bf16_to_f32((uint16_t)bits) : f16_to_f32((uint16_t)bits);
}

/* min and max: the number wins over a NaN unless .NaN is given; -0 is less than +0. */
static double extreme(const struct uop *u, double a, double b)
{
    bool max = u->mode == OP_MAX, sign = false;
    if (u->flags & FLAG_XORSIGN) {
        sign = signbit(a) != signbit(b);
        a = fabs(a);
        b = fabs(b);
    }
    double r;
    if (isnan(a) || isnan(b)) r = u->flags & FLAG_NAN ? NAN : isnan(a) ? b : a;
    else if (a == b) r = signbit(a) == max ? b : a;
    else r = (a < b) == max ? b : a;
    return sign ? -r : r;
}

static double compute(const struct uop *u, double a, double b, double c)
{
    switch (u->mode) {
    case OP_ADD: return f64_add_odd(a, b);
    case OP_SUB: return f64_add_odd(a, -b);
    case OP_MUL: return a * b;
    case OP_FMA: return f64_add_odd(a * b, c);
    case OP_MIN:
    case OP_MAX: return extreme(u, a, b);
    case OP_ABS: return fabs(a);
    case OP_NEG: return -a;
    case OP_EX2: return isnan(a) ? a : fm_ex2(a > 200 ? 200 : a < -200 ? -200 : a);
    default: return isnan(a) || a == 0 ? a : fm_tanh(a > 30 ? 30 : a < -30 ? -30 : a);
    }
}

static uint32_t half_lane(const struct uop *u, uint32_t a, uint32_t b, uint32_t c)
{
    const struct fp_format *f = format_of(u->type);
    bool ftz = u->flags & FLAG_FTZ;
    double r = compute(u, flush(half_value(a, u->type), f, ftz), flush(half_value(b, u->type), f, ftz),
                       flush(half_value(c, u->type), f, ftz));
    if (isnan(r)) return u->flags & FLAG_SAT ? 0 : f->nan;
    if (u->flags & FLAG_RELU && !(r > 0)) r = 0;
    if (u->flags & FLAG_SAT) r = !(r > 0) ? 0 : r > 1 ? 1 : r;
    uint32_t bits = (uint32_t)fp_from_f64(f, r, RND_RN), inf = (uint32_t)(f->emax - f->emin + 2) << (f->digits - 1);
    uint32_t magnitude = bits & (UINT32_MAX >> (33 - f->width));
    if (ftz && magnitude && magnitude < 1u << (f->digits - 1)) bits ^= magnitude;
    return magnitude > inf ? f->nan : bits;
}

uint32_t half_apply(unsigned op, unsigned type, uint32_t a, uint32_t b)
{
    struct uop u = {.mode = (uint8_t)op, .type = (uint8_t)type};
    uint32_t low = half_lane(&u, a, b, 0);
    return type == T_F16X2 || type == T_BF16X2 ? low | half_lane(&u, a >> 16, b >> 16, 0) << 16 : low;
}

static int op_half(struct exec_warp *w, const struct uop *u)
{
    const uint32_t *a = at32(w, u->s[0]), *b = at32(w, u->s[1]), *c = at32(w, u->s[2]);
    bool pair = u->type == T_F16X2 || u->type == T_BF16X2;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint32_t r = half_lane(u, a[i], b[i], c[i]);
        if (pair) r |= half_lane(u, a[i] >> 16, b[i] >> 16, c[i] >> 16) << 16;
        at32(w, u->d)[i] = r;
    }
    return RUN_ON;
}

bool half_is_rare(const struct ptx_inst *in)
{
    enum { RARE = FLAG_FTZ | FLAG_RELU | FLAG_NAN | FLAG_XORSIGN };
    if (in->type == T_BF16 || in->type == T_BF16X2) return true;
    if (in->type == T_F16 || in->type == T_F16X2) return in->flags & RARE;
    return in->type == T_F32 && in->flags & FLAG_XORSIGN;
}

int lower_half(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = ptx_type_bits(in->type);
    switch (in->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_FMA:
    case OP_MIN:
    case OP_MAX:
    case OP_ABS:
    case OP_NEG:
    case OP_EX2:
    case OP_TANH: break;
    default: return lower_refuse(L, "not supported for type .%s", ptx_type_name((enum ptx_type)in->type));
    }
    if (in->rnd > RND_RN) return lower_refuse(L, "the 16-bit formats round to nearest only");
    u->full = u->part = op_half;
    u->mode = in->op;
    u->type = in->type;
    u->flags = in->flags;
    int rc = lower_dst(L, &in->dst[0], bits, &u->d);
    for (unsigned i = 0; i < in->nsrc && i < 3 && !rc; i++) rc = lower_src(L, &in->src[i], bits, &u->s[i]);
    for (unsigned i = in->nsrc; i < 3; i++) u->s[i] = u->s[0];
    return rc;
}

/* ---- pairs of 16-bit integers, and min and max that end at zero ---- */

static uint32_t pair_lane(const struct uop *u, uint32_t a, uint32_t b, unsigned bits)
{
    unsigned unused = 32 - bits;
    bool is_signed = u->type != T_U16X2;
    int64_t x = is_signed ? (int32_t)(a << unused) >> unused : (int64_t)(a << unused >> unused);
    int64_t y = is_signed ? (int32_t)(b << unused) >> unused : (int64_t)(b << unused >> unused);
    int64_t r = u->mode == OP_ADD ? x + y : u->mode == OP_MIN ? (x < y ? x : y) : (x < y ? y : x);
    if (u->flags & FLAG_RELU && r < 0) r = 0;
    return (uint32_t)r << unused >> unused;
}

static int op_pair(struct exec_warp *w, const struct uop *u)
{
    const uint32_t *a = at32(w, u->s[0]), *b = at32(w, u->s[1]);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        at32(w, u->d)[i] = u->type == T_S32
                               ? pair_lane(u, a[i], b[i], 32)
                               : pair_lane(u, a[i], b[i], 16) | pair_lane(u, a[i] >> 16, b[i] >> 16, 16) << 16;
    }
    return RUN_ON;
}

bool pair_is_meant(const struct ptx_inst *in)
{
    return in->type == T_U16X2 || in->type == T_S16X2 || (in->flags & FLAG_RELU && !ptx_is_float(in->type));
}

int lower_pair(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    bool relu = in->flags & FLAG_RELU;
    if (in->flags & ~(uint32_t)FLAG_RELU || (relu && in->type != T_S32 && in->type != T_S16X2))
        return lower_refuse(L, "not supported for type .%s in this form", ptx_type_name((enum ptx_type)in->type));
    u->full = u->part = op_pair;
    u->mode = in->op;
    u->type = in->type;
    u->flags = in->flags;
    int rc = lower_dst(L, &in->dst[0], 32, &u->d);
    for (unsigned i = 0; i < 2 && !rc; i++) rc = lower_src(L, &in->src[i], 32, &u->s[i]);
    return rc;
}

/* ---- comparisons of 16-bit floats that no vector loop does ---- */

static bool compare(unsigned cmp, double a, double b)
{
    switch (cmp) {
    case CMP_EQ: return a == b;
    case CMP_NE: return a < b || a > b;
    case CMP_LT: return a < b;
    case CMP_LE: return a <= b;
    case CMP_GT: return a > b;
    case CMP_GE: return a >= b;
    case CMP_EQU: return !(a < b || a > b);
    case CMP_NEU: return !(a == b);
    case CMP_LTU: return !(a >= b);
    case CMP_LEU: return !(a > b);
    case CMP_GTU: return !(a <= b);
    case CMP_GEU: return !(a < b);
    case CMP_NUM: return a < b || a >= b;
    default: return !(a < b || a >= b);
    }
}

static uint32_t joined(const struct uop *u, uint32_t r, uint32_t c)
{
    return u->boolop == BOOL_AND ? r & c : u->boolop == BOOL_OR ? r | c : u->boolop == BOOL_XOR ? r ^ c : r;
}

static uint32_t compare_lanes(const struct exec_warp *w, const struct uop *u, unsigned shift)
{
    const uint32_t *a = at32(w, u->s[0]), *b = at32(w, u->s[1]);
    const struct fp_format *f = format_of(u->type2);
    bool ftz = u->flags & FLAG_FTZ;
    uint32_t r = 0;
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        double x = flush(half_value(a[i] >> shift, u->type2), f, ftz),
               y = flush(half_value(b[i] >> shift, u->type2), f, ftz);
        r |= (uint32_t)compare(u->mode, x, y) << i;
    }
    return r;
}

/* setp p|q: of pairs p is from the low halves and q from the high ones; else q is the opposite of p. */
static int op_setp_half(struct exec_warp *w, const struct uop *u)
{
    uint32_t c = *at32(w, u->s[2]) ^ u->not_c, low = compare_lanes(w, u, 0);
    uint32_t high = u->nvec > 1 ? compare_lanes(w, u, 16) : ~low;
    warp_put_pred(w, u->d, w->exec, joined(u, low, c));
    warp_put_pred(w, u->d2, w->exec, joined(u, high, c));
    return RUN_ON;
}

static int op_set_half(struct exec_warp *w, const struct uop *u)
{
    uint32_t c = *at32(w, u->s[2]) ^ u->not_c, low = joined(u, compare_lanes(w, u, 0), c),
             high = u->nvec > 1 ? joined(u, compare_lanes(w, u, 16), c) : 0, yes = (uint32_t)u->imm;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint32_t r = low >> i & 1 ? yes : 0;
        if (u->nvec > 1) r = (r & 0xffff) | (high >> i & 1 ? yes << 16 : 0);
        at32(w, u->d)[i] = r;
    }
    return RUN_ON;
}

void half_compare(struct uop *u, const struct ptx_inst *in, uint8_t type, bool set)
{
    u->full = u->part = set ? op_set_half : op_setp_half;
    u->mode = in->cmp;
    u->type2 = type;
    u->flags = in->flags;
    u->nvec = type == T_F16X2 || type == T_BF16X2 ? 2 : 1;
}
