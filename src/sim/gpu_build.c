/* gpu_build.c - the machine is made of its parts and connected: what is not done cycle by cycle (gpu.c). */
#include <stdlib.h>
#include <string.h>

#include "mem/l2_halves.h"
#include "observe/probe.h"
#include "observe/sm_timeline.h"
#include "sim/gpu_priv.h"
#include "sim/split.h"
#include "stream/spaces.h"

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
