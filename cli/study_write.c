/* study_write.c - the runs of a study for people and for programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study.h"
#include "run/record_table.h"

/* ---- a table ---- */

static int width_of(const struct dimension *d)
{
    size_t width = strlen(d->key);
    for (unsigned i = 0; i < d->value.count; i++)
        if (strlen(d->value.item[i]) > width) width = strlen(d->value.item[i]);
    return (int)width;
}

/* The fields of what was varied; `p` is NULL for the names. */
static void write_point(const struct study *s, const struct study_point *p, FILE *out)
{
    unsigned varied = 0;
    for (unsigned d = 0; d < s->dimensions; d++) {
        const struct dimension *of = &s->dimension[d];
        if (of->value.count < 2) continue;
        fprintf(out, "  %-*s", width_of(of), p ? of->value.item[p->choice[d]] : of->key);
        varied++;
    }
    if (!varied) fprintf(out, "  %-8s", p ? p->label : "");
}

static double number(const json_t *record, const char *group, const char *key)
{
    const json_t *o = group ? json_object_get(record, group) : record;
    return json_number_value(json_object_get(o, key));
}

static void write_run(const struct study *s, unsigned program, unsigned point, FILE *out)
{
    const json_t *r = study_result(s, program, point);
    const char *name = json_string_value(json_object_get(r, "workload"));
    char cycles[32];
    fprintf(out, "%-14s", point ? "" : name ? name : s->names.item[program]);
    write_point(s, &s->point[point], out);
    if (!r) {
        fprintf(out, "  %14s\n", study_failed(s, program, point) ? "failed" : "not run");
        return;
    }
    double loads = number(r, "l1d", "loads"), misses = number(r, "l1d", "load_misses") + number(r, "l1d", "bypasses");
    fprintf(out, "  %14s  %9.3f  %9.3f  %6.2f %%", with_commas((uint64_t)number(r, NULL, "cycles"), cycles),
            study_speedup(s, program, point), number(r, NULL, "ipc"), loads > 0 ? 100 * misses / loads : 0);
    const json_t *sampled = json_object_get(json_object_get(r, "sampling"), "cycles");
    double value = number(sampled, NULL, "value");
    if (sampled) fprintf(out, "  sampled, cycles +- %.2f %%", 100 * (number(sampled, NULL, "high") / value - 1));
    fputc('\n', out);
}

/* Over the programs that ran at this point and at the first. */
static void write_mean(const struct study *s, unsigned point, FILE *out)
{
    double speedup = 0, ipc = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < s->names.count; i++) {
        const json_t *r = study_result(s, i, point);
        if (!(study_speedup(s, i, point) > 0)) continue;
        speedup += log(study_speedup(s, i, point));
        ipc += log(number(r, NULL, "ipc"));
        n++;
    }
    fprintf(out, "%-14s", point ? "" : "geometric mean");
    write_point(s, &s->point[point], out);
    if (n) fprintf(out, "  %14s  %9.3f  %9.3f", "", exp(speedup / n), exp(ipc / n));
    if (n != s->names.count) fprintf(out, "  of %u of %u programs", n, s->names.count);
    fputc('\n', out);
}

/* A line per run: what was varied, cycles, speedup, IPC, L1 miss rate; means when there are several programs. */
static void study_write_table(const struct study *s, FILE *out)
{
    fprintf(out, "%-14s", "workload");
    write_point(s, NULL, out);
    fprintf(out, "  %14s  %9s  %9s  %8s\n", "cycles", "speedup", "IPC", "L1 miss");
    for (unsigned i = 0; i < s->names.count; i++)
        for (unsigned p = 0; p < s->points; p++) write_run(s, i, p, out);
    for (unsigned p = 0; s->names.count > 1 && p < s->points; p++) write_mean(s, p, out);
}

/* ---- for programs ---- */

static json_t *point_object(const struct study *s, const struct study_point *p)
{
    json_t *o = json_object();
    for (unsigned d = 0; d < s->dimensions; d++)
        if (s->dimension[d].value.count > 1)
            json_object_set_new(o, s->dimension[d].key, json_string(s->dimension[d].value.item[p->choice[d]]));
    return o;
}

/* The record with its place in the study. */
static json_t *record_of(const struct study *s, unsigned program, unsigned point)
{
    json_t *r = json_copy((json_t *)(uintptr_t)study_result(s, program, point));
    if (!r) return NULL;
    json_object_set_new(r, "label", json_string(s->point[point].label));
    json_object_set_new(r, "point", point_object(s, &s->point[point]));
    json_object_set_new(r, "speedup", json_real(round(study_speedup(s, program, point) * 1e6) / 1e6));
    return r;
}

/* An object: the baseline, what was varied, and the records, each with its point, label and speedup. */
static int study_write_json(const struct study *s, FILE *out, struct wl_err *e)
{
    json_t *root = json_object(), *runs = json_array(), *varied = json_array();
    int bad = json_object_set_new(root, "baseline", json_string(s->point[0].label));
    bad |= json_object_set_new(root, "varied", varied);
    bad |= json_object_set_new(root, "runs", runs);
    for (unsigned d = 0; d < s->dimensions; d++)
        if (s->dimension[d].value.count > 1) bad |= json_array_append_new(varied, json_string(s->dimension[d].key));
    for (unsigned i = 0; i < s->names.count; i++)
        for (unsigned p = 0; p < s->points; p++) {
            json_t *r = record_of(s, i, p);
            if (r) bad |= json_array_append_new(runs, r);
        }
    if (!bad) bad = json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) && !ferror(out);
    fputc('\n', out);
    json_decref(root);
    return bad ? wl_fail(e, WL_ERUN, "out of memory while writing JSON") : 0;
}

/* A tidy table: a row per run. */
static int study_write_csv(const struct study *s, FILE *out, struct wl_err *e)
{
    struct record_table *t = record_table_new(NULL);
    int rc = t ? 0 : wl_no_memory(e);
    for (int pass = 0; !rc && pass < 2; pass++) {
        if (pass) record_table_header(t, out), fputc('\n', out);
        for (unsigned i = 0; !rc && i < s->names.count * s->points; i++) {
            json_t *r = record_of(s, i / s->points, i % s->points);
            if (r && pass) record_table_row(t, r, out), fputc('\n', out);
            else if (r) rc = record_table_learn(t, r, e);
            json_decref(r);
        }
    }
    record_table_free(t);
    return rc;
}

int study_write(const struct study *s, struct output *out, struct wl_err *e)
{
    int rc = out->json ? study_write_json(s, out->json, e) : 0;
    if (!rc && out->csv) rc = study_write_csv(s, out->csv, e);
    if (!rc && out->text) study_write_table(s, stdout);
    return rc;
}
