/* registry.h - the list of policies: the built-in ones, those of plugins, those of the host program. */
#ifndef WL_POLICY_REGISTRY_H
#define WL_POLICY_REGISTRY_H

#include "base/err.h"
#include "warpline/policy.h"
#include "warpline/sched.h"

/* Hands the list to src/param. Call it before the first machine is made; calling it again does no harm. */
void registry_open(void);
/* Adds the policies of a shared object; a wrong table is WL_EINPUT with a sentence. */
int plugin_load(const char *path, struct wl_err *e);
/* Adds a policy of the host program, checked as a plugin's is; NULL stands for none. The table must stay
 * where it is until the process ends. */
int registry_add(const struct wl_cache_policy *cache, const struct wl_sched_policy *sched, struct wl_err *e);

#endif
