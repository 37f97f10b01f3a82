/* covar - covariance of the columns of a matrix, in three kernels.
 *
 * Rows and columns count from 1, so a row is m + 1 floats and coalesced loads straddle two lines.
 * covar_mean: a thread per column. covar_center: a thread per element. covar_matrix: a thread per
 * column j1 and a loop over j2 >= j1, at most `band` of them: both columns are read coalesced, but
 * symmat[j1][j2] puts the lanes m + 2 floats apart, and it is stored in each iteration. */

extern "C" __global__ void covar_mean(float *mean, float *data, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j > m) return;
    mean[j] = 0;
    for (int i = 1; i <= n; i++) mean[j] += data[i * (m + 1) + j];
    mean[j] /= n;
}

extern "C" __global__ void covar_center(float *mean, float *data, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i <= n && j <= m) data[i * (m + 1) + j] -= mean[j];
}

extern "C" __global__ void covar_matrix(float *symmat, float *data, int m, int n, int band)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j1 > m) return;
    for (int j2 = j1; j2 <= m && j2 < j1 + band; j2++) {
        symmat[j1 * (m + 1) + j2] = 0;
        for (int i = 1; i <= n; i++)
            symmat[j1 * (m + 1) + j2] += data[i * (m + 1) + j1] * data[i * (m + 1) + j2];
        symmat[j2 * (m + 1) + j1] = symmat[j1 * (m + 1) + j2];
    }
}
