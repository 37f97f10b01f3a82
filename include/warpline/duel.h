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

#ifdef __cplusplus
extern "C" {
#endif

/* What a duel counts: WL_DUEL_COUNTERS rows of the scheme's table, WL_DUEL_ROWS, one after another. */
enum { WL_DUEL_FIRST, WL_DUEL_SECOND, WL_DUEL_FOLLOWED, WL_DUEL_PSEL, WL_DUEL_COUNTERS };
#define WL_DUEL_ROWS(first, second)                                                                                    \
    {"leader_misses_" first, "misses", "misses in sets that lead for " first},                                         \
        {"leader_misses_" second, "misses", "misses in sets that lead for " second},                                   \
        {"followed_" second, "misses", "misses in following sets while " second " was winning"},                       \
    {                                                                                                                  \
        "psel", "", "the selector at the end, summed over caches"                                                      \
    }

struct wl_duel {
    uint32_t sets, leaders, psel_bits, psel;
    uint64_t *count; /* [WL_DUEL_COUNTERS] rows of the scheme's counters */
};

static inline void wl_duel_init(struct wl_duel *d, uint32_t sets, uint32_t leaders, uint32_t psel_bits, uint64_t *count)
{
    d->sets = sets;
    d->leaders = leaders;
    d->psel_bits = psel_bits;
    d->count = count;
    d->psel = (1u << (psel_bits - 1)) - 1;
    count[WL_DUEL_PSEL] = d->psel;
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
        d->count[WL_DUEL_FOLLOWED] += second;
        return second;
    }
    d->count[WL_DUEL_FIRST + leads]++;
    if (leads == 0 && d->psel < (1u << d->psel_bits) - 1) d->psel++;
    if (leads == 1 && d->psel) d->psel--;
    d->count[WL_DUEL_PSEL] = d->psel;
    return leads == 1;
}

#ifdef __cplusplus
}
#endif

#endif
