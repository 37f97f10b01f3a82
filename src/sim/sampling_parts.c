/* sampling_parts.c - what parts of a launch that were left out would have counted.
 *
 * CTAs, or parts of warps, that were left out of a launch count as the launch's windows did, per warp instruction.
 * Chance is what windows scatter by. Doubt is what may be wrong with all of them alike: never less than a floor, which
 * is what two states that look alike can still differ by. */
#include "sim/sampling_priv.h"

#include <math.h>

/* Behind a gap in a launch the caches have been filled anew for one wave only, which is less of the L2 than of the L1.
 */
static const double WAVE_FLOOR = 0.015, WAVE_FLOOR_L2 = 0.03;

/* Warps that were moved on have kept an order that a full run would have changed: atax and its like seem slower by up
 * to four hundredths of what was left out, all in the same direction (docs/sampling.md), which no window shows. */
static const double MOVED_FLOOR = 0.05;

/* Where they go by rank, and wander apart as in a full run, nothing of the kind was seen any more; but three full runs
 * of one kernel (of `atax`, `bicg` and `mvt`) differ by 3 % by what little begins. What they need is not in the L2
 * behind a stretch, for a while. */
static const double FLOWED_FLOOR = 0.04, FLOWED_FLOOR_L2 = 0.12;

/* Warps that begin together and walk rows in one bank drift apart: by what little begins it was seen to take 2.7 % more
 * or less time. */
static const double BEGIN_FLOOR = 0.03;

double sampling_wave_floor(unsigned i) { return counter_is_far(i) ? WAVE_FLOOR_L2 : WAVE_FLOOR; }

/* What the windows of a launch stand for, per instruction that was issued in them. */
struct weights {
    unsigned n, used;           /* windows; those in which something was issued */
    double work[WINDOWS_MAX];   /* warp instructions issued in each */
    double factor[WINDOWS_MAX]; /* those left out that it stands for, by those issued */
    double square;              /* the sum of the squares of what they stand for */
    double unit;                /* instructions that each unit of the windows' gaps stands for */
};

/* Excerpts: a window stands for the gaps that fell into it and its neighbours, so that a gap at the edge of a window
 * does not count as what happened to be on one side. */
static double stands_for(const struct wave_report *w, const struct weights *x, unsigned j)
{
    double near = x->work[j], gaps = (double)w->gap[j];
    if (!w->excerpts) return gaps;
    if (j) near += x->work[j - 1], gaps += (double)w->gap[j - 1];
    if (j + 1 < x->n) near += x->work[j + 1], gaps += (double)w->gap[j + 1];
    return near > 0 ? gaps / near * x->work[j] : 0;
}

static void weigh(const struct wave_report *w, double left_out, struct weights *x)
{
    double sum = 0, each[WINDOWS_MAX] = {0};
    *x = (struct weights){.n = w->windows};
    for (unsigned j = 0; j < x->n; j++)
        x->work[j] = !w->excerpts && w->passing[j] ? 0 : (double)w->window[j].stats.sm.warp_instructions;
    for (unsigned j = 0; j < x->n; j++) sum += each[j] = x->work[j] > 0 ? stands_for(w, x, j) : 0;
    if (sum <= 0) x->n = 0;
    else x->unit = left_out / sum;
    for (unsigned j = 0; j < x->n; j++) {
        double mine = each[j] * left_out / sum;
        x->factor[j] = x->work[j] > 0 ? mine / x->work[j] : 0;
        x->square += mine * mine;
        x->used += x->work[j] > 0;
    }
}

/* Whether window j lies behind a break, or passes on the way to one, where streams were moved on, or is the one behind
 * it, before which nothing was left out. The warps have come
 * to their ends there. What the two sides of the break differ by is doubted as a whole (add_windows); it is no scatter,
 * and says nothing of the stretches long before it. Of waves a break says that there never was a steady state, so there
 * it counts as scatter too. */
static bool crosses_break(const struct wave_report *w, unsigned j)
{
    if (!w->moved) return false;
    if (j && w->breaks[j - 1]) return true;
    while (j + 1 < w->windows && w->passing[j]) j++;
    return w->breaks[j];
}

/* Whether neither window j nor the one before it lies at a stretch, where streams were moved on: between them nothing
 * was left out, so what they differ by is no chance, and phases of a kernel may differ by much (`heartwall`). */
