/* sm.c - an SM is built, given kernels, and worked cycle by cycle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/sm_priv.h"

/* ---- building ---- */

static unsigned unit_of(const struct sm *s, const int64_t *v, int class)
{
    bool old = s->classes == CLASSES_GPGPUSIM3, silicon = s->classes == CLASSES_HARDWARE;
    bool dp = class >= LAT_DP_ADD && class <= LAT_DP_DIV;
    bool own = v[P_SM_DP_PIPES] && (class != LAT_DP_DIV || silicon); /* to GPGPU-Sim every division is of the SFU */
    bool integer = class <= LAT_INT_DIV || class == LAT_SHFL || class == LAT_UNIFORM || class == LAT_PREDICATE;
    bool slow = class == LAT_SFU || class == LAT_INT_DIV || class == LAT_FP_DIV || class == LAT_CVT ||
                class == LAT_BITS || class == LAT_TEXTURE;
    bool multiply = class == LAT_INT_MUL || class == LAT_INT_MAD;
    bool logic = class == LAT_INT_MAX || class == LAT_FP_MAX || class == LAT_PREDICATE;
    if (dp && own) return UNIT_DP;
    if (dp) return old && class != LAT_DP_DIV ? UNIT_ALU : UNIT_SFU;
    if (class == LAT_TENSOR && v[P_SM_TENSOR_PIPES]) return UNIT_TENSOR;
    if (class == LAT_TEXTURE && v[P_SM_TEXTURE_PIPES]) return UNIT_TEXTURE;
    if (class == LAT_UNIFORM && v[P_SM_UNIFORM_PIPES]) return UNIT_UNIFORM;
    if (slow || (old && multiply)) return UNIT_SFU;
    if (logic && v[P_SM_LOGIC_PIPES]) return UNIT_LOGIC;
    return integer && v[P_SM_INT_PIPES] ? UNIT_INT : UNIT_ALU;
}

/* Which of trace.lat_* and trace.init_* a class of machine code has, counted from the first. */
static int machine_row(int class)
{
    if (class <= LAT_INT_DIV) return P_TRACE_LAT_INT - P_TRACE_LAT_INT;
    if (class <= LAT_FP_DIV) return P_TRACE_LAT_SP - P_TRACE_LAT_INT;
    if (class <= LAT_DP_DIV) return P_TRACE_LAT_DP - P_TRACE_LAT_INT;
    switch (class) {
    case LAT_PREDICATE:
    case LAT_SHFL: return P_TRACE_LAT_INT - P_TRACE_LAT_INT;
    case LAT_TENSOR: return P_TRACE_LAT_TENSOR - P_TRACE_LAT_INT;
    case LAT_TEXTURE: return P_TRACE_LAT_TEXTURE - P_TRACE_LAT_INT;
    case LAT_UNIFORM: return P_TRACE_LAT_UNIFORM - P_TRACE_LAT_INT;
    default: return P_TRACE_LAT_SFU - P_TRACE_LAT_INT; /* LAT_SFU, LAT_CVT, LAT_BITS */
    }
}

static struct exec_class machine_class(const int64_t *v, const struct exec_class *usual, int row)
{
    struct exec_class c = *usual;
    if (v[P_TRACE_LAT_INT + row]) c.latency = (uint16_t)v[P_TRACE_LAT_INT + row];
    if (v[P_TRACE_INIT_INT + row]) c.init = (uint16_t)v[P_TRACE_INIT_INT + row];
    return c;
}

