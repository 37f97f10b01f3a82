// lines.cu - a kernel whose instructions have known lines; lines.ptx is made of it with nvcc -lineinfo -arch=sm_75.
__device__ __forceinline__ float at(const float *p, int i)
{
    return p[i];
}

extern "C" __global__ void lines(const float *a, float *b, int n, int stride)
{
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = a[i];
    __syncthreads();
    float sum = tile[255 - threadIdx.x];
    for (int k = 0; k < n; k++)
        sum += at(a, (i * stride + k) & 4095);
    b[i] = sum;
}
