/* oldest.h - the least recently used way of a set, for schemes that keep the time of each way's last use.
 *
 * A use is then one store, and only a miss has to compare. The search is on the path of every miss of every cache,
 * so it is written without branches, and without a loop for the usual numbers of ways. */
#ifndef WARPLINE_OLDEST_H
#define WARPLINE_OLDEST_H

#include "warpline/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The state decides before the time of use: ways that are free come first, ways in flight never. In a
 * full set it is enough to recognise ways in flight: their state is the only odd one. */
static inline int wl_oldest_of_ways(const uint64_t *used, const uint8_t *state, uint32_t ways, bool full)
{
    static const uint64_t rank[] = {0, UINT64_C(1) << 63, UINT64_C(1) << 62}; /* INVALID, RESERVED, VALID */
    uint64_t least = UINT64_C(1) << 63;
    int way = WL_NO_WAY_STALL;
    for (uint32_t w = 0; w < ways; w++) {
        uint64_t when = used[w] | (full ? (uint64_t)state[w] << 63 : rank[WL_STATE(state[w])]);
        way = when < least ? (int)w : way;
        least = when < least ? when : least;
    }
    return way;
}

/* An INVALID way if there is one, else the VALID one with the smallest time of use (below 2^62), else
 * WL_NO_WAY_STALL. used: [ways] of the set. */
static inline int wl_oldest_way(const uint64_t *used, const struct wl_set *s)
{
    if (s->full && s->ways == 4) return wl_oldest_of_ways(used, s->state, 4, true);
    if (s->full && s->ways == 8) return wl_oldest_of_ways(used, s->state, 8, true);
    if (s->full) return wl_oldest_of_ways(used, s->state, s->ways, true);
    return wl_oldest_of_ways(used, s->state, s->ways, false);
}

#ifdef __cplusplus
}
#endif

#endif
