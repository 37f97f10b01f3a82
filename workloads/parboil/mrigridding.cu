/* mrigridding - samples of k space spread onto a grid: sorted by the cell they lie in, then gathered by
 * tiles of the grid.
 *
 * mrig_bin: a thread a sample, records of 24 bytes read field by field, an atomic count a cell.
 * mrig_sort: a CTA of 256 sorts 1024 pairs by four bits of the key: uint4 loads, four splits by one bit,
 * each a scan in shared memory (up and down a tree, a barrier a level), then eight scattered stores a
 * thread within the CTA's own 8 KB, and the counts of the 16 digits.
 * mrig_scan: exclusive prefix sums by one CTA. mrig_rearrange: loads the sorted pairs and the 16 places
 * of its digits, finds where each digit begins, and stores eight words a thread anywhere.
 * mrig_reorder: gathers records of 24 bytes into a float4 and a float2.
 * mrig_grid: a CTA of 8 x 4 x 2 has a tile of 8 x 4 x 8 points; for each row of cells within reach it
 * brings samples to shared memory, 64 at a time, and every thread tests all of them against its four
 * points, with a polynomial of 15 terms for those within the cutoff. */

enum { THREADS = 256, EACH = 4, CHUNK = THREADS * EACH, DIGITS = 16, STAGED = 64, REACH = 2 };

struct sample {
    float x, y, z, real, imag, weight;
};

extern "C" __global__ void mrig_bin(const sample *in, unsigned *keys, unsigned *values, int *count, int n, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned cell = ((unsigned)in[i].z * side + (unsigned)in[i].y) * side + (unsigned)in[i].x;
    atomicAdd(&count[cell], 1);
    keys[i] = cell;
    values[i] = i;
}

/* Exclusive prefix sums over the CTA of one value a thread; *total is their sum. */
static __device__ int cta_scan(int *tree, int value, int *total)
{
    int t = threadIdx.x;
    tree[t] = value;
    for (int step = 1; step < THREADS; step *= 2) { /* up */
        __syncthreads();
        int at = (t + 1) * 2 * step - 1;
        if (at < THREADS) tree[at] += tree[at - step];
    }
    __syncthreads();
    *total = tree[THREADS - 1];
    __syncthreads();
    if (t == 0) tree[THREADS - 1] = 0;
    for (int step = THREADS / 2; step; step /= 2) { /* down */
        __syncthreads();
        int at = (t + 1) * 2 * step - 1;
        if (at < THREADS) {
            int left = tree[at - step];
            tree[at - step] = tree[at];
            tree[at] += left;
        }
    }
    __syncthreads();
    return tree[t];
}

extern "C" __global__ void mrig_sort(uint4 *keys, uint4 *values, int *count, int shift)
{
    __shared__ int tree[THREADS];
    __shared__ unsigned key[CHUNK], value[CHUNK];
    __shared__ int digit[DIGITS];
    int t = threadIdx.x, base = blockIdx.x * THREADS;
    uint4 k4 = keys[base + t], v4 = values[base + t];
    unsigned k[EACH] = {k4.x, k4.y, k4.z, k4.w}, v[EACH] = {v4.x, v4.y, v4.z, v4.w};
    if (t < DIGITS) digit[t] = 0;
#pragma unroll 1
    for (int bit = 0; bit < 4; bit++) {
        int zeros[EACH], mine = 0, total;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            zeros[i] = mine;
            mine += ~(k[i] >> (shift + bit)) & 1;
        }
        int before = cta_scan(tree, mine, &total);
#pragma unroll
        for (int i = 0; i < EACH; i++) { /* the last split goes to global memory */
            int rank = before + zeros[i], one = k[i] >> (shift + bit) & 1;
            int to = one ? total + t * EACH + i - rank : rank;
            if (bit < 3) {
                key[to] = k[i];
                value[to] = v[i];
            } else {
                ((unsigned *)(keys + base))[to] = k[i];
                ((unsigned *)(values + base))[to] = v[i];
            }
        }
        __syncthreads();
        if (bit == 3) break;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            k[i] = key[t * EACH + i];
            v[i] = value[t * EACH + i];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) atomicAdd(&digit[k[i] >> shift & (DIGITS - 1)], 1);
    __syncthreads();
    if (t < DIGITS) count[t * gridDim.x + blockIdx.x] = digit[t];
}

extern "C" __global__ void mrig_scan(int *value, int n)
{
    __shared__ int tree[THREADS];
    int before = 0, total;
    for (int base = 0; base < n; base += THREADS) {
        int i = base + threadIdx.x, sum = cta_scan(tree, i < n ? value[i] : 0, &total);
        if (i < n) value[i] = before + sum;
        before += total;
        __syncthreads();
    }
    if (threadIdx.x == 0) value[n] = before;
}

