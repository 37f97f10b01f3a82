/* run.c - a run's life, and workloads.
 *
 * The program acts on a session (sim/session.h). What the session counted becomes the record once the
 * program has ended; nothing of the session is needed after that, except the buffers of a .ptx run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/check.h"
#include "run/collect.h"
#include "run/identity.h"
#include "run/program.h"
#include "stats/timeline.h"

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double now_seconds(void) { return read_clock(CLOCK_MONOTONIC); }
double cpu_seconds(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

uint64_t peak_memory_bytes(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? (uint64_t)u.ru_maxrss * 1024 : 0;
}

struct timeline *run_timeline(FILE *out, const struct timeline_spec *spec) { return timeline_new(out, spec); }
bool run_timeline_end(struct timeline *t, bool *seen) { return timeline_end(t, seen); }
void run_show(struct run *r, struct timeline *t) { r->engine.timeline = t; }

/* ---- the session ---- */

static int record_launch(void *trace, struct stream_source *s, struct wl_err *e)
{
    return wlt_write_launch(trace, s, e);
}
static void record_copy(void *trace, uint64_t addr, uint64_t bytes) { wlt_write_copy(trace, addr, bytes); }

static int begin_trace(struct run *r, struct wl_err *e)
{
    const struct run_result *from = &r->result;
    struct wlt_header h = {.seed = r->seed, .workload_hash = from->workload_hash};
    _Static_assert(sizeof h.workload == sizeof from->workload && sizeof h.size == sizeof from->size &&
                       sizeof h.inputs == sizeof from->inputs,
                   "texts are copied whole");
    memcpy(h.workload, from->workload, sizeof h.workload);
    memcpy(h.size, from->size, sizeof h.size);
    memcpy(h.inputs, from->inputs, sizeof h.inputs);
    r->writer = wlt_create(r->spec.record, &h, e);
    return r->writer ? 0 : (int)e->code;
}

/* Room for the counters of n launches. */
static bool make_room(struct run *r, unsigned n)
{
    if (n <= r->each_room) return true;
    unsigned room = 2 * n;
    struct run_stats *each = realloc(r->each, room * sizeof *each);
    if (each) r->each = each;
    struct policy_stats *policy = realloc(r->each_policy, room * sizeof *policy);
    if (policy) r->each_policy = policy;
    if (!each || !policy) return false;
    r->each_room = room;
    return true;
}

/* After a launch: what it added to the counters. Of launches that overlapped the first has all they added. A failure
 * shows when the record is made. */
static void keep_launch(void *arg)
{
    struct run *r = arg;
    unsigned n;
    session_kernels(r->session, &n);
    if (n <= r->each_known || r->each_failed) return;
    r->each_failed = !make_room(r, n);
    if (r->each_failed) return;
    unsigned first = r->each_known;
    memset(&r->each[first], 0, (n - first) * sizeof *r->each);
    memset(&r->each_policy[first], 0, (n - first) * sizeof *r->each_policy);
    struct run_stats now;
    struct policy_stats policy;
    gpu_read_stats(session_gpu(r->session), &now);
    gpu_read_policy_stats(session_gpu(r->session), &policy);
    r->each[first] = now;
    stats_subtract(&r->each[first], &r->known, sizeof now);
    r->each_policy[first] = policy;
    stats_subtract(&r->each_policy[first], &r->known_policy, sizeof policy);
    r->each_known = n;
    r->known = now;
    r->known_policy = policy;
}

static void note_launch(void *arg, const char *text)
{
    struct run *r = arg;
    run_note(r, text);
    if (r->spec.say && !r->spec.quiet) r->spec.say(r->spec.listener, text);
}

int run_session(struct run *r, struct wl_err *e)
{
    struct session_watch watch = {.arg = r, .launched = keep_launch, .note = note_launch};
    struct session_options so = {.mode = r->spec.functional ? SESSION_FUNCTIONAL : SESSION_TIMING,
                                 .config = r->config,
                                 .gpu = r->engine,
                                 .print = r->spec.print,
                                 .print_arg = r->spec.listener};
    so.no_data = r->kind == RUN_TRACE;
    so.time_all = *r->time_all ? r->time_all : NULL;
    so.may_move = r->kind == RUN_WORKLOAD;
    so.may_skim = r->kind == RUN_WORKLOAD && !r->executes && !r->spec.check && !r->config.v[P_RUN_SAMPLE_EXECUTE];
    if (r->spec.record) {
        int rc = begin_trace(r, e);
        if (rc) return rc;
        so.mode = SESSION_RECORD;
        so.record = record_launch;
        so.record_copy = record_copy;
        so.record_arg = r->writer;
    }
    if (!r->spec.each || so.mode != SESSION_TIMING || r->config.v[P_RUN_SAMPLE]) watch.launched = NULL;
    r->watch = watch;
    so.watch = &r->watch;
    r->session = session_new(&so, e);
    return r->session ? 0 : e->code ? (int)e->code : WL_ERUN;
}

