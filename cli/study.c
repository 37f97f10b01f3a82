/* study.c - from lists to runs.
 *
 * The lists of --gpu, --scheme, --l1, --l2, --sched, --set, --input and --seed are multiplied, in this order; the last
 * changes fastest. What is of the machine makes the series of the experiment, inputs and seeds its programs.
 * A comma also separates the parameters of one policy: a piece like "replace=stall" belongs to the policy before it. */
#include "cli/study.h"

#include <stdlib.h>
#include <string.h>

#include "run/traces.h"

/* ---- dimensions ---- */

static bool begins_new_item(const char *piece)
{
    size_t equals = strcspn(piece, "=,"), colon = strcspn(piece, ":,");
    return piece[equals] != '=' || (colon < equals && piece[colon] == ':');
}

static int split_list(struct dimension *d, struct wl_err *e)
{
    for (char *p = d->text; p;) {
        char *comma = strchr(p, ',');
        while (comma && !begins_new_item(comma + 1)) comma = strchr(comma + 1, ',');
        if (comma) *comma++ = 0;
        if (!*p || (comma && !*comma)) return wl_fail(e, WL_EINPUT, "the list of %s has an empty entry", d->key);
        if (d->value.count == MAX_ITEMS)
            return wl_fail(e, WL_EINPUT, "the list of %s has more than %d entries", d->key, MAX_ITEMS);
        d->value.item[d->value.count++] = p;
        p = comma;
    }
    return 0;
}

static int add_dimension(struct study *s, const char *key, const char *text, enum dimension_of of, struct wl_err *e)
{
    if (s->dimensions == STUDY_DIMENSIONS) return wl_fail(e, WL_EINPUT, "more than %d settings", STUDY_DIMENSIONS);
    struct dimension *d = &s->dimension[s->dimensions++];
    *d = (struct dimension){.key = key, .of = of, .text = strdup(text)};
    if (!d->text) return wl_no_memory(e);
    if (of == OF_SET ||
        of == OF_INPUT) { /* "l1d.size=16K,32K": each value becomes an assignment of its own when a point is made */
        char *equals = strchr(d->text, '=');
        if (!equals || equals == d->text)
            return wl_fail(e, WL_EINPUT, "'%s' is no assignment; write key=value, for example %s", text,
                           of == OF_SET ? "l1d.mshr=32" : "n=512");
        *equals = 0;
        d->key = d->text;
        if (strcmp(d->key, "shared.options") == 0) { /* is a list itself */
            d->value.item[d->value.count++] = equals + 1;
            return 0;
        }
        struct dimension values = {.key = d->key, .text = equals + 1};
        int rc = split_list(&values, e);
        d->value = values.value;
        return rc;
    }
    return split_list(d, e);
}

static bool is_variant(const struct dimension *d) { return d->of == OF_INPUT || d->of == OF_SEED; }

static int add_dimensions(struct study *s, const struct options *o, struct wl_err *e)
{
    const char *const key[] = {"gpu", "scheme", "l1", "l2", "sched"};
    const char *const text[] = {o->gpu, o->scheme, o->l1, o->l2, o->sched};
    int rc = 0;
    for (unsigned i = 0; !rc && i < 5; i++)
        if (text[i]) rc = add_dimension(s, key[i], text[i], OF_MACHINE, e);
    for (unsigned i = 0; !rc && i < o->set.count; i++) rc = add_dimension(s, "set", o->set.item[i], OF_SET, e);
    for (unsigned i = 0; !rc && i < o->input.count; i++) rc = add_dimension(s, "input", o->input.item[i], OF_INPUT, e);
    if (!rc && o->seeds) rc = add_dimension(s, "seed", o->seeds, OF_SEED, e);
    uint64_t n = 1;
    s->variants = 1;
    for (unsigned i = 0; !rc && i < s->dimensions; i++) {
        n *= s->dimension[i].value.count;
        if (is_variant(&s->dimension[i]) && n <= STUDY_POINTS) s->variants *= s->dimension[i].value.count;
        for (unsigned k = 0; k < i; k++)
            if (strcmp(s->dimension[i].key, s->dimension[k].key) == 0)
                return wl_fail(e, WL_EINPUT, "%s is given twice; write its values as one list", s->dimension[i].key);
        if (n > STUDY_POINTS)
            return wl_fail(e, WL_EINPUT, "there are more than %d combinations; %d are possible", STUDY_POINTS,
                           STUDY_POINTS);
    }
    s->points = (unsigned)n;
    return rc;
}

