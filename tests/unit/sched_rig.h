/* sched_rig.h - a scheduling policy and a view made by hand. */
#ifndef WL_TESTS_SCHED_RIG_H
#define WL_TESTS_SCHED_RIG_H

#include "test.h"

#include "param/config.h"
#include "param/param_table.h"
#include "warpline/sched.h"

enum { RIG_WARPS = 48, RIG_SCHEDULERS = 2 };
#define BIT(w) (UINT64_C(1) << (w))

struct sched_rig {
    const struct wl_sched_policy *p;
    void *self, *shared;
    struct wl_sched_view v;
    uint64_t age[64], owned[8];
    uint8_t cta[64];
};

/* The policy as `spec` asks for it, on SM `sm`; `shared` is what a cache policy of the scheme left. */
static inline void rig_sched(struct sched_rig *r, const char *spec, unsigned sm, void *shared)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    const char *why = "";
    memset(r, 0, sizeof *r);
    config_defaults(&c);
    if (config_set_sched(&c, spec, &e)) fail_msg("%s", e.text);
    r->p = c.sched.policy;
    r->shared = shared;
    struct wl_sched_geometry g = {sm, 15, RIG_WARPS, RIG_SCHEDULERS, &r->shared};
    r->self = r->p->create(&g, c.sched.values, &why);
    if (!r->self) fail_msg("%s", why);
    if (r->p->kernel_begin) r->p->kernel_begin(r->self);
    for (unsigned w = 0; w < 64; w++) r->age[w] = w;
    for (unsigned w = 0; w < RIG_WARPS; w++) r->owned[w % RIG_SCHEDULERS] |= BIT(w);
    r->v = (struct wl_sched_view){.cycle = 100,
                                  .age = r->age,
                                  .owned = r->owned,
                                  .cta = r->cta,
                                  .sm = sm,
                                  .mshr_total = 64,
                                  .missq_total = 8,
                                  .lsu_free = true,
                                  .lsu_warp = -1,
                                  .queue_head = -1,
                                  .l1t = {0, 128, 0, 4},
                                  .l1c = {0, 2, 0, 4}};
}

static inline void rig_sched_free(struct sched_rig *r)
{
    if (r->p->destroy) r->p->destroy(r->self);
}

/* A cycle passes; returns the policy's wish. */
static inline uint64_t rig_cycle(struct sched_rig *r)
{
    r->v.cycle++;
    return r->p->cycle(r->self, &r->v);
}

static inline void rig_launch(struct sched_rig *r, unsigned warp, unsigned cta)
{
    r->cta[warp] = (uint8_t)cta;
    r->v.live |= BIT(warp);
    r->p->warp_launch(r->self, &r->v, warp);
}

static inline void rig_exit(struct sched_rig *r, unsigned warp)
{
    r->p->warp_exit(r->self, &r->v, warp);
    r->v.live &= ~BIT(warp);
}

static inline int rig_pick(struct sched_rig *r, unsigned scheduler, uint64_t candidates)
{
    return r->p->pick(r->self, &r->v, scheduler, candidates);
}

/* Picks and issues. */
static inline int rig_issue(struct sched_rig *r, unsigned scheduler, uint64_t candidates)
{
    int w = rig_pick(r, scheduler, candidates);
    if (w >= 0) r->p->issued(r->self, &r->v, scheduler, (unsigned)w);
    return w;
}

static inline uint64_t rig_counter(const struct sched_rig *r, const char *name)
{
    uint64_t value[WL_MAX_POLICY_COUNTERS] = {0};
    r->p->read_counters(r->self, value);
    for (unsigned i = 0; r->p->counters[i].name; i++)
        if (strcmp(r->p->counters[i].name, name) == 0) return value[i];
    fail_msg("no counter %s", name);
    return 0;
}

#endif
