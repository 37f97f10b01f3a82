/* symbols.cu - variables of the device by name: structures, arrays, pointers to other variables, constants of several
 * kinds, copies with offsets, templates with statics, a counter kept from launch to launch. */
#include "../check.h"

struct setting {
    float scale;
    int shift[3];
    const int *table;
};
__device__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__device__ const int *where = primes + 2;
__device__ unsigned launches;
__constant__ setting now = {2.0f, {1, 2, 3}, nullptr};
__constant__ double weights[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ float matrix[4][5];
template <int K> __device__ int slots[K];
static __device__ short hidden = -7;

__global__ void apply(float *out)
{
    int i = threadIdx.x;
    if (!i) launches++;
    out[i] = now.scale * (float)(now.table ? now.table[i % 8] : where[i % 6]) + (float)now.shift[i % 3] +
             (float)weights[i & 1][i % 3] + (float)hidden;
}
template <int K> __global__ void number() { slots<K>[threadIdx.x] = K * 100 + (int)threadIdx.x; }
__global__ void turn(float add) { matrix[threadIdx.y][threadIdx.x] += add * (float)(threadIdx.y * 10 + threadIdx.x); }

int main()
{
    static const int first[8] = {2, 3, 5, 7, 11, 13, 17, 19}, shift[3] = {1, 2, 3};
    float *d, h[32], m[4][5];
    int *address;
    size_t size;
    unsigned n;
    setting s;
    CUDA(cudaMalloc(&d, sizeof h));
    apply<<<1, 32>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) CHECK(h[i] == 2 * first[2 + i % 6] + shift[i % 3] + (i & 1 ? 4 : 1) + i % 3 - 7);

    CUDA(cudaGetSymbolAddress((void **)&address, primes));
    CUDA(cudaGetSymbolSize(&size, primes));
    CHECK(size == sizeof first);
    CUDA(cudaMemcpyFromSymbol(&s, now, sizeof s));
    CHECK(s.scale == 2 && s.shift[2] == 3 && !s.table);
    s.scale = 0.5f;
    s.table = address;
    CUDA(cudaMemcpyToSymbol(now, &s, sizeof s));
    int forty = 40;
    CUDA(cudaMemcpyToSymbol(primes, &forty, 4, 12)); /* the fourth */
    short eight = 8;
    CUDA(cudaMemcpyToSymbol(hidden, &eight, 2));
    apply<<<1, 32>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(h[i] == 0.5f * (i % 8 == 3 ? 40 : first[i % 8]) + shift[i % 3] + (i & 1 ? 4 : 1) + i % 3 + 8);
    CUDA(cudaMemcpyFromSymbol(&n, launches, 4));
    CHECK(n == 2);

    number<3><<<1, 3>>>();
    number<5><<<1, 5>>>();
    int three[3], five[5];
    CUDA(cudaMemcpyFromSymbol(three, slots<3>, sizeof three));
    CUDA(cudaMemcpyFromSymbol(five, slots<5>, sizeof five));
    CHECK(three[2] == 302 && five[0] == 500 && five[4] == 504);

    for (int i = 0; i < 20; i++) m[i / 5][i % 5] = (float)i;
    CUDA(cudaMemcpyToSymbol(matrix, m, sizeof m));
    turn<<<1, dim3(5, 4)>>>(1);
    turn<<<1, dim3(5, 4)>>>(2);
    CUDA(cudaMemcpyFromSymbol(m[2], matrix, sizeof m[2], 2 * sizeof m[2]));
    for (int i = 0; i < 5; i++) CHECK(m[2][i] == 10 + i + 3 * (20 + i));
    printf("symbols ok\n");
    return 0;
}
