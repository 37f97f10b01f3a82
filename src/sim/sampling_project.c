/* sampling_project.c - what launches and CTAs that were not timed would have counted.
 *
 * A launch that was not timed is a mixture of at most two timed ones of its group, with one pair of weights for all
 * counters: the last before and the first after it, if its size is between theirs; else the next smaller and the next
 * larger one, by warp instructions; else the nearest one, scaled. CTAs that were left out of a launch count as the
 * launch's windows did, per warp instruction. Every conservation law is linear, so it holds for mixtures; what rounding
 * and the edges of windows leave is mended, and the sum of all launches is checked as the machine's own counters are.
 *
 * Intervals are of 95 % (Student's t). Between launches they come from predicting each timed launch from the others:
 * the mean of what is missed, plus what the scatter leaves open. Within a launch they come from the scatter of its
 * windows. They are never narrower than a floor: what two states that look alike can still differ by. */
#include "mem/req.h"
#include "sim/sampling_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double BAND = 0.03, FLOOR = 0.003, UNKNOWN = 0.1;
/* Behind a gap in a launch the caches have been filled anew for one wave only, which is less of the L2 than of the L1.
 */
static const double WAVE_FLOOR = 0.015, WAVE_FLOOR_L2 = 0.03;

/* Warps that were moved on have kept an order that a full run would have changed: atax and its like seem slower by up
 * to four hundredths of what was left out, all in the same direction (docs/sampling.md), which no window shows. */
static const double MOVED_FLOOR = 0.05;

/* Where they go by rank, and wander apart as in a full run, nothing of the kind was seen any more; but three full runs
 * of one kernel (of `atax`, `bicg` and `mvt`) differ by 3 % by what little begins. What they need is not in the L2
 * behind a stretch, for a while. */
static const double FLOWED_FLOOR = 0.03, FLOWED_FLOOR_L2 = 0.08;

/* Warps that begin together and walk rows in one bank drift apart: by what little begins it was seen to take 2.7 % more
 * or less time. */
static const double BEGIN_FLOOR = 0.03;

static const uint64_t *counts(const struct sample *s) { return (const uint64_t *)(const void *)s; }
static uint64_t *counts_of(struct sample *s) { return (uint64_t *)(void *)s; }

/* Counters that are no sums: nothing is known of them beyond what was timed. */
static bool is_sum(unsigned i)
{
    return i != SAMPLED_AT(stats.dram.nvm_line_writes_max) && i != SAMPLED_AT(stats.dram.nvm_lines_written) &&
           i != SAMPLED_AT(stats.sm.reexec_peak);
}

/* Counters that are known of what was not timed too. */
static bool is_exact(unsigned i)
{
    return i == SAMPLED_AT(stats.kernels) || i == SAMPLED_AT(stats.sm.warp_instructions) ||
           i == SAMPLED_AT(stats.sm.thread_instructions) || i == SAMPLED_AT(stats.sm.ctas) ||
           i == SAMPLED_AT(stats.sm.warps);
}

/* Of the L2 and behind it. */
static bool is_far(unsigned i) { return i >= SAMPLED_AT(stats.l2) && i < SAMPLED_AT(stats.profile); }

