/* sampling_waves.c - of a launch with many waves of CTAs, some waves are timed.
 *
 * A wave is as many CTAs as the machine holds at once. The first one fills the machine and the caches and stands for
 * nothing but itself. Then come windows: from the moment at which a wave's first CTA was given out to that of the next
 * wave. When one agrees with the two before it the state is steady, and the dispatcher passes over a stretch of CTAs:
 * the source executes them, the machine never sees them, and goes on with the CTA behind. One wave later the next
 * window begins: each stretch has a window on either side, which stand for it. The last wave and the drain are always
 * timed.
 *
 * The first stretch is short, unless the windows before it are alike within the asked error, and the window behind
 * it is a test: had the state been steady, it would be like those before it. Later stretches are as long as it takes
 * to spread so many windows over the rest as say how fast it runs as exactly as is wanted, going by how those so far
 * scatter. If the window behind one is not like those before it, the caches may only need
 * longer to fill (blocks that run side by side and share lines find their rhythm slowly), so up to MOST_PASSING windows
 * more are measured. When one agrees, those between are forgotten and later stretches are given as long to settle. When
 * none does, the launch was never in one state: nothing more is left out, and what the two sides of the stretch differ
 * by is part of the interval. A launch of few windows that scatter too much for so few is timed to its end as well.
 *
 * Windows are delimited by what the dispatcher did, WAVES_NOTICE cycles later, when all parts of the machine stand at
 * one edge and all SMs have been woken, so that none owes cycles it slept through: all engines read the same numbers.
 */
#include <math.h>
#include <string.h>

#include "sim/gpu_priv.h"

enum {
    LEAST_WAVES = 10,     /* a launch of fewer waves is timed in full: little would be left out */
    LEAST_WATCHED = 5,    /* but one of as many may go as one before it did (sampling_like.c) */
    MANY_WAVES = 24,      /* one of more is not looked at by parts of its warps, however long they are */
    LONG_WAVES = 24,      /* of one with fewer the first stretch is short, unless it is very still */
    LEAST_CYCLES = 8192,  /* a window is as many waves as take so long: some ten round trips to a busy memory; */
    MOST_PARTS = 40,      /* but a launch has so many windows, if it has as many waves */
    SHORT = 40960,        /* cycles: of a launch that takes fewer little would be gained */
    LEAST_SPANS = 20,     /* windows of a launch that swings, at least */
    FIRST_PART = 5,       /* the first stretch is this part of what could be left out */
    LEAD_PART = 20,       /* windows at the beginning, of all: */
    MOST_LEAD = 8,        /* but no more */
    LEAST_FILL = 2,       /* waves of a launch that only fills the caches */
    SCATTER_KNOWN = 6,    /* windows: of more it is known how they scatter */
    MOST_PASSING = 2,     /* windows behind a stretch that may differ from those before it */
    HOPELESS = 2,         /* times what is left is less than the windows that it would take: no more is left out */
    MOVED_CYCLES = 16384, /* where streams are moved on it lasts longer than that, if it may (moves_widen) */
    LEAD = 3,             /* windows that are alike before anything is left out, at least */
    FAR = 100,            /* where streams are moved on: windows that a stretch is long at most, */
    FLOW_FAR = 400,       /* by rank; */
    GROWTH = 4,           /* times all that was before it, too; */
    FLOW_STRETCHES = 12,  /* where they go by rank it is this part of the launch at most, */
    FLOW_LEAST = 4,       /* or this one of a launch that is a small part of the program, */
    FLOW_GROWTH = 2,      /* and this part of all before it; */
    DRY_PART = 8,         /* none behind a window in which more than this part of the SMs ran dry */
    LEAST_STRETCHES = 16  /* and this part of the launch, where there are barriers, or CTAs that come later */
};
/* A window may differ from the mean of two, or single windows from one another, by so many times the asked error and be
 * of one state; more is not noise. Neither are windows that become faster, and then slower, by so much. */
static const double MOVED = 4 / 3.0; /* times as much is left to chance where streams are moved on: more is doubted */
static const double STEADY = 5, PAIRS = 7.5, SWING = 10, VERY_STILL = 0.25;
/* Warps that go by rank have left the step in which they began when a window differs by no more from the two before. */
static const double BEGUN = 5;

