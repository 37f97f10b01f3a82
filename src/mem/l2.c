#include "mem/l2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int l2_init(struct l2 *s, const struct gpu_config *c, uint32_t index, const struct addrmap *map,
            const struct nvm_map *nvm, struct req_pool *pool, struct wl_err *e)
{
    const int64_t *v = c->v;
    s->index = index;
    s->map = map;
    s->nvm = nvm;
    s->pool = pool;
    s->sectored = v[P_L2_SECTORED];
    s->write = (enum l2_write)v[P_L2_WRITE];
    for (uint32_t i = 0; i <= LINE_SECTORS; i++)
        s->port_ticks[i] = s->part.period * (i * SECTOR_BYTES / (uint32_t)v[P_L2_PORT]);
    s->port_by_size = s->sectored || v[P_L2_PORT_TIME];
    s->promote = (uint8_t)v[P_L2_PROMOTE];
    s->mshr_limit = (uint32_t)v[P_L2_MSHR];
    s->missq_cap = (uint32_t)v[P_L2_MISSQ];
    s->last = NEVER;
    list_init(&s->missq);
    list_init(&s->done);
    uint32_t sets = (uint32_t)v[P_L2_SETS], ways = (uint32_t)v[P_L2_WAYS];
    s->written = calloc((size_t)sets * ways, sizeof *s->written);
    s->past = malloc(sets * sizeof *s->past);
    if (!s->written || !s->past || tags_init(&s->tags, sets, ways, (enum index_fn)v[P_L2_INDEX], false) ||
        mshr_init(&s->mshr, s->mshr_limit, (uint32_t)v[P_L2_MERGE]))
        return wl_fail(e, WL_ERUN, "out of memory");
    memset(s->past, 0xff, sets * sizeof *s->past);
    struct wl_geometry g = {.level = WL_L2,
                            .index = index,
                            .sets = sets,
                            .ways = ways,
                            .line_bytes = LINE_BYTES,
                            .sms = (uint32_t)v[P_SM_COUNT],
                            .schedulers = (uint32_t)v[P_SM_SCHEDULERS],
                            .warps = (uint32_t)v[P_SM_WARPS],
                            .warp_size = 32,
                            .shared = &s->shared};
    const char *why = "out of memory";
    s->policy = c->l2.policy;
    s->self = s->policy->create(&g, c->l2.values, &why);
    if (!s->self) return wl_fail(e, WL_EINPUT, "policy %s cannot manage this L2: %s", s->policy->name, why);
    return 0;
}

void l2_destroy(struct l2 *s)
{
    if (s->self && s->policy->destroy) s->policy->destroy(s->self);
    tags_destroy(&s->tags);
    mshr_destroy(&s->mshr);
    free(s->written);
    free(s->past);
}

/* ---- small helpers ---- */

/* What a request counts as: sectors, or one. */
static uint32_t weight(const struct l2 *s, uint8_t sectors)
{
    return s->sectored ? bit_count32(sectors) : sectors != 0;
}

static uint8_t line_state(const struct tags *t, uint32_t at, bool nvm)
{
    unsigned st = t->sectors[at].pending ? WL_RESERVED : WL_VALID;
    return (uint8_t)(st | (t->sectors[at].dirty ? WL_DIRTY : 0) | (nvm ? WL_NVM : 0));
}

static void describe(const struct l2 *s, const struct req *r, uint32_t set, tick_t now, struct wl_access *a)
{
    *a = (struct wl_access){.line = r->line,
                            .cycle = part_cycles(&s->part, now),
                            .set = set,
                            .pc = r->pc,
                            .warp = r->warp,
                            .rank = r->rank,
                            .kind = r->kind,
                            .space = r->space,
                            .sectors = r->sectors,
                            .lanes = r->lanes,
                            .number = r->number,
                            .sm = r->sm,
                            .nvm = r->nvm,
                            .note = r->note,
                            .bytes = r->bytes};
}

static void send(struct l2 *s, struct req *r)
{
    list_push(&s->missq, r);
    s->missq_used++;
}

static struct req *make_down(struct l2 *s, const struct req *r, uint64_t line, uint8_t sectors, bool is_write)
{
    struct req *d = req_alloc(s->pool);
    req_clear(d);
    d->line = line;
    d->kind = is_write ? WL_WRITEBACK : WL_LOAD;
    d->origin = FROM_L2;
    d->sectors = d->fetch = sectors;
    d->slice = (uint16_t)s->index;
    d->sm = r->sm;
    d->is_write = is_write;
    d->bank = r->bank;
    d->row = r->row;
    d->set = r->set;
    d->nvm = nvm_line(s->nvm, line);
    if (line != r->line) addrmap_route(s->map, d);
    return d;
}

