/* mars.h - what the host side of the map phases shares. */
#ifndef WL_WORKLOADS_MARS_H
#define WL_WORKLOADS_MARS_H

#include "workloads/common.h"

/* Counts become places; the total, which sizes the output. */
static inline int mars_scan(struct job *j, CUdeviceptr counts, int n)
{
    int total = 0;
    job_launch(j, job_kernel(j, "mars_scan"), (struct shape){1, 1, 256, 1}, (void *[]){&counts, &n});
    job_copy_out(j, &total, counts + (CUdeviceptr)n * sizeof(int), sizeof total);
    return total;
}

/* An output may be empty, an allocation may not. */
static inline CUdeviceptr mars_output(struct job *j, int count, size_t bytes)
{
    return job_device(j, (size_t)count + !count, bytes);
}

/* Copies `count` ints back and compares them. */
static inline void mars_check(struct job *j, const char *what, CUdeviceptr got, const int *want, int count)
{
    int *copy = job_host(j, (size_t)count, sizeof *copy);
    job_result(j, copy, got, (size_t)count * sizeof *copy);
    if (!j->failed) job_compare(j, what, copy, want, (size_t)count);
}

/* The same for bytes. */
static inline void mars_check_bytes(struct job *j, const char *what, CUdeviceptr got, const char *want, int count)
{
    char *copy = job_host(j, (size_t)count, 1);
    job_result(j, copy, got, (size_t)count);
    for (int i = 0; !j->failed && i < count; i++)
        if (copy[i] != want[i]) job_fail(j, "%s[%d] is %d, should be %d", what, i, copy[i], want[i]);
    j->checked += (size_t)count;
}

#endif
