/* gpu_priv.h - the machine's insides, for the files of this folder. */
#ifndef WL_SIM_GPU_PRIV_H
#define WL_SIM_GPU_PRIV_H

#include "mem/dram.h"
#include "mem/l2.h"
#include "mem/net.h"
#include "engine/clock.h"
#include "observe/profile.h"
#include "sim/dispatch.h"
#include "sim/gpu.h"
#include "sim/mail.h"
#include "sim/sampling_waves.h"
#include "sm/sm.h"

/* Snapshots of all counters at the end of every interval (stats.interval). When the room is used
 * up every second one is dropped and the interval doubled: sums of deltas stay exact. */
struct sampler {
    struct sample *sample; /* [MAX_SAMPLES]; NULL: off */
    unsigned count;
    tick_t interval; /* its length in ticks */
    tick_t at;       /* the tick at which the running interval ends */
};
enum { MAX_SAMPLES = 1024 };

/* Steps between two looks at what need not be looked at after each. */
enum { ROUND_STEPS = 8 };

struct gpu {
    struct gpu_config config;
    struct gpu_options options;
    struct clock clock;
    struct breach breach; /* the first wrong answer of a policy */
    tick_t core_period;
    struct req_pool pool;
    struct memop_pool ops;
    struct addrmap map;
    struct nvm_map nvm;
    uint32_t sms, slices, channels;
    struct sm *sm;
    struct net net[2]; /* requests, replies */
    struct l2 *l2;
    struct dram *dram;
    struct dispatch dispatch;
    struct sm_kernel *kernels;                 /* [SM_MAX_KERNELS] those that run */
    struct gpu_launch *launch[SM_MAX_KERNELS]; /* and what they are; NULL: the number is free */
    struct driven *driven; /* every part, in this order: SMs, networks, slices, channels, dispatcher */
    uint32_t nparts;
    uint32_t *order;         /* [nparts] the order of work within a tick; NULL: that of their numbers */
    uint64_t round_requests; /* requests that ROUND_STEPS steps need at most */
    uint64_t round_ops;      /* memory instructions that they need at most */
    struct profile *profile; /* stats.profile; NULL: off */
    struct probe **probe;    /* [sms] the profile's observers in the SMs; NULL: off */
    struct sampler sampler;
    struct waves waves;  /* of a launch of which only some CTAs are timed */
    uint32_t starving;   /* warps that wait for the functional half, and letters */
    struct post post;    /* events on their way to other CTAs of clusters */
    struct split *split; /* the pieces several threads work on; NULL: it is one */
    uint64_t cycles, kernels_run;
    bool dozes;  /* L2 slices may sleep while requests pass through their pipelines (l2_doze) */
    bool skips;  /* but a kernel that runs reads textures, which pass them by */
    bool cut;    /* the last kernel of gpu_run was */
    bool broken; /* a kernel failed half way: the state means nothing any more */
};

/* gpu.c, for the loop of a split machine. What can go wrong in a window; the report of a deadlock. */
int gpu_check_window(struct gpu *g, struct wl_err *e);
int gpu_fail_deadlock(struct gpu *g, struct wl_err *e);

/* laws.c, while WL_CHECKING. gpu_walk: between two steps, everything the parts hold agrees with itself. gpu_walk_ended:
 * and after a kernel nothing is left behind. */
void gpu_walk(const struct gpu *g);
void gpu_walk_ended(const struct gpu *g);

/* sample.c. sampler_prepare: before a step; makes sure that no step passes the end of the interval and
 * that every SM works there, so that none owes cycles it slept through. sampler_take: after it. */
int sampler_init(struct gpu *g, struct wl_err *e);
void sampler_prepare(struct gpu *g);
void sampler_take(struct gpu *g);
/* All counters now; stats.cycles are those of kernels that have ended. */
void gpu_snapshot(const struct gpu *g, struct sample *out);

/* What a slice makes per cycle at most: a fetch, a store and a write-back; one of two halves serves two in a cycle. */
static inline uint64_t slice_requests(const struct gpu_config *c) { return c->v[P_L2_HALVES] ? 6 : 3; }

#endif
