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
 * Storage: a list of CTA numbers; 6 bits per scheduler for round robin are counted. */
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
enum { N_GROUPS, N_SWITCHES };
static const struct wl_counter owl_counters[] = {
    [N_GROUPS] = {"groups", "groups", "groups formed"},
    [N_SWITCHES] = {"group_switches", "switches", "another group became the first"},
    WL_COUNTER_END,
};

enum { MAX_GROUPS = 64 };

struct group {
    uint64_t warps;
    uint64_t ctas; /* mask of CTA slots */
};
struct owl {
    bool started; /* a warp has ended */
    uint32_t groups;
    struct group group[MAX_GROUPS];  /* in order of priority */
    uint32_t launched_first;         /* place of the group launched first, until a warp has ended */
    uint8_t next[WL_MAX_SCHEDULERS]; /* where the round robin goes on */
};

static size_t owl_bytes(const struct wl_sched_geometry *g, const int64_t *param)
{
    (void)g, (void)param;
    return sizeof(struct owl);
}

static uint64_t owl_storage_bits(const struct wl_sched *s) { return 6u * s->g.schedulers; }

/* ---- groups ---- */

/* Takes the group at `from` out and puts it at the end. */
static void to_end(struct owl *o, uint32_t from)
{
    struct group g = o->group[from];
    memmove(&o->group[from], &o->group[from + 1], (o->groups - from - 1) * sizeof g);
    o->group[o->groups - 1] = g;
}

/* Launch order again, then the SM's own group first. */
static void rotate(struct owl *o, uint32_t sm)
{
    struct group order[MAX_GROUPS];
    uint32_t n = o->groups, first = sm % n;
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
    o->group[at] = (struct group){0, 0};
    return &o->group[at];
}

/* The group that was formed last. */
static struct group *last_group(struct owl *o)
{
    if (!o->groups) return NULL;
    return &o->group[(o->started || !o->launched_first ? o->groups : o->launched_first) - 1];
}

static void launch(struct wl_sched *s, const struct wl_sched_view *v, unsigned warp)
{
    struct owl *o = s->self;
    uint64_t cta = UINT64_C(1) << v->cta[warp], bit = UINT64_C(1) << warp;
    for (uint32_t i = 0; i < o->groups; i++)
        if (o->group[i].ctas & cta) {
            o->group[i].warps |= bit;
            return;
        }
    struct group *g = last_group(o);
    if (!g || __builtin_popcountll(g->warps) >= s->param[MIN_WARPS]) {
        g = new_group(o);
        s->count[N_GROUPS]++;
    }
    g->ctas |= cta;
    g->warps |= bit;
    if (s->param[BLP] && !o->started) rotate(o, s->g.sm);
}

/* Which CTA slots still have a warp of the group. */
static uint64_t ctas_of(const struct wl_sched_view *v, uint64_t warps)
{
    uint64_t ctas = 0;
    for (; warps; warps &= warps - 1) ctas |= UINT64_C(1) << v->cta[__builtin_ctzll(warps)];
    return ctas;
}

static void leave(struct wl_sched *s, const struct wl_sched_view *v, unsigned warp)
{
    struct owl *o = s->self;
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
    s->count[N_SWITCHES] += i == 0;
}

static void owl_on_warp(struct wl_sched *s, const struct wl_sched_view *v, enum wl_warp_event event, unsigned warp)
{
    if (event == WL_WARP_LAUNCH) launch(s, v, warp);
    else leave(s, v, warp);
}

static void owl_on_kernel(struct wl_sched *s, enum wl_phase phase, const struct wl_kernel *k)
{
    (void)k;
    struct owl *o = s->self;
    if (phase != WL_BEGIN) return;
    o->groups = o->launched_first = 0;
    o->started = false;
}

/* ---- issue ---- */

static uint64_t owl_on_cycle(struct wl_sched *s, const struct wl_sched_view *v)
{
    struct owl *o = s->self;
    uint64_t moving = v->live & ~(v->long_stall | v->barrier | v->ended);
    if (s->param[LOC] || !o->started) return UINT64_MAX;
    for (uint32_t n = o->groups; n && !(o->group[0].warps & moving); n--) {
        bool other = false;
        for (uint32_t i = 1; i < o->groups; i++) other |= (o->group[i].warps & moving) != 0;
        if (!other) break;
        to_end(o, 0);
        s->count[N_SWITCHES]++;
    }
    return UINT64_MAX;
}

static int owl_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    (void)v;
    const struct owl *o = s->self;
    for (uint32_t i = 0; i < o->groups; i++)
        if (o->group[i].warps & candidates)
            return (int)wl_next_slot(o->next[scheduler], o->group[i].warps & candidates);
    return -1;
}

static void owl_on_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    (void)v;
    ((struct owl *)s->self)->next[scheduler] = (uint8_t)(warp + 1);
}

extern const struct wl_sched_policy owl_policy;
const struct wl_sched_policy owl_policy = {
    .abi = WL_ABI,
    .name = "owl",
    .help = "OWL (reconstructed): groups of thread blocks have priority one after another",
    .params = owl_params,
    .counters = owl_counters,
    .bytes = owl_bytes,
    .storage_bits = owl_storage_bits,
    .pick = owl_pick,
    .on_issue = owl_on_issue,
    .on_cycle = owl_on_cycle,
    .on_warp = owl_on_warp,
    .on_kernel = owl_on_kernel,
};
