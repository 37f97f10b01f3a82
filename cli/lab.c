/* lab.c - an experiment at work: plan, store, runs, progress, and what failed.
 *
 * Ctrl-C once lets the running ones finish, so that their work is kept; twice ends them. Either way everything
 * finished is in the store, and the same command continues from there. */
#include "cli/lab.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "experiment/runner.h"
#include "experiment/slurm.h"
#include "run/identity.h"
#include "run/traces.h"

static volatile sig_atomic_t stop;

static void on_signal(int number) { stop = number != SIGINT || stop ? 2 : 1; }

/* A closed terminal (SIGHUP) ends a sweep as SIGTERM does, unless nohup has it ignored. */
static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
enum { CAUGHT = sizeof caught / sizeof caught[0] };
static struct sigaction before[CAUGHT];

static void catch_signals(void)
{
    struct sigaction a = {.sa_handler = on_signal};
    sigemptyset(&a.sa_mask);
    for (unsigned i = 0; i < CAUGHT; i++) {
        sigaction(caught[i], &a, &before[i]);
        if (before[i].sa_handler == SIG_IGN) sigaction(caught[i], &before[i], NULL);
    }
}

/* Nothing can be lost any more: Ctrl-C has its usual meaning again. */
static void release_signals(void)
{
    for (unsigned i = 0; i < CAUGHT; i++) sigaction(caught[i], &before[i], NULL);
}

/* ---- opening ---- */

int lab_store_path(const struct options *o, char *out, size_t size, struct wl_err *e)
{
    if (!o->store) return store_default_path(out, size, e);
    return snprintf(out, size, "%s", o->store) < (int)size ? 0 : wl_fail(e, WL_EINPUT, "--store: the name is too long");
}

/* A run of a trace is known by what is in the file. */
static int read_traces(const struct experiment *x, struct wl_err *e)
{
    for (unsigned i = 0; i < x->nworkloads; i++) {
        struct exp_workload *w = x->workloads[i];
        if (!w->trace) continue;
        int rc = trace_check(w->trace, e);
        if (!rc) rc = trace_content(w->trace, &w->trace_hash, e);
        if (rc) return rc;
    }
    return 0;
}

/* No store: the file has the results, and says of what they are. */
static int open_results_file(struct lab *l, const char *file, const struct options *o, struct wl_err *e)
{
    enum workload_size size = SIZE_SMALL;
    snprintf(l->path, sizeof l->path, "%s", file);
    int rc = results_read_head(file, &l->shown, e);
    if (!rc) rc = read_workload_size(l->shown.size, &size, e);
    if (!rc && o->size && strcmp(o->size, l->shown.size) != 0)
        rc = wl_fail(e, WL_EINPUT, "%s has results at size %s, not %s", file, l->shown.size, o->size);
    if (!rc && !(l->x = experiment_load(l->shown.experiment, e))) rc = e->code ? (int)e->code : WL_ERUN;
    if (!rc && l->shown.sample) rc = experiment_sample(l->x, l->shown.sample, e);
    if (rc) return rc;
    memcpy(l->build, l->shown.build, sizeof l->build);
    return (l->plan = plan_new(l->x, size, l->build, e)) ? 0 : WL_ERUN;
}

int lab_open(struct lab *l, const char *name, const struct options *o, struct wl_err *e)
{
    *l = (struct lab){.name = name, .command = "experiment"};
    if (o->known && o->from) return wl_fail(e, WL_EINPUT, "--known goes without --from");
    if (o->from && *o->sample.text)
        return wl_fail(e, WL_EINPUT, "--from shows what a file has: --sample goes without it");
    if (o->from) return open_results_file(l, name, o, e);
    enum workload_size size = SIZE_SMALL;
    int rc = lab_store_path(o, l->path, sizeof l->path, e);
    if (!rc && o->size) rc = read_workload_size(o->size, &size, e);
    if (!rc) rc = build_identity(o->plugin.item, o->plugin.count, l->build, e);
    if (!rc && !(l->x = experiment_load(name, e))) rc = e->code ? (int)e->code : WL_ERUN;
    if (!rc && *o->sample.text) rc = experiment_sample(l->x, atoi(strchr(o->sample.text, '=') + 1), e);
    if (!rc) rc = read_traces(l->x, e);
    if (!rc && !o->size && l->x->size) rc = read_workload_size(l->x->size, &size, e);
    if (!rc && !(l->plan = plan_new(l->x, size, l->build, e))) rc = WL_ERUN;
    if (!rc && !o->task && !(l->store = store_open(l->path, true, e))) rc = e->code ? (int)e->code : WL_ERUN;
    return rc;
}

