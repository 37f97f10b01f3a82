/* dycache.c - DyCache: a cache that chooses its own granularity.
 *
 * Idea (Guo, Huang, Lue, Ma, Wang, IEEE Access 2018): divergent loads want 32 or 64 bytes of a line of
 * 128; fetching and keeping the rest wastes bandwidth and room, while regular loads want all of it. So the
 * L1D is one of grains (warpline/grain.h), and every 1000 requests the scheme decides at which
 * granularity it goes on:
 *
 *                              few requests of 32 or 64 bytes     many of them
 *      few misses                          keep                       keep
 *      many misses              128 (from below: a flush)       32 or 64, whichever is more frequent
 *
 * "Many" is more than a threshold in percent, the N of DyCache-N, for both. Fine data survives a
 * change to something finer; a change to something coarser flushes the cache, or (retain, which the
 * paper suggests but does not evaluate) keeps the blocks that are large enough.
 *
 * What the paper leaves open, with the parameter that turns the decision round:
 *  - Its example of 32 KB needs the common tag at address bit 26 whatever the number of sets.
 *  - It speaks of the one line of a set with a given common tag. A common tag covers 64 MB, so taken by
 *    the letter all fine data of a set would share one line; and lines kept from 128 to 32 share a
 *    tag anyway. All lines of the region are searched and filled here; match=single is the letter.
 *  - A request whose chunks lie in two lines is a partial hit. One that finds some of its chunks in
 *    flight waits for them, since they cannot be invalidated; pending=bypass lets it bypass the cache.
 *  - Sampled are loads and stores for the sizes, loads for the miss rate, since a store never
 *    allocates (sample_stores); merges are no misses; a threshold met exactly is not passed.
 *  - From one fine granularity to the other: yes, as section V.A describes (fg_reselect).
 *  - It starts at 128 (start), and granularity and sample live on from kernel to kernel: the switching
 *    between BFS's two kernels, which the paper blames for its loss, needs that.
 *  - One sampler and one granularity per SM. Neither a flush nor the longer comparison of tags takes
 *    time beyond write-backs; l1d.hit and l1d.pipe can charge for the latter.
 *  - The L2 answers a fetch with as much as it asks for and fetches lines of its own from memory, as
 *    the paper's simulator does; l2.sectored=yes carries the small requests on to memory.
 *
 * A threshold of 100 is never passed: the cache stays at 128 and is LRU in every counter.
 *
 * Storage, for 32-bit addresses and 16 KB: 6 + 4 * 16 bits of tags a line instead of 20, so 6400 more;
 * six counters of the sample (10 bits at a period of 1000) and 2 bits of granularity. Not
 * counted: states and last use of each chunk, which the paper does not size. */
#include "warpline/grain.h"

enum { THRESHOLD, T_MISS, T_FINE, PERIOD, MATCH, RETAIN, SAMPLE_STORES, FG_RESELECT, START, PENDING };

static const struct wl_param dycache_params[] = {
    [THRESHOLD] = {"threshold", "%", 0, 50, 100, NULL, "miss rate and share of fine requests that are many",
                   "section V.A: 50 to 75 are best"},
    [T_MISS] = {"t_miss", "%", -1, -1, 100, NULL, "for the miss rate alone; -1: threshold", "one for both"},
    [T_FINE] = {"t_fine", "%", -1, -1, 100, NULL, "for the share of fine requests alone; -1: threshold",
                "one for both"},
    [PERIOD] = {"period", "requests", 1, 1000, 1000000, NULL, "requests between two decisions", "section III.C"},
    [MATCH] = {"match", "", 0, 0, 1, "multi|single", "lines of a set that may hold a region: all, or the first",
               "see the essay; section III.B read literally: single"},
    [RETAIN] = {"retain", "", 0, 0, 1, "no|yes", "a coarser granularity keeps blocks of its size",
                "suggested in section V.A, not evaluated"},
    [SAMPLE_STORES] = {"sample_stores", "", 0, 1, 1, "no|yes", "stores count among the sampled requests",
                       "section III.C: every memory instruction"},
    [FG_RESELECT] = {"fg_reselect", "", 0, 1, 1, "no|yes", "a fine granularity may change to the other fine one",
                     "section V.A speaks of 32 to 64"},
    [START] = {"start", "bytes", 0, 2, 2, "32|64|128", "granularity at the start", "not said: the plain cache's"},
    [PENDING] = {"pending", "", 0, 0, 1, "wait|bypass",
                 "a partial hit on chunks in flight: waits, or bypasses the cache",
                 "not said; data in flight cannot be invalidated"},
    WL_PARAM_END,
};