static void set_classes(struct sm *s, const int64_t *v)
{
    struct exec_class *c = s->exec_class;
    /* To GPGPU-Sim 4 what is not fp32 is of the integer pipes (shader.cc 1372 to 1387 of 667834c, 2024-10-07). */
    uint8_t other = v[P_SM_INT_PIPES] ? UNIT_INT : UNIT_ALU;
    for (int i = 0; i < LAT_COUNT; i++) {
        int row = i == LAT_TEXTURE ? LAT_SFU : i == LAT_UNIFORM ? LAT_INT_ADD : i; /* PTX has none of these */
        if (i == LAT_PREDICATE) row = LAT_BITS + 1; /* the parameters of traces are elsewhere */
        c[i] = (struct exec_class){.latency = (uint16_t)v[P_LAT_INT_ADD + row],
                                   .init = (uint16_t)v[P_INIT_INT_ADD + row],
                                   .unit = (uint8_t)unit_of(s, v, i)};
        c[EXEC_SHORT + i] = (struct exec_class){.latency = 1, .init = 1, .unit = other};
        c[EXEC_MACHINE + i] = machine_class(v, &c[i], machine_row(i));
    }
    c[EXEC_BRANCH] = machine_class(v, &c[EXEC_MACHINE + LAT_INT_ADD], P_TRACE_LAT_BRANCH - P_TRACE_LAT_INT);
    if (v[P_SM_BRANCH_PIPES]) c[EXEC_BRANCH].unit = UNIT_BRANCH;
    c[EXEC_PARTING] = c[EXEC_BRANCH];
    c[EXEC_PARTING].latency = (uint16_t)v[P_SM_PARTING];
}

static void set_pipes(struct sm *s, const int64_t *v)
{
    static const int pipes[PIPE_UNITS] = {
        [UNIT_ALU] = P_SM_ALU_PIPES,         [UNIT_SFU] = P_SM_SFU_PIPES,         [UNIT_DP] = P_SM_DP_PIPES,
        [UNIT_INT] = P_SM_INT_PIPES,         [UNIT_TENSOR] = P_SM_TENSOR_PIPES,   [UNIT_BRANCH] = P_SM_BRANCH_PIPES,
        [UNIT_TEXTURE] = P_SM_TEXTURE_PIPES, [UNIT_UNIFORM] = P_SM_UNIFORM_PIPES, [UNIT_LOGIC] = P_SM_LOGIC_PIPES};
    unsigned end = 0;
    for (unsigned u = 0; u < PIPE_UNITS; u++) {
        end += (unsigned)v[pipes[u]];
        s->pipe_end[u] = (uint16_t)end;
        if (v[pipes[u]]) s->units = (uint8_t)(u + 1);
    }
    s->sub_cores = v[P_SM_SUBCORES];
    set_classes(s, v);
}

static void copy_parameters(struct sm *s, const struct gpu_config *c)
{
    const int64_t *v = c->v;
    tick_t p = s->part.period;
    s->sms = (uint32_t)v[P_SM_COUNT];
    s->warps = (uint32_t)v[P_SM_WARPS];
    s->room = sm_room(v);
    s->schedulers = (uint32_t)v[P_SM_SCHEDULERS];
    s->shared_banks = (uint32_t)v[P_SHARED_BANKS];
    s->issue_delay = p * (tick_t)v[P_SM_ISSUE_DELAY];
    s->mem_delay = p * (tick_t)v[P_SM_MEM_DELAY];
    s->shared_latency = p * (tick_t)v[P_SHARED_LATENCY];
    s->hit_ticks = p * (tick_t)v[P_L1D_HIT];
    s->turn_mask = v[P_SM_ORDER] ? 0 : is_pow2(s->schedulers) ? s->schedulers - 1 : UINT32_MAX;
    s->mem_issue = (unsigned)v[P_SM_MEM_ISSUE];
    s->classes = (uint8_t)v[P_SM_CLASSES];
    s->atomic_holds = v[P_SM_ATOMIC];
    s->membar_registers = v[P_SM_MEMBAR];
    s->halved_stores = v[P_SM_STORE_BYTES];
    s->cta_share = v[P_SM_CTA_SHARE];
    s->collect = (uint32_t)v[P_SM_COLLECT];
    s->reg_unit = (uint32_t)v[P_SM_REG_UNIT];
    s->between.bytes = (uint32_t)v[P_CLUSTER_BYTES];
    s->between.latency = p * (tick_t)v[P_CLUSTER_LATENCY];
    s->product.init = (uint32_t)v[P_INIT_WGMMA];
    s->product.least = (uint32_t)v[P_INIT_WGMMA_LEAST];
    s->product.latency = (uint32_t)v[P_LAT_WGMMA];
    s->strong = (uint32_t)v[P_L1D_STRONG];
    s->const_operands = v[P_TRACE_CONST];
    s->writeback_ticks = p * (tick_t)v[P_SM_WRITEBACK];
    s->l1d_global = v[P_L1D_GLOBAL];
    s->l1d_flush = v[P_L1D_FLUSH];
    s->l1d_readonly = v[P_L1D_READONLY];
    s->l1t_flush = v[P_L1T_FLUSH];
    s->l1c_flush = v[P_L1C_FLUSH];
    s->const_lines = v[P_L1C_FILL];
    s->segment_shift = v[P_SM_COALESCE] == 1 ? LINE_SHIFT : v[P_SM_COALESCE] == 3 ? SECTOR_SHIFT : 0;
    s->by_element = v[P_SM_COALESCE] == 2;
    s->halved_atomics = v[P_SM_ATOMIC_PARTS] == 2;
    s->shared_turns = !v[P_SHARED_ATOMICS];
    s->carve.unified = (uint32_t)v[P_SHARED_UNIFIED];
    s->carve.options = carveouts(c->shared_options, s->carve.bytes, NULL);
}

