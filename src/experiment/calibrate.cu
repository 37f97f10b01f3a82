/* calibrate.cu - measures an NVIDIA GPU for 'warpline calibrate', which makes a machine file of the output.
 *
 *   warpline calibrate --source > calibrate.cu
 *   nvcc -O3 -arch=native -o calibrate calibrate.cu && ./calibrate > mine.txt
 *   warpline calibrate mine.txt -o mine.ini
 *
 * It needs the CUDA toolkit (11 or later), a GPU of compute capability 5.0 or higher that does nothing else, and 1.5 GiB
 * of its memory. With --quick everything is smaller and done once: for simulated GPUs.
 *
 * A line of the output is "key median lowest highest", over several repetitions. Latencies are SM cycles per dependent
 * step of one thread, by the SM's own clock. Bandwidths are bytes per SM cycle, or GB/s by the difference of two runs of
 * different length, so that begin and end do not count. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#include <mma.h>
#endif

static void check(cudaError_t rc, const char *what)
{
    if (rc == cudaSuccess) return;
    fprintf(stderr, "calibrate: %s: %s\n", what, cudaGetErrorString(rc));
    exit(1);
}
#define CU(call) check(call, #call)

static bool quick;
static int repeats = 5, sms, capability, threads_per_sm;
static size_t l2_bytes, pool_bytes;
static uint8_t *pool;    /* device memory that all measurements share */
static uint64_t *result; /* a few words that a kernel answers with */

static uint64_t answer(int i = 0)
{
    uint64_t v;
    CU(cudaGetLastError());
    CU(cudaDeviceSynchronize());
    CU(cudaMemcpy(&v, result + i, sizeof v, cudaMemcpyDeviceToHost));
    return v;
}

static void say(const char *key, std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    printf("%s %.9g %.9g %.9g\n", key, v[v.size() / 2], v.front(), v.back());
    fflush(stdout);
}
static void say(const char *key, double v) { say(key, std::vector<double>(1, v)); }

/* Measures again and again, and prints; returns the median. */
template <class F> static double measure(const char *key, F fn)
{
    std::vector<double> v;
    for (int i = 0; i < repeats; i++) v.push_back(fn());
    say(key, v);
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}
template <class F> static double measure_at(const char *key, long long at, F fn)
{
    char text[96];
    snprintf(text, sizeof text, "%s.%lld", key, at);
    return measure(text, fn);
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

/* Reads enough to push everything else out of the L2. */
__global__ void read_over(const uint4 *p, size_t n, uint64_t *out)
{
    uint32_t sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) sum += __ldcg(p + i).x;
    if (sum == 0x12345) out[8] = sum;
}
static void flush() { read_over<<<2 * sms, 512>>>((const uint4 *)(pool + pool_bytes / 2), 2 * l2_bytes / 16, result); }

/* A ring through `bytes` of memory, `stride` apart, in random order, so that no prefetcher helps. */
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
    size_t n = bytes / stride, most = quick ? 1024 : 8192;
    int warm = cold ? 0 : (int)std::min(n + 1, (size_t)1 << 21), steps = (int)std::min(std::max(n, (size_t)512), most);
    if (cold && steps > (int)n) steps = (int)n;
    if (cold) flush();
    chase<VIA><<<1, 1>>>(start, warm, steps, result);
    return (double)answer() / steps;
}

