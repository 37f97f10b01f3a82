/* gpu.c - runs kernels on the machine that gpu_build.c has built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/step.h"
#include "observe/sm_timeline.h"
#include "sim/gpu_priv.h"
#include "sim/split.h"

/* Rounds of steps between two walks through the machine. */
enum { WALK_ROUNDS = 128 };

/* The last tick at which a channel that works ahead of the clock freed a request. */
static tick_t last_freed(const struct gpu *g)
{
    tick_t t = 0;
    for (uint32_t i = 0; i < g->channels; i++) t = tick_max(t, g->dram[i].freed_at);
    return t;
}

/* Whether the machine is empty: the kernel that ran last, or alone, has ended. */
static bool is_empty(const struct gpu *g)
{
    if (g->pool.alive || !dispatch_idle(&g->dispatch)) return false;
    if (clock_next(&g->clock, g->options.tick) <= last_freed(g)) return false; /* the clock has not come that far */
    for (uint32_t i = 0; i < g->sms; i++)
        if (sm_has_work(&g->sm[i])) return false;
    return true;
}

/* The kernel that runs, for messages; of several the one whose turn comes first. */
static const char *running(const struct gpu *g) { return g->kernels[g->dispatch.queue[0].number].launch->kernel; }

/* The report names every part that is not idle and what it holds. */
int gpu_fail_deadlock(struct gpu *g, struct wl_err *e)
{
    char text[sizeof e->text], line[512];
    size_t at = (size_t)snprintf(
        text, sizeof text, "kernel %s: deadlock: nothing has moved for %lld cycles at cycle %llu", running(g),
        (long long)g->config.v[P_RUN_WATCHDOG], (unsigned long long)(g->clock.now / g->core_period));
    for (uint32_t i = 0; i < g->nparts && at + 2 < sizeof text; i++) {
        const struct driven *d = &g->driven[i];
        if (d->idle(d->self)) continue;
        d->describe(d->self, line, sizeof line);
        at += (size_t)snprintf(text + at, sizeof text - at, "\n  %s", line);
    }
    return wl_fail(e, WL_EDEADLOCK, "%.*s", (int)sizeof text - 1, text);
}

/* Makes sure that the pools last for a round of steps. */
static int refill_pools(struct gpu *g)
{
    while (g->pool.available < g->round_requests)
        if (req_grow(&g->pool)) return -1;
    while (g->ops.available < g->round_ops)
        if (memop_grow(&g->ops)) return -1;
    return g->profile ? profile_grow(g->profile) : 0;
}

/* Lets the functional half go on for the warps that wait for it. Feeding one can free another. */
__attribute__((cold)) static void feed_warps(struct gpu *g)
{
    if (g->dispatch.clusters && mail_move(&g->post, &g->dispatch, g->clock.now, NULL))
        g->dispatch.failed = wl_fail(g->dispatch.e, WL_ERUN, "out of memory");
    for (int fed = 1; fed > 0;) {
        fed = 0;
        for (uint32_t i = 0; i < g->sms && g->starving; i++) {
            int n = g->sm[i].starved ? sm_feed(&g->sm[i], g->clock.now, g->dispatch.e) : 0;
            if (n < 0) {
                g->dispatch.failed = -n;
                return;
            }
            fed += n;
        }
    }
}

/* Does so many steps, or fewer when the kernel may have ended or its waves are to be looked at. False: no part will
 * ever work again. */
static bool run_steps(struct gpu *g, unsigned steps)
{
    bool usual = !g->options.tick && !g->order && g->clock.words == 1;
    for (unsigned i = 0; i < steps; i++) {
        if (g->waves.on) waves_prepare(g);
        bool went = usual ? step_word(&g->clock, g->driven)
                          : clock_step(&g->clock, g->driven, g->nparts, g->options.tick, g->order);
        if (!went) return false;
        if (g->starving) feed_warps(g);
        if (!g->pool.alive || (g->waves.on && waves_due(g))) break;
    }
    return true;
}

/* Issuing is progress too: a loop that only computes moves nothing else for as long as it runs. It is counted anyway,
 * so the watchdog asks only when everything else has been still for too long, and an issue costs nothing. */
static bool has_issued(const struct gpu *g, uint64_t *known)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->sms; i++) sum += g->sm[i].counts.warp_instructions;
    bool more = sum != *known;
    *known = sum;
    return more;
}

/* A kernel that has ended; NULL: none has. While others run it ends with its last CTA; the last one when the machine is
 * empty. */
