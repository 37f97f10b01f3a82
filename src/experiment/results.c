/* results.c - writes a results file: first which numbers are needed, then those of each run. */
#include "experiment/results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/value.h"

enum { MAX_COLUMNS = 2048 };

/* ---- which columns ---- */

struct columns {
    struct arena arena;
    const char *name[MAX_COLUMNS];
    unsigned count;
    bool bad;
};

static void add_column(struct columns *c, const char *name)
{
    for (unsigned i = 0; i < c->count; i++)
        if (strcmp(c->name[i], name) == 0) return;
    const char *kept = c->count < MAX_COLUMNS ? arena_strndup(&c->arena, name, strlen(name)) : NULL;
    if (kept) c->name[c->count++] = kept;
    else c->bad = true;
}

/* The names in a metric; `array`: it is evaluated for each element of that, else for the whole result. */
static void add_names(struct columns *c, const struct expr *x, const char *array)
{
    if (!x) return;
    if (x->op == EXPR_NAME) {
        char name[300];
        if (array && strcmp(x->name, "index") == 0) return;
        if (!array && strncmp(x->name, "gpu.", 4) == 0) return; /* the machine's, not the run's */
        bool bare = array && strcmp(x->name, "value") == 0;
        snprintf(name, sizeof name, "%s%s%s%s", array ? array : "", array ? "[]" : "", array && !bare ? "." : "",
                 bare ? "" : x->name);
        add_column(c, name);
        return;
    }
    bool spread = x->op == EXPR_CALL && x->set;
    add_names(c, x->a, spread ? x->set : array);
    add_names(c, x->b, array);
}

/* A table: its rows are apart by semicolons. */
static void add_heat(struct columns *c, const char *array)
{
    char name[300];
    snprintf(name, sizeof name, "%s[][]", array);
    add_column(c, name);
}

static void collect(struct columns *c, const struct experiment *x)
{
    for (unsigned i = 0; i < x->nseries; i++) add_names(c, x->series[i]->by, NULL);
    for (unsigned i = 0; i < x->nfigures; i++) {
        const struct exp_figure *f = &x->figures[i];
        if (f->chart == CHART_HEAT) add_heat(c, f->each);
        else add_names(c, f->view.metric, f->each);
        add_names(c, f->x, f->chart == CHART_HEAT ? "samples" : f->each);
        for (unsigned k = 0; k < f->nparts; k++) add_names(c, f->parts[k].metric, f->each);
    }
    for (unsigned i = 0; i < x->nclaims; i++) {
        const struct exp_claim *k = &x->claims[i];
        if (k->skip) continue;
        /* A figure over elements has none of its own for a claim to use. */
        if (!k->figure || k->view.metric != k->figure->view.metric) add_names(c, k->view.metric, NULL);
        for (unsigned m = 0; m < k->nmetrics; m++) add_names(c, k->metrics[m].metric, NULL);
    }
}

/* ---- rows ---- */

/* The shortest text that is this number. */
static void put_real(FILE *out, double v)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (text_double(text, NULL) == v) break;
    }
    fputs(text, out);
}

static void put_number(FILE *out, const json_t *v)
{
    if (json_is_integer(v)) fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else if (json_is_real(v)) put_real(out, json_real_value(v));
}

/* "3 5 -": the elements, or that member of each. */
static void put_array(FILE *out, const json_t *array, const char *member)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *v = json_array_get(array, i);
        if (i) fputc(' ', out);
        if (member) v = json_at(v, member);
        if (json_is_number(v)) put_number(out, v);
        else fputc('-', out);
    }
}

static void put_cell(FILE *out, const json_t *result, const char *column)
{
    const char *elements = strstr(column, "[]");
    if (!elements) {
        put_number(out, json_at(result, column));
        return;
    }
    char name[300];
    snprintf(name, sizeof name, "%.*s", (int)(elements - column), column);
    const json_t *array = json_at(result, name);
    if (elements[2] != '[') {
        put_array(out, array, elements[2] ? elements + 3 : NULL);
        return;
    }
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (i) fputc(';', out);
        put_array(out, json_array_get(array, i), NULL);
    }
}

void series_key(const struct experiment *x, unsigned series, char *out, size_t size)
{
    unsigned before = 0;
    for (unsigned i = 0; i < series; i++) before += strcmp(x->series[i]->name, x->series[series]->name) == 0;
    if (before) snprintf(out, size, "%s#%u", x->series[series]->name, before + 1);
    else snprintf(out, size, "%s", x->series[series]->name);
}

static bool written_before(const struct plan *p, unsigned series, unsigned workload)
{
    unsigned n = p->x->nworkloads;
    for (unsigned i = 0; i < series; i++)
        if (p->cell[i * n + workload] == p->cell[series * n + workload]) return true;
    return false;
}

static void put_row(const struct plan *p, unsigned first, unsigned workload, const struct columns *c, FILE *out)
{
    unsigned n = p->x->nworkloads;
    const struct exp_run *r = p->cell[first * n + workload];
    char reason[200] = "";
    put_csv(out, p->x->workloads[workload]->name);
    for (unsigned s = first; s < p->x->nseries; s++) {
        char key[200];
        if (p->cell[s * n + workload] != r) continue;
        series_key(p->x, s, key, sizeof key);
        fprintf(out, "%c%s", s == first ? ',' : ' ', key);
    }
    if (r->state == RUN_FAILED) snprintf(reason, sizeof reason, "%s", r->reason && *r->reason ? r->reason : "failed");
    for (char *q = reason; *q; q++)
        if (*q == '\n') *q = ' ';
    fprintf(out, ",%016" PRIx64 ",", config_lasting_hash(r->config));
    put_csv(out, reason);
    for (unsigned i = 0; i < c->count; i++) {
        fputc(',', out);
        if (r->result) put_cell(out, r->result, c->name[i]);
    }
    fputc('\n', out);
}

int results_write(const struct plan *p, const char *version, FILE *out, struct wl_err *e)
{
    struct columns *c = calloc(1, sizeof *c);
    if (!c) return wl_no_memory(e);
    collect(c, p->x);
    int rc = c->bad ? wl_fail(e, WL_ERUN, "%s needs more than %d different counters", p->x->name, MAX_COLUMNS) : 0;
    if (!rc) {
        bool built_in = strncmp(p->x->file, "experiments/", 12) == 0;
        fputs("warpline-results,1,", out);
        put_csv(out, built_in ? p->x->name : p->x->file);
        fprintf(out, ",%s,%s,%s", size_names[p->size], p->build, version);
        if (p->x->sample) fprintf(out, ",run.sample=%" PRId64, p->x->sample);
        fputs("\nworkload,series,machine,failed", out);
        for (unsigned i = 0; i < c->count; i++) fprintf(out, ",%s", c->name[i]);
        fputc('\n', out);
        for (unsigned w = 0; w < p->x->nworkloads; w++)
            for (unsigned s = 0; s < p->x->nseries; s++) {
                const struct exp_run *r = p->cell[s * p->x->nworkloads + w];
                if (r && r->state != RUN_MISSING && !written_before(p, s, w)) put_row(p, s, w, c, out);
            }
    }
    arena_free(&c->arena);
    free(c);
    return rc;
}
