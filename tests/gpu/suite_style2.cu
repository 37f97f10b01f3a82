/* suite_style2.cu - a second set of kernels in the style of the benchmark suites, compared with an H200 once, after the
 * mechanisms found with the first: ./a.out N launches the Nth. */
#include "suite_inputs.h"

__global__ void jacobi(float *o, const float *a, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
    if (x < n - 1 && y < n - 1)
        o[y * n + x] = 0.25f * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}
__global__ void blur_tile(float *o, const float *a, int n)
{
    __shared__ float t[20][36];
    int x = blockIdx.x * 32, y = blockIdx.y * 16;
    for (int i = threadIdx.x; i < 20 * 36; i += 256) {
        int u = min(max(x + i % 36 - 2, 0), n - 1), v = min(max(y + i / 36 - 2, 0), n - 1);
        t[i / 36][i % 36] = a[v * n + u];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += 256) {
        float s = 0;
        for (int dy = 0; dy < 5; dy++)
            for (int dx = 0; dx < 5; dx++) s += t[i / 32 + dy][i % 32 + dx];
        o[(y + i / 32) * n + x + i % 32] = s * 0.04f;
    }
}
__global__ void gather(float *o, const float *a, const int *idx, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = a[idx[i]] * 2.0f;
}
__global__ void scatter(float *o, const float *a, const int *idx, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[idx[i]] = a[i] + 1.0f;
}
struct body {
    float x, y, z, m, vx, vy, vz, pad;
};
__global__ void step_bodies(body *b, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    b[i].x += b[i].vx * dt, b[i].y += b[i].vy * dt, b[i].z += b[i].vz * dt;
    if (b[i].x * b[i].x + b[i].y * b[i].y + b[i].z * b[i].z > 4.0f) b[i].vx = -b[i].vx, b[i].vy = -b[i].vy;
}
__global__ void distances(float *o, const float *p, const float *q, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 16; j++) {
        float s = 0;
        for (int k = 0; k < d; k++) {
            float e = p[k * n + i] - q[j * d + k];
            s += e * e;
        }
        o[j * n + i] = sqrtf(s);
    }
}
__global__ void assign(int *o, const float *p, const float *q, int n, int d, int c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    float least = 1e30f;
    if (i >= n) return;
    for (int j = 0; j < c; j++) {
        float s = 0;
        for (int k = 0; k < d; k++) {
            float e = p[i * d + k] - q[j * d + k];
            s += e * e;
        }
        if (s < least) least = s, best = j;
    }
    o[i] = best;
}
__global__ void compact(int *o, int *count, const int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] % 3 == 0) o[atomicAdd(count, 1)] = a[i];
}
__global__ void bins_float(float *bins, const float *a, int n)
{
    __shared__ float t[64];
    if (threadIdx.x < 64) t[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&t[(int)(a[i] * 31.0f) & 63], a[i]);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], t[threadIdx.x]);
}
__global__ void radix_count(int *o, const unsigned *a, int n, int shift)
{
    __shared__ int t[16][128];
    for (int d = 0; d < 16; d++) t[d][threadIdx.x] = 0;
    int per = n / (gridDim.x * 128), at = blockIdx.x * 128 * per + threadIdx.x;
    for (int i = 0; i < per; i++) t[a[at + i * 128] >> shift & 15][threadIdx.x]++;
    __syncthreads();
    if (threadIdx.x < 16) {
        int s = 0;
        for (int i = 0; i < 128; i++) s += t[threadIdx.x][i];
        o[threadIdx.x * gridDim.x + blockIdx.x] = s;
    }
}
__global__ void search(int *o, const int *keys, const int *want, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lo = 0, hi = n;
    if (i >= m) return;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (keys[mid] < want[i]) lo = mid + 1;
        else hi = mid;
    }
    o[i] = lo;
}
__global__ void simplex(float *o, const float *a, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i % n], y = x * 0.5f;
    for (int k = 0; k < rounds; k++) {
        if (x > y) x = __sinf(x) + y * 0.3f;
        else if (y > 1.0f) y = y - floorf(y) + x * 0.1f;
        else x = x * 1.1f + 0.01f, y = y * 0.9f + 0.02f;
    }
    o[i] = x + y;
}
__global__ void dot_double(double *o, const double *a, const double *b, int n)
{
    __shared__ double t[256];
    double s = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += a[i] * b[i];
    t[threadIdx.x] = s;
    for (int d = 128; d; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d) t[threadIdx.x] += t[threadIdx.x + d];
    }
    if (!threadIdx.x) o[blockIdx.x] = t[0];
}
__global__ void hash_words(unsigned *o, const unsigned char *text, const int *start, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = 2166136261u;
    for (int k = start[i]; k < start[i + 1]; k++) h = (h ^ text[k]) * 16777619u;
    o[i] = h;
}
__global__ void lu_column(float *a, int n, int k)
{
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float f = a[i * n + k] / a[k * n + k];
    for (int j = k + 1; j < min(n, k + 65); j++) a[i * n + j] -= f * a[k * n + j];
}
__constant__ float weights[1024];
__global__ void layer(float *o, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float in[16];
    for (int k = 0; k < 16; k++) in[k] = a[k * n + i];
    for (int j = 0; j < 32; j++) {
        float s = weights[j];
        for (int k = 0; k < 16; k++) s += in[k] * weights[32 + j * 16 + k];
        o[j * n + i] = s > 0 ? s : 0.01f * s;
    }
}
__global__ void table_lookup(float *o, const int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 8; k++) s += weights[(a[i] >> k) & 7];
    o[i] = s;
}
__global__ void spill(float *o, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t[48];
    for (int k = 0; k < 48; k++) t[k] = a[(i + k * 64) % n];
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 48; k++) t[k] = t[(k * 7 + r + i) % 48] * 0.5f + t[k];
    float s = 0;
    for (int k = 0; k < 48; k++) s += t[k];
    o[i] = s;
}
__global__ void scan_warp(int *o, const int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? a[i] & 255 : 0, lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += u;
    }
    if (i < n) o[i] = v;
}
__global__ void product_tile(float *c, const float *a, const float *b, int n)
{
    __shared__ float s[32][32], t[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    float acc[4] = {0, 0, 0, 0};
    for (int k = 0; k < n; k += 32) {
        for (int j = 0; j < 32; j += 8) {
            s[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + k + threadIdx.x];
            t[threadIdx.y + j][threadIdx.x] = b[(k + threadIdx.y + j) * n + x];
        }
        __syncthreads();
        for (int q = 0; q < 32; q++)
            for (int j = 0; j < 4; j++) acc[j] += s[threadIdx.y + j * 8][q] * t[q][threadIdx.x];
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) c[(y + j * 8) * n + x] = acc[j];
}
int main(int argc, char **argv)
{
    int pick = argc > 1 ? atoi(argv[1]) : -1, turn = 0;
    const int N = 1 << 18;
    float *x = up(floats(2 * N, 0.1f, 2)), *y = up(floats(N, 0.1f, 2)), *o = zero<float>(2 * N);
    int *iv = up(ints(N, N)), *io = zero<int>(N);
    RUN jacobi<<<dim3(16, 64), dim3(32, 8)>>>(o, x, 512);
    RUN blur_tile<<<dim3(16, 32), 256>>>(o, x, 512);
    RUN gather<<<512, 256>>>(o, x, iv, 1 << 17);
    RUN scatter<<<512, 256>>>(o, x, iv, 1 << 17);
    RUN step_bodies<<<256, 128>>>((body *)x, 0.1f, 32768);
    RUN distances<<<128, 128>>>(o, x, y, 16384, 12);
    RUN assign<<<128, 128>>>(io, x, y, 16384, 8, 20);
    RUN compact<<<512, 256>>>(io, zero<int>(1), iv, 1 << 17);
    RUN bins_float<<<132, 256>>>(zero<float>(64), x, N);
    RUN radix_count<<<128, 128>>>(io, (unsigned *)iv, N, 4);
    {
        std::vector<int> keys(N);
        for (int i = 0; i < N; i++) keys[i] = 3 * i;
        RUN search<<<256, 128>>>(io, up(keys), up(ints(32768, 3 * N)), N, 32768);
    }
    RUN simplex<<<264, 128>>>(o, x, N, 100);
    {
        double *a = zero<double>(N), *b = zero<double>(N), *c = zero<double>(256);
        RUN dot_double<<<132, 256>>>(c, a, b, N);
    }
    {
        std::vector<int> start(16385, 0);
        for (int i = 0; i < 16384; i++) start[i + 1] = start[i] + 3 + (int)(rnd() % 12);
        RUN hash_words<<<128, 128>>>((unsigned *)io, (unsigned char *)iv, up(start), 16384);
    }
    RUN lu_column<<<4, 128>>>(x, 512, 100);
    std::vector<float> w(1024, 0.125f);
    CK(cudaMemcpyToSymbol(weights, w.data(), 4096));
    RUN layer<<<128, 128>>>(o, x, 16384);
    RUN table_lookup<<<512, 256>>>(o, iv, 1 << 17);
    RUN spill<<<132, 128>>>(o, x, N);
    RUN scan_warp<<<512, 512>>>(io, iv, N);
    RUN product_tile<<<dim3(12, 12), dim3(32, 8)>>>(o, x, y, 384);
    CK(cudaDeviceSynchronize());
    printf("done\n");
    return 0;
}
