/* port.h - a bounded queue between two parts that latches both data and credit.
 *
 * What is pushed at tick t can be seen by the consumer after t, and the slot that is freed at
 * t can be used by the producer after t. Hence the order in which parts work within one tick
 * cannot change a result. No commit pass is needed: an entry carries the tick from which it
 * may not yet be seen, and the port remembers how many slots were freed at the latest tick.
 *
 * A push into an empty port wakes the consumer, which after a pop sees to the next entry itself. A
 * producer that found the port full is woken by the next pop. */
#ifndef WL_MEM_PORT_H
#define WL_MEM_PORT_H

#include "mem/part.h"
#include "mem/req.h"

struct port_slot {
    tick_t after; /* visible after this tick */
    struct req *req;
};

struct port {
    struct port_slot *slot;
    uint32_t mask, capacity;
    uint32_t head, tail;
    tick_t delay; /* a fixed pipeline inside the port: entries are visible that much later */
    tick_t freed_at;
    uint32_t freed;
    bool producer_waits;
    const struct part *producer, *consumer;
    uint64_t *notify; /* a word of the consumer's in which a push into the empty port sets notify_bit, or NULL */
    uint64_t notify_bit;
};

int port_init(struct port *p, uint32_t capacity, const struct part *producer, const struct part *consumer);
void port_destroy(struct port *p);

static inline bool port_empty(const struct port *p) { return p->head == p->tail; }
static inline uint32_t port_used(const struct port *p, tick_t now)
{
    return p->tail - p->head + (p->freed_at == now ? p->freed : 0);
}

/* Whether one more fits; if not, the producer is woken when it does. A slot freed at this very
 * tick, before or after the question, is there for the producer's next edge. */
static inline bool port_can_push(struct port *p, tick_t now)
{
    if (port_used(p, now) < p->capacity) return true;
    if (p->freed_at == now) part_wake_after(p->producer, now);
    else p->producer_waits = true;
    return false;
}

/* Visible to the consumer at its first edge after `after` >= now. The port must have room. */
static inline void port_push_after(struct port *p, struct req *r, tick_t after)
{
    after += p->delay;
    bool first = p->head == p->tail;
    p->slot[p->tail++ & p->mask] = (struct port_slot){after, r};
    p->consumer->clock->progress++;
    if (!first) return; /* the one in front decides when there is work */
    if (p->notify) *p->notify |= p->notify_bit;
    part_wake_after(p->consumer, after);
}

static inline void port_push(struct port *p, struct req *r, tick_t now) { port_push_after(p, r, now); }

/* The oldest visible entry, or NULL. */
static inline struct req *port_peek(const struct port *p, tick_t now)
{
    if (p->head == p->tail) return NULL;
    const struct port_slot *s = &p->slot[p->head & p->mask];
    return s->after < now ? s->req : NULL;
}

/* When the oldest entry becomes visible: the tick before which it is not; NEVER when empty. */
static inline tick_t port_next(const struct port *p)
{
    return p->head == p->tail ? NEVER : p->slot[p->head & p->mask].after;
}

static inline void port_pop(struct port *p, tick_t now)
{
    p->head++;
    p->freed = p->freed_at == now ? p->freed + 1 : 1;
    p->freed_at = now;
    if (p->producer_waits) {
        p->producer_waits = false;
        part_wake_after(p->producer, now);
    }
}

#endif
