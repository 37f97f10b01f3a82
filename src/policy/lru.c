/* lru.c - least recently used: the baseline of every paper.
 *
 * Idea: the line whose last use lies furthest back is the least likely to be used again.
 * State: when each way was used last, as the number of that use. Hardware keeps the order alone:
 * ways * ceil(log2 ways) bits per set (4 ways: 8).
 * A merge with a line in flight counts as a use, as in GPGPU-Sim. A line in flight has its place
 * in the order but is never a victim; a set full of them makes the request wait. */
#include "warpline/oldest.h"

struct lru {
    uint64_t uses;   /* so far */
    uint64_t used[]; /* [sets * max_ways] number of the last use */
};

static size_t lru_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct lru) + sizeof(uint64_t) * g->sets * g->max_ways;
}

static bool lru_init(struct wl_cache *c, const char **why)
{
    (void)why;
    struct lru *l = c->self;
    for (size_t i = 0; i < (size_t)c->g.sets * c->g.max_ways; i++)
        l->used[i] = i % c->g.max_ways; /* way 0 goes first */
    l->uses = c->g.max_ways;
    return true;
}

static uint64_t lru_storage_bits(const struct wl_cache *c)
{
    return wl_bits_for(c->g.max_ways) * c->g.max_ways * c->g.sets;
}

static int lru_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    const struct lru *l = c->self;
    return wl_oldest_way(l->used + (size_t)a->set * c->g.max_ways, s);
}

static void lru_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct lru *l = c->self;
    if (outcome <= WL_MISSED) l->used[(size_t)a->set * c->g.max_ways + (uint32_t)way] = l->uses++;
}

extern const struct wl_cache_policy lru_policy;
const struct wl_cache_policy lru_policy = {
    .abi = WL_ABI,
    .name = "lru",
    .help = "least recently used; waits when every way of the set is in flight",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .bytes = lru_bytes,
    .init = lru_init,
    .storage_bits = lru_storage_bits,
    .victim = lru_victim,
    .on_access = lru_on_access,
};
