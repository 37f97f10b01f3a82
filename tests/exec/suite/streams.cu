/* streams.cu - several streams with priorities: chunks are copied, worked on and copied back, events order them, callbacks
 * and host functions count. */
#include "../check.h"

__global__ void work(float *x, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * by + 1;
}

static int calls;
static void CUDART_CB called(cudaStream_t, cudaError_t e, void *arg) { calls += e == cudaSuccess ? *(int *)arg : 1000; }
static void CUDART_CB host(void *arg) { calls += *(int *)arg; }

int main()
{
    enum { STREAMS = 4, CHUNK = 1024 };
    cudaStream_t s[STREAMS];
    cudaEvent_t begin, end, done[STREAMS];
    float *pinned, *x, ms;
    int least, greatest, priority, one = 1;
    unsigned flags;
    CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA(cudaHostAlloc(&pinned, STREAMS * CHUNK * sizeof(float), cudaHostAllocDefault));
    CUDA(cudaMalloc(&x, STREAMS * CHUNK * sizeof(float)));
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    for (int i = 0; i < STREAMS; i++) {
        CUDA(cudaStreamCreateWithPriority(&s[i], cudaStreamNonBlocking, i % 2 ? greatest : least));
        CUDA(cudaStreamGetPriority(s[i], &priority));
        CUDA(cudaStreamGetFlags(s[i], &flags));
        CHECK(priority == (i % 2 ? greatest : least) && flags == cudaStreamNonBlocking);
        CUDA(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
    }
    for (int i = 0; i < STREAMS * CHUNK; i++) pinned[i] = (float)(i % 100);
    CUDA(cudaEventRecord(begin));
    for (int i = 0; i < STREAMS; i++) {
        float *part = x + i * CHUNK, *mine = pinned + i * CHUNK;
        CUDA(cudaMemcpyAsync(part, mine, CHUNK * sizeof(float), cudaMemcpyHostToDevice, s[i]));
        if (i) CUDA(cudaStreamWaitEvent(s[i], done[i - 1], 0));
        work<<<CHUNK / 256, 256, 0, s[i]>>>(part, CHUNK, 2);
        CUDA(cudaMemcpyAsync(mine, part, CHUNK * sizeof(float), cudaMemcpyDeviceToHost, s[i]));
        CUDA(cudaStreamAddCallback(s[i], called, &one, 0));
        CUDA(cudaLaunchHostFunc(s[i], host, &one));
        CUDA(cudaEventRecord(done[i], s[i]));
    }
    CUDA(cudaEventRecord(end));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    for (int i = 0; i < STREAMS; i++) {
        CUDA(cudaStreamSynchronize(s[i]));
        CHECK(cudaStreamQuery(s[i]) == cudaSuccess && cudaEventQuery(done[i]) == cudaSuccess);
        CUDA(cudaStreamDestroy(s[i]));
    }
    for (int i = 0; i < STREAMS * CHUNK; i++) CHECK(pinned[i] == (float)(i % 100) * 2 + 1);
    CHECK(calls == 2 * STREAMS && ms >= 0);
    CHECK(cudaEventElapsedTime(&ms, done[0], end) == cudaErrorInvalidResourceHandle); /* keeps no time */
    CUDA(cudaFreeHost(pinned));
    printf("streams ok\n");
    return 0;
}
