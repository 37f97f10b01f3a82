/* pageview - page view count, the two map phases: a thread per line of a web log.
 *
 * First the whole line is hashed (equal lines are one visit), then its address, the part up to the
 * first tab. Each phase has a counting and an emitting pass, and reads bytes: lanes are a line's length
 * apart, lines differ in length. Records go out, and come back in, byte by byte, as copies of
 * keys and values of unknown alignment do. */
#include "scan.cuh"

enum { LINE = 12, PAGE = 24 }; /* bytes of a record: ints {hash, start, length}; of a page six ints */

static __device__ void put(char *at, int value)
{
    for (int b = 0; b < 4; b++) at[b] = (char)(value >> (8 * b));
}

static __device__ int get(const char *at)
{
    int value = 0;
    for (int b = 0; b < 4; b++) value |= (at[b] & 0xff) << (8 * b);
    return value;
}

/* Characters before `stop`, which every line has. */
static __device__ int length_to(const char *s, char stop)
{
    int n = 0;
    while (s[n] != stop) n++;
    return n;
}

static __device__ unsigned hash_of(const char *s, int length)
{
    unsigned h = 2166136261u;
    for (int k = 0; k < length; k++) h = (h ^ (unsigned)s[k]) * 16777619u;
    return h;
}

extern "C" __global__ void pageview_line_count(const char *text, const int *starts, int *counts, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) counts[t] = length_to(text + starts[t], '\n') > 0;
}

extern "C" __global__ void pageview_line_emit(const char *text, const int *starts, const int *counts, char *lines, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int start = starts[t], length = length_to(text + start, '\n');
    char *out = lines + LINE * counts[t];
    if (length == 0) return;
    put(out, (int)hash_of(text + start, length));
    put(out + 4, start);
    put(out + 8, length);
}

extern "C" __global__ void pageview_page_count(const char *text, const char *lines, int *sizes, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) sizes[t] = length_to(text + get(lines + LINE * t + 4), '\t');
}

extern "C" __global__ void pageview_page_emit(const char *text, const char *lines, const int *sizes, char *keys,
                                              char *pages, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int start = get(lines + LINE * t + 4), key = sizes[t], length = length_to(text + start, '\t');
    char *out = pages + PAGE * t;
    put(out, (int)hash_of(text + start, length));
    put(out + 4, key);
    put(out + 8, length);
    put(out + 12, get(lines + LINE * t));
    put(out + 16, get(lines + LINE * t + 8));
    put(out + 20, 1);
    for (int k = 0; k < length; k++) keys[key + k] = text[start + k];
}
