/* l1_build.c - an L1 is built, read from outside and checked: what is not done cycle by cycle (l1.c). */
#include <stdlib.h>

#include "base/bits.h"
#include "mem/l1_priv.h"

/* ---- services for the policy ---- */

static struct wl_fill l1_policy_occupancy(const struct wl_cache *w)
{
    return l1_occupancy((const struct l1 *)(const void *)w);
}

static bool ask_prefetch(struct wl_cache *w, uint64_t line)
{
    struct l1 *c = (struct l1 *)(void *)w;
    struct prefetch_queue *q = &c->prefetch;
    if (!q->capacity) return false;
    c->stats.prefetches++;
    if (q->used == q->capacity) {
        c->stats.prefetch_drops++;
        return false;
    }
    q->line[(q->head + q->used++) % q->capacity] = line;
    return true;
}

static const struct wl_host services = {l1_policy_occupancy, ask_prefetch};

/* ---- building ---- */

/* The tag store of a scheme that wants grains. */
static int make_grains(struct l1 *c, const struct l1_shape *shape, struct wl_err *e)
{
    enum { WORST = 5 }; /* miss-queue entries of one miss at most: four write-backs of dirty grains, and the fetch */
    const char *name = c->pol.policy->name;
    if (shape->infinite || shape->sectored)
        return wl_fail(e, WL_EINPUT, "policy %s has tags of its own; set l1d.%s=no", name,
                       shape->infinite ? "infinite" : "sectored");
    if (shape->missq < WORST)
        return wl_fail(e, WL_EINPUT, "policy %s may send %d packets for one miss; l1d.missq = %u holds fewer", name,
                       WORST, shape->missq);
    struct wl_grains want = c->pol.policy->grains->shape(&c->pol.cache);
    if ((want.bytes != 32 && want.bytes != 64 && want.bytes != 128) ||
        want.counter > WL_MAX_POLICY_COUNTERS - WL_GRAIN_COUNTER_COUNT)
        return wl_fail(e, WL_EINPUT,
                       "policy %s: shape() asks for a granularity of %u bytes and counters from row %u on; allowed are "
                       "32, 64 and 128 bytes, and rows up to %d",
                       name, want.bytes, want.counter, WL_MAX_POLICY_COUNTERS - WL_GRAIN_COUNTER_COUNT);
    c->grains = grain_create(shape->sets, shape->ways, &want,
                             (struct wl_grain_stats *)(void *)(c->pol.cache.count + want.counter));
    return c->grains ? 0 : wl_fail(e, WL_ERUN, "out of memory");
}

/* Only policies that also serve the L2 know stores that miss; with others, and without an end, stores take no lines. */
static int make_written(struct l1 *c, const struct l1_shape *shape, struct wl_err *e)
{
    c->write_alloc = shape->write_alloc && !shape->infinite && !c->grains && c->pol.policy->levels >> WL_L2 & 1;
    if (!c->write_alloc) return 0;
    c->written = calloc((size_t)shape->sets * shape->ways, sizeof *c->written);
    return c->written ? 0 : wl_fail(e, WL_ERUN, "out of memory");
}

static int make_prefetch_queue(struct l1 *c, const struct l1_shape *shape, struct wl_err *e)
{
    if (!shape->prefetch_queue || shape->infinite || c->grains) return 0;
    c->prefetch.line = malloc(shape->prefetch_queue * sizeof *c->prefetch.line);
    c->prefetch.capacity = shape->prefetch_queue;
    return c->prefetch.line ? 0 : wl_fail(e, WL_ERUN, "out of memory");
}

int l1_init(struct l1 *c, const struct l1_shape *shape, const struct cache_choice *choice, const struct l1_site *site,
            struct wl_err *e)
{
    *c = (struct l1){.pool = site->pool,
                     .missq_cap = shape->missq,
                     .sectored = shape->sectored,
                     .half_lines = shape->half_lines,
                     .bypass_lines = shape->bypass_lines,
                     .update = shape->update,
                     .worst = shape->worst,
                     .late = shape->late,
                     .by_sector = shape->by_sector,
                     .local_through = shape->local_through,
                     .store_way = shape->store_way,
                     .perfect = shape->perfect,
                     .id = shape->id,
                     .sm = (uint8_t)site->g.index,
                     .busy_at = UINT64_MAX};
    const struct wl_cache_policy *p = choice->policy;
    c->steady = !p->answers_drift && !p->grains;
    list_init(&c->missq);
    if (tags_init(&c->tags, shape->sets, shape->ways, shape->index, shape->infinite) ||
        mshr_init(&c->mshr, shape->mshr, shape->merge))
        return wl_fail(e, WL_ERUN, "out of memory");
    struct wl_geometry g = site->g;
    g.level = WL_L1;
    g.sets = shape->sets;
    g.ways = g.max_ways = shape->ways;
    g.line_bytes = LINE_BYTES;
    int bad = policy_open(&c->pol, choice, &g, site->shared, &services, site->breach, e);
    if (!bad && p->grains) bad = make_grains(c, shape, e);
    if (!bad) bad = make_written(c, shape, e);
    c->fifo.capacity = shape->fifo;
    c->odd = shape->perfect || shape->fifo;
    c->next_event = c->pol.next_epoch;
    c->foresees = c->steady && !p->decide && !c->odd && !shape->infinite;
    c->waits = shape->waits;
    c->usual = shape->waits && !c->odd && !shape->infinite && !shape->half_lines && !shape->worst;
    if (!bad && shape->fifo && !(c->fifo.entry = calloc(shape->fifo, sizeof *c->fifo.entry)))
        bad = wl_fail(e, WL_ERUN, "out of memory");
    return bad ? bad : make_prefetch_queue(c, shape, e);
}

