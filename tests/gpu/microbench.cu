/* microbench.cu - what a real GPU's memory hierarchy measures: the numbers of gpus/h200.ini.
 *
 * Build and run in the root of the tree (about 20 s on an H200; nothing but the CUDA toolkit is needed):
 *
 *   nvcc -O3 -std=c++17 -arch=native -o microbench tests/gpu/microbench.cu && ./microbench > microbench.txt
 *
 * Every line of the output is "key value". Latencies are SM cycles a dependent access (pointer chase,
 * one thread), bandwidths bytes per SM cycle or GB/s, kernel times the median of several launches with cold
 * caches. Cycles of whole kernels are time x the SM clock that is measured beside them, because the clock
 * moves. Footprint sweeps print a line a size; where the latency steps up is the size of the cache. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace atax {
#include "../../workloads/polybench/atax.cu"
}
namespace bicg {
#include "../../workloads/polybench/bicg.cu"
}
namespace conv {
#include "../../workloads/polybench/conv2d.cu"
}
namespace gemm_ns {
#include "../../workloads/polybench/gemm.cu"
}
namespace fdtd {
#include "../../workloads/polybench/fdtd2d.cu"
}

static void check(cudaError_t rc, const char *what)
{
    if (rc == cudaSuccess) return;
    fprintf(stderr, "microbench: %s: %s\n", what, cudaGetErrorString(rc));
    exit(1);
}
#define CU(call) check(call, #call)

static void say(const char *key, double value)
{
    printf("%s %.6g\n", key, value);
    fflush(stdout);
}
static void say_at(const char *key, long long at, double value)
{
    printf("%s.%lld %.6g\n", key, at, value);
    fflush(stdout);
}

static uint8_t *pool;           /* device memory all measurements share */
static uint64_t *result;        /* a few words a kernel answers with */
static const size_t POOL = (size_t)4 << 30;
static int sms;

static uint64_t answer(int i = 0)
{
    uint64_t v;
    CU(cudaDeviceSynchronize());
    CU(cudaMemcpy(&v, result + i, sizeof v, cudaMemcpyDeviceToHost));
    return v;
}

/* ---- latency: one thread follows pointers ---- */

enum { VIA_L1, VIA_L2 };

template <int VIA> __device__ __forceinline__ uint64_t follow(uint64_t p)
{
    uint64_t next;
    if (VIA == VIA_L1) asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(p) : "memory");
    else asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(p) : "memory");
    return next;
}

template <int VIA> __global__ void chase(uint64_t start, int warm, int steps, uint64_t *out)
{
    uint64_t p = start;
    for (int i = 0; i < warm; i++) p = follow<VIA>(p);
    uint64_t from = clock64();
    for (int i = 0; i < steps; i++) p = follow<VIA>(p);
    out[0] = clock64() - from;
    out[1] = p;
}

/* A ring through `bytes` of memory, `stride` apart, in random order so that no prefetcher helps. */
static uint64_t make_ring(size_t bytes, size_t stride)
{
    size_t n = bytes / stride;
    std::vector<uint32_t> order(n);
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    uint64_t state = 88172645463325252ull;
    for (size_t i = n; i > 1; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        std::swap(order[i - 1], order[state % i]);
    }
    std::vector<uint8_t> image(n * stride);
    for (size_t i = 0; i < n; i++)
        *(uint64_t *)&image[order[i] * stride] = (uint64_t)(pool + order[(i + 1) % n] * stride);
    CU(cudaMemcpy(pool, image.data(), image.size(), cudaMemcpyHostToDevice));
    return (uint64_t)(pool + order[0] * stride);
}

template <int VIA> static double latency(size_t bytes, size_t stride, bool cold)
{
    uint64_t start = make_ring(bytes, stride);
    size_t n = bytes / stride;
    int warm = cold ? 0 : (int)std::min(n, (size_t)1 << 21), steps = (int)std::min(std::max(n, (size_t)512), (size_t)8192);
    if (cold) CU(cudaMemset(pool + POOL / 2, 1, POOL / 2)); /* pushes the ring out of the L2 */
    chase<VIA><<<1, 1>>>(start, warm, steps, result);
    return (double)answer() / steps;
}

