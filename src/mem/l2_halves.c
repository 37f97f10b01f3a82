/* l2_halves.c - what crosses between the halves of an L2, and the copies it leaves. */
#include "mem/l2_halves.h"

#include <stdlib.h>

#include "mem/l2_priv.h"

/* ---- building ---- */

static int make_half(struct l2 *s, struct l2 *other, const struct gpu_config *c, tick_t delay)
{
    uint32_t pipeline = (uint32_t)(c->v[P_L2_CROSSING] + c->v[P_L2_INQ]);
    s->half = calloc(1, sizeof *s->half);
    if (!s->half) return -1;
    s->half->other = other;
    port_init(&s->half->in, pipeline, &other->part, &s->part);
    port_init(&s->half->back, pipeline, &other->part, &s->part);
    s->half->in.delay = s->half->back.delay = delay;
    s->plain = false;
    return 0;
}

int l2_halves_connect(struct l2 *a, struct l2 *b, const struct gpu_config *c, tick_t delay)
{
    return make_half(a, b, c, delay) || make_half(b, a, c, delay) ? -1 : 0;
}

void l2_half_destroy(struct l2 *s) { free(s->half); }

bool l2_half_idle(const struct l2 *s)
{
    return !s->half || (port_empty(&s->half->in) && port_empty(&s->half->back) && !s->half->asked);
}

void l2_half_walk(const struct l2 *s)
{
    if (!s->half) return;
    port_walk(&s->half->in);
    port_walk(&s->half->back);
    WL_VERIFY(!s->half->leaving && s->half->asked <= s->mshr_sectors && s->half->other->half->other == s);
}

/* ---- counting ---- */

bool l2_count_crossing(struct l2 *s, const struct req *r, struct l2_shares n)
{
    struct l2_stats *st = &s->stats;
    if (r->kind != WL_LOAD) return false;
    if (r->trip == TRIP_FAR) {
        st->far_reads += n.hits + n.merged + n.misses;
        st->far_hits += n.hits;
        st->far_merges += n.merged;
        st->far_misses += n.misses;
        return false; /* it is a lookup like others, too */
    }
    st->fabric_hits += n.hits;
    st->fabric_merges += n.merged;
    st->fabric_misses += n.misses;
    st->fabric_bypasses += n.bypassed;
    return true;
}

/* ---- at the near slice ---- */

bool l2_half_may_ask(const struct l2 *s, uint32_t sectors) { return s->half->asked + sectors <= s->mshr_limit / 2; }

bool l2_half_may_keep(const struct l2 *s, uint32_t set)
{
    const uint8_t *state = s->tags.state + (size_t)set * s->tags.ways;
    uint32_t left = 0;
    for (uint32_t w = 0; w < s->tags.in_use && left < 2; w++) left += WL_STATE(state[w]) != WL_RESERVED;
    return left > 1;
}

void l2_half_ask(struct l2 *s, struct req *r, uint32_t at, uint8_t sectors)
{
    struct req *d = l2_make_down(s, r, r->line, sectors, false);
    uint32_t m = s->tags.sectors[at].mshr;
    d->trip = TRIP_CROSSED;
    d->slice = (uint16_t)s->half->other->index;
    d->mshr = (uint16_t)m; /* the home slice uses l2_mshr */
    d->others = r;
    s->tags.sectors[at].pending |= sectors;
    s->tags.state[at] = l2_line_state(&s->tags, at, r->nvm);
    s->mshr_sectors += l2_weight(s, sectors);
    s->half->asked += l2_weight(s, sectors);
    s->stats.fabric_reads += l2_weight(s, sectors);
    list_push(&s->mshr.entry[m].waiting, r);
    WL_ASSERT(!s->half->leaving);
    s->half->leaving = d;
}

void l2_half_pass(struct l2 *s, struct req *r)
{
    uint32_t sectors = l2_weight(s, l2_wanted(s, r));
    if (r->kind == WL_LOAD) s->stats.fabric_reads += sectors;
    else if (r->kind == WL_ATOMIC) s->stats.fabric_atomics += sectors;
    else s->stats.fabric_writes += sectors;
    r->trip = TRIP_CROSSED;
    r->slice = (uint16_t)s->half->other->index;
    WL_ASSERT(!s->half->leaving);
    s->half->leaving = r;
}

void l2_half_send(struct l2 *s, tick_t now)
{
    if (!s->half->leaving) return;
    port_push(&s->half->other->half->in, s->half->leaving, now);
    s->half->leaving = NULL;
}

/* Sectors of a copy have come. */
static void fill_copy(struct l2 *s, struct req *f, tick_t now)
{
    struct tags *t = &s->tags;
    uint32_t m = f->mshr, at = s->mshr.entry[m].at;
    WL_ASSERT(t->sectors[at].mshr == m && !(f->sectors & ~t->sectors[at].pending));
    t->sectors[at].valid |= f->sectors;
    t->sectors[at].pending &= (uint8_t)~f->sectors;
    t->state[at] = l2_line_state(t, at, f->nvm);
    s->mshr_sectors -= l2_weight(s, f->sectors);
    s->half->asked -= l2_weight(s, f->sectors);
    s->fill_free = now + s->port_ticks[bit_count32(f->sectors)];
    f->others->answer = f->answer;
    req_free(s->pool, f);
    l2_release_waiting(s, m, at);
    if (t->sectors[at].pending) return;
    t->sectors[at].mshr = NO_MSHR;
    mshr_release(&s->mshr, m);
}

void l2_half_accept(struct l2 *s, tick_t now)
{
    struct req *r = port_peek(&s->half->back, now);
    if (!r) return;
    if (r->cache == L2_SLICE) { /* made here */
        if (now < s->fill_free) return;
        port_pop(&s->half->back, now);
        fill_copy(s, r, now);
        s->half->back_last = true;
    } else if (l2_reply_fits(s, now)) {
        port_pop(&s->half->back, now);
        r->trip = TRIP_NONE;
        l2_reply(s, r, now);
    }
}

/* ---- at the home slice ---- */

void l2_half_return(struct l2 *s, struct req *r, tick_t now)
{
    r->slice = (uint16_t)s->half->other->index;
    port_push(l2_half_way_back(s), r, now);
}

tick_t l2_half_next(const struct l2 *s, tick_t now)
{
    const struct l2_half *h = s->half;
    const struct req *back = h->back.list.head, *done = s->done.head;
    tick_t soon = now + s->part.period, answer = h->back.visible_at;
    if (done && done->trip == TRIP_CROSSED && !h->other->half->back.producer_waits) return soon;
    if (back && back->cache == L2_SLICE) answer = tick_max(answer, s->fill_free);
    else if (s->out->producer_waits) answer = NEVER; /* room there wakes the slice */
    tick_t request = h->stalled == L2_GO ? tick_max(h->in.visible_at, s->port_free) : NEVER;
    return tick_max(soon, tick_min(answer, request));
}
