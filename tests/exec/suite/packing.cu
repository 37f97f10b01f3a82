/* packing.cu - tables filled row by row: a knapsack with one launch per item, shortest ways between all pairs in blocks
 * that depend on one another, each against the host. */
#include "../check.h"

enum { ITEMS = 25, ROOM = 700, V = 64, TILE = 16, FAR = 1 << 20 };

__global__ void item(const int *before, int *after, int weight, int value)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w > ROOM) return;
    int with = w >= weight ? before[w - weight] + value : 0;
    after[w] = max(before[w], with);
}

/* Three kinds of tiles in each round: the one on the diagonal, its row and column, the rest. */
__global__ void round_of(int *d, int k, int phase)
{
    __shared__ int a[TILE][TILE], b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
    if (phase == 0) bx = by = k;
    if (phase == 1) {
        if (by) by = bx, bx = k;
        else by = k;
        if (bx == k && by == k) return;
    }
    if (phase == 2 && (bx == k || by == k)) return;
    a[y][x] = d[(by * TILE + y) * V + k * TILE + x];
    b[y][x] = d[(k * TILE + y) * V + bx * TILE + x];
    __syncthreads();
    int best = d[(by * TILE + y) * V + bx * TILE + x];
    for (int i = 0; i < TILE; i++) {
        best = min(best, a[y][i] + b[i][x]);
        if (phase == 2) continue;
        __syncthreads(); /* the tile depends on itself */
        if (by == k && bx == k) a[y][x] = b[y][x] = best;
        else if (by == k) b[y][x] = best;
        else a[y][x] = best;
        __syncthreads();
    }
    d[(by * TILE + y) * V + bx * TILE + x] = best;
}

int main()
{
    static int best[ROOM + 1], got[ROOM + 1], d[V][V], far[V][V];
    int *a, *b, *dd;
    CUDA(cudaMalloc(&a, sizeof got));
    CUDA(cudaMalloc(&b, sizeof got));
    CUDA(cudaMalloc(&dd, sizeof d));
    CUDA(cudaMemset(a, 0, sizeof got));
    for (int i = 0; i < ITEMS; i++) {
        int weight = 20 + i * 17 % 61, value = 5 + i * 29 % 83, *t = a;
        item<<<(ROOM + 128) / 128, 128>>>(a, b, weight, value);
        a = b, b = t;
        for (int w = ROOM; w >= weight; w--)
            if (best[w - weight] + value > best[w]) best[w] = best[w - weight] + value;
    }
    CUDA(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
    for (int w = 0; w <= ROOM; w++) CHECK(got[w] == best[w]);

    for (int i = 0; i < V; i++)
        for (int j = 0; j < V; j++) d[i][j] = i == j ? 0 : (i * 31 + j * 17) % 11 < 2 ? 1 + (i * j) % 40 : FAR;
    CUDA(cudaMemcpy(dd, d, sizeof d, cudaMemcpyHostToDevice));
    for (int k = 0; k < V / TILE; k++) {
        dim3 block(TILE, TILE);
        round_of<<<1, block>>>(dd, k, 0);
        round_of<<<dim3(V / TILE, 2), block>>>(dd, k, 1);
        round_of<<<dim3(V / TILE, V / TILE), block>>>(dd, k, 2);
    }
    CUDA(cudaMemcpy(far, dd, sizeof far, cudaMemcpyDeviceToHost));
    for (int k = 0; k < V; k++)
        for (int i = 0; i < V; i++)
            for (int j = 0; j < V; j++)
                if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
    for (int i = 0; i < V * V; i++) CHECK(far[i / V][i % V] == d[i / V][i % V]);
    printf("packing ok\n");
    return 0;
}
