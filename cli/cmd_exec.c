/* cmd_exec.c - an unmodified CUDA program on the simulated GPU (run/exec_run.h).
 *
 * Standard output belongs to the program: the readable summary goes to standard error. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "run/exec_run.h"

static volatile sig_atomic_t child;

static void pass_on(int number)
{
    if (child > 0) kill((pid_t)child, number);
}

static void leave_signals_to_the_program(void)
{
    signal(SIGINT, SIG_IGN); /* a terminal sends these to the program too, and its results are wanted */
    signal(SIGQUIT, SIG_IGN);
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
}

/* ---- results ---- */

static int write_launches(const struct exec_outcome *x, FILE *out, struct wl_err *e)
{
    const struct run_result **r = calloc(x->processes + 1, sizeof(const struct run_result *));
    if (!r) return wl_fail(e, WL_ERUN, "out of memory");
    for (unsigned i = 0; i < x->processes; i++) r[i] = &x->process[i]->result;
    int rc = result_write_launches(r, x->processes, out, e);
    free(r);
    return rc;
}

/* What the counters do not show. */
static void print_notes(const struct process_report *r, const struct options *o)
{
    char a[32], b[32];
    if (r->launches.skipped)
        fprintf(stderr, "  selected   %s of %s launches; the others were executed, not %s\n",
                with_commas(r->launches.all - r->launches.skipped, a), with_commas(r->launches.all, b),
                o->record ? "recorded" : "timed");
    if (r->launches.cut)
        fprintf(stderr, "  cut        %s launches were timed up to %s cycles only\n", with_commas(r->launches.cut, a),
                with_commas(o->max_cycles, b));
    if (r->failures) fprintf(stderr, "  failed     %s launches were refused or faulted\n", with_commas(r->failures, a));
    if (!r->recording) return;
    if (r->trace_finished)
        fprintf(stderr, "  trace      %s: %s launches, %s bytes\n", r->trace, with_commas(r->trace_launches, a),
                with_commas(r->trace_bytes, b));
    else fprintf(stderr, "  trace      none: the program ended before it was finished\n");
}

/* A string that is no UTF-8 must not cost the record. */
static json_t *text_json(const char *text)
{
    json_t *s = json_string(text);
    return s ? s : json_string("(not UTF-8)");
}

static json_t *failures_json(const struct process_report *r)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < r->failures && i < MAX_FAILURES; i++) {
        const struct launch_failure *f = &r->failure[i];
        json_array_append_new(list,
                              json_pack("{s:i,s:o,s:s,s:s,s:o}", "launch", (int)f->launch, "kernel",
                                        text_json(f->kernel), "end", f->end == LAUNCH_REFUSED ? "refused" : "faulted",
                                        "error", f->error, "message", text_json(f->message)));
    }
    return list;
}

