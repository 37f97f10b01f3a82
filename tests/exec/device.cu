/* device.cu - what a program sees of the device. */
#include "check.h"

int main()
{
    int count = 0, version = 0, value = 0, device = -1;
    cudaDeviceProp p;
    CUDA(cudaGetDeviceCount(&count));
    CUDA(cudaGetDevice(&device));
    CUDA(cudaRuntimeGetVersion(&version));
    CUDA(cudaGetDeviceProperties(&p, 0));
    CHECK(count == 1 && device == 0);
    CHECK(cudaGetDeviceProperties(&p, 1) == cudaErrorInvalidDevice);
    CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == p.multiProcessorCount);
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrCooperativeLaunch, 0));
    CHECK(value == 1 && p.cooperativeLaunch == 1 && p.warpSize == 32 && p.unifiedAddressing == 1);
    printf("%s, capability %d.%d, %d SMs, %zu bytes of shared memory, runtime %d\n", p.name, p.major, p.minor,
           p.multiProcessorCount, p.sharedMemPerBlock, version);
    return 0;
}
