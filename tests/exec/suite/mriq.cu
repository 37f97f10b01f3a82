/* mriq.cu - a sum over samples held in constant memory, chunk by chunk: sin and cos, cudaMemcpyToSymbol between launches. */
#include <cmath>

#include "../check.h"

struct sample {
    float x, y, z, weight;
};
enum { CHUNK = 64, SAMPLES = 3 * CHUNK, VOXELS = 500 };
__constant__ sample chunk[CHUNK];

__global__ void add(const float3 *at, float2 *q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= VOXELS) return;
    float2 sum = q[i];
    for (int k = 0; k < CHUNK; k++) {
        float a = 6.2831853f * (chunk[k].x * at[i].x + chunk[k].y * at[i].y + chunk[k].z * at[i].z);
        sum.x += chunk[k].weight * cosf(a);
        sum.y += chunk[k].weight * sinf(a);
    }
    q[i] = sum;
}

int main()
{
    static sample s[SAMPLES];
    static float3 v[VOXELS];
    static float2 q[VOXELS];
    float3 *dv;
    float2 *dq;
    for (int i = 0; i < SAMPLES; i++) s[i] = {i % 10 * 0.1f, i % 7 * 0.1f, i % 3 * 0.1f, 1.f + i % 4};
    for (int i = 0; i < VOXELS; i++) v[i] = make_float3(i % 9 * 0.2f, i % 11 * 0.1f, i % 5 * 0.3f);
    CUDA(cudaMalloc(&dv, sizeof v));
    CUDA(cudaMalloc(&dq, sizeof q));
    CUDA(cudaMemcpy(dv, v, sizeof v, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(dq, 0, sizeof q));
    for (int c = 0; c < SAMPLES; c += CHUNK) {
        CUDA(cudaMemcpyToSymbol(chunk, s + c, sizeof(sample) * CHUNK));
        add<<<(VOXELS + 127) / 128, 128>>>(dv, dq);
    }
    CUDA(cudaMemcpy(q, dq, sizeof q, cudaMemcpyDeviceToHost));
    for (int i = 0; i < VOXELS; i++) {
        double re = 0, im = 0;
        for (int k = 0; k < SAMPLES; k++) {
            double a = 6.2831853 * ((double)s[k].x * v[i].x + (double)s[k].y * v[i].y + (double)s[k].z * v[i].z);
            re += s[k].weight * std::cos(a), im += s[k].weight * std::sin(a);
        }
        CHECK(std::fabs(q[i].x - re) < 1e-2 && std::fabs(q[i].y - im) < 1e-2);
    }
    printf("mriq ok\n");
    return 0;
}
