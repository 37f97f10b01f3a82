/* memory.cu - what the memory system of a GPU does with patterns of addresses, constants, the end of CTAs and equal reads. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <algorithm>
#include "call.h"

/* ---- throughput by pattern ---- */
enum { LDG32, LDG64, LDG128, LDS32, LDS64, LDS128, ATOMS_ADD, ATOMS_CAS, STS32, STS128, STG32, ATOMG, REDG, OPS };
static const char *opname[] = {"ldg32",     "ldg64", "ldg128", "lds32", "lds64", "lds128", "atoms_add",
                               "atoms_cas", "sts32", "sts128", "stg32", "atomg", "redg"};
#define N 128
template <int OP> __global__ void pat(const int *offs, char *buf, long long *out, int *sink)
{
    extern __shared__ char sh[];
    __shared__ long long t0, t1;
    int lane = threadIdx.x & 31;
    for (int i = threadIdx.x * 4; i < 32768; i += blockDim.x * 4) *(int *)(sh + i) = 0;
    if (threadIdx.x == 0) t0 = 0x7fffffffffffffffLL, t1 = 0;
    int off = offs[lane];
    unsigned saddr = (unsigned)__cvta_generic_to_shared(sh) + off;
    char *g = buf + off;
    int acc = 0, a, b, c, d;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        long long s = clock64();
#pragma unroll 1
        for (int i = 0; i < N / 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) {
                if (OP == LDG32) {
                    asm volatile("ld.global.ca.b32 %0,[%1];" : "=r"(a) : "l"(g) : "memory");
                    acc ^= a;
                }
                if (OP == LDG64) {
                    asm volatile("ld.global.ca.v2.b32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "l"(g) : "memory");
                    acc ^= a ^ b;
                }
                if (OP == LDG128) {
                    asm volatile("ld.global.ca.v4.b32 {%0,%1,%2,%3},[%4];"
                                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                                 : "l"(g)
                                 : "memory");
                    acc ^= a ^ b ^ c ^ d;
                }
                if (OP == LDS32) {
                    asm volatile("ld.shared.b32 %0,[%1];" : "=r"(a) : "r"(saddr) : "memory");
                    acc ^= a;
                }
                if (OP == LDS64) {
                    asm volatile("ld.shared.v2.b32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "r"(saddr) : "memory");
                    acc ^= a ^ b;
                }
                if (OP == LDS128) {
                    asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3},[%4];"
                                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                                 : "r"(saddr)
                                 : "memory");
                    acc ^= a ^ b ^ c ^ d;
                }
                if (OP == ATOMS_ADD) {
                    asm volatile("atom.shared.add.u32 %0,[%1],1;" : "=r"(a) : "r"(saddr) : "memory");
                    acc ^= a;
                }
                if (OP == ATOMS_CAS) {
                    asm volatile("atom.shared.cas.b32 %0,[%1],%2,1;" : "=r"(a) : "r"(saddr), "r"(i) : "memory");
                    acc ^= a;
                }
                if (OP == STS32) asm volatile("st.shared.b32 [%0],%1;" ::"r"(saddr), "r"(i) : "memory");
                if (OP == STS128) asm volatile("st.shared.v4.b32 [%0],{%1,%1,%1,%1};" ::"r"(saddr), "r"(i) : "memory");
                if (OP == STG32) asm volatile("st.global.b32 [%0],%1;" ::"l"(g), "r"(i) : "memory");
                if (OP == ATOMG) {
                    asm volatile("atom.global.add.u32 %0,[%1],1;" : "=r"(a) : "l"(g) : "memory");
                    acc ^= a;
                }
                if (OP == REDG) asm volatile("red.global.add.u32 [%0],1;" ::"l"(g) : "memory");
            }
        if (acc == 0x12345678) sink[0] = acc;
        long long e = clock64();
        if (round) {
            atomicMin(&t0, s);
            atomicMax(&t1, e);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
}
typedef void (*patk)(const int *, char *, long long *, int *);
static patk kern[] = {pat<LDG32>,     pat<LDG64>, pat<LDG128>, pat<LDS32>, pat<LDS64>, pat<LDS128>, pat<ATOMS_ADD>,
                      pat<ATOMS_CAS>, pat<STS32>, pat<STS128>, pat<STG32>, pat<ATOMG>, pat<REDG>};
static int *d_offs, *sink;
static char *d_buf;
static long long *d_out;
static void one(int op, const char *name, const std::vector<int> &o)
{
    for (int x : o)
        if (x > (op >= LDS32 && op <= STS128 ? 30000 : 1 << 18)) return;
    CK(cudaMemcpy(d_offs, o.data(), 128, cudaMemcpyHostToDevice));
    double v[3];
    int warps[3] = {1, 4, 16};
    for (int k = 0; k < 3; k++) {
        kern[op]<<<1, warps[k] * 32, 32768>>>(d_offs, d_buf, d_out, sink);
        CK(cudaDeviceSynchronize());
        long long t;
        CK(cudaMemcpy(&t, d_out, 8, cudaMemcpyDeviceToHost));
        v[k] = (double)t / (N * warps[k]);
    }
    printf("pat %s %s cycles per instruction: 1 warp %.2f, 4 warps %.2f, 16 warps %.2f\n", opname[op], name, v[0], v[1],
           v[2]);
}
static void patterns()
{
    CK(cudaMalloc(&d_offs, 128));
    CK(cudaMalloc(&d_buf, 1 << 20));
    CK(cudaMemset(d_buf, 0, 1 << 20));
    CK(cudaMalloc(&d_out, 4096));
    CK(cudaMalloc(&sink, 4));
    int strides[] = {0,   4,   8,   12,  16,  20,   24,   32,   36,   40,   48,   64,   68,   72,  80,  96,
                     128, 132, 136, 144, 160, 192,  224,  256,  260,  264,  272,  288,  320,  384, 512, 516,
                     528, 544, 576, 640, 768, 1024, 1028, 1056, 2048, 2052, 2080, 4096, 4100, 4128};
    for (int op = 0; op < OPS; op++) {
        for (int s : strides) {
            int w = op == LDG64 || op == LDS64 ? 8 : op == LDG128 || op == LDS128 || op == STS128 ? 16 : 4;
            if (s % w) continue;
            if (op >= STG32 && s > 544) continue;
            std::vector<int> o(32);
            for (int l = 0; l < 32; l++) o[l] = l * s;
            char n[64];
            sprintf(n, "stride %d", s);
            one(op, n, o);
        }
        int w = op == LDG64 || op == LDS64 ? 8 : op == LDG128 || op == LDS128 || op == STS128 ? 16 : 4;
        for (int lines = 2; lines <= 32;
             lines *= 2) { /* n lines, lanes next to each other in each, aligned or rotated */
            std::vector<int> o(32), p(32);
            int g = 32 / lines;
            for (int l = 0; l < 32; l++) o[l] = (l / g) * 128 + (l % g) * w % 128, p[l] = (l / g) * 128 + l * w % 128;
            char n[64];
            sprintf(n, "lines %d aligned", lines);
            one(op, n, o);
            sprintf(n, "lines %d rotated", lines);
            one(op, n, p);
        }
        for (int same = 2; same <= 32; same *= 2) { /* groups of lanes at one address */
            std::vector<int> o(32), p(32), q(32);
            for (int l = 0; l < 32; l++) o[l] = (l / same) * w, p[l] = (l % (32 / same)) * w, q[l] = (l / same) * 128;
            char n[64];
            sprintf(n, "same %d next", same);
            one(op, n, o);
            sprintf(n, "same %d apart", same);
            one(op, n, p);
            sprintf(n, "same %d lines", same);
            one(op, n, q);
        }
        unsigned r = 12345;
        for (int k = 0; k < 4; k++) {
            std::vector<int> o(32);
            for (int l = 0; l < 32; l++) {
                r = r * 1664525u + 1013904223u;
                o[l] = (int)((r >> 8) % (16384 / w)) * w;
            }
            char n[64];
            sprintf(n, "random16K %d", k);
            one(op, n, o);
        }
    }
}

/* ---- constants ---- */
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
static void constants()
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
}

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
int main(int argc, char **argv)
{
    if (argc < 2) return 1;
    if (!strcmp(argv[1], "pat")) patterns();
    if (!strcmp(argv[1], "const")) constants();
    if (!strcmp(argv[1], "turn")) turnover();
    if (!strcmp(argv[1], "join")) joining(argc, argv);
    return 0;
}
