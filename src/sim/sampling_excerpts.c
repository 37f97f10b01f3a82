/* sampling_excerpts.c - of a launch of few, long CTAs excerpts are timed.
 *
 * There are no waves to pass over, so the source leaves gaps in the warps' streams (stream_source.excerpt): the machine
 * runs a shorter program that does the same things in the same order. What is left out need not be the same share
 * everywhere, at the beginning of warps nothing is; so counters are read at regular times, with what was passed over
 * since the last time, and each such window stands for the gaps that fell into it (sampling_project.c). A launch has
 * between half of MOST windows and all of them: when there are more, neighbours are joined. */
#include <string.h>

#include "sim/gpu_priv.h"

enum {
    FIRST_LENGTH = 1024, /* core cycles of a window in the beginning */
    MOST = 64            /* windows of a launch */
};

/* What lies between two windows is not in the caches. That does no harm where the windows of all warps together replace
 * what is in the L2 many times over, if one instruction of eight touches a new line; where few warps run, a window
 * finds what the last one left. */
static bool fills_caches(const struct gpu *g, const struct launch_info *l, uint64_t resident)
{
    uint64_t warps = l->warps_per_cta * (l->ctas < resident ? l->ctas : resident);
    uint64_t lines = (uint64_t)(g->config.v[P_L2_SETS] * g->config.v[P_L2_WAYS]) * g->slices;
    return warps * (EXCERPT_WINDOW / 8) >= 4 * lines;
}

void excerpts_begin(struct gpu *g, struct stream_source *s, uint64_t resident)
{
    struct waves *w = &g->waves;
    if (!s->excerpt || !fills_caches(g, s->info, resident)) return;
    s->excerpt(s);
    w->on = true;
    w->source = s;
    w->gaps = 0;
    w->length = FIRST_LENGTH * g->core_period;
    w->snap_at = (g->clock.now / g->core_period + 1) * g->core_period + w->length;
    w->report.excerpts = w->by_time = true;
    gpu_snapshot(g, &w->begin);
    w->begin.stats.cycles = g->clock.now / g->core_period;
}

static void join_windows(struct waves *w)
{
    struct wave_report *r = &w->report;
    for (unsigned i = 0; i < MOST / 2; i++) {
        struct sample *to = &r->window[i];
        if (i) *to = r->window[2 * i];
        stats_add(to, &r->window[2 * i + 1], sizeof *to);
        r->gap[i] = r->gap[2 * i] + r->gap[2 * i + 1];
    }
    r->windows = MOST / 2;
    w->length *= 2;
}

void excerpts_look(struct gpu *g)
{
    struct waves *w = &g->waves;
    struct wave_report *r = &w->report;
    if (g->clock.now < w->snap_at) return;
    struct sample now;
    gpu_snapshot(g, &now);
    now.stats.cycles = g->clock.now / g->core_period;
    uint64_t gaps = w->source->gaps(w->source);
    struct sample *window = &r->window[r->windows];
    *window = now;
    stats_subtract(window, &w->begin, sizeof *window);
    r->gap[r->windows++] = gaps - w->gaps;
    w->gaps = gaps;
    w->begin = now;
    if (r->windows == MOST) join_windows(w);
    w->snap_at += w->length;
}