/* ---- points ---- */

static const char *chosen(const struct study *s, const struct study_point *p, unsigned d)
{
    return s->dimension[d].value.item[p->choice[d]];
}

/* What was varied; `machine`: without inputs and seeds. */
static void describe_point(const struct study *s, bool machine, struct study_point *p)
{
    size_t label = 0, where = 0;
    *p->label = *p->where = 0;
    for (unsigned d = 0; d < s->dimensions; d++) {
        const char *value = chosen(s, p, d);
        if (s->dimension[d].value.count < 2 || (machine && is_variant(&s->dimension[d]))) continue;
        if (label < sizeof p->label)
            label += (size_t)snprintf(p->label + label, sizeof p->label - label, "%s%s", label ? " " : "", value);
        if (where < sizeof p->where)
            where += (size_t)snprintf(p->where + where, sizeof p->where - where, "%s%s=%s", where ? " " : "",
                                      s->dimension[d].key, value);
    }
    if (!*p->label) snprintf(p->label, sizeof p->label, "%s", p->config.name);
}

/* The options as they would be for this point alone, until the next call. */
static const struct options *options_at(const struct study *s, const struct study_point *p, const struct options *o,
                                        struct wl_err *e)
{
    static char text[STUDY_DIMENSIONS][512]; /* assignments of one point */
    static struct options one;
    one = *o;
    one.set.count = one.input.count = 0;
    for (unsigned d = 0; d < s->dimensions; d++) {
        const char *value = chosen(s, p, d), *key = s->dimension[d].key;
        enum dimension_of of = s->dimension[d].of;
        if (of == OF_SET || of == OF_INPUT) {
            struct text_list *list = of == OF_SET ? &one.set : &one.input;
            if (snprintf(text[d], sizeof text[d], "%s=%s", key, value) >= (int)sizeof text[d])
                return wl_fail(e, WL_EINPUT, "the value of %s is too long", key), NULL;
            list->item[list->count++] = text[d];
        } else if (of == OF_SEED) {
            if (!read_size(value, &one.seed))
                return wl_fail(e, WL_EINPUT, "--seed needs numbers, not '%s'", value), NULL;
        } else if (strcmp(key, "gpu") == 0) one.gpu = value;
        else if (strcmp(key, "scheme") == 0) one.scheme = value;
        else if (strcmp(key, "l1") == 0) one.l1 = value;
        else if (strcmp(key, "l2") == 0) one.l2 = value;
        else one.sched = value;
    }
    return &one;
}

static int make_point(const struct study *s, unsigned index, const struct options *o, struct wl_err *e)
{
    struct study_point *p = &s->point[index];
    for (unsigned d = s->dimensions; d-- > 0; index /= s->dimension[d].value.count)
        p->choice[d] = index % s->dimension[d].value.count;
    const struct options *one = options_at(s, p, o, e);
    if (!one) return (int)e->code;
    const struct machine_spec spec = machine_words(one);
    struct wl_err inner = {.code = WL_OK};
    int rc = machine_make(&spec, &p->config, &inner);
    describe_point(s, false, p);
    if (rc && *p->where) return wl_fail(e, inner.code, "with %s: %.1800s", p->where, inner.text);
    return rc ? wl_fail(e, inner.code, "%s", inner.text) : 0;
}

