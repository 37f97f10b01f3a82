/* runner.h - does the runs of a plan that are missing, several at a time.
 *
 * Each run has a process of its own: one that crashes, hangs or runs out of memory is recorded as
 * failed with its reason and the others go on. Only the parent touches the store; a result is in
 * it as soon as its run has ended, so that stopping at any moment loses no finished run. */
#ifndef WL_EXPERIMENT_RUNNER_H
#define WL_EXPERIMENT_RUNNER_H

#include <signal.h>

#include "experiment/plan.h"

struct run_progress {
    unsigned done, failed, total, running;
    double seconds_left;           /* negative: not known yet */
    const char *workload, *series; /* begun or ended last */
};

struct runner {
    unsigned jobs;    /* processes at a time, at least 1 */
    double timeout_s; /* for one run; 0: none */
    bool retry;       /* runs that failed before are done again */
    const char *only; /* only the run with this key; NULL: all */
    /* Called in the process of the run: its JSON (malloc'd), or NULL and *e. */
    char *(*run)(void *arg, const struct exp_run *r, struct wl_err *e);
    void (*progress)(void *arg, const struct run_progress *now); /* may be NULL */
    /* Where a finished row goes; NULL: into the store. */
    int (*put)(void *arg, const struct store_row *row, struct wl_err *e);
    void *arg;
    const volatile sig_atomic_t *stop; /* 1: begin nothing more; 2: end what runs, too */
};

/* 0 when every run has an outcome, be it a failure; the state of the plan is not changed: fetch it. */
int runner_run(const struct plan *p, struct store *s, const struct runner *how, struct wl_err *e);

#endif
