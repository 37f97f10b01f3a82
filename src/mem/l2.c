/* l2.c - the cycle of a slice: fills, replies, the oldest request, and when there is work again. */
#include "mem/l2_halves.h"
#include "mem/l2_priv.h"
#include "warpline/policy_notes.h"

/* One reply per cycle goes on to the network. */
static bool send_reply(struct l2 *s, tick_t now)
{
    if (!s->outq.head || !net_can_send(s->out, s->outq.head, now)) return false;
    net_send(s->out, list_pop(&s->outq), now);
    s->outq_used--;
    return true;
}

static inline enum l2_stall read_line(struct l2 *s, struct req *r, const struct wl_access *a, int at, tick_t now)
{
    uint8_t want = l2_wanted(s, r);
    if (at < 0 || want & ~s->tags.sectors[at].valid) return l2_read_miss(s, r, a, at);
    s->moved = (uint8_t)bit_count32(r->sectors);
    l2_touch(s, a, (uint32_t)at, false);
    if (r->kind == WL_ATOMIC) l2_mark_dirty(s, (uint32_t)at, want, r->nvm);
    l2_count(s, r, (struct l2_shares){.hits = l2_weight(s, want)});
    l2_reply(s, r, now);
    return L2_GO;
}

/* A slice without the rules of GPGPU-Sim 3.2 has a copy of its own of these. */
#define INTO_BOTH static inline __attribute__((always_inline))

void l2_release_waiting(struct l2 *s, uint32_t m, uint32_t at)
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
            if (r->kind == WL_ATOMIC) l2_mark_dirty(s, at, r->sectors, r->nvm);
            list_push(&s->done, r);
        }
        r = next;
    }
}

/* Memory has written a store that waited for that. */
static void accept_ack(struct l2 *s, struct req *r, tick_t now)
{
    s->fill_waits = !l2_reply_fits(s, now);
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
        l2_fill_bypassed(s, f);
        return;
    }
    WL_ASSERT(t->sectors[at].mshr == m && !(f->fetch & ~t->sectors[at].pending));
    t->sectors[at].valid |= f->fetch;
    t->sectors[at].pending &= (uint8_t)~f->fetch;
    t->state[at] = l2_line_state(t, at, f->nvm);
    s->mshr_sectors -= l2_weight(s, f->fetch);
    s->stats.fills += l2_weight(s, f->fetch);
    s->fill_free = now + s->port_ticks[bit_count32(f->fetch)];
    if (f->cache == L2_SLICE && !s->forward_pending && f->trip != TRIP_CROSSED) {
        req_free(s->pool, f); /* fetched for a store: no load waits for it */
    } else {                  /* the oldest of those that wait */
        f->next = s->mshr.entry[m].waiting.head;
        if (!f->next) s->mshr.entry[m].waiting.tail = &f->next;
        s->mshr.entry[m].waiting.head = f;
    }
    l2_release_waiting(s, m, at);
    if (t->sectors[at].pending) return;
    t->sectors[at].mshr = NO_MSHR;
    mshr_release(&s->mshr, m);
}

INTO_BOTH void send_done(struct l2 *s, tick_t now)
{
    if (!s->done.head || !l2_reply_fits(s, now)) return;
    struct req *r = list_pop(&s->done);
    if (r->cache == L2_SLICE) req_free(s->pool, r); /* a store's read: its turn is spent, nobody wants the answer */
    else l2_reply(s, r, now);
}

