/* sm_state.h - the state of an SM: for the files of this folder.
 *
 * The struct is visible to the machine so that it can have an array of SMs, not to be looked into. Sets of warps are
 * 64-bit masks. A warp's head instruction is examined when it becomes the head and when a load returns, never in
 * between: the scoreboard holds the tick from which each register may be read, so an ALU result needs no event, only
 * the warp that waits for it does. */
#ifndef WL_SM_SM_STATE_H
#define WL_SM_SM_STATE_H

#include "mem/addrmap.h"
#include "mem/l1.h"
#include "mem/port.h"
#include "sm/constants.h"
#include "sm/textures.h"
#include "sm/account.h"
#include "stream/stream.h"
#include "warpline/lsu.h"

enum {
    SM_MAX_WARPS = WL_MAX_WARPS,
    SM_MAX_CTAS = 64,
    SM_MAX_SCHEDULERS = WL_MAX_SCHEDULERS,
    SM_MAX_PIPES = 32, /* of one unit */
    SM_MAX_TXNS = 8 * WARP_SIZE,
    SM_MAX_OBSERVERS = 3
};

/* Those with pipes come first, the ones that few machines have last of them. */
enum unit {
    UNIT_ALU,
    UNIT_SFU,
    UNIT_DP,
    UNIT_INT,
    UNIT_TENSOR,
    UNIT_BRANCH,
    UNIT_TEXTURE,
    UNIT_UNIFORM,
    UNIT_LOGIC,
    PIPE_UNITS,
    UNIT_LSU = PIPE_UNITS,
    UNIT_NONE,
    UNITS
};

/* ---- routes (route.c) ---- */

/* Where an instruction goes on this machine, found once per kernel. */
struct route {
    uint8_t unit;    /* enum unit */
    uint8_t cache;   /* enum cache_id; of instructions that leave the SM */
    uint8_t kind;    /* enum wl_kind; of memory instructions */
    uint8_t space;   /* enum wl_space; of instructions that leave the SM */
    bool leaves;     /* is a memory instruction of another space than shared memory */
    bool data_load;  /* is a load that goes to the L1D or bypasses it */
    bool bypass;     /* is a load that bypasses the L1D: the instruction or the machine says so, not a policy */
    uint8_t exec;    /* its exec_class; of instructions that compute */
    bool generic;    /* is generic or one of its parts: its lanes may touch several spaces */
    bool holds;      /* is an atomic whose warp waits for it */
    bool odd;        /* computes, and has addresses to skip or is a product without a register: odd_compute */
    uint8_t collect; /* cycles in which it reads its source registers, of instructions that compute */
    uint16_t init;   /* cycles for which it takes its pipe, of instructions that compute */
    tick_t delay;    /* from issue to the result, of instructions that compute; to the first access, of memory ones */
};

/* The routes of a running kernel: the SMs of a machine are alike and share them. */
struct route_table {
    struct route *route; /* [instructions of the kernel] */
    uint32_t cap;
};

/* ---- kernels that run ---- */

enum { SM_MAX_KERNELS = 128 };

/* What CTAs take of an SM, and what an SM has. */
struct cta_room {
    uint32_t slots, warps, registers, shared_bytes;
};

/* One of the kernels that run. The SMs of a machine share it too; a warp knows it by its number. */
struct sm_kernel {
    const struct code_inst *inst; /* of `code`, as the blocks are */
    const struct code_block *block;
    const struct route *route; /* [instructions of the kernel] */
    const struct code *code;
    const struct launch_info *launch;
    struct stream_source *source;
    struct cta_room need;              /* of one CTA */
    uint32_t cta_limit;                /* CTAs of it that an SM holds */
    uint32_t ended;                    /* CTAs that have ended: looked at between two steps only */
    uint64_t local_base, bank_base[2]; /* what its own memory is moved by; bank: constants, parameters */
    uint64_t code_line;                /* the line of pc 0 */
    struct route_table routes;
    const struct code_inst *last; /* of the program: the last but for forms */
    /* 128 bytes are found with a shift */
};

/* CTAs of one kernel that an SM has let go. The dispatcher sees what happened before the tick it works at. */
struct cta_exits {
    tick_t at;          /* of the last */
    uint32_t all, last; /* so many, of these at that tick */
};

/* ---- the ld/st unit (lsu.c) ---- */

/* A coalesced transaction: the lanes of one instruction that touch one line. */
struct txn {
    uint64_t line;     /* address / 128 */
    uint64_t bytes[2]; /* touched bytes */
    uint8_t sectors, lanes;
};