__global__ void shared_chase(int steps, uint64_t *out)
{
    __shared__ uint32_t ring[256];
    for (int i = 0; i < 256; i++) ring[i] = (uint32_t)__cvta_generic_to_shared(&ring[(i + 33) % 256]);
    uint32_t p = ring[0];
#pragma unroll 1
    for (int r = 0; r < 2; r++) { /* the second time the code is there */
        uint64_t from = clock64();
#pragma unroll 8
        for (int i = 0; i < steps; i++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
        out[0] = clock64() - from;
    }
    out[1] = p;
}

__constant__ uint64_t constant_ring[64];
__global__ void constant_chase(uint64_t p, int steps, uint64_t *out)
{
#pragma unroll 1
    for (int r = 0; r < 2; r++) {
        uint64_t from = clock64();
#pragma unroll 8
        for (int i = 0; i < steps; i++) asm volatile("ld.const.u64 %0, [%0];" : "+l"(p)::"memory");
        out[0] = clock64() - from;
    }
    out[1] = p;
}
__global__ void constant_make(uint64_t *to) /* addresses in constant memory, which only the GPU knows */
{
    uint64_t base;
    asm("cvta.to.const.u64 %0, %1;" : "=l"(base) : "l"((uint64_t)constant_ring));
    for (int i = 0; i < 64; i++) to[i] = base + (i + 1) % 64 * 8;
}

__global__ void atomic_chase(uint32_t *word, int steps, uint64_t *out)
{
    uint32_t v = 0;
    uint64_t from = clock64();
    for (int i = 0; i < steps; i++) v = atomicAdd(word + (v & 1), v & 1); /* the address needs the value before */
    out[0] = clock64() - from;
    out[1] = v;
}
__global__ void atomic_shared_chase(int steps, uint64_t *out)
{
    __shared__ uint32_t word[2];
    word[0] = word[1] = 0;
    uint32_t v = 0;
    uint64_t from = clock64();
    for (int i = 0; i < steps; i++) v = atomicAdd(word + (v & 1), v & 1);
    out[0] = clock64() - from;
    out[1] = v;
}
__global__ void atomic_many(uint32_t *word, uint32_t stride, int rounds, uint64_t *out)
{
    __syncthreads();
    uint64_t from = clock64();
    uint32_t v = 0;
    for (int i = 0; i < rounds; i++) v += atomicAdd(word + threadIdx.x * stride, 1);
    if (v == 0x12345) out[1] = v;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = clock64() - from;
}
__global__ void barriers(int rounds, uint64_t *out)
{
    __syncthreads();
    uint64_t from = clock64();
    for (int i = 0; i < rounds; i++) __syncthreads();
    if (threadIdx.x == 0) out[0] = clock64() - from;
}

/* First touches of the sectors of two lines: which ones come along. `nothing` is 0, which the compiler cannot know. */
__global__ void sectors(uint64_t base, uint64_t nothing, uint64_t *out)
{
    volatile __shared__ uint64_t seen[8];
    uint64_t zero = 0, took[8];
    for (int i = 0; i < 8; i++) {
        uint64_t v, from = clock64();
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(v) : "l"(base + (uint64_t)i * 32 + zero) : "memory");
        seen[i] = v; /* cannot be issued before the value is there, and the clock is read after it */
        took[i] = clock64() - from;
        zero = seen[i] & nothing;
    }
    for (int i = 0; i < 8; i++) out[i] = took[i];
}

static void sector_lines(const char *key, bool cold)
{
    std::vector<double> v[8];
    for (int r = 0; r < repeats; r++) {
        if (cold) flush();
        uint64_t at = (uint64_t)(pool + (64 << 20) + (cold ? r * 65536 : 0)); /* no earlier measurement comes there */
        sectors<<<1, 1>>>(at, 0, result);
        for (int i = 0; i < 8; i++) v[i].push_back((double)answer(i));
    }
    for (int i = 0; i < 8; i++) {
        char text[96];
        snprintf(text, sizeof text, "%s.%d", key, i);
        say(text, v[i]);
    }
}

