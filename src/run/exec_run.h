/* exec_run.h - an unmodified CUDA program on the simulated GPU.
 *
 * The program runs in a process of its own which finds our libcuda and libcudart in LD_LIBRARY_PATH; the
 * settings go with it as environment variables, and each process that makes CUDA calls leaves a report in
 * a folder (sim/process_report.h), also when it crashes. The reports become records (result.h). */
#ifndef WL_RUN_EXEC_RUN_H
#define WL_RUN_EXEC_RUN_H

#include <signal.h>

#include "run/run.h"
#include "sim/process_report.h"

struct exec_spec {
    char *const *program;        /* its words, NULL-terminated as in argv */
    struct machine_spec machine; /* `say` is not used */
    struct word_list plugin;     /* files of policies, loaded in the program's processes too */
    bool tick, functional;
    uint64_t shuffle, threads, max_cycles;
    const char *kernel; /* time only kernels that fit this pattern; NULL: all */
    const char *launch; /* time only these launches, "10..20"; NULL: all */
    const char *record; /* folder for a trace of each process, instead of timing it; NULL: none */
    const char
        *timeline; /* what SMs do, cycle by cycle: the file for the first process, others get .2, .3, ...; or NULL */
    struct timeline_spec timeline_spec;
    /* Set to the id of the process while it runs, so that a signal handler can pass signals on; or NULL. */
    volatile sig_atomic_t *child;
};

/* One process that made CUDA calls. */
struct exec_process {
    struct process_report report;
    struct kernel_record *kernels;
    struct run_stats *each; /* what each of the kernels counted */
    struct policy_stats *each_policy;
    struct load_record *loads;
    struct inst_record *insts;
    uint64_t *heat;
    struct sample *samples;
    struct run_result result; /* points into the arrays above */
};

struct exec_outcome {
    int status;      /* as a shell would give it: 126 or 127 when it could not be started */
    int signal;      /* the signal that ended the program; 0: none */
    int start_error; /* errno of starting it; 0: it was started */
    struct gpu_config config;
    struct exec_process **process; /* in the order they began */
    unsigned processes;
    unsigned timelines; /* files that were written */
};

/* Checks the settings, runs the program to its end and reads the reports. 0 also when the program failed: see
 * `status`. */
int exec_check(const struct exec_spec *spec, struct wl_err *e);
int exec_run(const struct exec_spec *spec, struct exec_outcome *out, struct wl_err *e);
void exec_free(struct exec_outcome *out);
/* Names the libraries of machine code (cuBLAS, cuDNN ...) that an executable is linked with; false: none. */
bool exec_links(const char *program, char *out, size_t size);
/* Why a program made no CUDA call, as far as its executable shows it. */
void exec_silence(const char *program, char *out, size_t size);

#endif