/* A memory instruction from issue to its last reply. `load` comes first: requests and policies
 * hold a pointer to it. What is needed after the instruction was coalesced is one line of the host's cache. */
struct memop {
    _Alignas(64) struct wl_load load;
    const struct code_inst *inst;
    union {
        uint64_t done;      /* the latest register write of the requests answered so far, as a due (account.h) */
        struct memop *next; /* while it is free */
    };
    uint16_t waiting; /* requests not answered */
    uint16_t sent;    /* requests accepted by a cache; a re-execution queue lets them go out of order */
    bool begun;       /* the policy has seen it */
    uint8_t group;    /* of an asynchronous copy: its place in the ring of its warp */
    _Alignas(64) const struct route *route;
    tick_t ready;  /* earliest first access */
    uint64_t note; /* of a bulk copy: the mbarriers that hear of it (enum async_role) */
    struct warp_addrs addrs;
};

struct memop_pool {
    struct memop *free;
    struct memop_chunk *chunks;
    uint64_t available;
};

enum { L1D_MAX_BANKS = 16 };

/* Requests between the ld/st unit and the tags of one cache, or of one bank of the L1D, with a fixed depth. */
struct access_pipe {
    struct req_list list;
    uint32_t used, depth;
    tick_t delay;
    enum l1_outcome refused; /* the last answer to the head of the list; L1_HIT: it was not refused */
};

/* One memory instruction at a time is dispatched: its transactions go to the pipe of its cache one by one. */
struct lsu {
    uint32_t head, tail; /* of the ring `queue`: positions that only grow */
    uint32_t depth;      /* how many instructions the ring takes */
    uint32_t limit;      /* the ring takes no more when `tail` is here */
    uint32_t mask;
    enum cache_id cache;    /* of the dispatched instruction */
    struct memop *op;       /* the dispatched instruction, or NULL */
    tick_t busy_until;      /* shared-memory passes occupy the unit until then */
    bool single;            /* l1d.pipe = 0: a refused request is still in the unit, and no instruction comes past it */
    bool usual;             /* stages before the tags, and no ext: */
    bool plain_place;       /* one place before the tags, and no ext: */
    struct lsu_ext *ext;    /* what a scheduling scheme adds to the unit; NULL: nothing */
    uint32_t readonly;      /* requests of the texture and constant caches under way: 0 spares looking at them */
    bool load_bytes;        /* the L2's policy may ask which bytes a load touches: not LRU */
    bool policy_heard;      /* since the last cycle the L1D's policy heard of something that may lift a refusal */
    tick_t writeback_free;  /* next free cycle of the register write port */
    tick_t writeback_limit; /* how far ahead the port can be reserved */
    tick_t sent_for;        /* the tick as of which a miss of the L1D was sent last, maybe ahead; 0: none yet */
    bool ahead;             /* misses may be sent ahead: nobody would see that they have left the queue already */
    bool dated;             /* and behind others: what takes them out of the port looks at the date of each */
    tick_t known;           /* all replies that come before this tick are in the port; 0: nobody says so */
    uint32_t ntxn, next_txn; /* transactions of `op`; the next one to be sent */
    uint32_t lines, rate;    /* l1d.lines; how many transactions of `op` go together */
    uint32_t banks;          /* l1d.banks; 1 where a re-execution queue takes what is refused */
    uint32_t filled;         /* banks with requests, if there are several; */
    uint32_t refused;        /* of these, those whose first one was refused */
    bool lifted;             /* a reply has come or a miss has left since the banks were looked up */
    uint32_t pipes;          /* how many of these there are: the L1D's banks behind the first are the last ones */
    bool goes_aside;         /* the instruction's requests pass the L1D's pipe: the last of these is where one waits */
    uint32_t aside;          /* its index; 0: all go through the pipe */
    struct access_pipe pipe[SM_CACHES + L1D_MAX_BANKS];
    _Alignas(64) struct l1 l1[SM_CACHES];
    struct memop *queue[64];     /* ring: issued, not yet dispatched */
    struct req common;           /* what all requests of `op` have in common */
    struct txn txn[SM_MAX_TXNS]; /* transactions of `op` */
};

