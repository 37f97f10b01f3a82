/* locks.cu - threads of one warp that take a lock one by one, or different ways, and meet at __syncthreads(). */
#include "../check.h"

enum { BLOCK = 96, BLOCKS = 3 };

__device__ int lock, inside;

__device__ void add_one(int *to)
{
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    *(volatile int *)to = *(volatile int *)to + 1;
    __threadfence();
    atomicExch(&lock, 0);
}

/* Each thread of the block holds the lock, then all of them see what all have done. */
__global__ void count(int *seen, int *own)
{
    add_one(&inside);
    add_one(&own[blockIdx.x]);
    __syncthreads();
    seen[blockIdx.x * BLOCK + threadIdx.x] = *(volatile int *)&own[blockIdx.x];
}

/* Neighbours exchange words across a barrier that each half of a warp meets in another place of the program. */
__global__ void exchange(int *out)
{
    __shared__ int box[BLOCK];
    int t = threadIdx.x;
    if (t % 2) {
        box[t] = 1000 + t;
        __syncthreads();
        out[t] = box[t - 1];
    } else {
        box[t] = 2000 + t;
        __syncthreads();
        out[t] = box[t + 1];
    }
}

/* Votes of the whole block from both ways. */
__global__ void vote(int *out)
{
    int t = threadIdx.x, n;
    if (t < 40) n = __syncthreads_count(t < 7);
    else n = __syncthreads_count(t >= 90) + 100;
    out[t] = n + (__syncthreads_or(t == 50) ? 1000 : 0);
}

int main()
{
    int *seen, *own, *out;
    CUDA(cudaMallocManaged(&seen, BLOCKS * BLOCK * sizeof(int)));
    CUDA(cudaMallocManaged(&own, BLOCKS * sizeof(int)));
    CUDA(cudaMallocManaged(&out, BLOCK * sizeof(int)));
    for (int i = 0; i < BLOCKS; i++) own[i] = 0;
    count<<<BLOCKS, BLOCK>>>(seen, own);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS * BLOCK; i++) CHECK(seen[i] == BLOCK);
    int all;
    CUDA(cudaMemcpyFromSymbol(&all, inside, sizeof all));
    CHECK(all == BLOCKS * BLOCK);
    exchange<<<1, BLOCK>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCK; i++) CHECK(out[i] == (i % 2 ? 2000 + i - 1 : 1000 + i + 1));
    vote<<<1, BLOCK>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCK; i++) CHECK(out[i] == 13 + (i < 40 ? 0 : 100) + 1000);
    printf("locks ok\n");
    return 0;
}