void waves_prepare(struct gpu *g)
{
    tick_t next = clock_next(&g->clock, g->options.tick);
    if (next < g->waves.snap_at || next == NEVER) return; /* NEVER is a deadlock, which a wake-up would hide */
    for (uint32_t i = 0; i < g->sms; i++) part_wake_at(&g->sm[i].part, g->waves.snap_at);
}

/* Of a launch that only fills the caches for the next one its last waves are enough. False: that is nearly all. */
static bool pass_to_end(struct gpu *g, uint64_t resident)
{
    struct waves *w = &g->waves;
    uint64_t last = w->allowed.fill > LEAST_FILL * resident ? w->allowed.fill : LEAST_FILL * resident;
    if (w->whole < last + resident) return false;
    uint32_t passed = (uint32_t)((w->whole - last) / resident * resident);
    dispatch_skip(&g->dispatch, passed);
    w->report.skipped = passed;
    return true;
}

/* Whether so many CTAs are enough waves to leave some out. */
static bool is_many(const struct waves *w, uint32_t ctas) { return ctas / w->wave >= LEAST_WAVES; }

void waves_begin(struct gpu *g, struct stream_source *s)
{
    struct waves *w = &g->waves;
    const struct launch_info *l = s->info;
    w->report.windows = w->report.skipped = 0;
    w->report.ctas = l->ctas;
    w->report.why = NULL;
    w->report.excerpts = w->report.moved = w->report.flowed = w->report.like = w->watched = false;
    w->report.marks.n = 0;
    w->report.broken = w->since = w->lead = 0;
    w->report.ahead = 0;
    memset(w->report.breaks, 0, sizeof w->report.breaks);
    w->settle = 1;
    w->reach = UINT32_MAX;
    w->behind_gap = w->faster = w->slower = false;
    w->snap_at = NEVER;
    w->on = w->by_time = w->moves = w->flows = false;
    w->gaps = w->left_out = 0;
    w->began = g->clock.now;
    w->whole = l->ctas;
    uint64_t resident = sm_resident_ctas(g->config.v, l);
    w->tolerance = w->allowed.tolerance;
    if (!(w->tolerance > 0) || !resident || launch_cluster(l) > 1) return; /* CTAs of a cluster wait for one another */
    if (w->allowed.fill && pass_to_end(g, resident)) return;
    struct run_stats before;
    gpu_read_stats(g, &before);
    w->issued = before.sm.warp_instructions;
    w->fetched = before.l2.fetches;
    marks_begin(g);
    w->wave = (uint32_t)resident;
    bool many = is_many(w, l->ctas), may_move = s->on_demand && w->allowed.moves;
    may_move &= s->leave ? l->ctas / resident < MANY_WAVES : !many;
    if (!many && g->config.v[P_RUN_EXCERPTS]) excerpts_begin(g, s, resident);
    else if (may_move && moves_begin(g, s)) return;
    if (!w->report.excerpts) waves_start(g);
}

void waves_start(struct gpu *g)
{
    struct waves *w = &g->waves;
    w->watched = !is_many(w, w->report.ctas);
    if (w->report.ctas / w->wave < LEAST_WATCHED) return;
    w->on = true;
    w->whole = w->report.ctas;
    w->resident = w->span = w->wave;
    w->phase = WAVES_RAMP;
    g->dispatch.mark = 2 * w->resident;
}

/* The sum of the two windows before the last one that stand for something; how many there are. */
static unsigned sum_windows(const struct wave_report *r, struct sample *out)
{
    unsigned n = 0;
    for (unsigned i = r->windows - 1; i-- > 0 && n < 2;) {
        if (r->passing[i]) continue;
        if (n++) stats_add(out, &r->window[i], sizeof *out);
        else *out = r->window[i];
    }
    return n;
}

/* Whether the last three windows are alike, each one with each: the mean of two may be like the third by chance. */
static bool are_alike(const struct waves *w)
{
    const struct sample *last = &w->report.window[w->report.windows - 1];
    double tolerance = PAIRS * w->tolerance;
    return waves_alike(w, last, last - 1, tolerance) && waves_alike(w, last, last - 2, tolerance) &&
           waves_alike(w, last - 1, last - 2, tolerance);
}

