/* matmul - C = A B through tiles in shared memory, in two shapes.
 *
 * A CTA computes a TILE x TILE square of C with TILE x ROWS threads, so a thread owns
 * TILE / ROWS elements of one column. Each step stages one tile of A and one of B; elements
 * beyond the matrix are staged as zero, so any n works. */

template <int TILE, int ROWS>
__device__ __forceinline__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int col = blockIdx.x * TILE + tx, row0 = blockIdx.y * TILE + ty;
    float sum[TILE / ROWS] = {};

    for (int k0 = 0; k0 < n; k0 += TILE) {
#pragma unroll
        for (int r = 0; r < TILE; r += ROWS) {
            int row = row0 + r, ka = k0 + tx, kb = k0 + ty + r;
            tile_a[ty + r][tx] = row < n && ka < n ? a[row * n + ka] : 0.0f;
            tile_b[ty + r][tx] = kb < n && col < n ? b[kb * n + col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
#pragma unroll
            for (int r = 0; r < TILE; r += ROWS) sum[r / ROWS] += tile_a[ty + r][k] * tile_b[k][tx];
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < TILE; r += ROWS)
        if (row0 + r < n && col < n) c[(row0 + r) * n + col] = sum[r / ROWS];
}

extern "C" __global__ void matmul_16(const float *a, const float *b, float *c, int n)
{
    multiply<16, 16>(a, b, c, n);
}

extern "C" __global__ void matmul_32(const float *a, const float *b, float *c, int n)
{
    multiply<32, 8>(a, b, c, n);
}
