/* histogram.cu - counts by atomics in shared memory and in global memory, a 64-bit total, a scan of the bins by a warp. */
#include "../check.h"

enum { BINS = 256, N = 20000 };

__global__ void count(const unsigned char *x, unsigned *bins, unsigned long long *total)
{
    __shared__ unsigned mine[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        atomicAdd(&mine[x[i]], 1u);
        atomicAdd(total, (unsigned long long)x[i]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        if (mine[i]) atomicAdd(&bins[i], mine[i]);
}
__global__ void scan(unsigned *bins)
{
    unsigned before = 0;
    for (int base = 0; base < BINS; base += 32) {
        unsigned v = bins[base + threadIdx.x];
        for (int d = 1; d < 32; d *= 2) {
            unsigned other = __shfl_up_sync(0xffffffffu, v, d);
            if (threadIdx.x >= d) v += other;
        }
        bins[base + threadIdx.x] = v + before;
        before += __shfl_sync(0xffffffffu, v, 31);
    }
}

int main()
{
    static unsigned char x[N];
    unsigned want[BINS] = {0}, got[BINS], *bins, running = 0;
    unsigned long long sum = 0, all, *total;
    unsigned char *dx;
    for (int i = 0; i < N; i++) x[i] = (unsigned char)(i * i % 251), want[x[i]]++, sum += x[i];
    CUDA(cudaMalloc(&dx, N));
    CUDA(cudaMalloc(&bins, sizeof want));
    CUDA(cudaMalloc(&total, sizeof all));
    CUDA(cudaMemcpy(dx, x, N, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(bins, 0, sizeof want));
    CUDA(cudaMemset(total, 0, sizeof all));
    count<<<6, 128>>>(dx, bins, total);
    scan<<<1, 32>>>(bins);
    CUDA(cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&all, total, sizeof all, cudaMemcpyDeviceToHost));
    CHECK(all == sum);
    for (int i = 0; i < BINS; i++) CHECK(got[i] == (running += want[i]));
    printf("histogram ok\n");
    return 0;
}
