/* laws.c - sums the counters of all parts, checks that they obey the laws and, when checking, that nothing is left
 * behind in the parts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/gpu_priv.h"

void gpu_read_stats(const struct gpu *g, struct run_stats *out)
{
    memset(out, 0, sizeof *out);
    out->cycles = g->cycles;
    out->kernels = g->kernels_run;
    for (uint32_t i = 0; i < g->sms; i++) sm_add_stats(&g->sm[i], out);
    out->icnt = (struct icnt_stats){g->net[0].packets, g->net[0].flits, g->net[1].packets, g->net[1].flits,
                                    g->net[0].join ? g->net[0].join->joined : 0};
    for (uint32_t i = 0; i < g->slices; i++) l2_stats_add(&out->l2, &g->l2[i].stats);
    for (uint32_t i = 0; i < g->channels; i++) dram_stats_add(&out->dram, &g->dram[i].stats);
    out->dram.nvm_line_writes_max = 0;
    for (uint32_t i = 0; i < g->channels; i++)
        if (g->dram[i].stats.nvm_line_writes_max > out->dram.nvm_line_writes_max)
            out->dram.nvm_line_writes_max = g->dram[i].stats.nvm_line_writes_max;
    if (g->profile) profile_read_stats(g->profile, &out->profile);
}

int gpu_read_profile(const struct gpu *g, struct profile_report *out, struct wl_err *e)
{
    memset(out, 0, sizeof *out);
    if (!g->profile || profile_read_report(g->profile, out) == 0) return 0;
    return wl_fail(e, WL_ERUN, "out of memory");
}

static unsigned count_names(const struct wl_counter *c)
{
    unsigned n = 0;
    while (c && c[n].name && n < WL_MAX_POLICY_COUNTERS) n++;
    return n;
}

void gpu_read_policy_stats(const struct gpu *g, struct policy_stats *out)
{
    memset(out, 0, sizeof *out);
    unsigned l1 = count_names(g->config.l1.policy->counters), l2 = count_names(g->config.l2.policy->counters);
    const struct wl_sched_policy *sched = g->config.sched.policy;
    for (uint32_t i = 0; i < g->sms; i++) {
        stats_add(out->l1, l1_policy_counters(sm_l1d(&g->sm[i])), l1 * (unsigned)sizeof *out->l1);
        stats_add(out->sched, sm_sched(&g->sm[i])->count, count_names(sched->counters) * (unsigned)sizeof *out->sched);
    }
    for (uint32_t i = 0; i < g->slices; i++) {
        stats_add(out->l2, g->l2[i].pol.cache.count, l2 * (unsigned)sizeof *out->l2);
        out->l2_storage_bits += policy_storage_bits(&g->l2[i].pol);
    }
    out->l1_storage_bits = l1_storage_bits(sm_l1d(&g->sm[0]));
    if (sched->storage_bits) out->sched_storage_bits = sched->storage_bits(sm_sched(&g->sm[0]));
}

/* ---- laws ---- */

struct audit {
    char text[1500];
    size_t used;
    unsigned broken;
};

static void law(struct audit *a, const char *name, uint64_t left, uint64_t right)
{
    if (left == right) return;
    a->broken++;
    int n =
        snprintf(a->text + a->used, sizeof a->text - a->used, "\n  %s: %" PRIu64 " is not %" PRIu64, name, left, right);
    if (n > 0) a->used = a->used + (size_t)n < sizeof a->text ? a->used + (size_t)n : sizeof a->text - 1;
}

