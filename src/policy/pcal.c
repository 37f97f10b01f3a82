/* pcal.c - PCAL with fixed numbers: some warps use the cache, some more run without it.
 *
 * Idea (Li, Rhu, Johnson, O'Connor, Erez, Burger, Fussell, Redder, HPCA 2015, its static form): a
 * static warp limit saves the cache but wastes the memory's bandwidth. So the `tokens` oldest warps of
 * each scheduler use the L1D as ever, the next `others` run too but allocate nothing, and the rest
 * wait. Two tables, one scheme: --sched pcal:tokens=2,others=8 --l1 pcal. With others=0 it is swl.
 *
 * Classes go by age among the live warps that wait at no barrier, so a token passes on when its holder
 * ends or waits. A load keeps the class its warp has when its first request meets the cache. Others may
 * hit and merge; probe=no makes them bypass the cache without looking. Order: greedy then oldest.
 * State: a token bit for each warp, and the slot that issued last of each scheduler. */
#include <stdlib.h>

#include "warpline/chain.h"
#include "warpline/policy_loads.h"
#include "warpline/sched.h"

/* ---- what the two tables share, through the SM's slot ---- */

extern const struct wl_cache_policy pcal_l1_policy;
extern const struct wl_sched_policy pcal_sched_policy;

struct pcal {
    struct wl_chain chain;
    const void *owner; /* &pcal_l1_policy: tells that the slot is ours */
    uint64_t others;   /* warps that may run but not allocate */
    uint16_t order[];  /* of the chain */
};

/* ---- the L1D: LRU for those with a token ---- */

enum { PROBE };
static const struct wl_param pcal_l1_params[] = {
    [PROBE] = {"probe", "", 0, 1, 1, "no|yes", "warps without a token may hit", "the scheme restricts allocation only"},
    WL_PARAM_END,
};
enum { N_HITS, N_BYPASSES, N_ALLOCATED };
static const struct wl_counter pcal_l1_counters[] = {
    {"others_hits", "requests", "hits and merges of warps without a token"},
    {"others_bypasses", "requests", "requests of such warps that bypassed the cache"},
    {"allocations", "lines", "lines taken by warps with a token"},
    WL_COUNTER_END,
};

static size_t pcal_l1_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct pcal) + sizeof(uint16_t) * wl_chain_entries(g);
}

static bool pcal_l1_init(struct wl_cache *c, const char **why)
{
    (void)why;
    struct pcal *s = c->self;
    s->owner = &pcal_l1_policy;
    wl_chain_init(&s->chain, s->order, &c->g);
    *c->shared = s;
    return true;
}

static bool no_token(const struct wl_access *a) { return a->load && a->load->user; }

static void pcal_load_begin(struct wl_cache *c, struct wl_load *l)
{
    l->user = ((const struct pcal *)c->self)->others >> l->warp & 1;
}

static enum wl_decision pcal_decide(const struct wl_cache *c, const struct wl_access *a)
{
    return no_token(a) && !c->param[PROBE] ? WL_BYPASS : WL_NORMAL;
}

static int pcal_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *set)
{
    return no_token(a) ? WL_NO_WAY_BYPASS : wl_chain_oldest(c, a, set);
}

static void pcal_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct pcal *s = c->self;
    if (outcome <= WL_MISSED) wl_chain_touch(&s->chain, a->set, (uint32_t)way);
    if (outcome == WL_MISSED) c->count[N_ALLOCATED]++;
    else if (outcome != WL_STORED) c->count[outcome == WL_BYPASSED ? N_BYPASSES : N_HITS] += no_token(a);
}

static const struct wl_load_hooks pcal_loads = {.begin = pcal_load_begin};

const struct wl_cache_policy pcal_l1_policy = {
    .abi = WL_ABI,
    .name = "pcal",
    .help = "PCAL's cache: LRU; warps the scheduler pcal gives no token may hit but not allocate",
    .levels = 1u << WL_L1,
    .params = pcal_l1_params,
    .counters = pcal_l1_counters,
    .bytes = pcal_l1_bytes,
    .init = pcal_l1_init,
    .decide = pcal_decide,
    .victim = pcal_victim,
    .on_access = pcal_on_access,
    .on_kernel = wl_chain_on_kernel,
    .loads = &pcal_loads,
};

/* ---- the scheduler ---- */

enum { TOKENS, OTHERS };
static const struct wl_param pcal_sched_params[] = {
    [TOKENS] = {"tokens", "warps", 1, 24, 64, NULL, "warps of each scheduler that use the L1D", "to be swept"},
    [OTHERS] = {"others", "warps", 0, 0, 64, NULL, "further warps that run but do not allocate", "to be swept"},
    WL_PARAM_END,
};

struct pcal_sched {
    uint64_t competing; /* live and at no barrier, when `admitted` was found */
    uint64_t admitted;  /* as of the last choice */
    uint8_t last[];     /* [schedulers] slot + 1 of the warp that issued last; 0 at first */
};

static size_t pcal_sched_bytes(const struct wl_sched_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct pcal_sched) + g->schedulers;
}

static struct pcal *cache_of(const struct wl_sched *s) { return *s->shared; }

static bool pcal_sched_init(struct wl_sched *s, const char **why)
{
    *why = "it works together with the L1D policy of the same name; add --l1 pcal";
    return s->shared && cache_of(s) && cache_of(s)->owner == &pcal_l1_policy;
}

/* 48 warps: a bit each. */
static uint64_t pcal_sched_storage_bits(const struct wl_sched *s) { return 48 + 6u * s->g.schedulers; }

static uint64_t pcal_allowed(const struct wl_sched *s, const struct wl_sched_view *v)
{
    const struct pcal_sched *p = s->self;
    uint64_t competing = v->live & ~v->barrier;
    if (competing == p->competing) return p->admitted;
    return wl_oldest_of_each(s, v, competing, (unsigned)(s->param[TOKENS] + s->param[OTHERS]));
}

static int pcal_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    return (int)wl_greedy_oldest(v, ((const struct pcal_sched *)s->self)->last[scheduler] - 1u, candidates);
}

static void pcal_on_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    struct pcal_sched *p = s->self;
    uint64_t competing = v->live & ~v->barrier;
    p->last[scheduler] = (uint8_t)(warp + 1);
    if (competing == p->competing) return;
    p->admitted = pcal_allowed(s, v);
    p->competing = competing;
    cache_of(s)->others = p->admitted & ~wl_oldest_of_each(s, v, competing, (unsigned)s->param[TOKENS]);
}

static void pcal_on_warp(struct wl_sched *s, const struct wl_sched_view *v, enum wl_warp_event event, unsigned warp)
{
    (void)v, (void)warp;
    if (event == WL_WARP_LAUNCH) ((struct pcal_sched *)s->self)->competing = 0;
}

const struct wl_sched_policy pcal_sched_policy = {
    .abi = WL_ABI,
    .name = "pcal",
    .help = "PCAL, static: the oldest warps use the L1D, some more bypass it, the rest wait; with --l1 pcal",
    .params = pcal_sched_params,
    .bytes = pcal_sched_bytes,
    .init = pcal_sched_init,
    .storage_bits = pcal_sched_storage_bits,
    .pick = pcal_pick,
    .allowed = pcal_allowed,
    .on_issue = pcal_on_issue,
    .on_warp = pcal_on_warp,
};
