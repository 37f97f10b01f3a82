/* flow.cu - launches as C++ programs make them: templates, classes, streams, events, dynamic shared
 * memory, cooperative groups, host functions, questions about kernels, two threads. */
#include <cooperative_groups.h>
#include <pthread.h>

#include "check.h"

namespace cg = cooperative_groups;

template <typename T, int N>
__global__ void fill(T *out, T value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) out[i] = value + (T)i;
}

struct Accumulator {
    float weight;
    __device__ float apply(float x) const { return weight * x; }
};

namespace math {
__global__ void apply(Accumulator a, float *data, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = a.apply(data[i]);
}
} // namespace math

__global__ void block_sum(const float *in, float *out)
{
    extern __shared__ float partial[];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += warp.shfl_down(v, d);
    if (warp.thread_rank() == 0) partial[threadIdx.x / 32] = v;
    block.sync();
    if (threadIdx.x == 0) {
        float s = 0;
        for (unsigned i = 0; i < blockDim.x / 32; i++) s += partial[i];
        out[blockIdx.x] = s;
    }
}

static int called;
static void host_function(void *arg) { called += *(int *)arg; }
static void callback(cudaStream_t, cudaError_t status, void *arg)
{
    if (status == cudaSuccess) called += *(int *)arg;
}

static void *other_thread(void *arg)
{
    float *data, host[256];
    CUDA(cudaMalloc(&data, sizeof host));
    fill<float, 256><<<1, 256>>>(data, (float)*(int *)arg);
    CUDA(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) CHECK(host[i] == *(int *)arg + i);
    CUDA(cudaFree(data));
    return NULL;
}

int main()
{
    enum { N = 1024 };
    float *data, *sums, host[N], out[4];
    double *doubles, host2[100];
    cudaStream_t stream;
    cudaEvent_t start, stop, unused;
    float ms = -1;
    CUDA(cudaSetDevice(0));
    CUDA(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    CUDA(cudaEventCreateWithFlags(&unused, cudaEventDisableTiming));
    CUDA(cudaMalloc(&data, sizeof host));
    CUDA(cudaMalloc(&sums, sizeof out));
    CUDA(cudaMalloc(&doubles, sizeof host2));
    CUDA(cudaMemsetAsync(data, 0, sizeof host, stream));
    CUDA(cudaEventRecord(start, stream));
    fill<float, N><<<4, 256, 0, stream>>>(data, 1.0f);
    fill<double, 100><<<1, 128, 0, stream>>>(doubles, 0.5);
    math::apply<<<1, 128, 0, stream>>>(Accumulator{2.0f}, data, N);
    block_sum<<<4, 256, 8 * sizeof(float), stream>>>(data, sums);
    CUDA(cudaEventRecord(stop, stream));
    CUDA(cudaMemcpyAsync(out, sums, sizeof out, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaMemcpyAsync(host2, doubles, sizeof host2, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamWaitEvent(stream, stop, 0));
    int one = 1, ten = 10;
    CUDA(cudaLaunchHostFunc(stream, host_function, &one));
    CUDA(cudaStreamAddCallback(stream, callback, &ten, 0));
    CUDA(cudaStreamSynchronize(stream));
    CHECK(called == 11);
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventQuery(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    CHECK(ms >= 0);
    CHECK(cudaEventElapsedTime(&ms, start, unused) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    for (int b = 0; b < 4; b++) CHECK(out[b] == 2 * (256.f * (b * 256 + 1) + 255 * 128));
    for (int i = 0; i < 100; i++) CHECK(host2[i] == 0.5 + i);
    cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, block_sum));
    CHECK(a.maxThreadsPerBlock == 1024 && a.numRegs > 0 && a.sharedSizeBytes == 0);
    int blocks;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, block_sum, 256, 1024));
    CHECK(blocks > 0);
    int grid, block;
    CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, block_sum, 1024, 0));
    CHECK(block > 0 && grid > 0);
    CUDA(cudaFuncSetCacheConfig(block_sum, cudaFuncCachePreferL1));
    CUDA(cudaFuncSetAttribute(block_sum, cudaFuncAttributeMaxDynamicSharedMemorySize, 16384));
    pthread_t t[2];
    int seed[2] = {100, 200};
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, other_thread, &seed[i]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaDeviceReset());
    CUDA(cudaMalloc(&data, sizeof host)); /* a new life after the reset */
    fill<float, N><<<4, 256>>>(data, 3.0f);
    CUDA(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 3 && host[N - 1] == 3 + N - 1);
    printf("flow ok\n");
    return 0;
}