static void count(struct l2 *s, const struct req *r, uint32_t hits, uint32_t merged, uint32_t misses)
{
    uint32_t n = hits + merged + misses;
    s->stats.accesses += n;
    s->stats.hits += hits;
    s->stats.hits_reserved += merged;
    s->stats.misses += misses;
    if (r->kind == WL_LOAD) s->stats.reads += n;
    else if (r->kind == WL_ATOMIC) s->stats.atomics += n;
    else s->stats.writes += n, s->stats.write_hits += hits;
    if (!r->nvm) return;
    s->stats.nvm_accesses += n;
    s->stats.nvm_misses += misses;
}

static void count_bypass(struct l2 *s, const struct req *r, const struct wl_access *a, uint32_t n)
{
    if (s->policy->on_bypass) s->policy->on_bypass(s->self, a);
    count(s, r, 0, 0, n);
    s->stats.misses -= n; /* a class of its own */
    s->stats.bypasses += n;
    if (!r->nvm) return;
    s->stats.nvm_misses -= n;
    s->stats.nvm_bypasses += n;
}

/* ---- taking a line ---- */

/* Finds a way for the request; *at is its index. Nothing changes yet. */
static enum l2_stall find_victim(struct l2 *s, const struct wl_access *a, uint32_t extra_sends, uint32_t *at)
{
    struct wl_set set = tags_view(&s->tags, a->set);
    int way = s->policy->victim(s->self, a, &set);
    if (way == WL_NO_WAY_BYPASS && a->kind != WL_ATOMIC) /* which needs the L2 to be done */
        return s->missq_used < s->missq_cap ? L2_PAST : L2_STALL_MISSQ;
    if (way < 0) return L2_STALL_LINE;
    *at = a->set * s->tags.ways + (uint32_t)way;
    if (s->missq_used + extra_sends + (s->tags.sectors[*at].dirty ? 1 : 0) > s->missq_cap) return L2_STALL_MISSQ;
    return L2_GO;
}

static void forget_stores(struct l2 *s, uint32_t at)
{
    if (!s->tags.sectors[at].stored) return; /* spares touching `written` */
    s->tags.sectors[at].stored = false;
    s->written[at][0] = s->written[at][1] = 0;
}

static void take_line(struct l2 *s, const struct req *r, const struct wl_access *a, uint32_t at)
{
    struct tags *t = &s->tags;
    uint32_t way = at - a->set * t->ways;
    if (WL_STATE(t->state[at]) == WL_VALID) {
        if (s->policy->on_evict) s->policy->on_evict(s->self, a, way, t->line[at], t->state[at]);
        s->stats.evictions++;
        if (t->sectors[at].dirty) {
            struct req *w = make_down(s, r, t->line[at], s->sectored ? t->sectors[at].dirty : ALL_SECTORS, true);
            s->stats.writebacks += weight(s, w->sectors);
            if (w->nvm) s->stats.writebacks_nvm += weight(s, w->sectors);
            send(s, w);
        }
    }
    if (s->policy->on_insert) s->policy->on_insert(s->self, a, way);
    tags_take(t, a->set, at, r->line);
    forget_stores(s, at);
    t->sectors[at] = (struct line_sectors){.mshr = NO_MSHR};
    t->state[at] = line_state(t, at, r->nvm);
}

static void touch(struct l2 *s, const struct wl_access *a, uint32_t at, bool merged)
{
    if (s->policy->on_hit) s->policy->on_hit(s->self, a, at - a->set * s->tags.ways, merged);
}

/* ---- answers and fetches ---- */

static void reply(struct l2 *s, struct req *r, tick_t now)
{
    r->is_reply = true;
    port_push(s->out, r, now);
}

/* Request f fetches `sectors` of the line at `at`, whose MSHR entry exists. */
static void start_fetch(struct l2 *s, struct req *f, uint32_t at, uint8_t sectors)
{
    s->tags.sectors[at].pending |= sectors;
    s->tags.state[at] = line_state(&s->tags, at, f->nvm);
    f->l2_mshr = (uint16_t)s->tags.sectors[at].mshr;
    f->fetch = sectors;
    s->mshr_sectors += weight(s, sectors);
    s->stats.fetches += weight(s, sectors);
    send(s, f);
}

