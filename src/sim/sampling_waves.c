/* sampling_waves.c - of a launch with many waves of CTAs, some waves are timed.
 *
 * A wave is as many CTAs as the machine holds at once. The first one fills the machine and the caches and stands for
 * nothing but itself. Then come windows: from the moment at which a wave's first CTA was given out to that of the next
 * wave. When one agrees with the two before it the state is steady, and the dispatcher passes over a stretch of CTAs:
 * the source executes them, the machine never sees them, and goes on with the CTA behind. One wave later the next
 * window begins, and so on: each stretch has a window on either side, which stand for it. The last wave and the drain
 * are always timed. Windows that scatter more than the asked error make the stretches shorter, and a launch whose
 * windows never agree is timed to its end.
 *
 * Windows are delimited by what the dispatcher did, one core cycle later, when all SMs have been woken so that none
 * owes cycles it slept through: both engines read the same numbers. */
#include <math.h>
#include <string.h>

#include "sim/gpu_priv.h"

enum {
    LEAST_WAVES = 10, /* a launch of fewer waves is timed in full: little would be left out */
    WINDOWS_AFTER = 4 /* windows that are aimed at behind the first two */
};
/* Windows may differ by so many times the asked error and be of one state; more is not noise. */
static const double STEADY = 5;

void waves_begin(struct gpu *g, struct stream_source *s)
{
    struct waves *w = &g->waves;
    const struct launch_info *l = s->info;
    w->report.windows = w->report.skipped = 0;
    w->report.ctas = l->ctas;
    w->report.why = NULL;
    w->report.excerpts = false;
    w->snap_at = NEVER;
    w->on = false;
    w->gaps = 0;
    uint64_t resident = sm_resident_ctas(g->config.v, l);
    if (!w->wanted || !resident) return;
    if (l->ctas / resident < LEAST_WAVES) {
        if (g->config.v[P_RUN_EXCERPTS]) excerpts_begin(g, s, resident);
        return;
    }
    w->on = true;
    w->resident = (uint32_t)resident;
    w->phase = WAVES_RAMP;
    w->stride = (l->ctas - 4 * w->resident) / (WINDOWS_AFTER + 1);
    g->dispatch.mark = 2 * w->resident;
}

static double share(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

/* What makes a state: how fast, what misses, what is waited for. As shares, so that differences compare. */
enum { RATES = 20 };
static unsigned rates_of(const struct sample *s, double out[RATES])
{
    const struct run_stats *t = &s->stats;
    unsigned n = 0;
    out[n++] = share(t->l1d.misses + t->l1d.bypasses + t->l1d.hits_reserved, t->l1d.accesses);
    out[n++] = share(t->l2.misses, t->l2.accesses);
    const uint64_t *reason = (const uint64_t *)(const void *)&t->account;
    for (unsigned i = 1; i < sizeof t->account / sizeof *reason && n < RATES; i++)
        out[n++] = share(reason[i], t->account.total);
    return n;
}

static double ipc_of(const struct sample *s) { return share(s->stats.sm.warp_instructions, s->stats.cycles); }

/* Two stretches of a launch in the same state, as far as `tolerance` can tell. */
static bool alike(const struct sample *a, const struct sample *b, double tolerance)
{
    double x[RATES], y[RATES], ia = ipc_of(a), ib = ipc_of(b);
    unsigned n = rates_of(a, x);
    rates_of(b, y);
    if (fabs(ia - ib) > tolerance * fmax(ia, ib)) return false;
    for (unsigned i = 0; i < n; i++)
        if (fabs(x[i] - y[i]) > tolerance) return false;
    return true;
}

/* The two windows before the last one, or the one there is. A launch may change slowly: what is left out counts as the
 * windows on both sides of it did. */
static void sum_windows(const struct wave_report *r, struct sample *out)
{
    unsigned last = r->windows - 1;
    *out = r->window[last - 1];
    if (last > 1) stats_add(out, &r->window[last - 2], sizeof *out);
}

/* Whether the windows so far say how fast the launch runs as exactly as was asked. */
static bool is_exact(const struct waves *w)
{
    double sum = 0, square = 0, n = w->report.windows;
    for (unsigned i = 0; i < w->report.windows; i++) {
        double ipc = ipc_of(&w->report.window[i]);
        sum += ipc;
        square += ipc * ipc;
    }
    double spread = square - sum * sum / n;
    return n < 3 || 2 * sqrt(fmax(spread, 0) / (n - 1) / n) <= w->tolerance * sum / n;
}

/* Passes over so many CTAs, for which the windows before and behind them stand; what follows fills the caches anew. */
static void skip(struct gpu *g, uint32_t ctas)
{
    struct waves *w = &g->waves;
    dispatch_skip(&g->dispatch, ctas);
    w->report.skipped += ctas;
    w->report.gap[w->report.windows - 1] += ctas;
    w->gaps = ctas;
    w->phase = WAVES_WARM;
    g->dispatch.mark = g->dispatch.given + w->resident;
}

/* After a window: what comes next. */
static void go_on(struct gpu *g)
{
    struct waves *w = &g->waves;
    struct wave_report *r = &w->report;
    struct sample before;
    uint32_t left = r->ctas - g->dispatch.given, behind = 3 * w->resident; /* a warm-up, a window and the end */
    bool steady = false;
    if (r->windows >= 2) {
        sum_windows(r, &before);
        steady = alike(&before, &r->window[r->windows - 1], STEADY * w->tolerance);
    }
    uint32_t stride = is_exact(w) ? w->stride : w->stride / 2;
    if (stride > left - behind) stride = left - behind;
    if (steady && r->windows < WAVES_MAX && left > behind + w->resident / 2) {
        skip(g, stride);
    } else if (r->windows == WAVES_MAX || left <= behind) {
        w->phase = WAVES_DONE;
    } else {
        w->phase = WAVES_MEASURE;
        g->dispatch.mark = g->dispatch.given + w->resident;
    }
    if (w->phase != WAVES_DONE) return;
    g->dispatch.mark = UINT32_MAX;
    if (!r->skipped) r->why = "its waves of blocks differ too much from one another";
}

/* The counters are up to date: a window begins or ends. */
static void look_at_counters(struct gpu *g)
{
    struct waves *w = &g->waves;
    struct sample now;
    gpu_snapshot(g, &now);
    now.stats.cycles = g->clock.now / g->core_period;
    if (w->phase == WAVES_MEASURE) {
        w->report.gap[w->report.windows] = w->gaps;
        w->gaps = 0;
        struct sample *window = &w->report.window[w->report.windows++];
        *window = now;
        stats_subtract(window, &w->begin, sizeof *window);
        go_on(g);
    } else {
        w->phase = WAVES_MEASURE;
        g->dispatch.mark = g->dispatch.given + w->resident;
    }
    w->begin = now;
}

void waves_look(struct gpu *g)
{
    struct waves *w = &g->waves;
    if (w->report.excerpts) {
        excerpts_look(g);
        return;
    }
    if (w->snap_at == NEVER) {
        if (g->dispatch.marked_at == NEVER) return;
        w->snap_at = g->dispatch.marked_at + g->core_period;
        g->dispatch.marked_at = NEVER;
        for (uint32_t i = 0; i < g->sms; i++) part_wake_at(&g->sm[i].part, w->snap_at);
    }
    if (g->clock.now < w->snap_at) return;
    w->snap_at = NEVER;
    look_at_counters(g);
}
