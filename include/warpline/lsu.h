/* lsu.h - a facet of scheduling schemes: what they may change in the ld/st unit.
 *
 * Two things, both off for schemes without the facet: a queue in which requests that the L1D refused wait for another
 * try (src/sm/ext_reexec.c), and a gate that refuses the misses of some warps (src/sm/ext_gate.c). */
#ifndef WARPLINE_LSU_H
#define WARPLINE_LSU_H

#include "warpline/sched.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ld/st unit before the choices of a cycle: wl_sched_view.lsu. */
struct wl_lsu_view {
    uint64_t holds;          /* warps with requests that no cache has accepted yet, those in the queue included */
    int warp;                /* the warp whose request is at the L1D or will be next; -1: there is none */
    struct wl_fill l1t, l1c; /* miss resources of the texture and constant caches */
    uint64_t queued;         /* warps with requests in the re-execution queue */
    uint32_t queue_used;     /* requests in the re-execution queue */
    int queue_head;          /* the warp of the first request in the queue; -1: the queue is empty */
    bool blocked;            /* the ld/st unit waits until a request of the queue has been accepted */
};

/* What a warp's other memory instructions do while the warp has requests in the re-execution queue. */
enum wl_same_warp {
    WL_BLOCK_ALL,    /* they wait */
    WL_BLOCK_STORES, /* they wait if either instruction writes */
    WL_BLOCK_PUSH    /* they go to the L1D, but may not be queued */
};

/* The re-execution queue: requests the L1D refuses leave the unit and are tried again when it is idle or cannot go on.
 */
struct wl_reexec {
    uint32_t entries;  /* 0: there is no queue */
    uint8_t same_warp; /* enum wl_same_warp */
    bool stores;       /* stores and atomics may be queued too */
};

/* How far may_miss() goes. It always refuses a warp's misses and stores at the L1D. */
struct wl_gate {
    bool merges;   /* the warp's loads may not join a fetch that is on its way either, in any of the gated caches */
    bool readonly; /* texture and constant caches are gated too. Their pipes are in order: a request of a warp that may
                      not miss is let through while a warp that may is held up behind it */
};

struct wl_lsu_hooks {
    /* The re-execution queue the scheme wants; asked once. NULL: none. */
    struct wl_reexec (*reexec)(const struct wl_sched *s);
    /* What else may_miss() governs; asked once. NULL: nothing. */
    struct wl_gate (*gate)(const struct wl_sched *s);
    /* Whether this warp's L1D misses may leave the SM now. Asked for each access. Answers change in on_issue() and in
     * on_cycle(), which then returns the next cycle: requests that were refused are tried again there. NULL: always. */
    bool (*may_miss)(const struct wl_sched *s, unsigned warp);
};

#ifdef __cplusplus
}
#endif

#endif
