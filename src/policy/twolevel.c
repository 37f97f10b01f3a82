/* twolevel.c - two-level scheduling with fetch groups.
 *
 * Idea (Narasiman et al., MICRO 2011): warps that all move together reach their long-latency loads
 * together, and then nobody can compute. Split them into groups; one group has priority until all of
 * its warps wait for memory, so that the groups reach their loads at different times. The others
 * fill slots the first leaves idle.
 * A group is `group` consecutive warp slots of one scheduler (the original has one scheduler). Round
 * robin inside a group. Priority moves on when every live warp of the group waits for a load, a
 * barrier or its own end, to the next group of which one does not; with none it stays. Warps at a
 * barrier count as waiting: a CTA spread over groups could not reach it otherwise.
 * State: the group (2 bits for 3 groups) and a pointer a group (3 bits for 8 warps), per scheduler. */
#include <stdlib.h>

#include "warpline/sched.h"

enum { GROUP_SIZE, PARAMS };
static const struct wl_param twolevel_params[] = {
    [GROUP_SIZE] = {"group", "warps", 1, 8, 64, NULL, "warps of a fetch group", "MICRO 2011: 8"},
    WL_PARAM_END,
};

enum { MAX_SCHEDULERS = 8, MAX_GROUPS = 64 };

struct level {
    uint32_t groups, current;
    uint64_t warps[MAX_GROUPS];
    uint8_t next[MAX_GROUPS]; /* where the round robin goes on */
};
struct twolevel {
    uint32_t schedulers, size;
    uint64_t switches;
    struct level level[MAX_SCHEDULERS];
};

static const struct wl_counter twolevel_counters[] = {
    {"group_switches", "switches", "another group got priority"},
    WL_COUNTER_END,
};

static void *twolevel_create(const struct wl_sched_geometry *g, const int64_t *values, const char **why)
{
    struct twolevel *t = calloc(1, sizeof *t);
    if (!t || g->schedulers > MAX_SCHEDULERS) {
        *why = t ? "more than 8 schedulers" : "out of memory";
        free(t);
        return NULL;
    }
    t->schedulers = g->schedulers;
    t->size = (uint32_t)values[GROUP_SIZE];
    for (uint32_t w = 0; w < g->warps; w++) {
        struct level *l = &t->level[w % g->schedulers];
        uint32_t group = w / g->schedulers / t->size;
        l->warps[group] |= UINT64_C(1) << w;
        l->groups = group + 1;
    }
    return t;
}

static uint32_t bits_for(uint32_t n)
{
    uint32_t bits = 0;
    while (1u << bits < n) bits++;
    return bits;
}

static uint64_t twolevel_storage_bits(const void *self)
{
    const struct twolevel *t = self;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < t->schedulers; i++)
        bits += bits_for(t->level[i].groups) + t->level[i].groups * bits_for(t->size);
    return bits;
}

static void twolevel_read_counters(const void *self, uint64_t *out)
{
    out[0] = ((const struct twolevel *)self)->switches;
}

static uint64_t twolevel_cycle(void *self, const struct wl_sched_view *v)
{
    struct twolevel *t = self;
    uint64_t moving = v->live & ~(v->long_stall | v->barrier | v->ended);
    for (uint32_t i = 0; i < t->schedulers; i++) {
        struct level *l = &t->level[i];
        for (uint32_t n = 0; n < l->groups; n++) {
            uint32_t group = (l->current + n) % l->groups;
            if (!(l->warps[group] & moving)) continue;
            t->switches += group != l->current;
            l->current = group;
            break;
        }
    }
    return UINT64_MAX;
}

static int twolevel_pick(void *self, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    (void)v;
    const struct level *l = &((const struct twolevel *)self)->level[scheduler];
    uint32_t group = l->current;
    while (!(l->warps[group] & candidates)) group = group + 1 < l->groups ? group + 1 : 0;
    return (int)wl_next_slot(l->next[group], l->warps[group] & candidates);
}

static void twolevel_issued(void *self, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    (void)v;
    struct twolevel *t = self;
    t->level[scheduler].next[warp / t->schedulers / t->size] = (uint8_t)(warp + 1);
}

extern const struct wl_sched_policy twolevel_policy;
const struct wl_sched_policy twolevel_policy = {
    .abi = WL_ABI,
    .name = "twolevel",
    .help = "two-level: one fetch group has priority until all its warps wait for memory",
    .params = twolevel_params,
    .counters = twolevel_counters,
    .create = twolevel_create,
    .destroy = free,
    .storage_bits = twolevel_storage_bits,
    .read_counters = twolevel_read_counters,
    .cycle = twolevel_cycle,
    .pick = twolevel_pick,
    .issued = twolevel_issued,
};
