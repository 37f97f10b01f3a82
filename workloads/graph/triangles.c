/* triangles.c - host code of triangles.cu. */
#include <stdlib.h>
#include <string.h>

#include "workloads/graph/graph.h"

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static bool adjacent(const struct csr *g, const int *sorted, int a, int b)
{
    size_t count = (size_t)(g->start[a + 1] - g->start[a]);
    return bsearch(&b, sorted + g->start[a], count, sizeof b, by_value) != NULL;
}

/* Triangles by their least node: each pair of greater neighbours that are neighbours themselves. */
static int reference(const struct csr *g, int *sorted, int *count)
{
    int total = 0;
    memcpy(sorted, g->edge, (size_t)g->edges * sizeof *sorted);
    for (int i = 0; i < g->nodes; i++)
        qsort(sorted + g->start[i], (size_t)(g->start[i + 1] - g->start[i]), sizeof *sorted, by_value);
    for (int i = 0; i < g->nodes; i++) {
        for (int e = g->start[i]; e < g->start[i + 1]; e++)
            for (int f = e + 1; sorted[e] > i && f < g->start[i + 1]; f++)
                count[i] += adjacent(g, sorted, sorted[e], sorted[f]);
        total += count[i];
    }
    return total;
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_triangles, r, "triangles.ptx")) return 1;
    struct csr g;
    graph_make(&j, &g);
    int n = (int)r->in[IN_NODES], total = 0;
    CUdeviceptr start = graph_longs(&j, g.start, n + 1), edge = graph_longs(&j, g.edge, g.edges);
    CUdeviceptr count = graph_filled(&j, n, -1), sum = graph_filled(&j, 1, 0);
    struct shape s = shape_cover(n, 1, 256, 1);
    job_launch(&j, job_kernel(&j, "triangles_sort"), s, (void *[]){&start, &edge, &n});
    job_launch(&j, job_kernel(&j, "triangles_count"), s, (void *[]){&start, &edge, &count, &sum, &n});
    int *want = job_host(&j, (size_t)n, sizeof *want), *sorted = job_host(&j, (size_t)g.edges, sizeof *sorted);
    if (!j.failed && r->check) total = reference(&g, sorted, want);
    graph_check(&j, "count", count, want, n);
    graph_check(&j, "total", sum, &total, 1);
    return job_end(&j);
}

const struct workload workload_triangles = {
    .name = "triangles",
    .suite = "graph",
    .help = "triangle count: lists sorted in place, then intersected, a thread per node",
    .aliases = "graphbig/tc dycache/tc",
    .input = {GRAPH_INPUTS(300, 8192, 65536, 8, GRAPH_RMAT)},
    .run = run,
};
