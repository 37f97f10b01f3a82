/* patterns.cu - throughput of loads, stores and atomics of a warp by pattern, with addresses that a compiler cannot
 * join: a load's address is the one before plus a parameter. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "call.h"
enum { LDG32, LDG64, LDG128, LDS32, LDS64, LDS128, STS32, STS128, ATOMS_ADD, ATOMS_CAS, STG32, ATOMG, REDG, OPS };
static const char *opname[] = {"ldg32",  "ldg64",     "ldg128",    "lds32", "lds64", "lds128", "sts32",
                               "sts128", "atoms_add", "atoms_cas", "stg32", "atomg", "redg"};
#define N 128
template <int OP> __global__ void pat(const int *offs, char *buf, long long *out, int *sink, int step, int apart)
{
    extern __shared__ char sh[];
    __shared__ long long t0, t1;
    int lane = threadIdx.x & 31;
    for (int i = threadIdx.x * 4; i < 32768; i += blockDim.x * 4) *(int *)(sh + i) = 0;
    if (threadIdx.x == 0) t0 = 0x7fffffffffffffffLL, t1 = 0;
    int off = offs[lane];
    unsigned sa = (unsigned)__cvta_generic_to_shared(sh) + off;
    char *g = buf + off + (size_t)(threadIdx.x / 32) * apart;
    int acc = 0, a, b, c, d;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        long long s = clock64();
#pragma unroll 1
        for (int i = 0; i < N / 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) {
                g += step, sa += step;
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
                if (OP == STS128) asm volatile("st.shared.v4.b32 [%0],{%1,%1,%1,%1};" ::"r"(sa), "r"(i) : "memory");
                if (OP == ATOMS_ADD) {
                    asm volatile("atom.shared.add.u32 %0,[%1],1;" : "=r"(a) : "r"(sa) : "memory");
                    acc ^= a;
                }
                if (OP == ATOMS_CAS) {
                    asm volatile("atom.shared.cas.b32 %0,[%1],%2,1;" : "=r"(a) : "r"(sa), "r"(i) : "memory");
                    acc ^= a;
                }
                if (OP == ATOMG) {
                    asm volatile("atom.global.add.u32 %0,[%1],1;" : "=r"(a) : "l"(g) : "memory");
                    acc ^= a;
                }
                if (OP == REDG) asm volatile("red.global.add.u32 [%0],1;" ::"l"(g) : "memory");
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
typedef void (*patk)(const int *, char *, long long *, int *, int, int);
static patk kern[] = {pat<LDG32>,  pat<LDG64>,     pat<LDG128>,    pat<LDS32>, pat<LDS64>, pat<LDS128>, pat<STS32>,
                      pat<STS128>, pat<ATOMS_ADD>, pat<ATOMS_CAS>, pat<STG32>, pat<ATOMG>, pat<REDG>};
static int step, apart; /* bytes from one instruction to the next, and from warp to warp */
static int *d_offs, *sink;
static char *d_buf;
static long long *d_out;
static void one(int op, const char *name, const std::vector<int> &o)
{
    for (int x : o)
        if (x > (op >= LDS32 && op <= ATOMS_CAS ? 30000 : 1 << 18)) return;
    CK(cudaMemcpy(d_offs, o.data(), 128, cudaMemcpyHostToDevice));
    double v[2];
    int warps[2] = {4, 16};
    for (int k = 0; k < 2; k++) {
        kern[op]<<<1, warps[k] * 32, 32768>>>(d_offs, d_buf, d_out, sink, step, apart);
        CK(cudaDeviceSynchronize());
        long long t;
        CK(cudaMemcpy(&t, d_out, 8, cudaMemcpyDeviceToHost));
        v[k] = (double)t / (N * warps[k]);
    }
    printf("pat %s %s: 4 warps %.2f, 16 warps %.2f cycles per instruction\n", opname[op], name, v[0], v[1]);
}
int main()
{
    CK(cudaMalloc(&d_offs, 128));
    CK(cudaMalloc(&d_buf, 1 << 26));
    CK(cudaMemset(d_buf, 0, 1 << 26));
    CK(cudaMalloc(&d_out, 4096));
    CK(cudaMalloc(&sink, 4));
    int strides[] = {0,   4,   8,   12,  16,  20,  24,  32,  36,  40,  48,  64,  68,   72,   96,   128,
                     132, 136, 144, 160, 192, 256, 260, 288, 320, 512, 544, 576, 1024, 1056, 4096, 4100};
    for (int op = 0; op < OPS; op++) {
        int w = op == LDG64 || op == LDS64 ? 8 : op == LDG128 || op == LDS128 || op == STS128 ? 16 : 4;
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
        if (op < STG32) continue;
        for (int s :
             {4, 8, 16, 32, 64, 128, 132, 256, 512, 1024}) { /* never the same word again, each warp in its own place */
            std::vector<int> o(32);
            for (int l = 0; l < 32; l++) o[l] = l * s;
            char n[64];
            sprintf(n, "moving stride %d", s);
            step = 32 * s, apart = 1 << 22;
            one(op, n, o);
            step = apart = 0;
        }
    }
    return 0;
}
