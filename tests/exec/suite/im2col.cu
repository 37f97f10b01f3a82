/* im2col.cu - columns of pixels that the copy engine gathers for a convolution, and scatters; for compute_90. What is
 * to come is found by walking from pixel to pixel, one after another. */
#include <cuda.h>
#include <stdint.h>

#include "../check.h"

enum { C = 8, PIXELS = 24, MOST = C * PIXELS };

__device__ static void wait_for(uint64_t *bar)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(bar), done = 0;
    for (int i = 0; i < 1 << 20 && !done; i++)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
}

/* rank 3, 4 or 5; out[0..] is the column, in the order of shared memory. */
template <int RANK>
__global__ void gather(const __grid_constant__ CUtensorMap map, float *out, int c, int w, int h, int d, int n, int ow,
                       int oh, int od)
{
    __shared__ alignas(128) float tile[MOST];
    __shared__ alignas(8) uint64_t bar;
    unsigned to = (unsigned)__cvta_generic_to_shared(tile), at = (unsigned)__cvta_generic_to_shared(&bar);
    const void *m = &map;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(at)
                     : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(MOST * 4) : "memory");
        if (RANK == 3)
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(to),
                         "l"(m), "r"(c), "r"(w), "r"(n), "r"(at), "h"((short)ow)
                         : "memory");
        if (RANK == 4)
            asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(to),
                         "l"(m), "r"(c), "r"(w), "r"(h), "r"(n), "r"(at), "h"((short)ow), "h"((short)oh)
                         : "memory");
        if (RANK == 5)
            asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3, %4, %5, %6}], [%7], {%8, %9, %10};" ::"r"(to),
                         "l"(m), "r"(c), "r"(w), "r"(h), "r"(d), "r"(n), "r"(at), "h"((short)ow), "h"((short)oh),
                         "h"((short)od)
                         : "memory");
    }
    __syncthreads();
    wait_for(&bar);
    for (int i = threadIdx.x; i < MOST; i += blockDim.x) out[i] = tile[i];
}

__global__ void scatter(const __grid_constant__ CUtensorMap map, int w, int h, int n)
{
    __shared__ alignas(128) float tile[MOST];
    const void *m = &map;
    for (int i = threadIdx.x; i < MOST; i += blockDim.x) tile[i] = -1.0f - i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x) return;
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(m),
        "r"(0), "r"(w), "r"(h), "r"(n), "r"((unsigned)__cvta_generic_to_shared(tile))
        : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

struct image {
    int rank, size[5], lower[3], upper[3], step[3]; /* size: C W H D N; 1 where there is no such dimension */
};

