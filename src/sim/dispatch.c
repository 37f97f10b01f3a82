#include "sim/dispatch.h"

#include <stdio.h>

void dispatch_begin(struct dispatch *d, struct stream_source *s, tick_t start, struct wl_err *e)
{
    d->source = s;
    d->start = start;
    d->given = 0;
    d->last = d->sms - 1;
    d->exhausted = d->cut = false;
    d->cut_at = NEVER;
    d->failed = 0;
    d->e = e;
    for (uint32_t i = 0; i < d->sms; i++) d->sm[i].wants_at = 0;
    part_wake_at(&d->part, start);
}

/* Gives one CTA to the SM; false when there is none. */
static bool dispatch_give(struct dispatch *d, struct sm *s, tick_t now)
{
    if (now >= d->cut_at) {
        d->exhausted = d->cut = true;
        return false;
    }
    int got = d->source->next(d->source, &s->offered, d->e);
    if (got < 0) d->failed = -got;
    if (got <= 0) {
        d->exhausted = true;
        return false;
    }
    s->offered_at = now;
    s->wants_at = NEVER;
    d->given++;
    part_wake_after(&s->part, now);
    d->part.clock->progress++;
    return true;
}

tick_t dispatch_tick(struct dispatch *d, tick_t now)
{
    if (d->exhausted || now < d->start) return d->exhausted ? NEVER : d->start;
    bool more = false;
    uint32_t first = d->last + 1;
    for (uint32_t i = 0; i < d->sms && !d->exhausted; i++) {
        uint32_t n = (first + i) % d->sms;
        struct sm *s = &d->sm[n];
        if (s->wants_at == NEVER) continue;
        if (s->wants_at >= now) {
            more = true; /* asked at this very tick */
            continue;
        }
        if (dispatch_give(d, s, now)) d->last = n;
    }
    return more && !d->exhausted ? now + d->part.period : NEVER;
}

bool dispatch_idle(const struct dispatch *d) { return d->exhausted; }

void dispatch_describe(const struct dispatch *d, char *out, size_t size)
{
    snprintf(out, size, "dispatcher: %u CTAs given, the next waits for room in an SM", d->given);
}
