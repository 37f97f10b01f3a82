/* ptx_random_ops.h - the arithmetic of the random kernels: a row per instruction form, with its PTX text and its
 * meaning in plain C.
 *
 * Nothing here comes from src/ptx. The meanings are written for being obviously right: bit by bit where PTX
 * describes bits, with __int128 where it describes a product, with C's own float and double where it asks for the
 * nearest number. A value travels as 64 bits; a row's result is cut to the class of its destination.
 *
 * In a text, $d is the destination, $e the second one, $a $b $c $x are the sources. A row names the class of each
 * register by a letter: P predicate, H 16 bits, R 32 bits, D 64 bits, F f32, G f64; and as a source k, a 32-bit
 * constant below 256. NaN travels in F and G only: values leave these classes by comparison, by conversion or
 * through the rows `bits_of_*`, which have no NaN to show (the generator clears it). */
#ifndef WL_TESTS_PTX_RANDOM_OPS_H
#define WL_TESTS_PTX_RANDOM_OPS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where a thread is: what special registers tell. */
struct place {
    uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
    uint32_t lane, warp;
};

struct operands {
    uint64_t a, b, c, x;
    const struct place *at;
    uint64_t *carry;
};

struct op {
    const char *text;
    char d, e;     /* classes of the destinations; e is 0 when there is only one */
    const char *s; /* classes of the sources */
    uint64_t (*first)(const struct operands *);
    uint64_t (*second)(const struct operands *);
};

/* ---- values ---- */

static inline int16_t i16(uint64_t v) { return (int16_t)(uint16_t)v; }
static inline int32_t i32(uint64_t v) { return (int32_t)(uint32_t)v; }
static inline int64_t i64(uint64_t v) { return (int64_t)v; }
static inline uint32_t u16(uint64_t v) { return (uint16_t)v; }
static inline uint32_t u32(uint64_t v) { return (uint32_t)v; }
static inline float f32(uint64_t v)
{
    uint32_t bits = (uint32_t)v;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline double f64(uint64_t v)
{
    double d;
    memcpy(&d, &v, sizeof d);
    return d;
}
static inline uint64_t of32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static inline uint64_t of64(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* ---- bits ---- */

static inline uint64_t bit_of(uint64_t v, unsigned i) { return i < 64 ? v >> i & 1 : 0; }

static inline uint64_t count_ones(uint64_t v)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < 64; i++) n += bit_of(v, i);
    return n;
}
static inline uint64_t reversed(uint64_t v, unsigned width)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < width; i++) r |= bit_of(v, i) << (width - 1 - i);
    return r;
}
/* The highest bit that is not `sign`, or all ones. */
static inline uint64_t highest(uint64_t v, unsigned width, uint64_t sign)
{
    for (unsigned i = width; i-- > 0;)
        if (bit_of(v, i) != sign) return i;
    return UINT32_MAX;
}
static inline uint64_t leading_zeros(uint64_t v, unsigned width)
{
    uint64_t top = highest(v, width, 0);
    return top == UINT32_MAX ? width : width - 1 - top;
}
static inline uint64_t field(uint64_t v, unsigned pos, unsigned len, unsigned width, bool is_signed)
{
    uint64_t r = 0;
    unsigned last = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
    uint64_t sign = is_signed && len ? bit_of(v, last) : 0;
    for (unsigned i = 0; i < width; i++) r |= (i < len && pos + i < width ? bit_of(v, pos + i) : sign) << i;
    return r;
}
static inline uint64_t insert(uint64_t v, uint64_t into, unsigned pos, unsigned len, unsigned width)
{
    for (unsigned i = 0; i < len && pos + i < width; i++)
        into = (into & ~(UINT64_C(1) << (pos + i))) | bit_of(v, i) << (pos + i);
    return into;
}
static inline uint64_t logic3(uint64_t a, uint64_t b, uint64_t c, unsigned table)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= bit_of(table, (unsigned)(bit_of(a, i) * 4 + bit_of(b, i) * 2 + bit_of(c, i))) << i;
    return r;
}
static inline uint64_t permute(uint64_t a, uint64_t b, uint64_t select)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned s = select >> (4 * i) & 15, k = s & 7;
        uint64_t byte = (k < 4 ? a >> (8 * k) : b >> (8 * (k - 4))) & 255;
        if (s & 8) byte = byte & 128 ? 255 : 0;
        r |= byte << (8 * i);
    }
    return r;
}
static inline uint64_t dot4(uint64_t a, uint64_t b, uint64_t c, bool is_signed)
{
    for (unsigned i = 0; i < 4; i++) {
        int64_t x = (int64_t)(a >> (8 * i) & 255), y = (int64_t)(b >> (8 * i) & 255);
        if (is_signed) x -= x & 128 ? 256 : 0, y -= y & 128 ? 256 : 0;
        c += (uint64_t)(x * y);
    }
    return c;
}

/* ---- integers ---- */

