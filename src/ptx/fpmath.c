/* fpmath.c - see fpmath.h.
 *
 * ex2 splits off the integer part and sums the Taylor series of e^(f ln 2). lg2 takes the
 * exponent from the bits and sums the atanh series of the rest. sin and cos turn their
 * argument into quarters of a turn and sum a Taylor series within one. */
#include "ptx/fpmath.h"

#include <fenv.h>
#include <math.h>

/* ---- ex2, lg2, tanh ---- */

#define LN2 0x1.62e42fefa39efp-1

/* e^x - 1 for |x| < 0.36: the Taylor series, good to 2^-54 of the result. */
static double expm1_small(double x)
{
    static const double inverse_factorial[] = {
        1.0 / 1307674368000, 1.0 / 87178291200, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800,
        1.0 / 3628800,       1.0 / 362880,      1.0 / 40320,      1.0 / 5040,      1.0 / 720,
        1.0 / 120,           1.0 / 24,          1.0 / 6,          1.0 / 2,         1.0,
    };
    double p = 0;
    for (unsigned i = 0; i < sizeof inverse_factorial / sizeof *inverse_factorial; i++)
        p = p * x + inverse_factorial[i];
    return p * x;
}

/* 2^n for any n: results below the normal range come out of two factors. */
static double pow2(int n)
{
    if (n < -1074) return 0;
    if (n > 1023) return HUGE_VAL;
    if (n < -1022) return f64_of((uint64_t)(n + 100 + 1023) << 52) * 0x1p-100;
    return f64_of((uint64_t)(n + 1023) << 52);
}

double fm_ex2(double x)
{
    int n = (int)(x < 0 ? x - 0.5 : x + 0.5);
    return pow2(n) * (1 + expm1_small((x - n) * LN2));
}

double fm_lg2(double x)
{
    uint64_t b = f64_bits(x);
    int e = (int)(b >> 52) - 1023;
    double m = f64_of((b & 0xfffffffffffffu) | UINT64_C(1023) << 52);
    if (m > 0x1.6a09e667f3bcdp0) { /* sqrt 2: keeps m - 1 small on both sides */
        m /= 2;
        e++;
    }
    double s = (m - 1) / (m + 1), z = s * s, p = 0;
    for (int k = 25; k >= 1; k -= 2) p = p * z + 1.0 / k;
    return e + s * p * (2 / LN2);
}

double fm_tanh(double x)
{
    double a = x < 0 ? -x : x, t;
    if (a > 20) return x < 0 ? -1 : 1;
    t = a < 0.17 ? expm1_small(2 * a) : fm_ex2(2 * a / LN2) - 1;
    t = t / (t + 2);
    return x < 0 ? -t : t;
}

/* ---- sin, cos ---- */

