/* probe.h - the observer of stats.profile in an SM. */
#ifndef WL_OBSERVE_PROBE_H
#define WL_OBSERVE_PROBE_H

#include "observe/profile.h"
#include "sm/sm.h"

/* Attaches to the SM and to its L1D a probe that reports to `to`; freed with free(). NULL: out of memory. */
struct probe;
struct probe *probe_new(struct sm *s, struct observer *to);

#endif