static void latencies()
{
    const int few = quick ? 256 : 4096;
    size_t ring = std::min((size_t)1 << 20, l2_bytes / 4);
    double l1 = measure("latency.l1", [] { return latency<VIA_L1>(8 << 10, 128, false); });
    double l2 = measure("latency.l2", [=] { return latency<VIA_L2>(ring, 128, false); });
    size_t wide = quick ? (size_t)4 << 20 : (size_t)512 << 20;
    measure("latency.dram", [=] { return latency<VIA_L2>(wide, 4096 + 128, true); });
    measure("latency.shared", [=] { shared_chase<<<1, 1>>>(few, result); return (double)answer() / few; });
    uint64_t *at = (uint64_t *)pool;
    uint64_t host[64];
    constant_make<<<1, 1>>>(at);
    CU(cudaMemcpy(host, at, sizeof host, cudaMemcpyDeviceToHost));
    CU(cudaMemcpyToSymbol(constant_ring, host, sizeof host));
    measure("latency.constant", [&] { constant_chase<<<1, 1>>>(host[63], few, result); return (double)answer() / few; });
    CU(cudaMemset(pool, 0, 4096));
    measure("latency.atomic", [=] { atomic_chase<<<1, 1>>>((uint32_t *)pool, few, result); return (double)answer() / few; });
    measure("latency.atomic_shared", [=] { atomic_shared_chase<<<1, 1>>>(few, result); return (double)answer() / few; });
    measure("latency.barrier", [] { barriers<<<1, 1024>>>(64, result); return (double)answer() / 64; });
    measure("cycles.atomic_same", [] { atomic_many<<<1, 1024>>>((uint32_t *)pool, 0, 8, result); return (double)answer() / (8 * 32); });
    measure("cycles.atomic_apart", [] { atomic_many<<<1, 1024>>>((uint32_t *)pool, 1, 8, result); return (double)answer() / (8 * 32); });
    int high = 0; /* the sweep ends a little behind the step */
    for (size_t k = 8; k <= 320 && high < 3; k += 8) {
        double v = measure_at("sweep.l1_kib", (long long)k, [=] { return latency<VIA_L1>(k << 10, 128, false); });
        high += v > (l1 + l2) / 2;
    }
    for (int i = 2; i <= 16 && !quick; i++) { /* eighths of the size that the driver names */
        size_t k = l2_bytes / 8 * (size_t)i >> 10;
        measure_at("sweep.l2_kib", (long long)k, [=] { return latency<VIA_L2>(k << 10, 256, false); });
    }
    sector_lines("sector.cold", true);
    sector_lines("sector.l2_warm", false); /* the L1 is empty again, the L2 is not */
    sector_lines("sector.l2_warm", false);
}

/* ---- arithmetic: dependent chains and full pipes ---- */

enum { IADD, IMAX, IMAD, IDIV, FADD, FMAX, FMUL, FFMA, FDIV, DADD, DMAX, DFMA, DDIV, SFU, SHFL, CVT, BITS };

/* Instructions of the class in a step: two where two equal ones in a row would be joined by the assembler. */
constexpr int ops_of(int op) { return op == IADD || op == IMAX || op == FMAX || op == DMAX || op == CVT ? 2 : 1; }

struct values {
    uint32_t x, y;
    float f;
    double d;
};

