/* sched_rig.h - a scheduling policy and a view made by hand. */
#ifndef WL_TESTS_SCHED_RIG_H
#define WL_TESTS_SCHED_RIG_H

#include "test.h"

#include "param/config.h"
#include "param/param_table.h"
#include "warpline/lsu.h"

enum { RIG_WARPS = 48, RIG_SCHEDULERS = 2 };
#define BIT(w) (UINT64_C(1) << (w))

struct sched_rig {
    const struct wl_sched_policy *p;
    struct wl_sched s;
    void *shared;
    int64_t param[WL_MAX_POLICY_PARAMS];
    uint64_t count[WL_MAX_POLICY_COUNTERS];
    struct wl_sched_view v;
    struct wl_lsu_view u;
    uint64_t age[64], owned[8];
    uint8_t cta[64];
    uint32_t cta_id[64];
};

/* The scheme in the SM `g`, with its parameters in r->param. */
static inline void rig_sched_begin(struct sched_rig *r, const struct wl_sched_policy *p,
                                   const struct wl_sched_geometry *g)
{
    const char *why = "";
    const struct wl_kernel k = {"kernel", 1};
    r->p = p;
    r->s = (struct wl_sched){.g = *g, .param = r->param, .count = r->count, .shared = &r->shared};
    if (p->bytes) r->s.self = calloc(1, p->bytes(g, r->param));
    if (p->init && !p->init(&r->s, &why)) fail_msg("%s", why);
    if (p->on_kernel) p->on_kernel(&r->s, WL_BEGIN, &k);
    for (unsigned w = 0; w < 64; w++) r->age[w] = w;
    for (unsigned w = 0; w < g->warps; w++) r->owned[w % g->schedulers] |= BIT(w);
    r->u = (struct wl_lsu_view){.warp = -1, .queue_head = -1, .l1t = {0, 128, 0, 4}, .l1c = {0, 2, 0, 4}};
    r->v = (struct wl_sched_view){.cycle = 100,
                                  .age = r->age,
                                  .owned = r->owned,
                                  .cta = r->cta,
                                  .cta_id = r->cta_id,
                                  .l1d = {0, 64, 0, 8},
                                  .lsu = p->lsu ? &r->u : NULL};
}

/* The scheme as `spec` asks for it, on SM `sm`; `shared` is what a cache policy of the scheme left. */
static inline void rig_sched(struct sched_rig *r, const char *spec, unsigned sm, void *shared)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    memset(r, 0, sizeof *r);
    config_defaults(&c);
    if (config_set_sched(&c, spec, &e)) fail_msg("%s", e.text);
    r->shared = shared;
    memcpy(r->param, c.sched.values, sizeof r->param);
    rig_sched_begin(r, c.sched.policy, &(struct wl_sched_geometry){sm, 15, RIG_WARPS, RIG_SCHEDULERS});
}

static inline void rig_sched_free(struct sched_rig *r) { free(r->s.self); }

/* A cycle passes; returns when the scheme wants to be told again. */
static inline uint64_t rig_cycle(struct sched_rig *r)
{
    r->v.cycle++;
    return r->p->on_cycle(&r->s, &r->v);
}

static inline void rig_launch(struct sched_rig *r, unsigned warp, unsigned cta)
{
    r->cta[warp] = (uint8_t)cta;
    r->v.live |= BIT(warp);
    r->p->on_warp(&r->s, &r->v, WL_WARP_LAUNCH, warp);
}

static inline void rig_exit(struct sched_rig *r, unsigned warp)
{
    r->p->on_warp(&r->s, &r->v, WL_WARP_EXIT, warp);
    r->v.live &= ~BIT(warp);
}

/* Questions get the same answer when they are asked again. */
static inline int rig_pick(struct sched_rig *r, unsigned scheduler, uint64_t candidates)
{
    int w = r->p->pick(&r->s, &r->v, scheduler, candidates);
    assert_int_equal(r->p->pick(&r->s, &r->v, scheduler, candidates), w);
    return w;
}

static inline uint64_t rig_allowed(struct sched_rig *r)
{
    uint64_t warps = r->p->allowed(&r->s, &r->v);
    assert_int_equal(r->p->allowed(&r->s, &r->v), warps);
    return warps;
}

static inline bool rig_may_miss(const struct sched_rig *r, unsigned warp) { return r->p->lsu->may_miss(&r->s, warp); }

/* Picks and issues. */
static inline int rig_issue(struct sched_rig *r, unsigned scheduler, uint64_t candidates)
{
    int w = rig_pick(r, scheduler, candidates);
    if (w >= 0) r->p->on_issue(&r->s, &r->v, scheduler, (unsigned)w);
    return w;
}

static inline uint64_t rig_counter(const struct sched_rig *r, const char *name)
{
    for (unsigned i = 0; r->p->counters[i].name; i++)
        if (strcmp(r->p->counters[i].name, name) == 0) return r->count[i];
    fail_msg("no counter %s", name);
    return 0;
}

#endif
