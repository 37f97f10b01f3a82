/* pools.cu - stream-ordered allocation: the default pool, a pool of one's own, attributes, reuse. */
#include "../check.h"

__global__ void put(int *x, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value + i;
}

int main()
{
    enum { N = 5000 };
    cudaStream_t s;
    cudaMemPool_t pool, own, now;
    static int host[N];
    int *x, *y;
    unsigned long long keep = ~0ull, used, high;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    keep = 0;
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(keep == ~0ull);
    for (int round = 0; round < 10; round++) {
        CUDA(cudaMallocAsync(&x, sizeof host, s));
        put<<<(N + 255) / 256, 256, 0, s>>>(x, round, N);
        CUDA(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, s));
        CUDA(cudaFreeAsync(x, s));
        CUDA(cudaStreamSynchronize(s));
        for (int i = 0; i < N; i++) CHECK(host[i] == round + i);
    }
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    CHECK(used == 0 && high >= sizeof host);
    cudaMemPoolProps p = {};
    p.allocType = cudaMemAllocationTypePinned;
    p.location.type = cudaMemLocationTypeDevice;
    CUDA(cudaMemPoolCreate(&own, &p));
    CUDA(cudaMallocFromPoolAsync(&x, sizeof host, own, s));
    CUDA(cudaMalloc(&y, sizeof host));
    CUDA(cudaMemsetAsync(x, 0, sizeof host, s));
    CUDA(cudaMemcpyAsync(y, x, sizeof host, cudaMemcpyDeviceToDevice, s));
    CUDA(cudaFree(x)); /* either way of freeing is allowed */
    CUDA(cudaFreeAsync(y, s));
    CUDA(cudaDeviceSetMemPool(0, own));
    CUDA(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == own);
    CUDA(cudaDeviceSetMemPool(0, pool));
    CUDA(cudaMemPoolTrimTo(pool, 0));
    CUDA(cudaMemPoolDestroy(own));
    printf("pools ok\n");
    return 0;
}
