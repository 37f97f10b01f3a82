/* sm.h - one streaming multiprocessor.
 *
 *   CTA -> warps -> scheduler -> issue -> ALU, SFU, fp64 pipes
 *                                      -> ld/st queue -> coalescer -> L1D, texture, constant
 *                                                                  -> shared memory
 *
 * The rest of the machine connects an SM through the first fields of struct sm (its part, its two ports, the
 * dispatcher's mailbox) and otherwise uses these functions only; what else is in the struct belongs to this folder
 * (sm_state.h). */
#ifndef WL_SM_SM_H
#define WL_SM_SM_H

#include "sm/sm_state.h"

/* What all SMs of a machine share. */
struct sm_common {
    const struct addrmap *map;
    struct req_pool *pool;
    struct memop_pool *ops;
    struct sm_kernel *kernels; /* [SM_MAX_KERNELS] zeroed before the first kernel */
    uint32_t *starving;        /* number of warps that wait for sm_feed */
};

int sm_init(struct sm *s, const struct gpu_config *c, uint32_t index, const struct sm_common *common, struct wl_err *e);
/* The ports are connected: with large caches the host is told what memory a reply will need. */
void sm_warm_ports(struct sm *s);
/* Misses may be sent a cycle ahead of the clock, as far as nobody can tell: the port to the network counts packets, and
 * its consumer keeps to the dates; `dated`: to those of all packets, not of the first one only. */
void sm_go_ahead(struct sm *s, const struct gpu_config *c, bool dated);
void sm_destroy(struct sm *s);
/* CTAs of the launch that all SMs of a machine with these parameters hold at once. */
uint64_t sm_resident_ctas(const int64_t *v, const struct launch_info *l);
/* What an SM of these parameters has for CTAs. */
struct cta_room sm_room(const int64_t *v);

/* A kernel gets number `n` of those that run, which is free; fails when one CTA of it does not fit an SM. Every SM
 * is told, SM 0 first: it finds what all have in common. To a policy kernels that overlap are one: it hears of the one
 * that begins when no other runs, and of an end when none is left (sm_kernels_end). */
int sm_kernel_begin(struct sm *s, unsigned n, struct stream_source *source, struct wl_err *e);
/* Kernel n begins while others run. */
int sm_kernel_join(struct sm *s, unsigned n, struct stream_source *source, struct wl_err *e);
/* Whether a kernel that has begun has instructions that go to the texture cache. */
bool sm_kernel_reads_textures(const struct sm_kernel *k);
/* Whether it could: not if the L1D would have to give up ways to its shared memory, which it does not while it is used.
 */
bool sm_kernel_may_join(const struct sm *s, const struct launch_info *l);
void sm_kernels_end(struct sm *s);
void sm_kernels_destroy(struct sm_kernel *kernels); /* what their array owns */
/* Warps whose next instruction was not known when tick `now` was over: lets the functional half go on. Returns how many
 * were fed, or < 0: failed. Only after all parts have worked at `now`. */
int sm_feed(struct sm *s, tick_t now, struct wl_err *e);

/* Events for CTAs of the same cluster (mbarrier.c). The slot in which a CTA lives here, or -1; and between two ticks,
 * the SM having worked in this one: they have come. */
int mbarrier_slot(const struct sm *s, unsigned kernel, uint32_t order);
void mbarrier_deliver(struct sm *s, unsigned cta, const struct mail *m, tick_t now);
/* Works at tick `now`; returns when it wants to work next. */
tick_t sm_tick(struct sm *s, tick_t now);
/* Whether nothing is under way: no warp, no request, no CTA in the mailbox. */
bool sm_idle(const struct sm *s);
/* Whether a warp is resident or a CTA waits in the mailbox. */
static inline bool sm_has_work(const struct sm *s) { return s->live || s->offered_at != NEVER; }
void sm_describe(const struct sm *s, char *out, size_t size);
/* Checks every invariant of the SM's structures with WL_ASSERT. */
void sm_walk(const struct sm *s);

/* Adds what the SM and its caches counted. */
void sm_add_stats(const struct sm *s, struct run_stats *out);
struct l1 *sm_l1d(struct sm *s);
const struct wl_sched *sm_sched(const struct sm *s); /* the scheduling scheme's place: its counters and its state */

/* Free memory instructions of all SMs: refilled between two steps, so that taking one never fails. -1: out of memory.
 */
int memop_grow(struct memop_pool *p);
void memop_pool_destroy(struct memop_pool *p);

