/* experiment.c - an experiment file from text to struct experiment.
 *
 * The order matters: workloads, then groups of them, then series, then figures (which make the
 * series of their sweeps), then claims (which name figures). Keys that no part asked for are
 * mistakes; so are sections of an unknown kind. */
#include "experiment/experiment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "experiment/reader.h"
#include "run/run.h"

static const char *const head_keys[] = {"title", "about", "gpu",       "l1",       "l2",     "sched", "set",
                                        "size",  "seed",  "workloads", "headline", "scheme", NULL};
static const char *const workload_keys[] = {"program", "inputs", "inputs.tiny", "inputs.small", "inputs.paper",
                                            "label",   "seed",   "trace",       "kernel",       NULL};
static const char *const section_kinds[] = {"groups", "workload", "series", "figure", "claim", "variant", "unknown"};
enum { KINDS = sizeof section_kinds / sizeof *section_kinds, MAX_FILE = 1 << 20 };
#define EMBEDDED ".experiment" /* how scripts/embed.sh names experiments/NAME.ini */

/* ---- workloads and groups ---- */

static int read_seed(struct reader *r, const struct ini_key *k, uint64_t *out)
{
    char *end;
    if (!k) return 0;
    *out = strtoull(k->value, &end, 0);
    if (*k->value == '-' || end == k->value || *end) return reader_fail(r, k, 0, "a seed is a whole number");
    return 0;
}

/* One name=value for the sizes first..last. */
static int read_input(struct reader *r, const struct ini_key *k, const char *word, size_t len, struct exp_workload *w,
                      unsigned first, unsigned last)
{
    const struct workload_input *in = w->program->input;
    size_t name = 0;
    unsigned offset = (unsigned)(word - k->value);
    while (name < len && word[name] != '=') name++;
    if (name == 0 || name + 1 >= len) return reader_fail(r, k, offset, "write name=value, as in n=512");
    const char *names[WORKLOAD_MAX_INPUTS];
    unsigned n = 0;
    for (; in[n].name; n++) {
        names[n] = in[n].name;
        if (strlen(in[n].name) != name || memcmp(in[n].name, word, name) != 0) continue;
        char *end;
        long long v = strtoll(word + name + 1, &end, 0);
        if (end != word + len || v < in[n].min || v > in[n].max)
            return reader_fail(r, k, offset, "%s is a whole number, %" PRId64 " to %" PRId64, in[n].name, in[n].min,
                               in[n].max);
        for (unsigned size = first; size <= last; size++) {
            w->input[size][n] = v;
            w->given[size][n] = true;
        }
        return 0;
    }
    char shown[64];
    snprintf(shown, sizeof shown, "%.*s", (int)name, word);
    return reader_unknown(r, k, offset, "input", shown, names, n);
}

/* `inputs` holds at every size, `inputs.small` goes before it at that size. */
static int read_inputs(struct reader *r, struct ini_section *in, struct exp_workload *w)
{
    static const char *const keys[] = {"inputs", "inputs.tiny", "inputs.small", "inputs.paper"};
    for (unsigned i = 0; i < 1 + EXP_SIZES; i++) {
        const struct ini_key *k = ini_take(in, keys[i]);
        const char *p = k ? k->value : "", *word;
        size_t len;
        while (k && next_word(&p, &word, &len)) {
            int rc = read_input(r, k, word, len, w, i ? i - 1 : 0, i ? i - 1 : EXP_SIZES - 1);
            if (rc) return rc;
        }
    }
    return 0;
}

/* A file in the experiment's folder. That it is a trace is found out before the first run, not here. */
static int read_trace(struct reader *r, struct ini_section *in, const struct ini_key *trace, struct exp_workload *w)
{
    for (unsigned i = 0; workload_keys[i]; i++) {
        const struct ini_key *k = ini_take(in, workload_keys[i]);
        bool kernel = k && strcmp(k->name, "kernel") == 0;
        if (kernel) w->kernel = k->value;
        if (k && k != trace && !kernel && strcmp(k->name, "label") != 0)
            return reader_fail(r, k, 0, "a trace holds what a program has done; it takes no %s", k->name);
    }
    size_t n = strlen(trace->value);
    const char *slash = strrchr(r->ini.file, '/');
    size_t folder = slash && *trace->value != '/' ? (size_t)(slash + 1 - r->ini.file) : 0;
    char *path = arena_alloc(r->arena, folder + n + 1);
    if (!path) return reader_memory(r);
    memcpy(path, r->ini.file, folder);
    memcpy(path + folder, trace->value, n + 1);
    w->trace = path;
    return 0;
}

