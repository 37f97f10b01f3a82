/* lud.cu - LU decomposition by blocks: three kernels per step, tiles in shared memory, kernels of templates. */
#include <cmath>

#include "../check.h"

enum { B = 16, BLOCKS = 4, N = B * BLOCKS };

template <int S> __global__ void diagonal(float *m, int at)
{
    __shared__ float t[S][S];
    int x = threadIdx.x;
    for (int y = 0; y < S; y++) t[y][x] = m[(at + y) * N + at + x];
    __syncthreads();
    for (int k = 0; k < S - 1; k++) {
        if (x > k) {
            t[x][k] /= t[k][k];
            for (int j = k + 1; j < S; j++) t[x][j] -= t[x][k] * t[k][j];
        }
        __syncthreads();
    }
    for (int y = 0; y < S; y++) m[(at + y) * N + at + x] = t[y][x];
}
template <int S> __global__ void perimeter(float *m, int at)
{
    __shared__ float d[S][S], t[S][S];
    int x = threadIdx.x, other = at + (blockIdx.x + 1) * S;
    bool row = blockIdx.y == 0;
    for (int y = 0; y < S; y++) {
        d[y][x] = m[(at + y) * N + at + x];
        t[y][x] = row ? m[(at + y) * N + other + x] : m[(other + y) * N + at + x];
    }
    __syncthreads();
    if (row) {
        for (int y = 1; y < S; y++)
            for (int k = 0; k < y; k++) t[y][x] -= d[y][k] * t[k][x];
    } else {
        for (int c = 0; c < S; c++) {
            for (int k = 0; k < c; k++) t[x][c] -= t[x][k] * d[k][c];
            t[x][c] /= d[c][c];
        }
    }
    __syncthreads();
    for (int y = 0; y < S; y++) (row ? m[(at + y) * N + other + x] : m[(other + y) * N + at + x]) = t[y][x];
}
template <int S> __global__ void inner(float *m, int at)
{
    int x = at + (blockIdx.x + 1) * S + threadIdx.x, y = at + (blockIdx.y + 1) * S + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < S; k++) sum += m[y * N + at + k] * m[(at + k) * N + x];
    m[y * N + x] -= sum;
}

int main()
{
    static float a[N][N], m[N][N];
    float *d;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i][j] = m[i][j] = (float)((i * 7 + j * 3) % 11) + (i == j ? 200.f : 0.f);
    CUDA(cudaMalloc(&d, sizeof m));
    CUDA(cudaMemcpy(d, m, sizeof m, cudaMemcpyHostToDevice));
    for (int s = 0; s < BLOCKS; s++) {
        int left = BLOCKS - 1 - s;
        diagonal<B><<<1, B>>>(d, s * B);
        if (!left) break;
        perimeter<B><<<dim3(left, 2), B>>>(d, s * B);
        inner<B><<<dim3(left, left), dim3(B, B)>>>(d, s * B);
    }
    CUDA(cudaMemcpy(m, d, sizeof m, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k <= (i < j ? i : j); k++) sum += (k == i ? 1.f : m[i][k]) * m[k][j];
            CHECK(std::fabs(sum - a[i][j]) < 1e-2f);
        }
    printf("lud ok\n");
    return 0;
}
