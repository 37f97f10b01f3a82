/* marsmm - matrix multiplication as a map: a thread per element of the product.
 *
 * Consecutive threads share a row of A and take consecutive rows of B, which is stored transposed, `pitch` quads
 * apart; the first `quads` of a row are multiplied.
 * Four floats per load: A's is one broadcast, B's lanes are a row apart. As in any map phase each
 * thread reads what it is to do from a descriptor, and a counting pass sizes the output. */
#include "scan.cuh"

struct task {
    int a, b, unused[2]; /* rows */
};

extern "C" __global__ void marsmm_count(const task *tasks, int *counts, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) counts[t] = tasks[t].a >= 0;
}

extern "C" __global__ void marsmm_map(const float4 *a, const float4 *b, const task *tasks, const int *places,
                                      float *out, int quads, int pitch, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const float4 *row = a + tasks[t].a * pitch, *col = b + tasks[t].b * pitch;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < quads; k++) {
        float4 x = row[k], y = col[k];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    out[places[t]] = sum;
}
