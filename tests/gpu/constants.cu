/* constants.cu - the constant cache: what a cold walk and a warm one cost, sizes, chains, lanes at different addresses,
 * all SMs. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include "call.h"

__constant__ int cdata[16000];
__global__ void cwalk(int *out, int n, int step, int passes)
{
    __shared__ int t[2048];
    for (int p = 0; p < passes; p++) {
        int x = 0;
        for (int i = 0; i < n; i++) {
            int s = clock();
            x = cdata[i * step + x];
            int e;
            asm volatile("{.reg .pred q; setp.eq.s32 q,%1,77; @q trap; mov.u32 %0,%%clock;}"
                         : "=r"(e)
                         : "r"(x)
                         : "memory");
            t[i] = e - s;
        }
        for (int i = 0; i < n; i++) out[p * n + i] = t[i];
    }
}
__global__ void cbw(long long *out, int n, int step, float *sink)
{
    float a = threadIdx.x, b = 1;
    __syncthreads();
    long long s = clock64();
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        a = a * __int_as_float(cdata[i * step]) + b;
    }
    if (a == 1.2345f) sink[0] = a;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = clock64() - s;
}
/* A chain of loads of one thread: cycles per link. The first index comes from memory, so that it is in no uniform
 * register. */
__global__ void cchase(long long *out, const int *start, int links)
{
    int x = *start;
    for (int i = 0; i < 64; i++) x = cdata[x]; /* code and first lines */
    long long s = clock64();
#pragma unroll 8
    for (int i = 0; i < links; i++) x = cdata[x];
    long long e = clock64();
    out[0] = e - s, out[1] = x;
}
static void chases(long long *t)
{
    for (int step : {1, 16, 64})
        for (int bytes : {512, 1024, 1536, 2048, 2560, 3072, 4096, 8192, 16384, 32768, 62464}) {
            int n = bytes / 4 / step;
            if (n < 2) continue;
            std::vector<int> z(16000, 0);
            for (int i = 0; i < n; i++) z[i * step] = (i + 1) % n * step;
            CK(cudaMemcpyToSymbol(cdata, z.data(), 64000));
            int *zero;
            CK(cudaMalloc(&zero, 4));
            CK(cudaMemset(zero, 0, 4));
            long long c[2][2];
            for (int k = 0; k < 2; k++) {
                cchase<<<1, 1>>>(t, zero, 4096 * (k + 1));
                CK(cudaDeviceSynchronize());
                CK(cudaMemcpy(c[k], t, 16, cudaMemcpyDeviceToHost));
            }
            CK(cudaFree(zero));
            printf("const chase step %d bytes %d: %.2f cycles per link\n", step * 4, bytes,
                   (c[1][0] - c[0][0]) / 4096.0);
        }
}

