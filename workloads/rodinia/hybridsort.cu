/* hybridsort - the histogram of the sort's first phase: 1024 buckets of floats, 96 threads per CTA.
 *
 * Keys are streamed, coalesced. Each of the three warps counts in its own table in shared memory
 * without atomics: a lane writes the count with its own number in the upper bits and tries again
 * when it finds another lane's number there. The lanes of a warp stay together in that loop (a
 * vote ends it), so it is right on machines that schedule lanes one by one, too. The tables are
 * added up and merged with global atomics. */

#define BINS 1024
#define WARPS 3
#define TAG_SHIFT 27

extern "C" __global__ void hybridsort_histogram(const float *keys, unsigned *total, float low, float range, int n)
{
    __shared__ volatile unsigned table[WARPS][BINS];
    volatile unsigned *mine = table[threadIdx.x / 32];
    const unsigned tag = (threadIdx.x & 31u) << TAG_SHIFT, count_mask = (1u << TAG_SHIFT) - 1;

    for (int i = threadIdx.x; i < WARPS * BINS; i += blockDim.x) table[0][i] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int first = blockIdx.x * blockDim.x; first < n; first += stride) {
        int i = first + threadIdx.x;
        bool pending = i < n;
        int bin = pending ? min((int)((keys[i] - low) / range * BINS), BINS - 1) : 0;
        while (__any_sync(0xffffffffu, pending)) {
            unsigned value = pending ? tag | ((mine[bin] & count_mask) + 1) : 0;
            __syncwarp();
            if (pending) mine[bin] = value;
            __syncwarp();
            if (pending) pending = mine[bin] != value;
            __syncwarp();
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS; w++) sum += table[w][b] & count_mask;
        atomicAdd(&total[b], sum);
    }
}
