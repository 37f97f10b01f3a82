#include "mem/l1_priv.h"

#include <stdlib.h>

#include "base/bits.h"

/* The tag store of a scheme that wants grains. */
static int make_grains(struct l1 *c, const struct l1_shape *shape, struct wl_err *e)
{
    enum { WORST = 5 }; /* a line of four dirty grains goes, and the fetch */
    const char *name = c->policy->name;
    if (shape->infinite || shape->sectored)
        return wl_fail(e, WL_EINPUT, "policy %s has tags of its own; set l1d.%s=no", name,
                       shape->infinite ? "infinite" : "sectored");
    if (shape->missq < WORST)
        return wl_fail(e, WL_EINPUT, "policy %s may send %d packets for one miss; l1d.missq = %u holds fewer", name,
                       WORST, shape->missq);
    struct wl_grains wish = {0};
    c->policy->grains(c->self, &wish);
    c->grains = grain_create(shape->sets, shape->ways, &wish);
    return c->grains ? 0 : wl_fail(e, WL_ERUN, "out of memory");
}

int l1_init(struct l1 *c, const struct l1_shape *shape, const struct cache_choice *choice, const struct wl_geometry *g,
            struct req_pool *pool, struct wl_err *e)
{
    *c = (struct l1){.policy = choice->policy,
                     .pool = pool,
                     .missq_cap = shape->missq,
                     .sectored = shape->sectored,
                     .half_lines = shape->half_lines,
                     .bypass_lines = shape->bypass_lines,
                     .update = shape->update,
                     .perfect = shape->perfect,
                     .origin = shape->origin,
                     .sm = (uint8_t)g->index};
    const struct wl_cache_policy *p = choice->policy;
    c->steady =
        !p->decide && !p->load_done && !p->warp_launch && !p->warp_exit && !p->leave_loop && !p->on_reply && !p->grains;
    list_init(&c->missq);
    if (tags_init(&c->tags, shape->sets, shape->ways, shape->index, shape->infinite) ||
        mshr_init(&c->mshr, shape->mshr, shape->merge))
        return wl_fail(e, WL_ERUN, "out of memory");
    struct wl_geometry geo = *g;
    geo.level = WL_L1;
    geo.sets = shape->sets;
    geo.ways = shape->ways;
    geo.line_bytes = LINE_BYTES;
    const char *why = "out of memory";
    c->self = c->policy->create(&geo, choice->values, &why);
    if (!c->self) return wl_fail(e, WL_EINPUT, "policy %s cannot manage this L1D: %s", c->policy->name, why);
    return c->policy->grains ? make_grains(c, shape, e) : 0;
}

void l1_destroy(struct l1 *c)
{
    if (c->self && c->policy->destroy) c->policy->destroy(c->self);
    tags_destroy(&c->tags);
    grain_destroy(c->grains);
    mshr_destroy(&c->mshr);
}

_Static_assert((int)L1_HIT == (int)LOAD_HIT && (int)L1_MERGED == (int)LOAD_MERGED &&
                   (int)L1_MISSED == (int)LOAD_MISSED && (int)L1_BYPASSED == (int)LOAD_BYPASSED,
               "an accepted load is told to the observer as it is");

/* The number a line goes by in this cache's tags. */
static uint64_t line_key(const struct l1 *c, const struct req *r)
{
    return c->half_lines ? r->line * 2 + (r->sectors > 3) : r->line;
}

static void describe(const struct req *r, uint64_t key, uint32_t set, uint64_t cycle, struct wl_access *a)
{
    *a = (struct wl_access){.line = key,
                            .cycle = cycle,
                            .set = set,
                            .pc = r->pc,
                            .warp = r->warp,
                            .rank = r->rank,
                            .kind = r->kind,
                            .space = r->space,
                            .sectors = r->touched,
                            .lanes = r->lanes,
                            .number = r->number,
                            .sm = r->sm,
                            .nvm = r->nvm,
                            .load = r->kind == WL_LOAD ? r->load : NULL};
}

