/* query.cu - what device-query programs print and compute: no number that a program divides by may be 0. */
#include "../check.h"

int main()
{
    cudaDeviceProp p;
    int value, least, greatest, can;
    size_t free_bytes, total;
    CUDA(cudaGetDeviceProperties(&p, 0));
    CHECK(p.asyncEngineCount > 0 && p.concurrentKernels == 1 && p.multiProcessorCount > 0 && p.warpSize == 32);
    CHECK(p.memoryBusWidth > 0 && p.l2CacheSize > 0 && p.maxThreadsPerMultiProcessor >= 1024 && p.regsPerBlock > 0);
    CHECK(p.maxTexture1D > 0 && p.maxTexture2D[1] > 0 && p.maxTexture3D[2] > 0 && p.maxTexture2DLayered[2] > 0);
    CHECK(p.maxSurface2D[0] > 0 && p.textureAlignment > 0 && p.surfaceAlignment > 0 && p.texturePitchAlignment > 0);
    CHECK(p.sharedMemPerBlock > 0 && p.sharedMemPerBlock <= p.sharedMemPerMultiprocessor);
    CHECK(p.unifiedAddressing && p.canMapHostMemory && p.managedMemory && p.cooperativeLaunch && p.memoryPoolsSupported);
    CHECK(p.streamPrioritiesSupported && p.globalL1CacheSupported && !p.integrated && p.maxGridSize[0] == 2147483647);
    for (int a = 1; a <= 147; a++) CUDA(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0)); /* all are known */
    CHECK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrAsyncEngineCount, 0));
    CHECK(value == p.asyncEngineCount);
    int clock, memory;
    CUDA(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
    CUDA(cudaDeviceGetAttribute(&memory, cudaDevAttrMemoryClockRate, 0));
    CUDA(cudaMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes <= total && total == p.totalGlobalMem);
    CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(greatest < least);
    CUDA(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK(!can && cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
    cudaGetLastError();
    printf("%.1f GB/s, %d engines, capability %d.%d\n", 2.0 * memory * (p.memoryBusWidth / 8) / 1e6, p.asyncEngineCount,
           p.major, p.minor);
    printf("query ok\n");
    return 0;
}
