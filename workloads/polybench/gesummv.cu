/* gesummv - y = alpha A x + beta B x, a thread per row.
 *
 * Both matrices are read with the lanes a row apart: 32 requests per load, each line used again by
 * the next 31 iterations, and twice as many lines as in atax. Both sums are stored in each
 * iteration (see atax.cu; for the pitch see mvt.cu). */

#define ALPHA 1.25f
#define BETA 0.75f

template <int PITCH>
__device__ __forceinline__ void rows(float *a, float *b, float *x, float *y, float *tmp, int n, int loop, int pitch)
{
    if (PITCH) pitch = PITCH;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < loop; j++) {
        tmp[i] += a[i * pitch + j] * x[j];
        y[i] += b[i * pitch + j] * x[j];
    }
    y[i] = ALPHA * tmp[i] + BETA * y[i];
}

#define GESUMMV(tag, size)                                                                                  \
    extern "C" __global__ void gesummv##tag(float *a, float *b, float *x, float *y, float *tmp, int n,      \
                                            int loop, int pitch)                                            \
    {                                                                                                       \
        rows<size>(a, b, x, y, tmp, n, loop, pitch);                                                        \
    }

GESUMMV(, 0)
GESUMMV(_4096, 4096)
