/* tags.h - the tag array of a set-associative cache: who is where, in which state.
 *
 * A line has a state for the policy's eyes (invalid, reserved, valid, plus flags) and masks of
 * its 32-byte sectors. A cache that is not sectored always moves all four together. Whole line
 * numbers are kept as tags, so a hashed index needs no care. An infinite array has one set
 * that grows and finds lines by hashing. */
#ifndef WL_MEM_TAGS_H
#define WL_MEM_TAGS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "warpline/policy.h"

enum index_fn { INDEX_LINEAR, INDEX_XOR, INDEX_FERMI, INDEX_IPOLY };
#define NO_LINE UINT64_MAX
#define NO_MSHR UINT32_MAX
enum { TAGS_FEW_WAYS = 16 }; /* sets of so many ways are searched way by way */
enum { TAGS_LARGE = 1024 };  /* lines */

/* What a line holds. The fields lie together because they are read together. */
struct line_sectors {
    uint32_t mshr;                 /* entry that will fill the line, or NO_MSHR */
    uint8_t valid, pending, dirty; /* masks */
    bool stored : 1;               /* some of its bytes were written; L1: with l1d.write_alloc */
    bool prefetched : 1;           /* L1: fetched for a prefetch, and no load has asked for it yet */
};

struct tags {
    uint32_t sets, ways;
    uint32_t in_use; /* only the first of the ways are given out; the others stay INVALID */
    enum index_fn index;
    bool infinite;
    bool large;     /* with those of its kind it does not stay in the host's cache */
    uint64_t *line; /* [sets * ways] or NO_LINE */
    uint8_t *mark;  /* [sets * ways] a byte of the line's hash: sets of many ways are searched by it; NULL: few ways */
    uint8_t *state; /* enum wl_line_state | flags */
    struct line_sectors *sectors;
    uint16_t *filled; /* [sets] ways that are not INVALID */
    /* infinite only */
    uint32_t *bucket, buckets, used;
};

int tags_init(struct tags *t, uint32_t sets, uint32_t ways, enum index_fn index, bool infinite);
void tags_destroy(struct tags *t);

/* Fermi: the five lowest index bits xor address bits 13, 14, 15, 17, 19; a sixth is bit 12. */
static inline uint32_t fermi_index(uint64_t line, uint32_t sets)
{
    uint32_t high = (uint32_t)(line >> 6);
    return ((uint32_t)line ^ (high & 7) ^ (high >> 1 & 8) ^ (high >> 2 & 16)) & (sets - 1);
}

/* The set of a line; `key` is the number the index function works on. */
uint32_t set_index(enum index_fn fn, uint32_t sets, uint64_t key);
static inline uint32_t tags_set(const struct tags *t, uint64_t key)
{
    if (t->index == INDEX_FERMI && !t->infinite) return fermi_index(key, t->sets); /* most presets' L1D */
    return t->infinite ? 0 : set_index(t->index, t->sets, key);
}
int tags_find_infinite(const struct tags *t, uint64_t line);
/* A fresh place for `line`; grows the array. -1: out of memory. */
int tags_add_infinite(struct tags *t, uint64_t line);
void tags_clear(struct tags *t);

/* The way of a set that holds the line, or -1. All are compared, because no branch
 * predictor could guess which of a few it is. */
static inline int find_way(const uint64_t *l, uint32_t ways, uint64_t line)
{
    int way = -1;
    for (uint32_t w = 0; w < ways; w++) way = l[w] == line ? (int)w : way;
    return way;
}

static inline uint8_t line_mark(uint64_t line) { return (uint8_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 56); }

/* The same for a set of many ways: few of them have the line's mark, and bytes are searched fast. */
static inline int find_way_of_many(const uint64_t *l, const uint8_t *mark, uint32_t ways, uint64_t line)
{
    const uint8_t *at = mark, *end = mark + ways;
    while ((at = memchr(at, line_mark(line), (size_t)(end - at)))) {
        if (l[at - mark] == line) return (int)(at - mark);
        if (++at == end) break;
    }
    return -1;
}

