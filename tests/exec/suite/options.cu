/* options.cu - prices of options: the closed formula in float and double, and by drawing paths with a generator of our
 * own in every thread; sums of doubles over blocks with atomics. */
#include <cmath>

#include "../check.h"

struct option {
    double price, strike, years, rate, sigma;
};

template <typename T> __host__ __device__ T normal(T d) { return T(0.5) * erfc(-d * T(0.70710678118654752)); }
template <typename T> __host__ __device__ T call_price(T s, T k, T t, T r, T v)
{
    T root = v * sqrt(t), d = (log(s / k) + (r + v * v / 2) * t) / root;
    return s * normal(d) - k * exp(-r * t) * normal(d - root);
}
template <typename T> __global__ void closed(const option *o, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = call_price<T>((T)o[i].price, (T)o[i].strike, (T)o[i].years, (T)o[i].rate, (T)o[i].sigma);
}

__device__ unsigned draw(unsigned &x) { return x ^= x << 13, x ^= x >> 17, x ^= x << 5; }
__global__ void paths(option o, int each, double *sum)
{
    __shared__ double part[128];
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x + 1) * 2654435761u;
    double mine = 0;
    for (int i = 0; i < each; i++) {
        float u = ((draw(state) >> 8) + 1) / 16777216.0f, v = (draw(state) >> 8) / 16777216.0f, sine, cosine;
        sincospif(2 * v, &sine, &cosine);
        float far = sqrtf(-2 * logf(u));
        float drift = (float)((o.rate - o.sigma * o.sigma / 2) * o.years), spread = (float)(o.sigma * sqrt(o.years));
        mine += fmax(o.price * expf(drift + spread * far * cosine) - o.strike, 0.0);
        mine += fmax(o.price * expf(drift - spread * far * cosine) - o.strike, 0.0);
    }
    part[threadIdx.x] = mine;
    for (int d = 64; d; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    }
    if (!threadIdx.x) atomicAdd(sum, part[0]);
}

int main()
{
    enum { N = 700, BLOCKS = 8, EACH = 40 };
    static option o[N];
    static double exact[N];
    static float rough[N];
    for (int i = 0; i < N; i++) o[i] = {5.0 + i % 30, 1.0 + i % 90, 0.25 + i % 9, 0.02, 0.1 + 0.01 * (i % 40)};
    option *dev;
    double *d, sum = 0;
    float *f;
    CUDA(cudaMalloc(&dev, sizeof o));
    CUDA(cudaMalloc(&d, sizeof exact));
    CUDA(cudaMalloc(&f, sizeof rough));
    CUDA(cudaMemcpy(dev, o, sizeof o, cudaMemcpyHostToDevice));
    closed<double><<<(N + 127) / 128, 128>>>(dev, d, N);
    closed<float><<<(N + 127) / 128, 128>>>(dev, f, N);
    CUDA(cudaMemcpy(exact, d, sizeof exact, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(rough, f, sizeof rough, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        double want = call_price<double>(o[i].price, o[i].strike, o[i].years, o[i].rate, o[i].sigma);
        CHECK(fabs(exact[i] - want) < 1e-12 * (1 + o[i].strike));
        CHECK(fabs(rough[i] - want) < 1e-5 * (1 + o[i].strike));
    }
    CUDA(cudaMemset(d, 0, 8));
    option one = {20, 21, 1, 0.02, 0.3};
    paths<<<BLOCKS, 128>>>(one, EACH, d);
    CUDA(cudaMemcpy(&sum, d, 8, cudaMemcpyDeviceToHost));
    double mean = exp(-one.rate * one.years) * sum / (2.0 * BLOCKS * 128 * EACH);
    CHECK(fabs(mean - call_price<double>(20, 21, 1, 0.02, 0.3)) < 0.06); /* 80,000 draws: 0.015 is one deviation */
    printf("options ok\n");
    return 0;
}
