/* port.h - a bounded queue between two parts that latches both data and credit.
 *
 * What is pushed at tick t can be seen by the consumer after t, and the slot that is freed at
 * t can be used by the producer after t. Hence the order in which parts work within one tick
 * cannot change a result. No commit pass is needed: an entry carries the tick from which it
 * may not yet be seen, and the port remembers how many places were freed at the latest tick. The
 * entries are linked: a ring as long as the deepest pipeline would go through a lot of memory.
 *
 * A push into an empty port wakes the consumer; after a pop the consumer itself looks for the next entry.
 * A producer that found the port full is woken by the next pop. */
#ifndef WL_MEM_PORT_H
#define WL_MEM_PORT_H

#include "engine/part.h"
#include "mem/req.h"

/* What a port that counts flits knows besides (net.h). */
struct flit_count {
    uint8_t (*of)[ALL_SECTORS + 1]; /* [enum wl_kind][sectors] flits of a packet; NULL: the port counts packets */
    uint32_t held;                  /* flits of the packets in the port */
    uint16_t capacity;
    uint16_t freed; /* those of the packets popped at freed_at */
    tick_t fits_at; /* `refused` flits do not fit before this tick; NEVER: before the next pop */
    uint64_t leaving,
        leaving_from; /* bit b: the place of a flit that has left is free from cycle leaving_from + b on */
};

struct port {
    struct req_list list; /* head NULL: the port is empty, and the tail is not valid */
    tick_t visible_at;    /* the tick from which on the oldest entry can be seen; NEVER when empty */
    uint32_t used, capacity;
    tick_t delay;        /* a fixed pipeline inside the port: entries are visible that much later */
    tick_t freed_at;     /* the tick of the latest pop */
    uint32_t freed;      /* entries popped at that tick */
    bool producer_waits; /* the producer found the port full; the next pop wakes it */
    bool cut;            /* the consumer is in another piece of the machine (sim/split.h) and is not woken */
    uint8_t refused;     /* flits of the packet for which the producer waits, if the port counts flits */
    const struct part *producer, *consumer;
    uint64_t
        *filled; /* a set of the consumer's ports, or NULL: a push into this port, when empty, adds it to the set */
    uint64_t filled_bit; /* this port's bit in that set */
    /* NULL, or: a request has become the oldest. It may tell the host what memory the consumer will look at when it
     * sees it, and nothing else. Not earlier: until it is seen, the host would have forgotten again. `pushed`: the
     * producer calls it, so that it may not look at what the consumer owns. */
    void (*warm)(const struct part *consumer, const struct req *oldest, bool pushed);
    struct flit_count flit;
    /* A consumer that need not take an entry out when it can see it sleeps for so much longer. Then a producer that
     * finds no room asks what has been taken out by this tick, and whoever waits for room has woken the consumer, too.
     */
    tick_t doze;
    void (*settle)(const struct part *consumer, tick_t now); /* NULL: it takes everything out at once */
};

static inline void port_init(struct port *p, uint32_t capacity, const struct part *producer,
                             const struct part *consumer)
{
    *p = (struct port){
        .visible_at = NEVER, .capacity = capacity, .freed_at = NEVER, .producer = producer, .consumer = consumer};
    list_init(&p->list);
}

static inline bool port_empty(const struct port *p) { return !p->list.head; }
static inline uint32_t port_used(const struct port *p, tick_t now) { return p->used + p->freed * (p->freed_at == now); }

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
    WL_ASSERT(p->used < p->capacity && after >= p->consumer->clock->now);
    bool first = port_empty(p);
    struct req **end = first ? &p->list.head : p->list.tail;
    r->ready = after + p->delay;
    r->next = NULL;
    *end = r;
    p->list.tail = &r->next;
    p->used++;
    p->consumer->clock->progress++;
    if (r->traced) {
        struct req_tracer *t = p->consumer->clock->tracer;
        t->hop(t, r, p->producer->id, p->consumer->id, after);
    }
    if (!first) return; /* the one in front decides when there is work */
    if (p->warm) p->warm(p->consumer, r, true);
    p->visible_at = r->ready + 1;
    if (p->filled) *p->filled |= p->filled_bit;
    if (!p->cut) part_wake_after(p->consumer, r->ready + p->doze);
}

static inline void port_push(struct port *p, struct req *r, tick_t now) { port_push_after(p, r, now); }

/* The oldest visible entry, or NULL. */
static inline struct req *port_peek(const struct port *p, tick_t now)
{
    return p->visible_at <= now ? p->list.head : NULL;
}

/* Takes out the oldest entry, which may be in another list already; `behind` was its next. */
static inline void port_pop_to(struct port *p, struct req *behind, tick_t now)
{
    WL_ASSERT(p->used && p->list.head && !behind == (p->used == 1));
    p->list.head = behind;
    p->visible_at = behind ? behind->ready + 1 : NEVER;
    if (p->warm && behind) p->warm(p->consumer, behind, false);
    p->used--;
    p->freed = 1 + p->freed * (p->freed_at == now);
    p->freed_at = now;
    if (p->producer_waits) {
        p->producer_waits = false;
        part_wake_after(p->producer, now);
    }
}

/* Puts another entry in the place of the oldest one, which goes on. */
static inline void port_replace(struct port *p, struct req *by)
{
    struct req *r = p->list.head;
    by->next = r->next;
    by->ready = r->ready;
    p->list.head = by;
    if (!by->next) p->list.tail = &by->next;
}

static inline void port_pop(struct port *p, tick_t now) { port_pop_to(p, p->list.head->next, now); }

/* Between kernels, when checking: asserts that the port is what its fields say. */
static inline void port_walk(const struct port *p)
{
    uint32_t n = 0;
    for (const struct req *r = p->list.head; r; r = r->next) n++;
    WL_VERIFY(n == p->used && n <= p->capacity);
    WL_VERIFY(p->visible_at == (n ? p->list.head->ready + 1 : NEVER));
    WL_VERIFY(!n || !*p->list.tail);
}

#endif
