/* sm_timeline.h - the machine's side of a timeline (stats/timeline.h).
 *
 * An SM shows its state at the end of every cycle in which it works; only changes are written, so a
 * sleeping SM costs nothing and both engines write the same. */
#ifndef WL_OBSERVE_SM_TIMELINE_H
#define WL_OBSERVE_SM_TIMELINE_H

#include "sm/sm.h"
#include "stats/timeline.h"

/* Attaches the timeline to SM number `index`, if that SM is to be shown. */
void timeline_attach(struct timeline *t, struct sm *s, uint32_t index);
void timeline_kernel(struct timeline *t, const char *name, uint64_t from, uint64_t to);

#endif
