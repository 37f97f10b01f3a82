/* read_figure.c - figures: what is drawn over which workloads.
 *
 * A sweep is resolved here into ordinary series, one for each series and point; everything that
 * counts, normalises or averages then needs to know nothing about sweeps. */
#include "experiment/reader.h"
#include "run/run.h"

#include <stdio.h>
#include <string.h>

const char *const chart_names[CHART_COUNT] = {"bars", "stacked", "grouped", "lines",   "sweep",
                                              "time", "cdf",     "heat",    "scatter", "table"};

static const char *const figure_keys[] = {"title",     "note",    "chart", "workloads", "series", "metric",
                                          "base",      "mean",    "sweep", "xlabel",    "ylabel", "each",
                                          "part.NAME", "example", "x",     "xscale",    "seeds",  NULL};

static const char *text_or(struct ini_section *in, const char *key, const char *otherwise)
{
    const struct ini_key *k = ini_take(in, key);
    return k ? k->value : otherwise;
}

static int read_chart(struct reader *r, struct ini_section *in, struct exp_figure *f)
{
    const struct ini_key *k = ini_take(in, "chart");
    f->chart = CHART_BARS;
    if (!k) return 0;
    for (unsigned i = 0; i < CHART_COUNT; i++)
        if (strcmp(chart_names[i], k->value) == 0) return f->chart = (enum chart)i, 0;
    return reader_unknown(r, k, 0, "chart", k->value, chart_names, CHART_COUNT);
}

/* ---- series and sweep ---- */

static int shown_series(struct reader *r, struct ini_section *in, unsigned found[MAX_SERIES], unsigned *count)
{
    const struct ini_key *k = ini_take(in, "series");
    *count = 0;
    if (!k) {
        for (unsigned i = 0; i < r->x->nseries; i++)
            if (!r->x->series[i]->hidden) found[(*count)++] = i;
        return 0;
    }
    const char *p = k->value, *word;
    size_t len;
    while (next_word(&p, &word, &len)) {
        char name[64];
        const struct exp_series *s = find_series(r, word, len);
        snprintf(name, sizeof name, "%.*s", (int)len, word);
        if (!s) return unknown_series(r, k, (unsigned)(word - k->value), name);
        if (*count == MAX_SERIES) return reader_fail(r, k, 0, "more than %d series", MAX_SERIES);
        found[(*count)++] = s->index;
    }
    return *count ? 0 : reader_fail(r, k, 0, "name the series to show");
}

static int derive_points(struct reader *r, const struct ini_key *k, const struct exp_figure *f, unsigned of,
                         unsigned *out, unsigned stride)
{
    if (r->x->series[of]->best)
        return reader_fail(r, k, 0, "'%s' chooses among series and cannot be swept", r->x->series[of]->name);
    for (unsigned i = 0; i < f->npoints; i++) {
        struct exp_series *s = NULL;
        int rc = derive_series(r, r->x->series[of], k, f->sweep, f->points[i], &s);
        if (rc) return rc;
        out[i * stride] = s->index;
    }
    return 0;
}

/* Each point is normalised to the base series at the same point. */
static int sweep_bases(struct reader *r, const struct ini_key *k, struct exp_figure *f, const unsigned *shown, int base)
{
    for (unsigned i = 0; i < f->nseries; i++) {
        int own = r->x->series[shown[i]]->base;
        int of = own >= 0 ? own : base;
        unsigned at[MAX_LIST];
        if (of < 0) continue;
        int rc = derive_points(r, k, f, (unsigned)of, at, 1);
        for (unsigned p = 0; !rc && p < f->npoints; p++) r->x->series[f->series[p * f->nseries + i]]->base = (int)at[p];
        if (rc) return rc;
    }
    return 0;
}

static int read_sweep(struct reader *r, struct ini_section *in, struct exp_figure *f, const unsigned *shown)
{
    const struct ini_key *k = ini_take(in, "sweep"), *base = ini_take(in, "base");
    if (!k) return ini_fail_section(&r->ini, in, "a sweep needs its values: sweep = l1d.ways: 2 4 8", r->e);
    int rc = read_points(r, k, &f->sweep, &f->points, &f->npoints);
    if (rc) return rc;
    f->series = ARENA_ARRAY(r->arena, unsigned, f->npoints * f->nseries);
    if (!f->series) return reader_memory(r);
    for (unsigned i = 0; !rc && i < f->nseries; i++) rc = derive_points(r, k, f, shown[i], f->series + i, f->nseries);
    if (rc) return rc;
    const char *at = base ? strchr(base->value, '@') : NULL;
    size_t len = base ? strcspn(base->value, "@") : 0;
    const struct exp_series *s = base ? find_series(r, base->value, len) : NULL;
    if (base && !s) return unknown_series(r, base, 0, base->value);
    if (!at) return sweep_bases(r, k, f, shown, s ? (int)s->index : -1);
    struct exp_series *fixed = NULL;
    if ((rc = derive_series(r, s, base, f->sweep, at + 1, &fixed))) return rc;
    f->view.base = (int)fixed->index;
    return 0;
}

