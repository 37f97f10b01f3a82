/* experiment.h - an experiment file, read: what to run, what to draw, what was claimed.
 *
 * The file names workloads, series (machines with policies), figures, claims, and what the source of the
 * claims leaves unknown; docs/experiments.md describes the format. Reading checks everything that can be checked
 * without running: every name, every machine, every expression. What is read lives in one arena until experiment_free.
 */
#ifndef WL_EXPERIMENT_EXPERIMENT_H
#define WL_EXPERIMENT_EXPERIMENT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "experiment/expr.h"
#include "run/example.h"
#include "run/machine.h"
#include "workloads/workload.h"

/* Indices of workloads, in the order they were named. */
struct exp_set {
    unsigned *item;
    unsigned count;
};

struct exp_group {
    const char *name;
    struct exp_set members;
};

enum { EXP_SIZES = SIZE_COUNT };

/* A program with its inputs, or a trace of one; the same program may have several names. */
struct exp_workload {
    const char *name, *label;
    const struct workload *program; /* NULL: a trace */
    const char *trace;              /* its file; whoever plans runs sets trace_hash, of what is in it */
    uint64_t trace_hash;
    const char *kernel; /* of a trace: only kernels with such names run; NULL: all */
    int64_t input[EXP_SIZES][WORKLOAD_MAX_INPUTS];
    bool given[EXP_SIZES][WORKLOAD_MAX_INPUTS]; /* the others come from the program's own table */
    uint64_t seed;
    bool hidden; /* made by a figure's seeds: "all" does not mean it */
};

/* One column of a figure: a machine with its policies, or the best of several. */
struct exp_series {
    unsigned index; /* in experiment.series */
    const char *name, *label;
    struct gpu_config config;
    int base;       /* the series it is normalised to whatever the figure says; -1: the figure's */
    unsigned *best; /* choose among these, workload by workload; NULL: an ordinary series */
    unsigned nbest;
    const struct expr *by; /* the largest value of this decides */
    const char *point;     /* the value of the sweep that made it, "16"; NULL: no sweep */
    bool hidden;           /* made by a sweep or a best_over: not shown unless asked for */
};

/* How a number comes about: a metric of a run, divided by that of another series. */
struct exp_view {
    struct exp_set workloads;
    const struct expr *metric; /* NULL for a constant claim */
    const char *metric_text;
    int base; /* series, or -1 */
};

enum chart {
    CHART_BARS,
    CHART_STACKED,
    CHART_GROUPED,
    CHART_LINES,
    CHART_SWEEP,
    CHART_TIME,
    CHART_CDF,
    CHART_HEAT,
    CHART_SCATTER,
    CHART_TABLE,
    CHART_COUNT
};
extern const char *const chart_names[CHART_COUNT]; /* as in `chart = bars` */
/* Bars of part.NAME = ... instead of a metric. */
static inline bool chart_has_parts(enum chart c) { return c == CHART_STACKED || c == CHART_GROUPED; }
/* Charts over the elements of an array of the result; stacked ones are when they name it (`each`). */
static inline bool chart_walks(enum chart c) { return c == CHART_TIME || c == CHART_CDF || c == CHART_HEAT; }

enum mean_kind { MEAN_GEOMETRIC, MEAN_ARITHMETIC };
struct exp_mean {
    enum mean_kind kind;
    const char *label; /* "geometric mean of divergent" */
    struct exp_set over;
};

struct exp_part { /* of a stacked bar */
    const char *label;
    const struct expr *metric;
};

struct exp_figure {
    const char *id, *title, *note, *xlabel, *ylabel;
    enum chart chart;
    struct exp_view view;
    unsigned *series; /* shown, in order; of a sweep: [point * nseries + series] */
    unsigned nseries;
    const char *sweep;         /* parameter on the x axis, or NULL */
    const char *const *points; /* its values */
    unsigned npoints;
    const struct exp_part *parts;
    unsigned nparts;
    const struct exp_mean *means;
    unsigned nmeans;
    const char *each;     /* time, cdf, heat, some stacked: the array of the result that is walked */
    const struct expr *x; /* time, cdf, stacked: of an element, heat: of its sample, scatter: of a run; the place on
                             the x axis; NULL: the index, of a scatter what claims state */
    const char *x_text;
    bool log_x;
    unsigned *seeded; /* bars, lines, table: [workload * nseeds + seed] the workloads that stand for it; NULL: none */
    unsigned nseeds;
    unsigned line;                     /* in the file */
    const struct example *example;     /* a table of a worked example instead of runs; NULL: runs */
    const struct exp_variant *variant; /* made for it from `of`; NULL: written in the file */
    const struct exp_figure *of;
};

/* The whole experiment on another machine: every series has its like there. */
struct exp_variant {
    const char *name, *label, *why;
    unsigned *series; /* [series]: the one that stands for it there */
};

