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
 *  - A kernel may end with a write in a partition that is ahead: its end is that tick (freed_at).
 *
 * It pays while partitions get far. Where the replies of full slices wait for the network, each of the
 * network's steps is news to some partition; then the clock drives the partitions' parts like all
 * others for a while, before it is tried again. */
#include <stdlib.h>

#include "sim/gpu_priv.h"

enum { REPLIES_A_TICK = 2, REQUESTS_A_TICK = 3 }; /* that a slice makes at most */

/* After so many rounds, if one did not win so many core cycles, so many cycles of rest. */
struct patience {
    unsigned rounds, cycles_each, rest;
};
static struct patience patience(const struct gpu *g)
{
    return g->options.restless ? (struct patience){3, ARRIVAL_SLOTS, 37} : (struct patience){256, 8, 16384};
}

int partitions_init(struct gpu *g)
{
    uint32_t per = g->slices / g->channels;
    g->partition = calloc(g->channels, sizeof *g->partition);
    if (!g->partition) return -1;
    for (uint32_t c = 0; c < g->channels; c++)
        g->partition[c] = (struct partition){.dram = &g->dram[c], .l2 = &g->l2[c * per], .slices = per};
    /* What comes out dated must be within the reach of the network's slots. */
    g->lookahead = earlier(g->net[0].latency + g->l2[0].in.delay, (ARRIVAL_SLOTS - 2) * g->net[1].part.period);
    return 0;
}

static struct part *part_of_partition(struct partition *p, uint32_t i)
{
    return i < p->slices ? &p->l2[i].part : &p->dram->part;
}

void partitions_enter(struct gpu *g)
{
    uint64_t parts[CLOCK_MAX_WORDS] = {0};
    for (uint32_t c = 0; c < g->channels; c++) {
        struct partition *p = &g->partition[c];
        for (uint32_t i = 0; i <= p->slices; i++) {
            struct part *part = part_of_partition(p, i);
            p->wake[i] = part_edge_after(part, g->clock.now); /* a part that has nothing to do there says so */
            part->wake = &p->wake[i];
            parts[part->id >> 6] |= part->bit;
        }
    }
    clock_forget(&g->clock, parts);
    g->clock.horizon = g->clock.now;
    g->ahead = true;
    g->rounds = 0;
    g->trial_at = g->clock.now;
}

static void leave(struct gpu *g)
{
    for (uint32_t c = 0; c < g->channels; c++) {
        struct partition *p = &g->partition[c];
        for (uint32_t i = 0; i <= p->slices; i++) {
            struct part *part = part_of_partition(p, i);
            part->wake = NULL;
            if (p->wake[i] != NEVER) part_wake_after(part, p->wake[i] - 1);
        }
    }
    g->clock.horizon = NEVER - 1;
    g->ahead = false;
    g->trial_at = g->clock.now + g->lookahead + patience(g).rest * g->core_period; /* they are as far ahead as that */
}

uint64_t partitions_requests(const struct gpu *g)
{
    return (g->lookahead / g->l2[0].part.period + 2) * REQUESTS_A_TICK * g->slices;
}

static bool certain_of_room(const struct l2 *s, tick_t now)
{
    return port_used(s->out, now) + REPLIES_A_TICK <= s->out->capacity;
}

/* The part that wants to work first: a slice, or `slices` for the channel. */
static inline uint32_t first_of(const struct partition *p, uint32_t slices)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i <= slices; i++) first = p->wake[i] < p->wake[first] ? i : first;
    return first;
}

/* Part i works, as it wished. */
static inline void work_once(struct gpu *g, struct partition *p, uint32_t slices, uint32_t i)
{
    tick_t now = p->wake[i], next;
    const struct part *part = part_of_partition(p, i);
    uint64_t alive = g->pool.alive;
    p->wake[i] = NEVER;
    next = i < slices ? l2_tick(&p->l2[i], now) : dram_tick(p->dram, now);
    if (g->pool.alive < alive) g->freed_at = later(g->freed_at, now);
    if (next != NEVER) part_wake_after(part, later(now, next - 1));
}

/* Nobody in the machine works before `sure`. Lets the partition work there and, if it may, ahead up to
 * `end`; returns when it wants to work next. */
static inline tick_t work(struct gpu *g, struct partition *p, uint32_t slices, tick_t sure, tick_t end)
{
    uint32_t i = first_of(p, slices);
    for (; p->wake[i] <= sure; i = first_of(p, slices)) work_once(g, p, slices, i);
    for (uint32_t k = 0; k < slices; k++) {
        const struct l2 *s = &p->l2[k];
        if (s->out->producer_waits) return p->wake[i]; /* the network may take a reply at any time */
        uint32_t room = s->in.capacity - s->in.used; /* that the network must not be able to use up, a packet a cycle */
        end = earlier(end, sure + (room - (room > 0)) * g->net[0].part.period);
    }
    for (; p->wake[i] < end; i = first_of(p, slices)) {
        if (i < slices && !certain_of_room(&p->l2[i], p->wake[i])) break;
        work_once(g, p, slices, i);
    }
    return p->wake[i];
}

/* The horizon is when the first partition wants to work. What a step does can bring that nearer, never
 * nearer than the step: see part_wake_after. A partition that is still well ahead is left alone. */
static inline bool work_all(struct gpu *g, uint32_t slices)
{
    tick_t sure = clock_next(&g->clock, false), horizon = NEVER - 1, first[NET_MAX_PORTS];
    for (uint32_t c = 0; c < g->channels; c++) {
        const struct partition *p = &g->partition[c];
        first[c] = p->wake[first_of(p, slices)];
        sure = earlier(sure, first[c]);
    }
    if (sure == NEVER) return false;
    g->clock.now = later(g->clock.now, sure);
    for (uint32_t c = 0; c < g->channels; c++) {
        if (first[c] <= sure + g->lookahead / 2)
            first[c] = work(g, &g->partition[c], slices, sure, sure + g->lookahead);
        horizon = earlier(horizon, first[c]);
    }
    g->clock.horizon = horizon;
    return true;
}

bool partitions_work(struct gpu *g)
{
    bool worked = g->partition[0].slices == 2 ? work_all(g, 2) : work_all(g, g->partition[0].slices); /* two is usual */
    if (++g->rounds == patience(g).rounds) {
        bool paid = g->clock.now >= g->trial_at + (tick_t)g->rounds * patience(g).cycles_each * g->core_period;
        g->rounds = 0;
        g->trial_at = g->clock.now;
        if (!paid) leave(g);
    }
    return worked;
}
