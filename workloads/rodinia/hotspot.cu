/* hotspot - temperature of a chip, several time steps per launch in shared memory, CTAs of 16 x 16.
 *
 * A CTA loads a tile of temperature and power with a border as wide as the steps it will take, and
 * stores the part that is still right after them. Tiles start at multiples of 16 - 2 steps, less the
 * border, so the rows of a warp (two runs of 64 bytes) are not aligned. */

#define SIDE 16

__device__ __forceinline__ bool between(int x, int low, int high) { return x >= low && x <= high; }

extern "C" __global__ void hotspot(int steps, float *power, float *from, float *to, int cols, int rows, float step_cap,
                                   float rx, float ry, float rz)
{
    __shared__ float now[SIDE][SIDE], heat[SIDE][SIDE], next[SIDE][SIDE];
    const float ambient = 80.0f;
    int tx = threadIdx.x, ty = threadIdx.y;
    int inner = SIDE - 2 * steps;
    int top = inner * blockIdx.y - steps, left = inner * blockIdx.x - steps;
    int y = top + ty, x = left + tx, index = cols * y + x;
    bool inside = between(y, 0, rows - 1) && between(x, 0, cols - 1);
    if (inside) {
        now[ty][tx] = from[index];
        heat[ty][tx] = power[index];
    }
    __syncthreads();

    /* the rows and columns of this tile that lie on the chip */
    int first_y = top < 0 ? -top : 0, last_y = top + SIDE - 1 > rows - 1 ? rows - 1 - top : SIDE - 1;
    int first_x = left < 0 ? -left : 0, last_x = left + SIDE - 1 > cols - 1 ? cols - 1 - left : SIDE - 1;
    int n = max(ty - 1, first_y), s = min(ty + 1, last_y), w = max(tx - 1, first_x), e = min(tx + 1, last_x);
    bool done = false;
    for (int i = 0; i < steps; i++) {
        done = between(tx, i + 1, SIDE - i - 2) && between(ty, i + 1, SIDE - i - 2) && between(tx, first_x, last_x) &&
               between(ty, first_y, last_y);
        if (done)
            next[ty][tx] =
                now[ty][tx] + step_cap * (heat[ty][tx] + (now[s][tx] + now[n][tx] - 2.0f * now[ty][tx]) * ry +
                                          (now[ty][e] + now[ty][w] - 2.0f * now[ty][tx]) * rx +
                                          (ambient - now[ty][tx]) * rz);
        __syncthreads();
        if (i == steps - 1) break;
        if (done) now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (done) to[index] = next[ty][tx];
}