static inline uint64_t product_high(uint64_t a, uint64_t b, bool is_signed)
{
    if (is_signed) return (uint64_t)((__int128)i64(a) * i64(b) >> 64);
    return (uint64_t)((unsigned __int128)a * b >> 64);
}
static inline int64_t clamped(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }
static inline int64_t product24(uint64_t a, uint64_t b)
{
    return (int64_t)(int32_t)(u32(a) << 8) / 256 * ((int64_t)(int32_t)(u32(b) << 8) / 256);
}
/* The hardware gives all ones for a division by zero; the quotient that does not fit wraps. */
static inline uint64_t quotient(int64_t a, int64_t b)
{
    return b == 0 ? UINT64_MAX : b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b);
}
static inline uint64_t remainder_of(int64_t a, int64_t b)
{
    return b == 0 ? UINT64_MAX : b == -1 ? 0 : (uint64_t)(a % b);
}
static inline uint64_t shift_left(uint64_t v, uint64_t by, unsigned width) { return by < width ? v << by : 0; }
static inline uint64_t shift_right(uint64_t v, uint64_t by, unsigned width) { return by < width ? v >> by : 0; }
static inline uint64_t shift_signed(int64_t v, uint64_t by, unsigned width)
{
    return (uint64_t)(v >> (by < width ? by : width - 1));
}
static inline uint64_t distance(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}
/* a + b + c in `width` bits; *carry becomes what does not fit. */
static inline uint64_t carried(uint64_t a, uint64_t b, uint64_t c, unsigned width, uint64_t *carry)
{
    unsigned __int128 sum = (unsigned __int128)a + b + c;
    *carry = (uint64_t)(sum >> width) & 1;
    return (uint64_t)sum;
}
static inline uint64_t borrowed(uint64_t a, uint64_t b, uint64_t c, uint64_t *carry)
{
    *carry = (unsigned __int128)a < (unsigned __int128)b + c;
    return a - b - c;
}

/* ---- floats ---- */

static inline float flushed(float f) { return f != 0 && fabsf(f) < 0x1p-126f ? copysignf(0, f) : f; }
static inline float unit(float f) { return f > 0 ? (f < 1 ? f : 1) : 0; } /* .sat: NaN is 0 */
/* A number before NaN, -0 before +0. */
static inline double lesser(double a, double b)
{
    if (isnan(a)) return b;
    if (isnan(b)) return a;
    if (a == b) return signbit(a) ? a : b;
    return a < b ? a : b;
}
static inline double greater(double a, double b)
{
    if (isnan(a)) return b;
    if (isnan(b)) return a;
    if (a == b) return signbit(a) ? b : a;
    return a > b ? a : b;
}
/* An integral double as an integer of the type, clamped. NaN is 0, but where 64 bits are on either side it is the
 * number with only the top bit set. */
static inline uint64_t integer(double v, unsigned bits, bool is_signed, bool wide)
{
    if (isnan(v)) return wide ? UINT64_C(1) << (bits - 1) : 0;
    double low = is_signed ? -ldexp(1, (int)bits - 1) : 0, high = ldexp(1, (int)bits - (is_signed ? 1 : 0));
    if (v >= high) return UINT64_MAX >> (is_signed ? 65 - bits : 64 - bits);
    if (v <= low) return is_signed ? UINT64_MAX << (bits - 1) : 0;
    return is_signed ? (uint64_t)(int64_t)v : (uint64_t)v;
}
static inline float from_half(uint64_t h)
{
    int exponent = (int)(h >> 10 & 31), fraction = (int)(h & 1023);
    float f = exponent == 31  ? (fraction ? NAN : INFINITY)
              : exponent == 0 ? ldexpf((float)fraction, -24)
                              : ldexpf((float)(1024 + fraction), exponent - 25);
    return h & 0x8000 ? -f : f;
}

/* ---- the table ---- */

/* clang-format off */
#define A (o->a)
#define B (o->b)
#define C (o->c)

