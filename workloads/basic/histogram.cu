/* histogram - how often each byte value occurs: every CTA counts its share in shared memory
 * with atomics, then merges its 256 bins into the global ones. */

enum { BINS = 256 };

extern "C" __global__ void histogram(const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned count[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) count[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&count[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (count[b]) atomicAdd(&bins[b], count[b]);
}