template <int OP> __device__ __forceinline__ void step(values &v, uint32_t k)
{
    if (OP == IADD) asm volatile("add.u32 %0, %0, %1;\n\tadd.u32 %1, %1, %0;" : "+r"(v.x), "+r"(v.y));
    if (OP == IMAX) asm volatile("max.u32 %0, %0, %1;\n\tmin.u32 %0, %0, %2;" : "+r"(v.x) : "r"(k), "r"(k * 77));
    if (OP == IMAD) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(v.x) : "r"(k));
    if (OP == IDIV) asm volatile("div.u32 %0, %0, %1;" : "+r"(v.x) : "r"(k));
    if (OP == FADD) asm volatile("add.f32 %0, %0, %1;" : "+f"(v.f) : "f"((float)k));
    if (OP == FMAX) asm volatile("max.f32 %0, %0, %1;\n\tmin.f32 %0, %0, %2;" : "+f"(v.f) : "f"((float)k), "f"((float)k * 77));
    if (OP == FMUL) asm volatile("mul.f32 %0, %0, %1;" : "+f"(v.f) : "f"(1.0001f));
    if (OP == FFMA) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v.f) : "f"(0.999f));
    if (OP == FDIV) asm volatile("div.rn.f32 %0, %0, %1;" : "+f"(v.f) : "f"(1.0001f));
    if (OP == DADD) asm volatile("add.f64 %0, %0, %1;" : "+d"(v.d) : "d"(1.0));
    if (OP == DMAX) asm volatile("max.f64 %0, %0, %1;\n\tmin.f64 %0, %0, %2;" : "+d"(v.d) : "d"((double)k), "d"((double)k * 77));
    if (OP == DFMA) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(v.d) : "d"(0.999));
    if (OP == DDIV) asm volatile("div.rn.f64 %0, %0, %1;" : "+d"(v.d) : "d"(1.0001));
    if (OP == SFU) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v.f));
    if (OP == SHFL) v.x = __shfl_xor_sync(~0u, v.x, 1);
    if (OP == CVT) asm volatile("{ .reg .f64 t;\n\tcvt.f64.f32 t, %0;\n\tcvt.rn.f32.f64 %0, t; }" : "+f"(v.f));
    if (OP == BITS) asm volatile("popc.b32 %0, %0;" : "+r"(v.x));
}

/* CHAINS independent chains per thread: one measures latency, several fill the pipe. Results count for something only if
 * k is a number that it never is; the compiler cannot know that. */
template <int OP, int CHAINS> __global__ void chains(int rounds, uint32_t k, uint64_t *out)
{
    values v[CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        uint32_t at = threadIdx.x + i + k;
        v[i].x = at, v[i].y = at * 3, v[i].f = 1.5f + at, v[i].d = 1.5 + at;
    }
    uint64_t from = 0;
#pragma unroll 1
    for (int r = -1; r < rounds; r++) { /* after the first round the code is there */
        if (r == 0) {
            __syncthreads();
            from = clock64();
        }
#pragma unroll
        for (int i = 0; i < 64; i++) step<OP>(v[i % CHAINS], k);
    }
    for (int i = 1; i < CHAINS; i++) v[0].x += v[i].x + v[i].y, v[0].f += v[i].f, v[0].d += v[i].d;
    if (k == 0x7654321) out[16 + threadIdx.x] = v[0].x + v[0].y + (uint64_t)__float_as_uint(v[0].f) + (uint64_t)__double_as_longlong(v[0].d);
    __syncthreads();
    uint64_t took = clock64() - from;
    if (threadIdx.x == 0) out[0] = took;
}

template <int OP> static void arithmetic(const char *name)
{
    char key[64];
    /* the difference of two lengths: the loop and the sums do not count */
    int n = quick ? 4 : 64, m = quick ? 2 : 16;
    auto chain = [](int rounds) { chains<OP, 1><<<1, 32>>>(rounds, 3, result); return (double)answer(); };
    auto full = [](int rounds) { chains<OP, 4><<<1, 1024>>>(rounds, 3, result); return (double)answer(); };
    snprintf(key, sizeof key, "alu_latency.%s", name);
    measure(key, [&] { return (chain(2 * n) - chain(n)) / (n * 64.0 * ops_of(OP)); });
    snprintf(key, sizeof key, "alu_per_cycle_sm.%s", name);
    measure(key, [&] { return 1024.0 * m * 64 * ops_of(OP) / (full(2 * m) - full(m)); });
}

/* Products of matrices: 16 x 16 x 16, f16 with f32 sums. */
__global__ void products(int rounds, uint64_t *out)
{
#if __CUDA_ARCH__ >= 700
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(a, __float2half(0.001f));
    wmma::fill_fragment(b, __float2half(0.001f));
    wmma::fill_fragment(c, 0.0f);
    uint64_t from = 0;
#pragma unroll 1
    for (int i = -1; i < rounds; i++) {
        if (i == 0) {
            __syncthreads();
            from = clock64();
        }
#pragma unroll
        for (int j = 0; j < 8; j++) wmma::mma_sync(c, a, b, c);
    }
    if (c.x[0] == 12345.0f) out[1] = 1;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = clock64() - from;
#endif
}

