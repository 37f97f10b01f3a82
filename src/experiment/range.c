/* range.c - the points of a range, their plans, and what they make of a claim. */
#include "experiment/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/design.h"

const char *const inside_names[INSIDE_COUNT] = {"yes", "near", "no", "not known"};

_Static_assert(EXP_MAX_UNKNOWNS <= (int)DESIGN_FACTORS && EXP_MAX_VALUES < (int)DESIGN_LEVELS, "fits a design");

/* ---- points ---- */

/* Two values that no machine can have together, each of which it can have alone: said as such. */
static int explain_conflict(const struct experiment *x, const unsigned *choice, struct wl_err *e)
{
    for (unsigned a = 0; a < x->nunknowns; a++)
        for (unsigned b = 0; b < a; b++) {
            unsigned pair[EXP_MAX_UNKNOWNS] = {0};
            struct wl_err why = {.code = WL_OK};
            if (!choice[a] || !choice[b]) continue;
            pair[a] = choice[a];
            pair[b] = choice[b];
            struct experiment *both = experiment_at(x, pair, &why);
            experiment_free(both);
            if (both) continue;
            return wl_fail(e, WL_EINPUT, "the unknowns %s and %s cannot be combined: %.1500s", x->unknowns[b].name,
                           x->unknowns[a].name, why.text);
        }
    return WL_EINPUT;
}

static int add_point(struct exp_range *r, const unsigned *choice, int unknown, struct wl_err *e)
{
    struct range_point *p = &r->points[r->npoints];
    *p = (struct range_point){.unknown = unknown};
    memcpy(p->choice, choice, r->x->nunknowns * sizeof *choice);
    r->npoints++;
    if (r->npoints == 1) return 0; /* the default: the pool itself */
    if (!(p->x = experiment_at(r->x, p->choice, e)))
        return unknown < 0 && e->code == WL_EINPUT ? explain_conflict(r->x, p->choice, e) : (int)e->code;
    return (p->plan = plan_share(r->pool, p->x, e)) ? 0 : WL_ERUN;
}

/* How many values of an unknown are tried besides its default. */
static unsigned values_of(const struct exp_range *r, unsigned u)
{
    return !r->moved || r->moved[u] ? r->x->unknowns[u].nvalues : 0;
}

static int add_singles(struct exp_range *r, struct wl_err *e)
{
    int rc = 0;
    for (unsigned u = 0; !rc && u < r->x->nunknowns; u++)
        for (unsigned v = 1; !rc && v <= values_of(r, u); v++) {
            unsigned choice[EXP_MAX_UNKNOWNS] = {0};
            choice[u] = v;
            rc = add_point(r, choice, (int)u, e);
        }
    return rc;
}

static int add_design(struct exp_range *r, unsigned points, struct wl_err *e)
{
    unsigned levels[EXP_MAX_UNKNOWNS], n = r->x->nunknowns;
    unsigned *all = calloc((size_t)points * n + 1, sizeof *all);
    if (!all) return wl_no_memory(e);
    for (unsigned u = 0; u < n; u++) levels[u] = values_of(r, u) + 1;
    int rc = design_make(levels, n, points, all, e);
    for (unsigned p = 0; !rc && p < points; p++) {
        unsigned choice[EXP_MAX_UNKNOWNS] = {0};
        memcpy(choice, all + (size_t)p * n, n * sizeof *choice);
        rc = add_point(r, choice, -1, e);
    }
    free(all);
    return rc;
}

static bool is_wanted(const struct exp_range *r, unsigned claim) { return !r->wanted || r->wanted[claim]; }

/* What is known beforehand: a value of the same claim at the same point. */
static double known_value(const struct exp_range *r, const struct exp_range *known, unsigned claim, unsigned point)
{
    for (unsigned n = 0; known && n < known->npoints; n++)
        if (memcmp(known->points[n].choice, r->points[point].choice, sizeof known->points[n].choice) == 0)
            return known->value[(size_t)claim * known->npoints + n];
    return (double)NAN;
}

