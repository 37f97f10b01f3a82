#include "engine/clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "engine/step.h"

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

void clock_periods(const int64_t *khz, unsigned n, tick_t *periods)
{
    /* period_i = L / f_i with L the least common multiple of the frequencies, reduced. */
    uint64_t divisor = 0, multiple = 1;
    for (unsigned i = 0; i < n; i++) divisor = gcd((uint64_t)khz[i], divisor);
    WL_ASSERT(divisor); /* clocks run */
    bool exact = true;
    for (unsigned i = 0; i < n && exact; i++) {
        uint64_t f = (uint64_t)khz[i] / divisor, part = f / gcd(f, multiple);
        WL_ASSERT(part);
        exact = multiple <= (UINT64_C(1) << 32) / part;
        if (exact) multiple *= part;
    }
    for (unsigned i = 0; i < n; i++)
        periods[i] = exact ? multiple / ((uint64_t)khz[i] / divisor)
                           : (UINT64_C(1000000000000) + (uint64_t)khz[i] / 2) / (uint64_t)khz[i];
}

int clock_init(struct clock *c, unsigned parts, struct breach *breach)
{
    *c = (struct clock){.words = (parts + 63) / 64, .breach = breach};
    for (unsigned i = 0; i < CLOCK_MAX_DOMAINS; i++) c->domain[i].next = NEVER;
    return parts > CLOCK_MAX_WORDS * 64 ? -1 : 0;
}

void clock_destroy(struct clock *c)
{
    for (unsigned i = 0; i < c->ndomains; i++) free(c->domain[i].wheel);
}

int clock_domain(struct clock *c, tick_t period)
{
    for (unsigned i = 0; i < c->ndomains; i++)
        if (c->domain[i].period == period) return (int)i;
    struct domain *d = &c->domain[c->ndomains];
    *d = (struct domain){
        .period = period, .reach = (WHEEL_SLOTS - 2) * period, .cycles = reciprocal_of(period), .next = NEVER};
    d->wheel = calloc((size_t)WHEEL_SLOTS * c->words, sizeof *d->wheel);
    return d->wheel ? (int)c->ndomains++ : -1;
}

tick_t clock_next(const struct clock *c, bool tick)
{
    if (!tick) return next_wake(c);
    tick_t t = NEVER;
    for (unsigned i = 0; i < c->ndomains; i++) {
        const struct domain *d = &c->domain[i];
        t = tick_min(t, (c->now / d->period + 1) * d->period);
    }
    return t;
}

void clock_walk(const struct clock *c)
{
    for (unsigned i = 0; i < c->ndomains; i++) {
        const struct domain *d = &c->domain[i];
        bool any = false;
        for (uint32_t slot = 0; slot < WHEEL_SLOTS; slot++) {
            uint64_t parts = 0;
            for (unsigned w = 0; w < c->words; w++) parts |= d->wheel[slot * c->words + w];
            WL_VERIFY((parts != 0) == (d->used[slot >> 6] >> (slot & 63) & 1));
            any |= parts != 0;
        }
        WL_VERIFY(any ? d->next > c->now : d->next == NEVER);
    }
}

void clock_take_wakes(struct clock *c, tick_t *next)
{
    for (unsigned i = 0; i < c->ndomains; i++)
        for (struct domain *d = &c->domain[i]; d->next != NEVER;) {
            tick_t t = d->next;
            uint64_t *slot = d->wheel + take_slot(d) * c->words;
            for (unsigned w = 0; w < c->words; w++) {
                for (uint64_t m = slot[w]; m; m &= m - 1) {
                    tick_t *first = &next[w * 64 + bit_low64(m)];
                    *first = tick_min(*first, t);
                }
                slot[w] = 0;
            }
        }
}

/* Every part of a word of parts that has an edge at tick t. */
static uint64_t with_an_edge(const struct driven *d, unsigned n, tick_t t)
{
    uint64_t parts = 0;
    for (unsigned i = 0; i < n && i < 64; i++)
        if (t % d[i].part->period == 0) parts |= bit64(i);
    return parts;
}

/* Lets the parts of a set that is given word by word work, in this order. */
static void work_in_order(const struct driven *d, unsigned n, const uint64_t *due, const uint32_t *order, tick_t t)
{
    for (unsigned i = 0; i < n; i++)
        if (due[order[i] >> 6] >> (order[i] & 63) & 1) clock_work(&d[order[i]], t);
}

/* The usual engine and order. What a slot holds is taken out word by word while parts of earlier words work: nothing
 * that they ask for is for this slot again. */
static __attribute__((noinline)) bool step_words(struct clock *c, const struct driven *d)
{
    tick_t t = next_wake(c);
    if (t == NEVER) return false;
    WL_ASSERT(t > c->now);
    uint64_t *taken[CLOCK_MAX_DOMAINS]; /* the slots of the clocks that have an edge with wake-ups now */
    unsigned ntaken = 0;
    for (unsigned i = 0; i < c->ndomains; i++)
        if (c->domain[i].next == t) taken[ntaken++] = c->domain[i].wheel + take_slot(&c->domain[i]) * c->words;
    c->now = t;
    for (unsigned w = 0; w < c->words; w++) {
        uint64_t due = 0;
        for (unsigned k = 0; k < ntaken; k++) {
            due |= taken[k][w];
            taken[k][w] = 0;
        }
        for (; due; due &= due - 1) clock_work(&d[w * 64 + bit_low64(due)], t);
    }
    return true;
}

/* Any engine and order. */
static __attribute__((noinline)) bool step_any(struct clock *c, const struct driven *d, unsigned n, bool tick,
                                               const uint32_t *order)
{
    tick_t t = clock_next(c, tick);
    if (t == NEVER) return false;
    uint64_t set[CLOCK_MAX_WORDS] = {0};
    for (unsigned i = 0; i < c->ndomains; i++) {
        if (c->domain[i].next != t) continue;
        uint64_t *taken = c->domain[i].wheel + take_slot(&c->domain[i]) * c->words;
        for (unsigned w = 0; w < c->words; w++) {
            set[w] |= taken[w];
            taken[w] = 0;
        }
    }
    c->now = t;
    for (unsigned w = 0; tick && w < c->words; w++) set[w] |= with_an_edge(d + w * 64, n - w * 64, t);
    if (order) {
        work_in_order(d, n, set, order, t);
        return true;
    }
    for (unsigned w = 0; w < c->words; w++)
        for (uint64_t due = set[w]; due; due &= due - 1) clock_work(&d[w * 64 + bit_low64(due)], t);
    return true;
}

bool clock_step(struct clock *c, const struct driven *d, unsigned n, bool tick, const uint32_t *order)
{
    if (tick || order) return step_any(c, d, n, tick, order);
    return c->words == 1 ? step_word(c, d) : step_words(c, d);
}
