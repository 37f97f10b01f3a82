/* laplace3d - Laplace's equation on a cube by sweeps; a CTA of 32 x 4 marches along the third axis.
 *
 * Three planes of the tile, with a border of one, are in shared memory and change places. A thread
 * loads its own point of the next plane; two warps load the rows of the border, a few lanes its
 * columns. Points of the cube's surface keep their value. */

enum { TX = 32, TY = 4 };

struct tile {
    float u[3][TY + 2][TX + 2];
};

static __device__ void load_plane(tile *t, int slot, const float *plane, int pitch, int nx, int ny)
{
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * TX, y0 = blockIdx.y * TY, id = ty * TX + tx;
    if (x0 + tx < nx && y0 + ty < ny) t->u[slot][ty + 1][tx + 1] = plane[(y0 + ty) * pitch + x0 + tx];
    if (ty < 2) { /* the rows above and below the tile */
        int row = ty ? TY : -1;
        if (x0 + tx < nx && y0 + row >= 0 && y0 + row < ny)
            t->u[slot][row + 1][tx + 1] = plane[(y0 + row) * pitch + x0 + tx];
    } else if (id < 2 * TX + 2 * TY) { /* the columns left and right of it */
        int row = (id - 2 * TX) / 2, col = id % 2 ? TX : -1;
        if (y0 + row < ny && x0 + col >= 0 && x0 + col < nx)
            t->u[slot][row + 1][col + 1] = plane[(y0 + row) * pitch + x0 + col];
    }
}

extern "C" __global__ void laplace3d(const float *in, float *out, int nx, int ny, int nz, int pitch)
{
    __shared__ tile t;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1, x = blockIdx.x * TX + lx - 1, y = blockIdx.y * TY + ly - 1;
    int at = y * pitch + x, plane = pitch * ny;
    bool inside = x < nx && y < ny, inner = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    load_plane(&t, 0, in, pitch, nx, ny);
    for (int z = 0; z < nz; z++) {
        int here = z % 3, above = (z + 1) % 3, below = (z + 2) % 3;
        if (z + 1 < nz) load_plane(&t, above, in + (z + 1) * plane, pitch, nx, ny);
        __syncthreads();
        float value = t.u[here][ly][lx];
        if (inner && z > 0 && z < nz - 1)
            value = (t.u[below][ly][lx] + t.u[above][ly][lx] + t.u[here][ly - 1][lx] + t.u[here][ly + 1][lx] +
                     t.u[here][ly][lx - 1] + t.u[here][ly][lx + 1]) *
                    (1.0f / 6.0f);
        if (inside) out[z * plane + at] = value;
        __syncthreads();
    }
}
