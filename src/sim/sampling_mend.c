/* sampling_mend.c - what rounding and the edges of windows leave of the laws is made good.
 *
 * Every conservation law of the counters is linear, so it holds for mixtures of launches and windows; but mixtures are
 * rounded, and a window begins in the middle of what it counts. So totals are derived from their parts again. */
#include "mem/req.h"
#include "sim/sampling_priv.h"

static uint64_t between(uint64_t v, uint64_t low, uint64_t high) { return v < low ? low : v > high ? high : v; }

static void mend_l1d(struct run_stats *s)
{
    struct l1d_stats *c = &s->l1d;
    c->loads = s->sm.load_requests = c->load_hits + c->hits_reserved + c->load_misses + c->bypasses;
    s->sm.store_requests = c->stores;
    c->accesses = c->loads + c->stores;
    c->hits = between(c->hits, 0, c->accesses - c->hits_reserved - c->bypasses);
    c->misses = c->accesses - c->hits - c->hits_reserved - c->bypasses;
    c->sector_loads = between(c->sector_loads, c->loads, 4 * c->loads);
    c->sector_stores = between(c->sector_stores, c->stores, 4 * c->stores);
    c->prefetches = c->prefetch_fetches + c->prefetch_drops;
    c->prefetch_uses = between(c->prefetch_uses, 0, c->prefetch_fetches);
    s->icnt.request_packets = s->icnt.reply_packets + c->writebacks;
}

static void mend_memory(const struct gpu_config *c, struct run_stats *s)
{
    uint64_t unit = c->v[P_L2_SECTORED] ? SECTOR_BYTES : LINE_BYTES;
    struct l2_stats *l = &s->l2;
    l->accesses = l->hits + l->hits_reserved + l->misses + l->bypasses;
    l->writes = between(l->writes, 0, l->accesses);
    l->atomics = between(l->atomics, 0, l->accesses - l->writes);
    l->reads = l->accesses - l->writes - l->atomics;
    l->fills = l->fetches;
    l->bypassed_writes = between(l->bypassed_writes, 0, l->bypasses);
    s->dram.read_bytes = (l->fetches + l->bypasses + l->fabric_bypasses - l->bypassed_writes) * unit;
    if (!l->forwarded_writes) s->dram.write_bytes = l->writebacks * unit + l->bypassed_write_bytes;
}

/* An L2 of two halves. */
static void mend_halves(struct l2_stats *l)
{
    l->far_hits = between(l->far_hits, 0, l->reads);
    l->far_merges = between(l->far_merges, 0, l->reads - l->far_hits);
    l->far_misses = between(l->far_misses, 0, l->reads - l->far_hits - l->far_merges);
    l->far_reads = l->far_hits + l->far_merges + l->far_misses;
    l->fabric_reads = l->fabric_hits + l->fabric_merges + l->fabric_misses + l->fabric_bypasses;
    if (l->fabric_reads < l->far_misses) { /* by rounding only */
        l->fabric_hits += l->far_misses - l->fabric_reads;
        l->fabric_reads = l->far_misses;
    }
    l->fabric_writes = between(l->fabric_writes, 0, l->writes);
    l->fabric_atomics = between(l->fabric_atomics, 0, l->atomics);
}

/* The parts behind the first counter of a group become its sum: the largest of them takes the difference. */
static void fit_parts(uint64_t *v, size_t bytes)
{
    size_t n = bytes / sizeof *v, most = 1;
    uint64_t sum = 0;
    for (size_t i = 1; i < n; i++) {
        sum += v[i];
        if (v[i] > v[most]) most = i;
    }
    v[most] += v[0] - sum; /* modulo 2^64: the difference is small, the largest part is not */
}

void sampling_mend(const struct gpu_config *c, struct run_stats *s)
{
    mend_l1d(s);
    mend_memory(c, s);
    mend_halves(&s->l2);
    s->l1t.accesses = s->l1t.hits + s->l1t.hits_reserved + s->l1t.misses;
    s->l1c.accesses = s->l1c.hits + s->l1c.hits_reserved + s->l1c.misses;
    s->l1i.accesses = s->l1i.hits + s->l1i.hits_reserved + s->l1i.misses;
    s->account.total = (uint64_t)c->v[P_SM_SCHEDULERS] * (s->sm.active_cycles + s->sm.issue_ends);
    fit_parts((uint64_t *)(void *)&s->account, sizeof s->account);
    if (s->account.issued > s->sm.warp_instructions) { /* by rounding only */
        s->account.alu += s->account.issued - s->sm.warp_instructions;
        s->account.issued = s->sm.warp_instructions;
    }
    const uint64_t *state = (const uint64_t *)(const void *)&s->warp_states;
    s->warp_states.total = 0;
    uint64_t sum = 0;
    for (size_t i = 1; i < sizeof s->warp_states / sizeof *state; i++) sum += state[i];
    s->warp_states.total = sum;
}