double sampling_student(unsigned n)
{
    static const double t[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    if (n < 2) return t[0];
    return n - 2 < sizeof t / sizeof t[0] ? t[n - 2] : n < 22 ? 2.2 : n < 40 ? 2.09 : 2.02;
}

/* ---- laws ---- */

static uint64_t between(uint64_t v, uint64_t low, uint64_t high) { return v < low ? low : v > high ? high : v; }

static void mend_l1d(struct run_stats *s)
{
    struct l1d_stats *c = &s->l1d;
    c->loads = s->sm.load_requests = c->load_hits + c->hits_reserved + c->load_misses + c->bypasses;
    s->sm.store_requests = c->stores;
    c->accesses = c->loads + c->stores;
    c->hits = between(c->hits, 0, c->accesses - c->hits_reserved - c->bypasses);
    c->misses = c->accesses - c->hits - c->hits_reserved - c->bypasses;
    c->sector_loads = between(c->sector_loads, c->loads, 4 * c->loads);
    c->sector_stores = between(c->sector_stores, c->stores, 4 * c->stores);
    c->prefetches = c->prefetch_fetches + c->prefetch_drops;
    c->prefetch_uses = between(c->prefetch_uses, 0, c->prefetch_fetches);
    s->icnt.request_packets = s->icnt.reply_packets + c->writebacks;
}

static void mend_memory(const struct gpu_config *c, struct run_stats *s)
{
    uint64_t unit = c->v[P_L2_SECTORED] ? SECTOR_BYTES : LINE_BYTES;
    struct l2_stats *l = &s->l2;
    l->accesses = l->hits + l->hits_reserved + l->misses + l->bypasses;
    l->writes = between(l->writes, 0, l->accesses);
    l->atomics = between(l->atomics, 0, l->accesses - l->writes);
    l->reads = l->accesses - l->writes - l->atomics;
    l->fills = l->fetches;
    l->bypassed_writes = between(l->bypassed_writes, 0, l->bypasses);
    s->dram.read_bytes = (l->fetches + l->bypasses + l->fabric_bypasses - l->bypassed_writes) * unit;
    if (!l->forwarded_writes) s->dram.write_bytes = l->writebacks * unit + l->bypassed_write_bytes;
}

/* An L2 of two halves. */
static void mend_halves(struct l2_stats *l)
{
    l->far_hits = between(l->far_hits, 0, l->reads);
    l->far_merges = between(l->far_merges, 0, l->reads - l->far_hits);
    l->far_misses = between(l->far_misses, 0, l->reads - l->far_hits - l->far_merges);
    l->far_reads = l->far_hits + l->far_merges + l->far_misses;
    l->fabric_reads = l->fabric_hits + l->fabric_merges + l->fabric_misses + l->fabric_bypasses;
    if (l->fabric_reads < l->far_misses) { /* by rounding only */
        l->fabric_hits += l->far_misses - l->fabric_reads;
        l->fabric_reads = l->far_misses;
    }
    l->fabric_writes = between(l->fabric_writes, 0, l->writes);
    l->fabric_atomics = between(l->fabric_atomics, 0, l->atomics);
}

/* The parts behind the first counter of a group become its sum: the largest of them takes the difference. */
static void fit_parts(uint64_t *v, size_t bytes)
{
    size_t n = bytes / sizeof *v, most = 1;
    uint64_t sum = 0;
    for (size_t i = 1; i < n; i++) {
        sum += v[i];
        if (v[i] > v[most]) most = i;
    }
    v[most] += v[0] - sum; /* modulo 2^64: the difference is small, the largest part is not */
}

/* Rounding and windows leave sums a little wrong: makes every law hold by deriving totals from their parts. */
static void sampling_mend(const struct gpu_config *c, struct run_stats *s)
{
    mend_l1d(s);
    mend_memory(c, s);
    mend_halves(&s->l2);
    s->l1t.accesses = s->l1t.hits + s->l1t.hits_reserved + s->l1t.misses;
    s->l1c.accesses = s->l1c.hits + s->l1c.hits_reserved + s->l1c.misses;
    s->l1i.accesses = s->l1i.hits + s->l1i.hits_reserved + s->l1i.misses;
    s->account.total = (uint64_t)c->v[P_SM_SCHEDULERS] * (s->sm.active_cycles + s->sm.issue_ends);
    fit_parts((uint64_t *)(void *)&s->account, sizeof s->account);
    if (s->account.issued > s->sm.warp_instructions) { /* by rounding only */
        s->account.alu += s->account.issued - s->sm.warp_instructions;
        s->account.issued = s->sm.warp_instructions;
    }
    const uint64_t *state = (const uint64_t *)(const void *)&s->warp_states;
    s->warp_states.total = 0;
    uint64_t sum = 0;
    for (size_t i = 1; i < sizeof s->warp_states / sizeof *state; i++) sum += state[i];
    s->warp_states.total = sum;
}

/* ---- parts of a launch that were left out ---- */

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
static double variance_of(const struct wave_report *w, unsigned i)
{
    double jumps = 0, before = -1, n = 0;
    for (unsigned j = 0; j < w->windows; j++) {
        double work = (double)w->window[j].stats.sm.warp_instructions;
        if (!(work > 0)) continue;
        double rate = (double)counts(&w->window[j])[i] / work;
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
        double rate = (double)counts(&w->window[j])[i] / x->work[j];
        if (before >= 0 && !w->breaks[j]) doubt += open * x->unit * fabs(rate - before);
        open = (double)w->gap[j] - open;
        before = rate;
    }
    return doubt;
}

/* Where streams were moved on by rank windows need not be alike, so each stretch is judged by its own two sides: what
 * these differ by is chance, or the way from one to the other, and neither lasts from one stretch to the next. */
static double variance_of_stretches(const struct wave_report *w, const struct weights *x, unsigned i)
{
    double before = -1, open = 0, square = 0;
    for (unsigned j = 0; j < x->n; j++) {
        if (!(x->work[j] > 0)) continue;
        double rate = (double)counts(&w->window[j])[i] / x->work[j], off = open * x->unit * (rate - before);
        if (before >= 0) square += 2 * off * off;
        open = (double)w->gap[j] - open;
        before = rate;
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
            count += (double)counts(&w->window[k])[i];
        }
        left_out += x->factor[j] * x->work[j];
        added += x->factor[j] * (double)counts(&w->window[j])[i];
    }
    return doubt + (work > 0 ? fabs(added - count / work * left_out) : 0);
}

