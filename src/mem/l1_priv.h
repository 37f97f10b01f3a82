/* l1_priv.h - between the two ways an L1 finds its data: lines (l1.c) and grains (l1_grain.c). */
#ifndef WL_MEM_L1_PRIV_H
#define WL_MEM_L1_PRIV_H

#include "mem/grain_tags.h"
#include "mem/l1.h"

static inline bool l1_missq_room(const struct l1 *c, uint32_t n) { return c->missq_used + n <= c->missq_cap; }

static inline void l1_send(struct l1 *c, struct req *r)
{
    WL_ASSERT(c->missq_used < c->missq_cap);
    list_push(&c->missq, r);
    c->missq_used++;
}

/* Sends the sectors of a line that stores of local data have written. */
void l1_write_back(struct l1 *c, uint64_t line, uint8_t sectors);

/* Loads that did not bypass, and stores, in a cache of grains. */
enum l1_outcome grain_load(struct l1 *c, struct req *r, const struct wl_access *a, bool may_miss);
/* *found: some of the store's data was here. */
enum l1_outcome grain_store(struct l1 *c, struct req *r, const struct wl_access *a, bool *found);
void grain_fill(struct l1 *c, struct req *reply, struct req_list *done);

#endif
