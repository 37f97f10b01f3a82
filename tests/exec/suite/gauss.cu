/* gauss.cu - linear equations in double: elimination with the largest pivot found by a block, rows swapped, many small
 * systems at once; then one larger system by one grid per column, the pivot's place left in device memory. */
#include <cmath>

#include "../check.h"

enum { SMALL = 24, SYSTEMS = 10, LARGE = 60 };

__global__ void solve_small(double *all, double *x)
{
    __shared__ double a[SMALL][SMALL + 1];
    __shared__ int pivot;
    int t = threadIdx.x, s = blockIdx.x;
    for (int i = t; i < SMALL * (SMALL + 1); i += blockDim.x) a[0][i] = all[s * SMALL * (SMALL + 1) + i];
    for (int k = 0; k < SMALL; k++) {
        __syncthreads();
        if (t < 32) {
            int best = k + t < SMALL ? k + t : k;
            double most = fabs(a[best][k]);
            for (int d = 16; d; d /= 2) {
                double other = __shfl_down_sync(~0u, most, d);
                int place = __shfl_down_sync(~0u, best, d);
                if (other > most || (other == most && place < best)) most = other, best = place;
            }
            if (!t) pivot = best;
        }
        __syncthreads();
        if (t <= SMALL && pivot != k) {
            double swap = a[k][t];
            a[k][t] = a[pivot][t];
            a[pivot][t] = swap;
        }
        __syncthreads();
        for (int row = t; row < SMALL; row += blockDim.x) {
            if (row == k) continue;
            double f = a[row][k] / a[k][k];
            for (int c = k; c <= SMALL; c++) a[row][c] -= f * a[k][c];
        }
    }
    __syncthreads();
    if (t < SMALL) x[s * SMALL + t] = a[t][SMALL] / a[t][t];
}

__global__ void choose(const double *a, int k, int n, int *pivot)
{
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(a[i * (n + 1) + k]) > fabs(a[best * (n + 1) + k])) best = i;
    *pivot = best;
}
__global__ void swap_rows(double *a, int k, int n, const int *pivot)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c > n || *pivot == k) return;
    double x = a[k * (n + 1) + c];
    a[k * (n + 1) + c] = a[*pivot * (n + 1) + c];
    a[*pivot * (n + 1) + c] = x;
}
__global__ void eliminate(double *a, const double *before, int k, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (c > n || c < k || row == k) return;
    double f = before[row * (n + 1) + k] / before[k * (n + 1) + k];
    a[row * (n + 1) + c] = before[row * (n + 1) + c] - f * before[k * (n + 1) + c];
}

static double entry(int s, int i, int j)
{
    return ((s * 7 + i * 13 + j * 29) * 37 % 101) / 10.0 - 5 + (i == j ? 0.5 : 0);
}

int main()
{
    static double a[SYSTEMS * SMALL * (SMALL + 1)], x[SYSTEMS * SMALL], b[LARGE * (LARGE + 1)];
    double *da, *dx, *db, *dc;
    int *pivot;
    for (int s = 0; s < SYSTEMS; s++)
        for (int i = 0; i < SMALL * (SMALL + 1); i++)
            a[s * SMALL * (SMALL + 1) + i] = entry(s, i / (SMALL + 1), i % (SMALL + 1));
    for (int i = 0; i < LARGE * (LARGE + 1); i++) b[i] = entry(50, i / (LARGE + 1), i % (LARGE + 1));
    CUDA(cudaMalloc(&da, sizeof a));
    CUDA(cudaMalloc(&dx, sizeof x));
    CUDA(cudaMalloc(&db, sizeof b));
    CUDA(cudaMalloc(&dc, sizeof b));
    CUDA(cudaMalloc(&pivot, 4));
    CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    solve_small<<<SYSTEMS, 32>>>(da, dx);
    CUDA(cudaMemcpy(x, dx, sizeof x, cudaMemcpyDeviceToHost));
    for (int s = 0; s < SYSTEMS; s++)
        for (int i = 0; i < SMALL; i++) {
            double sum = -entry(s, i, SMALL), scale = 1;
            for (int j = 0; j < SMALL; j++) sum += entry(s, i, j) * x[s * SMALL + j], scale += fabs(x[s * SMALL + j]);
            CHECK(fabs(sum) < 1e-9 * scale);
        }
    CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    for (int k = 0; k < LARGE; k++) {
        choose<<<1, 1>>>(db, k, LARGE, pivot);
        swap_rows<<<1, 64>>>(db, k, LARGE, pivot);
        CUDA(cudaMemcpyAsync(dc, db, sizeof b, cudaMemcpyDeviceToDevice));
        eliminate<<<dim3(2, LARGE), 32>>>(db, dc, k, LARGE);
    }
    CUDA(cudaMemcpy(b, db, sizeof b, cudaMemcpyDeviceToHost));
    double y[LARGE];
    for (int i = 0; i < LARGE; i++) y[i] = b[i * (LARGE + 1) + LARGE] / b[i * (LARGE + 1) + i];
    for (int i = 0; i < LARGE; i++) {
        double sum = -entry(50, i, LARGE), scale = 1;
        for (int j = 0; j < LARGE; j++) sum += entry(50, i, j) * y[j], scale += fabs(y[j]);
        CHECK(fabs(sum) < 1e-9 * scale);
    }
    printf("gauss ok\n");
    return 0;
}
