/* degree - degree centrality: every node adds one to each node its edges lead to.
 *
 * A lane walks its own list of eight-byte edges; the additions are atomic and pass the L1 cache. */

extern "C" __global__ void degree_init(int *in, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < n) in[me] = 0;
}

extern "C" __global__ void degree_count(const long long *start, const long long *edge, int *in, int *out, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    long long first = start[me], end = start[me + 1];
#pragma unroll 1
    for (long long e = first; e < end; e++) atomicAdd(&in[edge[e]], 1);
    out[me] = (int)(end - first);
}