/* ---- stores ---- */

static enum l1_outcome store(struct l1 *c, struct req *r, uint64_t key, uint32_t set, uint64_t cycle)
{
    int at = tags_find(&c->tags, set, key);
    bool hit = at >= 0 && WL_STATE(c->tags.state[at]) == WL_VALID;
    if (hit && r->space == WL_LOCAL && (c->tags.sectors[at].valid & r->sectors) == r->sectors) {
        c->tags.state[at] |= WL_DIRTY; /* written back when evicted */
        c->tags.sectors[at].dirty |= r->sectors;
        r->is_reply = true;
    } else {
        if (!missq_room(c, 1)) return L1_NO_QUEUE;
        if (hit && !c->update) {
            tags_invalidate(&c->tags, set, (uint32_t)at);
            if (c->observer) observe_kill(c->observer, key);
            if (c->policy->on_kill && !c->tags.infinite)
                c->policy->on_kill(c->self, set, (uint32_t)at - set * c->tags.ways);
        }
        if (c->policy->on_store && ((hit && !c->update) || at < 0)) {
            struct wl_access a;
            describe(r, key, set, cycle, &a);
            c->policy->on_store(c->self, &a);
        }
        send(c, r);
    }
    c->stats.accesses++;
    c->stats.stores++;
    c->stats.hits += hit;
    c->stats.store_hits += hit;
    c->stats.misses += !hit;
    return L1_STORED;
}

/* Atomics are done at the L2 and leave no trace here; they are not L1D accesses. */
static enum l1_outcome pass_atomic(struct l1 *c, struct req *r)
{
    if (!missq_room(c, 1)) return L1_NO_QUEUE;
    send(c, r);
    return L1_STORED;
}

/* ---- loads ---- */

static enum l1_outcome bypass(struct l1 *c, struct req *r, const struct wl_access *a)
{
    if (!missq_room(c, 1)) return L1_NO_QUEUE;
    bool own_wish = r->bypass;
    r->bypass = true;
    r->sectors = c->bypass_lines ? ALL_SECTORS : r->touched;
    if (c->policy->on_bypass && !own_wish) c->policy->on_bypass(c->self, a);
    if (c->policy->request_note && !own_wish) r->note = c->policy->request_note(c->self, a);
    send(c, r);
    c->stats.accesses++;
    c->stats.loads++;
    c->stats.bypasses++;
    return L1_BYPASSED;
}

static enum l1_outcome hit(struct l1 *c, const struct wl_access *a, uint32_t at, bool merged)
{
    if (c->policy->on_hit && !c->tags.infinite) c->policy->on_hit(c->self, a, at - a->set * c->tags.ways, merged);
    c->stats.accesses++;
    c->stats.loads++;
    if (merged) {
        c->stats.hits_reserved++;
        return L1_MERGED;
    }
    c->stats.hits++;
    c->stats.load_hits++;
    return L1_HIT;
}

/* The request itself fetches `sectors`; those that merge with it wait in its MSHR entry. */
static void fetch(struct l1 *c, struct req *r, const struct wl_access *a, uint32_t m, uint8_t sectors)
{
    if (c->policy->request_note) r->note = c->policy->request_note(c->self, a);
    r->mshr = (uint16_t)m;
    r->sectors = sectors;
    send(c, r);
}

void l1_write_back(struct l1 *c, uint64_t line, uint8_t sectors)
{
    struct req *w = req_alloc(c->pool);
    req_clear(w);
    w->line = line;
    w->kind = WL_WRITEBACK;
    w->space = WL_LOCAL;
    w->origin = c->origin;
    w->sectors = w->touched = sectors;
    w->sm = c->sm;
    for (unsigned s = 0; s < LINE_SECTORS; s++)
        if (w->sectors >> s & 1) w->bytes[s >> 1] |= UINT64_C(0xffffffff) << (32 * (s & 1));
    send(c, w);
    c->stats.writebacks++;
}

