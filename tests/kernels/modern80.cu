/* modern80.cu - small kernels in the style of today's programs, for sm_80: matrix units, asynchronous copies, 16-bit
 * floats, warp functions. `sh scripts/make_kernels.sh` makes modern80.ptx of it; test_kernels.c runs that. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

using namespace nvcuda;
#define KERNEL extern "C" __global__ void

/* C = A B, all 64 x 64, f16 in, f32 out; a warp makes a tile of 16 x 16. */
KERNEL gemm_wmma(const half *a, const half *b, float *c)
{
    int tile = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, row = tile / 4 * 16, col = tile % 4 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < 64; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
        wmma::load_matrix_sync(x, a + row * 64 + k, 64);
        wmma::load_matrix_sync(y, b + k * 64 + col, 64);
        wmma::mma_sync(sum, x, y, sum);
    }
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 0.5f;
    wmma::store_matrix_sync(c + row * 64 + col, sum, 64, wmma::mem_row_major);
}

/* The same with bf16, tiles of 32 x 8 and of 8 x 32 through shared memory. */
KERNEL gemm_wmma_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
    __shared__ __align__(32) __nv_bfloat16 sa[32 * 16], sb[16 * 8];
    int row = blockIdx.x / 8 * 32, col = blockIdx.x % 8 * 8;
    wmma::fragment<wmma::accumulator, 32, 8, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    for (int k = 0; k < 64; k += 16) {
        for (int i = threadIdx.x; i < 512; i += 32) sa[i] = a[(row + i / 16) * 64 + k + i % 16];
        for (int i = threadIdx.x; i < 128; i += 32) sb[i] = b[(k + i / 8) * 64 + col + i % 8];
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 32, 8, 16, __nv_bfloat16, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, wmma::row_major> y;
        wmma::load_matrix_sync(x, sa, 16);
        wmma::load_matrix_sync(y, sb, 8);
        wmma::mma_sync(sum, x, y, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(c + row * 64 + col, sum, 64, wmma::mem_row_major);
}

KERNEL gemm_tf32(const float *a, const float *b, float *c)
{
    int row = blockIdx.x / 4 * 16, col = blockIdx.x % 4 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < 64; k += 8) {
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> y;
        wmma::load_matrix_sync(x, a + row * 64 + k, 64);
        wmma::load_matrix_sync(y, b + col * 64 + k, 64);
        for (int i = 0; i < x.num_elements; i++) x.x[i] = wmma::__float_to_tf32(x.x[i]);
        for (int i = 0; i < y.num_elements; i++) y.x[i] = wmma::__float_to_tf32(y.x[i]);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + row * 64 + col, sum, 64, wmma::mem_row_major);
}

KERNEL gemm_f64(const double *a, const double *b, double *c)
{
    int row = blockIdx.x / 4 * 8, col = blockIdx.x % 4 * 8;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
    wmma::fill_fragment(sum, 0.0);
    for (int k = 0; k < 32; k += 4) {
        wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> y;
        wmma::load_matrix_sync(x, a + row * 32 + k, 32);
        wmma::load_matrix_sync(y, b + k * 32 + col, 32);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + row * 32 + col, sum, 32, wmma::mem_row_major);
}

KERNEL gemm_s8(const signed char *a, const signed char *b, int *c)
{
    int row = blockIdx.x / 4 * 16, col = blockIdx.x % 4 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::fill_fragment(sum, 0);
    for (int k = 0; k < 64; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> y;
        wmma::load_matrix_sync(x, a + row * 64 + k, 64);
        wmma::load_matrix_sync(y, b + col * 64 + k, 64);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + row * 64 + col, sum, 64, wmma::mem_row_major);
}

