/* dims.h - dimensions of the PolyBench workloads: "n" for all, others where they differ. */
#ifndef WL_WORKLOADS_DIMS_H
#define WL_WORKLOADS_DIMS_H

#include "workloads/common.h"

/* Input `i`, or input 0 ("n") when it is left at 0. */
static inline int dim(const struct workload_run *r, unsigned i) { return (int)(r->in[i] ? r->in[i] : r->in[0]); }

#define DIM(name, what, max)                                                                                           \
    {                                                                                                                  \
        name, what "; 0: n", {0, 0, 0}, 0, max                                                                         \
    }

#endif
