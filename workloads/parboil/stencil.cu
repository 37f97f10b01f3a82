/* stencil - seven-point stencil, marching in z; a CTA of 32 x 4 has a tile of 64 x 4 columns.
 *
 * Each thread keeps the points below and above its two columns in registers; the plane in between is
 * in shared memory. Neighbours outside the tile come from global memory. */

enum { TX = 32, TY = 4 };

static __device__ float next(const float *in, float (*plane)[2 * TX], int lx, int y, int at, int nx, float below,
                             float above, float c0, float c1)
{
    float here = plane[y][lx];
    float west = lx > 0 ? plane[y][lx - 1] : in[at - 1], east = lx < 2 * TX - 1 ? plane[y][lx + 1] : in[at + 1];
    float north = y > 0 ? plane[y - 1][lx] : in[at - nx], south = y < TY - 1 ? plane[y + 1][lx] : in[at + nx];
    return c1 * (below + above + north + south + west + east) - c0 * here;
}

extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny, int nz, float c0, float c1)
{
    __shared__ float plane[TY][2 * TX];
    int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * TY + ty;
    int x0 = blockIdx.x * 2 * TX + tx, x1 = x0 + TX, at = y * nx + x0, size = nx * ny;
    bool row = y > 0 && y < ny - 1, first = row && x0 > 0, second = row && x1 < nx - 1;
    float below0 = in[at], below1 = in[at + TX], here0 = in[at + size], here1 = in[at + TX + size];
    for (int z = 1; z < nz - 1; z++) {
        at += size;
        plane[ty][tx] = here0;
        plane[ty][tx + TX] = here1;
        __syncthreads();
        float above0 = in[at + size], above1 = in[at + TX + size];
        if (first) out[at] = next(in, plane, tx, ty, at, nx, below0, above0, c0, c1);
        if (second) out[at + TX] = next(in, plane, tx + TX, ty, at + TX, nx, below1, above1, c0, c1);
        __syncthreads();
        below0 = here0, below1 = here1;
        here0 = above0, here1 = above1;
    }
}