__global__ void shared_chase(int steps, uint64_t *out)
{
    __shared__ uint32_t ring[1024];
    for (int i = 0; i < 1024; i++) ring[i] = (uint32_t)__cvta_generic_to_shared(&ring[(i + 33) % 1024]);
    uint32_t p = ring[0];
    uint64_t from = clock64();
    for (int i = 0; i < steps; i++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p));
    out[0] = clock64() - from;
    out[1] = p;
}

__global__ void atomic_chase(uint32_t *word, int steps, uint64_t *out)
{
    uint32_t v = 0;
    uint64_t from = clock64();
    for (int i = 0; i < steps; i++) v = atomicAdd(word + (v & 1), v & 1); /* the address needs the value before */
    out[0] = clock64() - from;
    out[1] = v;
}

/* Cold first touches of the sectors of a line: which ones come along. */
__global__ void sectors(uint64_t base, uint64_t *out)
{
    volatile __shared__ uint64_t seen[8];
    uint64_t zero = 0, took[8];
    for (int i = 0; i < 8; i++) {
        uint64_t v, from = clock64();
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(v) : "l"(base + (uint64_t)i * 32 + zero) : "memory");
        seen[i] = v; /* cannot be issued before the value is there, and the clock is read after it */
        took[i] = clock64() - from;
        zero = seen[i] & 1; /* the memory holds even numbers */
    }
    for (int i = 0; i < 8; i++) out[i] = took[i];
}

static void latencies()
{
    say("latency.l1", latency<VIA_L1>(8 << 10, 128, false));
    say("latency.l2", latency<VIA_L2>(1 << 20, 128, false));
    say("latency.l2_far", latency<VIA_L2>(24 << 20, 4096 + 128, false));
    say("latency.dram", latency<VIA_L2>((size_t)512 << 20, 4096 + 128, true));
    shared_chase<<<1, 1>>>(4096, result);
    say("latency.shared", (double)answer() / 4096);
    CU(cudaMemset(pool, 0, 4096));
    atomic_chase<<<1, 1>>>((uint32_t *)pool, 4096, result);
    say("latency.atomic", (double)answer() / 4096);
    for (size_t k = 8; k <= 320; k += 8) say_at("sweep.l1_kib", (long long)k, latency<VIA_L1>(k << 10, 128, false));
    for (size_t m = 1; m <= 128; m = m < 8 ? m * 2 : m < 64 ? m + 8 : m + 32)
        say_at("sweep.l2_mib", (long long)m, latency<VIA_L2>(m << 20, 256, false));
    CU(cudaMemset(pool, 0, 1 << 20));
    CU(cudaMemset(pool + POOL / 2, 2, POOL / 2));
    sectors<<<1, 1>>>((uint64_t)pool + 65536, result);
    for (int i = 0; i < 8; i++) say_at("sector.cold", i, (double)answer(i));
    sectors<<<1, 1>>>((uint64_t)pool + 65536, result); /* L1 is empty again, L2 is not */
    for (int i = 0; i < 8; i++) say_at("sector.l2_warm", i, (double)answer(i));
}

/* ---- arithmetic: dependent chains and full pipes ---- */

enum { OP_IADD, OP_IMAD, OP_FADD, OP_FMUL, OP_FFMA, OP_DADD, OP_DFMA, OP_MUFU, OP_IDIV, OP_FDIV, OP_DDIV, OP_IMAX, OP_FMAX, OP_SHFL };

/* Two instructions of the class where two equal ones in a row would be joined by the assembler. */
constexpr int ops_per_step(int op) { return op == OP_IADD || op == OP_IMAX || op == OP_FMAX ? 2 : 1; }

