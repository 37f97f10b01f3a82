#include "sm/constants.h"

#include <string.h>

#include "stream/spaces.h"

void constants_init(struct constants *c, const int64_t *v, tick_t period)
{
    *c = (struct constants){.near = (uint32_t)v[P_L1C_NEAR],
                            .turn = (uint32_t)v[P_L1C_TURN],
                            .near_ticks = period * (tick_t)v[P_L1C_NEAR_HIT],
                            .far_ticks = period * (tick_t)v[P_L1C_FAR_HIT],
                            .pair = v[P_L1C_FILL] == 2};
}

void constants_flush(struct constants *c) { memset(c->line, 0, sizeof c->line); }

bool constants_own(const struct req *r) { return r->line < L2_PARAM >> LINE_SHIFT; }

tick_t constants_wait(struct constants *c, const struct req *r)
{
    uint64_t line = r->line * 2 + !(r->touched & 3) + 1;
    uint32_t oldest = 0;
    c->used++;
    for (uint32_t i = 0; i < c->near; i++) {
        if (c->line[i] == line) {
            c->last[i] = c->used;
            return c->near_ticks;
        }
        if (c->last[i] < c->last[oldest]) oldest = i;
    }
    c->line[oldest] = line;
    c->last[oldest] = c->used;
    return c->far_ticks;
}

uint32_t constants_turns(const struct constants *c, const struct warp_addrs *a)
{
    uint64_t seen[WARP_SIZE];
    uint32_t n = 0;
    if (a->affine && !a->stride) return c->turn;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t addr = warp_addr(a, bit_low32(m));
        uint32_t i = 0;
        while (i < n && seen[i] != addr) i++;
        if (i == n) seen[n++] = addr;
    }
    return n * c->turn;
}
