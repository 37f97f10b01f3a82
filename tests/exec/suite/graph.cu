/* graph.cu - graphs by capture and by hand: streams that join, updates, clones, children, memory nodes. */
#include <vector>

#include "../check.h"

/* The calls changed their arguments in CUDA 12 and 13. */
#if CUDART_VERSION < 13000
#define cudaGraphGetEdges(g, from, to, data, n)        cudaGraphGetEdges(g, from, to, n)
#define cudaGraphAddDependencies(g, from, to, data, n) cudaGraphAddDependencies(g, from, to, n)
#endif
#if CUDART_VERSION < 12000
#define cudaGraphInstantiate(exec, g, flags)           cudaGraphInstantiate(exec, g, NULL, NULL, 0)
#endif

__global__ void add(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += by;
}
__global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}

enum { N = 1000 };
static float host[N];
static int called;
static void CUDART_CB count(void *arg) { called += *(int *)arg; }

static void expect(const float *x, float value)
{
    CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(host[i] == value);
}

static void by_capture(float *x)
{
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    int one = 1;
    CUDA(cudaStreamCreate(&a));
    CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CUDA(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CUDA(cudaMemset(x, 0, sizeof host));
    CUDA(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    CUDA(cudaStreamIsCapturing(a, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    CUDA(cudaMemsetAsync(x, 0, sizeof host, a));
    add<<<4, 256, 0, a>>>(x, 3, N);
    CUDA(cudaEventRecord(fork, a));
    CUDA(cudaStreamWaitEvent(b, fork, 0));
    scale<<<4, 256, 0, b>>>(x, 2, N);
    CUDA(cudaLaunchHostFunc(b, count, &one));
    CUDA(cudaEventRecord(join, b));
    CUDA(cudaStreamWaitEvent(a, join, 0));
    add<<<4, 256, 0, a>>>(x, 1, N);
    CUDA(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, a));
    CUDA(cudaStreamEndCapture(a, &g));
    CHECK(called == 0);
    expect(x, 0); /* nothing has run yet */
    size_t nodes = 0, edges = 0;
    CUDA(cudaGraphGetNodes(g, NULL, &nodes));
    CUDA(cudaGraphGetEdges(g, NULL, NULL, NULL, &edges));
    CHECK(nodes == 6 && edges >= 5);
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < N; k++) host[k] = -1;
        CUDA(cudaGraphLaunch(exec, a));
        CUDA(cudaStreamSynchronize(a));
        for (int k = 0; k < N; k++) CHECK(host[k] == 7);
    }
    CHECK(called == 3);

    /* The same shape with other arguments takes the place of the first. */
    cudaGraph_t h;
    CUDA(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
    CUDA(cudaMemsetAsync(x, 0, sizeof host, a));
    add<<<4, 256, 0, a>>>(x, 10, N);
    CUDA(cudaEventRecord(fork, a));
    CUDA(cudaStreamWaitEvent(b, fork, 0));
    scale<<<4, 256, 0, b>>>(x, 5, N);
    CUDA(cudaLaunchHostFunc(b, count, &one));
    CUDA(cudaEventRecord(join, b));
    CUDA(cudaStreamWaitEvent(a, join, 0));
    add<<<4, 256, 0, a>>>(x, 1, N);
    CUDA(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, a));
    CUDA(cudaStreamEndCapture(a, &h));
#if CUDART_VERSION < 12000
    cudaGraphNode_t wrong;
    cudaGraphExecUpdateResult result;
    CUDA(cudaGraphExecUpdate(exec, h, &wrong, &result));
    CHECK(result == cudaGraphExecUpdateSuccess);
#else
    cudaGraphExecUpdateResultInfo info;
    CUDA(cudaGraphExecUpdate(exec, h, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
#endif
    CUDA(cudaGraphLaunch(exec, a));
    expect(x, 51);

    /* A stream that is never joined again spoils the capture; it can be begun anew. */
    cudaGraph_t none;
    CUDA(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    CUDA(cudaEventRecord(fork, a));
    add<<<4, 256, 0, a>>>(x, 1, N);
    CUDA(cudaEventRecord(fork, a));
    CUDA(cudaStreamWaitEvent(b, fork, 0));
    add<<<4, 256, 0, b>>>(x, 1, N);
    CHECK(cudaStreamEndCapture(a, &none) == cudaErrorStreamCaptureUnjoined);
    CHECK(cudaGetLastError() == cudaErrorStreamCaptureUnjoined);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(g));
    CUDA(cudaGraphDestroy(h));
    CUDA(cudaEventDestroy(fork));
    CUDA(cudaEventDestroy(join));
    CUDA(cudaStreamDestroy(a));
    CUDA(cudaStreamDestroy(b));
}

static void by_hand(float *x)
{
    cudaGraph_t g, clone, outer;
    cudaGraphNode_t fill, first, second, back, copy, empty;
    cudaGraphExec_t exec;
    float by = 4;
    int n = N;
    CUDA(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {};
    m.dst = x;
    m.elementSize = 4;
    m.width = N;
    m.height = 1;
    CUDA(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &m));
    void *args[] = {&x, &by, &n};
    cudaKernelNodeParams k = {};
    k.func = (void *)add;
    k.gridDim = dim3(4);
    k.blockDim = dim3(256);
    k.kernelParams = args;
    CUDA(cudaGraphAddKernelNode(&first, g, &fill, 1, &k));
    by = 2; /* the node has its own copy of 4 */
    k.func = (void *)scale;
    CUDA(cudaGraphAddKernelNode(&second, g, NULL, 0, &k));
    CUDA(cudaGraphAddDependencies(g, &first, &second, NULL, 1));
    CUDA(cudaGraphAddMemcpyNode1D(&back, g, &second, 1, host, x, sizeof host, cudaMemcpyDeviceToHost));
    CUDA(cudaGraphAddEmptyNode(&empty, g, &back, 1));
    cudaKernelNodeParams got;
    CUDA(cudaGraphKernelNodeGetParams(second, &got));
    CHECK(got.func == (void *)scale && got.gridDim.x == 4 && *(float *)got.kernelParams[1] == 2);
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    CUDA(cudaGraphLaunch(exec, 0));
    for (int i = 0; i < N; i++) CHECK(host[i] == 8);
    by = 100;
    CUDA(cudaGraphExecKernelNodeSetParams(exec, second, &k));
    CUDA(cudaGraphLaunch(exec, 0));
    for (int i = 0; i < N; i++) CHECK(host[i] == 400);
    CUDA(cudaGraphNodeSetEnabled(exec, second, 0));
    CUDA(cudaGraphLaunch(exec, 0));
    for (int i = 0; i < N; i++) CHECK(host[i] == 4);

    /* Order comes from dependencies, not from the order of making; a clone is a graph of its own. */
    cudaGraphNodeType type;
    CUDA(cudaGraphClone(&clone, g));
    CUDA(cudaGraphNodeFindInClone(&copy, first, clone));
    CUDA(cudaGraphNodeGetType(copy, &type));
    CHECK(copy != first && type == cudaGraphNodeTypeKernel);
    CUDA(cudaGraphCreate(&outer, 0));
    cudaGraphNode_t child, last;
    CUDA(cudaGraphAddChildGraphNode(&child, outer, NULL, 0, clone));
    by = 1;
    k.func = (void *)add;
    CUDA(cudaGraphAddKernelNode(&last, outer, &child, 1, &k));
    cudaGraphExec_t whole;
    CUDA(cudaGraphInstantiate(&whole, outer, 0));
    CUDA(cudaGraphDestroy(clone));
    CUDA(cudaGraphLaunch(whole, 0));
    expect(x, 9);
    CHECK(cudaGraphAddDependencies(g, &second, &second, NULL, 1) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaGraphAddDependencies(g, &second, &fill, NULL, 1)); /* in a circle */
    CHECK(cudaGraphInstantiate(&exec, g, 0) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaGraphDestroyNode(second));
    CUDA(cudaGraphDestroy(g));
    CUDA(cudaGraphDestroy(outer));
    CUDA(cudaGraphExecDestroy(whole));
}

static void memory_in_graphs()
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    float *t, sum = 0;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync(&t, N * sizeof(float), s));
    CUDA(cudaMemsetAsync(t, 0, N * sizeof(float), s));
    add<<<4, 256, 0, s>>>(t, 2.5f, N);
    CUDA(cudaMemcpyAsync(host, t, sizeof host, cudaMemcpyDeviceToHost, s));
    CUDA(cudaFreeAsync(t, s));
    CUDA(cudaStreamEndCapture(s, &g));
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    for (int i = 0; i < 2; i++) {
        CUDA(cudaGraphLaunch(exec, s));
        CUDA(cudaStreamSynchronize(s));
        for (int k = 0; k < N; k++) sum += host[k];
    }
    CHECK(sum == 2 * N * 2.5f);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(g));
    CUDA(cudaStreamDestroy(s));
}

int main()
{
    float *x;
    CUDA(cudaMalloc(&x, sizeof host));
    by_capture(x);
    by_hand(x);
    memory_in_graphs();
    printf("graph ok\n");
    return 0;
}
