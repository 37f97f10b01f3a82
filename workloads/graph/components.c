/* components.c - host code of components.cu: rounds until no label changes. */
#include <string.h>

#include "workloads/graph/graph.h"

enum { CHUNK = 8 };

/* The least node of each component. */
static void reference(const struct csr *g, int *label, int *stack)
{
    for (int i = 0; i < g->nodes; i++) label[i] = -1;
    for (int i = 0; i < g->nodes; i++) {
        int depth = 0;
        if (label[i] >= 0) continue;
        label[i] = i;
        for (stack[depth++] = i; depth;) {
            int me = stack[--depth];
            for (int e = g->start[me]; e < g->start[me + 1]; e++) {
                if (label[g->edge[e]] >= 0) continue;
                label[g->edge[e]] = i;
                stack[depth++] = g->edge[e];
            }
        }
    }
}

static void check(struct job *j, const struct csr *g, CUdeviceptr label)
{
    int *want = job_host(j, (size_t)g->nodes, sizeof *want), *stack = job_host(j, (size_t)g->nodes, sizeof *stack);
    if (!j->failed && j->run->check) reference(g, want, stack);
    graph_check(j, "label", label, want, g->nodes);
}

static CUdeviceptr own_numbers(struct job *j, int n)
{
    int *own = job_host(j, (size_t)n, sizeof *own);
    for (int i = 0; !j->failed && i < n; i++) own[i] = i;
    return graph_ints(j, own, n);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_components, r, "components.ptx")) return 1;
    struct csr g;
    graph_make(&j, &g);
    int n = (int)r->in[IN_NODES];
    CUdeviceptr start = graph_ints(&j, g.start, n + 1), edge = graph_ints(&j, g.edge, g.edges);
    CUdeviceptr label = own_numbers(&j, n), other = own_numbers(&j, n), changed = graph_filled(&j, 1, 0);
    CUfunction least = job_kernel(&j, "components_label"), jump = job_kernel(&j, "components_jump");
    struct shape s = shape_cover(n, 1, 256, 1);
    do {
        graph_lower(&j, changed);
        job_launch(&j, least, s, (void *[]){&start, &edge, &label, &other, &changed, &n});
        job_launch(&j, jump, s, (void *[]){&other, &label, &n});
    } while (graph_raised(&j, changed));
    check(&j, &g, label);
    return job_end(&j);
}

struct forest {
    CUdeviceptr from, to, open, parent, shadow, changed;
};

static void hook_rounds(struct job *j, struct forest *f, int n, int edges)
{
    CUfunction hook = job_kernel(j, "components_hook"), copy = job_kernel(j, "components_copy");
    CUfunction root = job_kernel(j, "components_root");
    struct shape nodes = shape_cover(n, 1, 256, 1), chunks = shape_cover(edges / CHUNK + 1, 1, 256, 1);
    do {
        graph_lower(j, f->changed);
        job_launch(j, hook, chunks,
                   (void *[]){&f->from, &f->to, &f->open, &f->parent, &f->shadow, &f->changed, &edges});
        job_launch(j, copy, nodes, (void *[]){&f->parent, &f->shadow, &n});
        job_launch(j, root, nodes, (void *[]){&f->parent, &f->shadow, &n});
        job_launch(j, copy, nodes, (void *[]){&f->parent, &f->shadow, &n});
    } while (graph_raised(j, f->changed));
}

static int run_hook(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_components_hook, r, "components.ptx")) return 1;
    struct csr g;
    graph_make(&j, &g);
    int n = (int)r->in[IN_NODES];
    size_t edges = (size_t)g.edges + !g.edges;
    int *from = job_host(&j, edges, sizeof *from);
    uint8_t *open = job_host(&j, edges, 1);
    if (j.failed) return job_end(&j);
    for (int i = 0; i < n; i++)
        for (int e = g.start[i]; e < g.start[i + 1]; e++) from[e] = i;
    memset(open, 1, edges);
    struct forest f = {.from = graph_longs(&j, from, g.edges), .to = graph_longs(&j, g.edge, g.edges)};
    f.open = job_upload(&j, open, edges, 1);
    f.parent = own_numbers(&j, n), f.shadow = own_numbers(&j, n), f.changed = graph_filled(&j, 1, 0);
    hook_rounds(&j, &f, n, g.edges);
    check(&j, &g, f.parent);
    return job_end(&j);
}

const struct workload workload_components = {
    .name = "components",
    .suite = "graph",
    .help = "connected components by least labels and label jumps, a thread per node",
    .aliases = "CCL lonestar/cc apcm/ccl",
    .input = {GRAPH_INPUTS(500, 32768, 65536, 6, GRAPH_UNIFORM)},
    .run = run,
};

const struct workload workload_components_hook = {
    .name = "components_hook",
    .suite = "graph",
    .help = "connected components by hooking roots, a thread per eight edges",
    .aliases = "graphbig/cc dycache/cc",
    .input = {GRAPH_INPUTS(500, 23040, 65536, 8, GRAPH_RMAT)},
    .run = run_hook,
};
