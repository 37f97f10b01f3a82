/* stages.c - the way of an instruction from issue to its pipe, as GPGPU-Sim has it.
 *
 *   register it is issued to -> collector -> register before the pipe -> pipe -> result bus
 *
 * A unit has as many registers on either side of the collectors as it has pipes. An instruction issued in cycle t is in
 * a collector from t + 1 at the earliest, reads its source registers from the cycle after (sm.collect per cycle),
 * leaves a cycle after the last, and enters the pipe a cycle later, if the pipe is free and a bus is free for its
 * result, which is known then: latencies are fixed. Whoever waits keeps the place it has, so that a busy pipe stops the
 * schedulers only when everything in front of it is full.
 *
 * Instructions of a unit are taken to go their way in the order in which they were issued; in GPGPU-Sim the collectors
 * take turns. So all of it is known at issue and is booked there: no cycle looks at instructions under way. Register
 * banks are not modelled. */
#include <stdlib.h>

#include "sm/sm_priv.h"

int stages_init(struct sm *s, const struct gpu_config *c, struct wl_err *e)
{
    struct stages *g = s->stages = calloc(1, sizeof *g);
    if (!g) return wl_fail(e, WL_ERUN, "out of memory");
    g->collectors[UNIT_ALU] = (uint32_t)c->v[P_SM_ALU_COLLECTORS];
    g->collectors[UNIT_SFU] = g->collectors[UNIT_DP] = (uint32_t)c->v[P_SM_SFU_COLLECTORS];
    g->buses = (uint32_t)c->v[P_SM_RESULT_BUSES];
    return 0;
}

tick_t stages_reach(const struct sm *s)
{
    uint32_t places = 2 * STAGE_PIPES, longest = CODE_MAX_REGS + 2;
    for (unsigned u = 0; u < STAGE_UNITS; u++) places += s->stages->collectors[u];
    for (unsigned i = 0; i < EXEC_CLASSES; i++)
        if (s->exec_class[i].init > longest) longest = s->exec_class[i].init;
    return (tick_t)places * longest * s->part.period;
}

/* The place of `n` that is free first. */
static uint64_t *first_free(uint64_t *free_at, uint32_t n)
{
    uint64_t *first = free_at;
    for (uint32_t i = 1; i < n; i++)
        if (free_at[i] < *first) first = &free_at[i];
    return first;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Books a bus for a result `latency` cycles after the pipe takes the instruction, from `cycle` on; returns when. */
static uint64_t book_bus(struct stages *g, uint64_t cycle, uint32_t latency)
{
    for (;; cycle++) {
        uint64_t at = cycle + latency;
        if (g->bus[at % BUS_CYCLES].cycle != at) {
            g->bus[at % BUS_CYCLES].cycle = at;
            g->bus[at % BUS_CYCLES].used = 0;
        }
        if (g->bus[at % BUS_CYCLES].used == g->buses) continue;
        g->bus[at % BUS_CYCLES].used++;
        return cycle;
    }
}

tick_t stages_book(struct sm *s, unsigned w, tick_t now, tick_t *taken)
{
    struct stages *g = s->stages;
    const struct exec_class *c = &s->exec_class[s->warp[w].route->exec];
    unsigned u = c->unit, pipes = s->pipe_end[u] - (u ? s->pipe_end[u - 1] : 0u);
    unsigned sources = inst_operands(s->warp[w].inst), reads = s->collect ? s->collect : CODE_MAX_REGS;
    uint64_t *collector = first_free(g->collector_free[u], g->collectors[u]);
    uint64_t *entry = first_free(g->entry_free[u], pipes), *pipe = first_free(g->pipe_free[u], pipes);
    uint64_t collecting = later(s->cycle + 1, *collector);
    uint64_t collected = collecting + (s->collect ? (sources + reads - 1) / reads : 1) + 1;
    uint64_t before_pipe = later(collected, *entry);
    uint64_t start = book_bus(g, later(before_pipe + 1, *pipe), c->latency);
    *collector = before_pipe;
    *entry = start;
    *pipe = start + c->init;
    *taken = now + (collecting - s->cycle) * s->part.period;
    /* sm.issue_delay counts from issue, with one source register: four cycles up to the pipe. */
    uint64_t done = start + c->latency - s->cycle;
    tick_t ticks = done * s->part.period + s->issue_delay, before = 4 * s->part.period;
    return now + (ticks > before + s->part.period ? ticks - before : s->part.period);
}
