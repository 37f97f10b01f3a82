/* lrr.c - loose round robin.
 *
 * Idea: every warp gets its turn, so all of them move through the program together. Loose: a warp
 * that cannot issue is skipped instead of holding up the others.
 * State: the slot that issued last, per scheduler (6 bits each); the search starts behind it. */
#include <stdlib.h>

#include "warpline/sched.h"

struct lrr {
    uint32_t schedulers;
    int8_t last[]; /* [schedulers] slot, -1 at first */
};

static void *lrr_create(const struct wl_sched_geometry *g, const int64_t *values, const char **why)
{
    (void)values;
    struct lrr *s = malloc(sizeof *s + g->schedulers);
    if (!s) {
        *why = "out of memory";
        return NULL;
    }
    s->schedulers = g->schedulers;
    for (uint32_t i = 0; i < g->schedulers; i++) s->last[i] = -1;
    return s;
}

static uint64_t lrr_storage_bits(const void *self) { return 6u * ((const struct lrr *)self)->schedulers; }

static int lrr_pick(void *self, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    (void)v;
    const struct lrr *s = self;
    return (int)wl_next_slot((unsigned)(s->last[scheduler] + 1), candidates);
}

static void lrr_issued(void *self, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    (void)v;
    ((struct lrr *)self)->last[scheduler] = (int8_t)warp;
}

extern const struct wl_sched_policy lrr_policy;
const struct wl_sched_policy lrr_policy = {
    .abi = WL_ABI,
    .name = "lrr",
    .help = "loose round robin: the next warp in slot order that can issue",
    .create = lrr_create,
    .destroy = free,
    .storage_bits = lrr_storage_bits,
    .pick = lrr_pick,
    .issued = lrr_issued,
    .ignores_state = true,
};
