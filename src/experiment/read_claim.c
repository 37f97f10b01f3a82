/* read_claim.c - claims: a value somebody stated, and how it is measured here.
 *
 * The kind follows from what is written: a measure that is true or false is an order claim, a
 * tolerance makes a plain value, everything else is a ratio around 1. Names in a measure are
 * series and occur inside a function over workloads: gmean(gto, divergent). A measure that needs several
 * metrics of a run names them: with metric.leak = ..., gto.leak is that of gto. */
#include "experiment/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *const claim_keys[] = {"text",      "value",     "figure",  "measure", "metric",
                                         "base",      "tolerance", "neutral", "skip",    "kind",
                                         "workloads", "own",       "where",   "same_as", NULL};
static const char *const kind_names[CLAIM_KINDS] = {"ratio", "value", "order"};
/* ORDER: enum fold */
static const char *const fold_names[] = {"gmean", "amean", "min", "max",    "sum",  "count",
                                         "all",   "any",   "at",  "choice", "corr", "cell"};
enum { FOLDS = sizeof fold_names / sizeof *fold_names, MAX_METRICS = 8 };

/* ---- names of a measure ---- */

struct binding {
    struct reader *r;
    const struct ini_key *k;
    const struct exp_claim *claim;
    bool inside; /* a function over workloads */
};

static int bind(struct binding *b, struct expr *x);

static const struct exp_series *point_of_figure(const struct binding *b, const char *name)
{
    const struct exp_figure *f = b->claim->figure;
    for (unsigned i = 0; f && f->sweep && i < f->npoints * f->nseries; i++)
        if (strcmp(b->r->x->series[f->series[i]]->name, name) == 0) return b->r->x->series[f->series[i]];
    return NULL;
}

/* "mascar.leak": what follows the dot is one of the claim's further metrics. */
static int find_metric(const struct binding *b, const struct expr *x, const char *name, const struct expr **out)
{
    const char *names[MAX_METRICS];
    for (unsigned i = 0; i < b->claim->nmetrics; i++) {
        names[i] = b->claim->metrics[i].name;
        if (strcmp(names[i], name) == 0) return *out = b->claim->metrics[i].metric, 0;
    }
    return reader_unknown(b->r, b->k, x->at, "metric", name, names, b->claim->nmetrics);
}

static int bind_name(struct binding *b, struct expr *x)
{
    if (!b->inside)
        return reader_fail(b->r, b->k, x->at,
                           "'%.60s' has a value for each workload; say which: gmean(%.60s), at(%.60s, atax)", x->name,
                           x->name, x->name);
    struct name_binding *n = ARENA_NEW(b->r->arena, struct name_binding);
    if (!n) return reader_memory(b->r);
    *n = (struct name_binding){.series = point_of_figure(b, x->name)};
    const char *dot = n->series ? NULL : strchr(x->name, '.');
    size_t len = dot ? (size_t)(dot - x->name) : strlen(x->name);
    int rc = dot ? find_metric(b, x, dot + 1, &n->metric) : 0;
    if (rc) return rc;
    if (!n->metric && !b->claim->view.metric)
        return reader_fail(b->r, b->k, x->at, "'%.60s' needs a metric: give the claim a figure or a metric of its own",
                           x->name);
    if (!n->series) n->series = find_series(b->r, x->name, len);
    if (!n->series && strchr(x->name, '@'))
        return reader_fail(b->r, b->k, x->at, "the figure of this claim does not sweep to '%.60s'", x->name);
    if (!n->series) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(len < 63 ? len : 63), x->name);
        return unknown_series(b->r, b->k, x->at, name);
    }
    x->bound = n;
    return 0;
}

static int bind_choice(struct binding *b, const struct expr *x)
{
    const struct name_binding *n = x->a->op == EXPR_NAME ? x->a->bound : NULL;
    return n && n->series->best
               ? 0
               : reader_fail(b->r, b->k, x->at, "choice(S) is the value a best_over series chose; S is none");
}

/* cell(finish, rr2): a place in the table of the claim's example. */
static int bind_cell(struct binding *b, const struct expr *x, struct fold_binding *f)
{
    const struct example *m = b->claim->figure ? b->claim->figure->example : NULL;
    if (!m) return reader_fail(b->r, b->k, x->at, "cell(row, column) is a place in the table of an example figure");
    int row = x->a->op == EXPR_NAME ? example_index(m->rows, x->a->name) : -1;
    int column = x->set ? example_index(m->columns, x->set) : -1;
    unsigned columns = 0;
    while (m->columns[columns]) columns++;
    f->example = m;
    f->cell = (unsigned)row * columns + (unsigned)column;
    return row >= 0 && column >= 0 ? 0
                                   : reader_fail(b->r, b->k, x->at,
                                                 "the table of %s has no such row or column; its "
                                                 "figure shows them",
                                                 m->name);
}

