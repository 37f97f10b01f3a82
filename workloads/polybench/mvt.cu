/* mvt - x1 += A y1 and x2 += A^T y2, in two kernels.
 *
 * mvt_rows: a thread per row of A, the lanes a row apart (32 requests per load, each line used again
 * by the next 31 iterations); y1[j] is one broadcast word. mvt_cols: a thread per column,
 * coalesced. The sums stay in global memory and are stored in each iteration (see atax.cu). The
 * distance of two rows is an input of its own, so that fewer rows and shorter loops keep the sets
 * of the cache that the full size uses; a kernel with a number in its name has it as a constant. */

template <int PITCH>
__device__ __forceinline__ void rows(float *a, float *y1, float *x1, int n, int loop, int pitch)
{
    if (PITCH) pitch = PITCH;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < loop; j++) x1[i] += a[i * pitch + j] * y1[j];
}

template <int PITCH>
__device__ __forceinline__ void cols(float *a, float *y2, float *x2, int n, int loop, int pitch)
{
    if (PITCH) pitch = PITCH;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < loop; j++) x2[i] += a[j * pitch + i] * y2[j];
}

#define MVT(tag, size)                                                                                      \
    extern "C" __global__ void mvt_rows##tag(float *a, float *y, float *x, int n, int loop, int pitch)      \
    {                                                                                                       \
        rows<size>(a, y, x, n, loop, pitch);                                                                \
    }                                                                                                       \
    extern "C" __global__ void mvt_cols##tag(float *a, float *y, float *x, int n, int loop, int pitch)      \
    {                                                                                                       \
        cols<size>(a, y, x, n, loop, pitch);                                                                \
    }

MVT(, 0)
MVT(_8192, 8192)
