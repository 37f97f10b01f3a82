/* l1.h - a first-level cache of an SM: data, texture or constant.
 *
 * The ld/st unit presents one request at a time; it is accepted (hit, merged, missed, bypassed,
 * stored) or refused for want of a resource and then changes nothing. Misses, bypasses, stores
 * and write-backs leave through the miss queue. Lines are reserved on a miss; global stores
 * are written through and evict, local ones are written back. What the policy asks to prefetch
 * waits in a queue of its own for cycles in which the tags are free. */
#ifndef WL_MEM_L1_H
#define WL_MEM_L1_H

#include "mem/mshr.h"
#include "mem/policy_host.h"
#include "mem/tags.h"
#include "stats/stats.h"
#include "warpline/policy_loads.h"

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
    L1_ORDER, /* refused by the ld/st unit: an earlier instruction of the warp waits for re-execution */
    L1_AGAIN, /* no resource is missing: the request is to be presented again in the next cycle */
    L1_OUTCOMES
};
static inline bool l1_refused(enum l1_outcome o) { return o >= L1_NO_MSHR; }

/* An observer looks on and changes nothing (src/observe). */
struct l1_observer {
    /* A load was accepted; a miss fetches these sectors. */
    void (*request)(struct l1_observer *o, const struct wl_access *a, enum l1_outcome how, uint8_t fetched);
    void (*prefetch)(struct l1_observer *o, uint64_t line); /* the line was reserved for a prefetch */
    void (*evict)(struct l1_observer *o, const struct wl_access *by,
                  uint64_t line);                       /* a miss replaces the valid line */
    void (*kill)(struct l1_observer *o, uint64_t line); /* a store invalidated the line */
    void (*part)(struct l1_observer *o, uint64_t line,
                 uint8_t sectors);        /* these sectors left, others of the line stay */
    void (*flush)(struct l1_observer *o); /* everything was invalidated */
};

/* A texture cache whose tags and data are decoupled: what passed the tags waits here for its data, in order. A miss has
 * its line in the tags at once, so that those behind it hit; none can leave before it. */
struct fragment_fifo {
    struct fragment {
        struct req *r;             /* a hit; NULL: a miss that is under way */
    } * entry;                     /* [capacity] a ring */
    uint32_t capacity, head, used; /* capacity 0: a cache of the usual kind */
};

/* Lines the policy wants before any load does. */
struct prefetch_queue {
    uint64_t *line; /* [capacity] a ring */
    uint32_t capacity, head, used;
};

/* The order is that of use: the host's cache is shared by the L1s of all SMs. In the data cache, which begins at a line
 * of that cache, every access looks at the first six lines, and a cycle without one only at the fifth. */
struct l1 {
    struct policy_host pol; /* first: l1_of finds the cache from the policy's wl_cache */
    struct tags tags;
    struct mshrs mshr;
    struct grains *grains; /* NULL: lines, in `tags` */
    struct req_pool *pool;
    struct l1_observer *observer;   /* of stats.profile; NULL: none */
    uint32_t late_first, late_last; /* entries to be freed late, in the order in which they will be free */

    struct req_list missq;
    uint32_t missq_cap, missq_used;
    uint64_t busy_at;    /* the last cycle in which a request was at the tags */
    uint64_t next_event; /* the cycle in which l1_cycle has something to do: an epoch of the policy, an entry to free */
    struct prefetch_queue prefetch;

