/* eabp.c - priority by effective addresses: evict what few lanes asked for. A reconstruction.
 *
 * Idea (Mu et al., TVLSI 2014, as HAC tells it): a line that was asked for by many lanes at once is
 * likelier to be asked for again. The paper is not at hand; HAC, which compares with it, gives no
 * formulas. What stands here is the simplest policy with that idea, and results measured with it are
 * indications. It does not know memories. The memory scheduling half of that paper is not part of it.
 *
 * mode=prio: a line's priority is its request's lanes - 1 (5 bits); a hit raises it to at least its own
 * and makes the line most recent. The victim is the line of lowest priority, the oldest of them. Every
 * A-th miss of a set (A ways) lowers the priorities of all its lines by one, so that nothing stays for
 * ever. bypass=on: a read of fewer lanes than the victim's goes past the cache.
 * mode=insert: a second guess, to see how much hangs on the first. A line enters A*(ea-1)/32 places above
 * the oldest, a hit makes most recent, the oldest is evicted.
 *
 * Requests without lanes count as one, constants as 32. A merge counts as a hit. Storage beyond LRU's
 * chain, mode=prio: 5 bits a line and log2(A) a set. */
#include <stdlib.h>

#include "warpline/policy.h"

enum { MODE, BYPASS };
enum { MODE_PRIO, MODE_INSERT };

static const struct wl_param eabp_params[] = {
    [MODE] = {"mode", "", 0, 0, 1, "prio|insert", "lanes decide who leaves, or where lines enter", "reconstruction"},
    [BYPASS] = {"bypass", "", 0, 0, 1, "off|on", "mode=prio: reads of lower priority than the victim go past",
                "reconstruction: off"},
    WL_PARAM_END,
};

enum { N_AGED, N_BYPASSED, N_PRIO_SUM, N_EVICTED, N_COUNTERS };
static const struct wl_counter eabp_counters[] = {
    [N_AGED] = {"aged", "times", "a set's priorities were lowered"},
    [N_BYPASSED] = {"bypassed", "requests", "reads sent past the cache"},
    [N_PRIO_SUM] = {"victim_priority", "", "priorities of evicted lines, summed; / evicted is the mean"},
    [N_EVICTED] = {"evicted", "lines", "lines evicted"},
    WL_COUNTER_END,
};

struct eabp {
    struct wl_chain chain;
    uint32_t sets;
    bool insert, bypass;
    uint8_t *prio;    /* [sets * ways] */
    uint16_t *misses; /* [sets] since the last ageing */
    uint64_t count[N_COUNTERS];
    uint16_t order[]; /* [sets * ways], then misses, prio */
};

static void *eabp_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    if (values[MODE] == MODE_INSERT && values[BYPASS]) {
        *why = "bypass=on compares priorities, which mode=insert does not keep";
        return NULL;
    }
    size_t lines = (size_t)g->sets * g->ways;
    struct eabp *p = calloc(1, sizeof *p + sizeof p->order[0] * (lines + g->sets) + lines);
    if (!p) {
        *why = "out of memory";
        return NULL;
    }
    p->sets = g->sets;
    p->insert = values[MODE] == MODE_INSERT;
    p->bypass = values[BYPASS];
    p->misses = p->order + lines;
    p->prio = (uint8_t *)(p->misses + g->sets);
    wl_chain_init(&p->chain, p->order, g->sets, g->ways);
    return p;
}

static uint64_t eabp_storage_bits(const void *self)
{
    const struct eabp *p = self;
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < p->chain.ways) bits++;
    return p->insert ? 0 : p->sets * (bits + UINT64_C(5) * p->chain.ways);
}

static void eabp_read_counters(const void *self, uint64_t *out)
{
    const struct eabp *p = self;
    for (unsigned i = 0; i < N_COUNTERS; i++) out[i] = p->count[i];
}

static uint8_t priority(const struct wl_access *a)
{
    return a->space == WL_CONST ? 31 : a->lanes ? (uint8_t)(a->lanes - 1) : 0;
}

/* The least of (priority, position from the old end) among lines that can leave. */
static int least_wanted(const struct eabp *p, uint32_t set, const struct wl_set *s)
{
    const uint16_t *order = p->chain.order + (size_t)set * p->chain.ways;
    const uint8_t *prio = p->prio + (size_t)set * p->chain.ways;
    int best = -1;
    for (uint32_t i = p->chain.ways; i-- > 0;) {
        unsigned state = WL_STATE(s->state[order[i]]);
        if (state == WL_INVALID) return order[i];
        if (state == WL_VALID && (best < 0 || prio[order[i]] < prio[best])) best = order[i];
    }
    return best;
}

static int eabp_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    const struct eabp *p = self;
    int way = p->insert ? wl_chain_victim(&p->chain, a->set, s, 0) : least_wanted(p, a->set, s);
    if (way < 0) return WL_NO_WAY_STALL;
    if (!p->bypass || a->kind != WL_LOAD || WL_STATE(s->state[way]) != WL_VALID) return way;
    return priority(a) < p->prio[(size_t)a->set * p->chain.ways + (uint32_t)way] ? WL_NO_WAY_BYPASS : way;
}

static void eabp_on_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)merged;
    struct eabp *p = self;
    uint8_t *prio = &p->prio[(size_t)a->set * p->chain.ways + way], now = priority(a);
    if (now > *prio) *prio = now;
    wl_chain_touch(&p->chain, a->set, way);
}

static void count_miss(struct eabp *p, uint32_t set)
{
    if (++p->misses[set] < p->chain.ways) return;
    p->misses[set] = 0;
    p->count[N_AGED]++;
    uint8_t *prio = p->prio + (size_t)set * p->chain.ways;
    for (uint32_t w = 0; w < p->chain.ways; w++) prio[w] = (uint8_t)(prio[w] - (prio[w] > 0));
}

static void eabp_on_evict(void *self, const struct wl_access *a, uint32_t way, uint64_t line, uint8_t state)
{
    (void)line, (void)state;
    struct eabp *p = self;
    p->count[N_EVICTED]++;
    p->count[N_PRIO_SUM] += p->prio[(size_t)a->set * p->chain.ways + way];
}

static void eabp_on_insert(void *self, const struct wl_access *a, uint32_t way)
{
    struct eabp *p = self;
    uint32_t ways = p->chain.ways;
    count_miss(p, a->set);
    p->prio[(size_t)a->set * ways + way] = priority(a);
    if (p->insert) wl_chain_put_above_oldest(&p->chain, a->set, way, ways * priority(a) / 32);
    else wl_chain_touch(&p->chain, a->set, way);
}

static void eabp_on_bypass(void *self, const struct wl_access *a)
{
    struct eabp *p = self;
    count_miss(p, a->set);
    p->count[N_BYPASSED]++;
}

extern const struct wl_cache_policy eabp_policy;
const struct wl_cache_policy eabp_policy = {
    .abi = WL_ABI,
    .name = "eabp",
    .help = "priority by effective addresses (a reconstruction): lines that few lanes asked for leave first",
    .levels = 1u << WL_L2,
    .params = eabp_params,
    .counters = eabp_counters,
    .create = eabp_create,
    .destroy = free,
    .storage_bits = eabp_storage_bits,
    .read_counters = eabp_read_counters,
    .victim = eabp_victim,
    .on_hit = eabp_on_hit,
    .on_evict = eabp_on_evict,
    .on_insert = eabp_on_insert,
    .on_bypass = eabp_on_bypass,
};
