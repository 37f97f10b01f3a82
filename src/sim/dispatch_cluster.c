/* dispatch_cluster.c - clusters of CTAs to GPCs.
 *
 * A GPC is a group of neighbouring SMs between which there is a way from one shared memory to the other. A cluster gets
 * its place when one GPC has room for all its CTAs, the GPCs being asked in turn. They go to the SMs with the most
 * room, one after another; until the last is given nobody else gets a CTA, so that the room is still there. */
#include "sim/dispatch.h"

uint32_t dispatch_gpcs(uint64_t digits, uint32_t sms, uint32_t end[GPC_MAX])
{
    uint32_t n = 0, at = 0;
    uint64_t unit = 1;
    while (digits / unit >= 10) unit *= 10;
    for (; digits && unit && at < sms; unit /= 10) {
        at += 2 * (uint32_t)(digits / unit % 10);
        end[n++] = at = at < sms ? at : sms;
    }
    if (at < sms) end[n++] = sms;
    return n;
}

uint64_t dispatch_cluster_room(const uint32_t *end, uint32_t gpcs, uint32_t limit, uint32_t cluster)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < gpcs; i++) n += (uint64_t)(end[i] - (i ? end[i - 1] : 0)) * limit / cluster;
    return n;
}

/* Finds the next cluster a place in this GPC. */
static bool place_in(const struct dispatch *d, struct dispatched *k, uint32_t gpc, tick_t now)
{
    uint8_t left[1024] = {0};
    uint32_t first = gpc ? d->gpc_end[gpc - 1] : 0, end = d->gpc_end[gpc], all = 0;
    for (uint32_t i = first; i < end; i++) all += left[i - first] = (uint8_t)dispatch_room(d, i, k->number, now);
    if (all < k->cluster) return false;
    for (uint32_t rank = 0; rank < k->cluster; rank++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < end - first; i++)
            if (left[i] > left[best]) best = i;
        k->place[rank] = (uint16_t)(first + best);
        left[best]--;
    }
    return true;
}

static bool place(struct dispatch *d, struct dispatched *k, tick_t now)
{
    for (uint32_t i = 1; i <= d->gpcs; i++) {
        uint32_t gpc = (d->last_gpc + i) % d->gpcs;
        if (!place_in(d, k, gpc, now)) continue;
        d->last_gpc = gpc;
        return true;
    }
    return false;
}

tick_t dispatch_clusters(struct dispatch *d, tick_t now, bool *held)
{
    for (unsigned i = 0; i < d->count; i++) {
        struct dispatched *k = &d->queue[i];
        while (k->cluster && !k->exhausted && now >= k->start) {
            if (!k->placed && now < k->cut_at && !place(d, k, now)) break;
            const struct sm *s = &d->sm[k->place[k->placed]];
            *held = true;
            if (s->wants_at == NEVER) return NEVER;              /* it has not taken its last one yet */
            if (s->wants_at >= now) return now + d->part.period; /* asked at this very tick */
            if (!dispatch_give(d, k, k->place[k->placed], now)) break;
            k->placed = (k->placed + 1) % k->cluster;
            *held = k->placed;
            if (now < d->ready_at) return d->ready_at;
        }
    }
    return NEVER;
}
