/* memory.cu - how long the place of a CTA that has ended stays empty ("turn"), and which SMs' equal reads reach the L2
 * as one ("join", under ncu), and what a store behind a load costs ("behind"). */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <algorithm>
#include "call.h"

/* ---- turnover ---- */
__global__ void turn(int *smid, long long *a, long long *b, int spin)
{
    long long s = clock64();
    unsigned id;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(id));
    while (clock64() - s < spin) {
    }
    if (threadIdx.x == 0) smid[blockIdx.x] = id, a[blockIdx.x] = s, b[blockIdx.x] = clock64();
}
__global__ void turn_sh(int *smid, long long *a, long long *b, int spin)
{
    extern __shared__ char sh[];
    int *shi = (int *)sh;
    long long s = clock64();
    unsigned id;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(id));
    shi[threadIdx.x] = (int)id;
    while (clock64() - s < spin) {
    }
    if (threadIdx.x == 0) smid[blockIdx.x] = shi[0], a[blockIdx.x] = s, b[blockIdx.x] = clock64();
}
static void turnover()
{
    int n = 132 * 200;
    int *sm;
    long long *a, *b;
    CK(cudaMalloc(&sm, 4 * n));
    CK(cudaMalloc(&a, 8 * n));
    CK(cudaMalloc(&b, 8 * n));
    CK(cudaFuncSetAttribute(turn_sh, cudaFuncAttributeMaxDynamicSharedMemorySize, 220000));
    int th[] = {32, 64, 128, 256, 512, 1024}, shb[] = {0, 1024, 24000, 100000, 220000},
        spins[] = {300, 1000, 3000, 10000};
    for (int sb : shb)
        for (int t : th)
            for (int sp : spins) {
                int bytes = sb < t * 4 ? t * 4 : sb; /* of shared memory, if any */
                for (int rep = 0; rep < 2; rep++) {
                    if (sb) turn_sh<<<n, t, bytes>>>(sm, a, b, sp);
                    else turn<<<n, t>>>(sm, a, b, sp);
                    CK(cudaDeviceSynchronize());
                }
                std::vector<int> hs(n);
                std::vector<long long> ha(n), hb(n);
                CK(cudaMemcpy(hs.data(), sm, 4 * n, cudaMemcpyDeviceToHost));
                CK(cudaMemcpy(ha.data(), a, 8 * n, cudaMemcpyDeviceToHost));
                CK(cudaMemcpy(hb.data(), b, 8 * n, cudaMemcpyDeviceToHost));
                /* per SM: time from first start to last start over the number of CTAs, resident CTAs, gap = period x
                 * resident - life */
                double per = 0, life = 0, res = 0;
                int m = 0;
                std::vector<double> gaps;
                for (int s = 0; s < 132; s++) {
                    std::vector<std::pair<long long, long long>> v;
                    for (int i = 0; i < n; i++)
                        if (hs[i] == s) v.push_back({ha[i], hb[i]});
                    if (v.size() < 40) continue;
                    std::sort(v.begin(), v.end());
                    long long e0 = v[0].second;
                    for (auto &x : v) e0 = std::min(e0, x.second);
                    int r = 0;
                    for (auto &x : v) r += x.first < e0;
                    long long busy = 0;
                    for (auto &x : v) busy += x.second - x.first;
                    double T = (double)(v.back().first - v[0].first);
                    per += T / (v.size() - r);
                    life += (double)busy / v.size();
                    res += r;
                    m++;
                    /* each start after the first r is paired with the earliest unpaired end before it */
                    std::vector<long long> ends;
                    for (auto &x : v) ends.push_back(x.second);
                    std::sort(ends.begin(), ends.end());
                    for (size_t i = r; i < v.size(); i++) gaps.push_back((double)(v[i].first - ends[i - r]));
                }
                std::sort(gaps.begin(), gaps.end());
                printf("turn threads %d shared %d spin %d: resident %.1f life %.0f start to start %.1f gap 10%% %.0f "
                       "median %.0f 90%% %.0f\n",
                       t, sb, sp, res / m, life / m, per / m, gaps[gaps.size() / 10], gaps[gaps.size() / 2],
                       gaps[gaps.size() * 9 / 10]);
            }
}

