/* product.h - the CPU's matrix product, for the workloads that chain several. */
#ifndef WL_WORKLOADS_PRODUCT_H
#define WL_WORKLOADS_PRODUCT_H

#include <stddef.h>

/* out (rows x n, dense, zeroed) += left (dense) * right (a row every `pitch` floats). */
static inline void product_reference(const double *left, const float *right, double *out, size_t rows, size_t n,
                                     size_t pitch)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t l = 0; l < n; l++) out[i * n + l] += left[i * n + k] * right[k * pitch + l];
}

/* A dense copy, as doubles, of a matrix with a pitch. */
static inline void product_widen(double *out, const float *in, size_t rows, size_t n, size_t pitch)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < n; k++) out[i * n + k] = in[i * pitch + k];
}

#endif
