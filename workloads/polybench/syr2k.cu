/* syr2k - C = alpha (A B^T + B A^T) + beta C, a thread per element of C, x along the columns.
 *
 * As syrk.cu with two matrices: per iteration two words for the whole warp (a[i], b[i]) and two
 * loads with the lanes a row apart (b[j], a[j]). `rows` limits the rows of C that are computed. */

template <int SIZE>
__device__ __forceinline__ void update(float *a, float *b, float *c, float alpha, float beta, int n, int rows, int m)
{
    if (SIZE) n = m = SIZE;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= n) return;
    c[i * n + j] *= beta;
    for (int k = 0; k < m; k++)
        c[i * n + j] += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
}

#define SYR2K(tag, size)                                                                                  \
    extern "C" __global__ void syr2k##tag(float *a, float *b, float *c, float alpha, float beta, int n,   \
                                          int rows, int m)                                                \
    {                                                                                                     \
        update<size>(a, b, c, alpha, beta, n, rows, m);                                                   \
    }

SYR2K(, 0)
SYR2K(_256, 256)