/* Takes the way `at` for the request's line. */
static void reserve(struct l1 *c, struct req *r, const struct wl_access *a, uint32_t at, uint8_t sectors)
{
    struct tags *t = &c->tags;
    if (!t->infinite) {
        if (WL_STATE(t->state[at]) == WL_VALID) {
            if (c->policy->on_evict) c->policy->on_evict(c->self, a, at - a->set * t->ways, t->line[at], t->state[at]);
            c->stats.evictions++;
            if (c->observer) observe_evict(c->observer, a, t->line[at]);
            if (t->sectors[at].dirty) l1_write_back(c, t->line[at], t->sectors[at].dirty);
        }
        if (c->policy->on_insert) c->policy->on_insert(c->self, a, at - a->set * t->ways);
    }
    tags_take(t, a->set, at, a->line);
    t->state[at] = WL_RESERVED;
    t->sectors[at] = (struct line_sectors){.mshr = mshr_alloc(&c->mshr, at), .pending = sectors};
    c->mshr.entry[t->sectors[at].mshr].count = 1;
    fetch(c, r, a, t->sectors[at].mshr, sectors);
}

static enum l1_outcome missed(struct l1 *c)
{
    c->stats.accesses++;
    c->stats.loads++;
    c->stats.misses++;
    c->stats.load_misses++;
    return L1_MISSED;
}

/* The line is not there at all. */
static enum l1_outcome miss(struct l1 *c, struct req *r, const struct wl_access *a, uint8_t want)
{
    struct tags *t = &c->tags;
    int at;
    if (t->infinite) {
        if (mshr_full(&c->mshr)) return L1_NO_MSHR;
        if (!missq_room(c, 1)) return L1_NO_QUEUE;
        at = tags_find_infinite(t, a->line); /* a store may have invalidated it */
        if (at < 0) at = tags_add_infinite(t, a->line);
        if (at < 0) return L1_NO_LINE;
    } else {
        struct wl_set s = tags_view(t, a->set);
        int way = c->policy->victim(c->self, a, &s);
        if (way == WL_NO_WAY_BYPASS) {
            enum l1_outcome past = bypass(c, r, a);
            c->stats.bypass_lookups += past == L1_BYPASSED;
            return past;
        }
        if (way < 0) return L1_NO_LINE;
        at = (int)(a->set * t->ways) + way;
        if (mshr_full(&c->mshr)) return L1_NO_MSHR;
        if (!missq_room(c, t->sectors[at].dirty ? 2 : 1)) return L1_NO_QUEUE;
    }
    reserve(c, r, a, (uint32_t)at, want);
    return missed(c);
}

/* The line is there but some wanted sectors are not: fetch what is neither valid nor on its way. */
static enum l1_outcome sector_miss(struct l1 *c, struct req *r, const struct wl_access *a, uint32_t at, uint8_t want)
{
    struct tags *t = &c->tags;
    struct line_sectors *l = &t->sectors[at];
    uint8_t fetch_mask = (uint8_t)(want & ~l->valid & ~l->pending);
    if (l->mshr == NO_MSHR) {
        if (mshr_full(&c->mshr)) return L1_NO_MSHR;
        if (!missq_room(c, 1)) return L1_NO_QUEUE;
        l->mshr = mshr_alloc(&c->mshr, at);
        t->state[at] = (uint8_t)((t->state[at] & ~3) | WL_RESERVED);
    } else {
        if (!mshr_can_merge(&c->mshr, l->mshr)) return L1_NO_MERGE;
        if (fetch_mask && !missq_room(c, 1)) return L1_NO_QUEUE;
    }
    if (!fetch_mask) {
        mshr_wait(&c->mshr, l->mshr, r);
        return hit(c, a, at, true);
    }
    l->pending |= fetch_mask;
    c->mshr.entry[l->mshr].count++;
    fetch(c, r, a, l->mshr, fetch_mask);
    if (c->policy->on_hit && !t->infinite) c->policy->on_hit(c->self, a, at - a->set * t->ways, true);
    return missed(c);
}

