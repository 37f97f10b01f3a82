/* bfs.c - host code of bfs.cu: levels until no node is found, from node 0 of a random graph. */
#include "workloads/common.h"

enum { IN_NODES, IN_DEGREE };

/* Level of each node, -1 where it cannot be reached. */
static void reference(const struct graph *g, int *level, int *queue)
{
    int head = 0, tail = 0;
    for (int i = 0; i < g->nodes; i++) level[i] = -1;
    level[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        int me = queue[head++];
        for (int e = g->node[me].start; e < g->node[me].start + g->node[me].count; e++) {
            int other = g->edge[e];
            if (level[other] >= 0) continue;
            level[other] = level[me] + 1;
            queue[tail++] = other;
        }
    }
}

static void check(struct job *j, const struct graph *g, const int *cost)
{
    size_t n = (size_t)g->nodes;
    int *want = job_host(j, n, sizeof *want), *queue = job_host(j, n, sizeof *queue);
    if (j->failed) return;
    reference(g, want, queue);
    job_compare(j, "cost", cost, want, n);
}

struct device {
    CUdeviceptr nodes, edges, frontier, found, visited, cost, more;
};

static void search(struct job *j, struct device *d, int n)
{
    CUfunction expand = job_kernel(j, "bfs_expand"), commit = job_kernel(j, "bfs_commit");
    struct shape s = shape_cover(n, 1, 512, 1);
    for (uint8_t more = 1; more && !j->failed;) {
        more = 0;
        job_copy_in(j, d->more, &more, 1);
        job_launch(j, expand, s, (void *[]){&d->nodes, &d->edges, &d->frontier, &d->found, &d->visited, &d->cost, &n});
        job_launch(j, commit, s, (void *[]){&d->frontier, &d->found, &d->visited, &d->more, &n});
        job_copy_out(j, &more, d->more, 1);
    }
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_bfs, r, "bfs.ptx")) return 1;
    int n = (int)r->in[IN_NODES];
    size_t count = (size_t)n;
    struct graph g;
    random_graph(&j, &g, n, (int)r->in[IN_DEGREE], random_new(r->seed, 0));
    uint8_t *flags = job_host(&j, count, 1), *zero = job_host(&j, count, 1);
    int *cost = job_host(&j, count, sizeof *cost);
    if (j.failed) return job_end(&j);
    size_t edges = (size_t)g.edges + !g.edges; /* a graph may have none; an allocation must have some */
    struct device d = {.nodes = job_device(&j, count, sizeof *g.node)};
    d.edges = job_device(&j, edges, sizeof *g.edge);
    d.frontier = job_device(&j, count, 1);
    d.found = job_device(&j, count, 1);
    d.visited = job_device(&j, count, 1);
    d.cost = job_device(&j, count, sizeof *cost);
    d.more = job_device(&j, 1, 1);

    for (size_t i = 1; i < count; i++) cost[i] = -1;
    flags[0] = 1; /* the source is the first frontier, and visited */
    job_copy_in(&j, d.nodes, g.node, count * sizeof *g.node);
    job_copy_in(&j, d.edges, g.edge, edges * sizeof *g.edge);
    job_copy_in(&j, d.frontier, flags, count);
    job_copy_in(&j, d.found, zero, count);
    job_copy_in(&j, d.visited, flags, count);
    job_copy_in(&j, d.cost, cost, count * sizeof *cost);
    search(&j, &d, n);
    job_result(&j, cost, d.cost, count * sizeof *cost);
    if (r->check) check(&j, &g, cost);
    return job_end(&j);
}

const struct workload workload_bfs = {
    .name = "bfs",
    .suite = "rodinia",
    .help = "breadth-first search of a uniform random graph, two kernels a level",
    .aliases = "rodinia/bfs dacache/bfs apcm/bfs dycache/bfs mascar/bfs hac/bfs",
    .input = {{"nodes", "nodes", {3000, 65536, 1000000}, 1, 1 << 26},
              {"degree", "edges per node, on average", {6, 6, 5}, 2, 64}},
    .run = run,
};
