/* pairs.cu - words of 16 bytes that change as a whole (sm_90): a stack without locks whose head carries a version, a
 * running minimum with its place, and exchanges that lose nothing. */
#include "../check.h"

enum { N = 512, NONE = -1 };

struct alignas(16) head {
    long long first, version;
};
struct alignas(16) least {
    double value;
    long long at;
};

__device__ head before(const head *h)
{
    head zero = {0, 0};
    return atomicCAS((head *)h, zero, zero); /* reads both halves at once */
}

__global__ void push(head *h, long long *next)
{
    long long me = blockIdx.x * blockDim.x + threadIdx.x;
    for (head old = before(h);;) {
        next[me] = old.first;
        head now = {me, old.version + 1}, seen = atomicCAS(h, old, now);
        if (seen.first == old.first && seen.version == old.version) break;
        old = seen;
    }
}

__global__ void find_least(const double *v, least *best)
{
    long long i = blockIdx.x * blockDim.x + threadIdx.x;
    least mine = {v[i], i}, none = {0, 0}, old = atomicCAS(best, none, none);
    while (mine.value < old.value || (mine.value == old.value && mine.at < old.at)) {
        least seen = atomicCAS(best, old, mine);
        if (seen.value == old.value && seen.at == old.at) break;
        old = seen;
    }
}

/* A chain of exchanges: what each thread takes out, another had put in. */
__global__ void relay(head *h, long long *sum)
{
    __shared__ head inner;
    if (!threadIdx.x) inner = {7, 7};
    __syncthreads();
    long long me = blockIdx.x * blockDim.x + threadIdx.x + 1;
    head in = {me, -me}, out = atomicExch(h, in), near = atomicExch(&inner, in);
    atomicAdd((unsigned long long *)&sum[0], (unsigned long long)(out.first + near.first));
    atomicAdd((unsigned long long *)&sum[1], (unsigned long long)(out.version + near.version));
    __syncthreads();
    if (threadIdx.x) return;
    atomicAdd((unsigned long long *)&sum[0], (unsigned long long)inner.first);
    atomicAdd((unsigned long long *)&sum[1], (unsigned long long)inner.version);
}

int main()
{
    static long long next[N], sum[2];
    static double v[N];
    bool there[N] = {};
    head *h, host = {NONE, 0};
    least *best, found = {1e300, N};
    long long *dnext, *dsum;
    double *dv;
    CUDA(cudaMalloc(&h, sizeof *h));
    CUDA(cudaMalloc(&best, sizeof *best));
    CUDA(cudaMalloc(&dnext, sizeof next));
    CUDA(cudaMalloc(&dsum, sizeof sum));
    CUDA(cudaMalloc(&dv, sizeof v));
    CUDA(cudaMemcpy(h, &host, sizeof host, cudaMemcpyHostToDevice));
    push<<<N / 64, 64>>>(h, dnext);
    CUDA(cudaMemcpy(&host, h, sizeof host, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(next, dnext, sizeof next, cudaMemcpyDeviceToHost));
    CHECK(host.version == N);
    int length = 0;
    for (long long i = host.first; i != NONE; i = next[i], length++) {
        CHECK(i >= 0 && i < N && !there[i]);
        there[i] = true;
    }
    CHECK(length == N);

    for (int i = 0; i < N; i++) v[i] = (i * 7919 % 1013) * 0.5;
    int want = 0;
    for (int i = 1; i < N; i++)
        if (v[i] < v[want]) want = i;
    CUDA(cudaMemcpy(dv, v, sizeof v, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(best, &found, sizeof found, cudaMemcpyHostToDevice));
    find_least<<<N / 128, 128>>>(dv, best);
    CUDA(cudaMemcpy(&found, best, sizeof found, cudaMemcpyDeviceToHost));
    CHECK(found.value == v[want] && found.at == want);

    host = {0, 0};
    CUDA(cudaMemset(dsum, 0, sizeof sum));
    CUDA(cudaMemcpy(h, &host, sizeof host, cudaMemcpyHostToDevice));
    relay<<<N / 64, 64>>>(h, dsum);
    CUDA(cudaMemcpy(sum, dsum, sizeof sum, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&host, h, sizeof host, cudaMemcpyDeviceToHost));
    long long all = (long long)N * (N + 1) / 2, first = 7 * (N / 64);
    CHECK(host.first == -host.version);
    CHECK(sum[0] + host.first == 2 * all + first && sum[1] + host.version == first - 2 * all);
    printf("pairs ok\n");
    return 0;
}
