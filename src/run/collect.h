/* collect.h - from a machine and its counters to the fields of a record. */
#ifndef WL_RUN_COLLECT_H
#define WL_RUN_COLLECT_H

#include "run/result.h"
#include "sim/gpu.h"

/* The machine, its policies, the version and the build. The record points to `c`. */
void result_describe(struct run_result *r, const struct gpu_config *c, const char *engine, uint64_t seed);
/* What the machine counted, and the energy it took. The result must be described. */
void result_count(struct run_result *r, const struct gpu_config *c, const struct run_stats *stats,
                  const struct policy_stats *p);

#endif