static int make_caches(struct sm *s, const struct gpu_config *c, struct wl_err *e)
{
    const int64_t *v = c->v;
    struct l1_site site = {
        .g = {.index = s->index, .sms = s->sms, .schedulers = s->schedulers, .warps = s->warps, .warp_size = WARP_SIZE},
        .shared = &s->shared_slot,
        .pool = s->pool,
        .breach = s->part.clock->breach};
    struct l1_shape data = {.sets = (uint32_t)v[P_L1D_SETS],
                            .ways = (uint32_t)v[P_L1D_WAYS],
                            .mshr = (uint32_t)v[P_L1D_MSHR],
                            .merge = (uint32_t)v[P_L1D_MERGE],
                            .missq = (uint32_t)v[P_L1D_MISSQ],
                            .index = (enum index_fn)v[P_L1D_INDEX],
                            .sectored = v[P_L1D_SECTORED],
                            .infinite = v[P_L1D_INFINITE],
                            .perfect = v[P_L1D_PERFECT],
                            .id = L1_DATA,
                            .bypass_lines = v[P_L1D_BYPASS],
                            .update = v[P_L1D_WRITE],
                            .write_alloc = v[P_L1D_WRITE_ALLOC],
                            .worst = v[P_L1D_MISSQ_RULE],
                            .late = v[P_L1D_MSHR_FREE],
                            .local_through = v[P_L1D_LOCAL],
                            .by_sector = v[P_L1D_SECTORED] && s->segment_shift == SECTOR_SHIFT,
                            .store_way = v[P_L1D_STORE_WAY],
                            .prefetch_queue = (uint32_t)v[P_L1D_PREFETCH]};
    struct l1_shape texture = {.sets = (uint32_t)v[P_L1T_SETS],
                               .ways = (uint32_t)v[P_L1T_WAYS],
                               .mshr = (uint32_t)v[P_L1T_MSHR],
                               .merge = (uint32_t)v[P_L1T_MERGE],
                               .missq = (uint32_t)v[P_L1T_MISSQ],
                               .index = INDEX_LINEAR,
                               .id = L1_TEXTURE,
                               .fifo = (uint32_t)v[P_L1T_FIFO]};
    struct l1_shape constant = {.sets = (uint32_t)v[P_L1C_SETS],
                                .ways = (uint32_t)v[P_L1C_WAYS],
                                .mshr = (uint32_t)v[P_L1C_MSHR],
                                .merge = (uint32_t)v[P_L1C_MERGE],
                                .missq = (uint32_t)v[P_L1C_MISSQ],
                                .index = INDEX_LINEAR,
                                .half_lines = v[P_L1C_FILL] == 0,
                                .id = L1_CONSTANT,
                                .perfect = v[P_L1C_PERFECT]};
    struct gpu_config plain; /* the other two caches are always LRU and share nothing with a scheme */
    config_defaults(&plain);
    void *none = NULL;
    struct l1_site alone = site;
    alone.shared = &none;
    s->lsu.load_bytes = c->l2.policy != plain.l2.policy;
    data.waits = c->l1.policy == plain.l1.policy;
    struct l1 *l1 = s->lsu.l1;
    if (l1_init(&l1[L1_DATA], &data, &c->l1, &site, e) || l1_init(&l1[L1_TEXTURE], &texture, &plain.l1, &alone, e) ||
        l1_init(&l1[L1_CONSTANT], &constant, &plain.l1, &alone, e))
        return (int)e->code;
    s->tracks_loops = l1_tracks_loops(&l1[L1_DATA]);
    return 0;
}

