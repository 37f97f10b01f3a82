/* bfs_texture.cu - breadth-first search with nodes and edges in texture references of int2 and a frontier in global
 * memory. For nvcc 11. */
#include "../check.h"

enum { NODES = 900, DEGREE = 5 };
texture<int2> node_tex;
texture<int2> edge_tex;

__global__ void visit(const int *frontier, int n, int *next, int *count, int *level, int depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int2 node = tex1Dfetch(node_tex, frontier[i]);
    for (int e = node.x; e < node.x + node.y; e++) {
        int2 edge = tex1Dfetch(edge_tex, e);
        if (atomicCAS(&level[edge.x], -1, depth) == -1) next[atomicAdd(count, 1)] = edge.x;
    }
}

int main()
{
    static int2 node[NODES], edge[NODES * DEGREE];
    static int level[NODES], want[NODES], queue[NODES];
    int2 *dnode, *dedge;
    int *a, *b, *dl, *count, n = 1, head = 0, tail = 1;
    for (int i = 0; i < NODES; i++) {
        node[i] = make_int2(i * DEGREE, i % (DEGREE + 1));
        for (int k = 0; k < DEGREE; k++) edge[i * DEGREE + k] = make_int2((i * 3 + k * 101 + 1) % NODES, k);
        level[i] = want[i] = i == 5 ? 0 : -1;
    }
    queue[0] = 5;
    while (head < tail) {
        int v = queue[head++];
        for (int e = node[v].x; e < node[v].x + node[v].y; e++)
            if (want[edge[e].x] < 0) want[edge[e].x] = want[v] + 1, queue[tail++] = edge[e].x;
    }
    CUDA(cudaMalloc(&dnode, sizeof node));
    CUDA(cudaMalloc(&dedge, sizeof edge));
    CUDA(cudaMalloc(&a, sizeof level));
    CUDA(cudaMalloc(&b, sizeof level));
    CUDA(cudaMalloc(&dl, sizeof level));
    CUDA(cudaMalloc(&count, sizeof(int)));
    CUDA(cudaMemcpy(dnode, node, sizeof node, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dedge, edge, sizeof edge, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dl, level, sizeof level, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(a, queue, sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaBindTexture(0, node_tex, dnode, sizeof node));
    CUDA(cudaBindTexture(0, edge_tex, dedge, sizeof edge));
    for (int depth = 1; n; depth++) {
        CUDA(cudaMemset(count, 0, sizeof(int)));
        visit<<<(n + 127) / 128, 128>>>(a, n, b, count, dl, depth);
        CUDA(cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost));
        int *t = a;
        a = b;
        b = t;
    }
    CUDA(cudaMemcpy(level, dl, sizeof level, cudaMemcpyDeviceToHost));
    for (int i = 0; i < NODES; i++) CHECK(level[i] == want[i]);
    CUDA(cudaUnbindTexture(node_tex));
    CUDA(cudaUnbindTexture(edge_tex));
    printf("bfs_texture ok\n");
    return 0;
}
