#include "sm/sm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

static void set_pipes(struct sm *s, const int64_t *v)
{
    for (int i = 0; i < LAT_COUNT; i++) {
        struct exec_class *c = &s->exec_class[i];
        c->latency = (uint16_t)v[P_LAT_INT_ADD + i];
        c->init = (uint16_t)v[P_INIT_INT_ADD + i];
        bool dp = i >= LAT_DP_ADD && i <= LAT_DP_DIV, slow = i == LAT_SFU || i == LAT_INT_DIV || i == LAT_FP_DIV;
        c->unit = dp ? (v[P_SM_DP_PIPES] ? UNIT_DP : UNIT_SFU) : slow ? UNIT_SFU : UNIT_ALU;
    }
    s->pipe_end[UNIT_ALU] = (uint8_t)v[P_SM_ALU_PIPES];
    s->pipe_end[UNIT_SFU] = (uint8_t)(s->pipe_end[UNIT_ALU] + v[P_SM_SFU_PIPES]);
    s->pipe_end[UNIT_DP] = (uint8_t)(s->pipe_end[UNIT_SFU] + v[P_SM_DP_PIPES]);
}

/* The wheel must reach as far as the slowest result: a pipe's, shared memory's after all its passes,
 * or a register write behind others. */
static int make_wheel(struct sm *s)
{
    enum { WRITEBACKS = 1024 };
    tick_t p = s->part.period, reach = s->shared_latency + WARP_SIZE * p;
    s->writeback_limit = WRITEBACKS * p;
    for (int i = 0; i < LAT_COUNT; i++) reach = later(reach, s->exec_class[i].latency * p + s->issue_delay);
    reach = later(later(reach, s->writeback_limit), s->hit_ticks) + 2 * p;
    uint32_t size = 64;
    while (size * p <= reach) size *= 2;
    s->wheel_mask = size - 1;
    s->wheel = calloc(size, sizeof *s->wheel);
    s->wheel_used = calloc(size / 64, sizeof *s->wheel_used);
    return s->wheel && s->wheel_used ? 0 : -1;
}

static int make_caches(struct sm *s, const struct gpu_config *c, struct wl_err *e)
{
    const int64_t *v = c->v;
    struct l1_site site = {.g = {.index = s->index,
                                 .sms = (uint32_t)v[P_SM_COUNT],
                                 .schedulers = s->schedulers,
                                 .warps = s->warps,
                                 .warp_size = WARP_SIZE},
                           .shared = &s->shared_slot,
                           .pool = s->pool,
                           .breach = s->part.clock->breach};
    struct l1_shape data = {(uint32_t)v[P_L1D_SETS],
                            (uint32_t)v[P_L1D_WAYS],
                            (uint32_t)v[P_L1D_MSHR],
                            (uint32_t)v[P_L1D_MERGE],
                            (uint32_t)v[P_L1D_MISSQ],
                            (enum index_fn)v[P_L1D_INDEX],
                            v[P_L1D_SECTORED],
                            v[P_L1D_INFINITE],
                            false,
                            FROM_L1D,
                            v[P_L1D_BYPASS],
                            v[P_L1D_WRITE],
                            false,
                            (uint32_t)v[P_L1D_PREFETCH]};
    struct l1_shape texture = {(uint32_t)v[P_L1T_SETS],
                               (uint32_t)v[P_L1T_WAYS],
                               (uint32_t)v[P_L1T_MSHR],
                               (uint32_t)v[P_L1T_MERGE],
                               (uint32_t)v[P_L1T_MISSQ],
                               INDEX_LINEAR,
                               false,
                               false,
                               false,
                               FROM_L1T,
                               false,
                               false,
                               false,
                               0};
    struct l1_shape constant = {(uint32_t)v[P_L1C_SETS],
                                (uint32_t)v[P_L1C_WAYS],
                                (uint32_t)v[P_L1C_MSHR],
                                (uint32_t)v[P_L1C_MERGE],
                                (uint32_t)v[P_L1C_MISSQ],
                                INDEX_LINEAR,
                                false,
                                false,
                                true,
                                FROM_L1C,
                                false,
                                false,
                                v[P_L1C_PERFECT],
                                0};
    struct gpu_config plain; /* the other two caches are always LRU and share nothing with a scheme */
    config_defaults(&plain);
    void *none = NULL;
    struct l1_site alone = site;
    alone.shared = &none;
    if (l1_init(&s->l1d, &data, &c->l1, &site, e) || l1_init(&s->l1t, &texture, &plain.l1, &alone, e) ||
        l1_init(&s->l1c, &constant, &plain.l1, &alone, e))
        return (int)e->code;
    if (c->sched.policy->may_miss) s->l1d.steady = false; /* the scheduler changes its mind too */
    return 0;
}

