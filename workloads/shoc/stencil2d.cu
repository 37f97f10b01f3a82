/* stencil2d - nine-point stencil, a CTA of 256 columns per strip of eight rows.
 *
 * The strip and its halo go to shared memory: each thread loads its own column, the outermost lanes
 * the two halo columns as well. Rows start one float behind a line, so a warp's load spans two. */

enum { COLS = 256, STRIP = 8 };

extern "C" __global__ void stencil2d(const float *in, float *out, int rows, int cols, int pitch, float centre,
                                     float side, float corner)
{
    __shared__ float tile[STRIP + 2][COLS + 2];
    int t = threadIdx.x, col = blockIdx.x * COLS + t, first = blockIdx.y * STRIP;
    int width = min(COLS, cols - (int)blockIdx.x * COLS);
    for (int r = 0; r < STRIP + 2; r++) {
        const float *from = in + (first + r) * pitch + col; /* in[..][0] is the halo */
        if (first + r >= rows + 2) break;
        if (t < width) tile[r][t + 1] = from[1];
        if (t == 0) tile[r][0] = from[0];
        if (t == width - 1) tile[r][t + 2] = from[2];
    }
    __syncthreads();
    if (t >= width) return;
    for (int r = 0; r < STRIP && first + r < rows; r++) {
        float near = tile[r][t + 1] + tile[r + 2][t + 1] + tile[r + 1][t] + tile[r + 1][t + 2];
        float far = tile[r][t] + tile[r][t + 2] + tile[r + 2][t] + tile[r + 2][t + 2];
        out[(first + r + 1) * pitch + col + 1] = centre * tile[r + 1][t + 1] + side * near + corner * far;
    }
}
