/* sampling_project.c - what launches that were not timed would have counted.
 *
 * A launch that was not timed is a mixture of at most two timed ones of its group, with one pair of weights for all
 * counters: the last before and the first after it, if its size is between theirs; else the next smaller and the next
 * larger one, by warp instructions; else the nearest one, scaled. What was left out of a timed launch is in its
 * counters already (sampling_parts.c, sampling_rest.c). The sum of all launches is checked as the machine's own
 * counters are.
 *
 * Intervals are of 95 % (Student's t). Between launches they come from predicting each timed launch from the others:
 * the mean of what is missed, plus what the scatter leaves open, and never less than a floor. Within a launch they come
 * from the scatter of its windows. */
#include "sim/sampling_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double BAND = 0.03, FLOOR = 0.003, UNKNOWN = 0.1;

double sampling_student(unsigned n)
{
    static const double t[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    if (n < 2) return t[0];
    return n - 2 < sizeof t / sizeof t[0] ? t[n - 2] : n < 22 ? 2.2 : n < 40 ? 2.09 : 2.02;
}

/* ---- launches that were not timed ---- */

/* Two timed launches and what each counts for; b NULL: only one. */
struct mixture {
    const struct logged *a, *b;
    double of_a, of_b;
    double reach; /* how much larger or smaller it is than any of its like, as a logarithm; 0: it lies between two */
};

static bool is_like(double a, double b) { return fabs(log(a / b)) <= BAND; }

/* The nearest before and after in time, if the launch's size is between theirs; or one of its size. The first of a
 * group, which found cold caches, only where there is no other. */
static bool mix_by_time(const struct sampling *s, const struct logged *l, uint32_t without, struct mixture *x)
{
    const struct launch_group *g = &s->group[l->group];
    const struct logged *before = NULL, *after = NULL, *first = NULL;
    for (uint32_t i = 0; i < g->stands; i++) {
        const struct logged *t = &s->log[g->stand[i]];
        if (g->stand[i] == without || t == l || !t->warp) continue;
        if (t->ordinal == 0) first = t;
        else if (t->ordinal < l->ordinal) before = t;
        else if (!after) after = t;
    }
    if (!before) before = first;
    double w = (double)l->warp, b = before ? (double)before->warp : 0, a = after ? (double)after->warp : 0;
    if (before && after && w >= fmin(a, b) * (1 - BAND) && w <= fmax(a, b) * (1 + BAND)) {
        double share = is_like(a, b) ? (double)(l->ordinal - before->ordinal) / (after->ordinal - before->ordinal)
                                     : fmin(fmax((w - b) / (a - b), 0), 1);
        double scale = w / ((1 - share) * b + share * a);
        *x = (struct mixture){before, after, (1 - share) * scale, share * scale, 0};
        return true;
    }
    const struct logged *t = before && is_like(b, w) ? before : after && is_like(a, w) ? after : NULL;
    if (!t) return false;
    *x = (struct mixture){t, NULL, w / (double)t->warp, 0, 0};
    return true;
}

/* The next smaller and the next larger one; of equal ones the later. */
static bool mix_by_size(const struct sampling *s, const struct logged *l, uint32_t without, struct mixture *x)
{
    const struct launch_group *g = &s->group[l->group];
    const struct logged *below = NULL, *above = NULL;
    for (uint32_t i = 0; i < g->stands; i++) {
        const struct logged *t = &s->log[g->stand[i]];
        if (g->stand[i] == without || t == l || !t->warp) continue;
        if (t->warp <= l->warp && (!below || t->warp >= below->warp)) below = t;
        if (t->warp > l->warp && (!above || t->warp <= above->warp)) above = t;
    }
    if (!below && !above) return false;
    if (!below || !above) {
        const struct logged *t = below ? below : above;
        double scale = (double)l->warp / (double)t->warp;
        *x = (struct mixture){t, NULL, scale, 0, fabs(log(scale))};
        return true;
    }
    double share = (double)(l->warp - below->warp) / (double)(above->warp - below->warp);
    *x = (struct mixture){below, above, 1 - share, share, 0};
    return true;
}

static bool mix(const struct sampling *s, const struct logged *l, uint32_t without, struct mixture *x)
{
    return mix_by_time(s, l, without, x) || mix_by_size(s, l, without, x);
}

bool sampling_predict(const struct sampling *s, const struct logged *l, uint32_t without, double out[SAMPLED_COUNTERS])
{
    struct mixture x;
    if (!mix(s, l, without, &x)) return false;
    const uint64_t *a = sample_counts(&x.a->m->count), *b = x.b ? sample_counts(&x.b->m->count) : NULL;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        out[i] = counter_is_sum(i) ? x.of_a * (double)a[i] + (b ? x.of_b * (double)b[i] : 0) : 0;
    return true;
}

/* Its own counters are the best there is: it was timed, and found the caches as they should be. */
static bool is_own(const struct logged *l) { return l->m && l->stands; }

void sampling_launch(const struct sampling *s, unsigned i, struct sample *out)
{
    const struct logged *l = &s->log[i];
    double value[SAMPLED_COUNTERS];
    memset(out, 0, sizeof *out);
    bool known = is_own(l) || !sampling_predict(s, l, UINT32_MAX, value);
    if (known && l->m) {
        *out = l->m->count;
        return;
    }
    if (!known)
        for (unsigned k = 0; k < SAMPLED_COUNTERS; k++) sample_counts_of(out)[k] = (uint64_t)llround(value[k]);
    out->stats.kernels = 1;
    out->stats.sm.warp_instructions = l->warp;
    out->stats.sm.thread_instructions = l->thread;
    out->stats.sm.ctas = l->ctas;
    out->stats.sm.warps = l->warps;
    sampling_mend(&s->config, &out->stats);
}

/* ---- intervals ---- */

/* What is missed when timed launches are predicted from the others. One that is much larger or smaller than all others
 * says nothing of launches that lie between two, so only those that reach as far as what was projected count. It is
 * taken as a share of their warp instructions, by the sums of both (a ratio estimator): launches may differ much in
 * size, and a small one that is missed by much for its size says little of the large ones. */
struct misses {
    unsigned n;
    double work, work_square;
    double sum[SAMPLED_COUNTERS], square[SAMPLED_COUNTERS], cross[SAMPLED_COUNTERS];
};

static void look_at_misses(const struct sampling *s, const struct launch_group *g, double reach, struct misses *x)
{
    double value[SAMPLED_COUNTERS];
    struct mixture from;
    memset(x, 0, sizeof *x);
    for (uint32_t i = 0; i < g->stands; i++) {
        const struct logged *l = &s->log[g->stand[i]];
        if (!l->ordinal || !l->warp || !mix(s, l, g->stand[i], &from) || from.reach > reach + BAND) continue;
        if (!sampling_predict(s, l, g->stand[i], value)) continue;
        double work = (double)l->warp;
        x->n++;
        x->work += work;
        x->work_square += work * work;
        for (unsigned k = 0; k < SAMPLED_COUNTERS; k++) {
            double miss = value[k] - (double)sample_counts(&l->m->count)[k];
            x->sum[k] += miss;
            x->square[k] += miss * miss;
            x->cross[k] += miss * work;
        }
    }
}

/* What the projected launches of a group are the sum of. Each timed launch counts once, however many others are made of
 * it, and is told for how many launches like itself it stands. */
struct projected {
    double sum[SAMPLED_COUNTERS], work, reach;
};

static void add_projected(const struct sampling *s, const struct launch_group *g, struct projected *p)
{
    double value[SAMPLED_COUNTERS];
    struct mixture from;
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < g->stands; i++) s->log[g->stand[i]].m->counts_for = 1;
    for (uint32_t i = g->first; i != UINT32_MAX; i = s->log[i].next_in_group) {
        const struct logged *l = &s->log[i];
        if (is_own(l) || !l->warp || !mix(s, l, UINT32_MAX, &from)) continue;
        if (!sampling_predict(s, l, UINT32_MAX, value)) continue;
        from.a->m->counts_for += from.of_a;
        if (from.b) from.b->m->counts_for += from.of_b;
        p->reach = fmax(p->reach, from.reach);
        p->work += (double)l->warp;
        for (unsigned k = 0; k < SAMPLED_COUNTERS; k++) p->sum[k] += value[k];
    }
    for (uint32_t i = 0; i < g->stands; i++) {
        const struct timed_launch *m = s->log[g->stand[i]].m;
        if (m->like) s->log[m->model].m->counts_for += m->of_model * m->counts_for;
    }
}

