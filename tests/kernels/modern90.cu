/* modern90.cu - the same for sm_90a: bulk copies, mbarriers, tensors, products of warp groups, clusters. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void barrier_init(unsigned bar, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}

__device__ void barrier_expect(unsigned bar, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}

__device__ void barrier_arrive(unsigned bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }

__device__ void barrier_wait(unsigned bar, unsigned parity)
{
    asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra W;\nD:\n}" ::"r"(bar),
                 "r"(parity)
                 : "memory");
}

/* Sums of pieces of 256 floats that a producer warp brings through a ring of two buffers. */
KERNEL ring(const float *in, float *out, int pieces)
{
    __shared__ __align__(128) float buffer[2][256];
    __shared__ __align__(8) unsigned long long full[2], empty[2];
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) barrier_init(shared_address(&full[i]), 1), barrier_init(shared_address(&empty[i]), 128);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x >= 128) { /* the producer */
        if (threadIdx.x != 128) return;
        for (int i = 0; i < pieces; i++) {
            if (i >= 2) barrier_wait(shared_address(&empty[i % 2]), (i / 2 - 1) % 2);
            barrier_expect(shared_address(&full[i % 2]), 1024);
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             shared_address(buffer[i % 2])),
                         "l"(in + i * 256), "r"(1024), "r"(shared_address(&full[i % 2]))
                         : "memory");
        }
        return;
    }
    float sum = 0;
    for (int i = 0; i < pieces; i++) {
        barrier_wait(shared_address(&full[i % 2]), i / 2 % 2);
        sum += buffer[i % 2][threadIdx.x] + buffer[i % 2][threadIdx.x + 128];
        barrier_arrive(shared_address(&empty[i % 2]));
    }
    out[threadIdx.x] = sum;
}

/* The elected lane of each warp writes for all. */
KERNEL elected(unsigned *out)
{
    unsigned leader, is;
    asm volatile("{\n.reg .pred p;\nelect.sync %0|p, 0xffffffff;\nselp.u32 %1, 1, 0, p;\n}" : "=r"(leader), "=r"(is));
    if (is) out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = 100 * threadIdx.x + leader;
}

/* D = A B of 64 x 8 x 16: rows of A and columns of B as wgmma wants them without a swizzle. */
KERNEL warpgroup(const half *a, const half *b, float *d)
{
    __shared__ __align__(1024) half sa[64 * 16], sb[8 * 16];
    int t = threadIdx.x;
    for (int i = t; i < 64 * 16; i += 128) {
        int r = i / 16, k = i % 16;
        sa[(r / 8 * 2 + k / 8) * 64 + r % 8 * 8 + k % 8] = a[i];
    }
    for (int i = t; i < 8 * 16; i += 128) {
        int c = i / 16, k = i % 16;
        sb[k / 8 * 64 + c * 8 + k % 8] = b[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    unsigned long long da = (unsigned long long)(shared_address(sa) >> 4) | 8ull << 16 | 16ull << 32;
    unsigned long long db = (unsigned long long)(shared_address(sb) >> 4) | 8ull << 16 | 16ull << 32;
    float c[4] = {1, 1, 1, 1};
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "l"(da), "l"(db)
                 : "memory");
    for (int e = 0; e < 4; e++) d[(t / 32 * 16 + t % 32 / 4 + e / 2 * 8) * 8 + t % 4 * 2 + e % 2] = c[e];
}

/* Products of 16 x 8 x 32 of 8-bit floats. */
KERNEL product_e4m3(const unsigned *a, const unsigned *b, float *d)
{
    int t = threadIdx.x;
    float c[4] = {};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[t * 4]), "r"(a[t * 4 + 1]), "r"(a[t * 4 + 2]), "r"(a[t * 4 + 3]), "r"(b[t * 2]), "r"(b[t * 2 + 1]));
    for (int e = 0; e < 4; e++) d[t * 4 + e] = c[e];
}

/* Two kernels in a chain, as programmatic dependent launches write them. */
KERNEL after(float *x)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    x[blockIdx.x * blockDim.x + threadIdx.x] += 1;
    asm volatile("griddepcontrol.launch_dependents;");
}
