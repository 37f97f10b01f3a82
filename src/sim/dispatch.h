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
 * has let go (struct cta_exits), is what the SM holds.
 *
 * A kernel with clusters is dispatched as several kernels are, even if it runs alone; dispatch_cluster.c. */
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
    uint32_t cluster;            /* CTAs of a cluster; 0: there are none */
    uint32_t placed;             /* of the next cluster: CTAs that were given; 0: it has no place yet */
    uint16_t place[CLUSTER_MAX]; /* the SMs of the others */
    uint16_t *sm_of;             /* [ctas] of a kernel with clusters, by their order: the SM, or NOWHERE */
};
enum { NOWHERE = UINT16_MAX, GPC_MAX = 20 };

struct dispatch {
    struct part part;
    struct sm *sm;
    uint32_t sms, last;
    uint32_t cluster;                        /* gpu.cta_order = clusters: SMs of one; else 1 */
    struct sm_kernel *kernels;               /* [SM_MAX_KERNELS] the machine's */
    uint32_t interval;                       /* thousandths of a cycle from one CTA to the next; 0: no limit */
    uint32_t spent;                          /* thousandths that the next CTA is later than ready_at */
    tick_t ready_at;                         /* no CTA before this tick */
    bool mixed;                              /* an SM may hold CTAs of several kernels */
    bool several;                            /* kernels overlap, or did since the machine was last empty */
    struct dispatched queue[SM_MAX_KERNELS]; /* in the order of their turns */
    unsigned count;
    unsigned clusters; /* of these, those with clusters */
    uint32_t gpcs;     /* groups of SMs (dispatch_cluster.c) */
    uint32_t gpc_end[GPC_MAX];
    uint32_t last_gpc;  /* the one that got a cluster last */
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
/* How many more CTAs of the kernel fit into the SM, by what it held before this tick. */
uint32_t dispatch_room(const struct dispatch *d, uint32_t sm, unsigned number, tick_t now);
/* Gives the SM a CTA of the kernel; false when there is none. */
bool dispatch_give(struct dispatch *d, struct dispatched *k, uint32_t n, tick_t now);
void dispatch_describe(const struct dispatch *d, char *out, size_t size);

/* ---- clusters (dispatch_cluster.c) ---- */

/* Where each GPC ends, of a machine of so many SMs with this gpu.gpcs; returns how many there are. SMs that the digits
 * leave over are a further one. */
uint32_t dispatch_gpcs(uint64_t digits, uint32_t sms, uint32_t end[GPC_MAX]);
/* How many clusters of so many CTAs, of which an SM holds `limit`, fit into the empty machine. */
uint64_t dispatch_cluster_room(const uint32_t *end, uint32_t gpcs, uint32_t limit, uint32_t cluster);
/* Gives out CTAs of clusters. Returns when to come again; NEVER: when an SM says so. *held: nobody else gets a CTA
 * before. */
tick_t dispatch_clusters(struct dispatch *d, tick_t now, bool *held);

#endif
