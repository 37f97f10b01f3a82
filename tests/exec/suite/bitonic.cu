/* bitonic.cu - a bitonic sort of keys with values: small steps in shared memory, large ones in global memory. */
#include "../check.h"

enum { N = 4096, BLOCK = 256, PIECE = 2 * BLOCK };

__device__ void order(unsigned &a, unsigned &b, unsigned &x, unsigned &y, bool up)
{
    if ((a > b) != up) return;
    unsigned t = a, u = x;
    a = b, b = t;
    x = y, y = u;
}

__global__ void sort_pieces(unsigned *key, unsigned *value, int width)
{
    __shared__ unsigned k[PIECE], v[PIECE];
    int base = blockIdx.x * PIECE, t = threadIdx.x;
    for (int i = t; i < PIECE; i += BLOCK) k[i] = key[base + i], v[i] = value[base + i];
    int first = width ? width : 2; /* 0: from the beginning */
    for (int w = first; w <= (width ? width : PIECE); w *= 2)
        for (int d = w / 2 < BLOCK ? w / 2 : BLOCK; d; d /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (d - 1));
            order(k[i], k[i + d], v[i], v[i + d], !((base + i) & w));
        }
    __syncthreads();
    for (int i = t; i < PIECE; i += BLOCK) key[base + i] = k[i], value[base + i] = v[i];
}

__global__ void merge_far(unsigned *key, unsigned *value, int w, int d)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (d - 1));
    order(key[i], key[i + d], value[i], value[i + d], !(i & w));
}

int main()
{
    static unsigned key[N], value[N], k[N], v[N];
    unsigned *dk, *dv, seed = 5;
    for (unsigned i = 0; i < N; i++) key[i] = (seed = seed * 1664525 + 1013904223) >> 20 << 12 | i, value[i] = i;
    CUDA(cudaMalloc(&dk, sizeof key));
    CUDA(cudaMalloc(&dv, sizeof value));
    CUDA(cudaMemcpy(dk, key, sizeof key, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dv, value, sizeof value, cudaMemcpyHostToDevice));
    sort_pieces<<<N / PIECE, BLOCK>>>(dk, dv, 0);
    for (int w = 2 * PIECE; w <= N; w *= 2) {
        for (int d = w / 2; d >= PIECE; d /= 2) merge_far<<<N / PIECE, BLOCK>>>(dk, dv, w, d);
        sort_pieces<<<N / PIECE, BLOCK>>>(dk, dv, w);
    }
    CUDA(cudaMemcpy(k, dk, sizeof k, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(v, dv, sizeof v, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        CHECK(!i || k[i - 1] < k[i]); /* no two keys are equal */
        CHECK(v[i] < N && key[v[i]] == k[i]);
    }
    printf("bitonic ok\n");
    return 0;
}
