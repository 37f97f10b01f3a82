/* opt.c - how many loads the best of all replacements, with bypass allowed, would hit.
 *
 * A measuring instrument, not a scheme: the cache runs under plain LRU, in every counter and every
 * cycle, and beside it this file counts the hits that an optimal replacement with knowledge of the
 * future (Belady's, which may also choose not to keep a line) has on the very same stream of
 * accesses. The difference to the hits of a policy is the headroom that is left to it.
 *
 * Why no recording and no second pass are needed: an access hits if its line was kept since its
 * previous access. Keeping it means to occupy one way of its set from the one access to the other;
 * the set has `ways` ways. So the most hits are the most intervals that fit on `ways` machines, and
 * intervals come to us sorted by their end. Taking each interval that fits, on the machine that
 * became free last before its beginning, is optimal (Faigle and Nawijn, 1995; Carlisle and Lloyd,
 * 1995). That is one look at the ways of the set for each access.
 *
 * A load that merges with a line in flight is a hit here: data arrive at once. A store that leaves
 * no copy of its line and a flush at the end of a kernel break the interval of the lines they meet.
 * Lines are kept whole: in a sectored cache the bound is above what any policy can reach. The order
 * of accesses is that of the run under LRU; another policy makes another order, so that its hits
 * may, by a little, exceed this bound.
 *
 * The table of last accesses grows with the lines an SM touches (16 bytes each). This is the one
 * policy that allocates while it runs; when memory ends it stops counting and says so. */
#include <stdlib.h>

#include "warpline/policy.h"

struct last_use {
    uint64_t line;
    uint64_t time; /* 0: the slot is empty */
};

struct opt {
    struct wl_chain chain; /* LRU manages the cache */
    uint64_t *free_since;  /* [sets * ways] when the interval of this way ended; 0: never used */
    struct last_use *last; /* open addressing, at most half full */
    uint64_t slots, used;  /* of the table; slots is a power of two */
    uint64_t time;         /* number of the access, from 1 */
    uint64_t flushed;      /* what was used up to here is gone */
    uint64_t accesses, hits, uncounted;
    uint32_t sets;
    uint16_t order[]; /* [sets * ways] */
};

/* ---- when a line was used last ---- */

static struct last_use *slot_of(struct last_use *table, uint64_t slots, uint64_t line)
{
    uint64_t i = line * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    for (;; i++) {
        struct last_use *u = table + (i & (slots - 1));
        if (!u->time || u->line == line) return u;
    }
}

static bool grow(struct opt *o)
{
    uint64_t slots = o->slots * 2;
    struct last_use *bigger = calloc(slots, sizeof *bigger);
    if (!bigger) return false;
    for (uint64_t i = 0; i < o->slots; i++)
        if (o->last[i].time) *slot_of(bigger, slots, o->last[i].line) = o->last[i];
    free(o->last);
    o->last = bigger;
    o->slots = slots;
    return true;
}

/* ---- the bound ---- */

/* Whether a way of the set can have kept a line since `begin`; takes it until now. */
static bool keep(struct opt *o, uint32_t set, uint64_t begin)
{
    uint64_t *way = o->free_since + (size_t)set * o->chain.ways, *best = NULL;
    for (uint32_t w = 0; w < o->chain.ways; w++)
        if (way[w] <= begin && (!best || way[w] > *best)) best = way + w;
    if (best) *best = o->time;
    return best != NULL;
}

static void count(struct opt *o, const struct wl_access *a)
{
    if (o->used * 2 >= o->slots && !grow(o)) {
        o->uncounted++;
        return;
    }
    o->time++;
    o->accesses++;
    struct last_use *u = slot_of(o->last, o->slots, a->line);
    if (u->time > o->flushed) o->hits += keep(o, a->set, u->time);
    o->used += !u->time;
    *u = (struct last_use){a->line, o->time};
}

static void opt_on_store(void *self, const struct wl_access *a)
{
    struct opt *o = self;
    struct last_use *u = slot_of(o->last, o->slots, a->line);
    if (u->time > 1) u->time = 1; /* before every flush and interval that counts; the slot stays taken */
}

static void opt_on_flush(void *self)
{
    struct opt *o = self;
    o->flushed = o->time;
}

/* ---- LRU ---- */

static void *opt_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    (void)values;
    struct opt *o = malloc(sizeof *o + sizeof o->order[0] * g->sets * g->ways);
    if (o) {
        *o = (struct opt){.sets = g->sets, .slots = 1024, .time = 1, .flushed = 1};
        o->free_since = calloc((size_t)g->sets * g->ways, sizeof *o->free_since);
        o->last = calloc(o->slots, sizeof *o->last);
        wl_chain_init(&o->chain, o->order, g->sets, g->ways);
        if (o->free_since && o->last) return o;
        free(o->free_since);
        free(o->last);
        free(o);
    }
    *why = "out of memory";
    return NULL;
}

static void opt_destroy(void *self)
{
    struct opt *o = self;
    free(o->free_since);
    free(o->last);
    free(o);
}

static int opt_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    const struct opt *o = self;
    int way = wl_chain_victim(&o->chain, a->set, s, 0);
    return way < 0 ? WL_NO_WAY_STALL : way;
}

static void opt_on_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)merged;
    struct opt *o = self;
    wl_chain_touch(&o->chain, a->set, way);
    count(o, a);
}

static void opt_on_insert(void *self, const struct wl_access *a, uint32_t way)
{
    struct opt *o = self;
    wl_chain_touch(&o->chain, a->set, way);
    count(o, a);
}

static const struct wl_counter opt_counters[] = {
    {"accesses", "requests", "load requests the bound was computed over"},
    {"hits", "requests", "of them, hits under optimal replacement with bypass"},
    {"uncounted", "requests", "load requests left out because memory ran out"},
    WL_COUNTER_END,
};

static void opt_read_counters(const void *self, uint64_t *out)
{
    const struct opt *o = self;
    out[0] = o->accesses;
    out[1] = o->hits;
    out[2] = o->uncounted;
}

extern const struct wl_cache_policy opt_policy;
const struct wl_cache_policy opt_policy = {
    .abi = WL_ABI,
    .name = "opt",
    .help = "runs as lru and counts the hits of optimal replacement with bypass on the same accesses",
    .levels = 1u << WL_L1,
    .counters = opt_counters,
    .create = opt_create,
    .destroy = opt_destroy,
    .read_counters = opt_read_counters,
    .victim = opt_victim,
    .on_hit = opt_on_hit,
    .on_insert = opt_on_insert,
    .on_store = opt_on_store,
    .on_flush = opt_on_flush,
};
