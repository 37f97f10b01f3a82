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

/* A random matrix of which kernels read the first `tall` rows up to `columns`, and of all rows the first `wide`
 * columns. The rest stays zero and is not copied: at the distance of rows of a full size that is most of it. Only the
 * check may look at what is returned. */
struct corner {
    size_t rows, pitch, tall, columns, wide;
};

static inline float *corner_make(struct job *j, struct corner c, CUdeviceptr *device)
{
    size_t forgotten = 0, step = JOB_PIECE / (c.pitch * sizeof(float)) + 1; /* rows */
    float *a = job_host(j, c.rows * c.pitch, sizeof *a);
    *device = job_device(j, c.rows * c.pitch, sizeof *a);
    for (size_t i = 0; i < c.rows && !j->failed; i++) {
        size_t used = i < c.tall && c.columns > c.wide ? c.columns : c.wide;
        random_floats(a + i * c.pitch, used, random_new(j->run->seed, (1u << 16) + i), 0, 1);
        job_copy_in(j, *device + i * c.pitch * sizeof *a, a + i * c.pitch, used * sizeof *a);
        if (i + 1 < forgotten + step && i + 1 < c.rows) continue;
        job_forget(j, a + forgotten * c.pitch, (i + 1 - forgotten) * c.pitch * sizeof *a);
        forgotten = i + 1;
    }
    return a;
}

#endif
