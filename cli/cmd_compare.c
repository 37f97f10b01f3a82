/* cmd_compare.c - workloads and traces across machines, policies and schedulers, normalised to the first.
 *
 * Lists given to --gpu, --l1, --l2 and --sched are multiplied; all combinations are checked
 * before the first run, so that a typing error does not cost an hour. A comma also separates the
 * parameters of one policy: a piece like "replace=stall" belongs to the policy before it. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "run/traces.h"

enum { MAX_VARIANTS = 256, DIMENSIONS = 4 };
enum { GPU, L1, L2, SCHED };

struct variant {
    const char *choice[DIMENSIONS]; /* NULL: the machine's own */
    char label[128];
    struct gpu_config config;
};

struct comparison {
    struct text_list names; /* workloads and traces, groups taken apart */
    struct text_list list[DIMENSIONS];
    char *copies[DIMENSIONS]; /* what the lists point into */
    struct variant *variant;
    unsigned variants;
    struct run **run; /* [workload * variants + variant] */
    unsigned runs;
};

/* ---- the combinations ---- */

static bool begins_new_item(const char *piece)
{
    size_t equals = strcspn(piece, "=,"), colon = strcspn(piece, ":,");
    return piece[equals] != '=' || (piece[colon] == ':' && colon < equals);
}

static int split_list(const char *text, char **copy, struct text_list *out, struct wl_err *e)
{
    if (!text) {
        out->count = 1; /* one NULL: the default */
        return 0;
    }
    *copy = strdup(text);
    if (!*copy) return wl_fail(e, WL_ERUN, "out of memory");
    for (char *p = *copy; p;) {
        if (out->count == 64) return wl_fail(e, WL_EINPUT, "a list has more than 64 entries: %s", text);
        out->item[out->count++] = p;
        char *comma = strchr(p, ',');
        while (comma && !begins_new_item(comma + 1)) comma = strchr(comma + 1, ',');
        if (comma) *comma++ = 0;
        if (!*p || (comma && !*comma)) return wl_fail(e, WL_EINPUT, "a list has an empty entry: %s", text);
        p = comma;
    }
    return 0;
}

static int make_variant(struct comparison *c, unsigned index, const struct options *o, struct wl_err *e)
{
    struct variant *v = &c->variant[index];
    size_t at = 0;
    for (int d = DIMENSIONS; d-- > 0; index /= c->list[d].count)
        v->choice[d] = c->list[d].item[index % c->list[d].count];
    for (unsigned d = 0; d < DIMENSIONS; d++)
        if (c->list[d].count > 1 && at < sizeof v->label)
            at += (size_t)snprintf(v->label + at, sizeof v->label - at, "%s%s", at ? " " : "", v->choice[d]);
    struct options one = *o;
    one.gpu = v->choice[GPU];
    one.l1 = v->choice[L1];
    one.l2 = v->choice[L2];
    one.sched = v->choice[SCHED];
    const struct machine_spec spec = machine_words(&one);
    int rc = machine_make(&spec, &v->config, e);
    if (!rc && !*v->label) snprintf(v->label, sizeof v->label, "%s", v->config.name);
    return rc;
}

static int make_variants(struct comparison *c, const struct options *o, struct wl_err *e)
{
    const char *const texts[DIMENSIONS] = {o->gpu, o->l1, o->l2, o->sched};
    uint64_t n = 1;
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        int rc = split_list(texts[d], &c->copies[d], &c->list[d], e);
        if (rc) return rc;
        n *= c->list[d].count;
    }
    if (n > MAX_VARIANTS)
        return wl_fail(e, WL_EINPUT, "%u combinations are too many; %d are possible", (unsigned)n, MAX_VARIANTS);
    c->variants = (unsigned)n;
    c->variant = calloc(n, sizeof *c->variant);
    if (!c->variant) return wl_fail(e, WL_ERUN, "out of memory");
    for (unsigned i = 0; i < c->variants; i++) {
        int rc = make_variant(c, i, o, e);
        if (rc) return rc;
    }
    return 0;
}

/* ---- the runs ---- */

/* That all traces can be read is found out before the first run. */
static int try_traces(const struct comparison *c, const struct options *o, struct wl_err *e)
{
    unsigned traces = 0;
    for (unsigned i = 0; i < c->names.count; i++) {
        if (run_kind(c->names.item[i]) != RUN_TRACE) continue;
        int rc = trace_check(c->names.item[i], e);
        if (rc) return rc;
        traces++;
    }
    return traces == c->names.count ? refuse_options(o, RUN_TRACE, e) : 0; /* else they are the workloads' */
}

/* Prepares them all. Warnings about a trace are the same for all machines: once is enough. */
static int make_runs(struct comparison *c, const struct options *o, struct wl_err *e)
{
    int rc = expand_words(&o->words, &c->names, e);
    if (!rc) rc = try_traces(c, o, e);
    if (rc) return rc;
    c->runs = c->names.count * c->variants;
    c->run = calloc(c->runs, sizeof(struct run *));
    if (!c->run) return wl_fail(e, WL_ERUN, "out of memory");
    for (unsigned i = 0; i < c->runs; i++) {
        const char *name = c->names.item[i / c->variants];
        struct run_spec spec = run_words(o, name);
        enum run_kind kind = run_kind(name);
        if (kind == RUN_PTX) return wl_fail(e, WL_EINPUT, "compare takes workloads and traces; 'run' takes %s", name);
        spec.config = &c->variant[i % c->variants].config;
        if (kind == RUN_TRACE) spec.functional = false;
        if (i % c->variants) spec.say = NULL;
        if (!(c->run[i] = run_new(&spec, e))) return (int)e->code;
    }
    return 0;
}

