/* bench_against.c - our CPU seconds next to those that another simulator took for the same programs.
 *
 * The programs and the other's seconds are those of reference files (column cpu_seconds, docs/fidelity-files.md). Each
 * of our runs is a process of its own, one at a time, three times; the fastest counts, with the time it needs to start
 * and to write its record. The other's seconds are of the machine they were recorded on. */
#include <jansson.h>
#include <math.h>

#include "cli/bench_against.h"
#include "cli/references.h"

enum { REPEATS = 3 };

struct against {
    json_t *list;
    bool text;
};

static int compare(void *self, const struct fid_reference *f, struct wl_err *e)
{
    struct against *a = self;
    json_t *rows = json_array();
    double log_sum = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < f->nrows; i++) {
        const struct fid_row *r = &f->row[i];
        if (isnan(r->cpu_seconds) || !(r->spent > 0)) continue;
        if (!n && a->text)
            printf("%s\n%-28s %14s %10s %8s\n", f->title, "program", "reference (s)", "ours (s)", "ratio");
        double ratio = r->cpu_seconds / r->spent;
        log_sum += log(ratio);
        n++;
        if (a->text) printf("%-28s %14.1f %10.3f %8.0f\n", r->name, r->cpu_seconds, r->spent, ratio);
        if (json_array_append_new(rows, json_pack("{s:s,s:f,s:f,s:f}", "name", r->name, "reference_seconds",
                                                  r->cpu_seconds, "seconds", r->spent, "ratio", ratio)))
            return json_decref(rows), wl_no_memory(e);
    }
    if (!n) return json_decref(rows), 0; /* silicon has no such seconds */
    double mean = exp(log_sum / n);
    if (a->text) printf("%-28s %14s %10s %8.0f\n\n", "geometric mean", "", "", mean);
    json_t *one = json_pack("{s:s,s:f,s:o}", "title", f->title, "geometric_mean", mean, "programs", rows);
    return json_array_append_new(a->list, one) ? wl_no_memory(e) : 0;
}

/* The built-in reference has seconds; silicon's do not. */
int bench_against(const struct options *o, struct wl_err *e)
{
    struct output out;
    struct against a = {.list = json_array(), .text = !o->quiet};
    struct options given = *o;
    static const char *const built_in[] = {"gtx480"};
    if (!given.words.count) given.words.item[given.words.count++] = built_in[0];
    int rc = output_open(&out, o, e);
    a.text = a.text && out.text;
    if (!rc) rc = references_run(&given, REPEATS, 1, compare, &a, e);
    if (!rc && !json_array_size(a.list))
        rc = wl_fail(e, WL_EINPUT, "no row has cpu_seconds: there is nothing to compare with");
    if (!rc && out.json && json_dumpf(a.list, out.json, JSON_INDENT(2) | JSON_REAL_PRECISION(6))) rc = wl_no_memory(e);
    if (!rc && out.json) fputc('\n', out.json);
    json_decref(a.list);
    return output_close(&out, rc, e);
}
