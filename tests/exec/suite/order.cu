/* order.cu - streams, events and the host: functions called between kernels see what was done so far, a diamond of
 * streams joins by events, queries say when, and threads of the host share the device. */
#include <atomic>
#include <thread>
#include <vector>

#include "../check.h"

__global__ void add(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += v;
}
__global__ void join(const int *a, const int *b, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 10 * a[i] + b[i];
}

enum { N = 300 };
struct seen {
    int *pinned, wanted;
    std::atomic<int> calls{0}, wrong{0};
};
static void look(void *arg)
{
    seen *s = (seen *)arg;
    s->calls++;
    for (int i = 0; i < N; i++) s->wrong += s->pinned[i] != s->wanted;
    s->wanted += 5;
}
static void CUDART_CB called(cudaStream_t, cudaError_t status, void *arg)
{
    if (status == cudaSuccess) (*(int *)arg)++;
}

static void one_thread(int number, int *ok)
{
    int *d, h[N];
    cudaStream_t s;
    CUDA(cudaSetDevice(0));
    CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA(cudaMallocAsync(&d, sizeof h, s));
    CUDA(cudaMemsetAsync(d, 0, sizeof h, s));
    for (int k = 0; k < 4; k++) add<<<(N + 63) / 64, 64, 0, s>>>(d, N, number);
    CUDA(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, s));
    CUDA(cudaFreeAsync(d, s));
    CUDA(cudaStreamSynchronize(s));
    *ok = 1;
    for (int i = 0; i < N; i++) *ok &= h[i] == 4 * number;
    CUDA(cudaStreamDestroy(s));
}

int main()
{
    int *a, *b, *c, calls = 0, h[N];
    seen look_at;
    cudaStream_t left, right;
    cudaEvent_t begun, done, end;
    CUDA(cudaMalloc(&a, sizeof h));
    CUDA(cudaMalloc(&b, sizeof h));
    CUDA(cudaMalloc(&c, sizeof h));
    CUDA(cudaMallocHost(&look_at.pinned, sizeof h));
    CUDA(cudaStreamCreate(&left));
    CUDA(cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&begun));
    CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaMemset(a, 0, sizeof h));
    CUDA(cudaMemset(b, 0, sizeof h));
    look_at.wanted = 5;
    for (int k = 0; k < 3; k++) {
        add<<<(N + 63) / 64, 64, 0, left>>>(a, N, 5);
        CUDA(cudaMemcpyAsync(look_at.pinned, a, sizeof h, cudaMemcpyDeviceToHost, left));
        CUDA(cudaLaunchHostFunc(left, look, &look_at));
        CUDA(cudaStreamAddCallback(left, called, &calls, 0));
    }
    CUDA(cudaStreamSynchronize(left));
    CHECK(look_at.calls == 3 && look_at.wrong == 0 && calls == 3);

    CUDA(cudaEventRecord(begun, left));
    CUDA(cudaStreamWaitEvent(right, begun, 0));
    add<<<(N + 63) / 64, 64, 0, right>>>(b, N, 3);
    CUDA(cudaEventRecord(done, right));
    add<<<(N + 63) / 64, 64, 0, left>>>(a, N, 1);
    CUDA(cudaStreamWaitEvent(left, done, 0));
    join<<<(N + 63) / 64, 64, 0, left>>>(a, b, c, N);
    CUDA(cudaEventRecord(end, left));
    CUDA(cudaEventSynchronize(end));
    CHECK(cudaEventQuery(end) == cudaSuccess && cudaStreamQuery(left) == cudaSuccess);
    float ms = -1;
    CUDA(cudaEventElapsedTime(&ms, begun, end));
    CHECK(ms >= 0);
    CUDA(cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(h[i] == 163);

    std::vector<std::thread> threads;
    int ok[4] = {};
    for (int t = 0; t < 4; t++) threads.emplace_back(one_thread, t + 1, &ok[t]);
    for (std::thread &t : threads) t.join();
    CHECK(ok[0] && ok[1] && ok[2] && ok[3]);
    printf("order ok\n");
    return 0;
}
