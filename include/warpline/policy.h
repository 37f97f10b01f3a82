/* policy.h - what a cache-management scheme sees of a cache, and the hooks it may fill.
 *
 * A scheme is one file: an essay, a parameter table, functions over its own state, and a
 * `const struct wl_cache_policy` at the end. The cache mechanism (tags, MSHRs, queues) asks
 * the policy for decisions and tells it what happened; the policy never touches the cache.
 *
 * Four rules hold for every policy:
 *  - decide() and victim() must not change state: a refused access is asked again next
 *    cycle, and only an accepted one counts. All learning happens in the on_* hooks, which
 *    are called once per accepted access.
 *  - Insertion state is set when the line is reserved (on_insert), not when data arrives.
 *  - No allocation, no floating point, no strings after create().
 *  - What it knows is in `self`, or in geometry.shared, never in a static variable: caches know nothing of
 *    each other, and one may be simulated ahead of another.
 *
 * Loads that go past the L1D by their own wish (ld.cg, or an L1D that is off for global data) are
 * not the policy's business: it hears nothing of them.
 *
 * All hooks may be NULL but victim (and that too, with `grains`). The same table serves the L1D of each SM and each L2
 * slice: `geometry.level` tells which; a scheme says where it can live with `levels`. */
#ifndef WARPLINE_POLICY_H
#define WARPLINE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/param.h"

#define WL_ABI 3u

enum wl_level { WL_L1 = 1, WL_L2 = 2 };

struct wl_geometry {
    uint8_t level;  /* enum wl_level */
    uint32_t index; /* which SM, or which L2 slice */
    uint32_t sets, ways, line_bytes;
    uint32_t sms, schedulers, warps; /* of the GPU; per SM; per SM */
    uint32_t warp_size;
    void **shared; /* one slot per SM (per slice for L2): the tables of one scheme that live in
                      the same SM (scheduler, L1D, ld/st unit) share their state through it */
};

enum wl_line_state { WL_INVALID, WL_RESERVED /* reserved, data on its way */, WL_VALID };
enum wl_line_flags { WL_DIRTY = 4, WL_NVM = 8 }; /* or-ed to the state of a line */
#define WL_STATE(s) ((s)&3)

enum wl_kind { WL_LOAD, WL_STORE, WL_ATOMIC, WL_WRITEBACK };
enum wl_space { WL_GLOBAL, WL_LOCAL, WL_TEXTURE, WL_CONST };

/* One kernel as policies see it. */
struct wl_kernel {
    const char *name;
    uint64_t hash; /* of its name; the same in every run */
};

enum wl_phase { WL_BEGIN, WL_END };

/* How full the miss resources of a cache are. */
struct wl_fill {
    uint32_t mshr_used, mshr_total, missq_used, missq_total;
};

/* One warp load from its first L1D request to its last returning byte. */
struct wl_load {
    uint64_t seq;  /* dynamic number of the warp's instruction */
    uint64_t user; /* the policy's own, latched per load */
    uint32_t pc;
    uint16_t warp;                     /* slot in the SM */
    uint16_t rank;                     /* age rank among the live warps of its scheduler, 0 = oldest, at issue */
    uint16_t loop;                     /* innermost loop of the load, 0xffff = none */
    uint16_t requests;                 /* coalesced requests in all; more than 2 is divergent */
    uint16_t missed, merged, bypassed; /* so far; merged and bypassed ones are missed too */
    uint8_t lanes;                     /* active lanes */
    uint8_t space;                     /* enum wl_space: global or local */
    /* for policies with leave_loop: */
    bool left_loop;      /* the warp has left `loop` since; looked at again for every request */
    uint16_t outer_loop; /* outermost loop of the load, 0xffff = none */
    uint32_t cta;        /* linear number of the CTA in the grid */
};

