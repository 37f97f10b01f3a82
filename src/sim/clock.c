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
    *c = (struct clock){.far_min = NEVER};
    c->far = malloc(parts * sizeof *c->far);
    if (!c->far || parts > CLOCK_MAX_WORDS * 64) return -1;
    for (unsigned i = 0; i < parts; i++) c->far[i] = NEVER;
    return 0;
}

void clock_destroy(struct clock *c) { free(c->far); }

uint32_t clock_domain(struct clock *c, tick_t period)
{
    for (uint32_t d = 0; d < c->ndomains; d++)
        if (c->period[d] == period) return d;
    c->period[c->ndomains] = c->edge[c->ndomains] = period;
    return c->ndomains++;
}

/* Sets now, and the first edge of every domain after it. */
static void advance(struct clock *c, tick_t now)
{
    c->now = now;
    for (unsigned d = 0; d < c->ndomains; d++) {
        if (c->edge[d] > now) continue;
        c->edge[d] = c->edge[d] == now ? now + c->period[d] : (now / c->period[d] + 1) * c->period[d];
    }
}

static tick_t next_time(const struct clock *c, bool tick)
{
    tick_t t = tick ? NEVER : c->far_min;
    for (unsigned d = 0; d < c->ndomains; d++)
        if ((tick || c->soon_count[d]) && c->edge[d] < t) t = c->edge[d];
    return t;
}

/* Collects who is due at t and forgets that they asked, before anybody works: what they ask for
 * from now on is new. */
static void collect(struct clock *c, const struct driven *d, unsigned n, tick_t t, bool tick, uint64_t *due)
{
    for (unsigned i = 0; i < c->ndomains; i++) {
        if (c->edge[i] != t || !c->soon_count[i]) continue;
        for (unsigned w = 0; w < (n + 63) / 64; w++) {
            due[w] |= c->soon[i][w];
            c->soon[i][w] = 0;
        }
        c->soon_count[i] = 0;
    }
    if (c->far_min == t) {
        c->far_min = NEVER;
        for (unsigned i = 0; i < n; i++) {
            if (c->far[i] == t) {
                due[i >> 6] |= bit64(i & 63);
                c->far[i] = NEVER;
            } else if (c->far[i] < c->far_min) {
                c->far_min = c->far[i];
            }
        }
    }
    for (unsigned i = 0; tick && i < n; i++)
        if (c->edge[d[i].part->domain] == t) due[i >> 6] |= bit64(i & 63);
}

static void work(const struct driven *d, tick_t now)
{
    tick_t next = d->tick(d->self, now);
    if (next != NEVER) part_wake_at(d->part, next);
}

bool clock_step(struct clock *c, const struct driven *d, unsigned n, bool tick, const uint32_t *order)
{
    tick_t t = next_time(c, tick);
    if (t == NEVER) return false;
    uint64_t due[CLOCK_MAX_WORDS] = {0};
    collect(c, d, n, t, tick, due);
    advance(c, t);
    if (order) {
        for (unsigned i = 0; i < n; i++)
            if (due[order[i] >> 6] >> (order[i] & 63) & 1) work(&d[order[i]], t);
        return true;
    }
    for (unsigned w = 0; w < (n + 63) / 64; w++)
        for (uint64_t m = due[w]; m; m &= m - 1) work(&d[w * 64 + bit_low64(m)], t);
    return true;
}
