/* eabp.c - priority by effective addresses: evict what few lanes asked for. A reconstruction.
 *
 * Idea (Mu et al., TVLSI 2014, as HAC describes it): a line that was asked for by many lanes at once is
 * likelier to be asked for again. The paper is not at hand; HAC, which compares with it, gives no
 * formulas. What stands here is the simplest policy with that idea, and results measured with it are
 * indications. It does not know memories. The memory scheduling half of that paper is not part of it.
 *
 * mode=prio: a line's priority is its request's lanes - 1 (5 bits); a hit raises it to at least its own
 * and makes the line most recent. The victim is the line of lowest priority, the oldest of them. Every
 * A-th miss of a set (A ways) lowers the priorities of all its lines by one, so that nothing stays for
 * ever. bypass=on: a read of fewer lanes than the victim's bypasses the cache.
 * mode=insert: a second guess, to see how much hangs on the first. A line enters A*(ea-1)/32 places above
 * the oldest, a hit makes most recent, the oldest is evicted.
 *
 * Requests without lanes count as one, constants as 32. A merge counts as a hit. Storage beyond LRU's
 * chain, mode=prio: 5 bits per line and log2(A) per set. */
#include "warpline/chain.h"

enum { MODE, BYPASS };
enum { MODE_PRIO, MODE_INSERT };

static const struct wl_param eabp_params[] = {
    [MODE] = {"mode", "", 0, 0, 1, "prio|insert", "lanes decide who leaves, or where lines enter", "reconstruction"},
    [BYPASS] = {"bypass", "", 0, 0, 1, "off|on", "mode=prio: reads of lower priority than the victim bypass",
                "reconstruction: off"},
    WL_PARAM_END,
};

enum { N_AGED, N_BYPASSED, N_PRIO_SUM, N_EVICTED };
static const struct wl_counter eabp_counters[] = {
    [N_AGED] = {"aged", "times", "a set's priorities were lowered"},
    [N_BYPASSED] = {"bypassed", "requests", "reads that bypassed the cache"},
    [N_PRIO_SUM] = {"victim_priority", "", "priorities of evicted lines, summed; / evicted is the mean"},
    [N_EVICTED] = {"evicted", "lines", "lines evicted"},
    WL_COUNTER_END,
};

struct eabp {
    struct wl_chain chain;
    uint16_t *misses; /* [sets] since the last ageing */
    uint8_t *prio;    /* [sets * max_ways] */
    uint16_t order[]; /* of the chain; behind it misses and prio */
};

static size_t eabp_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    size_t lines = wl_chain_entries(g);
    return sizeof(struct eabp) + sizeof(uint16_t) * (lines + g->sets) + lines;
}

static bool eabp_init(struct wl_cache *c, const char **why)
{
    struct eabp *p = c->self;
    *why = "bypass=on compares priorities, which mode=insert does not keep";
    p->misses = p->order + wl_chain_entries(&c->g);
    p->prio = (uint8_t *)(p->misses + c->g.sets);
    wl_chain_init(&p->chain, p->order, &c->g);
    return c->param[MODE] != MODE_INSERT || !c->param[BYPASS];
}

static uint64_t eabp_storage_bits(const struct wl_cache *c)
{
    uint32_t ways = c->g.max_ways;
    return c->param[MODE] == MODE_INSERT ? 0 : c->g.sets * (wl_bits_for(ways) + UINT64_C(5) * ways);
}

static uint8_t priority(const struct wl_access *a)
{
    return a->space == WL_CONST ? 31 : a->lanes ? (uint8_t)(a->lanes - 1) : 0;
}

/* The least of (priority, position from the old end) among lines that can leave. */
static int least_wanted(const struct eabp *p, uint32_t set, const struct wl_set *s)
{
    const uint16_t *order = p->chain.order + (size_t)set * p->chain.stride;
    const uint8_t *prio = p->prio + (size_t)set * p->chain.stride;
    int best = -1;
    for (uint32_t i = p->chain.ways; i-- > 0;) {
        unsigned state = WL_STATE(s->state[order[i]]);
        if (state == WL_INVALID) return order[i];
        if (state == WL_VALID && (best < 0 || prio[order[i]] < prio[best])) best = order[i];
    }
    return best;
}

static int eabp_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    const struct eabp *p = c->self;
    bool insert = c->param[MODE] == MODE_INSERT;
    int way = insert ? wl_chain_victim(&p->chain, a->set, s, 0) : least_wanted(p, a->set, s);
    if (way < 0 || !c->param[BYPASS] || a->kind != WL_LOAD || WL_STATE(s->state[way]) != WL_VALID) return way;
    return priority(a) < p->prio[(size_t)a->set * c->g.max_ways + (uint32_t)way] ? WL_NO_WAY_BYPASS : way;
}

static void count_miss(struct wl_cache *c, uint32_t set)
{
    struct eabp *p = c->self;
    if (++p->misses[set] < c->g.ways) return;
    p->misses[set] = 0;
    c->count[N_AGED]++;
    uint8_t *prio = p->prio + (size_t)set * c->g.max_ways;
    for (uint32_t w = 0; w < c->g.ways; w++) prio[w] = (uint8_t)(prio[w] - (prio[w] > 0));
}

static void eabp_on_leave(struct wl_cache *c, const struct wl_line *gone, enum wl_leave why, const struct wl_access *by)
{
    (void)by;
    if (why != WL_EVICTED) return;
    c->count[N_EVICTED]++;
    c->count[N_PRIO_SUM] += ((struct eabp *)c->self)->prio[(size_t)gone->set * c->g.max_ways + gone->way];
}

static void eabp_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct eabp *p = c->self;
    uint8_t now = priority(a);
    if (outcome == WL_MISSED || outcome == WL_BYPASSED) count_miss(c, a->set);
    if (outcome == WL_BYPASSED) {
        c->count[N_BYPASSED]++;
        return;
    }
    uint8_t *prio = &p->prio[(size_t)a->set * c->g.max_ways + (uint32_t)way];
    if (outcome == WL_MISSED || now > *prio) *prio = now;
    if (outcome == WL_MISSED && c->param[MODE] == MODE_INSERT)
        wl_chain_put_above_oldest(&p->chain, a->set, (uint32_t)way, c->g.ways * now / 32);
    else wl_chain_touch(&p->chain, a->set, (uint32_t)way);
}

extern const struct wl_cache_policy eabp_policy;
const struct wl_cache_policy eabp_policy = {
    .abi = WL_ABI,
    .name = "eabp",
    .help = "priority by effective addresses (a reconstruction): lines that few lanes asked for leave first",
    .levels = 1u << WL_L2,
    .params = eabp_params,
    .counters = eabp_counters,
    .bytes = eabp_bytes,
    .init = eabp_init,
    .storage_bits = eabp_storage_bits,
    .victim = eabp_victim,
    .on_access = eabp_on_access,
    .on_leave = eabp_on_leave,
};