static void cache_laws(struct audit *a, const struct run_stats *s)
{
    const struct l1d_stats *c = &s->l1d;
    law(a, "l1d.accesses = hits + hits_reserved + misses + bypasses", c->accesses,
        c->hits + c->hits_reserved + c->misses + c->bypasses);
    law(a, "l1d.accesses = loads + stores", c->accesses, c->loads + c->stores);
    law(a, "l1d.loads = load_hits + hits_reserved + load_misses + bypasses", c->loads,
        c->load_hits + c->hits_reserved + c->load_misses + c->bypasses);
    law(a, "l1d.loads = sm.load_requests", c->loads, s->sm.load_requests);
    law(a, "l1d.stores = sm.store_requests", c->stores, s->sm.store_requests);
    law(a, "l1d: between one and four sectors for each load",
        c->loads <= c->sector_loads && c->sector_loads <= 4 * c->loads, 1);
    law(a, "l1d: between one and four sectors for each store",
        c->stores <= c->sector_stores && c->sector_stores <= 4 * c->stores, 1);
    law(a, "l1d.prefetch: asked = fetched + dropped", c->prefetches, c->prefetch_fetches + c->prefetch_drops);
    law(a, "l1d.prefetch: useful <= fetched", c->prefetch_uses <= c->prefetch_fetches, 1);
    law(a, "l1t.accesses = hits + hits_reserved + misses", s->l1t.accesses,
        s->l1t.hits + s->l1t.hits_reserved + s->l1t.misses);
    law(a, "l1c.accesses = hits + hits_reserved + misses", s->l1c.accesses,
        s->l1c.hits + s->l1c.hits_reserved + s->l1c.misses);
    law(a, "l1i.accesses = hits + hits_reserved + misses", s->l1i.accesses,
        s->l1i.hits + s->l1i.hits_reserved + s->l1i.misses);
    law(a, "l2.accesses = hits + hits_reserved + misses + bypasses", s->l2.accesses,
        s->l2.hits + s->l2.hits_reserved + s->l2.misses + s->l2.bypasses);
    law(a, "l2.accesses = reads + writes + atomics", s->l2.accesses, s->l2.reads + s->l2.writes + s->l2.atomics);
    law(a, "l2.fetches = l2.fills", s->l2.fetches, s->l2.fills);
}

/* A read of a line of the other half has a copy, waits for one, or is looked up again; what is written crosses once. */
static void half_laws(struct audit *a, const struct l2_stats *l)
{
    law(a, "l2.far.reads = far.hits + merges + misses", l->far_reads, l->far_hits + l->far_merges + l->far_misses);
    law(a, "l2.far.misses <= l2.fabric.reads", l->far_misses <= l->fabric_reads, 1);
    law(a, "l2.fabric.reads = fabric.hits + merges + misses + bypasses", l->fabric_reads,
        l->fabric_hits + l->fabric_merges + l->fabric_misses + l->fabric_bypasses);
    law(a, "l2.far.reads <= l2.reads", l->far_reads <= l->reads, 1);
    law(a, "l2.fabric.writes <= l2.writes and fabric.atomics <= atomics",
        l->fabric_writes <= l->writes && l->fabric_atomics <= l->atomics, 1);
}

/* The sum of a group's counters but the first, which is their total. */
static uint64_t sum_behind_first(const void *group, size_t bytes)
{
    const uint64_t *v = group;
    uint64_t sum = 0;
    for (size_t i = 1; i < bytes / sizeof *v; i++) sum += v[i];
    return sum;
}

/* Every cycle of a scheduler and of a warp has one reason. */
static void account_laws(struct audit *a, const struct gpu_config *c, const struct run_stats *s)
{
    if (!WL_ACCOUNT) return;
    uint64_t schedulers = (uint64_t)c->v[P_SM_SCHEDULERS];
    law(a, "account: sum of reasons = total", sum_behind_first(&s->account, sizeof s->account), s->account.total);
    law(a, "account.total = schedulers x (sm.active_cycles + last warps that ended by issuing)", s->account.total,
        schedulers * (s->sm.active_cycles + s->sm.issue_ends));
    law(a, "account.issued <= sm.warp_instructions", s->account.issued <= s->sm.warp_instructions, 1);
    law(a, "warp_states: sum of states = total", sum_behind_first(&s->warp_states, sizeof s->warp_states),
        s->warp_states.total);
}

static void traffic_laws(struct audit *a, const struct run_stats *s)
{
    law(a, "icnt.request_packets = reply_packets + l1d.writebacks", s->icnt.request_packets,
        s->icnt.reply_packets + s->l1d.writebacks);
    law(a, "sm.warp_instructions and sm.thread_instructions are both zero or neither", s->sm.warp_instructions == 0,
        s->sm.thread_instructions == 0);
}

