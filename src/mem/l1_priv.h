/* l1_priv.h - between the files of an L1: lines (l1.c, l1_usual.c, l1_store.c, l1_sector.c) and grains (l1_grain.c). */
#ifndef WL_MEM_L1_PRIV_H
#define WL_MEM_L1_PRIV_H

#include "mem/grain_tags.h"
#include "mem/l1.h"

static inline void l1_send(struct l1 *c, struct req *r)
{
    WL_ASSERT(c->missq_used < c->missq_cap);
    list_push(&c->missq, r);
    c->missq_used++;
}

/* The request is refused for this reason. */
static inline enum l1_outcome l1_note_refusal(struct l1 *c, enum l1_outcome why, uint32_t set)
{
    c->refused = why;
    c->missq_wanted = 1;
    c->refused_at = set * c->tags.ways;
    c->changed = false;
    return why;
}

/* A load that does not bypass, in a cache that is `usual`. L1_AGAIN: nothing has changed, and l1.c is to look at it. */
enum l1_outcome l1_usual_load(struct l1 *c, struct req *r, uint64_t cycle, bool may_miss);

/* Sends the sectors of a line that stores of local data have written. */
void l1_write_back(struct l1 *c, uint64_t line, uint8_t sectors);

/* The way of the set that has the index `at`. */
static inline int l1_way_of(const struct l1 *c, uint32_t set, int at) { return at - (int)(set * c->tags.ways); }

/* The line at `at` leaves. */
static inline void l1_report_leave(struct l1 *c, uint32_t set, uint32_t at, enum wl_leave why,
                                   const struct wl_access *by)
{
    const struct tags *t = &c->tags;
    if (!c->pol.policy->on_leave) return;
    const struct wl_line gone = {set, at - set * t->ways, t->line[at], t->state[at]};
    policy_leave(&c->pol, &gone, why, by);
}

/* An access of a cache with ways was accepted; an infinite one has none, and nothing is reported to its policy. */
static inline void l1_report_access(struct l1 *c, const struct wl_access *a, enum wl_outcome outcome, int at)
{
    if (!c->tags.infinite) policy_access(&c->pol, a, outcome, l1_way_of(c, a->set, at));
}

/* The valid line at `at` makes room for another one. */
static inline void l1_evict_line(struct l1 *c, const struct wl_access *a, uint32_t at)
{
    const struct tags *t = &c->tags;
    l1_report_leave(c, a->set, at, WL_EVICTED, a);
    c->stats.evictions++;
    if (c->observer) c->observer->evict(c->observer, a, t->line[at]);
    if (t->sectors[at].dirty) l1_write_back(c, t->line[at], t->sectors[at].dirty);
}

/* A store in a cache of lines; *found: its line was here. */
enum l1_outcome l1_store(struct l1 *c, struct req *r, const struct wl_access *a, bool *found);

/* Loads that did not bypass, and stores, in a cache of grains. */
enum l1_outcome grain_load(struct l1 *c, struct req *r, const struct wl_access *a, bool may_miss);
/* *found: some of the store's data was here. */
enum l1_outcome grain_store(struct l1 *c, struct req *r, const struct wl_access *a, bool *found);
void grain_fill(struct l1 *c, struct req *reply, struct req_list *done);

/* Where each sector is a miss of its own: */
/* The load has begun to fetch sectors, of a line that was taken for it or had others under way. */
void sector_fetched(struct l1 *c, uint32_t m, uint8_t sectors, bool first);
void sector_fill(struct l1 *c, struct req *reply, struct req_list *done);

/* Whether one more request may wait for these sectors, which are on their way. */
static inline bool l1_can_merge(const struct l1 *c, uint32_t m, uint8_t want)
{
    return c->by_sector ? mshr_can_join(&c->mshr, m, want) : mshr_can_merge(&c->mshr, m);
}

#endif
