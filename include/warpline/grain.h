/* grain.h - a cache of grains: an L1D whose lines hold unrelated small blocks.
 *
 * A line of 128 bytes has four slots of 32 bytes, each with a tag of its own; all that its slots hold
 * lies in one region of 64 MB (the line's common tag). At a granularity of 32 or 64 bytes a miss
 * fetches as little as that, into slots of a line that may hold anything else of the region; at 128
 * the cache is the plain one. A scheme with `grains` in its table gets this cache in place of
 * the plain tags: its victim() is not called and it learns nothing of ways (on_access has way -1), and after
 * each accepted load and store it is asked for the granularity from there on. The rules of lookup and
 * replacement: src/mem/grain_tags.c. */
#ifndef WARPLINE_GRAIN_H
#define WARPLINE_GRAIN_H

#include "warpline/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WL_REGION_SHIFT = 26 }; /* the common tag begins at this address bit */

/* What the cache counts: X(field, unit, definition). */
#define WL_GRAIN_COUNTERS(X)                                                                                           \
    X(size_32, "requests", "accepted loads and stores of 32 bytes")                                                    \
    X(size_64, "requests", "accepted loads and stores of 64 bytes")                                                    \
    X(size_128, "requests", "accepted loads and stores of 128 bytes")                                                  \
    X(at_32, "requests", "accepted loads and stores while the granularity was 32")                                     \
    X(at_64, "requests", "accepted loads and stores while the granularity was 64")                                     \
    X(at_128, "requests", "accepted loads and stores while the granularity was 128")                                   \
    X(fetch_32, "fetches", "misses that fetched 32 bytes")                                                             \
    X(fetch_64, "fetches", "misses that fetched 64 bytes")                                                             \
    X(fetch_128, "fetches", "misses that fetched 128 bytes")                                                           \
    X(partial_hits, "requests", "loads that found some of their chunks and were issued again as misses")               \
    X(partial_bypasses, "requests", "loads that found some of their chunks in flight and bypassed the cache")          \
    X(partial_chunks, "chunks", "chunks invalidated by partial hits")                                                  \
    X(chunk_evictions, "chunks", "valid chunks replaced alone or in pairs, the rest of the line kept")                 \
    X(line_evictions, "lines", "lines replaced whole")                                                                 \
    X(evicted_chunks, "chunks", "valid chunks that left by replacement")                                               \
    X(referenced_chunks, "chunks", "of these, touched by a load since they were fetched")                              \
    X(opened_ways, "lines", "lines begun for a region that another line of the set held already")                      \
    X(flushes, "flushes", "invalidations of the cache for a coarser granularity")                                      \
    X(flushed_chunks, "chunks", "valid chunks these invalidated")                                                      \
    X(kept_chunks, "chunks", "valid chunks these left in place")                                                       \
    X(dropped_fills, "fills", "fills that found their slots given up by a flush")

struct wl_grain_stats {
#define X(field, unit, help) uint64_t field;
    WL_GRAIN_COUNTERS(X)
#undef X
};
#define WL_GRAIN_ROW(field, unit, help) {#field, unit, help}, /* for a scheme's table of counters */
enum { WL_GRAIN_COUNTER_COUNT = sizeof(struct wl_grain_stats) / sizeof(uint64_t) };

/* What a scheme wants of the cache. */
struct wl_grains {
    uint32_t bytes;   /* granularity at the start: 32, 64 or 128 */
    uint32_t counter; /* the row of the scheme's counters with which WL_GRAIN_COUNTERS begin: the cache counts there */
    bool single;      /* only the first line of a set that holds the region is looked at and filled */
    bool retain;      /* a coarser granularity keeps the blocks that already have its size */
    bool bypass;      /* a partial hit on data in flight bypasses the cache; else it waits for the data */
};

struct wl_grain_hooks {
    struct wl_grains (*shape)(const struct wl_cache *c); /* asked once, after init() */
    /* The granularity from here on: 32, 64 or 128 bytes; asked after the on_access of each load and store.
     * NULL: it stays what it was. */
    uint32_t (*granularity)(const struct wl_cache *c);
};

/* Bits added to the tags of a cache for 32-bit addresses: a common tag of 6 and four chunk tags of
 * 21 - s instead of one tag of 25 - s, where s = log2(sets). */
static inline uint64_t wl_grain_tag_bits(uint32_t sets, uint32_t ways)
{
    uint64_t s = 0;
    while (UINT64_C(2) << s <= sets) s++;
    return (6 + 4 * (21 - s) - (25 - s)) * sets * ways;
}

#ifdef __cplusplus
}
#endif

#endif