static void pipes()
{
    arithmetic<IADD>("int_add");
    arithmetic<IMAX>("int_max");
    arithmetic<IMAD>("int_mad");
    arithmetic<IDIV>("int_div");
    arithmetic<FADD>("fp_add");
    arithmetic<FMAX>("fp_max");
    arithmetic<FMUL>("fp_mul");
    arithmetic<FFMA>("fp_mad");
    arithmetic<FDIV>("fp_div");
    arithmetic<DADD>("dp_add");
    arithmetic<DMAX>("dp_max");
    arithmetic<DFMA>("dp_mad");
    arithmetic<DDIV>("dp_div");
    arithmetic<SFU>("sfu");
    arithmetic<SHFL>("shfl");
    arithmetic<CVT>("cvt");
    arithmetic<BITS>("bits");
    if (capability < 70) return;
    int n = quick ? 4 : 32;
    auto run = [](int threads, int rounds) { products<<<1, threads>>>(rounds, result); return (double)answer(); };
    measure("alu_latency.tensor", [=] { return (run(32, 2 * n) - run(32, n)) / (n * 8.0); });
    /* warp instructions per cycle, not results */
    measure("warps_per_cycle_sm.tensor", [=] { return 32.0 * n * 8 / (run(1024, 2 * n) - run(1024, n)); });
}

/* ---- bandwidth inside an SM ---- */

template <int VIA> __device__ __forceinline__ uint4 load16(const uint8_t *q)
{
    uint4 v;
    if (VIA == VIA_L1) asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(q) : "memory");
    else asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(q) : "memory");
    return v;
}

/* Each thread reads 16 bytes again and again from `bytes` that belong to its block, four loads at a time. */
template <int VIA> __global__ void read_mine(const uint8_t *base, uint32_t bytes, int rounds, uint64_t *out)
{
    const uint8_t *p = base + (size_t)blockIdx.x * bytes;
    uint32_t sum = 0, row = blockDim.x * 16;
    uint64_t from = 0;
#pragma unroll 1
    for (int r = -1; r < rounds; r++) { /* the first round fills the cache */
        if (r == 0) {
            __syncthreads();
            from = clock64();
        }
        for (uint32_t o = threadIdx.x * 16; o < bytes; o += 4 * row) {
            uint4 v[4];
#pragma unroll
            for (int k = 0; k < 4; k++) v[k] = load16<VIA>(p + o + k * row);
#pragma unroll
            for (int k = 0; k < 4; k++) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        }
    }
    if (bytes == 1) out[16 + threadIdx.x] = sum; /* never; and the sum is needed before the clock */
    __syncthreads();
    uint64_t took = clock64() - from;
    if (threadIdx.x == 0) out[0] = took;
}

/* Cycles per load of a warp whose lanes are `stride` words of shared memory apart. */
__global__ void shared_strides(uint32_t stride, int rounds, uint64_t *out)
{
    __shared__ uint32_t tile[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) tile[i] = 0;
    __syncthreads();
    uint32_t p = (uint32_t)__cvta_generic_to_shared(&tile[(threadIdx.x & 31) * stride]), sum = 0;
    uint64_t from = clock64();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            uint32_t v;
            asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(p + i * 128) : "memory");
            sum += v;
        }
    }
    if (stride == 99) out[16 + threadIdx.x] = sum;
    __syncthreads();
    uint64_t took = clock64() - from;
    if (threadIdx.x == 0) out[0] = took;
}

