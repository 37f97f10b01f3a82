#include "sim/dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels ---- */

/* Several kernels run from now on: the SMs no longer know whether there is room. */
static void begin_several(struct dispatch *d, tick_t now)
{
    d->several = true;
    for (uint32_t i = 0; i < d->sms; i++)
        if (d->sm[i].wants_at == NEVER && d->sm[i].offered_at == NEVER) d->sm[i].wants_at = now;
    for (unsigned i = 0; i < d->count; i++) d->queue[i].exhausted |= d->queue[i].given == d->queue[i].ctas;
}

void dispatch_begin(struct dispatch *d, const struct dispatched *k, struct wl_err *e)
{
    unsigned at = d->count++;
    for (; at && d->queue[at - 1].priority > k->priority; at--) d->queue[at] = d->queue[at - 1];
    d->queue[at] = *k;
    for (uint32_t i = 0; i < d->sms; i++) d->given_to[(size_t)i * SM_MAX_KERNELS + k->number] = 0;
    if (d->count == 1) {
        d->last = d->sms - 1;
        d->several = k->cluster;
        d->clusters = 0;
        d->last_gpc = d->gpcs - 1;
        d->given = 0;
        d->ready_at = 0;
        d->spent = 0;
        d->mark = UINT32_MAX;
        d->marked_at = NEVER;
        d->failed = 0;
        d->e = e;
        for (uint32_t i = 0; i < d->sms; i++) d->sm[i].wants_at = 0;
    } else if (!d->several) {
        begin_several(d, d->part.clock->now);
    }
    d->clusters += k->cluster != 0;
    part_wake_at(&d->part, k->start);
}

bool dispatch_end(struct dispatch *d, unsigned number)
{
    unsigned at = 0;
    while (d->queue[at].number != number) at++;
    bool cut = d->queue[at].cut;
    free(d->queue[at].sm_of);
    d->clusters -= d->queue[at].cluster != 0;
    d->count--;
    memmove(&d->queue[at], &d->queue[at + 1], (d->count - at) * sizeof d->queue[0]);
    return cut;
}

bool dispatch_ended(const struct dispatch *d, const struct dispatched *k)
{
    return k->exhausted && d->kernels[k->number].ended == k->given;
}

/* ---- is there room? ---- */

/* CTAs of the kernel that the SM held before this tick. */
static uint32_t held(const struct dispatch *d, uint32_t sm, unsigned number, tick_t now)
{
    const struct cta_exits *x = &d->sm[sm].exits[number];
    return d->given_to[(size_t)sm * SM_MAX_KERNELS + number] - (x->all - (x->at >= now ? x->last : 0));
}

static bool fits(const struct dispatch *d, uint32_t sm, unsigned number, uint32_t more, tick_t now)
{
    const struct cta_room *need = &d->kernels[number].need, *room = &d->sm[sm].room;
    uint64_t k = more + 1u, slots = k * need->slots, warps = k * need->warps, registers = k * need->registers,
             shared = k * need->shared_bytes;
    if (held(d, sm, number, now) + more >= d->kernels[number].cta_limit) return false;
    for (unsigned i = 0; i < d->count; i++) {
        unsigned other = d->queue[i].number;
        uint64_t n = held(d, sm, other, now);
        if (n && other != number && !d->mixed) return false;
        const struct cta_room *each = &d->kernels[other].need;
        slots += n * each->slots;
        warps += n * each->warps;
        registers += n * each->registers;
        shared += n * each->shared_bytes;
    }
    return slots <= room->slots && warps <= room->warps && registers <= room->registers &&
           shared <= d->sm[sm].shared_split;
}

uint32_t dispatch_room(const struct dispatch *d, uint32_t sm, unsigned number, tick_t now)
{
    uint32_t n = 0, limit = d->kernels[number].cta_limit;
    if (d->count == 1) return limit - held(d, sm, number, now);
    while (n < limit && fits(d, sm, number, n, now)) n++;
    return n;
}

/* ---- the work of a cycle ---- */

/* A CTA was given: when the next one may be. */
static void spend(struct dispatch *d, tick_t now)
{
    if (d->ready_at < now) d->ready_at = now, d->spent = 0;
    d->spent += d->interval;
    d->ready_at += d->spent / 1000 * d->part.period;
    d->spent %= 1000;
}

