/* character.h - a program's character: the numbers the papers use to describe it, from one run with
 * an LRU L1D and stats.profile. */
#ifndef WL_CLI_CHARACTER_H
#define WL_CLI_CHARACTER_H

#include "cli/cli.h"
#include "run/exec_run.h"

enum { MAX_METRICS = 64, TIME_SLICES = 8 };

struct metric {
    const char *key;
    double value;
};

struct character {
    struct metric metric[MAX_METRICS];
    unsigned metrics;
    /* Shares of requests of 32, 64 and 128 bytes in equal parts of the run's time. */
    double size_share[TIME_SLICES][3];
    uint64_t slice_requests[TIME_SLICES]; /* how many there were */
};

/* A run of the program that measures it: LRU, profiled, sampled. NULL: *e says why. */
struct run *character_run(const char *program, const struct options *o, struct wl_err *e);
/* The same for the executable o->program; it has run when this returns. */
int character_exec(const struct options *o, struct exec_outcome *out, struct wl_err *e);
/* From the record of such a run. */
void character_of(const struct run_result *r, struct character *out);
double metric_of(const struct character *c, const char *key); /* a key of the table; it must be there */

/* What a list of workloads shows of each. */
struct program_size {
    uint64_t kernels, launches, ctas, threads;
};
struct program_size program_size(const struct run_result *r);

void character_write_text(const struct run_result *r, const struct character *c, FILE *out);
void character_write_table(const struct run_result *const *r, const struct character *c, unsigned count, FILE *out);

#endif
