/* suite_style.cu - kernels in the style of the benchmark suites, written to be compared with an H200 once: ./a.out N
 * launches the Nth. */
#include <cstring>
#include "suite_inputs.h"

__global__ void axpy_stride(float *y, const float *x, float a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}
__global__ void transpose_plain(float *o, const float *a, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    o[x * n + y] = a[y * n + x];
}
__global__ void transpose_tile(float *o, const float *a, int n)
{
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) o[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}
__device__ float cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}
__global__ void options(float *call, float *put, const float *s, const float *x, const float *t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float q = sqrtf(t[i]), d1 = (logf(s[i] / x[i]) + (0.02f + 0.5f * 0.3f * 0.3f) * t[i]) / (0.3f * q),
          d2 = d1 - 0.3f * q;
    float e = expf(-0.02f * t[i]), a = cnd(d1), b = cnd(d2);
    call[i] = s[i] * a - x[i] * e * b;
    put[i] = x[i] * e * (1.0f - b) - s[i] * (1.0f - a);
}
__global__ void bodies(float4 *acc, const float4 *p, int n)
{
    __shared__ float4 t[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = p[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j += 128) {
        t[threadIdx.x] = p[j + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float dx = t[k].x - me.x, dy = t[k].y - me.y, dz = t[k].z - me.z, r = dx * dx + dy * dy + dz * dz + 0.01f;
            float v = rsqrtf(r), f = t[k].w * v * v * v;
            ax += dx * f, ay += dy * f, az += dz * f;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0);
}
__global__ void escape(int *o, int w, int h, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.2f + 3.0f * x / w, cy = -1.2f + 2.4f * y / h, a = 0, b = 0;
    int k = 0;
    while (k < limit && a * a + b * b < 4.0f) {
        float t = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = t;
        k++;
    }
    o[y * w + x] = k;
}
__global__ void scan_block(int *o, const int *a)
{
    __shared__ int t[512];
    int i = blockIdx.x * 512 + threadIdx.x, v = a[i];
    t[threadIdx.x] = v;
    for (int d = 1; d < 512; d *= 2) {
        __syncthreads();
        int u = threadIdx.x >= d ? t[threadIdx.x - d] : 0;
        __syncthreads();
        t[threadIdx.x] += u;
    }
    o[i] = t[threadIdx.x];
}
__global__ void sum_shuffle(float *o, const float *a, int n)
{
    float s = 0;
    __shared__ float t[32];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += a[i];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) t[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? t[threadIdx.x] : 0;
        for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
        if (threadIdx.x == 0) atomicAdd(o, s);
    }
}
__global__ void count_global(int *bins, const int *a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[a[i] & 4095], 1);
}
__global__ void count_shared(int *bins, const unsigned char *a, int n)
{
    __shared__ int t[256];
    t[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&t[a[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], t[threadIdx.x]);
}
__global__ void rows_csr(double *y, const int *row, const int *col, const double *val, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double s = 0;
    for (int k = row[i]; k < row[i + 1]; k++) s += val[k] * x[col[k]];
    y[i] = s;
}
__global__ void forces(float4 *f, const float4 *p, const int *list, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = p[i];
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < m; j++) {
        float4 q = p[list[j * n + i]];
        float dx = me.x - q.x, dy = me.y - q.y, dz = me.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < 0.4f) {
            float inv = 1.0f / r2, r6 = inv * inv * inv, k = inv * r6 * (1.5f * r6 - 2.0f);
            fx += dx * k, fy += dy * k, fz += dz * k;
        }
    }
    f[i] = make_float4(fx, fy, fz, 0);
}
__global__ void seven_double(double *o, const double *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    for (int z = 1; z < 31; z++) {
        int i = (z * n + y) * n + x;
        o[i] = 0.4 * a[i] + 0.1 * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n]);
    }
}
__global__ void butterflies(float2 *data)
{
    __shared__ float2 t[512];
    int i = threadIdx.x;
    float2 *d = data + blockIdx.x * 512;
    t[i] = d[i], t[i + 256] = d[i + 256];
    for (int len = 1; len < 512; len *= 2) {
        __syncthreads();
        int j = i / len * len * 2 + i % len;
        float s, c;
        sincosf(-3.14159265f * (i % len) / len, &s, &c);
        float2 a = t[j], b = t[j + len], w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
        t[j] = make_float2(a.x + w.x, a.y + w.y), t[j + len] = make_float2(a.x - w.x, a.y - w.y);
    }
    __syncthreads();
    d[i] = t[i], d[i + 256] = t[i + 256];
}
__global__ void edges(unsigned char *o, const unsigned char *a, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    const unsigned char *p = a + y * w + x;
    int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
    int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
    int m = abs(gx) + abs(gy);
    o[y * w + x] = m > 255 ? 255 : m;
}
__global__ void product_double(double *c, const double *a, const double *b, int n)
{
    __shared__ double s[16][16], t[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    double sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int j = 0; j < 16; j++) sum += s[threadIdx.y][j] * t[j][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
__global__ void product_registers(float *c, const float *a, const float *b, int n)
{
    __shared__ float s[16][64], t[16][64];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float acc[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int j = 0; j < 4; j++) {
            int e = threadIdx.x + j * 256;
            s[e % 16][e / 16] = a[(blockIdx.y * 64 + e / 16) * n + k + e % 16];
            t[e / 64][e % 64] = b[(k + e / 64) * n + blockIdx.x * 64 + e % 64];
        }
        __syncthreads();
        for (int j = 0; j < 16; j++) {
            float u[4], v[4];
            for (int q = 0; q < 4; q++) u[q] = s[j][ty * 4 + q], v[q] = t[j][tx * 4 + q];
            for (int q = 0; q < 4; q++)
                for (int r = 0; r < 4; r++) acc[q][r] += u[q] * v[r];
        }
        __syncthreads();
    }
    for (int q = 0; q < 4; q++)
        for (int r = 0; r < 4; r++) c[(blockIdx.y * 64 + ty * 4 + q) * n + blockIdx.x * 64 + tx * 4 + r] = acc[q][r];
}
__global__ void dice(int *hits, int rounds)
{
    unsigned s = 747796405u * (blockIdx.x * blockDim.x + threadIdx.x + 1);
    int h = 0;
    for (int i = 0; i < rounds; i++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        float x = s / 4294967296.0f;
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        float y = s / 4294967296.0f;
        h += x * x + y * y < 1.0f;
    }
    atomicAdd(hits, h);
}
__global__ void bitonic(int *a)
{
    __shared__ int t[1024];
    int *d = a + blockIdx.x * 1024;
    t[threadIdx.x] = d[threadIdx.x], t[threadIdx.x + 512] = d[threadIdx.x + 512];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            __syncthreads();
            int i = 2 * threadIdx.x - (threadIdx.x & (j - 1)), x = t[i], y = t[i + j];
            if ((x > y) == ((i & k) == 0)) t[i] = y, t[i + j] = x;
        }
    __syncthreads();
    d[threadIdx.x] = t[threadIdx.x], d[threadIdx.x + 512] = t[threadIdx.x + 512];
}
__constant__ float taps[64];
__global__ void filter_const(float *o, const float *a, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int j = 0; j < k; j++)
        if (i + j < n) s += taps[j] * a[i + j];
    o[i] = s;
}
__global__ void const_divergent(float *o, const int *idx, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int j = 0; j < 16; j++) s += taps[(idx[i] + j * 5) & 63];
    o[i] = s;
}
__global__ void modular(unsigned *o, unsigned long long seed, unsigned m, int rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = seed + i;
    unsigned r = i + 1;
    for (int k = 0; k < rounds; k++) {
        x = (x * 6364136223846793005ull + 1) % (1000000007ull + m);
        r = (r * 7 + (unsigned)x) % (m + k);
    }
    o[i] = r;
}
struct point {
    float v[12];
};
__global__ void nearest(int *o, const point *p, const float *centre, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 1e30f;
    int at = 0;
    for (int c = 0; c < k; c++) {
        float s = 0;
        for (int j = 0; j < 12; j++) {
            float d = p[i].v[j] - centre[c * 12 + j];
            s += d * d;
        }
        if (s < best) best = s, at = c;
    }
    o[i] = at;
}
__global__ void frontier(int *dist, const int *row, const int *col, int level, int n, int *more)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || dist[i] != level) return;
    for (int k = row[i]; k < row[i + 1]; k++)
        if (dist[col[k]] < 0) dist[col[k]] = level + 1, *more = 1;
}
__global__ void copy4(float4 *o, const float4 *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = a[i];
}
__global__ void softmax_rows(float *o, const float *a, int w)
{
    __shared__ float t[256];
    const float *r = a + (size_t)blockIdx.x * w;
    float m = -1e30f, s = 0;
    for (int i = threadIdx.x; i < w; i += 256) m = fmaxf(m, r[i]);
    t[threadIdx.x] = m;
    for (int d = 128; d; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d) t[threadIdx.x] = fmaxf(t[threadIdx.x], t[threadIdx.x + d]);
    }
    __syncthreads();
    m = t[0];
    __syncthreads();
    for (int i = threadIdx.x; i < w; i += 256) s += expf(r[i] - m);
    t[threadIdx.x] = s;
    for (int d = 128; d; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d) t[threadIdx.x] += t[threadIdx.x + d];
    }
    __syncthreads();
    s = t[0];
    for (int i = threadIdx.x; i < w; i += 256) o[(size_t)blockIdx.x * w + i] = expf(r[i] - m) / s;
}
__global__ void wave_row(int *h, const char *a, const char *b, int m)
{
    __shared__ int prev[257], cur[257];
    int t = threadIdx.x;
    prev[t] = 0;
    cur[t] = 0;
    int best = 0, left = 0;
    char ca = a[blockIdx.x * 256 + t];
    for (int k = 0; k < m + 255; k++) {
        __syncthreads();
        int j = k - t, up = t ? prev[t - 1] : 0;
        int diag = t ? cur[t - 1] : 0;
        __syncthreads();
        if (j >= 0 && j < m) {
            int v = max(max(diag + (ca == b[j] ? 3 : -1), up - 2), max(left - 2, 0));
            best = max(best, v);
            cur[t] = prev[t];
            prev[t] = v;
            left = v;
        }
    }
    h[blockIdx.x * 256 + t] = best;
}
int main(int argc, char **argv)
{
    int pick = argc > 1 ? atoi(argv[1]) : -1, turn = 0;
    const int N = 1 << 19;
    float *x = up(floats(N, 0.1f, 2)), *y = up(floats(N, 0.1f, 2)), *z = up(floats(N, 0.5f, 2)), *o = zero<float>(N),
          *o2 = zero<float>(N);
    int *iv = up(ints(N, 1 << 20)), *io = zero<int>(N);
    RUN axpy_stride<<<264, 256>>>(o, x, 2, N);
    RUN transpose_plain<<<dim3(16, 64), dim3(32, 8)>>>(o, x, 512);
    RUN transpose_tile<<<dim3(16, 16), dim3(32, 8)>>>(o, x, 512);
    RUN options<<<512, 256>>>(o, o2, x, y, z, 1 << 17);
    float4 *b4 = (float4 *)up(floats(4 * 8192, 0, 1)), *f4 = zero<float4>(1 << 17);
    RUN bodies<<<32, 128>>>(f4, b4, 4096);
    RUN escape<<<dim3(32, 64), dim3(16, 8)>>>(io, 512, 512, 200);
    RUN scan_block<<<512, 512>>>(io, iv);
    RUN sum_shuffle<<<132, 512>>>(o, x, N);
    int *bins = zero<int>(4096);
    RUN count_global<<<264, 256>>>(bins, iv, 1 << 17);
    RUN count_shared<<<132, 256>>>(bins, (unsigned char *)iv, N);
    { /* rows of 4 to 36 entries */
        int n = 16384;
        std::vector<int> row(n + 1), col;
        for (int i = 0; i < n; i++) {
            row[i] = (int)col.size();
            int k = 4 + rnd() % 33;
            for (int j = 0; j < k; j++) col.push_back(rnd() % n);
        }
        row[n] = (int)col.size();
        std::vector<double> val(col.size(), 1.5), dx(n, 0.5);
        int *dr = up(row), *dc = up(col);
        RUN rows_csr<<<128, 128>>>(zero<double>(n), dr, dc, up(val), up(dx), n);
        std::vector<int> dist(n, -1);
        for (int i = 0; i < n / 8; i++) dist[rnd() % n] = 3;
        RUN frontier<<<64, 256>>>(up(dist), dr, dc, 3, n, zero<int>(1));
    }
    {
        int n = 8192, m = 64;
        RUN forces<<<64, 128>>>(f4, b4, up(ints(n * m, n)), n, m);
    }
    {
        double *a = zero<double>(32 * 128 * 128), *b = zero<double>(32 * 128 * 128);
        RUN seven_double<<<dim3(4, 16), dim3(32, 8)>>>(b, a, 128);
    }
    RUN butterflies<<<264, 256>>>((float2 *)x);
    RUN edges<<<dim3(32, 128), dim3(32, 8)>>>((unsigned char *)io, (unsigned char *)iv, 1024, 1024);
    {
        double *a = zero<double>(65536), *b = zero<double>(65536), *c = zero<double>(65536);
        RUN product_double<<<dim3(16, 16), dim3(16, 16)>>>(c, a, b, 256);
    }
    RUN product_registers<<<dim3(8, 8), 256>>>(o, x, y, 512);
    RUN dice<<<264, 128>>>(io, 200);
    RUN bitonic<<<132, 512>>>(iv);
    std::vector<float> tp(64, 0.25f);
    CK(cudaMemcpyToSymbol(taps, tp.data(), 256));
    RUN filter_const<<<1024, 128>>>(o, x, 1 << 17, 33);
    RUN const_divergent<<<256, 256>>>(o, iv, 65536);
    RUN modular<<<132, 128>>>((unsigned *)io, 12345, 1000, 40);
    RUN nearest<<<256, 128>>>(io, (point *)zero<point>(32768), x, 32768, 8);
    RUN copy4<<<512, 256>>>((float4 *)o, (float4 *)x, N / 4);
    RUN softmax_rows<<<264, 256>>>(o, x, 1900);
    RUN wave_row<<<64, 256>>>(io, (char *)iv, (char *)iv + 65536, 256);
    CK(cudaDeviceSynchronize());
    printf("done\n");
    return 0;
}