static const struct dispatched *find_ended(const struct gpu *g)
{
    const struct dispatch *d = &g->dispatch;
    if (d->count == 1) return is_empty(g) ? &d->queue[0] : NULL;
    for (unsigned i = 0; i < d->count; i++)
        if (dispatch_ended(d, &d->queue[i])) return &d->queue[i];
    return NULL;
}

/* A kernel that has run for longer than it may; NULL: none has. */
static const struct gpu_launch *find_overdue(const struct gpu *g)
{
    uint64_t now = g->clock.now / g->core_period;
    for (unsigned i = 0; g->options.max_cycles && i < g->dispatch.count; i++) {
        const struct gpu_launch *l = g->launch[g->dispatch.queue[i].number];
        if (now >= l->begin + 1 + g->options.max_cycles) return l;
    }
    return NULL;
}

/* What can go wrong in a round of steps. */
static int check_round(struct gpu *g, bool alive, struct wl_err *e)
{
    if (g->breach.broken)
        return wl_fail(e, WL_ERUN, "%s; kernel %s, cycle %llu", g->breach.text, running(g),
                       (unsigned long long)(g->clock.now / g->core_period));
    if (!alive) return gpu_fail_deadlock(g, e);
    if (g->sampler.sample) sampler_take(g);
    if (g->waves.on) waves_look(g);
    if (g->dispatch.failed) return g->dispatch.failed;
    const struct gpu_launch *late = find_overdue(g);
    if (late)
        return wl_fail(e, WL_ERUN, "kernel %s: stopped at %llu cycles as asked", late->source->info->kernel,
                       (unsigned long long)g->options.max_cycles);
    return 0;
}

int gpu_check_window(struct gpu *g, struct wl_err *e) { return check_round(g, true, e); }

/* Runs until a kernel has ended; fails when nothing moves for too long. */
static int run_to_end(struct gpu *g, const struct dispatched **ended, struct wl_err *e)
{
    tick_t patience = (tick_t)g->config.v[P_RUN_WATCHDOG] * g->core_period, moved_at = g->clock.now;
    for (unsigned i = 0; i < g->dispatch.count; i++) moved_at = tick_max(moved_at, g->dispatch.queue[i].start);
    uint64_t progress = g->clock.progress, issued = 0;
    bool each_step = g->sampler.sample || g->profile || g->dispatch.count > 1;
    unsigned round = each_step ? 1 : ROUND_STEPS, rounds = 0;
    while (!(*ended = find_ended(g))) {
        if (refill_pools(g)) return wl_fail(e, WL_ERUN, "out of memory");
        if (g->sampler.sample) sampler_prepare(g);
        bool alive = run_steps(g, round);
        if (WL_CHECKING && ++rounds % WALK_ROUNDS == 0) gpu_walk(g);
        if (check_round(g, alive, e)) return (int)e->code;
        if (g->clock.progress != progress || (g->clock.now > moved_at + patience && has_issued(g, &issued))) {
            progress = g->clock.progress;
            moved_at = g->clock.now;
        } else if (g->clock.now > moved_at + patience) {
            return gpu_fail_deadlock(g, e);
        }
    }
    return 0;
}

/* The first core edge after now. */
static tick_t next_core_edge(const struct gpu *g) { return (g->clock.now / g->core_period + 1) * g->core_period; }

/* ---- kernels begin and end ---- */

/* The first one finds the machine empty. */
static int begin_first(struct gpu *g, struct stream_source *s, tick_t start, struct wl_err *e)
{
    for (uint32_t i = 0; i < g->sms; i++)
        if (sm_kernel_begin(&g->sm[i], 0, s, e)) return (int)e->code;
    for (uint32_t i = 0; i < g->slices; i++) l2_kernel(&g->l2[i], WL_BEGIN, &g->sm[0].kernel);
    if (g->profile && profile_kernel_begin(g->profile, s->info->kernel, s->info->code))
        return wl_fail(e, WL_ERUN, "out of memory");
    if (g->options.timeline)
        timeline_begin(g->options.timeline, s->info->kernel, s->info->code, start / g->core_period);
    return 0;
}

static int begin_next(struct gpu *g, unsigned n, struct stream_source *s, struct wl_err *e)
{
    for (uint32_t i = 0; i < g->sms; i++)
        if (sm_kernel_join(&g->sm[i], n, s, e)) return (int)e->code;
    return 0;
}

