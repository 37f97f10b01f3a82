/* value.h - numbers out of results: metrics, normalised values, means, claims. NaN: not known. */
#ifndef WL_EXPERIMENT_VALUE_H
#define WL_EXPERIMENT_VALUE_H

#include "experiment/plan.h"

/* A metric of one element of an array in a result; a bare number is called `value`, its place `index`. */
double element_value(const struct expr *metric, const json_t *element, unsigned index);
/* The member of a result at "l1d.stalls.mshr" or "kernels[0].cycles"; NULL: there is none. */
const json_t *json_at(const json_t *o, const char *path);

/* The run behind a series on a workload; of a `best` series the one it chooses. NULL: not run. */
const struct exp_run *run_of(const struct plan *p, unsigned series, unsigned workload);
/* The number a view shows: the metric, divided by that of the base series where there is one. */
double view_value(const struct plan *p, const struct exp_view *v, unsigned series, unsigned workload);
/* A part of a stacked bar, divided by the sum of all parts of the base series. */
double part_value(const struct plan *p, const struct exp_figure *f, unsigned part, unsigned series, unsigned workload);

/* Means of n values; NaN when one is, when n is 0, or (geometric) when one is not positive. */
double mean_of(enum mean_kind kind, const double *v, unsigned n);

/* ---- claims ---- */

enum verdict { VERDICT_MATCH, VERDICT_DIRECTION, VERDICT_MISS, VERDICT_NOT_RUN, VERDICT_COUNT };
extern const char *const verdict_names[VERDICT_COUNT];

/* What the claim's measure gives here; truth is 1 or 0. */
double claim_value(const struct plan *p, const struct exp_claim *c);
/* The same on another machine; a variant of NULL is the default one. */
double claim_value_on(const struct plan *p, const struct exp_claim *c, const struct exp_variant *v);
/* The rules are above its definition and in docs/experiments.md. */
enum verdict claim_verdict(const struct exp_claim *c, double measured);
/* The number as it is shown: "1.187", "13" of a count, "holds", "-" when it is not known. */
void claim_text(const struct exp_claim *c, double measured, char *out, size_t size);

/* Verdicts counted: what the paper states once each; own checks and repeats apart. */
struct claim_counts {
    unsigned n[VERDICT_COUNT], own[VERDICT_COUNT], repeats[VERDICT_COUNT];
};
void claim_count(struct claim_counts *k, const struct exp_claim *c, enum verdict v);
/* "12 total, 5 match, 4 direction, 2 miss, 1 not run" */
void counts_text(const unsigned n[VERDICT_COUNT], char *out, size_t size);
unsigned counts_total(const unsigned n[VERDICT_COUNT]);

#endif