static CUtensorMap encode(const struct image *im, float *at)
{
    cuuint64_t size[5], stride[4], bytes = 4;
    cuuint32_t step[5] = {1, 1, 1, 1, 1};
    int places = im->rank - 2;
    for (int i = 0; i < im->rank; i++) size[i] = (cuuint64_t)im->size[i < im->rank - 1 ? i : 4];
    for (int i = 0; i + 1 < im->rank; i++) stride[i] = bytes *= size[i];
    for (int i = 0; i < places; i++) step[i + 1] = (cuuint32_t)im->step[i];
    void *call = NULL;
    cudaDriverEntryPointQueryResult found;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &call, 12000, cudaEnableDefault, &found));
    CHECK(call);
    CUtensorMap map;
    CHECK(((decltype(&cuTensorMapEncodeIm2col))call)(
              &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, (unsigned)im->rank, at, size, stride, im->lower, im->upper, C,
              PIXELS, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

/* The element of the image at c and a place, or -1: outside. */
static long index_of(const struct image *im, int c, const int place[4])
{
    long at = 0;
    for (int i = 3; i >= 0; i--) {
        if (place[i] < 0 || place[i] >= im->size[i + 1]) return -1;
        at = at * im->size[i + 1] + place[i];
    }
    return c < im->size[0] ? at * im->size[0] + c : -1;
}

/* On to the next place: W, then H, then D, then the next image. */
static void next_place(const struct image *im, int place[4])
{
    for (int i = 0; i < im->rank - 2; i++) {
        place[i] += im->step[i];
        if (place[i] <= im->size[i + 1] - 1 + im->upper[i]) return;
        place[i] = im->lower[i];
    }
    place[3]++;
}

static void try_image(const struct image *im, const int start[4], const int off[3])
{
    long n = 1;
    for (int i = 0; i < 5; i++) n *= im->size[i];
    float *host = new float[n], *in, *out, got[MOST];
    for (long i = 0; i < n; i++) host[i] = (float)(i + 1);
    CUDA(cudaMalloc(&in, n * 4));
    CUDA(cudaMalloc(&out, sizeof got));
    CUDA(cudaMemcpy(in, host, n * 4, cudaMemcpyHostToDevice));
    CUtensorMap map = encode(im, in);
    auto kernel = im->rank == 3 ? gather<3> : im->rank == 4 ? gather<4> : gather<5>;
    kernel<<<1, 32>>>(map, out, 0, start[0], start[1], start[2], start[3], off[0], off[1], off[2]);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int place[4] = {start[0], start[1], start[2], start[3]};
    for (int p = 0; p < PIXELS; p++, next_place(im, place))
        for (int c = 0; c < C; c++) {
            int moved[4] = {place[0] + off[0], place[1] + off[1], place[2] + off[2], place[3]};
            long at = index_of(im, c, moved);
            CHECK(got[p * C + c] == (at < 0 ? 0.0f : host[at]));
        }
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    delete[] host;
}

static void try_scatter(const struct image *im, const int start[4])
{
    long n = 1;
    for (int i = 0; i < 5; i++) n *= im->size[i];
    float *host = new float[n], *in;
    CUDA(cudaMalloc(&in, n * 4));
    CUDA(cudaMemset(in, 0, n * 4));
    scatter<<<1, 32>>>(encode(im, in), start[0], start[1], start[3]);
    CUDA(cudaMemcpy(host, in, n * 4, cudaMemcpyDeviceToHost));
    float *want = new float[n]();
    int place[4] = {start[0], start[1], start[2], start[3]};
    for (int p = 0; p < PIXELS; p++, next_place(im, place))
        for (int c = 0; c < C; c++) {
            long at = index_of(im, c, place);
            if (at >= 0) want[at] = -1.0f - (float)(p * C + c);
        }
    for (long i = 0; i < n; i++) CHECK(host[i] == want[i]);
    CUDA(cudaFree(in));
    delete[] host;
    delete[] want;
}

int main()
{
    const struct image line = {3, {C, 9, 1, 1, 4}, {-1, 0, 0}, {-1, 0, 0}, {1, 1, 1}};
    const struct image plane = {4, {C, 6, 5, 1, 3}, {-1, -1, 0}, {-1, -1, 0}, {1, 1, 1}};
    const struct image strided = {4, {C, 9, 7, 1, 3}, {0, 0, 0}, {-2, -2, 0}, {2, 3, 1}};
    const struct image few = {4, {C - 4, 6, 5, 1, 3}, {-2, 0, 0}, {1, 0, 0}, {1, 1, 1}}; /* channels beyond the last */
    const struct image volume = {5, {C, 4, 3, 3, 2}, {-1, 0, -1}, {0, -1, -1}, {1, 1, 1}};
    const int zero[4] = {0, 0, 0, 0};
    for (int off = 0; off < 3; off++) {
        const int begin[4] = {-1, 0, 0, 0}, late[4] = {5, 0, 0, 1}, o[3] = {off, 0, 0};
        try_image(&line, begin, o);
        try_image(&line, late, o);
    }
    for (int off = 0; off < 9; off++) {
        const int begin[4] = {-1, -1, 0, 0}, late[4] = {3, 2, 0, 1}, o[3] = {off % 3, off / 3, 0};
        try_image(&plane, begin, o);
        try_image(&plane, late, o);
        try_image(&strided, zero, o);
    }
    const int middle[4] = {2, 3, 0, 1}, corner[4] = {-2, 0, 0, 0}, deep[4] = {-1, 0, -1, 0}, o[3] = {1, 1, 1};
    const int odd[4] = {1, 2, 0, 0}, flat[3] = {1, 1, 0};
    try_image(&strided, middle, zero);
    try_image(&strided, odd, flat); /* not a multiple of the step from the lower corner */
    try_image(&few, corner, zero);
    try_image(&volume, deep, o);
    try_image(&volume, zero, zero);
    /* a store may not begin outside of the tensor: no lower corner is negative */
    const struct image whole = {4, {C, 6, 5, 1, 3}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}};
    try_scatter(&whole, middle);
    try_scatter(&whole, zero);
    try_scatter(&strided, zero);
    puts("im2col ok");
    return 0;
}