struct wl_access {
    uint64_t line;  /* byte address / line bytes */
    uint64_t cycle; /* of the cache's clock */
    uint32_t set;
    uint32_t pc;
    uint16_t warp, rank;
    uint8_t kind;          /* enum wl_kind */
    uint8_t space;         /* enum wl_space */
    uint8_t sectors;       /* touched 32-byte sectors, one bit each */
    uint8_t lanes;         /* effective addresses: active lanes in this request, 1..32; 0 = none */
    uint8_t number;        /* 0-based number of the request in its instruction */
    uint8_t sm;            /* the requester */
    bool nvm;              /* the line lies in non-volatile memory */
    uint8_t note;          /* a byte that travels with a read from L1 policy to L2 policy */
    struct wl_load *load;  /* L1 loads; NULL otherwise */
    const uint64_t *bytes; /* L2: [2] bytes of the line the lanes touch, one bit each; NULL otherwise */
};

/* The ways of one set as the victim search sees them. */
struct wl_set {
    const uint8_t *state; /* [ways] state | flags */
    uint32_t ways;
    bool full; /* no way is INVALID: saves looking for one */
};

/* The size class of a request, 32, 64 or 128 bytes, from the sectors it touches: the least aligned
 * block that has them all. */
static inline uint32_t wl_request_bytes(uint8_t sectors)
{
    if (sectors & 3 && sectors & 12) return 128;
    return sectors & (sectors - 1) ? 64 : 32;
}

enum wl_decision { WL_NORMAL, WL_BYPASS };
enum wl_outcome { WL_HIT, WL_MERGED, WL_MISSED, WL_STORED }; /* of an accepted request */
struct wl_grains;
enum { WL_NO_WAY_STALL = -1, WL_NO_WAY_BYPASS = -2 }; /* victim() results besides a way */

struct wl_cache_policy {
    uint32_t abi; /* WL_ABI */
    const char *name;
    const char *help;
    uint32_t levels;                   /* bits: 1 << WL_L1, 1 << WL_L2 */
    const struct wl_param *params;     /* or NULL */
    const struct wl_counter *counters; /* or NULL */

    /* The policy of one cache; NULL when it cannot work there (then say why in *why). */
    void *(*create)(const struct wl_geometry *g, const int64_t *values, const char **why);
    void (*destroy)(void *self);
    /* Storage the scheme adds to the cache, in bits. */
    uint64_t (*storage_bits)(const void *self);
    /* Fills the counters of the table, in order. */
    void (*read_counters)(const void *self, uint64_t *out);

    /* Before the tags: WL_BYPASS sends the read past the cache without looking. */
    enum wl_decision (*decide)(void *self, const struct wl_access *a);
    /* A way to evict or fill (INVALID or VALID, never RESERVED), or WL_NO_WAY_*. */
    int (*victim)(void *self, const struct wl_access *a, const struct wl_set *s);

    void (*on_hit)(void *self, const struct wl_access *a, uint32_t way, bool merged);
    void (*on_evict)(void *self, const struct wl_access *a, uint32_t way, uint64_t line, uint8_t state);
    void (*on_insert)(void *self, const struct wl_access *a, uint32_t way); /* a miss took this way */
    void (*on_bypass)(void *self, const struct wl_access *a);
    void (*on_fill)(void *self, uint32_t set, uint32_t way);
    void (*on_kill)(void *self, uint32_t set, uint32_t way); /* a store or flush invalidated the line */
    void (*on_store)(void *self, const struct wl_access *a); /* L1: a store passed and left no copy of its line here */
    void (*on_flush)(void *self); /* L1: every line is gone; each valid one had its on_kill before */
    uint8_t (*request_note)(void *self, const struct wl_access *a); /* L1: note for an accepted read that leaves */
    void (*on_reply)(void *self, uint8_t note); /* L1: a read came back with the L2 policy's note, not 0 */
    uint8_t (*reply_note)(void *self, const struct wl_access *a); /* L2: note for the reply of an accepted read */

    /* L1 only: makes the cache one of grains, see warpline/grain.h. Then the scheme is not asked for
     * victims and hears nothing of single lines, but of each accepted load and store: on_request
     * returns the granularity in bytes from here on. */
    void (*grains)(void *self, struct wl_grains *out);
    uint32_t (*on_request)(void *self, const struct wl_access *a, enum wl_outcome outcome);