static int bind_call(struct binding *b, struct expr *x)
{
    unsigned fold = 0;
    while (fold < FOLDS && strcmp(fold_names[fold], x->name) != 0) fold++;
    if (fold == FOLDS) return reader_unknown(b->r, b->k, x->at, "function", x->name, fold_names, FOLDS);
    struct fold_binding *f = ARENA_NEW(b->r->arena, struct fold_binding);
    if (!f) return reader_memory(b->r);
    f->fold = (enum fold)fold;
    x->bound = f;
    if (f->fold == FOLD_CELL) return bind_cell(b, x, f);
    if (f->fold == FOLD_CHOICE) {
        int rc = bind(b, x->a);
        return rc ? rc : bind_choice(b, x);
    }
    if (b->inside) return reader_fail(b->r, b->k, x->at, "%s is inside another function over workloads", x->name);
    f->over = b->claim->view.workloads;
    int rc = x->set ? read_set(b->r, b->k, x->set, x->set_at, &f->over) : 0;
    if (rc) return rc;
    if (!f->over.count)
        return reader_fail(b->r, b->k, x->at, "%s has no workloads here: %s(..., atax bfs)", x->name, x->name);
    if (f->fold == FOLD_AT && (!x->set || f->over.count != 1))
        return reader_fail(b->r, b->k, x->at, "at takes one workload: at(gto, atax)");
    b->inside = true;
    rc = bind(b, x->a);
    if (!rc) rc = bind(b, x->b);
    b->inside = false;
    return rc;
}

static int bind(struct binding *b, struct expr *x)
{
    if (!x) return 0;
    if (x->op == EXPR_NAME) return bind_name(b, x);
    bool scalar = x->op == EXPR_CALL && (strcmp(x->name, "abs") == 0 || strcmp(x->name, "floor") == 0);
    if (x->op == EXPR_CALL && !scalar) return bind_call(b, x);
    int rc = bind(b, x->a);
    return rc ? rc : bind(b, x->b);
}

static bool is_truth(const struct expr *x)
{
    if (x->op == EXPR_CALL) return strcmp(x->name, "all") == 0 || strcmp(x->name, "any") == 0;
    return x->op >= EXPR_LESS;
}

static int read_measure(struct reader *r, struct ini_section *in, struct exp_claim *c)
{
    const struct ini_key *k = ini_take(in, "measure");
    struct wl_err inner = {.code = WL_OK};
    unsigned at = 0;
    if (!k && c->skip) return 0;
    if (!k)
        return ini_fail_section(&r->ini, in, "a claim needs measure = ..., or skip = why it cannot be measured", r->e);
    struct expr *x = expr_parse(r->arena, k->value, &at, &inner);
    if (!x) return reader_fail(r, k, at, "%s", inner.text);
    struct binding b = {.r = r, .k = k, .claim = c};
    c->measure = x;
    c->measure_text = k->value;
    return bind(&b, x);
}

/* metric.NAME = ...: further metrics, for measures that need more than one of a run. */
static int read_metrics(struct reader *r, struct ini_section *in, struct exp_claim *c)
{
    struct exp_metric *found = ARENA_ARRAY(r->arena, struct exp_metric, MAX_METRICS);
    if (!found) return reader_memory(r);
    c->metrics = found;
    for (const struct ini_key *k = in->keys; k; k = k->next) {
        if (strncmp(k->name, "metric.", 7) != 0) continue;
        if (c->nmetrics == MAX_METRICS) return reader_fail(r, k, 0, "more than %d metrics", MAX_METRICS);
        ini_take(in, k->name);
        struct exp_metric *m = &found[c->nmetrics++];
        m->name = k->name + 7;
        int rc = read_metric(r, k, false, &m->metric);
        if (rc) return rc;
    }
    return 0;
}

/* where = lru > 0: a program that has none of what is counted is left out of the means. */
static int read_where(struct reader *r, struct ini_section *in, struct exp_claim *c)
{
    const struct ini_key *k = ini_take(in, "where");
    struct wl_err inner = {.code = WL_OK};
    unsigned at = 0;
    if (!k) return 0;
    struct expr *x = expr_parse(r->arena, k->value, &at, &inner);
    if (!x) return reader_fail(r, k, at, "%s", inner.text);
    if (!is_truth(x) || x->op == EXPR_CALL) return reader_fail(r, k, 0, "where is a comparison, as in lru > 0");
    struct binding b = {.r = r, .k = k, .claim = c, .inside = true};
    c->where = x;
    return bind(&b, x);
}