    bool sectored;
    bool half_lines;    /* lines have 64 bytes: the constant cache */
    bool bypass_lines;  /* a bypassed read fetches its whole line */
    bool update;        /* stores leave lines valid */
    bool write_alloc;   /* global stores take lines */
    bool local_through; /* stores of local memory are as global ones */
    bool worst;         /* loads that do not hit want two places of the miss queue, whatever they will send */
    bool by_sector;     /* every sector that is fetched is a miss of its own, with requests of its own: l1_sector.c */
    bool late;      /* an entry of the MSHRs is free when its last request has been written, not when its line came */
    bool store_way; /* stores wait while all ways of their set are being fetched */
    bool perfect;   /* loads always hit */
    bool odd;       /* perfect, or with a fragment FIFO */
    uint8_t id;     /* enum cache_id */
    uint8_t sm;
    uint8_t missq_wanted;      /* places in the queue of misses for want of which a request was refused, at least */
    bool steady;               /* the policy's answers change only with accepted accesses, fills and epochs */
    bool foresees;             /* and it is asked for nothing but victims: l1_foresee */
    bool waits;                /* and it is known to wait only where all ways are being fetched: it need not be asked */
    bool usual;                /* LRU, and nothing else that is not in l1_usual.c */
    bool changed;              /* something has happened since the last refusal that can lift it */
    bool gate_merges;          /* a warp that may not miss may not merge either */
    uint16_t warp;             /* the warp of the last accepted request: prefetches are attributed to it */
    enum l1_outcome refused;   /* the reason of the last refusal */
    uint32_t refused_at;       /* the first way of the set that the refused request wanted */
    uint64_t loads[L1_STORED]; /* accepted loads, by outcome */
    uint64_t load_sectors[L1_STORED];

    uint64_t stores[2]; /* accepted stores: [true] those whose line was there */
    uint64_t store_sectors[2];
    uint32_t late_used;     /* entries to be freed late */
    uint64_t (*written)[2]; /* [lines] bytes that stores have written, where `stored`; NULL: they take no lines */
    struct fragment_fifo fifo;
    struct l1d_stats stats;         /* what is counted nowhere else; l1_stats has everything */
    uint64_t refusals[L1_OUTCOMES]; /* cycles in which the oldest request was refused for this reason */
};

struct l1_shape {
    uint32_t sets, ways, mshr, merge, missq;
    enum index_fn index;
    bool sectored, infinite, half_lines;
    uint8_t id; /* enum cache_id */
    bool bypass_lines;
    bool update, write_alloc, perfect, worst, store_way, late, by_sector, local_through;
    bool waits;              /* the policy is LRU, which takes a way unless all are being fetched, and then waits */
    uint32_t fifo;           /* requests that wait for their data in order; 0: the usual kind of cache */
    uint32_t prefetch_queue; /* lines a policy may ask for ahead; 0: it cannot */
};

/* Where a cache is built in. */
struct l1_site {
    struct wl_geometry g; /* of the SM; l1_init adds what is the cache's own */
    void **shared;        /* the slot of the SM for the tables of one scheme */
    struct req_pool *pool;
    struct breach *breach; /* where wrong answers of the policy are noted */
};

int l1_init(struct l1 *c, const struct l1_shape *shape, const struct cache_choice *choice, const struct l1_site *site,
            struct wl_err *e);
void l1_destroy(struct l1 *c);

/* `may_miss`: the scheduler lets this warp send misses. On acceptance the request is owned by
 * the cache, except after L1_HIT and L1_STORED of a local hit (r->kind == WL_STORE with
 * r->is_reply set), which the caller finishes. */
enum l1_outcome l1_access(struct l1 *c, struct req *r, uint64_t cycle, bool may_miss);

/* Of a request that will be presented in this cycle, the next one, though nothing comes back until then: the reason for
 * which it will be refused, and is from now on; L1_HIT when that is not certain. */
enum l1_outcome l1_foresee(struct l1 *c, const struct req *r, uint64_t cycle);
/* Whether it is LRU with nothing that other machines add: see l1_usual.c. */
static inline bool l1_is_usual(const struct l1 *c) { return c->usual && !c->late && !c->by_sector; }
/* Whether it is worth asking: so many misses are under way that they may have all ways of a set. */
static inline bool l1_is_crowded(const struct l1 *c) { return c->mshr.used >= c->tags.in_use; }

