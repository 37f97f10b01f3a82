/* gpu.c - builds the machine, connects its parts and runs kernels on it. */
#include "sim/gpu_priv.h"

#include "observe/probe.h"
#include "observe/sm_timeline.h"
#include "engine/step.h"
#include "mem/l2_halves.h"
#include "sim/split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/spaces.h"

/* Steps between two looks at what need not be looked at after each. */
enum { ROUND_STEPS = 8, WALK_ROUNDS = 128 };

/* ---- building ---- */

/* A part's functions as the clock's table wants them. */
#define PART_FUNCTIONS(kind)                                                                                           \
    static tick_t tick_##kind(void *self, tick_t now) { return kind##_tick(self, now); }                               \
    static bool idle_##kind(const void *self) { return kind##_idle(self); }                                            \
    static void describe_##kind(const void *self, char *out, size_t size) { kind##_describe(self, out, size); }
PART_FUNCTIONS(sm)
PART_FUNCTIONS(net)
PART_FUNCTIONS(l2)
PART_FUNCTIONS(dram)
PART_FUNCTIONS(dispatch)

static void add_part(struct gpu *g, struct driven row, tick_t period)
{
    int domain =
        g->split ? 0 : clock_domain(&g->clock, period); /* parts of a split machine have their clocks already */
    if (domain < 0) {
        g->broken = true;
        return;
    }
    if (!g->split) *row.part = part_of(&g->clock, g->nparts, (unsigned)domain);
    g->driven[g->nparts++] = row;
}

