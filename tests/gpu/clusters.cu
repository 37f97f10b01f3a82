/* clusters.cu - clusters of CTAs on a GPU: where they are placed, and what reaching each other takes.
 *
 *   nvcc -O3 -arch=sm_90a clusters.cu -o clusters && ./clusters          docs/results/h200-clusters.txt
 *   nvcc -cudart shared -O3 -arch=sm_90a ... && warpline exec --gpu h200 -- ./clusters
 *
 * Cycles by clock64 of thread 0 of the CTA that measures. */
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

enum { STEPS = 256, ROUNDS = 64 };

__device__ static unsigned rank_here()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ static unsigned here(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static unsigned there(const void *p, unsigned rank)
{
    unsigned a;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(here(p)), "r"(rank));
    return a;
}
__device__ static unsigned load(unsigned a)
{
    unsigned v;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(a) : "memory");
    return v;
}
__device__ static void meet()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ static long long now()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

/* A chase through the shared memory of the CTA `far` ranks on. */
__global__ void chase(float *out, unsigned far)
{
    __shared__ unsigned next[STEPS];
    unsigned size;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    unsigned to = there(next, (rank_here() + far) % size), self = there(next, rank_here());
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < STEPS; i++) next[i] = self + (i + 33) % STEPS * 4;
    __syncthreads();
    meet();
    if (rank_here() == 0 && threadIdx.x == 0) {
        unsigned p = load(to);
        long long a = now();
        for (int i = 0; i < STEPS; i++) p = load(p);
        long long b = now();
        out[0] = (float)(b - a) / STEPS;
        out[1] = (float)p;
    }
    meet();
}

/* Bytes per cycle that the CTAs of a cluster read from (or write to) the next one's memory, 16 bytes per lane. */
__global__ void stream(float *out, unsigned far, unsigned active, unsigned writes)
{
    __shared__ uint4 data[2048];
    unsigned size, v = 0;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    unsigned to = there(data, (rank_here() + far) % size) + threadIdx.x * 16;
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) data[i] = make_uint4(i, 1, 2, 3);
    __syncthreads();
    meet();
    long long a = now();
    if (rank_here() < active)
#pragma unroll 8
        for (int i = 0; i < ROUNDS; i++) {
            unsigned x = i, y = 0, z = 0, w = 0, at = to + (i % 2) * 16384;
            if (writes)
                asm volatile("st.shared::cluster.v4.u32 [%4], {%0,%1,%2,%3};" ::"r"(x), "r"(y), "r"(z), "r"(w), "r"(at)
                             : "memory");
            else
                asm volatile("ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];"
                             : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                             : "r"(at)
                             : "memory");
            v += x + y + z + w;
        }
    __syncthreads();
    long long b = now();
    meet();
    long long c = now();
    if (rank_here() == 0 && threadIdx.x == 0) {
        out[0] = 16.f * blockDim.x * ROUNDS / (float)(b - a);
        out[1] = 16.f * blockDim.x * ROUNDS / (float)(c - a);
    }
    if (v == 12345678) out[2] = 1;
}

/* The barrier of the cluster, cycles per round. */
__global__ void barriers(float *out)
{
    meet();
    long long a = now();
    for (int i = 0; i < ROUNDS; i++) meet();
    long long b = now();
    if (rank_here() == 0 && threadIdx.x == 0) out[0] = (float)(b - a) / ROUNDS;
}

/* An arrive at another CTA's mbarrier, there and back; far 0: at the own one. */
__global__ void ping(float *out, unsigned far)
{
    __shared__ uint64_t bar;
    unsigned me = rank_here(), mine = here(&bar), done, partner = far ? (me == 0 ? far : 0) : me;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(mine) : "memory");
    __syncthreads();
    meet();
    unsigned to = there(&bar, partner);
    if (threadIdx.x == 0 && (me == 0 || me == far)) {
        long long a = now();
        for (int i = 0; i < ROUNDS; i++) {
            if (me == 0) asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(to) : "memory");
            do
                asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                             : "=r"(done)
                             : "r"(mine), "r"(i & 1)
                             : "memory");
            while (!done);
            if (me != 0) asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(to) : "memory");
        }
        long long b = now();
        if (me == 0) out[0] = (float)(b - a) / ROUNDS;
    }
    meet();
}

