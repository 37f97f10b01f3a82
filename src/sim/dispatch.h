/* dispatch.h - CTAs to SMs, in increasing id, to each SM with room in turn.
 *
 * The dispatcher is a part like the others: it sees that an SM has room one cycle after the SM said so
 * and the SM sees the CTA one cycle after it was given. Taking the next CTA from the source is
 * what makes the functional half execute it. It may be a bottleneck (gpu.cta_interval): a real GPU gives out about one
 * CTA per cycle to all of its SMs together.
 *
 * When several kernels run, an SM with room gets a CTA of the first of them that has one left which fits: first by
 * priority, then by age. So the CTAs of the next kernel fill what those of the one before leave. While a kernel runs
 * alone the SM knows whether another CTA fits. With several the dispatcher keeps book: what it gave, less what the SM
 * has let go (struct cta_exits), is what the SM holds. */
#ifndef WL_SIM_DISPATCH_H
#define WL_SIM_DISPATCH_H

#include "sm/sm.h"

/* A kernel whose CTAs are handed out. */
struct dispatched {
    unsigned number; /* in `kernels` */
    int priority;    /* smaller: first, as in CUDA */
    uint32_t ctas;   /* CTAs its source gives */
    uint32_t given;
    tick_t start;  /* no CTA before this tick */
    tick_t cut_at; /* no CTA from this tick on */
    bool exhausted, cut;
};

struct dispatch {
    struct part part;
    struct sm *sm;
    uint32_t sms, last;
    struct sm_kernel *kernels;               /* [SM_MAX_KERNELS] the machine's */
    uint32_t interval;                       /* thousandths of a cycle from one CTA to the next; 0: no limit */
    uint32_t spent;                          /* thousandths that the next CTA is later than ready_at */
    tick_t ready_at;                         /* no CTA before this tick */
    bool mixed;                              /* an SM may hold CTAs of several kernels */
    bool several;                            /* kernels overlap, or did since the machine was last empty */
    struct dispatched queue[SM_MAX_KERNELS]; /* in the order of their turns */
    unsigned count;
    uint32_t *given_to; /* [sms * SM_MAX_KERNELS] CTAs given to an SM of each kernel */
    uint32_t given;     /* CTAs given since the machine was last empty */
    uint32_t mark;      /* when so many CTAs were given, the tick is noted; UINT32_MAX, as at the beginning: never */
    tick_t marked_at;   /* that tick; NEVER */
    int failed;         /* the source's error */
    struct wl_err *e;
};

/* Another kernel; the first one comes with `e`, which stays that of all until none is left. */
void dispatch_begin(struct dispatch *d, const struct dispatched *k, struct wl_err *e);
/* The kernel with this number has ended: all its CTAs were given and have ended. True: it was cut. */
bool dispatch_end(struct dispatch *d, unsigned number);
/* Whether that is so. Between two steps only. */
bool dispatch_ended(const struct dispatch *d, const struct dispatched *k);
/* Between two steps, of a kernel that runs alone: takes the next CTAs from the source and gives them to nobody. */
void dispatch_skip(struct dispatch *d, uint32_t ctas);
tick_t dispatch_tick(struct dispatch *d, tick_t now);
bool dispatch_idle(const struct dispatch *d); /* no kernel has a CTA left */
void dispatch_describe(const struct dispatch *d, char *out, size_t size);

#endif
