/* broken_sched.c - a scheduler plugin that breaks one promise of warpline/sched.h: `fault` says which.
 *
 * Built and run by test_broken_sched.sh. Without a fault it is a plain "oldest first" scheduler with every facet. */
#include "warpline/lsu.h"
#include "warpline/plugin.h"

enum {
    NONE,
    PICK_TOO_LARGE,
    PICK_HUGE,
    PICK_NEGATIVE,
    PICK_NO_CANDIDATE,
    PICK_CHANGES,
    ALLOWED_CHANGES,
    FIRST_TOO_LARGE,
    FIRST_CHANGES,
    SECOND_FOREIGN,
    CYCLE_PAST,
    CYCLE_NOW,
    MAY_MISS_CHANGES,
    SAME_WARP,
    INIT_SILENT,
    NEVER_PICKS, /* which is allowed, but nothing moves any more */
    FAULTS
};

static const struct wl_param broken_params[] = {
    {"fault", "", NONE, NONE, FAULTS - 1, NULL, "the promise to break", "this test"},
    WL_PARAM_END,
};

static size_t broken_bytes(const struct wl_sched_geometry *g, const int64_t *param)
{
    (void)g, (void)param;
    return sizeof(unsigned);
}

static int64_t fault(const struct wl_sched *s) { return s->param[0]; }

/* A question that remembers being asked: what the const in its signature forbids. */
static unsigned asked(const struct wl_sched *s) { return ++*(unsigned *)s->self; }

static bool broken_init(struct wl_sched *s, const char **why)
{
    *why = 0;
    return fault(s) != INIT_SILENT;
}

static int broken_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    (void)scheduler;
    int oldest = (int)wl_oldest(v, candidates);
    switch (fault(s)) {
    case PICK_TOO_LARGE: return 64;
    case PICK_HUGE: return 1000000;
    case PICK_NEGATIVE: return -99;
    case PICK_NO_CANDIDATE: return ~candidates ? __builtin_ctzll(~candidates) : oldest;
    case NEVER_PICKS: return -1;
    case PICK_CHANGES: return asked(s) & 1 ? oldest : -1;
    default: return oldest;
    }
}

static uint64_t broken_allowed(const struct wl_sched *s, const struct wl_sched_view *v)
{
    (void)v;
    return fault(s) == ALLOWED_CHANGES ? asked(s) : UINT64_MAX;
}

static unsigned broken_first(const struct wl_sched *s, const struct wl_sched_view *v)
{
    (void)v;
    return fault(s) == FIRST_TOO_LARGE ? 99 : fault(s) == FIRST_CHANGES ? asked(s) % s->g.schedulers : 0;
}

static uint64_t broken_second(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler,
                              unsigned warp)
{
    (void)warp;
    return fault(s) == SECOND_FOREIGN ? ~v->owned[scheduler] : 0;
}

static uint64_t broken_on_cycle(struct wl_sched *s, const struct wl_sched_view *v)
{
    return fault(s) == CYCLE_PAST ? 0 : fault(s) == CYCLE_NOW ? v->cycle : v->cycle + 1;
}

static bool broken_may_miss(const struct wl_sched *s, unsigned warp)
{
    (void)warp;
    return fault(s) != MAY_MISS_CHANGES || asked(s) & 1;
}

static struct wl_reexec broken_reexec(const struct wl_sched *s)
{
    return (struct wl_reexec){.entries = 4, .same_warp = fault(s) == SAME_WARP ? 200 : WL_BLOCK_ALL};
}

static const struct wl_order_hooks broken_order = {.first = broken_first, .second = broken_second};
static const struct wl_lsu_hooks broken_lsu = {.reexec = broken_reexec, .may_miss = broken_may_miss};
static const struct wl_sched_policy broken = {
    .abi = WL_ABI,
    .name = "broken",
    .help = "breaks a promise",
    .params = broken_params,
    .bytes = broken_bytes,
    .init = broken_init,
    .pick = broken_pick,
    .allowed = broken_allowed,
    .on_cycle = broken_on_cycle,
    .order = &broken_order,
    .lsu = &broken_lsu,
};
static const struct wl_sched_policy *const scheds[] = {&broken, 0};

extern const struct wl_plugin wl_plugin;
const struct wl_plugin wl_plugin = {WL_ABI, sizeof(struct wl_plugin), "broken", 0, scheds};
