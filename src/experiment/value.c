/* value.c - metrics of runs, normalisation, the best of several, means. */
#include "experiment/value.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- one run ---- */

const json_t *json_at(const json_t *o, const char *path)
{
    char part[128];
    while (o && *path) {
        if (*path == '[') {
            char *end;
            unsigned long i = strtoul(path + 1, &end, 10);
            if (*end != ']' || !json_is_array(o)) return NULL;
            o = json_array_get(o, i);
            path = end + 1;
        } else {
            size_t n = strcspn(path, ".[");
            if (n == 0 || n >= sizeof part) return NULL;
            memcpy(part, path, n);
            part[n] = 0;
            o = json_object_get(o, part);
            path += n;
        }
        if (*path == '.') path++;
    }
    return o;
}

static double number_of(const json_t *j) { return json_is_number(j) ? json_number_value(j) : (double)NAN; }

static double run_name(void *arg, const struct expr *x)
{
    const struct exp_run *run = arg;
    if (strncmp(x->name, "gpu.", 4) == 0)
        for (unsigned i = 0; i < P_COUNT; i++)
            if (strcmp(gpu_params[i].name, x->name + 4) == 0) return (double)run->config->v[i];
    return number_of(json_at(run->result, x->name));
}

/* spread(E, samples): the standard deviation of E over the elements of an array. Elements without a number (a
 * share of nothing) are left out. */
static double run_call(void *arg, const struct expr *x)
{
    const struct exp_run *run = arg;
    const json_t *array = json_at(run->result, x->set);
    double sum = 0, squares = 0;
    unsigned n = 0;
    for (size_t i = 0; i < json_array_size(array); i++) {
        double v = element_value(x->a, json_array_get(array, i), (unsigned)i);
        if (isnan(v)) continue;
        sum += v;
        squares += v * v;
        n++;
    }
    return n ? sqrt(fmax(squares / n - sum / n * (sum / n), 0)) : (double)NAN;
}

/* A metric of one run. */
static double metric_value(const struct expr *metric, const struct exp_run *run)
{
    struct expr_env env = {.name = run_name, .call = run_call, .arg = (void *)(uintptr_t)run};
    return run && run->state == RUN_DONE && metric ? expr_value(metric, &env) : (double)NAN;
}

struct array_element {
    const json_t *json;
    unsigned index;
};

static double element_name(void *arg, const struct expr *x)
{
    const struct array_element *at = arg;
    if (strcmp(x->name, "index") == 0) return at->index;
    if (strcmp(x->name, "value") == 0 && json_is_number(at->json)) return number_of(at->json);
    return number_of(json_at(at->json, x->name));
}

double element_value(const struct expr *metric, const json_t *element, unsigned index)
{
    struct array_element at = {element, index};
    struct expr_env env = {.name = element_name, .arg = &at};
    return expr_value(metric, &env);
}

/* ---- one cell ---- */

static const struct exp_run *plain_run(const struct plan *p, unsigned series, unsigned workload)
{
    return p->cell[series * p->x->nworkloads + workload];
}

/* A choice needs every candidate: with one missing, the best is not known. */
static int chosen(const struct plan *p, const struct exp_series *s, unsigned workload)
{
    int best = -1;
    double most = 0;
    for (unsigned i = 0; i < s->nbest; i++) {
        double v = metric_value(s->by, plain_run(p, s->best[i], workload));
        if (isnan(v)) return -1;
        if (best < 0 || v > most) best = (int)i, most = v;
    }
    return best;
}

const struct exp_run *run_of(const struct plan *p, unsigned series, unsigned workload)
{
    const struct exp_series *s = p->x->series[series];
    if (!s->best) return plain_run(p, series, workload);
    int i = chosen(p, s, workload);
    return i < 0 ? NULL : plain_run(p, s->best[i], workload);
}

static int base_of(const struct plan *p, const struct exp_view *v, unsigned series)
{
    int own = p->x->series[series]->base;
    return own >= 0 ? own : v->base;
}

static double divide(double a, double b) { return b != 0 ? a / b : (double)NAN; }

double view_value(const struct plan *p, const struct exp_view *v, unsigned series, unsigned workload)
{
    double own = metric_value(v->metric, run_of(p, series, workload));
    int base = base_of(p, v, series);
    return base < 0 ? own : divide(own, metric_value(v->metric, run_of(p, (unsigned)base, workload)));
}

double part_value(const struct plan *p, const struct exp_figure *f, unsigned part, unsigned series, unsigned workload)
{
    double own = metric_value(f->parts[part].metric, run_of(p, series, workload)), whole = 0;
    int base = base_of(p, &f->view, series);
    if (base < 0) return own;
    for (unsigned i = 0; i < f->nparts; i++)
        whole += metric_value(f->parts[i].metric, run_of(p, (unsigned)base, workload));
    return divide(own, whole);
}

