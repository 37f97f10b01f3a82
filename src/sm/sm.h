/* sm.h - one streaming multiprocessor.
 *
 *   CTA -> warps -> scheduler -> issue -> ALU, SFU, fp64 pipes
 *                                      -> ld/st queue -> coalescer -> L1D, texture, constant
 *                                                                  -> shared memory
 *
 * Sets of warps are 64-bit masks. A warp's head instruction is examined when it becomes the head
 * and when a load returns, never in between: the scoreboard holds the tick from which each
 * register may be read, so an ALU result needs no event, only the warp that waits for it does. */
#ifndef WL_SM_SM_H
#define WL_SM_SM_H

#include "mem/addrmap.h"
#include "mem/l1.h"
#include "mem/port.h"
#include "observe/profile.h"
#include "sm/timeline.h"
#include "stream/stream.h"
#include "warpline/sched.h"

enum { SM_MAX_WARPS = 64, SM_MAX_CTAS = 64, SM_MAX_SCHEDULERS = 8, SM_MAX_PIPES = 16, SM_MAX_TXNS = 8 * WARP_SIZE };

/* A coalesced transaction: the lanes of one instruction that touch one line. */
struct txn {
    uint64_t line;     /* address / 128 */
    uint64_t bytes[2]; /* touched bytes */
    uint8_t sectors, lanes;
};

/* A memory instruction from issue to its last reply. `load` comes first: requests and policies
 * hold a pointer to it. */
struct memop {
    struct wl_load load;
    struct memop *next;
    const struct code_inst *inst;
    uint64_t *regs;   /* the warp's scoreboard row */
    tick_t ready;     /* earliest first access */
    tick_t done;      /* the latest register write of the requests answered so far */
    uint32_t waiting; /* requests not answered */
    uint32_t sent;    /* requests accepted; kept with a re-execution queue only, elsewhere they go in order */
    bool begun;       /* the policy has seen it */
    struct warp_addrs addrs;
};

/* Free memory instructions of all SMs; grows like req_pool, between two steps. */
struct memop_pool {
    struct memop *free;
    struct memop_chunk *chunks;
    uint64_t available;
};
int memop_grow(struct memop_pool *p);
void memop_pool_destroy(struct memop_pool *p);

enum { WARP_MAX_LOOPS = 8 }; /* that are followed at a time; a policy is not told of more */
struct warp_loop {
    uint16_t loop;
    uint32_t lanes; /* inside it */
};

struct warp {
    _Alignas(64) struct stream_reader stream; /* what each instruction needs is one line of the host's cache */
    const struct code_inst *inst;             /* head */
    uint32_t left;                            /* instructions of the block after the head */
    uint32_t exec;                            /* lanes of the head that execute */
    uint64_t seq;
    uint32_t outstanding; /* memory instructions not finished */
    uint8_t cta;          /* slot */
    uint8_t rank;         /* of the warp in its CTA */
    uint8_t nloops;
    bool ended;                             /* the stream is over; waits for outstanding */
    struct warp_loop loops[WARP_MAX_LOOPS]; /* outer ones first; for policies with leave_loop */
};

struct cta {
    bool used;
    struct cta_stream stream;
    uint64_t warps, arrived; /* masks of live warps, of those at the barrier */
};

/* Requests between the ld/st unit and the tags of one cache, with a fixed depth. */
struct access_pipe {
    struct req_list list;
    uint32_t used, depth;
    tick_t delay;
    enum l1_outcome refused; /* what the head was told last; L1_HIT = it was not refused */
};

struct lsu {
    uint32_t head, tail, depth, mask;
    uint32_t ntxn, next_txn; /* of sm.txn */
    struct memop *op;        /* dispatched */
    enum req_origin origin;  /* the cache it goes to, */
    struct req like;         /* and what all its requests have in common */
    tick_t busy_until;       /* shared-memory passes */
    struct memop *queue[64]; /* ring: issued, not yet dispatched */
};

