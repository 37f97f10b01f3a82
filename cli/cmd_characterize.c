/* cmd_characterize.c - programs as the papers describe them, with no policy involved. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/character.h"
#include "cli/source_view.h"

struct characters {
    struct run **run; /* NULL entries: not made; none for an executable */
    unsigned runs;
    struct exec_outcome exec;
    const struct run_result **result;
    struct character *of;
    unsigned count;
};

/* Room for so many programs. */
static int make_room(struct characters *a, unsigned n, struct wl_err *e)
{
    a->result = calloc(n ? n : 1, sizeof(const struct run_result *));
    a->of = calloc(n ? n : 1, sizeof *a->of);
    return a->result && a->of ? 0 : wl_fail(e, WL_ERUN, "out of memory");
}

static int run_all(struct characters *a, const struct text_list *names, const struct options *o, struct wl_err *e)
{
    int rc = make_room(a, names->count, e);
    a->run = calloc(names->count, sizeof(struct run *));
    if (!a->run) rc = wl_fail(e, WL_ERUN, "out of memory");
    for (unsigned i = 0; !rc && i < names->count; i++) {
        a->run[i] = character_run(names->item[i], o, e);
        if (!a->run[i]) rc = (int)e->code;
        a->runs = i + 1;
    }
    for (unsigned i = 0; !rc && i < names->count; i++) {
        if (names->count > 1 && !o->quiet && isatty(2))
            fprintf(stderr, "%u of %u: %s\n", i + 1, names->count, names->item[i]);
        rc = run_go(a->run[i], e);
        a->result[i] = run_result(a->run[i]);
        if (!rc) character_of(a->result[i], &a->of[i]);
        a->count = i + 1;
    }
    return rc;
}

/* An executable: every process of it that launched a kernel. */
static int run_executable(struct characters *a, const struct options *o, struct wl_err *e)
{
    char why[1024];
    int rc = character_exec(o, &a->exec, e);
    if (!rc) rc = make_room(a, a->exec.processes, e);
    for (unsigned i = 0; !rc && i < a->exec.processes; i++) {
        const struct exec_process *p = a->exec.process[i];
        if (!p->result.nkernels) continue;
        a->result[a->count] = &p->result;
        character_of(&p->result, &a->of[a->count++]);
    }
    if (rc || a->count) return rc;
    exec_silence(o->program[0], why, sizeof why);
    return wl_fail(e, WL_EINPUT, "%s: no kernel ran; %s", o->program[0], why);
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
static json_t *character_json(const struct run_result *r, const struct character *c)
{
    struct run_result plain = *r;
    plain.samples = NULL;
    json_t *o = result_json(&plain), *m = json_object();
    if (!o) return NULL;
    int bad = json_object_set_new(o, "metrics", m);
    for (unsigned i = 0; i < c->metrics; i++)
        bad |= json_object_set_new(m, c->metric[i].key,
                                   isnan(c->metric[i].value) ? json_null() : json_real(rounded(c->metric[i].value)));
    bad |= json_object_set_new(o, "sizes_over_time", size_list(c));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

static int write_json(const struct characters *a, FILE *out, struct wl_err *e)
{
    json_t *root = a->count == 1 ? character_json(a->result[0], &a->of[0]) : json_array();
    int bad = !root;
    for (unsigned i = 0; !bad && a->count > 1 && i < a->count; i++)
        bad = json_array_append_new(root, character_json(a->result[i], &a->of[i]));
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
        const struct run_result *r = a->result[i];
        struct program_size p = program_size(r);
        fprintf(out, "%s,%s,%s,%s,\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                r->workload, r->size, r->inputs, r->gpu, r->sched.spec, p.kernels, p.launches, p.ctas, p.threads,
                r->stats.sm.warp_instructions, r->stats.sm.l1d_loads);
        for (unsigned k = 0; k < a->of[i].metrics; k++) {
            double v = a->of[i].metric[k].value;
            if (isnan(v)) fputc(',', out); /* a median of nothing */
            else fprintf(out, ",%.6f", v);
        }
        fputc('\n', out);
    }
}

/* ---- the command ---- */

static int write_source(const struct characters *a, struct output *out, enum source_order order, struct wl_err *e)
{
    int rc = out->json ? write_json(a, out->json, e) : 0;
    if (!rc && out->csv) source_write_csv(a->result[0], out->csv);
    if (!rc && out->text) rc = source_write(a->result[0], order, stdout, e);
    return rc;
}

static int write_all(const struct characters *a, struct output *out, struct wl_err *e)
{
    int rc = out->json ? write_json(a, out->json, e) : 0;
    if (!rc && out->csv) write_csv(a, out->csv);
    if (!rc && out->text && a->count == 1) character_write_text(a->result[0], &a->of[0], stdout);
    if (!rc && out->text && a->count > 1) character_write_table(a->result, a->of, a->count, stdout);
    return rc;
}

static int check_words(const struct options *o, struct text_list *names, enum source_order *order, struct wl_err *e)
{
    int rc = source_order(o->sort, order, e);
    if (rc) return rc;
    if (!o->words.count && !(o->program && o->program[0]))
        return wl_fail(e, WL_EINPUT,
                       "characterize needs a workload, several, or a @group; see 'warpline list workloads'");
    if (o->words.count && o->program)
        return wl_fail(e, WL_EINPUT, "characterize takes an executable alone: -- %s", o->program[0]);
    if (o->launch && !o->program) return wl_fail(e, WL_EINPUT, "--launch is for executables: -- PROGRAM");
    rc = expand_words(&o->words, names, e);
    if (!rc && o->sort && !o->source) rc = wl_fail(e, WL_EINPUT, "--sort goes with --source");
    if (!rc && o->source && names->count > 1)
        rc = wl_fail(e, WL_EINPUT, "--source shows one program, not %u", names->count);
    if (!rc && names->count == 1) rc = refuse_options(o, run_kind(names->item[0]), e);
    return rc;
}

int cmd_characterize(const struct options *o, struct wl_err *e)
{
    struct text_list names;
    struct output out = {0};
    struct characters a = {0};
    enum source_order order;
    int rc = check_words(o, &names, &order, e);
    if (rc) return rc;
    rc = output_open(&out, o, e);
    if (!rc) rc = o->program ? run_executable(&a, o, e) : run_all(&a, &names, o, e);
    WL_ASSERT(rc || (a.count && a.result && a.result[0] && a.of));
    if (!rc) rc = o->source ? write_source(&a, &out, order, e) : write_all(&a, &out, e);
    rc = output_close(&out, rc, e);
    for (unsigned i = 0; i < a.runs; i++) run_free(a.run[i]);
    exec_free(&a.exec);
    free(a.run);
    free(a.result);
    free(a.of);
    return rc;
}
