/* elastic.c - Elastic-Cache: a cache of grains with one fine granularity.
 *
 * Idea (Li, Sun, Annavaram, Kim, IPDPS 2017), as DyCache's authors compare with it: each 32-byte (or
 * 64-byte) chunk of a line has a tag of its own beside the line's common tag, so that a line holds
 * unrelated small blocks and a miss fetches no more than it needs. The granularity stands for the
 * whole run; it is DyCache (dycache.c) without its selector, and shares its decisions about what
 * the paper leaves open. The chunk tags lie in unused shared memory; what happens when there
 * is none is not said, so they always fit here (16 KB of data: 1 KB of tags).
 *
 * Storage: as DyCache's tags, 6400 bits for 16 KB. */
#include <stdlib.h>
#include <string.h>

#include "warpline/grain.h"

enum { GRAIN, MATCH, PENDING };

static const struct wl_param elastic_params[] = {
    [GRAIN] = {"grain", "bytes", 0, 0, 1, "32|64", "granularity", "Elastic-Cache-32 and -64 of DyCache's section V"},
    [MATCH] = {"match", "", 0, 0, 1, "multi|single", "lines of a set that may hold a region: all, or the first",
               "as in dycache"},
    [PENDING] = {"pending", "", 0, 0, 1, "wait|past",
                 "a partial hit on chunks in flight: waits, or fetches past the cache",
                 "not said; data in flight cannot be invalidated"},
    WL_PARAM_END,
};

static const struct wl_counter elastic_counters[] = {WL_GRAIN_COUNTERS(WL_GRAIN_ROW) WL_COUNTER_END};

struct elastic {
    struct wl_grain_stats grain; /* the cache counts here */
    uint32_t bytes, sets, ways;
    bool single, past;
};

static void *elastic_create(const struct wl_geometry *g, const int64_t *v, const char **why)
{
    struct elastic *c = calloc(1, sizeof *c);
    if (!c) {
        *why = "out of memory";
        return NULL;
    }
    c->bytes = 32u << v[GRAIN];
    c->single = v[MATCH];
    c->past = v[PENDING];
    c->sets = g->sets;
    c->ways = g->ways;
    return c;
}

static void elastic_grains(void *self, struct wl_grains *out)
{
    struct elastic *c = self;
    *out = (struct wl_grains){.bytes = c->bytes, .single = c->single, .past = c->past, .stats = &c->grain};
}

static uint64_t elastic_storage_bits(const void *self)
{
    const struct elastic *c = self;
    return wl_grain_tag_bits(c->sets, c->ways);
}

static void elastic_read_counters(const void *self, uint64_t *out)
{
    const struct elastic *c = self;
    memcpy(out, &c->grain, sizeof c->grain);
}

extern const struct wl_cache_policy elastic_policy;
const struct wl_cache_policy elastic_policy = {
    .abi = WL_ABI,
    .name = "elastic",
    .help = "lines of four tagged chunks at a fixed granularity of 32 or 64 bytes",
    .levels = 1u << WL_L1,
    .params = elastic_params,
    .counters = elastic_counters,
    .create = elastic_create,
    .destroy = free,
    .storage_bits = elastic_storage_bits,
    .read_counters = elastic_read_counters,
    .grains = elastic_grains,
};
