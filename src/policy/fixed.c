/* fixed.c - Di_Nj: lines of DRAM enter at one fixed place of the set, lines of NVM at another.
 *
 * The study of figure 2 of HAC's paper, which asks whether the memory a line comes from should matter
 * to where it enters: DRAM at place d, NVM at place n, counted from the oldest, 0. A hit makes most
 * recent, the oldest is evicted, reads and writes are alike. d and n at ways-1 are LRU exactly.
 *
 * Storage beyond LRU's chain: the type bit is needed on insertion only, so none. */
#include "warpline/chain.h"

enum { FIXED_D, FIXED_N };

static const struct wl_param fixed_params[] = {
    [FIXED_D] = {"d", "place", 0, 7, 8191, NULL, "where lines of DRAM enter, 0 = oldest", "figure 2: 0 to 7"},
    [FIXED_N] = {"n", "place", 0, 7, 8191, NULL, "where lines of NVM enter, 0 = oldest", "figure 2: 0 to 7"},
    WL_PARAM_END,
};

struct fixed {
    struct wl_chain chain;
    uint16_t order[]; /* of the chain */
};

static size_t fixed_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct fixed) + sizeof(uint16_t) * wl_chain_entries(g);
}

static bool fixed_init(struct wl_cache *c, const char **why)
{
    struct fixed *f = c->self;
    *why = "d and n must be smaller than the number of ways";
    wl_chain_init(&f->chain, f->order, &c->g);
    return c->param[FIXED_D] < c->g.ways && c->param[FIXED_N] < c->g.ways;
}

static void fixed_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct fixed *f = c->self;
    if (outcome == WL_MISSED)
        wl_chain_put_above_oldest(&f->chain, a->set, (uint32_t)way, c->param[a->nvm ? FIXED_N : FIXED_D]);
    else if (outcome != WL_BYPASSED) wl_chain_touch(&f->chain, a->set, (uint32_t)way);
}

extern const struct wl_cache_policy fixed_policy;
const struct wl_cache_policy fixed_policy = {
    .abi = WL_ABI,
    .name = "fixed",
    .help = "Di_Nj: lines of DRAM enter at one fixed place, lines of NVM at another",
    .levels = 1u << WL_L2,
    .params = fixed_params,
    .bytes = fixed_bytes,
    .init = fixed_init,
    .victim = wl_chain_oldest,
    .on_access = fixed_on_access,
};