/* Cycles that a warp's load that hits the L1 keeps the unit busy, by the distance of its lanes. */
__global__ void stride_hits(const uint8_t *base, uint32_t stride, int rounds, uint64_t *out)
{
    uint32_t sum = 0;
    const uint8_t *p = base + (threadIdx.x & 31) * stride;
    uint64_t from = 0;
#pragma unroll 1
    for (int r = -2; r < rounds; r++) {
        if (r == 0) {
            __syncthreads();
            from = clock64();
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint32_t v; /* four rows and two places, so that no two loads near each other are the same */
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p + (r & 1) * 4096 + i * 128) : "memory");
            sum += v;
        }
    }
    if (stride == 99) out[16 + threadIdx.x] = sum;
    __syncthreads();
    uint64_t took = clock64() - from;
    if (threadIdx.x == 0) out[0] = took;
}

static void inside_sm()
{
    const int rounds = quick ? 4 : 32;
    const uint32_t tile = 8 << 10;
    auto from_l1 = [=](int r) { read_mine<VIA_L1><<<1, 512>>>(pool, 4 * tile, r, result); return (double)answer(); };
    measure("bandwidth.l1_bytes_cycle_sm", [=] { return 4.0 * tile * rounds / (from_l1(2 * rounds) - from_l1(rounds)); });
    for (uint32_t s = 1; s <= 32; s *= 2)
        measure_at("shared_cycles_per_load.stride", s, [=] { shared_strides<<<1, 1024>>>(s, rounds, result); return (double)answer() / (rounds * 8.0 * 32); });
    for (uint32_t s = 4; s <= 128; s *= 2)
        measure_at("l1_cycles_per_load.stride", s, [=] { stride_hits<<<1, 1024>>>(pool, s, rounds, result); return (double)answer() / (rounds * 4.0 * 32); });
    uint32_t far = (uint32_t)std::min((size_t)512 << 10, l2_bytes / 4);
    for (int threads = 32; threads <= 1024; threads *= 2) { /* 64 bytes per thread in flight: what one SM can have out */
        auto from_l2 = [=](int r) { read_mine<VIA_L2><<<1, threads>>>(pool, far, r, result); return (double)answer(); };
        int r = quick ? 1 : 4;
        measure_at("bandwidth.l2_one_sm_threads", threads, [=] { return (double)far * r / (from_l2(2 * r) - from_l2(r)); });
    }
}

/* ---- instruction caches: a loop over the last part of a long straight program ---- */

#define F4 asm volatile("fma.rn.f32 %0, %0, %4, %4;\n\tfma.rn.f32 %1, %1, %4, %4;\n\tfma.rn.f32 %2, %2, %4, %4;\n\tfma.rn.f32 %3, %3, %4, %4;" : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "f"(k));
#define F32 F4 F4 F4 F4 F4 F4 F4 F4
#define F256 F32 F32 F32 F32 F32 F32 F32 F32
#define PART(n) case n: F256
enum { PARTS = 48, PART_INSTRUCTIONS = 256 };

__global__ void straight(int parts, int rounds, float k, uint64_t *out)
{
    float a = k, b = k + 1, c = k + 2, d = k + 3;
    uint64_t from = 0;
#pragma unroll 1
    for (int r = -1; r < rounds; r++) { /* the first round fills the caches */
        if (r == 0) {
            __syncthreads();
            from = clock64();
        }
        switch (PARTS - parts) {
            PART(0) PART(1) PART(2) PART(3) PART(4) PART(5) PART(6) PART(7) PART(8) PART(9) PART(10) PART(11)
            PART(12) PART(13) PART(14) PART(15) PART(16) PART(17) PART(18) PART(19) PART(20) PART(21) PART(22) PART(23)
            PART(24) PART(25) PART(26) PART(27) PART(28) PART(29) PART(30) PART(31) PART(32) PART(33) PART(34) PART(35)
            PART(36) PART(37) PART(38) PART(39) PART(40) PART(41) PART(42) PART(43) PART(44) PART(45) PART(46) PART(47)
        }
    }
    uint64_t took = clock64() - from;
    if (a + b + c + d == 12345.0f) out[1] = 1;
    if (threadIdx.x == 0) out[0] = took;
}