void l1_destroy(struct l1 *c)
{
    policy_close(&c->pol);
    tags_destroy(&c->tags);
    grain_destroy(c->grains);
    mshr_destroy(&c->mshr);
    free(c->prefetch.line);
    free(c->fifo.entry);
    free(c->written);
}

/* ---- for the SM ---- */

struct l1d_stats l1_stats(const struct l1 *c)
{
    struct l1d_stats n = c->stats;
    for (unsigned i = 0; i < L1_STORED; i++) n.loads += c->loads[i];
    n.load_hits = c->loads[L1_HIT];
    n.load_misses = c->loads[L1_MISSED];
    n.hits_reserved = c->loads[L1_MERGED];
    n.bypasses = c->loads[L1_BYPASSED];
    n.stores = c->stores[false] + c->stores[true];
    n.store_hits = c->stores[true];
    for (unsigned i = 0; i < L1_STORED; i++) n.sector_loads += c->load_sectors[i];
    n.sector_hits = c->load_sectors[L1_HIT];
    n.sector_misses = c->load_sectors[L1_MISSED];
    n.sector_merges = c->load_sectors[L1_MERGED];
    n.sector_bypasses = c->load_sectors[L1_BYPASSED];
    n.sector_stores = c->store_sectors[false] + c->store_sectors[true];
    n.sector_store_hits = c->store_sectors[true];
    n.accesses = n.loads + n.stores;
    n.hits = n.load_hits + n.store_hits;
    n.misses = n.load_misses + c->stores[false];
    n.stall_mshr = c->refusals[L1_NO_MSHR];
    n.stall_merge = c->refusals[L1_NO_MERGE];
    n.stall_line = c->refusals[L1_NO_LINE];
    n.stall_missq = c->refusals[L1_NO_QUEUE];
    n.stall_gate = c->refusals[L1_GATED];
    n.stall_order = c->refusals[L1_ORDER];
    return n;
}

uint64_t l1_stall_cycles(const struct l1 *c)
{
    uint64_t sum = 0;
    for (unsigned i = L1_NO_MSHR; i < L1_AGAIN; i++) sum += c->refusals[i];
    return sum;
}

const uint64_t *l1_policy_counters(const struct l1 *c) { return c->pol.cache.count; }

uint64_t l1_storage_bits(const struct l1 *c) { return policy_storage_bits(&c->pol); }

bool l1_next_line(const struct l1 *c, size_t *at, uint64_t *line)
{
    const struct tags *t = &c->tags;
    size_t lines = (size_t)t->sets * t->ways;
    while (*at < lines && !t->sectors[*at].valid) ++*at;
    if (*at == lines) return false;
    *line = t->line[(*at)++];
    return true;
}

/* ---- consistency checks ---- */

static void walk_line(const struct l1 *c, uint32_t set, uint32_t at)
{
    const struct tags *t = &c->tags;
    const struct line_sectors *l = &t->sectors[at];
    unsigned state = WL_STATE(t->state[at]);
    WL_VERIFY(!(l->valid & l->pending) && !(l->dirty & ~(l->valid | l->pending)));
    WL_VERIFY(state != WL_INVALID || !l->valid);
    WL_VERIFY((state == WL_RESERVED) == (l->mshr != NO_MSHR) && (state == WL_RESERVED) == (l->pending != 0));
    WL_VERIFY(l->mshr == NO_MSHR || (l->mshr < c->mshr.entries && c->mshr.entry[l->mshr].at == at));
    WL_VERIFY(state == WL_INVALID || t->infinite ||
              (at - set * t->ways < t->in_use && tags_set(t, t->line[at]) == set &&
               tags_find(t, set, t->line[at]) == (int)at));
}

void l1_walk(const struct l1 *c)
{
    const struct tags *t = &c->tags;
    uint32_t queued = 0, reserved = 0;
    for (const struct req *r = c->missq.head; r; r = r->next) queued++;
    WL_VERIFY(queued == c->missq_used && queued <= c->missq_cap && c->prefetch.used <= c->prefetch.capacity);
    WL_VERIFY(l1_has_fifo(c) || mshr_count_free(&c->mshr) + c->mshr.used == c->mshr.entries);
    if (c->grains) return;
    uint32_t under_way = 0;
    for (uint32_t i = 0; i < c->fifo.used; i++) under_way += !c->fifo.entry[(c->fifo.head + i) % c->fifo.capacity].r;
    WL_VERIFY(c->fifo.used <= c->fifo.capacity);
    for (uint32_t set = 0; set < t->sets; set++) {
        uint32_t filled = 0;
        for (uint32_t at = set * t->ways; at < (set + 1) * t->ways; at++) {
            walk_line(c, set, at);
            filled += WL_STATE(t->state[at]) != WL_INVALID;
            reserved += WL_STATE(t->state[at]) == WL_RESERVED;
        }
        WL_VERIFY(t->infinite || filled == t->filled[set]);
    }
    WL_VERIFY(reserved + c->late_used + under_way == c->mshr.used);
}
