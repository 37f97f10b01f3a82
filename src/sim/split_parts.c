/* split_parts.c - the back of a split machine part by part, each for many cycles on end.
 *
 * What a slice sends is seen by its channel only after mem.latency. For a stretch of fewer cycles a channel can work
 * first: all that it will see has been sent. Then its slices can: what comes to them from the network and from the
 * channel is known with its date. Then the reply network, which sees what slices have sent, dated. So nobody has to be
 * woken, and a part's state and code are warm in the host's cache while it works.
 *
 * Room is the one thing that has no delay. A channel and its slices stop before a slice could fill its port to the
 * channel, which has taken things out ahead of time; and either stops where it is not certain of room for what it
 * sends. The next stretch begins where the slowest has stopped. If that is where it began, the back goes on cycle by
 * cycle, woken by the wheels of its clock, with some parts ahead of others, until there is plenty of room again. */
#include <stdlib.h>

#include "sim/split_priv.h"

enum {
    PLENTY = 24,   /* places at both ends of a slice, so that it is worth beginning */
    MOST_SENT = 2, /* messages that a slice sends to the same end in a cycle, at most */
    REPLIES = 0,   /* the parts in the order of `driven` */
    SLICES = 1
};

int split_parts_init(struct split *x)
{
    struct gpu *g = x->g;
    x->part_next = calloc(x->back.parts, sizeof *x->part_next);
    if (!x->part_next) return -1;
    x->may_part = true;
    x->memory_delay = NEVER;
    for (uint32_t i = 0; i < g->slices; i++) {
        const struct l2 *s = &g->l2[i];
        x->may_part &= s->plain && !s->half && !s->pol.policy->on_epoch;
        x->memory_delay = tick_min(x->memory_delay, s->mem->delay);
    }
    for (uint32_t i = 0; i < g->channels; i++) x->may_part &= !g->dram[i].gated;
    if (x->memory_delay < x->back_cycles / 2 * g->core_period) x->may_part = false;
    return 0;
}

/* The tick before which all parts have worked. */
static tick_t parts_time(const struct split *x) { return x->back.clock.now + 1; }

/* Whether what one part sends to another wakes that one. */
static void set_waking(struct split *x, bool wakes)
{
    struct gpu *g = x->g;
    x->parted = !wakes;
    for (uint32_t i = 0; i < g->slices; i++) g->l2[i].fill.cut = g->l2[i].mem->cut = g->l2[i].out->cut = !wakes;
}

void split_part(struct split *x)
{
    const struct gpu *g = x->g;
    for (uint32_t i = 0; i < g->slices; i++)
        if (!l2_has_room(&g->l2[i], PLENTY)) return;
    for (unsigned i = 0; i < x->back.parts; i++) x->part_next[i] = NEVER;
    clock_take_wakes(&x->back.clock, x->part_next);
    set_waking(x, false);
}

/* The edge at which the slice works next, with what its channel has sent since. */
static tick_t slice_next(const struct split *x, uint32_t i)
{
    const struct l2 *s = &x->g->l2[i];
    tick_t fill = l2_next_fill(s), next = x->part_next[SLICES + i];
    return fill == NEVER ? next : tick_min(next, part_edge_after(&s->part, fill - 1));
}

static tick_t replies_next(const struct split *x)
{
    const struct net *n = &x->g->net[1];
    tick_t seen = net_next_seen(n), next = x->part_next[REPLIES];
    return seen == NEVER ? next : tick_min(next, part_edge_after(&n->part, seen - 1));
}

/* Cycle by cycle from here on. */
static void leave_parts(struct split *x)
{
    struct gpu *g = x->g;
    set_waking(x, true);
    part_wake_at(&g->net[1].part, replies_next(x));
    for (uint32_t i = 0; i < g->slices; i++) part_wake_at(&g->l2[i].part, slice_next(x, i));
    for (uint32_t i = 0; i < g->channels; i++) part_wake_after(&g->dram[i].part, x->back.clock.now); /* it looks */
}

/* Works at all edges of the slice before `limit`; returns before which tick it has. */
static tick_t run_slice(struct split *x, uint32_t i, tick_t limit)
{
    struct to_slice *t = &x->to_slice[i];
    const struct part *p = &t->l2->part;
    tick_t at = slice_next(x, i);
    while (at < limit && l2_has_room(t->l2, MOST_SENT)) {
        x->back.last = tick_max(x->back.last, at);
        at = split_next_edge(p, at, split_tick_slice(t, at));
    }
    x->part_next[SLICES + i] = at;
    return tick_min(at, limit);
}

static void run_replies(struct split *x, tick_t limit)
{
    const struct part *p = &x->g->net[1].part;
    tick_t at = replies_next(x);
    while (at < limit) {
        x->back.last = tick_max(x->back.last, at);
        at = split_next_edge(p, at, split_tick_replies(x, at));
    }
    x->part_next[REPLIES] = at;
}

/* How far a channel may go that is to go to `limit`: no slice can fill its port by then, from which the channel takes
 * things out ahead of time. */
static tick_t certain_limit(const struct split *x, uint32_t first, uint32_t per, tick_t limit)
{
    const struct l2 *s = &x->g->l2[first];
    uint32_t room = UINT32_MAX;
    for (uint32_t i = 0; i < per; i++) {
        uint32_t places = s[i].mem->capacity - s[i].mem->used;
        if (places < room) room = places;
    }
    uint32_t cycles = room > MOST_SENT ? room - MOST_SENT : 0;
    return tick_min(limit, parts_time(x) + cycles * s->part.period);
}

/* The channel, then its slices; returns before which tick all of them have worked. */
static tick_t run_memory(struct split *x, uint32_t channel, tick_t limit)
{
    const struct gpu *g = x->g;
    uint32_t per = g->slices / g->channels, first = channel * per;
    tick_t *next = &x->part_next[SLICES + g->slices + channel], seen = *next, slices = NEVER;
    for (uint32_t i = first; i < first + per; i++) {
        seen = tick_min(seen, g->l2[i].mem->visible_at);
        slices = tick_min(slices, slice_next(x, i));
    }
    if (tick_min(seen, slices) >= limit) return limit; /* most often */
    limit = certain_limit(x, first, per, limit);
    if (seen < limit) *next = dram_run(&g->dram[channel], limit);
    tick_t sent = tick_min(*next, limit), reached = sent;
    for (uint32_t i = first; i < first + per; i++) reached = tick_min(reached, run_slice(x, i, sent));
    return reached;
}

void split_run_parts(struct split *x, tick_t limit)
{
    const struct gpu *g = x->g;
    for (tick_t now; (now = parts_time(x)) < limit && !x->back.breach.broken;) {
        tick_t end = tick_min(limit, now + x->memory_delay), reached = end;
        for (uint32_t c = 0; c < g->channels; c++) reached = tick_min(reached, run_memory(x, c, end));
        run_replies(x, reached);
        if (reached <= now) { /* somebody has to wait for room */
            leave_parts(x);
            return;
        }
        x->back.clock.now = reached - 1;
    }
}
