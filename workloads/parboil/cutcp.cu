/* cutcp - electric potential on a lattice from the atoms within a cutoff: a CTA of 8 x 2 x 8 threads has
 * 8 x 8 x 8 points, a thread four of them along y.
 *
 * Atoms are in cubic bins of 8 (float4, 128 bytes per bin). The places of the bins within reach, relative
 * to the CTA's own, are in constant memory. Bins are copied to shared memory 32 at a time, a half-warp
 * each; then every thread goes through all atoms there, the same for all lanes. */

enum { DEPTH = 8, CACHED = 32, MAX_NEAR = 1024 };

__constant__ int near_count;
__constant__ int near_bins[3 * MAX_NEAR];

struct box {
    int bins;      /* bins along a side, with a rim wide enough for all that is within reach */
    int rim;       /* bins before the first of the lattice */
    int side;      /* lattice points along a side, a multiple of 8 */
    float spacing; /* between two of them; a bin is 8 long */
    float cutoff2;
};

extern "C" __global__ void cutcp(const float4 *bins, float *potential, box b)
{
    __shared__ float4 atoms[CACHED * DEPTH];
    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z, id = (tz * 2 + ty) * 8 + tx;
    int x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty, z = blockIdx.z * 8 + tz;
    float px = (float)x * b.spacing, py = (float)y * b.spacing, pz = (float)z * b.spacing;
    float sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0, far = 1.0f / b.cutoff2;
    for (int first = 0; first < near_count; first += CACHED) {
        int many = min(CACHED, near_count - first);
        __syncthreads();
        for (int k = id / 16; k < many; k += 8) { /* a half-warp a bin, 8 bytes per lane */
            const int *n = &near_bins[3 * (first + k)];
            int bx = blockIdx.x + b.rim + n[0], by = blockIdx.y + b.rim + n[1], bz = blockIdx.z + b.rim + n[2];
            const float2 *from = (const float2 *)&bins[((bz * b.bins + by) * b.bins + bx) * DEPTH];
            ((float2 *)&atoms[k * DEPTH])[id % 16] = from[id % 16];
        }
        __syncthreads();
        for (int k = 0; k < many; k++)
            for (int a = k * DEPTH; a < (k + 1) * DEPTH; a++) {
                float4 atom = atoms[a];
                if (atom.w == 0) break; /* the rest of the bin is empty */
                float dx = px - atom.x, dz = pz - atom.z, dy = py - atom.y, flat = dx * dx + dz * dz;
                float r2 = dy * dy + flat;
                if (r2 < b.cutoff2) sum0 += atom.w * rsqrtf(r2) * (1 - r2 * far) * (1 - r2 * far);
                dy += 2 * b.spacing;
                r2 = dy * dy + flat;
                if (r2 < b.cutoff2) sum1 += atom.w * rsqrtf(r2) * (1 - r2 * far) * (1 - r2 * far);
                dy += 2 * b.spacing;
                r2 = dy * dy + flat;
                if (r2 < b.cutoff2) sum2 += atom.w * rsqrtf(r2) * (1 - r2 * far) * (1 - r2 * far);
                dy += 2 * b.spacing;
                r2 = dy * dy + flat;
                if (r2 < b.cutoff2) sum3 += atom.w * rsqrtf(r2) * (1 - r2 * far) * (1 - r2 * far);
            }
    }
    float *out = potential + (z * b.side + y) * b.side + x;
    out[0] = sum0;
    out[2 * b.side] = sum1;
    out[4 * b.side] = sum2;
    out[6 * b.side] = sum3;
}