static void code()
{
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 30, 32, 34, 36, 40, 44, 48};
    const int rounds = quick ? 2 : 8;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int n = sizes[i];
        if (quick && n % 4 && n != 1) continue;
        measure_at("code_cycles.instructions", (long long)n * PART_INSTRUCTIONS, [=] {
            straight<<<1, 128>>>(n, rounds, 0.5f, result);
            return (double)answer() / ((double)rounds * n * PART_INSTRUCTIONS);
        });
    }
}

/* ---- the whole GPU ---- */

__global__ void read_all(const uint4 *p, size_t n, int rounds, uint64_t *out)
{
    uint32_t sum = 0;
    size_t stride = (size_t)gridDim.x * blockDim.x;
#pragma unroll 1
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
/* When each SM last had a block of one kernel and first has one of the next, by its own clock. */
__global__ void stamp(unsigned long long *first, unsigned long long *last)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    unsigned long long now = clock64();
    if (threadIdx.x == 0) first[sm] = last[sm] = now;
}
__global__ void nothing() {}

static double clock_mhz()
{
    spin<<<1, 1>>>(quick ? 20000 : 20000000, result);
    uint64_t cycles = answer(0), ns = answer(1);
    return (double)cycles * 1e3 / (double)ns;
}

template <class F> static double milliseconds(F fn)
{
    cudaEvent_t a, b;
    float ms;
    CU(cudaEventCreate(&a));
    CU(cudaEventCreate(&b));
    CU(cudaEventRecord(a));
    fn();
    CU(cudaEventRecord(b));
    CU(cudaEventSynchronize(b));
    CU(cudaGetLastError());
    CU(cudaEventElapsedTime(&ms, a, b));
    CU(cudaEventDestroy(a));
    CU(cudaEventDestroy(b));
    return ms;
}

static void launches(double mhz)
{
    unsigned long long *at = (unsigned long long *)pool;
    std::vector<unsigned long long> host(6 * 1024);
    if (sms > 1024) return;
    measure("launch.gap_cycles", [&] { /* the second and third back to back: the median of the SMs that both met */
        CU(cudaMemset(at, 0, host.size() * 8));
        flush(); /* no dirty line must make room for a stamp */
        CU(cudaDeviceSynchronize());
        for (int i = 0; i < 3; i++) stamp<<<sms, 32>>>(at + 2048 * i, at + 2048 * i + 1024);
        CU(cudaMemcpy(host.data(), at, host.size() * 8, cudaMemcpyDeviceToHost));
        std::vector<double> gap;
        for (int i = 0; i < sms; i++)
            if (host[3072 + i] && host[4096 + i] > host[3072 + i]) gap.push_back((double)(host[4096 + i] - host[3072 + i]));
        std::sort(gap.begin(), gap.end());
        return gap.empty() ? 0.0 : gap[gap.size() / 2];
    });
    measure("launch.empty_us", [] { return milliseconds([] { nothing<<<1, 32>>>(); }) * 1e3; });
    measure("launch.next_cycles", [=] { return milliseconds([] { for (int i = 0; i < 20; i++) nothing<<<1, 32>>>(); }) * 1e3 / 20 * mhz; });
}

