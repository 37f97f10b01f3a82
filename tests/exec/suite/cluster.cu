/* cluster.cu - blocks in clusters that read each other's shared memory, and a box of a tensor that the copy engine brings
 * there; for compute_90. */
#include <cuda.h>
#include <cuda/barrier>
#include <cooperative_groups.h>

#include "../check.h"

namespace cg = cooperative_groups;
enum { THREADS = 64, SIZE = 4, GRID = 8 };

__global__ void rotate(int *out)
{
    __shared__ int mine[THREADS];
    cg::cluster_group c = cg::this_cluster();
    mine[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
    c.sync();
    const int *next = c.map_shared_rank(mine, (c.block_rank() + 1) % c.num_blocks());
    out[blockIdx.x * THREADS + threadIdx.x] = next[threadIdx.x];
    c.sync(); /* nobody leaves while others read */
}

enum { W = 32, H = 16, BOX = 8 };
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void box(const __grid_constant__ CUtensorMap map, float *out, int x, int y)
{
    __shared__ alignas(128) float tile[BOX][BOX];
    __shared__ barrier b;
    if (threadIdx.x == 0) {
        init(&b, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, b);
        token = cuda::device::barrier_arrive_tx(b, 1, sizeof tile);
    } else token = b.arrive();
    b.wait(std::move(token));
    out[threadIdx.x] = tile[threadIdx.x / BOX][threadIdx.x % BOX];
}

static void boxes()
{
    static float host[H][W];
    float *in, *out, got[BOX * BOX];
    for (int i = 0; i < W * H; i++) host[i / W][i % W] = (float)i;
    CUDA(cudaMalloc(&in, sizeof host));
    CUDA(cudaMalloc(&out, sizeof got));
    CUDA(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    void *encode = NULL;
    cudaDriverEntryPointQueryResult found;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found));
    CHECK(encode);
    CUtensorMap map;
    cuuint64_t size[] = {W, H}, stride[] = {W * sizeof(float)};
    cuuint32_t part[] = {BOX, BOX}, step[] = {1, 1};
    CHECK(((decltype(&cuTensorMapEncodeTiled))encode)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, size, stride, part,
                                                      step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                                      CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    for (int x = 4; x < W; x += 24) {
        box<<<1, BOX * BOX>>>(map, out, x, 5);
        CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < BOX * BOX; i++) {
            int column = x + i % BOX, row = 5 + i / BOX;
            CHECK(got[i] == (column < W && row < H ? host[row][column] : 0)); /* 0 outside */
        }
    }
}

int main()
{
    int *out, host[GRID * THREADS], clusters;
    CUDA(cudaMalloc(&out, sizeof host));
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = SIZE;
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(GRID);
    c.blockDim = dim3(THREADS);
    c.attrs = &a;
    c.numAttrs = 1;
    CUDA(cudaOccupancyMaxActiveClusters(&clusters, rotate, &c));
    CHECK(clusters > 0);
    CUDA(cudaLaunchKernelEx(&c, rotate, out));
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int b = 0; b < GRID; b++)
        for (int t = 0; t < THREADS; t++)
            CHECK(host[b * THREADS + t] == (b / SIZE * SIZE + (b + 1) % SIZE) * 1000 + t);
    boxes();
    printf("cluster ok\n");
    return 0;
}