static void make_access_pipe(struct access_pipe *p, int64_t cycles, int64_t slots, tick_t period)
{
    list_init(&p->list);
    p->depth = slots ? (uint32_t)slots : cycles > 1 ? (uint32_t)cycles : 1;
    p->delay = (tick_t)cycles * period;
    p->refused = L1_HIT;
}

int sm_init(struct sm *s, const struct gpu_config *c, uint32_t index, const struct addrmap *map, struct req_pool *pool,
            struct memop_pool *ops, struct wl_err *e)
{
    const int64_t *v = c->v;
    tick_t p = s->part.period;
    s->index = index;
    s->sms = (uint32_t)v[P_SM_COUNT];
    s->map = map;
    s->pool = pool;
    s->ops = ops;
    s->warps = (uint32_t)v[P_SM_WARPS];
    s->cta_slots = (uint32_t)v[P_SM_CTAS];
    s->schedulers = (uint32_t)v[P_SM_SCHEDULERS];
    s->registers = (uint32_t)v[P_SM_REGISTERS];
    s->shared_bytes = (uint32_t)v[P_SM_SHARED];
    s->shared_banks = (uint32_t)v[P_SHARED_BANKS];
    s->issue_delay = p * (tick_t)v[P_SM_ISSUE_DELAY];
    s->mem_delay = p * (tick_t)v[P_SM_MEM_DELAY];
    s->shared_latency = p * (tick_t)v[P_SHARED_LATENCY];
    s->hit_ticks = p * (tick_t)v[P_L1D_HIT];
    s->l1d_global = v[P_L1D_GLOBAL];
    s->l1d_flush = v[P_L1D_FLUSH];
    s->l1d_readonly = v[P_L1D_READONLY];
    s->whole_lines = v[P_SM_COALESCE];
    s->carve.unified = (uint32_t)v[P_SHARED_UNIFIED];
    s->carve.options = carveouts(c->shared_options, s->carve.bytes, NULL);
    s->lsu.depth = (uint32_t)v[P_SM_LSU_QUEUE];
    while (s->lsu.mask + 1 < s->lsu.depth) s->lsu.mask = 2 * s->lsu.mask + 1;
    set_pipes(s, v);
    for (unsigned w = 0; w < s->warps; w++) s->owned[w % s->schedulers] |= bit64(w);
    make_access_pipe(&s->pipe[FROM_L1D], v[P_L1D_PIPE], v[P_L1D_SLOTS], p);
    make_access_pipe(&s->pipe[FROM_L1T], v[P_L1T_PIPE], 0, p);
    make_access_pipe(&s->pipe[FROM_L1C], 0, 0, p);
    s->offered_at = s->wants_at = NEVER;
    s->sched_next = NEVER;
    if (make_wheel(s)) return wl_fail(e, WL_ERUN, "out of memory");
    if (make_caches(s, c, e)) return (int)e->code;
    struct wl_sched_geometry g = {index, (uint32_t)v[P_SM_COUNT], s->warps, s->schedulers, &s->shared_slot};
    const char *why = "out of memory";
    s->sched = c->sched.policy;
    s->sched_self = s->sched->create(&g, c->sched.values, &why);
    if (!s->sched_self) return wl_fail(e, WL_EINPUT, "scheduler %s cannot run this SM: %s", s->sched->name, why);
    if (s->sched->gate) s->gate = s->sched->gate(s->sched_self);
    s->l1d.gate_merges = s->l1t.gate_merges = s->l1c.gate_merges = s->gate.merges;
    if (s->gate.readonly) s->l1t.steady = s->l1c.steady = false; /* as the L1D: the scheduler changes its mind */
    reexec_init(&s->reexec, s->sched->reexec ? s->sched->reexec(s->sched_self) : (struct wl_reexec){0});
    s->view = (struct wl_sched_view){.age = s->age,
                                     .owned = s->owned,
                                     .cta = s->cta_of,
                                     .sm = index,
                                     .lsu_warp = -1,
                                     .queue_head = -1,
                                     .mshr_total = (uint32_t)v[P_L1D_MSHR],
                                     .missq_total = (uint32_t)v[P_L1D_MISSQ]};
    return 0;
}

