/* betweenness.c - host code of betweenness.cu: levels out and back from each root. */
#include "workloads/graph/graph.h"

enum { IN_ROOTS = IN_KIND + 1 };

struct search {
    int *level, *queue;
    double *paths, *share;
};

/* One root's share, by a queue out and the same queue back. */
static void reference(const struct csr *g, int root, struct search *s, double *centrality)
{
    int head = 0, tail = 0;
    for (int i = 0; i < g->nodes; i++) s->level[i] = -1, s->paths[i] = s->share[i] = 0;
    s->level[root] = 0, s->paths[root] = 1;
    for (s->queue[tail++] = root; head < tail; head++) {
        int me = s->queue[head];
        for (int e = g->start[me]; e < g->start[me + 1]; e++) {
            int other = g->edge[e];
            if (s->level[other] < 0) {
                s->level[other] = s->level[me] + 1;
                s->queue[tail++] = other;
            }
            if (s->level[other] == s->level[me] + 1) s->paths[other] += s->paths[me];
        }
    }
    while (tail-- > 0) {
        int me = s->queue[tail];
        for (int e = g->start[me]; e < g->start[me + 1]; e++) {
            int other = g->edge[e];
            if (s->level[other] == s->level[me] + 1)
                s->share[me] += s->paths[me] / s->paths[other] * (1 + s->share[other]);
        }
        if (me != root) centrality[me] += s->share[me];
    }
}

static int root_of(const struct csr *g, int hub, int index) { return (int)((hub + (int64_t)index * 7919) % g->nodes); }

static void check(struct job *j, const struct csr *g, int hub, CUdeviceptr centrality)
{
    size_t n = (size_t)g->nodes;
    struct search s = {.level = job_host(j, n, sizeof(int)), .queue = job_host(j, n, sizeof(int))};
    s.paths = job_host(j, n, sizeof(double)), s.share = job_host(j, n, sizeof(double));
    double *want = job_host(j, n, sizeof *want);
    float *got = job_host(j, n, sizeof *got);
    job_result(j, got, centrality, n * sizeof *got);
    if (j->failed || !j->run->check) return;
    for (int i = 0; i < j->run->in[IN_ROOTS]; i++) reference(g, root_of(g, hub, i), &s, want);
    job_compare(j, "centrality", got, want, n, 1e-3);
}

struct device {
    CUdeviceptr start, edge, level, paths, share, centrality, changed;
};

static void from_root(struct job *j, struct device *d, int root, int n)
{
    CUfunction forward = job_kernel(j, "betweenness_forward"), backward = job_kernel(j, "betweenness_backward");
    struct shape s = shape_cover(n, 1, 256, 1);
    int now = 0;
    job_launch(j, job_kernel(j, "betweenness_init"), s, (void *[]){&d->level, &d->paths, &d->share, &root, &n});
    for (bool more = true; more; now++) {
        graph_lower(j, d->changed);
        job_launch(j, forward, s, (void *[]){&d->start, &d->edge, &d->level, &d->paths, &d->changed, &now, &n});
        more = graph_raised(j, d->changed);
    }
    while (now-- > 0)
        job_launch(j, backward, s, (void *[]){&d->start, &d->edge, &d->level, &d->paths, &d->share, &now, &n});
    job_launch(j, job_kernel(j, "betweenness_sum"), s, (void *[]){&d->share, &d->centrality, &root, &n});
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_betweenness, r, "betweenness.ptx")) return 1;
    struct csr g;
    graph_make(&j, &g);
    int n = (int)r->in[IN_NODES], hub = graph_hub(&j, &g);
    struct device d = {.start = graph_longs(&j, g.start, n + 1), .edge = graph_longs(&j, g.edge, g.edges)};
    d.level = job_device(&j, (size_t)n, sizeof(int));
    d.paths = job_device(&j, (size_t)n, sizeof(float)), d.share = job_device(&j, (size_t)n, sizeof(float));
    d.centrality = graph_filled(&j, n, 0), d.changed = graph_filled(&j, 1, 0); /* no bit set: 0.0 too */
    for (int i = 0; i < r->in[IN_ROOTS] && !j.failed; i++) from_root(&j, &d, root_of(&g, hub, i), n);
    check(&j, &g, hub, d.centrality);
    return job_end(&j);
}

const struct workload workload_betweenness = {
    .name = "betweenness",
    .suite = "graph",
    .help = "betweenness centrality from a few roots, a launch per level out and back",
    .aliases = "graphbig/bc dycache/bc",
    .input = {GRAPH_INPUTS(500, 23040, 65536, 8, GRAPH_RMAT), {"roots", "nodes to start from", {2, 2, 8}, 1, 1024}},
    .run = run,
};