static void whole_gpu()
{
    int blocks = sms * 2;
    double mhz = measure("clock.sm_mhz", clock_mhz);
    /* all threads are there at once, and each reads as much as every other: 64 bytes at a time, half of the L2 at most */
    int threads = 1024, rounds = quick ? 8 : 64;
    blocks = sms * std::max(1, threads_per_sm / 1024);
    while (threads > 64 && (size_t)blocks * threads * 64 > l2_bytes / 2) threads /= 2;
    size_t piece = (size_t)blocks * threads * 64, m = std::max((size_t)1, std::min(l2_bytes / 2, (size_t)32 << 20) / piece) * piece;
    auto l2 = [=](int r) { return milliseconds([=] { read_all<<<blocks, threads>>>((const uint4 *)pool, m / 16, r, result); }); };
    l2(1);
    measure("bandwidth.l2_gbs", [=] { return (double)m * rounds / (l2(2 * rounds) - l2(rounds)) / 1e6; });
    size_t most = quick ? std::max(3 * l2_bytes, (size_t)4 << 20) : (size_t)512 << 20, half = most / 2;
    const uint4 *from = (const uint4 *)pool;
    uint4 *to = (uint4 *)(pool + pool_bytes / 2);
    auto reads = [=](size_t b) { flush(); return milliseconds([=] { read_all<<<blocks, 1024>>>(from, b / 16, 1, result); }); };
    auto writes = [=](size_t b) { flush(); return milliseconds([=] { write_all<<<blocks, 1024>>>(to, b / 16); }); };
    auto copies = [=](size_t b) { flush(); return milliseconds([=] { copy_all<<<blocks, 1024>>>(from, to, b / 16); }); };
    measure("bandwidth.dram_read_gbs", [=] { return (double)half / (reads(most) - reads(half)) / 1e6; });
    measure("bandwidth.dram_write_gbs", [=] { return (double)half / (writes(most) - writes(half)) / 1e6; });
    measure("bandwidth.dram_copy_gbs", [=] { return 2.0 * (double)half / (copies(most) - copies(half)) / 1e6; });
    launches(mhz);
}

/* ---- what the driver says ---- */

static double attribute(cudaDeviceAttr which)
{
    int v = 0;
    CU(cudaDeviceGetAttribute(&v, which, 0));
    return v;
}

static void properties()
{
    cudaDeviceProp p;
    CU(cudaGetDeviceProperties(&p, 0));
    sms = p.multiProcessorCount;
    capability = p.major * 10 + p.minor;
    threads_per_sm = p.maxThreadsPerMultiProcessor;
    l2_bytes = p.l2CacheSize ? (size_t)p.l2CacheSize : (size_t)1 << 20;
    printf("device.name %s\n", p.name);
    say("device.sm_version", capability);
    say("device.sms", sms);
    say("device.sm_clock_khz", attribute(cudaDevAttrClockRate));
    say("device.memory_clock_khz", attribute(cudaDevAttrMemoryClockRate));
    say("device.bus_bits", p.memoryBusWidth);
    say("device.l2_bytes", p.l2CacheSize);
    say("device.memory_bytes", (double)p.totalGlobalMem);
    say("device.threads_per_sm", p.maxThreadsPerMultiProcessor);
    say("device.blocks_per_sm", attribute(cudaDevAttrMaxBlocksPerMultiprocessor));
    say("device.registers_per_sm", p.regsPerMultiprocessor);
    say("device.shared_per_sm", attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    say("device.copy_engines", attribute(cudaDevAttrAsyncEngineCount));
}

int main(int argc, char **argv)
{
    quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
    if (argc > 1 && !quick) {
        fprintf(stderr, "usage: calibrate [--quick] > FILE; then: warpline calibrate FILE -o MACHINE.ini\n");
        return 2;
    }
    if (quick) repeats = 1;
    printf("# measured by the program of 'warpline calibrate --source'%s\n", quick ? ", --quick" : "");
    properties();
    pool_bytes = quick ? std::max((size_t)192 << 20, 8 * l2_bytes) : (size_t)1200 << 20;
    CU(cudaMalloc(&pool, pool_bytes));
    CU(cudaMalloc(&result, 65536));
    CU(cudaMemset(result, 0, 65536));
    if (!quick) {
        CU(cudaMemset(pool, 0, pool_bytes));
        clock_mhz(); /* wakes the clocks up */
    }
    latencies();
    pipes();
    inside_sm();
    code();
    whole_gpu();
    printf("end 1\n");
    return 0;
}