static int read_plain_series(struct reader *r, struct ini_section *in, struct exp_figure *f, const unsigned *shown)
{
    const struct ini_key *k = ini_take(in, "sweep"), *base = ini_take(in, "base");
    if (k) return reader_fail(r, k, 0, "sweep goes with chart = sweep");
    f->series = ARENA_ARRAY(r->arena, unsigned, f->nseries);
    if (!f->series) return reader_memory(r);
    memcpy(f->series, shown, f->nseries * sizeof *shown);
    if (!base) return 0;
    const struct exp_series *s = find_series(r, base->value, strlen(base->value));
    if (!s) return unknown_series(r, base, 0, base->value);
    if (f->each && f->chart == CHART_STACKED)
        return reader_fail(r, base, 0, "parts over time are not divided by a base");
    f->view.base = (int)s->index;
    return 0;
}

/* ---- metric, parts, means ---- */

/* "no_issue" is shown as "no issue". */
static const char *words_of(struct reader *r, const char *name)
{
    char *copy = arena_strndup(r->arena, name, strlen(name));
    for (char *p = copy; p && *p; p++)
        if (*p == '_') *p = ' ';
    return copy;
}

static int read_parts(struct reader *r, struct ini_section *in, struct exp_figure *f)
{
    struct exp_part found[32];
    unsigned n = 0;
    for (struct ini_key *k = in->keys; k; k = k->next) {
        if (strncmp(k->name, "part.", 5) != 0) continue;
        k->used = true;
        if (!chart_has_parts(f->chart)) return reader_fail(r, k, 0, "parts go with chart = stacked or grouped");
        if (n == 32) return reader_fail(r, k, 0, "more than 32 parts");
        if (!(found[n].label = words_of(r, k->name + 5))) return reader_memory(r);
        int rc = read_metric(r, k, f->each != NULL, &found[n++].metric);
        if (rc) return rc;
    }
    if (chart_has_parts(f->chart) && !n)
        return ini_fail_section(&r->ini, in, "such bars need parts: part.hits = l1d.hits / l1d.accesses", r->e);
    struct exp_part *kept = ARENA_ARRAY(r->arena, struct exp_part, n);
    if (!kept) return reader_memory(r);
    memcpy(kept, found, n * sizeof *kept);
    f->parts = kept;
    f->nparts = n;
    return 0;
}

/* x = cycle, xscale = log. */
static int read_place(struct reader *r, struct ini_section *in, struct exp_figure *f)
{
    const struct ini_key *x = ini_take(in, "x"), *scale = ini_take(in, "xscale");
    if (scale && strcmp(scale->value, "log") != 0 && strcmp(scale->value, "linear") != 0)
        return reader_fail(r, scale, 0, "xscale is linear or log");
    f->log_x = scale && strcmp(scale->value, "log") == 0;
    if (scale && !x) return reader_fail(r, scale, 0, "xscale goes with x = ...");
    if (!x) return 0;
    if (!f->each && f->chart != CHART_SCATTER)
        return reader_fail(r, x, 0, "x goes with chart = time, cdf, heat or scatter, or stacked with each = samples");
    f->x_text = x->value;
    return read_metric(r, x, f->each != NULL, &f->x);
}

static int read_measure(struct reader *r, struct ini_section *in, struct exp_figure *f)
{
    const struct ini_key *k = ini_take(in, "metric"), *each = ini_take(in, "each");
    bool parts = chart_has_parts(f->chart), elements = chart_walks(f->chart) || (each && f->chart == CHART_STACKED);
    if (each && !elements) return reader_fail(r, each, 0, "each goes with chart = time, cdf, heat or stacked");
    if (elements && !each)
        return ini_fail_section(&r->ini, in, "a time, cdf or heat chart walks an array of the result: each = kernels",
                                r->e);
    f->each = each ? each->value : NULL;
    if ((f->chart == CHART_HEAT || (parts && each)) && (f->nseries != 1 || f->view.workloads.count != 1))
        return ini_fail_section(&r->ini, in, "a heat map or parts over time show one workload and one series", r->e);
    int rc = read_place(r, in, f);
    if (rc) return rc;
    if (!k && (f->chart == CHART_HEAT || (f->chart == CHART_SCATTER && !f->x))) return 0;
    if (parts) {
        if (k) return reader_fail(r, k, 0, "such bars have part.NAME = ... instead of a metric");
        return 0;
    }
    if (!k) return ini_fail_section(&r->ini, in, "a figure needs a metric: metric = ipc", r->e);
    f->view.metric_text = k->value;
    return read_metric(r, k, elements, &f->view.metric);
}

