/* textures.cu - texture fetches: latency of a chain, and cycles of an SM per warp fetch by pattern and number of warps.
 */
#include <algorithm>
#include <cstring>
#include <vector>
#include "call.h"

__global__ void chase1(cudaTextureObject_t t, int n, double *out, int before)
{
    int at = 0;
    for (int i = 0; i < before; i++) at = tex1Dfetch<int>(t, at);
    long long s = clock64();
    for (int i = 0; i < n; i++) at = tex1Dfetch<int>(t, at);
    out[0] = (double)(clock64() - s) / n + (at == -5);
}
template <class T> __global__ void chase2(cudaTextureObject_t t, int n, double *out)
{
    float x = 3;
    for (int i = 0; i < 64; i++) x += (float)tex2D<T>(t, x, 5.0f);
    long long s = clock64();
    for (int i = 0; i < n; i++) x += (float)tex2D<T>(t, x, 5.0f);
    out[0] = (double)(clock64() - s) / n + (x == -5);
}
__global__ void chaseg(const int *p, int n, double *out, int before)
{
    int at = 0;
    for (int i = 0; i < before; i++) at = p[at];
    long long s = clock64();
    for (int i = 0; i < n; i++) at = p[at];
    out[0] = (double)(clock64() - s) / n + (at == -5);
}
/* pattern: 0 same, 1 lane, 2 lane*2, 3 lane*4, 4 lane*8, 5 lane*32, 6 random of 16 KiB, 7 lane+1 (misaligned) */
template <int U> __global__ void fetch1(cudaTextureObject_t t, int pattern, int n, long long *took, int *sink)
{
    int lane = threadIdx.x & 31, base = 0, acc = 0;
    unsigned rnd = (threadIdx.x * 2654435761u) >> 20;
    base = pattern == 0   ? 0
           : pattern == 1 ? lane
           : pattern == 2 ? lane * 2
           : pattern == 3 ? lane * 4
           : pattern == 4 ? lane * 8
           : pattern == 5 ? lane * 32
           : pattern == 6 ? (int)(rnd & 4095)
                          : lane + 1;
    __syncthreads();
    long long s = clock64();
    for (int i = 0; i < n; i++) {
        int v[U];
#pragma unroll
        for (int u = 0; u < U; u++) v[u] = tex1Dfetch<int>(t, (base + u * 32 + i) & 4095);
#pragma unroll
        for (int u = 0; u < U; u++) acc += v[u];
    }
    if (acc == 0x1234567) *sink = acc;
    __syncthreads();
    if (threadIdx.x == 0) *took = clock64() - s;
}
/* pattern: 0 same, 1 row, 2 column, 3 8 x 4, 4 4 x 8, 5 row of 16 x 2, 6 random in 64 x 64, 7 diagonal, 8 row
 * misaligned */
