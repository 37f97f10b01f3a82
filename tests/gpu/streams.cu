/* streams.cu - kernels of short CTAs that read and write once, and what a CTA of them waits for.
 *
 *   timeline  each CTA writes down its SM and three clocks: begin, loads there, stores sent.
 *   loaded    closed loop: latency of loads that miss the L1, against the rate of all SMs together.
 *   launch    the same kernels without clocks, one launch each, to be run under ncu. */
#include <algorithm>
#include <cstring>
#include <vector>
#include "call.h"

enum { EMPTY, LOAD, STORE, ONE, TWO, THREE, HITS, MODES };
static const char *const modename[] = {"empty", "load", "store", "one", "two", "three", "hits"};
struct rec {
    unsigned smid, wait, sent, pad;
    long long begin, end;
};

template <int MODE, bool REC> __global__ void k(float *o, const float *a, const float *b, const float *c, rec *r)
{
    long long t0 = 0, t1 = 0;
    if (REC) t0 = clock64();
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float x = 1;
    if (MODE == LOAD || MODE == ONE) x = a[i];
    if (MODE == TWO) x = a[i] + b[i];
    if (MODE == THREE) x = a[i] + b[i] + c[i];
    if (MODE == HITS) x = a[threadIdx.x];
    if (REC) {
        if (x == 12345.0f) o[1] = x;
        asm volatile("" ::: "memory");
        t1 = clock64();
    }
    if (MODE == LOAD) {
        if (x == 12345.0f) o[0] = x;
    } else if (MODE != EMPTY) {
        o[i] = x + 1;
    }
    if (REC && threadIdx.x == 0) {
        asm volatile("" ::: "memory");
        long long t2 = clock64();
        unsigned id;
        asm volatile("mov.u32 %0,%%smid;" : "=r"(id));
        r[blockIdx.x] = {id, (unsigned)(t1 - t0), (unsigned)(t2 - t0), 0, t0, t2};
    }
}
template <bool REC> static void go(int mode, int ctas, int threads, float *o, float *a, float *b, float *c, rec *r)
{
    switch (mode) {
    case EMPTY: k<EMPTY, REC><<<ctas, threads>>>(o, a, b, c, r); break;
    case LOAD: k<LOAD, REC><<<ctas, threads>>>(o, a, b, c, r); break;
    case STORE: k<STORE, REC><<<ctas, threads>>>(o, a, b, c, r); break;
    case ONE: k<ONE, REC><<<ctas, threads>>>(o, a, b, c, r); break;
    case TWO: k<TWO, REC><<<ctas, threads>>>(o, a, b, c, r); break;
    case THREE: k<THREE, REC><<<ctas, threads>>>(o, a, b, c, r); break;
    case HITS: k<HITS, REC><<<ctas, threads>>>(o, a, b, c, r); break;
    }
    CK(cudaGetLastError());
}
__global__ void read_all(const int4 *p, size_t n, int *sink)
{
    int acc = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        acc ^= p[i].x;
    if (acc == 0x12345678) *sink = acc;
}
static void *zeros(size_t n)
{
    void *p;
    CK(cudaMalloc(&p, n));
    CK(cudaMemset(p, 0, n));
    return p;
}
static const size_t BIG = (size_t)65536 * 1024 * 4;
static float *o, *a, *b, *c;
static rec *r;
static void *cold;
static void buffers()
{
    o = (float *)zeros(BIG), a = (float *)zeros(BIG), b = (float *)zeros(BIG), c = (float *)zeros(BIG);
    r = (rec *)zeros(65536 * sizeof(rec));
    cold = zeros((size_t)256 << 20);
}
static void timeline()
{
    buffers();
    std::vector<rec> v;
    for (int mode = 0; mode < MODES; mode++)
        for (int threads : {64, 256, 1024})
            for (int ctas : {1056, 8192, 65536})
                for (int warm = 0; warm < 2; warm++) {
                    if (!warm) read_all<<<264, 1024>>>((const int4 *)cold, ((size_t)256 << 20) / 16, (int *)r);
                    go<true>(mode, ctas, threads, o, a, b, c, r);
                    CK(cudaDeviceSynchronize());
                    v.resize((size_t)ctas);
                    CK(cudaMemcpy(v.data(), r, (size_t)ctas * sizeof(rec), cudaMemcpyDeviceToHost));
                    std::vector<unsigned> wait, sent;
                    std::vector<std::vector<rec>> sm(256);
                    for (auto &x : v)
                        wait.push_back(x.wait), sent.push_back(x.sent - x.wait), sm[x.smid & 255].push_back(x);
                    double slope = 0, span = 0, life = 0;
                    int sms = 0;
                    for (auto &s : sm) {
                        if (s.size() < 4) continue;
                        std::sort(s.begin(), s.end(), [](const rec &p, const rec &q) { return p.begin < q.begin; });
                        size_t lo = s.size() / 5, hi = s.size() - 1 - s.size() / 5;
                        slope += (double)(s[hi].begin - s[lo].begin) / (double)(hi - lo);
                        long long last = 0;
                        for (auto &x : s) last = std::max(last, x.end), life += x.sent;
                        span += (double)(last - s[0].begin);
                        sms++;
                    }
                    std::sort(wait.begin(), wait.end());
                    std::sort(sent.begin(), sent.end());
                    size_t n = wait.size();
                    double mw = 0, ms = 0;
                    for (unsigned w : wait) mw += w;
                    for (unsigned w : sent) ms += w;
                    slope /= sms, span /= sms, life /= ctas;
                    printf("timeline %s threads %d ctas %d %s: cycles per CTA and SM %.1f, all SMs %.3f; span %.0f; "
                           "wait mean %.0f 10%% %u 50%% %u 90%% %u 99%% %u; send mean %.0f 50%% %u 90%% %u; "
                           "slot %.0f rest %.0f\n",
                           modename[mode], threads, ctas, warm ? "warm" : "cold", slope, slope / 132, span, mw / n,
                           wait[n / 10], wait[n / 2], wait[n * 9 / 10], wait[n * 99 / 100], ms / n, sent[n / 2],
                           sent[n * 9 / 10], slope * std::min(32, 2048 / threads),
                           slope * std::min(32, 2048 / threads) - life);
                }
}
static void launch()
{
    buffers();
    for (int mode = 0; mode < MODES; mode++)
        for (int threads : {64, 256, 1024})
            for (int ctas : {1056, 8192, 65536}) go<false>(mode, ctas, threads, o, a, b, c, r);
    for (int threads : {32, 128, 512}) go<false>(EMPTY, 65536, threads, o, a, b, c, r);
    CK(cudaDeviceSynchronize());
}