/* A launch with clusters: there must be room for one, and it is known where each CTA is. */
static int begin_clusters(struct gpu *g, const struct gpu_launch *l, struct dispatched *k, struct wl_err *e)
{
    const struct launch_info *info = l->source->info;
    uint32_t size = launch_cluster(info), limit = g->kernels[k->number].cta_limit;
    if (size == 1) return 0;
    if (!dispatch_cluster_room(g->dispatch.gpc_end, g->dispatch.gpcs, limit, size))
        return wl_fail(e, WL_ERUN,
                       "kernel %s: a cluster of %u CTAs, of which an SM holds %u, does not fit any GPC: gpu.gpcs = "
                       "%lld, sm.count = %u",
                       info->kernel, size, limit, (long long)g->config.v[P_GPU_GPCS], g->sms);
    k->cluster = size;
    k->sm_of = malloc((size_t)l->ctas * sizeof *k->sm_of);
    if (!k->sm_of) return wl_fail(e, WL_ERUN, "out of memory");
    memset(k->sm_of, 0xff, (size_t)l->ctas * sizeof *k->sm_of);
    return 0;
}

/* Kernel n has begun, alone or while others run. */
static void doze(struct gpu *g, unsigned n, bool alone)
{
    if (!g->dozes) return;
    g->skips = sm_kernel_reads_textures(&g->kernels[n]) || (g->skips && !alone);
    for (uint32_t i = 0; i < g->slices; i++) l2_doze(&g->l2[i], !g->skips);
}

static int begin_kernel(struct gpu *g, struct gpu_launch *l, struct wl_err *e)
{
    unsigned n = 0;
    while (g->launch[n]) n++;
    tick_t start = next_core_edge(g);
    struct stream_source *source = g->split ? split_source(g->split, n, l->source) : l->source;
    if (!source) return wl_fail(e, WL_ERUN, "out of memory");
    int bad = g->dispatch.count ? begin_next(g, n, source, e) : begin_first(g, source, start, e);
    if (bad) return bad;
    doze(g, n, !g->dispatch.count);
    struct dispatched k = {.number = n,
                           .priority = l->priority,
                           .ctas = l->ctas,
                           .start = start + (tick_t)g->config.v[P_SM_LAUNCH_DELAY] * g->core_period,
                           .cut_at = NEVER};
    if (begin_clusters(g, l, &k, e)) return (int)e->code;
    if (g->options.cut_cycles) k.cut_at = start + g->options.cut_cycles * g->core_period;
    dispatch_begin(&g->dispatch, &k, e);
    if (g->dispatch.count == 1) waves_begin(g, l->source);
    g->launch[n] = l;
    l->number = n;
    l->begin = start / g->core_period - 1;
    return 0;
}

static void end_kernel(struct gpu *g, const struct dispatched *k, const struct gpu_queue *q)
{
    unsigned n = k->number;
    struct gpu_launch *l = g->launch[n];
    if (k->cluster) mail_drop(&g->post, n);
    l->cut = dispatch_end(&g->dispatch, n);
    l->end = g->clock.now / g->core_period;
    g->kernels[n].launch = NULL;
    g->launch[n] = NULL;
    g->kernels_run++;
    q->ended(q->arg, l);
}

/* The machine is empty. */
static int end_last(struct gpu *g, struct wl_err *e)
{
    for (uint32_t i = 0; i < g->sms; i++) sm_kernels_end(&g->sm[i]);
    for (uint32_t i = 0; i < g->slices; i++) l2_kernel(&g->l2[i], WL_END, &g->sm[0].kernel);
    if (WL_CHECKING) gpu_walk_ended(g);
    if (g->profile && profile_kernel_end(g->profile)) return wl_fail(e, WL_ERUN, "out of memory");
    return 0;
}

/* Whether the launch can begin while others run. Observers look at one kernel at a time. One that reads a clock is
 * executed in step with the machine and has it for itself. */
static bool may_join(const struct gpu *g, const struct gpu_launch *l)
{
    if (g->dispatch.count >= (unsigned)g->config.v[P_GPU_CONCURRENT_KERNELS]) return false;
    if (g->profile || g->options.timeline || g->waves.allowed.tolerance > 0 || l->source->feed ||
        g->sm[0].first->source->feed)
        return false;
    return sm_kernel_may_join(&g->sm[0], l->source->info);
}

static int begin_all(struct gpu *g, const struct gpu_queue *q, struct wl_err *e)
{
    struct gpu_launch *l;
    while ((l = q->peek(q->arg)) && (!g->dispatch.count || may_join(g, l))) {
        int bad = begin_kernel(g, l, e);
        if (bad) return bad;
        q->take(q->arg);
    }
    return 0;
}

