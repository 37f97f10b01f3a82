/* mummer - exact matches of short queries in a long reference, on the suffix tree of the reference.
 *
 * A thread has a query. Nodes {start, end of the edge, -, suffix link} and children {A, C, T, G} are
 * 16 bytes each and come through two 2-D textures, chasing pointers: lanes go their own ways. Query
 * bytes lie one query apart, reference bytes anywhere. For each place of the query where a match may
 * start, the node below which it ends and its length are stored; the suffix link leads to where the
 * match of the next place goes on. */

enum { ROW_SHIFT = 12 }; /* nodes a row of the textures: 4096 */
#define NO_LINK 0xffffffffu

static __device__ __forceinline__ uint4 fetch(cudaTextureObject_t t, unsigned node)
{
    return tex2D<uint4>(t, (float)(node & ((1u << ROW_SHIFT) - 1)), (float)(node >> ROW_SHIFT));
}

static __device__ __forceinline__ unsigned child_of(uint4 kids, char base)
{
    int k = base >> 1 & 3; /* A 0, C 1, T 2, G 3 */
    return k < 2 ? (k ? kids.y : kids.x) : (k == 2 ? kids.z : kids.w);
}

extern "C" __global__ void mummer(cudaTextureObject_t nodes, cudaTextureObject_t children, const char *queries,
                                  const char *reference, uint2 *results, int count, int pitch, int length, int least)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= count) return;
    const char *query = queries + q * pitch;
    uint2 *out = results + q * (length - least + 1);
    unsigned node = 0; /* the root */
    int depth = 0;     /* bases from the root to it */
    for (int start = 0; start + least <= length; start++) {
        int at = start + depth;
        unsigned below = node;
        while (at < length) {
            unsigned next = child_of(fetch(children, node), query[at]);
            if (!next) break;
            uint4 edge = fetch(nodes, next);
            int r = edge.x + 1;
            at++;
            while (r < (int)edge.y && at < length && reference[r] == query[at]) r++, at++;
            below = next;
            if (r < (int)edge.y || edge.w == NO_LINK) break;
            node = next;
            depth += edge.y - edge.x;
        }
        out[start] = make_uint2(below, at - start);
        node = fetch(nodes, node).w;
        depth = max(depth - 1, 0);
    }
}
