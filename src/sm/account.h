/* account.h - what every scheduler and every warp did in every cycle.
 *
 * Each cycle of a scheduler has one reason, chosen when the SM comes to issue:
 *
 *   it issued; else a warp was ready, but: the scheme did not let it (throttled), its pipe was busy, the ld/st queue
 * was full, the re-execution queue or the gate held it back; else a warp waited for a result; else for its next
 *   instruction (fetch), a fence or atomic, a barrier, the end of its stores (drain); else it had no warp.
 *
 * The reason nearest to issue wins: of all its warps the scheduler waits for the one that can go on first. Which result
 * that is, and who answers a load, is known when it has come. So nothing is done in a cycle in which warps waited for
 * results: it stays open, and the next warp to issue that had to wait says what the open ones were: what it waited for
 * itself. A kernel leaves none open, because whoever waits for a result issues in the end. How many are open is never
 * counted: it is the difference of two numbers that seldom change. One is of the SM, the cycles `outside` the issue
 * stage, in which no warp could issue; the other of the scheduler, those of them that are `closed`. A cycle inside the
 * issue stage is closed unless it is taken back, so that a scheduler that issues again and again changes neither.
 *
 * A warp's time between two issues has at most three parts. At a barrier or fence it notes the time when it is let go;
 * how long it waits for a result or an instruction is added when that is known; from then on it is one of the ready
 * warps, which are counted as sets, cycle by cycle. So an issue costs a few sums, and nothing looks at warps one by
 * one. Cycles without an issue come in stretches that are all alike, asleep or awake: nothing is done in them, and they
 * are added when something changes (sm.steady).
 *
 * What a result is of travels with the tick at which it can be read, in its low bits: the scoreboard's maximum finds
 * both at once. */
#ifndef WL_SM_ACCOUNT_H
#define WL_SM_ACCOUNT_H

#include "engine/part.h"
#include "stats/stats.h"
#include "stream/stream.h"
#include "warpline/sched.h"

/* 0: a program without the account, which scripts/account_cost.sh builds to say what the account costs. */
#ifndef WL_ACCOUNT
#define WL_ACCOUNT 1
#endif

/* What a register or a buffer of instructions is waited for. Of two that come at the same tick the later in this list
 * counts. */
enum wait { WAIT_ALU, WAIT_SHARED, WAIT_L1, WAIT_L2, WAIT_IN_FLIGHT, WAIT_DRAM, WAIT_ATOMIC, WAIT_FETCH, WAITS };
enum { WAIT_BITS = WL_ACCOUNT ? 3 : 0 };
_Static_assert(!WL_ACCOUNT || WAITS == 1 << WAIT_BITS, "every value of the bits is a reason");

/* A time with what comes then. NEVER stays NEVER. */
static inline uint64_t due_make(uint64_t time, enum wait what) { return time << WAIT_BITS | (WL_ACCOUNT ? what : 0u); }
static inline uint64_t due_later(uint64_t due, uint64_t by) { return due + (by << WAIT_BITS); }
static inline uint64_t due_time(uint64_t due) { return due >> WAIT_BITS; }
static inline enum wait due_what(uint64_t due) { return (enum wait)(due & ((1u << WAIT_BITS) - 1)); }

/* What every issue looks at is in the first lines of the host's cache, of which every SM has its own: cycles that are
 * only subtracted from one another are kept modulo 2^32. */
struct account {
    uint64_t not_selected; /* warp cycles in the issue stage */
    uint64_t before;       /* warp instructions when the last issue stage of a scheme that only picks began */
    uint64_t blocked;      /* in an issue stage of a scheme that only picks: ready warps whose unit takes no more */
    /* A stretch of cycles in which nothing can issue and which are all alike; it is given to its reasons when it is
     * over. */
    uint64_t began;                     /* its first cycle; 0: there is none */
    uint64_t outside;                   /* cycles outside the issue stage */
    uint32_t closed[WL_MAX_SCHEDULERS]; /* of these: have a reason, or the SM had no warp; less the open ones inside */
    uint8_t to[WL_MAX_SCHEDULERS];      /* the reason of each scheduler: TO_OPEN, or a counter of `stats` */
    uint64_t kept;                      /* ready warps in each of its cycles, all of which find the ld/st queue full */
    uint32_t left_at;                   /* `outside` when the SM had no warp again */
    bool passed;                        /* in an issue stage of a scheme that only picks: a warp's wrong path was met */
    bool spread;                        /* every scheduler has a warp */
    uint64_t resident;            /* cycles with a warp: from when the first came (subtracted) to when the last went */
    uint64_t lsu_full, pipe_busy; /* warp cycles in the issue stage of a scheme that only picks */
    uint64_t scheduler_wait[WAITS]; /* cycles given to the kind of result that ended them */
    uint64_t warp_wait[WAITS];      /* the same of warps, added ahead when a result is due */
    uint32_t since[WL_MAX_WARPS];   /* of warps that wait for something of unknown length: the first cycle */
    uint64_t stuck;  /* in an issue stage: warps of schedulers whose scheme picked none of those that could issue */
    uint64_t vain;   /* issue stages without an issue */
    uint64_t second; /* warps issued by a scheduler that had issued another in the same cycle */
    struct account_stats stats; /* the other reasons */
    struct warp_states_stats states;
};
enum { TO_OPEN = UINT8_MAX };

/* The cycles of the warp since its last note; those that end before cycle `at`. */
static inline uint64_t account_note(struct account *a, unsigned w, uint64_t at)
{
    uint32_t n = (uint32_t)at - a->since[w];
    a->since[w] = (uint32_t)at;
    return n;
}

#endif