static double sin_poly(double x) /* |x| <= pi/4 */
{
    double z = x * x, p = 0;
    static const double c[] = {1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
                               1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    for (unsigned i = 0; i < sizeof c / sizeof *c; i++) p = p * z + c[i];
    return x + x * (z * p);
}

static double cos_poly(double x)
{
    double z = x * x, p = 0;
    static const double c[] = {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                               1.0 / 40320,          -1.0 / 720,         1.0 / 24,        -1.0 / 2};
    for (unsigned i = 0; i < sizeof c / sizeof *c; i++) p = p * z + c[i];
    return 1 + z * p;
}

/* |x| = quadrant * pi/2 + *rest, |*rest| <= pi/4. The GPU multiplies by 1/(2 pi) in f32,
 * rounding toward zero, and goes on with the turns that gives. */
static unsigned reduce_turn(float x, double *rest)
{
    double turns = (x < 0 ? -(double)x : x) * 0x1.45f306p-3; /* exact: 24 times 24 bits */
    turns = f64_of(f64_bits(turns) & ~UINT64_C(0x1fffffff));
    *rest = 0;
    if (turns >= 0x1p23) return 0; /* whole turns */
    unsigned quarters = (unsigned)(4 * turns + 0.5);
    *rest = (4 * turns - quarters) * 0x1.921fb54442d18p0;
    return quarters & 3;
}

static double sin_quadrant(unsigned quadrant, double r)
{
    switch (quadrant & 3) {
    case 0: return sin_poly(r);
    case 1: return cos_poly(r);
    case 2: return -sin_poly(r);
    default: return -cos_poly(r);
    }
}

double fm_sin(float x)
{
    double r, s;
    unsigned q = reduce_turn(x, &r);
    s = sin_quadrant(q, r);
    return x < 0 ? -s : s;
}

double fm_cos(float x)
{
    double r;
    unsigned q = reduce_turn(x, &r);
    return sin_quadrant(q + 1, r);
}

/* ---- rsqrt ---- */

/* s = sqrt x and y = 1/s are each rounded; what x - s*s and 1 - s*y leave over corrects y to
 * first order. A small x is scaled, or x - s*s would have bits below the least subnormal. */
double fm_rsqrt(double x)
{
    double scale = x < 0x1p-900 ? 0x1p100 : 1;
    x *= scale * scale;
    double s = sqrt(x), y = 1 / s;
    double left = fma(-s, y, 1) - 0.5 * (fma(-s, s, x) * y) * y;
    return fma(y, left, y) * scale;
}

/* ---- formats ---- */

const struct fp_format fp_f16 = {11, -14, 15, 16, F16_NAN};
const struct fp_format fp_bf16 = {8, -126, 127, 16, 0x7fff};
const struct fp_format fp_f32 = {24, -126, 127, 32, F32_NAN};
const struct fp_format fp_f64 = {53, -1022, 1023, 64, 0};

static bool rounds_up(unsigned rnd, bool neg, bool odd, bool half, bool rest)
{
    switch (rnd) {
    case RND_RZ: return false;
    case RND_RM: return neg && (half || rest);
    case RND_RP: return !neg && (half || rest);
    default: return half && (rest || odd);
    }
}

uint64_t fp_pack(const struct fp_format *f, bool neg, int exp, uint64_t mant, bool sticky, unsigned rnd)
{
    uint64_t sign = (uint64_t)neg << (f->width - 1);
    uint64_t inf = (uint64_t)(f->emax - f->emin + 2) << (f->digits - 1);
    if (!mant && !sticky) return sign;
    int top = mant ? 63 - __builtin_clzll(mant) : 0; /* value is 2^(top + exp) or a little more */
    int last = top + exp - (f->digits - 1);          /* weight of the result's last bit */
    if (last < f->emin - (f->digits - 1)) last = f->emin - (f->digits - 1);
    int drop = last - exp;
    uint64_t kept;
    bool half = false, rest = sticky;
    if (drop <= 0) {
        kept = mant << -drop;
    } else {
        kept = drop < 64 ? mant >> drop : 0;
        half = drop <= 64 && (mant >> (drop - 1) & 1);
        rest |= drop > 64 ? mant != 0 : (mant & ((UINT64_C(1) << (drop - 1)) - 1)) != 0;
    }
    kept += rounds_up(rnd, neg, kept & 1, half, rest);
    /* A normal number's hidden bit adds 1 to the exponent field, and so does a carry. */
    uint64_t field = (uint64_t)(last - (f->emin - (f->digits - 1)));
    uint64_t bits = (field << (f->digits - 1)) + kept;
    if (bits >= inf) {
        bool away = rnd == RND_RN || rnd == RND_NONE || (rnd == RND_RM && neg) || (rnd == RND_RP && !neg);
        bits = away ? inf : inf - 1;
    }
    return sign | bits;
}

uint64_t fp_from_f64(const struct fp_format *f, double x, unsigned rnd)
{
    uint64_t b = f64_bits(x), mant = b & 0xfffffffffffffu;
    bool neg = b >> 63;
    int e = (int)(b >> 52 & 2047);
    if (e == 2047) {
        if (mant) return f->nan;
        return (uint64_t)neg << (f->width - 1) | (uint64_t)(f->emax - f->emin + 2) << (f->digits - 1);
    }
    if (e) mant |= UINT64_C(1) << 52;
    else e = 1;
    return fp_pack(f, neg, e - 1075, mant, false, rnd);
}

uint16_t f16_from_f32(float x) { return (uint16_t)fp_from_f64(&fp_f16, x, RND_RN); }

float f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31) return f32_of(sign | 0x7f800000 | m << 13);
    if (e) return f32_of(sign | (e + 112) << 23 | m << 13);
    float x = (float)m * 0x1p-24f;
    return sign ? -x : x;
}

double f64_add_odd(double a, double b)
{
    double s = a + b;
    if (!(s - s == 0)) return s; /* infinite or NaN */
    double t = s - a;
    double err = (a - (s - t)) + (b - t);
    uint64_t bits = f64_bits(s);
    if (err == 0 || bits & 1) return s;
    /* s is even and wrong: step toward the exact sum, which makes it odd. */
    return f64_of((err > 0) == (s > 0) ? bits + 1 : bits - 1);
}

/* ---- directed rounding ----
 *
 * The host's rounding mode is changed for the 32 lanes and put back. Operands and results
 * are volatile: the compiler, which is not told about rounding modes, may then neither
 * evaluate an operation early nor move it across fesetround. */

static int host_mode(unsigned rnd)
{
    return rnd == RND_RZ ? FE_TOWARDZERO : rnd == RND_RM ? FE_DOWNWARD : rnd == RND_RP ? FE_UPWARD : FE_TONEAREST;
}

#define DIRECTED(name, T, FMA, SQRT)                                                                                   \
    static T name##_lane(enum fp_op op, T pa, T pb, T pc)                                                              \
    {                                                                                                                  \
        volatile T a = pa, b = pb, c = pc, r;                                                                          \
        switch (op) {                                                                                                  \
        case FP_ADD: r = a + b; break;                                                                                 \
        case FP_SUB: r = a - b; break;                                                                                 \
        case FP_MUL: r = a * b; break;                                                                                 \
        case FP_FMA: r = FMA(a, b, c); break;                                                                          \
        case FP_DIV: r = a / b; break;                                                                                 \
        case FP_SQRT: r = SQRT(a); break;                                                                              \
        default: r = 1 / a; break;                                                                                     \
        }                                                                                                              \
        return r;                                                                                                      \
    }                                                                                                                  \
    void name(enum fp_op op, unsigned rnd, const T *a, const T *b, const T *c, T *d)                                   \
    {                                                                                                                  \
        int before = fegetround();                                                                                     \
        fesetround(host_mode(rnd));                                                                                    \
        for (unsigned i = 0; i < WARP_SIZE; i++) {                                                                     \
            volatile T r = name##_lane(op, a[i], b[i], c[i]);                                                          \
            d[i] = r;                                                                                                  \
        }                                                                                                              \
        fesetround(before);                                                                                            \
    }

DIRECTED(fp_directed_f32, float, fmaf, sqrtf)
DIRECTED(fp_directed_f64, double, fma, sqrt)
