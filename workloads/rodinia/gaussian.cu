/* gaussian - elimination without pivoting, two kernels for each pivot t.
 *
 * gaussian_column: a thread per row below the pivot, lanes a row apart, once: the multipliers.
 * gaussian_update: a thread per element of the trailing matrix in small square CTAs, x along the
 * ROWS: neighbouring lanes are a row apart in a and m. The grid covers the whole matrix for every
 * pivot, so late launches are mostly threads that leave at once. */

extern "C" __global__ void gaussian_column(float *m, float *a, int n, int t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1 - t) return;
    m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}

extern "C" __global__ void gaussian_update(float *m, float *a, float *b, int n, int t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x; /* row below the pivot */
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n - 1 - t || y >= n - t) return;
    a[n * (x + 1 + t) + (y + t)] -= m[n * (x + 1 + t) + t] * a[n * t + (y + t)];
    if (y == 0) b[x + 1 + t] -= m[n * (x + 1 + t) + t] * b[t];
}