static enum l1_outcome load(struct l1 *c, struct req *r, struct wl_access *a, bool may_miss)
{
    if (c->perfect) {
        c->stats.accesses++;
        c->stats.loads++;
        c->stats.hits++;
        c->stats.load_hits++;
        return L1_HIT;
    }
    if (r->bypass || (c->policy->decide && c->policy->decide(c->self, a) == WL_BYPASS))
        return may_miss ? bypass(c, r, a) : L1_GATED;
    if (c->grains) return grain_load(c, r, a, may_miss);
    struct tags *t = &c->tags;
    uint8_t want = c->sectored ? r->touched : c->half_lines ? (r->sectors > 3 ? 12 : 3) : ALL_SECTORS;
    int at = tags_find(t, a->set, a->line);
    unsigned state = at < 0 ? WL_INVALID : WL_STATE(t->state[at]);
    if (state != WL_INVALID && (t->sectors[at].valid & want) == want) return hit(c, a, (uint32_t)at, false);
    if (state == WL_RESERVED && !(want & ~t->sectors[at].valid & ~t->sectors[at].pending)) {
        if (c->gate_merges && !may_miss) return L1_GATED;
        if (!mshr_can_merge(&c->mshr, t->sectors[at].mshr)) return L1_NO_MERGE;
        mshr_wait(&c->mshr, t->sectors[at].mshr, r);
        return hit(c, a, (uint32_t)at, true);
    }
    if (!may_miss) return L1_GATED;
    return state == WL_INVALID ? miss(c, r, a, want) : sector_miss(c, r, a, (uint32_t)at, want);
}

static enum l1_outcome access(struct l1 *c, struct req *r, uint64_t key, uint32_t set, uint64_t cycle, bool may_miss)
{
    if (r->kind == WL_STORE && !c->grains) return may_miss ? store(c, r, key, set, cycle) : L1_GATED;
    if (r->kind == WL_ATOMIC) return may_miss ? pass_atomic(c, r) : L1_GATED;
    struct wl_access a;
    describe(r, key, set, cycle, &a);
    if (r->kind == WL_STORE) return may_miss ? grain_store(c, r, &a) : L1_GATED;
    enum l1_outcome outcome = load(c, r, &a, may_miss);
    if (c->observer && !l1_refused(outcome))
        observe_request(c->observer, &a, (enum load_outcome)outcome, r->sectors); /* a miss: what it fetches */
    return outcome;
}

enum l1_outcome l1_access(struct l1 *c, struct req *r, uint64_t cycle, bool may_miss)
{
    uint64_t key = line_key(c, r);
    uint32_t set = tags_set(&c->tags, key);
    enum l1_outcome outcome = access(c, r, key, set, cycle, may_miss);
    if (l1_refused(outcome)) {
        c->refused = outcome;
        c->refused_at = set * c->tags.ways;
        c->changed = false;
    }
    return outcome;
}

/* What a fill can lift: a missing MSHR, and whatever the state of the filled set was the reason of. */
static void note_fill(struct l1 *c, uint32_t at)
{
    c->changed |= c->refused == L1_NO_MSHR || c->tags.infinite || at - c->refused_at < c->tags.ways;
}

bool l1_would_hit(const struct l1 *c, uint64_t line, uint8_t sectors)
{
    const struct tags *t = &c->tags;
    if (c->grains) {
        struct grain_want w = grain_want(c->grains, line, tags_set(t, line), sectors);
        struct grain_place p;
        return grain_lookup(c->grains, &w, &p) == GRAIN_HIT;
    }
    int at = tags_find(t, tags_set(t, line), line);
    uint8_t want = c->sectored ? sectors : ALL_SECTORS;
    return at >= 0 && WL_STATE(t->state[at]) != WL_INVALID && (t->sectors[at].valid & want) == want;
}