static int make_scheduler(struct sm *s, const struct gpu_config *c, struct wl_err *e)
{
    const char *why = "it does not say why";
    const struct wl_sched_policy *p = s->policy = c->sched.policy;
    s->ask_twice = c->sched.foreign || WL_CHECKING;
    s->notes_issues = p->marks;
    s->only_picks = p->ignores_state && !p->on_cycle && !p->allowed && !p->order && !p->lsu;
    memcpy(s->sched_param, c->sched.values, sizeof s->sched_param);
    s->sched = (struct wl_sched){.g = {s->index, s->sms, s->warps, s->schedulers},
                                 .param = s->sched_param,
                                 .count = s->sched_count,
                                 .shared = &s->shared_slot};
    size_t bytes = p->bytes ? p->bytes(&s->sched.g, s->sched_param) : 0;
    if (bytes && !(s->sched.self = calloc(1, bytes))) return wl_fail(e, WL_ERUN, "out of memory");
    if (p->init && !p->init(&s->sched, &why))
        return wl_fail(e, WL_EINPUT, "scheduler %s cannot run this SM: %s", p->name, why ? why : "it does not say why");
    if (p->lsu && ext_init(s, p->lsu, e)) return (int)e->code;
    s->view = (struct wl_sched_view){.age = s->age,
                                     .owned = s->owned,
                                     .cta = s->cta_of,
                                     .cta_id = s->cta_id,
                                     .l1d = l1_occupancy(l1d_of(s)),
                                     .lsu = s->lsu.ext ? &s->lsu.ext->view : NULL};
    return 0;
}

int sm_init(struct sm *s, const struct gpu_config *c, uint32_t index, const struct sm_common *common, struct wl_err *e)
{
    s->index = index;
    s->map = common->map;
    s->pool = common->pool;
    s->ops = common->ops;
    s->kernels = common->kernels;
    s->starving = common->starving;
    s->offered_at = s->wants_at = s->sched_next = NEVER;
    copy_parameters(s, c);
    set_pipes(s, c->v);
    lsu_init(s, c);
    if ((c->v[P_SM_ALU_COLLECTORS] || c->v[P_SM_SFU_STAGES]) && stages_init(s, c, e)) return (int)e->code;
    s->exits = calloc(SM_MAX_KERNELS, sizeof *s->exits);
    if (!s->exits || warps_init(s)) return wl_fail(e, WL_ERUN, "out of memory");
    bool fetches = c->v[P_SM_FETCH] == FETCH_BUFFER || (c->v[P_SM_FETCH] == FETCH_CACHE && !c->v[P_IL1_PERFECT]);
    if (make_caches(s, c, e) || (fetches && fetch_init(s, c, e)) || mbarrier_init(s, e)) return (int)e->code;
    return make_scheduler(s, c, e);
}

/* Two steps ahead the host is told of the miss that a reply ends, one step ahead of its line, which the miss knows. */
static bool fills_l1d(const struct req *r) { return r->kind == WL_LOAD && !r->bypass && r->cache == L1_DATA; }