static int read_program(struct reader *r, struct ini_section *in, const struct ini_key *program, struct exp_workload *w)
{
    const char *name = program ? program->value : in->name;
    if (!(w->program = workload_find(name))) {
        const char *names[512];
        unsigned n;
        const struct workload *const *all = workloads(&n);
        for (unsigned i = 0; i < n && i < 512; i++) names[i] = all[i]->name;
        if (program) return reader_unknown(r, program, 0, "program", name, names, n);
        return ini_fail_section(&r->ini, in,
                                "no program has this name; add program = NAME, or trace = FILE.wlt or FOLDER", r->e);
    }
    int rc = read_seed(r, ini_take(in, "seed"), &w->seed);
    return rc ? rc : read_inputs(r, in, w);
}

static int read_workload(struct reader *r, struct ini_section *in)
{
    struct experiment *x = r->x;
    const struct ini_key *trace = ini_take(in, "trace"), *program = trace ? NULL : ini_take(in, "program"),
                         *label = ini_take(in, "label");
    if (!*in->name || in->name[strcspn(in->name, " ,\t()-")] == '-' || in->name[strcspn(in->name, " ,\t()")])
        return ini_fail_section(&r->ini, in, "a workload needs a name without blanks, commas, parentheses or -", r->e);
    for (unsigned i = 0; i < x->nworkloads; i++)
        if (strcmp(x->workloads[i]->name, in->name) == 0)
            return ini_fail_section(&r->ini, in, "there is a workload of this name already", r->e);
    if (x->nworkloads == MAX_WORKLOADS) return ini_fail_section(&r->ini, in, "too many workloads", r->e);
    struct exp_workload *w = ARENA_NEW(r->arena, struct exp_workload);
    if (!w) return reader_memory(r);
    *w = (struct exp_workload){.name = in->name, .label = label ? label->value : in->name, .seed = r->seed};
    int rc = trace ? read_trace(r, in, trace, w) : read_program(r, in, program, w);
    if (!rc) x->workloads[x->nworkloads++] = w;
    return rc ? rc : refuse_unused(r, in, workload_keys);
}

static int read_groups(struct reader *r, struct ini_section *in)
{
    for (struct ini_key *k = in->keys; k; k = k->next) {
        k->used = true;
        if (strcmp(k->name, "all") == 0 || workload_find(k->name))
            return reader_fail(r, k, 0, "'%s' already names %s", k->name,
                               strcmp(k->name, "all") ? "a program" : "everything");
        if (r->x->ngroups == MAX_LIST) return reader_fail(r, k, 0, "more than %d groups", MAX_LIST);
        struct exp_group *g = &r->x->groups[r->x->ngroups];
        int rc = read_set(r, k, k->value, 0, &g->members);
        if (rc) return rc;
        g->name = k->name;
        r->x->ngroups++;
    }
    return 0;
}

/* ---- the whole ---- */

static int check_kinds(struct reader *r)
{
    for (struct ini_section *s = r->ini.sections->next; s; s = s->next) {
        unsigned i = 0;
        char why[200];
        while (i < KINDS && strcmp(section_kinds[i], s->kind) != 0) i++;
        if (i < KINDS) continue;
        const char *near = wl_nearest(s->kind, section_kinds, KINDS);
        snprintf(why, sizeof why, "there is no section '%.60s'; %s%s%s", s->kind,
                 near ? "did you mean '" : "there are ",
                 near ? near : "groups, workload, series, figure, claim, variant, unknown", near ? "'?" : "");
        return ini_fail_section(&r->ini, s, why, r->e);
    }
    return 0;
}

/* Programs of the head's list keep its order in "all", whatever the groups name first. */
static int name_programs(struct reader *r, const struct ini_key *list)
{
    const char *p = list->value, *word;
    size_t len;
    int rc = 0;
    while (!rc && next_word(&p, &word, &len)) {
        char name[64];
        struct exp_set one;
        snprintf(name, sizeof name, "%.*s", (int)len, word);
        if (len < sizeof name && workload_find(name)) rc = read_set(r, list, name, 0, &one);
    }
    return rc;
}