static inline bool l1_is_large(const struct l1 *c) { return c->tags.large; }
/* Hints to the host: a request of this line will be presented soon; this reply comes soon, this one next. */
static inline void l1_warm_access(const struct l1 *c, uint64_t line)
{
    if (l1_is_large(c)) tags_warm(&c->tags, tags_set(&c->tags, line));
}
static inline void l1_warm_entry(const struct l1 *c, const struct req *reply)
{
    __builtin_prefetch(&c->mshr.entry[reply->mshr]);
}
static inline void l1_warm_line(const struct l1 *c, const struct req *reply)
{
    if (c->grains) return; /* its entries know no line */
    uint32_t at = c->mshr.entry[reply->mshr].at;
    __builtin_prefetch(&c->tags.sectors[at]);
    __builtin_prefetch(&c->tags.state[at]);
}

/* Whether a load of these sectors would hit now; nothing changes. */
bool l1_would_hit(const struct l1 *c, uint64_t line, uint8_t sectors);

/* The data of a miss arrived; the request that fetched it and those that waited for it are
 * appended to *done. */
void l1_fill(struct l1 *c, struct req *reply, struct req_list *done);
/* A cache with a fragment FIFO has accepted a request: those whose turn has come are appended to *done. */
void l1_take_ready(struct l1 *c, struct req_list *done);
static inline bool l1_has_fifo(const struct l1 *c) { return c->fifo.capacity != 0; }
/* The requests that the last fill completed are written to the registers by this cycle: their entry is free before it.
 */
void l1_written(struct l1 *c, uint64_t cycle);
/* A load has been refused because all ways of its set are being fetched: whether this reply, of a load, fills a line of
 * another set, and no other request waits for it. Then the fill tells nobody anything, under LRU. */
static inline bool l1_fills_aside(const struct l1 *c, const struct req *reply)
{
    const struct mshr_entry *m = &c->mshr.entry[reply->mshr];
    return m->at - c->refused_at >= c->tags.ways && !m->waiting.head;
}
/* A bypassed read came back. */
void l1_bypass_done(struct l1 *c, const struct req *reply);

static inline struct req *l1_missq_head(const struct l1 *c) { return c->missq.head; }
static inline struct req *l1_missq_pop(struct l1 *c)
{
    c->missq_used--;
    c->changed |= c->refused == L1_NO_QUEUE && c->missq_used + c->missq_wanted <= c->missq_cap;
    return list_pop(&c->missq);
}

/* ---- prefetches ---- */

/* Whether the head of the prefetch queue would be tried in a cycle in which the tags are free. */
static inline bool l1_wants_tags(const struct l1 *c) { return c->prefetch.used != 0; }
/* Whether a load or store has been at the tags in this cycle. */
static inline bool l1_busy(const struct l1 *c, uint64_t cycle) { return c->busy_at == cycle; }
/* No load or store is at the tags in this cycle: tries the head of the prefetch queue. */
void l1_prefetch(struct l1 *c, uint64_t cycle);
/* Fetches a line that comes along with another one that has missed, if there is room for it now. */
void l1_fetch_too(struct l1 *c, uint64_t line, uint64_t cycle);

/* ---- events the SM passes on to the policy ---- */

/* The kernel will have so many ways of each set (the cache must be idle; lines in the others are lost). */
void l1_kernel_begin(struct l1 *c, const struct wl_kernel *k, uint32_t ways);
void l1_kernel_end(struct l1 *c, const struct wl_kernel *k);
/* Invalidates everything; dirty local lines must have been dropped with their warps. */
void l1_flush(struct l1 *c, const struct wl_kernel *k);

/* The cycle begins: calls on_epoch if its time has come, and frees entries of the MSHRs whose time has. Returns whether
 * it freed any. */
bool l1_event(struct l1 *c, uint64_t cycle);
static inline bool l1_cycle(struct l1 *c, uint64_t cycle) { return cycle >= c->next_event && l1_event(c, cycle); }
/* The cycle in which that will be the next time; UINT64_MAX: never. */
static inline uint64_t l1_next_event(const struct l1 *c) { return c->next_event; }