int lab_plan_all(struct lab *l, struct wl_err *e)
{
    int rc = 0;
    for (unsigned i = 0; !rc && i < l->x->nfigures; i++) rc = plan_figure(l->plan, &l->x->figures[i], e);
    for (unsigned i = 0; !rc && i < l->x->nclaims; i++) rc = plan_claim(l->plan, &l->x->claims[i], e);
    return rc;
}

void lab_close(struct lab *l)
{
    store_close(l->store);
    plan_free(l->plan);
    experiment_free(l->x);
}

/* ---- running ---- */

/* In a process of its own (runner.h). */
static char *run_here(void *arg, const struct exp_run *r, struct wl_err *e)
{
    const struct lab *l = arg;
    const struct options *o = l->how;
    const struct exp_workload *w = r->workload;
    const struct run_spec spec = {.program = w->trace ? w->trace : w->program->name,
                                  .engine = o ? o->engine : NULL,
                                  .paranoid = o && o->paranoid,
                                  .max_cycles = o ? o->max_cycles : 0,
                                  .check = o && o->check && !w->trace,
                                  .config = r->config,
                                  .kernel = w->kernel,
                                  .size = w->trace ? NULL : workload_size_name(r->size),
                                  .values = r->input,
                                  .seed = w->seed};
    struct run *run = run_new(&spec, e);
    char *text = run && run_go(run, e) == 0 ? result_json_text(run_result(run), true) : NULL;
    if (!text && !e->code) wl_fail(e, WL_ERUN, "out of memory");
    run_free(run);
    return text;
}

static void say_progress(const struct run_progress *now)
{
    fprintf(stderr, "%u/%u runs", now->done, now->total);
    if (now->failed) fprintf(stderr, ", %u failed", now->failed);
    fprintf(stderr, "  %s, %s", now->workload ? now->workload : "", now->series ? now->series : "");
    if (stop) fprintf(stderr, "  stopping when %u more end; Ctrl-C again stops at once", now->running);
    else if (now->seconds_left >= 90) fprintf(stderr, "  about %.0f min left", now->seconds_left / 60);
    else if (now->seconds_left >= 0) fprintf(stderr, "  about %.0f s left", now->seconds_left);
}

/* One line of a terminal, written again and again. */
static void show_progress(void *arg, const struct run_progress *now)
{
    static double last;
    double t = now_seconds();
    (void)arg;
    if (t - last < 0.16 && now->done < now->total) return;
    last = t;
    fputs("\r\033[K", stderr);
    say_progress(now);
    fflush(stderr);
}

/* A log: a line every minute ($WARPLINE_PROGRESS: every so many seconds). */
static void log_progress(void *arg, const struct run_progress *now)
{
    static double last, every;
    double t = now_seconds();
    const char *seconds = getenv("WARPLINE_PROGRESS");
    (void)arg;
    if (!(every > 0)) every = seconds && text_double(seconds, NULL) > 0 ? text_double(seconds, NULL) : 60, last = t;
    if (t - last < every) return;
    last = t;
    say_progress(now);
    fputc('\n', stderr);
}

static unsigned default_jobs(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 1024 ? 1024 : (unsigned)n;
}

static struct runner make_runner(struct lab *l, const struct options *o)
{
    return (struct runner){.jobs = o->jobs ? (unsigned)(o->jobs < 4096 ? o->jobs : 4096) : default_jobs(),
                           .timeout_s = (double)o->timeout,
                           .retry = o->retry,
                           .run = run_here,
                           .progress = o->quiet                ? NULL
                                       : isatty(STDERR_FILENO) ? show_progress
                                                               : log_progress,
                           .arg = l,
                           .stop = &stop};
}

