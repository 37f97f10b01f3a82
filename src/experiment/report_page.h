/* report_page.h - what the parts of the report share. The page itself is a template, report.html. */
#ifndef WL_EXPERIMENT_REPORT_PAGE_H
#define WL_EXPERIMENT_REPORT_PAGE_H

#include <stdio.h>

#include "experiment/report.h"

struct page {
    FILE *out;
    const struct report_info *info;
    const struct plan *const *plans;
    const struct exp_range *const *ranges;
    unsigned count;
    bool no_gnuplot;
    struct wl_err undrawn; /* why the first picture that failed is not there */
    struct wl_err *e;
};

/* "match", "none": the class of a verdict in the style sheet. */
const char *verdict_class(enum verdict v);
/* "baseline.1" */
void put_id(FILE *out, const struct experiment *x, const char *id);
/* The range of a plan's claims; NULL when none of them is known. */
const struct exp_range *page_range(const struct page *g, const struct plan *p);
/* Verdicts of one plan's claims. */
struct claim_counts page_counts(const struct plan *p);
/* A link that names its own place: id is the element's. */
void put_anchor(FILE *out, const char *kind, const struct experiment *x, const char *id);

/* report_score.c: one row per paper. */
void put_scoreboard(struct page *g);
/* report_claims.c: all claims, and those of one figure. */
void put_claims(struct page *g);
void put_figure_claims(struct page *g, const struct plan *p, const struct exp_figure *f);
void put_measured(FILE *out, const struct exp_claim *c, double m);
/* report_figure.c */
int put_figure(struct page *g, const struct plan *p, const struct exp_figure *f);
void put_rerun(struct page *g, const struct plan *p, const char *id);
/* report_setup.c: what was run on what. */
void put_setup(struct page *g, const struct plan *p);

/* report_range.c: two cells of a claim's row, empty when its range is not stored; and what is unknown. */
bool range_is_known(const struct exp_range *r, unsigned claim);
void put_range(FILE *out, const struct exp_range *r, unsigned claim);
void put_range_strip(FILE *out, const struct exp_range *r, unsigned claim);
void put_unknowns(FILE *out, const struct experiment *x);

#endif
