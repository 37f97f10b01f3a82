/* swl.c - static warp limit: the throttle that dynamic ones are measured against.
 *
 * Idea (CCWS-SWL of Rogers, O'Connor, Aamodt, MICRO 2012): a cache too small for the lines of all warps
 * serves a few warps well. Of the live warps of each scheduler only the `limit` oldest may issue; when
 * one ends, its place goes to the next oldest. The best limit differs from program to program, so
 * papers compare with the best of all of them ("CCWS-SWL-best"): in an experiment
 *     best_over = sched:limit: 1 2 3 4 6 8 12 16 20 24
 *
 * A warp that waits at a barrier does not use up the limit, otherwise the warps it waits for might
 * never be admitted. A warp whose instructions have all issued but whose memory requests are still
 * out is live and keeps its place.
 * Order among the admitted: greedy then oldest, as in the published simulator; order=lrr is loose
 * round robin.
 * State: the limit (6 bits) and the slot that issued last, per scheduler (6 bits each). */
#include "warpline/sched.h"

enum { LIMIT, ORDER };
enum { ORDER_GTO, ORDER_LRR };

static const struct wl_param swl_params[] = {
    [LIMIT] = {"limit", "warps", 1, 24, 64, NULL, "warps of each scheduler that may issue", "no limit on 48 warps"},
    [ORDER] = {"order", "", 0, 0, 1, "gto|lrr", "order among them", "CCWS's own simulator has gto"},
    WL_PARAM_END,
};

enum { N_ADMITTED, N_CHOICES, N_CHANGES };
static const struct wl_counter swl_counters[] = {
    [N_ADMITTED] = {"admitted_sum", "warps",
                    "warps that may issue, summed over the choices made; / choices is the mean"},
    [N_CHOICES] = {"choices", "choices", "instructions chosen"},
    [N_CHANGES] = {"admissions", "changes", "changes of the set of admitted warps from choice to choice"},
    WL_COUNTER_END,
};

struct swl {
    uint64_t competing; /* live and at no barrier, when `admitted` was found */
    uint64_t admitted;  /* as of the last choice */
    uint8_t last[];     /* [schedulers] slot + 1 of the warp that issued last; 0 at first */
};

static size_t swl_bytes(const struct wl_sched_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct swl) + g->schedulers;
}

static uint64_t swl_storage_bits(const struct wl_sched *s) { return 6 + 6u * s->g.schedulers; }

/* The answer of the last choice holds while the same warps compete: ages change only when warps come. */
static uint64_t swl_allowed(const struct wl_sched *s, const struct wl_sched_view *v)
{
    const struct swl *p = s->self;
    uint64_t competing = v->live & ~v->barrier;
    return competing == p->competing ? p->admitted : wl_oldest_of_each(s, v, competing, (unsigned)s->param[LIMIT]);
}

static int swl_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    unsigned last = ((const struct swl *)s->self)->last[scheduler];
    if (s->param[ORDER] == ORDER_LRR) return (int)wl_next_slot(last, candidates);
    return (int)wl_greedy_oldest(v, last - 1u, candidates);
}

static void swl_on_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    struct swl *p = s->self;
    uint64_t admitted = swl_allowed(s, v);
    s->count[N_CHANGES] += admitted != p->admitted;
    s->count[N_ADMITTED] += (unsigned)__builtin_popcountll(admitted & v->owned[scheduler]);
    s->count[N_CHOICES]++;
    p->competing = v->live & ~v->barrier;
    p->admitted = admitted;
    p->last[scheduler] = (uint8_t)(warp + 1);
}

static void swl_on_warp(struct wl_sched *s, const struct wl_sched_view *v, enum wl_warp_event event, unsigned warp)
{
    (void)v, (void)warp;
    if (event == WL_WARP_LAUNCH) ((struct swl *)s->self)->competing = 0;
}

extern const struct wl_sched_policy swl_policy;
const struct wl_sched_policy swl_policy = {
    .abi = WL_ABI,
    .name = "swl",
    .help = "static warp limit (CCWS-SWL): only the oldest warps of each scheduler issue, greedy then oldest",
    .params = swl_params,
    .counters = swl_counters,
    .bytes = swl_bytes,
    .storage_bits = swl_storage_bits,
    .pick = swl_pick,
    .allowed = swl_allowed,
    .on_issue = swl_on_issue,
    .on_warp = swl_on_warp,
};
