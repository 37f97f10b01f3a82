/* session_overlap.c - launches that may overlap: they are executed when they are made, kept, and run together when the
 * program waits for one of them. */
#include "sim/session_priv.h"

/* What is kept at most: beyond that all of it runs, and what comes later runs after it. */
enum { MOST_WAITING = 1024 };
#define MOST_KEPT (UINT64_C(256) << 20)

bool session_overlaps(const struct session *s)
{
    return s->gpu && s->opt.config.v[P_GPU_CONCURRENT_KERNELS] > 1 && !s->opt.config.v[P_STATS_PROFILE] &&
           !s->opt.gpu.timeline && !s->sampling;
}

bool session_orders(const struct session *s) { return session_overlaps(s); }
bool session_has_ended(const struct session *s, uint64_t number) { return queue_ended_at(&s->queue, number); }
bool session_waits(const struct session *s) { return s->queue.count; }
uint64_t session_ended_at(const struct session *s, uint64_t number) { return queue_ended_at(&s->queue, number); }

bool session_covers(const struct session *s, const uint64_t *number, unsigned numbers)
{
    return queue_covers(&s->queue, number, numbers);
}

/* The records of launches that ran between two moments in which the machine was empty. */
struct flush {
    struct session *session;
    struct run_stats before;
};

static void record_one(struct session *s, const struct queued *w, uint64_t overlap)
{
    struct exec_counts n = kept_handed_out(w->kept), all = kept_executed(w->kept);
    s->launches.cut += w->launch.cut && all.warp_instructions > n.warp_instructions;
    s->counts.warp_instructions += n.warp_instructions;
    s->counts.thread_instructions += n.thread_instructions;
    uint64_t cycles = s->cycles;
    session_record(s, w->launch.source->info, w->launch.end - w->launch.begin, n);
    s->cycles = cycles;
    struct kernel_record *k = &s->kernel[s->kernels - 1];
    k->begin = w->launch.begin;
    k->end = w->launch.end;
    k->stream = w->stream;
    k->overlap = overlap;
}

static int record_group(void *arg, struct queued *const *ran, unsigned count, struct wl_err *e)
{
    const struct flush *f = arg;
    struct session *s = f->session;
    struct run_stats after;
    struct exec_counts issued, executed = {0};
    int rc = gpu_check_laws(s->gpu, e);
    gpu_read_stats(s->gpu, &after);
    issued.warp_instructions = after.sm.warp_instructions - f->before.sm.warp_instructions;
    issued.thread_instructions = after.sm.thread_instructions - f->before.sm.thread_instructions;
    for (unsigned i = 0; i < count; i++) {
        executed.warp_instructions += kept_handed_out(ran[i]->kept).warp_instructions;
        executed.thread_instructions += kept_handed_out(ran[i]->kept).thread_instructions;
    }
    if (!rc) rc = session_audit(ran[0]->launch.source->info->kernel, issued, executed, e);
    if (count > 1) s->overlaps++;
    for (unsigned i = 0; i < count && !rc; i++) {
        rc = session_reserve(s, e);
        if (!rc) record_one(s, ran[i], count > 1 ? s->overlaps : 0);
        if (!rc && ran[i]->launch.cut) rc = session_execute(ran[i]->launch.source, e);
    }
    s->cycles = after.cycles;
    const struct session_watch *w = s->opt.watch;
    if (!rc && w && w->launched) w->launched(w->arg);
    return rc;
}

int session_flush(struct session *s, struct wl_err *e)
{
    struct flush f = {.session = s};
    int rc = 0;
    while (!rc && s->queue.count) {
        gpu_read_stats(s->gpu, &f.before);
        rc = queue_run(&s->queue, record_group, &f, e);
    }
    return rc;
}

int session_keep(struct session *s, const struct kept_from *from, const struct launch_order *o, uint64_t *number,
                 struct wl_err *e)
{
    struct kept *k = kept_new(from, s->queue.bytes < MOST_KEPT ? MOST_KEPT - s->queue.bytes : 1, e);
    if (!k) {
        struct wl_err later;
        int rc = (int)e->code;
        session_flush(s, &later); /* those before it did not fail */
        return rc;
    }
    bool all = kept_whole(k);
    int rc = queue_launch(&s->queue, k, o, number, e);
    if (!rc) s->launches.all++;
    if (rc || (all && s->queue.bytes < MOST_KEPT && s->queue.count < MOST_WAITING)) return rc;
    return session_flush(s, e);
}

int session_copy_after(struct session *s, uint64_t addr, uint64_t bytes, const struct launch_order *o, uint64_t *number,
                       struct wl_err *e)
{
    *number = 0;
    if (!o || !session_waits(s) || !s->opt.config.v[P_L2_COPY_FILLS]) {
        session_host_copy(s, addr, bytes);
        return 0;
    }
    return queue_copy(&s->queue, addr, bytes, o, number, e);
}