void sm_destroy(struct sm *s)
{
    if (s->sched_self && s->sched->destroy) s->sched->destroy(s->sched_self);
    l1_destroy(&s->l1d);
    l1_destroy(&s->l1t);
    l1_destroy(&s->l1c);
    free(s->probe);
    free(s->board);
    free(s->wheel);
    free(s->wheel_used);
}

/* ---- kernels ---- */

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Ways of the L1D beside the shared memory that n CTAs of the kernel take. */
static uint32_t l1d_ways(const struct sm *s, const struct launch_info *l, uint32_t n)
{
    uint64_t need = (uint64_t)l->shared_bytes * n;
    uint32_t i = 0, ways = s->l1d.tags.ways, unified = s->carve.unified;
    while (i + 1 < s->carve.options && s->carve.bytes[i] < need) i++;
    uint32_t shared = s->carve.bytes[i] < unified ? s->carve.bytes[i] : unified;
    uint32_t left = (uint32_t)(((uint64_t)ways * (unified - shared) + unified / 2) / unified);
    return left ? left : 1;
}

/* Resident CTAs: what threads, CTA slots, registers and shared memory allow. */
static uint32_t cta_limit(const struct sm *s, const struct launch_info *l)
{
    uint32_t limit = smaller(s->cta_slots, s->warps / l->warps_per_cta);
    if (l->regs_per_thread) limit = smaller(limit, s->registers / (l->regs_per_thread * l->warps_per_cta * WARP_SIZE));
    if (l->shared_bytes) limit = smaller(limit, s->shared_bytes / l->shared_bytes);
    return limit;
}

/* When the L1D's policy wants its next epoch. */
static tick_t epoch_tick(const struct sm *s)
{
    return l1_next_epoch(&s->l1d) == UINT64_MAX ? NEVER : l1_next_epoch(&s->l1d) * s->part.period;
}

int sm_kernel_begin(struct sm *s, struct stream_source *source, struct wl_err *e)
{
    const struct launch_info *l = source->info;
    s->launch = l;
    s->source = source;
    s->cta_limit = cta_limit(s, l);
    if (!s->cta_limit)
        return wl_fail(e, WL_ERUN,
                       "kernel %s: a block of %u threads with %u registers each and %u bytes of shared memory does not "
                       "fit an SM with %u warps, %u registers and %u bytes",
                       l->kernel, l->threads_per_cta, l->regs_per_thread, l->shared_bytes, s->warps, s->registers,
                       s->shared_bytes);
    s->board_regs = l->code->nregs ? l->code->nregs : 1;
    if (s->board_regs > s->board_cap) {
        uint64_t *b = realloc(s->board, (size_t)s->board_regs * s->warps * sizeof *b);
        if (!b) return wl_fail(e, WL_ERUN, "out of memory");
        s->board = b;
        s->board_cap = s->board_regs;
    }
    s->kernel = (struct wl_kernel){l->kernel, hash_bytes(WL_HASH_INIT, l->kernel, strlen(l->kernel))};
    l1_kernel_begin(&s->l1d, &s->kernel, s->carve.unified ? l1d_ways(s, l, s->cta_limit) : s->l1d.tags.ways);
    part_wake_at(&s->part, epoch_tick(s));
    if (s->sched->kernel_begin) s->sched->kernel_begin(s->sched_self);
    return 0;
}

