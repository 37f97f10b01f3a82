/* run_trace.c - replays a trace on a machine.
 *
 * Copies from the host and launches happen in the order in which the program made them, but for launches of different
 * streams, which may overlap: copies fill the L2, so a launch's counters depend on them. The record carries the
 * program's name, inputs, seed and hash from the trace and is that of a direct run in everything but `host`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "run/identity.h"
#include "run/run_priv.h"
#include "run/traces.h"
#include "trace/convert.h"
#include "trace/trace.h"

static struct exec_counts count_trace(void *reader)
{
    struct wlt_counts n = trace_launch_counts(reader);
    return (struct exec_counts){n.warp_instructions, n.thread_instructions};
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

/* Nothing ran: a wrong name would else look like a program that takes no time. */
static int nothing_ran(const struct run *r, uint64_t launches, const char *some, struct wl_err *e)
{
    if (!launches) return wl_fail(e, WL_EINPUT, "%s: no kernel ran: the trace has no kernel", r->spec.program);
    return wl_fail(e, WL_EINPUT, "%s: no kernel ran: none of its %" PRIu64 " launches is of '%s'; the first is of %s",
                   r->spec.program, launches, r->spec.kernel, some);
}

/* ---- launches that may overlap ---- */

/* The last work of each stream, by the session's numbers. */
struct replay {
    struct run *run;
    struct trace_reader *reader;
    struct {
        uint64_t stream, last;
    } * stream;
    unsigned streams, streams_cap;
    char first[128];
    uint64_t launches, ran;
};

/* The place of the stream's last work; NULL: no memory. */
static uint64_t *last_of(struct replay *p, uint64_t stream)
{
    for (unsigned i = 0; i < p->streams; i++)
        if (p->stream[i].stream == stream) return &p->stream[i].last;
    if (p->streams == p->streams_cap) {
        unsigned cap = p->streams_cap ? 2 * p->streams_cap : 16;
        void *grown = realloc(p->stream, cap * sizeof *p->stream);
        if (!grown) return NULL;
        p->stream = grown;
        p->streams_cap = cap;
    }
    p->stream[p->streams].stream = stream;
    p->stream[p->streams].last = 0;
    return &p->stream[p->streams++].last;
}

/* A launch that may overlap with those of other streams. */
static int replay_ordered(struct replay *p, const struct wlt_item *item, struct wl_err *e)
{
    struct kept_from from = {
        .source = item->source, .counts = count_trace, .arg = p->reader, .fleeting = trace_code_is_fleeting(p->reader)};
    uint64_t number, *last = last_of(p, item->order.stream);
    if (!last) return wl_no_memory(e);
    struct launch_order order = {.stream = item->order.stream, .after = last, .afters = *last != 0};
    int rc = session_replay_after(p->run->session, &from, &order, &number, e);
    *last = number;
    return rc;
}

static int replay_copy(struct replay *p, const struct wlt_item *item, struct wl_err *e)
{
    int rc = session_flush(p->run->session, e);
    if (!rc) session_host_copy(p->run->session, item->addr, item->bytes);
    return rc;
}

static int replay_launch(struct replay *p, const struct wlt_item *item, struct wl_err *e)
{
    if (!p->launches++) snprintf(p->first, sizeof p->first, "%s", item->source->info->kernel);
    if (item->unwanted) return 0;
    p->ran++;
    if (item->order.given && session_overlaps(p->run->session)) return replay_ordered(p, item, e);
    int rc = session_replay(p->run->session, item->source, count_trace, p->reader, e);
    return rc ? rc : audit(p->run->session, p->reader, e);
}

static int replay(struct run *r, struct trace_reader *reader, struct wl_err *e)
{
    struct wlt_item item = {0};
    struct replay p = {.run = r, .reader = reader};
    int got, rc = 0;
    while (!rc && (got = trace_next(reader, &item, e)) > 0)
        rc = item.kind == WLT_COPY ? replay_copy(&p, &item, e) : replay_launch(&p, &item, e);
    if (!rc && got < 0) rc = -got;
    if (!rc) rc = session_flush(r->session, e);
    if (!rc && !p.ran) rc = nothing_ran(r, p.launches, p.first, e);
    free(p.stream);
    return rc;
}

static void note_trace(void *arg, const char *text, bool loss)
{
    struct run *r = arg;
    run_note(r, text);
    if (r->spec.say && (loss || !r->spec.quiet)) r->spec.say(r->spec.listener, text);
}

static void describe(struct run *r, const struct wlt_header *h)
{
    struct run_result *to = &r->result;
    memcpy(to->workload, h->workload, sizeof to->workload);
    memcpy(to->size, h->size, sizeof to->size);
    memcpy(to->inputs, h->inputs, sizeof to->inputs);
    to->workload_hash = h->workload_hash;
    r->seed = h->seed;
    if (!r->spec.kernel) return;
    size_t at = strlen(to->inputs); /* a part of the program is another program: equal hashes mean equal numbers */
    snprintf(to->inputs + at, sizeof to->inputs - at, "%skernel=%s", at ? " " : "", r->spec.kernel);
    to->workload_hash = hash_text(h->workload_hash, r->spec.kernel);
}

int run_trace_new(struct run *r, struct wl_err *e) { return trace_check(r->spec.program, e); }

int run_trace_go(struct run *r, struct wl_err *e)
{
    struct trace_reader *reader = trace_open(r->spec.program, e);
    if (!reader) return (int)e->code;
    if (r->config.v[P_TRACE_REGISTERS]) trace_keep_named(reader);
    describe(r, trace_header(reader));
    if (r->spec.kernel) trace_only(reader, r->spec.kernel);
    double started = now_seconds();
    int rc = run_session(r, e);
    if (!rc) rc = replay(r, reader, e);
    if (!rc) trace_warnings(reader, note_trace, r);
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

static int hash_one(void *arg, const char *file, struct wl_err *e) { return hash_file(file, arg, e); }

int trace_content(const char *file, uint64_t *hash, struct wl_err *e)
{
    *hash = WL_HASH_INIT;
    return trace_files(file, hash_one, hash, e);
}

int trace_info(const char *file, struct wlt_summary *out, trace_say *say, void *arg, struct wl_err *e)
{
    return wlt_summarize(file, out, say, arg, e);
}

int trace_rewrite(const char *from, const char *to, struct wlt_totals *out, trace_say *say, void *arg, struct wl_err *e)
{
    return trace_convert(from, to, out, say, arg, e);
}