/* Requests that were refused and left the ld/st unit (reexec.c). */
struct reexec {
    uint32_t entries, used; /* entries 0: there is none */
    uint8_t same_warp;      /* enum wl_same_warp */
    bool stores;
    bool blocked;            /* the ld/st unit's request was refused and had to stay */
    uint32_t refused;        /* tries in a row that were refused, nothing having changed */
    uint64_t pushed_at;      /* cycle of the last push: the place in the unit is free after it */
    uint64_t warps, writers; /* warps with entries; those whose entries write */
    struct req_list list;
    const struct memop *op[SM_MAX_WARPS]; /* the instruction a warp's entries belong to */
    uint32_t count[SM_MAX_WARPS];
};

/* Instructions of one latency class. */
struct exec_class {
    uint16_t latency, init; /* cycles */
    uint8_t unit;           /* enum unit */
    uint64_t lanes;         /* that executed one */
};

/* What every cycle looks at comes first and lies together, arrays that few cycles index come last:
 * fifteen SMs or more take turns in the host's cache. */
struct sm {
    struct part part;
    uint64_t cycle;
    tick_t head_limit; /* a head whose registers are there by then is ready: this cycle before the
                          issue stage, the next one from then on */

    /* warps */
    uint64_t live, ready, barrier, membar, long_stall, memory, loads, shared, ended;
    uint64_t head_unit[4]; /* masks: whose head wants which unit */
    uint64_t in_wheel;     /* warps somewhere in the wheel */
    uint64_t *wheel;       /* warps whose head becomes ready at that cycle */
    uint64_t *wheel_used;  /* bit per slot */
    uint32_t wheel_mask;
    uint32_t board_regs, board_cap;
    uint64_t *board; /* [warps * board_regs] tick from which a register may be read */

    /* schedulers */
    const struct wl_sched_policy *sched;
    void *sched_self, *shared_slot;
    tick_t sched_next; /* the policy wants to be asked again */
    struct wl_gate gate;
    uint32_t schedulers;
    bool ask_again; /* the issue stage told the L1D's policy something: a refused request may do better now */
    bool l1d_global, l1d_flush, l1d_readonly, whole_lines;
    uint64_t owned[SM_MAX_SCHEDULERS];

    /* memory */
    struct lsu lsu;
    struct access_pipe pipe[3]; /* by enum req_origin */
    uint32_t readonly;          /* requests of the texture and constant caches under way: 0 spares looking at them */
    tick_t writeback_free, writeback_limit; /* next free cycle of the register write port; how far ahead */
    struct memop_pool *ops;
    struct req_pool *pool;
    struct port *request; /* to the network */
    struct port reply;    /* from the network */
    struct l1 l1d;

    /* the dispatcher's mailbox: latched both ways */
    tick_t offered_at, wants_at; /* when a CTA was put there; since when the SM has room; NEVER: not */
    const struct part *dispatcher;

    struct timeline_sm *timeline; /* shows what happens; NULL: nobody looks */
    struct probe *probe;          /* of stats.profile; NULL: off */
    struct observer *observer;    /* of stats.profile; NULL: off */
    struct sm_stats stats;

    /* the machine */
    uint32_t index, sms, warps, cta_slots, registers, shared_bytes, shared_banks;
    tick_t issue_delay, mem_delay, shared_latency, hit_ticks;
    struct exec_class exec_class[LAT_COUNT];
    tick_t pipes_until;  /* none is busy from then on */
    uint8_t pipe_end[3]; /* of pipe_free: a unit's pipes are behind those of the unit before */
    tick_t pipe_free[3 * SM_MAX_PIPES];
    struct {
        uint32_t unified, options, bytes[WL_MAX_CARVEOUTS]; /* ascending; unified 0: the split is fixed */
    } carve;
    const struct addrmap *map;

    /* the kernel */
    const struct launch_info *launch;
    struct wl_kernel kernel; /* as policies see it */
    struct stream_source *source;
    uint32_t cta_limit; /* resident CTAs of this kernel */
    uint32_t ctas_resident;
    uint64_t next_age;
    struct cta_stream offered; /* a CTA for this SM */

    uint64_t age[SM_MAX_WARPS];
    uint64_t older[SM_MAX_WARPS]; /* warps of its scheduler that were there before it; some have ended */
    uint8_t cta_of[SM_MAX_WARPS];
    struct warp warp[SM_MAX_WARPS];
    struct wl_sched_view view;
    struct reexec reexec;
    struct l1 l1t, l1c;
    struct txn txn[SM_MAX_TXNS]; /* of the instruction the ld/st unit has dispatched */
    struct cta cta[SM_MAX_CTAS];
};

