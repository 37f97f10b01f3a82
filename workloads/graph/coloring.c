/* coloring.c - host code of coloring.cu: rounds until every node has a colour. */
#include "workloads/graph/graph.h"

/* A permutation, so that no two are equal. */
static int *make_priorities(struct job *j, int n)
{
    int *p = job_host(j, (size_t)n, sizeof *p);
    struct random r = random_new(j->run->seed, 1);
    for (int i = 0; !j->failed && i < n; i++) {
        int other = (int)random_below(&r, (uint32_t)i + 1);
        p[i] = p[other];
        p[other] = i;
    }
    return p;
}

static bool greatest_around(const struct csr *g, const int *priority, const int *color, int round, int me)
{
    for (int e = g->start[me]; e < g->start[me + 1]; e++) {
        int other = g->edge[e];
        if ((color[other] < 0 || color[other] == round) && priority[other] > priority[me]) return false;
    }
    return true;
}

static void reference(const struct csr *g, const int *priority, int *color)
{
    for (int i = 0; i < g->nodes; i++) color[i] = -1;
    for (int left = g->nodes, round = 0; left; round++)
        for (int i = 0; i < g->nodes; i++)
            if (color[i] < 0 && greatest_around(g, priority, color, round, i)) {
                color[i] = round;
                left--;
            }
}

struct device {
    CUdeviceptr start, edge, priority, color, greatest, changed;
};

static void two_kernels(struct job *j, struct device *d, int n)
{
    CUfunction most = job_kernel(j, "coloring_max"), assign = job_kernel(j, "coloring_assign");
    struct shape s = shape_cover(n, 1, 256, 1);
    int round = 0;
    do {
        graph_lower(j, d->changed);
        job_launch(j, most, s, (void *[]){&d->start, &d->edge, &d->priority, &d->color, &d->greatest, &n});
        job_launch(j, assign, s, (void *[]){&d->priority, &d->greatest, &d->color, &d->changed, &round, &n});
        round++;
    } while (graph_raised(j, d->changed));
}

static void one_kernel(struct job *j, struct device *d, int n)
{
    CUfunction step = job_kernel(j, "coloring_step");
    int round = 0;
    do {
        graph_lower(j, d->changed);
        job_launch(j, step, shape_cover(n, 1, 256, 1),
                   (void *[]){&d->start, &d->edge, &d->priority, &d->color, &d->changed, &round, &n});
        round++;
    } while (graph_raised(j, d->changed));
}

static int execute(const struct workload *w, struct workload_run *r, bool wide)
{
    struct job j;
    if (!job_begin(&j, w, r, "coloring.ptx")) return 1;
    struct csr g;
    graph_make(&j, &g);
    int n = (int)r->in[IN_NODES], *priority = make_priorities(&j, n), *want = job_host(&j, (size_t)n, sizeof *want);
    struct device d = {.start = wide ? graph_longs(&j, g.start, n + 1) : graph_ints(&j, g.start, n + 1)};
    d.edge = wide ? graph_longs(&j, g.edge, g.edges) : graph_ints(&j, g.edge, g.edges);
    d.priority = graph_ints(&j, priority, n);
    d.color = graph_filled(&j, n, -1), d.greatest = graph_filled(&j, n, -1), d.changed = graph_filled(&j, 1, 0);
    if (wide) one_kernel(&j, &d, n);
    else two_kernels(&j, &d, n);
    if (!j.failed && r->check) reference(&g, priority, want);
    graph_check(&j, "color", d.color, want, n);
    return job_end(&j);
}

static int run(struct workload_run *r) { return execute(&workload_coloring, r, false); }
static int run_step(struct workload_run *r) { return execute(&workload_coloring_step, r, true); }

const struct workload workload_coloring = {
    .name = "coloring",
    .suite = "graph",
    .help = "graph colouring, two kernels a round: greatest priority around, then the colour",
    .aliases = "pannotia/color apcm/gc",
    .input = {GRAPH_INPUTS(500, 23040, 65536, 8, GRAPH_UNIFORM)},
    .run = run,
};

const struct workload workload_coloring_step = {
    .name = "coloring_step",
    .suite = "graph",
    .help = "graph colouring, one kernel a colour that gives up early",
    .aliases = "graphbig/gc dycache/gc",
    .input = {GRAPH_INPUTS(500, 23040, 65536, 8, GRAPH_RMAT)},
    .run = run_step,
};