template <class T, int U> __global__ void fetch2(cudaTextureObject_t t, int pattern, int n, long long *took, int *sink)
{
    int lane = threadIdx.x & 31, x = 0, y = 0, acc = 0;
    unsigned rnd = (threadIdx.x * 2654435761u) >> 20;
    if (pattern == 1) x = lane;
    if (pattern == 2) y = lane;
    if (pattern == 3) x = lane & 7, y = lane >> 3;
    if (pattern == 4) x = lane & 3, y = lane >> 2;
    if (pattern == 5) x = lane & 15, y = lane >> 4;
    if (pattern == 6) x = (int)(rnd & 63), y = (int)(rnd >> 6);
    if (pattern == 7) x = lane, y = lane;
    if (pattern == 8) x = lane + 3;
    __syncthreads();
    long long s = clock64();
    for (int i = 0; i < n; i++) {
        T v[U];
#pragma unroll
        for (int u = 0; u < U; u++) v[u] = tex2D<T>(t, (float)((x + u) & 63), (float)((y + i) & 63));
#pragma unroll
        for (int u = 0; u < U; u++) acc += (int)v[u];
    }
    if (acc == 0x1234567) *sink = acc;
    __syncthreads();
    if (threadIdx.x == 0) *took = clock64() - s;
}
template <class T> static cudaTextureObject_t tex2(int w, int h)
{
    cudaArray_t arr;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    CK(cudaMallocArray(&arr, &d, (size_t)w, (size_t)h));
    std::vector<T> z((size_t)w * h, T(0));
    CK(cudaMemcpy2DToArray(arr, 0, 0, z.data(), w * sizeof(T), w * sizeof(T), (size_t)h, cudaMemcpyHostToDevice));
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = arr;
    cudaTextureDesc td = {};
    td.readMode = cudaReadModeElementType;
    td.filterMode = cudaFilterModePoint;
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &res, &td, NULL));
    return t;
}
static cudaTextureObject_t tex1(int *p, size_t bytes)
{
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeLinear;
    res.res.linear.devPtr = p;
    res.res.linear.desc = cudaCreateChannelDesc<int>();
    res.res.linear.sizeInBytes = bytes;
    cudaTextureDesc td = {};
    td.readMode = cudaReadModeElementType;
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &res, &td, NULL));
    return t;
}
int main()
{
    const size_t MOST = 32 << 20;
    int *p, *sink;
    double *out, h;
    long long *took, c;
    CK(cudaMalloc(&p, MOST));
    CK(cudaMalloc(&sink, 4));
    CK(cudaMalloc(&out, 8));
    CK(cudaMalloc(&took, 8));
    for (int step : {32, 128})
        for (int kib : {2, 16, 64, 128, 192, 208, 224, 256, 512, 4096, 32768}) {
            int words = kib * 256, links = words / (step / 4);
            std::vector<int> v((size_t)words, 0);
            for (int i = 0; i < links; i++) v[(size_t)i * (step / 4)] = (i + 1) % links * (step / 4);
            CK(cudaMemcpy(p, v.data(), (size_t)words * 4, cudaMemcpyHostToDevice));
            cudaTextureObject_t t = tex1(p, (size_t)words * 4);
            for (int k = 0; k < 2; k++) chase1<<<1, 1>>>(t, std::min(links, 8192), out, std::min(links, 16384));
            CK(cudaMemcpy(&h, out, 8, cudaMemcpyDeviceToHost));
            printf("tex chase 1d step %d KiB %d: %.2f", step, kib, h);
            for (int k = 0; k < 2; k++) chaseg<<<1, 1>>>(p, std::min(links, 8192), out, std::min(links, 16384));
            CK(cudaMemcpy(&h, out, 8, cudaMemcpyDeviceToHost));
            printf(", loads %.2f\n", h);
            CK(cudaDestroyTextureObject(t));
        }
    CK(cudaMemset(p, 0, MOST));
    cudaTextureObject_t t1 = tex1(p, 1 << 20), tu = tex2<unsigned short>(64, 64), tf = tex2<float>(64, 64),
                        tc = tex2<unsigned char>(64, 64);
    chase2<unsigned short><<<1, 1>>>(tu, 1024, out);
    CK(cudaMemcpy(&h, out, 8, cudaMemcpyDeviceToHost));
    printf("tex chase 2d ushort (with a conversion and an addition): %.2f\n", h);
    chase2<float><<<1, 1>>>(tf, 1024, out);
    CK(cudaMemcpy(&h, out, 8, cudaMemcpyDeviceToHost));
    printf("tex chase 2d float (with an addition): %.2f\n", h);
    for (int pattern = 0; pattern < 9; pattern++)
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            double r[5];
            for (int what = 0; what < 5; what++) {
                int n = 128, u = what == 0 ? 1 : 4;
                for (int k = 0; k < 2; k++) {
                    if (what == 0) fetch1<1><<<1, warps * 32>>>(t1, pattern, n, took, sink);
                    if (what == 1) fetch1<4><<<1, warps * 32>>>(t1, pattern, n, took, sink);
                    if (what == 2) fetch2<unsigned short, 4><<<1, warps * 32>>>(tu, pattern, n, took, sink);
                    if (what == 3) fetch2<float, 4><<<1, warps * 32>>>(tf, pattern, n, took, sink);
                    if (what == 4) fetch2<unsigned char, 4><<<1, warps * 32>>>(tc, pattern, n, took, sink);
                }
                CK(cudaMemcpy(&c, took, 8, cudaMemcpyDeviceToHost));
                r[what] = (double)c / ((double)n * u * warps);
            }
            printf("tex fetch pattern %d warps %d, cycles per warp fetch: 1d one at once %.2f, 1d four %.2f, 2d ushort "
                   "%.2f, "
                   "2d float %.2f, 2d uchar %.2f\n",
                   pattern, warps, r[0], r[1], r[2], r[3], r[4]);
        }
    return 0;
}