double mean_of(enum mean_kind kind, const double *v, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++) {
        if (kind == MEAN_GEOMETRIC && !(v[i] > 0)) return (double)NAN;
        sum += kind == MEAN_GEOMETRIC ? log(v[i]) : v[i];
    }
    if (n == 0) return (double)NAN;
    return kind == MEAN_GEOMETRIC ? exp(sum / n) : sum / n;
}

/* ---- claims ---- */

struct claim_env {
    const struct plan *p;
    const struct exp_claim *c;
    const struct exp_variant *variant;
    unsigned workload;
};

static double fold(const struct fold_binding *f, const double *v, unsigned n)
{
    if (n == 0) return (double)NAN;
    double acc = f->fold == FOLD_ALL ? 1 : f->fold == FOLD_MIN || f->fold == FOLD_MAX ? v[0] : 0;
    if (f->fold == FOLD_GMEAN) return mean_of(MEAN_GEOMETRIC, v, n);
    if (f->fold == FOLD_AMEAN) return mean_of(MEAN_ARITHMETIC, v, n);
    for (unsigned i = 0; i < n; i++) {
        if (isnan(v[i])) return (double)NAN;
        switch (f->fold) {
        case FOLD_MIN: acc = v[i] < acc ? v[i] : acc; break;
        case FOLD_MAX: acc = v[i] > acc ? v[i] : acc; break;
        case FOLD_COUNT: acc += v[i] != 0; break;
        case FOLD_ALL: acc = acc != 0 && v[i] != 0; break;
        case FOLD_ANY: acc = acc != 0 || v[i] != 0; break;
        default: acc += v[i]; break; /* sum; at, of one */
        }
    }
    return acc;
}

static double correlation(const double *a, const double *b, unsigned n)
{
    double ma = mean_of(MEAN_ARITHMETIC, a, n), mb = mean_of(MEAN_ARITHMETIC, b, n), ab = 0, aa = 0, bb = 0;
    for (unsigned i = 0; i < n; i++) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    return divide(ab, sqrt(aa * bb));
}

static unsigned series_there(const struct claim_env *env, unsigned series)
{
    return env->variant ? env->variant->series[series] : series;
}

static double claim_name(void *arg, const struct expr *x)
{
    const struct claim_env *env = arg;
    const struct name_binding *b = x->bound;
    struct exp_view v = env->c->view;
    unsigned series = series_there(env, b->series->index);
    if (b->metric) return metric_value(b->metric, run_of(env->p, series, env->workload));
    if (v.base >= 0) v.base = (int)series_there(env, (unsigned)v.base);
    return view_value(env->p, &v, series, env->workload);
}

static double choice_value(const struct claim_env *env, const struct expr *x)
{
    const struct name_binding *b = x->a->bound;
    const struct exp_series *s = env->p->x->series[series_there(env, b->series->index)];
    int i = chosen(env->p, s, env->workload);
    if (i < 0) return (double)NAN;
    const char *point = env->p->x->series[s->best[i]]->point;
    char *end = NULL;
    double v = point ? text_double(point, &end) : 0;
    return point && end != point && !*end ? v : i; /* a value that is no number: its place in the list */
}

/* A condition asks for the numbers themselves: nothing is normalised, so that "the base is not 0" can be asked. */
static double raw_name(void *arg, const struct expr *x)
{
    const struct claim_env *env = arg;
    const struct name_binding *b = x->bound;
    return metric_value(b->metric ? b->metric : env->c->view.metric,
                        run_of(env->p, series_there(env, b->series->index), env->workload));
}

static double cell_value(const struct fold_binding *f)
{
    double value[EXAMPLE_ROWS * EXAMPLE_COLUMNS];
    struct wl_err e = {.code = WL_OK};
    return f->example->play(value, &e) ? (double)NAN : value[f->cell];
}

static double claim_call(void *arg, const struct expr *x)
{
    struct claim_env env = *(const struct claim_env *)arg;
    const struct fold_binding *f = x->bound;
    struct expr_env inner = {claim_name, claim_call, &env}, raw = {raw_name, NULL, &env};
    double v[256] = {0}, w[256] = {0};
    unsigned n = 0;
    if (f->fold == FOLD_CHOICE) return choice_value(&env, x);
    if (f->fold == FOLD_CELL) return cell_value(f);
    for (unsigned i = 0; i < f->over.count && n < 256; i++) {
        env.workload = f->over.item[i];
        double counts = env.c->where ? expr_value(env.c->where, &raw) : 1;
        if (isnan(counts)) return (double)NAN;
        if (counts == 0) continue;
        if (f->fold == FOLD_CORR) w[n] = expr_value(x->b, &inner);
        v[n++] = expr_value(x->a, &inner);
    }
    return f->fold == FOLD_CORR ? correlation(v, w, n) : fold(f, v, n);
}

