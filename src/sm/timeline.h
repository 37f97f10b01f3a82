/* timeline.h - an SM shows what it does (stats/timeline.h).
 *
 * It shows its state at the end of every cycle in which it works; only changes are written, so a
 * sleeping SM costs nothing and both engines write the same. A machine without a timeline pays one
 * comparison a cycle of an SM and one an instruction. */
#ifndef WL_SM_TIMELINE_H
#define WL_SM_TIMELINE_H

#include "stats/timeline.h"

struct sm;
struct timeline_sm;
struct timeline_sm *timeline_of(struct timeline *t, uint32_t sm);              /* NULL: that SM is not shown */
void timeline_issue(struct timeline_sm *t, const struct sm *s, unsigned warp); /* the head is being issued */
void timeline_cycle(struct timeline_sm *t, const struct sm *s);
void timeline_kernel(struct timeline *t, const char *name, uint64_t from, uint64_t to);

#endif
