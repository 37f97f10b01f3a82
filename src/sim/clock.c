#include "sim/clock.h"

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

int clock_init(struct clock *c, unsigned parts)
{
    *c = (struct clock){.words = (parts + 63) / 64};
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
    *d = (struct domain){.period = period, .edge = period, .cycle = 1, .next = NEVER};
    d->wheel = calloc(c->words, sizeof *d->wheel);
    return d->wheel ? (int)c->ndomains++ : -1;
}

tick_t clock_next(const struct clock *c, bool tick)
{
    tick_t t = NEVER;
    for (unsigned i = 0; i < c->ndomains; i++) {
        tick_t mine = tick ? c->domain[i].edge : c->domain[i].next;
        if (mine < t) t = mine;
    }
    return t;
}

/* The edge of the first slot in use after the one at (cycle, edge). */
static tick_t find_next(const struct domain *d, uint64_t cycle, tick_t edge)
{
    uint32_t first = (uint32_t)(cycle + 1) & (WHEEL_SLOTS - 1);
    uint64_t near = d->used[first >> 6] >> (first & 63); /* nearly always here */
    if (near) return edge + (1 + bit_low64(near)) * d->period;
    for (uint32_t ahead = 1; ahead < WHEEL_SLOTS;) {
        uint32_t slot = (uint32_t)(cycle + ahead) & (WHEEL_SLOTS - 1);
        uint64_t word = d->used[slot >> 6] >> (slot & 63);
        if (word) return edge + (ahead + bit_low64(word)) * d->period;
        ahead += 64 - (slot & 63);
    }
    return NEVER;
}

/* Time comes to t: the domain's first edge after it moves on. Returns whether somebody of the
 * domain asked for t; *slot is then theirs. */
static inline bool arrive(struct domain *d, tick_t t, uint32_t *slot)
{
    if (d->edge > t) return false;
    uint64_t steps = d->edge == t ? 0 : quotient(t - d->edge, d->period);
    uint64_t cycle = d->cycle + steps;
    d->edge += (steps + 1) * d->period;
    d->cycle = cycle + 1;
    if (d->next != t) return false;
    *slot = (uint32_t)cycle & (WHEEL_SLOTS - 1);
    d->used[*slot >> 6] &= ~bit64(*slot & 63);
    d->next = find_next(d, cycle, t);
    return true;
}

static inline void work(const struct driven *d, tick_t now)
{
    tick_t next = d->tick(d->self, now);
    if (next != NEVER) part_wake_at(d->part, next);
}

/* Wishes are forgotten before anybody works: what is asked for from now on is new. */
static inline void collect(struct clock *c, unsigned words, tick_t t, uint64_t *due)
{
    uint32_t slot;
    for (unsigned i = 0; i < c->ndomains; i++) {
        struct domain *d = &c->domain[i];
        if (!arrive(d, t, &slot)) continue;
        for (unsigned w = 0; w < words; w++) {
            due[w] |= d->wheel[w][slot];
            d->wheel[w][slot] = 0;
        }
    }
    c->now = t;
}

bool clock_step(struct clock *c, const struct driven *d, unsigned n, bool tick, const uint32_t *order)
{
    tick_t t = clock_next(c, tick);
    if (t == NEVER) return false;
    uint64_t due[CLOCK_MAX_WORDS] = {0};
    if (c->words == 1 && !tick && !order) { /* the usual machine has at most 64 parts */
        collect(c, 1, t, due);
        for (uint64_t m = due[0]; m; m &= m - 1) work(&d[bit_low64(m)], t);
        return true;
    }
    for (unsigned i = 0; tick && i < n; i++)
        if (d[i].part->domain->edge == t) due[i >> 6] |= bit64(i & 63);
    collect(c, c->words, t, due);
    if (order) {
        for (unsigned i = 0; i < n; i++)
            if (due[order[i] >> 6] >> (order[i] & 63) & 1) work(&d[order[i]], t);
        return true;
    }
    for (unsigned w = 0; w < c->words; w++)
        for (uint64_t m = due[w]; m; m &= m - 1) work(&d[w * 64 + bit_low64(m)], t);
    return true;
}
