/* chain.h - the recency chain of each set: position 0 is the most recent way, the last one the oldest.
 *
 * DIP, DaCache, EABP, WBAR and HAC are all a few lines over insert-at-position and promote-by-n. A scheme keeps a
 * `struct wl_chain` as the first member of its state and room for wl_chain_entries() numbers at the end of it; then
 * the functions at the end of this file go into its table as they are. */
#ifndef WARPLINE_CHAIN_H
#define WARPLINE_CHAIN_H

#include "warpline/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wl_chain {
    uint32_t ways;   /* ways in use; the chain has only these */
    uint32_t stride; /* entries per set in `order` */
    uint16_t *order; /* [sets * stride] the way at each position; memory of the scheme */
};

static inline size_t wl_chain_entries(const struct wl_geometry *g) { return (size_t)g->sets * g->max_ways; }

static inline void wl_chain_init(struct wl_chain *c, uint16_t *order, const struct wl_geometry *g)
{
    c->ways = g->ways;
    c->stride = g->max_ways;
    c->order = order;
    for (uint32_t s = 0; s < g->sets; s++)
        for (uint32_t p = 0; p < c->ways; p++) order[(size_t)s * c->stride + p] = (uint16_t)(c->ways - 1 - p);
}

/* The number of ways has changed: those that remain keep their order, new ones come in at the old end. */
static inline void wl_chain_resize(struct wl_chain *c, const struct wl_geometry *g)
{
    if (c->ways == g->ways) return;
    for (uint32_t s = 0; s < g->sets; s++) {
        uint16_t *o = c->order + (size_t)s * c->stride;
        uint32_t kept = 0;
        for (uint32_t p = 0; p < c->ways; p++)
            if (o[p] < g->ways) o[kept++] = o[p];
        for (uint32_t way = g->ways; way-- > c->ways;) o[kept++] = (uint16_t)way; /* the lowest is the oldest */
    }
    c->ways = g->ways;
}

static inline uint32_t wl_chain_position(const struct wl_chain *c, uint32_t set, uint32_t way)
{
    const uint16_t *o = c->order + (size_t)set * c->stride;
    uint32_t p = 0;
    while (o[p] != way) p++;
    return p;
}

/* Takes the way at position `from` out and puts it back at `to`; the others keep their order. */
static inline void wl_chain_move(struct wl_chain *c, uint32_t set, uint32_t from, uint32_t to)
{
    uint16_t *o = c->order + (size_t)set * c->stride;
    uint16_t way = o[from];
    for (; from > to; from--) o[from] = o[from - 1];
    for (; from < to; from++) o[from] = o[from + 1];
    o[to] = way;
}

/* Moves the way to a position, wherever it is. */
static inline void wl_chain_put(struct wl_chain *c, uint32_t set, uint32_t way, uint32_t to)
{
    wl_chain_move(c, set, wl_chain_position(c, set, way), to);
}

/* Makes the way the most recent one. */
static inline void wl_chain_touch(struct wl_chain *c, uint32_t set, uint32_t way)
{
    uint16_t *o = c->order + (size_t)set * c->stride, moved = o[0];
    for (uint32_t p = 1; moved != way; p++) {
        uint16_t here = o[p];
        o[p] = moved;
        moved = here;
    }
    o[0] = (uint16_t)way;
}

/* For schemes that count from the old end: puts the way where `place` others are older, 0 being the
 * next victim; places outside the set mean its ends. */
static inline void wl_chain_put_above_oldest(struct wl_chain *c, uint32_t set, uint32_t way, int64_t place)
{
    int64_t last = (int64_t)c->ways - 1, to = last - (place < 0 ? 0 : place > last ? last : place);
    wl_chain_put(c, set, way, (uint32_t)to);
}

/* Moves the way up by so many places, at most to the most recent. */
static inline void wl_chain_promote(struct wl_chain *c, uint32_t set, uint32_t way, uint32_t places)
{
    uint32_t from = wl_chain_position(c, set, way);
    wl_chain_move(c, set, from, from > places ? from - places : 0);
}

/* The way to take: an INVALID one nearest the old end, else the VALID one nearest the old end
 * at position >= lowest; WL_NO_WAY_STALL when all are RESERVED or protected. */
static inline int wl_chain_victim(const struct wl_chain *c, uint32_t set, const struct wl_set *s, uint32_t lowest)
{
    const uint16_t *o = c->order + (size_t)set * c->stride;
    int best = WL_NO_WAY_STALL;
    for (uint32_t p = c->ways; p-- > 0;) {
        unsigned st = WL_STATE(s->state[o[p]]);
        if (st == WL_INVALID) return o[p];
        if (best >= 0 || st != WL_VALID || p < lowest) continue;
        best = o[p];
        if (s->full) break;
    }
    return best;
}

/* ---- for the tables of schemes whose state begins with its chain ---- */

/* victim() of LRU. */
static inline int wl_chain_oldest(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    return wl_chain_victim((const struct wl_chain *)c->self, a->set, s, 0);
}

/* on_kernel() of a scheme that has no other interest in kernels. */
static inline void wl_chain_on_kernel(struct wl_cache *c, enum wl_phase phase, const struct wl_kernel *k)
{
    (void)k;
    if (phase == WL_BEGIN) wl_chain_resize((struct wl_chain *)c->self, &c->g);
}

#ifdef __cplusplus
}
#endif

#endif