/* Whether the launch has become faster and slower: a launch that fills its caches changes in one direction. Where
 * blocks that share lines drift apart and together again, three windows may be alike by chance. */
static bool swings(struct waves *w)
{
    const struct sample *last = &w->report.window[w->report.windows - 1];
    if (w->report.windows < 2) return false;
    double now = waves_ipc(last), before = waves_ipc(last - 1);
    if (fabs(now - before) <= SWING * w->tolerance * fmax(now, before)) return false;
    bool up = now > before, turned = up ? w->slower : w->faster;
    w->faster |= up;
    w->slower |= !up;
    return turned;
}

/* Whether a long stretch may follow at once: the last window is like the two before it within this part of the asked
 * error, and no miss rate, however small, is on its way to another one. */
static bool is_still(const struct waves *w, const struct sample *before, double part)
{
    const struct sample *last = &w->report.window[w->report.windows - 1];
    double x[3][WAVES_RATES];
    for (unsigned i = 0; i < 3; i++) waves_rates(w, last - i, x[i]);
    for (unsigned i = 0; i < WAVES_MISS_RATES; i++) {
        double most = fmax(x[0][i], fmax(x[1][i], x[2][i])), least = fmin(x[0][i], fmin(x[1][i], x[2][i]));
        if (most - least > STEADY * w->tolerance * most) return false;
    }
    return waves_alike(w, before, last, part * w->tolerance);
}

/* The first window that says how the launch scatters. Where streams are moved on that is one of those among which a
 * steady state was found: those before it came to it, and what they differ by is no scatter. */
static unsigned first_steady(const struct waves *w)
{
    if (!w->moves) return 0;
    return w->since > w->lead ? w->since : w->lead;
}

/* By how much windows scatter, as a share of their speed. */
static double noise_of(const struct waves *w)
{
    double jumps = 0, sum = 0, before = 0, n = 0;
    for (unsigned i = first_steady(w); i + 1 < w->report.windows; i++) {
        if (w->report.passing[i]) continue;
        double ipc = waves_ipc(&w->report.window[i]);
        if (n > 0) jumps += (ipc - before) * (ipc - before);
        before = ipc;
        sum += ipc;
        n++;
    }
    return n > 2 ? sqrt(jumps / (2 * (n - 1))) / (sum / n) : 0;
}

/* What the last window behind a stretch may differ by from the two before it: more where windows scatter anyway. */
static double tolerance_of(const struct waves *w)
{
    static const double deviations = 3.5; /* of a window from the mean of two: once in 200 times */
    return fmin(fmax(STEADY * w->tolerance, deviations * noise_of(w)), 2 * STEADY * w->tolerance);
}

/* Whether it was looked at for long enough before anything is left out. Blocks that share lines may take several waves
 * to find their rhythm, or to lose it, so of a launch of many windows a twentieth must be alike. */
static bool has_lead(const struct waves *w)
{
    unsigned lead = w->whole / w->span / LEAD_PART;
    if (lead > MOST_LEAD) lead = MOST_LEAD;
    if (lead <= 3) return true;
    return w->report.windows >= lead && waves_halves_alike(w, lead / 2, STEADY / 2 * w->tolerance);
}

/* Whether nothing is left in the L2 of what launches before this one brought there: CTAs behind a stretch would find
 * lines that those of the stretch would have replaced (`dct8x8`). A launch that fetches less than the L2 holds replaces
 * nothing. */
static bool has_replaced_l2(const struct gpu *g)
{
    const struct waves *w = &g->waves;
    const struct sample *last = &w->report.window[w->report.windows - 1];
    uint64_t lines = (uint64_t)(g->config.v[P_L2_SETS] * g->config.v[P_L2_WAYS]) * g->slices;
    uint64_t fetched = w->begin.stats.l2.fetches + last->stats.l2.fetches - w->fetched;
    return fetched >= lines || last->stats.l2.fetches * (w->whole / w->span) < lines;
}

