/* histo - histogram of an image with many bins, which saturates at 255: three kernels.
 *
 * histo_intermediates: a CTA has 16 rows and a thread for every two pixels; it turns each into a
 * descriptor {range of bins, place in it}. Rows do not begin on lines. histo_main: a CTA counts the
 * pixels of one range among its share of the descriptors, in bytes of shared memory; a byte that is
 * full sends the pixel to a global counter. histo_final: adds the partial histograms and clamps. */

enum { ROWS = 16, RANGE_BINS = 24576, PARTS = 14 };

static __device__ uchar4 describe(unsigned bin)
{
    unsigned range = bin / RANGE_BINS, place = bin - range * RANGE_BINS;
    return make_uchar4((unsigned char)range, (unsigned char)(place >> 8), (unsigned char)(place & 255),
                       (unsigned char)(place & 3));
}

extern "C" __global__ void histo_intermediates(const uint2 *image, uchar4 *even, uchar4 *odd, int rows, int half)
{
    int t = threadIdx.x, row = blockIdx.x * ROWS;
#pragma unroll 1
    for (int i = 0; i < ROWS && row < rows; i++, row++) {
        uint2 pixels = image[row * half + t];
        even[row * half + t] = describe(pixels.x);
        odd[row * half + t] = describe(pixels.y);
    }
}

extern "C" __global__ void histo_main(const uchar4 *descriptors, unsigned *parts, unsigned *overflow, int count,
                                      int words)
{
    __shared__ unsigned counter[RANGE_BINS / 4];
    int range = blockIdx.y;
    for (int w = threadIdx.x; w < RANGE_BINS / 4; w += blockDim.x) counter[w] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        uchar4 d = descriptors[i];
        if (d.x != range) continue;
        int place = d.y << 8 | d.z, shift = 8 * d.w;
        for (unsigned old = counter[place / 4], seen;; old = seen) {
            if ((old >> shift & 255) == 255) { /* full: this byte changes no more */
                atomicAdd(&overflow[range * RANGE_BINS + place], 1u);
                break;
            }
            seen = atomicCAS(&counter[place / 4], old, old + (1u << shift));
            if (seen == old) break;
        }
    }
    __syncthreads();
    unsigned *out = parts + blockIdx.x * words + range * (RANGE_BINS / 4);
    for (int w = threadIdx.x; w < RANGE_BINS / 4; w += blockDim.x) out[w] = counter[w];
}

static __device__ unsigned char clamp(unsigned n) { return (unsigned char)(n < 255 ? n : 255); }

extern "C" __global__ void histo_final(uint4 *overflow, const unsigned *parts, uchar4 *histogram, int words)
{
    for (int w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += gridDim.x * blockDim.x) {
        uint4 sum = overflow[w];
        overflow[w] = make_uint4(0, 0, 0, 0); /* ready for the next image */
#pragma unroll
        for (int p = 0; p < PARTS; p++) {
            unsigned part = parts[p * words + w];
            sum.x += part & 255;
            sum.y += part >> 8 & 255;
            sum.z += part >> 16 & 255;
            sum.w += part >> 24;
        }
        histogram[w] = make_uchar4(clamp(sum.x), clamp(sum.y), clamp(sum.z), clamp(sum.w));
    }
}
