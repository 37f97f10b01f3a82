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

/* ---- for the SM: nobody outside this folder looks at the fields ---- */

/* The oldest request was refused for this reason for so many cycles. */
static inline void l1_refuse(struct l1 *c, enum l1_outcome why, uint64_t cycles) { c->refusals[why] += cycles; }
/* Whether a request that was refused may be accepted if it is presented again. */
static inline bool l1_retry_worthwhile(const struct l1 *c) { return c->changed || !c->steady; }
static inline bool l1_has_misses(const struct l1 *c) { return c->missq.head != NULL; }
static inline bool l1_idle(const struct l1 *c) { return !c->missq.head && !c->mshr.used; }
static inline struct wl_fill l1_occupancy(const struct l1 *c)
{
    return (struct wl_fill){c->mshr.used, c->mshr.entries, c->missq_used, c->missq_cap};
}
static inline uint32_t l1_all_ways(const struct l1 *c) { return c->tags.ways; }
static inline const struct l1d_stats *l1_stats(const struct l1 *c) { return &c->stats; }
uint64_t l1_stall_cycles(const struct l1 *c);

/* A scheduling scheme decides who may miss; `merges`: who may not miss may not merge either. */
static inline void l1_set_gate(struct l1 *c, bool merges, bool decides)
{
    c->gate_merges = merges;
    if (decides) c->steady = false; /* the scheme changes its mind */
}
static inline void l1_count_gate_hit(struct l1 *c) { c->stats.gate_hits++; } /* accepted although it may not miss */

/* What the SM tells the policy. */
static inline bool l1_follows_loops(const struct l1 *c) { return c->policy->leave_loop != NULL; }
static inline void l1_leave_loop(struct l1 *c, unsigned warp, uint16_t loop)
{
    c->policy->leave_loop(c->self, warp, loop);
}
static inline void l1_warp_launch(struct l1 *c, unsigned warp)
{
    if (c->policy->warp_launch) c->policy->warp_launch(c->self, warp);
}
/* Returns whether the policy was told: its answers may be others now. */
static inline bool l1_warp_exit(struct l1 *c, unsigned warp)
{
    if (c->policy->warp_exit) c->policy->warp_exit(c->self, warp);
    return c->policy->warp_exit;
}

static inline void l1_load_begin(struct l1 *c, struct wl_load *l)
{
    if (c->policy->load_begin) c->policy->load_begin(c->self, l);
}

static inline void l1_load_end(struct l1 *c, const struct wl_load *l)
{
    if (c->policy->load_end) c->policy->load_end(c->self, l);
}

static inline void l1_load_done(struct l1 *c, const struct wl_load *l)
{
    if (c->policy->load_done) c->policy->load_done(c->self, l);
}

/* A bypassed read came back. */
static inline void l1_bypass_done(struct l1 *c, const struct req *reply)
{
    if (reply->note && reply->kind == WL_LOAD && c->policy->on_reply) c->policy->on_reply(c->self, reply->note);
}

static inline void l1_tell_kernel(struct l1 *c, enum wl_phase phase, const struct wl_kernel *k)
{
    if (phase == WL_BEGIN && c->policy->kernel_begin) c->policy->kernel_begin(c->self, k->hash);
    if (phase == WL_END && c->policy->kernel_end) c->policy->kernel_end(c->self);
}

void l1_read_counters(const struct l1 *c, uint64_t out[WL_MAX_POLICY_COUNTERS]);
uint64_t l1_storage_bits(const struct l1 *c);

/* For observers. l1_changes grows with every line that comes or goes, except where l1_changes_silently. */
static inline void l1_observe(struct l1 *c, struct observer *o) { c->observer = o; }
static inline uint64_t l1_changes(const struct l1 *c)
{
    return c->stats.fills + c->stats.load_misses + c->stats.store_hits;
}
static inline bool l1_changes_silently(const struct l1 *c) { return c->sectored || c->grains; }
/* Whether the lines can be listed: not those of grains or of a cache without end. */
static inline bool l1_can_list(const struct l1 *c) { return !c->tags.infinite && !c->grains; }
/* The first line with data at place *at or behind it; *at moves behind it. False: there are no more. */
bool l1_next_line(const struct l1 *c, size_t *at, uint64_t *line);

#endif
