/* fixed.c - Di_Nj: lines of DRAM enter at one fixed place of the set, lines of NVM at another.
 *
 * The study of figure 2 of HAC's paper, which asks whether the memory a line comes from should matter
 * to where it enters: DRAM at place d, NVM at place n, counted from the oldest, 0. A hit makes most
 * recent, the oldest is evicted, reads and writes are alike. d and n at ways-1 are LRU exactly.
 *
 * Storage beyond LRU's chain: the type bit is needed on insertion only, so none. */
#include <stdlib.h>

#include "warpline/policy.h"

enum { FIXED_D, FIXED_N };

static const struct wl_param fixed_params[] = {
    [FIXED_D] = {"d", "place", 0, 7, 8191, NULL, "where lines of DRAM enter, 0 = oldest", "figure 2: 0 to 7"},
    [FIXED_N] = {"n", "place", 0, 7, 8191, NULL, "where lines of NVM enter, 0 = oldest", "figure 2: 0 to 7"},
    WL_PARAM_END,
};

struct fixed {
    struct wl_chain chain;
    uint32_t place[2]; /* [nvm] */
    uint16_t order[];  /* [sets * ways] */
};

static void *fixed_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    if (values[FIXED_D] >= g->ways || values[FIXED_N] >= g->ways) {
        *why = "d and n must be smaller than the number of ways";
        return NULL;
    }
    struct fixed *f = malloc(sizeof *f + sizeof f->order[0] * g->sets * g->ways);
    if (!f) {
        *why = "out of memory";
        return NULL;
    }
    f->place[false] = (uint32_t)values[FIXED_D];
    f->place[true] = (uint32_t)values[FIXED_N];
    wl_chain_init(&f->chain, f->order, g->sets, g->ways);
    return f;
}

static int fixed_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    const struct fixed *f = self;
    int way = wl_chain_victim(&f->chain, a->set, s, 0);
    return way < 0 ? WL_NO_WAY_STALL : way;
}

static void fixed_on_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)merged;
    struct fixed *f = self;
    wl_chain_touch(&f->chain, a->set, way);
}

static void fixed_on_insert(void *self, const struct wl_access *a, uint32_t way)
{
    struct fixed *f = self;
    wl_chain_put_above_oldest(&f->chain, a->set, way, f->place[a->nvm]);
}

extern const struct wl_cache_policy fixed_policy;
const struct wl_cache_policy fixed_policy = {
    .abi = WL_ABI,
    .name = "fixed",
    .help = "Di_Nj: lines of DRAM enter at one fixed place, lines of NVM at another",
    .levels = 1u << WL_L2,
    .params = fixed_params,
    .create = fixed_create,
    .destroy = free,
    .victim = fixed_victim,
    .on_hit = fixed_on_hit,
    .on_insert = fixed_on_insert,
};
