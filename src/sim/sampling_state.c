/* sampling_state.c - what makes a state of a launch: how fast it runs, what misses, what is waited for. */
#include <math.h>

#include "sim/gpu_priv.h"

static double share(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

static uint64_t at_least(uint64_t n, uint64_t least) { return n > least ? n : least; }

/* What makes a state: how fast, what misses, what is waited for. As shares, so that differences compare. Where a cache
 * is asked less than once in RARE instructions, what misses there is a share of these: it hardly matters, and a window
 * has too few accesses to tell (`cutcp`). */
enum { RARE = 64, RARE_MOVED = 16 };
unsigned waves_rates(const struct waves *w, const struct sample *s, double out[WAVES_RATES])
{
    const struct run_stats *t = &s->stats;
    unsigned n = 0;
    uint64_t few = t->sm.warp_instructions / (w->moves ? RARE_MOVED : RARE);
    out[n++] = share(t->l1d.misses + t->l1d.bypasses + t->l1d.hits_reserved, at_least(t->l1d.accesses, few));
    out[n++] = share(t->l2.misses, at_least(t->l2.accesses, few));
    const uint64_t *reason = (const uint64_t *)(const void *)&t->account;
    for (unsigned i = 1; i < sizeof t->account / sizeof *reason && n < WAVES_RATES; i++)
        out[n++] = share(reason[i], t->account.total);
    return n;
}

double waves_ipc(const struct sample *s) { return share(s->stats.sm.warp_instructions, s->stats.cycles); }

/* Two stretches of a launch in the same state, as far as `tolerance` can tell. Where streams are moved on what is
 * waited for drifts all the time, as warps drift apart, while speed and misses stay what they are. */
bool waves_alike(const struct waves *w, const struct sample *a, const struct sample *b, double tolerance)
{
    double x[WAVES_RATES], y[WAVES_RATES], ia = waves_ipc(a), ib = waves_ipc(b);
    unsigned n = waves_rates(w, a, x);
    waves_rates(w, b, y);
    if (w->moves) n = WAVES_MISS_RATES;
    if (fabs(ia - ib) > tolerance * fmax(ia, ib)) return false;
    for (unsigned i = 0; i < n; i++)
        if (fabs(x[i] - y[i]) > tolerance) return false;
    return true;
}

bool waves_halves_alike(const struct waves *w, unsigned n, double tolerance)
{
    const struct wave_report *r = &w->report;
    struct sample half[2] = {{.stats = {.cycles = 0}}};
    for (unsigned i = 0; i < 2 * n; i++) stats_add(&half[i / n], &r->window[r->windows - 2 * n + i], sizeof half[0]);
    return waves_alike(w, &half[0], &half[1], tolerance);
}