/* The SM of every CTA. */
__global__ void where(unsigned *out)
{
    unsigned sm;
    extern __shared__ unsigned big[];
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) out[blockIdx.x] = sm, big[0] = sm;
    long long a = now();
    while (now() - a < 20000) {}
}

template <class... P, class... A>
static cudaError_t launch(void (*k)(P...), unsigned ctas, unsigned threads, unsigned size, size_t shared, A... a)
{
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = size;
    at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(ctas);
    c.blockDim = dim3(threads);
    c.dynamicSmemBytes = shared;
    c.attrs = at;
    c.numAttrs = 1;
    if (size > 8) cudaFuncSetAttribute((const void *)k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaError_t e = cudaLaunchKernelEx(&c, k, P(a)...);
    return e ? e : cudaDeviceSynchronize();
}

static void occupancy(unsigned size, int shared)
{
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = size;
    at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(size);
    c.blockDim = dim3(128);
    c.dynamicSmemBytes = (size_t)shared;
    c.attrs = at;
    c.numAttrs = 1;
    int n = -1;
    cudaFuncSetAttribute((const void *)where, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    cudaFuncSetAttribute((const void *)where, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaError_t e = cudaOccupancyMaxActiveClusters(&n, where, &c);
    printf("max_active_clusters size %u shared %d: %d %s\n", size, shared, n, e ? cudaGetErrorName(e) : "");
}

/* The mean of several launches' first number; the last launch's is the warm one. */
static float *out;
#define MEASURE(...) (launch(__VA_ARGS__), launch(__VA_ARGS__) ? -1.f : out[0])

int main(int argc, char **)
{
    unsigned *at;
    cudaMallocManaged(&out, 64);
    cudaMallocManaged(&at, 4096);
    for (unsigned far = 0; far < 8; far++)
        printf("chase cluster 8 far %u: %.1f cycles\n", far, MEASURE(chase, 8, 32, 8, 0, out, far));
    printf("chase cluster 2 far 1: %.1f cycles\n", MEASURE(chase, 2, 32, 2, 0, out, 1));
    printf("chase cluster 16 far 15: %.1f cycles\n", MEASURE(chase, 16, 32, 16, 0, out, 15));
    for (unsigned size = 1; size <= 16; size *= 2) {
        printf("barrier.cluster of %u: 1 warp %.1f", size, MEASURE(barriers, size, 32, size, 0, out));
        printf(" 32 warps %.1f cycles\n", MEASURE(barriers, size, 1024, size, 0, out));
    }
    printf("arrive and wait at the own mbarrier: %.1f cycles\n", MEASURE(ping, 2, 32, 2, 0, out, 0));
    printf("arrive at the other's mbarrier, there and back: %.1f cycles\n", MEASURE(ping, 2, 32, 2, 0, out, 1));
    printf("the same of 8, rank 5: %.1f cycles\n", MEASURE(ping, 8, 32, 8, 0, out, 5));
    for (unsigned w = 0; w < 2; w++)
        for (unsigned size = 2; size <= 16; size *= 2)
            for (unsigned active = 1; active <= size; active += size - 1) {
                float v = MEASURE(stream, size, 1024, size, 0, out, 1, active, w);
                printf("%s cluster %u active %u: %.2f bytes per cycle, until all have met %.2f\n",
                       w ? "write" : "read", size, active, v, out[1]);
            }
    printf("read own memory: %.2f bytes per cycle\n", MEASURE(stream, 2, 1024, 2, 0, out, 0, 1, 0));
    for (unsigned size = 1; size <= 16; size *= 2) occupancy(size, 0), occupancy(size, 200 * 1024);
    if (argc > 1) return 0;
    cudaFuncSetAttribute((const void *)where, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
    for (unsigned size = 16; size >= 2; size /= 2) {
        unsigned ctas = 128 / size * size;
        launch(where, ctas, 128, size, 200 * 1024, at);
        for (unsigned i = 0; i < ctas; i += size) {
            printf("sms of a cluster of %u:", size);
            for (unsigned j = 0; j < size; j++) printf(" %u", at[i + j]);
            printf("\n");
        }
    }
    return cudaGetLastError() ? 1 : 0;
}
