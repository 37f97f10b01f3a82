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
    uint64_t *regs;     /* the warp's scoreboard row */
    tick_t ready;       /* earliest first access */
    tick_t done;        /* the latest register write of the requests answered so far */
    uint32_t waiting;   /* requests not answered */
    bool begun;         /* the policy has seen it */
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

struct warp {
    struct stream_reader stream;
    const struct code_inst *inst; /* head */
    uint32_t left;      /* instructions of the block after the head */
    uint32_t exec;      /* lanes of the head that execute */
    uint32_t outstanding; /* memory instructions not finished */
    uint64_t seq;
    uint16_t loop;
    uint8_t cta;        /* slot */
    bool ended;         /* the stream is over; waits for outstanding */
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
    struct memop *queue[64]; /* ring: issued, not yet dispatched */
    uint32_t head, tail, depth;
    struct memop *op;        /* dispatched */
    struct txn txn[SM_MAX_TXNS];
    uint32_t ntxn, next_txn;
    tick_t busy_until;       /* shared-memory passes */
};

struct sm {
    struct part part;
    uint32_t index;
    uint64_t cycle;
    tick_t last;
    tick_t head_limit; /* a head whose registers are there by then is ready: this cycle before the
                          issue stage, the next one from then on */

    /* the machine */
    uint32_t warps, cta_slots, schedulers, registers, shared_bytes, shared_banks;
    tick_t lat[LAT_COUNT], init[LAT_COUNT], issue_delay, mem_delay, shared_latency, hit_ticks;
    uint8_t unit[LAT_COUNT]; /* enum unit */
    uint32_t pipes[3];
    bool l1d_global, l1d_flush, l1d_readonly, whole_lines;
    struct {
        uint32_t unified, options, bytes[WL_MAX_CARVEOUTS]; /* ascending; unified 0: the split is fixed */
    } carve;
    const struct addrmap *map;
    struct req_pool *pool;

    /* the kernel */
    const struct launch_info *launch;
    struct stream_source *source;
    uint32_t cta_limit;  /* resident CTAs of this kernel */
    uint32_t ctas_resident;
    uint64_t next_age;

    /* warps */
    uint64_t live, ready, barrier, membar, long_stall, memory;
    uint64_t head_unit[4]; /* masks: whose head wants which unit */
    uint64_t owned[SM_MAX_SCHEDULERS];
    uint64_t age[SM_MAX_WARPS];
    struct warp warp[SM_MAX_WARPS];
    struct cta cta[SM_MAX_CTAS];
    uint64_t *board;     /* [warps * board_regs] tick from which a register may be read */
    uint32_t board_regs, board_cap;
    uint64_t in_wheel;   /* warps somewhere in the wheel */
    uint64_t *wheel;     /* warps whose head becomes ready at that cycle */
    uint64_t *wheel_used; /* bit per slot */
    uint32_t wheel_mask;
    tick_t pipe_free[3][SM_MAX_PIPES];

    /* schedulers */
    const struct wl_sched_policy *sched;
    void *sched_self, *shared_slot;
    struct wl_sched_view view;
    tick_t sched_next; /* the policy wants to be asked again */

    /* memory */
    struct lsu lsu;
    struct l1 l1d, l1t, l1c;
    struct access_pipe pipe[3]; /* by enum req_origin */
    tick_t writeback_free, writeback_limit; /* next free cycle of the register write port; how far ahead */
    struct memop_pool *ops;
    struct port *request; /* to the network */
    struct port reply;    /* from the network */

    /* the dispatcher's mailbox: latched both ways */
    struct cta_stream offered; /* a CTA for this SM */
    tick_t offered_at, wants_at; /* when it was put there; since when the SM has room; NEVER: not */
    const struct part *dispatcher;

    struct sm_stats stats;
};

enum unit { UNIT_ALU, UNIT_SFU, UNIT_DP, UNIT_LSU, UNIT_NONE };

int sm_init(struct sm *s, const struct gpu_config *c, uint32_t index, const struct addrmap *map,
            struct req_pool *pool, struct memop_pool *ops, struct wl_err *e);
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
void warp_advance(struct sm *s, unsigned w, tick_t now);     /* the head was issued: look at the next */
void warp_check_head(struct sm *s, unsigned w, tick_t now);  /* a register arrived */
void warp_arrive(struct sm *s, unsigned w, tick_t now);      /* at a barrier */
void warp_memop_done(struct sm *s, unsigned w, tick_t now);  /* one less outstanding */
void warp_wake_due(struct sm *s);                            /* the wheel's slot of this cycle */
tick_t warp_next_wake(const struct sm *s, tick_t now);
/* issue.c */
bool issue_cycle(struct sm *s, tick_t now, tick_t *next);
/* ldst.c */
struct memop *memop_alloc(struct sm *s);
bool ldst_has_room(const struct sm *s);
uint64_t ldst_holds(const struct sm *s); /* warps with requests the L1D has not accepted */
void ldst_accept(struct sm *s, struct memop *op);
void ldst_cycle(struct sm *s, tick_t now, uint64_t skipped);
tick_t ldst_next(const struct sm *s, tick_t now);
bool ldst_idle(const struct sm *s);
/* coalesce.c */
uint32_t coalesce(const struct sm *s, const struct memop *op, struct txn *out);
/* `atomic`: lanes that meet at one word take turns too. */
uint32_t shared_passes(const struct warp_addrs *a, uint32_t banks, bool atomic);

#endif