/* ---- SMs that work in several threads (sim/split.h) ---- */

/* Whoever lets the SM work next has these pools. */
void sm_use_pools(struct sm *s, struct req_pool *pool, struct memop_pool *ops);
/* All that comes to the SM before tick `bound` is in its ports; 0: nobody says so. */
void sm_knows(struct sm *s, tick_t bound);
/* Free instructions, at most so many, from one pool to another. */
void memop_move(struct memop_pool *from, struct memop_pool *to, uint64_t most);
/* Whether the kernel cannot end before the SM has worked again: a warp lives, a CTA waits or the SM holds a request. */
bool sm_keeps_kernel(const struct sm *s);
/* Packets that the SM may send in its next cycle, at most. */
unsigned sm_may_send(const struct sm *s);

/* ---- observers ----
 *
 * An observer looks on and changes nothing; NULL hooks are skipped. An SM has at most SM_MAX_OBSERVERS. */

struct sm_observer {
    void (*slept)(void *self, const struct sm *s, uint64_t cycles); /* in these cycles nothing changed */
    void (*before_issue)(void *self, const struct sm *s); /* the ld/st unit has worked, the issue stage has not */
    void (*issue)(void *self, const struct sm *s, unsigned warp); /* the warp's head is being issued */
    void (*load)(void *self, const struct wl_load *l);            /* the last request of the load was accepted */
    void (*end)(void *self, const struct sm *s);                  /* the cycle's work is done */
};
void sm_observe(struct sm *s, const struct sm_observer *o, void *self);

/* The state of an SM as a timeline shows it. */
struct sm_glance {
    uint64_t cycle;
    uint64_t wait_load, wait_barrier, wait_fence, wait_result; /* sets of warps, by what they wait for */
    uint64_t ready;                                            /* set of warps that could issue, and did not */
    uint64_t ctas;                                             /* set of slots with a CTA */
    struct wl_sched_state sched;
    bool has_state;           /* the scheme says what it does: `sched` is filled in */
    struct wl_fill l1d;       /* miss resources of the L1D */
    int unit_warp;            /* the warp the ld/st unit works for, or -1 */
    enum l1_outcome refused;  /* why its first request was refused; L1_HIT: none was */
    enum cache_id refused_by; /* the cache that refused it */
    bool has_queue;           /* there is a re-execution queue */
    uint32_t queued;          /* requests in it */
};
uint64_t sm_cycle(const struct sm *s);
uint64_t sm_issued(const struct sm *s);      /* warp instructions so far */
const uint64_t *sm_ages(const struct sm *s); /* [warps] a number no other warp of this SM ever has */
void sm_glance(const struct sm *s, struct sm_glance *out);
uint32_t sm_cta(const struct sm *s, unsigned slot);                 /* the number of the CTA in a slot */
const struct code *sm_code(const struct sm *s);                     /* of the kernel that runs alone */
const struct code_inst *sm_head(const struct sm *s, unsigned warp); /* the warp's next instruction */
unsigned sm_head_lanes(const struct sm *s, unsigned warp);          /* how many lanes execute it */
bool sm_holds_warp(const struct sm *s, const struct code_inst *in); /* a warp that issued it waits until it is done */
/* The cycle from which all its registers can be read, and the last of them; UINT64_MAX: not yet known. */
uint64_t sm_head_readable(const struct sm *s, unsigned warp, unsigned *reg);
bool sm_head_is_shared(const struct sm *s, unsigned warp); /* that instruction accesses shared memory */
unsigned sm_age_rank(const struct sm *s,
                     unsigned warp); /* by age, among the live warps of its scheduler; 0: the oldest */

/* Loads that have their operands and wait for the ld/st unit. Two equal moments have the same ones. */
struct sm_moment {
    uint64_t stalled; /* warps whose request a cache has refused; 0: the unit is not stalled */
    uint64_t heads, instructions, accesses;
    const struct memop *op;
    uint32_t next_txn, head, tail;
};
void sm_moment(const struct sm *s, struct sm_moment *out);
/* Calls want() for every line that such loads ask the L1D for: those in the unit, of warps not in `stalled`; the head
 * of a warp of `heads`. */
void sm_unit_lines(const struct sm *s, uint64_t stalled, void (*want)(void *arg, uint64_t line, uint8_t sectors),
                   void *arg);
void sm_head_lines(const struct sm *s, unsigned warp, void (*want)(void *arg, uint64_t line, uint8_t sectors),
                   void *arg);

#endif
