/* table.c - lays out the numbers of a figure.
 *
 *     bars, lines, table   one row per workload, one column per series
 *     stacked              one row per workload and series, or per element of the array; one column per part
 *     sweep                one row per workload and point, one column per series
 *     time, cdf            a row an element of the array; one column
 *     an example           what it is made of: one row per event, one column per system
 *
 * Means follow as rows of their own. */
#include "experiment/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct table_row *new_row(struct table *t, const char *a, const char *b, const char *c)
{
    if (t->rows == t->room) {
        unsigned room = t->room ? t->room * 2 : 64;
        struct table_row *more = ARENA_ARRAY(&t->arena, struct table_row, room);
        if (!more) return NULL;
        if (t->rows) memcpy(more, t->row, t->rows * sizeof *more);
        t->row = more;
        t->room = room;
    }
    struct table_row *r = &t->row[t->rows];
    *r = (struct table_row){.label = {a, b, c}, .value = ARENA_ARRAY(&t->arena, double, t->columns)};
    if (!r->value) return NULL;
    t->rows++;
    return r;
}

static int set_columns(struct table *t, unsigned n, struct wl_err *e)
{
    t->columns = n;
    t->column = ARENA_ARRAY(&t->arena, const char *, n);
    return t->column ? 0 : wl_no_memory(e);
}

static const char *label_of(const struct plan *p, unsigned series) { return p->x->series[series]->label; }

/* ---- bars, lines, table ---- */

static double mean_over(const struct plan *p, const struct exp_figure *f, const struct exp_mean *m, unsigned series)
{
    double v[256];
    unsigned n = m->over.count < 256 ? m->over.count : 256;
    for (unsigned i = 0; i < n; i++) v[i] = view_value(p, &f->view, series, m->over.item[i]);
    return mean_of(m->kind, v, n);
}

/* ---- several seeds ---- */

/* The seeded like of a workload of the figure; UINT32_MAX: it is not the figure's. */
static unsigned seeded_like(const struct exp_figure *f, unsigned workload, unsigned seed)
{
    for (unsigned w = 0; w < f->view.workloads.count; w++)
        if (f->view.workloads.item[w] == workload) return f->seeded[w * f->nseeds + seed];
    return UINT32_MAX;
}

/* A workload, or a mean over some, with one seed. */
static double seed_value(const struct plan *p, const struct exp_figure *f, const struct exp_mean *m, unsigned workload,
                         unsigned series, unsigned seed)
{
    double v[256];
    unsigned n = !m ? 1 : m->over.count < 256 ? m->over.count : 256;
    for (unsigned i = 0; i < n; i++) {
        unsigned like = seeded_like(f, m ? m->over.item[i] : workload, seed);
        v[i] = like == UINT32_MAX ? (double)NAN : view_value(p, &f->view, series, like);
    }
    return m ? mean_of(m->kind, v, n) : v[0];
}

/* The mean over the seeds, the lowest and the highest. */
static int put_seeds(struct table *t, const struct plan *p, struct table_row *r, const struct exp_mean *m,
                     unsigned workload)
{
    const struct exp_figure *f = t->figure;
    if (!f->nseeds) return 0;
    r->low = ARENA_ARRAY(&t->arena, double, t->columns);
    r->high = ARENA_ARRAY(&t->arena, double, t->columns);
    if (!r->low || !r->high) return -1;
    for (unsigned s = 0; s < f->nseries; s++) {
        double sum = 0, low = INFINITY, high = -INFINITY;
        for (unsigned k = 0; k < f->nseeds; k++) {
            double v = seed_value(p, f, m, workload, f->series[s], k);
            sum += v;
            low = fmin(low, v);
            high = fmax(high, v);
        }
        r->value[s] = sum / f->nseeds;
        r->low[s] = isnan(sum) ? (double)NAN : low;
        r->high[s] = isnan(sum) ? (double)NAN : high;
    }
    return 0;
}

