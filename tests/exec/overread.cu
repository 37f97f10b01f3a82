/* overread.cu - loads and a store behind the end of an allocation, which a GPU does not trap within its pages, and one far
 * away. The program looks at no error, as many do not. */
#include "check.h"

__global__ void sum(const int *in, int n, int *out)
{
    int s = 0;
    for (int i = 0; i <= n; i++) s += in[i]; /* one too many */
    *out = s;
}

__global__ void fill(int *out, int n) { out[threadIdx.x] = n; }

int main(int argc, char **argv)
{
    int *in, *out, host[100], s = -1;
    for (int i = 0; i < 100; i++) host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof s);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 1>>>(argc > 1 ? in + (1 << 28) : in, 100, out);
    cudaMemcpy(&s, out, sizeof s, cudaMemcpyDeviceToHost);
    printf("sum %d\n", s);
    fill<<<1, 2>>>(out, 7); /* one too many */
    cudaMemcpy(&s, out, sizeof s, cudaMemcpyDeviceToHost);
    printf("filled %d\n", s);
    return 0;
}