/* What the parts that were left out would have added to counter i, and how far it may be off. */
static double add_windows(const struct wave_report *w, const struct weights *x, unsigned i, struct timed_launch *m)
{
    double added = 0, before = -1, doubt = doubt_drift(w, x, i);
    for (unsigned j = 0; j < x->n; j++) {
        if (!(x->work[j] > 0)) continue;
        double count = (double)counts(&w->window[j])[i], rate = count / x->work[j];
        added += x->factor[j] * count;
        if (!w->excerpts && w->breaks[j] && j) doubt += 2 * x->factor[j] * x->work[j] * fabs(rate - before);
        before = rate;
    }
    if (w->flowed && x->used > 1) m->variance[i] = variance_of_stretches(w, x, i);
    else if (x->used > 1) m->variance[i] = variance_of(w, i) * x->square;
    else doubt += added;
    doubt += doubt_rhythm(w, x, i);
    double floor_share = w->moved ? MOVED_FLOOR : is_far(i) ? WAVE_FLOOR_L2 : WAVE_FLOOR;
    if (w->flowed) floor_share = is_far(i) ? FLOWED_FLOOR_L2 : FLOWED_FLOOR;
    m->doubt[i] = floor_share * added + doubt;
    return added;
}

void sampling_add_left_out(const struct sampling *s, struct timed_launch *m, const struct wave_report *w,
                           struct exec_counts total)
{
    uint64_t *to = counts_of(&m->count), own_ctas = m->count.stats.sm.ctas, own_warps = m->count.stats.sm.warps;
    double left_out = (double)(total.warp_instructions - m->timed_warp);
    struct weights x;
    weigh(w, left_out, &x);
    m->windows = x.used;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) {
        double added;
        if (!is_sum(i)) continue;
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
        if (is_exact(i)) m->variance[i] = m->doubt[i] = 0;
    sampling_mend(&s->config, &m->count.stats);
}

void sampling_doubt(struct timed_launch *m)
{
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        if (is_sum(i) && !is_exact(i)) m->doubt[i] += (is_far(i) ? 2 : 1) * BEGIN_FLOOR * (double)counts(&m->count)[i];
}

void sampling_doubt_l2(const struct sampling *s, struct timed_launch *m)
{
    const struct l2_stats *l = &m->count.stats.l2;
    double lines = sampling_l2_lines(s), of_all = fmin(1, lines / fmax((double)l->accesses, 1)),
           of_misses = fmin(1, lines / fmax((double)l->fetches, 1));
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) {
        if (!is_sum(i) || is_exact(i)) continue;
        bool missed = i == SAMPLED_AT(stats.l2.misses) || i == SAMPLED_AT(stats.l2.fetches) ||
                      i == SAMPLED_AT(stats.l2.fills) || (is_far(i) && i >= SAMPLED_AT(stats.dram));
        m->doubt[i] += (missed ? of_misses : of_all) * (double)counts(&m->count)[i];
    }
}

void sampling_stray(struct timed_launch *m, const struct wave_report *w, double work)
{
    double each = 0;
    if (w->windows < 3 || w->excerpts) return;
    for (unsigned j = 0; j < w->windows; j++) each += (double)w->window[j].stats.sm.warp_instructions / w->windows;
    if (!m->windows) m->windows = w->windows;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        if (is_sum(i) && !is_exact(i)) m->variance[i] += 2 * work * each * variance_of(w, i);
}

