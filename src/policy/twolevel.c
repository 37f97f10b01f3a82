/* twolevel.c - two-level scheduling with fetch groups.
 *
 * Idea (Narasiman et al., MICRO 2011): warps that all move together reach their long-latency loads
 * together, and then no warp can compute. Split them into groups; one group has priority until all of
 * its warps wait for memory, so that the groups reach their loads at different times. The others
 * fill slots the first leaves idle.
 * A group is `group` consecutive warp slots of one scheduler (the original has one scheduler). Round
 * robin inside a group. Priority moves on when every live warp of the group waits for a load, a
 * barrier or its own end, to the next group of which one does not; with none it stays. Warps at a
 * barrier count as waiting: a CTA spread over groups could not reach it otherwise.
 * State: the group (2 bits for 3 groups) and a pointer per group (3 bits for 8 warps), per scheduler. */
#include "warpline/sched.h"

enum { GROUP_SIZE, PARAMS };
static const struct wl_param twolevel_params[] = {
    [GROUP_SIZE] = {"group", "warps", 1, 8, 64, NULL, "warps of a fetch group", "MICRO 2011: 8"},
    WL_PARAM_END,
};

enum { MAX_GROUPS = 64 };

/* The groups of one scheduler. */
struct fetch_groups {
    uint32_t groups, current; /* how many there are; the one with priority */
    uint64_t warps[MAX_GROUPS];
    uint8_t next[MAX_GROUPS]; /* where the round robin of a group goes on */
};

enum { N_SWITCHES };
static const struct wl_counter twolevel_counters[] = {
    [N_SWITCHES] = {"group_switches", "switches", "another group got priority"},
    WL_COUNTER_END,
};

static size_t twolevel_bytes(const struct wl_sched_geometry *g, const int64_t *param)
{
    (void)param;
    return g->schedulers * sizeof(struct fetch_groups);
}

static uint32_t group_of(const struct wl_sched *s, unsigned warp)
{
    return warp / s->g.schedulers / (uint32_t)s->param[GROUP_SIZE];
}

static bool twolevel_init(struct wl_sched *s, const char **why)
{
    (void)why;
    struct fetch_groups *level = s->self;
    for (uint32_t w = 0; w < s->g.warps; w++) {
        struct fetch_groups *l = &level[w % s->g.schedulers];
        l->warps[group_of(s, w)] |= UINT64_C(1) << w;
        l->groups = group_of(s, w) + 1;
    }
    return true;
}

static uint64_t twolevel_storage_bits(const struct wl_sched *s)
{
    const struct fetch_groups *level = s->self;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < s->g.schedulers; i++)
        bits += wl_bits_for(level[i].groups) + level[i].groups * wl_bits_for((uint64_t)s->param[GROUP_SIZE]);
    return bits;
}

static uint64_t twolevel_on_cycle(struct wl_sched *s, const struct wl_sched_view *v)
{
    struct fetch_groups *level = s->self;
    uint64_t moving = v->live & ~(v->long_stall | v->barrier | v->ended);
    for (uint32_t i = 0; i < s->g.schedulers; i++) {
        struct fetch_groups *l = &level[i];
        for (uint32_t n = 0; n < l->groups; n++) {
            uint32_t group = (l->current + n) % l->groups;
            if (!(l->warps[group] & moving)) continue;
            s->count[N_SWITCHES] += group != l->current;
            l->current = group;
            break;
        }
    }
    return UINT64_MAX;
}

static int twolevel_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler,
                         uint64_t candidates)
{
    (void)v;
    const struct fetch_groups *l = (const struct fetch_groups *)s->self + scheduler;
    uint32_t group = l->current;
    while (!(l->warps[group] & candidates)) group = group + 1 < l->groups ? group + 1 : 0;
    return (int)wl_next_slot(l->next[group], l->warps[group] & candidates);
}

static void twolevel_on_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    (void)v;
    ((struct fetch_groups *)s->self)[scheduler].next[group_of(s, warp)] = (uint8_t)(warp + 1);
}

extern const struct wl_sched_policy twolevel_policy;
const struct wl_sched_policy twolevel_policy = {
    .abi = WL_ABI,
    .name = "twolevel",
    .help = "two-level: one fetch group has priority until all its warps wait for memory",
    .params = twolevel_params,
    .counters = twolevel_counters,
    .bytes = twolevel_bytes,
    .init = twolevel_init,
    .storage_bits = twolevel_storage_bits,
    .pick = twolevel_pick,
    .on_issue = twolevel_on_issue,
    .on_cycle = twolevel_on_cycle,
};
