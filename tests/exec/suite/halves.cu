/* halves.cu - short floats: sums of f16 and bf16 pairs, conversions there and back, a softmax in each, atomics on them,
 * 8-bit floats and their saturation. */
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "../check.h"

enum { N = 256 };

template <typename T> __device__ float up(T v);
template <> __device__ float up(__half v) { return __half2float(v); }
template <> __device__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __device__ T down(float v);
template <> __device__ __half down(float v) { return __float2half_rn(v); }
template <> __device__ __nv_bfloat16 down(float v) { return __float2bfloat16_rn(v); }

template <typename T> __global__ void softmax(const float *in, T *out, float *back)
{
    __shared__ float s[N];
    int t = threadIdx.x;
    float v = up(down<T>(in[t]));
    s[t] = v;
    for (int d = N / 2; d; d /= 2) {
        __syncthreads();
        if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    }
    __syncthreads();
    float most = s[0], e = expf(v - most);
    __syncthreads();
    s[t] = e;
    for (int d = N / 2; d; d /= 2) {
        __syncthreads();
        if (t < d) s[t] += s[t + d];
    }
    __syncthreads();
    out[t] = down<T>(e / s[0]);
    back[t] = up(out[t]);
}
/* Small whole numbers: exact in f16 as in bf16. */
__global__ void dots(const __half2 *a, const __nv_bfloat162 *b, float *out, __half2 *sum, __nv_bfloat16 *one)
{
    __half2 h = __float2half2_rn(0);
    __nv_bfloat162 g = __float2bfloat162_rn(0);
    for (int k = 0; k < 4; k++) {
        h = __hfma2(a[threadIdx.x], __float2half2_rn(1), h);
        g = __hfma2(b[threadIdx.x], __float2bfloat162_rn(1), g);
    }
    out[2 * threadIdx.x] = __low2float(h) + __high2float(h);
    out[2 * threadIdx.x + 1] = __low2float(g) + __high2float(g);
    atomicAdd(sum, __halves2half2(__float2half(1), __float2half(2)));
    atomicAdd(one, __float2bfloat16(1));
}
__global__ void small(const float *in, float *out)
{
    int t = threadIdx.x;
    out[2 * t] = (float)__nv_fp8_e4m3(in[t]);
    out[2 * t + 1] = (float)__nv_fp8_e5m2(in[t]);
}

int main()
{
    static float in[N], back[2 * N];
    static __half2 a[N];
    static __nv_bfloat162 b[N];
    float *din, *dback;
    __half2 *da, sum = __float2half2_rn(0);
    __nv_bfloat162 *db;
    void *dout;
    for (int i = 0; i < N; i++) {
        in[i] = (float)(i % 17) / 4 - 2;
        a[i] = __floats2half2_rn((float)(i % 9), (float)(i % 5));
        b[i] = __floats2bfloat162_rn((float)(i % 9), (float)(i % 5));
    }
    CUDA(cudaMalloc(&din, sizeof in));
    CUDA(cudaMalloc(&dback, sizeof back));
    CUDA(cudaMalloc(&da, sizeof a));
    CUDA(cudaMalloc(&db, sizeof b));
    CUDA(cudaMalloc(&dout, 4 * N));
    CUDA(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    double all = 0;
    for (int i = 0; i < N; i++) all += exp(in[i]);
    for (int way = 0; way < 2; way++) {
        if (way) softmax<<<1, N>>>(din, (__nv_bfloat16 *)dout, dback);
        else softmax<<<1, N>>>(din, (__half *)dout, dback);
        CUDA(cudaMemcpy(back, dback, sizeof back, cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++) CHECK(fabs(back[i] * all / exp(in[i]) - 1) < (way ? 5e-3 : 1e-3));
    }
    CUDA(cudaMemset(dout, 0, 8));
    dots<<<1, N>>>(da, db, dback, (__half2 *)dout, (__nv_bfloat16 *)dout + 2);
    CUDA(cudaMemcpy(back, dback, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * N; i++) CHECK(back[i] == 4 * (i / 2 % 9 + i / 2 % 5));
    __nv_bfloat16 one;
    CUDA(cudaMemcpy(&sum, dout, 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&one, (__nv_bfloat16 *)dout + 2, 2, cudaMemcpyDeviceToHost));
    CHECK(__low2float(sum) == N && __high2float(sum) == 2 * N && __bfloat162float(one) == N);

    in[0] = 1000, in[1] = -1e9f, in[2] = 0.3f, in[3] = 17, in[4] = 0;
    CUDA(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
    small<<<1, 5>>>(din, dback);
    CUDA(cudaMemcpy(back, dback, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 448 && back[1] == 1024);    /* e4m3 ends at 448; e5m2 has two bits behind the point */
    CHECK(back[2] == -448 && back[3] == -57344); /* both saturate */
    CHECK(back[4] == 0.3125f && back[5] == 0.3125f);
    CHECK(back[6] == 16 && back[7] == 16); /* ties to even */
    CHECK(back[8] == 0 && back[9] == 0);
    printf("halves ok\n");
    return 0;
}
