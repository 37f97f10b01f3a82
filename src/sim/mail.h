/* mail.h - events at mbarriers of CTAs in other SMs: on their way, and brought there (mail.c). */
#ifndef WL_SIM_MAIL_H
#define WL_SIM_MAIL_H

#include "sm/sm.h"

struct dispatch;

struct letter {
    struct mail mail;
    tick_t due;
};

struct post {
    struct letter *letter; /* [count] */
    uint32_t count, cap;
    tick_t event, barrier; /* how long they are on their way */
    uint32_t *starving;    /* counts them, as it counts warps that wait for the functional half */
};

/* Between two ticks: takes what SMs have posted, and brings what has come. `next`: NULL, or when each SM works next, if
 * it is not its clock that knows (split.h). -1: no memory. */
int mail_move(struct post *p, struct dispatch *d, tick_t now, tick_t *next);
void mail_drop(struct post *p, unsigned kernel); /* the kernel has ended */

#endif
