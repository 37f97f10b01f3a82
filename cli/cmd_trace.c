/* cmd_trace.c - records programs as traces, says what a trace holds, changes its format. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "run/json_parts.h"
#include "run/traces.h"

/* ---- record ---- */

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

static void print_totals(const char *file, const struct wlt_totals *t)
{
    char a[32], b[32], c[32];
    printf("%s: %s launches, %s warp instructions, %s bytes\n", file, with_commas(t->launches, a),
           with_commas(t->counts.warp_instructions, b), with_commas(t->file_bytes, c));
}

static int record(const struct options *o, const char *program, struct wl_err *e)
{
    if (!o->output) return wl_fail(e, WL_EINPUT, "where to? write 'warpline trace record %s -o F.wlt'", program);
    /* `run` knows a trace by its name; it also keeps "-o k.ptx" from destroying a program. */
    if (!ends_with(o->output, ".wlt"))
        return wl_fail(e, WL_EINPUT, "the name of a trace ends in .wlt; '%s' does not", o->output);
    if (o->json) return wl_fail(e, WL_EINPUT, "--json is for 'trace info'");
    struct run_spec spec = run_words(o, program);
    if (run_kind(program) == RUN_TRACE) return wl_fail(e, WL_EINPUT, "%s is a trace already", program);
    spec.record = o->output;
    int rc = refuse_options(o, run_kind(program), e);
    struct run *r = rc ? NULL : run_new(&spec, e);
    if (!rc) rc = r ? run_go(r, e) : (int)e->code;
    if (!rc && !o->quiet) print_totals(o->output, run_recorded(r));
    run_free(r);
    return rc;
}

/* ---- info ---- */

static const char *const space_names[WLT_SPACES] = {"none", "global", "shared", "local", "const", "param", "texture"};

