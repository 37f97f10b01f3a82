/* cmd_run_trace.c - replays a trace on a machine.
 *
 * Copies from the host and launches happen in the order in which the program made them: copies
 * fill the L2, so a launch's counters depend on them. The record carries the program's name,
 * inputs, seed and hash from the trace and is that of a direct run in everything but `host`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "trace/trace.h"

int refuse_program_options(const struct options *o, struct wl_err *e)
{
    const char *name = o->size          ? "size"
                       : o->input.count ? "input"
                       : o->seed_given  ? "seed"
                       : o->check       ? "check"
                       : o->functional  ? "functional"
                                        : NULL;
    return name ? wl_fail(e, WL_EINPUT, "--%s changes a program; a trace holds what a program has done", name)
                : refuse_ptx_options(o, e);
}

/* What the machine issued must be what was recorded: the law of a live run (session.c). */
static int audit(const struct session *s, const struct trace_reader *r, struct wl_err *e)
{
    unsigned n;
    const struct kernel_record *k = session_kernels(s, &n);
    struct wlt_counts want = trace_launch_counts(r);
    k += n - 1;
    if (k->warp_instructions == want.warp_instructions && k->thread_instructions == want.thread_instructions) return 0;
    return wl_fail(e, WL_ELAW,
                   "kernel %s: the machine issued %" PRIu64 " warp and %" PRIu64 " thread instructions, but %" PRIu64
                   " and %" PRIu64 " are in the trace",
                   k->name, k->warp_instructions, k->thread_instructions, want.warp_instructions,
                   want.thread_instructions);
}

static int replay(struct trace_reader *r, struct session *s, struct wl_err *e)
{
    struct wlt_item item;
    int got;
    while ((got = trace_next(r, &item, e)) > 0) {
        if (item.kind == WLT_COPY) {
            session_host_copy(s, item.addr, item.bytes);
            continue;
        }
        int rc = session_replay(s, item.source, e);
        if (!rc) rc = audit(s, r, e);
        if (rc) return rc;
    }
    return -got;
}

static void describe(struct job *j, const struct wlt_header *h)
{
    struct run_result *r = &j->result;
    memcpy(r->workload, h->workload, sizeof r->workload);
    memcpy(r->size, h->size, sizeof r->size);
    memcpy(r->inputs, h->inputs, sizeof r->inputs);
    r->workload_hash = h->workload_hash;
    j->seed = h->seed;
}

static int replay_open(struct job *j, struct trace_reader *r, bool warn, struct wl_err *e)
{
    describe(j, trace_header(r));
    double start = now_seconds();
    struct session *s = job_session(j, e);
    if (!s) return (int)e->code;
    int rc = replay(r, s, e);
    if (!rc && warn) trace_warnings(r, print_warning, NULL);
    if (!rc) rc = job_collect(j, s, now_seconds() - start, e);
    session_free(s);
    return rc;
}

int replay_job(struct job *j, const char *file, bool warn, struct wl_err *e)
{
    struct trace_reader *r = trace_open(file, e);
    int rc = r ? replay_open(j, r, warn, e) : (int)e->code;
    trace_close(r);
    return rc;
}

bool names_trace(const char *word) { return trace_named(word) && !workload_find(word); }

int try_trace(const char *file, struct wl_err *e)
{
    struct trace_reader *r = trace_open(file, e);
    if (!r) return (int)e->code;
    trace_close(r);
    return 0;
}

static int run_and_write(struct job *j, struct trace_reader *r, const struct options *o, struct wl_err *e)
{
    struct output out = {0};
    int rc = output_open(&out, o, e);
    j->engine.timeline = out.timeline;
    if (!rc) rc = replay_open(j, r, !o->quiet, e);
    if (!rc) rc = output_run(&out, &j->result, e);
    return output_close(&out, rc, e);
}

int cmd_run_trace(const struct options *o, const char *file, struct wl_err *e)
{
    struct job *j = calloc(1, sizeof *j);
    if (!j) return wl_fail(e, WL_ERUN, "out of memory");
    struct trace_reader *r = NULL;
    int rc = refuse_program_options(o, e);
    if (!rc) rc = make_config(&j->config, o->gpu, &o->set, o->l1, o->l2, o->sched, e);
    if (!rc) rc = engine_options(o, &j->engine, e);
    if (!rc && !(r = trace_open(file, e))) rc = (int)e->code;
    if (!rc) rc = run_and_write(j, r, o, e);
    trace_close(r);
    job_free(j);
    free(j);
    return rc;
}