/* "geometric", "arithmetic of divergent". */
static int read_mean(struct reader *r, const struct ini_key *k, const char *item, unsigned offset,
                     const struct exp_figure *f, struct exp_mean *out)
{
    static const char *const kinds[] = {"geometric", "arithmetic"};
    const char *p = item, *word;
    size_t len;
    char name[64];
    if (!next_word(&p, &word, &len)) return reader_fail(r, k, offset, "write geometric or arithmetic");
    snprintf(name, sizeof name, "%.*s", (int)len, word);
    if (strcmp(name, kinds[0]) != 0 && strcmp(name, kinds[1]) != 0)
        return reader_unknown(r, k, offset, "mean", name, kinds, 2);
    out->kind = name[0] == 'g' ? MEAN_GEOMETRIC : MEAN_ARITHMETIC;
    out->over = f->view.workloads;
    if (!next_word(&p, &word, &len)) {
        out->label = arena_printf(r->arena, "%s mean", name);
        return out->label ? 0 : reader_memory(r);
    }
    if (len != 2 || strncmp(word, "of", 2) != 0)
        return reader_fail(r, k, offset + (unsigned)(word - item), "write '%s of GROUP'", name);
    p += strspn(p, " \t");
    out->label = arena_printf(r->arena, "%s mean, %s", name, p);
    if (!out->label) return reader_memory(r);
    return read_set(r, k, p, offset + (unsigned)(p - item), &out->over);
}

static int read_means(struct reader *r, struct ini_section *in, struct exp_figure *f)
{
    const struct ini_key *k = ini_take(in, "mean");
    struct exp_mean found[16];
    unsigned n = 0;
    if (!k) return 0;
    if (f->each || f->chart == CHART_SCATTER)
        return reader_fail(r, k, 0, "a %s chart%s has no mean", chart_names[f->chart], f->each ? " over elements" : "");
    for (const char *p = k->value; *p;) {
        size_t len = strcspn(p, ",");
        const char *item = arena_strndup(r->arena, p, len);
        if (!item) return reader_memory(r);
        if (n == 16) return reader_fail(r, k, 0, "more than 16 means");
        int rc = read_mean(r, k, item, (unsigned)(p - k->value), f, &found[n++]);
        if (rc) return rc;
        p += len + (p[len] == ',');
    }
    struct exp_mean *kept = ARENA_ARRAY(r->arena, struct exp_mean, n);
    if (!kept) return reader_memory(r);
    memcpy(kept, found, n * sizeof *kept);
    f->means = kept;
    f->nmeans = n;
    return 0;
}

/* ---- seeds ---- */

/* The workload with that seed: itself, or one like it that is made for this. -1: there is no room, *e is set. */
static int workload_seeded(struct reader *r, const struct ini_key *k, unsigned of, uint64_t seed)
{
    struct experiment *x = r->x;
    const struct exp_workload *from = x->workloads[of];
    if (from->seed == seed) return (int)of;
    const char *name = arena_printf(r->arena, "%s@seed%llu", from->name, (unsigned long long)seed);
    for (unsigned i = 0; name && i < x->nworkloads; i++)
        if (strcmp(x->workloads[i]->name, name) == 0) return (int)i;
    struct exp_workload *w = ARENA_NEW(r->arena, struct exp_workload);
    if (!w || !name) return reader_memory(r), -1;
    if (!from->program) return reader_fail(r, k, 0, "'%s' is a trace, which has no seed", from->name), -1;
    if (x->nworkloads == MAX_WORKLOADS) return reader_fail(r, k, 0, "more than %d workloads", MAX_WORKLOADS), -1;
    *w = *from;
    w->name = w->label = name;
    w->seed = seed;
    w->hidden = true;
    x->workloads[x->nworkloads] = w;
    return (int)x->nworkloads++;
}

