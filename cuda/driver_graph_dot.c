/* driver_graph_dot.c - a graph as text for Graphviz. */
#include "cuda/driver_work.h"

#include <inttypes.h>

#include "base/out_file.h"

static const char *type_name(CUgraphNodeType type)
{
    static const char *const names[] = {"kernel",    "memcpy",   "memset",       "host",     "graph",
                                        "empty",     "wait",     "event record", "signal",   "signal",
                                        "mem alloc", "mem free", "batch",        "condition"};
    return (unsigned)type < sizeof names / sizeof names[0] ? names[type] : "?";
}

static void write_node(struct driver *d, const struct CUgraph_st *g, size_t i, FILE *out)
{
    const struct CUgraphNode_st *n = g->nodes.node[i];
    const struct CUfunc_st *f =
        n->work.type == CU_GRAPH_NODE_TYPE_KERNEL ? object_find(d, n->work.u.kernel.function, OBJECT_FUNCTION) : NULL;
    fprintf(out, "  n%zu [label=\"%zu %s%s%s\"];\n", i, i, type_name(n->work.type), f ? "\\n" : "",
            f ? f->kernel->name : "");
    for (size_t k = 0; k < n->after.count; k++)
        for (size_t from = 0; from < g->nodes.count; from++)
            if (g->nodes.node[from] == n->after.node[k]) fprintf(out, "  n%zu -> n%zu;\n", from, i);
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUgraph_st *g = object_find(d, graph, OBJECT_GRAPH);
    (void)flags;
    if (!g || !path) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuGraphDebugDotPrint: not a graph, or no file");
    struct out_file f = {0};
    struct wl_err *e = session_error(d->session);
    if (out_file_open(&f, path, e)) return CUDA_ERROR_OPERATING_SYSTEM;
    fprintf(f.file, "digraph graph_1 {\n");
    for (size_t i = 0; i < g->nodes.count; i++) write_node(d, g, i, f.file);
    fprintf(f.file, "}\n");
    return out_file_close(&f, 0, e) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
