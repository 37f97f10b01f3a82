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
 * (5 bits): 15 bits a cache more than LRU. mode=lru switches the duel off and is LRU exactly. */
#include <stdlib.h>

#include "warpline/duel.h"
#include "warpline/policy.h"

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

enum { INS_MRU, INS_LRU, LEADER_LRU, LEADER_BIP, BIP_FOLLOWED, PSEL_NOW, DIP_COUNTERS };
static const struct wl_counter dip_counters[] = {
    [INS_MRU] = {"insert_mru", "lines", "lines inserted as most recent"},
    [INS_LRU] = {"insert_lru", "lines", "lines inserted as least recent"},
    [LEADER_LRU] = {"leader_misses_lru", "misses", "misses in sets that lead for LRU"},
    [LEADER_BIP] = {"leader_misses_bip", "misses", "misses in sets that lead for BIP"},
    [BIP_FOLLOWED] = {"followed_bip", "misses", "misses in following sets while BIP was winning"},
    [PSEL_NOW] = {"psel", "", "the selector at the end, summed over caches"},
    WL_COUNTER_END,
};

struct dip {
    struct wl_chain chain;
    struct wl_duel duel; /* LRU against BIP */
    uint32_t sets, epsilon, mode;
    uint32_t bip_insertions; /* since the last one that was most recent */
    uint64_t count[DIP_COUNTERS];
    uint16_t order[]; /* [sets * ways] */
};

static void *dip_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    if (g->sets < 2 * values[DIP_LEADERS]) {
        *why = "each group of sets needs two leaders: lower 'leaders'";
        return NULL;
    }
    struct dip *d = calloc(1, sizeof *d + sizeof d->order[0] * g->sets * g->ways);
    if (!d) {
        *why = "out of memory";
        return NULL;
    }
    d->sets = g->sets;
    d->epsilon = (uint32_t)values[DIP_EPSILON];
    d->mode = (uint32_t)values[DIP_MODE];
    wl_duel_init(&d->duel, g->sets, (uint32_t)values[DIP_LEADERS], (uint32_t)values[DIP_PSEL_BITS]);
    wl_chain_init(&d->chain, d->order, g->sets, g->ways);
    return d;
}

static uint64_t bits_for(uint64_t values)
{
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < values) bits++;
    return bits;
}

static uint64_t dip_storage_bits(const void *self)
{
    const struct dip *d = self;
    return bits_for(d->chain.ways) * d->chain.ways * d->sets + d->duel.psel_bits + bits_for(d->epsilon);
}

static void dip_read_counters(const void *self, uint64_t *out)
{
    const struct dip *d = self;
    for (unsigned i = 0; i < DIP_COUNTERS; i++) out[i] = d->count[i];
    out[LEADER_LRU] = d->duel.leader_misses[0];
    out[LEADER_BIP] = d->duel.leader_misses[1];
    out[BIP_FOLLOWED] = d->duel.followed;
    out[PSEL_NOW] = d->duel.psel;
}

static int dip_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    const struct dip *d = self;
    int way = wl_chain_victim(&d->chain, a->set, s, 0);
    return way < 0 ? WL_NO_WAY_STALL : way;
}

static void dip_on_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)merged; /* a use like any other, as in LRU */
    struct dip *d = self;
    wl_chain_touch(&d->chain, a->set, way);
}

static bool bip_inserts_as_most_recent(struct dip *d)
{
    if (!d->epsilon || ++d->bip_insertions < d->epsilon) return false;
    d->bip_insertions = 0;
    return true;
}

static void dip_on_insert(void *self, const struct wl_access *a, uint32_t way)
{
    struct dip *d = self;
    bool bip = d->mode == MODE_DUEL ? wl_duel_miss(&d->duel, a->set) : d->mode == MODE_BIP;
    bool recent = !bip || bip_inserts_as_most_recent(d);
    d->count[recent ? INS_MRU : INS_LRU]++;
    wl_chain_move(&d->chain, a->set, wl_chain_position(&d->chain, a->set, way), recent ? 0 : d->chain.ways - 1);
}

extern const struct wl_cache_policy dip_policy;
const struct wl_cache_policy dip_policy = {
    .abi = WL_ABI,
    .name = "dip",
    .help = "dynamic insertion: set duelling between LRU and bimodal insertion",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .params = dip_params,
    .counters = dip_counters,
    .create = dip_create,
    .destroy = free,
    .storage_bits = dip_storage_bits,
    .read_counters = dip_read_counters,
    .victim = dip_victim,
    .on_hit = dip_on_hit,
    .on_insert = dip_on_insert,
};