/* The set of a large array will be looked at soon: a hint, so that the host fetches what it does not have in its cache.
 */
static inline void tags_warm(const struct tags *t, uint32_t set)
{
    enum { HOST_LINE = 64, PER_LINE = HOST_LINE / sizeof *t->line };
    size_t first = (size_t)set * t->ways;
    __builtin_prefetch(t->state + first);
    for (uint32_t i = 0; t->mark && i < t->ways; i += HOST_LINE) __builtin_prefetch(t->mark + first + i);
    for (uint32_t i = 0; !t->mark && i < t->ways; i += PER_LINE) {
        __builtin_prefetch(t->line + first + i);
        __builtin_prefetch(t->sectors + first + i);
    }
}

/* A little later, when the marks have come: the place that has the line's mark, which is nearly always the line's.
 * Always inline: gcc 12 takes a function that looks something up and then gives a hint for one without any effect. */
static inline __attribute__((always_inline)) void tags_warm_line(const struct tags *t, uint32_t set, uint64_t line)
{
    size_t first = (size_t)set * t->ways;
    const uint8_t *at = memchr(t->mark + first, line_mark(line), t->in_use);
    if (!at) return;
    __builtin_prefetch(t->line + (at - t->mark));
    __builtin_prefetch(t->sectors + (at - t->mark));
}

/* Index of the line in the arrays, or -1; of an array with sets. */
static inline int tags_find_set(const struct tags *t, uint32_t set, uint64_t line)
{
    uint32_t first = set * t->ways;
    const uint64_t *l = t->line + first;
    int way = t->ways == 4   ? find_way(l, 4, line) /* the usual numbers, without a loop */
              : t->ways == 8 ? find_way(l, 8, line)
              : !t->mark     ? find_way(l, t->ways, line)
                             : find_way_of_many(l, t->mark + first, t->in_use, line);
    return way < 0 ? -1 : (int)first + way;
}

/* The same of any array. */
static inline int tags_find(const struct tags *t, uint32_t set, uint64_t line)
{
    return t->infinite ? tags_find_infinite(t, line) : tags_find_set(t, set, line);
}

/* Whether all ways of the set are being fetched. Four are looked at together: which of them is the first that is not,
 * no branch predictor could guess. */
static inline bool tags_all_reserved(const struct tags *t, uint32_t set)
{
    enum { STATES = 0x03030303, ALL_RESERVED = 0x01010101 * WL_RESERVED };
    const uint8_t *state = t->state + (size_t)set * t->ways;
    uint32_t w = 0, four;
    for (; w + sizeof four <= t->in_use; w += sizeof four) {
        memcpy(&four, state + w, sizeof four);
        if ((four & STATES) != ALL_RESERVED) return false;
    }
    while (w < t->in_use && WL_STATE(state[w]) == WL_RESERVED) w++;
    return w == t->in_use;
}

static inline void tags_invalidate(struct tags *t, uint32_t set, uint32_t at)
{
    WL_ASSERT(WL_STATE(t->state[at]) == WL_VALID && !t->sectors[at].pending && (t->infinite || t->filled[set]));
    t->state[at] = WL_INVALID;
    if (!t->infinite) t->filled[set]--;
    t->sectors[at].valid = t->sectors[at].dirty = 0;
    if (!t->infinite) t->line[at] = NO_LINE;
}

/* The way `at` of the set will hold `line`. */
static inline void tags_take(struct tags *t, uint32_t set, uint32_t at, uint64_t line)
{
    WL_ASSERT(WL_STATE(t->state[at]) != WL_RESERVED && (t->infinite || at - set * t->ways < t->in_use));
    if (!t->infinite && WL_STATE(t->state[at]) == WL_INVALID) t->filled[set]++;
    t->line[at] = line;
    if (t->mark) t->mark[at] = line_mark(line);
}

static inline struct wl_set tags_view(const struct tags *t, uint32_t set)
{
    return (struct wl_set){t->state + (size_t)set * t->ways, t->in_use, t->filled[set] == t->in_use};
}

#endif
