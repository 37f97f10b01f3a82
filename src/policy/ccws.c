/* ccws.c - CCWS: warps that lose locality get the cache to themselves.
 *
 * Idea (Rogers, O'Connor, Aamodt, MICRO 2012; constants and rules as in the authors' simulator): a
 * warp that misses on a line it had recently, and that was evicted meanwhile, would have hit with
 * fewer warps around. Each warp has a small victim tag array (VTA) of lines evicted from those it
 * brought in. A miss found there raises the warp's lost-locality score; scores sink by one per cycle
 * to the base. Warps are stacked by score up to a fixed height, the number of resident warps times
 * the base: those that no longer fit may not issue loads (to global or local memory; everything else
 * may). With all scores at the base all warps fit.
 *
 *   score = max(base, hits * throttle * height / instructions)     at a VTA hit
 *
 * with VTA hits and issued instructions of all resident warps (a warp's share goes with it). Warps
 * are chosen greedy then oldest. One stack for the SM: all its schedulers share it.
 *
 * Two tables: the cache policy `ccws_tags` (LRU that keeps the VTAs; needed with the scheduler) and
 * the scheduler `ccws`. They meet in the SM's shared slot. Only valid lines are evicted; a store
 * removes its line from every VTA; scores and shares start anew with a warp, VTAs live on.
 *
 * Nothing is counted down: a raised score is kept as the cycle at which it would reach zero. Between
 * events the allowed set can only change when a sum sinks below the height or a score reaches the
 * base; both cycles have a lower bound, at which the scheduler asks to be woken.
 *
 * Storage, 48 warps: 16 tags of 25 bits each, 6 bits per line for its warp, 16 bits per score. */
#include "warpline/chain.h"
#include "warpline/sched.h"

enum { VTA_SETS = 2, VTA_WAYS = 8, TAG_BITS = 25, SCORE_BITS = 16 };
#define NO_LINE UINT64_MAX

struct ccws {
    struct wl_chain chain;
    const void *kind; /* says to the scheduler that it is this */
    uint32_t warps;
    /* tags */
    uint8_t *brought; /* [sets * max_ways] the warp that brought the line in */
    uint64_t vta[WL_MAX_WARPS][VTA_SETS][VTA_WAYS];
    uint8_t vta_next[WL_MAX_WARPS][VTA_SETS]; /* first in, first out */
    /* scores */
    uint64_t base, throttle;
    uint64_t live;
    uint64_t zero_at[WL_MAX_WARPS]; /* the score is zero_at - cycle, at least the base */
    uint64_t hits[WL_MAX_WARPS], instructions[WL_MAX_WARPS], all_hits, all_instructions;
    uint64_t allowed, valid_until; /* the stack as last computed */
    bool stale, throttled;
    uint64_t last_cycle;
    uint8_t last[WL_MAX_SCHEDULERS];
    uint16_t order[]; /* of the chain; behind it `brought` */
};

/* ---- the cache's part ---- */

extern const struct wl_cache_policy ccws_tags_policy;

static size_t tags_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct ccws) + wl_chain_entries(g) * (sizeof(uint16_t) + 1);
}

static bool tags_init(struct wl_cache *c, const char **why)
{
    (void)why;
    struct ccws *s = c->self;
    s->kind = &ccws_tags_policy;
    s->warps = c->g.warps;
    s->brought = (uint8_t *)(s->order + wl_chain_entries(&c->g));
    wl_chain_init(&s->chain, s->order, &c->g);
    for (unsigned w = 0; w < WL_MAX_WARPS; w++)
        for (unsigned i = 0; i < VTA_SETS * VTA_WAYS; i++) s->vta[w][i / VTA_WAYS][i % VTA_WAYS] = NO_LINE;
    *c->shared = s;
    return true;
}

static uint64_t tags_storage_bits(const struct wl_cache *c)
{
    return (uint64_t)c->g.warps * VTA_SETS * VTA_WAYS * TAG_BITS + 6 * wl_chain_entries(&c->g);
}

enum { N_PROBES, N_VTA_HITS, N_INSERTS, N_TABLE };
static const struct wl_counter tags_counters[] = {
    [N_PROBES] = {"vta_probes", "misses", "load misses looked up in their warp's victim tags"},
    [N_VTA_HITS] = {"vta_hits", "misses", "of these, found: the warp had lost the line"},
    [N_INSERTS] = {"vta_inserts", "lines", "evicted lines noted for the warp that had brought them in"},
    [N_TABLE] = {"table_accesses", "accesses", "of the victim tags, for the energy model"},
    WL_COUNTER_END,
};

