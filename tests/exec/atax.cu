/* atax.cu - the built-in workload atax as an ordinary program: same kernels, same calls in the same
 * order, so every counter must be that of `warpline run atax`. */
#include "check.h"
#include "../../workloads/polybench/atax.cu"

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 128;
    size_t row = n * sizeof(float);
    float *h = (float *)malloc(n * row), *hx = (float *)malloc(row), *hy = (float *)calloc(n, sizeof(float));
    float *a, *x, *y, *tmp;
    for (int i = 0; i < n * n; i++) h[i] = (float)(i % 7);
    for (int i = 0; i < n; i++) hx[i] = (float)(i % 3);
    CUDA(cudaMalloc(&a, n * row));
    CUDA(cudaMalloc(&x, row));
    CUDA(cudaMalloc(&y, row));
    CUDA(cudaMalloc(&tmp, row));
    CUDA(cudaMemcpy(a, h, n * row, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(x, hx, row, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(y, hy, row, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(tmp, hy, row, cudaMemcpyHostToDevice));
    int blocks = (n + 255) / 256;
    atax_rows<<<blocks, 256>>>(a, x, tmp, n, n);
    atax_cols<<<blocks, 256>>>(a, y, tmp, n, n);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(hy, y, row, cudaMemcpyDeviceToHost));
    double sum = 0, want = 0;
    for (int j = 0; j < n; j++) sum += hy[j];
    for (int i = 0; i < n; i++) {
        double t = 0, all = 0;
        for (int j = 0; j < n; j++) t += h[i * n + j] * hx[j], all += h[i * n + j];
        want += t * all;
    }
    CHECK(sum == want); /* small whole numbers: exact */
    printf("sum %.0f\n", sum);
    return 0;
}
