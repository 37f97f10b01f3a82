/* simscore - similarity of documents as a map: a thread per pair of rows of features.
 *
 * Consecutive threads have the same first document and consecutive second ones. Four floats per load
 * from each, three sums: the product and both norms. */
#include "scan.cuh"

struct task {
    int a, b, unused[2]; /* documents */
};

extern "C" __global__ void simscore_count(const task *tasks, int *counts, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) counts[t] = tasks[t].a < tasks[t].b;
}

extern "C" __global__ void simscore_map(const float4 *features, const task *tasks, const int *places, float *out,
                                        int quads, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const float4 *a = features + tasks[t].a * quads, *b = features + tasks[t].b * quads;
    float product = 0, norm_a = 0, norm_b = 0;
#pragma unroll 1
    for (int k = 0; k < quads; k++) {
        float4 x = a[k], y = b[k];
        product += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
        norm_a += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
        norm_b += y.x * y.x + y.y * y.y + y.z * y.z + y.w * y.w;
    }
    out[places[t]] = product / (sqrtf(norm_a) * sqrtf(norm_b));
}