static bool lies_apart(const struct wave_report *w, unsigned j)
{
    return w->moved && j && !w->gap[j] && !w->gap[j - 1] && !w->passing[j] && !w->passing[j - 1];
}

/* By how much counter i varies from one window to the next: its variance, per instruction issued in one. Parts near in
 * time are alike, so it is what neighbours differ by. Windows that stand for nothing, because they were not like those
 * before them, count here: without them what scatters would seem not to. */
double sampling_variance(const struct wave_report *w, unsigned i)
{
    double jumps = 0, before = -1, n = 0;
    for (unsigned j = 0; j < w->windows; j++) {
        double work = (double)w->window[j].stats.sm.warp_instructions;
        if (!(work > 0)) continue;
        double rate = (double)sample_counts(&w->window[j])[i] / work;
        if (before >= 0 && !crosses_break(w, j) && !lies_apart(w, j)) jumps += (rate - before) * (rate - before), n++;
        before = rate;
    }
    return n > 0 ? jumps / (2 * n) : 0;
}

/* Where streams were moved on counter i drifts, since warps drift apart and end. What lies in a stretch is between its
 * two sides, but where between them is not known: it may be off by half of what they differ by. Each stretch counts at
 * both of its sides, so that `open`, of the one before a window, follows from the window before. */
static double doubt_drift(const struct wave_report *w, const struct weights *x, unsigned i)
{
    double before = -1, open = 0, doubt = 0;
    for (unsigned j = 0; w->moved && !w->flowed && j < x->n; j++) {
        if (!(x->work[j] > 0)) continue;
        double rate = (double)sample_counts(&w->window[j])[i] / x->work[j];
        if (before >= 0 && !w->breaks[j]) doubt += open * x->unit * fabs(rate - before);
        open = (double)w->gap[j] - open;
        before = rate;
    }
    return doubt;
}

/* Where streams were moved on by rank windows need not be alike, so each stretch is judged by its own two sides. What
 * these differ by is chance, or the way from one to the other. Where the stretches on either side of it go the same
 * way, what lies between is known, so only what differs from that way counts. Neither lasts from one stretch to the
 * next. */
static double variance_of_stretches(const struct wave_report *w, const struct weights *x, unsigned i)
{
    double before = -1, open = 0, square = 0, half[WINDOWS_MAX], moved[WINDOWS_MAX];
    unsigned n = 0;
    for (unsigned j = 0; j < x->n; j++) {
        if (!(x->work[j] > 0)) continue;
        double rate = (double)sample_counts(&w->window[j])[i] / x->work[j];
        if (before >= 0) half[n] = open * x->unit, moved[n++] = rate - before;
        open = (double)w->gap[j] - open;
        before = rate;
    }
    for (unsigned k = 0; k < n; k++) {
        double work = 0, way = 0, off = fabs(moved[k]);
        if (k) work += half[k - 1], way += moved[k - 1];
        if (k + 1 < n) work += half[k + 1], way += moved[k + 1];
        if (work > 0) off = fmin(off, fabs(moved[k] - way / work * half[k]));
        square += 2 * half[k] * half[k] * off * off;
    }
    return square;
}

/* Where CTAs were replaced by others as streams were moved on, they may have lost a rhythm in which they shared what
 * one of them had fetched (`lavamd`), and no window shows it, since all behind the first stretch are alike. So it is
 * doubted by as much as windows would have made of it that followed one another before that, in which nothing was left
 * out. Later ones take their place when so many have followed one another as a steady state takes to be found: the
 * machine is in another one then, because there are fewer CTAs. */
static double doubt_rhythm(const struct wave_report *w, const struct weights *x, unsigned i)
{
    enum { LEAST = 3 };
    double doubt = 0, work = 0, count = 0, left_out = 0, added = 0;
    unsigned run = 0;
    if (!w->moved || !w->skipped) return 0;
    for (unsigned j = 0; j < x->n; j++) {
        run = !j || (!w->gap[j - 1] && !w->passing[j] && !w->passing[j - 1]) ? run + 1 : 1;
        if (run == LEAST) {
            doubt += work > 0 ? fabs(added - count / work * left_out) : 0;
            work = count = left_out = added = 0;
        }
        for (unsigned k = run == LEAST ? j + 1 - LEAST : j; run >= LEAST && k <= j; k++) {
            work += x->work[k];
            count += (double)sample_counts(&w->window[k])[i];
        }
        left_out += x->factor[j] * x->work[j];
        added += x->factor[j] * (double)sample_counts(&w->window[j])[i];
    }
    return doubt + (work > 0 ? fabs(added - count / work * left_out) : 0);
}