/* Each warp loads U lines, waits for all, and goes on; "copy" stores a line for every line that it loads. */
enum { READ, READRAND, COPY, WRITE };
template <int U>
__global__ void loop(int op, const char *in, char *out, unsigned mask, int n, long long *took, int *sink)
{
    unsigned warps = gridDim.x * blockDim.x / 32, warp = (threadIdx.x / 32) * gridDim.x + blockIdx.x,
             lane = threadIdx.x & 31;
    unsigned acc = 0;
    long long t = clock64();
    for (int i = 0; i < n; i++) {
        unsigned v[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            unsigned line = (unsigned)(i * U + u) * warps + warp;
            if (op == READRAND) line *= 2654435761u, line ^= line >> 15;
            size_t at = (size_t)(line & mask) * 128 + 4 * lane + (acc == 0x7654321 ? 4 : 0);
            v[u] = 0;
            if (op != WRITE) asm volatile("ld.global.cg.b32 %0,[%1];" : "=r"(v[u]) : "l"(in + at) : "memory");
        }
        unsigned s = 0;
#pragma unroll
        for (int u = 0; u < U; u++) s += v[u];
        acc += s;
        if (op >= COPY)
#pragma unroll
            for (int u = 0; u < U; u++) {
                unsigned line = (unsigned)(i * U + u) * warps + warp;
                size_t at = (size_t)(line & mask) * 128 + 4 * lane;
                asm volatile("st.global.b32 [%0],%1;" ::"l"(out + at), "r"(acc + u) : "memory");
            }
    }
    if (acc == 0x1234567) *sink = (int)acc;
    t = clock64() - t;
    if (threadIdx.x == 0) took[blockIdx.x] = t;
}
static void loaded()
{
    size_t whole = (size_t)1 << 30;
    char *in = (char *)zeros(whole), *out = (char *)zeros(whole);
    long long *took = (long long *)zeros(132 * 8), t[132];
    int *sink = (int *)zeros(4);
    static const char *const name[] = {"read", "readrand", "copy", "write"};
    for (int op = 0; op < 4; op++)
        for (int small = 0; small < 2; small++)
            for (int u : {1, 4})
                for (int warps : {1, 2, 4, 8, 16, 24, 32}) {
                    unsigned mask = small ? (1u << 17) - 1 : (1u << 23) - 1; /* 16 MiB, 1 GiB */
                    int n = 256 / u;
                    for (int round = 0; round < 2; round++) {
                        if (!small)
                            read_all<<<264, 1024>>>((const int4 *)(in + (whole >> 1)), ((size_t)256 << 20) / 16, sink);
                        if (u == 1) loop<1><<<132, warps * 32>>>(op, in, out, mask, n, took, sink);
                        else loop<4><<<132, warps * 32>>>(op, in, out, mask, n, took, sink);
                    }
                    CK(cudaDeviceSynchronize());
                    CK(cudaMemcpy(t, took, sizeof t, cudaMemcpyDeviceToHost));
                    double mean = 0;
                    for (long long x : t) mean += (double)x / 132;
                    printf("loaded %s %s at once %d warps %d: %.1f cycles a round, %.1f bytes per cycle and SM\n",
                           name[op], small ? "L2" : "memory", u, warps, mean / n, 128.0 * n * u * warps / mean);
                }
}
int main(int argc, char **argv)
{
    if (argc < 2) return 1;
    if (!strcmp(argv[1], "timeline")) timeline();
    if (!strcmp(argv[1], "loaded")) loaded();
    if (!strcmp(argv[1], "launch")) launch();
    return 0;
}
