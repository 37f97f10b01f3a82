/* duel.h - set duelling: two policies, a few sets that always follow one of them, a counter.
 *
 * A miss in a leader of the first policy moves the selector up, one in a leader of the second moves it
 * down; all other sets follow the second while the selector is in its upper half. Leaders by
 * complement-select: of each of `leaders` groups of sets, the set whose offset is the group's number
 * leads the first policy, its mirror image the second (32 sets, 4 leaders: 0 9 18 27 and 7 14 21 28). */
#ifndef WARPLINE_DUEL_H
#define WARPLINE_DUEL_H

#include <stdbool.h>
#include <stdint.h>

struct wl_duel {
    uint32_t sets, leaders, psel_bits, psel;
    uint64_t leader_misses[2]; /* of each policy's leaders */
    uint64_t followed;         /* misses of followers that went by the second policy */
};

static inline void wl_duel_init(struct wl_duel *d, uint32_t sets, uint32_t leaders, uint32_t psel_bits)
{
    *d = (struct wl_duel){.sets = sets, .leaders = leaders, .psel_bits = psel_bits};
    d->psel = (1u << (psel_bits - 1)) - 1;
}

/* 0 or 1: the policy this set leads; -1: it follows. */
static inline int wl_duel_leads(const struct wl_duel *d, uint32_t set)
{
    uint32_t k = d->sets / d->leaders, group = set / k, offset = set % k;
    if (group >= d->leaders) return -1;
    if (offset == group % k) return 0;
    return offset == k - 1 - group % k ? 1 : -1;
}

/* Counts a miss in `set` and says whether it goes by the second policy. Only leaders move the
 * selector and only followers read it. */
static inline bool wl_duel_miss(struct wl_duel *d, uint32_t set)
{
    int leads = wl_duel_leads(d, set);
    if (leads < 0) {
        bool second = d->psel >> (d->psel_bits - 1);
        d->followed += second;
        return second;
    }
    d->leader_misses[leads]++;
    if (leads == 0 && d->psel < (1u << d->psel_bits) - 1) d->psel++;
    if (leads == 1 && d->psel) d->psel--;
    return leads == 1;
}

#endif
