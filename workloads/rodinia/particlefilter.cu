/* particlefilter - tracking of an object in noisy frames, a thread per particle, 512 per CTA.
 *
 * particlefilter_likelihood: moves the particle by random steps, writes the pixel index of each
 * point of the object to its row of `ind` and reads it again (lanes countOnes ints apart: 32
 * requests, each line used for about 32 iterations), then gathers the image's bytes. Ends with a
 * sum over the CTA in shared memory.
 * particlefilter_sum: one thread. particlefilter_normalise: coalesced, and one thread that makes
 * the cumulative sums, from the raw weights, so that no CTA waits for another.
 * particlefilter_index: every thread walks the cumulative sums from the start (broadcast) until
 * its own mark is reached, then fetches that particle's place. Loops of unknown length are not unrolled (see
 * kmeans.cu). */

#define THREADS 512
#define PI 3.1415926535897932

/* Uniform in 0 .. 1 from a generator of the particle's own. */
__device__ __forceinline__ double uniform(int *seed, int i)
{
    unsigned next = 1103515245u * (unsigned)seed[i] + 12345u;
    seed[i] = (int)(next & 0x7fffffffu);
    return (seed[i] + 1.0) / 2147483649.0; /* never 0: its logarithm is taken */
}

__device__ __forceinline__ double normal(int *seed, int i)
{
    double u = uniform(seed, i), v = uniform(seed, i);
    return sqrt(-2 * log(u)) * cos(2 * PI * v);
}

extern "C" __global__ void particlefilter_likelihood(double *x, double *y, const double *from_x, const double *from_y,
                                                     int *ind, const int *object, double *weights, double *partial,
                                                     const unsigned char *video, int *seed, int particles, int points,
                                                     int side, int frames, int frame)
{
    __shared__ double sum[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double weight = 0;
    if (i < particles) {
        x[i] = from_x[i] + 1 + 5 * normal(seed, i);
        y[i] = from_y[i] - 2 + 2 * normal(seed, i);
        double like = 0;
#pragma unroll 1
        for (int p = 0; p < points; p++) {
            int ix = (int)rint(x[i]) + object[2 * p + 1], iy = (int)rint(y[i]) + object[2 * p];
            ind[i * points + p] = abs(ix * side * frames + iy * frames + frame);
            if (ind[i * points + p] >= side * side * frames) ind[i * points + p] = 0;
        }
#pragma unroll 1
        for (int p = 0; p < points; p++) {
            double light = video[ind[i * points + p]];
            like += ((light - 100) * (light - 100) - (light - 228) * (light - 228)) / 50;
        }
        weight = exp(like / points) / particles;
        weights[i] = weight;
    }
    sum[threadIdx.x] = weight;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sum[0];
}

extern "C" __global__ void particlefilter_sum(const double *partial, double *total, int ctas)
{
    if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
    double sum = 0;
#pragma unroll 1
    for (int c = 0; c < ctas; c++) sum += partial[c];
    *total = sum;
}

extern "C" __global__ void particlefilter_normalise(const double *raw, const double *total, double *weights,
                                                    double *cdf, double *mark, double start, int particles)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < particles) {
        weights[i] = raw[i] / *total;
        mark[i] = (start + i) / particles;
    }
    if (i != 0) return;
    double sum = 0;
#pragma unroll 1
    for (int p = 0; p < particles; p++) {
        sum += raw[p] / *total;
        cdf[p] = sum;
    }
}

extern "C" __global__ void particlefilter_index(const double *x, const double *y, double *to_x, double *to_y,
                                                const double *cdf, const double *mark, int particles)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles) return;
    int found = particles - 1;
#pragma unroll 1
    for (int p = 0; p < particles; p++)
        if (cdf[p] >= mark[i]) {
            found = p;
            break;
        }
    to_x[i] = x[found];
    to_y[i] = y[found];
}
