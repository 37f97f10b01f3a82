/* reduction - the sum of an array: each CTA adds a strided share in registers, folds it in a
 * shared-memory tree and leaves one partial sum; a second launch of one CTA adds those. */

enum { THREADS = 256 };

extern "C" __global__ void reduce_sum(const float *in, float *out, int n)
{
    __shared__ float part[THREADS];
    float sum = 0.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
