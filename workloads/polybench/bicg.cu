/* bicg - the two products of a BiCG step: s = A^T r and q = A p.
 *
 * bicg_s: a thread per column, A coalesced, r[i] a broadcast. bicg_q: a thread per row, lanes a
 * row apart, p[j] a broadcast. Sums live in global memory and are stored in every iteration (see
 * atax.cu, also for the sizes in the names). */

template <int SIZE>
__device__ __forceinline__ void cols(float *a, float *r, float *s, int nx, int ny)
{
    if (SIZE) nx = ny = SIZE;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= ny) return;
    s[j] = 0.0f;
    for (int i = 0; i < nx; i++) s[j] += a[i * ny + j] * r[i];
}

template <int SIZE>
__device__ __forceinline__ void rows(float *a, float *p, float *q, int nx, int ny)
{
    if (SIZE) nx = ny = SIZE;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nx) return;
    q[i] = 0.0f;
    for (int j = 0; j < ny; j++) q[i] += a[i * ny + j] * p[j];
}

#define BICG(tag, size)                                                                     \
    extern "C" __global__ void bicg_s##tag(float *a, float *r, float *s, int nx, int ny)    \
    {                                                                                       \
        cols<size>(a, r, s, nx, ny);                                                        \
    }                                                                                       \
    extern "C" __global__ void bicg_q##tag(float *a, float *p, float *q, int nx, int ny)    \
    {                                                                                       \
        rows<size>(a, p, q, nx, ny);                                                        \
    }

BICG(, 0)
BICG(_512, 512)
BICG(_1024, 1024)
BICG(_8192, 8192)
