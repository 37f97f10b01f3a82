/* sample.h - all counters at one moment of a run. */
#ifndef WL_STATS_SAMPLE_H
#define WL_STATS_SAMPLE_H

#include "stats/stats.h"
#include "warpline/param.h"

struct sample {
    struct run_stats stats; /* stats.cycles: core cycles since the machine was built */
    uint64_t l1[WL_MAX_POLICY_COUNTERS], l2[WL_MAX_POLICY_COUNTERS], sched[WL_MAX_POLICY_COUNTERS];
};

/* What was counted between two moments: now -= before, field by field, for structs of uint64_t only. */
static inline void stats_subtract(void *now, const void *before, unsigned bytes)
{
    uint64_t *n = now;
    const uint64_t *b = before;
    for (unsigned i = 0; i < bytes / sizeof(uint64_t); i++) n[i] -= b[i];
}

#endif
