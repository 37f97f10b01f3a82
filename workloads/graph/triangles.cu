/* triangles - triangle count, a thread per node: lists are sorted, then intersected.
 *
 * triangles_sort: each thread sorts its own list of eight-byte edges in place, as a heap.
 * triangles_count: a node's list and that of each greater neighbour are walked side by side for common
 * nodes that are greater still, so that every triangle is found once, at its least node. */

/* Restores the heap below `root`: no entry is less than those below it. */
static __device__ void sift(long long *list, int root, int count)
{
    long long moved = list[root];
    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && list[child + 1] > list[child]) child++;
        if (list[child] <= moved) break;
        list[root] = list[child];
    }
    list[root] = moved;
}

extern "C" __global__ void triangles_sort(const long long *start, long long *edge, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    long long *list = edge + start[me];
    int count = (int)(start[me + 1] - start[me]);
    for (int root = count / 2 - 1; root >= 0; root--) sift(list, root, count);
    for (int last = count - 1; last > 0; last--) {
        long long greatest = list[0];
        list[0] = list[last];
        list[last] = greatest;
        sift(list, 0, last);
    }
}

extern "C" __global__ void triangles_count(const long long *start, const long long *edge, int *count, int *total, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    int found = 0;
    long long end = start[me + 1];
    for (long long e = start[me]; e < end; e++) {
        long long other = edge[e], b = start[other], b_end = start[other + 1], a = e + 1;
        if (other <= me) continue;
        while (a < end && b < b_end) { /* what is behind e in the own list is greater than `other` */
            long long x = edge[a], y = edge[b];
            found += x == y;
            a += x <= y;
            b += y <= x;
        }
    }
    count[me] = found;
    if (found) atomicAdd(total, found);
}
