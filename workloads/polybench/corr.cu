/* corr - correlation of the columns of a matrix, in four kernels.
 *
 * As covar.cu with a kernel for the standard deviations; the matrix kernel leaves out the
 * diagonal, which is 1. */

extern "C" __global__ void corr_mean(float *mean, float *data, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j > m) return;
    mean[j] = 0;
    for (int i = 1; i <= n; i++) mean[j] += data[i * (m + 1) + j];
    mean[j] /= n;
}

extern "C" __global__ void corr_deviation(float *mean, float *dev, float *data, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j > m) return;
    dev[j] = 0;
    for (int i = 1; i <= n; i++) {
        float d = data[i * (m + 1) + j] - mean[j];
        dev[j] += d * d;
    }
    float s = sqrtf(dev[j] / n);
    dev[j] = s <= 0.005f ? 1.0f : s; /* a constant column correlates with nothing */
}

extern "C" __global__ void corr_center(float *mean, float *dev, float *data, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i > n || j > m) return;
    data[i * (m + 1) + j] -= mean[j];
    data[i * (m + 1) + j] /= sqrtf((float)n) * dev[j];
}

extern "C" __global__ void corr_matrix(float *symmat, float *data, int m, int n, int band)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j1 > m) return;
    symmat[j1 * (m + 1) + j1] = 1.0f;
    for (int j2 = j1 + 1; j2 <= m && j2 < j1 + band; j2++) {
        symmat[j1 * (m + 1) + j2] = 0;
        for (int i = 1; i <= n; i++)
            symmat[j1 * (m + 1) + j2] += data[i * (m + 1) + j1] * data[i * (m + 1) + j2];
        symmat[j2 * (m + 1) + j1] = symmat[j1 * (m + 1) + j2];
    }
}
