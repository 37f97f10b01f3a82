/* heartwall - following points of a heart's wall through a video: a launch a frame, a CTA of 256 per point.
 *
 * Images are stored by column, and so is all scratch memory, which is global: each step below is a loop
 * over elements, strided by the CTA, with a barrier behind it. In the first frame each point keeps the
 * template around it. In the others: the window around the point is copied (runs of a column), the
 * template is turned, the two are convolved directly (windows shifted by one, read again and again),
 * sums over all places of the template come from cumulative sums down columns and along rows (a thread
 * each), the template's own sums by a reduction; the greatest correlation is where the point is now. */

enum { THREADS = 256 };

struct sizes {
    int rows, cols; /* of a frame */
    int t, s, n;    /* sides of template, window, and of the convolution: s + t - 1 */
    int scratch;    /* floats per point */
};

/* Sums over t x t of the window padded with zeros: in, then `box`, n x n. */
static __device__ void box_sums(const float *in, float *pad, float *box, bool square, const sizes z)
{
    int p = z.s + 2 * z.t - 1; /* side of the padded window */
    for (int e = threadIdx.x; e < p * p; e += THREADS) {
        int r = e % p - z.t, c = e / p - z.t;
        float v = r >= 0 && r < z.s && c >= 0 && c < z.s ? in[c * z.s + r] : 0;
        pad[e] = square ? v * v : v;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < p; c += THREADS) { /* a thread a column */
        float sum = 0;
        for (int r = 0; r < p; r++) pad[c * p + r] = sum += pad[c * p + r];
    }
    __syncthreads();
    float *part = pad + p * p; /* n rows, p columns */
    for (int e = threadIdx.x; e < z.n * p; e += THREADS) {
        int r = e % z.n, c = e / z.n;
        part[e] = pad[c * p + r + z.t] - pad[c * p + r];
    }
    __syncthreads();
    for (int r = threadIdx.x; r < z.n; r += THREADS) { /* a thread a row */
        float sum = 0;
        for (int c = 0; c < p; c++) part[c * z.n + r] = sum += part[c * z.n + r];
    }
    __syncthreads();
    for (int e = threadIdx.x; e < z.n * z.n; e += THREADS) box[e] = part[e + z.t * z.n] - part[e];
    __syncthreads();
}

static __device__ void convolve(const float *window, const float *turned, float *out, const sizes z)
{
    for (int e = threadIdx.x; e < z.n * z.n; e += THREADS) {
        int row = e % z.n, col = e / z.n;
        int c0 = max(0, col - z.s + 1), c1 = min(z.t - 1, col), r0 = max(0, row - z.s + 1), r1 = min(z.t - 1, row);
        float sum = 0;
        for (int c = c0; c <= c1; c++)
            for (int r = r0; r <= r1; r++) sum += turned[c * z.t + r] * window[(col - c) * z.s + row - r];
        out[e] = sum;
    }
}

/* The sum of v over the CTA, by the first thread, as the program this stands for does it. */
static __device__ float cta_sum(float v, float *part)
{
    part[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 1; i < THREADS; i++) part[0] += part[i];
    __syncthreads();
    float sum = part[0];
    __syncthreads();
    return sum;
}

extern "C" __global__ void heartwall(const float *frame, int2 *place, float *templates, float *scratch, sizes z,
                                     int first)
{
    __shared__ float part[THREADS];
    __shared__ int where[THREADS];
    int t = threadIdx.x, point = blockIdx.x, half_t = z.t / 2, half_s = z.s / 2;
    float *mine = templates + point * z.t * z.t;
    int2 at = place[point]; /* row, column */
    if (first) {
        for (int e = t; e < z.t * z.t; e += THREADS)
            mine[e] = frame[(at.y - half_t + e / z.t) * z.rows + at.x - half_t + e % z.t];
        return;
    }
    float *window = scratch + point * z.scratch, *turned = window + z.s * z.s, *conv = turned + z.t * z.t;
    float *box = conv + z.n * z.n, *box2 = box + z.n * z.n, *pad = box2 + z.n * z.n;
    for (int e = t; e < z.s * z.s; e += THREADS)
        window[e] = frame[(at.y - half_s + e / z.s) * z.rows + at.x - half_s + e % z.s];
    for (int e = t; e < z.t * z.t; e += THREADS) turned[e] = mine[z.t * z.t - 1 - e];
    __syncthreads();
    convolve(window, turned, conv, z);
    box_sums(window, pad, box, false, z);
    box_sums(window, pad, box2, true, z);
    float sum = 0, squares = 0;
    for (int e = t; e < z.t * z.t; e += THREADS) sum += mine[e], squares += mine[e] * mine[e];
    sum = cta_sum(sum, part);
    squares = cta_sum(squares, part);
    float count = (float)(z.t * z.t), spread = squares - sum * sum / count, best = -2;
    int best_at = 0;
    for (int e = t; e < z.n * z.n; e += THREADS) {
        int row = e % z.n, col = e / z.n;
        bool whole = row >= z.t - 1 && row < z.s && col >= z.t - 1 && col < z.s; /* the template inside the window */
        float over = (box2[e] - box[e] * box[e] / count) * spread;
        float ncc = whole && over > 0 ? (conv[e] - box[e] * sum / count) / sqrtf(over) : 0;
        conv[e] = ncc;
        if (whole && ncc > best) best = ncc, best_at = e;
    }
    part[t] = best, where[t] = best_at;
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < THREADS; i++)
            if (part[i] > best || (part[i] == best && where[i] < best_at)) best = part[i], best_at = where[i];
        at.x += best_at % z.n - (z.t - 1) + half_t - half_s;
        at.y += best_at / z.n - (z.t - 1) + half_t - half_s;
        place[point] = at;
    }
}
