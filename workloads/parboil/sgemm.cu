/* sgemm - register-tiled matrix product: a thread has one row of A and sixteen columns of C.
 *
 * All matrices are stored by column, B transposed. For every eight steps of k the CTA of 16 x 8
 * brings an 8 x 16 tile of B to shared memory; in each step a warp loads 32 rows of A, coalesced. */

enum { TILE_N = 16, TILE_K = 8 };

extern "C" __global__ void sgemm(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta)
{
    __shared__ float tile[TILE_K][TILE_N];
    int t = threadIdx.y * TILE_N + threadIdx.x, row = blockIdx.x * (TILE_N * TILE_K) + t, col = blockIdx.y * TILE_N;
    float sum[TILE_N] = {0};
    for (int base = 0; base < k; base += TILE_K) {
        tile[threadIdx.y][threadIdx.x] = b[(base + threadIdx.y) * n + col + threadIdx.x];
        __syncthreads();
        for (int step = 0; step < TILE_K; step++) {
            float x = a[(base + step) * m + row];
            for (int i = 0; i < TILE_N; i++) sum[i] += x * tile[step][i];
        }
        __syncthreads();
    }
    for (int i = 0; i < TILE_N; i++) {
        float *at = c + (col + i) * m + row;
        *at = beta * *at + alpha * sum[i];
    }
}
