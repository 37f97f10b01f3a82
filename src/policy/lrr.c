/* lrr.c - loose round robin.
 *
 * Idea: every warp gets its turn, so all of them move through the program together. Loose: a warp
 * that cannot issue is skipped instead of holding up the others.
 * State: the slot that issued last, per scheduler (6 bits each); the search starts behind it. */
#include "warpline/sched.h"

/* The slot at which the search starts, per scheduler. */
static size_t lrr_bytes(const struct wl_sched_geometry *g, const int64_t *param)
{
    (void)param;
    return g->schedulers;
}

static uint64_t lrr_storage_bits(const struct wl_sched *s) { return 6u * s->g.schedulers; }

static int lrr_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    (void)v;
    return (int)wl_next_slot(((const uint8_t *)s->self)[scheduler], candidates);
}

static void lrr_on_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    (void)v;
    ((uint8_t *)s->self)[scheduler] = (uint8_t)(warp + 1);
}

extern const struct wl_sched_policy lrr_policy;
const struct wl_sched_policy lrr_policy = {
    .abi = WL_ABI,
    .name = "lrr",
    .help = "loose round robin: the next warp in slot order that can issue",
    .ignores_state = true,
    .bytes = lrr_bytes,
    .storage_bits = lrr_storage_bits,
    .pick = lrr_pick,
    .on_issue = lrr_on_issue,
};
