/* swl.c - static warp limit: the throttle that dynamic ones are measured against.
 *
 * Idea (CCWS-SWL of Rogers, O'Connor, Aamodt, MICRO 2012): a cache too small for everybody's lines
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
#include <stdlib.h>

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
    [N_CHANGES] = {"admissions", "changes", "changes of the set of admitted warps"},
    WL_COUNTER_END,
};

enum { NO_WARP = 64 };

struct swl {
    uint32_t schedulers, limit, order;
    uint64_t competing; /* live and at no barrier, when `admitted` was found */
    uint64_t admitted;
    uint64_t count[N_CHANGES + 1];
    uint8_t last[]; /* [schedulers] slot, or NO_WARP */
};

static void *swl_create(const struct wl_sched_geometry *g, const int64_t *values, const char **why)
{
    struct swl *s = calloc(1, sizeof *s + g->schedulers);
    if (!s) {
        *why = "out of memory";
        return NULL;
    }
    s->schedulers = g->schedulers;
    s->limit = (uint32_t)values[LIMIT];
    s->order = (uint32_t)values[ORDER];
    for (uint32_t i = 0; i < g->schedulers; i++) s->last[i] = NO_WARP;
    return s;
}

static uint64_t swl_storage_bits(const void *self) { return 6 + 6u * ((const struct swl *)self)->schedulers; }

static void swl_read_counters(const void *self, uint64_t *out)
{
    for (unsigned i = 0; i <= N_CHANGES; i++) out[i] = ((const struct swl *)self)->count[i];
}

/* Ages change only when warps come; warp_launch sees to that. */
static uint64_t swl_allowed(void *self, const struct wl_sched_view *v)
{
    struct swl *s = self;
    uint64_t competing = v->live & ~v->barrier;
    if (competing == s->competing) return s->admitted;
    uint64_t admitted = 0;
    for (uint32_t i = 0; i < s->schedulers; i++) admitted |= wl_oldest_of(v, competing & v->owned[i], s->limit);
    s->count[N_CHANGES] += admitted != s->admitted;
    s->competing = competing;
    return s->admitted = admitted;
}

static int swl_pick(void *self, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    const struct swl *s = self;
    unsigned last = s->last[scheduler];
    if (s->order == ORDER_LRR) return (int)wl_next_slot(last == NO_WARP ? 0 : last + 1, candidates);
    return (int)wl_greedy_oldest(v, last, candidates);
}

static void swl_issued(void *self, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    struct swl *s = self;
    s->last[scheduler] = (uint8_t)warp;
    s->count[N_ADMITTED] += (unsigned)__builtin_popcountll(s->admitted & v->owned[scheduler]);
    s->count[N_CHOICES]++;
}

static void swl_warp_launch(void *self, const struct wl_sched_view *v, unsigned warp)
{
    (void)v, (void)warp;
    ((struct swl *)self)->competing = 0;
}

extern const struct wl_sched_policy swl_policy;
const struct wl_sched_policy swl_policy = {
    .abi = WL_ABI,
    .name = "swl",
    .help = "static warp limit (CCWS-SWL): only the oldest warps of each scheduler issue, greedy then oldest",
    .params = swl_params,
    .counters = swl_counters,
    .create = swl_create,
    .destroy = free,
    .storage_bits = swl_storage_bits,
    .read_counters = swl_read_counters,
    .pick = swl_pick,
    .issued = swl_issued,
    .allowed = swl_allowed,
    .warp_launch = swl_warp_launch,
};