/* Where streams are moved on nothing says how long a state takes to come: warps that began together, row by row in one
 * bank, drift apart for a tenth of the launch. So either the last three windows since the last break are alike within
 * the asked error and nothing has swung, or of the last eight four are like the other four. */
static bool is_lasting(const struct waves *w, const struct sample *before)
{
    enum { HALF = 4 };
    unsigned n = w->report.windows - w->since;
    if (n < LEAD) return false;
    if (!(w->faster && w->slower) && is_still(w, before, 1)) return true;
    return n >= 2 * HALF && waves_halves_alike(w, HALF, STEADY / 2 * w->tolerance);
}

/* So many windows more say how fast the launch runs as exactly as it is to be known, if they scatter as those so far.
 * A launch of few, long warps slows down as they end, one after the other. That is no scatter: what lies between two
 * windows is between them in speed too. */
static unsigned more_windows(const struct waves *w)
{
    double sum = 0, square = 0, jumps = 0, before = 0, n = 0;
    for (unsigned i = first_steady(w); i < w->report.windows; i++) {
        if (w->moves && w->report.passing[i]) continue;
        double ipc = waves_ipc(&w->report.window[i]);
        if (n > 0) jumps += (ipc - before) * (ipc - before) / 2;
        before = ipc;
        sum += ipc;
        square += ipc * ipc;
        n++;
    }
    if (n < 3) return 1;
    double spread = (w->moves ? jumps : fmax(square - sum * sum / n, 0)) / (n - 1),
           half = w->allowed.error * (w->moves ? MOVED : 1) * sum / n;
    double wanted = fmin(4 * spread / (half * half), WAVES_MAX);
    return wanted > n + 1 ? (unsigned)(wanted - n) : 1;
}

static uint32_t given(const struct gpu *g) { return g->waves.moves ? moves_given(g) : g->dispatch.given; }

/* The phase ends when so many CTAs more were given out. */
static void set_mark(struct gpu *g, uint32_t ctas)
{
    struct waves *w = &g->waves;
    if (!w->moves) g->dispatch.mark = g->dispatch.given + ctas;
    else w->mark = moves_given(g) + ctas;
}

/* Whether half a window brings twice what the L2 holds, so that behind a stretch no more has to pass: where streams are
 * moved on warps need again what they needed before. */
static bool fills_soon(const struct gpu *g)
{
    const struct wave_report *r = &g->waves.report;
    uint64_t lines = (uint64_t)(g->config.v[P_L2_SETS] * g->config.v[P_L2_WAYS]) * g->slices;
    return r->window[r->windows - 1].stats.l2.fetches >= 2 * 2 * lines;
}

/* Passes over so many CTAs, for which the windows before and behind them stand; what follows fills the caches anew.
 * False: none could be. */
static bool skip(struct gpu *g, uint32_t ctas)
{
    struct waves *w = &g->waves;
    if (w->moves) w->report.moved |= (ctas = moves_skip(g, ctas)) > 0;
    else dispatch_skip(&g->dispatch, ctas), w->report.skipped += ctas;
    if (!ctas) return false;
    if (!w->left_out && !w->flows) w->lead = w->report.windows - LEAD;
    w->left_out += ctas;
    w->report.gap[w->report.windows - 1] += ctas;
    w->gaps = ctas;
    w->behind_gap = true;
    w->phase = WAVES_WARM;
    set_mark(g, w->moves && fills_soon(g) ? w->resident / 2 : w->settle * w->resident);
    return true;
}

static void measure_next(struct gpu *g)
{
    g->waves.phase = WAVES_MEASURE;
    set_mark(g, g->waves.span);
}

static void stop_looking(struct gpu *g)
{
    moves_leave(g);
    g->waves.phase = WAVES_DONE;
    g->waves.snap_at = NEVER;
    g->waves.by_time = false;
    g->dispatch.mark = UINT32_MAX;
}

static void end_windows(struct gpu *g)
{
    struct wave_report *r = &g->waves.report;
    stop_looking(g);
    if (!g->waves.left_out && g->waves.flows) r->why = "its warps end too soon for parts of them to be left out";
    else if (!g->waves.left_out && g->waves.moves) r->why = "it never came to a steady state";
    else if (!g->waves.left_out) r->why = "its waves of blocks differ too much from one another";
    else if (r->broken && g->waves.moves)
        r->why = "behind a stretch that was left out it was not as before, so more of it was timed";
    else if (r->broken)
        r->why = "behind a stretch that was left out its waves were not as before, so the rest was timed";
}

