/* dispatch.h - CTAs to SMs, in increasing id, to each SM with room in turn.
 *
 * The dispatcher is a part like the others: it sees that an SM has room one cycle after the SM said so
 * and the SM sees the CTA one cycle after it was given. Taking the next CTA from the source is
 * what makes the functional half execute it. */
#ifndef WL_SIM_DISPATCH_H
#define WL_SIM_DISPATCH_H

#include "sm/sm.h"

struct dispatch {
    struct part part;
    struct sm *sm;
    uint32_t sms, last;
    struct stream_source *source;
    uint32_t given;
    tick_t start;     /* no CTA before this tick */
    tick_t cut_at;    /* no CTA from this tick on; dispatch_begin sets NEVER */
    uint32_t mark;    /* when so many CTAs were given, the tick is noted; dispatch_begin sets UINT32_MAX: never */
    tick_t marked_at; /* that tick; NEVER */
    bool exhausted, cut;
    int failed; /* the source's error */
    struct wl_err *e;
};

void dispatch_begin(struct dispatch *d, struct stream_source *s, tick_t start, struct wl_err *e);
/* Between two steps: takes the next CTAs from the source and gives them to nobody. */
void dispatch_skip(struct dispatch *d, uint32_t ctas);
tick_t dispatch_tick(struct dispatch *d, tick_t now);
bool dispatch_idle(const struct dispatch *d);
void dispatch_describe(const struct dispatch *d, char *out, size_t size);

#endif