/* Requests that were refused and left the ld/st unit (ext_reexec.c). */
struct reexec {
    uint32_t entries;   /* 0: there is no queue */
    uint32_t used;      /* requests in the queue */
    uint8_t same_warp;  /* enum wl_same_warp */
    bool stores;        /* stores and atomics may be queued too */
    bool freed;         /* the L1D has freed MSHRs in this cycle */
    bool blocked;       /* the ld/st unit's request was refused and had to stay */
    uint32_t refused;   /* tries in a row that were refused, nothing having changed */
    uint64_t pushed_at; /* cycle of the last push: the place in the unit is free after it */
    uint64_t warps;     /* warps with entries */
    uint64_t writers;   /* warps whose entries write */
    struct req_list list;
    const struct memop *op[SM_MAX_WARPS]; /* the instruction a warp's entries belong to */
    uint32_t count[SM_MAX_WARPS];         /* entries of a warp */
};

/* What a scheduling scheme with the `lsu` facet adds: exists only for such schemes. */
struct lsu_ext {
    const struct wl_lsu_hooks *hooks;
    const struct wl_sched *sched; /* handed to the hooks */
    struct wl_gate gate;
    struct wl_lsu_view view;
    struct reexec queue;
};

/* ---- instruction fetch (fetch.c) ---- */

enum { FETCH_MAX_MISSES = 64 };
enum { FETCH_IDEAL, FETCH_BUFFER, FETCH_CACHE }; /* sm.fetch */

/* A line on its way to the instruction cache. */
struct fetch_miss {
    uint64_t line;
    uint32_t waiting, served;   /* warps that wait for it; of these, those that have been let go */
    uint8_t warp[SM_MAX_WARPS]; /* in the order in which they asked */
    bool used;
};

/* A line in the cache of a scheduler. */
struct l0_line {
    uint64_t line; /* + 1; 0: none */
    uint64_t used; /* when it was last asked for */
    tick_t ready;  /* from when on it can be read */
    bool ahead;    /* it was asked for ahead, and no warp has come to it yet */
};

/* Exists only with sm.fetch = buffer or cache. */
struct fetch {
    uint64_t want;    /* warps with an empty buffer that no miss holds back */
    uint64_t refused; /* of these, those that would be refused again: nothing has changed since */
    uint64_t slept;   /* those who were refused in all cycles slept through since the stage last worked */
    uint64_t cycle;   /* the cycle in which it last worked */
    unsigned last;    /* the warp whose turn it was last */
    bool plain;       /* nobody is refused and no miss is to be sent or has come: a cycle is a fetch and nothing else */
    bool perfect;
    uint32_t sets, ways, misses, merge, missq_cap;
    uint32_t set_mask; /* sets - 1, or 0 if that is no mask */
    uint32_t missq_used, misses_used;
    struct req_list missq;
    uint8_t filled[FETCH_MAX_MISSES]; /* entries of `miss` whose line has come and whose warps still wait, a ring */
    uint32_t filled_first, filled_count;
    uint64_t *line; /* [sets * ways] line + 1, or 0; those of a set from the one that was asked for last on */
    struct l1i_stats stats;
    uint64_t held;                 /* set of warps that wait for a miss */
    uint64_t wanted[SM_MAX_WARPS]; /* the line the warp's buffer is refilled from */
    tick_t at[SM_MAX_WARPS];       /* from when on the buffer can be used */
    /* Only with sm.fetch = cache (fetch_lines.c): */
    struct l0_line *l0; /* [schedulers][l0_sets][l0_ways]; NULL: no such caches */
    uint64_t time;      /* accesses so far: the order of l0_line.used */
    uint32_t l0_sets, l0_ways;
    uint32_t l0_mask;                  /* sets - 1, or 0 if that is no mask */
    uint32_t depth;                    /* lines asked for ahead */
    uint32_t scale;                    /* bytes of PTX in memory, per byte of a pc */
    tick_t delay;                      /* from the instruction cache to a scheduler's */
    tick_t turn, given_at;             /* it gives one line in so many; when it can give the next */
    uint32_t streams, streamed;        /* schedulers with lines to ask for ahead, a bit each; whose turn it was last */
    uint64_t ahead[SM_MAX_SCHEDULERS]; /* the next of them */
    uint64_t until[SM_MAX_SCHEDULERS]; /* the last */
    struct fetch_miss miss[FETCH_MAX_MISSES];
};

/* ---- stages between issue and pipes (stages.c) ---- */

enum { STAGE_UNITS = UNIT_DP + 1, MAX_PLACES = 128, BUS_CYCLES = 4096 };

/* When the `n` places of a stage become free, in order of time, from `first` on: a ring, of no more than it needs so
 * that it is a line or two of the host's cache. */