/* What is listed without being counted as a claim of the paper. */
static int read_class(struct reader *r, struct ini_section *in, struct exp_claim *c)
{
    const struct ini_key *own = ini_take(in, "own"), *same = ini_take(in, "same_as");
    if (own && strcmp(own->value, "yes") != 0 && strcmp(own->value, "no") != 0)
        return reader_fail(r, own, 0, "own is yes (a check of ours, listed and not counted) or no");
    c->own = own && strcmp(own->value, "yes") == 0;
    if (!same) return 0;
    if (c->own) return reader_fail(r, same, 0, "a claim is either own or a repeat");
    for (const struct exp_claim *o = r->x->claims; o < c; o++)
        if (strcmp(o->id, same->value) == 0) c->repeat = o;
    if (!c->repeat) return reader_fail(r, same, 0, "no claim before this one is called '%.80s'", same->value);
    if (c->repeat->own || c->repeat->repeat)
        return reader_fail(r, same, 0, "'%.80s' is not counted itself; name the claim that is", same->value);
    return 0;
}

/* ---- values ---- */

static bool read_number(const char **p, double *out)
{
    char *end;
    *p += strspn(*p, " \t");
    *out = text_double(*p, &end);
    if (end == *p || !isfinite(*out)) return false;
    *p = end;
    if (**p == '%') *out /= 100, (*p)++;
    return true;
}

/* "1.404", "12%", "> 1.5", "< 0.1", "0.58 .. 0.91". The dots of a range end a number for strtod
 * only when a blank precedes them, so a copy with a blank is read. */
static int read_value(struct reader *r, const struct ini_key *k, struct exp_claim *c)
{
    char copy[256];
    size_t n = 0;
    for (const char *s = k->value; *s && n + 2 < sizeof copy; s++) {
        if (s[0] == '.' && s[1] == '.') copy[n++] = ' ';
        copy[n++] = *s;
    }
    copy[n] = 0;
    const char *p = copy;
    c->bound = *p == '>' ? BOUND_ABOVE : *p == '<' ? BOUND_BELOW : BOUND_EQUAL;
    if (c->bound != BOUND_EQUAL) p++;
    bool good = read_number(&p, &c->value);
    p += strspn(p, " \t");
    if (good && c->bound == BOUND_EQUAL && p[0] == '.' && p[1] == '.') {
        p += 2;
        c->bound = BOUND_RANGE;
        good = read_number(&p, &c->value_high) && c->value_high >= c->value;
        p += strspn(p, " \t");
    }
    if (good && !*p) return 0;
    return reader_fail(r, k, 0, "this is no value; write 1.404, 12%%, > 1.5, < 0.1 or 0.58 .. 0.91");
}

static int read_tolerance(struct reader *r, struct ini_section *in, struct exp_claim *c, bool *given)
{
    const struct ini_key *k = ini_take(in, "tolerance"), *n = ini_take(in, "neutral");
    const char *p = k ? k->value : "0";
    *given = k != NULL;
    c->factor = *p == 'x';
    p += c->factor;
    if (c->factor && (!read_number(&p, &c->tolerance) || c->tolerance < 1 || *p || c->bound != BOUND_EQUAL))
        return reader_fail(r, k, 0, "x2 is a factor: between half and twice the value, which is no bound or range");
    if (c->factor) return ini_take(in, "neutral") ? reader_fail(r, k, 0, "a factor has no neutral value") : 0;
    if (!read_number(&p, &c->tolerance) || c->tolerance < 0 || p[strspn(p, " ")])
        return reader_fail(r, k, 0, "tolerance is a number (0.02), a share of the value (10%%) or a factor (x2)");
    c->relative = k && strchr(k->value, '%');
    if (!n) return 0;
    p = n->value;
    c->has_neutral = true;
    return read_number(&p, &c->neutral) && !*p ? 0 : reader_fail(r, n, 0, "neutral is the number that means no effect");
}

