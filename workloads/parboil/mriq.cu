/* mriq - Q of a magnetic resonance image: a thread per voxel, a loop over points of k space.
 *
 * The points come from constant memory, up to 1024 per launch, the same for all lanes; a voxel's
 * coordinates and sums are loaded once. All the rest is sines and cosines. */

enum { CHUNK = 1024 };
__constant__ float4 points[CHUNK]; /* kx, ky, kz, magnitude */

extern "C" __global__ void mriq(const float *x, const float *y, const float *z, float *qr, float *qi, int voxels,
                                int count)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= voxels) return;
    float vx = x[v], vy = y[v], vz = z[v], sum_r = qr[v], sum_i = qi[v];
#pragma unroll 1
    for (int k = 0; k < count; k++) {
        float4 p = points[k];
        float angle = 6.2831853f * (p.x * vx + p.y * vy + p.z * vz);
        sum_r += p.w * __cosf(angle);
        sum_i += p.w * __sinf(angle);
    }
    qr[v] = sum_r;
    qi[v] = sum_i;
}
