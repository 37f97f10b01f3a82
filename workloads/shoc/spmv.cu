/* spmv - a sparse matrix times a vector in three formats.
 *
 * spmv_scalar: compressed rows, a thread per row: the lanes of a warp walk their rows side by side,
 * a row's length apart. spmv_vector: compressed rows, a warp per row: coalesced. spmv_ellpack: the
 * k-th entries of all rows lie together, padded to the longest row: coalesced, a thread per row.
 * The vector is gathered with ordinary loads. */

extern "C" __global__ void spmv_scalar(const float *value, const int *column, const int *start, const float *x,
                                       float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    int end = start[row + 1];
#pragma unroll 1
    for (int e = start[row]; e < end; e++) sum += value[e] * x[column[e]];
    y[row] = sum;
}

extern "C" __global__ void spmv_vector(const float *value, const int *column, const int *start, const float *x,
                                       float *y, int rows)
{
    __shared__ volatile float part[128];
    int t = threadIdx.x, lane = t & 31, row = (blockIdx.x * blockDim.x + t) >> 5;
    if (row >= rows) return; /* whole warps leave together */
    float sum = 0;
    int end = start[row + 1];
#pragma unroll 1
    for (int e = start[row] + lane; e < end; e += 32) sum += value[e] * x[column[e]];
    part[t] = sum;
    __syncwarp();
    for (int half = 16; half > 0; half >>= 1) {
        if (lane < half) part[t] = sum += part[t + half];
        __syncwarp();
    }
    if (lane == 0) y[row] = sum;
}

extern "C" __global__ void spmv_ellpack(const float *value, const int *column, const int *length, const float *x,
                                        float *y, int rows, int pitch)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    int n = length[row];
#pragma unroll 1
    for (int k = 0; k < n; k++) sum += value[k * pitch + row] * x[column[k * pitch + row]];
    y[row] = sum;
}