/* Plans what each claim needs at each point where its value is not known. */
static int plan_points(struct exp_range *r, const struct range_spec *spec, struct wl_err *e)
{
    int rc = 0;
    for (unsigned i = 0; !rc && i < r->npoints; i++) {
        struct plan *p = i ? r->points[i].plan : r->pool;
        for (unsigned c = 0; !rc && c < r->x->nclaims; c++) {
            double *v = &r->value[(size_t)c * r->npoints + i];
            *v = is_wanted(r, c) ? known_value(r, spec->known, c, i) : (double)NAN;
            if (is_wanted(r, c) && (!spec->run || spec->run[c]) && isnan(*v)) rc = plan_claim(p, &p->x->claims[c], e);
        }
    }
    return rc;
}

struct exp_range *range_new(struct plan *pool, const struct range_spec *spec, struct wl_err *e)
{
    const struct experiment *x = pool->x;
    unsigned most = 1, none[EXP_MAX_UNKNOWNS] = {0};
    struct exp_range *r = calloc(1, sizeof *r);
    if (!r) return wl_no_memory(e), NULL;
    *r = (struct exp_range){.pool = pool, .x = x, .wanted = spec->wanted, .moved = spec->moved};
    for (unsigned u = 0; u < x->nunknowns; u++) most += values_of(r, u);
    bool design = most > 1 && spec->design_points;
    if (design) most += spec->design_points;
    r->points = calloc(most, sizeof *r->points);
    r->value = calloc((size_t)most * x->nclaims + 1, sizeof *r->value);
    int rc = r->points && r->value ? add_point(r, none, -1, e) : wl_no_memory(e);
    if (!rc) rc = add_singles(r, e);
    if (!rc && design) rc = add_design(r, spec->design_points, e);
    if (!rc) rc = plan_points(r, spec, e);
    if (!rc && spec->known) r->known_builds = json_incref(spec->known->known_builds);
    if (!rc) return r;
    range_free(r);
    return NULL;
}

void range_free(struct exp_range *r)
{
    if (!r) return;
    for (unsigned i = 0; r->points && i < r->npoints; i++) {
        plan_free(r->points[i].plan);
        experiment_free(r->points[i].x);
    }
    for (unsigned f = 0; r->bands && f < r->x->nfigures; f++) {
        free(r->bands[f].low);
        free(r->bands[f].high);
        free(r->bands[f].known);
    }
    json_decref(r->known_builds);
    free(r->bands);
    free(r->points);
    free(r->value);
    free(r);
}

/* ---- evaluating ---- */

static bool has_band(const struct exp_figure *f)
{
    return f->chart == CHART_BARS || f->chart == CHART_LINES || f->chart == CHART_TABLE;
}

static int band_room(struct range_band *b, const struct table *t, struct wl_err *e)
{
    b->columns = t->columns;
    b->cells = t->rows * t->columns;
    b->low = calloc(b->cells + 1, sizeof *b->low);
    b->high = calloc(b->cells + 1, sizeof *b->high);
    b->known = calloc(b->cells + 1, sizeof *b->known);
    return b->low && b->high && b->known ? 0 : wl_no_memory(e);
}

/* The numbers of one figure at one point into its band. */
static int widen_band(struct range_band *b, const struct plan *p, const struct exp_figure *f, struct wl_err *e)
{
    struct table *t = table_make(p, f, e);
    if (!t) return WL_ERUN;
    int rc = b->known ? 0 : band_room(b, t, e);
    for (unsigned i = 0; !rc && i < b->cells; i++) {
        double v = t->row[i / b->columns].value[i % b->columns];
        if (isnan(v)) continue;
        b->low[i] = b->known[i] ? fmin(b->low[i], v) : v;
        b->high[i] = b->known[i] ? fmax(b->high[i], v) : v;
        b->known[i]++;
    }
    table_free(t);
    return rc;
}

