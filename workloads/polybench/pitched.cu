/* pitched - the kernels of atax and bicg with the distance of two rows as an input of its own, as mvt has it:
 * fewer rows and shorter loops then keep the sets of the cache that the full size uses. A kernel with a
 * number in its name has that distance as a constant (see atax.cu for the rest). */

template <int PITCH>
__device__ __forceinline__ void rows(float *a, float *x, float *sum, int n, int loop, int pitch, bool clear)
{
    if (PITCH) pitch = PITCH;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (clear) sum[i] = 0.0f;
    for (int j = 0; j < loop; j++) sum[i] += a[i * pitch + j] * x[j];
}

template <int PITCH>
__device__ __forceinline__ void cols(float *a, float *x, float *sum, int n, int loop, int pitch, bool clear)
{
    if (PITCH) pitch = PITCH;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    if (clear) sum[j] = 0.0f;
    for (int i = 0; i < loop; i++) sum[j] += a[i * pitch + j] * x[i];
}

#define PITCHED(name, tag, size, by, clear)                                                                            \
    extern "C" __global__ void name##tag(float *a, float *x, float *sum, int n, int loop, int pitch)                   \
    {                                                                                                                  \
        by<size>(a, x, sum, n, loop, pitch, clear);                                                                    \
    }

PITCHED(atax_rows, , 0, rows, false)
PITCHED(atax_rows, _8192, 8192, rows, false)
PITCHED(atax_cols, , 0, cols, false)
PITCHED(atax_cols, _8192, 8192, cols, false)
PITCHED(bicg_s, , 0, cols, true)
PITCHED(bicg_s, _8192, 8192, cols, true)
PITCHED(bicg_q, , 0, rows, true)
PITCHED(bicg_q, _8192, 8192, rows, true)
