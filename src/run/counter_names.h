/* counter_names.h - every counter of a run by the name it has in the JSON record.
 *
 * "cycles", "kernels"; "l1d.stalls.mshr" and all others of `warpline list counters`; the policies' own as
 * "l1_policy_counters.NAME", "l2_policy_counters.NAME" and "scheduler_counters.NAME", with "storage_bits". */
#ifndef WL_RUN_COUNTER_NAMES_H
#define WL_RUN_COUNTER_NAMES_H

#include "run/result.h"

enum { COUNTER_NAME = 128 }; /* bytes of the longest name, with its NUL */

/* Counter number `index`, from 0: writes its name and value. False behind the last. Those of the profile are left
 * out unless `profiled`. */
bool counter_at(const struct run_result *r, unsigned index, char name[COUNTER_NAME], uint64_t *value);
/* A counter of the machine alone. */
bool machine_counter(const struct run_stats *s, const char *name, uint64_t *value);
/* A counter of the machine or of a policy. */
bool counter_by_name(const struct run_stats *s, const struct result_policy *l1, const struct result_policy *l2,
                     const struct result_policy *sched, const char *name, uint64_t *value);

#endif
