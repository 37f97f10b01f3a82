/* btree - searches in a B+ tree of order 256, a CTA of 256 threads per query.
 *
 * A node is about 2 KB: header, 257 indices, 257 keys. On each level the CTA reads its place (one
 * broadcast word), every thread two neighbouring keys (coalesced, misaligned), and the one thread
 * whose interval holds the key reads the child's index and writes the next place. Upper levels are
 * shared by all CTAs. btree_find: single keys; btree_range: both ends of a range at once. */

#define ORDER 256

struct node {
    int location;
    int index[ORDER + 1];
    int key[ORDER + 1];
    int leaf, count;
};

extern "C" __global__ void btree_find(int height, node *nodes, long long *current, long long *next, int *keys,
                                      int *records, int *answer)
{
    int t = threadIdx.x, q = blockIdx.x;
    for (int level = 0; level < height; level++) {
        if (nodes[current[q]].key[t] <= keys[q] && nodes[current[q]].key[t + 1] > keys[q])
            next[q] = nodes[current[q]].index[t];
        __syncthreads();
        if (t == 0) current[q] = next[q];
        __syncthreads();
    }
    if (nodes[current[q]].key[t] == keys[q]) answer[q] = records[nodes[current[q]].index[t]];
}

extern "C" __global__ void btree_range(int height, node *nodes, long long *current, long long *next, long long *last,
                                       long long *next_last, int *from, int *to, int *start, int *length)
{
    int t = threadIdx.x, q = blockIdx.x;
    for (int level = 0; level < height; level++) {
        if (nodes[current[q]].key[t] <= from[q] && nodes[current[q]].key[t + 1] > from[q])
            next[q] = nodes[current[q]].index[t];
        if (nodes[last[q]].key[t] <= to[q] && nodes[last[q]].key[t + 1] > to[q]) next_last[q] = nodes[last[q]].index[t];
        __syncthreads();
        if (t == 0) {
            current[q] = next[q];
            last[q] = next_last[q];
        }
        __syncthreads();
    }
    if (nodes[current[q]].key[t] == from[q]) start[q] = nodes[current[q]].index[t];
    __syncthreads();
    if (nodes[last[q]].key[t] == to[q]) length[q] = nodes[last[q]].index[t] - start[q] + 1;
}