/* seeds = 1 2 3: the mean over them is drawn, with the lowest and the highest. */
static int read_seeds(struct reader *r, struct ini_section *in, struct exp_figure *f)
{
    enum { MOST = 32 };
    const struct ini_key *k = ini_take(in, "seeds");
    uint64_t seed[MOST];
    unsigned n = 0;
    if (!k) return 0;
    if (f->chart != CHART_BARS && f->chart != CHART_LINES && f->chart != CHART_TABLE)
        return reader_fail(r, k, 0, "seeds go with chart = bars, lines or table");
    const char *p = k->value, *word;
    size_t len;
    while (next_word(&p, &word, &len)) {
        char text[32];
        snprintf(text, sizeof text, "%.*s", (int)len, word);
        if (n == MOST) return reader_fail(r, k, 0, "more than %d seeds", MOST);
        if (!read_size(text, &seed[n++]))
            return reader_fail(r, k, (unsigned)(word - k->value), "'%s' is no number: seeds = 1 2 3", text);
    }
    if (n < 2) return reader_fail(r, k, 0, "write several seeds: seeds = 1 2 3");
    f->seeded = ARENA_ARRAY(r->arena, unsigned, f->view.workloads.count *n);
    if (!f->seeded) return reader_memory(r);
    for (unsigned w = 0; w < f->view.workloads.count; w++)
        for (unsigned i = 0; i < n; i++) {
            int at = workload_seeded(r, k, f->view.workloads.item[w], seed[i]);
            if (at < 0) return (int)r->e->code;
            f->seeded[w * n + i] = (unsigned)at;
        }
    f->nseeds = n;
    return 0;
}

/* ---- one figure ---- */

static int check_id(struct reader *r, const struct ini_section *in, unsigned before)
{
    if (!*in->name || in->name[strcspn(in->name, " /\\\t\"'")])
        return ini_fail_section(&r->ini, in, "a figure needs an id without blanks or slashes, as in [figure 1]", r->e);
    for (unsigned i = 0; i < before; i++)
        if (strcmp(r->x->figures[i].id, in->name) == 0)
            return ini_fail_section(&r->ini, in, "there is a figure with this id already", r->e);
    return 0;
}

/* A table of what happened in which cycle of a paper's worked example; no runs, no series. */
static int read_example(struct reader *r, struct ini_section *in, const struct ini_key *k, struct exp_figure *f)
{
    const char *names[16];
    unsigned n = 0;
    while (n < 16 && examples[n]) names[n] = examples[n]->name, n++;
    f->chart = CHART_TABLE;
    f->view.workloads = (struct exp_set){NULL, 0};
    if (!(f->example = example_find(k->value))) return reader_unknown(r, k, 0, "example", k->value, names, n);
    return refuse_unused(r, in, figure_keys);
}

static int read_one(struct reader *r, struct ini_section *in, struct exp_figure *f, unsigned before)
{
    unsigned shown[MAX_SERIES];
    int rc = check_id(r, in, before);
    if (rc) return rc;
    *f = (struct exp_figure){.id = in->name, .line = in->line, .view.base = -1, .view.workloads = r->x->chosen};
    f->title = text_or(in, "title", in->name);
    f->note = text_or(in, "note", NULL);
    f->xlabel = text_or(in, "xlabel", NULL);
    f->ylabel = text_or(in, "ylabel", NULL);
    const struct ini_key *k = ini_take(in, "example");
    if (k) return read_example(r, in, k, f);
    k = ini_take(in, "workloads");
    if (k) rc = read_set(r, k, k->value, 0, &f->view.workloads);
    if (!rc && !f->view.workloads.count)
        return ini_fail_section(&r->ini, in, "no workloads: add 'workloads = atax bfs' here or at the head of the file",
                                r->e);
    if (!rc) rc = read_chart(r, in, f);
    if (!rc) rc = shown_series(r, in, shown, &f->nseries);
    if (!rc) rc = read_measure(r, in, f);
    if (!rc) rc = f->chart == CHART_SWEEP ? read_sweep(r, in, f, shown) : read_plain_series(r, in, f, shown);
    if (!rc) rc = read_parts(r, in, f);
    if (!rc) rc = read_means(r, in, f);
    if (!rc) rc = read_seeds(r, in, f);
    return rc ? rc : refuse_unused(r, in, figure_keys);
}

int read_figures(struct reader *r)
{
    unsigned n = 0, variants = 0;
    for (struct ini_section *s = r->ini.sections; s; s = s->next) {
        n += strcmp(s->kind, "figure") == 0;
        variants += strcmp(s->kind, "variant") == 0;
    }
    if (variants > MAX_VARIANTS)
        return wl_fail(r->e, WL_EINPUT, "%s: more than %d variants", r->ini.file, MAX_VARIANTS);
    n *= 1 + variants; /* read_variants makes one of each for each */
    r->x->figures = ARENA_ARRAY(r->arena, struct exp_figure, n);
    if (!r->x->figures) return reader_memory(r);
    for (struct ini_section *s = r->ini.sections; s; s = s->next) {
        if (strcmp(s->kind, "figure") != 0) continue;
        int rc = read_one(r, s, &r->x->figures[r->x->nfigures], r->x->nfigures);
        if (rc) return rc;
        r->x->nfigures++;
    }
    return 0;
}
