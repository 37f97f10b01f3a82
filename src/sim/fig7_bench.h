/* fig7_bench.h - one SM whose memory answers when told: the machine of Mascar's second example (its Fig. 7).
 *
 * Two MSHRs, both taken; loads take 5 cycles. Four warps load one line each, in turn. The line of W1 is in the
 * L1D until a returning request evicts it in cycle 5. */
#ifndef WL_SIM_FIG7_BENCH_H
#define WL_SIM_FIG7_BENCH_H

#include "param/config.h"

/* Cycle 0 is that in which W0 enters the ld/st unit; a request is looked up the cycle after it entered. */
struct fig7 {
    struct fig7_warp {
        unsigned entered;  /* the unit */
        unsigned queued;   /* first cycle in the re-execution queue; 0: never */
        unsigned accepted; /* by the L1D */
        bool hit;
    } warp[4];
    unsigned stalls;  /* cycles in which the unit was blocked */
    unsigned fetches; /* of the four loads */
};

/* On the machine `c`, whose L1D policy must be a copy that fig7_heard is told of by on_access. */
int fig7_play(const struct gpu_config *c, struct fig7 *out, struct wl_err *e);
/* The policy's on_access calls this with the slot of the warp, the cycle and whether it hit. */
void fig7_heard(unsigned slot, uint64_t cycle, bool hit);

#endif