static void mark_dirty(struct l2 *s, uint32_t at, uint8_t sectors, bool nvm)
{
    s->tags.sectors[at].dirty |= sectors;
    s->tags.state[at] = line_state(&s->tags, at, nvm);
}

/* ---- past the tags ---- */

/* The policy wants no line for this read: it goes to memory and back by itself, in an MSHR entry
 * that has no place in the tags; reads of the same line that come later join it there. */
static enum l2_stall read_past(struct l2 *s, struct req *r, const struct wl_access *a)
{
    r->fetch = s->sectored ? r->sectors : ALL_SECTORS;
    r->l2_mshr = (uint16_t)mshr_alloc(&s->mshr, NO_PLACE);
    struct mshr_entry *m = &s->mshr.entry[r->l2_mshr];
    m->count = 1;
    m->line = r->line;
    m->sectors = r->fetch;
    m->next_past = s->past[r->set];
    s->past[r->set] = r->l2_mshr;
    s->past_used++;
    s->mshr_sectors += weight(s, r->fetch);
    count_bypass(s, r, a, weight(s, r->fetch));
    send(s, r);
    return L2_GO;
}

/* The entry without a line that brings all the read wants, or NO_MSHR. */
static uint32_t find_past(const struct l2 *s, const struct req *r)
{
    uint8_t want = s->sectored ? r->sectors : ALL_SECTORS;
    uint32_t m = r->kind == WL_LOAD ? s->past[r->set] : NO_MSHR;
    while (m != NO_MSHR && (s->mshr.entry[m].line != r->line || want & ~s->mshr.entry[m].sectors))
        m = s->mshr.entry[m].next_past;
    return m;
}

static enum l2_stall merge_past(struct l2 *s, struct req *r, uint32_t m)
{
    if (!mshr_can_merge(&s->mshr, m)) return L2_STALL_MERGE;
    mshr_wait(&s->mshr, m, r);
    count(s, r, 0, weight(s, s->sectored ? r->sectors : ALL_SECTORS), 0);
    return L2_GO;
}

static void fill_past(struct l2 *s, struct req *f)
{
    uint32_t m = f->l2_mshr, *link = &s->past[f->set];
    while (*link != m) link = &s->mshr.entry[*link].next_past;
    *link = s->mshr.entry[m].next_past;
    s->past_used--;
    s->mshr_sectors -= weight(s, f->fetch);
    list_push(&s->done, f);
    list_join(&s->done, &s->mshr.entry[m].waiting);
    mshr_release(&s->mshr, m);
}

/* ---- reads and atomics at the tags ---- */

/* The sectors of a fetch with their neighbours, as far as those are neither there nor on their way. */
static uint8_t promoted(const struct l2 *s, uint8_t fetch, int found)
{
    uint8_t all = fetch;
    if (s->promote >= 2) all |= (uint8_t)((fetch & 5) << 1 | (fetch & 10) >> 1);
    if (s->promote == 4 && fetch) all = ALL_SECTORS;
    if (found < 0) return all;
    const struct line_sectors *l = &s->tags.sectors[found];
    return (uint8_t)(fetch | (all & ~(l->valid | l->pending | l->dirty)));
}

