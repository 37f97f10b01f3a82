/* sched.h - what a warp-scheduling scheme sees of an SM, and the hooks it may fill.
 *
 * Sets of warps are 64-bit masks over the SM's warp slots. Each scheduler issues at most one
 * instruction a cycle; the SM computes which warps could issue, the policy chooses. */
#ifndef WARPLINE_SCHED_H
#define WARPLINE_SCHED_H

#include "warpline/policy.h"

/* The SM at the moment of a choice. Everything is read-only to the policy. */
struct wl_sched_view {
    uint64_t cycle;
    uint64_t live;         /* resident and not finished */
    uint64_t ready;        /* head instruction has no hazard and no barrier to wait for */
    uint64_t memory;       /* head instruction leaves the SM (global, local, texture, constant) */
    uint64_t long_stall;   /* head depends on a pending long-latency load */
    uint64_t barrier;      /* waits at a barrier or membar */
    uint64_t loads;        /* head instruction is a load through the L1D (global, local) */
    uint64_t shared;       /* head instruction accesses shared memory */
    uint64_t ended;        /* has issued its last instruction and waits for what it has outstanding */
    const uint64_t *age;   /* [warps] launch order: smaller = older */
    const uint8_t *cta;    /* [warps] CTA slot: warps of one CTA have the same */
    const uint64_t *owned; /* [schedulers] the warp slots of each */
    unsigned sm;
    /* miss resources of the L1D */
    uint32_t mshr_used, mshr_total, missq_used, missq_total;
    bool lsu_free; /* the ld/st unit can take an instruction */
    /* From here on filled for policies with cycle() only. */
    uint64_t lsu_holds;      /* warps with requests that no cache has accepted yet, queued ones included */
    int lsu_warp;            /* whose request is at the L1D or next to be there; -1: nobody's */
    struct wl_fill l1t, l1c; /* miss resources of the texture and constant caches */
    uint64_t queued;         /* warps with requests in the re-execution queue, */
    uint32_t queue_used;     /* how many there are, */
    int queue_head;          /* the warp of the first, -1 when empty */
    bool lsu_blocked;        /* the ld/st unit waits for the re-execution queue */
};

/* A re-execution queue beside the ld/st unit: requests the L1D refuses leave the unit and are tried
 * again when it is idle or can go on no longer. */
enum wl_same_warp {                  /* while a warp has requests there, its other memory instructions */
                    WL_BLOCK_ALL,    /* wait; */
                    WL_BLOCK_STORES, /* wait if either instruction writes; */
                    WL_BLOCK_PUSH    /* go to the L1D, but may not be queued */
};
struct wl_reexec {
    uint32_t entries;  /* 0: there is no queue */
    uint8_t same_warp; /* enum wl_same_warp */
    bool stores;       /* stores and atomics may be queued too */
};

/* How far may_miss() goes. It always refuses a warp's misses and stores at the L1D. */
struct wl_gate {
    bool merges;   /* nor may the warp's loads join a fetch that is on its way, in any of the gated caches */
    bool readonly; /* texture and constant caches are gated too. Their pipes are in order: a request of a warp
                      that may not miss is let through while a warp that may is held up behind it */
};

struct wl_sched_geometry {
    uint32_t sm, sms, warps, schedulers;
    void **shared; /* as wl_cache.shared: the SM's slot for schemes with several tables */
};

/* What a timeline shows of a scheme. */
struct wl_sched_state {
    const char *mode; /* a word, or NULL */
    int owner;        /* a warp with a special part, or -1 */
};

struct wl_sched_policy {
    uint32_t abi; /* WL_ABI */
    const char *name;
    const char *help;
    const struct wl_param *params;
    const struct wl_counter *counters;

    void *(*create)(const struct wl_sched_geometry *g, const int64_t *values, const char **why);
    void (*destroy)(void *self);
    uint64_t (*storage_bits)(const void *self);
    void (*read_counters)(const void *self, uint64_t *out);

    /* Chooses among `candidates`, the warps of this scheduler that can issue now (never 0).
     * Returns a slot in it, or -1 to issue nothing. Must not change state. */
    int (*pick)(void *self, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates);
    /* The choice was issued. */
    void (*issued)(void *self, const struct wl_sched_view *v, unsigned scheduler, unsigned warp);
    /* Of the view they look at cycle, age, owned and cta only: the rest is then not kept up to date, which saves time.
     */
    bool ignores_state;

    /* Warps that may issue at all this cycle (throttling); asked once a cycle before pick. Without
     * cycle() it must depend on the view only: an SM whose ready warps are all held back sleeps. */
    uint64_t (*allowed)(void *self, const struct wl_sched_view *v);
    /* Called at the start of a cycle in which the SM works, and of the one after each issue. After it, the policy
     * promises to decide the same way until the returned cycle unless the SM changes; UINT64_MAX = for ever. */
    uint64_t (*cycle)(void *self, const struct wl_sched_view *v);
    /* Which scheduler goes first this cycle; default: alternates. */
    unsigned (*first)(void *self, const struct wl_sched_view *v);
    /* Whether this warp's L1D misses may leave the SM now (memory ownership). Asked for each access.
     * Answers change in issued() and in cycle(), which then returns the next cycle: requests that
     * were refused are tried again there. */
    bool (*may_miss)(void *self, unsigned warp);
    /* What else it governs; asked once. NULL: nothing. */
    struct wl_gate (*gate)(const void *self);
    /* This scheduler has just issued `warp`: which others of its warps pick() may choose from for one more
     * instruction in the same cycle; the view is still that of its beginning. NULL: one a cycle. */
    uint64_t (*beside)(void *self, const struct wl_sched_view *v, unsigned scheduler, unsigned warp);
    /* The re-execution queue the scheme wants; asked once. NULL: none. */
    struct wl_reexec (*reexec)(const void *self);
    /* For people: what it is doing. NULL: nothing to say. */
    struct wl_sched_state (*state)(const void *self);

    void (*warp_launch)(void *self, const struct wl_sched_view *v, unsigned warp);
    void (*warp_exit)(void *self, const struct wl_sched_view *v, unsigned warp);
    void (*kernel_begin)(void *self);
};

/* The oldest warp of a non-empty set. */
static inline unsigned wl_oldest(const struct wl_sched_view *v, uint64_t set)
{
    unsigned best = (unsigned)__builtin_ctzll(set);
    for (set &= set - 1; set; set &= set - 1) {
        unsigned w = (unsigned)__builtin_ctzll(set);
        if (v->age[w] < v->age[best]) best = w;
    }
    return best;
}

/* Greedy then oldest: the warp that issued last if it is in the non-empty set, else the oldest;
 * `last` may be any number above 63 for none. */
static inline unsigned wl_greedy_oldest(const struct wl_sched_view *v, unsigned last, uint64_t set)
{
    return last < 64 && (set >> last & 1) ? last : wl_oldest(v, set);
}

/* Loose round robin: the first slot of the non-empty set at or behind `first`, cyclic. */
static inline unsigned wl_next_slot(unsigned first, uint64_t set)
{
    uint64_t behind = first < 64 ? set >> first << first : 0;
    return (unsigned)__builtin_ctzll(behind ? behind : set);
}

/* The n oldest warps of a set, all of it when it has no more. */
static inline uint64_t wl_oldest_of(const struct wl_sched_view *v, uint64_t set, unsigned n)
{
    if ((unsigned)__builtin_popcountll(set) <= n) return set;
    uint64_t chosen = 0;
    for (; n; n--) chosen |= UINT64_C(1) << wl_oldest(v, set & ~chosen);
    return chosen;
}

#endif
