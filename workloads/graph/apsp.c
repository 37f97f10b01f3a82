/* apsp.c - host code of apsp.cu: the graph as a matrix of distances. */
#include <string.h>

#include "workloads/graph/graph.h"

enum { IN_LAUNCHES = IN_KIND + 1 };
enum { FAR = 0x3fffffff }; /* the sum of two is still an int */

/* From every node: rounds over all edges until nothing changes. */
static void reference(const struct csr *g, int from, int *d)
{
    for (int i = 0; i < g->nodes; i++) d[i] = i == from ? 0 : FAR;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < g->nodes; i++)
            for (int e = g->start[i]; d[i] < FAR && e < g->start[i + 1]; e++)
                if (d[i] + g->weight[e] < d[g->edge[e]]) {
                    d[g->edge[e]] = d[i] + g->weight[e];
                    changed = true;
                }
    }
}

/* Paths whose inner nodes are the first ones, by the kernel's own recurrence. */
static void reference_through(int *d, int n, int through)
{
    for (int k = 0; k < through; k++)
        for (int i = 0; i < n; i++)
            for (int c = 0; c < n; c++)
                if (d[i * n + k] + d[k * n + c] < d[i * n + c]) d[i * n + c] = d[i * n + k] + d[k * n + c];
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_apsp, r, "apsp.ptx")) return 1;
    struct csr g;
    graph_make(&j, &g);
    int n = (int)r->in[IN_NODES], launches = r->in[IN_LAUNCHES] ? (int)r->in[IN_LAUNCHES] : n;
    if (launches > n) job_fail(&j, "launches=%d: there are %d nodes", launches, n);
    size_t count = (size_t)n * (size_t)n;
    int *d = job_host(&j, count, sizeof *d), *want = job_host(&j, count, sizeof *want);
    for (int i = 0; !j.failed && i < n; i++) {
        for (int k = 0; k < n; k++) d[i * n + k] = i == k ? 0 : FAR;
        for (int e = g.start[i]; e < g.start[i + 1]; e++) d[i * n + g.edge[e]] = g.weight[e];
    }
    if (!j.failed) memcpy(want, d, count * sizeof *d);
    CUdeviceptr matrix = job_upload(&j, d, count, sizeof *d);
    CUfunction f = job_kernel(&j, "apsp");
    for (int k = 0; k < launches && !j.failed; k++)
        job_launch(&j, f, shape_cover(n, n, 16, 16), (void *[]){&matrix, &k, &n});
    job_result(&j, d, matrix, count * sizeof *d);
    if (!j.failed && r->check) {
        if (launches < n) reference_through(want, n, launches);
        for (int i = 0; launches == n && i < n; i++) reference(&g, i, want + (size_t)i * (size_t)n);
        job_compare(&j, "d", d, want, count);
    }
    return job_end(&j);
}

const struct workload workload_apsp = {
    .name = "apsp",
    .suite = "graph",
    .help = "shortest paths between all pairs, a launch for each node",
    .aliases = "APS pannotia/fw apcm/aps",
    .input = {{"nodes", "nodes", {24, 256, 256}, 1, 4096},
              {"degree", "edges drawn for a node", {8, 8, 8}, 1, 64},
              {"kind", "of graph: 0 R-MAT, 1 road-like, 2 uniform", {2, 2, 2}, 0, GRAPH_KINDS - 1},
              {"launches", "nodes that paths may lead through; 0: all", {0, 64, 0}, 0, 4096}},
    .run = run,
};