static enum l2_stall read_line(struct l2 *s, struct req *r, const struct wl_access *a, int found, tick_t now)
{
    uint32_t past = found < 0 && s->past_used ? find_past(s, r) : NO_MSHR;
    if (past != NO_MSHR) return merge_past(s, r, past);
    struct tags *t = &s->tags;
    uint8_t want = s->sectored ? r->sectors : ALL_SECTORS;
    uint8_t missing = found < 0 ? want : (uint8_t)(want & ~t->sectors[found].valid);
    if (!missing) {
        touch(s, a, (uint32_t)found, false);
        if (r->kind == WL_ATOMIC) mark_dirty(s, (uint32_t)found, want, r->nvm);
        count(s, r, weight(s, want), 0, 0);
        reply(s, r, now);
        return L2_GO;
    }
    uint8_t fetch = found < 0 ? missing : (uint8_t)(missing & ~t->sectors[found].pending);
    if (fetch && !s->sectored) fetch = ALL_SECTORS; /* even if stores have covered some of it */
    if (s->promote > 1) fetch = promoted(s, fetch, found);
    bool has_entry = found >= 0 && t->sectors[found].mshr != NO_MSHR;
    if (has_entry && !mshr_can_merge(&s->mshr, t->sectors[found].mshr)) return L2_STALL_MERGE;
    if (fetch && (s->mshr_sectors + weight(s, fetch) > s->mshr_limit || (!has_entry && mshr_full(&s->mshr))))
        return L2_STALL_MSHR;
    uint32_t at = (uint32_t)found;
    if (found < 0) {
        enum l2_stall why = find_victim(s, a, 1, &at);
        if (why == L2_PAST) return read_past(s, r, a);
        if (why != L2_GO) return why;
        take_line(s, r, a, at);
    } else {
        if (fetch && s->missq_used + 1 > s->missq_cap) return L2_STALL_MISSQ;
        touch(s, a, at, true);
    }
    if (t->sectors[at].mshr == NO_MSHR) t->sectors[at].mshr = mshr_alloc(&s->mshr, at);
    if (fetch) { /* it fetches by itself; those that merge with it wait in the entry */
        s->mshr.entry[t->sectors[at].mshr].count++;
        start_fetch(s, r, at, fetch);
    } else {
        mshr_wait(&s->mshr, t->sectors[at].mshr, r);
    }
    if (s->sectored) /* what a fetch brings along was not asked for */
        count(s, r, weight(s, (uint8_t)(want & ~missing)), weight(s, (uint8_t)(missing & ~fetch)),
              weight(s, (uint8_t)(missing & fetch)));
    else count(s, r, 0, !fetch, fetch != 0);
    return L2_GO;
}

/* ---- stores ---- */

/* Marks the store's bytes; a sector that is now wholly written is as good as fetched. */
static void write_bytes(struct l2 *s, uint32_t at, const struct req *r)
{
    uint64_t *w = s->written[at];
    s->tags.sectors[at].stored = true;
    w[0] |= r->bytes[0];
    w[1] |= r->bytes[1];
    for (unsigned i = 0; i < LINE_SECTORS; i++) {
        uint32_t bytes = (uint32_t)(w[i >> 1] >> (32 * (i & 1)));
        if (bytes == UINT32_MAX && !(s->tags.sectors[at].pending >> i & 1))
            s->tags.sectors[at].valid |= (uint8_t)(1u << i);
    }
    mark_dirty(s, at, r->sectors, r->nvm);
}

/* Acknowledges a store; write-backs of an L1 want no answer. */
static void finish_write(struct l2 *s, struct req *r, tick_t now)
{
    if (r->kind == WL_WRITEBACK) req_free(s->pool, r);
    else reply(s, r, now);
}

/* The policy wants no line for this store: memory gets the sectors it touches. */
static enum l2_stall write_past(struct l2 *s, struct req *r, const struct wl_access *a, tick_t now)
{
    uint32_t n = weight(s, s->sectored ? r->sectors : ALL_SECTORS);
    count_bypass(s, r, a, n);
    s->stats.bypassed_writes += n;
    s->stats.bypassed_write_bytes += bit_count32(r->sectors) * SECTOR_BYTES;
    send(s, make_down(s, r, r->line, r->sectors, true));
    finish_write(s, r, now);
    return L2_GO;
}

static enum l2_stall write_line(struct l2 *s, struct req *r, const struct wl_access *a, int found, tick_t now)
{
    uint32_t n = weight(s, s->sectored ? r->sectors : ALL_SECTORS);
    if (found >= 0) {
        touch(s, a, (uint32_t)found, s->tags.sectors[found].pending != 0);
        write_bytes(s, (uint32_t)found, r);
        count(s, r, n, 0, 0);
        finish_write(s, r, now);
        return L2_GO;
    }
    /* A whole line needs no fetch; neither does the lazy policy, until somebody reads. */
    bool covered = (r->bytes[0] & r->bytes[1]) == UINT64_MAX;
    bool fetch = s->write == L2_FORWARD || (s->write == L2_FETCH && !covered);
    uint32_t sends = (fetch ? 1u : 0u) + (s->write == L2_FORWARD ? 1u : 0u), at;
    uint8_t sectors = s->sectored ? r->sectors : ALL_SECTORS;
    if (fetch && (s->mshr_sectors + weight(s, sectors) > s->mshr_limit || mshr_full(&s->mshr))) return L2_STALL_MSHR;
    enum l2_stall why = find_victim(s, a, sends, &at);
    if (why == L2_PAST) return write_past(s, r, a, now);
    if (why != L2_GO) return why;
    take_line(s, r, a, at);
    if (s->write == L2_FORWARD) { /* memory gets the store at once; the line is then clean */
        struct req *w = make_down(s, r, r->line, r->sectors, true);
        s->stats.forwarded_writes += weight(s, r->sectors);
        send(s, w);
    }
    if (fetch) {
        s->tags.sectors[at].mshr = mshr_alloc(&s->mshr, at);
        start_fetch(s, make_down(s, r, r->line, sectors, false), at, sectors);
    }
    if (s->write != L2_FORWARD) write_bytes(s, at, r);
    if (s->write == L2_FETCH && covered) s->tags.sectors[at].valid = ALL_SECTORS;
    count(s, r, 0, 0, n);
    finish_write(s, r, now);
    return L2_GO;
}