template <int OP> __device__ __forceinline__ void step(uint32_t &x, float &f, double &d, uint32_t k)
{
    if (OP == OP_IADD) asm volatile("add.u32 %0, %0, %1;\n\txor.b32 %0, %0, %1;" : "+r"(x) : "r"(k));
    if (OP == OP_IMAD) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(k));
    if (OP == OP_IMAX) asm volatile("max.u32 %0, %0, %1;\n\tmin.u32 %0, %0, %2;" : "+r"(x) : "r"(k), "r"(k * 77));
    if (OP == OP_FADD) asm volatile("add.f32 %0, %0, %1;" : "+f"(f) : "f"((float)k));
    if (OP == OP_FMUL) asm volatile("mul.f32 %0, %0, %1;" : "+f"(f) : "f"(1.0001f));
    if (OP == OP_FFMA) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(0.999f));
    if (OP == OP_FMAX) asm volatile("max.f32 %0, %0, %1;\n\tmin.f32 %0, %0, %2;" : "+f"(f) : "f"((float)k), "f"((float)k * 77));
    if (OP == OP_DADD) asm volatile("add.f64 %0, %0, %1;" : "+d"(d) : "d"(1.0));
    if (OP == OP_DFMA) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(d) : "d"(0.999));
    if (OP == OP_MUFU) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f));
    if (OP == OP_IDIV) asm volatile("div.u32 %0, %0, %1;" : "+r"(x) : "r"(k));
    if (OP == OP_FDIV) asm volatile("div.rn.f32 %0, %0, %1;" : "+f"(f) : "f"(1.0001f));
    if (OP == OP_DDIV) asm volatile("div.rn.f64 %0, %0, %1;" : "+d"(d) : "d"(1.0001));
    if (OP == OP_SHFL) x = __shfl_xor_sync(~0u, x, 1);
}

/* Results count for something only if k is a number it never is: the compiler cannot know that. */
enum { NEVER_K = 0x7654321 };

__device__ __forceinline__ void use(uint32_t k, uint32_t x, float f, double d, uint64_t *out)
{
    if (k == NEVER_K) out[16 + threadIdx.x] = x + (uint64_t)__float_as_uint(f) + (uint64_t)__double_as_longlong(d);
}

/* CHAINS independent chains a thread: one measures latency, several fill the pipe. */
template <int OP, int CHAINS> __global__ void chains(int rounds, uint32_t k, uint64_t *out)
{
    uint32_t x[CHAINS];
    float f[CHAINS];
    double d[CHAINS];
    for (int i = 0; i < CHAINS; i++) x[i] = threadIdx.x + i + k, f[i] = 1.5f + i + k, d[i] = 1.5 + i + k;
    __syncthreads();
    uint64_t from = clock64();
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int i = 0; i < 64; i++) step<OP>(x[i % CHAINS], f[i % CHAINS], d[i % CHAINS], k);
    for (int i = 1; i < CHAINS; i++) x[0] += x[i], f[0] += f[i], d[0] += d[i]; /* every chain counts */
    use(k, x[0], f[0], d[0], out);
    __syncthreads();
    uint64_t took = clock64() - from;
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = took;
}

template <int OP> static void arithmetic(const char *name)
{
    char key[64];
    chains<OP, 1><<<1, 32>>>(64, 3, result);
    snprintf(key, sizeof key, "alu_latency.%s", name);
    say(key, (double)answer() / (64.0 * 64 * ops_per_step(OP)));
    chains<OP, 4><<<1, 1024>>>(16, 3, result); /* 32 warps, four chains each */
    snprintf(key, sizeof key, "alu_per_cycle_sm.%s", name);
    say(key, 1024.0 * 16 * 64 * ops_per_step(OP) / (double)answer());
}

static void pipes()
{
    arithmetic<OP_IADD>("int_add");
    arithmetic<OP_IMAX>("int_max");
    arithmetic<OP_IMAD>("int_mad");
    arithmetic<OP_IDIV>("int_div");
    arithmetic<OP_FADD>("fp_add");
    arithmetic<OP_FMAX>("fp_max");
    arithmetic<OP_FMUL>("fp_mul");
    arithmetic<OP_FFMA>("fp_mad");
    arithmetic<OP_FDIV>("fp_div");
    arithmetic<OP_DADD>("dp_add");
    arithmetic<OP_DFMA>("dp_mad");
    arithmetic<OP_DDIV>("dp_div");
    arithmetic<OP_MUFU>("sfu");
    arithmetic<OP_SHFL>("shfl");
}

/* ---- bandwidth inside an SM ---- */