static void warm_reply(const struct part *p, const struct req *r, bool pushed)
{
    const struct sm *s = (const struct sm *)(const void *)((const char *)p - offsetof(struct sm, part));
    const struct req *behind = r->next;
    const struct l1 *c = &s->lsu.l1[L1_DATA];
    __builtin_prefetch(r->load);
    if (pushed) {
        if (fills_l1d(r)) l1_warm_entry(c, r);
        return;
    }
    if (fills_l1d(r)) l1_warm_line(c, r);
    if (!behind) return;
    __builtin_prefetch(behind->next);
    if (fills_l1d(behind)) l1_warm_entry(c, behind);
}

void sm_warm_ports(struct sm *s)
{
    if (l1_is_large(l1d_of(s))) s->reply.warm = warm_reply;
}

/* A scheme that looks at more than it picks among may look at the queue of misses; so may a plugin, and a policy that
 * is called at the end of an epoch (wl_occupancy). */
void sm_go_ahead(struct sm *s, const struct gpu_config *c, bool dated)
{
    s->lsu.dated = dated;
    s->lsu.ahead = s->only_picks && !s->observers && !c->l1.foreign && !l1d_of(s)->pol.policy->on_epoch;
}

void sm_use_pools(struct sm *s, struct req_pool *pool, struct memop_pool *ops)
{
    s->pool = pool;
    s->ops = ops;
    for (unsigned i = 0; i < SM_CACHES; i++) s->lsu.l1[i].pool = pool;
}

void sm_knows(struct sm *s, tick_t bound)
{
    struct lsu *u = &s->lsu;
    bool takes = u->ahead && u->usual && u->banks == 1 && !u->ext && !u->aside && l1_is_usual(l1d_of(s));
    u->known = takes ? bound : 0;
}

bool sm_keeps_kernel(const struct sm *s)
{
    if (sm_has_work(s) || !port_empty(&s->reply) || (s->fetch && s->fetch->missq_used)) return true;
    for (unsigned i = 0; i < SM_CACHES; i++)
        if (l1_has_misses(&s->lsu.l1[i])) return true;
    return false;
}

/* Each cache sends at most one of the misses that wait when the cycle begins, or that a reply makes; or of what goes
 * past the L1D in the cycle in which it is made. */
unsigned sm_may_send(const struct sm *s)
{
    const struct l1 *l1 = s->lsu.l1;
    unsigned n = s->fetch ? 1 : 0;
    bool aside = s->lsu.aside && (s->lsu.goes_aside || s->lsu.head != s->lsu.tail);
    if (l1_has_misses(&l1[L1_DATA]) || !port_empty(&s->reply) || aside) n++;
    return s->lsu.readonly ? n + 2 : n;
}

