#include "engine/clock.h"

#include <stdlib.h>
#include <string.h>

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
    bool exact = true;
    for (unsigned i = 0; i < n && exact; i++) {
        uint64_t f = (uint64_t)khz[i] / divisor, part = f / gcd(f, multiple);
        exact = multiple <= (UINT64_C(1) << 32) / part;
        if (exact) multiple *= part;
    }
    for (unsigned i = 0; i < n; i++)
        periods[i] = exact ? multiple / ((uint64_t)khz[i] / divisor)
                           : (UINT64_C(1000000000000) + (uint64_t)khz[i] / 2) / (uint64_t)khz[i];
}

int clock_init(struct clock *c, unsigned parts, struct breach *breach)
{
    *c = (struct clock){.words = (parts + 63) / 64, .horizon = NEVER - 1, .breach = breach};
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
    d->wheel = calloc(c->words, sizeof *d->wheel);
    return d->wheel ? (int)c->ndomains++ : -1;
}

tick_t clock_next(const struct clock *c, bool tick)
{
    tick_t t = NEVER;
    for (unsigned i = 0; i < c->ndomains; i++) {
        const struct domain *d = &c->domain[i];
        t = earlier(t, tick ? (c->now / d->period + 1) * d->period : d->next);
    }
    return t;
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

/* Time has come to d->next. Returns the slot of those who asked for it, which is theirs no more. */
static inline uint32_t take_slot(struct domain *d)
{
    uint64_t cycle = reciprocal_divide(d->next, &d->cycles);
    uint32_t slot = (uint32_t)cycle & (WHEEL_SLOTS - 1);
    d->used[slot >> 6] &= ~bit64(slot & 63);
    find_next(d, cycle);
    return slot;
}

static inline void work(const struct driven *d, tick_t now) { part_wake_at(d->part, d->tick(d->self, now)); }

/* Wishes are forgotten before anybody works: what is asked for from now on is new. */
static void collect(struct clock *c, tick_t t, uint64_t *due)
{
    c->now = t;
    for (unsigned i = 0; i < c->ndomains; i++) {
        struct domain *d = &c->domain[i];
        if (d->next != t) continue;
        uint32_t slot = take_slot(d);
        for (unsigned w = 0; w < c->words; w++) {
            due[w] |= d->wheel[w][slot];
            d->wheel[w][slot] = 0;
        }
    }
}

static inline uint64_t take_parts(struct domain *d)
{
    uint64_t *parts = &d->wheel[0][take_slot(d)], due = *parts;
    *parts = 0;
    return due;
}

uint64_t clock_advance(struct clock *c)
{
    unsigned first = 0;
    for (unsigned i = 1; i < c->ndomains; i++) first = c->domain[i].next < c->domain[first].next ? i : first;
    tick_t t = c->domain[first].next;
    if (t > c->horizon) return 0;
    c->now = t;
    uint64_t due = take_parts(&c->domain[first]);
    for (unsigned i = first + 1; i < c->ndomains; i++) /* edges of two clocks rarely meet */
        if (c->domain[i].next == t) due |= take_parts(&c->domain[i]);
    return due;
}

void clock_forget(struct clock *c, const uint64_t *parts)
{
    for (unsigned i = 0; i < c->ndomains; i++) {
        struct domain *d = &c->domain[i];
        for (uint32_t slot = 0; slot < WHEEL_SLOTS; slot++) {
            uint64_t left = 0;
            for (unsigned w = 0; w < c->words; w++) left |= d->wheel[w][slot] &= ~parts[w];
            if (!left) d->used[slot >> 6] &= ~bit64(slot & 63);
        }
        uint64_t first = d->next / d->period;
        uint32_t slot = (uint32_t)first & (WHEEL_SLOTS - 1);
        if (d->next != NEVER && !(d->used[slot >> 6] >> (slot & 63) & 1)) find_next(d, first);
    }
}

bool clock_step(struct clock *c, const struct driven *d, unsigned n, bool tick, const uint32_t *order)
{
    tick_t t = clock_next(c, tick);
    if (t > c->horizon) return false;
    uint64_t due[CLOCK_MAX_WORDS] = {0};
    for (unsigned i = 0; tick && i < n; i++)
        if (t % d[i].part->period == 0) due[i >> 6] |= bit64(i & 63);
    collect(c, t, due);
    if (order) {
        for (unsigned i = 0; i < n; i++)
            if (due[order[i] >> 6] >> (order[i] & 63) & 1) work(&d[order[i]], t);
        return true;
    }
    for (unsigned w = 0; w < c->words; w++)
        for (uint64_t m = due[w]; m; m &= m - 1) work(&d[w * 64 + bit_low64(m)], t);
    return true;
}
