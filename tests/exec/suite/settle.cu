/* settle.cu - values that settle while their readers ask for them and write all the while: priorities that go down a
 * chain of blocks, last block first, and a colouring in which each place waits for its neighbours within one kernel. */
#include "../check.h"

enum { BLOCKS = 10, BLOCK = 32, N = BLOCKS * BLOCK };

/* Each place is its right neighbour's plus one, once that is known; until then it writes that it is not. */
__global__ void chain(volatile int *value)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    bool again;
    do {
        int next = i + 1 < N ? value[i + 1] : 0;
        again = next < 0;
        value[i] = again ? -1 : next + 1;
    } while (again);
}
__global__ void colour(volatile int *colours, const int *first, const int *second)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    bool again;
    do {
        int a = first[i] > i ? colours[first[i]] : 0, b = second[i] > i ? colours[second[i]] : 0;
        again = a < 0 || b < 0;
        int least = 1;
        while (least == a || least == b) least++;
        colours[i] = again ? -1 : least;
    } while (again);
}

int main()
{
    static int h[N], first[N], second[N];
    int *d, *da, *db;
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaMalloc(&da, sizeof h));
    CUDA(cudaMalloc(&db, sizeof h));
    CUDA(cudaMemset(d, 255, sizeof h));
    chain<<<BLOCKS, BLOCK>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(h[i] == N - i);
    for (int i = 0; i < N; i++) first[i] = (i + 1) % N, second[i] = i * 7 % N;
    CUDA(cudaMemcpy(da, first, sizeof h, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, second, sizeof h, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(d, 255, sizeof h));
    colour<<<BLOCKS, BLOCK>>>(d, da, db);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        CHECK(h[i] >= 1 && h[i] <= 3);
        CHECK(first[i] < i || h[first[i]] != h[i]);
        CHECK(second[i] <= i || h[second[i]] != h[i]);
    }
    printf("settle ok\n");
    return 0;
}
