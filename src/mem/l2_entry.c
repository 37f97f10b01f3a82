/* l2_entry.c - from the network to the tags, l2.entry = queue.
 *
 * A packet enters the pipeline per cycle and one leaves it, while the queue behind it has room. Nobody looks at that
 * before an access, so the slice sleeps through it and makes up for it: when it wakes, and for the network when it
 * lacks room. */
#include "mem/l2_priv.h"

void l2_leave_pipeline(struct l2 *s, tick_t now)
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
void l2_settle_entries(struct l2 *s, tick_t now)
{
    while (!port_empty(&s->in)) {
        tick_t edge = s->entered + s->part.period;
        if (edge < s->in.visible_at) edge = part_edge_after(&s->part, s->in.visible_at - 1);
        if (edge > now) break;
        l2_leave_pipeline(s, edge - s->part.period);
        if (s->queue_used >= s->queue_cap) break; /* until the slice works again */
        enter_pipeline(s, edge);
        s->entered = edge;
    }
    s->entered = tick_max(s->entered, now);
}

static void settle_port(const struct part *p, tick_t now)
{
    struct l2 *s = (struct l2 *)(void *)((char *)(uintptr_t)p - offsetof(struct l2, part));
    l2_settle_entries(s, part_cycles(p, now) * p->period);
    if (!port_empty(&s->in)) part_wake_after(p, tick_max(now, s->in.visible_at - 1));
}

void l2_doze(struct l2 *s, bool may)
{
    if (s->dozes && !may) part_wake_after(&s->part, s->part.clock->now);
    s->dozes = may;
    s->in.doze = may ? s->rop_ticks + s->part.period : 0;
    s->in.settle = may ? settle_port : NULL;
}

tick_t l2_next_entry(const struct l2 *s)
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
