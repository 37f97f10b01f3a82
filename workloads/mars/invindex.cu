/* invindex - inverted index, map phase: the links in HTML text, a thread per block of it.
 *
 * A byte-wise automaton looks for <a href=" and then walks to the closing quote. The lanes of a warp
 * are a block apart and in different states. One pass counts, another emits: the link's characters
 * and a record of 16 bytes. A link that is not closed within the block is dropped. */
#include "scan.cuh"

struct block {
    int start, length, document, unused;
};
struct record {
    int key, length, document, position;
};

/* The character that state `s` of the automaton waits for: of <a href= and a quote. */
static __device__ int expected(int s) { return s == 8 ? '"' : (int)(0x3d6665726820613cull >> (8 * s)) & 0xff; }

/* The automaton's step: 9 when the opening is complete. The compiler must not know the state: it would
 * make a loop of its own for each, and lanes in different states would never meet again. */
static __device__ int advance(int state, int c)
{
    int next = c == expected(state) ? state + 1 : c == '<';
    asm volatile("" : "+r"(next));
    return next;
}

/* The closing quote at or behind `at`, or `end`. */
static __device__ int closing(const char *text, int at, int end)
{
    while (at < end && text[at] != '"') at++;
    return at;
}

extern "C" __global__ void invindex_count(const char *text, const block *blocks, int *links, int *bytes, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    block b = blocks[t];
    int found = 0, size = 0, state = 0, end = b.start + b.length;
#pragma unroll 1
    for (int k = b.start; k < end; k++) {
        state = advance(state, text[k]);
        if (state == 9) {
            int first = k + 1;
            k = closing(text, first, end);
            state = 0;
            found += k < end;
            size += k < end ? k - first : 0;
        }
    }
    links[t] = found;
    bytes[t] = size;
}

extern "C" __global__ void invindex_emit(const char *text, const block *blocks, const int *links, const int *bytes,
                                         record *records, char *keys, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    block b = blocks[t];
    int at = links[t], key = bytes[t], state = 0, end = b.start + b.length;
#pragma unroll 1
    for (int k = b.start; k < end; k++) {
        state = advance(state, text[k]);
        if (state == 9) {
            int first = k + 1;
            k = closing(text, first, end);
            state = 0;
            if (k < end) {
                records[at++] = record{key, k - first, b.document, first};
                for (int c = first; c < k; c++) keys[key++] = text[c];
            }
        }
    }
}
