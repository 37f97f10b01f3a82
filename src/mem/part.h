/* part.h - parts of the machine and how they wake one another.
 *
 * Time is one integer, the tick: the largest unit of which every clock period is a multiple.
 * A part works at edges of its own clock only. Between edges at which it has something to do
 * it sleeps; it says when it wants to work next, and anyone who changes what it waits for
 * wakes it earlier. Both ways end in the same two places: a bit in `soon` for "at your next
 * edge", which is by far the most frequent case, or a time in `far`. */
#ifndef WL_MEM_PART_H
#define WL_MEM_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"

typedef uint64_t tick_t;
#define NEVER UINT64_MAX

enum { CLOCK_MAX_DOMAINS = 4, CLOCK_MAX_WORDS = 8 /* parts / 64 */ };

struct clock {
    tick_t now;
    unsigned ndomains; /* different periods */
    tick_t period[CLOCK_MAX_DOMAINS];
    tick_t edge[CLOCK_MAX_DOMAINS]; /* first edge after now */
    uint64_t soon[CLOCK_MAX_DOMAINS][CLOCK_MAX_WORDS];
    uint32_t soon_count[CLOCK_MAX_DOMAINS]; /* non-zero: some bit of soon[d] may be set */
    tick_t far_min;
    tick_t *far; /* [parts] */
    uint64_t progress; /* counts what moves: the watchdog looks at it */
};

struct part {
    struct clock *clock;
    uint32_t id, domain;
    tick_t period;
};

/* The part works at its first edge after `at` (at >= now). */
static inline void part_wake_after(const struct part *p, tick_t at)
{
    struct clock *c = p->clock;
    tick_t edge = c->edge[p->domain];
    if (at < edge) {
        c->soon[p->domain][p->id >> 6] |= bit64(p->id & 63);
        c->soon_count[p->domain] = 1;
        return;
    }
    tick_t t = (at / p->period + 1) * p->period;
    if (t < c->far[p->id]) {
        c->far[p->id] = t;
        if (t < c->far_min) c->far_min = t;
    }
}

/* The part works at the edge `t` or, if t has passed, at its next edge. */
static inline void part_wake_at(const struct part *p, tick_t t)
{
    if (t != NEVER) part_wake_after(p, t > p->clock->now ? t - 1 : p->clock->now);
}

#endif
