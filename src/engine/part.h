/* part.h - parts of the machine and how they wake one another.
 *
 * Time is one integer, the tick: the largest unit of which every clock period is a multiple.
 * A part works at edges of its own clock only. Between edges at which it has something to do
 * it sleeps; it says when it wants to work next, and anyone who changes what it waits for
 * wakes it earlier. A wake-up is a bit in the wheel of the part's clock: one slot per cycle, one
 * bit per part; nothing is searched but for the next slot that is not empty. */
#ifndef WL_ENGINE_PART_H
#define WL_ENGINE_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/check.h"

typedef uint64_t tick_t;
#define NEVER UINT64_MAX

static inline tick_t tick_min(tick_t a, tick_t b) { return a < b ? a : b; }
static inline tick_t tick_max(tick_t a, tick_t b) { return a > b ? a : b; }

enum {
    CLOCK_MAX_DOMAINS = 4,
    CLOCK_MAX_WORDS = 11, /* of 64 parts each: the largest machine that the parameters allow */
    WHEEL_SLOTS = 256     /* cycles ahead; a part that sleeps longer is woken at the last slot and asks again */
};

/* One clock: all parts with the same period. Its edges are the multiples of the period, and numbered so. */
struct domain {
    tick_t period;
    tick_t reach;                    /* how far ahead the wheel goes, in ticks */
    struct reciprocal cycles;        /* ticks to cycles */
    tick_t next;                     /* the edge of the first slot that is not empty; NEVER when all are */
    uint64_t used[WHEEL_SLOTS / 64]; /* slots that are not empty, one bit per slot */
    uint64_t *wheel;                 /* [WHEEL_SLOTS * words] the parts to wake at a cycle, one bit per part */
};

struct clock {
    tick_t now;
    unsigned ndomains;
    unsigned words; /* of 64 bits, that a set of parts with one bit per part takes */
    struct domain domain[CLOCK_MAX_DOMAINS];
    uint64_t progress;         /* counts what moves: the watchdog looks at it */
    struct req_tracer *tracer; /* follows chosen requests (mem/req.h); NULL: none */
    struct breach *breach;     /* where parts note what a policy answered wrongly; the run loop ends the run */
};

struct part {
    struct clock *clock;
    struct domain *domain;
    uint64_t *wheel; /* this part's word of the first slot of the domain's wheel */
    uint64_t bit;    /* this part's bit in that word, the same in every slot */
    tick_t period;
    uint32_t id;
};

/* Part number `id` of the clock, driven by the clock's domain `d`. */
static inline struct part part_of(struct clock *c, uint32_t id, unsigned d)
{
    struct domain *domain = &c->domain[d];
    return (struct part){c, domain, domain->wheel + (id >> 6), bit64(id & 63), domain->period, id};
}

/* Whole cycles of the part's clock in so many ticks. */
static inline uint64_t part_cycles(const struct part *p, tick_t ticks)
{
    return reciprocal_divide(ticks, &p->domain->cycles);
}

/* The part's first edge after `at`. */
static inline tick_t part_edge_after(const struct part *p, tick_t at) { return (part_cycles(p, at) + 1) * p->period; }

/* The part works at its first edge after `at` (at >= now). Beyond the wheel's reach it is woken
 * at the last slot and asks again. */
static inline void part_wake_after(const struct part *p, tick_t at)
{
    struct domain *d = p->domain;
    uint64_t cycle = part_cycles(p, tick_min(at, p->clock->now + d->reach)) + 1;
    uint32_t slot = (uint32_t)cycle & (WHEEL_SLOTS - 1);
    p->wheel[slot * p->clock->words] |= p->bit;
    d->used[slot >> 6] |= bit64(slot & 63);
    d->next = tick_min(d->next, cycle * p->period);
}

/* The part works at the edge `t` or, if t has passed, at its next edge. */
static inline void part_wake_at(const struct part *p, tick_t t)
{
    if (t != NEVER) part_wake_after(p, t > p->clock->now ? t - 1 : p->clock->now);
}

#endif
