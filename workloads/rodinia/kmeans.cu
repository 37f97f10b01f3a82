/* kmeans - k-means clustering: which centre is nearest to each point.
 *
 * kmeans_invert: transposes the features, a thread per point. The load has its lanes one point
 * apart (32 requests, each line used again by up to 31 further iterations), the store is coalesced.
 * kmeans_point: reads the transposed features, coalesced, once for each centre, through the
 * read-only path (ld.global.nc, which the model serves from the texture cache as it would a 1-D
 * texture); the centres lie in constant memory.
 * kmeans_direct: the same without a transpose and without the read-only path: features as they
 * come, the lanes one point apart, and the centres as broadcast words from global memory.
 *
 * `apart` is the distance of two transposed columns, in floats: fewer points then keep the sets of the cache that
 * the full size uses. Loops are not unrolled: compilers of the papers' time left loops of unknown length alone, and
 * Mascar's 0.27 instructions per miss are those of the plain loop. */

#define MAX_CENTRE_FLOATS 8192

__constant__ float centres[MAX_CENTRE_FLOATS];

extern "C" __global__ void kmeans_invert(float *in, float *out, int points, int features, int apart)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points) return;
#pragma unroll 1
    for (int f = 0; f < features; f++) out[p + apart * f] = in[p * features + f];
}

extern "C" __global__ void kmeans_point(const float *__restrict__ columns, int *__restrict__ member, int points,
                                        int features, int clusters, int apart)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points) return;
    int best = -1;
    float least = 3.4e38f;
#pragma unroll 1
    for (int c = 0; c < clusters; c++) {
        float sum = 0;
#pragma unroll 1
        for (int f = 0; f < features; f++) {
            float d = __ldg(&columns[p + apart * f]) - centres[c * features + f];
            sum = fmaf(d, d, sum);
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    member[p] = best;
}

extern "C" __global__ void kmeans_direct(float *rows, float *centre, int *member, int points, int features,
                                         int clusters, int pitch)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points) return;
    int best = -1;
    float least = 3.4e38f;
#pragma unroll 1
    for (int c = 0; c < clusters; c++) {
        float sum = 0;
#pragma unroll 1
        for (int f = 0; f < features; f++) {
            float d = rows[p * pitch + f] - centre[c * pitch + f];
            sum = fmaf(d, d, sum);
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    member[p] = best;
}
