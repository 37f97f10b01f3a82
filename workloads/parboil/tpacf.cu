/* tpacf - two-point angular correlation: histograms of the angles between points of the sky.
 *
 * A CTA of 256 has a pair of sets: the data with itself, with a random set, or a random set with itself.
 * Points go to shared memory 256 at a time, each thread holds one of the other set; dot products with
 * all of them, a binary search in 21 edges in constant memory, and an atomic addition to the warp's
 * histogram in shared memory. */

enum { EDGES = 21, BINS = EDGES - 1, THREADS = 256, WARPS = THREADS / 32 };

__constant__ float edges[EDGES]; /* cosines, falling */

extern "C" __global__ void tpacf(const float *points, unsigned *histograms, int n, int sets)
{
    __shared__ float x[THREADS], y[THREADS], z[THREADS];
    __shared__ unsigned count[WARPS][BINS + 1];
    int t = threadIdx.x, pair = blockIdx.x;
    int first = pair <= sets ? 0 : pair - sets, second = pair <= sets ? pair : first;
    bool same = first == second;
    const float *a = points + first * 3 * n, *b = points + second * 3 * n;
    for (int i = t; i < WARPS * (BINS + 1); i += THREADS) count[0][i] = 0;
    for (int base = 0; base < n; base += THREADS) {
        __syncthreads();
        if (base + t < n) {
            x[t] = a[base + t];
            y[t] = a[n + base + t];
            z[t] = a[2 * n + base + t];
        }
        __syncthreads();
        for (int i = t; i < n; i += THREADS) {
            float px = b[i], py = b[n + i], pz = b[2 * n + i];
            int end = min(THREADS, n - base);
            for (int k = 0; k < end; k++) {
                if (same && base + k >= i) continue; /* each pair once, none with itself */
                float dot = fmaf(px, x[k], fmaf(py, y[k], __fmul_rn(pz, z[k])));
                int low = 0, high = BINS;
                while (high > low + 1) {
                    int middle = (low + high) / 2;
                    if (dot >= edges[middle]) high = middle;
                    else low = middle;
                }
                int bin = dot >= edges[low] ? low : dot >= edges[high] ? high : BINS;
                atomicAdd(&count[t / 32][bin], 1u);
            }
        }
    }
    __syncthreads();
    if (t <= BINS) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS; w++) sum += count[w][t];
        histograms[pair * (BINS + 1) + t] = sum;
    }
}
