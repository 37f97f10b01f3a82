/* clock.h - time: who works when. */
#ifndef WL_ENGINE_CLOCK_H
#define WL_ENGINE_CLOCK_H

#include "base/err.h"
#include "engine/part.h"

typedef tick_t part_tick(void *self, tick_t now);

/* What the clock drives. */
struct driven {
    struct part *part;
    part_tick *tick;
    void *self;
};

/* Sets the periods of `n` clocks given in kHz so that their ratios are exact, or, when no
 * common unit below 2^32 exists, right to a femtosecond. */
void clock_periods(const int64_t *khz, unsigned n, tick_t *periods);

int clock_init(struct clock *c, unsigned parts, struct breach *breach);
void clock_destroy(struct clock *c);
/* The domain with this period, made when it is new; -1: out of memory. */
int clock_domain(struct clock *c, tick_t period);

/* The tick of the next step; NEVER: nobody will work again. */
tick_t clock_next(const struct clock *c, bool tick);

/* Lets time pass until the next edge at which somebody works; returns who, a bit a part; 0: nobody ever
 * will, or not before the horizon. For machines of at most 64 parts, whose owner lets them work itself, by kind:
 * nothing is called through a pointer. */
uint64_t clock_advance(struct clock *c);

/* Nobody of these parts, a bit each, wants to work any more. */
void clock_forget(struct clock *c, const uint64_t *parts);

/* Lets time pass until the next edge at which somebody works, and lets them. The reference
 * engine (`tick`) visits every edge and every part. `order` permutes the parts, or NULL.
 * Returns false when nobody will ever work again, or not before the horizon. */
bool clock_step(struct clock *c, const struct driven *d, unsigned n, bool tick, const uint32_t *order);

#endif
