/* opt.c - how many loads the best of all replacements, with bypass allowed, would hit.
 *
 * A measuring instrument, not a scheme: the cache runs under plain LRU, in every counter and every
 * cycle, and at the same time this file counts the hits that an optimal replacement with knowledge of the
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

#include "warpline/chain.h"

struct last_use {
    uint64_t line;
    uint64_t time; /* 0: the slot is empty */
};

enum { N_ACCESSES, N_HITS, N_UNCOUNTED };
static const struct wl_counter opt_counters[] = {
    [N_ACCESSES] = {"accesses", "requests", "load requests the bound was computed over"},
    [N_HITS] = {"hits", "requests", "of them, hits under optimal replacement with bypass"},
    [N_UNCOUNTED] = {"uncounted", "requests", "load requests left out because memory ran out"},
    WL_COUNTER_END,
};

struct opt {
    struct wl_chain chain; /* LRU manages the cache */
    struct last_use *last; /* open addressing, at most half full */
    uint64_t slots, used;  /* of the table; slots is a power of two */
    uint64_t time;         /* number of the access, from 1 */
    uint64_t flushed;      /* what was used up to here is gone */
    uint64_t
        free_since[]; /* [sets * max_ways] when the interval of this way ended, 0: never used; behind it the chain */
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
static bool keep(struct wl_cache *c, uint32_t set, uint64_t begin)
{
    struct opt *o = c->self;
    uint64_t *way = o->free_since + (size_t)set * c->g.max_ways, *best = NULL;
    for (uint32_t w = 0; w < c->g.ways; w++)
        if (way[w] <= begin && (!best || way[w] > *best)) best = way + w;
    if (best) *best = o->time;
    return best != NULL;
}

static void count(struct wl_cache *c, const struct wl_access *a)
{
    struct opt *o = c->self;
    if (o->used * 2 >= o->slots && !grow(o)) {
        c->count[N_UNCOUNTED]++;
        return;
    }
    o->time++;
    c->count[N_ACCESSES]++;
    struct last_use *u = slot_of(o->last, o->slots, a->line);
    if (u->time > o->flushed) c->count[N_HITS] += keep(c, a->set, u->time);
    o->used += !u->time;
    *u = (struct last_use){a->line, o->time};
}

static void forget(struct opt *o, uint64_t line)
{
    struct last_use *u = slot_of(o->last, o->slots, line);
    if (u->time > 1) u->time = 1; /* before every flush and interval that counts; the slot stays taken */
}

static void opt_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct opt *o = c->self;
    if (outcome == WL_STORED && way < 0) forget(o, a->line);
    if (outcome > WL_MISSED) return;
    wl_chain_touch(&o->chain, a->set, (uint32_t)way);
    count(c, a);
}

static void opt_on_kernel(struct wl_cache *c, enum wl_phase phase, const struct wl_kernel *k)
{
    struct opt *o = c->self;
    wl_chain_on_kernel(c, phase, k);
    if (phase == WL_FLUSH) o->flushed = o->time;
}

/* ---- life ---- */

static size_t opt_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct opt) + wl_chain_entries(g) * (sizeof(uint64_t) + sizeof(uint16_t));
}

static bool opt_init(struct wl_cache *c, const char **why)
{
    struct opt *o = c->self;
    *why = "out of memory";
    o->slots = 1024;
    o->time = o->flushed = 1;
    wl_chain_init(&o->chain, (uint16_t *)(o->free_since + wl_chain_entries(&c->g)), &c->g);
    o->last = calloc(o->slots, sizeof *o->last);
    return o->last != NULL;
}

static void opt_fini(struct wl_cache *c) { free(((struct opt *)c->self)->last); }

extern const struct wl_cache_policy opt_policy;
const struct wl_cache_policy opt_policy = {
    .abi = WL_ABI,
    .name = "opt",
    .help = "runs as lru and counts the hits of optimal replacement with bypass on the same accesses",
    .levels = 1u << WL_L1,
    .counters = opt_counters,
    .bytes = opt_bytes,
    .init = opt_init,
    .fini = opt_fini,
    .victim = wl_chain_oldest,
    .on_access = opt_on_access,
    .on_kernel = opt_on_kernel,
};
