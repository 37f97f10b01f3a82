/* duel.h - set duelling: two policies, a few sets that always use one of them, a counter.
 *
 * A miss in a leader of the first policy moves the selector up, one in a leader of the second moves it
 * down; all other sets use the second while the selector is in its upper half. Leaders by
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
    uint32_t sets;      /* of the cache */
    uint32_t leaders;   /* sets that lead for each policy */
    uint32_t psel_bits; /* width of the selector */
    uint32_t psel;      /* the selector */
    uint64_t *count;    /* [WL_DUEL_COUNTERS] rows of the scheme's counters */
};

/* For init() of a scheme: starts the duel. False when there are too few sets, with the reason in *why. */
static inline bool wl_duel_init(struct wl_duel *d, uint32_t sets, int64_t leaders, int64_t psel_bits, uint64_t *count,
                                const char **why)
{
    d->sets = sets;
    d->leaders = (uint32_t)leaders;
    d->psel_bits = (uint32_t)psel_bits;
    d->count = count;
    d->psel = (1u << (psel_bits - 1)) - 1;
    count[WL_DUEL_PSEL] = d->psel;
    *why = "each group of sets needs two leaders: lower 'leaders'";
    return sets >= 2 * leaders;
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

/* For a bimodal policy: whether this call is the n-th since the last n-th one. 0: none is. */
static inline bool wl_every_nth(uint32_t *calls, int64_t n)
{
    if (!n || ++*calls < n) return false;
    *calls = 0;
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