void l1_fill(struct l1 *c, struct req *reply, struct req_list *done)
{
    if (c->policy->on_reply && reply->note) c->policy->on_reply(c->self, reply->note);
    if (c->grains) {
        grain_fill(c, reply, done);
        return;
    }
    struct tags *t = &c->tags;
    uint32_t m = reply->mshr, at = c->mshr.entry[m].at;
    note_fill(c, at);
    struct line_sectors *l = &t->sectors[at];
    l->valid |= reply->sectors;
    l->pending &= (uint8_t)~reply->sectors;
    if (l->pending) { /* other sectors of the line are still on their way */
        list_push(&c->mshr.entry[m].waiting, reply);
        return;
    }
    list_push(done, reply);
    t->state[at] = (uint8_t)((t->state[at] & ~3) | WL_VALID);
    l->mshr = NO_MSHR;
    list_join(done, &c->mshr.entry[m].waiting);
    mshr_release(&c->mshr, m);
    c->stats.fills++;
    if (c->policy->on_fill && !t->infinite) c->policy->on_fill(c->self, at / t->ways, at % t->ways);
}

void l1_add_stats(const struct l1 *c, struct l1d_stats *out)
{
    stats_add(out, &c->stats, sizeof *out);
    out->stall_mshr += c->refusals[L1_NO_MSHR];
    out->stall_merge += c->refusals[L1_NO_MERGE];
    out->stall_line += c->refusals[L1_NO_LINE];
    out->stall_missq += c->refusals[L1_NO_QUEUE];
    out->stall_gate += c->refusals[L1_GATED];
    out->stall_order += c->refusals[L1_ORDER];
}

void l1_flush(struct l1 *c)
{
    struct tags *t = &c->tags;
    for (uint32_t set = 0; set < t->sets && !t->infinite; set++)
        for (uint32_t way = 0; way < t->ways; way++)
            if (WL_STATE(t->state[set * t->ways + way]) == WL_VALID && c->policy->on_kill)
                c->policy->on_kill(c->self, set, way);
    if (c->policy->on_flush) c->policy->on_flush(c->self);
    if (c->observer) observe_flush(c->observer);
    tags_clear(t);
    if (c->grains) grain_clear(c->grains);
}

void l1_set_ways(struct l1 *c, uint32_t ways)
{
    struct tags *t = &c->tags;
    if (t->infinite) return;
    for (uint32_t set = 0; set < t->sets; set++) {
        for (uint32_t way = 0; way < t->ways; way++) {
            uint32_t at = set * t->ways + way;
            bool off = WL_STATE(t->state[at]) == WL_RESERVED; /* idle: nothing is on its way */
            if (way < ways && off) {
                t->state[at] = WL_INVALID;
                t->filled[set]--;
            } else if (way >= ways && !off) {
                if (WL_STATE(t->state[at]) == WL_VALID) {
                    if (c->policy->on_kill) c->policy->on_kill(c->self, set, way);
                    tags_invalidate(t, set, at);
                }
                t->state[at] = WL_RESERVED;
                t->filled[set]++;
            }
        }
    }
}

/* ---- for the SM ---- */

uint64_t l1_stall_cycles(const struct l1 *c)
{
    uint64_t sum = 0;
    for (unsigned i = L1_NO_MSHR; i < L1_AGAIN; i++) sum += c->refusals[i];
    return sum;
}

void l1_read_counters(const struct l1 *c, uint64_t out[WL_MAX_POLICY_COUNTERS])
{
    if (c->policy->read_counters) c->policy->read_counters(c->self, out);
}

uint64_t l1_storage_bits(const struct l1 *c) { return c->policy->storage_bits ? c->policy->storage_bits(c->self) : 0; }

bool l1_next_line(const struct l1 *c, size_t *at, uint64_t *line)
{
    const struct tags *t = &c->tags;
    size_t lines = (size_t)t->sets * t->ways;
    while (*at < lines && !t->sectors[*at].valid) ++*at;
    if (*at == lines) return false;
    *line = t->line[(*at)++];
    return true;
}
