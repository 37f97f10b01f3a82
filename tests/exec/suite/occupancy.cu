/* occupancy.cu - occupancy calculators, kernel attributes, launches with a configuration struct. */
#include "../check.h"

__global__ void square(int *x, int n)
{
    extern __shared__ int buffer[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buffer[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) x[i] = buffer[threadIdx.x] * buffer[threadIdx.x];
}

static size_t shared_for(int threads) { return threads * sizeof(int); }

int main()
{
    enum { N = 10000 };
    static int host[N];
    int *x, blocks, grid, block;
    size_t room;
    cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, square));
    CHECK(a.numRegs > 0 && a.maxThreadsPerBlock == 1024 && a.sharedSizeBytes == 0 && a.maxDynamicSharedSizeBytes > 0);
    CUDA(cudaFuncSetAttribute(square, cudaFuncAttributeMaxDynamicSharedMemorySize, 8192));
    CUDA(cudaFuncSetAttribute(square, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    CUDA(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, square, shared_for));
    CHECK(block > 0 && block <= 1024 && block % 32 == 0 && grid > 0);
    CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, square, 0, 256));
    CHECK(block <= 256);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, square, block, block * sizeof(int)));
    CHECK(blocks >= 1);
    CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&room, square, 1, block));
    CHECK(room >= 8192);
    CUDA(cudaMalloc(&x, sizeof host));
    for (int i = 0; i < N; i++) host[i] = i % 1000;
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    cudaLaunchAttribute attribute[2] = {};
    attribute[0].id = cudaLaunchAttributePriority;
    attribute[0].val.priority = 0;
    attribute[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3((N + block - 1) / block);
    c.blockDim = dim3(block);
    c.dynamicSmemBytes = block * sizeof(int);
    c.attrs = attribute;
    c.numAttrs = 2;
    CUDA(cudaLaunchKernelEx(&c, square, x, (int)N));
    CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(host[i] == (i % 1000) * (i % 1000));
    printf("occupancy ok\n");
    return 0;
}