/* ---- a launch that goes as another one ---- */

void sampling_note_scatter(struct timed_launch *m, const struct wave_report *w)
{
    double each = 0;
    m->scattered = w->excerpts ? 0 : w->windows;
    for (unsigned j = 0; j < m->scattered; j++) each += (double)w->window[j].stats.sm.warp_instructions / w->windows;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        if (m->scattered && is_sum(i) && !is_exact(i)) m->scatter[i] = each * variance_of(w, i);
}

/* What is left may be as much slower or faster than that of the model as it was behind the first mark, or differ as
 * much as its size does; besides, both scatter by chance. */
static void doubt_rest(struct timed_launch *m, const struct launch_marks *marks, const struct launch_marks *own,
                       const struct sample *rest, const struct timed_launch *model)
{
    struct sample here = own->at[own->n - 1], there;
    const struct sample *begin = &own->at[MARKS_RAMP];
    if (!marks_between(marks, begin->stats.sm.warp_instructions, here.stats.sm.warp_instructions, &there)) there = here;
    stats_subtract(&here, begin, sizeof here);
    m->windows = model->scattered;
    m->missed = (double)there.stats.cycles / (double)here.stats.cycles - 1;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) {
        double a = (double)counts(&here)[i], b = (double)counts(&there)[i], count = (double)counts(rest)[i];
        if (!is_sum(i) || is_exact(i)) continue;
        m->variance[i] = 2 * (double)rest->stats.sm.warp_instructions * model->scatter[i];
        double share = fabs(m->of_model - 1) + fabs(a - b) / fmax(fmax(a, b), 1);
        m->doubt[i] = ((is_far(i) ? WAVE_FLOOR_L2 : WAVE_FLOOR) + share) * count;
    }
}

void sampling_add_like(const struct sampling *s, struct timed_launch *m, const struct wave_report *w,
                       const struct launch_marks *marks, struct exec_counts total)
{
    const struct logged *model = &s->log[m->model];
    struct sample begun = w->marks.at[w->marks.n - 1], there, rest;
    uint64_t at = begun.stats.sm.warp_instructions, *to = counts_of(&m->count);
    if (!marks_at(marks, at, &there)) there = begun;
    rest = model->m->count;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        counts_of(&rest)[i] -= counts(&there)[i] < counts(&rest)[i] ? counts(&there)[i] : counts(&rest)[i];
    m->like = true;
    m->of_model = (double)(total.warp_instructions - at) / fmax((double)model->warp - (double)at, 1);
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) {
        if (!is_sum(i)) continue;
        to[i] = counts(&begun)[i] + (uint64_t)llround(m->of_model * (double)counts(&rest)[i]);
    }
    rest.stats.sm.warp_instructions = total.warp_instructions - at;
    doubt_rest(m, marks, &w->marks, &rest, model->m);
    struct sm_stats *sm = &m->count.stats.sm;
    sm->warp_instructions = total.warp_instructions;
    sm->thread_instructions = total.thread_instructions;
    sm->ctas = w->ctas;
    sm->warps = model->warps;
    m->count.stats.kernels = 1;
    sampling_mend(&s->config, &m->count.stats);
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
    const uint64_t *a = counts(&x.a->m->count), *b = x.b ? counts(&x.b->m->count) : NULL;
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++)
        out[i] = is_sum(i) ? x.of_a * (double)a[i] + (b ? x.of_b * (double)b[i] : 0) : 0;
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
        for (unsigned k = 0; k < SAMPLED_COUNTERS; k++) counts_of(out)[k] = (uint64_t)llround(value[k]);
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
            double miss = value[k] - (double)counts(&l->m->count)[k];
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
        if (!is_sum(i)) counts_of(out)[i] = counts(machine)[i];
    fill_report(s, report);
    for (unsigned i = 0; i < s->groups; i++) add_group(s, &s->group[i], square, x);
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) report->half[i] = is_exact(i) ? 0 : sqrt(square[i]);
    free(x);
    return stats_check_laws(&s->config, &out->stats, s->config.v[P_STATS_PROFILE], e);
}
