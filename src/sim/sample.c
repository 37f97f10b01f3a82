/* sample.c - counters over time.
 *
 * Core cycles of successive kernels follow each other without a gap, so cycle n of a run is the
 * core edge n: the end of an interval is a tick. In the fast engine most parts sleep when it comes.
 * An SM that sleeps owes the cycles it slept through, and its scheduler may too; so all SMs are
 * woken there, which is what the reference engine does at every edge. A slice of the L2 may run on
 * another clock; what it owes is computed. The other parts count when something happens. */
#include <stdlib.h>
#include <string.h>

#include "sim/gpu_priv.h"

int sampler_init(struct gpu *g, struct wl_err *e)
{
    if (!g->config.v[P_STATS_INTERVAL]) return 0;
    struct sampler *s = &g->sampler;
    s->interval = s->at = (tick_t)g->config.v[P_STATS_INTERVAL] * g->core_period;
    s->sample = calloc(MAX_SAMPLES, sizeof *s->sample);
    return s->sample ? 0 : wl_fail(e, WL_ERUN, "out of memory");
}

void sampler_prepare(struct gpu *g)
{
    tick_t next = clock_next(&g->clock, g->options.tick);
    if (next < g->sampler.at || next == NEVER) return; /* NEVER is a deadlock, which a wake-up would hide */
    for (uint32_t i = 0; i < g->sms; i++) part_wake_at(&g->sm[i].part, g->sampler.at);
}

void gpu_snapshot(const struct gpu *g, struct sample *out)
{
    struct policy_stats p;
    gpu_read_stats(g, &out->stats);
    gpu_read_policy_stats(g, &p);
    memcpy(out->l1, p.l1, sizeof p.l1);
    memcpy(out->l2, p.l2, sizeof p.l2);
    memcpy(out->sched, p.sched, sizeof p.sched);
    memset(&out->stats.l2, 0, sizeof out->stats.l2);
    for (uint32_t i = 0; i < g->slices; i++) {
        struct l2_stats one;
        l2_read_stats(&g->l2[i], g->clock.now, &one);
        l2_stats_add(&out->stats.l2, &one);
    }
}

static void drop_every_second(struct sampler *s)
{
    for (unsigned i = 0; i < MAX_SAMPLES / 2; i++) s->sample[i] = s->sample[2 * i + 1];
    s->count = MAX_SAMPLES / 2;
    s->interval *= 2;
}

void sampler_take(struct gpu *g)
{
    struct sampler *s = &g->sampler;
    if (g->clock.now != s->at) return;
    struct sample *one = &s->sample[s->count++];
    gpu_snapshot(g, one);
    one->stats.cycles = g->clock.now / g->core_period;
    if (g->profile) heat_take(&g->profile->heat);
    if (s->count == MAX_SAMPLES) {
        drop_every_second(s);
        if (g->profile) heat_halve(&g->profile->heat);
    }
    s->at += s->interval;
}

int gpu_read_samples(const struct gpu *g, struct sample **out, unsigned *count, struct wl_err *e)
{
    const struct sampler *s = &g->sampler;
    *out = NULL;
    *count = 0;
    if (!s->sample) return 0;
    *out = malloc((s->count + 1) * sizeof **out);
    if (!*out) return wl_fail(e, WL_ERUN, "out of memory");
    memcpy(*out, s->sample, s->count * sizeof **out);
    *count = s->count + 1;
    gpu_snapshot(g, &(*out)[s->count]);
    /* The last kernel ended with an interval: what its end added belongs to that interval. */
    if (s->count && (*out)[s->count - 1].stats.cycles == (*out)[s->count].stats.cycles) {
        (*out)[s->count - 1] = (*out)[s->count];
        *count = s->count;
    }
    return 0;
}
