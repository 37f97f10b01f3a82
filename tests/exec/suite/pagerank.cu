/* pagerank.cu - ranks by pulling over incoming edges in double precision until nothing moves; zero-copy memory holds the
 * norm that the host looks at. */
#include <cmath>

#include "../check.h"

enum { V = 400, E = 6 };

__global__ void pull(const int *from, const double *old, double *now, double *moved)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= V) return;
    double sum = 0;
    for (int e = 0; e < E; e++) sum += old[from[v * E + e]] / E;
    double r = 0.15 / V + 0.85 * sum;
    now[v] = r;
    atomicAdd(moved, fabs(r - old[v]));
}

int main()
{
    static int from[V * E];
    static double rank[V], next_rank[V], got[V];
    int *df, rounds = 0;
    double *a, *b, *moved, *on_device;
    for (int e = 0; e < E; e++) /* each vertex has as many edges in as out: shifts by a number prime to V */
        for (int v = 0; v < V; v++) from[v * E + e] = (v * 3 + 7 * e + e * e) % V;
    for (int v = 0; v < V; v++) rank[v] = v < V / 2 ? 1.5 / V : 0.5 / V;
    CUDA(cudaSetDeviceFlags(cudaDeviceMapHost));
    CUDA(cudaHostAlloc(&moved, sizeof *moved, cudaHostAllocMapped));
    CUDA(cudaHostGetDevicePointer(&on_device, moved, 0));
    CUDA(cudaMalloc(&df, sizeof from));
    CUDA(cudaMalloc(&a, sizeof rank));
    CUDA(cudaMalloc(&b, sizeof rank));
    CUDA(cudaMemcpy(df, from, sizeof from, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(a, rank, sizeof rank, cudaMemcpyHostToDevice));
    do {
        *moved = 0;
        pull<<<(V + 63) / 64, 64>>>(df, a, b, on_device);
        CUDA(cudaDeviceSynchronize());
        double *t = a;
        a = b;
        b = t;
        for (int v = 0; v < V; v++) {
            double sum = 0;
            for (int e = 0; e < E; e++) sum += rank[from[v * E + e]] / E;
            next_rank[v] = 0.15 / V + 0.85 * sum;
        }
        for (int v = 0; v < V; v++) rank[v] = next_rank[v];
    } while (*moved > 1e-6 && ++rounds < 50);
    CUDA(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
    double all = 0;
    for (int v = 0; v < V; v++) {
        CHECK(std::fabs(got[v] - rank[v]) < 1e-12);
        all += got[v];
    }
    CHECK(rounds > 3 && std::fabs(all - 1) < 0.05);
    printf("pagerank ok\n");
    return 0;
}
