/* mistakes.cu - what a program is told that does something wrong, and that it can go on: bad shapes of a launch, bad
 * pointers and sizes, which errors are forgotten once they were asked for and which are not. */
#include <cstring>

#include "../check.h"

__global__ void set(int *p, int v) { p[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void __launch_bounds__(64) few(int *p) { p[threadIdx.x] = 1; }

#define WRONG(call, error)                                                                                             \
    CHECK((call) == (error) && cudaGetLastError() == (error) && cudaGetLastError() == cudaSuccess)

int main()
{
    int *d, h[64] = {}, device = -1;
    cudaDeviceProp prop;
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaGetDeviceProperties(&prop, 0));
    set<<<1, prop.maxThreadsPerBlock + 1>>>(d, 1);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration &&
          cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
    set<<<0, 32>>>(d, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    set<<<1, dim3(1, 1, 65)>>>(d, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    set<<<1, 32, prop.sharedMemPerBlockOptin + 4096>>>(d, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    few<<<1, 128>>>(d);
    CHECK(cudaGetLastError() != cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess); /* nothing ran */

    WRONG(cudaMemcpy(h, d, sizeof h + 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    WRONG(cudaMemcpy(d, h, 4, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    WRONG(cudaMemset(NULL, 0, 4), cudaErrorInvalidValue);
    WRONG(cudaFree(d + 1), cudaErrorInvalidValue);
    WRONG(cudaSetDevice(7), cudaErrorInvalidDevice);
    WRONG(cudaMalloc(NULL, 4), cudaErrorInvalidValue);
    void *huge = NULL;
    WRONG(cudaMalloc(&huge, (size_t)1 << 50), cudaErrorMemoryAllocation);
    CUDA(cudaFree(NULL));
    CUDA(cudaGetDevice(&device));
    CHECK(device == 0);
    cudaEvent_t a, b;
    float ms;
    CUDA(cudaEventCreateWithFlags(&a, cudaEventDisableTiming));
    CUDA(cudaEventCreate(&b));
    CHECK(cudaEventElapsedTime(&ms, a, b) != cudaSuccess); /* neither was recorded */
    cudaGetLastError();
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));

    set<<<2, 32>>>(d, 5); /* and all goes on */
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) CHECK(h[i] == 5);
    CUDA(cudaDeviceReset());
    CUDA(cudaMalloc(&d, sizeof h));
    set<<<2, 32>>>(d, 6);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[63] == 6);
    printf("mistakes ok\n");
    return 0;
}
