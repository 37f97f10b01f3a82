/* driver_order.h - private to cuda/: which work waits for which.
 *
 * Work of streams is done when a call returns, as far as memory goes. When it runs on the machine is decided by the
 * session (sim/session.h), which must know what each launch waits for: the work before it in its stream, the events the
 * stream waits for, the default stream, and whatever the host has waited for before it made the call. All of it is
 * kept as sets of the session's numbers. */
#ifndef WL_CUDA_DRIVER_ORDER_H
#define WL_CUDA_DRIVER_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct driver;
struct CUstream_st;

struct work_set {
    uint64_t *number;
    unsigned count, cap;
};
void set_free(struct work_set *s);

/* A piece of work that is being done. */
struct work_order {
    bool kept;             /* it may overlap other work; else it runs at once, after all before it */
    uint64_t stream;       /* its id */
    int priority;          /* of its kernels */
    struct work_set after; /* what it waits for */
    struct work_set done;  /* what it became; empty: it takes no time, and is over when what it waits for is */
    struct work_order *outer;
};

/* Between these two the work of the stream is done. */
void order_begin(struct driver *d, const struct CUstream_st *s, struct work_order *o);
void order_end(struct driver *d, struct CUstream_st *s, struct work_order *o); /* s NULL: the stream is gone */
/* The same for a node of a graph, which waits for others of the graph; those that wait for none, for what the graph
 * waits for. `over` becomes what the next nodes wait for. */
void order_node_begin(struct driver *d, struct work_order *o, const struct work_set *const *after, unsigned afters);
void order_node_end(struct driver *d, struct work_order *o, struct work_set *over);

/* The work at hand became this work of the session. */
void order_became(struct driver *d, uint64_t number);
/* The host has copied to the device, as part of the work at hand or in a call of its own. */
int order_copied(struct driver *d, uint64_t addr, uint64_t bytes);

/* What an event stands for that is recorded now in the stream, or in the graph that runs. */
void order_event(struct driver *d, const struct CUstream_st *s, struct work_set *out);
void order_wait_event(struct driver *d, struct CUstream_st *s, const struct work_set *event);
/* The host waits: for a stream, for an event, for the default stream, for everything. */
void order_host_stream(struct driver *d, const struct CUstream_st *s);
void order_host_set(struct driver *d, const struct work_set *set);
void order_host_default(struct driver *d);
void order_host_all(struct driver *d);
/* A stream that is destroyed: what it has left to do is still waited for. */
void order_orphan(struct driver *d, struct CUstream_st *s);
void order_free(struct driver *d);

#endif