/* Each thread reads 16 bytes again and again from `bytes` that belong to its block, four loads at a time. */
template <int VIA> __global__ void read_mine(const uint8_t *base, uint32_t bytes, int rounds, uint64_t *out)
{
    const uint8_t *p = base + (size_t)blockIdx.x * bytes;
    uint32_t sum = 0, row = blockDim.x * 16;
    uint64_t from = 0;
    for (int r = -1; r < rounds; r++) { /* the first round fills the cache */
        if (r == 0) {
            __syncthreads();
            from = clock64();
        }
        for (uint32_t o = threadIdx.x * 16; o < bytes; o += 4 * row) {
            uint4 v[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const uint8_t *q = p + o + k * row;
                if (VIA == VIA_L1)
                    asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(q) : "memory");
                else
                    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(q) : "memory");
            }
#pragma unroll
            for (int k = 0; k < 4; k++) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        }
    }
    if (bytes == 1) out[16 + threadIdx.x] = sum; /* never; and the sum is needed before the clock */
    __syncthreads();
    uint64_t took = clock64() - from;
    if (threadIdx.x == 0) atomicMax((unsigned long long *)out, (unsigned long long)took);
    if (sum == 0x12345) out[1] = sum;
}

__global__ void read_shared(int rounds, uint64_t *out)
{
    __shared__ uint4 tile[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) tile[i] = make_uint4(i, 1, 2, 3);
    __syncthreads();
    uint32_t sum = 0;
    uint64_t from = clock64();
    for (int r = 0; r < rounds; r++) {
        uint32_t p = (uint32_t)__cvta_generic_to_shared(&tile[threadIdx.x]);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            uint32_t a, b, c, d;
            asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p + i * 16384) : "memory");
            sum += a ^ b ^ c ^ d;
        }
    }
    __syncthreads();
    uint64_t took = clock64() - from;
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = took;
    if (sum == 0x12345) out[1] = sum;
}

/* Cycles a warp's load that hits the L1 keeps the unit busy, by the distance of its lanes. */
__global__ void stride_hits(const uint8_t *base, uint32_t stride, int rounds, uint64_t *out)
{
    uint32_t at = (threadIdx.x & 31) * stride, sum = 0;
    const uint8_t *p = base + at;
    uint64_t from = 0;
    for (int r = -4; r < rounds; r++) {
        if (r == 0) {
            __syncthreads();
            from = clock64();
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            uint32_t v; /* eight rows and four places, so that no two loads near each other are the same */
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p + (r & 3) * 40960 + i * (32 * stride + 128)) : "memory");
            sum += v;
        }
    }
    __syncthreads();
    uint64_t took = clock64() - from;
    if (threadIdx.x == 0) out[0] = took;
    if (sum == 0x12345) out[1] = sum;
}

static void inside_sm()
{
    enum { L1_BYTES = 128 << 10, ROUNDS = 32 };
    CU(cudaMemset(result, 0, 128));
    read_mine<VIA_L1><<<1, 1024>>>(pool, L1_BYTES, ROUNDS, result);
    say("bandwidth.l1_bytes_cycle_sm", (double)L1_BYTES * ROUNDS / (double)answer());
    read_shared<<<1, 1024>>>(256, result);
    say("bandwidth.shared_bytes_cycle_sm", 1024.0 * 16 * 2 * 256 / (double)answer());
    for (uint32_t stride = 0; stride <= 128; stride = stride ? stride * 2 : 4) {
        stride_hits<<<1, 1024>>>(pool, stride, 32, result);
        say_at("l1_cycles_per_load.stride", stride, (double)answer() / (32.0 * 8 * 32));
    }
    CU(cudaMemset(result, 0, 128));
    read_mine<VIA_L2><<<1, 1024>>>(pool, 512 << 10, 8, result); /* one SM alone: its port to the network */
    say("bandwidth.l2_bytes_cycle_one_sm", (512.0 * 1024) * 8 / (double)answer());
    for (int threads = 32; threads <= 1024; threads *= 2) { /* 64 B a thread in flight: what one SM can have out */
        CU(cudaMemset(result, 0, 128));
        read_mine<VIA_L2><<<1, threads>>>(pool, 512 << 10, 4, result);
        say_at("bandwidth.l2_one_sm_threads", threads, (512.0 * 1024) * 4 / (double)answer());
    }
    for (int n = 1; n <= 132 && n <= sms; n = n == 128 ? 132 : n * 2) { /* how the L2's bandwidth is shared */
        CU(cudaMemset(result, 0, 128));
        read_mine<VIA_L2><<<n, 1024>>>(pool, 128 << 10, 16, result);
        say_at("bandwidth.l2_bytes_cycle_sms", n, (128.0 * 1024) * 16 * n / (double)answer());
    }
}