/* Variances that are each known from few values, and the interval of their sum (Welch and Satterthwaite). */
struct chance {
    double sum, square; /* of the variances; of their squares by their degrees of freedom */
};

static void add_chance(struct chance *c, double variance, unsigned values)
{
    c->sum += variance;
    if (values > 1) c->square += variance * variance / (values - 1);
}

static double chance_half(const struct chance *c)
{
    if (!(c->sum > 0)) return 0;
    double freedom = c->square > 0 ? fmin(c->sum * c->sum / c->square, 1000) : 1;
    return sampling_student((unsigned)freedom + 1) * sqrt(c->sum);
}

/* Half of the interval of a group's counter k. What windows and launches scatter by is independent from one timed
 * launch to the next, so variances add up; what states that look alike may differ by need not be. */
static double half_of(const struct sampling *s, const struct launch_group *g, const struct projected *p,
                      const struct misses *x, unsigned k)
{
    struct chance c = {0, 0};
    double doubt = 0;
    for (uint32_t i = 0; i < g->stands; i++) {
        const struct timed_launch *m = s->log[g->stand[i]].m;
        add_chance(&c, m->counts_for * m->counts_for * m->variance[k], m->windows);
        doubt += m->counts_for * m->doubt[k];
    }
    if (p->work > 0 && x->n > 1) {
        double share = x->sum[k] / x->work;
        double rest = x->square[k] - 2 * share * x->cross[k] + share * share * x->work_square;
        double times = p->work / x->work;
        add_chance(&c, fmax(rest, 0) * x->n / (x->n - 1) * times * times, x->n);
        doubt += p->work * fabs(share) + FLOOR * p->sum[k];
    } else if (p->work > 0) doubt += UNKNOWN * p->sum[k];
    return chance_half(&c) + doubt;
}

