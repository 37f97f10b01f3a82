/* sampling_like.c - a launch that goes as one before it did.
 *
 * Of each launch it is kept what was counted up to some moments, before anything was left out (marks). The next launch
 * of the group that has as many CTAs is compared with that. If it goes as that one did, for as long as that one was
 * looked at before anything was left out, or for a wave or two, all that it has still to do is left out: it is what the
 * other one had still to do (sampling_add_like). Places are found by warp instructions, between two marks in
 * proportion. */
#include <math.h>
#include <string.h>

#include "sim/gpu_priv.h"
#include "sim/sampling_waves.h"

enum {
    FIRST = MARKS_RAMP, /* of the mark where the first window begins */
    LEAST_WINDOWS = 2   /* that are compared; where warps are moved on they are shorter, so it is as many as the other
                         * launch had */
};
static const double NEARLY = 0.9; /* as many */

static const double ALIKE = 2.5, LAST = 7.5; /* times the asked error: what windows may differ by, all and the last */

void marks_begin(struct gpu *g)
{
    struct waves *w = &g->waves;
    gpu_snapshot(g, &w->start);
    w->start.stats.cycles = g->clock.now / g->core_period;
    memset(&w->report.marks.at[0], 0, sizeof w->report.marks.at[0]);
    w->report.marks.n = 1;
}

void marks_add(struct gpu *g, const struct sample *now)
{
    struct waves *w = &g->waves;
    struct launch_marks *m = &w->report.marks;
    if (w->left_out || m->n == MARKS_MAX) return;
    m->at[m->n] = *now;
    stats_subtract(&m->at[m->n++], &w->start, sizeof *now);
}

static uint64_t work_of(const struct sample *s) { return s->stats.sm.warp_instructions; }

bool marks_between(const struct launch_marks *m, uint64_t from, uint64_t to, struct sample *out)
{
    struct sample begin;
    if (!marks_at(m, from, &begin) || !marks_at(m, to, out)) return false;
    stats_subtract(out, &begin, sizeof begin);
    return true;
}

bool marks_at(const struct launch_marks *m, uint64_t work, struct sample *out)
{
    unsigned k = 1;
    while (k < m->n && work_of(&m->at[k]) < work) k++;
    if (k >= m->n || work_of(&m->at[k - 1]) > work || work_of(&m->at[k - 1]) == work_of(&m->at[k])) return false;
    const struct sample *a = &m->at[k - 1], *b = &m->at[k];
    double share = (double)(work - work_of(a)) / (double)(work_of(b) - work_of(a));
    const uint64_t *low = (const uint64_t *)(const void *)a, *high = (const uint64_t *)(const void *)b;
    uint64_t *to = (uint64_t *)(void *)out;
    for (unsigned i = 0; i < sizeof *out / sizeof *to; i++)
        to[i] = low[i] + (uint64_t)llround(share * (double)(int64_t)(high[i] - low[i])); /* a level may fall */
    return true;
}

/* Whether what was counted from mark `from` to the last one is what the other launch counted there. */
static bool goes_alike(const struct waves *w, unsigned from, double tolerance)
{
    const struct launch_marks *m = &w->report.marks;
    struct sample other, own = m->at[m->n - 1];
    if (!marks_between(w->allowed.like, work_of(&m->at[from]), work_of(&own), &other)) return false;
    stats_subtract(&own, &m->at[from], sizeof own);
    return waves_alike(w, &other, &own, tolerance * w->tolerance);
}

bool like_reached(const struct gpu *g)
{
    const struct waves *w = &g->waves;
    const struct launch_marks *m = &w->report.marks, *other = w->allowed.like;
    if (!other || w->left_out || m->n < FIRST + 1 + LEAST_WINDOWS) return false;
    if (w->flows && g->dispatch.given < w->report.ctas) return false;
    double looked = (double)work_of(&other->at[other->n - 1]);
    if (w->moves && (double)work_of(&m->at[m->n - 1]) < NEARLY * looked) return false;
    unsigned from = m->n > FIRST + 1 + LEAST_WINDOWS ? FIRST + 1 : FIRST; /* the first window may find other caches */
    return goes_alike(w, from, ALIKE) && goes_alike(w, m->n - 2, LAST);
}

bool like_leave(struct gpu *g)
{
    struct waves *w = &g->waves;
    int finished = w->moves ? w->source->finish(w->source) : 1;
    if (!finished) return false;
    if (finished < 0) g->dispatch.failed = WL_ERUN;
    uint32_t rest = w->report.ctas - g->dispatch.given;
    dispatch_skip(&g->dispatch, rest);
    w->report.skipped += rest;
    w->report.moved = w->moves;
    w->report.like = true;
    return true;
}