static unsigned most_windows(const struct waves *w)
{
    return w->flows ? WINDOWS_MAX : w->moves ? MOVES_MAX : WAVES_MAX;
}

/* A window behind a gap is like those before the gap, or it is not, if not by chance. False: another one must be
 * measured. */
static bool settle(struct waves *w, bool alike_before, bool by_chance, uint32_t left)
{
    struct wave_report *r = &w->report;
    unsigned last = r->windows - 1, passing = 0;
    while (passing < last && r->passing[last - 1 - passing]) passing++;
    if (!alike_before && passing < MOST_PASSING && left >= w->span + w->resident && r->windows < most_windows(w)) {
        r->passing[last] = true;
        return false;
    }
    if (alike_before) w->settle += w->moves ? 0 : passing; /* warps that end change more than caches do */
    else if (!by_chance) r->broken = w->since = last, r->breaks[last] = true;
    r->gap[last] = w->gaps;
    w->gaps = 0;
    w->behind_gap = false;
    return true;
}

/* Windows of twice the length; an odd first one stays what it was. */
static void join_pairs(struct wave_report *r)
{
    unsigned n = r->windows / 2, odd = r->windows % 2;
    for (unsigned i = 0; i < n; i++) {
        if (odd || i) r->window[i] = r->window[odd + 2 * i];
        stats_add(&r->window[i], &r->window[odd + 2 * i + 1], sizeof r->window[i]);
    }
    r->windows = n;
}

/* A launch that swings is looked at through windows of twice the length, if it has enough of them: what is behind a
 * stretch takes as long to swing again. */
static bool widens(struct gpu *g)
{
    struct waves *w = &g->waves;
    struct wave_report *r = &w->report;
    bool full = !w->moves && r->windows == most_windows(w);
    if ((!swings(w) && !full) || w->moves || w->whole / w->span < 2 * LEAST_SPANS) return false;
    join_pairs(r);
    w->span *= 2;
    w->settle = w->span / w->resident;
    w->faster = w->slower = false;
    measure_next(g);
    return true;
}

/* Where streams are moved on and no steady state is found for long, windows may be shorter than what the kernel does
 * again and again. */
static bool lengthens(struct gpu *g)
{
    enum { PATIENCE = MOVES_MAX / 4 };
    struct waves *w = &g->waves;
    if (w->left_out || w->report.windows < PATIENCE || !moves_widen(w)) return false;
    join_pairs(&w->report);
    w->faster = w->slower = false;
    measure_next(g);
    return true;
}

/* How exactly the launch must be known: 1, or less if it takes less than half of the program's time, as far as is
 * known. What comes after it would make it less still. */
static double weight_of(const struct gpu *g)
{
    const struct waves *w = &g->waves;
    double cycles = (double)(g->clock.now - w->began) / (double)g->core_period, done = (double)(given(g) - w->left_out),
           whole = cycles * w->whole / fmax(done, 1);
    return fmin(2 * whole / (w->allowed.before + whole), 1);
}

/* Where streams are moved on speed drifts, as warps end. A stretch over which it has moved by much is followed by a
 * shorter one, so that what lies between two windows is known from them. A launch of less `weight` need not
 * be known as exactly. */
static void choose_reach(struct waves *w, const struct sample *before, const struct sample *last, double weight)
{
    static const double deviations = 2;
    double then = waves_ipc(before), now = waves_ipc(last), by_chance = deviations * noise_of(w),
           moved = fmin(fmax(STEADY / 2 * w->tolerance, by_chance), 2 * STEADY * w->tolerance);
    if (fabs(now - then) * weight > moved * fmax(now, then)) w->reach /= 2;
    else w->reach *= 2;
    if (w->reach < w->span) w->reach = w->span;
    uint32_t far = (w->flows ? FLOW_FAR : FAR) * w->span;
    if (w->reach > far) w->reach = far;
}