/* Adds half of the intervals of a group, squared, since groups err independently. */
static void add_group(const struct sampling *s, const struct launch_group *g, double square[SAMPLED_COUNTERS],
                      struct misses *x)
{
    struct projected p;
    add_projected(s, g, &p);
    if (p.work > 0) look_at_misses(s, g, p.reach, x);
    for (unsigned k = 0; k < SAMPLED_COUNTERS; k++) {
        double h = half_of(s, g, &p, x, k);
        square[k] += h * h;
    }
}

static void fill_report(const struct sampling *s, struct sampling_report *r)
{
    double timed = 0, all = 0;
    *r = (struct sampling_report){.on = 1, .asked = s->asked, .launches = s->launches, .reasons = s->reasons};
    memcpy(r->reason, s->reason, sizeof r->reason);
    for (unsigned i = 0; i < s->launches; i++) {
        const struct logged *l = &s->log[i];
        all += (double)l->warp;
        r->ctas += l->ctas;
        if (!l->m) continue;
        timed += (double)l->m->timed_warp;
        bool partly = l->m->timed_warp < l->warp;
        r->partly += partly;
        r->timed += !partly;
        r->timed_ctas += l->ctas - l->m->skipped_ctas;
    }
    r->timed_share = all > 0 ? timed / all : 1;
}

int sampling_read(const struct sampling *s, const struct sample *machine, struct sample *out,
                  struct sampling_report *report, struct wl_err *e)
{
    struct misses *x = malloc(sizeof *x);
    double square[SAMPLED_COUNTERS] = {0};
    if (!x) return wl_no_memory(e);
    *out = *machine; /* what is outside of launches, then all launches */
    stats_subtract(out, &s->inside, sizeof *out);
    for (unsigned i = 0; i < s->launches; i++) {
        struct sample one;
        sampling_launch(s, i, &one);
        stats_add(out, &one, sizeof one);
    }
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        if (!counter_is_sum(i)) sample_counts_of(out)[i] = sample_counts(machine)[i];
    fill_report(s, report);
    for (unsigned i = 0; i < s->groups; i++) add_group(s, &s->group[i], square, x);
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) report->half[i] = counter_is_exact(i) ? 0 : sqrt(square[i]);
    free(x);
    return stats_check_laws(&s->config, &out->stats, s->config.v[P_STATS_PROFILE], e);
}
