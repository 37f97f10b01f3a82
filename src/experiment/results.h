/* results.h - the results of an experiment as a small file that can be committed.
 *
 * A store has every counter of every run. A results file has, of one experiment at one size, the numbers that its
 * figures and claims are made of, and nothing else. The page made from it equals the page made from the store.
 * Rows are known by the names of workload and series, not by a key: the file stands for what was measured with
 * the build it names, also when the simulator goes on. CSV: a head, the names of the columns, a row per run:
 *
 *     warpline-results,1,EXPERIMENT,SIZE,BUILD,VERSION[,run.sample=N]
 *     workload,series,machine,failed,cycles,l1d.misses,samples[].cycles,...
 *
 * `series` are all that the run serves, `machine` the hash of the configuration that lasts over versions
 * (config_lasting_hash), `failed` why there is no result. The head of sampled results has what `run.sample` was.
 * A column NAME[].MEMBER has the member of each element of an array, separated by blanks; "-" where one has none. */
#ifndef WL_EXPERIMENT_RESULTS_H
#define WL_EXPERIMENT_RESULTS_H

#include "experiment/plan.h"

struct results_head {
    char experiment[256]; /* a built-in one's name, or its file */
    char size[16], build[STORE_KEY], version[32];
    unsigned sample; /* run.sample of its runs; 0: they were timed in full */
};

/* Every run of the plan that is done or failed. Errors of `out` stay in ferror(out). */
int results_write(const struct plan *p, const char *version, FILE *out, struct wl_err *e);

int results_read_head(const char *file, struct results_head *out, struct wl_err *e);
/* Gives the runs of the plan their results. Those the file does not have stay missing; *changed are those whose
 * machine is another one today. */
int results_read(struct plan *p, const char *file, unsigned *changed, struct wl_err *e);
/* What need not be run again: rows that did not fail and whose machine is today's are given to runs that are missing;
 * *found: to how many. A file of another experiment, size or sampling is refused. */
int results_known(struct plan *p, const char *file, unsigned *found, struct wl_err *e);

/* The name of a series that no other has: points of two sweeps can have one name, and are numbered then. */
void series_key(const struct experiment *x, unsigned series, char *out, size_t size);

#endif