/* Nothing is left in the machine. */
static void rest_laws(struct audit *a, const struct gpu *g)
{
    law(a, "requests alive", g->pool.alive, 0);
    uint64_t busy = 0;
    for (uint32_t i = 0; i < g->sms; i++) busy += !sm_idle(&g->sm[i]);
    for (uint32_t i = 0; i < g->slices; i++) busy += !l2_idle(&g->l2[i]);
    for (uint32_t i = 0; i < g->channels; i++) busy += !dram_idle(&g->dram[i]);
    for (int i = 0; i < 2; i++) busy += !net_idle(&g->net[i]);
    law(a, "parts with an entry left in a queue, pipe or MSHR", busy, 0);
}

/* What memory was asked for is a fetch or a bypass; what it was given is a write-back or a
 * forwarded store. */
static void memory_laws(struct audit *a, const struct gpu_config *c, const struct run_stats *s)
{
    uint64_t unit = c->v[P_L2_SECTORED] ? SECTOR_BYTES : LINE_BYTES;
    law(a, "dram.read_bytes = (l2.fetches + reads bypassed) x sector (or line) size", s->dram.read_bytes,
        (s->l2.fetches + s->l2.bypasses + s->l2.fabric_bypasses - s->l2.bypassed_writes) * unit);
    if (!s->l2.forwarded_writes)
        law(a, "dram.write_bytes = l2.writebacks x sector (or line) size + l2.bypassed_write_bytes",
            s->dram.write_bytes, s->l2.writebacks * unit + s->l2.bypassed_write_bytes);
}

/* Every load, request, stay of a line and instruction is in exactly one class of each distribution. */
static void profile_laws(struct audit *a, const struct run_stats *s)
{
    const struct profile_stats *p = &s->profile;
    law(a, "profile: coherent + divergent loads = sm.l1d_loads", p->coherent_loads + p->divergent_loads,
        s->sm.l1d_loads);
    law(a, "profile.divergent.loads = sm.divergent_loads", p->divergent_loads, s->sm.divergent_loads);
    law(a, "profile: requests of the loads = l1d.loads", p->coherent_requests + p->divergent_requests, s->l1d.loads);
    law(a, "profile: missed requests of the loads = l1d.load_misses", p->coherent_primary + p->divergent_primary,
        s->l1d.load_misses);
    law(a, "profile: merged requests of the loads = l1d.hits_reserved", p->coherent_merged + p->divergent_merged,
        s->l1d.hits_reserved);
    law(a, "profile: bypassed requests of the loads = l1d.bypasses", p->coherent_bypassed + p->divergent_bypassed,
        s->l1d.bypasses);
    law(a, "profile.coherent: loads = sum of mpli_*", p->coherent_loads,
        p->coherent_mpli_0 + p->coherent_mpli_1 + p->coherent_mpli_2 + p->coherent_mpli_3_31 + p->coherent_mpli_32_up);
    law(a, "profile.divergent: loads = sum of mpli_*", p->divergent_loads,
        p->divergent_mpli_0 + p->divergent_mpli_1 + p->divergent_mpli_2 + p->divergent_mpli_3_31 +
            p->divergent_mpli_32_up);
    law(a, "profile.coherent: loads = mpli_0 + partly_cached + fully_missed", p->coherent_loads,
        p->coherent_mpli_0 + p->coherent_partly_cached + p->coherent_fully_missed);
    law(a, "profile.divergent: loads = mpli_0 + partly_cached + fully_missed", p->divergent_loads,
        p->divergent_mpli_0 + p->divergent_partly_cached + p->divergent_fully_missed);
    law(a, "profile.access.hit = l1d.load_hits", p->access_hit, s->l1d.load_hits);
    law(a, "profile.access.pending = l1d.hits_reserved", p->access_pending, s->l1d.hits_reserved);
    law(a, "profile.access: kinds of miss = l1d.load_misses + bypasses",
        p->access_cold + p->access_intra_warp + p->access_inter_warp + p->access_invalidated + p->access_flushed +
            p->access_present,
        s->l1d.load_misses + s->l1d.bypasses);
    law(a, "profile.size: sum = l1d.loads", p->size_32 + p->size_64 + p->size_128, s->l1d.loads);
}

