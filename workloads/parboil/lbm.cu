/* lbm - lattice Boltzmann, nineteen directions, a thread per cell; a CTA is a row of 120 cells.
 *
 * Each direction is an array of its own, rows padded to 128 cells: the loads are coalesced and
 * aligned. What leaves a cell is stored to its neighbours, so stores along x are one float off. An
 * obstacle turns what comes in around. Nothing is read twice. */

enum { DIRECTIONS = 19, PITCH = 128 };

/* Steps of direction d in x, y, z; directions 2i + 1 and 2i + 2 are opposite. */
static __device__ constexpr int ex[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static __device__ constexpr int ey[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static __device__ constexpr int ez[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

static __device__ constexpr float weight(int d) { return d == 0 ? 1.0f / 3 : d < 7 ? 1.0f / 18 : 1.0f / 36; }

extern "C" __global__ void lbm(const float *in, float *out, const int *flags, int ny, int cells, int margin,
                               float omega)
{
    int at = margin + threadIdx.x + PITCH * (blockIdx.x + ny * blockIdx.y);
    float f[DIRECTIONS], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
    for (int d = 0; d < DIRECTIONS; d++) f[d] = in[d * cells + at];
    if (flags[at]) { /* an obstacle: everything goes back where it came from */
#pragma unroll
        for (int d = 0; d < DIRECTIONS; d++)
            out[d * cells + at + ex[d] + PITCH * (ey[d] + ny * ez[d])] = f[d == 0 ? 0 : d % 2 ? d + 1 : d - 1];
        return;
    }
#pragma unroll
    for (int d = 0; d < DIRECTIONS; d++) {
        rho += f[d];
        ux += (float)ex[d] * f[d];
        uy += (float)ey[d] * f[d];
        uz += (float)ez[d] * f[d];
    }
    ux /= rho, uy /= rho, uz /= rho;
    float square = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int d = 0; d < DIRECTIONS; d++) {
        float along = 3.0f * ((float)ex[d] * ux + (float)ey[d] * uy + (float)ez[d] * uz);
        float rest = weight(d) * rho * (square + along + 0.5f * along * along);
        out[d * cells + at + ex[d] + PITCH * (ey[d] + ny * ez[d])] = (1.0f - omega) * f[d] + omega * rest;
    }
}