static int make_points(struct study *s, const struct options *o, struct wl_err *e)
{
    s->point = calloc(s->points, sizeof *s->point);
    if (!s->point) return wl_no_memory(e);
    int rc = 0;
    for (unsigned i = 0; !rc && i < s->points; i++) rc = make_point(s, i, o, e);
    return rc;
}

/* ---- programs ---- */

/* That it can be run, with these options. */
static int try_program(const struct study *s, const char *name, const struct options *o, struct wl_err *e)
{
    enum run_kind kind = run_kind(name);
    if (kind == RUN_PTX)
        return wl_fail(e, WL_EINPUT, "%s takes workloads and traces; 'run' takes %s", s->lab.command, name);
    struct run_spec spec = run_words(o, name);
    spec.config = &s->point[0].config;
    spec.say = NULL;
    struct run *r = run_new(&spec, e);
    run_free(r);
    return r ? 0 : (int)e->code;
}

static int make_program(const struct study *s, const char *name, const struct options *o, struct exp_workload **out,
                        struct wl_err *e)
{
    struct exp_workload *w = ARENA_NEW(&s->lab.x->arena, struct exp_workload);
    if (!w) return wl_no_memory(e);
    *w = (struct exp_workload){.name = name, .label = name, .seed = o->seed};
    *out = w;
    if (run_kind(name) == RUN_TRACE) {
        w->trace = name;
        w->kernel = o->kernel;
        return trace_content(name, &w->trace_hash, e);
    }
    for (unsigned i = 0; i < EXP_SIZES; i++) {
        int rc = workload_inputs(name, (enum workload_size)i, list_words(&o->input), &w->program, w->input[i], e);
        if (rc) return rc;
        memset(w->given[i], true, sizeof w->given[i]);
    }
    return 0;
}

/* All programs with one combination of inputs and seed. */
static int make_variant(struct study *s, unsigned variant, const struct options *o, struct wl_err *e)
{
    const struct options *one = options_at(s, &s->point[variant], o, e);
    int rc = one ? 0 : (int)e->code;
    for (unsigned i = 0; !rc && i < s->names.count; i++) {
        const char *name = s->names.item[i];
        rc = try_program(s, name, one, e);
        if (!rc) rc = make_program(s, name, one, &s->lab.x->workloads[i * s->variants + variant], e);
    }
    return rc;
}

static int make_programs(struct study *s, const struct options *o, struct wl_err *e)
{
    struct experiment *x = s->lab.x;
    unsigned traces = 0;
    int rc = expand_words(&o->words, &s->names, e);
    for (unsigned i = 0; !rc && i < s->names.count; i++) traces += run_kind(s->names.item[i]) == RUN_TRACE;
    if (!rc && traces == s->names.count) rc = refuse_options(o, RUN_TRACE, e); /* else they are the workloads' */
    if (rc) return rc;
    if ((uint64_t)s->names.count * s->points > STUDY_RUNS)
        return wl_fail(e, WL_EINPUT, "%u programs at %u points are more than %d runs", s->names.count, s->points,
                       STUDY_RUNS);
    x->nworkloads = s->names.count * s->variants;
    x->workloads = ARENA_ARRAY(&x->arena, struct exp_workload *, x->nworkloads);
    if (!x->workloads) return wl_no_memory(e);
    for (unsigned i = 0; !rc && i < s->variants; i++) rc = make_variant(s, i, o, e);
    return rc;
}

/* ---- the experiment ---- */

