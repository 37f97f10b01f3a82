/* sampling_moves.c - of a launch of few, long CTAs parts of all warps are timed.
 *
 * There are no waves to pass over. Where the warps can be moved on (stream_source.on_demand), the launch is cut into
 * units of work instead of CTAs, and a window is as long as it takes to do so many of them; all else is as with waves
 * (sampling_waves.c). Warps whose streams are made on demand go as far as they would in so many windows (flow_on).
 * Where streams were written, all warps are moved on when the state is steady, by as much as they did in the last
 * window, times a factor. The caches still hold what the warps needed before, so a window, or half of one, passes
 * before the next one counts. Speed drifts as warps end: a stretch over which it moves by much is followed by a shorter
 * one. The last windows are always timed. */
#include "ptx/pace.h"
#include "sim/gpu_priv.h"

enum {
    WINDOW_UNITS = 32,
    MOST_WINDOWS = 128,         /* of a launch, if it is long */
    WINDOW_INSTRUCTIONS = 1024, /* of a warp, in a window, at least: some times what a line lasts that 32 lanes share */
    LONG_WINDOW = 4096,         /* and at most; where streams were written windows begin with the least */
    MANY_WINDOWS = 40,       /* a launch that has so many of that length is looked at through windows of half of it */
    LEAST_WINDOWS = 20,      /* a launch of fewer is timed in full */
    FLOW_WINDOWS = 192,      /* of a launch whose warps go by rank, if it is long; */
    FLOW_INSTRUCTIONS = 256, /* of a warp, in one, at least: some lines of each lane; */
    FLOW_LONG = 1024,        /* and at most */
    FIRST_LOOK = 256         /* core cycles */
};

/* How long windows are, when it is known how much the launch has to do. False: it is too short. */
static bool moves_size(struct gpu *g)
{
    struct waves *w = &g->waves;
    const struct launch_info *l = w->source->info;
    uint64_t warps = l->warps_per_cta * (l->ctas < w->wave ? l->ctas : w->wave);
    uint64_t total = w->source->foreseen(w->source), window = total / (w->flows ? FLOW_WINDOWS : MOST_WINDOWS);
    uint64_t least = warps * WINDOW_INSTRUCTIONS, longest = warps * (w->flows ? FLOW_LONG : LONG_WINDOW);
    if (total / least < LEAST_WINDOWS) return false;
    if (w->flows) least = warps * FLOW_INSTRUCTIONS;
    else if (total >= MANY_WINDOWS * least) least /= 2; /* these scatter more, so more of them are wanted */
    if (window < least) window = least;
    if (window > longest) window = longest;
    w->most_unit = window / WINDOW_UNITS;
    if (w->source->leave && window > warps * WINDOW_INSTRUCTIONS) window = warps * WINDOW_INSTRUCTIONS;
    if (w->source->leave && total / l->ctas < l->warps_per_cta * (uint64_t)PACE_LONG) return false;
    w->unit = window / WINDOW_UNITS;
    w->resident = w->span = WINDOW_UNITS;
    w->whole = (uint32_t)(total / w->unit);
    w->mark = 2 * w->resident;
    return true;
}

bool moves_widen(struct waves *w)
{
    if (!w->moves || 2 * w->unit > w->most_unit) return false;
    w->unit *= 2;
    return true;
}

/* Warps of streams that are made on demand go by rank, so what serves them must. */
static bool goes_by_rank(struct gpu *g)
{
    if (g->config.sched.policy->oldest_first) return true;
    g->waves.report.why = "how far its warps go is known only where the scheduler prefers the oldest";
    return false;
}

/* Streams that are made on demand have known lengths; for others it is asked when the machine is full (is_sized). */
bool moves_begin(struct gpu *g, struct stream_source *s)
{
    struct waves *w = &g->waves;
    if (!s->on_demand(s)) return false;
    w->source = s;
    w->flows = w->report.flowed = !s->leave; /* streams that are made on demand are moved on by rank */
    if (w->flows) w->reach = 2 * WINDOW_UNITS;
    w->unit = w->noted = 0;
    if (s->foreseen(s) && !moves_size(g)) return false;
    if (w->flows && !goes_by_rank(g)) return false;
    w->on = w->moves = w->by_time = true;
    w->phase = WAVES_RAMP;
    w->length = FIRST_LOOK * g->core_period;
    w->snap_at = (g->clock.now / g->core_period + 1) * g->core_period + w->length;
    return true;
}

void moves_leave(struct gpu *g)
{
    struct waves *w = &g->waves;
    if (w->moves && w->source->leave) w->source->leave(w->source);
}

uint32_t moves_given(const struct gpu *g)
{
    const struct waves *w = &g->waves;
    return (uint32_t)(w->source->made(w->source) / w->unit);
}

void moves_window(struct gpu *g)
{
    struct waves *w = &g->waves;
    w->source->note(w->source);
    w->noted = w->source->made(w->source);
    w->whole = (uint32_t)(w->source->foreseen(w->source) / w->unit); /* known better as more CTAs were begun */
}

/* What was left out would have brought these lines to the L2, where the next window finds them. */
static void touch(void *g, uint64_t line) { gpu_touch_l2(g, line); }

uint32_t moves_skip(struct gpu *g, uint32_t units)
{
    struct waves *w = &g->waves;
    uint64_t done = w->source->made(w->source) - w->noted;
    if (!done) return 0;
    uint32_t ctas;
    int64_t moved = w->source->move(w->source, units * w->unit * 256 / done, &ctas);
    if (moved < 0) g->dispatch.failed = WL_ERUN;
    w->report.skipped += ctas;
    if (moved > 0 && w->source->touched) w->source->touched(w->source, touch, g);
    return moved > 0 ? (uint32_t)((uint64_t)moved / w->unit) : 0;
}

/* How long streams are is known when they were written, those of the first CTAs when the machine is full. Where they
 * are too short it is left alone, or looked at through waves of CTAs. */
static bool is_sized(struct gpu *g)
{
    struct waves *w = &g->waves;
    const struct launch_info *l = w->source->info;
    if (w->unit) return true;
    if (g->dispatch.given < (l->ctas < w->wave ? l->ctas : w->wave)) return false;
    if (moves_size(g)) return true;
    moves_leave(g);
    w->on = w->moves = w->by_time = false;
    w->snap_at = NEVER;
    waves_start(g);
    return false;
}

bool moves_reached(struct gpu *g)
{
    struct waves *w = &g->waves;
    if (g->clock.now < w->snap_at) return false;
    if (!is_sized(g)) {
        if (w->moves) w->snap_at += w->length;
        return false;
    }
    uint32_t now = moves_given(g);
    bool reached = now >= w->mark;
    if (!reached && w->mark - now > WINDOW_UNITS / 2 && w->length < 4096 * g->core_period) w->length *= 2;
    w->snap_at += w->length;
    return reached;
}
