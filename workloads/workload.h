/* workload.h - the built-in programs: kernels (PTX made from .cu) with ordinary driver-API host code.
 *
 * Host code sees only this header, cuda.h's functions and libc, so that it runs unchanged on a
 * real GPU. Inputs are generated from a seed; a CPU reference checks the results. */
#ifndef WL_WORKLOADS_WORKLOAD_H
#define WL_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

enum workload_size { SIZE_TINY, SIZE_SMALL, SIZE_PAPER, SIZE_COUNT };
extern const char *const size_names[SIZE_COUNT];

/* An input of a workload: "n=1024". */
struct workload_input {
    const char *name, *help;
    int64_t value[SIZE_COUNT]; /* default by size */
    int64_t min, max;
};
enum { WORKLOAD_MAX_INPUTS = 8 };

struct workload_run {
    int64_t in[WORKLOAD_MAX_INPUTS]; /* values, in the order of the table */
    uint64_t seed;
    bool check;        /* compute the CPU reference and compare */
    char message[256]; /* what went wrong, or what was checked: "4096 values, max rel. error 1e-6" */
    /* PTX text of a kernel file by name ("atax.ptx"): built in, or from a folder on a real GPU. */
    const char *(*ptx)(const char *file);
};

struct workload {
    const char *name;                                     /* "atax" */
    const char *suite;                                    /* "polybench" */
    const char *help;                                     /* one line */
    const char *aliases;                                  /* "ATAX dacache/ATAX", or NULL */
    struct workload_input input[WORKLOAD_MAX_INPUTS + 1]; /* ends with a NULL name */
    /* 0 ok; 1 failed: a cu* call returned an error or the check found a difference; message says. */
    int (*run)(struct workload_run *r);
};

const struct workload *const *workloads(unsigned *count);
const struct workload *workload_find(const char *name); /* by name or alias, case ignored; NULL */

/* A set of workloads that a paper treats as one. */
struct workload_group {
    const char *name; /* "dacache.divergent" */
    const char *help;
    const char *members; /* names, separated by a space */
};
const struct workload_group *workload_groups(unsigned *count);
const struct workload_group *workload_group_find(const char *name); /* case ignored; NULL */
/* Member number `index`; NULL behind the last. */
const struct workload *workload_group_member(const struct workload_group *g, unsigned index);

#endif
