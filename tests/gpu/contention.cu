/* contention.cu - four questions that docs/fidelity-h200.md leaves open, an argument each; without one, all:
 *
 *   yield    how many lanes of a warp come together to the head of a loop whose body repeats a failed exchange (the
 *            assembler puts a YIELD there) or, to compare, loops as often without one. 32: lanes wait for one another.
 *   slices   additions, stores and loads of all SMs, to n lines and w words of each: whether the time depends on how
 *            many words, on how many lines, or on which ones (the same number from another place).
 *   written  latency of a chain of loads past the L1 through lines that nobody, one or all other SMs store to.
 *   burst    fifteen cold loads of each thread, alone, with a store to the first one's place behind it, or to another
 *            place. The L2 is filled by reading before, so that it has nothing to write back ("behind" of memory.cu
 *            has). */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>
#include "call.h"

template <class T> static T *zeros(size_t n)
{
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
template <class T> static std::vector<T> fetch(const T *p, size_t n)
{
    std::vector<T> v(n);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

/* ---- yield ---- */

/* `sharers` lanes of a warp add to one counter. EXCHANGE: by compare-and-swap; else each lane repeats a plain addition
 * as often as it would have failed, which is its place among the sharers. */
template <bool EXCHANGE> __global__ void rounds(int n, int sharers, unsigned *heads, unsigned *lanes, unsigned *sink)
{
    __shared__ volatile unsigned counter[1024];
    unsigned word = threadIdx.x / sharers, place = threadIdx.x % sharers, mine = 0;
    counter[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        unsigned here = __activemask();
        if ((threadIdx.x & 31) == __ffs((int)here) - 1) { /* one lane counts for all that are here */
            atomicAdd(&heads[threadIdx.x / 32], 1u);
            atomicAdd(&lanes[threadIdx.x / 32], (unsigned)__popc(here));
        }
        if (EXCHANGE) {
            for (unsigned old = counter[word], seen;; old = seen) {
                seen = atomicCAS((unsigned *)&counter[word], old, old + 1);
                if (seen == old) break;
            }
        } else {
            for (unsigned k = 0; k <= place; k++) mine += counter[(word + mine + k) & 1023];
        }
    }
    __syncthreads();
    if (mine == 0x12345678 || counter[word] == 0x12345678) sink[0] = mine;
}
static void yields()
{
    enum { N = 256, WARPS = 24 };
    unsigned *heads = zeros<unsigned>(WARPS), *lanes = zeros<unsigned>(WARPS), *sink = zeros<unsigned>(1);
    for (int exchange = 0; exchange < 2; exchange++)
        for (int warps : {1, (int)WARPS})
            for (int sharers = 1; sharers <= 32; sharers *= 2) {
                CK(cudaMemset(heads, 0, WARPS * 4));
                CK(cudaMemset(lanes, 0, WARPS * 4));
                if (exchange) rounds<true><<<1, warps * 32>>>(N, sharers, heads, lanes, sink);
                else rounds<false><<<1, warps * 32>>>(N, sharers, heads, lanes, sink);
                unsigned h = 0, l = 0;
                for (unsigned v : fetch(heads, WARPS)) h += v;
                for (unsigned v : fetch(lanes, WARPS)) l += v;
                printf("yield %s warps %d sharers %d: %.2f lanes at the loop's head, %.2f times per iteration\n",
                       exchange ? "exchange" : "plain", warps, sharers, (double)l / h, (double)h / (N * warps));
            }
}

/* ---- slices ---- */

enum { ADD, STORE, LOAD };
static const char *const opname[] = {"add", "store", "load"};

__global__ void lines(char *buf, int op, int nlines, int words, int n, long long *took, unsigned *sink)
{
    unsigned r = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, acc = 0;
    __syncthreads();
    long long start = clock64();
    for (int i = 0; i < n; i++) {
        r = r * 1664525u + 1013904223u;
        unsigned line = (r >> 8) % (unsigned)nlines, word = (r >> 24) % (unsigned)words;
        unsigned *p = (unsigned *)(buf + (size_t)line * 128) + word, v = 0;
        if (op == ADD) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(p), "r"(i) : "memory");
        else if (op == STORE) asm volatile("st.global.b32 [%0],%1;" ::"l"(p), "r"(i) : "memory");
        else asm volatile("ld.global.cg.b32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
        acc ^= v;
    }
    if (acc == 0x12345678) sink[0] = acc;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) took[blockIdx.x] = clock64() - start;
}
static void slices()
{
    enum { CTAS = 132, THREADS = 1024, N = 16 };
    char *buf = zeros<char>((size_t)1 << 27);
    long long *took = zeros<long long>(CTAS);
    unsigned *sink = zeros<unsigned>(1);
    for (int op = ADD; op <= LOAD; op++)
        for (int nlines : {1, 8, 32, 128, 512, 4096, 32768})
            for (int words : {1, 8, 32})
                for (size_t at : {(size_t)0, (size_t)5 << 20, (size_t)11 << 20}) {
                    for (int k = 0; k < 2; k++) /* the second time lines and code are at hand */
                        lines<<<CTAS, THREADS>>>(buf + at, op, nlines, words, N, took, sink);
                    double sum = 0;
                    for (long long t : fetch(took, CTAS)) sum += (double)t;
                    printf("slices %s lines %d words %d at %zu MiB: %.2f cycles per instruction\n", opname[op], nlines,
                           words, at >> 20, sum / CTAS / (N * THREADS / 32));
                }
}

/* ---- written ---- */

enum { LINES = 512, NOBODY = 0, ONE = 1, ALL = 131 };

/* CTA 0 follows the chain; the others store to word `word` of its lines until it has ended. */
__global__ void chase(char *buf, int writers, int word, int links, volatile int *over, double *cycles)
{
    if (blockIdx.x > (unsigned)writers) return;
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        unsigned at = 0;
        long long start = clock64();
        for (int i = 0; i < links; i++)
            asm volatile("ld.global.cg.b32 %0,[%1];" : "=r"(at) : "l"(buf + at) : "memory");
        *cycles = (double)(clock64() - start) / links + (at == 1);
        *over = 1;
        return;
    }
    unsigned r = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    while (!*over) {
        r = r * 1664525u + 1013904223u;
        *(volatile int *)(buf + (size_t)((r >> 16) % LINES) * 128 + 4 * word) = (int)r;
    }
}
static void written()
{
    std::vector<int> chain(LINES * 32, 0);
    for (int i = 0; i < LINES; i++) chain[(size_t)(i * 37 % LINES) * 32] = (i + 1) * 37 % LINES * 128;
    char *buf = zeros<char>(LINES * 128);
    int *over = zeros<int>(1);
    double *cycles = zeros<double>(1);
    for (int word : {1, 8}) /* in the chain's own sector, and in another one of the line */
        for (int writers : {(int)NOBODY, (int)ONE, 8, 64, (int)ALL})
            for (int threads : {32, 256}) {
                CK(cudaMemcpy(buf, chain.data(), LINES * 128, cudaMemcpyHostToDevice));
                for (int k = 0; k < 2; k++) {
                    CK(cudaMemset(over, 0, 4));
                    chase<<<132, threads>>>(buf, writers, word, 4 * LINES, over, cycles);
                    CK(cudaDeviceSynchronize());
                }
                printf("written word %d writers %d threads %d: %.1f cycles per load\n", word, writers, threads,
                       fetch(cycles, 1)[0]);
            }
}

