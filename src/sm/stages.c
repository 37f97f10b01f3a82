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
 * banks are not modelled.
 *
 * With sm.sfu_stages only the SFU's and fp64 instructions go this way. The ALU pipes take one in every cycle, or in
 * every second: who waits for one of them waits a cycle, with collectors or without. */
#include <stdlib.h>
#include <string.h>

#include "sm/sm_priv.h"

static void make_ring(struct stage_places *p)
{
    while (p->mask + 1 < p->n) p->mask = 2 * p->mask + 1;
}

int stages_init(struct sm *s, const struct gpu_config *c, struct wl_err *e)
{
    struct stages *g = s->stages = calloc(1, sizeof *g);
    if (!g) return wl_no_memory(e);
    for (unsigned u = 0; u < STAGE_UNITS; u++) {
        uint32_t pipes = s->pipe_end[u] - (u ? s->pipe_end[u - 1] : 0u);
        g->collector[u].n = (uint32_t)c->v[u == UNIT_ALU ? P_SM_ALU_COLLECTORS : P_SM_SFU_COLLECTORS];
        g->entry[u].n = g->pipe[u].n = pipes;
        make_ring(&g->collector[u]);
        make_ring(&g->entry[u]);
        make_ring(&g->pipe[u]);
    }
    g->buses = (uint8_t)c->v[P_SM_RESULT_BUSES];
    return 0;
}

/* Nobody waits longer than for all in front of it, each of which takes the pipe as long as the slowest class and may
 * wait for a bus behind the results of everything that is under way. */
tick_t stages_reach(const struct sm *s)
{
    uint32_t all = 0, most = 0, longest = CODE_MAX_REGS + 2;
    for (unsigned u = 0; u < STAGE_UNITS; u++) {
        uint32_t places = s->stages->collector[u].n + 2 * s->stages->pipe[u].n;
        all += places;
        if (places > most) most = places;
    }
    for (unsigned i = 0; i < EXEC_CLASSES; i++)
        if (s->exec_class[i].init > longest) longest = s->exec_class[i].init;
    return (tick_t)most * (longest + all) * s->part.period;
}

static inline uint64_t first_free(const struct stage_places *p) { return p->free_at[p->first & p->mask]; }

/* The place that is free first is taken until a later time: it becomes the last one in nearly all cases. */
static inline void take_first(struct stage_places *p, uint64_t until)
{
    uint32_t at = p->first + p->n;
    for (p->first++; at != p->first && p->free_at[(at - 1) & p->mask] > until; at--)
        p->free_at[at & p->mask] = p->free_at[(at - 1) & p->mask];
    p->free_at[at & p->mask] = until;
}

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* What was booked for cycles that are over goes, eight cycles at a time. */
static void sweep_results(struct stages *g, uint64_t to)
{
    if (to - g->swept >= BUS_CYCLES / 8) memset(g->results, 0, sizeof g->results);
    else
        for (; g->swept < to; g->swept++) memset(&g->results[g->swept % (BUS_CYCLES / 8) * 8], 0, 8);
    g->swept = to;
}

/* Books a bus for a result `latency` cycles after the pipe takes the instruction, from `cycle` on; returns when. */
static inline uint64_t book_bus(struct stages *g, uint64_t cycle, uint32_t latency)
{
    while (g->results[(cycle + latency) % BUS_CYCLES] == g->buses) cycle++;
    g->results[(cycle + latency) % BUS_CYCLES]++;
    return cycle;
}

tick_t stages_book(struct sm *s, unsigned w, tick_t now, tick_t *taken)
{
    struct stages *g = s->stages;
    const struct route *r = s->warp[w].route;
    const struct exec_class *c = &s->exec_class[r->exec];
    struct stage_places *collector = &g->collector[c->unit], *entry = &g->entry[c->unit], *pipe = &g->pipe[c->unit];
    if (g->swept != s->cycle / 8) sweep_results(g, s->cycle / 8);
    uint64_t collecting = later(s->cycle + 1, first_free(collector));
    uint64_t before_pipe = later(collecting + r->collect + 1, first_free(entry));
    uint64_t start = book_bus(g, later(before_pipe + 1, first_free(pipe)), c->latency);
    take_first(collector, before_pipe);
    take_first(entry, start);
    take_first(pipe, start + c->init);
    *taken = now + (collecting - s->cycle) * s->part.period;
    /* sm.issue_delay counts from issue, with one source register: four cycles up to the pipe. */
    uint64_t done = start + c->latency - s->cycle;
    tick_t ticks = done * s->part.period + s->issue_delay, before = 4 * s->part.period;
    return now + (ticks > before + s->part.period ? ticks - before : s->part.period);
}