struct stage_places {
    uint32_t n, first, mask;
    uint64_t free_at[MAX_PLACES];
};

/* Exists only with sm.alu_collectors or sm.sfu_stages. Times are cycles. */
struct stages {
    struct stage_places
        collector[STAGE_UNITS];             /* none: instructions of the unit go to its pipes when they are issued */
    struct stage_places entry[STAGE_UNITS]; /* the registers between collectors and pipes */
    struct stage_places pipe[STAGE_UNITS];
    uint64_t swept;              /* what `results` had of the cycles before 8 times this is gone */
    uint8_t buses;               /* results of a cycle at most */
    uint8_t results[BUS_CYCLES]; /* of a cycle to come, by the cycle modulo their number */
};

/* ---- warps (warps.c) ---- */

enum { WARP_MAX_LOOPS = 8 }; /* nested loops that are tracked per warp; a policy does not hear of deeper ones */

/* What each instruction needs is one line of the host's cache; the rest is another. */
struct sm_warp {
    _Alignas(64) struct stream_reader stream; /* its note: what the head waited for, enum wait; WAITS: for nothing */
    const struct code_inst *inst;             /* the head: the next instruction */
    const struct route *route;                /* the route of the head */
    uint32_t left;                            /* instructions of the block after the head */
    uint32_t exec;                            /* lanes of the head that execute */
    uint32_t seq;                             /* instructions issued so far, modulo 2^32 */
    uint32_t outstanding;                     /* memory instructions not finished */
    uint8_t cta;                              /* the slot of its CTA */
    uint8_t rank;                             /* its number in the CTA */
    uint8_t nloops;
    uint32_t lanes[WARP_MAX_LOOPS]; /* lanes inside each tracked loop, outer loops first */
    uint16_t loop[WARP_MAX_LOOPS];  /* the number of each tracked loop; only for policies with a leave_loop hook */
};

/* A warp's asynchronous copies by the group they belong to. The newest groups have a place each in a ring; a warp that
 * would need one more waits until all its copies are back. */
enum { COPY_GROUPS = 16 };
struct warp_copies {
    uint16_t out[COPY_GROUPS];  /* copies of the group that are on their way */
    uint32_t ended;             /* groups ended so far; the one that is open has this number */
    uint32_t wait_for;          /* groups with numbers below this must be back */
    uint32_t commits;           /* groups that the program ended; an arrival behind copies ends one, too */
    uint32_t mark[COPY_GROUPS]; /* by these modulo the size: `ended` behind them */
};

/* Events at an mbarrier of another CTA of the cluster. */
struct mail {
    uint32_t order; /* that CTA's, in the order of the dispatcher */
    uint16_t events;
    uint8_t kernel, mbarrier;
};

/* An arrival that waits for copies of its warp. Each ends a group, so there are no more than groups unless lanes use
 * many mbarriers: then some come early. */
enum { LATER_MAX = 2 * COPY_GROUPS };
struct later {
    uint64_t note;
    uint32_t events, group; /* lanes; the last group of these copies */
};

/* mbarriers of the CTAs of an SM: the events that have happened there, and what warps wait for (enum async_role). */
struct mbarriers {
    struct mail *post; /* [posted] of this cycle */
    unsigned posted, post_cap;
    uint8_t laters[SM_MAX_WARPS];
    struct later later[SM_MAX_WARPS][LATER_MAX];
    uint64_t used; /* set of slots of CTAs whose events are not all 0 */
    uint32_t events[SM_MAX_CTAS][MBARRIERS];
    struct {
        uint32_t events;
        uint8_t mbarrier;
    } need[SM_MAX_WARPS];
};

struct cta {
    bool used;
    uint8_t kernel; /* its number among those that run */
    uint8_t place;  /* its number among the CTAs of its kernel in this SM */
    struct cta_stream stream;
    uint64_t warps;   /* set of its live warps */
    uint64_t arrived; /* set of its warps that wait at the barrier */
};

/* sm.classes, as its words are counted. */
enum { CLASSES_HARDWARE, CLASSES_GPGPUSIM3, CLASSES_GPGPUSIM4 };

/* Instructions of one latency class; those that the tables of GPGPU-Sim do not have are in a class of their own,
 * EXEC_SHORT behind the usual one. Machine code has its own, EXEC_MACHINE behind, and one for branches. Lanes
 * of assembled programs that part have another. */
