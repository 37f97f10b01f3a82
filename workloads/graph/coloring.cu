/* coloring - graph colouring by independent sets, a thread per node, in two forms.
 *
 * coloring_max, coloring_assign: a node learns the greatest priority among its uncoloured
 * neighbours, then takes the round's colour if its own is greater. coloring_step: the same test
 * in one kernel that gives up at the first greater neighbour, with eight-byte offsets and edges; a
 * neighbour that got this round's colour meanwhile counts as uncoloured, so the order does not matter.
 * No two nodes have the same priority. */

extern "C" __global__ void coloring_max(const int *start, const int *edge, const int *priority, const int *color,
                                        int *greatest, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n || color[me] >= 0) return;
    int most = -1, end = start[me + 1];
#pragma unroll 1
    for (int e = start[me]; e < end; e++) {
        int other = edge[e];
        if (color[other] < 0) most = max(most, priority[other]);
    }
    greatest[me] = most;
}

extern "C" __global__ void coloring_assign(const int *priority, const int *greatest, int *color, int *changed,
                                           int round, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n || color[me] >= 0) return;
    if (priority[me] > greatest[me]) color[me] = round;
    else *changed = 1;
}

extern "C" __global__ void coloring_step(const long long *start, const long long *edge, const int *priority, int *color,
                                         int *changed, int round, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n || color[me] >= 0) return;
    int mine = priority[me];
    long long end = start[me + 1];
#pragma unroll 1
    for (long long e = start[me]; e < end; e++) {
        long long other = edge[e];
        int taken = *(volatile int *)&color[other];
        if ((taken >= 0 && taken != round) || priority[other] < mine) continue;
        *changed = 1;
        return;
    }
    color[me] = round;
}