/* ---- bandwidth of the whole GPU ---- */

__global__ void read_all(const uint4 *p, size_t n, int rounds, uint64_t *out)
{
    uint32_t sum = 0;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (int r = 0; r < rounds; r++)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * stride) {
            uint4 v[4];
#pragma unroll
            for (int k = 0; k < 4; k++) v[k] = i + k * stride < n ? __ldcg(p + i + k * stride) : make_uint4(0, 0, 0, 0);
#pragma unroll
            for (int k = 0; k < 4; k++) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        }
    if (sum == 0x12345) out[1] = sum;
}
__global__ void write_all(uint4 *p, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = make_uint4((uint32_t)i, 1, 2, 3);
}
__global__ void copy_all(const uint4 *from, uint4 *to, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        to[i] = __ldcg(from + i);
}
__global__ void spin(uint64_t cycles, uint64_t *out)
{
    uint64_t t0, t1, from = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
    while (clock64() - from < cycles) {}
    uint64_t took = clock64() - from;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
    out[0] = took;
    out[1] = t1 - t0;
}
__global__ void nothing() {}

/* SM clock now, in MHz. */
static double clock_mhz()
{
    spin<<<1, 1>>>(20000000, result);
    uint64_t cycles = answer(0), ns = answer(1);
    return (double)cycles * 1e3 / (double)ns;
}

/* Median milliseconds of `times` runs of fn; before each, `between`. */
template <class F, class G> static double median_ms(int times, G between, F fn)
{
    cudaEvent_t a, b;
    std::vector<float> ms;
    CU(cudaEventCreate(&a));
    CU(cudaEventCreate(&b));
    for (int i = 0; i < times; i++) {
        between();
        CU(cudaEventRecord(a));
        fn();
        CU(cudaEventRecord(b));
        CU(cudaEventSynchronize(b));
        CU(cudaGetLastError());
        float t;
        CU(cudaEventElapsedTime(&t, a, b));
        ms.push_back(t);
    }
    std::sort(ms.begin(), ms.end());
    CU(cudaEventDestroy(a));
    CU(cudaEventDestroy(b));
    return ms[ms.size() / 2];
}

static void whole_gpu()
{
    auto idle = [] {};
    int blocks = sms * 2;
    double mhz = clock_mhz();
    say("clock.sm_mhz", mhz);
    for (size_t m = 4; m <= 64; m *= 2) {
        size_t n = (m << 20) / 16;
        int rounds = (int)(512 / m) * 4;
        double ms = median_ms(5, idle, [&] { read_all<<<blocks, 1024>>>((const uint4 *)pool, n, rounds, result); });
        say_at("bandwidth.l2_gbs_mib", (long long)m, (double)(m << 20) * rounds / ms / 1e6);
        if (m == 16) say("bandwidth.l2_bytes_cycle", (double)(m << 20) * rounds / ms / 1e3 / mhz);
    }
    size_t bytes = (size_t)2 << 30, n = bytes / 16;
    double ms = median_ms(5, idle, [&] { read_all<<<blocks, 1024>>>((const uint4 *)pool, n, 1, result); });
    say("bandwidth.dram_read_gbs", (double)bytes / ms / 1e6);
    ms = median_ms(5, idle, [&] { write_all<<<blocks, 1024>>>((uint4 *)pool, n); });
    say("bandwidth.dram_write_gbs", (double)bytes / ms / 1e6);
    ms = median_ms(5, idle, [&] { copy_all<<<blocks, 1024>>>((const uint4 *)pool, (uint4 *)(pool + POOL / 2), n); });
    say("bandwidth.dram_copy_gbs", 2.0 * (double)bytes / ms / 1e6);
    ms = median_ms(21, idle, [] { nothing<<<1, 32>>>(); });
    say("launch.empty_us", ms * 1e3);
    ms = median_ms(21, idle, [] { for (int i = 0; i < 100; i++) nothing<<<1, 32>>>(); });
    say("launch.next_us", ms * 10);
}

