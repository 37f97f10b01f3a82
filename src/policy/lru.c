/* lru.c - least recently used: the baseline of every paper.
 *
 * Idea: the line whose last use lies furthest back is the least likely to be used again.
 * State: when each way was used last, as the number of that use. Hardware keeps the order alone:
 * ways * ceil(log2 ways) bits per set (4 ways: 8).
 * A merge with a line in flight counts as a use, as in GPGPU-Sim. A line in flight has its place
 * in the order but is never a victim; a set full of them makes the request wait.
 * In sets of many ways a comparison of all would take long: there the ways are linked in their order. */
#include "warpline/oldest.h"

enum { FEW_WAYS = 32 };

/* A way of a linked set: its neighbours in the order. Behind the ways of a set comes the head of its ring: `newer` of
 * the head is the way whose use lies furthest back. */
struct lru_way {
    uint16_t older, newer;
};

struct lru {
    uint64_t uses;       /* so far */
    uint32_t ways;       /* linked sets: ways that are in the rings, those of the running kernel */
    struct lru_way *way; /* [sets * (max_ways + 1)]; NULL: few ways */
    uint64_t used[];     /* [sets * max_ways] number of the last use; of sets that are not linked */
};

static bool lru_links(const struct wl_geometry *g) { return g->max_ways > FEW_WAYS && g->max_ways < UINT16_MAX; }

static size_t lru_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    size_t ways = (size_t)g->sets * g->max_ways;
    return sizeof(struct lru) + (lru_links(g) ? sizeof(struct lru_way) * (ways + g->sets) : sizeof(uint64_t) * ways);
}

/* The way comes between two neighbours. */
static inline void lru_link(struct lru_way *set, uint16_t older, uint16_t way, uint16_t newer)
{
    set[way] = (struct lru_way){older, newer};
    set[older].newer = set[newer].older = way;
}

static inline void lru_unlink(struct lru_way *set, uint32_t way)
{
    set[set[way].older].newer = set[way].newer;
    set[set[way].newer].older = set[way].older;
}

/* The rings get the ways that the kernel has. Ways come and go empty, so that their place does not matter. */
static void lru_fit_rings(struct wl_cache *c)
{
    struct lru *l = c->self;
    uint16_t head = (uint16_t)c->g.max_ways;
    for (uint32_t i = 0; i < c->g.sets; i++) {
        struct lru_way *set = l->way + (size_t)i * (head + 1u);
        for (uint32_t w = c->g.ways; w < l->ways; w++) lru_unlink(set, w);
        for (uint32_t w = c->g.ways; w-- > l->ways;) lru_link(set, head, (uint16_t)w, set[head].newer);
    }
    l->ways = c->g.ways;
}

static bool lru_init(struct wl_cache *c, const char **why)
{
    (void)why;
    struct lru *l = c->self;
    uint32_t ways = c->g.max_ways;
    l->uses = ways;
    if (!lru_links(&c->g)) {
        for (size_t i = 0; i < (size_t)c->g.sets * ways; i++) l->used[i] = i % ways; /* way 0 goes first */
        return true;
    }
    l->way = (struct lru_way *)(void *)l->used;
    for (uint32_t i = 0; i < c->g.sets; i++)
        l->way[(size_t)i * (ways + 1) + ways] = (struct lru_way){(uint16_t)ways, (uint16_t)ways};
    lru_fit_rings(c);
    return true;
}

static uint64_t lru_storage_bits(const struct wl_cache *c)
{
    return wl_bits_for(c->g.max_ways) * c->g.max_ways * c->g.sets;
}

/* The oldest way that is free, or the oldest that is not in flight. */
static int lru_first(const struct lru_way *set, uint32_t head, const struct wl_set *s)
{
    int valid = WL_NO_WAY_STALL;
    for (uint32_t w = set[head].newer; w != head; w = set[w].newer) {
        unsigned state = WL_STATE(s->state[w]);
        if (state == WL_INVALID) return (int)w;
        if (state != WL_VALID || valid >= 0) continue;
        if (s->full) return (int)w;
        valid = (int)w;
    }
    return valid;
}

static int lru_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    const struct lru *l = c->self;
    uint32_t ways = c->g.max_ways;
    if (l->way) return lru_first(l->way + (size_t)a->set * (ways + 1), ways, s);
    return wl_oldest_way(l->used + (size_t)a->set * ways, s);
}

static void lru_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct lru *l = c->self;
    uint16_t head = (uint16_t)c->g.max_ways;
    if (outcome > WL_MISSED) return;
    if (!l->way) {
        l->used[(size_t)a->set * head + (uint32_t)way] = l->uses++;
        return;
    }
    struct lru_way *set = l->way + (size_t)a->set * (head + 1u);
    if (set[way].newer == head) return;
    lru_unlink(set, (uint32_t)way);
    lru_link(set, set[head].older, (uint16_t)way, head);
}

/* A kernel may have more ways than the last, or fewer. */
static void lru_on_kernel(struct wl_cache *c, enum wl_phase phase, const struct wl_kernel *k)
{
    (void)k;
    struct lru *l = c->self;
    if (phase == WL_BEGIN && l->way && l->ways != c->g.ways) lru_fit_rings(c);
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
    .on_kernel = lru_on_kernel,
};
