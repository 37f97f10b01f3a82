/* clock.h - time: who works when. */
#ifndef WL_ENGINE_CLOCK_H
#define WL_ENGINE_CLOCK_H

#include "base/err.h"
#include "engine/part.h"

typedef tick_t part_tick(void *self, tick_t now);

typedef bool part_idle(const void *self);
typedef void part_describe(const void *self, char *out, size_t size);

/* What the clock drives: a row of the table of parts, the part's number being its index. */
struct driven {
    struct part *part;
    part_tick *tick;         /* works at one edge; returns when it wants to work next, NEVER: when it is woken */
    void *self;              /* what the functions get */
    part_idle *idle;         /* whether it holds nothing that has to go on */
    part_describe *describe; /* what it holds, in a few words, for the report of a deadlock */
};

/* Sets the periods of `n` clocks given in kHz so that their ratios are exact, or, when no
 * common unit below 2^32 exists, right to a femtosecond. */
void clock_periods(const int64_t *khz, unsigned n, tick_t *periods);

int clock_init(struct clock *c, unsigned parts, struct breach *breach);
void clock_destroy(struct clock *c);
/* When checking: asserts that the wheels agree with what is noted about them. */
void clock_walk(const struct clock *c);
/* The domain with this period, made when it is new; -1: out of memory. */
int clock_domain(struct clock *c, tick_t period);

/* Takes all wake-ups out. next[part]: the first of each, if it is earlier than what stands there. */
void clock_take_wakes(struct clock *c, tick_t *next);

/* The tick of the next step; NEVER: no part will work again. */
tick_t clock_next(const struct clock *c, bool tick);

/* Lets time pass until the next edge at which a part works, and lets all work that do. The reference
 * engine (`tick`) visits every edge and every part. `order` permutes the parts, or NULL.
 * Returns false when no part will ever work again. */
bool clock_step(struct clock *c, const struct driven *d, unsigned n, bool tick, const uint32_t *order);

#endif
