/* refused.cu - a module with kernels that cannot be executed here next to one that can: an instruction nobody knows, a
 * device function with one, and memory taken from the device heap. Only launches of these fail. */
#include "check.h"

__global__ void good(int *out) { out[threadIdx.x] = threadIdx.x; }

__global__ void unknown(int *out)
{
    asm volatile("frobnicate.u32 %0, 1;" : "=r"(out[0]));
}

__device__ __noinline__ int inner(int x)
{
    asm volatile("frobnicate.u32 %0, 2;" : "=r"(x));
    return x;
}

__global__ void calls(int *out) { out[0] = inner(3); }

int main(int argc, char **argv)
{
    int *out, host[32];
    CUDA(cudaMalloc(&out, sizeof host));
    good<<<1, 32>>>(out);
    CUDA(cudaGetLastError());
    if (argc > 1 && argv[1][0] == 'u') unknown<<<1, 1>>>(out);
    if (argc > 1 && argv[1][0] == 'c') calls<<<1, 1>>>(out);
    cudaError_t e = cudaGetLastError();
    if (argc > 1) CHECK(e == cudaErrorInvalidPtx);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)); /* the device is not lost */
    for (int i = 0; i < 32; i++) CHECK(host[i] == i);
    printf("refused ok\n");
    return 0;
}