    /* L1 only. A load meets the cache; all its requests have been served or sent; its last
     * byte has returned. */
    void (*load_begin)(void *self, struct wl_load *l);
    void (*load_end)(void *self, const struct wl_load *l);
    void (*load_done)(void *self, const struct wl_load *l);
    void (*warp_launch)(void *self, unsigned warp);
    void (*warp_exit)(void *self, unsigned warp);
    void (*leave_loop)(void *self, unsigned warp, uint16_t loop); /* no lane of the warp is in it any more */
    void (*kernel_begin)(void *self, uint64_t kernel_hash);
    void (*kernel_end)(void *self);
};

/* ---- the recency chain: position 0 = most recent ----
 *
 * DIP, DaCache, EABP, WBAR and HAC are all a few lines over insert-at-position and
 * promote-by-n. order[set * ways + position] is a way. */

struct wl_chain {
    uint32_t ways;
    uint16_t *order; /* [sets * ways], owned by the policy */
};

static inline void wl_chain_init(struct wl_chain *c, uint16_t *order, uint32_t sets, uint32_t ways)
{
    c->ways = ways;
    c->order = order;
    for (uint32_t s = 0; s < sets; s++)
        for (uint32_t p = 0; p < ways; p++) order[s * ways + p] = (uint16_t)(ways - 1 - p);
}

static inline uint32_t wl_chain_position(const struct wl_chain *c, uint32_t set, uint32_t way)
{
    const uint16_t *o = c->order + (size_t)set * c->ways;
    uint32_t p = 0;
    while (o[p] != way) p++;
    return p;
}

/* Takes the way at position `from` out and puts it back at `to`; the others keep their order. */
static inline void wl_chain_move(struct wl_chain *c, uint32_t set, uint32_t from, uint32_t to)
{
    uint16_t *o = c->order + (size_t)set * c->ways;
    uint16_t way = o[from];
    for (; from > to; from--) o[from] = o[from - 1];
    for (; from < to; from++) o[from] = o[from + 1];
    o[to] = way;
}

/* Makes the way the most recent one. */
static inline void wl_chain_touch(struct wl_chain *c, uint32_t set, uint32_t way)
{
    uint16_t *o = c->order + (size_t)set * c->ways, moved = o[0];
    for (uint32_t p = 1; moved != way; p++) {
        uint16_t here = o[p];
        o[p] = moved;
        moved = here;
    }
    o[0] = (uint16_t)way;
}

/* For schemes that count from the old end: puts the way where `place` others are older, 0 being the
 * next victim; places outside the set mean its ends. */
static inline void wl_chain_put_above_oldest(struct wl_chain *c, uint32_t set, uint32_t way, int64_t place)
{
    int64_t last = (int64_t)c->ways - 1, to = last - (place < 0 ? 0 : place > last ? last : place);
    wl_chain_move(c, set, wl_chain_position(c, set, way), (uint32_t)to);
}

/* Moves the way up by so many places, at most to the most recent. */
static inline void wl_chain_promote(struct wl_chain *c, uint32_t set, uint32_t way, uint32_t places)
{
    uint32_t from = wl_chain_position(c, set, way);
    wl_chain_move(c, set, from, from > places ? from - places : 0);
}

/* The way to take: an INVALID one nearest the old end, else the VALID one nearest the old end
 * at position >= lowest; -1 when all are RESERVED or protected. */
static inline int wl_chain_victim(const struct wl_chain *c, uint32_t set, const struct wl_set *s, uint32_t lowest)
{
    const uint16_t *o = c->order + (size_t)set * c->ways;
    int best = -1;
    for (uint32_t p = c->ways; p-- > 0;) {
        unsigned st = WL_STATE(s->state[o[p]]);
        if (st == WL_INVALID) return o[p];
        if (best >= 0 || st != WL_VALID || p < lowest) continue;
        best = o[p];
        if (s->full) break;
    }
    return best;
}

#endif