/* Of a sampled run the counters of a launch are known only at the end, when all that it is projected from was timed. */
static void keep_sampled(struct run *r, unsigned n)
{
    struct run_stats one;
    struct policy_stats policy;
    if (r->spec.each && n && !make_room(r, n)) r->each_failed = true;
    for (unsigned i = 0; i < n && !r->each_failed; i++) {
        if (!session_read_launch(r->session, i, &one, &policy)) return;
        if (!r->spec.each) continue;
        r->each[i] = one;
        r->each_policy[i] = policy;
    }
}

static int copy_kernels(struct run *r, struct wl_err *e)
{
    unsigned n;
    session_kernels(r->session, &n);
    if (r->result.sampling) keep_sampled(r, n);
    const struct kernel_record *k = session_kernels(r->session, &n);
    r->kernels = calloc(n ? n : 1, sizeof *r->kernels);
    if (!r->kernels || r->each_failed) return wl_fail(e, WL_ERUN, "out of memory");
    if (n) memcpy(r->kernels, k, n * sizeof *k);
    r->result.kernels = r->kernels;
    r->result.each = r->each;
    r->result.each_policy = r->each_policy;
    r->result.nkernels = n;
    return 0;
}

int run_collect(struct run *r, double started, struct wl_err *e)
{
    struct run_result *to = &r->result;
    if (session_flush(r->session, e)) return (int)e->code;
    result_describe(to, &r->config, r->spec.functional ? "functional" : r->engine.tick ? "tick" : "fast", r->seed);
    struct gpu *gpu = session_gpu(r->session);
    if (gpu) {
        struct policy_stats p = {0};
        struct run_stats stats;
        int bad = session_read(r->session, &stats, &p, &r->sampling, e);
        if (bad) return bad;
        if (r->sampling.on) to->sampling = &r->sampling;
        result_count(to, &r->config, &stats, &p);
        if (gpu_read_profile(gpu, &to->profile, e)) return (int)e->code;
        if (gpu_read_samples(gpu, &r->samples, &to->nsamples, e)) return (int)e->code;
        to->samples = r->samples;
    } else {
        struct exec_counts n = session_counts(r->session);
        to->stats.sm.warp_instructions = n.warp_instructions;
        to->stats.sm.thread_instructions = n.thread_instructions;
    }
    to->warnings = (const char *const *)r->warnings;
    to->nwarnings = r->nwarnings;
    to->host.seconds = now_seconds() - started;
    to->host.peak_memory_bytes = peak_memory_bytes();
    return copy_kernels(r, e);
}

/* ---- workloads ---- */

static int run_program(struct run *r, struct module_set modules, struct wl_err *e)
{
    struct workload_run run = {.seed = r->seed, .check = r->spec.check};
    struct module_set loaded;
    struct session *before = session_current();
    memcpy(run.in, r->input, sizeof run.in);
    session_make_current(r->session);
    int failed = modules_run(r->workload, &run, &loaded);
    session_make_current(before);
    const struct wl_err *cause = session_error(r->session);
    if (failed && cause->code != WL_OK) return wl_fail(e, cause->code, "%s: %s", r->workload->name, cause->text);
    if (failed) return wl_fail(e, WL_ERUN, "%s: %s", r->workload->name, *run.message ? run.message : "failed");
    if (loaded.hash != modules.hash)
        return wl_fail(e, WL_ELAW, "%s loaded other device code than it said it would", r->workload->name);
    if (r->spec.check) snprintf(r->result.check, sizeof r->result.check, "%s", *run.message ? run.message : "passed");
    return 0;
}

/* From the beginning, with a new machine. */
static int run_again(struct run *r, struct module_set modules, unsigned warnings, struct wl_err *e)
{
    session_free(r->session);
    r->session = NULL;
    while (r->nwarnings > warnings) free(r->warnings[--r->nwarnings]);
    *e = (struct wl_err){.code = WL_OK};
    int rc = run_session(r, e);
    return rc ? rc : run_program(r, modules, e);
}

/* Whether what a sampled run found is too little to be of use. Then time_all says why it is run again. */
static bool says_too_little(struct run *r, struct wl_err *e)
{
    static const double worst = 10; /* times the asked error */
    struct run_stats stats;
    struct policy_stats policy;
    if (!r->config.v[P_RUN_SAMPLE] || session_read(r->session, &stats, &policy, &r->sampling, e)) return false;
    double half = stats.cycles ? r->sampling.half[SAMPLED_CYCLES] / (double)stats.cycles : 0;
    if (!r->sampling.on || half <= worst * r->sampling.asked) return false;
    snprintf(r->time_all, sizeof r->time_all, "sampled, its cycles were known to +- %.0f %% only, so it was run again",
             100 * half);
    return true;
}

static int run_workload(struct run *r, struct wl_err *e)
{
    double started = now_seconds();
    struct module_set modules = modules_of(r->workload, r->input);
    unsigned warnings = r->nwarnings;
    describe_program(r);
    r->result.workload_hash = identity_hash(r->result.workload, r->result.inputs, r->seed, modules);
    int rc = run_session(r, e);
    if (!rc) rc = run_program(r, modules, e);
    if (r->session && session_was_stale(r->session)) { /* it is counted in part, and somebody has looked at results */
        r->executes = true;
        rc = run_again(r, modules, warnings, e);
    }
    if (!rc && session_gpu(r->session) && says_too_little(r, e)) rc = run_again(r, modules, warnings, e);
    return rc ? rc : run_collect(r, started, e);
}

