/* histogram_sdk - histograms of bytes with 64 and with 256 bins, as partial ones that a second kernel adds.
 *
 * histogram64: CTAs of 64; a thread counts in bytes of shared memory of its own, from uint4 loads, and not
 * more than 15 of these, so that no byte overflows. histogram256: CTAs of 192, a table of words a warp, atomic
 * additions in shared memory, from single words. Partial histograms are stored one after the other, so that
 * the kernels that add them, a CTA a bin, have their lanes 256 and 1024 bytes apart. */

enum { THREADS64 = 64, LOADS64 = 15, THREADS256 = 192, WARPS256 = THREADS256 / 32 };

extern "C" __global__ void histogram64(const uint4 *data, unsigned *partial, int count)
{
    __shared__ unsigned char counter[64 * THREADS64];
    int t = threadIdx.x, place = (t & ~15) | (t & 3) << 2 | (t & 12) >> 2; /* four neighbours in four banks */
    for (int w = t; w < 64 * THREADS64 / 4; w += THREADS64) ((unsigned *)counter)[w] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS64 + t; i < count; i += THREADS64 * gridDim.x) {
        uint4 four = data[i];
        unsigned word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 0; k < 16; k++) counter[(word[k / 4] >> (8 * (k % 4) + 2) & 63) * THREADS64 + place]++;
    }
    __syncthreads();
    unsigned sum = 0; /* of bin t */
    for (int k = 0; k < THREADS64; k++) sum += counter[t * THREADS64 + (k + 4 * t) % THREADS64];
    partial[blockIdx.x * 64 + t] = sum;
}

extern "C" __global__ void histogram256(const unsigned *data, unsigned *partial, int count)
{
    __shared__ unsigned counter[WARPS256 * 256];
    int t = threadIdx.x;
    unsigned *mine = counter + t / 32 * 256;
    for (int w = t; w < WARPS256 * 256; w += THREADS256) counter[w] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS256 + t; i < count; i += THREADS256 * gridDim.x) {
        unsigned word = data[i];
        atomicAdd(&mine[word & 255], 1u);
        atomicAdd(&mine[word >> 8 & 255], 1u);
        atomicAdd(&mine[word >> 16 & 255], 1u);
        atomicAdd(&mine[word >> 24], 1u);
    }
    __syncthreads();
    for (int b = t; b < 256; b += THREADS256) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS256; w++) sum += counter[w * 256 + b];
        partial[blockIdx.x * 256 + b] = sum;
    }
}

extern "C" __global__ void histogram_merge(const unsigned *partial, unsigned *histogram, int count)
{
    __shared__ unsigned sum[256];
    int t = threadIdx.x, bins = gridDim.x;
    unsigned mine = 0;
    for (int i = t; i < count; i += 256) mine += partial[blockIdx.x + i * bins];
    sum[t] = mine;
    for (int reach = 128; reach; reach /= 2) {
        __syncthreads();
        if (t < reach) sum[t] += sum[t + reach];
    }
    if (t == 0) histogram[blockIdx.x] = sum[0];
}