/* ---- burst ---- */

__global__ void read_all(const int4 *p, size_t n, int *sink)
{
    int acc = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        acc ^= p[i].x;
    if (acc == 0x12345678) *sink = acc;
}
template <int WHERE> __global__ void burst(int4 *a, int4 *other, const int *b, int words, long long *took, int *sink)
{
    int sum = 0;
    long long start = clock64();
    for (int w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += gridDim.x * blockDim.x) {
        int4 x = a[w];
        if (WHERE == 1) a[w] = make_int4(0, 0, 0, 0);
        if (WHERE == 2) other[w] = make_int4(0, 0, 0, 0);
#pragma unroll
        for (int p = 0; p < 14; p++) {
            int v;
            asm volatile("ld.global.b32 %0,[%1];" : "=r"(v) : "l"(b + (size_t)p * words + w) : "memory");
            sum += v;
        }
        sum ^= x.x ^ x.y ^ x.z ^ x.w;
    }
    if (sum == 0x1234567) sink[0] = sum;
    __syncthreads();
    if (threadIdx.x == 0) took[blockIdx.x] = clock64() - start;
}
static void bursts()
{
    enum { WORDS = 24576, MOST = 132 };
    size_t flush = (size_t)256 << 20;
    char *buf = zeros<char>(16 << 20), *cold = zeros<char>(flush);
    long long *took = zeros<long long>(MOST);
    int *sink = zeros<int>(1);
    static const char *const name[] = {"alone", "store to its place", "store elsewhere"};
    for (int k = 0; k < 2; k++)
        for (int where = 0; where < 3; where++)
            for (int ctas : {1, 42, 48, 132}) {
                int4 *a = (int4 *)buf, *other = (int4 *)(buf + (4 << 20));
                const int *b = (const int *)(buf + (8 << 20));
                read_all<<<264, 1024>>>((const int4 *)cold, flush / 16, sink);
                if (where == 0) burst<0><<<ctas, 512>>>(a, other, b, WORDS, took, sink);
                if (where == 1) burst<1><<<ctas, 512>>>(a, other, b, WORDS, took, sink);
                if (where == 2) burst<2><<<ctas, 512>>>(a, other, b, WORDS, took, sink);
                long long longest = 0;
                for (long long t : fetch(took, (size_t)ctas)) longest = std::max(longest, t);
                printf("burst %s ctas %d: %lld cycles of the slowest\n", name[where], ctas, longest);
            }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } parts[] = {{"yield", yields}, {"slices", slices}, {"written", written}, {"burst", bursts}};
    for (const auto &p : parts)
        if (argc < 2 || strcmp(argv[1], p.name) == 0) p.run();
    return 0;
}