#define ADD_PART(g, kind, x, period)                                                                                   \
    add_part(g, (struct driven){&(x)->part, tick_##kind, (x), idle_##kind, describe_##kind}, period)

/* What ROUND_STEPS steps need at most. In one step an SM makes a request and a write-back per cache (an L1D of
 * grains up to eight: four of a miss, four of a flush; the instruction cache a request), a slice a fetch, a store and a
 * write-back, one of two halves (l2.halves) twice that. Instructions: as many as the ld/st unit's queue takes, from
 * which one leaves per step. */
static void set_round(struct gpu *g)
{
    g->round_requests = ROUND_STEPS * (UINT64_C(12) * g->sms + slice_requests(&g->config) * g->slices);
    g->round_ops = g->sms * ((uint64_t)g->config.v[P_SM_LSU_QUEUE] + ROUND_STEPS);
}

/* Whether the machine is split. One thread is faster so too: it has one piece after the other in the host's cache. */
static bool in_pieces(const struct gpu *g)
{
    bool walks = wl_paranoid && g->options.threads < 2; /* only the one loop for all parts looks at all of them */
    return !g->options.whole && !walks && !split_refuses(&g->config, &g->options);
}

/* All parts get their place in time before any is built: ports refer to both ends. */
static int make_parts(struct gpu *g, struct wl_err *e)
{
    const int64_t *v = g->config.v;
    int64_t khz[4] = {v[P_CLOCK_CORE], v[P_CLOCK_ICNT], v[P_CLOCK_L2], v[P_CLOCK_DRAM]};
    tick_t period[4];
    clock_periods(khz, 4, period);
    g->core_period = period[0];
    g->sms = (uint32_t)v[P_SM_COUNT];
    g->channels = (uint32_t)v[P_MEM_CHANNELS];
    g->slices = g->channels * (uint32_t)v[P_L2_SLICES];
    unsigned parts = g->sms + g->slices + g->channels + 3;
    g->sm = aligned_alloc(_Alignof(struct sm), g->sms * sizeof *g->sm);
    g->l2 = calloc(g->slices, sizeof *g->l2);
    g->dram = calloc(g->channels, sizeof *g->dram);
    g->driven = calloc(parts, sizeof *g->driven);
    g->kernels = calloc(SM_MAX_KERNELS, sizeof *g->kernels);
    g->dispatch.given_to = calloc((size_t)g->sms * SM_MAX_KERNELS, sizeof *g->dispatch.given_to);
    if (g->sm) memset(g->sm, 0, g->sms * sizeof *g->sm);
    bool made = g->sm && g->l2 && g->dram && g->driven && g->kernels && g->dispatch.given_to;
    if (!made || clock_init(&g->clock, parts, &g->breach))
        return wl_fail(e, WL_ERUN, "out of memory, or a machine of more than %d parts", CLOCK_MAX_WORDS * 64);
    if (in_pieces(g) && split_begin(g, period)) return wl_fail(e, WL_ERUN, "out of memory");
    for (uint32_t i = 0; i < g->sms; i++) ADD_PART(g, sm, &g->sm[i], period[0]);
    for (uint32_t i = 0; i < 2; i++) ADD_PART(g, net, &g->net[i], period[1]);
    for (uint32_t i = 0; i < g->slices; i++) ADD_PART(g, l2, &g->l2[i], period[2]);
    for (uint32_t i = 0; i < g->channels; i++) ADD_PART(g, dram, &g->dram[i], period[3]);
    ADD_PART(g, dispatch, &g->dispatch, period[0]);
    g->dispatch.sm = g->sm;
    g->dispatch.sms = g->sms;
    g->dispatch.cluster = v[P_GPU_CTA_ORDER] ? (uint32_t)v[P_SM_CLUSTER] : 1;
    g->dispatch.kernels = g->kernels;
    g->dispatch.mixed = v[P_SM_KERNELS];
    g->dispatch.interval = (uint32_t)v[P_GPU_CTA_INTERVAL];
    g->dispatch.gpcs = dispatch_gpcs((uint64_t)v[P_GPU_GPCS], g->sms, g->dispatch.gpc_end);
    g->post.event = (tick_t)v[P_CLUSTER_EVENT] * g->core_period;
    g->post.barrier = (tick_t)v[P_CLUSTER_BARRIER] * g->core_period;
    g->post.starving = g->options.threads > 1 ? NULL : &g->starving;
    set_round(g);
    return g->broken ? wl_fail(e, WL_ERUN, "out of memory") : 0;
}

static void connect_parts(struct gpu *g)
{
    const int64_t *v = g->config.v;
    uint32_t in = (uint32_t)v[P_ICNT_IN], out = (uint32_t)v[P_ICNT_OUT];
    WL_ASSERT(g->channels && g->slices >= g->channels);
    uint32_t in_flits = (uint32_t)v[P_ICNT_IN_FLITS], per = g->slices / g->channels;
    for (uint32_t i = 0; i < g->sms; i++) {
        struct sm *s = &g->sm[i];
        net_connect_input(&g->net[0], i, in, &s->part);
        if (in_flits) net_count_flits(&g->net[0], &g->net[0].in[i], in_flits / g->net[0].cluster);
        port_init(&s->reply, out, &g->net[1].part, &s->part);
        s->request = &g->net[0].in[i];
        g->net[1].out[i] = &s->reply;
        sm_warm_ports(s);
    }
    for (uint32_t i = 0; i < g->slices; i++) {
        struct l2 *l = &g->l2[i];
        struct dram *d = &g->dram[i / per];
        net_connect_input(&g->net[1], i, (uint32_t)v[P_L2_OUTQ], &l->part);
        if (in_flits) net_count_flits(&g->net[1], &g->net[1].in[i], in_flits);
        /* The fixed delays before the L2's tags and before the DRAM queue are pipelines inside the
         * ports: one entry per cycle, plus the queue. */
        bool gated = v[P_L2_ENTRY];
        port_init(&l->in, gated ? out : out + (uint32_t)(v[P_L2_INQ] + v[P_L2_ROP]), &g->net[0].part, &l->part);
        if (v[P_ICNT_OUT_FLITS]) net_count_flits(&g->net[0], &l->in, (uint32_t)v[P_ICNT_OUT_FLITS]);
        port_init(&l->fill, (uint32_t)(v[P_L2_FILLQ] + v[P_MEM_RETURNQ] / per), &d->part, &l->part);
        int64_t way = v[P_MEM_LATENCY] + (i / per % 2 ? v[P_MEM_FAR] : 0);
        port_init(&d->in[i % per], (uint32_t)(v[P_L2_MEMQ] + (d->gated ? 0 : way)), &l->part, &d->part);
        tick_t delay_period = v[P_MEM_DELAY_CLOCK] ? g->core_period : l->part.period;
        tick_t rop = delay_period * (tick_t)v[P_L2_ROP];
        l->in.delay = gated ? 0 : rop;
        l->rop_ticks = rop > l->part.period ? rop - l->part.period : 0;                    /* the queue costs a cycle */
        l->rop_ticks += (l->part.period - l->rop_ticks % l->part.period) % l->part.period; /* from edge to edge */
        d->in[i % per].delay = d->gated ? 0 : delay_period * (tick_t)way;
        d->delay_period = delay_period;
        l->out = &g->net[1].in[i];
        l->mem = &d->in[i % per];
        g->net[0].out[i] = &l->in;
        d->out[i % per] = &l->fill;
        l2_warm_ports(l);
    }
}

/* Slices whose numbers differ in the last bit stand across from each other. */
static int connect_halves(struct gpu *g)
{
    const int64_t *v = g->config.v;
    tick_t period = v[P_MEM_DELAY_CLOCK] ? g->core_period : g->l2[0].part.period;
    for (uint32_t i = 0; v[P_L2_HALVES] && i < g->slices; i += 2)
        if (l2_halves_connect(&g->l2[i], &g->l2[i + 1], &g->config, period * (tick_t)v[P_L2_CROSSING])) return -1;
    return 0;
}

static int init_parts(struct gpu *g, struct wl_err *e)
{
    const struct gpu_config *c = &g->config;
    if (addrmap_init(&g->map, c->dram_map, g->channels, g->slices / g->channels, (uint32_t)c->v[P_DRAM_BANKS], e))
        return WL_EINPUT;
    g->map.hash = (enum map_hash)c->v[P_MEM_HASH];
    g->map.bank_hash = (enum map_hash)c->v[P_DRAM_BANK_HASH];
    g->map.l2_index = (enum index_fn)c->v[P_L2_INDEX];
    g->map.l2_sets = (uint32_t)c->v[P_L2_SETS];
    g->map.half_groups = c->v[P_L2_HALVES] ? (uint32_t)c->v[P_ICNT_JOIN_GROUPS] : 0;
    g->nvm = (struct nvm_map){.rule = (enum nvm_rule)c->v[P_NVM_MAP],
                              .seed = (uint64_t)c->v[P_NVM_SEED],
                              .half = (DEVICE_BASE + ((uint64_t)g->channels << 27)) >> LINE_SHIFT,
                              .end = L2_OTHER_SPACES >> LINE_SHIFT};
    if (nvm_map_init(&g->nvm, DEVICE_BASE, g->options.memory_bytes)) return wl_fail(e, WL_ERUN, "out of memory");
    struct sm_common common = {&g->map, &g->pool, &g->ops, g->kernels, &g->starving};
    struct req_pool *back_pool = g->split ? split_back_pool(g->split) : &g->pool;
    for (uint32_t i = 0; i < g->sms; i++) {
        g->sm[i].dispatcher = g->split ? split_dispatcher(g->split, i) : &g->dispatch.part;
        if (g->split) common = split_common(g->split, i);
        if (sm_init(&g->sm[i], c, i, &common, e)) return (int)e->code;
        if (g->options.timeline) timeline_attach(g->options.timeline, &g->sm[i], i);
        if (!g->options.tick) sm_go_ahead(&g->sm[i], c, g->split || c->v[P_ICNT_IN_FLITS]);
    }
    for (uint32_t i = 0; i < g->slices; i++)
        if (l2_init(&g->l2[i], c, i, &g->map, &g->nvm, back_pool, e)) return (int)e->code;
    int bad = 0;
    for (uint32_t i = 0; i < g->channels; i++) {
        bad |= dram_init(&g->dram[i], c, i, back_pool);
        /* whoever reads counters while a kernel runs reads all of them at one tick */
        g->dram[i].ahead = !g->options.tick && !c->v[P_STATS_INTERVAL] && !c->v[P_RUN_SAMPLE];
    }
    bad |= net_init(&g->net[0], c, false, g->sms, g->slices);
    bad |= net_init(&g->net[1], c, true, g->slices, g->sms);
    if (bad) return wl_fail(e, WL_ERUN, "out of memory");
    connect_parts(g);
    if (connect_halves(g)) return wl_fail(e, WL_ERUN, "out of memory");
    g->dozes = !g->options.tick && !g->options.timeline && !g->split && g->net[0].kind == NET_FLITS &&
               c->v[P_L2_ENTRY] && c->v[P_ICNT_OUT_FLITS];
    if (g->split && split_cut(g)) return wl_fail(e, WL_ERUN, "out of memory");
    const struct machine_shape shape = {g->sms, g->slices, g->channels, g->core_period};
    if (g->options.timeline) g->clock.tracer = timeline_tracer(g->options.timeline, shape);
    return 0;
}

/* The observers exist before the SMs' first kernel, so nothing is missed. */
static int add_profile(struct gpu *g, struct wl_err *e)
{
    if (!g->config.v[P_STATS_PROFILE]) return 0;
    g->profile = calloc(1, sizeof *g->profile);
    g->probe = calloc(g->sms, sizeof *g->probe);
    if (!g->probe || !g->profile || profile_init(g->profile, g->sms)) return wl_fail(e, WL_ERUN, "out of memory");
    for (uint32_t i = 0; i < g->sms; i++) {
        g->profile->sm[i].age = sm_ages(&g->sm[i]);
        if (!(g->probe[i] = probe_new(&g->sm[i], &g->profile->sm[i]))) return wl_fail(e, WL_ERUN, "out of memory");
        insts_attach(&g->profile->watch[i], &g->profile->insts, &g->sm[i], i);
    }
    for (uint32_t i = 0; i < g->slices; i++) g->l2[i].observer = &g->profile->l2;
    const int64_t *v = g->config.v;
    const struct heat_shape shape = {g->channels, g->slices / g->channels, (uint32_t)v[P_DRAM_BANKS],
                                     (uint32_t)v[P_L1D_SETS], MAX_SAMPLES};
    if (v[P_STATS_INTERVAL] && profile_heat(g->profile, shape)) return wl_fail(e, WL_ERUN, "out of memory");
    return 0;
}

/* A seeded permutation: the test that the order of work within a tick does not matter. */
static int shuffle_order(struct gpu *g, struct wl_err *e)
{
    uint64_t state = g->options.shuffle;
    if (!state) return 0;
    g->order = calloc(g->nparts, sizeof *g->order);
    if (!g->order) return wl_fail(e, WL_ERUN, "out of memory");
    for (uint32_t i = 0; i < g->nparts; i++) g->order[i] = i;
    for (uint32_t i = g->nparts; i > 1; i--) {
        uint32_t j = (uint32_t)(splitmix64(&state) % i), t = g->order[i - 1];
        g->order[i - 1] = g->order[j];
        g->order[j] = t;
    }
    return 0;
}

struct gpu *gpu_new(const struct gpu_config *c, const struct gpu_options *o, struct wl_err *e)
{
    if (config_check(c, e)) return NULL;
    struct gpu *g = calloc(1, sizeof *g);
    if (!g) {
        wl_fail(e, WL_ERUN, "out of memory");
        return NULL;
    }
    g->config = *c;
    if (o) g->options = *o;
    if (make_parts(g, e) || init_parts(g, e) || add_profile(g, e) || sampler_init(g, e) || shuffle_order(g, e)) {
        gpu_free(g);
        return NULL;
    }
    return g;
}

void gpu_free(struct gpu *g)
{
    if (!g) return;
    split_free(g->split);
    for (uint32_t i = 0; g->sm && i < g->sms; i++) sm_destroy(&g->sm[i]);
    for (uint32_t i = 0; g->l2 && i < g->slices; i++) l2_destroy(&g->l2[i]);
    for (uint32_t i = 0; g->dram && i < g->channels; i++) dram_destroy(&g->dram[i]);
    net_destroy(&g->net[0]);
    net_destroy(&g->net[1]);
    req_pool_destroy(&g->pool);
    memop_pool_destroy(&g->ops);
    sm_kernels_destroy(g->kernels);
    free(g->kernels);
    for (unsigned i = 0; i < g->dispatch.count; i++) free(g->dispatch.queue[i].sm_of); /* of launches that failed */
    free(g->dispatch.given_to);
    free(g->post.letter);
    clock_destroy(&g->clock);
    if (g->profile) profile_destroy(g->profile);
    free(g->profile);
    for (uint32_t i = 0; g->probe && i < g->sms; i++) free(g->probe[i]);
    free(g->probe);
    free(g->sampler.sample);
    nvm_map_destroy(&g->nvm);
    free(g->sm);
    free(g->l2);
    free(g->dram);
    free(g->driven);
    free(g->order);
    free(g);
}

/* ---- running ---- */

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

/* Does so many steps, or fewer when the kernel may have ended. False: no part will ever work again. */
static bool run_steps(struct gpu *g, unsigned steps)
{
    bool usual = !g->options.tick && !g->order && g->clock.words == 1;
    for (unsigned i = 0; i < steps; i++) {
        bool went = usual ? step_word(&g->clock, g->driven)
                          : clock_step(&g->clock, g->driven, g->nparts, g->options.tick, g->order);
        if (!went) return false;
        if (g->starving) feed_warps(g);
        if (!g->pool.alive) break;
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
    bool each_step = g->sampler.sample || g->profile || g->waves.on || g->dispatch.count > 1;
    unsigned round = each_step ? 1 : ROUND_STEPS, rounds = 0;
    while (!(*ended = find_ended(g))) {
        if (refill_pools(g)) return wl_fail(e, WL_ERUN, "out of memory");
        if (g->sampler.sample) sampler_prepare(g);
        if (g->waves.by_time) waves_prepare(g);
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
