/* table.h - a figure as a table: rows of labels and numbers. Text, CSV, SVG and HTML all show the
 * same table. */
#ifndef WL_EXPERIMENT_TABLE_H
#define WL_EXPERIMENT_TABLE_H

#include "experiment/value.h"

enum { TABLE_LABELS = 3 };

struct table_row {
    const char *label[TABLE_LABELS];
    bool mean;
    double *value;                   /* one per column; NaN: not known */
    double *low, *high;              /* over what is unknown (range.h); NULL: not known */
    const struct exp_claim **stated; /* one per column: the claim that states this number, or NULL; NULL: not asked */
};

struct table {
    const struct experiment *x;
    const struct exp_figure *figure;
    struct arena arena;
    const char *head[TABLE_LABELS]; /* over the labels: "workload", "series" */
    unsigned labels;
    const char **column;
    unsigned columns;
    struct table_row *row;
    unsigned rows, room;
    unsigned missing; /* cells without a number */
};

struct table *table_make(const struct plan *p, const struct exp_figure *f, struct wl_err *e);
/* Finds the claims that state a number of the table (table_stated.c): a mean of a series, or a program's value. The
 * table then shows them next to ours, in the picture as marks. */
int table_stated(struct table *t, struct wl_err *e);
/* The marks as a data block $stated for gnuplot, below bars or on lines; false: there are none. */
bool table_stated_marks(const struct table *t, bool lines, FILE *out);
void table_free(struct table *t);

/* For people; at most `most` rows, 0: all. */
void table_text(const struct table *t, unsigned most, FILE *out);
void table_csv(const struct table *t, FILE *out);
void table_html(const struct table *t, FILE *out);
/* A gnuplot script that writes the chart to standard output; NULL when memory runs out; the caller frees. */
char *table_gnuplot(const struct table *t);
/* Draws it: the text of the picture, which the caller frees. 0, or *e has the reason: there is no gnuplot, there is
 * nothing to draw, or, WL_ERUN, it failed. */
enum { TABLE_NO_GNUPLOT = -1, TABLE_EMPTY = -2 };
int table_svg(const struct table *t, char **svg, struct wl_err *e);

/* Text for HTML. */
void put_html(FILE *out, const char *s);

#endif
