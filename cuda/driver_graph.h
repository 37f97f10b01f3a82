/* driver_graph.h - private to cuda/: what the files about graphs share. driver_graph.c makes graphs and runs them,
 * driver_node.c has what nodes do, driver_graph_exec.c instantiated graphs. */
#ifndef WL_CUDA_DRIVER_GRAPH_H
#define WL_CUDA_DRIVER_GRAPH_H

#include "cuda/driver_work.h"

/* How a call about graphs begins. */
#define GRAPH_CALL(d)                                                                                                  \
    DRIVER(d);                                                                                                         \
    {                                                                                                                  \
        CUresult begun_ = driver_context(&d);                                                                          \
        if (begun_) return begun_;                                                                                     \
    }

CUresult graph_bad(struct driver *d, const char *what); /* CUDA_ERROR_INVALID_VALUE */
CUresult graph_no_memory(struct driver *d);

/* The graph or node of a handle; NULL: it is none. */
struct CUgraph_st *graph_of(const struct driver *d, CUgraph graph);
struct CUgraphNode_st *node_of(const struct driver *d, CUgraphNode node);
/* The place of a node among those of its graph. */
size_t node_place(const struct CUgraph_st *g, const struct CUgraphNode_st *n);
/* The node of an instantiated graph that stands for `node` of the graph it was made of. */
CUresult node_in_exec(struct driver *d, CUgraphExec exec, CUgraphNode node, struct CUgraphNode_st **out);
/* Puts *w, which is used up, in the place of what the node did; it must be of the same type. */
CUresult node_replace(struct driver *d, struct CUgraphNode_st *n, struct work *w);
/* All nodes in the order they are run; shorter when dependencies go round in a circle. */
CUresult graph_order(struct driver *d, const struct CUgraph_st *g, struct node_list *order);
CUresult graph_run_list(struct driver *d, const struct node_list *order, CUstream stream);

/* driver_condition.c */
CUresult node_add_conditional(struct driver *d, CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t count, CUDA_CONDITIONAL_NODE_PARAMS *p);

#endif
