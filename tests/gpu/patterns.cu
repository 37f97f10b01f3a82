/* patterns.cu - throughput of warp loads by pattern with addresses that a compiler cannot join;
 * branches. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "call.h"
enum { LDG32, LDG64, LDG128, LDS32, LDS64, LDS128, STS32, STG32, OPS };
static const char *opname[] = {"ldg32", "ldg64", "ldg128", "lds32", "lds64", "lds128", "sts32", "stg32"};
#define N 128
template <int OP> __global__ void pat(const int *offs, char *buf, long long *out, int *sink, int zero)
{
    extern __shared__ char sh[];
    __shared__ long long t0, t1;
    int lane = threadIdx.x & 31;
    for (int i = threadIdx.x * 4; i < 32768; i += blockDim.x * 4) *(int *)(sh + i) = 0;
    if (threadIdx.x == 0) t0 = 0x7fffffffffffffffLL, t1 = 0;
    int off = offs[lane];
    unsigned sa = (unsigned)__cvta_generic_to_shared(sh) + off;
    char *g = buf + off;
    int acc = 0, a, b, c, d;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        long long s = clock64();
#pragma unroll 1
        for (int i = 0; i < N / 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) {
                g += zero, sa += zero;
                if (OP == LDG32) {
                    asm volatile("ld.global.ca.b32 %0,[%1];" : "=r"(a) : "l"(g) : "memory");
                    acc ^= a;
                }
                if (OP == LDG64) {
                    asm volatile("ld.global.ca.v2.b32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "l"(g) : "memory");
                    acc += a ^ b;
                }
                if (OP == LDG128) {
                    asm volatile("ld.global.ca.v4.b32 {%0,%1,%2,%3},[%4];"
                                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                                 : "l"(g)
                                 : "memory");
                    acc += a ^ b ^ c ^ d;
                }
                if (OP == LDS32) {
                    asm volatile("ld.shared.b32 %0,[%1];" : "=r"(a) : "r"(sa) : "memory");
                    acc += a;
                }
                if (OP == LDS64) {
                    asm volatile("ld.shared.v2.b32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "r"(sa) : "memory");
                    acc += a ^ b;
                }
                if (OP == LDS128) {
                    asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3},[%4];"
                                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                                 : "r"(sa)
                                 : "memory");
                    acc += a ^ b ^ c ^ d;
                }
                if (OP == STS32) asm volatile("st.shared.b32 [%0],%1;" ::"r"(sa), "r"(i) : "memory");
                if (OP == STG32) asm volatile("st.global.b32 [%0],%1;" ::"l"(g), "r"(i) : "memory");
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
typedef void (*patk)(const int *, char *, long long *, int *, int);
static patk kern[] = {pat<LDG32>, pat<LDG64>, pat<LDG128>, pat<LDS32>, pat<LDS64>, pat<LDS128>, pat<STS32>, pat<STG32>};
static int *d_offs, *sink;
static char *d_buf;
static long long *d_out;
static void one(int op, const char *name, const std::vector<int> &o)
{
    for (int x : o)
        if (x > (op >= LDS32 && op <= STS32 ? 30000 : 1 << 18)) return;
    CK(cudaMemcpy(d_offs, o.data(), 128, cudaMemcpyHostToDevice));
    double v[2];
    int warps[2] = {4, 16};
    for (int k = 0; k < 2; k++) {
        kern[op]<<<1, warps[k] * 32, 32768>>>(d_offs, d_buf, d_out, sink, 0);
        CK(cudaDeviceSynchronize());
        long long t;
        CK(cudaMemcpy(&t, d_out, 8, cudaMemcpyDeviceToHost));
        v[k] = (double)t / (N * warps[k]);
    }
    printf("pat %s %s: 4 warps %.2f, 16 warps %.2f cycles per instruction\n", opname[op], name, v[0], v[1]);
}
/* ---- branches: one warp per scheduler, cycles per round ---- */
template <int OPSN> __global__ void loop_ops(long long *out, int n, int *sink)
{
    int x = threadIdx.x;
    long long s = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < OPSN; k++) asm volatile("mad.lo.s32 %0,%0,3,1;" : "+r"(x));
    long long e = clock64();
    if (x == 77) sink[0] = x;
    if (threadIdx.x == 0) out[0] = e - s;
}
template <int B> __global__ void loop_if(long long *out, int n, int *sink, int odd)
{
    int x = threadIdx.x, y = 0;
    long long s = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        asm volatile("mad.lo.s32 %0,%0,3,1;" : "+r"(x));
        if (B == 1)
            asm volatile("{.reg .pred p; setp.eq.s32 p,%0,%1; @p bra L1; bra.uni L2; L1: mad.lo.s32 %2,%2,5,1; "
                         "mad.lo.s32 %2,%2,7,1; mad.lo.s32 %2,%2,9,1; mad.lo.s32 %2,%2,11,1;mad.lo.s32 %2,%2,5,1; "
                         "mad.lo.s32 %2,%2,7,1; mad.lo.s32 %2,%2,9,1; mad.lo.s32 %2,%2,11,1;mad.lo.s32 %2,%2,5,1; "
                         "mad.lo.s32 %2,%2,7,1; mad.lo.s32 %2,%2,9,1; mad.lo.s32 %2,%2,11,1; L2: }"
                         : "+r"(x)
                         : "r"(odd), "r"(y));
        if (B == 2) {
            if ((x & odd) == 1) {
                for (int k = 0; k < 12; k++) asm volatile("mad.lo.s32 %0,%0,5,1;" : "+r"(y));
            }
        }
        if (B == 3) {
            if ((x & odd) == 1) {
                for (int k = 0; k < 12; k++) asm volatile("mad.lo.s32 %0,%0,5,1;" : "+r"(y));
            } else {
                for (int k = 0; k < 12; k++) asm volatile("mad.lo.s32 %0,%0,7,1;" : "+r"(y));
            }
        }
    }
    long long e = clock64();
    if (x + y == 77) sink[0] = x;
    if (threadIdx.x == 0) out[0] = e - s;
}
template <class F> static double rounds(F f)
{
    long long t[2];
    for (int k = 0; k < 2; k++) {
        f(1000);
        f(1000 * (k + 1));
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(&t[k], d_out, 8, cudaMemcpyDeviceToHost));
    }
    return (t[1] - t[0]) / 1000.0;
}
int main()
{
    CK(cudaMalloc(&d_offs, 128));
    CK(cudaMalloc(&d_buf, 1 << 20));
    CK(cudaMemset(d_buf, 0, 1 << 20));
    CK(cudaMalloc(&d_out, 4096));
    CK(cudaMalloc(&sink, 4));
    for (int th : {32, 128, 256}) {
        printf("loop threads %d: ops 1 %.2f", th, rounds([&](int n) { loop_ops<1><<<1, th>>>(d_out, n, sink); }));
        printf(" 4 %.2f", rounds([&](int n) { loop_ops<4><<<1, th>>>(d_out, n, sink); }));
        printf(" 8 %.2f", rounds([&](int n) { loop_ops<8><<<1, th>>>(d_out, n, sink); }));
        printf(" 16 %.2f", rounds([&](int n) { loop_ops<16><<<1, th>>>(d_out, n, sink); }));
        printf(" 64 %.2f\n", rounds([&](int n) { loop_ops<64><<<1, th>>>(d_out, n, sink); }));
        for (int odd : {0, 1})
            printf("if threads %d odd %d: none %.2f if %.2f ifelse %.2f\n", th, odd,
                   rounds([&](int n) { loop_if<0><<<1, th>>>(d_out, n, sink, odd); }),
                   rounds([&](int n) { loop_if<2><<<1, th>>>(d_out, n, sink, odd); }),
                   rounds([&](int n) { loop_if<3><<<1, th>>>(d_out, n, sink, odd); }));
    }
    int strides[] = {0,   4,   8,   12,  16,  20,  24,  32,  36,  40,  48,  64,  68,   72,   96,   128,
                     132, 136, 144, 160, 192, 256, 260, 288, 320, 512, 544, 576, 1024, 1056, 4096, 4100};
    for (int op = 0; op < OPS; op++) {
        int w = op == LDG64 || op == LDS64 ? 8 : op == LDG128 || op == LDS128 ? 16 : 4;
        for (int s : strides) {
            if (s % w) continue;
            std::vector<int> o(32);
            for (int l = 0; l < 32; l++) o[l] = l * s;
            char n[64];
            sprintf(n, "stride %d", s);
            one(op, n, o);
        }
        for (int lines = 2; lines <= 32; lines *= 2) {
            std::vector<int> p(32);
            int g = 32 / lines;
            for (int l = 0; l < 32; l++) p[l] = (l / g) * 128 + l * w % 128;
            char n[64];
            sprintf(n, "lines %d rotated", lines);
            one(op, n, p);
        }
        for (int same = 2; same <= 16; same *= 2) {
            std::vector<int> o(32), p(32);
            for (int l = 0; l < 32; l++) o[l] = (l / same) * w, p[l] = (l % (32 / same)) * w;
            char n[64];
            sprintf(n, "same %d next", same);
            one(op, n, o);
            sprintf(n, "same %d apart", same);
            one(op, n, p);
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
    return 0;
}
