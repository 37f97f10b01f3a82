/* atomics.cu - throughput of atomics on global memory: one CTA of 16 warps, then four on each SM; cycles of an SM's
 * clock from its first instruction until all have been done (a fence), divided by the warp instructions of one SM. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include "call.h"

enum { RED_ADD, ATOM_ADD, ATOM_CAS, RED_F32, RED_64, RED_MAX, STORE, OPS };
static const char *opname[] = {"red_add", "atom_add", "atom_cas", "red_f32", "red_u64", "red_max", "store"};
enum { COALESCED, SECTORS, LINES, WARP_SAME, ONE_WORD, RANDOM4K, RANDOM1M, HOT16, PATS };
static const char *patname[] = {"coalesced", "sectors",  "lines",    "warp_same",
                                "one_word",  "random4k", "random1m", "hot16"};

__device__ size_t word(int pat, int cta, int warp, int lane, int i, unsigned &r, int warps, int n)
{
    size_t w = ((size_t)cta * warps + warp) * n + i;
    r = r * 1664525u + 1013904223u;
    switch (pat) {
    case COALESCED: return (w * 32 + lane) & 0xffffff;
    case SECTORS: return (w * 256 + lane * 8) & 0xffffff;
    case LINES: return (w * 1024 + lane * 32) & 0xffffff;
    case WARP_SAME: return (w * 32) & 0xffffff;
    case ONE_WORD: return 0;
    case RANDOM4K: return r >> 20;
    case RANDOM1M: return r >> 12;
    default: return r >> 28;
    }
}
template <int OP> __global__ void run(char *buf, long long *start, long long *end, int *sm, int pat, int n, int *sink)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x & 31, warps = blockDim.x / 32, acc = 0;
    unsigned r = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    __syncthreads();
    long long s = clock64();
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        size_t w = word(pat, blockIdx.x, warp, lane, i, r, warps, n);
        unsigned *p = (unsigned *)buf + w;
        unsigned a = 0;
        if (OP == RED_ADD) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(p), "r"(i) : "memory");
        if (OP == RED_MAX) asm volatile("red.global.max.u32 [%0],%1;" ::"l"(p), "r"(i) : "memory");
        if (OP == RED_F32) asm volatile("red.global.add.f32 [%0],%1;" ::"l"(p), "f"(1.0f) : "memory");
        if (OP == RED_64) asm volatile("red.global.add.u64 [%0],%1;" ::"l"(buf + w * 8), "l"((long long)i) : "memory");
        if (OP == ATOM_ADD) asm volatile("atom.global.add.u32 %0,[%1],%2;" : "=r"(a) : "l"(p), "r"(i) : "memory");
        if (OP == ATOM_CAS) asm volatile("atom.global.cas.b32 %0,[%1],%2,1;" : "=r"(a) : "l"(p), "r"(i) : "memory");
        if (OP == STORE) asm volatile("st.global.b32 [%0],%1;" ::"l"(p), "r"(i) : "memory");
        acc ^= (int)a;
    }
    if (acc == 0x12345678) sink[0] = acc;
    __threadfence();
    __syncthreads();
    long long e = clock64();
    if (threadIdx.x == 0) {
        unsigned id;
        asm volatile("mov.u32 %0,%%smid;" : "=r"(id));
        start[blockIdx.x] = s, end[blockIdx.x] = e, sm[blockIdx.x] = (int)id;
    }
}
typedef void (*kernel)(char *, long long *, long long *, int *, int, int, int *);
static kernel kernels[] = {run<RED_ADD>, run<ATOM_ADD>, run<ATOM_CAS>, run<RED_F32>,
                           run<RED_64>,  run<RED_MAX>,  run<STORE>};

int main()
{
    char *buf;
    long long *s, *e;
    int *m;
    CK(cudaMalloc(&buf, (size_t)1 << 27));
    CK(cudaMalloc(&s, 8 * 1024));
    CK(cudaMalloc(&e, 8 * 1024));
    CK(cudaMalloc(&m, 4 * 1024));
    CK(cudaMemset(buf, 0, (size_t)1 << 27));
    for (int op = 0; op < OPS; op++)
        for (int pat = 0; pat < PATS; pat++)
            for (int ctas : {1, 528}) {
                int threads = ctas == 1 ? 512 : 256, n = pat >= WARP_SAME && ctas > 1 ? 16 : 64;
                for (int k = 0; k < 2; k++) { /* the second time lines and code are at hand */
                    kernels[op]<<<ctas, threads>>>(buf, s, e, m, pat, n, m + 1000);
                    CK(cudaDeviceSynchronize());
                }
                std::vector<long long> hs(ctas), he(ctas), lo(512, 0), hi(512, 0);
                std::vector<int> hm(ctas), have(512, 0);
                CK(cudaMemcpy(hs.data(), s, 8 * ctas, cudaMemcpyDeviceToHost));
                CK(cudaMemcpy(he.data(), e, 8 * ctas, cudaMemcpyDeviceToHost));
                CK(cudaMemcpy(hm.data(), m, 4 * ctas, cudaMemcpyDeviceToHost));
                for (int i = 0; i < ctas; i++) {
                    int id = hm[i];
                    lo[id] = have[id] ? std::min(lo[id], hs[i]) : hs[i];
                    hi[id] = have[id] ? std::max(hi[id], he[i]) : he[i];
                    have[id]++;
                }
                double sum = 0, insts = 0;
                for (int i = 0; i < 512; i++)
                    if (have[i]) sum += (double)(hi[i] - lo[i]), insts += have[i] * (threads / 32) * n;
                printf("atomic %s %s ctas %d: %.2f cycles per instruction\n", opname[op], patname[pat], ctas,
                       sum / insts);
            }
    return 0;
}
