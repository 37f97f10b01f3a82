/* atomics.cu - every atomic function of CUDA C++ that compute capability 7.5 has, on global and shared memory, against
 * sums that do not depend on the order. */
#include "../check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { BLOCK = 96, BLOCKS = 5, N = BLOCK * BLOCKS };

struct cells {
    int add, sub, min, max, and_, or_, xor_, cas, exch;
    unsigned inc, dec, umin, umax;
    unsigned long long add64, min64, max64, and64, xor64, cas64;
    long long smin64, smax64;
    float fadd;
    double dadd;
    half2 h2;
    half h;
    __nv_bfloat162 b2;
    unsigned short cas16;
    int block_add, system_add;
    float fmax_by_cas;
};

__device__ float max_by_cas(float *at, float v)
{
    int *word = (int *)at, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __float_as_int(fmaxf(v, __int_as_float(seen))));
    } while (old != seen);
    return __int_as_float(old);
}

__device__ void all(cells *c, int i)
{
    atomicAdd(&c->add, i);
    atomicSub(&c->sub, i);
    atomicMin(&c->min, 100 - i);
    atomicMax(&c->max, i - 7);
    atomicAnd(&c->and_, ~(1 << i % 20));
    atomicOr(&c->or_, 1 << i % 25);
    atomicXor(&c->xor_, i * 77);
    atomicInc(&c->inc, 10);
    atomicDec(&c->dec, 10);
    atomicMin(&c->umin, 5000u - i);
    atomicMax(&c->umax, 3u * i);
    atomicAdd(&c->add64, 1ull << 33);
    atomicMin(&c->min64, (1ull << 40) - i);
    atomicMax(&c->max64, (1ull << 40) + i);
    atomicAnd(&c->and64, ~(1ull << i % 60));
    atomicXor(&c->xor64, (unsigned long long)i << 20);
    atomicMin(&c->smin64, (long long)-i * 1000000007);
    atomicMax(&c->smax64, (long long)i * 1000000007);
    atomicAdd(&c->fadd, 0.5f);
    atomicAdd(&c->dadd, 0.25);
    atomicAdd(&c->h2, __floats2half2_rn(1.0f, 2.0f));
    atomicAdd(&c->h, __float2half(1.0f));
    atomicAdd(&c->b2, __floats2bfloat162_rn(0.5f, 0.25f));
    atomicAdd_block(&c->block_add, 2);
    atomicAdd_system(&c->system_add, 3);
    max_by_cas(&c->fmax_by_cas, i * 0.125f);
    int old = c->cas, seen;
    do {
        seen = old;
        old = atomicCAS(&c->cas, seen, seen + 3);
    } while (old != seen);
    unsigned long long old64 = c->cas64, seen64;
    do {
        seen64 = old64;
        old64 = atomicCAS(&c->cas64, seen64, seen64 * 3);
    } while (old64 != seen64);
    unsigned short old16 = c->cas16, seen16;
    do {
        seen16 = old16;
        old16 = atomicCAS(&c->cas16, seen16, (unsigned short)(seen16 + 1));
    } while (old16 != seen16);
    atomicExch(&c->exch, 12345);
}

__global__ void in_global(cells *c) { all(c, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void in_shared(cells *c)
{
    __shared__ cells s;
    if (threadIdx.x == 0) s = *c;
    __syncthreads();
    all(&s, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) *c = s;
}

static cells fresh()
{
    cells c = {};
    c.min = 1 << 30, c.max = -(1 << 30), c.and_ = -1, c.umin = ~0u, c.min64 = ~0ull, c.and64 = ~0ull, c.cas64 = 1;
    return c;
}

static void look(const cells &c, int n)
{
    int sum = n * (n - 1) / 2, x = 0, o = 0, a = -1;
    unsigned long long x64 = 0, a64 = ~0ull, p = 1;
    unsigned inc = 0, dec = 0;
    for (int i = 0; i < n; i++) {
        x ^= i * 77, o |= 1 << i % 25, a &= ~(1 << i % 20), a64 &= ~(1ull << i % 60), p *= 3;
        x64 ^= (unsigned long long)i << 20;
        inc = inc >= 10 ? 0 : inc + 1;
        dec = dec == 0 || dec > 10 ? 10 : dec - 1;
    }
    CHECK(c.add == sum && c.sub == -sum && c.min == 100 - (n - 1) && c.max == n - 8);
    CHECK(c.and_ == a && c.or_ == o && c.xor_ == x && c.inc == inc && c.dec == dec);
    CHECK(c.umin == 5000u - (n - 1) && c.umax == 3u * (n - 1));
    CHECK(c.add64 == (unsigned long long)n << 33 && c.min64 == (1ull << 40) - (n - 1) &&
          c.max64 == (1ull << 40) + n - 1);
    CHECK(c.and64 == a64 && c.xor64 == x64 && c.cas64 == p && c.cas == 3 * n && c.cas16 == n && c.exch == 12345);
    CHECK(c.smin64 == -1000000007LL * (n - 1) && c.smax64 == 1000000007LL * (n - 1));
    CHECK(c.fadd == 0.5f * n && c.dadd == 0.25 * n && c.block_add == 2 * n && c.system_add == 3 * n);
    CHECK(__low2float(c.h2) == n && __high2float(c.h2) == 2 * n && __half2float(c.h) == n);
    CHECK(c.fmax_by_cas == (n - 1) * 0.125f);
    if (n < 128) CHECK(__low2float(c.b2) == 0.5f * n && __high2float(c.b2) == 0.25f * n);
}

int main()
{
    cells c = fresh(), *d;
    CUDA(cudaMalloc(&d, sizeof c));
    CUDA(cudaMemcpy(d, &c, sizeof c, cudaMemcpyHostToDevice));
    in_global<<<BLOCKS, BLOCK>>>(d);
    CUDA(cudaMemcpy(&c, d, sizeof c, cudaMemcpyDeviceToHost));
    look(c, N);
    c = fresh();
    CUDA(cudaMemcpy(d, &c, sizeof c, cudaMemcpyHostToDevice));
    in_shared<<<1, BLOCK>>>(d);
    CUDA(cudaMemcpy(&c, d, sizeof c, cudaMemcpyDeviceToHost));
    look(c, BLOCK);
    puts("atomics ok");
}
