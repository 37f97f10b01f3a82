/* mm2 - D = (A B) C, the kernel of one product launched twice.
 *
 * A thread per element, x along the columns: the left factor is one word for the whole warp, the
 * right one coalesced, the sum is stored in each iteration (see atax.cu; for the pitch, mvt.cu). */

template <int PITCH>
__device__ __forceinline__ void product(float *left, float *right, float *out, int rows, int n, int pitch)
{
    if (PITCH) pitch = PITCH;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= n) return;
    for (int k = 0; k < n; k++) out[i * pitch + j] += left[i * pitch + k] * right[k * pitch + j];
}

#define MM2(tag, size)                                                                                        \
    extern "C" __global__ void mm2##tag(float *left, float *right, float *out, int rows, int n, int pitch)    \
    {                                                                                                         \
        product<size>(left, right, out, rows, n, pitch);                                                      \
    }

MM2(, 0)
MM2(_2048, 2048)
