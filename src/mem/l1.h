/* l1.h - a first-level cache of an SM: data, texture or constant.
 *
 * The ld/st unit presents one request at a time; it is accepted (hit, merged, missed, bypassed,
 * stored) or refused for want of a resource and then changes nothing. Misses, bypasses, stores
 * and write-backs leave through the miss queue. Lines are reserved on a miss; global stores
 * are written through and evict, local ones are written back. */
#ifndef WL_MEM_L1_H
#define WL_MEM_L1_H

#include "mem/mshr.h"
#include "mem/tags.h"
#include "param/config.h"
#include "observe/profile.h"
#include "stats/stats.h"

enum l1_outcome {
    L1_HIT,
    L1_MERGED,
    L1_MISSED,
    L1_BYPASSED,
    L1_STORED,
    /* refused */
    L1_NO_MSHR,
    L1_NO_MERGE,
    L1_NO_LINE,
    L1_NO_QUEUE,
    L1_GATED,
    L1_ORDER, /* by the ld/st unit: an earlier instruction of the warp waits for re-execution */
    L1_AGAIN, /* wants no resource: to be presented again in the next cycle */
    L1_OUTCOMES
};
static inline bool l1_refused(enum l1_outcome o) { return o >= L1_NO_MSHR; }

struct l1 {
    struct tags tags;
    struct mshrs mshr;
    const struct wl_cache_policy *policy;
    void *self;            /* the policy's */
    struct grains *grains; /* NULL: lines, in `tags` */
    struct req_pool *pool;
    uint32_t missq_cap, missq_used;
    struct req_list missq;
    bool sectored, half_lines /* 64-byte lines: the constant cache */;
    bool bypass_lines; /* a bypassed read fetches its whole line */
    bool update /* stores leave lines valid */, perfect /* loads always hit */;
    uint8_t origin, sm;
    bool steady;                    /* what the policy answers changes only with accepted accesses and fills, */
    bool changed;                   /* and since the last refusal something happened that can lift it */
    enum l1_outcome refused;        /* why that was, */
    uint32_t refused_at;            /* and the first way of the set it wanted */
    bool gate_merges;               /* who may not miss may not merge either */
    struct observer *observer;      /* of stats.profile; NULL: nobody looks */
    struct l1d_stats stats;         /* but for the stalls, see l1_add_stats */
    uint64_t refusals[L1_OUTCOMES]; /* cycles in which the oldest request met this; of refusals only */
};

struct l1_shape {
    uint32_t sets, ways, mshr, merge, missq;
    enum index_fn index;
    bool sectored, infinite, half_lines;
    uint8_t origin;
    bool bypass_lines;
    bool update, perfect;
};

int l1_init(struct l1 *c, const struct l1_shape *shape, const struct cache_choice *choice, const struct wl_geometry *g,
            struct req_pool *pool, struct wl_err *e);
void l1_destroy(struct l1 *c);

/* `may_miss`: the scheduler lets this warp send misses. On acceptance the request is owned by
 * the cache, except after L1_HIT and L1_STORED of a local hit (r->kind == WL_STORE with
 * r->is_reply set), which the caller finishes. */
enum l1_outcome l1_access(struct l1 *c, struct req *r, uint64_t cycle, bool may_miss);

/* Whether a load of these sectors would hit now; nothing changes. */
bool l1_would_hit(const struct l1 *c, uint64_t line, uint8_t sectors);

/* The data of a miss arrived; the request that fetched it and those that waited for it are
 * appended to *done. */
void l1_fill(struct l1 *c, struct req *reply, struct req_list *done);

static inline struct req *l1_missq_head(const struct l1 *c) { return c->missq.head; }
static inline struct req *l1_missq_pop(struct l1 *c)
{
    c->missq_used--;
    c->changed |= c->refused == L1_NO_QUEUE;
    return list_pop(&c->missq);
}

void l1_add_stats(const struct l1 *c, struct l1d_stats *out);

/* Uses only the first `ways` ways of each set from now on; the cache must be idle. Lines in the others are
 * lost. A way that is not used looks reserved for ever, so no policy takes it. */
void l1_set_ways(struct l1 *c, uint32_t ways);

/* Invalidates everything; dirty local lines must have been dropped with their warps. */
void l1_flush(struct l1 *c);

#endif
