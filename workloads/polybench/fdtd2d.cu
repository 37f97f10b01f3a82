/* fdtd2d - finite differences in the time domain, three kernels per step, a thread per point.
 *
 * ex has a row of ny + 1 floats, so its rows start at every offset within a line and a warp's
 * coalesced load straddles two; hz[j - 1] and ex[j + 1] do so too. ey and hz are aligned. */

template <int NY>
__device__ __forceinline__ void ey_step(float *fict, float *ey, float *hz, int nx, int ny, int t)
{
    if (NY) ny = NY;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    if (i == 0) ey[j] = fict[t]; /* the source: the whole first row */
    else ey[i * ny + j] -= 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
}

template <int NY>
__device__ __forceinline__ void ex_step(float *ex, float *hz, int nx, int ny)
{
    if (NY) ny = NY;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny || j == 0) return;
    ex[i * (ny + 1) + j] -= 0.5f * (hz[i * ny + j] - hz[i * ny + j - 1]);
}

template <int NY>
__device__ __forceinline__ void hz_step(float *ex, float *ey, float *hz, int nx, int ny)
{
    if (NY) ny = NY;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    hz[i * ny + j] -= 0.7f * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}

#define FDTD(tag, size)                                                                                       \
    extern "C" __global__ void fdtd2d_ey##tag(float *fict, float *ey, float *hz, int nx, int ny, int t)       \
    {                                                                                                         \
        ey_step<size>(fict, ey, hz, nx, ny, t);                                                               \
    }                                                                                                         \
    extern "C" __global__ void fdtd2d_ex##tag(float *ex, float *hz, int nx, int ny)                           \
    {                                                                                                         \
        ex_step<size>(ex, hz, nx, ny);                                                                        \
    }                                                                                                         \
    extern "C" __global__ void fdtd2d_hz##tag(float *ex, float *ey, float *hz, int nx, int ny)                \
    {                                                                                                         \
        hz_step<size>(ex, ey, hz, nx, ny);                                                                    \
    }

FDTD(, 0)
FDTD(_2048, 2048)