static int fill_bars(struct table *t, const struct plan *p, struct wl_err *e)
{
    const struct exp_figure *f = t->figure;
    if (set_columns(t, f->nseries, e)) return WL_ERUN;
    t->head[0] = "workload";
    t->labels = 1;
    for (unsigned s = 0; s < f->nseries; s++) t->column[s] = label_of(p, f->series[s]);
    for (unsigned w = 0; w < f->view.workloads.count; w++) {
        unsigned workload = f->view.workloads.item[w];
        struct table_row *r = new_row(t, p->x->workloads[workload]->label, NULL, NULL);
        if (!r) return wl_no_memory(e);
        for (unsigned s = 0; s < f->nseries; s++) r->value[s] = view_value(p, &f->view, f->series[s], workload);
        if (put_seeds(t, p, r, NULL, workload)) return wl_no_memory(e);
    }
    for (unsigned m = 0; m < f->nmeans; m++) {
        struct table_row *r = new_row(t, f->means[m].label, NULL, NULL);
        if (!r) return wl_no_memory(e);
        r->mean = true;
        for (unsigned s = 0; s < f->nseries; s++) r->value[s] = mean_over(p, f, &f->means[m], f->series[s]);
        if (put_seeds(t, p, r, &f->means[m], 0)) return wl_no_memory(e);
    }
    return 0;
}

/* ---- stacked ---- */

static double part_mean(const struct plan *p, const struct exp_figure *f, const struct exp_mean *m, unsigned part,
                        unsigned series)
{
    double v[256];
    unsigned n = m->over.count < 256 ? m->over.count : 256;
    for (unsigned i = 0; i < n; i++) v[i] = part_value(p, f, part, series, m->over.item[i]);
    return mean_of(m->kind, v, n);
}

static int fill_stacked(struct table *t, const struct plan *p, struct wl_err *e)
{
    const struct exp_figure *f = t->figure;
    if (set_columns(t, f->nparts, e)) return WL_ERUN;
    t->head[0] = "workload";
    t->head[1] = "series";
    t->labels = 2;
    for (unsigned i = 0; i < f->nparts; i++) t->column[i] = f->parts[i].label;
    for (unsigned w = 0; w < f->view.workloads.count + f->nmeans; w++) {
        bool mean = w >= f->view.workloads.count;
        const struct exp_mean *m = mean ? &f->means[w - f->view.workloads.count] : NULL;
        unsigned workload = mean ? 0 : f->view.workloads.item[w];
        for (unsigned s = 0; s < f->nseries; s++) {
            struct table_row *r =
                new_row(t, mean ? m->label : p->x->workloads[workload]->label, label_of(p, f->series[s]), NULL);
            if (!r) return wl_no_memory(e);
            r->mean = mean;
            for (unsigned i = 0; i < f->nparts; i++)
                r->value[i] = mean ? part_mean(p, f, m, i, f->series[s]) : part_value(p, f, i, f->series[s], workload);
        }
    }
    return 0;
}

/* ---- sweep ---- */

static int fill_sweep(struct table *t, const struct plan *p, struct wl_err *e)
{
    const struct exp_figure *f = t->figure;
    unsigned plain = f->view.workloads.count;
    if (set_columns(t, f->nseries, e)) return WL_ERUN;
    t->head[0] = "workload";
    t->head[1] = f->sweep;
    t->labels = 2;
    for (unsigned s = 0; s < f->nseries; s++) t->column[s] = label_of(p, f->series[s]);
    for (unsigned w = 0; w < plain + f->nmeans; w++)
        for (unsigned i = 0; i < f->npoints; i++) {
            bool mean = w >= plain;
            const unsigned *series = f->series + i * f->nseries;
            const char *label = mean ? f->means[w - plain].label : p->x->workloads[f->view.workloads.item[w]]->label;
            struct table_row *r = new_row(t, label, f->points[i], NULL);
            if (!r) return wl_no_memory(e);
            r->mean = mean;
            for (unsigned s = 0; s < f->nseries; s++)
                r->value[s] = mean ? mean_over(p, f, &f->means[w - plain], series[s])
                                   : view_value(p, &f->view, series[s], f->view.workloads.item[w]);
        }
    return 0;
}

/* ---- time, cdf ---- */

