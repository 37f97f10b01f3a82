/* cmd_bench.c - how fast we simulate, on three programs that stress different parts.
 *
 * The tiled matrix product is bound by issue, ATAX by the L1D and memory, BFS by divergence. Each
 * runs nine times without and nine times with timing, each with its host code; the fastest
 * counts, because everything that disturbs a run makes it slower. Seconds are CPU time of one
 * core, so that other programs on the machine do not matter much. JSON on standard output. */
#include <jansson.h>

#include "cli/bench_against.h"

enum { REPEATS = 9 };

struct bench_case {
    const char *workload;
    const char *input[4]; /* NULL-terminated */
};
static const struct bench_case cases[] = {
    {"matmul", {NULL}},
    {"atax", {"n=1024", "pitch=0", "loop=0", NULL}}, /* 1024 x 1024, as GPGPU-Sim ran it */
    {"bfs", {NULL}},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* Runs once; the best time so far stays in *seconds, the run with its counters in *last. */
static int measure(struct run **last, const struct bench_case *b, const struct options *o, bool functional,
                   double *seconds, struct wl_err *e)
{
    struct run_spec spec = run_words(o, b->workload);
    spec.size = "small";
    spec.seed = 1;
    spec.functional = functional;
    spec.input.item = b->input;
    while (b->input[spec.input.count]) spec.input.count++;
    run_free(*last);
    *last = run_new(&spec, e);
    double start = cpu_seconds();
    int rc = *last ? run_go(*last, e) : (int)e->code;
    double spent = cpu_seconds() - start;
    if (!rc && (*seconds <= 0 || spent < *seconds)) *seconds = spent;
    return rc;
}

static json_t *case_json(const struct run_result *r, double functional, double timing)
{
    const struct run_stats *s = &r->stats;
    return json_pack("{s:s,s:s,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:f}", "workload", r->workload, "inputs", r->inputs,
                     "cycles", (json_int_t)s->cycles, "warp_instructions", (json_int_t)s->sm.warp_instructions,
                     "l1d_transactions", (json_int_t)s->l1d.accesses, "functional_seconds", functional,
                     "timing_seconds", timing, "warp_instructions_per_second", (double)s->sm.warp_instructions / timing,
                     "l1d_transactions_per_second", (double)s->l1d.accesses / timing, "timing_over_functional",
                     timing / functional);
}

static int bench_one(const struct bench_case *b, const struct options *o, json_t *list, struct wl_err *e)
{
    struct run *last = NULL;
    double functional = 0, timing = 0;
    int rc = 0;
    for (unsigned i = 0; !rc && i < REPEATS; i++) rc = measure(&last, b, o, true, &functional, e);
    for (unsigned i = 0; !rc && i < REPEATS; i++) rc = measure(&last, b, o, false, &timing, e);
    const struct run_result *r = rc ? NULL : run_result(last);
    if (!rc && json_array_append_new(list, case_json(r, functional, timing))) rc = wl_fail(e, WL_ERUN, "out of memory");
    if (!rc && !o->quiet)
        fprintf(stderr, "%-8s %-22s %6.2f M warp instr./s  %6.2f M L1D requests/s  timing/functional %.2f\n",
                r->workload, r->inputs, (double)r->stats.sm.warp_instructions / timing / 1e6,
                (double)r->stats.l1d.accesses / timing / 1e6, timing / functional);
    run_free(last);
    return rc;
}

int cmd_bench(const struct options *o, struct wl_err *e)
{
    if (o->against) return bench_against(o, e);
    if (o->words.count) return wl_fail(e, WL_EINPUT, "bench runs a fixed set; '%s' is too much", o->words.item[0]);
    struct output out;
    int rc = output_open(&out, o, e);
    json_t *root = json_object(), *list = json_array();
    for (unsigned i = 0; !rc && i < CASES; i++) rc = bench_one(&cases[i], o, list, e);
    int bad = json_object_set_new(root, "version", json_string(WL_VERSION));
    bad |= json_object_set_new(root, "gpu", json_string(o->gpu ? o->gpu : "gtx480"));
    bad |= json_object_set_new(root, "engine", json_string(o->engine ? o->engine : "fast"));
    bad |= json_object_set_new(root, "runs", list);
    bad |= json_object_set_new(root, "peak_memory_bytes", json_integer((json_int_t)peak_memory_bytes()));
    if (!rc && bad) rc = wl_fail(e, WL_ERUN, "out of memory while writing JSON");
    FILE *to = out.json ? out.json : stdout;
    if (!rc) {
        json_dumpf(root, to, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        fputc('\n', to);
    }
    json_decref(root);
    return output_close(&out, rc, e);
}
