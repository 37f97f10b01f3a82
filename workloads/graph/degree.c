/* degree.c - host code of degree.cu. */
#include "workloads/graph/graph.h"

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_degree, r, "degree.ptx")) return 1;
    struct csr g;
    graph_make(&j, &g);
    int n = (int)r->in[IN_NODES], *want = job_host(&j, (size_t)n, sizeof *want);
    CUdeviceptr start = graph_longs(&j, g.start, n + 1), edge = graph_longs(&j, g.edge, g.edges);
    CUdeviceptr in = graph_filled(&j, n, -1), out = graph_filled(&j, n, -1);
    struct shape s = shape_cover(n, 1, 256, 1);
    job_launch(&j, job_kernel(&j, "degree_init"), s, (void *[]){&in, &n});
    job_launch(&j, job_kernel(&j, "degree_count"), s, (void *[]){&start, &edge, &in, &out, &n});
    for (int i = 0; !j.failed && i < n; i++) want[i] = g.start[i + 1] - g.start[i]; /* every edge runs both ways */
    graph_check(&j, "in", in, want, n);
    graph_check(&j, "out", out, want, n);
    return job_end(&j);
}

const struct workload workload_degree = {
    .name = "degree",
    .suite = "graph",
    .help = "degree centrality: a lane per node walks its edges, atomic additions at their ends",
    .aliases = "graphbig/dc dycache/dc",
    .input = {GRAPH_INPUTS(500, 65536, 65536, 16, GRAPH_RMAT)},
    .run = run,
};
