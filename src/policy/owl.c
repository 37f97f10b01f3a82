/* owl.c - OWL: groups of thread blocks have priority one after another.
 *
 * Idea (Jog et al., ASPLOS 2013; without its memory-side prefetching, as Mascar compares with it):
 * the warps of a few thread blocks (CTAs) get the cache to themselves, so that their data is reused
 * before others evict it. Resident CTAs in the order of their launch form groups of at least
 * `min_warps` warps, never splitting a CTA. The first group that can issue does; inside it, loose
 * round robin on each scheduler.
 *  - loc=yes: a group stays first until all its CTAs have finished. no: it goes to the end when all
 *    its warps wait (the paper's CTA-aware two-level scheduling, without the locality part).
 *  - blp=yes: SM number n begins with group n modulo the number of groups, so that the SMs, whose
 *    CTAs have neighbouring numbers, work in different DRAM banks.
 * Reconstructed: the paper was not at hand. A CTA that arrives later joins the last group while that
 * is below min_warps, else it begins a group at the end. The rotation of blp is applied as the first
 * CTAs arrive and stays when the first warp has ended.
 * Storage: a list of CTA numbers; 6 bits a warp slot for round robin are counted. */
#include <stdlib.h>
#include <string.h>

#include "warpline/sched.h"

enum { MIN_WARPS, LOC, BLP, PARAMS };
static const struct wl_param owl_params[] = {
    [MIN_WARPS] = {"min_warps", "warps", 1, 8, 64, NULL, "warps a group has at least",
                   "general knowledge of the paper"},
    [LOC] = {"loc", "", 0, 1, 1, "no|yes", "the first group stays first until its CTAs have finished",
             "ASPLOS 2013, CTA-aware-locality"},
    [BLP] = {"blp", "", 0, 1, 1, "no|yes", "SMs begin with different groups", "ASPLOS 2013, bank-level parallelism"},
    WL_PARAM_END,
};
static const struct wl_counter owl_counters[] = {
    {"groups", "groups", "groups formed"},
    {"group_switches", "switches", "another group became the first"},
    WL_COUNTER_END,
};

enum { MAX_GROUPS = 64, MAX_SCHEDULERS = 8 };

struct group {
    uint64_t warps;
    uint64_t ctas; /* mask of CTA slots */
};
struct owl {
    uint32_t sm, schedulers, min_warps;
    bool loc, blp, started; /* started: a warp has ended */
    uint32_t groups;
    struct group group[MAX_GROUPS]; /* in order of priority */
    uint32_t launched_first;        /* until then: place of the group launched first */
    uint8_t next[MAX_SCHEDULERS];   /* where the round robin goes on */
    uint64_t formed, switches;
};

static void *owl_create(const struct wl_sched_geometry *g, const int64_t *values, const char **why)
{
    struct owl *o = calloc(1, sizeof *o);
    if (!o || g->schedulers > MAX_SCHEDULERS) {
        *why = o ? "more than 8 schedulers" : "out of memory";
        free(o);
        return NULL;
    }
    o->sm = g->sm;
    o->schedulers = g->schedulers;
    o->min_warps = (uint32_t)values[MIN_WARPS];
    o->loc = values[LOC];
    o->blp = values[BLP];
    return o;
}

static uint64_t owl_storage_bits(const void *self) { return 6u * ((const struct owl *)self)->schedulers; }

static void owl_read_counters(const void *self, uint64_t *out)
{
    out[0] = ((const struct owl *)self)->formed;
    out[1] = ((const struct owl *)self)->switches;
}

/* ---- groups ---- */

/* Takes the group at `from` out and puts it at the end. */
static void to_end(struct owl *o, uint32_t from)
{
    struct group g = o->group[from];
    memmove(&o->group[from], &o->group[from + 1], (o->groups - from - 1) * sizeof g);
    o->group[o->groups - 1] = g;
}

/* Launch order again, then the SM's own group first. */
static void rotate(struct owl *o)
{
    struct group order[MAX_GROUPS];
    uint32_t n = o->groups, first = o->sm % n;
    for (uint32_t i = 0; i < n; i++) order[i] = o->group[(o->launched_first + i) % n];
    for (uint32_t i = 0; i < n; i++) o->group[i] = order[(first + i) % n];
    o->launched_first = (n - first) % n;
}