/* ---- life ---- */

int run_check_threads(uint64_t threads, struct wl_err *e)
{
    return threads <= RUN_MAX_THREADS ? 0
                                      : wl_fail(e, WL_EINPUT, "--threads is a number from 1 to %d", RUN_MAX_THREADS);
}

static int read_engine(struct run *r, struct wl_err *e)
{
    const char *name = r->spec.engine;
    if (run_check_threads(r->spec.threads, e)) return (int)e->code;
    wl_set_paranoid(r->spec.paranoid);
    r->engine = (struct gpu_options){
        .shuffle = r->spec.shuffle, .max_cycles = r->spec.max_cycles, .threads = (unsigned)r->spec.threads};
    if (!name || strcmp(name, "fast") == 0) return 0;
    r->engine.tick = true;
    return strcmp(name, "tick") == 0 ? 0
                                     : wl_fail(e, WL_EINPUT, "there is no engine '%s'; --engine is fast or tick", name);
}

/* Without memory for it a sentence is lost, not the run. */
void run_note(struct run *r, const char *text)
{
    if (r->nwarnings == r->warnings_room) {
        unsigned room = r->warnings_room ? 2 * r->warnings_room : 8;
        char **grown = realloc(r->warnings, room * sizeof *grown);
        if (!grown) return;
        r->warnings = grown;
        r->warnings_room = room;
    }
    char *copy = strdup(text);
    if (copy) r->warnings[r->nwarnings++] = copy;
}

static void note_machine(void *arg, const char *text)
{
    struct run *r = arg;
    run_note(r, text);
    if (r->spec.machine.say) r->spec.machine.say(r->spec.machine.say_arg, text);
}

static int make_machine(struct run *r, struct wl_err *e)
{
    struct machine_spec machine = r->spec.machine;
    machine.say = note_machine;
    machine.say_arg = r;
    if (r->spec.config) r->config = *r->spec.config;
    int rc = r->spec.config ? 0 : machine_make(&machine, &r->config, e);
    return rc ? rc : read_engine(r, e);
}

struct run *run_new(const struct run_spec *spec, struct wl_err *e)
{
    struct run *r = calloc(1, sizeof *r);
    if (!r) return wl_fail(e, WL_ERUN, "out of memory"), NULL;
    r->spec = *spec;
    r->seed = spec->seed;
    r->kind = run_kind(spec->program);
    int rc = r->kind == RUN_WORKLOAD ? find_program(r, e) : 0;
    if (!rc) rc = make_machine(r, e);
    if (!rc && r->kind == RUN_PTX) rc = run_ptx_new(r, e);
    if (!rc && r->kind == RUN_TRACE) rc = run_trace_new(r, e);
    if (!rc) return r;
    run_free(r);
    return NULL;
}

/* The streams that were saved must hold what was executed. */
static int audit_recording(const struct run *r, struct wl_err *e)
{
    const struct sm_stats *sm = &r->result.stats.sm;
    const struct wlt_counts *saved = &r->recorded.counts;
    if (saved->warp_instructions == sm->warp_instructions && saved->thread_instructions == sm->thread_instructions)
        return 0;
    return wl_fail(e, WL_ELAW,
                   "%s: %" PRIu64 " warp and %" PRIu64 " thread instructions were executed, but %" PRIu64
                   " and %" PRIu64 " were recorded",
                   r->spec.record, sm->warp_instructions, sm->thread_instructions, saved->warp_instructions,
                   saved->thread_instructions);
}

int run_go(struct run *r, struct wl_err *e)
{
    int rc = 0;
    switch (r->kind) {
    case RUN_WORKLOAD: rc = run_workload(r, e); break;
    case RUN_PTX: rc = run_ptx_go(r, e); break;
    case RUN_TRACE: rc = run_trace_go(r, e); break;
    }
    if (r->writer) {
        rc = rc ? wlt_finish(r->writer, rc, NULL, NULL) : wlt_finish(r->writer, 0, &r->recorded, e);
        r->writer = NULL;
        if (!rc) rc = audit_recording(r, e);
    }
    if (r->kind != RUN_PTX) { /* whose buffers may yet be printed */
        session_free(r->session);
        r->session = NULL;
    }
    return rc;
}

void run_free(struct run *r)
{
    if (!r) return;
    run_ptx_free(r);
    session_free(r->session);
    free(r->kernels);
    free(r->each);
    free(r->each_policy);
    free(r->samples);
    free(r->result.profile.load);
    free(r->result.profile.inst);
    free(r->result.profile.heat.count);
    for (unsigned i = 0; i < r->nwarnings; i++) free(r->warnings[i]);
    free(r->warnings);
    free(r);
}

const struct run_result *run_result(const struct run *r) { return &r->result; }
const struct gpu_config *run_config(const struct run *r) { return &r->config; }
const struct wlt_totals *run_recorded(const struct run *r) { return &r->recorded; }
