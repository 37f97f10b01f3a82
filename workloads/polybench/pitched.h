/* pitched.h - host code of pitched.cu, for atax and bicg when "pitch" or "loop" is given. */
#ifndef WL_WORKLOADS_PITCHED_H
#define WL_WORKLOADS_PITCHED_H

#include "workloads/polybench/dims.h"

/* Inputs behind n, nx and ny. */
enum { IN_PITCH = 3, IN_LOOP };
#define PITCH_INPUTS                                                                                                   \
    {"pitch", "floats from one row of A to the next; 0: the columns", {0, 8192, 8192}, 0, 32768},                      \
    {                                                                                                                  \
        "loop", "terms of a sum; 0: all", {0, 512, 8192}, 0, 32768                                                     \
    }

static inline bool is_pitched(const struct workload_run *r) { return r->in[IN_PITCH] || r->in[IN_LOOP]; }

struct pitched {
    int nx, ny, pitch, by_row, by_col; /* by_row: terms of a sum along a row; by_col: down a column */
    size_t rows;                       /* of A that exist */
    float *a;
    CUdeviceptr da;
};

static inline void pitched_make(struct job *j, struct pitched *p)
{
    const struct workload_run *r = j->run;
    int loop = (int)r->in[IN_LOOP];
    *p = (struct pitched){.nx = dim(r, 1), .ny = dim(r, 2), .pitch = (int)r->in[IN_PITCH]};
    p->by_row = loop ? loop : p->ny, p->by_col = loop ? loop : p->nx;
    int widest = p->ny > p->by_row ? p->ny : p->by_row;
    if (!p->pitch) p->pitch = widest;
    if (p->pitch < widest) job_fail(j, "pitch=%d: a row has %d columns", p->pitch, widest);
    p->rows = (size_t)(p->nx > p->by_col ? p->nx : p->by_col);
    struct corner c = {p->rows, (size_t)p->pitch, (size_t)p->by_col, (size_t)p->ny, (size_t)p->by_row};
    p->a = corner_make(j, c, &p->da);
}

/* One product on the device, and the same in double precision. */
static inline void pitched_rows(struct job *j, const struct pitched *p, const char *kernel, CUdeviceptr x,
                                CUdeviceptr sum)
{
    int n = p->nx, loop = p->by_row, pitch = p->pitch;
    job_launch(j, job_kernel_sized(j, kernel, pitch), shape_cover(n, 1, 256, 1),
               (void *[]){(void *)(uintptr_t)&p->da, &x, &sum, &n, &loop, &pitch});
}

static inline void pitched_cols(struct job *j, const struct pitched *p, const char *kernel, CUdeviceptr x,
                                CUdeviceptr sum)
{
    int n = p->ny, loop = p->by_col, pitch = p->pitch;
    job_launch(j, job_kernel_sized(j, kernel, pitch), shape_cover(n, 1, 256, 1),
               (void *[]){(void *)(uintptr_t)&p->da, &x, &sum, &n, &loop, &pitch});
}

static inline void reference_rows(const struct pitched *p, const float *x, double *sum)
{
    for (size_t i = 0; i < (size_t)p->nx; i++)
        for (size_t k = 0; k < (size_t)p->by_row; k++) sum[i] += (double)p->a[i * (size_t)p->pitch + k] * (double)x[k];
}

static inline void reference_cols(const struct pitched *p, const float *x, double *sum)
{
    for (size_t i = 0; i < (size_t)p->by_col; i++)
        for (size_t k = 0; k < (size_t)p->ny; k++) sum[k] += (double)p->a[i * (size_t)p->pitch + k] * (double)x[i];
}

#endif
