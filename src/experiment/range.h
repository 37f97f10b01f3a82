/* range.h - what the unknown is worth: claims over the values that a source leaves open.
 *
 * Each claim is evaluated at the default (the file as it stands), with one unknown at a time at each of its values,
 * and, if asked for, at the points of a design over all unknowns (design.h). Each of these is a variant of the
 * experiment with a plan of its own; all plans share the runs of one pool, which is run and stored as any plan is. A
 * claim's verdict stays that of the default. */
#ifndef WL_EXPERIMENT_RANGE_H
#define WL_EXPERIMENT_RANGE_H

#include "experiment/table.h"

struct range_point {
    unsigned choice[EXP_MAX_UNKNOWNS]; /* as in experiment_at */
    int unknown;                       /* the one that is not at its default; -1: none, or several */
    struct experiment *x;
    struct plan *plan;
};

/* The lowest and highest numbers of a figure's table, row by row. */
struct range_band {
    unsigned cells, columns;
    double *low, *high;
    unsigned *known; /* at how many points */
};

struct exp_range {
    struct plan *pool; /* also the plan of the default */
    const struct experiment *x;
    const bool *wanted; /* of each claim; NULL: all */
    const bool *moved;  /* of each unknown; NULL: all */
    struct range_point *points;
    unsigned npoints;         /* the default first, then one unknown at a time, then the design */
    double *value;            /* [claim * npoints + point]; NaN: not known */
    json_t *known_builds;     /* the builds of the values that come from a file; NULL: none does */
    struct range_band *bands; /* of each figure; NULL: figures were not asked for */
};

/* The most points of a design: each is the experiment once more, half a megabyte of it. */
enum { RANGE_MAX_DESIGN = 1024 };

/* What a range is over. The arrays must outlive it; NULL: all. */
struct range_spec {
    unsigned design_points;
    const bool *wanted;            /* of each claim: evaluate it */
    const bool *run;               /* of each wanted claim: plan the runs it lacks */
    const bool *moved;             /* of each unknown: it does not stay at its default */
    const struct exp_range *known; /* values that need no run, as range_read has them; NULL: none */
};

/* Plans every point into the pool, whose experiment is the default. WL_EINPUT when a machine refuses a value, or two
 * values together: *e names them. */
struct exp_range *range_new(struct plan *pool, const struct range_spec *spec, struct wl_err *e);
/* Evaluates all claims with what the store has, and figures of bars and lines too if `figures`. The results of the
 * default stay in the pool. */
int range_evaluate(struct exp_range *r, struct store *s, bool figures, struct wl_err *e);
/* Gives the rows of a figure's table their lowest and highest numbers, if those of the figure are known at every point:
 * where claims need what the figure shows. */
int range_table(const struct exp_range *r, struct table *t, struct wl_err *e);
void range_free(struct exp_range *r);

/* range_read.c: the range of the plan's experiment and size in a file of 'claims --range --json'; *out stays NULL when
 * the file has none. Its points have no plans. */
int range_read(const struct plan *p, const char *file, struct exp_range **out, struct wl_err *e);

/* Whether a range has a value of the claim at any point. */
bool range_has(const struct exp_range *r, unsigned claim);

/* Whether the stated value lies between the lowest and the highest; near: it does not, but the claim's verdict is
 * "match" somewhere in the range. */
enum inside { INSIDE_YES, INSIDE_NEAR, INSIDE_NO, INSIDE_NOT_KNOWN, INSIDE_COUNT };
extern const char *const inside_names[INSIDE_COUNT];

struct claim_range {
    double value, low, high; /* at the default, and over all points */
    unsigned known;          /* of the points */
    int most;                /* the unknown that, alone, moves the claim furthest from the default; -1: none does */
    unsigned most_value;     /* its value, from 0 */
    double move;             /* by how much */
    double noise;            /* the furthest that an unknown marked as noise moves it; NaN: there is none */
    bool within_noise;       /* no other unknown alone moves it further than the noise does */
    enum inside inside;
};
struct claim_range range_claim(const struct exp_range *r, unsigned claim);

/* ---- range_write.c ---- */

struct range_counts {
    unsigned inside[INSIDE_COUNT], noise;
};

/* A line for each claim; counts are added. */
void range_text(const struct exp_range *r, struct range_counts *counts, FILE *out);
/* The unknowns with the reason for each value. */
void unknowns_text(const struct experiment *x, FILE *out);
/* Claims without a range too: r is NULL then. `wanted` as in struct range_spec. */
void claims_csv(const struct plan *p, const struct exp_range *r, const bool *wanted, bool head, FILE *out);
/* An object of the experiment: its claims, and with a range its unknowns, points and values. NULL: out of memory. */
json_t *claims_json(const struct plan *p, const struct exp_range *r, const bool *wanted);

#endif