static void profile_line_laws(struct audit *a, const struct run_stats *s)
{
    const struct profile_stats *p = &s->profile;
    law(a, "profile.lives.requests = l1d.loads - bypasses", p->lives_accesses, s->l1d.loads - s->l1d.bypasses);
    law(a, "profile.lives: ended = sum of requests_*", p->lives,
        p->lives_accesses_1 + p->lives_accesses_2 + p->lives_accesses_3 + p->lives_accesses_4 + p->lives_accesses_5_8 +
            p->lives_accesses_9_16 + p->lives_accesses_17_up);
    law(a, "profile.lives: ended = sum of used_*", p->lives,
        p->lives_used_32 + p->lives_used_64 + p->lives_used_96 + p->lives_used_128);
    law(a, "profile.infinite: lines = sum of requests_*", p->infinite_lines,
        p->infinite_accesses_1 + p->infinite_accesses_2 + p->infinite_accesses_3 + p->infinite_accesses_4 +
            p->infinite_accesses_5_8 + p->infinite_accesses_9_16 + p->infinite_accesses_17_up);
    law(a, "profile.infinite.lines + profile.reuse.* = l1d.loads",
        p->infinite_lines + p->reuse_inter + p->reuse_intra + p->reuse_mixed, s->l1d.loads);
    law(a, "profile.stall: hit_ready_idle <= hit_ready <= sm.lsu_stall_cycles",
        p->stall_hit_idle <= p->stall_hit && p->stall_hit <= s->sm.lsu_stall_cycles, 1);
    law(a, "profile.issue: sum of ranks = sm.warp_instructions",
        p->issue_rank_0 + p->issue_rank_1 + p->issue_rank_2 + p->issue_rank_rest, s->sm.warp_instructions);
}

/* In a cache of grains a line of memory may leave in parts, as l1d.evictions do not count it; it came with a fill. */
static void evicted_law(struct audit *a, const struct gpu_config *c, const struct run_stats *s)
{
    const char *name = "profile.evicted: never_again <= l1d.evictions";
    uint64_t most = s->l1d.evictions;
    if (c->l1.policy->grains) name = "profile.evicted: never_again <= l1d.fills", most = s->l1d.fills;
    law(a, name, s->profile.evicted_never_again <= most, 1);
}

static void counter_laws(struct audit *a, const struct gpu_config *c, const struct run_stats *s, bool profiled)
{
    cache_laws(a, s);
    half_laws(a, &s->l2);
    account_laws(a, c, s);
    traffic_laws(a, s);
    memory_laws(a, c, s);
    if (profiled) profile_laws(a, s), profile_line_laws(a, s), evicted_law(a, c, s);
}

static int verdict(const struct audit *a, const char *whose, struct wl_err *e)
{
    if (!a->broken) return 0;
    return wl_fail(e, WL_ELAW, "%u conservation law%s broken%s:%s", a->broken, a->broken > 1 ? "s are" : " is", whose,
                   a->text);
}

int stats_check_laws(const struct gpu_config *c, const struct run_stats *s, bool profiled, struct wl_err *e)
{
    struct audit a = {{0}, 0, 0};
    counter_laws(&a, c, s, profiled);
    return verdict(&a, " by the projection", e);
}

int gpu_check_laws(const struct gpu *g, struct wl_err *e)
{
    struct audit a = {{0}, 0, 0};
    struct run_stats s;
    gpu_read_stats(g, &s);
    counter_laws(&a, &g->config, &s, g->profile);
    rest_laws(&a, g);
    return verdict(&a, "", e);
}

void gpu_walk(const struct gpu *g)
{
    WL_VERIFY(req_count_free(&g->pool) == g->pool.available);
    clock_walk(&g->clock);
    for (uint32_t i = 0; i < 2; i++) net_walk(&g->net[i]);
    for (uint32_t i = 0; i < g->slices; i++) port_walk(&g->l2[i].fill);
    for (uint32_t i = 0; i < g->channels; i++) dram_walk(&g->dram[i]);
    for (uint32_t i = 0; i < g->sms; i++) sm_walk(&g->sm[i]);
    for (uint32_t i = 0; i < g->slices; i++) l2_walk(&g->l2[i]);
}

void gpu_walk_ended(const struct gpu *g)
{
    gpu_walk(g);
    for (uint32_t i = 0; i < g->nparts; i++) WL_VERIFY(g->driven[i].idle(g->driven[i].self));
    WL_VERIFY(!g->pool.alive);
}