/* Hamming distances of 8 x 8 strings of 256 bits. */
KERNEL distances(const unsigned *a, const unsigned *b, int *c)
{
    using namespace wmma::experimental;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
    wmma::fill_fragment(sum, 0);
    for (int k = 0; k < 256; k += 128) {
        wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> y;
        wmma::load_matrix_sync(x, a + k / 32, 256);
        wmma::load_matrix_sync(y, b + k / 32, 256);
        wmma::bmma_sync(sum, x, y, sum, bmmaBitOpXOR);
    }
    wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void load_matrices(unsigned r[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

__device__ void load_transposed(unsigned r[2], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(shared_address(row)));
}

__device__ void multiply(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* C = A B, 64 x 64, by one block of four warps: tiles come through two buffers in shared memory while the matrix
 * units work on the other one. */
KERNEL gemm_pipelined(const half *a, const half *b, float *c)
{
    __shared__ __align__(16) half sa[2][64][16 + 8], sb[2][16][64 + 8];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum[8][4] = {};
    auto fetch = [&](int stage, int k) {
        int i = threadIdx.x;
        __pipeline_memcpy_async(&sa[stage][i / 2][i % 2 * 8], a + i / 2 * 64 + k + i % 2 * 8, 16);
        __pipeline_memcpy_async(&sb[stage][i / 8][i % 8 * 8], b + (k + i / 8) * 64 + i % 8 * 8, 16);
        __pipeline_commit();
    };
    fetch(0, 0);
    for (int step = 0; step < 4; step++) {
        if (step < 3) fetch((step + 1) % 2, 16 * (step + 1));
        __pipeline_wait_prior(step < 3 ? 1 : 0);
        __syncthreads();
        unsigned x[4], y[2];
        load_matrices(x, &sa[step % 2][warp * 16 + lane % 16][lane / 16 * 8]);
        for (int n = 0; n < 8; n++) {
            load_transposed(y, &sb[step % 2][lane % 16][n * 8]);
            multiply(sum[n], x, y);
        }
        __syncthreads();
    }
    for (int n = 0; n < 8; n++)
        for (int e = 0; e < 4; e++)
            c[(warp * 16 + lane / 4 + e / 2 * 8) * 64 + n * 8 + lane % 4 * 2 + e % 2] = sum[n][e];
}

/* Softmax of rows of 128 halves, a warp each. */
KERNEL softmax_f16(const half2 *in, half2 *out)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    float2 v[2];
    float most = -1e30f, sum = 0;
    for (int i = 0; i < 2; i++) {
        v[i] = __half22float2(in[row * 64 + i * 32 + lane]);
        most = fmaxf(most, fmaxf(v[i].x, v[i].y));
    }
    for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (int i = 0; i < 2; i++) {
        v[i].x = exp2f((v[i].x - most) * 1.44269504f);
        v[i].y = exp2f((v[i].y - most) * 1.44269504f);
        sum += v[i].x + v[i].y;
    }
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    for (int i = 0; i < 2; i++) out[row * 64 + i * 32 + lane] = __floats2half2_rn(v[i].x / sum, v[i].y / sum);
}

/* Layer normalisation of rows of 256 bf16, a block of 128 each. */
KERNEL layernorm_bf16(const __nv_bfloat162 *in, const __nv_bfloat162 *weight, __nv_bfloat162 *out)
{
    __shared__ float part[2][4];
    int at = blockIdx.x * 128 + threadIdx.x;
    float2 v = __bfloat1622float2(in[at]);
    float s = v.x + v.y, q = v.x * v.x + v.y * v.y;
    for (int d = 16; d; d /= 2) {
        s += __shfl_down_sync(~0u, s, d);
        q += __shfl_down_sync(~0u, q, d);
    }
    if (threadIdx.x % 32 == 0) part[0][threadIdx.x / 32] = s, part[1][threadIdx.x / 32] = q;
    __syncthreads();
    s = part[0][0] + part[0][1] + part[0][2] + part[0][3];
    q = part[1][0] + part[1][1] + part[1][2] + part[1][3];
    float mean = s / 256, scale = rsqrtf(q / 256 - mean * mean + 1e-5f);
    __nv_bfloat162 n = __floats2bfloat162_rn((v.x - mean) * scale, (v.y - mean) * scale);
    out[at] = __hfma2(n, weight[threadIdx.x], __float2bfloat162_rn(0.5f));
}

/* One head of attention, 16 queries, 64 keys of 16 numbers: a warp, keys in blocks of 16, running maxima. */
KERNEL attention(const half *q, const half *k, const half *v, float *out)
{
    __shared__ __align__(32) half p[16 * 16];
    __shared__ __align__(32) float s[16 * 16], o[16 * 16];
    int lane = threadIdx.x, row = lane / 2, part = lane % 2 * 8;
    float most = -1e30f, sum = 0, acc[8] = {};
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::load_matrix_sync(x, q, 16);
    for (int block = 0; block < 4; block++) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> t;
        wmma::fill_fragment(t, 0.0f);
        wmma::load_matrix_sync(y, k + block * 256, 16);
        wmma::mma_sync(t, x, y, t);
        wmma::store_matrix_sync(s, t, 16, wmma::mem_row_major);
        __syncwarp();
        float m = most;
        for (int i = 0; i < 8; i++) m = fmaxf(m, s[row * 16 + part + i] * 0.25f);
        m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
        float scale = __expf(most - m), add = 0;
        for (int i = 0; i < 8; i++) {
            float e = __expf(s[row * 16 + part + i] * 0.25f - m);
            add += e;
            p[row * 16 + part + i] = __float2half(e);
        }
        add += __shfl_xor_sync(~0u, add, 1);
        sum = sum * scale + add;
        most = m;
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> w;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> z;
        wmma::load_matrix_sync(w, p, 16);
        wmma::load_matrix_sync(z, v + block * 256, 16);
        wmma::fill_fragment(t, 0.0f);
        wmma::mma_sync(t, w, z, t);
        wmma::store_matrix_sync(o, t, 16, wmma::mem_row_major);
        __syncwarp();
        for (int i = 0; i < 8; i++) acc[i] = acc[i] * scale + o[row * 16 + part + i];
        __syncwarp();
    }
    for (int i = 0; i < 8; i++) out[row * 16 + part + i] = acc[i] / sum;
}

/* Keys counted by warps: the lanes with my key, their first adds for all. */
KERNEL histogram(const unsigned *key, unsigned *count, unsigned *most)
{
    unsigned mine = key[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned same = __match_any_sync(~0u, mine);
    if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&count[mine], __popc(same));
    unsigned top = __reduce_max_sync(~0u, mine);
    if (threadIdx.x % 32 == 0) atomicMax(most, top);
}

/* A three-point stencil over tiles that arrive asynchronously, with zeros beyond the ends. */
KERNEL stencil_async(const float *in, float *out, int n)
{
    __shared__ float tile[130];
    int first = blockIdx.x * 128;
    for (int i = threadIdx.x; i < 130; i += 128) {
        int at = first + i - 1;
        bool inside = at >= 0 && at < n;
        __pipeline_memcpy_async(&tile[i], in + (inside ? at : 0), 4, inside ? 0 : 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int i = threadIdx.x;
    if (first + i < n) out[first + i] = 0.25f * tile[i] + 0.5f * tile[i + 1] + 0.25f * tile[i + 2];
}

/* y = gelu(a x + y) in pairs of halves. */
KERNEL gelu_f16(half2 *y, const half2 *x, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    half2 t = __hfma2(__float2half2_rn(a), x[i], y[i]);
    half2 u = __hmul2(t, __hfma2(__hmul2(t, t), __float2half2_rn(0.0356774f), __float2half2_rn(0.7978846f)));
    unsigned r, bits;
    memcpy(&bits, &u, 4);
    asm("tanh.approx.f16x2 %0, %1;" : "=r"(r) : "r"(bits));
    memcpy(&u, &r, 4);
    y[i] = __hmul2(__hmul2(t, __float2half2_rn(0.5f)), __hadd2(u, __float2half2_rn(1.0f)));
}

/* 8 x 8 tiles of halves transposed in registers. */
KERNEL transpose_tiles(const unsigned *in, unsigned *out)
{
    unsigned v = in[blockIdx.x * 32 + threadIdx.x], t;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(t) : "r"(v));
    out[blockIdx.x * 32 + threadIdx.x] = t;
}
