/* sm_timeline.h - the machine's side of a timeline (stats/timeline.h).
 *
 * An SM shows its state at the end of every cycle in which it works; only changes are written, so a
 * sleeping SM costs nothing and both engines write the same. */
#ifndef WL_OBSERVE_SM_TIMELINE_H
#define WL_OBSERVE_SM_TIMELINE_H

#include "sm/sm.h"
#include "stats/timeline.h"

/* Numbers of the parts, in the machine's order: SMs, two networks, slices, channels. */
struct machine_shape {
    uint32_t sms, slices, channels;
    uint64_t period; /* of the core clock, in ticks */
};

/* What follows requests, for the clock; NULL: nothing does. */
struct req_tracer *timeline_tracer(struct timeline *t, struct machine_shape shape);
/* Attaches the timeline to SM number `index`, if that SM is to be shown. */
void timeline_attach(struct timeline *t, struct sm *s, uint32_t index);
void timeline_begin(struct timeline *t, const char *name, const struct code *code, uint64_t from);
void timeline_kernel(struct timeline *t, const char *name, uint64_t from, uint64_t to);

#endif