static int read_head(struct reader *r)
{
    struct ini_section *head = r->ini.sections;
    const struct ini_key *title = ini_take(head, "title"), *about = ini_take(head, "about"),
                         *size = ini_take(head, "size"), *list = ini_take(head, "workloads");
    r->x->title = title ? title->value : r->x->name;
    r->x->about = about ? about->value : "";
    r->x->size = size ? size->value : NULL;
    enum workload_size known;
    if (size && read_workload_size(size->value, &known, NULL))
        return reader_unknown(r, size, 0, "size", size->value, size_names, SIZE_COUNT);
    int rc = list ? name_programs(r, list) : 0;
    for (struct ini_section *s = head; !rc && s; s = s->next)
        if (strcmp(s->kind, "groups") == 0) rc = read_groups(r, s);
    if (!rc && list) rc = read_set(r, list, list->value, 0, &r->x->chosen);
    return rc;
}

/* headline = fig8.mean_ipc: the claim that the report shows first; by default the first one that counts. */
static int read_headline(struct reader *r, const struct ini_key *k)
{
    struct experiment *x = r->x;
    for (unsigned i = 0; i < x->nclaims && !x->headline; i++) {
        const struct exp_claim *c = &x->claims[i];
        if (k ? strcmp(c->id, k->value) == 0 : !c->own && !c->repeat) x->headline = c;
    }
    if (!k || x->headline) return 0;
    return reader_fail(r, k, 0, "there is no claim '%.80s'", k->value);
}

static int read_all(struct reader *r)
{
    const struct ini_key *headline = ini_take(r->ini.sections, "headline");
    int rc = check_kinds(r);
    if (!rc) rc = read_unknowns(r);
    if (!rc) rc = read_seed(r, ini_take(r->ini.sections, "seed"), &r->seed); /* before any workload is named */
    if (!rc) rc = unknown_seed(r);
    for (struct ini_section *s = r->ini.sections; !rc && s; s = s->next)
        if (strcmp(s->kind, "workload") == 0) rc = read_workload(r, s);
    if (!rc) rc = read_head(r);
    if (!rc) rc = unknown_inputs(r);
    if (!rc) rc = read_series(r);
    if (!rc) rc = check_unknowns(r);
    if (!rc) rc = refuse_unused(r, r->ini.sections, head_keys);
    if (!rc) rc = read_figures(r);
    if (!rc && !r->choice) rc = read_variants(r);
    if (!rc) rc = read_claims(r);
    if (!rc) rc = read_headline(r, headline);
    if (!rc && !r->x->nfigures && !r->x->nclaims)
        rc = wl_fail_at(r->e, r->ini.file, 1, 0, NULL,
                        "nothing to do: add a [figure 1] with 'metric = ipc', or a claim");
    return rc;
}

/* A machine that is built as the file stands, but not with these choices. */
static int refuse_choice(const struct experiment *x, const unsigned *choice, const char *why, struct wl_err *e)
{
    char list[600] = "";
    size_t at = 0;
    unsigned line = 0;
    for (unsigned i = 0; i < x->nunknowns; i++) {
        if (!choice[i]) continue;
        const struct exp_value *v = &x->unknowns[i].values[choice[i] - 1];
        if (at < sizeof list)
            at +=
                (size_t)snprintf(list + at, sizeof list - at, "%s%s=%s", at ? ", " : "", x->unknowns[i].name, v->label);
        line = v->line;
    }
    return wl_fail_at(e, x->file, line, 0, x->source, "with %.500s no machine can be built: %.500s", list, why);
}

static struct experiment *parse_at(const char *name, const char *file, const char *text, const unsigned *choice,
                                   struct wl_err *e)
{
    struct experiment *x = calloc(1, sizeof *x);
    struct reader *r = calloc(1, sizeof *r);
    int rc = WL_ERUN;
    if (x && r) {
        struct arena *a = &x->arena;
        *r = (struct reader){.x = x, .arena = a, .e = e, .seed = 1, .choice = choice};
        x->name = arena_strndup(a, name, strlen(name));
        x->file = arena_strndup(a, file, strlen(file));
        x->workloads = ARENA_ARRAY(a, struct exp_workload *, MAX_WORKLOADS);
        x->series = ARENA_ARRAY(a, struct exp_series *, MAX_SERIES);
        x->groups = ARENA_ARRAY(a, struct exp_group, MAX_LIST);
        x->source = arena_strndup(a, text, strlen(text));
        bool good = x->name && x->file && x->workloads && x->series && x->groups && x->source;
        rc = good ? ini_text_read(&r->ini, x->file, x->source, a, e) : wl_no_memory(e);
        if (!rc) rc = read_all(r);
        if (rc && choice && *r->refused) rc = refuse_choice(x, choice, r->refused, e);
    } else {
        wl_no_memory(e);
    }
    free(r);
    if (!rc) return x;
    experiment_free(x);
    return NULL;
}

