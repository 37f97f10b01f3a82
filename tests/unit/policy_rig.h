/* policy_rig.h - a cache policy without a cache: the host of src/mem, and services that a test can see. */
#ifndef WL_TESTS_POLICY_RIG_H
#define WL_TESTS_POLICY_RIG_H

#include "test.h"

#include "mem/policy_host.h"
#include "warpline/grain.h"
#include "warpline/policy_loads.h"
#include "warpline/policy_notes.h"

struct policy_rig {
    struct policy_host host;
    struct breach breach;
    void *shared;
    struct wl_err e;
};

static uint64_t rig_prefetched[64];
static unsigned rig_prefetches;

static inline struct wl_fill rig_occupancy(const struct wl_cache *c)
{
    (void)c;
    return (struct wl_fill){0};
}
static inline bool rig_prefetch(struct wl_cache *c, uint64_t line)
{
    (void)c;
    assert_true(rig_prefetches < 64);
    rig_prefetched[rig_prefetches++] = line;
    return true;
}
static const struct wl_host rig_services = {rig_occupancy, rig_prefetch};

/* 0, or an error with its sentence in r->e. policy_rig_close in either case. max_ways is ways unless given. */
static inline int policy_rig_open(struct policy_rig *r, const struct cache_choice *choice, struct wl_geometry g)
{
    if (!g.max_ways) g.max_ways = g.ways;
    *r = (struct policy_rig){.e = {.code = WL_OK}};
    rig_prefetches = 0;
    return policy_open(&r->host, choice, &g, &r->shared, &rig_services, &r->breach, &r->e);
}

static inline struct wl_cache *policy_rig_make(struct policy_rig *r, const struct cache_choice *choice,
                                               struct wl_geometry g)
{
    if (policy_rig_open(r, choice, g)) fail_msg("%s", r->e.text);
    return &r->host.cache;
}

static inline void policy_rig_close(struct policy_rig *r) { policy_close(&r->host); }

/* A counter of a policy by name. */
static inline uint64_t policy_counter(const struct wl_cache_policy *p, const struct wl_cache *c, const char *name)
{
    for (unsigned i = 0; p->counters[i].name; i++)
        if (strcmp(p->counters[i].name, name) == 0) return c->count[i];
    fail_msg("no counter %s", name);
    return 0;
}

/* The access takes `way`; the valid line there, if any, leaves first. */
static inline void policy_take(const struct wl_cache_policy *p, struct wl_cache *c, const struct wl_access *a, int way,
                               uint64_t old, uint8_t state)
{
    const struct wl_line gone = {a->set, (uint32_t)way, old, state};
    if (WL_STATE(state) == WL_VALID && p->on_leave) p->on_leave(c, &gone, WL_EVICTED, a);
    p->on_access(c, a, WL_MISSED, way);
}

#endif
