/* triangles.cu - a graph's triangles counted three ways (sorted lists, a bit matrix with popc, a hash table in shared
 * memory), its parts by label propagation until nothing changes, and a colouring by random priorities. */
#include <cstring>

#include "../check.h"

enum { N = 200, WORDS = (N + 31) / 32, SLOTS = 64, MAX = N * 12 };

__global__ void by_lists(const int *row, const int *to, unsigned *count)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mine = 0;
    if (u < N)
        for (int e = row[u]; e < row[u + 1]; e++) {
            int v = to[e];
            if (v <= u) continue;
            for (int i = e + 1, k = row[v]; i < row[u + 1] && k < row[v + 1];) {
                if (to[i] == to[k]) mine += to[k] > v, i++, k++;
                else if (to[i] < to[k]) i++;
                else k++;
            }
        }
    mine = __reduce_add_sync(~0u, mine);
    if (threadIdx.x % 32 == 0) atomicAdd(count, mine);
}
__global__ void by_bits(const unsigned *bits, unsigned *count)
{
    int u = blockIdx.x, v = threadIdx.x;
    unsigned mine = 0;
    if (v > u && v < N && bits[u * WORDS + v / 32] >> v % 32 & 1)
        for (int w = v / 32; w < WORDS; w++) {
            unsigned above = w == v / 32 ? ~0u << v % 32 << 1 : ~0u;
            if (w == v / 32 && v % 32 == 31) above = 0;
            mine += __popc(bits[u * WORDS + w] & bits[v * WORDS + w] & above);
        }
    atomicAdd(count, mine);
}
__global__ void by_hash(const int *row, const int *to, unsigned *count)
{
    __shared__ int slot[SLOTS];
    int u = blockIdx.x;
    for (int i = threadIdx.x; i < SLOTS; i += blockDim.x) slot[i] = -1;
    __syncthreads();
    for (int e = row[u] + threadIdx.x; e < row[u + 1]; e += blockDim.x)
        for (int h = to[e] * 13;; h++)
            if (atomicCAS(&slot[h % SLOTS], -1, to[e]) == -1) break;
    __syncthreads();
    for (int e = row[u] + threadIdx.x; e < row[u + 1]; e += blockDim.x) {
        int v = to[e];
        for (int k = row[v]; v > u && k < row[v + 1]; k++)
            for (int h = to[k] * 13; to[k] > v && slot[h % SLOTS] != -1; h++)
                if (slot[h % SLOTS] == to[k]) {
                    atomicAdd(count, 1);
                    break;
                }
    }
}
__global__ void spread(const int *row, const int *to, int *label, int *changed)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x, least;
    if (u >= N) return;
    least = label[u];
    for (int e = row[u]; e < row[u + 1]; e++) least = min(least, label[to[e]]);
    if (least < label[u]) atomicMin(&label[u], least), *changed = 1;
}
__global__ void colour(const int *row, const int *to, const int *old, int *colours, int round, int *left)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= N || old[u] >= 0) return;
    unsigned mine = (u + 1) * 2654435761u;
    for (int e = row[u]; e < row[u + 1]; e++) {
        unsigned other = (to[e] + 1) * 2654435761u;
        if (old[to[e]] < 0 && other > mine) {
            *left = 1;
            return;
        }
    }
    colours[u] = round;
}

int main()
{
    static bool edge[N][N];
    static int row[N + 1], to[MAX], label[N], colours[N];
    static unsigned bits[N * WORDS];
    int n = 0;
    for (int i = 0; i < N; i++)
        for (int k = 1; k < 5; k++) {
            int j = i / 50 * 50 + (i * k * k + 3 * k) % 50; /* four parts of 50, at least */
            if (j != i) edge[i][j] = edge[j][i] = true;
        }
    for (int i = 0; i < N; i++, row[i] = n)
        for (int j = 0; j < N; j++)
            if (edge[i][j] && n < MAX) to[n++] = j, bits[i * WORDS + j / 32] |= 1u << j % 32;
    CHECK(n < MAX);
    for (int i = 0; i < N; i++) CHECK(row[i + 1] - row[i] < SLOTS);
    unsigned want = 0, got, *dbits, *dcount;
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++)
            for (int k = j + 1; k < N; k++) want += edge[i][j] && edge[j][k] && edge[i][k];
    CHECK(want > 20);
    int *drow, *dto, *dlabel, *dnext, *dflag, flag;
    CUDA(cudaMalloc(&drow, sizeof row));
    CUDA(cudaMalloc(&dto, sizeof to));
    CUDA(cudaMalloc(&dbits, sizeof bits));
    CUDA(cudaMalloc(&dlabel, sizeof label));
    CUDA(cudaMalloc(&dnext, sizeof label));
    CUDA(cudaMalloc(&dflag, 4));
    CUDA(cudaMalloc(&dcount, 4));
    CUDA(cudaMemcpy(drow, row, sizeof row, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dto, to, sizeof to, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dbits, bits, sizeof bits, cudaMemcpyHostToDevice));
    for (int way = 0; way < 3; way++) {
        CUDA(cudaMemset(dcount, 0, 4));
        if (way == 0) by_lists<<<(N + 63) / 64, 64>>>(drow, dto, dcount);
        if (way == 1) by_bits<<<N, 224>>>(dbits, dcount);
        if (way == 2) by_hash<<<N, 32>>>(drow, dto, dcount);
        CUDA(cudaMemcpy(&got, dcount, 4, cudaMemcpyDeviceToHost));
        CHECK(got == want);
    }
    for (int i = 0; i < N; i++) label[i] = i;
    CUDA(cudaMemcpy(dlabel, label, sizeof label, cudaMemcpyHostToDevice));
    do {
        CUDA(cudaMemset(dflag, 0, 4));
        spread<<<(N + 63) / 64, 64>>>(drow, dto, dlabel, dflag);
        CUDA(cudaMemcpy(&flag, dflag, 4, cudaMemcpyDeviceToHost));
    } while (flag);
    CUDA(cudaMemcpy(label, dlabel, sizeof label, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        CHECK(label[i] <= i && label[label[i]] == label[i]);
        for (int j = 0; j < N; j++) CHECK(!edge[i][j] || label[i] == label[j]);
    }
    CUDA(cudaMemset(dlabel, 255, sizeof label));
    CUDA(cudaMemset(dnext, 255, sizeof label));
    int rounds = 0;
    do {
        CUDA(cudaMemset(dflag, 0, 4));
        colour<<<(N + 63) / 64, 64>>>(drow, dto, dlabel, dnext, rounds++, dflag);
        CUDA(cudaMemcpy(dlabel, dnext, sizeof label, cudaMemcpyDeviceToDevice));
        CUDA(cudaMemcpy(&flag, dflag, 4, cudaMemcpyDeviceToHost));
    } while (flag);
    CUDA(cudaMemcpy(colours, dlabel, sizeof colours, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        CHECK(colours[i] >= 0 && colours[i] < rounds);
        for (int j = 0; j < N; j++) CHECK(!edge[i][j] || colours[i] != colours[j]);
    }
    printf("triangles ok\n");
    return 0;
}
