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
 * its result or instruction comes at a cycle that is noted when it is known (`ready`); from then on it is one of the
 * ready warps, which are counted as sets, cycle by cycle. So a cycle costs a few tests per scheduler, an issue a few
 * sums, and nothing looks at warps one by one. Cycles an SM sleeps through are alike: they are added when it wakes.
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

/* A warp's head: `since` is the last cycle before what it does now, `ready` the first in which it can issue, as a due.
 */
struct warp_time {
    uint64_t since, ready;
};

struct account {
    uint64_t at;               /* the cycle in which a warp that becomes ready now can issue */
    uint64_t issued;           /* set of warps that issued in this cycle */
    uint64_t can;              /* set of warps that could have issued in this cycle, but did not */
    uint64_t refused;          /* set of warps that the scheme did not let issue */
    uint64_t resident;         /* cycles with a warp, less `at` when the first came, plus `at` when the last went */
    uint64_t wait[WAITS];      /* scheduler cycles that warps waited for results, by what ended them */
    uint64_t warp_wait[WAITS]; /* warp cycles */
    uint64_t open[WL_MAX_SCHEDULERS]; /* scheduler cycles that warps waited for results, not given to one yet */
    struct account_stats stats;       /* the other reasons */
    struct warp_states_stats states;
    struct warp_time time[WL_MAX_WARPS];
};

/* The warp can issue from cycle a->at on, or from `cycle` on, and waited for `what` until then. */
static inline void account_ready(struct account *a, unsigned w, uint64_t cycle, enum wait what)
{
    a->time[w].ready = due_make(cycle, what);
}

/* The cycles of the warp since its last note; they end here. */
static inline uint64_t account_note(struct account *a, unsigned w)
{
    uint64_t n = a->at - 1 - a->time[w].since;
    a->time[w].since = a->at - 1;
    return n;
}

/* How long the warp that issues now waited for what its head needed. */
static inline uint64_t account_waited(const struct account *a, unsigned w)
{
    return due_time(a->time[w].ready) - a->time[w].since - 1;
}

/* The scheduler issues the warp. Without branches: whether a warp waited is hard to guess. */
static inline void account_issue(struct account *a, unsigned sched, unsigned w, uint64_t cycle)
{
    enum wait what = due_what(a->time[w].ready);
    uint64_t waited = account_waited(a, w), open = a->open[sched] & (0 - (uint64_t)(waited != 0));
    a->warp_wait[what] += waited;
    a->wait[what] += open;
    a->open[sched] -= open;
    a->time[w].since = cycle;
    a->issued |= UINT64_C(1) << w;
}

#endif
