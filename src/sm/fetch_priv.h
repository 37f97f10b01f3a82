/* fetch_priv.h - what the two front ends share: the SM's instruction cache and whose turn it is. */
#ifndef WL_SM_FETCH_PRIV_H
#define WL_SM_FETCH_PRIV_H

#include "sm/sm_priv.h"

/* ---- fetch.c ---- */

bool il1_hit(struct fetch *f, uint64_t line);                /* and the line becomes the youngest */
struct fetch_miss *il1_find(struct fetch *f, uint64_t line); /* the line is on its way; NULL: it is not */
struct fetch_miss *il1_ask(struct sm *s, uint64_t line);     /* asks the L2 for it; NULL: no MSHR is free */
bool il1_wait(struct sm *s, unsigned w, uint64_t line);      /* the warp waits for it; false: it is refused */

/* Whose turn is next in `set`, which is not empty. */
static inline unsigned fetch_turn(const struct fetch *f, uint64_t set)
{
    uint64_t behind = set & (UINT64_MAX << f->last << 1);
    return bit_low64(behind ? behind : set);
}

/* ---- fetch_lines.c ---- */

bool fetch_lines_init(struct sm *s, const struct gpu_config *c); /* false: out of memory */
void fetch_lines_advance(struct sm *s, unsigned w, uint32_t head, tick_t now);
void fetch_lines_fill(struct sm *s, uint64_t line); /* it has come into the SM's cache */
bool fetch_lines_cycle(struct sm *s, tick_t now);   /* returns whether a warp may have become ready */

#endif