static uint64_t *find_tag(struct ccws *s, unsigned warp, uint64_t line)
{
    uint64_t *tag = s->vta[warp][line % VTA_SETS];
    for (unsigned i = 0; i < VTA_WAYS; i++)
        if (tag[i] == line) return &tag[i];
    return NULL;
}

static void tags_on_leave(struct wl_cache *c, const struct wl_line *gone, enum wl_leave why, const struct wl_access *by)
{
    (void)by;
    struct ccws *s = c->self;
    unsigned warp = s->brought[(size_t)gone->set * c->g.max_ways + gone->way];
    if (why != WL_EVICTED || find_tag(s, warp, gone->line)) return;
    uint8_t *next = &s->vta_next[warp][gone->line % VTA_SETS];
    s->vta[warp][gone->line % VTA_SETS][*next] = gone->line;
    *next = (uint8_t)((*next + 1) % VTA_WAYS);
    c->count[N_INSERTS]++;
    c->count[N_TABLE]++;
}

static void lost_locality(struct ccws *s, unsigned warp, uint64_t cycle)
{
    s->hits[warp]++;
    s->all_hits++;
    uint64_t height = s->base * (uint64_t)__builtin_popcountll(s->live);
    uint64_t score = s->all_instructions ? s->all_hits * s->throttle * height / s->all_instructions : s->base;
    s->zero_at[warp] = cycle + (score > s->base ? score : s->base);
    s->stale = true;
}

static void probe(struct wl_cache *c, const struct wl_access *a)
{
    struct ccws *s = c->self;
    c->count[N_PROBES]++;
    c->count[N_TABLE]++;
    if (!find_tag(s, a->warp, a->line)) return;
    c->count[N_VTA_HITS]++;
    lost_locality(s, a->warp, a->cycle);
}

static void forget_line(struct ccws *s, uint64_t line)
{
    for (unsigned w = 0; w < s->warps; w++) {
        uint64_t *tag = find_tag(s, w, line);
        if (tag) *tag = NO_LINE;
    }
}

static void tags_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct ccws *s = c->self;
    if (outcome == WL_STORED && way < 0) forget_line(s, a->line);
    if (outcome > WL_MISSED) return;
    if (outcome == WL_MISSED) {
        probe(c, a);
        s->brought[(size_t)a->set * c->g.max_ways + (uint32_t)way] = (uint8_t)a->warp;
    }
    wl_chain_touch(&s->chain, a->set, (uint32_t)way);
}

const struct wl_cache_policy ccws_tags_policy = {
    .abi = WL_ABI,
    .name = "ccws_tags",
    .help = "LRU with the victim tags of CCWS; goes with --sched ccws",
    .levels = 1u << WL_L1,
    .counters = tags_counters,
    .bytes = tags_bytes,
    .init = tags_init,
    .storage_bits = tags_storage_bits,
    .victim = wl_chain_oldest,
    .on_access = tags_on_access,
    .on_leave = tags_on_leave,
    .on_kernel = wl_chain_on_kernel,
};

/* ---- the scheduler's part ---- */

enum { BASE, THROTTLE, PARAMS };
static const struct wl_param ccws_params[] = {
    [BASE] = {"base", "points", 1, 100, 65535, NULL, "score of a warp that lost nothing", "the authors' simulator"},
    [THROTTLE] = {"throttle", "", 0, 8, 65535, NULL, "weight of lost locality (K)", "the authors' simulator"},
    WL_PARAM_END,
};
enum { N_THROTTLED };
static const struct wl_counter ccws_counters[] = {
    [N_THROTTLED] = {"throttled_cycles", "SM cycles", "cycles in which some warp might not issue loads"},
    WL_COUNTER_END,
};

/* The scheme's state is that of the cache policy. */
static struct ccws *ccws_of(const struct wl_sched *s) { return *s->shared; }

static bool ccws_init(struct wl_sched *s, const char **why)
{
    struct ccws *c = ccws_of(s);
    *why = "it needs the victim tags of its cache policy; add --l1 ccws_tags (l1 = ccws_tags)";
    if (!c || c->kind != &ccws_tags_policy) return false;
    c->base = (uint64_t)s->param[BASE];
    c->throttle = (uint64_t)s->param[THROTTLE];
    c->stale = true;
    for (unsigned i = 0; i < WL_MAX_SCHEDULERS; i++) c->last[i] = WL_MAX_WARPS;
    return true;
}

