/* waiting.cu - blocks that wait for one another: locks, tickets, barriers across the grid, producers and consumers, a
 * scan that looks back, work lists, persistent threads. Each result is compared with what the host computes. */
#include <stdlib.h>
#include <string.h>

#include <cooperative_groups.h>

#include "check.h"

/* ---- locks ---- */

__device__ int lock_word, ticket_next, ticket_now;

/* One thread per block holds the lock. */
__global__ void spin_lock(int *count, int *order)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_word, 0, 1) != 0) {}
        __threadfence();
        int n = *(volatile int *)count;
        order[n] = blockIdx.x;
        *(volatile int *)count = n + 1;
        __threadfence();
        atomicExch(&lock_word, 0);
    }
}

/* Every thread wants the lock, all lanes of a warp at once: needs lanes that go on by themselves. */
__global__ void lane_lock(int *count)
{
    while (atomicCAS(&lock_word, 0, 1) != 0) {}
    *(volatile int *)count = *(volatile int *)count + 1;
    __threadfence();
    atomicExch(&lock_word, 0);
}

/* Blocks are served in the reverse order of their numbers: all but the last wait for later ones. */
__global__ void ticket_lock(int *order)
{
    if (threadIdx.x == 0) {
        int ticket = gridDim.x - 1 - blockIdx.x;
        atomicAdd(&ticket_next, 1);
        while (*(volatile int *)&ticket_now != ticket) {}
        order[ticket] = blockIdx.x;
        __threadfence();
        atomicAdd(&ticket_now, 1);
    }
}

/* ---- a barrier across the grid ---- */

__device__ unsigned arrived;

__device__ void grid_barrier(unsigned phase)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (*(volatile unsigned *)&arrived < phase * gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
}

/* Each step reads what the neighbours wrote in the step before. */
__global__ void stencil(float *a, float *b, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; s++) {
        const volatile float *from = s & 1 ? b : a;
        volatile float *to = s & 1 ? a : b;
        to[i] = 0.25f * from[(i + n - 1) % n] + 0.5f * from[i] + 0.25f * from[(i + 1) % n];
        grid_barrier(s + 1);
    }
}

/* The same with the grid of CUDA's cooperative groups. */
__global__ void grid_stencil(float *a, float *b, int n, int steps)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int s = 0; s < steps; s++) {
        const float *from = s & 1 ? b : a;
        float *to = s & 1 ? a : b;
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
            to[i] = 0.25f * from[(i + n - 1) % n] + 0.5f * from[i] + 0.25f * from[(i + 1) % n];
        grid.sync();
    }
}

/* ---- producers and consumers ---- */

/* Block b hands its sum to block b - 1: a chain against the order of the blocks. */
__global__ void chain(const int *in, int *out, int *ready)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, next = 0;
    __shared__ int after;
    if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x) {
        while (((volatile int *)ready)[blockIdx.x + 1] == 0) {}
        __threadfence();
        after = ((volatile int *)out)[(blockIdx.x + 1) * blockDim.x];
    }
    __syncthreads();
    if (blockIdx.x + 1 < gridDim.x) next = after;
    ((volatile int *)out)[i] = in[i] + next;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) ((volatile int *)ready)[blockIdx.x] = 1;
}

/* A pointer chase over cells that later blocks fill in: block b writes the successor of cell b + 1. */
__global__ void chase(int *next, int *steps)
{
    if (threadIdx.x) return;
    int n = gridDim.x, at = 0, count = 0;
    if (blockIdx.x == 0) {
        while (at != n - 1) {
            int to;
            while ((to = ((volatile int *)next)[at]) < 0) {}
            at = to;
            count++;
        }
        *steps = count;
    } else {
        ((volatile int *)next)[blockIdx.x - 1] = blockIdx.x;
    }
}

/* Decoupled look-back, from the last block to the first: partial sums and prefixes with a state each. */
__global__ void look_back(const int *in, int *out, unsigned long long *state)
{
    __shared__ int sums[128];
    __shared__ int before;
    int tile = gridDim.x - 1 - blockIdx.x, i = tile * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = in[i];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int v = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
        __syncthreads();
        sums[threadIdx.x] += v;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        int total = sums[blockDim.x - 1], prefix = 0;
        if (tile) atomicExch(&state[tile], 1ull << 32 | (unsigned)total); /* the sum of the tile alone */
        for (int t = tile - 1; t >= 0; t--) {
            unsigned long long s;
            do s = *(volatile unsigned long long *)&state[t];
            while (s >> 32 == 0);
            prefix += (int)(unsigned)s;
            if (s >> 32 == 2) break;
        }
        atomicExch(&state[tile], 2ull << 32 | (unsigned)(prefix + total)); /* with all before it */
        before = prefix;
    }
    __syncthreads();
    out[i] = sums[threadIdx.x] + before;
}

/* ---- work lists ---- */

/* A list that its consumers extend: item k below `limit` makes 2k + 1 and 2k + 2. Whoever takes the number of an item
 * that is not written yet waits for it. */