/* The record, and how its launches and the program ended. */
static json_t *process_json(const struct exec_outcome *x, unsigned i, int status)
{
    const struct process_report *r = &x->process[i]->report;
    json_t *o = result_json(&x->process[i]->result);
    int bad = json_object_set_new(o, "failed_launches", json_integer(r->failures));
    bad |= json_object_set_new(o, "failures", failures_json(r));
    bad |= json_object_set_new(o, "exit",
                               json_pack("{s:i,s:i,s:i}", "program", x->status, "signal", x->signal, "status", status));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

static int write_json(const struct exec_outcome *x, FILE *out, int status, struct wl_err *e)
{
    json_t *list = json_array(); /* a script that ran several programs, or none that used the device */
    int bad = list ? 0 : -1;
    for (unsigned i = 0; i < x->processes; i++) bad |= json_array_append_new(list, process_json(x, i, status));
    json_t *top = x->processes == 1 ? json_array_get(list, 0) : list;
    if (!bad) bad = json_dumpf(top, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) && !ferror(out);
    fputc('\n', out);
    json_decref(list);
    return bad ? wl_fail(e, WL_ERUN, "out of memory while writing JSON") : 0;
}

static int write_all(const struct exec_outcome *x, const struct options *o, int status, struct output *out,
                     struct wl_err *e)
{
    const struct run_result **r = calloc(x->processes + 1, sizeof(const struct run_result *));
    if (!r) return wl_fail(e, WL_ERUN, "out of memory");
    int rc = out->json ? write_json(x, out->json, status, e) : 0;
    for (unsigned i = 0; i < x->processes; i++) {
        const struct process_report *from = &x->process[i]->report;
        r[i] = &x->process[i]->result;
        bool silent = !out->text || (from->failed && !from->kernels); /* it has said why there is nothing */
        if (!silent) result_write_text(r[i], stderr);
        if (!silent) print_notes(from, o);
        if (*from->trace && !from->trace_finished) unlink(from->trace);
        if (from->failed == WL_ELAW && !rc) rc = wl_fail(e, WL_ELAW, "%s", from->error);
    }
    if (out->csv) result_write_csv(r, x->processes, out->csv);
    if (!rc && out->samples) rc = result_write_rows(r, x->processes, "samples", out->samples, e);
    if (!rc && out->loads) rc = result_write_rows(r, x->processes, "loads", out->loads, e);
    free(r);
    return rc;
}

static void print_end(const struct exec_outcome *x, const struct options *o)
{
    char why[1024];
    if (x->start_error) fprintf(stderr, "warpline: cannot run %s: %s\n", o->program[0], strerror(x->start_error));
    if (x->signal) fprintf(stderr, "warpline: the program was ended by signal %d\n", x->signal);
    if (x->processes || x->start_error) return;
    exec_silence(o->program[0], why, sizeof why);
    fprintf(stderr, "warpline: %s\n", why);
}

/* A program that does not look at errors ends with 0 although its kernels did nothing: that must not pass for success.
 */
static int end_status(const struct exec_outcome *x, const struct options *o)
{
    unsigned failures = 0;
    for (unsigned i = 0; i < x->processes; i++) failures += x->process[i]->report.failures;
    if (!failures || x->status || o->program_status) return x->status;
    fprintf(stderr,
            "warpline: %u launch%s refused or faulted: exit status %d; --program-status gives the program's own, 0\n",
            failures, failures == 1 ? " was" : "es were", WL_ERUN);
    return WL_ERUN;
}

/* ---- the command ---- */

/* Whether the machine of these words samples its counters. A machine that cannot be made is refused later. */
static bool samples_every(const struct options *o)
{
    struct machine_spec spec = machine_words(o);
    struct gpu_config config;
    spec.say = NULL;
    return machine_read(&spec, &config, NULL) != 0 || config.v[P_STATS_INTERVAL] > 0;
}

static int check_options(const struct options *o, const struct exec_spec *spec, struct wl_err *e)
{
    if (!o->program) return wl_fail(e, WL_EINPUT, "which program? write 'warpline exec [options] -- ./app arguments'");
    const char *const file[] = {o->json, o->csv, o->samples, o->loads};
    for (unsigned i = 0; i < sizeof file / sizeof file[0]; i++)
        if (file[i] && strcmp(file[i], "-") == 0)
            return wl_fail(e, WL_EINPUT,
                           "standard output belongs to the program; give --json, --csv, --samples and --loads a file");
    if (o->launches && (o->functional || o->record))
        return wl_fail(e, WL_EINPUT, "--launches has the counters of timed launches; nothing is timed here");
    if ((o->samples || o->loads) && (o->functional || o->record))
        return wl_fail(e, WL_EINPUT, "--samples and --loads are of launches that are timed; nothing is timed here");
    if (o->samples && !samples_every(o))
        return wl_fail(e, WL_EINPUT, "--samples FILE needs an interval: add --samples CYCLES");
    if (o->timeline && o->record)
        return wl_fail(e, WL_EINPUT, "--timeline shows timed launches; --record times nothing");
    if (o->engine && strcmp(o->engine, "fast") != 0 && strcmp(o->engine, "tick") != 0)
        return wl_fail(e, WL_EINPUT, "there is no engine '%s'; --engine is fast or tick", o->engine);
    return exec_check(spec, e);
}

/* Libraries of machine code cannot run: said before the loader or the library itself fails in its own words. */
static void warn_of_libraries(const char *program)
{
    char names[512];
    if (exec_links(program, names, sizeof names))
        fprintf(stderr,
                "warpline: %s is linked with %s: machine code for real GPUs, which cannot run on a simulated one; "
                "calls of it will fail\n",
                program, names);
}

static int exec_and_write(const struct exec_spec *spec, const struct options *o, int *status, struct wl_err *e)
{
    struct output out = {0};
    struct exec_outcome x = {0};
    struct out_file launches = {0};
    int rc = o->launches ? out_file_open(&launches, o->launches, e) : 0;
    if (!rc) rc = output_open(&out, o, e);
    warn_of_libraries(o->program[0]);
    leave_signals_to_the_program();
    if (!rc) rc = exec_run(spec, &x, e);
    if (!rc) {
        *status = end_status(&x, o);
        print_end(&x, o);
        if (o->timeline && !x.timelines && x.processes)
            print_warning(NULL, "no timeline was written: the program was ended before it could");
        rc = write_all(&x, o, *status, &out, e);
    }
    if (!rc && launches.file) rc = write_launches(&x, launches.file, e);
    rc = out_file_close(&launches, rc, e);
    exec_free(&x);
    return output_close(&out, rc, e);
}

int cmd_exec(const struct options *o, struct wl_err *e)
{
    static struct options own;
    o = loads_words(o, &own);
    struct exec_spec spec = {.program = o->program,
                             .machine = machine_words(o),
                             .plugin = list_words(&o->plugin),
                             .tick = o->engine && strcmp(o->engine, "tick") == 0,
                             .functional = o->functional,
                             .shuffle = o->shuffle,
                             .threads = o->threads,
                             .max_cycles = o->max_cycles,
                             .kernel = o->kernel,
                             .launch = o->launch,
                             .record = o->record,
                             .timeline = o->timeline,
                             .child = &child};
    int status = 0, rc = run_check_threads(o->threads, e);
    if (!rc) rc = timeline_words(o, &spec.timeline_spec, e);
    if (!rc) rc = check_options(o, &spec, e);
    spec.machine.say = NULL; /* it has been said */
    if (!rc) rc = exec_and_write(&spec, o, &status, e);
    if (!rc && status) exit(status); /* the program itself has said why, if anything did */
    return rc;
}