enum { N_PERIODS, N_POOR, N_FINE, N_128_64, N_128_32, N_64_32, N_32_64, N_32_128, N_64_128, N_OWN };
static const struct wl_counter dycache_counters[] = {
    {"periods", "samples", "samples completed"},
    {"poor", "samples", "of these, with many misses"},
    {"poor_fine", "samples", "of these, with many fine requests"},
    {"from_128_to_64", "changes", "changes of granularity"},
    {"from_128_to_32", "changes", "changes of granularity"},
    {"from_64_to_32", "changes", "changes of granularity"},
    {"from_32_to_64", "changes", "changes of granularity, with a flush"},
    {"from_32_to_128", "changes", "changes of granularity, with a flush"},
    {"from_64_to_128", "changes", "changes of granularity, with a flush"},
    WL_GRAIN_COUNTERS(WL_GRAIN_ROW) WL_COUNTER_END,
};

struct dycache {
    uint32_t bytes; /* granularity */
    /* the sample */
    uint32_t requests, of_32, of_64, loads, misses;
};

static size_t dycache_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)g, (void)param;
    return sizeof(struct dycache);
}

static bool dycache_init(struct wl_cache *c, const char **why)
{
    (void)why;
    ((struct dycache *)c->self)->bytes = 32u << c->param[START];
    return true;
}

static struct wl_grains dycache_shape(const struct wl_cache *c)
{
    const int64_t *v = c->param;
    struct wl_grains g = {
        .bytes = 32u << v[START], .counter = N_OWN, .single = v[MATCH], .retain = v[RETAIN], .bypass = v[PENDING]};
    return g;
}

/* ---- the selector ---- */

/* The threshold of its own, or else the one for both. */
static uint64_t percent(const struct wl_cache *c, unsigned own)
{
    return (uint64_t)(c->param[own] < 0 ? c->param[THRESHOLD] : c->param[own]);
}

static uint32_t choose(struct wl_cache *c)
{
    const struct dycache *d = c->self;
    c->count[N_PERIODS]++;
    bool poor = d->misses * UINT64_C(100) > percent(c, T_MISS) * d->loads;
    if (!poor) return d->bytes;
    c->count[N_POOR]++;
    bool fine = (d->of_32 + d->of_64) * UINT64_C(100) > percent(c, T_FINE) * d->requests;
    if (!fine) return 128;
    c->count[N_FINE]++;
    if (d->bytes < 128 && !c->param[FG_RESELECT]) return d->bytes;
    return d->of_32 > d->of_64 ? 32 : 64;
}

static void change(struct wl_cache *c, uint32_t to)
{
    struct dycache *d = c->self;
    if (d->bytes == 128) c->count[to == 64 ? N_128_64 : N_128_32]++;
    else if (d->bytes == 64) c->count[to == 32 ? N_64_32 : N_64_128]++;
    else c->count[to == 64 ? N_32_64 : N_32_128]++;
    d->bytes = to;
}

static void dycache_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    (void)way;
    struct dycache *d = c->self;
    if (outcome == WL_STORED && !c->param[SAMPLE_STORES]) return;
    uint32_t size = wl_request_bytes(a->sectors);
    d->of_32 += size == 32;
    d->of_64 += size == 64;
    d->loads += outcome != WL_STORED;
    d->misses += outcome == WL_MISSED;
    if (++d->requests < c->param[PERIOD]) return;
    uint32_t to = choose(c);
    if (to != d->bytes) change(c, to);
    d->requests = d->of_32 = d->of_64 = d->loads = d->misses = 0;
}

static uint32_t dycache_granularity(const struct wl_cache *c) { return ((const struct dycache *)c->self)->bytes; }

static uint64_t dycache_storage_bits(const struct wl_cache *c)
{
    return wl_grain_tag_bits(c->g.sets, c->g.max_ways) + 6 * wl_bits_for((uint64_t)c->param[PERIOD]) + 2;
}

static const struct wl_grain_hooks dycache_grains = {dycache_shape, dycache_granularity};

extern const struct wl_cache_policy dycache_policy;
const struct wl_cache_policy dycache_policy = {
    .abi = WL_ABI,
    .name = "dycache",
    .help = "lines of four tagged chunks; granularity 32, 64 or 128 bytes by miss rate and request sizes",
    .levels = 1u << WL_L1,
    .params = dycache_params,
    .counters = dycache_counters,
    .bytes = dycache_bytes,
    .init = dycache_init,
    .storage_bits = dycache_storage_bits,
    .on_access = dycache_on_access,
    .grains = &dycache_grains,
};