__global__ void work_list(volatile int *list, int *head, int *tail, int *done, int limit, int *seen)
{
    if (threadIdx.x) return;
    for (;;) {
        int k = atomicAdd(head, 1);
        if (k >= limit) return;
        while (list[k] < 0) {}
        int item = list[k];
        atomicAdd(&seen[item], 1);
        for (int c = 2 * item + 1; c <= 2 * item + 2; c++)
            if (c < limit) list[atomicAdd(tail, 1)] = c;
        atomicAdd(done, 1);
    }
}

/* Minimum label of each component: all blocks sweep the edges until a whole sweep changes nothing, as programs that
 * build spanning trees do. */
__global__ void components(const int *from, const int *to, int edges, int *label, int *changed, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += gridDim.x * blockDim.x) {
            int a = ((volatile int *)label)[from[e]], b = ((volatile int *)label)[to[e]];
            if (a < b) atomicMin(&label[to[e]], a), changed[r] = 1;
            if (b < a) atomicMin(&label[from[e]], b), changed[r] = 1;
        }
        grid_barrier(r + 1);
        if (!((volatile int *)changed)[r]) return;
    }
}

/* Persistent threads: few blocks take tiles of work until there are none; the last to finish adds up. */
__global__ void persistent(const int *in, int *next_tile, int tiles, int *partial, int *finished, int *result)
{
    __shared__ int tile;
    int sum = 0;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(next_tile, 1);
        __syncthreads();
        if (tile >= tiles) break;
        sum += in[tile * blockDim.x + threadIdx.x];
        __syncthreads();
    }
    atomicAdd(&partial[blockIdx.x], sum);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(finished, 1);
        if (blockIdx.x == 0) { /* the first block waits for all */
            while (*(volatile int *)finished < (int)gridDim.x) {}
            int all = 0;
            for (int b = 0; b < gridDim.x; b++) all += ((volatile int *)partial)[b];
            *result = all;
        }
    }
}

/* A wait that counts its rounds is never in the same state twice. */
__global__ void counted_wait(volatile int *flag, int *rounds)
{
    if (threadIdx.x) return;
    int n = 0;
    if (blockIdx.x == 0) {
        while (!*flag) n++;
        *rounds = n;
    } else {
        *flag = 1;
    }
}

/* More blocks than any machine of ours holds: must be refused. */
__global__ void too_many(unsigned *count)
{
    if (threadIdx.x) return;
    atomicAdd(count, 1);
    while (*(volatile unsigned *)count < gridDim.x) {}
}

/* ---- the host ---- */

enum { BLOCKS = 24, THREADS = 128, N = BLOCKS * THREADS, STEPS = 5 };

static int *ints(int n, int value)
{
    int *d, *h = (int *)malloc(n * sizeof *h);
    for (int i = 0; i < n; i++) h[i] = value;
    CUDA(cudaMalloc(&d, n * sizeof *d));
    CUDA(cudaMemcpy(d, h, n * sizeof *h, cudaMemcpyHostToDevice));
    free(h);
    return d;
}

static int *counting(int n)
{
    int *d, *h = (int *)malloc(n * sizeof *h);
    for (int i = 0; i < n; i++) h[i] = i * 7 % 13 - 5;
    CUDA(cudaMalloc(&d, n * sizeof *d));
    CUDA(cudaMemcpy(d, h, n * sizeof *h, cudaMemcpyHostToDevice));
    free(h);
    return d;
}

static int input(int i) { return i * 7 % 13 - 5; }

static void fetch(int *h, const int *d, int n) { CUDA(cudaMemcpy(h, d, n * sizeof *h, cudaMemcpyDeviceToHost)); }

static void no_barrier(void)
{
    unsigned zero = 0;
    CUDA(cudaMemcpyToSymbol(arrived, &zero, sizeof zero));
}

static void test_locks(void)
{
    int *count = ints(1, 0), *order = ints(BLOCKS, -1), h[BLOCKS], n;
    spin_lock<<<BLOCKS, 64>>>(count, order);
    fetch(&n, count, 1);
    CHECK(n == BLOCKS);
    fetch(h, order, BLOCKS);
    for (int b = 0; b < BLOCKS; b++) CHECK(h[b] >= 0);
    ticket_lock<<<BLOCKS, 64>>>(order);
    fetch(h, order, BLOCKS);
    for (int b = 0; b < BLOCKS; b++) CHECK(h[b] == BLOCKS - 1 - b);
    CUDA(cudaMemset(count, 0, sizeof(int)));
    lane_lock<<<4, 64>>>(count);
    fetch(&n, count, 1);
    CHECK(n == 4 * 64);
}

