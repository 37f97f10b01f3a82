/* cmd_explain.c - why a program is slow: its limits, each checked by a run without it (run/explain.h).
 *
 * An executable is executed once, to record a trace, and the trace is explained: every machine then sees the same
 * instructions, and the program prints what it prints once. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/explain_view.h"
#include "run/exec_run.h"

static bool show_progress;

static void print_progress(const char *what, unsigned number, unsigned count)
{
    if (show_progress) fprintf(stderr, "\r\033[K%u of %u: %s", number, count, what);
}

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

/* ---- output ---- */

static int write_json(json_t *root, FILE *out, struct wl_err *e)
{
    int bad = !root || (json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) && !ferror(out));
    fputc('\n', out);
    return bad ? wl_fail(e, WL_ERUN, "out of memory while writing JSON") : 0;
}

static int write_all(const struct explanation *x, struct output *out, FILE *html, struct wl_err *e)
{
    int rc = 0;
    if (out->json) {
        json_t *root = explain_json(x);
        rc = write_json(root, out->json, e);
        json_decref(root);
    }
    if (!rc && html) rc = explain_html(x, html, e);
    if (!rc && out->text) explain_text(x, stdout);
    return rc;
}

static int explain_program(const struct options *o, const char *program, struct wl_err *e)
{
    struct run_spec spec = run_words(o, program);
    struct output out = {0};
    struct out_file html = {0};
    struct explanation x = {0};
    int rc = refuse_options(o, run_kind(program), e);
    if (!rc && o->html) rc = out_file_open(&html, o->html, e);
    if (!rc) rc = output_open(&out, o, e);
    show_progress = !o->quiet && isatty(STDERR_FILENO);
    if (!rc) rc = explain_run(&spec, &x, print_progress, e);
    if (show_progress) fprintf(stderr, "\r\033[K");
    if (!rc) rc = write_all(&x, &out, html.file, e);
    explain_free(&x);
    rc = output_close(&out, rc, e);
    return out_file_close(&html, rc, e);
}

/* ---- executables ---- */

/* The largest trace in the folder: a script may have started several programs. */
static int find_trace(const struct exec_outcome *x, const char *program, const char **file, struct wl_err *e)
{
    uint64_t most = 0;
    char why[1024];
    for (unsigned i = 0; i < x->processes; i++) {
        const struct process_report *r = &x->process[i]->report;
        if (!r->trace_finished || r->counts.warp_instructions < most) continue;
        most = r->counts.warp_instructions;
        *file = r->trace;
    }
    if (*file) return 0;
    if (x->start_error) return wl_fail(e, WL_EINPUT, "cannot run %s: %s", program, strerror(x->start_error));
    exec_silence(program, why, sizeof why);
    return wl_fail(e, WL_EINPUT, "%s launched no kernel: %s", program, why);
}

static void remove_traces(const struct exec_outcome *x, const char *folder)
{
    for (unsigned i = 0; i < x->processes; i++)
        if (*x->process[i]->report.trace) unlink(x->process[i]->report.trace);
    rmdir(folder);
}

static int explain_executable(const struct options *o, struct wl_err *e)
{
    char folder[256], *words[MAX_ITEMS + 1] = {0};
    const char *tmp = getenv("TMPDIR"), *file = NULL;
    struct exec_outcome x = {0};
    if (o->json && strcmp(o->json, "-") == 0)
        return wl_fail(e, WL_EINPUT, "standard output belongs to the program; give --json a file");
    snprintf(folder, sizeof folder, "%s/warpline-explain-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) return wl_fail(e, WL_ERUN, "cannot make a folder for the program's trace in %s", folder);
    for (unsigned i = 0; i < o->words.count; i++) words[i] = (char *)(uintptr_t)o->words.item[i];
    const struct exec_spec spec = {
        .program = words, .machine = machine_words(o), .kernel = o->kernel, .record = folder};
    int rc = exec_check(&spec, e);
    if (!rc) rc = exec_run(&spec, &x, e);
    if (!rc) rc = find_trace(&x, words[0], &file, e);
    if (!rc) rc = explain_program(o, file, e);
    remove_traces(&x, folder);
    exec_free(&x);
    return rc;
}

static bool is_executable(const char *name)
{
    struct stat st;
    return strchr(name, '/') && run_kind(name) == RUN_WORKLOAD && stat(name, &st) == 0 && S_ISREG(st.st_mode) &&
           access(name, X_OK) == 0;
}

/* ---- two results ---- */

static int explain_difference(const struct options *o, struct wl_err *e)
{
    struct output out = {0};
    json_t *ledger = NULL;
    if (o->html) return wl_fail(e, WL_EINPUT, "--html shows a program, not two results");
    int rc = output_open(&out, o, e);
    if (!rc) rc = ledger_make(o->words.item[0], o->words.item[1], &ledger, e);
    if (!rc && out.json) rc = write_json(ledger, out.json, e);
    if (!rc && out.text) ledger_text(ledger, stdout);
    json_decref(ledger);
    return output_close(&out, rc, e);
}

int cmd_explain(const struct options *o, struct wl_err *e)
{
    const struct text_list *w = &o->words;
    if (!w->count)
        return wl_fail(e, WL_EINPUT,
                       "explain needs a workload, a .ptx file, a trace, an executable, or two results (BEFORE.json "
                       "AFTER.json)");
    if (ends_in(w->item[0], ".json")) {
        if (w->count == 2) return explain_difference(o, e);
        return wl_fail(e, WL_EINPUT, "explain compares two results, not %u: explain BEFORE.json AFTER.json", w->count);
    }
    if (is_executable(w->item[0])) return explain_executable(o, e);
    if (w->count > 1) return wl_fail(e, WL_EINPUT, "explain takes one program; '%s' is too much", w->item[1]);
    return explain_program(o, w->item[0], e);
}
