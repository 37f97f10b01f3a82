/* dip.c - dynamic insertion: LRU, or nearly everything in at the old end, whichever misses less.
 *
 * Idea (Qureshi et al., ISCA 2007; a comparator of DaCache): a working set larger than the cache
 * makes LRU miss always. If new lines enter at the LRU position a part of the old ones survives
 * and hits; one line in 32 still enters as most recent, so that the cache follows a change of
 * working set. That is BIP. Which of the two is better is measured, not guessed: a few sets
 * always insert as LRU does, as many always as BIP does, and a saturating counter moves by the
 * misses of these leaders. The other sets follow the winner. Only insertion differs; a hit makes
 * most recent and the victim is LRU's.
 *
 * The leaders are spread so that no stride meets only one kind: duel.h.
 *
 * The 1 in 32 comes from a counter that only BIP insertions advance, so runs are repeatable. A miss
 * counts when it takes a line, whatever the kind of access; merges and bypasses do not count.
 * DaCache's text speaks of "LRU and MRU insertions", which would be LIP: epsilon=0.
 *
 * State and storage: LRU's chain, the selector (psel_bits, 10) and the counter of BIP insertions
 * (5 bits): 15 bits per cache more than LRU. mode=lru switches the duel off and is LRU exactly. */
#include "warpline/chain.h"
#include "warpline/duel.h"

enum { DIP_MODE, DIP_EPSILON, DIP_LEADERS, DIP_PSEL_BITS };
enum { MODE_DUEL, MODE_LRU, MODE_BIP };

static const struct wl_param dip_params[] = {
    {"mode", "", 0, 0, 2, "duel|lru|bip", "who decides how lines are inserted", "ISCA 2007: duel"},
    {"epsilon", "insertions", 0, 32, 65536, NULL, "every n-th BIP insertion is most recent; 0: none (LIP)",
     "ISCA 2007: 1/32"},
    {"leaders", "sets", 1, 4, 1024, NULL, "sets that always use LRU, and as many BIP", "DaCache, section 5: 4 + 4"},
    {"psel_bits", "bits", 2, 10, 16, NULL, "width of the selector", "ISCA 2007"},
    WL_PARAM_END,
};

enum { INS_MRU, INS_LRU, DUEL /* WL_DUEL_COUNTERS of them */ };
static const struct wl_counter dip_counters[] = {
    [INS_MRU] = {"insert_mru", "lines", "lines inserted as most recent"},
    [INS_LRU] = {"insert_lru", "lines", "lines inserted as least recent"},
    WL_DUEL_ROWS("lru", "bip"),
    WL_COUNTER_END,
};

struct dip {
    struct wl_chain chain;
    struct wl_duel duel;     /* LRU against BIP */
    uint32_t bip_insertions; /* since the last one that was most recent */
    uint16_t order[];        /* of the chain */
};

static size_t dip_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct dip) + sizeof(uint16_t) * wl_chain_entries(g);
}

static bool dip_init(struct wl_cache *c, const char **why)
{
    struct dip *d = c->self;
    const int64_t *v = c->param;
    wl_chain_init(&d->chain, d->order, &c->g);
    return wl_duel_init(&d->duel, c->g.sets, v[DIP_LEADERS], v[DIP_PSEL_BITS], c->count + DUEL, why);
}

static uint64_t dip_storage_bits(const struct wl_cache *c)
{
    uint64_t chain = wl_bits_for(c->g.max_ways) * c->g.max_ways * c->g.sets;
    return chain + (uint64_t)c->param[DIP_PSEL_BITS] + wl_bits_for((uint64_t)c->param[DIP_EPSILON]);
}

static void dip_insert(struct wl_cache *c, uint32_t set, uint32_t way)
{
    struct dip *d = c->self;
    bool bip = c->param[DIP_MODE] == MODE_DUEL ? wl_duel_miss(&d->duel, set) : c->param[DIP_MODE] == MODE_BIP;
    bool recent = !bip || wl_every_nth(&d->bip_insertions, c->param[DIP_EPSILON]);
    c->count[recent ? INS_MRU : INS_LRU]++;
    wl_chain_put(&d->chain, set, way, recent ? 0 : c->g.ways - 1);
}

static void dip_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct dip *d = c->self;
    if (outcome == WL_MISSED) dip_insert(c, a->set, (uint32_t)way);
    else if (outcome == WL_HIT || outcome == WL_MERGED) wl_chain_touch(&d->chain, a->set, (uint32_t)way);
}

extern const struct wl_cache_policy dip_policy;
const struct wl_cache_policy dip_policy = {
    .abi = WL_ABI,
    .name = "dip",
    .help = "dynamic insertion: set duelling between LRU and bimodal insertion",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .params = dip_params,
    .counters = dip_counters,
    .bytes = dip_bytes,
    .init = dip_init,
    .storage_bits = dip_storage_bits,
    .victim = wl_chain_oldest,
    .on_access = dip_on_access,
    .on_kernel = wl_chain_on_kernel,
};
