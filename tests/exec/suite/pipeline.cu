/* pipeline.cu - libcu++: pipelines of several stages, barriers with split arrival, latches, semaphores, atomics of
 * every scope, as tiled programs of CUDA 11 and later use them. */
#include "../check.h"
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/complex>
namespace cg = cooperative_groups;

enum { BLOCK = 64, TILES = 9, STAGES = 3 };

__global__ void staged(const float *in, float *out)
{
    __shared__ float stage[STAGES][BLOCK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int take = 0, fetch = 0; take < TILES; take++) {
        for (; fetch < TILES && fetch < take + STAGES; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[fetch % STAGES], in + fetch * BLOCK, sizeof(float) * BLOCK, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[take * BLOCK + threadIdx.x] = stage[take % STAGES][(threadIdx.x + 1) % BLOCK] * 2.0f;
        pipe.consumer_release();
    }
}

/* Each thread its own pipeline. */
__global__ void alone(const int4 *in, int4 *out)
{
    __shared__ int4 stage[2][BLOCK];
    auto pipe = cuda::make_pipeline();
    int i = threadIdx.x;
    for (int take = 0, fetch = 0; take < TILES; take++) {
        for (; fetch < TILES && fetch < take + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[fetch % 2][i], in + fetch * BLOCK + i, cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        if (take + 1 == TILES) pipe.consumer_wait();
        int4 v = stage[take % 2][i];
        out[take * BLOCK + i] = make_int4(v.w, v.z, v.y, v.x);
        pipe.consumer_release();
    }
}

/* Producers and consumers are different warps. */
__global__ void two_roles(const int *in, int *out)
{
    __shared__ int buffer[2][32];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready[2], filled[2];
    auto block = cg::this_thread_block();
    if (block.thread_rank() < 2) {
        init(&ready[block.thread_rank()], block.size());
        init(&filled[block.thread_rank()], block.size());
    }
    block.sync();
    bool producer = threadIdx.x < 32;
    int lane = threadIdx.x % 32;
    if (!producer) {
        (void)ready[0].arrive();
        (void)ready[1].arrive();
    }
    for (int t = 0; t < TILES; t++) {
        if (producer) {
            ready[t % 2].arrive_and_wait();
            buffer[t % 2][lane] = in[32 * t + lane];
            (void)filled[t % 2].arrive();
        } else {
            filled[t % 2].arrive_and_wait();
            out[32 * t + lane] = buffer[t % 2][31 - lane] + t;
            if (t + 2 < TILES) (void)ready[t % 2].arrive();
        }
    }
}

__device__ cuda::atomic<int, cuda::thread_scope_device> tickets;
__device__ cuda::atomic<unsigned long long> total;

__global__ void counting(int *order, float *sum, cuda::std::complex<float> *z)
{
    __shared__ cuda::latch<cuda::thread_scope_block> *gate;
    __shared__ alignas(cuda::latch<cuda::thread_scope_block>) char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
    __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 4> *slots;
    __shared__ alignas(8) char places[64];
    __shared__ int inside, most;
    if (threadIdx.x == 0) {
        gate = new (room) cuda::latch<cuda::thread_scope_block>(blockDim.x);
        slots = new (places) cuda::counting_semaphore<cuda::thread_scope_block, 4>(4);
        inside = most = 0;
    }
    __syncthreads();
    int mine = tickets.fetch_add(1, cuda::memory_order_relaxed);
    order[mine] = 1;
    total.fetch_max(mine);
    cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(1.0f);
    slots->acquire();
    atomicMax(&most, atomicAdd(&inside, 1) + 1);
    atomicSub(&inside, 1);
    slots->release();
    gate->arrive_and_wait();
    if (threadIdx.x == 0) z[blockIdx.x] = cuda::std::complex<float>((float)most, 2) * cuda::std::complex<float>(0, 1);
}

int main()
{
    enum { N = TILES * BLOCK };
    static float f[N], g[N];
    static int4 p[N], q[N];
    float *df, *dg;
    int4 *dp, *dq;
    CUDA(cudaMalloc(&df, sizeof f));
    CUDA(cudaMalloc(&dg, sizeof g));
    CUDA(cudaMalloc(&dp, sizeof p));
    CUDA(cudaMalloc(&dq, sizeof q));
    for (int i = 0; i < N; i++) f[i] = i * 0.5f, p[i] = make_int4(i, i + 1, i + 2, i * i);
    CUDA(cudaMemcpy(df, f, sizeof f, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dp, p, sizeof p, cudaMemcpyHostToDevice));
    staged<<<1, BLOCK>>>(df, dg);
    alone<<<1, BLOCK>>>(dp, dq);
    CUDA(cudaMemcpy(g, dg, sizeof g, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(q, dq, sizeof q, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(g[i] == 2.0f * f[i / BLOCK * BLOCK + (i + 1) % BLOCK]);
    for (int i = 0; i < N; i++) CHECK(q[i].x == p[i].w && q[i].y == p[i].z && q[i].z == p[i].y && q[i].w == p[i].x);
    int *di = (int *)dp, *dj = (int *)dq, h[32 * TILES];
    two_roles<<<1, 64>>>(di, dj);
    CUDA(cudaMemcpy(h, dj, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32 * TILES; i++) CHECK(h[i] == ((int *)p)[i / 32 * 32 + 31 - i % 32] + i / 32);
    CUDA(cudaMemset(df, 0, sizeof f));
    CUDA(cudaMemset(dj, 0, sizeof q));
    counting<<<2, 32>>>(dj, df, (cuda::std::complex<float> *)dg);
    CUDA(cudaMemcpy(h, dj, 4 * 64, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(f, df, 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(g, dg, 16, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) CHECK(h[i] == 1);
    CHECK(f[0] == 64);
    for (int i = 0; i < 2; i++) CHECK(g[2 * i] == -2 && g[2 * i + 1] >= 1 && g[2 * i + 1] <= 4);
    puts("pipeline ok");
}