enum unit { UNIT_ALU, UNIT_SFU, UNIT_DP, UNIT_LSU, UNIT_NONE };

int sm_init(struct sm *s, const struct gpu_config *c, uint32_t index, const struct addrmap *map, struct req_pool *pool,
            struct memop_pool *ops, struct wl_err *e);
void sm_destroy(struct sm *s);
/* Prepares for a kernel; fails when one CTA does not fit. */
int sm_kernel_begin(struct sm *s, struct stream_source *source, struct wl_err *e);
void sm_kernel_end(struct sm *s);
tick_t sm_tick(struct sm *s, tick_t now);
void sm_describe(const struct sm *s, char *out, size_t size);
bool sm_idle(const struct sm *s);

/* ---- between the files of this folder ---- */

/* warp.c */
void warp_install_cta(struct sm *s, const struct cta_stream *cta, tick_t now);
void warp_advance(struct sm *s, unsigned w, tick_t now);            /* the head was issued: look at the next */
bool warp_is_inside(const struct sm *s, unsigned w, uint16_t loop); /* with a lane; leave_loop policies only */
void warp_check_head(struct sm *s, unsigned w, tick_t now);         /* a register arrived */
void warp_arrive(struct sm *s, unsigned w, tick_t now);             /* at a barrier */
void warp_memop_done(struct sm *s, unsigned w, tick_t now);         /* one less outstanding */
void warp_wake_due(struct sm *s);                                   /* the wheel's slot of this cycle */
tick_t warp_next_wake(const struct sm *s, tick_t now);
/* issue.c */
bool issue_cycle(struct sm *s, tick_t now, tick_t *next);
/* ldst.c */
static inline bool ldst_has_room(const struct sm *s) { return s->lsu.tail - s->lsu.head < s->lsu.depth; }
struct memop *memop_alloc(struct sm *s);
uint64_t ldst_holds(const struct sm *s);                           /* warps with requests no cache has accepted */
bool ldst_is_data(const struct sm *s, const struct code_inst *in); /* goes to the L1D */
int ldst_warp(const struct sm *s); /* whose request is at the L1D or next to be there; -1 */
void ldst_accept(struct sm *s, struct memop *op);
void ldst_cycle(struct sm *s, tick_t now, uint64_t skipped);
tick_t ldst_next(const struct sm *s, tick_t now);
bool ldst_idle(const struct sm *s);
enum l1_outcome ldst_try(struct sm *s, struct l1 *c, struct req *r, tick_t now); /* accepted: no longer the caller's */
const struct access_pipe *
ldst_waits_for(const struct sm *s); /* where the dispatched instruction's requests go, or NULL */
/* gate.c; both for schemes with may_miss */
bool gate_lets_readonly(const struct sm *s, const struct req *r); /* a request to the texture or constant cache miss */
bool gate_holds_up(const struct sm *s, const struct access_pipe *p); /* its first request: a warp that may miss */
/* reexec.c */
void reexec_init(struct reexec *q, struct wl_reexec wanted);
void reexec_access(struct sm *s, tick_t now);    /* this cycle's access of the L1D */
void reexec_skip(struct sm *s, uint64_t cycles); /* cycles slept through: the queue went round, all refused */
bool reexec_busy(const struct sm *s);            /* a try in the next cycle may end differently */
uint64_t reexec_holds_back(const struct sm *s);  /* warps whose memory instruction may not issue */
static inline void reexec_changed(struct sm *s) { s->reexec.refused = 0; }
/* probe.c */
int probe_init(struct sm *s);           /* s->probe is freed with the SM; -1: out of memory */
bool probe_stalled(const struct sm *s); /* the unit is stalled, and another warp's load would hit */
/* False: the issue stage has nothing to do, as every warp that is ready waits for the ld/st unit. */
static inline bool issue_may_do(const struct sm *s)
{
    return s->sched->cycle || s->ready & ~(ldst_has_room(s) ? 0 : s->head_unit[UNIT_LSU]);
}
/* coalesce.c */
uint32_t coalesce(const struct sm *s, const struct memop *op, struct txn *out);
/* `atomic`: lanes that meet at one word take turns too. */
uint32_t shared_passes(const struct warp_addrs *a, uint32_t banks, bool atomic);

#endif