#define SETP_INT(X, t, view, cls) \
    X(eq_##t, "setp.eq." #t " $d, $a, $b", 'P', cls cls, view(A) == view(B)) \
    X(ne_##t, "setp.ne." #t " $d, $a, $b", 'P', cls cls, view(A) != view(B)) \
    X(lt_##t, "setp.lt." #t " $d, $a, $b", 'P', cls cls, view(A) < view(B)) \
    X(le_##t, "setp.le." #t " $d, $a, $b", 'P', cls cls, view(A) <= view(B)) \
    X(gt_##t, "setp.gt." #t " $d, $a, $b", 'P', cls cls, view(A) > view(B)) \
    X(ge_##t, "setp.ge." #t " $d, $a, $b", 'P', cls cls, view(A) >= view(B)) \
    X(lt_and_##t, "setp.lt.and." #t " $d, $a, $b, $c", 'P', cls cls "P", (view(A) < view(B)) && C) \
    X(ge_or_##t, "setp.ge.or." #t " $d, $a, $b, $c", 'P', cls cls "P", (view(A) >= view(B)) || C) \
    X(ne_xor_##t, "setp.ne.xor." #t " $d, $a, $b, $c", 'P', cls cls "P", (view(A) != view(B)) != (C != 0))

#define SETP_FLOAT(X, t, cls) \
    X(eq_##t, "setp.eq." #t " $d, $a, $b", 'P', cls cls, t(A) == t(B)) \
    X(ne_##t, "setp.ne." #t " $d, $a, $b", 'P', cls cls, t(A) < t(B) || t(A) > t(B)) \
    X(lt_##t, "setp.lt." #t " $d, $a, $b", 'P', cls cls, t(A) < t(B)) \
    X(le_##t, "setp.le." #t " $d, $a, $b", 'P', cls cls, t(A) <= t(B)) \
    X(gt_##t, "setp.gt." #t " $d, $a, $b", 'P', cls cls, t(A) > t(B)) \
    X(ge_##t, "setp.ge." #t " $d, $a, $b", 'P', cls cls, t(A) >= t(B)) \
    X(equ_##t, "setp.equ." #t " $d, $a, $b", 'P', cls cls, isnan(t(A)) || isnan(t(B)) || t(A) == t(B)) \
    X(neu_##t, "setp.neu." #t " $d, $a, $b", 'P', cls cls, isnan(t(A)) || isnan(t(B)) || t(A) != t(B)) \
    X(ltu_##t, "setp.ltu." #t " $d, $a, $b", 'P', cls cls, isnan(t(A)) || isnan(t(B)) || t(A) < t(B)) \
    X(leu_##t, "setp.leu." #t " $d, $a, $b", 'P', cls cls, isnan(t(A)) || isnan(t(B)) || t(A) <= t(B)) \
    X(gtu_##t, "setp.gtu." #t " $d, $a, $b", 'P', cls cls, isnan(t(A)) || isnan(t(B)) || t(A) > t(B)) \
    X(geu_##t, "setp.geu." #t " $d, $a, $b", 'P', cls cls, isnan(t(A)) || isnan(t(B)) || t(A) >= t(B)) \
    X(num_##t, "setp.num." #t " $d, $a, $b", 'P', cls cls, !isnan(t(A)) && !isnan(t(B))) \
    X(gt_and_##t, "setp.gt.and." #t " $d, $a, $b, !$c", 'P', cls cls "P", t(A) > t(B) && !C)

/* Rows the generator picks from at random. */
#define RANDOM_OPS(X) \
    /* 32 bits */ \
    X(add_s32, "add.s32 $d, $a, $b", 'R', "RR", A + B) X(sub_u32, "sub.u32 $d, $a, $b", 'R', "RR", A - B) \
    X(add_sat, "add.sat.s32 $d, $a, $b", 'R', "RR", clamped((int64_t)i32(A) + i32(B), INT32_MIN, INT32_MAX)) \
    X(sub_sat, "sub.sat.s32 $d, $a, $b", 'R', "RR", clamped((int64_t)i32(A) - i32(B), INT32_MIN, INT32_MAX)) \
    X(mul_lo_s32, "mul.lo.s32 $d, $a, $b", 'R', "RR", A * B) \
    X(mul_hi_u32, "mul.hi.u32 $d, $a, $b", 'R', "RR", A * B >> 32) \
    X(mul_hi_s32, "mul.hi.s32 $d, $a, $b", 'R', "RR", ((int64_t)i32(A) * i32(B)) >> 32) \
    X(mad_lo_s32, "mad.lo.s32 $d, $a, $b, $c", 'R', "RRR", A * B + C) \
    X(mad_lo_u32, "mad.lo.u32 $d, $a, $b, $c", 'R', "RRR", A * B + C) \
    X(mad_hi_u32, "mad.hi.u32 $d, $a, $b, $c", 'R', "RRR", (A * B >> 32) + C) \
    X(mad_hi_s32, "mad.hi.s32 $d, $a, $b, $c", 'R', "RRR", (uint64_t)((int64_t)i32(A) * i32(B) >> 32) + C) \
    X(mul24_u32, "mul24.lo.u32 $d, $a, $b", 'R', "RR", (A & 0xffffff) * (B & 0xffffff)) \
    X(mul24_s32, "mul24.lo.s32 $d, $a, $b", 'R', "RR", product24(A, B)) \
    X(sad_u32, "sad.u32 $d, $a, $b, $c", 'R', "RRR", (A < B ? B - A : A - B) + C) \
    X(sad_s32, "sad.s32 $d, $a, $b, $c", 'R', "RRR", distance(i32(A), i32(B)) + C) \
    X(div_u32, "div.u32 $d, $a, $b", 'R', "RR", B ? A / B : UINT64_MAX) \
    X(div_s32, "div.s32 $d, $a, $b", 'R', "RR", quotient(i32(A), i32(B))) \
    X(rem_u32, "rem.u32 $d, $a, $b", 'R', "RR", B ? A % B : UINT64_MAX) \
    X(rem_s32, "rem.s32 $d, $a, $b", 'R', "RR", remainder_of(i32(A), i32(B))) \
    X(min_u32, "min.u32 $d, $a, $b", 'R', "RR", A < B ? A : B) \
    X(min_s32, "min.s32 $d, $a, $b", 'R', "RR", i32(A) < i32(B) ? A : B) \
    X(max_u32, "max.u32 $d, $a, $b", 'R', "RR", A > B ? A : B) \
    X(max_s32, "max.s32 $d, $a, $b", 'R', "RR", i32(A) > i32(B) ? A : B) \
    X(abs_s32, "abs.s32 $d, $a", 'R', "R", i32(A) < 0 ? 0 - A : A) X(neg_s32, "neg.s32 $d, $a", 'R', "R", 0 - A) \
    X(and_b32, "and.b32 $d, $a, $b", 'R', "RR", A & B) X(or_b32, "or.b32 $d, $a, $b", 'R', "RR", A | B) \
    X(xor_b32, "xor.b32 $d, $a, $b", 'R', "RR", A ^ B) \
    X(not_b32, "not.b32 $d, $a", 'R', "R", ~A) X(cnot_b32, "cnot.b32 $d, $a", 'R', "R", A == 0) \
    X(shl_b32, "shl.b32 $d, $a, $b", 'R', "RR", shift_left(A, B, 32)) \
    X(shl_k, "shl.b32 $d, $a, $b", 'R', "Rk", shift_left(A, B, 32)) \
    X(shr_u32, "shr.u32 $d, $a, $b", 'R', "Rk", shift_right(A, B, 32)) \
    X(shr_s32, "shr.s32 $d, $a, $b", 'R', "RR", shift_signed(i32(A), B, 32)) \
    X(clz_b32, "clz.b32 $d, $a", 'R', "R", leading_zeros(A, 32)) \
    X(popc_b32, "popc.b32 $d, $a", 'R', "R", count_ones(A)) \
    X(brev_b32, "brev.b32 $d, $a", 'R', "R", reversed(A, 32)) \
    X(bfind_u32, "bfind.u32 $d, $a", 'R', "R", highest(A, 32, 0)) \
    X(bfind_s32, "bfind.s32 $d, $a", 'R', "R", highest(A, 32, bit_of(A, 31))) \
    X(bfe_u32, "bfe.u32 $d, $a, $b, $c", 'R', "Rkk", field(A, u32(B), u32(C), 32, false)) \
    X(bfe_s32, "bfe.s32 $d, $a, $b, $c", 'R', "Rkk", field(A, u32(B), u32(C), 32, true)) \
    X(bfi_b32, "bfi.b32 $d, $a, $b, $c, $x", 'R', "RRkk", insert(A, B, u32(C), u32(o->x), 32)) \
    X(lop3_e8, "lop3.b32 $d, $a, $b, $c, 0xe8", 'R', "RRR", logic3(A, B, C, 0xe8)) \
    X(lop3_1b, "lop3.b32 $d, $a, $b, $c, 0x1b", 'R', "RRR", logic3(A, B, C, 0x1b)) \
    X(prmt, "prmt.b32 $d, $a, $b, $c", 'R', "RRR", permute(A, B, C)) \
    X(shf_l, "shf.l.wrap.b32 $d, $a, $b, $c", 'R', "RRR", (B << 32 | A) << (C & 31) >> 32) \
    X(shf_r, "shf.r.clamp.b32 $d, $a, $b, $c", 'R', "RRR", (B << 32 | A) >> (C > 32 ? 32 : C)) \
    X(dp4a_u, "dp4a.u32.u32 $d, $a, $b, $c", 'R', "RRR", dot4(A, B, C, false)) \
    X(dp4a_s, "dp4a.s32.s32 $d, $a, $b, $c", 'R', "RRR", dot4(A, B, C, true)) \
    X(selp_b32, "selp.b32 $d, $a, $b, $c", 'R', "RRP", C ? A : B) \
    X(slct_s32, "slct.s32.s32 $d, $a, $b, $c", 'R', "RRR", i32(C) >= 0 ? A : B) \
    X(set_lt, "set.lt.u32.s32 $d, $a, $b", 'R', "RR", i32(A) < i32(B) ? UINT64_MAX : 0) \
    X(mov_b32, "mov.b32 $d, $a", 'R', "R", A) \
    /* 64 bits */ \
    X(add_s64, "add.s64 $d, $a, $b", 'D', "DD", A + B) X(sub_s64, "sub.s64 $d, $a, $b", 'D', "DD", A - B) \
    X(mul_lo_s64, "mul.lo.s64 $d, $a, $b", 'D', "DD", A * B) \
    X(mad_lo_s64, "mad.lo.s64 $d, $a, $b, $c", 'D', "DDD", A * B + C) \
    X(mul_hi_u64, "mul.hi.u64 $d, $a, $b", 'D', "DD", product_high(A, B, false)) \
    X(mul_hi_s64, "mul.hi.s64 $d, $a, $b", 'D', "DD", product_high(A, B, true)) \
    X(mad_hi_s64, "mad.hi.s64 $d, $a, $b, $c", 'D', "DDD", product_high(A, B, true) + C) \
    X(mul_wide_u32, "mul.wide.u32 $d, $a, $b", 'D', "RR", A * B) \
    X(mul_wide_s32, "mul.wide.s32 $d, $a, $b", 'D', "RR", (int64_t)i32(A) * i32(B)) \
    X(mad_wide_u32, "mad.wide.u32 $d, $a, $b, $c", 'D', "RRD", A * B + C) \
    X(mad_wide_s32, "mad.wide.s32 $d, $a, $b, $c", 'D', "RRD", (uint64_t)((int64_t)i32(A) * i32(B)) + C) \
    X(sad_u64, "sad.u64 $d, $a, $b, $c", 'D', "DDD", (A < B ? B - A : A - B) + C) \
    X(div_u64, "div.u64 $d, $a, $b", 'D', "DD", B ? A / B : UINT64_MAX) \
    X(div_s64, "div.s64 $d, $a, $b", 'D', "DD", quotient(i64(A), i64(B))) \
    X(rem_u64, "rem.u64 $d, $a, $b", 'D', "DD", B ? A % B : UINT64_MAX) \
    X(rem_s64, "rem.s64 $d, $a, $b", 'D', "DD", remainder_of(i64(A), i64(B))) \
    X(min_u64, "min.u64 $d, $a, $b", 'D', "DD", A < B ? A : B) \
    X(min_s64, "min.s64 $d, $a, $b", 'D', "DD", i64(A) < i64(B) ? A : B) \
    X(max_u64, "max.u64 $d, $a, $b", 'D', "DD", A > B ? A : B) \
    X(max_s64, "max.s64 $d, $a, $b", 'D', "DD", i64(A) > i64(B) ? A : B) \
    X(abs_s64, "abs.s64 $d, $a", 'D', "D", i64(A) < 0 ? 0 - A : A) X(neg_s64, "neg.s64 $d, $a", 'D', "D", 0 - A) \
    X(and_b64, "and.b64 $d, $a, $b", 'D', "DD", A & B) X(or_b64, "or.b64 $d, $a, $b", 'D', "DD", A | B) \
    X(xor_b64, "xor.b64 $d, $a, $b", 'D', "DD", A ^ B) \
    X(not_b64, "not.b64 $d, $a", 'D', "D", ~A) X(shl_b64, "shl.b64 $d, $a, $b", 'D', "DR", shift_left(A, B, 64)) \
    X(shr_u64, "shr.u64 $d, $a, $b", 'D', "Dk", shift_right(A, B, 64)) \
    X(shr_s64, "shr.s64 $d, $a, $b", 'D', "Dk", shift_signed(i64(A), B, 64)) \
    X(clz_b64, "clz.b64 $d, $a", 'R', "D", leading_zeros(A, 64)) \
    X(popc_b64, "popc.b64 $d, $a", 'R', "D", count_ones(A)) \
    X(brev_b64, "brev.b64 $d, $a", 'D', "D", reversed(A, 64)) \
    X(bfind_u64, "bfind.u64 $d, $a", 'R', "D", highest(A, 64, 0)) \
    X(bfind_s64, "bfind.s64 $d, $a", 'R', "D", highest(A, 64, bit_of(A, 63))) \
    X(bfe_u64, "bfe.u64 $d, $a, $b, $c", 'D', "Dkk", field(A, u32(B), u32(C), 64, false)) \
    X(bfe_s64, "bfe.s64 $d, $a, $b, $c", 'D', "Dkk", field(A, u32(B), u32(C), 64, true)) \
    X(bfi_b64, "bfi.b64 $d, $a, $b, $c, $x", 'D', "DDkk", insert(A, B, u32(C), u32(o->x), 64)) \
    X(selp_b64, "selp.b64 $d, $a, $b, $c", 'D', "DDP", C ? A : B) \
    X(slct_s64, "slct.s64.s32 $d, $a, $b, $c", 'D', "DDR", i32(C) >= 0 ? A : B) \
    X(mov_b64, "mov.b64 $d, $a", 'D', "D", A) X(pack, "mov.b64 $d, {$a, $b}", 'D', "RR", B << 32 | A) \
    /* 16 bits */ \
    X(add_u16, "add.u16 $d, $a, $b", 'H', "HH", A + B) X(sub_s16, "sub.s16 $d, $a, $b", 'H', "HH", A - B) \
    X(mul_lo_s16, "mul.lo.s16 $d, $a, $b", 'H', "HH", A * B) \
    X(mul_hi_u16, "mul.hi.u16 $d, $a, $b", 'H', "HH", u16(A) * u16(B) >> 16) \
    X(mul_hi_s16, "mul.hi.s16 $d, $a, $b", 'H', "HH", i16(A) * i16(B) >> 16) \
    X(mul_wide_u16, "mul.wide.u16 $d, $a, $b", 'R', "HH", u16(A) * u16(B)) \
    X(mul_wide_s16, "mul.wide.s16 $d, $a, $b", 'R', "HH", i16(A) * i16(B)) \
    X(mad_lo_u16, "mad.lo.u16 $d, $a, $b, $c", 'H', "HHH", A * B + C) \
    X(mad_wide_s16, "mad.wide.s16 $d, $a, $b, $c", 'R', "HHR", (uint64_t)((int64_t)i16(A) * i16(B)) + C) \
    X(div_s16, "div.s16 $d, $a, $b", 'H', "HH", quotient(i16(A), i16(B))) \
    X(rem_u16, "rem.u16 $d, $a, $b", 'H', "HH", u16(B) ? u16(A) % u16(B) : UINT64_MAX) \
    X(min_s16, "min.s16 $d, $a, $b", 'H', "HH", i16(A) < i16(B) ? A : B) \
    X(max_u16, "max.u16 $d, $a, $b", 'H', "HH", u16(A) > u16(B) ? A : B) \
    X(neg_s16, "neg.s16 $d, $a", 'H', "H", 0 - A) X(abs_s16, "abs.s16 $d, $a", 'H', "H", i16(A) < 0 ? 0 - A : A) \
    X(and_b16, "and.b16 $d, $a, $b", 'H', "HH", A & B) X(xor_b16, "xor.b16 $d, $a, $b", 'H', "HH", A ^ B) \
    X(not_b16, "not.b16 $d, $a", 'H', "H", ~A) \
    X(shl_b16, "shl.b16 $d, $a, $b", 'H', "Hk", shift_left(A, B, 16)) \
    X(shr_u16, "shr.u16 $d, $a, $b", 'H', "HR", shift_right(A, B, 16)) \
    X(shr_s16, "shr.s16 $d, $a, $b", 'H', "Hk", shift_signed(i16(A), B, 16)) \
    X(selp_b16, "selp.b16 $d, $a, $b, $c", 'H', "HHP", C ? A : B) \
    /* between the integers */ \
    X(cvt_u32_u64, "cvt.u32.u64 $d, $a", 'R', "D", A) X(cvt_s64_s32, "cvt.s64.s32 $d, $a", 'D', "R", i32(A)) \
    X(cvt_u64_u32, "cvt.u64.u32 $d, $a", 'D', "R", A) \
    X(cvt_s32_s8, "cvt.s32.s8 $d, $a", 'R', "R", (int8_t)(uint8_t)A) \
    X(cvt_u32_u8, "cvt.u32.u8 $d, $a", 'R', "R", A & 255) \
    X(cvt_s32_s16, "cvt.s32.s16 $d, $a", 'R', "H", i16(A)) X(cvt_u32_u16, "cvt.u32.u16 $d, $a", 'R', "H", A) \
    X(cvt_u16_u32, "cvt.u16.u32 $d, $a", 'H', "R", A) \
    X(cvt_s64_s16, "cvt.s64.s16 $d, $a", 'D', "H", i16(A)) X(cvt_u64_u16, "cvt.u64.u16 $d, $a", 'D', "H", A) \
    X(cvt_u16_u64, "cvt.u16.u64 $d, $a", 'H', "D", A) \
    X(cvt_s64_s8, "cvt.s64.s8 $d, $a", 'D', "D", (int8_t)(uint8_t)A) \
    X(cvt_sat_u8, "cvt.sat.u8.s32 $d, $a", 'R', "R", clamped(i32(A), 0, 255)) \
    X(cvt_sat_s8, "cvt.sat.s8.s32 $d, $a", 'R', "R", clamped(i32(A), -128, 127)) \
    X(cvt_sat_s16, "cvt.sat.s16.s32 $d, $a", 'H', "R", clamped(i32(A), INT16_MIN, INT16_MAX)) \
    X(cvt_sat_s32, "cvt.sat.s32.s64 $d, $a", 'R', "D", clamped(i64(A), INT32_MIN, INT32_MAX)) \
    X(cvt_sat_u32, "cvt.sat.u32.s64 $d, $a", 'R', "D", clamped(i64(A), 0, UINT32_MAX)) \
    X(cvt_sat_s32u, "cvt.sat.s32.u32 $d, $a", 'R', "R", A > INT32_MAX ? INT32_MAX : A) \
    /* f32 */ \
    X(add_f32, "add.rn.f32 $d, $a, $b", 'F', "FF", of32(f32(A) + f32(B))) \
    X(sub_f32, "sub.f32 $d, $a, $b", 'F', "FF", of32(f32(A) - f32(B))) \
    X(mul_f32, "mul.f32 $d, $a, $b", 'F', "FF", of32(f32(A) * f32(B))) \
    X(fma_f32, "fma.rn.f32 $d, $a, $b, $c", 'F', "FFF", of32(fmaf(f32(A), f32(B), f32(C)))) \
    X(div_f32, "div.rn.f32 $d, $a, $b", 'F', "FF", of32(f32(A) / f32(B))) \
    X(sqrt_f32, "sqrt.rn.f32 $d, $a", 'F', "F", of32(sqrtf(f32(A)))) \
    X(rcp_f32, "rcp.rn.f32 $d, $a", 'F', "F", of32(1 / f32(A))) \
    X(add_ftz, "add.ftz.f32 $d, $a, $b", 'F', "FF", of32(flushed(flushed(f32(A)) + flushed(f32(B))))) \
    X(add_unit, "add.sat.f32 $d, $a, $b", 'F', "FF", of32(unit(f32(A) + f32(B)))) \
    X(mul_unit, "mul.sat.f32 $d, $a, $b", 'F', "FF", of32(unit(f32(A) * f32(B)))) \
    X(min_f32, "min.f32 $d, $a, $b", 'F', "FF", of32((float)lesser(f32(A), f32(B)))) \
    X(max_f32, "max.f32 $d, $a, $b", 'F', "FF", of32((float)greater(f32(A), f32(B)))) \
    X(min_ftz, "min.ftz.f32 $d, $a, $b", 'F', "FF", of32((float)lesser(flushed(f32(A)), flushed(f32(B))))) \
    X(abs_f32, "abs.f32 $d, $a", 'F', "F", of32(fabsf(f32(A)))) X(neg_f32, "neg.f32 $d, $a", 'F', "F", of32(-f32(A))) \
    X(selp_f32, "selp.f32 $d, $a, $b, $c", 'F', "FFP", C ? A : B) X(mov_f32, "mov.f32 $d, $a", 'F', "F", A) \
    X(cvt_f32_s32, "cvt.rn.f32.s32 $d, $a", 'F', "R", of32((float)i32(A))) \
    X(cvt_f32_u32, "cvt.rn.f32.u32 $d, $a", 'F', "R", of32((float)u32(A))) \
    X(cvt_f32_s64, "cvt.rn.f32.s64 $d, $a", 'F', "D", of32((float)i64(A))) \
    X(cvt_f32_u64, "cvt.rn.f32.u64 $d, $a", 'F', "D", of32((float)A)) \
    X(cvt_f32_f64, "cvt.rn.f32.f64 $d, $a", 'F', "G", of32((float)f64(A))) \
    X(cvt_f32_f16, "cvt.f32.f16 $d, $a", 'F', "H", of32(from_half(A))) \
    X(cvt_rni_f32, "cvt.rni.f32.f32 $d, $a", 'F', "F", of32(rintf(f32(A)))) \
    X(cvt_rmi_f32, "cvt.rmi.f32.f32 $d, $a", 'F', "F", of32(floorf(f32(A)))) \
    X(cvt_unit, "cvt.sat.f32.f32 $d, $a", 'F', "F", of32(unit(f32(A)))) \
    X(cvt_s32_f32, "cvt.rzi.s32.f32 $d, $a", 'R', "F", integer(trunc(f32(A)), 32, true, false)) \
    X(cvt_u32_f32, "cvt.rzi.u32.f32 $d, $a", 'R', "F", integer(trunc(f32(A)), 32, false, false)) \
    X(cvt_rni_s32, "cvt.rni.s32.f32 $d, $a", 'R', "F", integer(rint(f32(A)), 32, true, false)) \
    X(cvt_rmi_s32, "cvt.rmi.s32.f32 $d, $a", 'R', "F", integer(floor(f32(A)), 32, true, false)) \
    X(cvt_rpi_u32, "cvt.rpi.u32.f32 $d, $a", 'R', "F", integer(ceil(f32(A)), 32, false, false)) \
    X(cvt_s64_f32, "cvt.rzi.s64.f32 $d, $a", 'D', "F", integer(trunc(f32(A)), 64, true, true)) \
    X(cvt_s16_f32, "cvt.rzi.s16.f32 $d, $a", 'H', "F", integer(trunc(f32(A)), 16, true, false)) \
    X(float_of_bits, "mov.b32 $d, $a", 'F', "R", A) \
    X(slct_f32, "slct.u32.f32 $d, $a, $b, $c", 'R', "RRF", f32(C) >= 0 ? A : B) \
    /* f64 */ \
    X(add_f64, "add.rn.f64 $d, $a, $b", 'G', "GG", of64(f64(A) + f64(B))) \
    X(sub_f64, "sub.f64 $d, $a, $b", 'G', "GG", of64(f64(A) - f64(B))) \
    X(mul_f64, "mul.f64 $d, $a, $b", 'G', "GG", of64(f64(A) * f64(B))) \
    X(fma_f64, "fma.rn.f64 $d, $a, $b, $c", 'G', "GGG", of64(fma(f64(A), f64(B), f64(C)))) \
    X(div_f64, "div.rn.f64 $d, $a, $b", 'G', "GG", of64(f64(A) / f64(B))) \
    X(sqrt_f64, "sqrt.rn.f64 $d, $a", 'G', "G", of64(sqrt(f64(A)))) \
    X(min_f64, "min.f64 $d, $a, $b", 'G', "GG", of64(lesser(f64(A), f64(B)))) \
    X(max_f64, "max.f64 $d, $a, $b", 'G', "GG", of64(greater(f64(A), f64(B)))) \
    X(abs_f64, "abs.f64 $d, $a", 'G', "G", of64(fabs(f64(A)))) X(neg_f64, "neg.f64 $d, $a", 'G', "G", of64(-f64(A))) \
    X(selp_f64, "selp.f64 $d, $a, $b, $c", 'G', "GGP", C ? A : B) \
    X(cvt_f64_s32, "cvt.rn.f64.s32 $d, $a", 'G', "R", of64(i32(A))) \
    X(cvt_f64_u32, "cvt.rn.f64.u32 $d, $a", 'G', "R", of64(u32(A))) \
    X(cvt_f64_s64, "cvt.rn.f64.s64 $d, $a", 'G', "D", of64((double)i64(A))) \
    X(cvt_f64_u64, "cvt.rn.f64.u64 $d, $a", 'G', "D", of64((double)A)) \
    X(cvt_f64_f32, "cvt.f64.f32 $d, $a", 'G', "F", of64(f32(A))) \
    X(cvt_rpi_f64, "cvt.rpi.f64.f64 $d, $a", 'G', "G", of64(ceil(f64(A)))) \
    X(cvt_s32_f64, "cvt.rzi.s32.f64 $d, $a", 'R', "G", integer(trunc(f64(A)), 32, true, true)) \
    X(cvt_u32_f64, "cvt.rzi.u32.f64 $d, $a", 'R', "G", integer(trunc(f64(A)), 32, false, true)) \
    X(cvt_s64_f64, "cvt.rni.s64.f64 $d, $a", 'D', "G", integer(rint(f64(A)), 64, true, true)) \
    X(cvt_u64_f64, "cvt.rzi.u64.f64 $d, $a", 'D', "G", integer(trunc(f64(A)), 64, false, true)) \
    X(double_of_bits, "mov.b64 $d, $a", 'G', "D", A) \
    /* predicates */ \
    SETP_INT(X, s32, i32, "R") SETP_INT(X, u32, u32, "R") SETP_INT(X, s64, i64, "D") SETP_INT(X, u64, , "D") \
    SETP_INT(X, s16, i16, "H") \
    SETP_FLOAT(X, f32, "F") SETP_FLOAT(X, f64, "G") \
    X(lt_ftz, "setp.lt.ftz.f32 $d, $a, $b", 'P', "FF", flushed(f32(A)) < flushed(f32(B))) \
    X(testp_inf, "testp.infinite.f32 $d, $a", 'P', "F", isinf(f32(A))) \
    X(testp_fin, "testp.finite.f64 $d, $a", 'P', "G", isfinite(f64(A))) \
    X(testp_sub, "testp.subnormal.f32 $d, $a", 'P', "F", f32(A) != 0 && fabsf(f32(A)) < 0x1p-126f) \
    X(and_pred, "and.pred $d, $a, $b", 'P', "PP", A & B) X(or_pred, "or.pred $d, $a, $b", 'P', "PP", A | B) \
    X(xor_pred, "xor.pred $d, $a, $b", 'P', "PP", A ^ B) \
    X(not_pred, "not.pred $d, $a", 'P', "P", !A) X(mov_pred, "mov.pred $d, $a", 'P', "P", A)

/* Rows with two results. */
#define PAIR_OPS(X) \
    X(unpack, "mov.b64 {$d, $e}, $a", 'R', 'R', "D", A, A >> 32) \
    X(lt_pair, "setp.lt.s32 $d|$e, $a, $b", 'P', 'P', "RR", i32(A) < i32(B), i32(A) >= i32(B)) \
    X(gt_pair, "setp.gt.u64 $d|$e, $a, $b", 'P', 'P', "DD", A > B, A <= B) \
    X(le_pair, "setp.le.f32 $d|$e, $a, $b", 'P', 'P', "FF", f32(A) <= f32(B), !(f32(A) <= f32(B)))

/* Rows the generator uses where it needs exactly them. */
#define NAMED_OPS(X) \
    X(add_cc, "add.cc.u32 $d, $a, $b", 'R', "RR", carried(A, B, 0, 32, o->carry)) \
    X(addc_cc, "addc.cc.u32 $d, $a, $b", 'R', "RR", carried(A, B, *o->carry, 32, o->carry)) \
    X(addc, "addc.u32 $d, $a, $b", 'R', "RR", A + B + *o->carry) \
    X(sub_cc, "sub.cc.u32 $d, $a, $b", 'R', "RR", borrowed(A, B, 0, o->carry)) \
    X(subc_cc, "subc.cc.u32 $d, $a, $b", 'R', "RR", borrowed(A, B, *o->carry, o->carry)) \
    X(subc, "subc.u32 $d, $a, $b", 'R', "RR", A - B - *o->carry) \
    X(nan_f32, "setp.nan.f32 $d, $a, $a", 'P', "F", isnan(f32(A))) \
    X(nan_f64, "setp.nan.f64 $d, $a, $a", 'P', "G", isnan(f64(A))) \
    X(bits_of_float, "mov.b32 $d, $a", 'R', "F", A) X(bits_of_double, "mov.b64 $d, $a", 'D', "G", A) \
    X(tid_x, "mov.u32 $d, %tid.x", 'R', "", o->at->tid[0]) X(tid_y, "mov.u32 $d, %tid.y", 'R', "", o->at->tid[1]) \
    X(tid_z, "mov.u32 $d, %tid.z", 'R', "", o->at->tid[2]) \
    X(ntid_x, "mov.u32 $d, %ntid.x", 'R', "", o->at->ntid[0]) \
    X(ntid_y, "mov.u32 $d, %ntid.y", 'R', "", o->at->ntid[1]) \
    X(ntid_z, "mov.u32 $d, %ntid.z", 'R', "", o->at->ntid[2]) \
    X(ctaid_x, "mov.u32 $d, %ctaid.x", 'R', "", o->at->ctaid[0]) \
    X(ctaid_y, "mov.u32 $d, %ctaid.y", 'R', "", o->at->ctaid[1]) \
    X(nctaid_x, "mov.u32 $d, %nctaid.x", 'R', "", o->at->nctaid[0]) \
    X(laneid, "mov.u32 $d, %laneid", 'R', "", o->at->lane) \
    X(warpid, "mov.u32 $d, %warpid", 'R', "", o->at->warp) \
    X(lanemask_lt, "mov.u32 $d, %lanemask_lt", 'R', "", (UINT64_C(1) << o->at->lane) - 1) \
    X(shared_base, "mov.u32 $d, sh", 'R', "", 0) X(local_base, "mov.u64 $d, loc", 'D', "", 0) \
    X(const_base, "mov.u64 $d, cb", 'D', "", 0) \
    X(cvta_global, "cvta.global.u64 $d, $a", 'D', "D", A) \
    X(cvta_shared, "cvta.shared.u64 $d, $a", 'D', "D", A + RAW_SHARED) \
    X(cvta_local, "cvta.local.u64 $d, $a", 'D', "D", A + RAW_LOCAL) \
    X(cvta_const, "cvta.const.u64 $d, $a", 'D', "D", A + RAW_CONST) \
    X(cvta_to_shared, "cvta.to.shared.u64 $d, $a", 'D', "D", A - RAW_SHARED) \
    X(cvta_to_local, "cvta.to.local.u64 $d, $a", 'D', "D", A - RAW_LOCAL)
/* clang-format on */

/* What the executor adds to an address of a space to make it generic. */
#define RAW_WINDOW (UINT64_C(1) << 40)
#define RAW_SHARED (1 * RAW_WINDOW)
#define RAW_LOCAL  (2 * RAW_WINDOW)
#define RAW_CONST  (4 * RAW_WINDOW)

/* clang-format off */
#define MEANING(id, text, d, s, value) \
    static uint64_t mean_##id(const struct operands *o) { (void)o; return (uint64_t)(value); }
#define MEANINGS(id, text, d, e, s, value, value2) MEANING(id, text, d, s, value) MEANING(id##_too, text, d, s, value2)
RANDOM_OPS(MEANING)
NAMED_OPS(MEANING)
PAIR_OPS(MEANINGS)
#define ENUM(id, text, d, s, value) OP_##id,
#define ENUM2(id, text, d, e, s, value, value2) OP_##id,
enum op_id { RANDOM_OPS(ENUM) PAIR_OPS(ENUM2) OPS_PICKED, OP_before = OPS_PICKED - 1, NAMED_OPS(ENUM) OPS };
#define ROW(id, text, d, s, value) {text, d, 0, s, mean_##id, NULL},
#define ROW2(id, text, d, e, s, value, value2) {text, d, e, s, mean_##id, mean_##id##_too},
static const struct op op_table[] = {RANDOM_OPS(ROW) PAIR_OPS(ROW2) NAMED_OPS(ROW)};
/* clang-format on */
#undef A
#undef B
#undef C

#endif