static int fetch(struct lab *l, struct wl_err *e)
{
    return l->lean ? plan_look(l->plan, l->store, e) : plan_fetch(l->plan, l->store, e);
}

int lab_known(struct lab *l, const struct options *o, struct wl_err *e)
{
    unsigned found = 0;
    if (!o->known || o->range.given) return 0; /* of a range the values are known, not the runs (cmd_claims.c) */
    int rc = results_known(l->plan, o->known, &found, e);
    if (!rc && !o->quiet) fprintf(stderr, "%s: %u results are known\n", o->known, found);
    return rc;
}

static int show_results_file(struct lab *l, const struct options *o, struct wl_err *e)
{
    unsigned changed = 0;
    int rc = results_read(l->plan, l->path, &changed, e);
    if (!rc && changed && !o->quiet)
        fprintf(stderr, "%s: %u of %u results are of machines that have been changed since\n", l->path, changed,
                l->plan->nruns);
    return rc;
}

/* Keeps what each run is for, so that an export can say it. */
static int keep_uses(const struct lab *l, struct wl_err *e)
{
    const struct plan *p = l->plan;
    unsigned cells = p->x->nseries * p->x->nworkloads, n = 0;
    struct store_use *uses = calloc(cells + p->nruns + 1, sizeof *uses);
    if (!uses) return wl_no_memory(e);
    for (unsigned i = 0; i < cells; i++) {
        const struct exp_series *s = p->x->series[i / p->x->nworkloads];
        if (p->cell[i]) uses[n++] = (struct store_use){p->cell[i]->key, p->x->name, s->name, s->point};
    }
    for (unsigned i = 0; i < p->nruns; i++) /* points of a range have plans of their own */
        uses[n++] = (struct store_use){p->runs[i]->key, p->x->name, p->runs[i]->series_label, p->runs[i]->point};
    int rc = store_use(l->store, uses, n, e);
    free(uses);
    return rc;
}

static int put_into_plan(void *arg, const struct store_row *row, struct wl_err *e)
{
    const struct plan *p = ((const struct lab *)arg)->plan;
    unsigned i = 0;
    while (strcmp(p->runs[i]->key, row->key) != 0) i++;
    struct exp_run *r = p->runs[i];
    r->state = row->failed ? RUN_FAILED : RUN_DONE;
    if (row->failed) return (r->reason = strdup(row->reason)) ? 0 : wl_no_memory(e);
    return (r->result = json_loads(row->json, 0, NULL)) ? 0 : wl_no_memory(e);
}

/* Nothing is kept, so that Ctrl-C may end it at once. */
static int run_in_memory(struct lab *l, struct runner *how, struct wl_err *e)
{
    how->put = put_into_plan;
    fflush(stdout);
    int rc = runner_run(l->plan, NULL, how, e);
    if (how->progress == show_progress) fprintf(stderr, "\r\033[K");
    return rc;
}

int lab_run(struct lab *l, const struct options *o, struct wl_err *e)
{
    struct runner how = make_runner(l, o);
    if (o->from) return show_results_file(l, o, e);
    if (!l->store) return run_in_memory(l, &how, e);
    int rc = fetch(l, e);
    if (!rc) rc = lab_known(l, o, e);
    if (rc || o->no_run) return rc;
    if ((rc = keep_uses(l, e))) return rc;
    catch_signals();
    fflush(stdout); /* or each process would write it again */
    rc = runner_run(l->plan, l->store, &how, e);
    if (how.progress == show_progress) fprintf(stderr, "\r\033[K");
    release_signals();
    return rc ? rc : fetch(l, e);
}

