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

/* What a register or a buffer of instructions is waited for. Of two that come at the same tick the later in this list
 * counts. */
enum wait { WAIT_ALU, WAIT_SHARED, WAIT_L1, WAIT_L2, WAIT_IN_FLIGHT, WAIT_DRAM, WAIT_ATOMIC, WAIT_FETCH, WAITS };
enum { WAIT_BITS = 3 };
_Static_assert(WAITS == 1 << WAIT_BITS, "every value of the bits is a reason");

/* A time with what comes then. NEVER stays NEVER. */
static inline uint64_t due_make(uint64_t time, enum wait what) { return time << WAIT_BITS | what; }
static inline uint64_t due_time(uint64_t due) { return due >> WAIT_BITS; }
static inline enum wait due_what(uint64_t due) { return (enum wait)(due & (WAITS - 1)); }

/* Cycles that were spent on waiting for one kind of result. */
struct waited {
    uint64_t scheduler; /* scheduler cycles, given to what ended them */
    uint64_t warp;      /* warp cycles, added ahead when a result is due */
};

/* What every issue looks at is in the first lines of the host's cache, of which every SM has its own: cycles that are
 * only subtracted from one another are kept modulo 2^32. */
struct account {
    uint64_t not_selected; /* warp cycles in the issue stage */
    /* A stretch of cycles in which nothing can issue and which are all alike; it is given to its reasons when it is
     * over. */
    uint64_t began;                     /* its first cycle; 0: there is none */
    uint32_t outside;                   /* cycles outside the issue stage */
    uint32_t closed[WL_MAX_SCHEDULERS]; /* of these: have a reason, or the SM had no warp; less the open ones inside */
    uint8_t to[WL_MAX_SCHEDULERS];      /* the reason of each scheduler: TO_OPEN, or a counter of `stats` */
    uint64_t kept;                      /* ready warps in each of its cycles, all of which find the ld/st queue full */
    uint32_t left_at;                   /* `outside` when the SM had no warp again */
    uint64_t resident;            /* cycles with a warp: from when the first came (subtracted) to when the last went */
    uint64_t lsu_full, pipe_busy; /* warp cycles in the issue stage of a scheme that only picks */
    struct waited wait[WAITS];
    uint32_t since[WL_MAX_WARPS]; /* of warps that wait for something of unknown length: the last cycle before */
    uint64_t stuck;  /* in an issue stage: warps of schedulers whose scheme picked none of those that could issue */
    uint64_t second; /* warps issued by a scheduler that had issued another in the same cycle */
    struct account_stats stats; /* the other reasons */
    struct warp_states_stats states;
};
enum { TO_OPEN = UINT8_MAX };

/* The cycles of the warp since its last note; those that end before cycle `at`. */
static inline uint64_t account_note(struct account *a, unsigned w, uint64_t at)
{
    uint32_t n = (uint32_t)at - 1 - a->since[w];
    a->since[w] = (uint32_t)at - 1;
    return n;
}

/* A warp has waited since its last note and can issue from `cycle` on, because of what comes then. Returns what it
 * waited for, or WAITS: it did not. */
static inline uint8_t account_due(struct account *a, unsigned w, uint64_t cycle, enum wait what)
{
    uint32_t waited = (uint32_t)cycle - 1 - a->since[w];
    a->wait[what].warp += waited;
    return waited ? (uint8_t)what : WAITS;
}

/* The scheduler issues a warp that has waited for what its note says: cycles that are open were spent on the same. */
static inline void account_issue(struct account *a, unsigned sched, const struct stream_reader *warp)
{
    uint32_t *closed = &a->closed[sched];
    if (*closed == a->outside || warp->note == WAITS) return;
    a->wait[warp->note].scheduler += a->outside - *closed;
    *closed = a->outside;
}

#endif