static uint64_t ccws_storage_bits(const struct wl_sched *s) { return SCORE_BITS * s->g.warps + 6u * s->g.schedulers; }

/* Scores and shares start anew with a warp and go with it. */
static void ccws_on_warp(struct wl_sched *s, const struct wl_sched_view *v, enum wl_warp_event event, unsigned warp)
{
    (void)v;
    struct ccws *c = ccws_of(s);
    c->stale = true;
    if (event == WL_WARP_LAUNCH) {
        c->live |= UINT64_C(1) << warp;
        c->zero_at[warp] = c->hits[warp] = c->instructions[warp] = 0;
    } else {
        c->live &= ~(UINT64_C(1) << warp);
        c->all_hits -= c->hits[warp];
        c->all_instructions -= c->instructions[warp];
    }
}

static uint64_t cycle_min(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The highest of a set of raised warps; of equals the lowest slot. */
static unsigned highest(const struct ccws *s, uint64_t set)
{
    unsigned best = (unsigned)__builtin_ctzll(set);
    for (set &= set - 1; set; set &= set - 1) {
        unsigned w = (unsigned)__builtin_ctzll(set);
        if (s->zero_at[w] > s->zero_at[best]) best = w;
    }
    return best;
}

/* Stacks the warps by score; those up to the height are allowed. */
static void stack(struct ccws *s, uint64_t cycle)
{
    uint64_t raised = 0, height = s->base * (uint64_t)__builtin_popcountll(s->live), sum = 0, falling = 0;
    for (uint64_t m = s->live; m; m &= m - 1) {
        unsigned w = (unsigned)__builtin_ctzll(m);
        if (s->zero_at[w] > cycle + s->base) raised |= m & -m;
    }
    s->stale = false;
    s->allowed = s->live;
    s->valid_until = UINT64_MAX;
    if (!raised) return;
    s->allowed = 0;
    for (uint64_t left = raised; left; falling++) {
        unsigned w = highest(s, left);
        left &= ~(UINT64_C(1) << w);
        s->valid_until = cycle_min(s->valid_until, s->zero_at[w] - s->base); /* there it is at the base */
        if (sum >= height) continue;
        s->allowed |= UINT64_C(1) << w;
        sum += s->zero_at[w] - cycle;
    }
    for (uint64_t m = s->live & ~raised; m && sum < height; m &= m - 1) {
        s->allowed |= m & -m;
        sum += s->base;
    }
    if (sum >= height) s->valid_until = cycle_min(s->valid_until, cycle + (sum - height) / falling + 1);
}

static uint64_t ccws_on_cycle(struct wl_sched *s, const struct wl_sched_view *v)
{
    struct ccws *c = ccws_of(s);
    uint64_t passed = v->cycle - c->last_cycle;
    if (c->throttled) s->count[N_THROTTLED] += passed - 1;
    c->last_cycle = v->cycle;
    if (c->stale || v->cycle >= c->valid_until) stack(c, v->cycle);
    c->throttled = c->allowed != c->live;
    s->count[N_THROTTLED] += c->throttled;
    return c->valid_until;
}

static uint64_t ccws_allowed(const struct wl_sched *s, const struct wl_sched_view *v)
{
    return ccws_of(s)->allowed | ~v->loads;
}

static int ccws_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    return (int)wl_greedy_oldest(v, ccws_of(s)->last[scheduler], candidates);
}

static void ccws_on_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    (void)v;
    struct ccws *c = ccws_of(s);
    c->last[scheduler] = (uint8_t)warp;
    c->instructions[warp]++;
    c->all_instructions++;
}

static struct wl_sched_state ccws_state(const struct wl_sched *s)
{
    return (struct wl_sched_state){ccws_of(s)->throttled ? "throttled" : "free", -1};
}

extern const struct wl_sched_policy ccws_policy;
const struct wl_sched_policy ccws_policy = {
    .abi = WL_ABI,
    .name = "ccws",
    .help = "CCWS: warps that lost cache lines keep others from loading; needs --l1 ccws_tags",
    .params = ccws_params,
    .counters = ccws_counters,
    .init = ccws_init,
    .storage_bits = ccws_storage_bits,
    .pick = ccws_pick,
    .allowed = ccws_allowed,
    .on_issue = ccws_on_issue,
    .on_cycle = ccws_on_cycle,
    .on_warp = ccws_on_warp,
    .state = ccws_state,
};
