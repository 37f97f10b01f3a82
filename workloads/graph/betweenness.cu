/* betweenness - betweenness centrality from a few roots, a thread per node, a launch per level.
 *
 * betweenness_forward: the nodes of a level find the next one and pass their numbers of shortest paths
 * on; lanes that find the same node store the same level. betweenness_backward: from the last level up,
 * a node gathers what those behind it depend on it. Most threads of most launches only read their level. */

extern "C" __global__ void betweenness_init(int *level, float *paths, float *share, int root, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    level[me] = me == root ? 0 : -1;
    paths[me] = me == root ? 1.0f : 0.0f;
    share[me] = 0.0f;
}

extern "C" __global__ void betweenness_forward(const long long *start, const long long *edge, int *level, float *paths,
                                               int *changed, int now, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n || level[me] != now) return;
    float mine = paths[me];
    long long end = start[me + 1];
#pragma unroll 1
    for (long long e = start[me]; e < end; e++) {
        long long other = edge[e];
        int there = *(volatile int *)&level[other];
        if (there < 0) {
            level[other] = there = now + 1;
            *changed = 1;
        }
        if (there == now + 1) atomicAdd(&paths[other], mine);
    }
}

extern "C" __global__ void betweenness_backward(const long long *start, const long long *edge, const int *level,
                                                const float *paths, float *share, int now, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n || level[me] != now) return;
    float sum = 0, mine = paths[me];
    long long end = start[me + 1];
#pragma unroll 1
    for (long long e = start[me]; e < end; e++) {
        long long other = edge[e];
        if (level[other] == now + 1) sum += mine / paths[other] * (1.0f + share[other]);
    }
    share[me] = sum;
}

extern "C" __global__ void betweenness_sum(const float *share, float *centrality, int root, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < n && me != root) centrality[me] += share[me];
}
