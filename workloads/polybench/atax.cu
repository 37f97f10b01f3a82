/* atax - y = A^T (A x), in two kernels.
 *
 * atax_rows: a thread per row of A, so the lanes of a warp are a row apart (32 requests per load,
 * each line used again by the next 31 iterations) while x[j] is one broadcast word. atax_cols: a
 * thread per column, coalesced. Both accumulate in global memory: tmp and A may alias as far as
 * the compiler knows, so a store stays in the loop and write-evicts.
 *
 * The programs this stands for are compiled for one size. A kernel with the size in its name has
 * it as a constant, which turns the address arithmetic into immediates; the plain one takes any. */

template <int SIZE>
__device__ __forceinline__ void rows(float *a, float *x, float *tmp, int nx, int ny)
{
    if (SIZE) nx = ny = SIZE;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx) return;
    for (int j = 0; j < ny; j++) tmp[i] += a[i * ny + j] * x[j];
}

template <int SIZE>
__device__ __forceinline__ void cols(float *a, float *y, float *tmp, int nx, int ny)
{
    if (SIZE) nx = ny = SIZE;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= ny) return;
    for (int i = 0; i < nx; i++) y[j] += a[i * ny + j] * tmp[i];
}

#define ATAX(tag, size)                                                                        \
    extern "C" __global__ void atax_rows##tag(float *a, float *x, float *tmp, int nx, int ny)  \
    {                                                                                          \
        rows<size>(a, x, tmp, nx, ny);                                                         \
    }                                                                                          \
    extern "C" __global__ void atax_cols##tag(float *a, float *y, float *tmp, int nx, int ny)  \
    {                                                                                          \
        cols<size>(a, y, tmp, nx, ny);                                                         \
    }

ATAX(, 0)
ATAX(_512, 512)
ATAX(_1024, 1024)
ATAX(_8192, 8192)