static void test_stencil(bool cooperative)
{
    int n = N, steps = STEPS;
    static float h[2][N], got[N];
    float *a, *b;
    for (int i = 0; i < N; i++) h[0][i] = (float)(i % 17);
    CUDA(cudaMalloc(&a, sizeof got));
    CUDA(cudaMalloc(&b, sizeof got));
    CUDA(cudaMemcpy(a, h[0], sizeof got, cudaMemcpyHostToDevice));
    void *args[] = {&a, &b, &n, &steps};
    no_barrier();
    if (cooperative) CUDA(cudaLaunchCooperativeKernel((const void *)grid_stencil, BLOCKS, THREADS, args, 0, 0));
    else stencil<<<BLOCKS, THREADS>>>(a, b, N, STEPS);
    for (int s = 0; s < STEPS; s++)
        for (int i = 0; i < N; i++)
            h[~s & 1][i] = 0.25f * h[s & 1][(i + N - 1) % N] + 0.5f * h[s & 1][i] + 0.25f * h[s & 1][(i + 1) % N];
    CUDA(cudaMemcpy(got, STEPS & 1 ? b : a, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(got[i] - h[STEPS & 1][i] < 1e-4f && h[STEPS & 1][i] - got[i] < 1e-4f);
}

static void test_too_large(void)
{
    float *none = NULL;
    int n = N, steps = STEPS;
    void *args[] = {&none, &none, &n, &steps};
    CHECK(cudaLaunchCooperativeKernel((const void *)grid_stencil, 1 << 20, THREADS, args, 0, 0) ==
          cudaErrorCooperativeLaunchTooLarge);
    CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
}

static void test_chains(void)
{
    static int h[N];
    int *in = counting(N), *out = ints(N, 0), *ready = ints(BLOCKS, 0), *next = ints(BLOCKS, -1), *steps = ints(1, 0);
    chain<<<BLOCKS, THREADS>>>(in, out, ready);
    fetch(h, out, N);
    for (int b = BLOCKS - 1, sum = 0; b >= 0; b--) {
        for (int t = 0; t < THREADS; t++) CHECK(h[b * THREADS + t] == input(b * THREADS + t) + sum);
        sum += input(b * THREADS);
    }
    chase<<<BLOCKS, 32>>>(next, steps);
    fetch(h, steps, 1);
    CHECK(h[0] == BLOCKS - 1);
    unsigned long long *state;
    CUDA(cudaMalloc(&state, BLOCKS * sizeof *state));
    CUDA(cudaMemset(state, 0, BLOCKS * sizeof *state));
    look_back<<<BLOCKS, THREADS>>>(in, out, state);
    fetch(h, out, N);
    for (int i = 0, sum = 0; i < N; i++) CHECK(h[i] == (sum += input(i)));
}

static void test_lists(void)
{
    enum { LIMIT = 200, EDGES = 300, NODES = 256 };
    static int h[LIMIT], from[EDGES], to[EDGES], label[NODES], want[NODES];
    int *list = ints(LIMIT, -1), *head = ints(1, 0), *tail = ints(1, 1), *done = ints(1, 0), *seen = ints(LIMIT, 0);
    CUDA(cudaMemset(list, 0, sizeof(int))); /* item 0 is there */
    work_list<<<BLOCKS, 32>>>(list, head, tail, done, LIMIT, seen);
    fetch(h, seen, LIMIT);
    for (int i = 0; i < LIMIT; i++) CHECK(h[i] == 1);

    for (int e = 0; e < EDGES; e++) from[e] = e * 37 % NODES, to[e] = (e * 37 + 8 * (e % 3 + 1)) % NODES;
    for (int i = 0; i < NODES; i++) want[i] = label[i] = i;
    for (int again = 1; again;) {
        again = 0;
        for (int e = 0; e < EDGES; e++) {
            int m = want[from[e]] < want[to[e]] ? want[from[e]] : want[to[e]];
            again |= want[from[e]] != m || want[to[e]] != m;
            want[from[e]] = want[to[e]] = m;
        }
    }
    int *f = ints(EDGES, 0), *t = ints(EDGES, 0), *l = ints(NODES, 0), *changed = ints(64, 0);
    CUDA(cudaMemcpy(f, from, sizeof from, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(t, to, sizeof to, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(l, label, sizeof label, cudaMemcpyHostToDevice));
    no_barrier();
    components<<<6, 64>>>(f, t, EDGES, l, changed, 64);
    fetch(label, l, NODES);
    CHECK(!memcmp(label, want, sizeof want));
}

static void test_persistent(void)
{
    int *in = counting(N), *next = ints(1, 0), *partial = ints(8, 0), *finished = ints(1, 0), *result = ints(1, 0);
    int n, sum = 0;
    persistent<<<8, THREADS>>>(in, next, BLOCKS, partial, finished, result);
    for (int i = 0; i < N; i++) sum += input(i);
    fetch(&n, result, 1);
    CHECK(n == sum);
    int *flag = ints(1, 0), *rounds = ints(1, -1);
    counted_wait<<<2, 32>>>(flag, rounds);
    fetch(&n, rounds, 1);
    CHECK(n >= 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "too_many")) {
        unsigned *count = (unsigned *)ints(1, 0);
        too_many<<<100000, 32>>>(count);
        CUDA(cudaDeviceSynchronize());
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "too_large")) {
        test_too_large();
        return 0;
    }
    test_locks();
    test_stencil(false);
    test_stencil(true);
    test_chains();
    test_lists();
    test_persistent();
    puts("waiting: ok");
    return 0;
}
