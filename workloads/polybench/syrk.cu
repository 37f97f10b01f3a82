/* syrk - C = alpha A A^T + beta C, a thread per element of C, x along the columns.
 *
 * a[i][k] is one word for the whole warp; a[j][k] puts the lanes a row of A apart: 32 requests,
 * shared with every warp that has the same columns. The sum is stored to C in each iteration
 * (see atax.cu, also for the sizes in the names). */

template <int SIZE>
__device__ __forceinline__ void update(float *a, float *c, float alpha, float beta, int n, int m)
{
    if (SIZE) n = m = SIZE;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    c[i * n + j] *= beta;
    for (int k = 0; k < m; k++) c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
}

#define SYRK(tag, size)                                                                                \
    extern "C" __global__ void syrk##tag(float *a, float *c, float alpha, float beta, int n, int m)    \
    {                                                                                                  \
        update<size>(a, c, alpha, beta, n, m);                                                         \
    }

SYRK(, 0)
SYRK(_128, 128)
SYRK(_256, 256)
SYRK(_512, 512)
