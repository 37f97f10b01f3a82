/* l2_halves.h - an L2 of two halves: l2.halves.
 *
 * Slices stand in pairs, one of each half, and SMs are in one half or the other. An address names the slice that is its
 * line's home; an SM asks the one of that pair that is in its own half. Where this is not the home, the line is far:
 *
 *   SM -> network -> near slice -> hit in a copy: reply
 *                      | in           ^ back
 *                      v              |
 *                   home slice -> hit: answer
 *                      | miss
 *                      v
 *                   memory channel
 *
 * A read that misses in the near slice crosses to the home slice, is looked up there like any other, and what it
 * brings back is kept in the near slice as a copy, a line like others and never dirty. Stores and atomics cross without
 * a look at the near slice, are performed at home, and their answers come back the same way. A copy stays what it is
 * when its line is written: what real ones do was not seen to cost a reader anything (docs/fidelity-h200.md).
 *
 * No slice waits for one that waits for it: requests that crossed wait for memory only. For that at most half of a
 * slice's MSHRs, and never the last way of a set, are for what the other half was asked. */
#ifndef WL_MEM_L2_HALVES_H
#define WL_MEM_L2_HALVES_H

#include "mem/l2.h"

struct l2_half {
    struct l2 *other;      /* the slice across */
    struct port in;        /* what comes from there for lines that are at home here, */
    struct port back;      /* and the answers to what this slice has sent there */
    struct req *leaving;   /* a read that the access at the tags has made, to be sent */
    enum l2_stall stalled; /* what the oldest request of `in` waits for */
    bool crossed_last;     /* the request served last was one of `in` */
    bool back_last;        /* what came last was an answer, not a fill from memory */
    uint32_t asked;        /* of the slice's mshr_sectors, those that the other one was asked for */
};

/* Makes slices a and b stand across from each other, `delay` ticks apart. -1: no memory. */
int l2_halves_connect(struct l2 *a, struct l2 *b, const struct gpu_config *c, tick_t delay);
void l2_half_destroy(struct l2 *s);
bool l2_half_idle(const struct l2 *s);
void l2_half_walk(const struct l2 *s);

/* ---- at the near slice ---- */

/* Whether a request can cross. */
static inline bool l2_half_open(struct l2 *s, tick_t now) { return port_can_push(&s->half->other->half->in, now); }
/* Whether so many more sectors may be asked of the other half. */
bool l2_half_may_ask(const struct l2 *s, uint32_t sectors);
/* Whether a copy may take a way of the set. */
bool l2_half_may_keep(const struct l2 *s, uint32_t set);
/* The read waits at the line `at`, whose MSHR entry exists, for sectors that the other half is asked for. */
void l2_half_ask(struct l2 *s, struct req *r, uint32_t at, uint8_t sectors);
/* The request itself crosses. */
void l2_half_pass(struct l2 *s, struct req *r);
/* What the access has made leaves. */
void l2_half_send(struct l2 *s, tick_t now);
/* Takes an answer, if one has come and there is room for it. */
void l2_half_accept(struct l2 *s, tick_t now);

/* ---- at the home slice ---- */

static inline struct port *l2_half_way_back(struct l2 *s) { return &s->half->other->half->back; }
/* When a request or an answer of the other half can be worked on. */
tick_t l2_half_next(const struct l2 *s, tick_t now);

#endif
