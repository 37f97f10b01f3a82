/* nextline.c - a plain prefetcher over LRU: a load that misses brings the lines behind its own along.
 *
 * Idea (as old as caches; Smith, Computing Surveys 1982): programs walk through arrays, so the line behind one that
 * was missed is likely to be wanted soon. Here it is an example of wl_prefetch and a yardstick for better
 * prefetchers: on a GPU the neighbouring warp usually asks for that line anyway.
 *
 * Only loads that miss prefetch; a prefetched line that is hit brings nothing along. Prefetched lines enter as most
 * recent. What is dropped and what was of use the cache counts itself (l1d.prefetch).
 * State and storage: LRU's chain, nothing more. */
#include "warpline/chain.h"

enum { DEGREE };
static const struct wl_param nextline_params[] = {
    [DEGREE] = {"degree", "lines", 0, 1, 16, NULL, "lines behind the missed one that are prefetched; 0: LRU",
                "a decision"},
    WL_PARAM_END,
};

struct nextline {
    struct wl_chain chain;
    uint16_t order[]; /* of the chain */
};

static size_t nextline_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct nextline) + sizeof(uint16_t) * wl_chain_entries(g);
}

static bool nextline_init(struct wl_cache *c, const char **why)
{
    (void)why;
    struct nextline *n = c->self;
    wl_chain_init(&n->chain, n->order, &c->g);
    return true;
}

static void nextline_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct nextline *n = c->self;
    if (outcome <= WL_MISSED) wl_chain_touch(&n->chain, a->set, (uint32_t)way);
    if (outcome != WL_MISSED || a->kind != WL_LOAD) return;
    for (int64_t i = 1; i <= c->param[DEGREE]; i++) wl_prefetch(c, a->line + (uint64_t)i);
}

extern const struct wl_cache_policy nextline_policy;
const struct wl_cache_policy nextline_policy = {
    .abi = WL_ABI,
    .name = "nextline",
    .help = "LRU with a next-line prefetcher: a load that misses brings the following lines along",
    .levels = 1u << WL_L1,
    .params = nextline_params,
    .bytes = nextline_bytes,
    .init = nextline_init,
    .victim = wl_chain_oldest,
    .on_access = nextline_on_access,
    .on_kernel = wl_chain_on_kernel,
};
