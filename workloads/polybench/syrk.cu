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

/* The first rows of C, with a loop and a distance of the rows of A of their own: fewer of both then keep the sets of
 * the cache that the full size uses. */
template <int PITCH>
__device__ __forceinline__ void update_rows(float *a, float *c, float alpha, float beta, int n, int rows, int loop,
                                            int pitch)
{
    if (PITCH) pitch = PITCH;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= n) return;
    c[i * n + j] *= beta;
    for (int k = 0; k < loop; k++) c[i * n + j] += alpha * a[i * pitch + k] * a[j * pitch + k];
}

#define SYRK_ROWS(tag, size)                                                                           \
    extern "C" __global__ void syrk_rows##tag(float *a, float *c, float alpha, float beta, int n,      \
                                              int rows, int loop, int pitch)                           \
    {                                                                                                  \
        update_rows<size>(a, c, alpha, beta, n, rows, loop, pitch);                                    \
    }

SYRK(, 0)
SYRK(_128, 128)
SYRK(_256, 256)
SYRK(_512, 512)
SYRK_ROWS(, 0)
SYRK_ROWS(_512, 512)
