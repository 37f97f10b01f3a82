/* sad - sums of absolute differences for motion estimation: every 4 x 4 block of the current frame
 * against all 33 x 33 displacements in the reference frame.
 *
 * sad_blocks: a CTA of 61 threads has a block; a thread has 18 displacements, three neighbours at a
 * time, for which it fetches 4 rows of 6 pixels from a 2-D texture of 16-bit pixels. The block itself
 * and the results are in shared memory; these are copied out as words of 8 bytes.
 * sad_larger_8: a CTA of 32 x 4 has a macroblock, a row of threads an 8 x 8 quarter of it: from the sums
 * of its four blocks, two displacements a word, those of 8 x 4, 4 x 8 and 8 x 8. A warp streams 17 times
 * (with a remainder) over four planes of 2192 bytes and writes five. */

enum { RANGE = 16, SPAN = 2 * RANGE + 1, PLACES = SPAN * SPAN, PITCH = 1096, EACH = 18, THREADS = 61, BLOCK = 4 };

/* Plane of block b (0..15, row by row) of macroblock m; behind all of them 8 x 4, 4 x 8 and 8 x 8. */
static __device__ int plane(int m, int b) { return (m * 16 + b) * PITCH; }

extern "C" __global__ void sad_blocks(cudaTextureObject_t reference, const unsigned short *current,
                                      unsigned short *sums, int width)
{
    __shared__ unsigned short own[BLOCK * BLOCK];
    __shared__ __align__(8) unsigned short result[THREADS * EACH + 2];
    int t = threadIdx.x, x = blockIdx.x * BLOCK, y = blockIdx.y * BLOCK;
    if (t < BLOCK * BLOCK) own[t] = current[(y + t / BLOCK) * width + x + t % BLOCK];
    __syncthreads();
#pragma unroll 1
    for (int p = t * EACH; p < (t + 1) * EACH && p < PLACES; p += 3) { /* SPAN is a multiple of 3 */
        int dx = p % SPAN - RANGE, dy = p / SPAN - RANGE;
        int sum0 = 0, sum1 = 0, sum2 = 0;
#pragma unroll
        for (int r = 0; r < BLOCK; r++) {
            int row[BLOCK + 2];
#pragma unroll
            for (int c = 0; c < BLOCK + 2; c++)
                row[c] = tex2D<unsigned short>(reference, (float)(x + dx + c), (float)(y + dy + r));
#pragma unroll
            for (int c = 0; c < BLOCK; c++) {
                int here = own[r * BLOCK + c];
                sum0 += abs(row[c] - here);
                sum1 += abs(row[c + 1] - here);
                sum2 += abs(row[c + 2] - here);
            }
        }
        result[p] = (unsigned short)sum0;
        result[p + 1] = (unsigned short)sum1;
        result[p + 2] = (unsigned short)sum2;
    }
    __syncthreads();
    int macroblock = blockIdx.y / 4 * (gridDim.x / 4) + blockIdx.x / 4, block = blockIdx.y % 4 * 4 + blockIdx.x % 4;
    uint2 *out = (uint2 *)(sums + plane(macroblock, block));
    const uint2 *from = (const uint2 *)result;
    for (int w = t; w < PITCH / 4; w += THREADS) out[w] = from[w];
}

extern "C" __global__ void sad_larger_8(unsigned *sums, int macroblocks)
{
    int m = blockIdx.y * gridDim.x + blockIdx.x, q = threadIdx.y, b = q / 2 * 8 + q % 2 * 2, words = PITCH / 2;
    unsigned *all = sums + macroblocks * 16 * words; /* 8 x 4, 4 x 8 (8 planes each), then 8 x 8 (4) */
    const unsigned *p = sums + plane(m, b) / 2;
    unsigned *s84 = all + (m * 8 + 2 * q) * words, *s48 = s84 + macroblocks * 8 * words;
    unsigned *s88 = all + (macroblocks * 16 + m * 4 + q) * words;
    for (int w = threadIdx.x; w < words; w += 32) { /* two sums of 16 bits a word: none carries into the other */
        unsigned p0 = p[w], p1 = p[words + w], p4 = p[4 * words + w], p5 = p[5 * words + w];
        unsigned top = p0 + p1, bottom = p4 + p5;
        s84[w] = top;
        s84[words + w] = bottom;
        s48[w] = p0 + p4;
        s48[words + w] = p1 + p5;
        s88[w] = top + bottom;
    }
}
