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
    struct driven *driven; /* every part, in this order: SMs, networks, slices, channels, dispatcher */
    uint32_t nparts, *order;
    struct profile *profile; /* stats.profile; NULL: off */
    uint64_t cycles, kernels;
    bool broken; /* a kernel failed half way: the state means nothing any more */
};

#endif
