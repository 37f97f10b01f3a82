#include "mem/l2.h"
#include "mem/net.h"
#include "warpline/policy_notes.h"

/* ---- small helpers ---- */

static uint8_t line_state(const struct tags *t, uint32_t at, bool nvm)
{
    unsigned st = t->sectors[at].pending ? WL_RESERVED : WL_VALID;
    return (uint8_t)(st | (t->sectors[at].dirty ? WL_DIRTY : 0) | (nvm ? WL_NVM : 0));
}

static void l2_describe_access(const struct l2 *s, const struct req *r, uint32_t set, tick_t now, struct wl_access *a)
{
    *a = (struct wl_access){.line = r->line,
                            .cycle = part_cycles(&s->part, now),
                            .set = set,
                            .pc = r->pc,
                            .cta = UINT32_MAX,
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

static void l2_send(struct l2 *s, struct req *r)
{
    WL_ASSERT(s->missq_used < s->missq_cap);
    list_push(&s->missq, r);
    s->missq_used++;
}

static struct req *make_down(struct l2 *s, const struct req *r, uint64_t line, uint8_t sectors, bool is_write)
{
    struct req *d = req_alloc(s->pool);
    req_clear(d);
    d->line = line;
    d->kind = is_write ? WL_WRITEBACK : WL_LOAD;
    d->cache = L2_SLICE;
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

/* What became of an access, in sectors (or lines when not sectored). */
struct shares {
    uint32_t hits, merged, misses, bypassed;
};

/* The one place where accepted accesses are counted. */
static void l2_count(struct l2 *s, const struct req *r, struct shares n)
{
    struct l2_stats *st = &s->stats;
    uint32_t all = n.hits + n.merged + n.misses + n.bypassed;
    st->accesses += all;
    st->hits += n.hits;
    st->hits_reserved += n.merged;
    st->misses += n.misses;
    st->bypasses += n.bypassed;
    if (s->observer)
        s->observer->access(s->observer, r,
                            n.misses || n.bypassed ? L2_LACKED_IT
                            : n.merged             ? L2_AWAITS_IT
                                                   : L2_HAD_IT);
    if (r->kind == WL_LOAD) {
        st->reads += all;
        if (r->cache <= L1_TEXTURE) st->data_reads += all, st->data_misses += n.misses;
    } else if (r->kind == WL_ATOMIC) st->atomics += all;
    else st->writes += all, st->write_hits += n.hits, st->write_merges += n.merged, st->bypassed_writes += n.bypassed;
    if (!r->nvm) return;
    st->nvm_accesses += all;
    st->nvm_misses += n.misses;
    st->nvm_bypasses += n.bypassed;
}

/* The sectors an access is about: those it names, or the whole line. */
static uint8_t l2_wanted(const struct l2 *s, const struct req *r) { return s->sectored ? r->sectors : ALL_SECTORS; }

/* ---- taking a line ---- */

/* Where a line that is not there may go. */
enum l2_place { TAKE, BYPASS, WAIT_LINE, WAIT_MISSQ };

/* Finds a way for the request, which sends so many messages down; *at is its index. Nothing changes yet. */
static enum l2_place find_place(struct l2 *s, const struct wl_access *a, uint32_t sends, uint32_t *at)
{
    struct wl_set set = tags_view(&s->tags, a->set);
    int way = policy_victim(&s->pol, a, &set);
    if (way == WL_NO_WAY_BYPASS && a->kind != WL_ATOMIC) /* an atomic is performed in the L2 */
        return s->missq_used < s->missq_cap ? BYPASS : WAIT_MISSQ;
    if (way < 0) return WAIT_LINE;
    *at = a->set * s->tags.ways + (uint32_t)way;
    uint32_t victim = s->worst || s->tags.sectors[*at].dirty;
    return s->missq_used + sends + victim > s->missq_cap ? WAIT_MISSQ : TAKE;
}

static void forget_stores(struct l2 *s, uint32_t at)
{
    if (!s->tags.sectors[at].stored) return; /* `written` need not be touched */
    s->tags.sectors[at].stored = false;
    s->written[at][0] = s->written[at][1] = 0;
}

/* Reports to the policy that the line at `at` leaves and that the access takes its way. */
static void report_take(struct l2 *s, const struct wl_access *a, uint32_t at)
{
    const struct tags *t = &s->tags;
    uint32_t way = at - a->set * t->ways;
    if (s->pol.policy->on_leave && WL_STATE(t->state[at]) == WL_VALID) {
        const struct wl_line gone = {a->set, way, t->line[at], t->state[at]};
        policy_leave(&s->pol, &gone, WL_EVICTED, a);
    }
    policy_access(&s->pol, a, WL_MISSED, (int)way);
}

static void take_line(struct l2 *s, const struct req *r, const struct wl_access *a, uint32_t at)
{
    struct tags *t = &s->tags;
    WL_ASSERT(WL_STATE(t->state[at]) != WL_RESERVED && t->sectors[at].mshr == NO_MSHR && !t->sectors[at].pending);
    report_take(s, a, at);
    if (WL_STATE(t->state[at]) == WL_VALID) {
        s->stats.evictions++;
        if (t->sectors[at].dirty) {
            struct req *w = make_down(s, r, t->line[at], s->sectored ? t->sectors[at].dirty : ALL_SECTORS, true);
            s->stats.writebacks += l2_weight(s, w->sectors);
            if (w->nvm) s->stats.writebacks_nvm += l2_weight(s, w->sectors);
            if (a->kind == WL_LOAD || a->kind == WL_ATOMIC) s->moved = LINE_SECTORS; /* a store reads it out for free */
            l2_send(s, w);
        }
    }
    tags_take(t, a->set, at, r->line);
    forget_stores(s, at);
    t->sectors[at] = (struct line_sectors){.mshr = NO_MSHR};
    t->state[at] = line_state(t, at, r->nvm);
}

static void l2_touch(struct l2 *s, const struct wl_access *a, uint32_t at, bool merged)
{
    policy_access(&s->pol, a, merged ? WL_MERGED : WL_HIT, (int)(at - a->set * s->tags.ways));
}

/* ---- answers and fetches ---- */

static bool reply_fits(struct l2 *s, tick_t now)
{
    return s->outq_cap ? s->outq_used < s->outq_cap : port_can_push(s->out, now);
}

static inline void l2_reply(struct l2 *s, struct req *r, tick_t now)
{
    r->is_reply = true;
    if (!s->outq_cap) {
        s->reply_at = s->spaced ? tick_max(now, s->reply_at + s->part.period) : now;
        port_push_after(s->out, r, s->reply_at);
        return;
    }
    list_push(&s->outq, r);
    s->outq_used++;
}

/* One reply per cycle goes on to the network. */
static bool send_reply(struct l2 *s, tick_t now)
{
    if (!s->outq.head || s->replied_for == now || !net_can_send(s->out, s->outq.head, now)) return false;
    net_send(s->out, list_pop(&s->outq), now);
    s->outq_used--;
    return true;
}

/* Request f fetches `sectors` of the line at `at`, whose MSHR entry exists. */
static void start_fetch(struct l2 *s, struct req *f, uint32_t at, uint8_t sectors)
{
    s->tags.sectors[at].pending |= sectors;
    s->tags.state[at] = line_state(&s->tags, at, f->nvm);
    f->l2_mshr = (uint16_t)s->tags.sectors[at].mshr;
    f->fetch = sectors;
    f->answer = ANSWER_DRAM;
    s->mshr_sectors += l2_weight(s, sectors);
    s->stats.fetches += l2_weight(s, sectors);
    l2_send(s, f);
}

static void mark_dirty(struct l2 *s, uint32_t at, uint8_t sectors, bool nvm)
{
    s->tags.sectors[at].dirty |= sectors;
    s->tags.state[at] = line_state(&s->tags, at, nvm);
}

/* ---- reads without a line ---- */

/* The policy wants no line for this read: it goes to memory and back alone, in an MSHR entry
 * that has no place in the tags; reads of the same line that come later join it there. */
static void bypass_read(struct l2 *s, struct req *r, const struct wl_access *a)
{
    policy_access(&s->pol, a, WL_BYPASSED, -1);
    r->fetch = l2_wanted(s, r);
    r->answer = ANSWER_DRAM;
    r->l2_mshr = (uint16_t)mshr_alloc(&s->mshr, NO_PLACE);
    struct mshr_entry *m = &s->mshr.entry[r->l2_mshr];
    m->count = 1;
    m->line = r->line;
    m->sectors = r->fetch;
    m->next_bypass = s->bypassing[r->set];
    s->bypassing[r->set] = r->l2_mshr;
    s->bypassing_used++;
    s->mshr_sectors += l2_weight(s, r->fetch);
    l2_count(s, r, (struct shares){.bypassed = l2_weight(s, r->fetch)});
    l2_send(s, r);
}

/* The entry without a line that brings all the read wants, or NO_MSHR. */
static uint32_t find_bypassing(const struct l2 *s, const struct req *r)
{
    uint8_t want = l2_wanted(s, r);
    uint32_t m = r->kind == WL_LOAD ? s->bypassing[r->set] : NO_MSHR;
    while (m != NO_MSHR && (s->mshr.entry[m].line != r->line || want & ~s->mshr.entry[m].sectors))
        m = s->mshr.entry[m].next_bypass;
    return m;
}

/* The data of a read without a line arrived. */
static void fill_bypassed(struct l2 *s, struct req *f)
{
    uint32_t m = f->l2_mshr, *link = &s->bypassing[f->set];
    while (*link != m) link = &s->mshr.entry[*link].next_bypass;
    *link = s->mshr.entry[m].next_bypass;
    s->bypassing_used--;
    s->mshr_sectors -= l2_weight(s, f->fetch);
    list_push(&s->done, f);
    list_join(&s->done, &s->mshr.entry[m].waiting);
    mshr_release(&s->mshr, m);
}

/* ---- reads and atomics at the tags ---- */

/* What a read meets that does not hit, and what it needs. */
enum found { FOUND_BYPASSING, FOUND_LINE /* but not all the data */, FOUND_NOTHING };
struct lookup {
    enum found found;
    uint32_t at;     /* the line, if there is one */
    uint32_t entry;  /* the MSHR entry to wait in, or NO_MSHR */
    uint8_t want;    /* sectors the read is about */
    uint8_t missing; /* those of `want` that the line does not have */
    uint8_t fetch;   /* sectors the read has to fetch itself */
};

/* The sectors of a fetch with their neighbours, as far as those are neither there nor on their way. */
static uint8_t l2_promoted(const struct l2 *s, uint8_t fetch, const struct line_sectors *l)
{
    uint8_t all = fetch;
    if (s->promote >= 2) all |= (uint8_t)((fetch & 5) << 1 | (fetch & 10) >> 1);
    if (s->promote == 4 && fetch) all = ALL_SECTORS;
    return l ? (uint8_t)(fetch | (all & ~(l->valid | l->pending | l->dirty))) : all;
}

static struct lookup look_up(const struct l2 *s, const struct req *r, int at)
{
    struct lookup k = {.found = FOUND_NOTHING, .at = (uint32_t)at, .entry = NO_MSHR, .want = l2_wanted(s, r)};
    const struct line_sectors *l = at < 0 ? NULL : &s->tags.sectors[at];
    if (!l && s->bypassing_used) k.entry = find_bypassing(s, r);
    if (k.entry != NO_MSHR) {
        k.found = FOUND_BYPASSING;
        return k;
    }
    k.missing = l ? (uint8_t)(k.want & ~l->valid) : k.want;
    k.fetch = l ? (uint8_t)(k.missing & ~l->pending) : k.missing;
    if (k.fetch && !s->sectored) k.fetch = ALL_SECTORS; /* even if stores have covered some of it */
    if (s->promote > 1) k.fetch = l2_promoted(s, k.fetch, l);
    if (l) k.found = FOUND_LINE, k.entry = l->mshr;
    return k;
}

/* Whether one more read may wait in the entry that the lookup found; a sector of its own is no merge. */
static bool can_merge(const struct l2 *s, const struct lookup *k)
{
    if (!s->by_sector || k->found != FOUND_LINE) return mshr_can_merge(&s->mshr, k->entry);
    return k->fetch || mshr_can_join(&s->mshr, k->entry, k->missing);
}

/* Whether MSHRs and their room to merge allow what the lookup found. */
static enum l2_stall check_mshr(const struct l2 *s, const struct lookup *k)
{
    if (k->entry != NO_MSHR && !can_merge(s, k)) return L2_STALL_MERGE;
    bool full =
        s->mshr_sectors + l2_weight(s, k->fetch) > s->mshr_limit || (k->entry == NO_MSHR && mshr_full(&s->mshr));
    return k->fetch && full ? L2_STALL_MSHR : L2_GO;
}

/* Of the sectors that are on their way already, those that came along with a neighbour and that nobody has asked for:
 * the first read of one misses, as on an H200 (docs/fidelity-h200.md). */
static uint8_t unasked(const struct l2 *s, struct mshr_entry *m, const struct lookup *k)
{
    if (s->promote < 2) return 0;
    uint8_t first = (uint8_t)(k->missing & ~k->fetch & ~m->sectors);
    m->sectors |= k->missing;
    return first;
}

/* The read waits for its data at line `at`, and fetches what is not on its way. */
static void l2_await(struct l2 *s, struct req *r, const struct lookup *k, uint32_t at)
{
    struct line_sectors *l = &s->tags.sectors[at];
    if (l->mshr == NO_MSHR) l->mshr = mshr_alloc(&s->mshr, at);
    if (k->fetch) { /* it fetches its own sectors; requests that merge with it wait in the entry */
        s->mshr.entry[l->mshr].count++;
        if (s->by_sector) mshr_begin_sectors(&s->mshr, l->mshr, k->fetch);
        start_fetch(s, r, at, k->fetch);
    } else {
        if (s->by_sector) mshr_join(&s->mshr, l->mshr, k->missing, r);
        else mshr_wait(&s->mshr, l->mshr, r);
        r->answer = ANSWER_IN_FLIGHT;
    }
    if (s->sectored) { /* what a fetch brings along was not asked for */
        uint8_t first = unasked(s, &s->mshr.entry[l->mshr], k);
        l2_count(s, r,
                 (struct shares){.hits = l2_weight(s, (uint8_t)(k->want & ~k->missing)),
                                 .merged = l2_weight(s, (uint8_t)(k->missing & ~k->fetch & ~first)),
                                 .misses = l2_weight(s, (uint8_t)((k->missing & k->fetch) | first))});
    } else l2_count(s, r, (struct shares){.merged = !k->fetch, .misses = k->fetch != 0});
}

static enum l2_stall read_new_line(struct l2 *s, struct req *r, const struct wl_access *a, const struct lookup *k)
{
    uint32_t at;
    switch (find_place(s, a, 1, &at)) {
    case WAIT_LINE: return L2_STALL_LINE;
    case WAIT_MISSQ: return L2_STALL_MISSQ;
    case BYPASS: bypass_read(s, r, a); return L2_GO;
    case TAKE: break;
    }
    take_line(s, r, a, at);
    l2_await(s, r, k, at);
    return L2_GO;
}

static enum l2_stall read_miss(struct l2 *s, struct req *r, const struct wl_access *a, int at)
{
    struct lookup k = look_up(s, r, at);
    enum l2_stall why = check_mshr(s, &k);
    if (why != L2_GO) return why;
    switch (k.found) {
    case FOUND_BYPASSING:
        mshr_wait(&s->mshr, k.entry, r);
        r->answer = ANSWER_IN_FLIGHT;
        l2_count(s, r, (struct shares){.merged = l2_weight(s, k.want)});
        break;
    case FOUND_LINE:
        if ((k.fetch || s->worst) && s->missq_used + 1 + s->worst > s->missq_cap) return L2_STALL_MISSQ;
        l2_touch(s, a, k.at, true);
        l2_await(s, r, &k, k.at);
        break;
    case FOUND_NOTHING: return read_new_line(s, r, a, &k);
    }
    return L2_GO;
}

static inline enum l2_stall read_line(struct l2 *s, struct req *r, const struct wl_access *a, int at, tick_t now)
{
    uint8_t want = l2_wanted(s, r);
    if (at < 0 || want & ~s->tags.sectors[at].valid) return read_miss(s, r, a, at);
    s->moved = (uint8_t)bit_count32(r->sectors);
    l2_touch(s, a, (uint32_t)at, false);
    if (r->kind == WL_ATOMIC) mark_dirty(s, (uint32_t)at, want, r->nvm);
    l2_count(s, r, (struct shares){.hits = l2_weight(s, want)});
    l2_reply(s, r, now);
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
    else l2_reply(s, r, now);
}

/* Whether the store is acknowledged when memory has written it: then it goes there itself. */
static bool goes_itself(const struct l2 *s, const struct req *r) { return s->late_ack && r->kind == WL_STORE; }

/* Memory gets the sectors that the store touches. */
static void pass_on(struct l2 *s, struct req *r)
{
    if (!goes_itself(s, r)) {
        l2_send(s, make_down(s, r, r->line, r->sectors, true));
        return;
    }
    r->is_write = true;
    r->fetch = r->sectors;
    l2_send(s, r);
}

/* The policy wants no line for this store: memory gets the sectors it touches. */
static void bypass_write(struct l2 *s, struct req *r, const struct wl_access *a)
{
    policy_access(&s->pol, a, WL_BYPASSED, -1);
    l2_count(s, r, (struct shares){.bypassed = l2_weight(s, l2_wanted(s, r))});
    s->stats.bypassed_write_bytes += bit_count32(r->sectors) * SECTOR_BYTES;
    pass_on(s, r);
}

/* The store takes line `at`; `fetch`: the line is read too. */
static void write_new_line(struct l2 *s, struct req *r, const struct wl_access *a, uint32_t at, bool fetch,
                           bool covered)
{
    take_line(s, r, a, at);
    if (s->write == L2_FORWARD) { /* memory gets the store at once; the line is then clean */
        s->stats.forwarded_writes += l2_weight(s, r->sectors);
        pass_on(s, r);
    }
    if (fetch) {
        s->tags.sectors[at].mshr = mshr_alloc(&s->mshr, at);
        s->mshr.entry[s->tags.sectors[at].mshr].count = s->forward_pending; /* its own fetch takes a place to merge */
        start_fetch(s, make_down(s, r, r->line, l2_wanted(s, r), false), at, l2_wanted(s, r));
    }
    if (s->write != L2_FORWARD) write_bytes(s, at, r);
    if (s->write == L2_FETCH && covered) s->tags.sectors[at].valid = ALL_SECTORS;
    l2_count(s, r, (struct shares){.misses = l2_weight(s, l2_wanted(s, r))});
}

static enum l2_stall write_miss(struct l2 *s, struct req *r, const struct wl_access *a)
{
    /* A whole line needs no fetch; neither does the lazy policy, until the line is read. */
    bool covered = (r->bytes[0] & r->bytes[1]) == UINT64_MAX;
    bool fetch = s->write == L2_FORWARD || (s->write == L2_FETCH && !covered);
    uint32_t sends = (fetch ? 1u : 0u) + (s->write == L2_FORWARD ? 1u : 0u), at;
    if (fetch && (s->mshr_sectors + l2_weight(s, l2_wanted(s, r)) > s->mshr_limit || mshr_full(&s->mshr)))
        return L2_STALL_MSHR;
    switch (find_place(s, a, sends, &at)) {
    case WAIT_LINE: return L2_STALL_LINE;
    case WAIT_MISSQ: return L2_STALL_MISSQ;
    case BYPASS: bypass_write(s, r, a); break;
    case TAKE: write_new_line(s, r, a, at, fetch, covered); break;
    }
    return L2_GO;
}

/* A store to a line that is being fetched, treated as a miss: memory gets it, and a read that nobody wants waits
 * with the others for the line. */
static enum l2_stall write_pending(struct l2 *s, struct req *r, const struct wl_access *a, uint32_t at)
{
    uint32_t m = s->tags.sectors[at].mshr;
    if (!mshr_can_merge(&s->mshr, m)) return L2_STALL_MERGE;
    if (s->missq_used + (s->worst ? 3 : 1) > s->missq_cap) return L2_STALL_MISSQ;
    l2_touch(s, a, at, true);
    s->stats.forwarded_writes += l2_weight(s, r->sectors);
    l2_count(s, r, (struct shares){.merged = l2_weight(s, l2_wanted(s, r))});
    mshr_wait(&s->mshr, m, make_down(s, r, r->line, ALL_SECTORS, false));
    pass_on(s, r);
    return L2_GO;
}

static enum l2_stall write_line(struct l2 *s, struct req *r, const struct wl_access *a, int at, tick_t now)
{
    enum l2_stall why = L2_GO;
    bool passed = true; /* on to memory */
    if (at >= 0 && s->forward_pending && s->tags.sectors[at].pending) {
        why = write_pending(s, r, a, (uint32_t)at);
    } else if (at >= 0) {
        if (s->await_pending && s->tags.sectors[at].pending & r->sectors) return L2_STALL_LINE;
        s->moved = (uint8_t)bit_count32(r->sectors);
        l2_touch(s, a, (uint32_t)at, s->tags.sectors[at].pending != 0);
        write_bytes(s, (uint32_t)at, r);
        l2_count(s, r, (struct shares){.hits = l2_weight(s, l2_wanted(s, r))});
        passed = false;
    } else {
        why = write_miss(s, r, a);
    }
    if (why != L2_GO) return why;
    if (!(passed && r->is_write)) finish_write(s, r, now);
    return L2_GO;
}

/* ---- the cycle ---- */

/* A slice without the rules of GPGPU-Sim 3.2 has a copy of its own of these. */
#define INTO_BOTH static inline __attribute__((always_inline))

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

/* Memory has written a store that waited for that. */
static void accept_ack(struct l2 *s, struct req *r, tick_t now)
{
    s->fill_waits = !reply_fits(s, now);
    if (s->fill_waits) return;
    port_pop(&s->fill, now);
    l2_reply(s, r, now);
}

/* A fill arrives with the request that fetched it. */
INTO_BOTH void accept_fill(struct l2 *s, tick_t now)
{
    struct req *f = port_peek(&s->fill, now);
    if (f && f->is_write) {
        accept_ack(s, f, now);
        return;
    }
    if (!f || now < s->fill_free) return;
    port_pop(&s->fill, now);
    struct tags *t = &s->tags;
    uint32_t m = f->l2_mshr, at = s->mshr.entry[m].at;
    if (at == NO_PLACE) {
        fill_bypassed(s, f);
        return;
    }
    WL_ASSERT(t->sectors[at].mshr == m && !(f->fetch & ~t->sectors[at].pending));
    t->sectors[at].valid |= f->fetch;
    t->sectors[at].pending &= (uint8_t)~f->fetch;
    t->state[at] = line_state(t, at, f->nvm);
    s->mshr_sectors -= l2_weight(s, f->fetch);
    s->stats.fills += l2_weight(s, f->fetch);
    s->fill_free = now + s->port_ticks[bit_count32(f->fetch)];
    if (f->cache == L2_SLICE && !s->forward_pending) {
        req_free(s->pool, f); /* fetched for a store: no load waits for it */
    } else {                  /* the oldest of those that wait */
        f->next = s->mshr.entry[m].waiting.head;
        if (!f->next) s->mshr.entry[m].waiting.tail = &f->next;
        s->mshr.entry[m].waiting.head = f;
    }
    release_waiting(s, m, at);
    if (t->sectors[at].pending) return;
    t->sectors[at].mshr = NO_MSHR;
    mshr_release(&s->mshr, m);
}

INTO_BOTH void send_done(struct l2 *s, tick_t now)
{
    if (!s->done.head || !reply_fits(s, now)) return;
    struct req *r = list_pop(&s->done);
    if (r->cache == L2_SLICE) req_free(s->pool, r); /* a store's read: its turn is spent, nobody wants the answer */
    else l2_reply(s, r, now);
}

INTO_BOTH bool send_down(struct l2 *s, tick_t now)
{
    if (!s->missq.head || s->sent_for == now || !port_can_push(s->mem, now)) return false;
    s->missq_used--;
    port_push(s->mem, list_pop(&s->missq), now);
    return true;
}

static uint8_t write_note(struct l2 *s, const struct wl_access *a)
{
    const struct wl_note_hooks *h = s->pol.policy->notes;
    return h && h->reply ? h->reply(&s->pol.cache, a) : 0;
}

/* Takes the oldest request out, which may be in another list already; `behind` was its next. */
static inline void leave_queue(struct l2 *s, struct req *behind, tick_t now)
{
    if (!s->queue_cap) {
        port_pop_to(&s->in, behind, now);
        return;
    }
    s->queue.head = behind;
    if (!behind) s->queue.tail = &s->queue.head;
    s->queue_used--;
}

INTO_BOTH enum l2_stall access_head(struct l2 *s, struct req *r, tick_t now)
{
    if (s->stop_all && !port_can_push(s->mem, now)) return L2_STALL_MISSQ;
    if (!reply_fits(s, now)) return L2_STALL_REPLY;
    struct req *behind = r->next; /* the request may be in another list afterwards */
    uint32_t sectors = s->port_time == L2_PAY_LINE ? LINE_SECTORS : bit_count32(r->sectors);
    struct wl_access a;
    s->moved = 0;
    r->nvm = nvm_line(s->nvm, r->line);
    l2_describe_access(s, r, r->set, now, &a);
    int found = tags_find(&s->tags, r->set, r->line);
    enum l2_stall why;
    if (r->kind == WL_LOAD || r->kind == WL_ATOMIC) why = read_line(s, r, &a, found, now);
    else why = write_line(s, r, &a, found, now);
    if (why != L2_GO) return why;
    if (a.kind == WL_LOAD) r->note = write_note(s, &a);
    leave_queue(s, behind, now);
    s->port_free = now + s->port_ticks[s->port_time == L2_PAY_HIT ? s->moved : sectors];
    s->part.clock->progress++;
    return L2_GO;
}

/* ---- from the network to the tags, l2.entry = queue ----
 *
 * A packet enters the pipeline per cycle and one leaves it, while the queue behind it has room. Nobody looks at that
 * before an access, so the slice sleeps through it and makes up for it: when it wakes, and for the network when it
 * lacks room. */

static void leave_pipeline(struct l2 *s, tick_t now)
{
    while (s->rop.head && s->queue_used < s->queue_cap) {
        tick_t edge = tick_max(s->left + s->part.period, s->rop.head->ready);
        if (edge > now) break;
        list_push(&s->queue, list_pop(&s->rop));
        s->queue_used++;
        s->left = edge;
        s->part.clock->progress++;
    }
    s->left = tick_max(s->left, now);
}

/* Takes a packet from the network. */
static void enter_pipeline(struct l2 *s, tick_t now)
{
    struct req *r = net_take(&s->in, now);
    if (s->texture_skips && r->cache == L1_TEXTURE) {
        list_push(&s->queue, r);
        s->queue_used++;
        return;
    }
    r->ready = now + s->rop_ticks;
    list_push(&s->rop, r);
}

/* All that has entered by this edge, and left before. */
static void settle_entries(struct l2 *s, tick_t now)
{
    while (!port_empty(&s->in)) {
        tick_t edge = s->entered + s->part.period;
        if (edge < s->in.visible_at) edge = part_edge_after(&s->part, s->in.visible_at - 1);
        if (edge > now) break;
        leave_pipeline(s, edge - s->part.period);
        if (s->queue_used >= s->queue_cap) break; /* until the slice works again */
        enter_pipeline(s, edge);
        s->entered = edge;
    }
    s->entered = tick_max(s->entered, now);
}

static void settle_port(const struct part *p, tick_t now)
{
    struct l2 *s = (struct l2 *)(void *)((char *)(uintptr_t)p - offsetof(struct l2, part));
    settle_entries(s, part_cycles(p, now) * p->period);
    if (!port_empty(&s->in)) part_wake_after(p, tick_max(now, s->in.visible_at - 1));
}

void l2_doze(struct l2 *s, bool may)
{
    if (s->dozes && !may) part_wake_after(&s->part, s->part.clock->now);
    s->dozes = may;
    s->in.doze = may ? s->rop_ticks + s->part.period : 0;
    s->in.settle = may ? settle_port : NULL;
}

/* When a request can move towards the tags; one that cannot for want of room moves after an access. */
static tick_t next_entry(const struct l2 *s)
{
    tick_t t = NEVER, seen = s->in.visible_at;
    if (s->stalled == L2_GO) {
        if (s->queue.head) t = s->port_free;
        else if (s->rop.head) t = s->rop.head->ready + s->part.period;
        else if (seen != NEVER) t = seen + s->rop_ticks + s->part.period;
    }
    bool sleeps = s->queue_used >= s->queue_cap || (s->dozes && !s->in.producer_waits);
    return sleeps ? t : tick_min(t, seen);
}

static uint64_t *stall_counter(struct l2 *s)
{
    switch (s->stalled) {
    case L2_STALL_MSHR: return &s->stats.stall_mshr;
    case L2_STALL_MERGE: return &s->stats.stall_merge;
    case L2_STALL_LINE: return &s->stats.stall_line;
    case L2_STALL_MISSQ: return &s->stats.stall_missq;
    case L2_STALL_REPLY: return &s->stats.stall_reply;
    case L2_GO: break;
    }
    return NULL;
}

static tick_t next_epoch(const struct l2 *s)
{
    return s->pol.next_epoch == UINT64_MAX ? NEVER : s->pol.next_epoch * s->part.period;
}

/* When there is work again; pushes and pops at the ports wake the slice anyway. A stalled
 * request is tried again after anything changed here: a fill, a send, a reply. */
static tick_t next_work(const struct l2 *s, tick_t now)
{
    tick_t soon = now + s->part.period;
    if (s->done.head && !s->out->producer_waits) return soon;
    if (s->missq.head && !s->mem->producer_waits) return soon;
    tick_t request = s->stalled == L2_GO ? tick_max(s->in.visible_at, s->port_free) : NEVER;
    return tick_min(tick_min(request, tick_max(s->fill.visible_at, s->fill_free)), next_epoch(s));
}

/* The same for a slice with the rules of GPGPU-Sim 3.2. */
static tick_t next_work_v3(const struct l2 *s, tick_t now)
{
    tick_t soon = now + s->part.period;
    bool answers = s->outq_cap
                       ? (s->outq.head && !s->out->producer_waits) || (s->done.head && s->outq_used < s->outq_cap)
                       : s->done.head && !s->out->producer_waits;
    if (answers || (s->missq.head && !s->mem->producer_waits)) return soon;
    tick_t request = s->queue_cap          ? tick_max(next_entry(s), soon)
                     : s->stalled == L2_GO ? tick_max(s->in.visible_at, s->port_free)
                                           : NEVER;
    bool ack = !port_empty(&s->fill) && s->fill.list.head->is_write; /* it does not use the fill port */
    tick_t fill = s->fill_waits ? NEVER : ack ? s->fill.visible_at : tick_max(s->fill.visible_at, s->fill_free);
    return tick_min(tick_min(request, fill), next_epoch(s));
}

void l2_read_stats(const struct l2 *s, tick_t at, struct l2_stats *out)
{
    struct l2 then = *s;
    if (then.stalled != L2_GO) *stall_counter(&then) += (at - then.last) / then.part.period;
    *out = then.stats;
}

/* Tries the oldest request, if the data port is free. */
INTO_BOTH void serve_head(struct l2 *s, struct req *r, tick_t now)
{
    s->stalled = L2_GO;
    if (!r || s->port_free > now) return;
    s->stalled = access_head(s, r, now);
    if (s->stalled != L2_GO) ++*stall_counter(s);
}

/* ---- ahead of the clock, l2.hop = 1 ----
 *
 * What a cycle leaves behind for the next one, a miss for memory and the answer of a fill, goes there whatever comes,
 * as nobody else fills those ports: it is sent now and dated then, so that the slice need not wake for it. Not while a
 * request is stalled, which may be for want of the place. */

static void send_down_ahead(struct l2 *s, tick_t now)
{
    if (!s->missq.head || port_used(s->mem, now) >= s->mem->capacity) return;
    s->missq_used--;
    s->sent_for = now + s->part.period;
    port_push_after(s->mem, list_pop(&s->missq), s->sent_for);
}

/* Only if it is alone: then nothing in the next cycle looks at how long the queue of replies is. */
static void send_done_ahead(struct l2 *s, tick_t now)
{
    struct req *r = s->done.head;
    if (!r || r->next || s->outq_used || r->cache == L2_SLICE || !net_flits_certain(s->out, r, now)) return;
    list_init(&s->done);
    r->is_reply = true;
    s->replied_for = now + s->part.period;
    net_send_after(s->out, r, s->replied_for);
}

static void work_ahead(struct l2 *s, tick_t now)
{
    if (s->stalled != L2_GO || s->fill_waits) return;
    send_down_ahead(s, now);
    if (s->outq_cap > 1) send_done_ahead(s, now);
}

/* A cycle with the rules of GPGPU-Sim 3.2. */
static tick_t tick_v3(struct l2 *s, tick_t now)
{
    bool sent = false;
    if (s->queue_cap) {
        settle_entries(s, now);
        leave_pipeline(s, now - s->part.period);
    }
    if (s->hop) { /* what an access or a fill makes moves on in the next cycle */
        send_done(s, now);
        accept_fill(s, now);
        send_down(s, now);
    } else {
        accept_fill(s, now);
        send_done(s, now);
    }
    serve_head(s, s->queue_cap ? s->queue.head : port_peek(&s->in, now), now);
    if (s->queue_cap) leave_pipeline(s, now);
    if (!s->hop) sent = send_down(s, now);
    bool replied = s->outq_cap && send_reply(s, now);
    /* There is room now, or the reason to wait is another one. */
    if (s->ahead) work_ahead(s, now);
    bool again = s->stalled == L2_STALL_MISSQ || (s->stop_all && s->stalled != L2_GO);
    if ((sent && again) || (replied && (s->stalled == L2_STALL_REPLY || s->fill_waits))) return now + s->part.period;
    return next_work_v3(s, now);
}

tick_t l2_tick(struct l2 *s, tick_t now)
{
    if (s->stalled != L2_GO) *stall_counter(s) += part_cycles(&s->part, now - s->last) - 1;
    s->last = now;
    if (s->pol.next_epoch != UINT64_MAX) policy_epoch(&s->pol, part_cycles(&s->part, now));
    if (!s->plain) return tick_v3(s, now);
    accept_fill(s, now);
    send_done(s, now);
    serve_head(s, port_peek(&s->in, now), now);
    if (send_down(s, now) && s->stalled == L2_STALL_MISSQ) return now + s->part.period; /* there is room now */
    return next_work(s, now);
}

void l2_host_copy(struct l2 *s, uint64_t line, uint32_t set, uint8_t sectors, tick_t now)
{
    struct tags *t = &s->tags;
    struct req r = {.line = line, .kind = WL_STORE, .sectors = sectors, .nvm = nvm_line(s->nvm, line)};
    struct wl_access a;
    l2_describe_access(s, &r, set, now, &a);
    int found = tags_find(t, set, line);
    if (found >= 0 && t->sectors[found].pending) return; /* a kernel runs, and is about to get what it asked for */
    if (found >= 0) {
        l2_touch(s, &a, (uint32_t)found, false);
        t->sectors[found].valid |= s->sectored ? sectors : ALL_SECTORS;
        return;
    }
    struct wl_set ways = tags_view(t, set);
    int way = policy_victim(&s->pol, &a, &ways);
    if (way < 0) return;
    uint32_t at = set * t->ways + (uint32_t)way;
    report_take(s, &a, at);
    tags_take(t, set, at, line);
    t->sectors[at].valid = s->sectored ? sectors : ALL_SECTORS;
    t->sectors[at].dirty = t->sectors[at].pending = 0;
    forget_stores(s, at);
    t->state[at] = line_state(t, at, r.nvm);
}

void l2_kernel(struct l2 *s, enum wl_phase phase, const struct wl_kernel *k)
{
    policy_kernel(&s->pol, phase, k);
    if (phase == WL_BEGIN) part_wake_at(&s->part, next_epoch(s));
}
