/* explain.h - why a program takes as long as it does, found by running it on machines without one limit each.
 *
 * A limit is what stops being one when the machine has more of it. The account of cycles (sm/account.h) says what
 * schedulers waited for; only a second run says what they would have waited for instead. So each suspicion is a run:
 * the same program, one thing changed, and the cycles of both. */
#ifndef WL_RUN_EXPLAIN_H
#define WL_RUN_EXPLAIN_H

#include "run/run.h"

enum { EXPLAIN_WORDS = 24, EXPLAIN_RUNS = 16, EXPLAIN_REASONS = 18 };

/* A machine without one limit. */
struct what_if {
    const char *id;               /* "l1d_size" */
    const char *noun;             /* what it is about: "the capacity of the L1D" */
    const char *thing;            /* what is changed, as the subject of a sentence: "an L1D of four times the size" */
    bool bound;                   /* nobody can build it: it says how much there is to win */
    char word[EXPLAIN_WORDS][48]; /* the changes, as of --set */
    unsigned words;
    const char *sched; /* another scheduler; NULL: the same */
    bool done;         /* it was run */
    char why[160];     /* why it could not be; "": nothing is wrong */
    uint64_t cycles;
    double speedup;
    struct run_stats stats;
};

/* One reason of the account. */
struct account_reason {
    const char *id, *phrase;
    uint64_t cycles; /* scheduler cycles */
};

struct explanation {
    struct run *base; /* profiled and sampled */
    uint64_t slots;   /* scheduler cycles: cycles x SMs that can have a CTA x schedulers, over all kernels */
    uint64_t unused;  /* those of SMs for which the grid has no CTA */
    struct account_reason reason[EXPLAIN_REASONS]; /* sums up to `slots`; the last one is SMs without any warp */
    unsigned reasons;
    struct what_if run[EXPLAIN_RUNS]; /* those that were tried, the largest speedup first */
    unsigned runs;
};

/* Runs everything. `progress`, which may be NULL, hears of each run before it begins. */
int explain_run(const struct run_spec *spec, struct explanation *out,
                void (*progress)(const char *what, unsigned number, unsigned count), struct wl_err *e);
void explain_free(struct explanation *x);

/* The ids and phrases of the account's reasons in order; the last is "idle". */
unsigned explain_reasons(struct account_reason out[EXPLAIN_REASONS]);
/* SMs that can have a CTA of such a grid. */
uint64_t explain_sms(uint64_t sms, uint64_t x, uint64_t y, uint64_t z);

#endif
