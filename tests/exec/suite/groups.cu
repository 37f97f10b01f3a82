/* groups.cu - cooperative groups: tiles of every size, groups of who is there, partitions by a label, reductions and
 * scans over them, copies by a group, and the whole grid in step. */
#include "../check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

enum { BLOCK = 128, BLOCKS = 4, N = BLOCK * BLOCKS };

template <int SIZE> __device__ int tile_sum(int v)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<SIZE>(block);
    int sum = cg::reduce(tile, v, cg::plus<int>());
    int before = cg::exclusive_scan(tile, v, cg::plus<int>());
    int with = cg::inclusive_scan(tile, v);
    int most = cg::reduce(tile, v, cg::greater<int>());
    int next = tile.shfl_down(v, 1);
    bool good = with == before + v && (tile.thread_rank() + 1 == SIZE || next == v + 3);
    good &= tile.meta_group_size() == BLOCK / SIZE && tile.meta_group_rank() == block.thread_rank() / SIZE;
    return tile.all(good) ? sum + most : -1;
}

__global__ void tiles(int *out)
{
    int v = 3 * (int)threadIdx.x, *to = out + 6 * threadIdx.x;
    to[0] = tile_sum<1>(v);
    to[1] = tile_sum<2>(v);
    to[2] = tile_sum<4>(v);
    to[3] = tile_sum<8>(v);
    to[4] = tile_sum<16>(v);
    to[5] = tile_sum<32>(v);
}

__global__ void there(int *out)
{
    int i = threadIdx.x;
    if (i % 3 == 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        out[i] = 1000 * (int)g.size() + (int)g.thread_rank();
        out[BLOCK + i] = g.shfl(i, 0);
        int all = cg::reduce(g, 1, cg::plus<int>());
        if (g.thread_rank() == 0) atomicAdd(&out[2 * BLOCK], all);
    }
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto same = cg::labeled_partition(warp, i % 5);
    out[3 * BLOCK + i] = 1000 * (int)same.size() + (int)same.thread_rank();
    auto half = cg::binary_partition(warp, i % 7 < 2);
    out[4 * BLOCK + i] = cg::reduce(half, i, cg::plus<int>());
    auto odd = cg::tiled_partition(cg::this_thread_block(), 8);
    out[5 * BLOCK + i] = 100 * (int)odd.thread_rank() + (int)odd.size();
    out[6 * BLOCK + i] = cg::invoke_one_broadcast(same, [&] { return i % 5; });
}

__global__ void copy_by_group(const int *in, int *out)
{
    __shared__ int piece[BLOCK];
    cg::thread_block block = cg::this_thread_block();
    int base = block.group_index().x * BLOCK;
    cg::memcpy_async(block, piece, in + base, sizeof piece);
    cg::wait(block);
    out[base + threadIdx.x] = piece[BLOCK - 1 - threadIdx.x];
}

/* Blocks add what their neighbours wrote in the step before. */
__global__ void rings(int *a, int *b, int steps)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), n = (int)grid.size();
    for (int s = 0; s < steps; s++) {
        b[i] = a[(i + BLOCK) % n] + a[i] % 7;
        grid.sync();
        int *t = a;
        a = b;
        b = t;
    }
}

static int sum_of(int size, int thread)
{
    int first = thread / size * size, sum = 0;
    for (int k = 0; k < size; k++) sum += 3 * (first + k);
    return sum + 3 * (first + size - 1);
}

int main()
{
    int *d, *e;
    CUDA(cudaMalloc(&d, 4 * 8 * N));
    CUDA(cudaMalloc(&e, 4 * N));
    static int h[8 * N], w[N], x[N];
    tiles<<<1, BLOCK>>>(d);
    CUDA(cudaMemcpy(h, d, 4 * 6 * BLOCK, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCK; i++)
        for (int k = 0; k < 6; k++) CHECK(h[6 * i + k] == sum_of(1 << k, i));

    CUDA(cudaMemset(d, 0, 4 * 8 * N));
    there<<<1, BLOCK>>>(d);
    CUDA(cudaMemcpy(h, d, 4 * 7 * BLOCK, cudaMemcpyDeviceToHost));
    CHECK(h[2 * BLOCK] == (BLOCK + 2) / 3);
    for (int i = 0; i < BLOCK; i++) {
        int first = i / 32 * 32, three = 0, rank = 0, leader = -1, label = 0, label_rank = 0, half = 0;
        for (int k = first; k < first + 32; k++) {
            if (k % 3 == 0 && leader < 0) leader = k;
            three += k % 3 == 0;
            rank += k % 3 == 0 && k < i;
            label += k % 5 == i % 5;
            label_rank += k % 5 == i % 5 && k < i;
            half += (k % 7 < 2) == (i % 7 < 2) ? k : 0;
        }
        if (i % 3 == 0) CHECK(h[i] == 1000 * three + rank && h[BLOCK + i] == leader);
        CHECK(h[3 * BLOCK + i] == 1000 * label + label_rank);
        CHECK(h[4 * BLOCK + i] == half);
        CHECK(h[5 * BLOCK + i] == 100 * (i % 8) + 8);
        CHECK(h[6 * BLOCK + i] == i % 5);
    }

    for (int i = 0; i < N; i++) w[i] = i * i;
    CUDA(cudaMemcpy(d, w, sizeof w, cudaMemcpyHostToDevice));
    copy_by_group<<<BLOCKS, BLOCK>>>(d, e);
    CUDA(cudaMemcpy(h, e, 4 * N, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(h[i] == w[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK]);

    int steps = 5;
    void *args[] = {&d, &e, &steps};
    CUDA(cudaLaunchCooperativeKernel((void *)rings, dim3(BLOCKS), dim3(BLOCK), args, 0, 0));
    CUDA(cudaMemcpy(h, e, 4 * N, cudaMemcpyDeviceToHost));
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < N; i++) x[i] = w[(i + BLOCK) % N] + w[i] % 7;
        for (int i = 0; i < N; i++) w[i] = x[i];
    }
    for (int i = 0; i < N; i++) CHECK(h[i] == w[i]);
    puts("groups ok");
}