/* ---- the cycle ---- */

/* Lets those of the entry's requests answer whose sectors have all arrived. */
static void release_waiting(struct l2 *s, uint32_t m, uint32_t at)
{
    struct req_list *waiting = &s->mshr.entry[m].waiting;
    struct req *r = waiting->head;
    list_init(waiting);
    while (r) {
        struct req *next = r->next;
        if ((s->sectored ? r->sectors : ALL_SECTORS) & ~s->tags.sectors[at].valid) {
            list_push(waiting, r);
        } else {
            s->mshr.entry[m].count--;
            if (r->kind == WL_ATOMIC) mark_dirty(s, at, r->sectors, r->nvm);
            list_push(&s->done, r);
        }
        r = next;
    }
}

/* A fill arrives with the request that fetched it. */
static void accept_fill(struct l2 *s, tick_t now)
{
    struct req *f = port_peek(&s->fill, now);
    if (!f || now < s->fill_free) return;
    port_pop(&s->fill, now);
    struct tags *t = &s->tags;
    uint32_t m = f->l2_mshr, at = s->mshr.entry[m].at;
    if (at == NO_PLACE) {
        fill_past(s, f);
        return;
    }
    t->sectors[at].valid |= f->fetch;
    t->sectors[at].pending &= (uint8_t)~f->fetch;
    t->state[at] = line_state(t, at, f->nvm);
    s->mshr_sectors -= weight(s, f->fetch);
    s->stats.fills += weight(s, f->fetch);
    s->fill_free = now + s->port_ticks[bit_count32(f->fetch)];
    if (f->origin == FROM_L2) {
        req_free(s->pool, f); /* fetched for a store: nobody waits for it */
    } else {                  /* the oldest of those that wait */
        f->next = s->mshr.entry[m].waiting.head;
        if (!f->next) s->mshr.entry[m].waiting.tail = &f->next;
        s->mshr.entry[m].waiting.head = f;
    }
    release_waiting(s, m, at);
    if (t->sectors[at].pending) return;
    t->sectors[at].mshr = NO_MSHR;
    mshr_release(&s->mshr, m);
    if (s->policy->on_fill) s->policy->on_fill(s->self, at / t->ways, at % t->ways);
}

static void send_done(struct l2 *s, tick_t now)
{
    if (s->done.head && port_can_push(s->out, now)) reply(s, list_pop(&s->done), now);
}

static bool send_down(struct l2 *s, tick_t now)
{
    if (!s->missq.head || !port_can_push(s->mem, now)) return false;
    s->missq_used--;
    port_push(s->mem, list_pop(&s->missq), now);
    return true;
}

static enum l2_stall access_head(struct l2 *s, struct req *r, tick_t now)
{
    if (!port_can_push(s->out, now)) return L2_STALL_REPLY;
    struct req *behind = r->next; /* the request may be in another list afterwards */
    uint8_t sectors = s->port_by_size ? r->sectors : ALL_SECTORS;
    struct wl_access a;
    r->nvm = nvm_line(s->nvm, r->line);
    describe(s, r, r->set, now, &a);
    int found = tags_find(&s->tags, r->set, r->line);
    enum l2_stall why;
    if (r->kind == WL_LOAD || r->kind == WL_ATOMIC) why = read_line(s, r, &a, found, now);
    else why = write_line(s, r, &a, found, now);
    if (why != L2_GO) return why;
    if (a.kind == WL_LOAD) r->note = s->policy->reply_note ? s->policy->reply_note(s->self, &a) : 0;
    port_pop_to(&s->in, behind, now);
    s->port_free = now + s->port_ticks[bit_count32(sectors)];
    s->part.clock->progress++;
    return L2_GO;
}