INTO_BOTH bool send_down(struct l2 *s, tick_t now)
{
    if (!s->missq.head || !port_can_push(s->mem, now)) return false;
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

/* The request is at the tags. Nothing has changed if it has to wait. */
INTO_BOTH enum l2_stall access_tags(struct l2 *s, struct req *r, tick_t now)
{
    uint32_t sectors = s->port_time == L2_PAY_LINE ? LINE_SECTORS : bit_count32(r->sectors);
    struct wl_access a;
    s->moved = 0;
    r->nvm = nvm_line(s->nvm, r->line);
    l2_describe_access(s, r, r->set, now, &a);
    int found = tags_find(&s->tags, r->set, r->line);
    enum l2_stall why;
    if (r->kind == WL_LOAD || r->kind == WL_ATOMIC) why = read_line(s, r, &a, found, now);
    else why = l2_write_line(s, r, &a, found, now);
    if (why != L2_GO) return why;
    if (a.kind == WL_LOAD) r->note = write_note(s, &a);
    s->port_free = now + s->port_ticks[s->port_time == L2_PAY_HIT ? s->moved : sectors];
    s->part.clock->progress++;
    return L2_GO;
}

INTO_BOTH enum l2_stall access_head(struct l2 *s, struct req *r, tick_t now)
{
    if (s->stop_all && !port_can_push(s->mem, now)) return L2_STALL_MISSQ;
    if (!l2_reply_fits(s, now)) return L2_STALL_REPLY;
    struct req *behind = r->next; /* the request may be in another list afterwards */
    enum l2_stall why = access_tags(s, r, now);
    if (why == L2_GO) leave_queue(s, behind, now);
    return why;
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
    tick_t request = s->queue_cap          ? tick_max(l2_next_entry(s), soon)
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

/* ---- a slice of one of two halves, l2.halves ---- */

/* Whether a store finds the sectors of a copy on their way and has to wait for them, as it would at home. */
static bool meets_pending(const struct l2 *s, const struct req *r)
{
    if (!s->await_pending || r->kind == WL_ATOMIC) return false;
    int at = tags_find(&s->tags, r->set, r->line);
    return at >= 0 && s->tags.sectors[at].pending & r->sectors;
}

/* A request for a line whose home is the slice across. */
static enum l2_stall access_far(struct l2 *s, struct req *r, tick_t now)
{
    if (!l2_half_open(s, now)) return L2_STALL_MISSQ;
    if (!l2_reply_fits(s, now)) return L2_STALL_REPLY;
    struct req *behind = r->next;
    if (r->kind == WL_LOAD) {
        enum l2_stall why = access_tags(s, r, now);
        if (why != L2_GO) return why;
    } else { /* only through the data port */
        if (meets_pending(s, r)) return L2_STALL_LINE;
        s->port_free = now + s->port_ticks[bit_count32(r->sectors)];
        s->part.clock->progress++;
        l2_half_pass(s, r);
    }
    port_pop_to(&s->in, behind, now);
    l2_half_send(s, now);
    return L2_GO;
}

/* The oldest request that came across, if the data port is free. */
static void serve_crossed(struct l2 *s, tick_t now)
{
    struct l2_half *h = s->half;
    struct req *r = port_peek(&h->in, now);
    h->stalled = L2_GO;
    if (!r || s->port_free > now) return;
    h->stalled = L2_STALL_REPLY;
    if (!port_can_push(l2_half_way_back(s), now)) return;
    struct req *behind = r->next;
    h->stalled = access_tags(s, r, now);
    if (h->stalled != L2_GO) return;
    port_pop_to(&h->in, behind, now);
    h->crossed_last = true;
}

/* The oldest request of the network. */
static void serve_near(struct l2 *s, tick_t now)
{
    struct req *r = port_peek(&s->in, now);
    s->stalled = L2_GO;
    if (!r || s->port_free > now) return;
    s->stalled = r->trip == TRIP_FAR ? access_far(s, r, now) : access_head(s, r, now);
    if (s->stalled == L2_GO) s->half->crossed_last = false;
    else ++*stall_counter(s);
}

/* One access per cycle, the network's requests and those that came across in turn. Whose turn it was and who had to
 * wait for another reason tries again when the data port is free: a request stalls only where it is tried. */
static void serve_in_turn(struct l2 *s, tick_t now)
{
    uint64_t before = s->part.clock->progress;
    bool near_first = s->half->crossed_last;
    if (near_first) serve_near(s, now);
    if (s->part.clock->progress == before) serve_crossed(s, now);
    else s->half->stalled = L2_GO;
    bool served = s->part.clock->progress != before;
    if (!near_first && !served) serve_near(s, now);
    else if (served) s->stalled = L2_GO;
}

static void answer_done(struct l2 *s, tick_t now)
{
    struct req *r = s->done.head;
    if (!r || r->trip != TRIP_CROSSED) send_done(s, now);
    else if (port_can_push(l2_half_way_back(s), now)) l2_reply(s, list_pop(&s->done), now);
}

/* Fills from memory and answers of the other half in turn. */
static void accept_both(struct l2 *s, tick_t now)
{
    uint32_t fills = s->fill.used;
    bool back_first = !s->half->back_last;
    if (back_first) l2_half_accept(s, now);
    accept_fill(s, now);
    if (s->fill.used < fills) s->half->back_last = false;
    if (!back_first) l2_half_accept(s, now);
}

static tick_t tick_half(struct l2 *s, tick_t now)
{
    accept_both(s, now);
    answer_done(s, now);
    serve_in_turn(s, now);
    bool sent = send_down(s, now);
    if (sent && (s->stalled == L2_STALL_MISSQ || s->half->stalled == L2_STALL_MISSQ)) return now + s->part.period;
    return tick_min(next_work(s, now), l2_half_next(s, now));
}

/* A cycle with the rules of GPGPU-Sim 3.2. */
static tick_t tick_v3(struct l2 *s, tick_t now)
{
    bool sent = false;
    if (s->queue_cap) {
        l2_settle_entries(s, now);
        l2_leave_pipeline(s, now - s->part.period);
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
    if (s->queue_cap) l2_leave_pipeline(s, now);
    if (!s->hop) sent = send_down(s, now);
    bool replied = s->outq_cap && send_reply(s, now);
    /* There is room now, or the reason to wait is another one. */
    bool again = s->stalled == L2_STALL_MISSQ || (s->stop_all && s->stalled != L2_GO);
    if ((sent && again) || (replied && (s->stalled == L2_STALL_REPLY || s->fill_waits))) return now + s->part.period;
    return next_work_v3(s, now);
}

tick_t l2_tick(struct l2 *s, tick_t now)
{
    if (s->stalled != L2_GO) *stall_counter(s) += part_cycles(&s->part, now - s->last) - 1;
    s->last = now;
    if (s->pol.next_epoch != UINT64_MAX) policy_epoch(&s->pol, part_cycles(&s->part, now));
    if (!s->plain) return s->half ? tick_half(s, now) : tick_v3(s, now);
    accept_fill(s, now);
    send_done(s, now);
    serve_head(s, port_peek(&s->in, now), now);
    if (send_down(s, now) && s->stalled == L2_STALL_MISSQ) return now + s->part.period; /* there is room now */
    return next_work(s, now);
}

void l2_kernel(struct l2 *s, enum wl_phase phase, const struct wl_kernel *k)
{
    policy_kernel(&s->pol, phase, k);
    if (phase == WL_BEGIN) part_wake_at(&s->part, next_epoch(s));
}
