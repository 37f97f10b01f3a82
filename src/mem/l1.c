#include "mem/l1_priv.h"

#include "base/bits.h"
#include "warpline/policy_notes.h"

/* ---- requests as policies see them ---- */

/* The number under which this cache's tags know the line. */
static uint64_t line_key(const struct l1 *c, const struct req *r)
{
    return c->half_lines ? r->line * 2 + (r->sectors > 3) : r->line;
}

static void l1_describe_access(const struct req *r, uint64_t key, uint32_t set, uint64_t cycle, struct wl_access *a)
{
    *a = (struct wl_access){.line = key,
                            .cycle = cycle,
                            .set = set,
                            .pc = r->pc,
                            .cta = r->load ? r->load->cta : UINT32_MAX,
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

/* ---- atomics ---- */

/* Atomics are done at the L2 and leave no trace here; they are not L1D accesses. */
static enum l1_outcome pass_atomic(struct l1 *c, struct req *r)
{
    l1_send(c, r);
    return L1_STORED;
}

/* ---- loads ---- */

static void write_note(struct l1 *c, struct req *r, const struct wl_access *a)
{
    const struct wl_note_hooks *h = c->pol.policy->notes;
    if (h && h->request) r->note = h->request(&c->pol.cache, a);
}

/* `by_policy`: the policy decided it; bypasses because of a cache operator are not reported to the policy. */
static enum l1_outcome l1_bypass(struct l1 *c, struct req *r, const struct wl_access *a, bool by_policy)
{
    if (!l1_missq_room(c, 1)) return L1_NO_QUEUE;
    r->bypass = true;
    r->sectors = c->bypass_lines ? ALL_SECTORS : r->touched;
    if (by_policy) {
        policy_access(&c->pol, a, WL_BYPASSED, -1);
        write_note(c, r, a);
    }
    l1_send(c, r);
    return L1_BYPASSED;
}

/* The first load that meets a prefetched line makes the prefetch a useful one. */
static void note_useful(struct l1 *c, uint32_t at)
{
    if (!c->tags.sectors[at].prefetched) return;
    c->tags.sectors[at].prefetched = false;
    c->stats.prefetch_uses++;
}

static enum l1_outcome l1_hit(struct l1 *c, const struct wl_access *a, uint32_t at)
{
    note_useful(c, at);
    l1_report_access(c, a, WL_HIT, (int)at);
    return L1_HIT;
}

/* The request waits for a fetch that is under way. */
static enum l1_outcome l1_merge(struct l1 *c, struct req *r, const struct wl_access *a, uint32_t at)
{
    note_useful(c, at);
    if (c->by_sector) mshr_join(&c->mshr, c->tags.sectors[at].mshr, r->touched, r);
    else mshr_wait(&c->mshr, c->tags.sectors[at].mshr, r);
    l1_report_access(c, a, WL_MERGED, (int)at);
    return L1_MERGED;
}

/* The request itself fetches `sectors`; those that merge with it wait in its MSHR entry. */
static void l1_fetch(struct l1 *c, struct req *r, const struct wl_access *a, uint32_t m, uint8_t sectors)
{
    write_note(c, r, a);
    r->mshr = (uint16_t)m;
    r->sectors = sectors;
    l1_send(c, r);
}

void l1_write_back(struct l1 *c, uint64_t line, uint8_t sectors)
{
    struct req *w = req_alloc(c->pool);
    req_clear(w);
    w->line = line;
    w->kind = WL_WRITEBACK;
    w->space = WL_LOCAL;
    w->cache = c->id;
    w->sectors = w->touched = sectors;
    w->sm = c->sm;
    for (unsigned s = 0; s < LINE_SECTORS; s++)
        if (w->sectors >> s & 1) w->bytes[s >> 1] |= UINT64_C(0xffffffff) << (32 * (s & 1));
    l1_send(c, w);
    c->stats.writebacks++;
}

/* Takes the way `at` for the request's line. */
static inline void l1_reserve(struct l1 *c, struct req *r, const struct wl_access *a, uint32_t at, uint8_t sectors)
{
    struct tags *t = &c->tags;
    WL_ASSERT(WL_STATE(t->state[at]) != WL_RESERVED && t->sectors[at].mshr == NO_MSHR && !t->sectors[at].pending);
    if (!t->infinite && WL_STATE(t->state[at]) == WL_VALID) l1_evict_line(c, a, at);
    l1_report_access(c, a, WL_MISSED, (int)at);
    tags_take(t, a->set, at, a->line);
    t->state[at] = WL_RESERVED;
    t->sectors[at] = (struct line_sectors){.mshr = mshr_alloc(&c->mshr, at), .pending = sectors};
    c->mshr.entry[t->sectors[at].mshr].count = 1;
    if (c->by_sector) sector_fetched(c, t->sectors[at].mshr, sectors, true);
    l1_fetch(c, r, a, t->sectors[at].mshr, sectors);
}

/* A place for a line of the infinite cache; -1: no memory for more. */
static int infinite_place(struct tags *t, uint64_t line)
{
    int at = tags_find_infinite(t, line); /* a store may have invalidated it */
    return at < 0 ? tags_add_infinite(t, line) : at;
}

/* Where a line that is not there may go: L1_MISSED and *at, L1_BYPASSED (it may not), or the reason to wait. */
static inline enum l1_outcome find_place(struct l1 *c, const struct wl_access *a, uint32_t *at)
{
    struct tags *t = &c->tags;
    if (!t->infinite) {
        struct wl_set s = tags_view(t, a->set);
        int way = policy_victim(&c->pol, a, &s);
        if (way < 0) return way == WL_NO_WAY_BYPASS ? L1_BYPASSED : L1_NO_LINE;
        *at = a->set * t->ways + (uint32_t)way;
    }
    if (mshr_full(&c->mshr)) return L1_NO_MSHR;
    if (!l1_missq_room(c, c->worst || (!t->infinite && t->sectors[*at].dirty) ? 2 : 1)) return L1_NO_QUEUE;
    if (t->infinite) {
        int place = infinite_place(t, a->line);
        if (place < 0) return L1_NO_LINE;
        *at = (uint32_t)place;
    }
    return L1_MISSED;
}

/* The line is not there at all. */
static enum l1_outcome l1_miss(struct l1 *c, struct req *r, const struct wl_access *a, uint8_t want)
{
    uint32_t at = 0;
    enum l1_outcome place = find_place(c, a, &at);
    if (place == L1_BYPASSED) {
        place = l1_bypass(c, r, a, true);
        c->stats.bypass_lookups += place == L1_BYPASSED;
    } else if (place == L1_MISSED) {
        l1_reserve(c, r, a, at, want);
    }
    return place;
}

/* The request is accepted with this outcome, and all its sectors will be counted as such; some of them fared better. */
static void count_parts(struct l1 *c, uint8_t sectors, const struct line_sectors *l, enum l1_outcome outcome)
{
    unsigned valid = bit_count32(sectors & l->valid), pending = bit_count32(sectors & l->pending & ~(uint32_t)l->valid);
    c->load_sectors[L1_HIT] += valid;
    c->load_sectors[outcome] -= valid;
    c->load_sectors[L1_MERGED] += pending;
    c->load_sectors[outcome] -= pending;
}

/* The line is there but some wanted sectors are not: fetch what is neither valid nor on its way. */
static enum l1_outcome sector_miss(struct l1 *c, struct req *r, const struct wl_access *a, uint32_t at, uint8_t want)
{
    struct tags *t = &c->tags;
    struct line_sectors *l = &t->sectors[at];
    uint8_t fetch_mask = (uint8_t)(want & ~l->valid & ~l->pending);
    if (l->mshr == NO_MSHR) {
        if (mshr_full(&c->mshr)) return L1_NO_MSHR;
        if (!l1_missq_room(c, c->worst ? 2 : 1)) return L1_NO_QUEUE;
        l->mshr = mshr_alloc(&c->mshr, at);
        t->state[at] = (uint8_t)((t->state[at] & ~3) | WL_RESERVED);
    } else {
        if (c->by_sector ? mshr_full(&c->mshr) : !mshr_can_merge(&c->mshr, l->mshr))
            return c->by_sector ? L1_NO_MSHR : L1_NO_MERGE;
        if (c->worst ? !l1_missq_room(c, 2) : fetch_mask && !l1_missq_room(c, 1)) return L1_NO_QUEUE;
    }
    bool merges = !fetch_mask;
    count_parts(c, a->sectors, l, merges ? L1_MERGED : L1_MISSED);
    if (merges) return l1_merge(c, r, a, at);
    bool first = !l->pending;
    l->pending |= fetch_mask;
    c->mshr.entry[l->mshr].count++;
    if (c->by_sector) sector_fetched(c, l->mshr, fetch_mask, first);
    l1_report_access(c, a, WL_MERGED, (int)at);
    l1_fetch(c, r, a, l->mshr, fetch_mask);
    return L1_MISSED;
}

/* ---- tags and data decoupled: l1t.fifo ---- */

/* The line that the load misses is there as far as the tags are concerned: whoever wants it waits behind. */
static void take_at_once(struct l1 *c, const struct wl_access *a)
{
    struct tags *t = &c->tags;
    struct wl_set ways = tags_view(t, a->set);
    uint32_t at = a->set * t->ways + (uint32_t)policy_victim(&c->pol, a, &ways);
    if (WL_STATE(t->state[at]) == WL_VALID) l1_report_leave(c, a->set, at, WL_EVICTED, a);
    c->stats.evictions += WL_STATE(t->state[at]) == WL_VALID;
    l1_report_access(c, a, WL_MISSED, (int)at);
    tags_take(t, a->set, at, a->line);
    t->state[at] = WL_VALID;
    t->sectors[at] = (struct line_sectors){.mshr = NO_MSHR, .valid = ALL_SECTORS};
}

static enum l1_outcome fifo_load(struct l1 *c, struct req *r, const struct wl_access *a, bool may_miss)
{
    struct fragment_fifo *f = &c->fifo;
    int at = tags_find(&c->tags, a->set, a->line);
    if (at < 0 && !may_miss) return L1_GATED;
    if (f->used == f->capacity || !l1_missq_room(c, 1)) return L1_NO_QUEUE;
    if (mshr_full(&c->mshr)) return L1_NO_MSHR;
    uint32_t place = (f->head + f->used++) % f->capacity;
    f->entry[place].r = at < 0 ? NULL : r;
    if (at >= 0) {
        l1_report_access(c, a, WL_HIT, at);
        return L1_MERGED; /* with those before it */
    }
    take_at_once(c, a);
    c->mshr.used++; /* only how many: what waits is in the FIFO */
    l1_fetch(c, r, a, place, ALL_SECTORS);
    return L1_MISSED;
}

void l1_take_ready(struct l1 *c, struct req_list *done)
{
    struct fragment_fifo *f = &c->fifo;
    for (; f->used && f->entry[f->head].r; f->used--) {
        list_push(done, f->entry[f->head].r);
        f->head = f->head + 1 == f->capacity ? 0 : f->head + 1;
    }
}

static void fifo_fill(struct l1 *c, struct req *reply, struct req_list *done)
{
    WL_ASSERT(c->mshr.used && !c->fifo.entry[reply->mshr].r);
    c->fifo.entry[reply->mshr].r = reply;
    c->mshr.used--;
    c->changed = true;
    c->stats.fills++;
    l1_take_ready(c, done);
}

static enum l1_outcome l1_load(struct l1 *c, struct req *r, struct wl_access *a, bool may_miss)
{
    if (c->odd && !(c->perfect && r->bypass)) return c->perfect ? L1_HIT : fifo_load(c, r, a, may_miss);
    bool by_operator = r->bypass;
    if (by_operator || policy_bypasses(&c->pol, a)) return may_miss ? l1_bypass(c, r, a, !by_operator) : L1_GATED;
    if (c->grains) return grain_load(c, r, a, may_miss);
    struct tags *t = &c->tags;
    uint8_t want = c->sectored ? r->touched : c->half_lines ? (r->sectors > 3 ? 12 : 3) : ALL_SECTORS;
    int at = tags_find(t, a->set, a->line);
    if (at >= 0 && (t->sectors[at].valid & want) == want) return l1_hit(c, a, (uint32_t)at); /* it is not INVALID */
    unsigned state = at < 0 ? WL_INVALID : WL_STATE(t->state[at]);
    if (state == WL_RESERVED && !(want & ~t->sectors[at].valid & ~t->sectors[at].pending)) {
        if (c->gate_merges && !may_miss) return L1_GATED;
        if (c->worst && !l1_missq_room(c, 2)) return L1_NO_QUEUE;
        if (!l1_can_merge(c, t->sectors[at].mshr, want)) return L1_NO_MERGE;
        return l1_merge(c, r, a, (uint32_t)at);
    }
    if (!may_miss) return L1_GATED;
    return state == WL_INVALID ? l1_miss(c, r, a, want) : sector_miss(c, r, a, (uint32_t)at, want);
}

/* ---- a request is presented ---- */

enum l1_outcome l1_access(struct l1 *c, struct req *r, uint64_t cycle, bool may_miss)
{
    if (c->usual && r->kind == WL_LOAD && !r->bypass) {
        enum l1_outcome usual = l1_usual_load(c, r, cycle, may_miss);
        if (usual != L1_AGAIN) return usual;
    }
    uint64_t key = line_key(c, r);
    uint32_t set = tags_set(&c->tags, key);
    enum wl_kind kind = (enum wl_kind)r->kind; /* read now: an accepted request may have been freed */
    c->busy_at = cycle;
    if (kind != WL_LOAD && !may_miss) return l1_note_refusal(c, L1_GATED, set);
    if (kind == WL_ATOMIC) return l1_missq_room(c, 1) ? pass_atomic(c, r) : l1_note_refusal(c, L1_NO_QUEUE, set);
    struct wl_access a;
    bool found = false;
    l1_describe_access(r, key, set, cycle, &a);
    enum l1_outcome outcome = kind == WL_LOAD ? l1_load(c, r, &a, may_miss)
                              : c->grains     ? grain_store(c, r, &a, &found)
                                              : l1_store(c, r, &a, &found);
    if (l1_refused(outcome)) {
        l1_note_refusal(c, outcome, set);
        if (kind == WL_LOAD && c->worst && c->waits && !r->bypass) c->missq_wanted = 2;
        return outcome;
    }
    c->warp = a.warp;
    unsigned sectors = bit_count32(a.sectors);
    if (kind == WL_LOAD) { /* the one place where accesses are counted */
        c->loads[outcome]++;
        c->load_sectors[outcome] += sectors;
    } else {
        c->stores[found]++;
        c->store_sectors[found] += sectors;
    }
    if (c->observer && kind == WL_LOAD)
        c->observer->request(c->observer, &a, outcome, r->sectors); /* a miss: what it fetches */
    return outcome;
}

/* Only a line or an entry of the MSHRs that is free would help, and neither will be before something comes back. */
enum l1_outcome l1_foresee(struct l1 *c, const struct req *r, uint64_t cycle)
{
    const struct tags *t = &c->tags;
    bool event = c->next_event <= cycle; /* for one that only waits for ways it is an entry that becomes free */
    if (!c->foresees || r->kind != WL_LOAD || r->bypass) return L1_HIT;
    if (event && (!c->waits || c->pol.next_epoch <= cycle)) return L1_HIT;
    uint64_t key = line_key(c, r);
    uint32_t set = tags_set(t, key);
    bool full = mshr_full(&c->mshr) && !event, reserved = tags_all_reserved(t, set);
    if (!(full || reserved) || tags_find(t, set, key) >= 0) return L1_HIT;
    if (c->waits) return l1_note_refusal(c, reserved ? L1_NO_LINE : L1_NO_MSHR, set);
    struct wl_access a;
    l1_describe_access(r, key, set, cycle, &a);
    struct wl_set ways = tags_view(t, set);
    int way = policy_victim(&c->pol, &a, &ways);
    enum l1_outcome why = way == WL_NO_WAY_STALL ? L1_NO_LINE : way >= 0 && full ? L1_NO_MSHR : L1_HIT;
    return why == L1_HIT ? why : l1_note_refusal(c, why, set);
}

/* ---- prefetches ---- */

static struct req *make_prefetch(struct l1 *c, uint64_t line)
{
    struct req *r = req_alloc(c->pool);
    req_clear(r);
    r->line = line;
    r->kind = WL_LOAD;
    r->cache = c->id;
    r->sm = c->sm;
    r->warp = (uint8_t)c->warp;
    r->touched = ALL_SECTORS;
    r->prefetch = true;
    return r;
}

/* Whether the line can leave the queue: it is being fetched, or no longer wanted. */
static __attribute__((noinline, cold)) bool try_prefetch(struct l1 *c, uint64_t line, uint64_t cycle)
{
    struct tags *t = &c->tags;
    struct wl_access a = {.line = line,
                          .cycle = cycle,
                          .set = tags_set(t, line),
                          .cta = UINT32_MAX,
                          .warp = c->warp,
                          .kind = WL_PREFETCH,
                          .sectors = ALL_SECTORS,
                          .sm = c->sm};
    int found = tags_find(t, a.set, line);
    uint32_t at = 0;
    enum l1_outcome place =
        found >= 0 && WL_STATE(t->state[found]) != WL_INVALID ? L1_BYPASSED : find_place(c, &a, &at);
    if (l1_refused(place)) return false;
    if (place == L1_BYPASSED) { /* the line is there or on its way, or the policy has no way for it */
        c->stats.prefetch_drops++;
        return true;
    }
    l1_reserve(c, make_prefetch(c, line), &a, at, ALL_SECTORS);
    t->sectors[at].prefetched = true;
    c->stats.prefetch_fetches++;
    if (c->observer) c->observer->prefetch(c->observer, line);
    return true;
}

void l1_fetch_too(struct l1 *c, uint64_t line, uint64_t cycle)
{
    c->stats.prefetches++;
    if (!try_prefetch(c, line, cycle)) c->stats.prefetch_drops++;
}

void l1_prefetch(struct l1 *c, uint64_t cycle)
{
    struct prefetch_queue *q = &c->prefetch;
    if (!q->used || !try_prefetch(c, q->line[q->head], cycle)) return;
    q->head = (q->head + 1) % q->capacity;
    q->used--;
}

/* ---- what comes back ---- */

/* A fill can lift two kinds of refusal: for want of an MSHR, and because of the state of the filled set. */
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

static void read_note(struct l1 *c, const struct req *reply)
{
    const struct wl_note_hooks *h = c->pol.policy->notes;
    if (reply->note && h && h->arrived) h->arrived(&c->pol.cache, reply->note);
}

void l1_bypass_done(struct l1 *c, const struct req *reply)
{
    if (reply->kind == WL_LOAD) read_note(c, reply);
}

void l1_fill(struct l1 *c, struct req *reply, struct req_list *done)
{
    read_note(c, reply);
    if (c->grains || l1_has_fifo(c)) {
        if (c->grains) grain_fill(c, reply, done);
        else fifo_fill(c, reply, done);
        return;
    }
    struct tags *t = &c->tags;
    uint32_t m = reply->mshr, at = c->mshr.entry[m].at;
    note_fill(c, at);
    if (c->by_sector) {
        sector_fill(c, reply, done);
        return;
    }
    struct line_sectors *l = &t->sectors[at];
    WL_ASSERT(l->mshr == m && WL_STATE(t->state[at]) == WL_RESERVED && !(reply->sectors & ~l->pending));
    l->valid |= reply->sectors;
    l->pending &= (uint8_t)~reply->sectors;
    if (l->pending) { /* other sectors of the line are still on their way */
        list_push(&c->mshr.entry[m].waiting, reply);
        return;
    }
    if (reply->prefetch) req_free(c->pool, reply); /* no load waits for it */
    else list_push(done, reply);
    t->state[at] = (uint8_t)((t->state[at] & ~3) | WL_VALID);
    l->mshr = NO_MSHR;
    list_join(done, &c->mshr.entry[m].waiting);
    c->stats.fills++;
    if (!c->late) {
        mshr_release(&c->mshr, m);
        return;
    }
    c->mshr.entry[m].free_at = 0;
    if (c->late_used++) c->mshr.entry[c->late_last].next_free = m;
    else c->late_first = m;
    c->late_last = m;
}

static void set_next_event(struct l1 *c)
{
    uint64_t late = c->late_used ? c->mshr.entry[c->late_first].free_at : UINT64_MAX;
    c->next_event = late < c->pol.next_epoch ? late : c->pol.next_epoch;
}

static bool free_late(struct l1 *c, uint64_t cycle)
{
    bool any = false;
    while (c->late_used && c->mshr.entry[c->late_first].free_at <= cycle) {
        uint32_t m = c->late_first;
        c->late_first = c->mshr.entry[m].next_free;
        c->late_used--;
        mshr_release(&c->mshr, m);
        c->changed |= c->refused == L1_NO_MSHR;
        any = true;
    }
    return any;
}

void l1_written(struct l1 *c, uint64_t cycle)
{
    if (!c->late_used || c->mshr.entry[c->late_last].free_at) return;
    c->mshr.entry[c->late_last].free_at = cycle - 1;
    set_next_event(c);
}

bool l1_event(struct l1 *c, uint64_t cycle)
{
    if (policy_epoch(&c->pol, cycle)) c->changed = true;
    bool freed = free_late(c, cycle);
    set_next_event(c);
    return freed;
}

/* ---- between kernels ---- */

/* The lines of ways `first` and up are gone. */
static void flush_ways(struct l1 *c, uint32_t first)
{
    struct tags *t = &c->tags;
    for (uint32_t set = 0; set < t->sets; set++)
        for (uint32_t at = set * t->ways + first; at < (set + 1) * t->ways; at++) {
            if (WL_STATE(t->state[at]) != WL_VALID) continue;
            l1_report_leave(c, set, at, WL_FLUSHED, NULL);
            tags_invalidate(t, set, at);
        }
}

void l1_flush(struct l1 *c, const struct wl_kernel *k)
{
    if (!c->tags.infinite && c->pol.policy->on_leave) flush_ways(c, 0);
    if (c->observer) c->observer->flush(c->observer);
    tags_clear(&c->tags);
    if (c->grains) grain_clear(c->grains);
    policy_kernel(&c->pol, WL_FLUSH, k);
}

void l1_kernel_begin(struct l1 *c, const struct wl_kernel *k, uint32_t ways)
{
    if (!c->tags.infinite) {
        flush_ways(c, ways);
        c->tags.in_use = ways;
        c->pol.cache.g.ways = ways;
    }
    policy_kernel(&c->pol, WL_BEGIN, k);
}

void l1_kernel_end(struct l1 *c, const struct wl_kernel *k)
{
    policy_kernel(&c->pol, WL_END, k);
    free_late(c, UINT64_MAX); /* their requests are done */
    set_next_event(c);
    c->stats.prefetch_drops += c->prefetch.used;
    c->prefetch.used = 0;
}
