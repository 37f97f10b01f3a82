/* nw - Needleman-Wunsch alignment, tiles of 16 x 16 along anti-diagonals, 16 threads per CTA.
 *
 * Rows are 16 k + 1 ints long, so the 64 bytes of a tile's row are not aligned; the column west of
 * the tile is one int a row. The tile is computed in shared memory as a wave and stored row by row.
 * nw_grow: diagonals above the main one, nw_shrink: those below; one launch each. */

#define TILE 16

__device__ __forceinline__ int largest(int a, int b, int c) { return max(a, max(b, c)); }

__device__ __forceinline__ void align(int *reference, int *score, int cols, int penalty, int tile_x, int tile_y)
{
    __shared__ int temp[TILE + 1][TILE + 1], ref[TILE][TILE];
    int tx = threadIdx.x;
    int corner = cols * TILE * tile_y + TILE * tile_x; /* the element north-west of the tile */
    int first = corner + cols + 1 + tx;

    if (tx == 0) temp[0][0] = score[corner];
    for (int y = 0; y < TILE; y++) ref[y][tx] = reference[first + cols * y];
    __syncthreads();
    temp[tx + 1][0] = score[corner + cols * (tx + 1)];
    __syncthreads();
    temp[0][tx + 1] = score[corner + tx + 1];
    __syncthreads();
    for (int wave = 0; wave < TILE; wave++) {
        if (tx <= wave) {
            int x = tx + 1, y = wave - tx + 1;
            temp[y][x] =
                largest(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty, temp[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int wave = TILE - 2; wave >= 0; wave--) {
        if (tx <= wave) {
            int x = tx + TILE - wave, y = TILE - tx;
            temp[y][x] =
                largest(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty, temp[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int y = 0; y < TILE; y++) score[first + cols * y] = temp[y + 1][tx + 1];
}

extern "C" __global__ void nw_grow(int *reference, int *score, int cols, int penalty, int diagonal)
{
    align(reference, score, cols, penalty, blockIdx.x, diagonal - 1 - blockIdx.x);
}

extern "C" __global__ void nw_shrink(int *reference, int *score, int cols, int penalty, int diagonal, int tiles)
{
    align(reference, score, cols, penalty, blockIdx.x + tiles - diagonal, tiles - 1 - blockIdx.x);
}