enum { EXEC_SHORT = LAT_COUNT, EXEC_MACHINE = 2 * LAT_COUNT, EXEC_BRANCH = 3 * LAT_COUNT, EXEC_PARTING, EXEC_CLASSES };
struct exec_class {
    uint16_t latency, init; /* cycles */
    uint8_t unit;           /* enum unit */
    uint64_t lanes;         /* sum over instructions of the lanes that executed them */
};

/* Counters of `sm` in which every issue counts: one line of the host's cache with the beginning of the account. */
struct issue_counts {
    uint64_t active_cycles, issue_cycles; /* COUNT_CYCLES */
    uint64_t warp_instructions, thread_instructions, register_reads, register_writes;
};

/* The account knows how many cycles were active and in how many something was issued: they are counted to check it. */
enum { COUNT_CYCLES = !WL_ACCOUNT || WL_ASSERTS };

/* What every cycle looks at comes first and lies together, arrays that few cycles index come last: fifteen SMs or more
 * take turns in the host's cache. The machine connects part, request, reply and the dispatcher's mailbox. */
struct sm {
    struct part part;
    uint64_t cycle;
    uint64_t next_issue; /* the first cycle in which a warp that becomes ready now can issue: this one or the next */
    tick_t head_limit; /* a head whose registers can be read at this tick is ready: until the issue stage works that is
                          the current tick, and the next cycle's afterwards */

    bool steady; /* what warps wait for is what it was when the stretch of the account began (account.h) */

    /* warps */
    uint64_t live, ready;
    uint64_t long_stall;  /* set of warps whose head waits for a load */
    uint64_t in_wheel;    /* set of all warps in the wheel */
    uint64_t *wheel;      /* [slots] set of warps whose head becomes ready at that cycle */
    uint64_t *wheel_used; /* slots that are not empty, one bit per slot */
    uint32_t wheel_mask;
    uint32_t board_regs;
    uint64_t *board; /* [warps * board_regs] tick from which a register may be read, as a due; NEVER: not known yet */
    uint64_t head_unit[UNITS]; /* [unit] set of warps whose head goes there */
    uint64_t barrier, membar, memory;
    uint64_t released;    /* set of warps that left a barrier in the issue stage of this cycle, for the account: */
    uint64_t released_at; /* the cycle; of the first none */
    uint64_t loads, shared, ended;
    uint64_t held;             /* set of those in `membar` that wait for an atomic of theirs */
    uint64_t await_copies;     /* set of those in `membar` that wait for groups of copies */
    uint64_t wrong;            /* set of warps whose buffer is or will be filled from a path they did not take */
    uint64_t second;           /* set of warps whose buffer holds, or will hold, another instruction behind the head */
    struct sm_kernel *kernels; /* [SM_MAX_KERNELS] those that run; the machine's */
    struct fetch *fetch;       /* NULL: ideal */
    struct stages *stages;     /* NULL: an instruction goes to its pipe when it is issued */

    /* schedulers and units; the ld/st unit comes below, as its end is long */
    const struct wl_sched_policy *policy;
    tick_t sched_next;    /* the tick of the next on_cycle() of the scheme */
    tick_t offered_at;    /* when a CTA was put into `offered`; NEVER: there is none */
    tick_t pipes_until;   /* no pipe is busy from this tick on */
    struct port *request; /* to the network */
    unsigned observers;   /* used entries of `observer` */
    uint32_t schedulers;
    uint32_t turn_mask; /* cycle & turn_mask goes first; UINT32_MAX: cycle modulo schedulers */
    unsigned mem_issue; /* memory instructions per cycle; 0: no limit */
    bool only_picks;    /* of the scheme's functions a cycle needs only pick() and on_issue() */
    bool ask_twice;     /* every question is asked twice and must get the same answer: the scheme is foreign, or we are
                           checking */
    bool tracks_loops;  /* the L1D's policy wants to hear of loops that are left */
    bool notes_issues;  /* there are observers or marks */
    bool ends_cycles;   /* there are observers, or the fetch stage has something to do */
    bool fetches_lines; /* sm.fetch = cache */
    uint8_t line_bytes; /* then: program counters that differ below this are of one line */
    bool sub_cores;     /* pipes belong to schedulers */
    uint8_t units;      /* units from here on have no pipes */
    _Alignas(64) struct port reply; /* from the network */
    tick_t issue_delay, mem_delay, shared_latency, hit_ticks, writeback_ticks;
    struct memop_pool *ops;
    struct req_pool *pool;
    uint8_t *mark; /* [warps * board_regs] whether a register is marked as slow; NULL: nobody asks */
    uint64_t owned[SM_MAX_SCHEDULERS];
    struct wl_sched sched;
    uint16_t pipe_end[PIPE_UNITS]; /* the pipes of unit u are pipe_free[pipe_end[u - 1]] to pipe_free[pipe_end[u] - 1];
                                      of unit 0, from pipe_free[0] on */
    tick_t pipe_free[PIPE_UNITS * SM_MAX_PIPES];
    struct exec_class exec_class[EXEC_CLASSES];
    _Alignas(64) struct issue_counts counts;
    struct account account;
    struct sm_stats stats;