void sm_destroy(struct sm *s)
{
    for (unsigned i = 0; i < SM_CACHES; i++) l1_destroy(&s->lsu.l1[i]);
    free(s->sched.self);
    free(s->lsu.ext);
    fetch_destroy(s);
    mbarrier_destroy(s);
    free(s->stages);
    free(s->exits);
    warps_destroy(s);
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

/* Whether the issue stage has something to do: not when every ready warp waits for the ld/st unit. */
static bool issue_may_do(const struct sm *s) { return s->policy->on_cycle || s->ready & ~lsu_blocks(s); }

/* Observers are rare: an SM without one pays only for a test. */
__attribute__((cold)) static void observe_slept(const struct sm *s, uint64_t cycles)
{
    for (unsigned i = 0; i < s->observers; i++)
        if (s->observer[i].hooks->slept) s->observer[i].hooks->slept(s->observer[i].self, s, cycles);
}

__attribute__((cold)) static void observe_before_issue(const struct sm *s)
{
    for (unsigned i = 0; i < s->observers; i++)
        if (s->observer[i].hooks->before_issue) s->observer[i].hooks->before_issue(s->observer[i].self, s);
}

/* What follows the issue stage in machines that are observed; returns whether there is work in the next cycle. */
__attribute__((cold)) static bool after_issue(struct sm *s, tick_t now)
{
    bool again = s->fetch && fetch_cycle(s, now);
    for (unsigned i = 0; i < s->observers; i++)
        if (s->observer[i].hooks->end) s->observer[i].hooks->end(s->observer[i].self, s);
    return again;
}

tick_t sm_tick(struct sm *s, tick_t now)
{
    uint64_t passed = part_cycles(&s->part, now) - s->cycle;
    s->cycle += passed;
    s->next_issue = s->cycle;
    s->head_limit = now;
    if (COUNT_CYCLES && s->live) s->counts.active_cycles += passed;
    if (passed > 1) {
        account_skip(s, passed - 1, now - (passed - 1) * s->part.period);
        if (s->observers) observe_slept(s, passed - 1);
    }
    if (l1_cycle(l1d_of(s), s->cycle)) reexec_freed(s);
    lsu_cycle(s, now, passed - 1);
    take_offer(s, now);
    if (s->in_wheel) warp_wake_due(s);
    s->next_issue++;
    s->head_limit = now + s->part.period;
    tick_t next = NEVER;
    s->lsu.policy_heard = false;
    if (s->observers) observe_before_issue(s);
    bool again = false;
    if (issue_may_do(s)) again = issue_cycle(s, now, &next);
    else account_stall(s);
    if (s->lsu.policy_heard) reexec_changed(s);
    if (s->ends_cycles && (s->observers ? after_issue(s, now) : fetch_cycle(s, now))) again = true;
    if (again || lsu_retries(s)) return now + s->part.period;
    tick_t t = lsu_next(s, now);
    if (t < next) next = t;
    if (s->in_wheel) next = tick_min(next, warp_next_wake(s, now));
    if (s->sched_next < next) next = s->sched_next;
    if (l1_next_event(l1d_of(s)) != UINT64_MAX && lsu_wants_event(s)) next = tick_min(next, sm_epoch_tick(s));
    if (s->offered_at == now && now + s->part.period < next) next = now + s->part.period;
    return next;
}

/* ---- for other parts ---- */

bool sm_idle(const struct sm *s)
{
    return !s->live && lsu_idle(s) && s->offered_at == NEVER && (!s->fetch || fetch_idle(s));
}

/* Where the first warp that waits stands; when all are ready, the first of those. */
static void describe_warp(const struct sm *s, char *out, size_t size)
{
    char where[160];
    uint64_t stands = s->live & ~s->ended, waits = stands & ~s->ready;
    if (!stands) return;
    unsigned w = bit_low64(waits ? waits : stands);
    const struct code_inst *in = s->starved >> w & 1 ? s->fed_from[w] : s->warp[w].inst;
    if (!in) return;
    code_where(kernel_of(s, &s->warp[w])->code, in, where, sizeof where);
    snprintf(out, size, "; warp %u stands at pc 0x%x%s%s%s", w, in->pc, *where ? " (" : "", where, *where ? ")" : "");
}

void sm_describe(const struct sm *s, char *out, size_t size)
{
    const struct access_pipe *data = &s->lsu.pipe[L1_DATA];
    int n = snprintf(out, size,
                     "SM %u: %u warps live, %u ready, %u at a barrier, %u wait for a load; %u requests before the "
                     "L1D%s; %u MSHRs used",
                     s->index, bit_count64(s->live), bit_count64(s->ready), bit_count64(s->barrier | s->membar),
                     bit_count64(s->long_stall), data->used, l1_refused(data->refused) ? " (the first is refused)" : "",
                     l1_occupancy(&s->lsu.l1[L1_DATA]).mshr_used);
    if (has_queue(s) && n > 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, "; %u requests wait for re-execution%s", s->lsu.ext->queue.used,
                      s->lsu.ext->queue.blocked ? ", the ld/st unit for them" : "");
    if (n > 0 && (size_t)n < size) describe_warp(s, out + n, size - (size_t)n);
}

static void add_lanes(const struct exec_class c[LAT_COUNT], struct sm_stats *out)
{
    for (int i = LAT_INT_ADD; i <= LAT_INT_DIV; i++) out->int_lanes += c[i].lanes;
    for (int i = LAT_FP_ADD; i <= LAT_FP_DIV; i++) out->fp_lanes += c[i].lanes;
    for (int i = LAT_DP_ADD; i <= LAT_DP_DIV; i++) out->dp_lanes += c[i].lanes;
    out->sfu_lanes += c[LAT_SFU].lanes + c[LAT_TEXTURE].lanes;
    out->fp_lanes += c[LAT_TENSOR].lanes + c[LAT_CVT].lanes;
    out->int_lanes += c[LAT_SHFL].lanes + c[LAT_BITS].lanes + c[LAT_UNIFORM].lanes + c[LAT_PREDICATE].lanes;
}

static void add_counts(const struct sm *s, struct sm_stats *out)
{
    const struct issue_counts *c = &s->counts;
    uint64_t active = WL_ACCOUNT ? account_active_cycles(s) : c->active_cycles;
    uint64_t issue = WL_ACCOUNT ? account_issue_cycles(s) : c->issue_cycles;
    WL_ASSERT(active == c->active_cycles && issue == c->issue_cycles);
    out->active_cycles += active;
    out->issue_cycles += issue;
    out->warp_instructions += c->warp_instructions;
    out->thread_instructions += c->thread_instructions;
    out->register_reads += c->register_reads;
    out->register_writes += c->register_writes;
}

/* Texture and constant caches report few counters, and one sum of stalls. */
#define ADD_SMALL_CACHE(to, c)                                                                                         \
    do {                                                                                                               \
        struct l1d_stats n = l1_stats(c);                                                                              \
        (to).accesses += n.accesses;                                                                                   \
        (to).hits += n.hits;                                                                                           \
        (to).hits_reserved += n.hits_reserved;                                                                         \
        (to).misses += n.misses;                                                                                       \
        (to).stall_cycles += l1_stall_cycles(c);                                                                       \
    } while (0)

void sm_add_stats(const struct sm *s, struct run_stats *out)
{
    struct l1d_stats data = l1_stats(&s->lsu.l1[L1_DATA]);
    sm_stats_add(&out->sm, &s->stats);
    add_counts(s, &out->sm);
    account_add(s, out);
    add_lanes(s->exec_class, &out->sm);
    add_lanes(s->exec_class + EXEC_SHORT, &out->sm);
    add_lanes(s->exec_class + EXEC_MACHINE, &out->sm);
    out->sm.int_lanes += s->exec_class[EXEC_BRANCH].lanes;
    l1d_stats_add(&out->l1d, &data);
    ADD_SMALL_CACHE(out->l1t, &s->lsu.l1[L1_TEXTURE]);
    ADD_SMALL_CACHE(out->l1c, &s->lsu.l1[L1_CONSTANT]);
    if (s->fetch) {
        struct l1i_stats code = fetch_stats(s);
        l1i_stats_add(&out->l1i, &code);
    }
}

struct l1 *sm_l1d(struct sm *s) { return l1d_of(s); }
const struct wl_sched *sm_sched(const struct sm *s) { return &s->sched; }

void sm_observe(struct sm *s, const struct sm_observer *o, void *self)
{
    WL_ASSERT(s->observers < SM_MAX_OBSERVERS);
    s->observer[s->observers].hooks = o;
    s->observer[s->observers++].self = self;
    s->notes_issues = s->ends_cycles = true;
    s->lsu.ahead = false; /* observers look at the queue of misses between cycles */
}

void sm_walk(const struct sm *s)
{
    warps_walk(s);
    lsu_walk(s);
    if (s->lsu.ext) reexec_walk(s);
    if (s->fetch) fetch_walk(s);
    for (unsigned i = 0; i < SM_CACHES; i++) l1_walk(&s->lsu.l1[i]);
}
