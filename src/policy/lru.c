/* lru.c - least recently used: the baseline of every paper.
 *
 * Idea: the line whose last use lies furthest back is the least likely to be used again.
 * State: when each way was used last, as the number of that use; a use is then one store, and only a
 * miss has to compare. Hardware keeps the order alone: ways * ceil(log2 ways) bits a set (4 ways: 8).
 * A merge with a line in flight counts as a use, as in GPGPU-Sim. A line in flight has its place
 * in the order but is never a victim; a set full of them makes the request wait. */
#include <stdlib.h>

#include "warpline/policy.h"

struct lru {
    uint32_t sets, ways;
    uint64_t uses;
    uint64_t used[]; /* [sets * ways] number of the last use */
};

static void *lru_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    (void)values;
    size_t lines = (size_t)g->sets * g->ways;
    struct lru *l = malloc(sizeof *l + sizeof l->used[0] * lines);
    if (!l) {
        *why = "out of memory";
        return NULL;
    }
    l->sets = g->sets;
    l->ways = g->ways;
    l->uses = g->ways;
    for (size_t i = 0; i < lines; i++) l->used[i] = i % g->ways; /* way 0 is taken first */
    return l;
}

static uint64_t lru_storage_bits(const void *self)
{
    const struct lru *l = self;
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < l->ways) bits++;
    return bits * l->ways * l->sets;
}

/* The state decides before the time of use: ways that are free come first, ways in flight never. In a
 * full set only the latter are to be told apart, and their state is the odd one. */
static inline int oldest(const uint64_t *used, const uint8_t *state, uint32_t ways, bool full)
{
    static const uint64_t rank[] = {
        [WL_INVALID] = 0, [WL_VALID] = UINT64_C(1) << 62, [WL_RESERVED] = UINT64_C(1) << 63};
    _Static_assert(WL_RESERVED % 2 == 1 && WL_VALID % 2 == 0, "the lowest bit tells them apart");
    uint64_t least = UINT64_C(1) << 63;
    int way = WL_NO_WAY_STALL;
    for (uint32_t w = 0; w < ways; w++) {
        uint64_t when = used[w] | (full ? (uint64_t)state[w] << 63 : rank[WL_STATE(state[w])]);
        way = when < least ? (int)w : way;
        least = when < least ? when : least;
    }
    return way;
}

static int lru_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    const struct lru *l = self;
    const uint64_t *used = l->used + (size_t)a->set * l->ways;
    if (s->full && l->ways == 4) return oldest(used, s->state, 4, true); /* the usual numbers, without a loop */
    if (s->full && l->ways == 8) return oldest(used, s->state, 8, true);
    return oldest(used, s->state, l->ways, s->full);
}

static void make_most_recent(struct lru *l, uint32_t set, uint32_t way)
{
    l->used[(size_t)set * l->ways + way] = l->uses++;
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
