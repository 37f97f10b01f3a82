/* leukocyte - finding and following white blood cells in a video: the three kernels of the program.
 *
 * The image is stored by column. leukocyte_gicov: a CTA has a column, a thread a row; around the pixel
 * lie seven circles of 150 points. Offsets, sines and cosines come from constant memory, the gradients
 * through two 1-D textures, consecutive rows in a warp, misaligned by the offset. Mean and variance of
 * the outward gradient are kept as they go, with a division a point.
 * leukocyte_dilate: a thread has a pixel and takes the greatest of those that a disc of 25 x 25, in
 * constant memory, covers; the image comes through a 1-D texture.
 * leukocyte_imgvf: a CTA of 320 has a cell of 41 x 81 in shared memory and repeats a step that weighs
 * the differences to the eight neighbours with an arctangent each; it reads one word of the image for
 * every element in each step and stops when the mean change is small. */

enum { CIRCLES = 7, POINTS = 150, MARGIN = 22, DISC = 25, CELL_ROWS = 41, CELL_COLS = 81, CELL_THREADS = 320 };
enum { CELL = CELL_ROWS * CELL_COLS };

__constant__ int circle_x[CIRCLES * POINTS], circle_y[CIRCLES * POINTS];
__constant__ float angle_cos[POINTS], angle_sin[POINTS];
__constant__ float disc[DISC * DISC];

extern "C" __global__ void leukocyte_gicov(cudaTextureObject_t grad_x, cudaTextureObject_t grad_y, float *gicov,
                                           int rows)
{
    int col = blockIdx.x + MARGIN, row = threadIdx.x + MARGIN;
    float best = 0;
    for (int c = 0; c < CIRCLES; c++) {
        float mean = 0, m2 = 0;
#pragma unroll 1
        for (int n = 0; n < POINTS; n++) {
            int at = (col + circle_x[c * POINTS + n]) * rows + row + circle_y[c * POINTS + n];
            float p = tex1Dfetch<float>(grad_x, at) * angle_cos[n] + tex1Dfetch<float>(grad_y, at) * angle_sin[n];
            float delta = p - mean;
            mean += delta / (float)(n + 1);
            m2 += delta * (p - mean);
        }
        best = fmaxf(best, mean * mean / (m2 / (float)(POINTS - 1)));
    }
    gicov[col * rows + row] = best;
}

extern "C" __global__ void leukocyte_dilate(cudaTextureObject_t image, float *out, int rows, int cols)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x, row = id % rows, col = id / rows;
    if (col >= cols) return;
    float best = 0;
    for (int i = 0; i < DISC; i++) {
        int y = row - DISC / 2 + i;
        if (y < 0 || y >= rows) continue;
        for (int j = 0; j < DISC; j++) {
            int x = col - DISC / 2 + j;
            if (x < 0 || x >= cols || disc[i * DISC + j] == 0) continue;
            best = fmaxf(best, tex1Dfetch<float>(image, x * rows + y));
        }
    }
    out[col * rows + row] = best;
}

/* A smooth step from 0 to 1. */
static __device__ float step01(float x) { return atanf(x * 50.0f) * 0.318309886f + 0.5f; }

static __device__ float pull(const float *u, float here, int row, int col)
{
    row = min(max(row, 0), CELL_ROWS - 1);
    col = min(max(col, 0), CELL_COLS - 1);
    float d = u[row * CELL_COLS + col] - here;
    return step01(d) * d;
}

extern "C" __global__ void leukocyte_imgvf(const float *images, float *fields, int steps, float least_change)
{
    __shared__ float field[2][CELL], part[CELL_THREADS];
    __shared__ bool done;
    const float *image = images + blockIdx.x * CELL;
    int t = threadIdx.x, now = 0;
    for (int e = t; e < CELL; e += CELL_THREADS) field[0][e] = image[e];
    if (t == 0) done = false;
    __syncthreads();
    for (int s = 0; s < steps && !done; s++, now ^= 1) {
        const float *u = field[now];
        float change = 0;
#pragma unroll 1
        for (int e = t; e < CELL; e += CELL_THREADS) {
            int row = e / CELL_COLS, col = e % CELL_COLS;
            float here = u[e], sum = 0, shown = image[e];
            sum += pull(u, here, row - 1, col - 1) + pull(u, here, row - 1, col) + pull(u, here, row - 1, col + 1);
            sum += pull(u, here, row, col - 1) + pull(u, here, row, col + 1);
            sum += pull(u, here, row + 1, col - 1) + pull(u, here, row + 1, col) + pull(u, here, row + 1, col + 1);
            float next = here + 0.1f * sum;
            next -= 0.2f * shown * (next - shown);
            field[now ^ 1][e] = next;
            change += fabsf(next - here);
        }
        part[t] = change;
        __syncthreads();
        for (int reach = 256; reach; reach /= 2) {
            if (t < reach && t + reach < CELL_THREADS) part[t] += part[t + reach];
            __syncthreads();
        }
        if (t == 0 && part[0] < least_change * CELL) done = true;
        __syncthreads();
    }
    for (int e = t; e < CELL; e += CELL_THREADS) fields[blockIdx.x * CELL + e] = field[now][e];
}