    /* the dispatcher's mailbox, with offered_at: latched both ways */
    tick_t wants_at; /* since when the SM has room for another CTA; NEVER: it has none */
    const struct part *dispatcher;

    struct wl_sched_view view;
    uint64_t age[SM_MAX_WARPS];
    uint64_t older[SM_MAX_WARPS]; /* warps of its scheduler that were there before it; some have ended */
    uint8_t cta_of[SM_MAX_WARPS];
    uint32_t cta_id[SM_MAX_WARPS];

    /* the machine */
    bool const_lines; /* a request of constants or parameters is about 128 bytes, not 64 */
    bool l1d_global, l1d_flush, l1t_flush, l1c_flush, l1d_readonly;
    uint8_t segment_shift; /* of what lanes join in; 0: it depends on the width of the access */
    bool by_element, shared_turns, halved_atomics, atomic_holds, membar_registers, halved_stores, cta_share;
    uint8_t classes; /* CLASSES_... */
    uint32_t collect, reg_unit, strong;
    bool const_operands; /* trace.const = operand */
    struct {
        uint32_t init, least, latency; /* cycles: of eight columns, of any, and behind these */
    } product;
    struct {
        uint32_t bytes; /* per cycle */
        tick_t latency;
    } between;     /* SMs whose CTAs are a cluster */
    bool clusters; /* a kernel that runs has some */
    uint32_t index, sms, warps, shared_banks;
    struct cta_room room; /* all there is */
    uint32_t board_cap;   /* registers per warp `board` has room for */
    uint32_t *starving;   /* warps of all SMs in `starved` */
    struct {
        uint32_t unified, options, bytes[WL_MAX_CARVEOUTS]; /* ascending; unified 0: the split is fixed */
    } carve;
    const struct addrmap *map;

    /* the kernels */
    const struct sm_kernel *first;                  /* the one that found the SM empty; policies hear of no other */
    struct wl_kernel kernel;                        /* it, as policies see it */
    struct cta_exits *exits;                        /* [SM_MAX_KERNELS] */
    uint32_t shared_split;                          /* shared memory that the split of the L1D leaves to CTAs */
    uint64_t starved;                               /* set of warps whose next instruction is not known yet */
    struct code_inst no_inst;                       /* the head of these: waits for a register that never comes */
    const struct code_inst *fed_from[SM_MAX_WARPS]; /* of these: the instruction that issued last */
    uint32_t cta_limit;                             /* resident CTAs: of this kernel, or if there are several, of all */
    uint32_t ctas_resident;
    uint64_t next_age;

    struct lsu lsu;
    struct cta_stream offered; /* a CTA for this SM; belongs to the mailbox, as the number of its kernel does */
    uint8_t offered_kernel;
    struct sm_warp warp[SM_MAX_WARPS];
    struct {
        const struct sm_observer *hooks;
        void *self;
    } observer[SM_MAX_OBSERVERS];
    void *shared_slot;                            /* of the scheme's tables in this SM */
    int64_t sched_param[WL_MAX_POLICY_PARAMS];    /* values of the scheme's parameters */
    uint64_t sched_count[WL_MAX_POLICY_COUNTERS]; /* the scheme's counters */
    struct cta cta[SM_MAX_CTAS];
    struct warp_copies copies[SM_MAX_WARPS];
    uint64_t await_mbarrier;    /* set of those in `membar` that wait for an mbarrier */
    uint64_t await_later;       /* set of warps with arrivals that wait for copies */
    struct mbarriers *mbarrier; /* mbarrier.c */
    struct constants constants;
    struct texture_unit textures;
};

/* SMs lie one behind the other: an odd number of lines of the host's cache between them spreads the lines that every
 * cycle looks at over all sets of that cache, instead of the same few. */
_Static_assert(sizeof(struct sm) / 64 % 2, "SMs must be an odd number of lines apart: add or remove one");

#endif