static int read_kind(struct reader *r, struct ini_section *in, struct exp_claim *c, bool tolerance, bool value)
{
    const struct ini_key *k = ini_take(in, "kind");
    bool truth = c->measure && is_truth(c->measure);
    c->kind = truth || (!value && c->skip) ? CLAIM_ORDER : tolerance ? CLAIM_VALUE : CLAIM_RATIO;
    if (k) {
        unsigned i = 0;
        while (i < CLAIM_KINDS && strcmp(kind_names[i], k->value) != 0) i++;
        if (i == CLAIM_KINDS) return reader_unknown(r, k, 0, "kind of claim", k->value, kind_names, CLAIM_KINDS);
        c->kind = (enum claim_kind)i;
    }
    if (c->skip) return 0;
    if (truth != (c->kind == CLAIM_ORDER))
        return ini_fail_section(&r->ini, in,
                                truth ? "this measure is true or false: an order claim, without a value"
                                      : "an order claim is a comparison, as in gmean(gto) > gmean(lrr)",
                                r->e);
    if (c->kind == CLAIM_RATIO && strchr(c->value_text, '%'))
        return ini_fail_section(&r->ini, in,
                                "a percentage is a change and no ratio around 1: give it a tolerance (0 for a bound), "
                                "or write the ratio",
                                r->e);
    if (c->kind == CLAIM_VALUE && !tolerance)
        return ini_fail_section(&r->ini, in, "a value needs its tolerance: tolerance = 0.02, or 10%, or 0", r->e);
    if (c->kind == CLAIM_ORDER && value)
        return ini_fail_section(&r->ini, in, "an order claim holds or does not; take the value away", r->e);
    if (c->kind != CLAIM_ORDER && !value) return ini_fail_section(&r->ini, in, "a claim needs its value", r->e);
    return 0;
}

/* ---- one claim ---- */

static int read_view(struct reader *r, struct ini_section *in, struct exp_claim *c)
{
    const struct ini_key *f = ini_take(in, "figure"), *m = ini_take(in, "metric"), *b = ini_take(in, "base"),
                         *w = ini_take(in, "workloads");
    c->view = (struct exp_view){.workloads = r->x->chosen, .base = -1};
    if (f) {
        const char *names[MAX_LIST];
        unsigned n = 0;
        for (unsigned i = 0; i < r->x->nfigures && n < MAX_LIST; i++) names[n++] = r->x->figures[i].id;
        if (!(c->figure = experiment_figure(r->x, f->value)))
            return reader_unknown(r, f, 0, "figure", f->value, names, n);
        c->view = c->figure->view;
    }
    int rc = m ? read_metric(r, m, false, &c->view.metric) : 0;
    if (m) c->view.metric_text = m->value;
    if (m && f) c->view.base = -1; /* another metric is not normalised unless it says so */
    if (!rc && b) {
        const struct exp_series *s = find_series(r, b->value, strlen(b->value));
        if (!s && strcmp(b->value, "none") != 0) return unknown_series(r, b, 0, b->value);
        c->view.base = s ? (int)s->index : -1;
    }
    if (!rc && w) rc = read_set(r, w, w->value, 0, &c->view.workloads);
    return rc;
}

static int read_one(struct reader *r, struct ini_section *in, struct exp_claim *c)
{
    if (!*in->name) return ini_fail_section(&r->ini, in, "a claim needs an id, as in [claim fig8.mean_ipc]", r->e);
    for (const struct exp_claim *o = r->x->claims; o < c; o++)
        if (strcmp(o->id, in->name) == 0)
            return ini_fail_section(&r->ini, in, "there is a claim with this id already", r->e);
    const struct ini_key *text = ini_take(in, "text"), *value = ini_take(in, "value"), *skip = ini_take(in, "skip");
    *c = (struct exp_claim){
        .id = in->name, .text = text ? text->value : "", .value_text = value ? value->value : "holds"};
    c->skip = skip ? skip->value : NULL;
    bool tolerance = false;
    int rc = read_view(r, in, c);
    if (!rc) rc = read_metrics(r, in, c);
    if (!rc) rc = read_where(r, in, c);
    if (!rc) rc = read_measure(r, in, c);
    if (!rc && value && !(c->skip && !c->measure)) rc = read_value(r, value, c);
    if (!rc) rc = read_tolerance(r, in, c, &tolerance);
    if (!rc) rc = read_kind(r, in, c, tolerance, value != NULL);
    if (!rc) rc = read_class(r, in, c);
    return rc ? rc : refuse_unused(r, in, claim_keys);
}

int read_claims(struct reader *r)
{
    unsigned n = 0;
    for (struct ini_section *s = r->ini.sections; s; s = s->next) n += strcmp(s->kind, "claim") == 0;
    r->x->claims = ARENA_ARRAY(r->arena, struct exp_claim, n);
    if (!r->x->claims) return reader_memory(r);
    for (struct ini_section *s = r->ini.sections; s; s = s->next) {
        if (strcmp(s->kind, "claim") != 0) continue;
        int rc = read_one(r, s, &r->x->claims[r->x->nclaims]);
        if (rc) return rc;
        r->x->nclaims++;
    }
    return 0;
}
