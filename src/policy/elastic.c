/* elastic.c - Elastic-Cache: a cache of grains with one fine granularity.
 *
 * Idea (Li, Sun, Annavaram, Kim, IPDPS 2017), as DyCache's authors compare with it: each 32-byte (or
 * 64-byte) chunk of a line has a tag of its own in addition to the line's common tag, so that a line holds
 * unrelated small blocks and a miss fetches no more than it needs. The granularity stands for the
 * whole run; it is DyCache (dycache.c) without its selector, and shares its decisions about what
 * the paper leaves open. The chunk tags lie in unused shared memory; what happens when there
 * is none is not said, so they always fit here (16 KB of data: 1 KB of tags).
 *
 * Storage: as DyCache's tags, 6400 bits for 16 KB. */
#include "warpline/grain.h"

enum { GRAIN, MATCH, PENDING };

static const struct wl_param elastic_params[] = {
    [GRAIN] = {"grain", "bytes", 0, 0, 1, "32|64", "granularity", "Elastic-Cache-32 and -64 of DyCache's section V"},
    [MATCH] = {"match", "", 0, 0, 1, "multi|single", "lines of a set that may hold a region: all, or the first",
               "as in dycache"},
    [PENDING] = {"pending", "", 0, 0, 1, "wait|bypass",
                 "a partial hit on chunks in flight: waits, or bypasses the cache",
                 "not said; data in flight cannot be invalidated"},
    WL_PARAM_END,
};

static const struct wl_counter elastic_counters[] = {WL_GRAIN_COUNTERS(WL_GRAIN_ROW) WL_COUNTER_END};

static struct wl_grains elastic_shape(const struct wl_cache *c)
{
    struct wl_grains g = {.bytes = 32u << c->param[GRAIN], .single = c->param[MATCH], .bypass = c->param[PENDING]};
    return g;
}

static uint64_t elastic_storage_bits(const struct wl_cache *c) { return wl_grain_tag_bits(c->g.sets, c->g.max_ways); }

static const struct wl_grain_hooks elastic_grains = {.shape = elastic_shape};

extern const struct wl_cache_policy elastic_policy;
const struct wl_cache_policy elastic_policy = {
    .abi = WL_ABI,
    .name = "elastic",
    .help = "lines of four tagged chunks at a fixed granularity of 32 or 64 bytes",
    .levels = 1u << WL_L1,
    .params = elastic_params,
    .counters = elastic_counters,
    .storage_bits = elastic_storage_bits,
    .grains = &elastic_grains,
};
