/* table_stated.c - which numbers of a figure a source states.
 *
 * A claim whose measure is one call on one series names a cell of its figure's table: gmean(dacache, divergent) is the
 * row of that mean and the column of that series, at(lru, bfs) the row of a program, cell(finish, mascar2) a place of a
 * worked example. Claims that measure something else (a ratio of two means, a count) have no cell. */
#include <stdio.h>

#include "experiment/table.h"

static const struct exp_figure *written(const struct exp_figure *f) { return f->of ? f->of : f; }

static bool has(const struct exp_set *s, unsigned item)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->item[i] == item) return true;
    return false;
}

static bool same_set(const struct exp_set *a, const struct exp_set *b)
{
    if (a->count != b->count) return false;
    for (unsigned i = 0; i < a->count; i++)
        if (!has(b, a->item[i])) return false;
    return true;
}

/* The row that shows this fold; the number of rows: none does. */
static unsigned row_of(const struct exp_figure *f, const struct fold_binding *b, unsigned rows)
{
    const struct exp_set *shown = &f->view.workloads;
    if (b->fold == FOLD_AT && b->over.count == 1)
        for (unsigned i = 0; i < shown->count; i++)
            if (shown->item[i] == b->over.item[0]) return i;
    for (unsigned m = 0; m < f->nmeans; m++)
        if (b->fold == (f->means[m].kind == MEAN_GEOMETRIC ? FOLD_GMEAN : FOLD_AMEAN) &&
            same_set(&b->over, &f->means[m].over))
            return shown->count + m;
    return rows;
}

static void state(struct table *t, unsigned row, unsigned column, const struct exp_claim *c)
{
    if (row < t->rows && column < t->columns && !t->row[row].stated[column]) t->row[row].stated[column] = c;
}

static void place_claim(struct table *t, const struct exp_claim *c)
{
    const struct exp_figure *f = written(t->figure);
    const struct expr *x = c->measure;
    if (c->figure != f || c->own || c->skip || c->where || c->kind == CLAIM_ORDER || !x || x->op != EXPR_CALL) return;
    const struct fold_binding *b = x->bound;
    if (b && b->fold == FOLD_CELL && f->example == b->example) {
        state(t, b->cell / t->columns, b->cell % t->columns, c);
        return;
    }
    if (!b || f->example || !x->a || x->a->op != EXPR_NAME || !x->a->bound) return;
    const struct name_binding *n = x->a->bound;
    if (n->metric || c->view.metric != f->view.metric || c->view.base != f->view.base) return;
    for (unsigned s = 0; s < f->nseries; s++)
        if (f->series[s] == n->series->index) state(t, row_of(f, b, t->rows), s, c);
}

int table_stated(struct table *t, struct wl_err *e)
{
    enum chart chart = t->figure->chart;
    if (chart != CHART_BARS && chart != CHART_LINES && chart != CHART_TABLE) return 0;
    for (unsigned i = 0; i < t->rows; i++) {
        t->row[i].stated = ARENA_ARRAY(&t->arena, const struct exp_claim *, t->columns);
        if (!t->row[i].stated) return wl_no_memory(e);
    }
    for (unsigned i = 0; i < t->x->nclaims; i++) place_claim(t, &t->x->claims[i]);
    return 0;
}

bool table_stated_marks(const struct table *t, bool lines, FILE *out)
{
    bool any = false;
    unsigned place = 0;
    for (unsigned i = 0; i < t->rows; i++, place++) {
        if (i && t->row[i].mean && !t->row[i - 1].mean) place++; /* the gap before the means */
        for (unsigned c = 0; t->row[i].stated && c < t->columns; c++) {
            const struct exp_claim *claim = t->row[i].stated[c];
            if (!claim) continue;
            double at = place + (lines ? 0 : (c - (t->columns - 1) / 2.0) / (t->columns + 1));
            if (!any) fputs("$stated << EOD\n", out);
            any = true;
            fprintf(out, "%.4f %.9g\n", at, claim->value);
            if (claim->bound == BOUND_RANGE) fprintf(out, "%.4f %.9g\n", at, claim->value_high);
        }
    }
    if (any) fputs("EOD\n", out);
    return any;
}
