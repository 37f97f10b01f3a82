/* gto.c - greedy then oldest.
 *
 * Idea: stay with one warp while it can issue, so that its working set stays in the L1D and the
 * warps drift apart; when it cannot, fall back to the oldest, which keeps the number of warps
 * that compete for the cache small.
 * State: the slot that issued last, per scheduler (6 bits each). Any reason not to issue (hazard,
 * barrier, busy unit) ends the turn; a warp stopped for one cycle is tried first in the next if
 * no other warp issued meanwhile. */
#include "warpline/sched.h"

/* Slot + 1 of the warp that issued last, per scheduler; 0 at first. */
static size_t gto_bytes(const struct wl_sched_geometry *g, const int64_t *param)
{
    (void)param;
    return g->schedulers;
}

static uint64_t gto_storage_bits(const struct wl_sched *s) { return 6u * s->g.schedulers; }

static int gto_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    const uint8_t *last = s->self;
    return (int)wl_greedy_oldest(v, last[scheduler] - 1u, candidates);
}

static void gto_on_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    (void)v;
    ((uint8_t *)s->self)[scheduler] = (uint8_t)(warp + 1);
}

extern const struct wl_sched_policy gto_policy;
const struct wl_sched_policy gto_policy = {
    .abi = WL_ABI,
    .name = "gto",
    .help = "greedy then oldest: the warp that issued last, else the oldest that can",
    .ignores_state = true,
    .oldest_first = true,
    .bytes = gto_bytes,
    .storage_bits = gto_storage_bits,
    .pick = gto_pick,
    .on_issue = gto_on_issue,
};