static int add_elements(struct table *t, const struct plan *p, unsigned series, unsigned workload, struct wl_err *e)
{
    const struct exp_figure *f = t->figure;
    const struct exp_run *run = run_of(p, series, workload);
    const json_t *array = run && run->result ? json_at(run->result, f->each) : NULL;
    size_t n = json_is_array(array) ? json_array_size(array) : 0;
    double sum = 0, total = 0;
    for (size_t i = 0; i < n; i++) total += element_value(f->view.metric, json_array_get(array, i), (unsigned)i);
    for (size_t i = 0; i < (n ? n : 1); i++) {
        double x = f->x && n ? element_value(f->x, json_array_get(array, i), (unsigned)i) : (double)i;
        const char *at = arena_printf(&t->arena, "%.15g", x);
        struct table_row *r = new_row(t, p->x->workloads[workload]->label, label_of(p, series), at);
        if (!r || !at) return wl_no_memory(e);
        double v = n ? element_value(f->view.metric, json_array_get(array, i), (unsigned)i) : (double)NAN;
        sum += v;
        r->value[0] = f->chart == CHART_CDF ? (total != 0 ? sum / total : (double)NAN) : v;
    }
    return 0;
}

static int fill_elements(struct table *t, const struct plan *p, struct wl_err *e)
{
    const struct exp_figure *f = t->figure;
    if (set_columns(t, 1, e)) return WL_ERUN;
    t->head[0] = "workload";
    t->head[1] = "series";
    t->head[2] = f->x ? f->x_text : "index";
    t->labels = 3;
    t->column[0] = f->chart == CHART_CDF ? "cumulative share" : "value";
    int rc = 0;
    for (unsigned w = 0; !rc && w < f->view.workloads.count; w++)
        for (unsigned s = 0; !rc && s < f->nseries; s++)
            rc = add_elements(t, p, f->series[s], f->view.workloads.item[w], e);
    return rc;
}

/* ---- parts over time ---- */

/* A row for each element, a column for each part. */
static int fill_parts(struct table *t, const struct plan *p, struct wl_err *e)
{
    const struct exp_figure *f = t->figure;
    unsigned workload = f->view.workloads.item[0];
    const struct exp_run *run = run_of(p, f->series[0], workload);
    const json_t *array = run && run->result ? json_at(run->result, f->each) : NULL, *element;
    if (set_columns(t, f->nparts, e)) return WL_ERUN;
    t->head[0] = "workload";
    t->head[1] = "series";
    t->head[2] = f->x ? f->x_text : "index";
    t->labels = 3;
    for (unsigned c = 0; c < f->nparts; c++) t->column[c] = f->parts[c].label;
    for (unsigned i = 0; i < json_array_size(array); i++) {
        element = json_array_get(array, i);
        const char *at = arena_printf(&t->arena, "%.15g", f->x ? element_value(f->x, element, i) : (double)(i + 1));
        struct table_row *r = new_row(t, p->x->workloads[workload]->label, label_of(p, f->series[0]), at);
        if (!r || !at) return wl_no_memory(e);
        for (unsigned c = 0; c < f->nparts; c++) r->value[c] = element_value(f->parts[c].metric, element, i);
    }
    return 0;
}

/* ---- heat maps ---- */

/* A row for each sample, a column for each SM, bank or set. */
static int fill_heat(struct table *t, const struct plan *p, struct wl_err *e)
{
    const struct exp_figure *f = t->figure;
    unsigned workload = f->view.workloads.item[0];
    const struct exp_run *run = run_of(p, f->series[0], workload);
    const json_t *array = run && run->result ? json_at(run->result, f->each) : NULL;
    const json_t *samples = run && run->result ? json_at(run->result, "samples") : NULL;
    size_t rows = json_array_size(json_array_get(array, 0));
    if (set_columns(t, rows ? (unsigned)rows : 1, e)) return WL_ERUN;
    for (unsigned c = 0; c < t->columns; c++)
        if (!(t->column[c] = arena_printf(&t->arena, "%u", c))) return wl_no_memory(e);
    t->head[0] = "workload";
    t->head[1] = "series";
    t->head[2] = f->x ? f->x_text : "index";
    t->labels = 3;
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *row = json_array_get(array, i);
        double x = f->x ? element_value(f->x, json_array_get(samples, i), (unsigned)i) : (double)i;
        const char *at = arena_printf(&t->arena, "%.15g", x);
        struct table_row *r = new_row(t, p->x->workloads[workload]->label, label_of(p, f->series[0]), at);
        if (!r || !at) return wl_no_memory(e);
        for (unsigned c = 0; c < t->columns; c++) {
            const json_t *v = json_array_get(row, c);
            r->value[c] = !json_is_number(v) ? (double)NAN
                          : f->view.metric   ? element_value(f->view.metric, v, c)
                                             : json_number_value(v);
        }
    }
    return 0;
}

