/* spmv_jds - sparse matrix times vector, jagged diagonals: a thread per row, rows sorted by length.
 *
 * The k-th entries of all rows lie together, so entries and their columns are coalesced; the vector
 * is gathered. Where diagonals start, and how many a warp has, is in constant memory. Entries are
 * fetched two steps and the vector one step ahead. */

enum { MAX_DIAGONALS = 1024, MAX_WARPS = 8192 };
__constant__ int diagonal[MAX_DIAGONALS];
__constant__ int warp_diagonals[MAX_WARPS];

extern "C" __global__ void spmv_jds(const float *value, const int *column, const int *order, const float *x, float *y,
                                    int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int n = warp_diagonals[row / 32];
    float sum = 0;
    int at = diagonal[0] + row;
    float v0 = value[at], x0 = x[column[at]], v1 = 0;
    int c1 = 0;
    if (n > 1) {
        at = diagonal[1] + row;
        v1 = value[at];
        c1 = column[at];
    }
#pragma unroll 1
    for (int k = 2; k < n; k++) {
        float x1 = x[c1];
        at = diagonal[k] + row;
        sum += v0 * x0;
        v0 = v1;
        x0 = x1;
        v1 = value[at];
        c1 = column[at];
    }
    sum += v0 * x0;
    if (n > 1) sum += v1 * x[c1];
    y[order[row]] = sum;
}