static uint64_t *stall_counter(struct l2 *s)
{
    switch (s->stalled) {
    case L2_STALL_MSHR: return &s->stats.stall_mshr;
    case L2_STALL_MERGE: return &s->stats.stall_merge;
    case L2_STALL_LINE: return &s->stats.stall_line;
    case L2_STALL_MISSQ: return &s->stats.stall_missq;
    case L2_STALL_REPLY: return &s->stats.stall_reply;
    case L2_GO:
    case L2_PAST: break;
    }
    return NULL;
}

/* When there is work again; pushes and pops at the ports wake the slice by themselves. A stalled
 * request is tried again after anything changed here: a fill, a send, a reply. */
static tick_t next_work(const struct l2 *s, tick_t now)
{
    tick_t soon = now + s->part.period;
    if (s->done.head && !s->out->producer_waits) return soon;
    if (s->missq.head && !s->mem->producer_waits) return soon;
    tick_t request = s->stalled == L2_GO ? later(s->in.visible_at, s->port_free) : NEVER;
    return earlier(request, later(s->fill.visible_at, s->fill_free));
}

void l2_read_stats(const struct l2 *s, tick_t at, struct l2_stats *out)
{
    struct l2 then = *s;
    if (then.stalled != L2_GO) *stall_counter(&then) += (at - then.last) / then.part.period;
    *out = then.stats;
}

tick_t l2_tick(struct l2 *s, tick_t now)
{
    if (s->stalled != L2_GO) *stall_counter(s) += (now - s->last) / s->part.period - 1;
    s->last = now;
    accept_fill(s, now);
    send_done(s, now);
    s->stalled = L2_GO;
    struct req *r = port_peek(&s->in, now);
    if (r && s->port_free <= now) {
        s->stalled = access_head(s, r, now);
        if (s->stalled != L2_GO) ++*stall_counter(s);
    }
    bool sent = send_down(s, now);
    if (sent && s->stalled == L2_STALL_MISSQ) return now + s->part.period; /* there is room now */
    return next_work(s, now);
}

void l2_host_copy(struct l2 *s, uint64_t line, uint32_t set, uint8_t sectors, tick_t now)
{
    struct tags *t = &s->tags;
    struct req r = {.line = line, .kind = WL_STORE, .sectors = sectors, .nvm = nvm_line(s->nvm, line)};
    struct wl_access a;
    describe(s, &r, set, now, &a);
    int found = tags_find(t, set, line);
    if (found >= 0) {
        touch(s, &a, (uint32_t)found, false);
        t->sectors[found].valid |= s->sectored ? sectors : ALL_SECTORS;
        return;
    }
    struct wl_set ways = tags_view(t, set);
    int way = s->policy->victim(s->self, &a, &ways);
    if (way < 0) return;
    uint32_t at = set * t->ways + (uint32_t)way;
    if (WL_STATE(t->state[at]) == WL_VALID && s->policy->on_evict)
        s->policy->on_evict(s->self, &a, (uint32_t)way, t->line[at], t->state[at]);
    if (s->policy->on_insert) s->policy->on_insert(s->self, &a, (uint32_t)way);
    tags_take(t, set, at, line);
    t->sectors[at].valid = s->sectored ? sectors : ALL_SECTORS;
    t->sectors[at].dirty = t->sectors[at].pending = 0;
    forget_stores(s, at);
    t->state[at] = line_state(t, at, r.nvm);
}

bool l2_idle(const struct l2 *s)
{
    return !s->missq.head && !s->done.head && port_empty(&s->in) && port_empty(&s->fill) && s->mshr.used == 0 &&
           s->mshr_sectors == 0;
}

void l2_describe(const struct l2 *s, char *out, size_t size)
{
    static const char *const why[] = {"nothing", "a free MSHR",    "room to merge",
                                      "a way",   "the miss queue", "the network"};
    snprintf(out, size, "L2 slice %u: %u requests queued, oldest waits for %s; %u MSHRs used, %u in the miss queue",
             s->index, s->in.used, why[s->stalled], s->mshr.used, s->missq_used);
}
