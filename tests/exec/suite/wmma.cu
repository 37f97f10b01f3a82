/* wmma.cu - a product of matrices by fragments (nvcuda::wmma): f16 into f32 and into f16, bytes into int, tiles staged
 * in shared memory, a epilogue on the fragment's elements. Small whole numbers: every sum is exact. */
#include <cuda_fp16.h>
#include <mma.h>

#include "../check.h"
using namespace nvcuda;

enum { M = 64, N = 48, K = 80 };

template <typename T, typename C> __global__ void product(const T *a, const T *b, C *c, C add)
{
    __shared__ T sa[16 * 16], sb[16 * 16];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, C> fc;
    wmma::fill_fragment(fc, C(0));
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    for (int k = 0; k < K; k += 16) {
        for (int i = threadIdx.x; i < 256; i += 32) {
            sa[i] = a[(row + i / 16) * K + k + i % 16];
            sb[i] = b[(col + i / 16) * K + k + i % 16]; /* columns of B lie together */
        }
        __syncwarp();
        wmma::load_matrix_sync(fa, sa, 16);
        wmma::load_matrix_sync(fb, sb, 16);
        wmma::mma_sync(fc, fa, fb, fc);
        __syncwarp();
    }
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] + add;
    wmma::store_matrix_sync(c + row * N + col, fc, N, wmma::mem_row_major);
}

static int at(int i, int k, int prime) { return (i * 5 + k * 3) % prime - prime / 2; }

template <typename T, typename C> static void check(T (*make)(int), C add)
{
    static T a[M * K], b[N * K];
    static C c[M * N];
    T *da, *db;
    C *dc;
    for (int i = 0; i < M * K; i++) a[i] = make(at(i / K, i % K, 7));
    for (int i = 0; i < N * K; i++) b[i] = make(at(i / K, i % K, 5));
    CUDA(cudaMalloc(&da, sizeof a));
    CUDA(cudaMalloc(&db, sizeof b));
    CUDA(cudaMalloc(&dc, sizeof c));
    CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    product<T, C><<<dim3(N / 16, M / 16), 32>>>(da, db, dc, add);
    CUDA(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = (int)(float)add;
            for (int k = 0; k < K; k++) sum += at(i, k, 7) * at(j, k, 5);
            CHECK((int)(float)c[i * N + j] == sum);
        }
    CUDA(cudaFree(da));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dc));
}

static __half half_of(int v) { return __float2half((float)v); }
static signed char byte_of(int v) { return (signed char)v; }

int main()
{
    check<__half, float>(half_of, 2.0f);
    check<__half, __half>(half_of, __float2half(-3.0f));
    check<signed char, int>(byte_of, 11);
    printf("wmma ok\n");
    return 0;
}
