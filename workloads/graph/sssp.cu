/* sssp - shortest paths from one node, a thread per node, in two forms.
 *
 * sssp_relax, sssp_update: only nodes whose distance changed in the last round relax their edges;
 * flags are bytes, node offsets and edges have eight bytes. New distances are collected apart and
 * taken over by the second kernel. sssp_all: every node relaxes its edges in every round, in place;
 * how many rounds that takes depends on the order, the distances do not. */

enum { FAR = 0x3fffffff };

extern "C" __global__ void sssp_init(int *distance, int *found, unsigned char *active, int source, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    distance[me] = found[me] = me == source ? 0 : FAR;
    active[me] = me == source;
}

extern "C" __global__ void sssp_relax(const long long *start, const long long *edge, const int *weight,
                                      const int *distance, int *found, unsigned char *active, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n || !active[me]) return;
    active[me] = 0;
    int mine = distance[me];
    long long end = start[me + 1];
#pragma unroll 1
    for (long long e = start[me]; e < end; e++) atomicMin(&found[edge[e]], mine + weight[e]);
}

extern "C" __global__ void sssp_update(int *distance, int *found, unsigned char *active, int *changed, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    int now = found[me];
    if (now >= distance[me]) return;
    distance[me] = now;
    active[me] = 1;
    *changed = 1;
}

extern "C" __global__ void sssp_all(const int *start, const int *edge, const int *weight, int *distance, int *changed,
                                    int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    int end = start[me + 1];
#pragma unroll 1
    for (int e = start[me]; e < end; e++) {
        int other = edge[e], length = weight[e] + *(volatile int *)&distance[me];
        if (length >= *(volatile int *)&distance[other]) continue;
        atomicMin(&distance[other], length);
        *changed = 1;
    }
}
