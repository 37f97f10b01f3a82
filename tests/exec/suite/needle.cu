/* needle.cu - the alignment of two sequences by diagonals of tiles: a launch per diagonal, a tile in shared memory. */
#include "../check.h"

enum { TILE = 16, TILES = 6, N = TILE * TILES, PENALTY = 2 };

__global__ void diagonal(int *m, const int *score, int d, int first)
{
    __shared__ int t[TILE + 1][TILE + 1];
    int bx = blockIdx.x + first, by = d - bx, tx = threadIdx.x;
    int base = (by * TILE) * (N + 1) + bx * TILE;
    t[tx + 1][0] = m[base + (tx + 1) * (N + 1)];
    t[0][tx + 1] = m[base + tx + 1];
    if (tx == 0) t[0][0] = m[base];
    __syncthreads();
    for (int k = 0; k < 2 * TILE - 1; k++) {
        int y = tx, x = k - tx;
        if (x >= 0 && x < TILE) {
            int s = score[(by * TILE + y) * N + bx * TILE + x];
            t[y + 1][x + 1] = max(t[y][x] + s, max(t[y + 1][x], t[y][x + 1]) - PENALTY);
        }
        __syncthreads();
    }
    for (int x = 0; x < TILE; x++) m[base + (tx + 1) * (N + 1) + x + 1] = t[tx + 1][x + 1];
}

int main()
{
    static int m[(N + 1) * (N + 1)], want[(N + 1) * (N + 1)], score[N * N];
    int *dm, *ds;
    for (int i = 0; i <= N; i++) m[i] = m[i * (N + 1)] = -i * PENALTY;
    for (int i = 0; i < N * N; i++) score[i] = (i * 31 + i / N * 17) % 13 - 6;
    for (int i = 0; i < (N + 1) * (N + 1); i++) want[i] = m[i];
    for (int y = 1; y <= N; y++)
        for (int x = 1; x <= N; x++) {
            int a = want[(y - 1) * (N + 1) + x - 1] + score[(y - 1) * N + x - 1];
            int b = want[y * (N + 1) + x - 1] - PENALTY, c = want[(y - 1) * (N + 1) + x] - PENALTY;
            want[y * (N + 1) + x] = a > b ? (a > c ? a : c) : (b > c ? b : c);
        }
    CUDA(cudaMalloc(&dm, sizeof m));
    CUDA(cudaMalloc(&ds, sizeof score));
    CUDA(cudaMemcpy(dm, m, sizeof m, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(ds, score, sizeof score, cudaMemcpyHostToDevice));
    for (int d = 0; d < 2 * TILES - 1; d++) {
        int first = d < TILES ? 0 : d - TILES + 1, count = d < TILES ? d + 1 : 2 * TILES - 1 - d;
        diagonal<<<count, TILE>>>(dm, ds, d, first);
    }
    CUDA(cudaMemcpy(m, dm, sizeof m, cudaMemcpyDeviceToHost));
    for (int i = 0; i < (N + 1) * (N + 1); i++) CHECK(m[i] == want[i]);
    printf("needle ok\n");
    return 0;
}
