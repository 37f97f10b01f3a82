/* wrong.cu WHAT - programs that ask for what cannot be. The exit status is that of the program. */
#include <csignal>
#include <cstring>
#include <unistd.h>

#include "check.h"

__global__ void store(int *p) { p[threadIdx.x] = 1; }

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *p;
    CUDA(cudaMalloc(&p, 64 * sizeof(int)));
    if (!strcmp(what, "bounds")) {
        store<<<1, 65>>>(p);
        cudaError_t e = cudaDeviceSynchronize();
        printf("%s\n", cudaGetErrorName(e));
        return e == cudaErrorIllegalAddress ? 3 : 1;
    }
    if (!strcmp(what, "shape")) {
        store<<<1, 2000>>>(p);
        cudaError_t e = cudaGetLastError();
        printf("%s\n", cudaGetErrorName(e));
        store<<<1, 32>>>(p); /* nothing was lost */
        CUDA(cudaDeviceSynchronize());
        return e == cudaErrorInvalidConfiguration ? 0 : 1;
    }
    if (!strcmp(what, "share")) {
        cudaIpcMemHandle_t h;
        for (int i = 0; i < 3; i++) CHECK(cudaIpcGetMemHandle(&h, p) == cudaErrorNotSupported);
        CHECK(cudaGetLastError() == cudaErrorNotSupported);
        return 0;
    }
    store<<<1, 64>>>(p);
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "exit")) _exit(5);
    if (!strcmp(what, "kill")) raise(SIGKILL);
    return 0;
}
