/* apsp - shortest paths between all pairs: one launch for each node k that a path may pass.
 *
 * CTAs of 16 x 16; d[i][k] is the same for a row of lanes, d[k][j] and d[i][j] are runs of 64 bytes.
 * Row k and column k do not change in launch k, so the order of threads does not matter. */

extern "C" __global__ void apsp(int *d, int k, int n)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= n || j >= n) return;
    int through = d[i * n + k] + d[k * n + j];
    if (through < d[i * n + j]) d[i * n + j] = through;
}
