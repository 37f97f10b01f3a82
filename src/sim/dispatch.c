#include "sim/dispatch.h"

#include <stdio.h>

void dispatch_begin(struct dispatch *d, struct stream_source *s, tick_t start, struct wl_err *e)
{
    d->source = s;
    d->start = start;
    d->given = 0;
    d->last = d->sms - 1;
    d->exhausted = d->cut = false;
    d->cut_at = d->marked_at = NEVER;
    d->mark = UINT32_MAX;
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
    if (++d->given == d->mark) d->marked_at = now;
    part_wake_after(&s->part, now);
    d->part.clock->progress++;
    return true;
}

void dispatch_skip(struct dispatch *d, uint32_t ctas)
{
    struct cta_stream cta;
    int got = 1;
    if (d->source->pass) d->source->pass(d->source, d->given + ctas);
    for (uint32_t i = 0; i < ctas && got > 0; i++) {
        got = d->source->next(d->source, &cta, d->e);
        if (got < 0) d->failed = -got;
        if (got <= 0) d->exhausted = true;
        else d->source->release(d->source, &cta), d->given++;
    }
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
