/* driver_work.h - private to cuda/: one piece of work of a stream, done at once or kept as a node of a graph.
 *
 * Every call that takes a stream makes a struct work and submits it. A stream that captures keeps it, any other runs it
 * before the call returns. */
#ifndef WL_CUDA_DRIVER_WORK_H
#define WL_CUDA_DRIVER_WORK_H

#include "cuda/driver.h"

struct kernel_work {
    CUfunction function;
    unsigned grid[3], block[3], shared;
    bool cooperative;
    unsigned cluster[3]; /* 0: none was asked for */
    int priority;
    void **pointers; /* malloc'd: one per parameter, into the image behind them */
    uint8_t *image;
};

struct host_work {
    CUhostFn call;
    void (*callback)(CUstream, CUresult, void *); /* of cuStreamAddCallback; then `call` is NULL */
    void *arg;
};

/* A condition is a word of device memory: its handle is the address, which kernels write. */
struct condition {
    CUdeviceptr word;
    unsigned value;
    bool assign; /* `value` is put there when the graph is launched */
};

struct choice {
    CUdeviceptr word;
    CUgraphConditionalNodeType type;
    unsigned count;
    struct CUgraph_st **body; /* malloc'd; graphs of its own */
};

struct work {
    CUgraphNodeType type;
    union {
        struct kernel_work kernel;
        CUDA_MEMCPY3D copy;
        CUDA_MEMSET_NODE_PARAMS fill;
        struct host_work host;
        struct CUgraph_st *graph; /* its own copy */
        CUevent event;
        struct {
            CUdeviceptr ptr;
            size_t bytes;
        } memory;
        struct choice choice;
    } u;
};

struct capture {
    struct object object; /* OBJECT_CAPTURE, a child of the context */
    struct CUgraph_st *graph;
    struct CUstream_st *origin;
    unsigned long long id;
    bool invalid, own_graph; /* own_graph: the graph was made for this capture */
};

struct node_list {
    struct CUgraphNode_st **node;
    size_t count, cap;
};

struct CUstream_st {
    struct object object;
    unsigned flags;
    int priority;
    unsigned long long id;
    struct capture *capture;
    struct node_list after; /* what the next captured node depends on */
    struct work_set last;   /* what its next work waits for */
    CUlaunchAttributeValue attribute[CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT + 1];
};

struct CUgraphNode_st {
    struct object object; /* a child of the graph */
    struct CUgraph_st *graph;
    struct work work;
    struct node_list after;          /* dependencies */
    struct CUgraphNode_st *original; /* the node this one was copied from */
    bool disabled;
    unsigned done;        /* the number of the run that has done it */
    struct work_set over; /* what has ended when it has, in that run */
    CUlaunchAttributeValue attribute[CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT + 1];
};

struct CUgraph_st {
    struct object object;
    struct node_list nodes;        /* in the order they were added */
    struct CUuserObject_st **user; /* one entry per reference */
    size_t users;
    struct condition *condition;
    size_t conditions;
};

struct CUgraphExec_st {
    struct object object;
    struct CUgraph_st *graph;
    unsigned long long flags;
    struct node_list order;
};

struct CUuserObject_st {
    struct object object;
    void *ptr;
    CUhostFn destroy;
    unsigned references;
};

/* NULL when there is no memory. */
bool list_add(struct node_list *l, struct CUgraphNode_st *n);
bool list_has(const struct node_list *l, const struct CUgraphNode_st *n);
void list_free(struct node_list *l);

/* The state of any valid stream handle, the default streams' included; NULL: not a stream. */
struct CUstream_st *stream_state(struct driver *d, CUstream stream);

/* Does the work now. */
CUresult work_run(struct driver *d, const struct work *w, CUstream stream);
void work_free(struct driver *d, struct work *w);
/* A copy with memory of its own. */
CUresult work_copy(struct driver *d, struct work *to, const struct work *from);
/* Does the work or, if the stream captures, keeps it; either way *w is used up. */
CUresult work_submit(struct driver *d, const char *call, CUstream stream, struct work *w);

/* driver_launch.c: the parameters of a kernel in memory of their own; and the launch of such work. */
CUresult kernel_work_params(struct driver *d, struct kernel_work *k, void **params, void **extra);
CUresult kernel_work_run(struct driver *d, const struct kernel_work *k);
CUresult kernel_work_check(struct driver *d, const struct kernel_work *k);

/* driver_graph.c */
CUresult graph_new(struct driver *d, struct CUgraph_st **out, struct object *parent);
CUresult graph_copy(struct driver *d, struct CUgraph_st **out, const struct CUgraph_st *from, struct object *parent);
CUresult graph_add(struct driver *d, struct CUgraph_st *g, const CUgraphNode *after, size_t count, struct work *w,
                   CUgraphNode *out);
CUresult graph_run(struct driver *d, struct CUgraph_st *g, CUstream stream);
/* What object_free does for these. */
void graph_release(struct driver *d, struct CUgraph_st *g);
void graph_node_release(struct driver *d, struct CUgraphNode_st *n);
void stream_release(struct driver *d, struct CUstream_st *s);

/* driver_capture.c: keeps the work of a capturing stream as a node. */
CUresult capture_add(struct driver *d, struct CUstream_st *s, struct work *w, CUgraphNode *out);
void capture_release(struct driver *d, const struct capture *c);
CUresult capture_forbids(struct driver *d, struct CUstream_st *s, const char *call);

/* driver_pool.c: memory that belongs to graphs is not released when the program frees it. */
bool graph_memory(const struct driver *d, CUdeviceptr ptr);
CUresult graph_memory_new(struct driver *d, CUdeviceptr *ptr, size_t bytes);
void graph_memory_release(struct driver *d, struct object *o);
/* This memory was freed: if it is a pool's, the pool has less in use. */
void pool_forget(struct driver *d, CUdeviceptr ptr);

/* driver_condition.c */
CUresult choice_run(struct driver *d, const struct choice *c, CUstream stream);
CUresult choice_copy(struct driver *d, struct choice *to, const struct choice *from);
void choice_free(struct driver *d, struct choice *c);
/* All conditions of the graph, and of those inside it, begin with their default values. */
CUresult graph_assign_conditions(struct driver *d, const struct CUgraph_st *g);
CUresult graph_copy_conditions(struct driver *d, struct CUgraph_st *to, const struct CUgraph_st *from);

#endif