/* The command of a task: this program, this command and experiment, and the options that decide what is run. */
static int task_command(const struct lab *l, const struct options *o, const char *spool, char *out, size_t size,
                        struct wl_err *e)
{
    char self[1024], number[32], points[32];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) return wl_fail(e, WL_ERUN, "cannot find this program: %m");
    self[n] = 0;
    snprintf(number, sizeof number, "%llu", (unsigned long long)o->timeout);
    snprintf(points, sizeof points, "--range=%llu", (unsigned long long)o->range.n);
    const char *words[16] = {self,      l->command, l->name,     "--size", workload_size_name(l->plan->size),
                             "--spool", spool,      "--timeout", number};
    unsigned count = 9;
    if (o->range.given) words[count++] = points;
    char sample[32];
    if (*o->sample.text) {
        int hundredths = atoi(strchr(o->sample.text, '=') + 1);
        snprintf(sample, sizeof sample, "--sample=%d.%02d%%", hundredths / 100, hundredths % 100);
        words[count++] = sample;
    }
    if (o->only) words[count++] = "--only", words[count++] = o->only;
    bool fits = true;
    *out = 0;
    for (unsigned i = 0; i < count; i++) {
        fits = fits && strlen(out) + 2 < size && shell_quote(strcat(out, i ? " " : ""), size, words[i]);
    }
    for (unsigned i = 0; i < o->unknown.count && fits; i++)
        fits = strlen(out) + 13 < size && shell_quote(strcat(out, " --unknown "), size, o->unknown.item[i]);
    for (unsigned i = 0; i < o->plugin.count && fits; i++)
        fits = strlen(out) + 12 < size && shell_quote(strcat(out, " --plugin "), size, o->plugin.item[i]);
    return fits ? 0 : wl_fail(e, WL_EINPUT, "the names of the files are too long for a Slurm job");
}

int lab_run_slurm(struct lab *l, const struct options *o, struct wl_err *e)
{
    struct runner how = make_runner(l, o);
    char spool[1040], command[6000];
    snprintf(spool, sizeof spool, "%s.spool", l->path);
    if (o->spool) snprintf(spool, sizeof spool, "%s", o->spool);
    int rc = task_command(l, o, spool, command, sizeof command, e);
    if (!rc) rc = fetch(l, e);
    if (!rc) rc = lab_known(l, o, e);
    if (rc || o->no_run) return rc;
    if ((rc = keep_uses(l, e))) return rc;
    catch_signals();
    const struct slurm slurm = {command, spool, &how};
    rc = slurm_run(l->plan, l->store, &slurm, e);
    if (how.progress == show_progress) fprintf(stderr, "\r\033[K");
    release_signals();
    for (unsigned i = 0; i < l->plan->nruns; i++) /* what was collected has its numbers in the store only */
        if (!l->plan->runs[i]->result) l->plan->runs[i]->state = RUN_MISSING;
    return rc ? rc : fetch(l, e);
}

static int put_into_spool(void *arg, const struct store_row *row, struct wl_err *e)
{
    return spool_put(((const struct lab *)arg)->spool, row, e);
}

int lab_run_task(struct lab *l, const struct options *o, struct wl_err *e)
{
    struct runner how = make_runner(l, o);
    const char *key = o->task;
    if (!o->spool) return wl_fail(e, WL_EINPUT, "--task needs --spool DIR");
    l->spool = o->spool;
    how.jobs = 1;
    how.only = key;
    how.put = put_into_spool;
    how.progress = NULL;
    catch_signals();
    for (unsigned i = 0; i < l->plan->nruns; i++)
        if (strcmp(l->plan->runs[i]->key, key) == 0) return runner_run(l->plan, NULL, &how, e);
    return wl_fail(e, WL_EINPUT, "%s has no run %s: was it, or the simulator, changed since the job began?", l->x->file,
                   key);
}

int lab_failed(const struct lab *l, const struct options *o, struct wl_err *e)
{
    unsigned failed = plan_count(l->plan, RUN_FAILED), missing = plan_count(l->plan, RUN_MISSING), said = 0;
    for (unsigned i = 0; i < l->plan->nruns && !o->quiet; i++) {
        const struct exp_run *r = l->plan->runs[i];
        if (r->state != RUN_FAILED) continue;
        if (said++ < 10) fprintf(stderr, "failed: %s, %s: %s\n", r->workload->label, r->series_label, r->reason);
    }
    if (said > 10) fprintf(stderr, "failed: %u more\n", said - 10);
    if (failed)
        return wl_fail(e, WL_ERUN, "%s: %u of %u runs failed; --retry repeats them", l->x->name, failed,
                       l->plan->nruns);
    if (missing && !o->quiet)
        fprintf(stderr, "%s: %u of %u runs have not been done\n", l->x->name, missing, l->plan->nruns);
    return 0;
}
