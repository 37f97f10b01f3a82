/* partition.c - memory partitions run ahead of the clock.
 *
 * A partition is a memory channel with its L2 slices. Partitions have nothing to do with each other,
 * and what the network gives to one is seen there only after the network's latency and the slice's
 * fixed pipeline. So if nobody in the whole machine works before some tick, nothing new can be seen in
 * a partition before that tick plus this latency: until then each can work by itself, in the order of
 * its own time, its state warm in the host's cache and no clock asked. The SMs and the networks then
 * catch up. Nothing can tell the difference:
 *  - What a slice sends carries the tick at which it was sent, and is not seen before it.
 *  - A reply needs room in the network's input queue, and how much the network will have taken from it by
 *    then is not known yet. A slice that is not certain of its room stops; the machine catches up to
 *    that tick, where the queue is what it is.
 *  - What a slice takes ahead of time looks like room to the network too early. So a slice works no
 *    further ahead than its queue has room for a packet in every cycle.
 *  - A kernel may end with a write in a partition that is ahead: its end is that tick (freed_at). */
#include <stdlib.h>

#include "sim/gpu_priv.h"

enum { REPLIES_A_TICK = 2, REQUESTS_A_TICK = 3 }; /* that a slice makes at most */

static uint32_t slices_each(const struct gpu *g) { return g->slices / g->channels; }

int partitions_init(struct gpu *g)
{
    uint32_t per = slices_each(g), n = g->channels + g->slices;
    g->wake = malloc(n * sizeof *g->wake);
    if (!g->wake) return -1;
    for (uint32_t i = 0; i < n; i++) g->wake[i] = NEVER;
    for (uint32_t c = 0; c < g->channels; c++) {
        tick_t *wake = g->wake + c * (per + 1);
        g->dram[c].part.wake = wake;
        for (uint32_t i = 0; i < per; i++) g->l2[c * per + i].part.wake = wake + 1 + i;
    }
    /* What comes out dated must be within the reach of the network's slots. */
    g->lookahead = earlier(g->net[0].latency + g->l2[0].in.delay, (ARRIVAL_SLOTS - 2) * g->net[1].part.period);
    g->clock.horizon = 0;
    return 0;
}

uint64_t partitions_requests(const struct gpu *g)
{
    return (g->lookahead / g->l2[0].part.period + 2) * REQUESTS_A_TICK * g->slices;
}

/* How far ahead the slice lets its partition work: until the network could have filled its queue, one
 * packet a cycle; not at all while it waits for the network to take a reply, which may be at any time. */
static tick_t bound(const struct gpu *g, const struct l2 *s, tick_t sure)
{
    uint32_t room = s->in.capacity - s->in.used;
    return room > 1 && !s->out->producer_waits ? sure + (room - 1) * g->net[0].part.period : sure + 1;
}

static bool certain_of_room(const struct l2 *s, tick_t now) { return port_used(s->out, now) + REPLIES_A_TICK <= s->out->capacity; }

/* Nobody in the machine works before `sure`. Lets partition c work up to `end`; returns the tick before
 * which it has done all it has to do. */
static tick_t work(struct gpu *g, uint32_t c, tick_t sure, tick_t end)
{
    uint32_t per = slices_each(g);
    tick_t *wake = g->wake + c * (per + 1);
    struct l2 *l2 = &g->l2[c * per];
    struct dram *d = &g->dram[c];
    for (uint32_t i = 0; i < per; i++) end = earlier(end, bound(g, &l2[i], sure));
    for (;;) {
        uint32_t first = 0;
        for (uint32_t i = 1; i <= per; i++) first = wake[i] < wake[first] ? i : first;
        tick_t now = wake[first], next;
        if (now >= end) return end;
        uint64_t alive = g->pool.alive;
        const struct part *p;
        if (first) {
            struct l2 *s = &l2[first - 1];
            if (now > sure && !certain_of_room(s, now)) return now;
            wake[first] = NEVER;
            p = &s->part;
            next = l2_tick(s, now);
            if (s->out->producer_waits) end = sure + 1;
        } else {
            wake[0] = NEVER;
            p = &d->part;
            next = dram_tick(d, now);
        }
        if (g->pool.alive < alive) g->freed_at = later(g->freed_at, now);
        if (next != NEVER) wake[first] = earlier(wake[first], part_edge_after(p, later(now, next - 1)));
    }
}

bool partitions_work(struct gpu *g)
{
    tick_t sure = clock_next(&g->clock, false);
    for (uint32_t i = 0; i < g->channels + g->slices; i++) sure = earlier(sure, g->wake[i]);
    if (sure == NEVER) return false;
    g->clock.now = later(g->clock.now, sure);
    tick_t horizon = sure + g->lookahead;
    for (uint32_t c = 0; c < g->channels; c++) horizon = earlier(horizon, work(g, c, sure, sure + g->lookahead));
    g->clock.horizon = horizon;
    return true;
}
