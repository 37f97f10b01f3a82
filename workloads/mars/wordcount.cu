/* wordcount - word count, map phase: the words of upper-case text, a thread per block of it.
 *
 * Each word is walked to the first character that is no letter, where the thread writes a zero back
 * into the line it just read. One pass counts, another emits a record of 8 bytes per word. */
#include "scan.cuh"

struct block {
    int start, length, unused[2];
};
struct record {
    int start, length;
};

static __device__ bool letter(char c) { return c >= 'A' && c <= 'Z'; }

/* The first character of the next word, and in *k the one behind it; `end` when there is none. */
static __device__ int next_word(char *text, int *k, int end)
{
    int at = *k;
    while (at < end && !letter(text[at])) at++;
    int first = at;
    while (at < end && letter(text[at])) at++;
    if (first < at && at < end) text[at] = 0;
    *k = at;
    return first;
}

extern "C" __global__ void wordcount_count(char *text, const block *blocks, int *words, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    block b = blocks[t];
    int found = 0, k = b.start, end = b.start + b.length;
    while (next_word(text, &k, end) < end) found++;
    words[t] = found;
}

extern "C" __global__ void wordcount_emit(char *text, const block *blocks, const int *words, record *records, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    block b = blocks[t];
    int at = words[t], k = b.start, end = b.start + b.length;
    for (int first; (first = next_word(text, &k, end)) < end; at++) records[at] = record{first, k - first};
}
