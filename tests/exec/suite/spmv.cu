/* spmv.cu - sparse matrix times vector, rows by warps, the vector through a texture object and through __ldg. */
#include <cmath>

#include "../check.h"

__global__ void by_texture(const int *row, const int *col, const float *val, cudaTextureObject_t x, float *y, int n)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= n) return;
    float sum = 0;
    for (int i = row[r] + lane; i < row[r + 1]; i += 32) sum += val[i] * tex1Dfetch<float>(x, col[i]);
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (!lane) y[r] = sum;
}
__global__ void by_load(const int *row, const int *col, const float *val, const float *__restrict__ x, float *y, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float sum = 0;
    for (int i = row[r]; i < row[r + 1]; i++) sum += val[i] * __ldg(&x[col[i]]);
    y[r] = sum;
}

int main()
{
    enum { N = 300, EACH = 40 };
    static int row[N + 1], col[N * EACH];
    static float val[N * EACH], x[N], y[N];
    int *drow, *dcol, n = 0;
    float *dval, *dx, *dy;
    for (int r = 0; r < N; r++) {
        for (int k = 0; k < r % EACH; k++, n++) col[n] = (r * 31 + k * 17) % N, val[n] = (float)((k + r) % 5 - 2);
        row[r + 1] = n;
        x[r] = (float)(r % 7);
    }
    CUDA(cudaMalloc(&drow, sizeof row));
    CUDA(cudaMalloc(&dcol, sizeof col));
    CUDA(cudaMalloc(&dval, sizeof val));
    CUDA(cudaMalloc(&dx, sizeof x));
    CUDA(cudaMalloc(&dy, sizeof y));
    CUDA(cudaMemcpy(drow, row, sizeof row, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dcol, col, sizeof col, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dval, val, sizeof val, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {}, seen;
    cudaTextureDesc t = {};
    cudaTextureObject_t object;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = dx;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = sizeof x;
    CUDA(cudaCreateTextureObject(&object, &r, &t, NULL));
    CUDA(cudaGetTextureObjectResourceDesc(&seen, object));
    CHECK(seen.resType == cudaResourceTypeLinear && seen.res.linear.devPtr == dx);
    for (int way = 0; way < 2; way++) {
        CUDA(cudaMemset(dy, 0, sizeof y));
        if (way) by_texture<<<(N * 32 + 127) / 128, 128>>>(drow, dcol, dval, object, dy, N);
        else by_load<<<(N + 127) / 128, 128>>>(drow, dcol, dval, dx, dy, N);
        CUDA(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++) {
            float sum = 0;
            for (int k = row[i]; k < row[i + 1]; k++) sum += val[k] * x[col[k]];
            CHECK(y[i] == sum); /* whole numbers: exact in any order */
        }
    }
    printf("spmv ok\n");
    return 0;
}
