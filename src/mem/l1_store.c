/* l1_store.c - stores in a cache of lines.
 *
 * A global store passes on to the L2 and kills the line, or leaves it and its new bytes there, or takes a line for
 * them, as the machine has it. A local store that finds all it writes stays until its line is evicted. */
#include "mem/l1_priv.h"

/* A local line that has all the store writes keeps the data until it is evicted; everything else goes on. */
static bool writes_here(const struct l1 *c, const struct req *r, int at)
{
    return r->space == WL_LOCAL && !c->local_through && (c->tags.sectors[at].valid & r->sectors) == r->sectors;
}

/* Whether a store finds no line, and no way that could hold one. */
static bool no_way(const struct l1 *c, uint32_t set, int at)
{
    return c->store_way && at < 0 && !c->tags.infinite && tags_all_reserved(&c->tags, set);
}

/* The line at `at` has the store's bytes; a sector that is now wholly written is as good as fetched. */
static void mark_written(struct l1 *c, const struct req *r, uint32_t at)
{
    struct line_sectors *l = &c->tags.sectors[at];
    uint64_t *w = c->written[at];
    if (!l->stored) w[0] = w[1] = 0;
    l->stored = true;
    w[0] |= r->bytes[0];
    w[1] |= r->bytes[1];
    for (unsigned s = 0; s < LINE_SECTORS; s++) {
        bool whole = (w[s >> 1] >> (32 * (s & 1)) & UINT32_MAX) == UINT32_MAX;
        if (whole && !(l->pending >> s & 1)) l->valid |= (uint8_t)(1u << s);
    }
}

/* A store that found no line takes the way `at`, without fetching anything. */
static void take_for_store(struct l1 *c, const struct wl_access *a, uint32_t at)
{
    struct tags *t = &c->tags;
    if (WL_STATE(t->state[at]) == WL_VALID) l1_evict_line(c, a, at);
    l1_report_access(c, a, WL_MISSED, (int)at);
    tags_take(t, a->set, at, a->line);
    t->state[at] = WL_VALID;
    t->sectors[at] = (struct line_sectors){.mshr = NO_MSHR};
}

/* A global store of a cache whose stores take lines. */
static __attribute__((noinline)) enum l1_outcome allocating_store(struct l1 *c, struct req *r,
                                                                  const struct wl_access *a, bool *found)
{
    struct tags *t = &c->tags;
    int at = tags_find(t, a->set, a->line), way = 0;
    *found = at >= 0 && WL_STATE(t->state[at]) == WL_VALID;
    bool take = at < 0;
    if (take) {
        struct wl_set s = tags_view(t, a->set);
        way = policy_victim(&c->pol, a, &s);
        if (way == WL_NO_WAY_STALL) return L1_NO_LINE;
        take = way >= 0;
    }
    uint32_t place = a->set * t->ways + (uint32_t)way;
    if (!l1_missq_room(c, take && t->sectors[place].dirty ? 2 : 1)) return L1_NO_QUEUE;
    if (take) take_for_store(c, a, place);
    else policy_access(&c->pol, a, WL_STORED, at < 0 ? -1 : l1_way_of(c, a->set, at));
    if (take || at >= 0) mark_written(c, r, take ? place : (uint32_t)at);
    l1_send(c, r);
    return L1_STORED;
}

enum l1_outcome l1_store(struct l1 *c, struct req *r, const struct wl_access *a, bool *found)
{
    if (c->write_alloc && (r->space == WL_GLOBAL || c->local_through)) return allocating_store(c, r, a, found);
    struct tags *t = &c->tags;
    int at = tags_find(t, a->set, a->line);
    *found = at >= 0 && WL_STATE(t->state[at]) == WL_VALID;
    bool copy = at >= 0;
    if (*found && writes_here(c, r, at)) {
        t->state[at] |= WL_DIRTY;
        t->sectors[at].dirty |= r->sectors;
        r->is_reply = true;
    } else {
        if (no_way(c, a->set, at)) return L1_NO_LINE;
        if (!l1_missq_room(c, 1)) return L1_NO_QUEUE;
        if (*found && !c->update) {
            if (c->observer) c->observer->kill(c->observer, a->line);
            if (!t->infinite) l1_report_leave(c, a->set, (uint32_t)at, WL_KILLED, a);
            tags_invalidate(t, a->set, (uint32_t)at);
            copy = false;
        }
        l1_send(c, r);
    }
    if (!t->infinite) policy_access(&c->pol, a, WL_STORED, copy ? l1_way_of(c, a->set, at) : -1);
    return L1_STORED;
}
