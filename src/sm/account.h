/* account.h - what every scheduler and every warp did in every cycle.
 *
 * Each cycle of a scheduler has one reason, chosen when the SM comes to issue:
 *
 *   it issued; else a warp was ready, but: the scheme did not let it (throttled), its pipe was busy, the ld/st queue
 * was full, the re-execution queue or the gate held it back; else a warp waited for a result; else for its next
 *   instruction (fetch), a fence or atomic, a barrier, the end of its stores (drain); else it had no warp.
 *
 * The reason nearest to issue wins: of all its warps the scheduler waits for the one that can go on first. Which result
 * that is, and who answers a load, is known when it has come. So cycles in which warps waited for results are kept
 * aside (`open`), and the next warp to issue that had to wait says what they were: what it waited for itself. A kernel
 * leaves none open, because whoever waits for a result issues in the end.
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

/* Cycles that were spent on waiting for each kind of result. */
struct waited {
    uint64_t scheduler[WAITS + 1]; /* scheduler cycles, given to what ended them; the last is always 0 */
    uint64_t warp[WAITS];          /* warp cycles, added ahead when a result is due */
};

/* What every issue looks at is in the first lines of the host's cache. */
struct account {
    uint32_t open[WL_MAX_SCHEDULERS]; /* scheduler cycles that warps waited for results, not given to one yet */
    uint64_t not_selected;            /* warp cycles */
    /* A stretch of cycles in which nothing can issue and which are all alike; it is given to its reasons when it is
     * over. */
    uint64_t began;                /* its first cycle; 0: there is none */
    uint8_t to[WL_MAX_SCHEDULERS]; /* the reason of each scheduler: TO_OPEN, or a counter of `stats` */
    uint64_t kept;                 /* ready warps in each of its cycles, all of which find the ld/st queue full */
    struct waited wait;
    uint64_t resident;          /* cycles with a warp: from when the first came (subtracted) to when the last went */
    uint64_t second;            /* warps issued by a scheduler that had issued another in the same cycle */
    struct account_stats stats; /* the other reasons */
    struct warp_states_stats states;
    uint64_t since[WL_MAX_WARPS]; /* of warps that wait for something of unknown length: the last cycle before */
};
enum { TO_OPEN = UINT8_MAX };

/* The cycles of the warp since its last note; those that end before cycle `at`. */
static inline uint64_t account_note(struct account *a, unsigned w, uint64_t at)
{
    uint64_t n = at - 1 - a->since[w];
    a->since[w] = at - 1;
    return n;
}

/* A warp has waited since `from` and can issue from `cycle` on, because of what comes then. Returns what it waited for,
 * or WAITS: it did not. */
static inline uint8_t account_due(struct account *a, uint64_t from, uint64_t cycle, enum wait what)
{
    uint64_t waited = cycle - 1 - from;
    a->wait.warp[what] += waited;
    return waited ? (uint8_t)what : WAITS;
}

/* The scheduler issues a warp that has waited for this: cycles that are open were spent on the same. */
static inline void account_issue(struct account *a, unsigned sched, uint8_t waited)
{
    uint32_t open = a->open[sched] & ((uint32_t)waited / WAITS - 1); /* no branch: it would be guessed wrongly */
    a->wait.scheduler[waited] += open;
    a->open[sched] -= open;
}

#endif
