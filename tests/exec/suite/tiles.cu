/* tiles.cu - cooperative groups: tiles of several warps, which meet in shared memory of the system software, and parts
 * of a warp by label, by a bit and by who is there. */
#include "../check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

enum { BLOCK = 256, TILE = 64 };

__global__ void large(const int *in, int *sum, int *scan)
{
    __shared__ cg::block_tile_memory<BLOCK> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<TILE>(block);
    int t = block.thread_rank();
    sum[t] = cg::reduce(tile, in[t], cg::plus<int>());
    scan[t] = cg::inclusive_scan(tile, in[t]);
}

__global__ void parts(const int *in, int *same, int *odd, int *thirds)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x, v = in[t];
    same[t] = cg::reduce(cg::labeled_partition(warp, v % 5), v, cg::plus<int>());
    odd[t] = cg::binary_partition(warp, v & 1).size();
    thirds[t] = -1;
    if (v % 3 == 0) {
        auto here = cg::coalesced_threads();
        thirds[t] = here.shfl(v, 0) * 100 + here.thread_rank();
    }
}

int main()
{
    int *m, *a, *b, *c;
    CUDA(cudaMallocManaged(&m, 4 * BLOCK * sizeof(int)));
    a = m + BLOCK, b = a + BLOCK, c = b + BLOCK;
    for (int i = 0; i < BLOCK; i++) m[i] = (i * 37 + 11) % 101;
    large<<<1, BLOCK>>>(m, a, b);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCK; i++) {
        int first = i / TILE * TILE, sum = 0, scan = 0;
        for (int k = first; k < first + TILE; k++) sum += m[k], scan += k <= i ? m[k] : 0;
        CHECK(a[i] == sum && b[i] == scan);
    }
    parts<<<1, BLOCK>>>(m, a, b, c);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCK; i++) {
        int first = i / 32 * 32, same = 0, odd = 0, leader = -1, rank = 0;
        for (int k = first; k < first + 32; k++) {
            same += m[k] % 5 == m[i] % 5 ? m[k] : 0;
            odd += (m[k] & 1) == (m[i] & 1);
            if (m[k] % 3) continue;
            if (leader < 0) leader = m[k];
            rank += k < i;
        }
        CHECK(a[i] == same && b[i] == odd && c[i] == (m[i] % 3 ? -1 : leader * 100 + rank));
    }
    printf("tiles ok\n");
    return 0;
}