int range_table(const struct exp_range *r, struct table *t, struct wl_err *e)
{
    const struct range_band *b = r->bands ? &r->bands[t->figure - r->x->figures] : NULL;
    if (!b || !b->cells || b->cells != t->rows * t->columns) return 0;
    for (unsigned i = 0; i < b->cells; i++)
        if (b->known[i] != r->npoints) return 0;
    for (unsigned i = 0; i < t->rows; i++) {
        struct table_row *row = &t->row[i];
        row->low = ARENA_ARRAY(&t->arena, double, t->columns);
        row->high = ARENA_ARRAY(&t->arena, double, t->columns);
        if (!row->low || !row->high) return wl_no_memory(e);
        memcpy(row->low, b->low + i * b->columns, b->columns * sizeof *row->low);
        memcpy(row->high, b->high + i * b->columns, b->columns * sizeof *row->high);
    }
    return 0;
}

int range_evaluate(struct exp_range *r, struct store *s, bool figures, struct wl_err *e)
{
    int rc = 0;
    if (figures && !(r->bands = calloc(r->x->nfigures + 1, sizeof *r->bands))) return wl_no_memory(e);
    for (unsigned n = r->npoints; !rc && n-- > 0;) { /* the default last: its results stay */
        struct plan *p = n ? r->points[n].plan : r->pool;
        rc = plan_fetch_cells(p, s, e);
        for (unsigned c = 0; !rc && c < r->x->nclaims; c++) {
            double *v = &r->value[(size_t)c * r->npoints + n];
            if (is_wanted(r, c) && isnan(*v)) *v = claim_value(p, &p->x->claims[c]);
        }
        for (unsigned f = 0; !rc && figures && f < p->x->nfigures; f++)
            if (has_band(&p->x->figures[f])) rc = widen_band(&r->bands[f], p, &p->x->figures[f], e);
        if (n) plan_drop_cells(p);
    }
    return rc;
}

/* ---- one claim ---- */

bool range_has(const struct exp_range *r, unsigned claim)
{
    for (unsigned n = 0; n < r->npoints; n++)
        if (!isnan(r->value[(size_t)claim * r->npoints + n])) return true;
    return false;
}

static bool lies_inside(const struct exp_claim *c, double low, double high)
{
    const double eps = 1e-9; /* decimal values are not exact in binary */
    if (c->kind == CLAIM_ORDER) return high != 0;
    switch (c->bound) {
    case BOUND_ABOVE: return high > c->value;
    case BOUND_BELOW: return low < c->value;
    case BOUND_RANGE: return low <= c->value_high + eps && high >= c->value - eps;
    default: return low <= c->value + eps && high >= c->value - eps;
    }
}

struct claim_range range_claim(const struct exp_range *r, unsigned claim)
{
    const struct exp_claim *c = &r->x->claims[claim];
    const double *v = r->value + (size_t)claim * r->npoints;
    struct claim_range out = {.value = v[0], .low = (double)NAN, .high = (double)NAN, .most = -1, .noise = (double)NAN};
    bool match = false;
    double others = 0;
    for (unsigned n = 0; n < r->npoints; n++) {
        int u = r->points[n].unknown;
        if (isnan(v[n])) continue;
        out.known++;
        out.low = fmin(out.low, v[n]); /* of a number and NaN: the number */
        out.high = fmax(out.high, v[n]);
        match = match || claim_verdict(c, v[n]) == VERDICT_MATCH;
        double move = v[n] - v[0];
        if (u < 0 || isnan(move)) continue;
        if (r->x->unknowns[u].noise) out.noise = fmax(out.noise, fabs(move));
        else others = fmax(others, fabs(move));
        if (fabs(move) <= fabs(out.move)) continue;
        out.most = u;
        out.most_value = r->points[n].choice[u] - 1;
        out.move = move;
    }
    out.within_noise = out.noise > 0 && others <= out.noise;
    if (c->skip || isnan(out.low)) out.inside = INSIDE_NOT_KNOWN;
    else out.inside = lies_inside(c, out.low, out.high) ? INSIDE_YES : match ? INSIDE_NEAR : INSIDE_NO;
    return out;
}
