/* fpmath.h - floating point as the GPU does it, the same on every host.
 *
 * Transcendental functions are our own: a C library may return another last bit in its next
 * version, and a simulator must not. They return double with a relative error below 2^-40,
 * and callers round once to f32; nothing in them depends on contraction or on the host's
 * libm. sin and cos are those of an argument reduced as the GPU reduces it, which is not
 * exact. Conversions between formats go through one integer routine, fp_pack. */
#ifndef WL_PTX_FPMATH_H
#define WL_PTX_FPMATH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ptx/ir.h"

static inline uint32_t f32_bits(float x)
{
    uint32_t b;
    memcpy(&b, &x, 4);
    return b;
}
static inline float f32_of(uint32_t b)
{
    float x;
    memcpy(&x, &b, 4);
    return x;
}
static inline uint64_t f64_bits(double x)
{
    uint64_t b;
    memcpy(&b, &x, 8);
    return b;
}
static inline double f64_of(uint64_t b)
{
    double x;
    memcpy(&x, &b, 8);
    return x;
}

/* The NaN that arithmetic produces. f32 and f16 always make this one; f64 makes it where no
 * operand is NaN, and else returns the operand, made quiet. */
#define F32_NAN   UINT32_C(0x7fffffff)
#define F64_NAN   UINT64_C(0xfff8000000000000)
#define F16_NAN   0x7fffu
#define F64_QUIET (UINT64_C(1) << 51)
static inline double f64_quiet(double nan) { return f64_of(f64_bits(nan) | F64_QUIET); }
/* r, or the NaN that stands for it: the first operand that is one. */
static inline double f64_with_nan(double r, double first, double second, double third)
{
    double nan = third != third ? f64_quiet(third) : f64_of(F64_NAN);
    nan = second != second ? f64_quiet(second) : nan;
    nan = first != first ? f64_quiet(first) : nan;
    return r != r ? nan : r;
}
/* The operand the hardware prefers: b of a + b, a - b and a * b, then c, then a; but a of a / b. */
static inline double f64_nan_sum(double r, double a, double b) { return f64_with_nan(r, b, a, a); }
static inline double f64_nan_fma(double r, double a, double b, double c) { return f64_with_nan(r, b, c, a); }
static inline double f64_nan_quotient(double r, double a, double b) { return f64_with_nan(r, a, b, b); }

double fm_ex2(double x); /* 2^x for |x| < 2^20 */
double fm_lg2(double x); /* log2 x; x > 0 and normal */
double fm_sin(float x);  /* of 2 pi times x / (2 pi), the quotient cut to 24 bits; any finite x */
double fm_cos(float x);
double fm_tanh(double x);
double fm_rsqrt(double x); /* 1/sqrt x rounded correctly but for ties too close to call; x > 0, finite */

/* A binary format: total significand bits (with the hidden one), least and greatest exponent
 * of a normal number written 1.xxx * 2^e, and width. */
struct fp_format {
    int digits, emin, emax, width;
    uint32_t nan;
};
extern const struct fp_format fp_f16, fp_bf16, fp_f32, fp_f64;

/* (-1)^neg * mant * 2^exp, plus a non-zero amount below the last bit of mant when sticky,
 * rounded as `rnd` (enum ptx_round) says; the bits of the result. */
uint64_t fp_pack(const struct fp_format *f, bool neg, int exp, uint64_t mant, bool sticky, unsigned rnd);
/* The same from a double, which may be zero, infinite or NaN. */
uint64_t fp_from_f64(const struct fp_format *f, double x, unsigned rnd);

uint16_t f16_from_f32(float x); /* nearest even */
float f16_to_f32(uint16_t h);
static inline float bf16_to_f32(uint16_t h) { return f32_of((uint32_t)h << 16); }

/* a + b in double with the last bit set when the sum is not exact: rounding it again to a
 * format of at most 51 digits gives what one rounding would. */
double f64_add_odd(double a, double b);

/* 32 lanes of one operation in a rounding direction; b and c are read where they are used. */
enum fp_op { FP_NONE, FP_ADD, FP_SUB, FP_MUL, FP_FMA, FP_DIV, FP_SQRT, FP_RCP };
void fp_directed_f32(enum fp_op op, unsigned rnd, const float *a, const float *b, const float *c, float *d);
void fp_directed_f64(enum fp_op op, unsigned rnd, const double *a, const double *b, const double *c, double *d);

#endif
