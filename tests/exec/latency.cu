/* latency.cu - micro-benchmarks as they are published: one thread reads the clock, does 64 dependent steps, and reads
 * it again. Prints the cycles in between: 64 latencies and exactly 2 more, one from the first read to the first step
 * and one from the instruction that waits for the last result to the second read. */
#include "check.h"

#define CLOCK(t) asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory")
/* Needs the result of the chain before it: no clock is read earlier. */
#define AFTER(t, x) asm volatile("{ .reg .u64 w; add.u64 w, %1, 1; mov.u64 %0, %%clock64; }" : "=l"(t) : "l"(x) : "memory")
#define AFTER32(t, x)                                                                                                  \
    asm volatile("{ .reg .u32 w; add.u32 w, %1, 1; mov.u64 %0, %%clock64; }" : "=l"(t) : "r"(x) : "memory")
#define AFTER_F32(t, x)                                                                                                \
    asm volatile("{ .reg .f32 w; add.f32 w, %1, %1; mov.u64 %0, %%clock64; }" : "=l"(t) : "f"(x) : "memory")
#define FOUR(x) x x x x
#define SIXTY_FOUR(x) FOUR(FOUR(FOUR(x)))

/* Every cell holds the address of the next. `warm` steps come first, to fill the caches. */
__global__ void chase_ca(unsigned long long at, int warm, long long *out)
{
    unsigned long long t0, t1;
    for (int i = 0; i < warm; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
    AFTER(t0, at);
    SIXTY_FOUR(asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");)
    AFTER(t1, at);
    out[0] = (long long)(t1 - t0);
    out[1] = (long long)at;
}

__global__ void chase_cg(unsigned long long at, int warm, long long *out)
{
    unsigned long long t0, t1;
    for (int i = 0; i < warm; i++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    AFTER(t0, at);
    SIXTY_FOUR(asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");)
    AFTER(t1, at);
    out[0] = (long long)(t1 - t0);
    out[1] = (long long)at;
}

__global__ void chase_shared(long long *out)
{
    __shared__ unsigned cell[64];
    for (int i = 0; i < 64; i++) cell[i] = (unsigned)__cvta_generic_to_shared(&cell[(i + 1) % 64]);
    unsigned at = (unsigned)__cvta_generic_to_shared(cell);
    unsigned long long t0, t1;
    CLOCK(t0);
    SIXTY_FOUR(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");)
    AFTER32(t1, at);
    out[0] = (long long)(t1 - t0);
    out[1] = at;
}

__global__ void chain_add(long long *out, unsigned by)
{
    unsigned x;
    asm volatile("mov.u32 %0, %1;" : "=r"(x) : "r"(by) : "memory");
    unsigned long long t0, t1;
    AFTER32(t0, x);
    SIXTY_FOUR(asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(by) : "memory");)
    AFTER32(t1, x);
    out[0] = (long long)(t1 - t0);
    out[1] = x;
}

__global__ void chain_fma(long long *out, float by)
{
    float x;
    asm volatile("mov.f32 %0, %1;" : "=f"(x) : "f"(by) : "memory");
    unsigned long long t0, t1;
    AFTER_F32(t0, x);
    SIXTY_FOUR(asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(by) : "memory");)
    AFTER_F32(t1, x);
    out[0] = (long long)(t1 - t0);
    out[1] = __float_as_uint(x);
}

/* Reads of the clock with nothing between; and the timer in nanoseconds against the clock over a long chain. */
__global__ void only_clock(long long *out)
{
    unsigned long long t0, t1, g0, g1, x = out[2];
    CLOCK(t0);
    CLOCK(t1);
    out[0] = (long long)(t1 - t0);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0)::"memory");
    CLOCK(t0);
    for (int i = 0; i < 1000; i++) asm volatile("add.u64 %0, %0, 1;" : "+l"(x)::"memory");
    AFTER(t1, x);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1)::"memory");
    out[1] = (long long)(g1 - g0);
    out[2] = (long long)(t1 - t0);
}

/* clock() as programs use it: every thread of every block notes when it began and ended. */
__global__ void spans(clock_t *begin, clock_t *end, float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) begin[blockIdx.x] = clock();
    data[i] = data[i] * 2 + 1;
    __syncthreads();
    if (threadIdx.x == 0) end[blockIdx.x] = clock();
}

static long long *out;

static void report(const char *what)
{
    long long h[2];
    CUDA(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    printf("%s %lld\n", what, h[0]);
}

/* A ring of cells `stride` bytes apart. */
static unsigned long long ring(int cells, int stride)
{
    char *d, *h = (char *)calloc((size_t)cells, (size_t)stride);
    CUDA(cudaMalloc(&d, (size_t)cells * stride));
    for (int i = 0; i < cells; i++) *(char **)(h + (size_t)i * stride) = d + (size_t)((i + 1) % cells) * stride;
    CUDA(cudaMemcpy(d, h, (size_t)cells * stride, cudaMemcpyHostToDevice));
    free(h);
    return (unsigned long long)d;
}

static void test_spans(void)
{
    enum { BLOCKS = 60, THREADS = 256 };
    clock_t *begin, *end, hb[BLOCKS], he[BLOCKS];
    float *data;
    CUDA(cudaMalloc(&begin, sizeof hb));
    CUDA(cudaMalloc(&end, sizeof he));
    CUDA(cudaMalloc(&data, BLOCKS * THREADS * sizeof *data));
    CUDA(cudaMemset(data, 0, BLOCKS * THREADS * sizeof *data));
    spans<<<BLOCKS, THREADS>>>(begin, end, data);
    CUDA(cudaMemcpy(hb, begin, sizeof hb, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(he, end, sizeof he, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int b = 0; b < BLOCKS; b++) {
        CHECK(he[b] > hb[b]);
        sum += he[b] - hb[b];
    }
    printf("spans %lld\n", sum);
}

int main(void)
{
    CUDA(cudaMalloc(&out, 4 * sizeof *out));
    CUDA(cudaMemset(out, 0, 4 * sizeof *out));
    chain_add<<<1, 1>>>(out, 3);
    report("add");
    chain_fma<<<1, 1>>>(out, 0.5f);
    report("fma");
    chase_shared<<<1, 1>>>(out);
    report("shared");
    chase_ca<<<1, 1>>>(ring(16, 128), 16, out);
    report("l1d");
    chase_cg<<<1, 1>>>(ring(16, 128), 16, out);
    report("l2");
    chase_cg<<<1, 1>>>(ring(4096, 4096), 0, out); /* a DRAM page each, none of them read before */
    report("dram");
    only_clock<<<1, 1>>>(out);
    report("clock");
    long long h[3];
    CUDA(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    printf("timer %lld ns %lld cycles\n", h[1], h[2]);
    test_spans();
    return 0;
}
