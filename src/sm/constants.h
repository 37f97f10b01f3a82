/* constants.h - constants as Hopper reads them: a few lines at hand, all others behind them, and one address at a time.
 *
 * A load of constant memory whose line the constant cache (l1c.*) has is answered after l1c.near_hit cycles if the line
 * is one of the l1c.near that were used last, else after l1c.far_hit. A warp whose lanes want different addresses
 * occupies the unit l1c.turn cycles for each of them. Parameters are operands of instructions there and not concerned.
 */
#ifndef WL_SM_CONSTANTS_H
#define WL_SM_CONSTANTS_H

#include "engine/part.h"
#include "mem/req.h"
#include "param/config.h"
#include "stream/stream.h"

enum { NEAR_LINE_SHIFT = 6, NEAR_MOST = 32 };

struct constants {
    uint32_t near; /* lines at hand; 0: none of this */
    uint32_t turn; /* cycles for each address */
    tick_t near_ticks, far_ticks;
    bool pair;                /* a line comes with its neighbour: 256 bytes */
    uint64_t used;            /* counts accesses */
    uint64_t line[NEAR_MOST]; /* of 64 bytes, plus 1 */
    uint64_t last[NEAR_MOST]; /* when it was used */
};

void constants_init(struct constants *c, const int64_t *v, tick_t period);
void constants_flush(struct constants *c);

/* How long the request, which the constant cache can answer, waits for its data. */
tick_t constants_wait(struct constants *c, const struct req *r);
/* For how many cycles the load occupies the unit. */
uint32_t constants_turns(const struct constants *c, const struct warp_addrs *a);

/* Whether a request of the constant cache is for constants; the others are for parameters. */
bool constants_own(const struct req *r);

#endif
