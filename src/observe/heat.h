/* heat.h - where things happen over time: counts by SM, by memory bank and by set of the L1D, at every sample.
 *
 * Exists with stats.profile and stats.interval. A map has at most HEAT_ROWS rows: neighbours share one where there are
 * more banks or sets. */
#ifndef WL_OBSERVE_HEAT_H
#define WL_OBSERVE_HEAT_H

#include "stats/profile_report.h"

struct heat {
    uint32_t of[HEAT_MAPS];    /* SMs, banks, sets of the machine */
    uint32_t rows[HEAT_MAPS];  /* of the map */
    uint32_t first[HEAT_MAPS]; /* where its rows begin in a sample */
    uint32_t width;            /* of a sample */
    uint64_t *count;           /* [width] so far */
    uint64_t *sample;          /* [room * width] counts so far at the end of each */
    uint32_t samples, room;
};

/* -1: out of memory. */
int heat_init(struct heat *h, uint32_t sms, uint32_t banks, uint32_t sets, uint32_t room);
void heat_destroy(struct heat *h);
static inline void heat_add(struct heat *h, enum heat_map map, uint32_t index)
{
    h->count[h->first[map] + (uint32_t)((uint64_t)(index % h->of[map]) * h->rows[map] / h->of[map])]++;
}
void heat_take(struct heat *h);  /* a sample ends */
void heat_halve(struct heat *h); /* every second sample is dropped, beginning with the first */
/* Copies them, with what was counted since the last as one more; -1: out of memory. */
int heat_read(const struct heat *h, struct heat_report *out);

#endif
