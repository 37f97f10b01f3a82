/* link_a.cu, link_b.cu - one device program out of two objects (-rdc): a function, variables and a
 * template are shared, static names and strings are not. Without -rdc they would not link. */
#include "check.h"
#include "link.h"

extern __device__ int helper(int);
extern __device__ int table[8];
__device__ int sum;
static __device__ int own = 3;

__global__ void first(int *out)
{
    int i = threadIdx.x;
    if (i == 0) printf("%s says %d\n", "the first object", own);
    out[i] = helper(i) + table[i & 7] + own + square<int>(2);
    atomicAdd(&sum, out[i]);
}

void second(int *out);

int main()
{
    int *out, host[32], total, want = 0;
    CUDA(cudaMalloc(&out, sizeof host));
    first<<<1, 32>>>(out);
    second(out);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpyFromSymbol(&total, sum, sizeof total));
    for (int i = 0; i < 32; i++) want += i * i + 5 + (i & 7) + 1 + 3 + 4;
    CHECK(total == want);
    for (int i = 0; i < 32; i++) CHECK(host[i] == i * i + 5 + (i & 7) + 1 + 3 + 4 + want);
    printf("linked ok\n");
    return 0;
}