static uint64_t sum(const uint64_t v[WLT_SPACES])
{
    uint64_t n = 0;
    for (unsigned i = 0; i < WLT_SPACES; i++) n += v[i];
    return n;
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static void print_memory(const struct wlt_summary *s)
{
    char a[32], b[32], c[32];
    uint64_t all = sum(s->loads) + sum(s->stores) + sum(s->atomics);
    printf("memory     %s warp instructions\n", with_commas(all, a));
    if (all) printf("  %-9s  %15s  %15s  %15s\n", "space", "loads", "stores", "atomics");
    for (unsigned i = 0; i < WLT_SPACES; i++)
        if (s->loads[i] || s->stores[i] || s->atomics[i])
            printf("  %-9s  %15s  %15s  %15s\n", space_names[i], with_commas(s->loads[i], a),
                   with_commas(s->stores[i], b), with_commas(s->atomics[i], c));
    printf("divergent  %.2f %% of the global loads touch more than two 128-byte lines\n",
           100 * ratio(s->divergent_loads, s->loads[SPACE_GLOBAL]));
    printf("footprint  %s%s lines of 128 bytes (%.1f MiB) of global and texture memory\n",
           s->lines_exact ? "" : "about ", with_commas(s->lines, a), (double)s->lines / 8192);
}

static void print_kernels(const struct wlt_summary *s)
{
    char a[32], b[32], c[32];
    int width = 6;
    for (unsigned i = 0; i < s->kernels; i++)
        if ((int)strlen(s->kernel[i].name) > width) width = (int)strlen(s->kernel[i].name);
    printf("\n%-*s  %9s  %13s  %18s\n", width, "kernel", "launches", "CTAs", "warp instructions");
    for (unsigned i = 0; i < s->kernels; i++) {
        const struct wlt_kernel *k = &s->kernel[i];
        printf("%-*s  %9s  %13s  %18s\n", width, k->name, with_commas(k->launches, a), with_commas(k->ctas, b),
               with_commas(k->counts.warp_instructions, c));
    }
    if (s->other_launches) printf("%s launches of further kernels\n", with_commas(s->other_launches, a));
}

static void print_info(const struct wlt_summary *s, const char *file)
{
    char a[32], b[32], c[32];
    const struct wlt_totals *t = &s->totals;
    const struct wlt_header *h = &s->header;
    printf("%s: %s%s%s%s%s, seed %" PRIu64 "\n", file, h->workload, *h->size ? ", " : "", h->size,
           *h->inputs ? ", " : "", h->inputs, h->seed);
    printf("launches   %s, CTAs %s, warps %s\n", with_commas(t->launches, a), with_commas(t->ctas, b),
           with_commas(t->warps, c));
    printf("copies     %s from the host, %s bytes\n", with_commas(t->copies, a), with_commas(t->copy_bytes, b));
    printf("executed   %s warp instructions, %s thread instructions, %.1f lanes active on average\n",
           with_commas(t->counts.warp_instructions, a), with_commas(t->counts.thread_instructions, b),
           ratio(t->counts.thread_instructions, t->counts.warp_instructions));
    print_memory(s);
    printf("size       %s bytes of streams, %.2f per warp instruction; %s in the file, %.2f\n",
           with_commas(t->stream_bytes, a), ratio(t->stream_bytes, t->counts.warp_instructions),
           with_commas(t->file_bytes, b), ratio(t->file_bytes, t->counts.warp_instructions));
    print_kernels(s);
}

static json_t *spaces_json(const struct wlt_summary *s)
{
    json_t *o = json_object();
    int bad = 0;
    for (unsigned i = SPACE_GLOBAL; i < WLT_SPACES; i++)
        bad |= json_object_set_new(o, space_names[i],
                                   json_pack("{s:I,s:I,s:I}", "loads", (json_int_t)s->loads[i], "stores",
                                             (json_int_t)s->stores[i], "atomics", (json_int_t)s->atomics[i]));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

static json_t *kernels_json(const struct wlt_summary *s)
{
    json_t *list = json_array();
    int bad = 0;
    for (unsigned i = 0; i < s->kernels; i++) {
        const struct wlt_kernel *k = &s->kernel[i];
        json_t *o = json_pack("{s:o,s:I,s:I,s:I,s:I}", "name", json_text(k->name), "launches", (json_int_t)k->launches,
                              "ctas", (json_int_t)k->ctas, "warp_instructions", (json_int_t)k->counts.warp_instructions,
                              "thread_instructions", (json_int_t)k->counts.thread_instructions);
        bad |= json_array_append_new(list, o);
    }
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

/* What was said about the trace, for standard error and for JSON. */
struct said {
    bool quiet;
    json_t *list; /* NULL: nobody wants it */
};

static void note(void *arg, const char *text, bool loss)
{
    struct said *s = arg;
    if (s->list) json_array_append_new(s->list, json_text(text));
    if (loss || !s->quiet) print_warning(NULL, text);
}

static int write_json(const struct wlt_summary *s, json_t *warnings, FILE *out, struct wl_err *e)
{
    const struct wlt_header *h = &s->header;
    const struct wlt_totals *t = &s->totals;
    json_t *root = json_pack("{s:o,s:o,s:o,s:I}", "workload", json_text(h->workload), "size", json_text(h->size),
                             "inputs", json_inputs(h->inputs), "seed", (json_int_t)h->seed);
    const struct {
        const char *key;
        uint64_t value;
    } rows[] = {{"launches", t->launches},
                {"ctas", t->ctas},
                {"warps", t->warps},
                {"copies", t->copies},
                {"copy_bytes", t->copy_bytes},
                {"warp_instructions", t->counts.warp_instructions},
                {"thread_instructions", t->counts.thread_instructions},
                {"divergent_loads", s->divergent_loads},
                {"footprint_lines", s->lines},
                {"stream_bytes", t->stream_bytes},
                {"content_bytes", t->content_bytes},
                {"file_bytes", t->file_bytes}};
    int bad = root ? 0 : -1;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        bad |= json_object_set_new(root, rows[i].key, json_integer((json_int_t)rows[i].value));
    bad |= json_object_set_new(root, "footprint_exact", json_boolean(s->lines_exact));
    bad |= json_object_set_new(root, "memory", spaces_json(s));
    bad |= json_object_set_new(root, "kernels", kernels_json(s));
    bad |= json_object_set(root, "warnings", warnings);
    if (!bad) bad = json_dumpf(root, out, JSON_INDENT(2)) && !ferror(out);
    fputc('\n', out);
    json_decref(root);
    return bad ? wl_fail(e, WL_ERUN, "out of memory while writing JSON") : 0;
}

static int info(const struct options *o, const char *file, struct wl_err *e)
{
    if (o->output || o->size || o->input.count || o->seed_given || o->check)
        return wl_fail(e, WL_EINPUT, "trace info takes a trace and --json only");
    int rc = refuse_options(o, RUN_WORKLOAD, e);
    if (rc) return rc;
    struct wlt_summary *s = calloc(1, sizeof *s);
    if (!s) return wl_fail(e, WL_ERUN, "out of memory");
    struct output out = {0};
    rc = output_open(&out, o, e);
    struct said said = {o->quiet, json_array()};
    if (!rc) rc = trace_info(file, s, note, &said, e);
    if (!rc && out.json) rc = write_json(s, said.list, out.json, e);
    json_decref(said.list);
    if (!rc && out.text) print_info(s, file);
    rc = output_close(&out, rc, e);
    free(s);
    return rc;
}

/* ---- convert ---- */

static int convert(const struct options *o, const char *from, struct wl_err *e)
{
    if (o->size || o->input.count || o->seed_given || o->check || o->json)
        return wl_fail(e, WL_EINPUT, "trace convert takes a trace and -o only");
    int rc = refuse_options(o, RUN_WORKLOAD, e);
    if (rc) return rc;
    if (!o->output)
        return wl_fail(e, WL_EINPUT,
                       "where to? write 'warpline trace convert %s -o F.wlt', or -o FOLDER for an Accel-Sim trace",
                       from);
    struct wlt_totals t = {0};
    struct said said = {o->quiet, NULL};
    rc = trace_rewrite(from, o->output, &t, note, &said, e);
    if (!rc && !o->quiet) print_totals(o->output, &t);
    return rc;
}

int cmd_trace(const struct options *o, struct wl_err *e)
{
    const char *what = o->words.count ? o->words.item[0] : "";
    if (o->words.count == 2 && strcmp(what, "record") == 0) return record(o, o->words.item[1], e);
    if (o->words.count == 2 && strcmp(what, "info") == 0) return info(o, o->words.item[1], e);
    if (o->words.count == 2 && strcmp(what, "convert") == 0) return convert(o, o->words.item[1], e);
    return wl_fail(e, WL_EINPUT,
                   "write 'warpline trace record WORKLOAD|FILE.ptx -o F.wlt', 'warpline trace info TRACE' or "
                   "'warpline trace convert TRACE -o F.wlt|FOLDER'");
}
