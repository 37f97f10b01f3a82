/* sssp.c - host code of sssp.cu: rounds until no distance changes. */
#include "workloads/graph/graph.h"

enum { FAR = 0x3fffffff };

/* By rounds over all edges. */
static void reference(const struct csr *g, int source, int *distance)
{
    for (int i = 0; i < g->nodes; i++) distance[i] = i == source ? 0 : FAR;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < g->nodes; i++)
            for (int e = g->start[i]; distance[i] < FAR && e < g->start[i + 1]; e++)
                if (distance[i] + g->weight[e] < distance[g->edge[e]]) {
                    distance[g->edge[e]] = distance[i] + g->weight[e];
                    changed = true;
                }
    }
}

struct device {
    CUdeviceptr start, edge, weight, distance, found, active, changed;
};

static void by_frontier(struct job *j, struct device *d, struct shape s, int n)
{
    CUfunction relax = job_kernel(j, "sssp_relax"), update = job_kernel(j, "sssp_update");
    do {
        graph_lower(j, d->changed);
        job_launch(j, relax, s, (void *[]){&d->start, &d->edge, &d->weight, &d->distance, &d->found, &d->active, &n});
        job_launch(j, update, s, (void *[]){&d->distance, &d->found, &d->active, &d->changed, &n});
    } while (graph_raised(j, d->changed));
}

static void all_nodes(struct job *j, struct device *d, struct shape s, int n)
{
    CUfunction f = job_kernel(j, "sssp_all");
    do {
        graph_lower(j, d->changed);
        job_launch(j, f, s, (void *[]){&d->start, &d->edge, &d->weight, &d->distance, &d->changed, &n});
    } while (graph_raised(j, d->changed));
}

static int execute(const struct workload *w, struct workload_run *r, bool all)
{
    struct job j;
    if (!job_begin(&j, w, r, "sssp.ptx")) return 1;
    struct csr g;
    graph_make(&j, &g);
    int n = (int)r->in[IN_NODES], source = graph_hub(&j, &g), *want = job_host(&j, (size_t)n, sizeof *want);
    struct device d = {.start = all ? graph_ints(&j, g.start, n + 1) : graph_longs(&j, g.start, n + 1)};
    d.edge = all ? graph_ints(&j, g.edge, g.edges) : graph_longs(&j, g.edge, g.edges);
    d.weight = graph_ints(&j, g.weight, g.edges);
    d.distance = job_device(&j, (size_t)n, sizeof(int)), d.found = job_device(&j, (size_t)n, sizeof(int));
    d.active = job_device(&j, (size_t)n, 1), d.changed = job_device(&j, 1, sizeof(int));
    struct shape s = shape_cover(n, 1, 256, 1);
    job_launch(&j, job_kernel(&j, "sssp_init"), s, (void *[]){&d.distance, &d.found, &d.active, &source, &n});
    if (all) all_nodes(&j, &d, s, n);
    else by_frontier(&j, &d, s, n);
    if (!j.failed && r->check) reference(&g, source, want);
    graph_check(&j, "distance", d.distance, want, n);
    return job_end(&j);
}

static int run(struct workload_run *r) { return execute(&workload_sssp, r, false); }
static int run_all(struct workload_run *r) { return execute(&workload_sssp_all, r, true); }

const struct workload workload_sssp = {
    .name = "sssp",
    .suite = "graph",
    .help = "shortest paths from a node: those that changed relax their edges",
    .aliases = "graphbig/sssp dycache/sssp",
    .input = {GRAPH_INPUTS(500, 23040, 65536, 8, GRAPH_RMAT)},
    .run = run,
};

const struct workload workload_sssp_all = {
    .name = "sssp_all",
    .suite = "graph",
    .help = "shortest paths from a node: all nodes relax their edges in every round",
    .aliases = "SSP lonestar/sssp apcm/ssp",
    .input = {GRAPH_INPUTS(500, 23040, 32768, 8, GRAPH_UNIFORM)},
    .run = run_all,
};
