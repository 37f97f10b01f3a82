/* plan.h - the runs that figures and claims need, and their results.
 *
 * A plan is a matrix of series and workloads. What a figure or claim needs is marked; two cells
 * with the same machine and program are one run. A run's key is a hash of everything its numbers
 * depend on: the build of the simulator (and plugins), the program, its inputs and seed (or what is in
 * the trace), and the machine with its policies and their parameters.
 *
 * Several plans can share one pool of runs, each of a variant of the experiment: what they have in common
 * is then one run. */
#ifndef WL_EXPERIMENT_PLAN_H
#define WL_EXPERIMENT_PLAN_H

#include <jansson.h>

#include "experiment/experiment.h"
#include "experiment/store.h"

enum run_state { RUN_MISSING, RUN_DONE, RUN_FAILED };

struct exp_run {
    char key[STORE_KEY];
    const struct exp_workload *workload;
    const struct gpu_config *config;
    const char *series_label; /* of the first series that needs it, for progress */
    const char *point;        /* of a sweep, of that series; NULL: none */
    enum workload_size size;
    int64_t input[WORKLOAD_MAX_INPUTS];
    char inputs[256]; /* "n=512" */
    enum run_state state;
    char *reason;   /* why it failed; owned */
    json_t *result; /* NULL unless done; owned */
};

struct plan {
    const struct experiment *x;
    enum workload_size size;
    const char *build;
    struct exp_run **cell; /* [series * x->nworkloads + workload]; NULL: not needed */
    struct plan *pool;     /* whose runs the cells point to: another plan, or this one */
    struct exp_run **runs; /* each once, in a fixed order; none unless this is the pool */
    unsigned nruns, room;
    unsigned *slot; /* hash table of runs by key: index + 1, or 0 */
    unsigned slots;
};

/* The build id (run/identity.h) with the contents of the plugins: builds that give different numbers have
 * different ones. */
int build_identity(const char *const *plugins, unsigned count, char out[STORE_KEY], struct wl_err *e);

/* `build` must outlive the plan. NULL: out of memory. */
struct plan *plan_new(const struct experiment *x, enum workload_size size, const char *build, struct wl_err *e);
/* A plan of another variant of the experiment whose runs are `pool`'s; it must be freed before the pool. */
struct plan *plan_share(struct plan *pool, const struct experiment *x, struct wl_err *e);
void plan_free(struct plan *p);
int plan_figure(struct plan *p, const struct exp_figure *f, struct wl_err *e);
int plan_claim(struct plan *p, const struct exp_claim *c, struct wl_err *e); /* on every variant */

/* Reads what the store has for runs that are not done yet. */
int plan_fetch(struct plan *p, struct store *s, struct wl_err *e);
/* Finds out what the store has, without reading the results. */
int plan_look(struct plan *p, struct store *s, struct wl_err *e);
/* Reads the results of this plan's own cells, and forgets them again: a pool may be too large to be held. */
int plan_fetch_cells(struct plan *p, struct store *s, struct wl_err *e);
void plan_drop_cells(struct plan *p);
/* How many runs are in this state. */
unsigned plan_count(const struct plan *p, enum run_state state);
/* The row of a run for the store; texts point into `r`, `p`, and the buffers of `room`. */
struct plan_row_room {
    char l1[256], l2[256], sched[256];
};
void plan_row(const struct plan *p, const struct exp_run *r, struct plan_row_room *room, struct store_row *out);

#endif
