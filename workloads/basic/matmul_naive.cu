/* matmul_naive - C = A B with one thread per element of C, a sum kept in a register and no
 * shared memory: A is read by broadcast, B coalesced, and all reuse is left to the caches. */

extern "C" __global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