bool dispatch_give(struct dispatch *d, struct dispatched *k, uint32_t n, tick_t now)
{
    struct sm *s = &d->sm[n];
    struct stream_source *source = d->kernels[k->number].source;
    if (now >= k->cut_at && !k->placed) {
        k->exhausted = k->cut = true;
        return false;
    }
    int got = source->next(source, &s->offered, d->e);
    if (got < 0) d->failed = -got;
    if (got <= 0) {
        k->exhausted = true;
        return false;
    }
    s->offered.order = k->given;
    s->offered.sm = n;
    if (k->sm_of) k->sm_of[k->given] = (uint16_t)n;
    s->offered_kernel = (uint8_t)k->number;
    s->offered_at = now;
    s->wants_at = NEVER;
    k->given++;
    k->exhausted = d->several && k->given == k->ctas;
    d->given_to[(size_t)n * SM_MAX_KERNELS + k->number]++;
    if (++d->given == d->mark) d->marked_at = now;
    part_wake_after(&s->part, now);
    d->part.clock->progress++;
    spend(d, now);
    return true;
}

/* Gives the SM a CTA of the first kernel that has one for it. */
static bool serve(struct dispatch *d, uint32_t n, tick_t now)
{
    for (unsigned i = 0; i < d->count; i++) {
        struct dispatched *k = &d->queue[i];
        if (k->exhausted || now < k->start || k->cluster || (d->several && !fits(d, n, k->number, 0, now))) continue;
        if (dispatch_give(d, k, n, now)) return true;
    }
    return false;
}

/* The tick at which the next kernel starts, and whether one that has started has CTAs left. */
static tick_t next_start(const struct dispatch *d, tick_t now, bool *left)
{
    tick_t next = NEVER;
    *left = false;
    for (unsigned i = 0; i < d->count; i++) {
        const struct dispatched *k = &d->queue[i];
        if (k->exhausted) continue;
        if (now < k->start) next = tick_min(next, k->start);
        else *left = true;
    }
    return next;
}

void dispatch_skip(struct dispatch *d, uint32_t ctas)
{
    struct dispatched *k = &d->queue[0];
    struct stream_source *source = d->kernels[k->number].source;
    struct cta_stream cta;
    int got = 1;
    if (source->pass) source->pass(source, d->given + ctas);
    for (uint32_t i = 0; i < ctas && got > 0; i++) {
        got = source->next(source, &cta, d->e);
        if (got < 0) d->failed = -got;
        if (got <= 0) k->exhausted = true;
        else source->release(source, &cta), d->given++;
    }
}

/* The SM whose turn is `turn`: one of each cluster before the second of any. */
static uint32_t sm_in_turn(const struct dispatch *d, uint32_t turn)
{
    if (d->cluster == 1) return turn;
    uint32_t clusters = d->sms / d->cluster;
    return turn % clusters * d->cluster + turn / clusters;
}

tick_t dispatch_tick(struct dispatch *d, tick_t now)
{
    bool more = false, left;
    tick_t next = next_start(d, now, &left);
    if (!left) return next;
    if (now < d->ready_at) return tick_min(next, d->ready_at);
    if (d->clusters) {
        bool held = false;
        next = tick_min(next, dispatch_clusters(d, now, &held));
        if (held || dispatch_idle(d)) return next;
    }
    uint32_t first = d->last + 1;
    for (uint32_t i = 0; i < d->sms && !dispatch_idle(d); i++) {
        uint32_t turn = (first + i) % d->sms, n = sm_in_turn(d, turn);
        const struct sm *s = &d->sm[n];
        if (s->wants_at == NEVER) continue;
        if (s->wants_at >= now) {
            more = true; /* asked at this very tick */
            continue;
        }
        if (!serve(d, n, now)) continue;
        d->last = turn;
        if (now < d->ready_at) return dispatch_idle(d) ? next : tick_min(next, d->ready_at);
    }
    return more && !dispatch_idle(d) ? tick_min(next, now + d->part.period) : next;
}

bool dispatch_idle(const struct dispatch *d)
{
    for (unsigned i = 0; i < d->count; i++)
        if (!d->queue[i].exhausted) return false;
    return true;
}

void dispatch_describe(const struct dispatch *d, char *out, size_t size)
{
    snprintf(out, size, "dispatcher: %u CTAs given, the next waits for room in an SM", d->given);
}
