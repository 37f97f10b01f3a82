/* bodies.cu - n bodies that attract one another: all pairs by tiles in shared memory, leapfrog steps, float4 loads;
 * momentum stays, and the host's own steps agree. */
#include <cmath>

#include "../check.h"

enum { N = 192, TILE = 64, STEPS = 3 };

__global__ void forces(const float4 *at, float3 *force)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = at[i];
    float3 f = make_float3(0, 0, 0);
    for (int t = 0; t < N; t += TILE) {
        tile[threadIdx.x] = at[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < TILE; k++) {
            float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z;
            float inverse = rsqrtf(x * x + y * y + z * z + 0.01f), s = tile[k].w * inverse * inverse * inverse;
            f.x += s * x, f.y += s * y, f.z += s * z;
        }
        __syncthreads();
    }
    force[i] = f;
}
__global__ void move(float4 *at, float3 *speed, const float3 *force, float dt)
{
    int i = blockIdx.x * TILE + threadIdx.x;
    speed[i].x += dt * force[i].x, speed[i].y += dt * force[i].y, speed[i].z += dt * force[i].z;
    at[i].x += dt * speed[i].x, at[i].y += dt * speed[i].y, at[i].z += dt * speed[i].z;
}

int main()
{
    static float4 at[N];
    static float3 speed[N];
    static double x[N][3], v[N][3];
    float4 *dat;
    float3 *dspeed, *dforce;
    for (int i = 0; i < N; i++) {
        at[i] = make_float4((i * 37 % 64) / 8.0f, (i * 11 % 64) / 8.0f, (i * 53 % 64) / 8.0f, 0.01f + 0.001f * (i % 5));
        x[i][0] = at[i].x, x[i][1] = at[i].y, x[i][2] = at[i].z;
    }
    CUDA(cudaMalloc(&dat, sizeof at));
    CUDA(cudaMalloc(&dspeed, sizeof speed));
    CUDA(cudaMalloc(&dforce, sizeof speed));
    CUDA(cudaMemcpy(dat, at, sizeof at, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(dspeed, 0, sizeof speed));
    for (int s = 0; s < STEPS; s++) {
        forces<<<N / TILE, TILE>>>(dat, dforce);
        move<<<N / TILE, TILE>>>(dat, dspeed, dforce, 0.05f);
    }
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) {
                double d[3], r = 0.01f;
                for (int c = 0; c < 3; c++) d[c] = x[k][c] - x[i][c], r += d[c] * d[c];
                for (int c = 0; c < 3; c++) v[i][c] += 0.05f * at[k].w * d[c] / (r * sqrt(r));
            }
        for (int i = 0; i < N; i++)
            for (int c = 0; c < 3; c++) x[i][c] += 0.05f * v[i][c];
    }
    static float4 end[N];
    CUDA(cudaMemcpy(end, dat, sizeof end, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(speed, dspeed, sizeof speed, cudaMemcpyDeviceToHost));
    double momentum = 0;
    for (int i = 0; i < N; i++) {
        CHECK(fabs(end[i].x - x[i][0]) < 1e-4 && fabs(end[i].y - x[i][1]) < 1e-4 && fabs(end[i].z - x[i][2]) < 1e-4);
        CHECK(end[i].w == at[i].w);
        momentum += at[i].w * speed[i].x;
    }
    CHECK(fabs(momentum) < 1e-5);
    printf("bodies ok\n");
    return 0;
}
