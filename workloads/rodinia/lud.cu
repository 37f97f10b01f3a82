/* lud - LU decomposition in place, tiles of 16 x 16, three kernels per step.
 *
 * lud_diagonal: one CTA of 16 threads, the tile on the diagonal. lud_perimeter: 32 threads per CTA,
 * half for a tile of the row to the right, half for a tile of the column below. lud_internal: 16 x
 * 16 threads for each remaining tile. Everything goes through shared memory in rows of 64 bytes. */

#define TILE 16

extern "C" __global__ void lud_diagonal(float *m, int n, int offset)
{
    __shared__ float s[TILE][TILE];
    int tx = threadIdx.x, base = offset * n + offset;
    for (int i = 0; i < TILE; i++) s[i][tx] = m[base + i * n + tx];
    __syncthreads();
    for (int i = 0; i < TILE - 1; i++) {
        if (tx > i) { /* a row of L below the pivot ... */
            for (int k = 0; k < i; k++) s[tx][i] -= s[tx][k] * s[k][i];
            s[tx][i] /= s[i][i];
        }
        __syncthreads();
        if (tx > i) /* ... then a column of U right of it */
            for (int k = 0; k < i + 1; k++) s[i + 1][tx] -= s[i + 1][k] * s[k][tx];
        __syncthreads();
    }
    for (int i = 1; i < TILE; i++) m[base + i * n + tx] = s[i][tx]; /* the first row is as it was */
}

extern "C" __global__ void lud_perimeter(float *m, int n, int offset)
{
    __shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
    int half = threadIdx.x / TILE, tx = threadIdx.x % TILE;
    int base = offset * n + offset, away = (blockIdx.x + 1) * TILE;

    for (int i = half * TILE / 2; i < (half + 1) * TILE / 2; i++) diagonal[i][tx] = m[base + i * n + tx];
    if (half == 0)
        for (int i = 0; i < TILE; i++) right[i][tx] = m[base + away + i * n + tx];
    else
        for (int i = 0; i < TILE; i++) below[i][tx] = m[base + away * n + i * n + tx];
    __syncthreads();
    if (half == 0) {
        for (int i = 1; i < TILE; i++)
            for (int k = 0; k < i; k++) right[i][tx] -= diagonal[i][k] * right[k][tx];
    } else {
        for (int i = 0; i < TILE; i++) {
            for (int k = 0; k < i; k++) below[tx][i] -= below[tx][k] * diagonal[k][i];
            below[tx][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (half == 0)
        for (int i = 1; i < TILE; i++) m[base + away + i * n + tx] = right[i][tx];
    else
        for (int i = 0; i < TILE; i++) m[base + away * n + i * n + tx] = below[i][tx];
}

extern "C" __global__ void lud_internal(float *m, int n, int offset)
{
    __shared__ float row[TILE][TILE], col[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int y = offset + (blockIdx.y + 1) * TILE, x = offset + (blockIdx.x + 1) * TILE;
    row[ty][tx] = m[(offset + ty) * n + x + tx];
    col[ty][tx] = m[(y + ty) * n + offset + tx];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < TILE; k++) sum += col[ty][k] * row[k][tx];
    m[(y + ty) * n + x + tx] -= sum;
}