/* ---- scatter ---- */

/* What the claims of the file state against what was measured. */
static int fill_claims(struct table *t, const struct plan *p, struct wl_err *e)
{
    t->head[0] = "claim";
    t->labels = 1;
    t->column[0] = "stated";
    t->column[1] = "measured";
    for (unsigned i = 0; i < p->x->nclaims; i++) {
        const struct exp_claim *c = &p->x->claims[i];
        if (c->skip || c->own || c->repeat || c->kind == CLAIM_ORDER || c->bound != BOUND_EQUAL) continue;
        struct table_row *r = new_row(t, c->id, NULL, NULL);
        if (!r) return wl_no_memory(e);
        r->value[0] = c->value;
        r->value[1] = claim_value(p, c);
    }
    return 0;
}

static int fill_scatter(struct table *t, const struct plan *p, struct wl_err *e)
{
    const struct exp_figure *f = t->figure;
    if (set_columns(t, 2, e)) return WL_ERUN;
    if (!f->x) return fill_claims(t, p, e);
    struct exp_view x = f->view;
    x.metric = f->x;
    x.base = -1;
    t->head[0] = "workload";
    t->head[1] = "series";
    t->labels = 2;
    t->column[0] = f->x_text;
    t->column[1] = f->view.metric_text;
    for (unsigned s = 0; s < f->nseries; s++)
        for (unsigned w = 0; w < f->view.workloads.count; w++) {
            unsigned workload = f->view.workloads.item[w];
            struct table_row *r = new_row(t, p->x->workloads[workload]->label, label_of(p, f->series[s]), NULL);
            if (!r) return wl_no_memory(e);
            r->value[0] = view_value(p, &x, f->series[s], workload);
            r->value[1] = view_value(p, &f->view, f->series[s], workload);
        }
    return 0;
}

/* ---- examples ---- */

static int fill_example(struct table *t, struct wl_err *e)
{
    const struct example *x = t->figure->example;
    double value[EXAMPLE_ROWS * EXAMPLE_COLUMNS];
    unsigned columns = 0;
    while (x->columns[columns]) columns++;
    int rc = x->play(value, e);
    if (!rc) rc = set_columns(t, columns, e);
    if (rc) return rc;
    t->head[0] = "event";
    t->labels = 1;
    for (unsigned c = 0; c < columns; c++) t->column[c] = x->columns[c];
    for (unsigned i = 0; x->rows[i]; i++) {
        struct table_row *r = new_row(t, x->rows[i], NULL, NULL);
        if (!r) return wl_no_memory(e);
        memcpy(r->value, value + i * columns, columns * sizeof *value);
    }
    return 0;
}

/* ---- a table ---- */

struct table *table_make(const struct plan *p, const struct exp_figure *f, struct wl_err *e)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t) return wl_no_memory(e), NULL;
    t->x = p->x;
    t->figure = f;
    int rc;
    switch (f->chart) {
    case CHART_STACKED: rc = f->each ? fill_parts(t, p, e) : fill_stacked(t, p, e); break;
    case CHART_GROUPED: rc = fill_stacked(t, p, e); break;
    case CHART_SWEEP: rc = fill_sweep(t, p, e); break;
    case CHART_TIME:
    case CHART_CDF: rc = fill_elements(t, p, e); break;
    case CHART_HEAT: rc = fill_heat(t, p, e); break;
    case CHART_SCATTER: rc = fill_scatter(t, p, e); break;
    default: rc = f->example ? fill_example(t, e) : fill_bars(t, p, e); break;
    }
    for (unsigned i = 0; !rc && i < t->rows; i++)
        for (unsigned c = 0; c < t->columns; c++) t->missing += isnan(t->row[i].value[c]) ? 1 : 0;
    if (!rc) return t;
    table_free(t);
    return NULL;
}

void table_free(struct table *t)
{
    if (t) arena_free(&t->arena);
    free(t);
}