/* Whether a launch of few windows scatters so much that it takes more of them than it has: `more`, of `most` CTAs. */
static bool is_hopeless(const struct waves *w, uint32_t more, uint32_t most)
{
    double each = (double)w->settle * w->resident + w->span;
    return !w->moves && w->whole / w->span < MOST_PARTS && more * each > (double)HOPELESS * most;
}

/* SMs that have something to do. */
static uint32_t busy_sms(const struct gpu *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->sms; i++) n += sm_has_work(&g->sm[i]);
    return n;
}

/* After a window of a launch whose warps are moved on by rank (ptx/ranks.h): what is behind a stretch is what a full
 * run comes to, so no steady state is waited for, and the window needs not be like those before it. Windows are spread
 * over the launch; stretches are shorter where speed moves much from one to the next. A window in which many SMs have
 * run dry is no side of a stretch: it is faster than what lies behind it. */
static void flow_on(struct gpu *g)
{
    struct waves *w = &g->waves;
    struct wave_report *r = &w->report;
    const struct sample *last = &r->window[r->windows - 1];
    struct sample before;
    uint32_t now = given(g), left = w->whole > now ? w->whole - now : 0, behind = 2 * w->resident + w->span;
    bool enough = sum_windows(r, &before) == 2;
    if (w->behind_gap) r->gap[r->windows - 1] = w->gaps;
    w->behind_gap = false;
    if (r->windows == most_windows(w) || left < behind + w->resident) {
        end_windows(g);
        return;
    }
    double weight = weight_of(g);
    if (enough && w->left_out) choose_reach(w, &before, last, weight);
    uint32_t stride = left - behind;
    if (stride > w->reach) stride = w->reach;
    if (stride > now / FLOW_GROWTH) stride = now / FLOW_GROWTH;
    uint32_t stretches = weight * FLOW_STRETCHES > FLOW_LEAST ? (uint32_t)(weight * FLOW_STRETCHES) : FLOW_LEAST;
    if (stride > w->whole / stretches) stride = w->whole / stretches;
    bool begun = w->left_out || (enough && waves_alike(w, &before, last, BEGUN * w->tolerance));
    bool ran_dry = busy_sms(g) + w->busy / DRY_PART < w->busy;
    if (!begun || ran_dry || !stride || !skip(g, stride)) measure_next(g);
}

/* After a window of a launch in which no steady state is looked for, or no longer, since it goes as one before it did.
 * False: it is another one. */
static bool goes_elsewise(struct gpu *g)
{
    struct waves *w = &g->waves;
    bool like = like_reached(g) && like_leave(g);
    if (!like && w->flows) flow_on(g);
    else if (like || (w->watched && w->report.windows == most_windows(w))) stop_looking(g);
    else if (w->watched) measure_next(g);
    return like || w->flows || w->watched;
}

/* After a window: what comes next. */
static void go_on(struct gpu *g)
{
    struct waves *w = &g->waves;
    struct wave_report *r = &w->report;
    struct sample before;
    if (goes_elsewise(g)) return;
    uint32_t now = given(g), left = w->whole > now ? w->whole - now : 0,
             behind = (1 + w->settle) * w->resident + w->span; /* to settle, a window, the end */
    bool enough = sum_windows(r, &before) == 2;
    const struct sample *last = &r->window[r->windows - 1];
    double ends = w->moves && w->behind_gap ? 2 : 1; /* warps may have come to their ends in it */
    bool steady = enough && waves_alike(w, &before, last, ends * STEADY * w->tolerance);
    if (!w->left_out && widens(g)) return;
    if (!w->left_out && (!enough || !are_alike(w) || (!w->moves && !has_lead(w)))) steady = false;
    if (!w->left_out && !w->moves && !has_replaced_l2(g)) steady = false;
    if (w->moves && !w->behind_gap && (!enough || !is_lasting(w, &before))) steady = false;
    if (!steady && lengthens(g)) return;
    bool by_chance = enough && !steady && waves_alike(w, &before, last, tolerance_of(w));
    if (!w->moves && w->behind_gap && by_chance && r->windows > SCATTER_KNOWN) steady = true;
    if (w->behind_gap && !settle(w, steady, by_chance, left)) {
        measure_next(g);
        return;
    }
    if (w->moves && w->left_out) choose_reach(w, &before, last, 1);
    bool refused = !w->moves && (r->broken || (w->faster && w->slower));
    if (refused || r->windows == most_windows(w) || left < behind + w->resident) {
        end_windows(g);
        return;
    }
    uint32_t more = more_windows(w), most = left - behind, stride = most / more;
    uint32_t least = w->settle * w->resident + w->span;
    if (steady && is_hopeless(w, more, most)) {
        end_windows(g);
        r->why = "its waves of blocks scatter too much for the few that it has, so the rest was timed";
        return;
    }
    if (stride < least) stride = most < least ? most : least; /* as much is left out as is timed for it */
    bool is_long = w->whole / w->resident >= LONG_WAVES;
    if (!w->left_out && !is_still(w, &before, is_long ? 1 : VERY_STILL))
        stride = most / FIRST_PART > w->resident ? most / FIRST_PART : w->resident;
    if (w->moves && stride > w->reach) stride = w->reach;
    if (w->moves && stride > GROWTH * now) stride = GROWTH * now;
    if (w->moves && w->source->leave && stride > w->whole / LEAST_STRETCHES) stride = w->whole / LEAST_STRETCHES;
    stride -= stride % w->resident; /* where blocks take equally long the last wave is as full as it would have been */
    if (!steady || !stride || !skip(g, stride)) measure_next(g);
}

