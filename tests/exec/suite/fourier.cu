/* fourier.cu - a transform of 512 complex numbers per block, Stockham's way in shared memory, forth and back; beside it
 * a convolution by transforms and the direct one. */
#include <cmath>

#include "../check.h"

enum { N = 512, ROWS = 6 };

__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__global__ void transform(const float2 *in, float2 *out, float sign)
{
    __shared__ float2 s[2][N];
    int t = threadIdx.x, now = 0;
    for (int i = t; i < N; i += N / 2) s[0][i] = in[blockIdx.x * N + i];
    for (int half = 1; half < N; half *= 2, now ^= 1) {
        __syncthreads();
        int k = t & (half - 1), to = 2 * t - k;
        float angle = sign * 3.14159265358979f * (float)k / (float)half, sine, cosine;
        sincosf(angle, &sine, &cosine);
        float2 a = s[now][t], b = times(s[now][t + N / 2], make_float2(cosine, sine));
        s[now ^ 1][to] = make_float2(a.x + b.x, a.y + b.y);
        s[now ^ 1][to + half] = make_float2(a.x - b.x, a.y - b.y);
    }
    __syncthreads();
    for (int i = t; i < N; i += N / 2) out[blockIdx.x * N + i] = s[now][i];
}
__global__ void multiply(float2 *a, const float2 *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 p = times(a[i], b[i % N]);
    a[i] = make_float2(p.x / N, p.y / N);
}

int main()
{
    static float2 x[ROWS * N], y[ROWS * N], f[N];
    float2 *dx, *dy, *df;
    for (int i = 0; i < ROWS * N; i++) x[i] = make_float2((float)(i * 7 % 11) - 5, (float)(i % 3));
    for (int i = 0; i < 5; i++) f[i] = make_float2((float)(i + 1), 0);
    CUDA(cudaMalloc(&dx, sizeof x));
    CUDA(cudaMalloc(&dy, sizeof y));
    CUDA(cudaMalloc(&df, sizeof f));
    CUDA(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(df, f, sizeof f, cudaMemcpyHostToDevice));
    transform<<<ROWS, N / 2>>>(dx, dy, -1);
    CUDA(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    for (int k = 0; k < N; k += 37) { /* some of them, the long way */
        double re = 0, im = 0;
        for (int i = 0; i < N; i++) {
            double a = -2 * 3.14159265358979 * i * k / N;
            re += x[N + i].x * cos(a) - x[N + i].y * sin(a);
            im += x[N + i].x * sin(a) + x[N + i].y * cos(a);
        }
        CHECK(fabs(re - y[N + k].x) < 0.02 && fabs(im - y[N + k].y) < 0.02);
    }
    transform<<<1, N / 2>>>(df, df, -1);
    multiply<<<ROWS * 2, N / 2>>>(dy, df);
    transform<<<ROWS, N / 2>>>(dy, dx, 1);
    CUDA(cudaMemcpy(y, dx, sizeof y, cudaMemcpyDeviceToHost));
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < N; i++) {
            double want = 0;
            for (int k = 0; k < 5; k++) want += (k + 1) * x[r * N + (i + N - k) % N].x;
            CHECK(fabs(want - y[r * N + i].x) < 0.01);
        }
    printf("fourier ok\n");
    return 0;
}