struct experiment *experiment_parse(const char *name, const char *file, const char *text, struct wl_err *e)
{
    return parse_at(name, file, text, NULL, e);
}

struct experiment *experiment_at(const struct experiment *x, const unsigned *choice, struct wl_err *e)
{
    struct experiment *at = parse_at(x->name, x->file, x->source, choice, e);
    for (unsigned i = 0; at && i < at->nworkloads; i++) at->workloads[i]->trace_hash = x->workloads[i]->trace_hash;
    if (!at || !x->sample || !experiment_sample(at, x->sample, e)) return at;
    experiment_free(at);
    return NULL;
}

int experiment_sample(struct experiment *x, int64_t sample, struct wl_err *e)
{
    x->sample = sample;
    for (unsigned i = 0; i < x->nseries; i++) x->series[i]->config.v[P_RUN_SAMPLE] = sample;
    for (unsigned i = 0; i < x->nfigures; i++) {
        struct exp_figure *f = &x->figures[i];
        if (f->example) continue;
        f->title = arena_printf(&x->arena, "%s (sampled)", f->title ? f->title : "");
        if (!f->title) return wl_no_memory(e);
    }
    return 0;
}

void experiment_free(struct experiment *x)
{
    if (x) arena_free(&x->arena);
    free(x);
}

const struct exp_figure *experiment_figure(const struct experiment *x, const char *id)
{
    for (unsigned i = 0; i < x->nfigures; i++)
        if (strcmp(x->figures[i].id, id) == 0) return &x->figures[i];
    return NULL;
}

/* ---- where texts come from ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

unsigned experiment_names(const char *names[], unsigned max)
{
    static char kept[64][64];
    unsigned n = 0;
    for (const struct embed_file *f = embed_files; f->name && n < max && n < 64; f++) {
        size_t len = strlen(f->name), end = strlen(EMBEDDED);
        if (len <= end || len - end > 63 || strcmp(f->name + len - end, EMBEDDED) != 0) continue;
        memcpy(kept[n], f->name, len - end);
        kept[n][len - end] = 0;
        names[n] = kept[n];
        n++;
    }
    if (n) qsort(names, n, sizeof names[0], compare_names);
    return n;
}

static char *read_file(const char *path, struct wl_err *e)
{
    FILE *f = fopen(path, "rb");
    if (!f) return wl_fail(e, WL_EINPUT, "cannot read %s: %m", path), NULL;
    char *text = malloc(MAX_FILE + 1);
    size_t n = text ? fread(text, 1, MAX_FILE + 1, f) : 0;
    bool bad = !text || ferror(f) || n > MAX_FILE;
    fclose(f);
    if (!bad) text[n] = 0;
    if (!bad && strlen(text) == n) return text;
    wl_fail(e, text ? WL_EINPUT : WL_ERUN, "cannot read %s: %s", path,
            !text ? "out of memory"
            : bad ? "it is no text of less than a megabyte"
                  : "it has zero bytes in it");
    free(text);
    return NULL;
}

struct experiment *experiment_load(const char *name, struct wl_err *e)
{
    char embedded[160], base[128];
    snprintf(embedded, sizeof embedded, "%.120s" EMBEDDED, name);
    const struct embed_file *f = embed_find(embedded);
    if (f) {
        snprintf(embedded, sizeof embedded, "experiments/%.120s.ini", name);
        return experiment_parse(name, embedded, f->data, e);
    }
    if (!strchr(name, '/') && !strchr(name, '.')) {
        const char *names[64];
        unsigned n = experiment_names(names, 64);
        const char *near = wl_nearest(name, names, n);
        wl_fail(e, WL_EINPUT, "there is no experiment '%s'; %s%s%s", name,
                near ? "did you mean '" : "give a file, or see ", near ? near : "'warpline list figures",
                near ? "'?" : "'");
        return NULL;
    }
    char *text = read_file(name, e);
    if (!text) return NULL;
    const char *slash = strrchr(name, '/');
    snprintf(base, sizeof base, "%s", slash ? slash + 1 : name);
    if (strrchr(base, '.')) *strrchr(base, '.') = 0;
    struct experiment *x = experiment_parse(*base ? base : "experiment", name, text, e);
    free(text);
    return x;
}