double claim_value_on(const struct plan *p, const struct exp_claim *c, const struct exp_variant *variant)
{
    struct claim_env env = {p, c, variant, 0};
    struct expr_env outer = {claim_name, claim_call, &env};
    return c->skip ? (double)NAN : expr_value(c->measure, &outer);
}

double claim_value(const struct plan *p, const struct exp_claim *c) { return claim_value_on(p, c, NULL); }

const char *const verdict_names[VERDICT_COUNT] = {"match", "direction", "miss", "not run"};

/* Decimal values in files are not exact in binary; a value on a border is inside. */
static bool at_most(double a, double b) { return a <= b + 1e-9; }

/* What is called an effect: two hundredths. Less is no effect, whatever its sign. */
static const double least_effect = 0.02;

/* Effects of one sign, the measured one large enough to be one. */
static bool same_effect(double stated, double measured)
{
    return at_most(least_effect, fabs(measured)) && ((stated > 0 && measured > 0) || (stated < 0 && measured < 0));
}

static bool no_effect(double effect) { return at_most(fabs(effect), least_effect); }

static double distance(const struct exp_claim *c, double m)
{
    switch (c->bound) {
    case BOUND_ABOVE: return m > c->value ? 0 : c->value - m;
    case BOUND_BELOW: return m < c->value ? 0 : m - c->value;
    case BOUND_RANGE: return m < c->value ? c->value - m : m > c->value_high ? m - c->value_high : 0;
    default: return fabs(m - c->value);
    }
}

/* A bound is strict where it is a ratio: "more than half" is not met by half. */
static bool bound_holds(const struct exp_claim *c, double m)
{
    return c->bound == BOUND_ABOVE ? m > c->value : c->bound == BOUND_BELOW ? m < c->value : true;
}

/* `near`: the number is within its tolerance. Where an effect is stated, a match is an effect too, and of its
 * sign: a tolerance that reaches beyond "no effect" must not turn nothing, or the contrary, into a match. */
static enum verdict effect_verdict(const struct exp_claim *c, bool near, double stated, double measured)
{
    bool effect = same_effect(stated, measured);
    if (near && (c->bound != BOUND_EQUAL || no_effect(stated) || effect)) return VERDICT_MATCH;
    bool neither = c->kind == CLAIM_RATIO && no_effect(stated) && no_effect(measured);
    return effect || neither ? VERDICT_DIRECTION : VERDICT_MISS;
}

/* A ratio v measured as m: near if |m - v| <= max(0.05, 0.25 |v - 1|), its effect is |v - 1|. Bounds and
 * ranges match when they hold. Other values are near within the tolerance their claim states; they have an
 * effect, and so a direction, if the claim states the value that means none. */
enum verdict claim_verdict(const struct exp_claim *c, double m)
{
    if (isnan(m)) return VERDICT_NOT_RUN;
    if (c->kind == CLAIM_ORDER) return m != 0 ? VERDICT_MATCH : VERDICT_MISS;
    double d = distance(c, m);
    if (c->kind == CLAIM_RATIO) {
        double room = c->bound == BOUND_EQUAL ? fmax(0.05, 0.25 * fabs(c->value - 1)) : 0;
        return effect_verdict(c, at_most(d, room) && bound_holds(c, m), c->value - 1, m - 1);
    }
    bool near = at_most(d, c->relative ? c->tolerance * fabs(c->value) : c->tolerance);
    if (c->factor) near = at_most(c->value / c->tolerance, m) && at_most(m, c->value * c->tolerance);
    if (!c->has_neutral) return near ? VERDICT_MATCH : VERDICT_MISS;
    return effect_verdict(c, near, c->value - c->neutral, m - c->neutral);
}

void claim_text(const struct exp_claim *c, double m, char *out, size_t size)
{
    bool whole = c->kind == CLAIM_VALUE && m == floor(m) && c->value == floor(c->value);
    if (isnan(m)) snprintf(out, size, "-");
    else if (c->kind == CLAIM_ORDER) snprintf(out, size, "%s", m != 0 ? "holds" : "does not");
    else snprintf(out, size, whole || fabs(m) >= 1000 ? "%.0f" : "%.3f", m);
}

/* ---- counting ---- */

void claim_count(struct claim_counts *k, const struct exp_claim *c, enum verdict v)
{
    if (c->own) k->own[v]++;
    else if (c->repeat) k->repeats[v]++;
    else k->n[v]++;
}

unsigned counts_total(const unsigned n[VERDICT_COUNT])
{
    unsigned total = 0;
    for (unsigned v = 0; v < VERDICT_COUNT; v++) total += n[v];
    return total;
}

void counts_text(const unsigned n[VERDICT_COUNT], char *out, size_t size)
{
    snprintf(out, size, "%u total, %u match, %u direction, %u miss, %u not run", counts_total(n), n[VERDICT_MATCH],
             n[VERDICT_DIRECTION], n[VERDICT_MISS], n[VERDICT_NOT_RUN]);
}
