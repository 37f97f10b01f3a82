// rowsum.cu - the sums of the rows of a matrix, twice: the kernel that docs/why.md begins with, and what it ends with.
// rowsum.ptx is made of it: nvcc -lineinfo -arch=sm_75 -ptx rowsum.cu

// A thread for each row. Neighbours read addresses that are a whole row apart.
extern "C" __global__ void row_per_thread(const float *a, float *sum, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float s = 0;
    for (int c = 0; c < cols; c++)
        s += a[row * cols + c];
    sum[row] = s;
}

// A warp for each row. Neighbours read neighbours.
extern "C" __global__ void row_per_warp(const float *a, float *sum, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += 32)
        s += a[row * cols + c];
    for (int step = 16; step; step /= 2)
        s += __shfl_down_sync(0xffffffff, s, step);
    if (lane == 0)
        sum[row] = s;
}