/* ---- whole kernels, cold caches, the shapes of docs/fidelity-h200.md ---- */

template <class F> static void kernel(const char *name, F fn)
{
    char key[96];
    auto flush = [] { CU(cudaMemset(pool + POOL / 2, 3, (size_t)512 << 20)); };
    fn(); /* loads the code */
    CU(cudaDeviceSynchronize());
    double ms = median_ms(7, flush, fn), mhz = clock_mhz();
    snprintf(key, sizeof key, "kernel_us.%s", name);
    say(key, ms * 1e3);
    snprintf(key, sizeof key, "kernel_cycles.%s", name);
    say(key, ms * 1e3 * mhz);
}

static void kernels()
{
    const int N = 4096, G = 512, F = 2048;
    float *a = (float *)pool, *b = a + (size_t)N * N, *c = b + (size_t)N * N, *d = c + (size_t)N * N;
    CU(cudaMemset(pool, 0, POOL / 2));
    dim3 wide(32, 8);
    kernel("atax_rows", [&] { atax::atax_rows<<<N / 32, wide>>>(a, b, c, N, N); });
    kernel("atax_cols", [&] { atax::atax_cols<<<N / 32, wide>>>(a, b, c, N, N); });
    kernel("bicg_s", [&] { bicg::bicg_s<<<N / 256, 256>>>(a, b, c, N, N); });
    kernel("bicg_q", [&] { bicg::bicg_q<<<N / 256, 256>>>(a, b, c, N, N); });
    kernel("conv2d", [&] { conv::conv2d_4096<<<dim3(N / 32, N / 8), wide>>>(a, b, N, N); });
    kernel("gemm", [&] { gemm_ns::gemm_512<<<dim3(G / 32, G / 8), wide>>>(a, b, c, G, G, G); });
    kernel("fdtd2d_ey", [&] { fdtd::fdtd2d_ey_2048<<<dim3(F / 32, F / 8), wide>>>(d, b, c, F, F, 0); });
    kernel("fdtd2d_ex", [&] { fdtd::fdtd2d_ex_2048<<<dim3(F / 32, F / 8), wide>>>(a, c, F, F); });
    kernel("fdtd2d_hz", [&] { fdtd::fdtd2d_hz_2048<<<dim3(F / 32, F / 8), wide>>>(a, b, c, F, F); });
}

static void properties()
{
    cudaDeviceProp p;
    CU(cudaGetDeviceProperties(&p, 0));
    sms = p.multiProcessorCount;
    int khz = 0, mem_khz = 0, shared_sm = 0, shared_block = 0;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    cudaDeviceGetAttribute(&mem_khz, cudaDevAttrMemoryClockRate, 0);
    cudaDeviceGetAttribute(&shared_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
    cudaDeviceGetAttribute(&shared_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    printf("device.name %s\n", p.name);
    say("device.sm_version", p.major * 10 + p.minor);
    say("device.sms", sms);
    say("device.sm_clock_khz", khz);
    say("device.memory_clock_khz", mem_khz);
    say("device.bus_bits", p.memoryBusWidth);
    say("device.l2_bytes", p.l2CacheSize);
    say("device.memory_bytes", (double)p.totalGlobalMem);
    say("device.threads_per_sm", p.maxThreadsPerMultiProcessor);
    say("device.blocks_per_sm", p.maxBlocksPerMultiProcessor);
    say("device.registers_per_sm", p.regsPerMultiprocessor);
    say("device.shared_per_sm", shared_sm);
    say("device.shared_per_block", shared_block);
}

int main()
{
    properties();
    CU(cudaMalloc(&pool, POOL));
    CU(cudaMalloc(&result, 65536));
    CU(cudaMemset(pool, 0, POOL));
    CU(cudaMemset(result, 0, 65536));
    clock_mhz(); /* wakes the clocks up */
    latencies();
    pipes();
    inside_sm();
    whole_gpu();
    kernels();
    printf("end 1\n");
    return 0;
}
