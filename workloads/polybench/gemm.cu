/* gemm - C = alpha A B + beta C, a thread per element of C, x along the columns.
 *
 * a[i][k] is one word for the whole warp, b[k][j] is coalesced; the sum is stored to C in each
 * iteration (see atax.cu, also for the sizes in the names). */

#define ALPHA 1.5f
#define BETA 0.75f

template <int SIZE>
__device__ __forceinline__ void multiply(float *a, float *b, float *c, int ni, int nj, int nk)
{
    if (SIZE) ni = nj = nk = SIZE;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= ni || j >= nj) return;
    c[i * nj + j] *= BETA;
    for (int k = 0; k < nk; k++) c[i * nj + j] += ALPHA * a[i * nk + k] * b[k * nj + j];
}

#define GEMM(tag, size)                                                                          \
    extern "C" __global__ void gemm##tag(float *a, float *b, float *c, int ni, int nj, int nk)   \
    {                                                                                            \
        multiply<size>(a, b, c, ni, nj, nk);                                                     \
    }

GEMM(, 0)
GEMM(_128, 128)
GEMM(_256, 256)
GEMM(_512, 512)
