/* vectoradd - c[i] = a[i] + b[i], one thread per element: the plainest coalesced stream. */

extern "C" __global__ void vectoradd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
