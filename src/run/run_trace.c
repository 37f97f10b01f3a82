/* run_trace.c - replays a trace on a machine.
 *
 * Copies from the host and launches happen in the order in which the program made them: copies
 * fill the L2, so a launch's counters depend on them. The record carries the program's name,
 * inputs, seed and hash from the trace and is that of a direct run in everything but `host`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_priv.h"
#include "run/traces.h"
#include "trace/convert.h"
#include "trace/trace.h"

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
    unsigned launches = 0;
    int got;
    while ((got = trace_next(r, &item, e)) > 0) {
        if (item.kind == WLT_COPY) {
            session_host_copy(s, item.addr, item.bytes);
            continue;
        }
        int rc = session_replay(s, item.source, e);
        if (!rc) rc = audit(s, r, e);
        if (rc) return rc;
        launches++;
    }
    if (!got && !launches) return wl_fail(e, WL_EINPUT, "the trace has no kernel: there is nothing to run");
    return -got;
}

static void describe(struct run *r, const struct wlt_header *h)
{
    struct run_result *to = &r->result;
    memcpy(to->workload, h->workload, sizeof to->workload);
    memcpy(to->size, h->size, sizeof to->size);
    memcpy(to->inputs, h->inputs, sizeof to->inputs);
    to->workload_hash = h->workload_hash;
    r->seed = h->seed;
}

int run_trace_new(struct run *r, struct wl_err *e) { return trace_check(r->spec.program, e); }

int run_trace_go(struct run *r, struct wl_err *e)
{
    struct trace_reader *reader = trace_open(r->spec.program, e);
    if (!reader) return (int)e->code;
    describe(r, trace_header(reader));
    double started = now_seconds();
    int rc = run_session(r, e);
    if (!rc) rc = replay(reader, r->session, e);
    if (!rc && r->spec.say) trace_warnings(reader, r->spec.say, r->spec.listener);
    if (!rc) rc = run_collect(r, started, e);
    trace_close(reader);
    return rc;
}

int trace_check(const char *file, struct wl_err *e)
{
    struct trace_reader *r = trace_open(file, e);
    if (!r) return (int)e->code;
    trace_close(r);
    return 0;
}

int trace_info(const char *file, struct wlt_summary *out, void (*say)(void *arg, const char *text), void *arg,
               struct wl_err *e)
{
    return wlt_summarize(file, out, say, arg, e);
}

int trace_rewrite(const char *from, const char *to, struct wlt_totals *out, void (*say)(void *arg, const char *text),
                  void *arg, struct wl_err *e)
{
    return trace_convert(from, to, out, say, arg, e);
}
