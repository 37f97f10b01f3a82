/* transpose.cu - matrices turned over: straight, by tiles, by padded tiles, by tiles that are swizzled, of bytes,
 * floats, doubles and float4, in place, and of a part by a strided copy. */
#include "../check.h"

enum { W = 96, H = 64, TILE = 32, ROWS = 8 };

template <typename T> __global__ void straight(const T *in, T *out)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) out[x * H + y + k] = in[(y + k) * W + x];
}
template <typename T, int PAD, bool SWIZZLE> __global__ void by_tiles(const T *in, T *out)
{
    __shared__ T tile[TILE][TILE + PAD];
    int x = threadIdx.x, x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    for (int y = threadIdx.y; y < TILE; y += ROWS) tile[y][SWIZZLE ? x ^ y : x] = in[(y0 + y) * W + x0 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += ROWS) out[(x0 + y) * H + y0 + x] = tile[x][SWIZZLE ? x ^ y : y];
}
__global__ void in_place(int *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= x) return;
    int t = a[y * n + x];
    a[y * n + x] = a[x * n + y];
    a[x * n + y] = t;
}

template <typename T> struct make {
    static T of(int i) { return (T)(i * 7 + 3); }
    static bool same(T a, T b) { return a == b; }
};
template <> struct make<float4> {
    static float4 of(int i) { return make_float4((float)i, -(float)i, 0.5f, (float)(i % 9)); }
    static bool same(float4 a, float4 b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
};

template <typename T> static void check()
{
    static T in[W * H], out[W * H];
    T *din, *dout;
    for (int i = 0; i < W * H; i++) in[i] = make<T>::of(i);
    CUDA(cudaMalloc(&din, sizeof in));
    CUDA(cudaMalloc(&dout, sizeof out));
    CUDA(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
    for (int way = 0; way < 4; way++) {
        dim3 grid(W / TILE, H / TILE), block(TILE, ROWS);
        CUDA(cudaMemset(dout, 0, sizeof out));
        if (way == 0) straight<T><<<grid, block>>>(din, dout);
        if (way == 1) by_tiles<T, 0, false><<<grid, block>>>(din, dout);
        if (way == 2) by_tiles<T, 1, false><<<grid, block>>>(din, dout);
        if (way == 3) by_tiles<T, 0, true><<<grid, block>>>(din, dout);
        CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
        for (int i = 0; i < W * H; i++) CHECK(make<T>::same(out[i % W * H + i / W], in[i]));
    }
    CUDA(cudaFree(din));
    CUDA(cudaFree(dout));
}

int main()
{
    check<unsigned char>();
    check<float>();
    check<double>();
    check<float4>();
    enum { N = 50 };
    static int a[N * N], column[N];
    int *d;
    for (int i = 0; i < N * N; i++) a[i] = i;
    CUDA(cudaMalloc(&d, sizeof a));
    CUDA(cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice));
    in_place<<<dim3(4, 4), dim3(16, 16)>>>(d, N);
    CUDA(cudaMemcpy2D(column, 4, d + 7, 4 * N, 4, N, cudaMemcpyDeviceToHost)); /* column 7, which was row 7 */
    for (int i = 0; i < N; i++) CHECK(column[i] == 7 * N + i);
    printf("transpose ok\n");
    return 0;
}