static void show_progress(const struct comparison *c, unsigned done, double started)
{
    double spent = now_seconds() - started;
    fprintf(stderr, "\r\033[K%u/%u  %s, %s", done + 1, c->runs, c->names.item[done / c->variants],
            c->variant[done % c->variants].label);
    if (done) fprintf(stderr, "  about %.0f s left", spent / done * (c->runs - done));
    fflush(stderr);
}

static int run_all(struct comparison *c, const struct options *o, struct wl_err *e)
{
    bool progress = !o->quiet && isatty(STDERR_FILENO);
    double started = now_seconds();
    int rc = 0;
    for (unsigned i = 0; !rc && i < c->runs; i++) {
        struct wl_err inner = {.code = WL_OK};
        if (progress) show_progress(c, i, started);
        rc = run_go(c->run[i], &inner);
        if (rc) wl_fail(e, (enum wl_code)rc, "with %.120s: %.1800s", c->variant[i % c->variants].label, inner.text);
    }
    if (progress) fprintf(stderr, "\r\033[K");
    return rc;
}

/* ---- the results ---- */

static double speedup(const struct comparison *c, unsigned job)
{
    uint64_t base = run_result(c->run[job - job % c->variants])->stats.cycles,
             own = run_result(c->run[job])->stats.cycles;
    return own ? (double)base / (double)own : 0;
}

static void write_means(const struct comparison *c, int width, FILE *out)
{
    for (unsigned v = 0; v < c->variants; v++) {
        double s = 0, ipc = 0;
        unsigned n = c->runs / c->variants;
        for (unsigned i = v; i < c->runs; i += c->variants) {
            s += log(speedup(c, i));
            ipc += log(result_ipc(run_result(c->run[i])));
        }
        fprintf(out, "%-14s  %-*s  %14s  %9.3f  %9.3f\n", v ? "" : "geometric mean", width, c->variant[v].label, "",
                exp(s / n), exp(ipc / n));
    }
}

static void write_table(const struct comparison *c, FILE *out)
{
    int width = 8;
    for (unsigned v = 0; v < c->variants; v++)
        if ((int)strlen(c->variant[v].label) > width) width = (int)strlen(c->variant[v].label);
    fprintf(out, "%-14s  %-*s  %14s  %9s  %9s  %8s\n", "workload", width, "", "cycles", "speedup", "IPC", "L1 miss");
    for (unsigned i = 0; i < c->runs; i++) {
        const struct run_result *r = run_result(c->run[i]);
        char cycles[32];
        fprintf(out, "%-14s  %-*s  %14s  %9.3f  %9.3f  %6.2f %%\n", i % c->variants ? "" : r->workload, width,
                c->variant[i % c->variants].label, with_commas(r->stats.cycles, cycles), speedup(c, i), result_ipc(r),
                100 * result_l1_miss_rate(r));
    }
    if (c->runs > c->variants) write_means(c, width, out);
}

static int write_json(const struct comparison *c, FILE *out, struct wl_err *e)
{
    json_t *root = json_object(), *runs = json_array();
    int bad = json_object_set_new(root, "baseline", json_string(c->variant[0].label));
    bad |= json_object_set_new(root, "runs", runs);
    for (unsigned i = 0; i < c->runs; i++) {
        json_t *run = result_json(run_result(c->run[i]));
        bad |= json_object_set_new(run, "label", json_string(c->variant[i % c->variants].label));
        bad |= json_object_set_new(run, "speedup", json_real(round(speedup(c, i) * 1e6) / 1e6));
        bad |= json_array_append_new(runs, run);
    }
    if (!bad) bad = json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) && !ferror(out);
    fputc('\n', out);
    json_decref(root);
    return bad ? wl_fail(e, WL_ERUN, "out of memory while writing JSON") : 0;
}

static int write_csv(const struct comparison *c, FILE *out, struct wl_err *e)
{
    const struct run_result **rows = calloc(c->runs, sizeof *rows);
    if (!rows) return wl_fail(e, WL_ERUN, "out of memory");
    for (unsigned i = 0; i < c->runs; i++) rows[i] = run_result(c->run[i]);
    result_write_csv(rows, c->runs, out);
    free(rows);
    return 0;
}

int cmd_compare(const struct options *o, struct wl_err *e)
{
    if (o->words.count == 0)
        return wl_fail(e, WL_EINPUT, "compare needs workloads or traces: warpline compare atax bfs --sched lrr,gto");
    struct comparison c = {0};
    struct output out = {0};
    int rc = make_variants(&c, o, e);
    if (!rc) rc = make_runs(&c, o, e);
    if (!rc) rc = output_open(&out, o, e);
    if (!rc) rc = run_all(&c, o, e);
    if (!rc && out.json) rc = write_json(&c, out.json, e);
    if (!rc && out.csv) rc = write_csv(&c, out.csv, e);
    if (!rc && out.text) write_table(&c, stdout);
    rc = output_close(&out, rc, e);
    for (unsigned i = 0; c.run && i < c.runs; i++) run_free(c.run[i]);
    for (unsigned d = 0; d < DIMENSIONS; d++) free(c.copies[d]);
    free(c.run);
    free(c.variant);
    return rc;
}
