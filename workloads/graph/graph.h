/* graph.h - what the host side of the graph programs shares: inputs, and graphs on the device. */
#ifndef WL_WORKLOADS_GRAPH_H
#define WL_WORKLOADS_GRAPH_H

#include "workloads/common.h"

enum { IN_NODES, IN_DEGREE, IN_KIND };

#define GRAPH_INPUTS(nodes_tiny, nodes_small, nodes_paper, degree, kind)                                               \
    {"nodes", "nodes", {nodes_tiny, nodes_small, nodes_paper}, 1, 1 << 22},                                            \
        {"degree", "edges drawn for a node; a road-like graph has its own number", {degree, degree, degree}, 1, 64},   \
    {                                                                                                                  \
        "kind", "of graph: 0 R-MAT, 1 road-like, 2 uniform", {kind, kind, kind}, 0, GRAPH_KINDS - 1                    \
    }

static inline void graph_make(struct job *j, struct csr *g)
{
    const int64_t *in = j->run->in;
    random_csr(j, g, (enum graph_kind)in[IN_KIND], (int)in[IN_NODES], (int)in[IN_DEGREE], random_new(j->run->seed, 0));
}

/* The node with most edges: a place to start from that is not alone. */
static inline int graph_hub(const struct job *j, const struct csr *g)
{
    int hub = 0;
    for (int i = 1; !j->failed && i < g->nodes; i++)
        if (g->start[i + 1] - g->start[i] > g->start[hub + 1] - g->start[hub]) hub = i;
    return hub;
}

/* A graph may have no edges; an allocation must have some. */
static inline CUdeviceptr graph_ints(struct job *j, const int *src, int count)
{
    CUdeviceptr p = job_device(j, (size_t)count + !count, sizeof *src);
    if (count && !j->failed) job_copy_in(j, p, src, (size_t)count * sizeof *src);
    return p;
}

/* The same numbers as 64-bit ones. */
static inline CUdeviceptr graph_longs(struct job *j, const int *src, int count)
{
    int64_t *wide = job_host(j, (size_t)count + !count, sizeof *wide);
    for (int i = 0; !j->failed && i < count; i++) wide[i] = src[i];
    return job_upload(j, wide, (size_t)count + !count, sizeof *wide);
}

/* A device array of `count` equal ints. */
static inline CUdeviceptr graph_filled(struct job *j, int count, int value)
{
    int *all = job_host(j, (size_t)count, sizeof *all);
    for (int i = 0; !j->failed && i < count; i++) all[i] = value;
    return job_upload(j, all, (size_t)count, sizeof *all);
}

/* Copies an array of ints, one per node, back and compares. */
static inline void graph_check(struct job *j, const char *what, CUdeviceptr from, const int *want, int nodes)
{
    int *got = job_host(j, (size_t)nodes, sizeof *got);
    job_result(j, got, from, (size_t)nodes * sizeof *got);
    if (!j->failed && j->run->check) job_compare(j, what, got, want, (size_t)nodes);
}

/* The flag that a kernel raises: cleared before a round, asked after it. */
static inline void graph_lower(struct job *j, CUdeviceptr flag) { job_copy_in(j, flag, &(int){0}, sizeof(int)); }
static inline bool graph_raised(struct job *j, CUdeviceptr flag)
{
    int value = 0;
    job_copy_out(j, &value, flag, sizeof value);
    return value && !j->failed;
}

#endif
