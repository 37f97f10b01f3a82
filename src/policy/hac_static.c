/* hac_static.c - static HAC: six kinds of lines, each with a fixed place.
 *
 * Static HAC (section IV.B of the paper of hac.c) is the plain form of the idea: a line enters by the
 * lanes of its request - 1 to 8 low, 9 to 23 middle, 24 to 32 high - and by its memory, in this order
 * from the most recent place down: high NVM, high DRAM, the middle (A/2) NVM, one below it DRAM, one
 * above the oldest NVM, the oldest DRAM. A hit rises by A/2 places in NVM and by A/4 in DRAM. The
 * oldest is evicted. Nothing is learned, nothing bypasses the cache, and writes are treated like
 * reads (the paper speaks of them only in its Algorithm 1). Requests without lanes are low,
 * constants high. "Central" of an even number of ways is taken as A/2. The paper has no result for it.
 *
 * Storage beyond LRU's chain: the type bit of each line, 768 bytes for 6144 lines. */
#include "warpline/chain.h"

enum { N_HIGH_NVM, N_HIGH_DRAM, N_MIDDLE_NVM, N_MIDDLE_DRAM, N_LOW_NVM, N_LOW_DRAM, N_COUNTERS };
static const struct wl_counter static_counters[] = {
    [N_HIGH_NVM] = {"insert_hn", "lines", "NVM lines inserted by requests of 24 to 32 lanes"},
    [N_HIGH_DRAM] = {"insert_hd", "lines", "the same of DRAM"},
    [N_MIDDLE_NVM] = {"insert_mn", "lines", "NVM lines inserted by requests of 9 to 23 lanes"},
    [N_MIDDLE_DRAM] = {"insert_md", "lines", "the same of DRAM"},
    [N_LOW_NVM] = {"insert_ln", "lines", "NVM lines inserted by requests of fewer lanes"},
    [N_LOW_DRAM] = {"insert_ld", "lines", "the same of DRAM"},
    WL_COUNTER_END,
};

struct hac_static {
    struct wl_chain chain;
    uint16_t order[]; /* of the chain */
};

static size_t static_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct hac_static) + sizeof(uint16_t) * wl_chain_entries(g);
}

static bool static_init(struct wl_cache *c, const char **why)
{
    struct hac_static *p = c->self;
    *why = "six places need at least 8 ways";
    wl_chain_init(&p->chain, p->order, &c->g);
    return c->g.ways >= 8;
}

static uint64_t static_storage_bits(const struct wl_cache *c) { return (uint64_t)c->g.sets * c->g.ways; }

static void hac_static_insert(struct wl_cache *c, const struct wl_access *a, uint32_t way)
{
    struct hac_static *p = c->self;
    uint32_t ways = c->g.ways, ea = a->space == WL_CONST ? 32 : a->lanes;
    const uint32_t place[N_COUNTERS] = {ways - 1, ways - 2, ways / 2, ways / 2 - 1, 1, 0};
    unsigned class = (ea >= 24 ? N_HIGH_NVM : ea >= 9 ? N_MIDDLE_NVM : N_LOW_NVM) + (a->nvm ? 0u : 1u);
    wl_chain_put_above_oldest(&p->chain, a->set, way, place[class]);
    c->count[class]++;
}

static void static_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct hac_static *p = c->self;
    if (outcome == WL_MISSED) hac_static_insert(c, a, (uint32_t)way);
    else if (outcome != WL_BYPASSED) wl_chain_promote(&p->chain, a->set, (uint32_t)way, c->g.ways / (a->nvm ? 2 : 4));
}

extern const struct wl_cache_policy hac_static_policy;
const struct wl_cache_policy hac_static_policy = {
    .abi = WL_ABI,
    .name = "hac_static",
    .help = "static HAC: fixed places by memory and number of lanes",
    .levels = 1u << WL_L2,
    .counters = static_counters,
    .bytes = static_bytes,
    .init = static_init,
    .storage_bits = static_storage_bits,
    .victim = wl_chain_oldest,
    .on_access = static_on_access,
};