enum claim_kind { CLAIM_RATIO, CLAIM_VALUE, CLAIM_ORDER, CLAIM_KINDS };
struct exp_metric {
    const char *name;
    const struct expr *metric;
};
enum bound { BOUND_EQUAL, BOUND_ABOVE, BOUND_BELOW, BOUND_RANGE };

struct exp_claim {
    const char *id, *text, *value_text;
    enum claim_kind kind;
    enum bound bound;
    double value, value_high; /* value_high: end of a range */
    double tolerance;         /* CLAIM_VALUE; absolute, a share of |value|, or a factor */
    bool relative, factor;
    bool has_neutral; /* CLAIM_VALUE: the value that means "no effect" */
    double neutral;
    const struct exp_figure *figure; /* NULL: it belongs to none */
    struct exp_view view;
    const struct exp_metric *metrics; /* further ones, written series.NAME in the measure */
    unsigned nmetrics;
    const struct expr *where; /* only workloads for which this holds count; NULL: all */
    const struct expr *measure;
    const char *measure_text;
    const char *skip;               /* why it cannot be measured here, or NULL */
    bool own;                       /* a check of ours, not what the paper states: not counted */
    const struct exp_claim *repeat; /* states what that one states: not counted again */
};

enum { EXP_MAX_UNKNOWNS = 24, EXP_MAX_VALUES = 12 };

/* One value that an unknown may have had. */
struct exp_value {
    const char *label;       /* as the file lists it: "256/256" */
    const char *why;         /* the reason, with its source */
    const char *const *part; /* one for each key */
    unsigned line;           /* in the file */
};

/* What a source leaves unsaid: keys that move together, and the values they may have had. The default is none of
 * these: it is the file as it stands. */
struct exp_unknown {
    const char *name, *text;
    const char *why; /* the reason for what the file has */
    const char *const *keys;
    unsigned nkeys;
    const struct exp_value *values;
    unsigned nvalues;
    bool noise; /* nobody would call it a choice: what it moves is noise */
    unsigned line;
};

struct experiment {
    struct arena arena;
    const char *name, *file, *title, *about, *size;
    const char *source; /* the whole text */
    struct exp_workload **workloads;
    unsigned nworkloads;
    struct exp_set chosen; /* the file's own list: what figures show unless they say otherwise */
    struct exp_group *groups;
    unsigned ngroups;
    struct exp_series **series;
    unsigned nseries;
    struct exp_figure *figures;
    unsigned nfigures;
    struct exp_claim *claims;
    unsigned nclaims;
    const struct exp_claim *headline; /* what the source is known for; NULL: there is no claim that counts */
    struct exp_variant *variants;
    unsigned nvariants;
    struct exp_unknown *unknowns;
    unsigned nunknowns;
    int64_t sample; /* run.sample of every series (experiment_sample); 0: as the file says */
};

/* Reads a text; `file` is for messages, `name` is what the ids begin with. NULL: the text of *e
 * has file, line, the line and what would be right. */
struct experiment *experiment_parse(const char *name, const char *file, const char *text, struct wl_err *e);
/* A built-in one by name, or a file by path. */
struct experiment *experiment_load(const char *name_or_file, struct wl_err *e);
/* The same experiment with unknown i at its value choice[i]: 0 is the file as it stands, n its n-th value. Series,
 * workloads, figures and claims have the same indices; there are no variants. NULL: a machine refuses these values, and
 * *e says which. */
struct experiment *experiment_at(const struct experiment *x, const unsigned *choice, struct wl_err *e);
/* Every run is sampled (run.sample, a part of the key of a result), and titles say so. WL_ERUN: out of memory. */
int experiment_sample(struct experiment *x, int64_t sample, struct wl_err *e);
void experiment_free(struct experiment *x);
/* Names of the built-in ones, sorted; valid for the life of the process. */
unsigned experiment_names(const char *names[], unsigned max);

/* The figure "8" of this experiment, or NULL. */
const struct exp_figure *experiment_figure(const struct experiment *x, const char *id);

/* A claim's functions over workloads. */
enum fold {
    FOLD_GMEAN,
    FOLD_AMEAN,
    FOLD_MIN,
    FOLD_MAX,
    FOLD_SUM,
    FOLD_COUNT,
    FOLD_ALL,
    FOLD_ANY,
    FOLD_AT,
    FOLD_CHOICE,
    FOLD_CORR,
    FOLD_CELL
};
/* What the reader binds to the names and calls of a claim's measure. */
struct fold_binding {
    enum fold fold;
    struct exp_set over;
    const struct example *example; /* FOLD_CELL: of its table this place */
    unsigned cell;
};
/* "mascar", or "mascar.leakage" where the claim has metric.leakage. */
struct name_binding {
    const struct exp_series *series;
    const struct expr *metric; /* never normalised; NULL: the claim's own view */
};

#endif