/* What the parts that were left out would have added to counter i, and how far it may be off. */
static double add_windows(const struct wave_report *w, const struct weights *x, unsigned i, struct timed_launch *m)
{
    double added = 0, before = -1, doubt = doubt_drift(w, x, i);
    for (unsigned j = 0; j < x->n; j++) {
        if (!(x->work[j] > 0)) continue;
        double count = (double)sample_counts(&w->window[j])[i], rate = count / x->work[j];
        added += x->factor[j] * count;
        if (!w->excerpts && w->breaks[j] && j) doubt += 2 * x->factor[j] * x->work[j] * fabs(rate - before);
        before = rate;
    }
    if (w->flowed && x->used > 1) m->variance[i] = variance_of_stretches(w, x, i);
    else if (x->used > 1) m->variance[i] = sampling_variance(w, i) * x->square;
    else doubt += added;
    doubt += doubt_rhythm(w, x, i);
    double floor_share = w->moved ? MOVED_FLOOR : sampling_wave_floor(i);
    if (w->flowed) floor_share = counter_is_far(i) ? FLOWED_FLOOR_L2 : FLOWED_FLOOR;
    m->doubt[i] = floor_share * added + doubt;
    return added;
}

void sampling_add_left_out(const struct sampling *s, struct timed_launch *m, const struct wave_report *w,
                           struct exec_counts total)
{
    uint64_t *to = sample_counts_of(&m->count), own_ctas = m->count.stats.sm.ctas, own_warps = m->count.stats.sm.warps;
    double left_out = (double)(total.warp_instructions - m->timed_warp);
    struct weights x;
    weigh(w, left_out, &x);
    m->windows = x.used;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) {
        double added;
        if (!counter_is_sum(i)) continue;
        if (x.n) added = add_windows(w, &x, i, m);
        else added = m->doubt[i] = (double)to[i] * left_out / (double)m->timed_warp; /* it ended before a window did */
        to[i] += (uint64_t)llround(added);
    }
    struct sm_stats *sm = &m->count.stats.sm;
    sm->warp_instructions = total.warp_instructions;
    sm->thread_instructions = total.thread_instructions;
    sm->ctas = own_ctas + w->skipped;
    sm->warps = own_ctas ? own_warps / own_ctas * sm->ctas : own_warps;
    m->count.stats.kernels = 1;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        if (counter_is_exact(i)) m->variance[i] = m->doubt[i] = 0;
    sampling_mend(&s->config, &m->count.stats);
}

void sampling_doubt(struct timed_launch *m)
{
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        if (counter_is_sum(i) && !counter_is_exact(i))
            m->doubt[i] += (counter_is_far(i) ? 2 : 1) * BEGIN_FLOOR * (double)sample_counts(&m->count)[i];
}

void sampling_doubt_l2(const struct sampling *s, struct timed_launch *m)
{
    const struct l2_stats *l = &m->count.stats.l2;
    double lines = sampling_l2_lines(s), of_all = fmin(1, lines / fmax((double)l->accesses, 1)),
           of_misses = fmin(1, lines / fmax((double)l->fetches, 1));
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) {
        if (!counter_is_sum(i) || counter_is_exact(i)) continue;
        bool missed = i == SAMPLED_AT(stats.l2.misses) || i == SAMPLED_AT(stats.l2.fetches) ||
                      i == SAMPLED_AT(stats.l2.fills) || (counter_is_far(i) && i >= SAMPLED_AT(stats.dram));
        m->doubt[i] += (missed ? of_misses : of_all) * (double)sample_counts(&m->count)[i];
    }
}

void sampling_stray(struct timed_launch *m, const struct wave_report *w, double work)
{
    double each = 0;
    if (w->windows < 3 || w->excerpts) return;
    for (unsigned j = 0; j < w->windows; j++) each += (double)w->window[j].stats.sm.warp_instructions / w->windows;
    if (!m->windows) m->windows = w->windows;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        if (counter_is_sum(i) && !counter_is_exact(i)) m->variance[i] += 2 * work * each * sampling_variance(w, i);
}