extern "C" __global__ void mrig_rearrange(const uint4 *keys, const uint4 *values, unsigned *out_keys,
                                          unsigned *out_values, const int *place, int shift)
{
    __shared__ int begins[DIGITS], goes[DIGITS];
    __shared__ unsigned char sorted[CHUNK];
    int t = threadIdx.x, base = blockIdx.x * THREADS;
    uint4 k4 = keys[base + t], v4 = values[base + t];
    unsigned k[EACH] = {k4.x, k4.y, k4.z, k4.w}, v[EACH] = {v4.x, v4.y, v4.z, v4.w};
    if (t < DIGITS) goes[t] = place[t * gridDim.x + blockIdx.x];
#pragma unroll
    for (int i = 0; i < EACH; i++) sorted[t * EACH + i] = (unsigned char)(k[i] >> shift & (DIGITS - 1));
    __syncthreads();
    if (t < DIGITS) { /* the first place of digit t: a search in what is sorted */
        int at = 0;
        while (at < CHUNK && sorted[at] < t) at += at + 32 <= CHUNK && sorted[at + 31] < t ? 32 : 1;
        begins[t] = at;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int d = k[i] >> shift & (DIGITS - 1), to = goes[d] + t * EACH + i - begins[d];
        out_keys[to] = k[i];
        out_values[to] = v[i];
    }
}

extern "C" __global__ void mrig_reorder(const sample *in, const unsigned *values, float4 *where, float2 *what, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const sample *s = &in[values[i]];
    where[i] = make_float4(s->x, s->y, s->z, s->weight);
    what[i] = make_float2(s->real, s->imag);
}

/* A Kaiser-Bessel window: the series of the Bessel function I0 up to its 15th term. */
static __device__ float window(float v, float inverse)
{
    float z = 16.0f * (1 - v * inverse), sum = 0;
    const float term[15] = {1.0f,           1.0f,           0.25f,          2.7777778e-2f,  1.7361111e-3f,
                            6.9444444e-5f,  1.9290123e-6f,  3.9367599e-8f,  6.1511874e-10f, 7.5940585e-12f,
                            7.5940585e-14f, 6.2760814e-16f, 4.3583899e-18f, 2.5789289e-20f, 1.3157801e-22f};
#pragma unroll
    for (int k = 14; k >= 0; k--) sum = fmaf(sum, z, term[k]);
    return sum;
}

extern "C" __global__ void mrig_grid(const float4 *where, const float2 *what, const int *start, float2 *grid,
                                     float *density, int side, float cutoff2)
{
    __shared__ float4 at[STAGED];
    __shared__ float2 carries[STAGED];
    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z, id = (tz * 4 + ty) * 8 + tx;
    int x0 = blockIdx.x * 8, y0 = blockIdx.y * 4, z0 = blockIdx.z * 8;
    float px = (float)(x0 + tx), py = (float)(y0 + ty), inverse = 1.0f / cutoff2;
    float real[4] = {0}, imag[4] = {0}, sum[4] = {0};
    for (int z = max(z0 - REACH, 0); z <= min(z0 + 7 + REACH, side - 1); z++)
        for (int y = max(y0 - REACH, 0); y <= min(y0 + 3 + REACH, side - 1); y++) {
            int row = (z * side + y) * side;
            int first = start[row + max(x0 - REACH, 0)], last = start[row + min(x0 + 7 + REACH, side - 1) + 1];
            for (int base = first; base < last; base += STAGED) {
                int many = min(STAGED, last - base);
                __syncthreads();
                if (id < many) {
                    at[id] = where[base + id];
                    carries[id] = what[base + id];
                }
                __syncthreads();
                for (int s = 0; s < many; s++) {
                    float4 p = at[s];
                    float dx = p.x - px, dy = p.y - py, flat = fmaf(dy, dy, __fmul_rn(dx, dx));
                    if (flat >= cutoff2) continue;
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        float dz = p.z - (float)(z0 + tz + 2 * k), v = fmaf(dz, dz, flat);
                        if (v >= cutoff2) continue;
                        float w = window(v, inverse) * p.w;
                        real[k] += w * carries[s].x;
                        imag[k] += w * carries[s].y;
                        sum[k] += w;
                    }
                }
            }
        }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int out = ((z0 + tz + 2 * k) * side + y0 + ty) * side + x0 + tx;
        grid[out] = make_float2(real[k], imag[k]);
        density[out] = sum[k];
    }
}
