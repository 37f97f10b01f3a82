/* conv3d - one plane of a 3D convolution, a thread per point (j, k) of plane i, k fastest.
 *
 * Fifteen terms over eleven distinct neighbours in three planes; the lower corner of the planes
 * before and after takes part three times, as in the program this stands for. The host launches
 * the kernel once for every inner plane. */

template <int SIZE>
__device__ __forceinline__ void plane(float *a, float *b, int ni, int nj, int nk, int i)
{
    const float c11 = 2.0f, c12 = -3.0f, c13 = 4.0f;
    const float c21 = 5.0f, c22 = 6.0f, c23 = 7.0f;
    const float c31 = -8.0f, c32 = -9.0f, c33 = 10.0f;

    if (SIZE) ni = nj = nk = SIZE;
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || k < 1 || i >= ni - 1 || j >= nj - 1 || k >= nk - 1) return;
#define A(di, dj, dk) a[(i + (di)) * (nk * nj) + (j + (dj)) * nk + (k + (dk))]
    b[i * (nk * nj) + j * nk + k] =
        c11 * A(-1, -1, -1) + c13 * A(1, -1, -1) + c21 * A(-1, -1, -1) + c23 * A(1, -1, -1) +
        c31 * A(-1, -1, -1) + c33 * A(1, -1, -1) +
        c12 * A(0, -1, 0) + c22 * A(0, 0, 0) + c32 * A(0, 1, 0) +
        c11 * A(-1, -1, 1) + c13 * A(1, -1, 1) + c21 * A(-1, 0, 1) + c23 * A(1, 0, 1) +
        c31 * A(-1, 1, 1) + c33 * A(1, 1, 1);
#undef A
}

#define CONV3D(tag, size)                                                                          \
    extern "C" __global__ void conv3d##tag(float *a, float *b, int ni, int nj, int nk, int i)      \
    {                                                                                              \
        plane<size>(a, b, ni, nj, nk, i);                                                          \
    }

CONV3D(, 0)
CONV3D(_64, 64)
CONV3D(_256, 256)
