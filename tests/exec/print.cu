/* print.cu [assert] - text printed by kernels, and an assertion that fails. */
#include <cassert>
#include <cstring>

#include "check.h"

__global__ void speak(int n)
{
    if (threadIdx.x < n)
        printf("thread %d of %s: %5.2f %c %x %llu %p\n", threadIdx.x, "block", threadIdx.x * 1.5, 'a' + threadIdx.x, 255,
               1ull << 40, (void *)0);
}

__global__ void insist(int limit) { assert((int)threadIdx.x < limit); }

int main(int argc, char **argv)
{
    printf("before\n");
    speak<<<1, 32>>>(3);
    CUDA(cudaDeviceSynchronize());
    printf("after\n");
    if (argc < 2) return 0;
    insist<<<1, 32>>>(32);
    CUDA(cudaDeviceSynchronize());
    insist<<<1, 32>>>(8);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
    CHECK(e == cudaErrorAssert);
    CHECK(cudaMalloc((void **)&argv, 4) == cudaErrorAssert); /* the device is lost */
    return 7;
}