/* ---- joined reads: SMs of a list read the same lines at times d apart ---- */
__global__ void joined(const int *delay, const char *buf, int *sink, int *arrive, int active, int loads, int gap,
                       int burst)
{
    unsigned id;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(id));
    int d = delay[id];
    __shared__ unsigned long long go;
    if (threadIdx.x == 0) { /* every SM has its CTA before one leaves */
        atomicAdd(arrive, 1);
        while (atomicAdd(arrive, 0) < (int)gridDim.x) __nanosleep(500);
    }
    if (d < 0) return;
    if (threadIdx.x == 0) {
        unsigned long long t;
        asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(t));
        atomicMax((unsigned long long *)(arrive + 2), t + 8000);
        __nanosleep(3000);
        go = atomicMax((unsigned long long *)(arrive + 2), 0ull);
        do asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(t));
        while (t < go);
    }
    __syncthreads();
    long long s = clock64(), next = s + d;
    int acc = 0;
    for (int i = 0; i < loads; i += burst) {
        while (clock64() < next) {
        }
        next += gap;
        for (int k = 0; k < burst; k++) {
            int a;
            asm volatile("ld.global.ca.b32 %0,[%1];"
                         : "=r"(a)
                         : "l"(buf + ((size_t)(i + k) * blockDim.x + threadIdx.x) * 4)
                         : "memory");
            acc ^= a;
        }
    }
    if (acc == 0x1234567) sink[0] = acc;
}
static void joining(int argc, char **argv)
{
    int *del, *arr;
    char *buf;
    CK(cudaMalloc(&del, 4 * 132));
    CK(cudaMalloc(&arr, 64));
    CK(cudaMalloc(&buf, 1 << 22));
    CK(cudaMemset(buf, 0, 1 << 22));
    int *sink;
    CK(cudaMalloc(&sink, 4));
    auto go = [&](const char *name, const std::vector<int> &d, int loads, int gap, int burst) {
        int act = 0;
        for (int x : d) act += x >= 0;
        CK(cudaMemcpy(del, d.data(), 528, cudaMemcpyHostToDevice));
        CK(cudaMemset(arr, 0, 64));
        joined<<<132, 32, 200000>>>(del, buf, sink, arr, act, loads, gap, burst);
        CK(cudaDeviceSynchronize());
        printf("join %s active %d loads %d gap %d burst %d\n", name, act, loads, gap, burst);
    };
    CK(cudaFuncSetAttribute(joined, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
    std::vector<int> none(132, -1), d;
    char n[64];
    d = none;
    d[0] = 0;
    go("alone", d, 256, 1000, 1);
    go("alone", d, 256, 1000, 1);
    for (int j = 1; j < 132; j++) {
        d = none;
        d[0] = 0;
        d[j] = 0;
        sprintf(n, "pair 0,%d", j);
        go(n, d, 256, 1000, 1);
    }
    for (int k : {1, 2, 16, 40})
        for (int dd : {0, 20, 50, 100, 150, 200, 250, 300, 400, 500, 700}) {
            d = none;
            d[0] = 0;
            d[k] = dd;
            sprintf(n, "late %d by %d", k, dd);
            go(n, d, 256, 1000, 1);
        }
    for (int m : {2, 4, 8, 16, 18, 32, 66, 132}) {
        d = none;
        for (int i = 0; i < m; i++) d[i] = 0;
        sprintf(n, "first %d", m);
        go(n, d, 256, 1000, 1);
    }
    for (int m : {2, 4, 8, 16, 18, 32, 66, 132}) {
        d = none;
        for (int i = 0; i < m; i++) d[i] = 0;
        sprintf(n, "burst first %d", m);
        go(n, d, 1024, 0, 8);
    }
    d = none;
    for (int i = 0; i < 132; i += 2) d[i] = 0;
    go("even", d, 256, 1000, 1);
    for (int dd : {5, 20, 60, 120}) {
        d = none;
        for (int i = 0; i < 132; i++) d[i] = i * dd % 900;
        sprintf(n, "spread %d", dd);
        go(n, d, 256, 1000, 1);
    }
}
/* ---- a store behind a load: 14 loads behind a load and a store of the same word, of another one, or none; cold ----
 */
template <int MODE, class T> __global__ void behind(T *a, T *other, const int *b, int words, long long *out, int *sink)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    long long s = clock64();
    T x = a[w];
    if (MODE == 1) a[w] = T();
    if (MODE == 2) other[w] = T();
#pragma unroll
    for (int p = 0; p < 14; p++) {
        int v;
        asm volatile("ld.global.b32 %0,[%1];" : "=r"(v) : "l"(b + (size_t)p * words + w) : "memory");
        sum += v;
    }
    const int *q = (const int *)&x;
    for (unsigned i = 0; i < sizeof x / 4; i++) sum ^= q[i];
    if (sum == 0x1234567) sink[0] = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = clock64() - s;
}
template <int MODE, class T> static void behind_one(const char *name, char *buf, long long *out, int *sink)
{
    int words = 24576;
    for (int ctas : {1, 42}) {
        CK(cudaMemset(buf + (1 << 24), 1, 200 << 20)); /* cold */
        behind<MODE, T><<<ctas, 512>>>((T *)buf, (T *)(buf + (1 << 22)), (int *)(buf + (1 << 23)), words, out, sink);
        CK(cudaDeviceSynchronize());
        std::vector<long long> h(ctas);
        CK(cudaMemcpy(h.data(), out, 8 * ctas, cudaMemcpyDeviceToHost));
        double s = 0;
        for (long long v : h) s += (double)v;
        printf("behind %s ctas %d: %.0f cycles\n", name, ctas, s / ctas);
    }
}
static void stores_behind()
{
    char *buf;
    long long *out;
    int *sink;
    CK(cudaMalloc(&buf, 256 << 20));
    CK(cudaMemset(buf, 0, 256 << 20));
    CK(cudaMalloc(&out, 4096));
    CK(cudaMalloc(&sink, 4));
    for (int k = 0; k < 2; k++) {
        behind_one<0, int>("load of 4 bytes alone", buf, out, sink);
        behind_one<1, int>("load and store of 4 bytes", buf, out, sink);
        behind_one<2, int>("load and store of others, 4 bytes", buf, out, sink);
        behind_one<0, int4>("load of 16 bytes alone", buf, out, sink);
        behind_one<1, int4>("load and store of 16 bytes", buf, out, sink);
        behind_one<2, int4>("load and store of others, 16 bytes", buf, out, sink);
    }
}
int main(int argc, char **argv)
{
    if (argc < 2) return 1;
    if (!strcmp(argv[1], "turn")) turnover();
    if (!strcmp(argv[1], "behind")) stores_behind();
    if (!strcmp(argv[1], "join")) joining(argc, argv);
    return 0;
}
