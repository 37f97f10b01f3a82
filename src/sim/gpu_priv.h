/* gpu_priv.h - the machine's insides, for the files of this folder. */
#ifndef WL_SIM_GPU_PRIV_H
#define WL_SIM_GPU_PRIV_H

#include "mem/dram.h"
#include "mem/l2.h"
#include "mem/net.h"
#include "sim/clock.h"
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
enum { MAX_SAMPLES = 1024 };

enum part_kind { SMS, NETS, DISPATCHER, KINDS };

struct gpu {
    struct gpu_config config;
    struct gpu_options options;
    struct clock clock;
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
    struct driven *driven; /* every part, in this order: SMs, networks, dispatcher, slices, channels */
    uint32_t nparts, *order;
    tick_t *wake;      /* partitions run ahead (partition.c): what their parts wish; NULL: the clock drives all parts */
    tick_t lookahead, freed_at; /* then: how far; the last tick at which a partition freed a request */
    bool by_kind;      /* the clock's parts work kind by kind (step), else each through `driven` */
    uint64_t kind[KINDS]; /* masks of parts, then */
    uint64_t round_requests, round_ops; /* a round of steps needs at most */
    struct profile *profile; /* stats.profile; NULL: off */
    struct sampler sampler;
    uint64_t cycles, kernels;
    bool broken; /* a kernel failed half way: the state means nothing any more */
};

/* partition.c. partitions_init: after the parts are connected; -1: out of memory. partitions_work: false
 * when nobody will ever work again. */
int partitions_init(struct gpu *g);
uint64_t partitions_requests(const struct gpu *g); /* that partitions_work may need at most */
bool partitions_work(struct gpu *g);

/* sample.c. sampler_aim: before a step; sees to it that no step passes the end of the interval and
 * that every SM works there, so that none owes cycles it slept through. sampler_take: after it. */
int sampler_init(struct gpu *g, struct wl_err *e);
void sampler_aim(struct gpu *g);
void sampler_take(struct gpu *g);

#endif