/* One series per machine, and one figure that needs them all. */
static int make_series(struct study *s, struct wl_err *e)
{
    struct experiment *x = s->lab.x;
    struct arena *a = &x->arena;
    unsigned n = s->points / s->variants;
    struct exp_figure *f = x->figures = ARENA_NEW(a, struct exp_figure);
    x->series = ARENA_ARRAY(a, struct exp_series *, n);
    if (!f || !x->series) return wl_no_memory(e);
    x->nfigures = 1;
    *f = (struct exp_figure){.series = ARENA_ARRAY(a, unsigned, n), .nseries = n};
    f->view = (struct exp_view){.base = -1, .workloads = {ARENA_ARRAY(a, unsigned, x->nworkloads), x->nworkloads}};
    if (!f->series || !f->view.workloads.item) return wl_no_memory(e);
    for (unsigned i = 0; i < x->nworkloads; i++) f->view.workloads.item[i] = i;
    for (unsigned i = 0; i < n; i++) {
        struct study_point *p = ARENA_NEW(a, struct study_point);
        struct exp_series *series = x->series[i] = ARENA_NEW(a, struct exp_series);
        if (!series || !p) return wl_no_memory(e);
        *p = s->point[i * s->variants];
        describe_point(s, true, p);
        *series = (struct exp_series){
            .index = i, .name = p->label, .label = p->label, .config = p->config, .base = -1, .point = p->where};
        f->series[i] = i;
    }
    x->nseries = n;
    return 0;
}

static int open_lab(struct study *s, bool stored, const struct options *o, struct wl_err *e)
{
    struct lab *l = &s->lab;
    enum workload_size size = SIZE_SMALL;
    int rc = o->size ? read_workload_size(o->size, &size, e) : 0;
    if (!rc) rc = build_identity(o->plugin.item, o->plugin.count, l->build, e);
    if (!rc && !(l->plan = plan_new(l->x, size, l->build, e))) rc = WL_ERUN;
    if (!rc) rc = plan_figure(l->plan, &l->x->figures[0], e);
    if (rc || !stored) return rc;
    rc = lab_store_path(o, l->path, sizeof l->path, e);
    return rc || (l->store = store_open(l->path, true, e)) ? rc : e->code ? (int)e->code : WL_ERUN;
}

int study_open(struct study *s, const char *name, bool stored, const struct options *o, struct wl_err *e)
{
    struct experiment *x = calloc(1, sizeof *x);
    *s = (struct study){.lab = {.x = x, .name = name, .command = name}};
    if (!x) return wl_no_memory(e);
    x->name = x->title = name;
    x->file = "the command line";
    int rc = add_dimensions(s, o, e);
    if (!rc) rc = make_points(s, o, e);
    if (!rc) rc = make_programs(s, o, e);
    if (!rc) rc = make_series(s, e);
    return rc ? rc : open_lab(s, stored, o, e);
}

/* Warnings about a trace are the same for all machines: those of the first point are enough. */
static void say_warnings(const struct study *s)
{
    for (unsigned i = 0; i < s->names.count; i++) {
        const json_t *list = json_object_get(study_result(s, i, 0), "warnings");
        for (size_t k = 0; s->lab.x->workloads[i * s->variants]->trace && k < json_array_size(list); k++)
            print_warning(NULL, json_string_value(json_array_get(list, k)));
    }
}

int study_run(struct study *s, const struct options *o, struct wl_err *e)
{
    int rc = lab_run(&s->lab, o, e);
    if (!rc && !o->quiet) say_warnings(s);
    return rc;
}

void study_close(struct study *s)
{
    lab_close(&s->lab);
    for (unsigned i = 0; i < s->dimensions; i++) free(s->dimension[i].text);
    free(s->point);
}

/* ---- results ---- */

static const struct exp_run *run_at(const struct study *s, unsigned program, unsigned point)
{
    unsigned series = point / s->variants, workload = program * s->variants + point % s->variants;
    return s->lab.plan->cell[series * s->lab.x->nworkloads + workload];
}

const json_t *study_result(const struct study *s, unsigned program, unsigned point)
{
    return run_at(s, program, point)->result;
}

bool study_failed(const struct study *s, unsigned program, unsigned point)
{
    return run_at(s, program, point)->state == RUN_FAILED;
}

double study_speedup(const struct study *s, unsigned program, unsigned point)
{
    double base = json_number_value(json_object_get(study_result(s, program, point % s->variants), "cycles")),
           own = json_number_value(json_object_get(study_result(s, program, point), "cycles"));
    return base > 0 && own > 0 ? base / own : 0;
}
