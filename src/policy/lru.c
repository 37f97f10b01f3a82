/* lru.c - least recently used: the baseline of every paper.
 *
 * Idea: the line whose last use lies furthest back is the least likely to be used again.
 * State: one recency chain per set. Storage: ways * ceil(log2 ways) bits a set (4 ways: 8).
 * A merge with a line in flight counts as a use, as in GPGPU-Sim. A line in flight has its place
 * in the chain but is never a victim; a set full of them makes the request wait. */
#include <stdlib.h>

#include "warpline/policy.h"

struct lru {
    struct wl_chain chain;
    uint32_t sets;
    uint16_t order[]; /* [sets * ways] */
};

static void *lru_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    (void)values;
    struct lru *l = malloc(sizeof *l + sizeof l->order[0] * g->sets * g->ways);
    if (!l) {
        *why = "out of memory";
        return NULL;
    }
    l->sets = g->sets;
    wl_chain_init(&l->chain, l->order, g->sets, g->ways);
    return l;
}

static uint64_t lru_storage_bits(const void *self)
{
    const struct lru *l = self;
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < l->chain.ways) bits++;
    return bits * l->chain.ways * l->sets;
}

static int lru_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    const struct lru *l = self;
    int way = wl_chain_victim(&l->chain, a->set, s, 0);
    return way < 0 ? WL_NO_WAY_STALL : way;
}

static void make_most_recent(struct lru *l, uint32_t set, uint32_t way)
{
    wl_chain_touch(&l->chain, set, way);
}

static void lru_on_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)merged;
    make_most_recent(self, a->set, way);
}

static void lru_on_insert(void *self, const struct wl_access *a, uint32_t way) { make_most_recent(self, a->set, way); }

extern const struct wl_cache_policy lru_policy;
const struct wl_cache_policy lru_policy = {
    .abi = WL_ABI,
    .name = "lru",
    .help = "least recently used; waits when every way of the set is in flight",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .create = lru_create,
    .destroy = free,
    .storage_bits = lru_storage_bits,
    .victim = lru_victim,
    .on_hit = lru_on_hit,
    .on_insert = lru_on_insert,
};