void sm_kernel_end(struct sm *s)
{
    l1_kernel_end(&s->l1d, &s->kernel);
    if (s->l1d_flush) l1_flush(&s->l1d, &s->kernel);
    l1_flush(&s->l1t, &s->kernel);
    l1_flush(&s->l1c, &s->kernel);
}

/* ---- the cycle ---- */

static void take_offer(struct sm *s, tick_t now)
{
    if (s->offered_at >= now) return; /* NEVER, or put there at this very tick */
    warp_install_cta(s, &s->offered, now);
    s->offered_at = NEVER;
    if (s->ctas_resident < s->cta_limit && s->wants_at == NEVER) {
        s->wants_at = now;
        part_wake_after(s->dispatcher, now);
    }
}

/* The issue stage with a look at what the ld/st unit's stall costs. */
static bool observed_issue(struct sm *s, tick_t now, tick_t *next)
{
    bool would_hit = probe_stalled(s);
    uint64_t issued = s->stats.issue_cycles;
    bool again = issue_cycle(s, now, next);
    if (would_hit) observe_stall(s->observer, 1, s->stats.issue_cycles == issued);
    return again;
}

tick_t sm_tick(struct sm *s, tick_t now)
{
    uint64_t passed = part_cycles(&s->part, now) - s->cycle;
    s->cycle += passed;
    s->head_limit = now;
    if (s->live) s->stats.active_cycles += passed;
    /* Nothing has changed here in the cycles that were slept through. */
    if (s->probe && passed > 1 && probe_stalled(s)) observe_stall(s->observer, passed - 1, passed - 1);
    l1_cycle(&s->l1d, s->cycle);
    ldst_cycle(s, now, passed - 1);
    take_offer(s, now);
    if (s->in_wheel) warp_wake_due(s);
    s->head_limit = now + s->part.period;
    tick_t next = NEVER;
    s->ask_again = false;
    bool again = false;
    if (s->probe) again = observed_issue(s, now, &next);
    else if (issue_may_do(s)) again = issue_cycle(s, now, &next);
    if (s->ask_again) reexec_changed(s);
    if (s->timeline) timeline_cycle(s->timeline, s);
    if (again || (s->ask_again && l1_refused(s->pipe[FROM_L1D].refused))) return now + s->part.period;
    tick_t t = ldst_next(s, now);
    if (t < next) next = t;
    if (s->in_wheel) next = earlier(next, warp_next_wake(s, now));
    if (s->sched_next < next) next = s->sched_next;
    if (l1_next_epoch(&s->l1d) != UINT64_MAX) next = earlier(next, epoch_tick(s));
    if (s->offered_at == now && now + s->part.period < next) next = now + s->part.period;
    return next;
}

bool sm_idle(const struct sm *s) { return !s->live && ldst_idle(s) && s->offered_at == NEVER; }

void sm_describe(const struct sm *s, char *out, size_t size)
{
    int n = snprintf(out, size,
                     "SM %u: %u warps live, %u ready, %u at a barrier, %u wait for a load; %u requests before the "
                     "L1D%s; %u MSHRs used",
                     s->index, bit_count64(s->live), bit_count64(s->ready), bit_count64(s->barrier | s->membar),
                     bit_count64(s->long_stall), s->pipe[FROM_L1D].used,
                     l1_refused(s->pipe[FROM_L1D].refused) ? " (the first is refused)" : "", s->l1d.mshr.used);
    if (s->reexec.entries && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, "; %u requests wait for re-execution%s", s->reexec.used,
                 s->reexec.blocked ? ", the ld/st unit for them" : "");
}
