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
#include "sm/sm.h"

/* Snapshots of all counters at the end of every interval (stats.interval). When the room is used
 * up every second one is dropped and the interval doubled: sums of deltas stay exact. */
struct sampler {
    struct sample *sample; /* [MAX_SAMPLES]; NULL: off */
    unsigned count;
    tick_t interval, at; /* in ticks; the end of the running interval */
};
enum { MAX_SAMPLES = 1024, MAX_CHANNEL_SLICES = 16 };

enum part_kind { SMS, NETS, SLICES, CHANNELS, DISPATCHER, KINDS };

/* A memory channel and its slices of the L2 (partition.c). */
struct partition {
    struct dram *dram;
    struct l2 *l2;
    uint32_t slices;
    tick_t wake[MAX_CHANNEL_SLICES + 1]; /* when its slices and, last, its channel want to work */
};

struct gpu {
    struct gpu_config config;
    struct gpu_options options;
    struct clock clock;
    struct breach breach; /* the first wrong answer of a policy */
    tick_t core_period;
    struct req_pool pool;
    struct memop_pool ops;
    struct route_table routes;
    struct addrmap map;
    struct nvm_map nvm;
    uint32_t sms, slices, channels;
    struct sm *sm;
    struct net net[2]; /* requests, replies */
    struct l2 *l2;
    struct dram *dram;
    struct dispatch dispatch;
    struct driven *driven; /* every part, in this order: SMs, networks, slices, channels, dispatcher */
    uint32_t nparts, *order;
    struct partition *partition;        /* [channels]; NULL: they never run ahead */
    bool ahead;                         /* they do; else the clock drives their parts too */
    unsigned rounds;                    /* of their work since trial_at, if they do; */
    tick_t trial_at;                    /* else when it is tried again */
    tick_t lookahead, freed_at;         /* how far they do; the last tick at which one freed a request */
    bool by_kind;                       /* parts work kind by kind (step), else each through `driven` */
    uint64_t kind[KINDS];               /* masks of parts, then */
    uint64_t round_requests, round_ops; /* a round of steps needs at most */
    struct profile *profile;            /* stats.profile; NULL: off */
    struct probe **probe;               /* [sms] the profile's observers in the SMs; NULL: off */
    struct sampler sampler;
    uint64_t cycles, kernels;
    bool broken; /* a kernel failed half way: the state means nothing any more */
};

/* partition.c. partitions_init: after the parts are connected; -1: out of memory. partitions_enter: from now
 * on they run ahead. partitions_work: they do; false when nobody will ever work again. */
int partitions_init(struct gpu *g);
void partitions_enter(struct gpu *g);
uint64_t partitions_requests(const struct gpu *g); /* that partitions_work may need at most */
bool partitions_work(struct gpu *g);

/* sample.c. sampler_aim: before a step; sees to it that no step passes the end of the interval and
 * that every SM works there, so that none owes cycles it slept through. sampler_take: after it. */
int sampler_init(struct gpu *g, struct wl_err *e);
void sampler_aim(struct gpu *g);
void sampler_take(struct gpu *g);

#endif
