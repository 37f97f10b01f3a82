/* sssp.cu - shortest paths by a worklist: atomics, a flag that the host reads each round, symbols of every kind. */
#include "../check.h"

enum { V = 600, E = 4 };
__device__ int changed;
__constant__ int far_away;
__device__ int *lists[2];

__global__ void relax(const int *to, const int *cost, int *dist, const int *in, int n, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i], d = dist[v];
    for (int e = 0; e < E; e++) {
        int w = to[v * E + e], nd = d + cost[v * E + e];
        if (atomicMin(&dist[w], nd) > nd) {
            changed = 1;
            out[atomicAdd(count, 1)] = w;
        }
    }
}
__global__ void start(int *dist)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < V) dist[i] = i ? far_away : 0;
}

int main()
{
    static int to[V * E], cost[V * E], want[V], got[V];
    int *dto, *dcost, *dist, *in, *out, *count, n = 1, zero = 0, flag = 1, far = 1 << 28;
    for (int i = 0; i < V * E; i++) to[i] = (i * 7 + i / E * 13 + 5) % V, cost[i] = i * 11 % 19 + 1;
    for (int i = 0; i < V; i++) want[i] = i ? far : 0;
    for (int round = 0; round < V; round++)
        for (int i = 0; i < V * E; i++)
            if (want[i / E] + cost[i] < want[to[i]]) want[to[i]] = want[i / E] + cost[i];
    CUDA(cudaMalloc(&dto, sizeof to));
    CUDA(cudaMalloc(&dcost, sizeof cost));
    CUDA(cudaMalloc(&dist, sizeof want));
    CUDA(cudaMalloc(&in, 64 * sizeof want));
    CUDA(cudaMalloc(&out, 64 * sizeof want));
    CUDA(cudaMalloc(&count, sizeof(int)));
    CUDA(cudaMemcpy(dto, to, sizeof to, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dcost, cost, sizeof cost, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyToSymbol(far_away, &far, sizeof far));
    int *both[2] = {in, out}, *addr;
    size_t bytes;
    CUDA(cudaMemcpyToSymbolAsync(lists, both, sizeof both, 0, cudaMemcpyHostToDevice, 0));
    CUDA(cudaGetSymbolAddress((void **)&addr, changed));
    CUDA(cudaGetSymbolSize(&bytes, lists));
    CHECK(bytes == sizeof both);
    start<<<(V + 127) / 128, 128>>>(dist);
    CUDA(cudaMemset(in, 0, sizeof(int)));
    for (int rounds = 0; flag && rounds < 1000; rounds++) {
        CUDA(cudaMemcpyToSymbol(changed, &zero, sizeof zero));
        CUDA(cudaMemset(count, 0, sizeof(int)));
        relax<<<(n + 127) / 128, 128>>>(dto, dcost, dist, in, n, out, count);
        CUDA(cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost));
        CHECK(n <= 64 * V);
        CUDA(cudaMemcpyFromSymbol(&flag, changed, sizeof flag));
        int *t = in;
        in = out;
        out = t;
    }
    CUDA(cudaMemcpy(got, dist, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < V; i++) CHECK(got[i] == want[i]);
    printf("sssp ok\n");
    return 0;
}