int gpu_run_queue(struct gpu *g, const struct gpu_queue *q, struct wl_err *e)
{
    tick_t start = next_core_edge(g);
    const struct dispatched *ended;
    if (g->broken) return wl_fail(e, WL_ERUN, "an earlier kernel failed on this machine");
    g->broken = true;
    int bad = begin_all(g, q, e);
    if (bad) return bad;
    while (g->dispatch.count) {
        bad = g->split ? split_run(g, &ended, e) : run_to_end(g, &ended, e);
        if (bad) return bad;
        bool last = g->dispatch.count == 1;
        if (last) g->clock.now = tick_max(g->clock.now, last_freed(g));
        if (last && end_last(g, e)) return (int)e->code;
        if (last && g->options.timeline)
            timeline_kernel(g->options.timeline, running(g), start / g->core_period, g->clock.now / g->core_period + 1);
        end_kernel(g, ended, q);
        if (!last && (bad = begin_all(g, q, e))) return bad;
    }
    g->cycles = g->clock.now / g->core_period;
    g->broken = false;
    return 0;
}

/* ---- one launch ---- */

struct alone {
    struct gpu_launch launch;
    bool begun;
};

static struct gpu_launch *alone_peek(void *arg)
{
    struct alone *a = arg;
    return a->begun ? NULL : &a->launch;
}

static void alone_take(void *arg) { ((struct alone *)arg)->begun = true; }
static void alone_ended(void *arg, struct gpu_launch *l) { (void)arg, (void)l; }

int gpu_run(struct gpu *g, struct stream_source *s, struct wl_err *e)
{
    struct alone a = {.launch = {.source = s, .ctas = s->info->ctas}};
    const struct gpu_queue q = {&a, alone_peek, alone_take, alone_ended};
    int bad = gpu_run_queue(g, &q, e);
    g->cut = a.launch.cut;
    return bad;
}

void gpu_allocated(struct gpu *g, uint64_t addr, uint64_t bytes) { nvm_place(&g->nvm, addr, bytes); }
uint64_t gpu_cycle(const struct gpu *g) { return g->clock.now / g->core_period; }
bool gpu_was_cut(const struct gpu *g) { return g->cut; }
const struct wave_report *gpu_waves(const struct gpu *g) { return &g->waves.report; }

void gpu_sample_waves(struct gpu *g, struct wave_limits w) { g->waves.allowed = w; }

/* Of a copy that is larger than any L2 by far only the end is still there when it is over: so much of it, at least, is
 * walked. A trace can ask for 256 GiB in one line, and 2^31 lines take minutes. */
static uint64_t copy_sectors(const struct gpu *g)
{
    const int64_t *v = g->config.v;
    uint64_t lines = (uint64_t)g->slices * (uint64_t)v[P_L2_SETS] * (uint64_t)v[P_L2_WAYS];
    uint64_t sectors = 16 * lines * LINE_SECTORS, least = (UINT64_C(1) << 30) / SECTOR_BYTES;
    return sectors > least ? sectors : least;
}

void gpu_host_copy(struct gpu *g, uint64_t addr, uint64_t bytes)
{
    enum { NO_FILLS, FILLS, FILLS_LOW32 }; /* l2.copy_fills */
    if (g->config.v[P_L2_COPY_FILLS] == NO_FILLS || !bytes) return;
    bool low = g->config.v[P_L2_COPY_FILLS] == FILLS_LOW32;
    uint64_t first = addr / SECTOR_BYTES, last = (addr + bytes - 1) / SECTOR_BYTES, most = copy_sectors(g);
    if (last - first >= most) first = (last - most + 1) / LINE_SECTORS * LINE_SECTORS;
    while (first <= last) { /* line by line, with the sectors that were written */
        uint64_t line = first / LINE_SECTORS, end = line * LINE_SECTORS + LINE_SECTORS - 1;
        if (end > last) end = last;
        uint8_t sectors = 0;
        for (uint64_t i = first; i <= end; i++) sectors |= (uint8_t)(1u << i % LINE_SECTORS);
        struct place p;
        if (low) line &= UINT32_MAX >> LINE_SHIFT;
        addrmap_place(&g->map, line << LINE_SHIFT, &p);
        l2_host_copy(&g->l2[p.slice], line, p.set, sectors, g->clock.now);
        first = end + 1;
    }
}

void gpu_touch_l2(struct gpu *g, uint64_t line)
{
    struct place p;
    addrmap_place(&g->map, line << LINE_SHIFT, &p);
    l2_host_copy(&g->l2[p.slice], line, p.set, ALL_SECTORS, g->clock.now);
}
