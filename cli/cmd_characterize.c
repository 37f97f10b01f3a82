/* cmd_characterize.c - programs as the papers describe them, with no policy involved. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/character.h"
#include "cli/source_view.h"

struct characters {
    struct run **run;
    struct character *of;
    unsigned count;
};

static int run_all(struct characters *a, const struct text_list *names, const struct options *o, struct wl_err *e)
{
    int rc = 0;
    for (unsigned i = 0; !rc && i < names->count; i++) {
        a->run[i] = character_run(names->item[i], o, e);
        if (!a->run[i]) rc = (int)e->code;
    }
    for (unsigned i = 0; !rc && i < names->count; i++) {
        if (names->count > 1 && !o->quiet && isatty(2))
            fprintf(stderr, "%u of %u: %s\n", i + 1, names->count, names->item[i]);
        rc = run_go(a->run[i], e);
        if (!rc) character_of(a->run[i], &a->of[i]);
        a->count = i + 1;
    }
    return rc;
}

/* ---- JSON ---- */

/* Six digits: a share of a million. */
static double rounded(double v) { return round(v * 1e6) / 1e6; }

static json_t *size_list(const struct character *c)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < TIME_SLICES; i++)
        json_array_append_new(list, json_pack("{s:I,s:f,s:f,s:f}", "requests", (json_int_t)c->slice_requests[i],
                                              "size_32", rounded(c->size_share[i][0]), "size_64",
                                              rounded(c->size_share[i][1]), "size_128", rounded(c->size_share[i][2])));
    return list;
}

/* The record of the run without its samples, which would be most of it, and the metrics. */
static json_t *character_json(const struct run *r, const struct character *c)
{
    struct run_result plain = *run_result(r);
    plain.samples = NULL;
    json_t *o = result_json(&plain), *m = json_object();
    if (!o) return NULL;
    int bad = json_object_set_new(o, "metrics", m);
    for (unsigned i = 0; i < c->metrics; i++)
        bad |= json_object_set_new(m, c->metric[i].key, json_real(rounded(c->metric[i].value)));
    bad |= json_object_set_new(o, "sizes_over_time", size_list(c));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

static int write_json(const struct characters *a, FILE *out, struct wl_err *e)
{
    json_t *root = a->count == 1 ? character_json(a->run[0], &a->of[0]) : json_array();
    int bad = !root;
    for (unsigned i = 0; !bad && a->count > 1 && i < a->count; i++)
        bad = json_array_append_new(root, character_json(a->run[i], &a->of[i]));
    if (!bad) bad = json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) && !ferror(out);
    fputc('\n', out);
    json_decref(root);
    return bad ? wl_fail(e, WL_ERUN, "out of memory while writing JSON") : 0;
}

/* ---- CSV: one row per program ---- */

static void write_csv(const struct characters *a, FILE *out)
{
    fputs("workload,size,inputs,gpu,scheduler,kernels,launches,ctas,threads,warp_instructions,loads", out);
    for (unsigned k = 0; k < a->of[0].metrics; k++) fprintf(out, ",%s", a->of[0].metric[k].key);
    fputc('\n', out);
    for (unsigned i = 0; i < a->count; i++) {
        const struct run_result *r = run_result(a->run[i]);
        struct program_size p = program_size(r);
        fprintf(out, "%s,%s,%s,%s,\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                r->workload, r->size, r->inputs, r->gpu, r->sched.spec, p.kernels, p.launches, p.ctas, p.threads,
                r->stats.sm.warp_instructions, r->stats.sm.l1d_loads);
        for (unsigned k = 0; k < a->of[i].metrics; k++) fprintf(out, ",%.6f", a->of[i].metric[k].value);
        fputc('\n', out);
    }
}

/* ---- the command ---- */

static int write_source(const struct characters *a, struct output *out, enum source_order order, struct wl_err *e)
{
    int rc = out->json ? write_json(a, out->json, e) : 0;
    if (!rc && out->csv) source_write_csv(run_result(a->run[0]), out->csv);
    if (!rc && out->text) rc = source_write(run_result(a->run[0]), order, stdout, e);
    return rc;
}

static int write_all(const struct characters *a, struct output *out, struct wl_err *e)
{
    int rc = out->json ? write_json(a, out->json, e) : 0;
    if (!rc && out->csv) write_csv(a, out->csv);
    if (!rc && out->text && a->count == 1) character_write_text(a->run[0], &a->of[0], stdout);
    if (!rc && out->text && a->count > 1) character_write_table(a->run, a->of, a->count, stdout);
    return rc;
}

int cmd_characterize(const struct options *o, struct wl_err *e)
{
    if (!o->words.count)
        return wl_fail(e, WL_EINPUT,
                       "characterize needs a workload, several, or a @group; see 'warpline list workloads'");
    struct text_list names;
    struct output out = {0};
    struct characters a = {0};
    enum source_order order;
    int rc = source_order(o->sort, &order, e);
    if (!rc) rc = expand_words(&o->words, &names, e);
    if (!rc && o->sort && !o->source) rc = wl_fail(e, WL_EINPUT, "--sort goes with --source");
    if (!rc && o->source && names.count > 1)
        rc = wl_fail(e, WL_EINPUT, "--source shows one program, not %u", names.count);
    if (rc) return rc;
    a.run = calloc(names.count, sizeof(struct run *));
    a.of = calloc(names.count, sizeof *a.of);
    if (!a.run || !a.of) rc = wl_fail(e, WL_ERUN, "out of memory");
    if (!rc) rc = output_open(&out, o, e);
    if (!rc) rc = run_all(&a, &names, o, e);
    if (!rc) rc = o->source ? write_source(&a, &out, order, e) : write_all(&a, &out, e);
    rc = output_close(&out, rc, e);
    for (unsigned i = 0; a.run && i < names.count; i++) run_free(a.run[i]);
    free(a.run);
    free(a.of);
    return rc;
}
