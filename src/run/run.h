/* run.h - one run, from words to a record.
 *
 * A run is a machine and a program: a built-in workload, a kernel of a .ptx file, or a trace. Everything
 * that can be wrong with the words is found by run_new, before anything costs time; run_go does the work;
 * the record (result.h) lives until run_free. The command line, experiments and host programs run
 * everything this way. Programs that are executables are run by run/exec_run.h and give the same record. */
#ifndef WL_RUN_RUN_H
#define WL_RUN_RUN_H

#include "run/machine.h"
#include "run/result.h"
#include "stats/timeline.h"
#include "trace/wlt/wlt.h"
#include "workloads/workload.h"

enum run_kind { RUN_WORKLOAD, RUN_PTX, RUN_TRACE };
/* What a program's name means: FILE.ptx, a trace (see trace_named), else a workload. */
enum run_kind run_kind(const char *program);

/* A list of words; the caller keeps the memory. */
struct word_list {
    const char *const *item;
    unsigned count;
};

struct timeline;

/* Threads that can work on one simulation. 0, or WL_EINPUT. */
enum { RUN_MAX_THREADS = 64 };
int run_check_threads(uint64_t threads, struct wl_err *e);

/* What to run. Zero is a sensible value for every field but `program`; all texts must outlive the run. */
struct run_spec {
    const char *program;
    struct machine_spec machine;
    const struct gpu_config *config; /* a machine that is made already; NULL: `machine` says it */
    const char *engine;              /* "fast" or "tick", the slow reference; NULL: fast */
    uint64_t shuffle;                /* with engine tick: seed of a random order of parts; 0: the usual order */
    uint64_t threads;                /* that work on the simulation; 0 and 1: one. No result depends on it */
    bool paranoid;                   /* check our own invariants and ask every policy twice */
    uint64_t max_cycles;             /* end a kernel after so many core cycles; 0: never */
    bool functional;                 /* execute only, time nothing */
    bool each;                       /* keep the counters of each launch */
    uint64_t seed;                   /* of generated inputs */

    /* Workloads. */
    const char *size;       /* "tiny", "small" or "paper"; NULL: small */
    struct word_list input; /* "n=64" */
    const int64_t *values;  /* all inputs as numbers, instead of size and input; NULL: none */
    bool check;             /* compare with a CPU reference */

    /* FILE.ptx. */
    const char *kernel;         /* NULL: the only one; of a trace, a pattern: only such kernels run */
    const char *grid, *block;   /* "16,16" */
    struct word_list arg, dump; /* "buf:4K:iota-f32", "u32:7"; "0:f32:16" */
    uint64_t shared;            /* bytes of dynamic shared memory */
    uint64_t regs;              /* registers per thread; 0: as counted */

    const char *record; /* save a trace in this .wlt file instead of timing the program */
    /* Gets warnings about the trace; NULL: they are dropped. The record has them all. */
    void (*say)(void *arg, const char *text);
    bool quiet; /* say only what a trace lacks */
    /* Gets text that kernels print; NULL: it is dropped. */
    void (*print)(void *arg, const char *text, size_t len);
    void *listener; /* first argument of say and print */
};

struct run;
/* Checks everything and prepares. NULL: the words are wrong, *e says how. */
struct run *run_new(const struct run_spec *spec, struct wl_err *e);
/* Shows SMs at work in `t` (of run_timeline). Call it before run_go. */
void run_show(struct run *r, struct timeline *t);
int run_go(struct run *r, struct wl_err *e);
void run_free(struct run *r);

const struct run_result *run_result(const struct run *r);
const struct gpu_config *run_config(const struct run *r);
/* After a run with `record`: what is in the trace. */
const struct wlt_totals *run_recorded(const struct run *r);
/* Prints the buffers of `dump` as they are after the run. */
int run_dump(struct run *r, FILE *out, struct wl_err *e);

/* What SMs do in a window, for Perfetto (stats/timeline.h); NULL: out of memory. */
struct timeline *run_timeline(FILE *out, const struct timeline_spec *spec);
/* Ends the file; returns whether the limit cut something off. *seen: whether the window ever began. */
bool run_timeline_end(struct timeline *t, bool *seen);

/* ---- programs by name ---- */

const char *workload_size_name(enum workload_size size);
/* WL_EINPUT with what is near when there is no such size. */
int read_workload_size(const char *name, enum workload_size *out, struct wl_err *e);
/* A workload by name, and its inputs at a size, with those that are given ("n=64") in their places. */
int workload_inputs(const char *name, enum workload_size size, struct word_list given, const struct workload **program,
                    int64_t out[WORKLOAD_MAX_INPUTS], struct wl_err *e);
/* Replaces "@group" by the names of its workloads: fills `out` (room for `max`), sets *count. */
int expand_groups(struct word_list in, const char *out[], unsigned max, unsigned *count, struct wl_err *e);
/* "1234", "0x10", "4K", "2M", "1G"; false when it is none of these or too large. */
bool read_size(const char *text, uint64_t *out);

/* ---- clocks ---- */

double now_seconds(void); /* seconds of the wall clock */
double cpu_seconds(void); /* CPU seconds that this process has used */
uint64_t peak_memory_bytes(void);

#endif
