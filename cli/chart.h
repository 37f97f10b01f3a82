/* chart.h - pictures for pages: axes with real units, stacked areas, lines, points and heat maps, as SVG. */
#ifndef WL_CLI_CHART_H
#define WL_CLI_CHART_H

#include <stdbool.h>
#include <stdio.h>

/* A drawing with its plot area and the numbers of its axes. A logarithmic axis begins above 0. */
struct drawing {
    FILE *out;
    double width, height;                  /* of the drawing */
    double left, top, right, bottom;       /* margins */
    double x0, x1, y0, y1;                 /* at the ends of the axes */
    bool log_x, log_y, percent_y, plain_y; /* plain_y: no numbers at the y axis */
    const char *xlabel, *ylabel;
};

void chart_begin(const struct drawing *c, const char *title);
void chart_axes(const struct drawing *c); /* the grid goes behind what is drawn later */
void chart_end(const struct drawing *c);

double chart_x(const struct drawing *c, double v);
double chart_y(const struct drawing *c, double v);

/* Layer `layer` of n points: `value[i * layers + layer]` of sums; steps[i] is where step i ends. */
struct stack {
    const double *value, *ends;
    unsigned points, layers;
};
void chart_stack(const struct drawing *c, const struct stack *s, unsigned layer, const char *colour, const char *name);
void chart_line(const struct drawing *c, const double *x, const double *y, unsigned n, const char *colour,
                const char *name);
void chart_point(const struct drawing *c, double x, double y, const char *colour, const char *name);
/* Rows of cells from the bottom up; `most` is the darkest. */
struct cells {
    const double *value; /* [columns * rows] */
    const double *ends;  /* [columns] where each ends on the x axis */
    unsigned columns, rows;
    double most;
};
void chart_cells(const struct drawing *c, const struct cells *m, const char *unit);
void chart_text(const struct drawing *c, double px, double py, const char *anchor, const char *text);
void html_text(FILE *out, const char *s);

#endif