/* The first wave has passed: how many of them make a window. Short ones differ by what happens to fall into them.
 * False: the whole launch is short. */
static bool choose_span(struct gpu *g)
{
    struct waves *w = &g->waves;
    uint64_t wave = (g->clock.now - w->began) / g->core_period + 1, waves = w->whole / w->resident;
    uint64_t wanted = (LEAST_CYCLES + wave - 1) / wave, most = waves / MOST_PARTS;
    if (wave * waves < SHORT) return false;
    if (wanted > most) wanted = most;
    w->span = w->resident * (uint32_t)(wanted ? wanted : 1);
    return true;
}

/* The counters are up to date: a window begins or ends. */
static void look_at_counters(struct gpu *g)
{
    struct waves *w = &g->waves;
    struct sample now;
    gpu_snapshot(g, &now);
    now.stats.cycles = g->clock.now / g->core_period;
    marks_add(g, &now);
    bool first = w->phase == WAVES_MEASURE && !w->report.windows;
    if (first && now.stats.cycles - w->begin.stats.cycles <= MOVED_CYCLES && moves_widen(w)) {
        measure_next(g);
    } else if (w->phase == WAVES_MEASURE) {
        w->report.gap[w->report.windows] = 0;
        w->report.passing[w->report.windows] = false;
        struct sample *window = &w->report.window[w->report.windows++];
        *window = now;
        stats_subtract(window, &w->begin, sizeof *window);
        bool whole = !w->left_out;
        go_on(g);
        if (whole && w->left_out) w->report.ahead = now.stats.sm.warp_instructions - w->issued;
    } else {
        if (w->phase == WAVES_RAMP && !w->moves && !choose_span(g)) stop_looking(g);
        else measure_next(g);
    }
    if (w->moves) moves_window(g);
    if (w->flows) w->busy = busy_sms(g);
    w->begin = now;
}

void waves_look(struct gpu *g)
{
    struct waves *w = &g->waves;
    if (w->report.excerpts) {
        excerpts_look(g);
        return;
    }
    if (w->moves) {
        if (w->by_time && moves_reached(g)) look_at_counters(g);
        return;
    }
    if (w->snap_at == NEVER) {
        if (g->dispatch.marked_at == NEVER) return;
        w->snap_at = g->dispatch.marked_at + WAVES_NOTICE * g->core_period;
        g->dispatch.marked_at = NEVER;
    }
    if (g->clock.now < w->snap_at) return;
    w->snap_at = NEVER;
    look_at_counters(g);
}

tick_t waves_meeting(const struct gpu *g) { return g->waves.on ? g->waves.snap_at : NEVER; }

bool waves_due(const struct gpu *g)
{
    return g->clock.now >= g->waves.snap_at || (!g->waves.by_time && g->dispatch.marked_at != NEVER);
}
