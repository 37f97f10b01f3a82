/* gramschm - Gram-Schmidt orthogonalisation A = Q R, three kernels for each column k.
 *
 * gramschm_norm: one thread walks down column k. gramschm_scale: a thread per row, the lanes a row
 * apart, once. gramschm_update: a thread per column j > k: q[i][k] is one word for the whole warp,
 * a[i][j] coalesced, first to form r[k][j], then to subtract. */

extern "C" __global__ void gramschm_norm(float *a, float *r, int rows, int cols, int k)
{
    if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
    float sum = 0;
    for (int i = 0; i < rows; i++) sum += a[i * cols + k] * a[i * cols + k];
    r[k * cols + k] = sqrtf(sum);
}

extern "C" __global__ void gramschm_scale(float *a, float *r, float *q, int rows, int cols, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) q[i * cols + k] = a[i * cols + k] / r[k * cols + k];
}

extern "C" __global__ void gramschm_update(float *a, float *r, float *q, int rows, int cols, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j <= k || j >= cols) return;
    r[k * cols + j] = 0;
    for (int i = 0; i < rows; i++) r[k * cols + j] += q[i * cols + k] * a[i * cols + j];
    for (int i = 0; i < rows; i++) a[i * cols + j] -= q[i * cols + k] * r[k * cols + j];
}
