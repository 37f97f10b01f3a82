/* two_a.cu, two_b.cu - two objects with device code of their own: two fat binaries, two modules, with
 * static kernels of the same name. */
#include "check.h"

static __global__ void kernel(int *out) { out[threadIdx.x] = threadIdx.x; }

void other(int *out);

int main()
{
    int *out, host[32];
    CUDA(cudaMalloc(&out, sizeof host));
    kernel<<<1, 32>>>(out);
    other(out);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) CHECK(host[i] == i + 100);
    printf("two modules ok\n");
    return 0;
}