static struct group *new_group(struct owl *o)
{
    /* While the order may still be rotated, the end of the launch order is before its beginning. */
    uint32_t at = o->started || !o->launched_first ? o->groups : o->launched_first;
    memmove(&o->group[at + 1], &o->group[at], (o->groups - at) * sizeof *o->group);
    if (at < o->groups) o->launched_first++;
    o->groups++;
    o->formed++;
    o->group[at] = (struct group){0, 0};
    return &o->group[at];
}

/* The group that was formed last. */
static struct group *last_group(struct owl *o)
{
    if (!o->groups) return NULL;
    return &o->group[(o->started || !o->launched_first ? o->groups : o->launched_first) - 1];
}

static void owl_warp_launch(void *self, const struct wl_sched_view *v, unsigned warp)
{
    struct owl *o = self;
    uint64_t cta = UINT64_C(1) << v->cta[warp], bit = UINT64_C(1) << warp;
    for (uint32_t i = 0; i < o->groups; i++)
        if (o->group[i].ctas & cta) {
            o->group[i].warps |= bit;
            return;
        }
    struct group *g = last_group(o);
    if (!g || (uint32_t)__builtin_popcountll(g->warps) >= o->min_warps) g = new_group(o);
    g->ctas |= cta;
    g->warps |= bit;
    if (o->blp && !o->started) rotate(o);
}

/* Which CTA slots still have a warp of the group. */
static uint64_t ctas_of(const struct wl_sched_view *v, uint64_t warps)
{
    uint64_t ctas = 0;
    for (; warps; warps &= warps - 1) ctas |= UINT64_C(1) << v->cta[__builtin_ctzll(warps)];
    return ctas;
}

static void owl_warp_exit(void *self, const struct wl_sched_view *v, unsigned warp)
{
    struct owl *o = self;
    o->started = true;
    uint32_t i = 0;
    while (i < o->groups && !(o->group[i].warps >> warp & 1)) i++;
    if (i == o->groups) return;
    struct group *g = &o->group[i];
    g->warps &= ~(UINT64_C(1) << warp);
    g->ctas = ctas_of(v, g->warps);
    if (g->warps) return;
    to_end(o, i);
    o->groups--;
    o->switches += i == 0;
}

static void owl_kernel_begin(void *self)
{
    struct owl *o = self;
    o->groups = o->launched_first = 0;
    o->started = false;
}

/* ---- issue ---- */

static uint64_t owl_cycle(void *self, const struct wl_sched_view *v)
{
    struct owl *o = self;
    uint64_t moving = v->live & ~(v->long_stall | v->barrier | v->ended);
    if (o->loc || !o->started) return UINT64_MAX;
    for (uint32_t n = o->groups; n && !(o->group[0].warps & moving); n--) {
        bool somebody = false;
        for (uint32_t i = 1; i < o->groups; i++) somebody |= (o->group[i].warps & moving) != 0;
        if (!somebody) break;
        to_end(o, 0);
        o->switches++;
    }
    return UINT64_MAX;
}

static int owl_pick(void *self, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    (void)v;
    const struct owl *o = self;
    for (uint32_t i = 0; i < o->groups; i++)
        if (o->group[i].warps & candidates)
            return (int)wl_next_slot(o->next[scheduler], o->group[i].warps & candidates);
    return -1;
}

static void owl_issued(void *self, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    (void)v;
    ((struct owl *)self)->next[scheduler] = (uint8_t)(warp + 1);
}

extern const struct wl_sched_policy owl_policy;
const struct wl_sched_policy owl_policy = {
    .abi = WL_ABI,
    .name = "owl",
    .help = "OWL (reconstructed): groups of thread blocks have priority one after another",
    .params = owl_params,
    .counters = owl_counters,
    .create = owl_create,
    .destroy = free,
    .storage_bits = owl_storage_bits,
    .read_counters = owl_read_counters,
    .cycle = owl_cycle,
    .pick = owl_pick,
    .issued = owl_issued,
    .warp_launch = owl_warp_launch,
    .warp_exit = owl_warp_exit,
    .kernel_begin = owl_kernel_begin,
};
