/* components - connected components, in two forms.
 *
 * components_label, components_jump: a thread per node takes the least label around it, then follows
 * its label to that node's. components_hook, _copy, _root: a thread has eight consecutive edges, which
 * hang the greater root under the lesser; then every node finds its root. What a kernel reads, it
 * does not write: the number of rounds does not depend on the order of threads. */

enum { CHUNK = 8 };

extern "C" __global__ void components_label(const int *start, const int *edge, const int *label, int *out, int *changed,
                                            int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    int mine = label[me], least = mine, end = start[me + 1];
#pragma unroll 1
    for (int e = start[me]; e < end; e++) least = min(least, label[edge[e]]);
    out[me] = least;
    if (least < mine) *changed = 1;
}

extern "C" __global__ void components_jump(const int *label, int *out, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < n) out[me] = label[label[me]];
}

extern "C" __global__ void components_hook(const long long *from, const long long *to, unsigned char *open,
                                           const int *parent, int *shadow, int *changed, int edges)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * CHUNK;
#pragma unroll 1
    for (int e = first; e < first + CHUNK && e < edges; e++) {
        if (!open[e]) continue;
        int a = parent[from[e]], b = parent[to[e]];
        if (a == b) {
            open[e] = 0;
            continue;
        }
        atomicMin(&shadow[max(a, b)], min(a, b));
        *changed = 1;
    }
}

extern "C" __global__ void components_copy(int *parent, const int *shadow, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < n) parent[me] = shadow[me];
}

extern "C" __global__ void components_root(const int *parent, int *shadow, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    int root = parent[me];
    for (int up; (up = parent[root]) != root;) root = up;
    shadow[me] = root;
}
