/* gto.c - greedy then oldest.
 *
 * Idea: stay with one warp while it can issue, so that its working set stays in the L1D and the
 * warps drift apart; when it cannot, fall back to the oldest, which keeps the number of warps
 * that compete for the cache small.
 * State: the slot that issued last, per scheduler (6 bits each). Any reason not to issue (hazard,
 * barrier, busy unit) ends the turn; a warp stopped for one cycle is tried first in the next if
 * nobody else issued meanwhile. */
#include <stdlib.h>

#include "warpline/sched.h"

enum { NO_WARP = 64 };

struct gto {
    uint32_t schedulers;
    uint8_t last[]; /* [schedulers] slot, or NO_WARP */
};

static void *gto_create(const struct wl_sched_geometry *g, const int64_t *values, const char **why)
{
    (void)values;
    struct gto *s = malloc(sizeof *s + g->schedulers);
    if (!s) {
        *why = "out of memory";
        return NULL;
    }
    s->schedulers = g->schedulers;
    for (uint32_t i = 0; i < g->schedulers; i++) s->last[i] = NO_WARP;
    return s;
}

static uint64_t gto_storage_bits(const void *self) { return 6u * ((const struct gto *)self)->schedulers; }

static int gto_pick(void *self, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    const struct gto *s = self;
    return (int)wl_greedy_oldest(v, s->last[scheduler], candidates);
}

static void gto_issued(void *self, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    (void)v;
    ((struct gto *)self)->last[scheduler] = (uint8_t)warp;
}

extern const struct wl_sched_policy gto_policy;
const struct wl_sched_policy gto_policy = {
    .abi = WL_ABI,
    .name = "gto",
    .help = "greedy then oldest: the warp that issued last, else the oldest that can",
    .create = gto_create,
    .destroy = free,
    .storage_bits = gto_storage_bits,
    .pick = gto_pick,
    .issued = gto_issued,
    .ignores_state = true,
};