static inline void l1_load_begin(struct l1 *c, struct wl_load *l)
{
    const struct wl_load_hooks *h = c->pol.policy->loads;
    if (h && h->begin) h->begin(&c->pol.cache, l);
}
static inline void l1_load_end(struct l1 *c, const struct wl_load *l)
{
    const struct wl_load_hooks *h = c->pol.policy->loads;
    if (h && h->end) h->end(&c->pol.cache, l);
}
static inline void l1_load_done(struct l1 *c, const struct wl_load *l)
{
    const struct wl_load_hooks *h = c->pol.policy->loads;
    if (h && h->done) h->done(&c->pol.cache, l);
}
static inline void l1_warp_launch(struct l1 *c, unsigned warp)
{
    const struct wl_load_hooks *h = c->pol.policy->loads;
    if (h && h->warp_launch) h->warp_launch(&c->pol.cache, warp);
}
/* Returns whether the policy has a hook for it: its answers may have changed. */
static inline bool l1_warp_exit(struct l1 *c, unsigned warp)
{
    const struct wl_load_hooks *h = c->pol.policy->loads;
    if (!h || !h->warp_exit) return false;
    h->warp_exit(&c->pol.cache, warp);
    return true;
}
/* Whether the policy has a leave_loop hook. */
static inline bool l1_tracks_loops(const struct l1 *c)
{
    return c->pol.policy->loads && c->pol.policy->loads->leave_loop;
}
static inline void l1_leave_loop(struct l1 *c, unsigned warp, uint16_t loop)
{
    c->pol.policy->loads->leave_loop(&c->pol.cache, warp, loop);
}

/* ---- looking in ---- */

static inline struct wl_fill l1_occupancy(const struct l1 *c)
{
    return (struct wl_fill){c->mshr.used, c->mshr.entries, c->missq_used, c->missq_cap};
}
/* Asserts that tags, MSHRs, queue and counts agree with one another. For --paranoid. */
void l1_walk(const struct l1 *c);

/* ---- for the SM, so that no code outside this folder reads the fields ---- */

/* The oldest request was refused for this reason for so many cycles. */
static inline void l1_refuse(struct l1 *c, enum l1_outcome why, uint64_t cycles) { c->refusals[why] += cycles; }
/* Whether a request that was refused may be accepted if it is presented again. */
static inline bool l1_retry_worthwhile(const struct l1 *c) { return c->changed || !c->steady; }
static inline bool l1_missq_room(const struct l1 *c, uint32_t n) { return c->missq_used + n <= c->missq_cap; }
static inline bool l1_has_misses(const struct l1 *c) { return c->missq.head != NULL; }
static inline bool l1_idle(const struct l1 *c) { return !c->missq.head && !c->mshr.used && !c->fifo.used; }
static inline uint32_t l1_all_ways(const struct l1 *c) { return c->tags.ways; }
struct l1d_stats l1_stats(const struct l1 *c); /* all that it has counted */
uint64_t l1_stall_cycles(const struct l1 *c);

/* A scheduling scheme decides who may miss; `merges`: a warp that may not miss may not merge either. */
static inline void l1_set_gate(struct l1 *c, bool merges, bool decides)
{
    c->gate_merges = merges;
    if (decides) c->steady = false; /* the scheme may change its answers at any time */
}
static inline void l1_count_gate_hit(struct l1 *c) { c->stats.gate_hits++; } /* accepted although it may not miss */

const uint64_t *l1_policy_counters(const struct l1 *c);
uint64_t l1_storage_bits(const struct l1 *c);

/* For observers. l1_changes grows with every line that comes or goes, except where l1_changes_silently. */
static inline void l1_observe(struct l1 *c, struct l1_observer *o)
{
    c->observer = o;
    c->usual = false;
}
static inline uint64_t l1_changes(const struct l1 *c)
{
    return c->stats.fills + c->loads[L1_MISSED] + c->stores[true] + c->stats.prefetch_fetches;
}
static inline bool l1_changes_silently(const struct l1 *c) { return c->sectored || c->grains; }
/* Whether the lines can be listed: not those of grains or of a cache without end. */
static inline bool l1_can_list(const struct l1 *c) { return !c->tags.infinite && !c->grains; }
/* The first line with data at place *at or behind it; *at moves behind it. False: there are no more. */
bool l1_next_line(const struct l1 *c, size_t *at, uint64_t *line);

#endif
