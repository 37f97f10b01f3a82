/* step.h - one step of the usual engine, for loops in which a call per step would be felt. */
#ifndef WL_ENGINE_STEP_H
#define WL_ENGINE_STEP_H

#include "engine/clock.h"

/* The first wake-up; a domain that does not exist has none. */
static inline tick_t next_wake(const struct clock *c)
{
    _Static_assert(CLOCK_MAX_DOMAINS == 4, "all domains");
    const struct domain *d = c->domain;
    return tick_min(tick_min(d[0].next, d[1].next), tick_min(d[2].next, d[3].next));
}

/* Sets d->next to the first slot in use after that of the cycle. */
static inline void find_next(struct domain *d, uint64_t cycle)
{
    for (uint32_t ahead = 1; ahead < WHEEL_SLOTS;) { /* nearly always found in the first word */
        uint32_t slot = (uint32_t)(cycle + ahead) & (WHEEL_SLOTS - 1);
        uint64_t word = d->used[slot >> 6] >> (slot & 63);
        if (word) {
            d->next = (cycle + ahead + bit_low64(word)) * d->period;
            return;
        }
        ahead += 64 - (slot & 63);
    }
    d->next = NEVER;
}

/* Time has come to d->next. Returns its slot and marks it empty; the caller takes the parts out. */
static inline uint32_t take_slot(struct domain *d)
{
    uint64_t cycle = reciprocal_divide(d->next, &d->cycles);
    uint32_t slot = (uint32_t)cycle & (WHEEL_SLOTS - 1);
    WL_ASSERT(d->used[slot >> 6] >> (slot & 63) & 1);
    d->used[slot >> 6] &= ~bit64(slot & 63);
    find_next(d, cycle);
    return slot;
}

static inline void clock_work(const struct driven *d, tick_t now) { part_wake_at(d->part, d->tick(d->self, now)); }

/* Adds the parts that the domain wakes at tick t, if it wakes any then. */
static inline uint64_t take_due(struct domain *d, tick_t t)
{
    if (d->next != t) return 0;
    uint64_t *slot = d->wheel + take_slot(d), due = *slot;
    *slot = 0;
    return due;
}

/* The usual engine and order, for a machine whose parts fit into one word, which most have. */
static inline bool step_word(struct clock *c, const struct driven *d)
{
    tick_t t = next_wake(c);
    if (t == NEVER) return false;
    WL_ASSERT(t > c->now);
    struct domain *all = c->domain;
    uint64_t due = take_due(&all[0], t) | take_due(&all[1], t) | take_due(&all[2], t) | take_due(&all[3], t);
    c->now = t;
    for (; due; due &= due - 1) clock_work(&d[bit_low64(due)], t);
    return true;
}

#endif
