/* sched.h - what a warp-scheduling scheme sees of an SM, and the functions it fills in.
 *
 * A scheme is one file: an essay, a parameter table, functions over its own state, and a
 * `const struct wl_sched_policy` at the end. Each scheduler of an SM issues one instruction per cycle; the SM finds out
 * which warps could issue, the scheme chooses. Sets of warps are 64-bit masks over the SM's warp slots.
 *
 * Two rules hold, as for cache policies:
 *  - Questions (pick, allowed, the facets) get a const struct wl_sched and must not change anything: they may be asked
 *    again and must then get the same answer. All learning happens in the on_* functions.
 *  - State lives in `self`, or in *shared, never in a static variable. No allocation, no floating point and no strings
 *    after init().
 * Answers that are not allowed end the run with a sentence that names the scheme. */
#ifndef WARPLINE_SCHED_H
#define WARPLINE_SCHED_H

#include "warpline/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wl_lsu_hooks; /* warpline/lsu.h */
struct wl_lsu_view;

struct wl_sched_geometry {
    uint32_t sm;         /* the number of this SM */
    uint32_t sms;        /* SMs of the GPU */
    uint32_t warps;      /* warp slots of the SM, at most WL_MAX_WARPS */
    uint32_t schedulers; /* of the SM, at most WL_MAX_SCHEDULERS */
};

/* Where one scheme lives: one per SM, made and freed by the SM. */
struct wl_sched {
    struct wl_sched_geometry g;
    const int64_t *param; /* the values of the parameters, indexed as the table `params` */
    uint64_t *count;      /* the counters, indexed as the table `counters`, all 0 at the start */
    void *self;           /* the scheme's state: bytes() zeroed bytes, or NULL */
    void **shared;        /* one pointer per SM through which a scheduler and a cache policy of one scheme meet
                             (wl_cache.shared) */
};

/* The SM before the choices of a cycle. Unless said otherwise a field is a set of warps. Schemes with `ignores_state`
 * may look at cycle, age, cta, cta_id and owned only. */
struct wl_sched_view {
    uint64_t cycle;
    uint64_t live;                 /* warps that are resident and not finished */
    uint64_t ready;                /* the head instruction has no hazard and no barrier to wait for */
    uint64_t memory;               /* the head instruction leaves the SM (global, local, texture, constant) */
    uint64_t long_stall;           /* the head instruction depends on a pending long-latency load */
    uint64_t barrier;              /* the warp waits at a barrier or membar */
    uint64_t loads;                /* the head instruction is a load through the L1D */
    uint64_t shared;               /* the head instruction accesses shared memory */
    uint64_t ended;                /* the warp has issued its last instruction and waits for what is outstanding */
    const uint64_t *age;           /* [warps] launch order: smaller is older */
    const uint8_t *cta;            /* [warps] the slot of the warp's CTA in the SM */
    const uint32_t *cta_id;        /* [warps] linear number of the CTA in the grid */
    const uint64_t *owned;         /* [schedulers] the warp slots of each scheduler */
    struct wl_fill l1d;            /* miss resources of the L1D */
    const struct wl_lsu_view *lsu; /* the ld/st unit; NULL for schemes without the `lsu` facet */
    /* The head instruction reads, not as an address, a register that a load from outside the SM is to write, or has
     * written after a miss and nobody since (the mark of GPGPU-Sim 3.2). Only for schemes with `marks`. */
    uint64_t slow;
};

enum wl_warp_event { WL_WARP_LAUNCH, WL_WARP_EXIT };

/* Facet: the order of the schedulers within a cycle. Either function may be NULL. */
struct wl_order_hooks {
    /* Which scheduler goes first this cycle. NULL: they take turns. */
    unsigned (*first)(const struct wl_sched *s, const struct wl_sched_view *v);
    /* The scheduler has just issued `warp`: which of its own warps pick() may choose from for a second instruction in
     * the same cycle. The view is still the one from before the choices. NULL: one instruction per cycle. */
    uint64_t (*second)(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp);
};

/* What a timeline shows of a scheme. */
struct wl_sched_state {
    const char *mode; /* the name of its mode, or NULL */
    int owner;        /* the warp with a special right, or -1 */
};

/* pick() is the only function a scheme must have. */
struct wl_sched_policy {
    uint32_t abi;                      /* WL_ABI */
    const char *name;                  /* as the user writes it: --sched NAME */
    const char *help;                  /* one line */
    const struct wl_param *params;     /* or NULL */
    const struct wl_counter *counters; /* or NULL */
    bool ignores_state;                /* promises to look at few fields of the view (see there), which saves time */
    bool marks;                        /* wants the view's `slow` */
    bool oldest_first; /* promises that of warps that can issue, but for the one before, the oldest does: how fast a
                        * warp goes is a matter of its rank by age, which sampling makes use of */

    /* Size of the state. NULL: there is none. */
    size_t (*bytes)(const struct wl_sched_geometry *g, const int64_t *param);
    /* Fills the zeroed state. Returns false if the scheme cannot run this SM, and says why in *why. */
    bool (*init)(struct wl_sched *s, const char **why);
    /* Storage the scheme adds to an SM, in bits. */
    uint64_t (*storage_bits)(const struct wl_sched *s);

    /* Asked: chooses among `candidates`, the warps of this scheduler that can issue now (never 0). Returns one of them,
     * or -1 to issue nothing. */
    int (*pick)(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates);
    /* Asked once per cycle before pick: the warps that may issue at all (throttling). Without on_cycle() it must depend
     * on the view and on what on_issue() and on_warp() learnt only: an SM whose ready warps are all held back sleeps.
     */
    uint64_t (*allowed)(const struct wl_sched *s, const struct wl_sched_view *v);

    /* Reported: the choice was issued. The view is still the one from before the choices. */
    void (*on_issue)(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp);
    /* Reported: a cycle begins in which the SM works; so does the cycle after each issue. Until the returned cycle,
     * which must lie in the future, the scheme promises to decide the same way unless the SM changes; UINT64_MAX means
     * for ever. */
    uint64_t (*on_cycle)(struct wl_sched *s, const struct wl_sched_view *v);
    /* Reported: a warp took this slot, or ended. */
    void (*on_warp)(struct wl_sched *s, const struct wl_sched_view *v, enum wl_warp_event event, unsigned warp);
    /* Reported: a kernel begins or has ended. */
    void (*on_kernel)(struct wl_sched *s, enum wl_phase phase, const struct wl_kernel *k);

    /* For timelines: what the scheme is doing. NULL: nothing is shown. */
    struct wl_sched_state (*state)(const struct wl_sched *s);

    /* ---- rare powers; NULL: none ---- */
    const struct wl_order_hooks *order;
    const struct wl_lsu_hooks *lsu; /* re-execution of refused requests, and who may miss */
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

/* The n oldest warps of each scheduler in a set. */
static inline uint64_t wl_oldest_of_each(const struct wl_sched *s, const struct wl_sched_view *v, uint64_t set,
                                         unsigned n)
{
    uint64_t chosen = 0;
    for (uint32_t i = 0; i < s->g.schedulers; i++) chosen |= wl_oldest_of(v, set & v->owned[i], n);
    return chosen;
}

#ifdef __cplusplus
}
#endif

#endif
