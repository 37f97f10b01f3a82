/* sampling_moves.c - of a launch of few, long CTAs parts of all warps are timed.
 *
 * There are no waves to pass over. Where the warps can be moved on (stream_source.on_demand), the launch is cut into
 * units of work instead of CTAs, and a window is as long as it takes to do so many of them; all else is as with waves
 * (sampling_waves.c). When the state is steady all warps are moved on by as much as they did in the last window, times
 * a factor: as if the machine had run on in this state for so many windows. The caches still hold what the warps needed
 * before, so a window passes before the next one counts. Speed drifts as warps end: a stretch over which it moves by
 * much is followed by a shorter one. The last windows are always timed. */
#include "sim/gpu_priv.h"

enum {
    WINDOW_UNITS = 32,
    MOST_WINDOWS = 128,         /* of a launch, if it is long */
    WINDOW_INSTRUCTIONS = 1024, /* of a warp, in a window, at least: some times what a line lasts that 32 lanes share */
    LONG_WINDOW = 4096,         /* and at most */
    LEAST_WINDOWS = 20,         /* a launch of fewer is timed in full */
    FIRST_LOOK = 256            /* core cycles */
};

void moves_begin(struct gpu *g, struct stream_source *s, uint64_t resident)
{
    struct waves *w = &g->waves;
    const struct launch_info *l = s->info;
    uint64_t warps = l->warps_per_cta * (l->ctas < resident ? l->ctas : resident);
    uint64_t total = s->on_demand(s), window = total / MOST_WINDOWS;
    if (window < warps * WINDOW_INSTRUCTIONS) window = warps * WINDOW_INSTRUCTIONS;
    if (window > warps * LONG_WINDOW) window = warps * LONG_WINDOW;
    w->unit = window / WINDOW_UNITS;
    if (!total || total / window < LEAST_WINDOWS) return;
    w->on = w->moves = w->by_time = true;
    w->source = s;
    w->resident = w->span = WINDOW_UNITS;
    w->whole = (uint32_t)(total / w->unit);
    w->phase = WAVES_RAMP;
    w->mark = 2 * w->resident;
    w->noted = 0;
    w->length = FIRST_LOOK * g->core_period;
    w->snap_at = (g->clock.now / g->core_period + 1) * g->core_period + w->length;
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
}

uint32_t moves_skip(struct gpu *g, uint32_t units)
{
    struct waves *w = &g->waves;
    uint64_t done = w->source->made(w->source) - w->noted;
    if (!done) return 0;
    int64_t moved = w->source->move(w->source, units * w->unit * 256 / done);
    if (moved < 0) g->dispatch.failed = WL_ERUN;
    return moved > 0 ? (uint32_t)((uint64_t)moved / w->unit) : 0;
}

bool moves_reached(struct gpu *g)
{
    struct waves *w = &g->waves;
    if (g->clock.now < w->snap_at) return false;
    uint32_t now = moves_given(g);
    bool reached = now >= w->mark;
    if (!reached && w->mark - now > WINDOW_UNITS / 2 && w->length < 4096 * g->core_period) w->length *= 2;
    w->snap_at += w->length;
    return reached;
}
