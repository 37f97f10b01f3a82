/* matrix_math.c - elements of matrices as numbers, and products of plain arrays. See docs/ptx.md for what is exact. */
#include "ptx/fpmath.h"
#include "ptx/half.h"
#include "ptx/matrix.h"

#include <math.h>

static double byte_float(unsigned v, unsigned digits, int bias, bool has_inf)
{
    unsigned m = v & ((1u << (digits - 1)) - 1), e = (v & 127) >> (digits - 1);
    double x = e ? ldexp(m + (1u << (digits - 1)), (int)e - bias - (int)digits + 1) : ldexp(m, 2 - bias - (int)digits);
    if (has_inf && e == 31) x = m ? NAN : INFINITY;
    if (!has_inf && (v & 127) == 127) x = NAN;
    return v & 128 ? -x : x;
}

double matrix_value(uint64_t bits, unsigned type)
{
    switch (type) {
    case T_F16: return f16_to_f32((uint16_t)bits);
    case T_BF16: return bf16_to_f32((uint16_t)bits);
    case T_TF32: return f32_of((uint32_t)bits & ~0x1fffu); /* the hardware reads no more */
    case T_E4M3: return byte_float((unsigned)bits & 255, 4, 7, false);
    case T_E5M2: return byte_float((unsigned)bits & 255, 3, 15, true);
    case T_F32: return f32_of((uint32_t)bits);
    default: return f64_of(bits);
    }
}

int32_t matrix_integer(uint64_t bits, unsigned type)
{
    switch (type) {
    case T_S8: return (int8_t)(bits & 255);
    case T_U8: return (int32_t)(bits & 255);
    case T_S4: return (int32_t)((bits & 15) ^ 8) - 8;
    case T_U4: return (int32_t)(bits & 15);
    case T_B1: return (int32_t)(bits & 1);
    default: return (int32_t)bits;
    }
}

uint64_t matrix_pack(double x, unsigned type, bool satfinite)
{
    if (type == T_F64) return f64_bits(isnan(x) ? f64_with_nan(x, x, x, x) : x);
    const struct fp_format *f = type == T_F16 ? &fp_f16 : &fp_f32;
    if (isnan(x)) return satfinite ? 0 : f->nan;
    double max = ldexp(2 - ldexp(1, 1 - f->digits), f->emax);
    if (satfinite) x = x > max ? max : x < -max ? -max : x;
    return fp_from_f64(f, x, RND_RN);
}

void matrix_floats(unsigned m, unsigned n, unsigned k, const double *a, const double *b, double *c)
{
    for (unsigned i = 0; i < m; i++)
        for (unsigned h = 0; h < k; h++) {
            double x = a[i * k + h];
            for (unsigned j = 0; j < n; j++) c[i * n + j] += x * b[h * n + j];
        }
}

/* f64 is rounded at every step, in increasing k. */
void matrix_fma(unsigned m, unsigned n, unsigned k, const double *a, const double *b, double *c, unsigned rnd)
{
    double x[WARP_SIZE] = {0}, y[WARP_SIZE] = {0}, z[WARP_SIZE] = {0}, r[WARP_SIZE];
    for (unsigned first = 0; first < m * n; first += WARP_SIZE)
        for (unsigned h = 0; h < k; h++) {
            for (unsigned i = 0; i < WARP_SIZE; i++) {
                unsigned at = first + i;
                x[i] = a[at / n * k + h];
                y[i] = b[h * n + at % n];
                z[i] = c[at];
            }
            fp_directed_f64(FP_FMA, rnd, x, y, z, r);
            for (unsigned i = 0; i < WARP_SIZE; i++) c[first + i] = f64_nan_fma(r[i], x[i], y[i], z[i]);
        }
}

void matrix_integers(unsigned m, unsigned n, unsigned k, const int32_t *a, const int32_t *b, int64_t *c)
{
    for (unsigned i = 0; i < m; i++)
        for (unsigned h = 0; h < k; h++) {
            int64_t x = a[i * k + h];
            for (unsigned j = 0; j < n; j++) c[i * n + j] += x * b[h * n + j];
        }
}
