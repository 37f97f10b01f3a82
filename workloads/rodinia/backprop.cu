/* backprop - training of a two-layer network: input to hidden layer, 16 hidden units.
 *
 * A CTA of 16 x 16 threads holds 16 inputs. The weights lie in rows of hid + 1 = 17 floats with a
 * bias row and column in front, so a warp's two rows are two misaligned runs of 64 bytes that
 * share lines with the warps above and below.
 * backprop_forward: products summed over the inputs in shared memory, one partial sum per CTA and
 * hidden unit; the tile of sums is written back over the weights.
 * backprop_adjust: weights and their last changes are read, updated and written; the change is
 * read again after the store, because the two arrays may alias. */

#define SIDE 16
#define ETA 0.3f
#define MOMENTUM 0.3f

extern "C" __global__ void backprop_forward(float *input, float *weights, float *partial, int hid)
{
    __shared__ float node[SIDE];
    __shared__ float tile[SIDE][SIDE];
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int index = (hid + 1) * (SIDE * by + ty + 1) + tx + 1;

    if (tx == 0) node[ty] = input[SIDE * by + ty + 1];
    __syncthreads();
    tile[ty][tx] = weights[index];
    __syncthreads();
    tile[ty][tx] *= node[ty];
    __syncthreads();
    for (int step = 1; step <= (int)__log2f((float)hid); step++) {
        int span = (int)(exp2f((float)step) + 0.5f); /* a power computed at each step, as a program would */
        if (ty % span == 0) tile[ty][tx] += tile[ty + span / 2][tx];
        __syncthreads();
    }
    weights[index] = tile[ty][tx];
    __syncthreads();
    if (tx == 0) partial[by * hid + ty] = tile[tx][ty];
}

extern "C" __global__ void backprop_adjust(float *delta, float *units, float *weights, float *last, int hid)
{
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int index = (hid + 1) * (SIDE * by + ty + 1) + tx + 1;
    int x = tx + 1, y = SIDE * by + ty + 1;

    weights[index] += ETA * delta[x] * units[y] + MOMENTUM * last[index];
    last[index] = ETA * delta[x] * units[y] + MOMENTUM * last[index];
    __syncthreads();
    if (ty == 0 && by == 0) { /* the bias row */
        weights[x] += ETA * delta[x] + MOMENTUM * last[x];
        last[x] = ETA * delta[x] + MOMENTUM * last[x];
    }
}
