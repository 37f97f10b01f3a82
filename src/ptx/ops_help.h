/* ops_help.h - scalar meanings of the operations that are more than a C expression.
 *
 * Used by ops_body.inc only. Everything is written without branches on data where a vector
 * loop is hoped for, and nothing can trap: lanes that are switched off are computed too. */
#ifndef WL_PTX_OPS_HELP_H
#define WL_PTX_OPS_HELP_H

#include "ptx/fpmath.h"

typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef uint32_t __attribute__((may_alias)) u32_in_slot;
typedef int32_t __attribute__((may_alias)) s32_in_slot;
typedef uint64_t __attribute__((may_alias)) u64_in_slot;
typedef int64_t __attribute__((may_alias)) s64_in_slot;
typedef float __attribute__((may_alias)) f32_in_slot;
typedef double __attribute__((may_alias)) f64_in_slot;

#define HELP static inline __attribute__((unused))

/* ---- integers ---- */

HELP s32 x_s16(u32 a) { return (int16_t)(uint16_t)a; }
HELP u32 x_u16(u32 a) { return a & 0xffff; }
HELP u32 x_absdiff_s(s32 a, s32 b) { return a < b ? (u32)b - (u32)a : (u32)a - (u32)b; }

HELP s32 x_add_sat(s32 a, s32 b)
{
    s64 r = (s64)a + b;
    return (s32)(r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r);
}
HELP s32 x_sub_sat(s32 a, s32 b)
{
    s64 r = (s64)a - b;
    return (s32)(r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r);
}
HELP u64 x_mulhi_u64(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
HELP s64 x_mulhi_s64(s64 a, s64 b) { return (s64)((__int128)a * b >> 64); }
HELP u32 x_mulhi_u32(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
HELP s32 x_mulhi_s32(s32 a, s32 b) { return (s32)((s64)a * b >> 32); }
HELP s32 x_s24(s32 a) { return (s32)((u32)a << 8) >> 8; }

/* Division by zero: all ones, quotient and remainder; the most negative number divided by -1
 * wraps. */
HELP u32 x_div_u32(u32 a, u32 b) { return b ? a / b : UINT32_MAX; }
HELP u32 x_rem_u32(u32 a, u32 b) { return b ? a % b : UINT32_MAX; }
HELP u64 x_div_u64(u64 a, u64 b) { return b ? a / b : UINT64_MAX; }
HELP u64 x_rem_u64(u64 a, u64 b) { return b ? a % b : UINT64_MAX; }
HELP s32 x_div_s32(s32 a, s32 b) { return b == 0 ? -1 : b == -1 ? (s32)(0u - (u32)a) : a / b; }
HELP s32 x_rem_s32(s32 a, s32 b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }
HELP s64 x_div_s64(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? (s64)(0u - (u64)a) : a / b; }
HELP s64 x_rem_s64(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }

HELP u32 x_shl32(u32 a, u32 n) { return n > 31 ? 0 : a << (n & 31); }
HELP u64 x_shl64(u64 a, u32 n) { return n > 63 ? 0 : a << (n & 63); }
HELP u32 x_shr32(u32 a, u32 n) { return n > 31 ? 0 : a >> (n & 31); }
HELP u64 x_shr64(u64 a, u32 n) { return n > 63 ? 0 : a >> (n & 63); }
HELP s32 x_sar32(s32 a, u32 n) { return a >> (n > 31 ? 31 : n); }
HELP s64 x_sar64(s64 a, u32 n) { return a >> (n > 63 ? 63 : n); }

HELP u32 x_clz32(u32 a) { return a ? (u32)__builtin_clz(a) : 32; }
HELP u32 x_clz64(u64 a) { return a ? (u32)__builtin_clzll(a) : 64; }
HELP u32 x_popc32(u32 a) { return (u32)__builtin_popcount(a); }
HELP u32 x_popc64(u64 a) { return (u32)__builtin_popcountll(a); }

HELP u32 x_brev32(u32 a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}
HELP u64 x_brev64(u64 a) { return (u64)x_brev32((u32)a) << 32 | x_brev32((u32)(a >> 32)); }

/* Position of the highest bit that differs from the sign, or all ones. */
HELP u32 x_bfind_u32(u32 a) { return a ? 31 - (u32)__builtin_clz(a) : UINT32_MAX; }
HELP u32 x_bfind_u64(u64 a) { return a ? 63 - (u32)__builtin_clzll(a) : UINT32_MAX; }
HELP u32 x_bfind_s32(s32 a) { return x_bfind_u32((u32)(a ^ (a >> 31))); }
HELP u32 x_bfind_s64(s64 a) { return x_bfind_u64((u64)(a ^ (a >> 63))); }
/* .shiftamt: how far left that bit must go to reach the top. */
HELP u32 x_shiftamt(u32 found, u32 top) { return found == UINT32_MAX ? found : top - found; }

/* Position and length are 0..255 by definition. Of larger ones the hardware takes 8 bits in
 * the 32-bit forms, all 32 in the 64-bit ones. */
HELP u64 x_field(u32 v, u32 width) { return width == 32 ? v & 255 : v; }
HELP u64 x_bfe(u64 a, u32 b, u32 c, bool is_signed, u32 width)
{
    u64 pos = x_field(b, width), len = x_field(c, width);
    u64 top = width - 1, last = pos + len - 1 < top ? pos + len - 1 : top;
    if (!len) return 0;
    u64 sign = is_signed ? a >> last & 1 : 0;
    u64 field = pos > top ? 0 : a >> pos;
    u64 have = pos > top ? 0 : top - pos + 1;
    if (len < have) have = len;
    u64 mask = have >= 64 ? UINT64_MAX : ((u64)1 << have) - 1;
    return (field & mask) | (sign ? ~mask : 0);
}
HELP u64 x_bfi(u64 a, u64 b, u32 c, u32 d, u32 width)
{
    u64 pos = x_field(c, width), len = x_field(d, width);
    if (pos >= width || !len) return b;
    if (len > width - pos) len = width - pos;
    u64 mask = (len >= 64 ? UINT64_MAX : ((u64)1 << len) - 1) << pos;
    return (b & ~mask) | (a << pos & mask);
}

HELP u32 x_lop3(u32 a, u32 b, u32 c, u32 table)
{
    u32 r = 0;
    for (u32 k = 0; k < 8; k++) {
        u32 term = (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
        r |= term & (0u - (table >> k & 1));
    }
    return r;
}

HELP u32 x_shf_l(u32 lo, u32 hi, u32 n) { return (u32)(((u64)hi << 32 | lo) << n >> 32); } /* n <= 32 */
HELP u32 x_shf_r(u32 lo, u32 hi, u32 n) { return (u32)(((u64)hi << 32 | lo) >> n); }
HELP u32 x_min32(u32 n) { return n > 32 ? 32 : n; }

/* prmt: byte `sel` (bit 3: its sign, repeated) of the eight bytes b:a. */
HELP u32 x_pick(u64 ba, u32 sel)
{
    u32 byte = (u32)(ba >> (8 * (sel & 7))) & 255;
    return sel & 8 ? (byte & 128 ? 255 : 0) : byte;
}
HELP u32 x_prmt4(u64 ba, u32 s0, u32 s1, u32 s2, u32 s3)
{
    return x_pick(ba, s0) | x_pick(ba, s1) << 8 | x_pick(ba, s2) << 16 | x_pick(ba, s3) << 24;
}
HELP u32 x_prmt(u32 a, u32 b, u32 c)
{
    return x_prmt4((u64)b << 32 | a, c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15);
}
HELP u32 x_prmt_mode(u32 a, u32 b, u32 c, u32 mode)
{
    u64 ba = (u64)b << 32 | a;
    u32 n = c & 3, h = c & 1 ? 2 : 0;
    switch (mode) {
    case PRMT_F4E: return x_prmt4(ba, n, n + 1, n + 2, n + 3);
    case PRMT_B4E: return x_prmt4(ba, n, (n + 7) & 7, (n + 6) & 7, (n + 5) & 7);
    case PRMT_RC8: return x_prmt4(ba, n, n, n, n);
    case PRMT_ECL: return x_prmt4(ba, n, n > 1 ? n : 1, n > 2 ? n : 2, 3);
    case PRMT_ECR: return x_prmt4(ba, 0, n < 1 ? n : 1, n < 2 ? n : 2, n);
    case PRMT_RC16: return x_prmt4(ba, h, h + 1, h, h + 1);
    default: return x_prmt(a, b, c);
    }
}

/* Byte or half k of x, signed or not. */
HELP s32 x_byte(u32 x, u32 k, bool is_signed)
{
    u32 v = x >> (8 * k) & 255;
    return is_signed ? (int8_t)v : (s32)v;
}
HELP s32 x_half(u32 x, u32 k, bool is_signed)
{
    u32 v = x >> (16 * k) & 0xffff;
    return is_signed ? (int16_t)v : (s32)v;
}
HELP u32 x_dp4a(u32 a, u32 b, u32 c, bool sa, bool sb)
{
    for (u32 k = 0; k < 4; k++) c += (u32)(x_byte(a, k, sa) * x_byte(b, k, sb));
    return c;
}
HELP u32 x_dp2a(u32 a, u32 b, u32 c, bool sa, bool sb, u32 hi)
{
    for (u32 k = 0; k < 2; k++) c += (u32)x_half(a, k, sa) * (u32)x_byte(b, k + 2 * (hi & 1), sb);
    return c;
}

HELP u32 x_bmsk(u32 a, u32 b, bool wrap)
{
    if (wrap) {
        a &= 31;
        b &= 31;
    }
    if (a > 31 || !b) return 0;
    u32 ones = b > 31 ? UINT32_MAX : (1u << b) - 1;
    return ones << a;
}
/* Sign- or zero-extends from bit b - 1; b = 0 leaves no bits of the field. */
HELP u32 x_szext(u32 a, u32 b, bool wrap, bool is_signed)
{
    if (wrap) b &= 31;
    if (b > 31) return a;
    if (!b) return 0;
    u32 mask = (1u << b) - 1;
    return is_signed && a >> (b - 1) & 1 ? a | ~mask : a & mask;
}
/* fns: position of the n-th set bit from `base`, upward for n > 0, downward for n < 0. */
HELP u32 x_fns(u32 mask, u32 base, s32 n)
{
    if (base > 31) return UINT32_MAX;
    if (n == 0) return mask >> base & 1 ? base : UINT32_MAX;
    s32 step = n > 0 ? 1 : -1;
    u32 left = n > 0 ? (u32)n : 0u - (u32)n;
    for (s32 p = (s32)base; p >= 0 && p < 32; p += step)
        if (mask >> p & 1 && --left == 0) return (u32)p;
    return UINT32_MAX;
}

/* ---- f32 and f64 ---- */

HELP f32 x_canon(f32 r) { return r != r ? f32_of(F32_NAN) : r; }
HELP f32 x_ftz(f32 a)
{
    u32 b = f32_bits(a);
    return f32_of(b & 0x7f800000 ? b : b & 0x80000000);
}
/* The .ftz of a rounded result. It is flushed when it lies below 2^-126 after rounding to 24
 * bits without a least exponent; r alone does not tell, for 2^-126 may be such a result
 * rounded up. `scaled` is the same operation on operands that make it 2^32 as large, which
 * cannot be infinite where r is small. */
HELP f32 x_flush(f32 r, f32 scaled)
{
    u32 s = f32_bits(scaled) & 0x7fffffff, b = f32_bits(r);
    return f32_of(s < 0x10800000 ? b & 0x80000000 : b);
}
HELP f32 x_mulz(f32 a, f32 b) { return x_flush(a * b, a * 0x1p32f * b); }
HELP f32 x_divz(f32 a, f32 b) { return x_flush(a / b, a * 0x1p32f / b); }
HELP f32 x_fmaz(f32 a, f32 b, f32 c)
{
    return x_flush(__builtin_fmaf(a, b, c), __builtin_fmaf(a * 0x1p32f, b, c * 0x1p32f));
}
HELP f32 x_sat(f32 r) { return r > 0 ? (r < 1 ? r : 1.0f) : 0.0f; } /* NaN: 0 */
HELP f32 x_abs(f32 a) { return f32_of(f32_bits(a) & 0x7fffffff); }
HELP f32 x_neg(f32 a) { return f32_of(f32_bits(a) ^ 0x80000000); }
HELP f64 x_abs64(f64 a) { return a != a ? f64_quiet(a) : f64_of(f64_bits(a) & INT64_MAX); }
HELP f64 x_neg64(f64 a) { return a != a ? f64_quiet(a) : f64_of(f64_bits(a) ^ (u64)INT64_MIN); }
HELP f32 x_fma(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
HELP f64 x_fma64(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }

/* The operand that is a number wins; -0 is less than +0. */
HELP f32 x_min(f32 a, f32 b)
{
    f32 less = a < b ? a : b;
    f32 same = f32_of(f32_bits(a) | f32_bits(b));
    f32 r = a == b ? same : less;
    r = a != a ? b : r;
    return x_canon(b != b ? a : r);
}
HELP f32 x_max(f32 a, f32 b)
{
    f32 more = a > b ? a : b;
    f32 same = f32_of(f32_bits(a) & f32_bits(b));
    f32 r = a == b ? same : more;
    r = a != a ? b : r;
    return x_canon(b != b ? a : r);
}
HELP f64 x_min64(f64 a, f64 b)
{
    f64 less = a < b ? a : b;
    f64 same = f64_of(f64_bits(a) | f64_bits(b));
    f64 r = a == b ? same : less;
    r = a != a ? b : r;
    return f64_nan_sum(b != b ? a : r, a, b);
}
HELP f64 x_max64(f64 a, f64 b)
{
    f64 more = a > b ? a : b;
    f64 same = f64_of(f64_bits(a) & f64_bits(b));
    f64 r = a == b ? same : more;
    r = a != a ? b : r;
    return f64_nan_sum(b != b ? a : r, a, b);
}
HELP f32 x_nan2(f32 r, f32 a, f32 b) { return a != a || b != b ? f32_of(F32_NAN) : r; }

HELP f32 x_copysign(f32 sign, f32 a) { return f32_of((f32_bits(a) & 0x7fffffff) | (f32_bits(sign) & 0x80000000)); }
HELP f64 x_copysign64(f64 sign, f64 a) { return f64_of((f64_bits(a) & INT64_MAX) | (f64_bits(sign) & (u64)INT64_MIN)); }

/* Approximate forms: the double result rounded once. */
HELP f32 x_ex2(f32 a)
{
    if (a != a) return f32_of(F32_NAN);
    return (f32)fm_ex2(a > 200 ? 200 : a < -200 ? -200 : a);
}
HELP f32 x_lg2(f32 a)
{
    if (!(a >= 0)) return f32_of(F32_NAN);
    if (a == 0) return -__builtin_inff();
    return a == __builtin_inff() ? a : (f32)fm_lg2(a);
}
HELP f32 x_sin(f32 a) { return x_ftz(a) == 0 ? x_ftz(a) : a - a == 0 ? (f32)fm_sin(a) : f32_of(F32_NAN); }
HELP f32 x_cos(f32 a) { return a - a == 0 ? (f32)fm_cos(a) : f32_of(F32_NAN); }
HELP f32 x_tanh(f32 a) { return a != a ? f32_of(F32_NAN) : a == 0 ? a : (f32)fm_tanh(a > 30 ? 30 : a < -30 ? -30 : a); }
HELP f32 x_rsqrt(f32 a) { return x_canon((f32)(1 / __builtin_sqrt((f64)a))); }
HELP f32 x_rcp(f32 a) { return x_canon(1 / a); }
HELP f32 x_sqrt(f32 a) { return x_canon(__builtin_sqrtf(a)); }
HELP f64 x_sqrt64(f64 a) { return f64_with_nan(__builtin_sqrt(a), a, a, a); }
HELP f64 x_rsqrt64(f64 a)
{
    f64 inf = __builtin_inf();
    return a > 0 && a < inf ? fm_rsqrt(a) : f64_with_nan(1 / __builtin_sqrt(a), a, a, a);
}
/* div.approx multiplies by a reciprocal, which is flushed to zero for divisors above 2^126. */
HELP f32 x_div_approx(f32 a, f32 b)
{
    f32 large = x_abs(b) > 0x1p126f && x_abs(b) < __builtin_inff() ? a * x_copysign(b, 0.0f) : a / b;
    return x_canon(large);
}
/* The f64 approximations see and make only the upper 32 bits. */
HELP f64 x_high_word(f64 a)
{
    u64 b = f64_bits(a);
    if (!(b & UINT64_C(0x7ff0000000000000))) b &= (u64)INT64_MIN; /* .ftz */
    return f64_of(b & UINT64_C(0xffffffff00000000));
}
HELP f64 x_high_result(f64 r) { return r != r ? f64_of(UINT64_C(0x7fffffff00000000)) : x_high_word(r); }
HELP f64 x_rcp_approx64(f64 a) { return x_high_result(1 / x_high_word(a)); }
HELP f64 x_rsqrt_approx64(f64 a) { return x_high_result(1 / __builtin_sqrt(x_high_word(a))); }

HELP bool x_testp(u32 mode, bool nan, bool inf, bool tiny)
{
    switch (mode) {
    case TESTP_FINITE: return !nan && !inf;
    case TESTP_INFINITE: return inf;
    case TESTP_NUMBER: return !nan;
    case TESTP_NOTANUMBER: return nan;
    case TESTP_NORMAL: return !nan && !inf && !tiny; /* zeros count as normal */
    default: return tiny;
    }
}
HELP bool x_testp32(u32 mode, u32 b)
{
    u32 e = b & 0x7f800000, m = b & 0x7fffff;
    return x_testp(mode, e == 0x7f800000 && m, e == 0x7f800000 && !m, !e && m);
}
HELP bool x_testp64(u32 mode, u64 b)
{
    u64 e = b >> 52 & 2047, m = b & 0xfffffffffffffu;
    return x_testp(mode, e == 2047 && m, e == 2047 && !m, !e && m);
}

/* float to 32-bit integer toward zero: clamps. NaN is 0, but the most negative number when it
 * comes from an f64, even for unsigned results. */
HELP s32 x_s32_f32(f32 a) { return a != a ? 0 : a >= 0x1p31f ? INT32_MAX : a < -0x1p31f ? INT32_MIN : (s32)a; }
HELP u32 x_u32_f32(f32 a) { return !(a > 0) ? 0 : a >= 0x1p32f ? UINT32_MAX : (u32)(s64)a; }
HELP s32 x_s32_f64(f64 a) { return !(a > -0x1p31) ? INT32_MIN : a >= 0x1p31 ? INT32_MAX : (s32)a; }
HELP u32 x_u32_f64(f64 a) { return a != a ? 0x80000000 : !(a > 0) ? 0 : a >= 0x1p32 ? UINT32_MAX : (u32)(s64)a; }

/* Between f32 and f64 a NaN keeps its sign and the upper bits of its payload. */
HELP f64 x_f64_f32(f32 a)
{
    u64 b = f32_bits(a);
    u64 nan = (b & 0x80000000) << 32 | UINT64_C(0x7ff8000000000000) | (b & 0x7fffff) << 29;
    return a != a ? f64_of(nan) : (f64)a;
}
HELP f32 x_f32_f64(f64 a)
{
    u64 b = f64_bits(a);
    u32 nan = (u32)(b >> 32 & 0x80000000) | 0x7fc00000 | (u32)(b >> 29 & 0x7fffff);
    return a != a ? f32_of(nan) : (f32)a;
}

/* ---- f16: through f32, which is wide enough that rounding twice is harmless; fma is not
 * among those and goes through an odd-rounded double ---- */

HELP f32 x_h(u32 a) { return f16_to_f32((uint16_t)a); }
HELP u32 x_hr(f32 r) { return r != r ? F16_NAN : f16_from_f32(r); }
HELP u32 x_hsat(u32 h) { return x_hr(x_sat(x_h(h))); }
HELP u32 x_hfma(u32 a, u32 b, u32 c)
{
    f64 s = f64_add_odd((f64)x_h(a) * (f64)x_h(b), (f64)x_h(c));
    return s != s ? F16_NAN : (u32)fp_from_f64(&fp_f16, s, RND_RN);
}
/* The NaN both 16-bit formats share, for a result whose magnitude is beyond `inf`. */
HELP u32 x_hcanon(u32 h, u32 inf) { return (h & 0x7fff) > inf ? F16_NAN : h; }

#endif