/* Lanes at n different addresses, groups of lanes next to each other: cycles per load of a warp, 8 loads under way. */
__global__ void cdiv(long long *out, const int *offs, int n, int *sink, int zero)
{
    __shared__ long long t0, t1;
    if (threadIdx.x == 0) t0 = 0x7fffffffffffffffLL, t1 = 0;
    int o = offs[threadIdx.x & 31], acc = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        long long s = clock64();
#pragma unroll 8
        for (int i = 0; i < n; i++, o += zero) acc ^= cdata[o] + i;
        if (acc == 77) sink[0] = acc;
        long long e = clock64();
        if (round) {
            atomicMin(&t0, s);
            atomicMax(&t1, e);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = t1 - t0;
}
static void divergent(long long *t)
{
    int *d;
    CK(cudaMalloc(&d, 128));
    for (int gap : {1, 4, 16})
        for (int n = 1; n <= 32; n *= 2)
            for (int w : {1, 4, 16}) {
                std::vector<int> o(32);
                for (int l = 0; l < 32; l++) o[l] = l / (32 / n) * gap;
                CK(cudaMemcpy(d, o.data(), 128, cudaMemcpyHostToDevice));
                cdiv<<<1, 32 * w>>>(t, d, 256, d, 0);
                CK(cudaDeviceSynchronize());
                long long c;
                CK(cudaMemcpy(&c, t, 8, cudaMemcpyDeviceToHost));
                printf("const divergent %d addresses %d bytes apart, %d warps: %.2f cycles per load\n", n, gap * 4, w,
                       (double)c / 256 / w);
            }
}

/* Every SM walks the same constants, cold. */
static void grid_walk(long long *t, float *fs)
{
    std::vector<int> z(16000, 0);
    for (int st : {1, 4, 16})
        for (int ctas : {1, 132, 264}) {
            int n = 15900 / st;
            CK(cudaMemcpyToSymbol(cdata, z.data(), 64000));
            std::vector<long long> c(ctas);
            cbw<<<ctas, 256>>>(t, n, st, fs);
            CK(cudaDeviceSynchronize());
            CK(cudaMemcpy(c.data(), t, 8 * ctas, cudaMemcpyDeviceToHost));
            double s = 0;
            for (long long x : c) s += (double)x;
            printf("const grid step %d ctas %d loads %d: %.0f cycles per CTA\n", st * 4, ctas, n, s / ctas);
        }
}

int main()
{
    int *o;
    CK(cudaMalloc(&o, 1 << 20));
    long long *t;
    CK(cudaMalloc(&t, 4096));
    float *fs;
    CK(cudaMalloc(&fs, 4));
    std::vector<int> z(16000, 0);
    int steps[] = {1, 2, 4, 8, 16, 32, 64};
    for (int st : steps) {
        int n = std::min(2000, 15900 / st);
        CK(cudaMemcpyToSymbol(cdata, z.data(), 64000)); /* makes the caches cold */
        cwalk<<<1, 1>>>(o, n, st, 3);
        CK(cudaDeviceSynchronize());
        std::vector<int> h(3 * n);
        CK(cudaMemcpy(h.data(), o, 12 * n, cudaMemcpyDeviceToHost));
        for (int p = 0; p < 3; p++) {
            double s = 0;
            for (int i = 0; i < n; i++) s += h[p * n + i];
            printf("const walk step %d bytes, pass %d, %d loads, mean %.1f:", st * 4, p, n, s / n);
            for (int i = 0; i < std::min(n, st == 1 ? 260 : 100); i++) printf(" %d", h[p * n + i]);
            printf("\n");
        }
    }
    for (int kib = 1; kib <= 62; kib += kib < 8 ? 1 : 3) { /* size: mean of the third pass at 64-byte steps */
        int n = kib * 16;
        cwalk<<<1, 1>>>(o, n, 16, 3);
        CK(cudaDeviceSynchronize());
        std::vector<int> h(3 * n);
        CK(cudaMemcpy(h.data(), o, 12 * n, cudaMemcpyDeviceToHost));
        double s = 0;
        for (int i = 0; i < n; i++) s += h[2 * n + i];
        printf("const size %d KiB mean %.1f\n", kib, s / n);
    }
    for (int st = 1; st <= 16; st *= 4)
        for (int n = 256; n <= 1000; n += 744)
            for (int w = 1; w <= 32; w *= 2) {
                CK(cudaMemcpyToSymbol(cdata, z.data(), 64000));
                long long c[2];
                for (int k = 0; k < 2; k++) {
                    cbw<<<1, 32 * w>>>(t, n, st, fs);
                    CK(cudaDeviceSynchronize());
                    CK(cudaMemcpy(&c[k], t, 8, cudaMemcpyDeviceToHost));
                }
                printf("const loop step %d n %d warps %d cycles per load: cold %.2f again %.2f\n", st * 4, n, w,
                       (double)c[0] / n, (double)c[1] / n);
            }
    chases(t);
    divergent(t);
    grid_walk(t, fs);
    return 0;
}
