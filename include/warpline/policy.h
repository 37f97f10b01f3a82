/* policy.h - what a cache-management scheme sees of a cache, and the functions it may fill.
 *
 * A scheme is one file: an essay, a table of parameters, functions over its own state, and a
 * `const struct wl_cache_policy` at the end. The cache (tags, MSHRs, queues) asks the policy for decisions and
 * reports to it what happened; the policy never touches the cache. src/policy/lru.c is the smallest whole example.
 *
 * Three rules hold for every policy:
 *  - decide(), victim() and the other questions take a `const struct wl_cache *` and change nothing: a refused access
 *    is asked again in a later cycle. All learning happens in the on_* functions, which are called once per accepted
 *    access. A policy from a plugin is asked every question twice; two different answers end the run.
 *  - No allocation, no floating point and no strings after init().
 *  - What a policy knows is in `self` or `shared`, never in a static variable: the same run must give the same numbers.
 *
 * Loads that bypass the L1D because of their cache operator (ld.cg), or because the L1D is off for global data, are
 * not the policy's business: none of its functions is called for them.
 *
 * Counters: a scheme lists what it wants to see counted in a table (struct wl_counter in param.h) and counts with
 * c->count[ROW]++. Give a counter the name WL_TABLE_ACCESSES or WL_QUEUE_ACCESSES when the scheme adds tables or queues
 * to the hardware: the energy model charges each access counted there.
 *
 * All functions may be NULL except victim (and victim too in a cache of grains). The same table serves the L1D of each
 * SM and each slice of the L2: `g.level` says which one this is; a scheme says where it can live with `levels`. */
#ifndef WARPLINE_POLICY_H
#define WARPLINE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/param.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WL_ABI 4u

/* The most an SM can have of each. */
enum { WL_MAX_WARPS = 64, WL_MAX_SCHEDULERS = 8 };

enum wl_level { WL_L1 = 1, WL_L2 = 2 };

struct wl_geometry {
    uint8_t level;       /* enum wl_level */
    uint32_t index;      /* the number of the SM (WL_L1) or of the slice (WL_L2) */
    uint32_t sets;       /* sets of this cache */
    uint32_t ways;       /* ways in use now; may change between kernels when shared memory takes part of the L1D */
    uint32_t max_ways;   /* the most `ways` can become; arrays are indexed by set * max_ways + way */
    uint32_t line_bytes; /* always 128 */
    uint32_t sms;        /* SMs of the GPU */
    uint32_t schedulers; /* warp schedulers per SM */
    uint32_t warps;      /* warp slots per SM */
    uint32_t warp_size;  /* always 32 */
};

enum wl_line_state { WL_INVALID, WL_RESERVED /* its data is on its way */, WL_VALID };
/* Or-ed to the state of a line: it holds written data; it lies in non-volatile memory. */
enum wl_line_flags { WL_DIRTY = 4, WL_NVM = 8 };
#define WL_STATE(s) ((s)&3) /* the state without its flags */

enum wl_kind { WL_LOAD, WL_STORE, WL_ATOMIC, WL_WRITEBACK, WL_PREFETCH };
enum wl_space { WL_GLOBAL, WL_LOCAL, WL_TEXTURE, WL_CONST };

/* One kernel as policies see it. */
struct wl_kernel {
    const char *name;
    uint64_t hash; /* hash of the name; the same in every run */
};

/* One warp load from its first L1D request to its last returning byte. */
struct wl_load {
    uint64_t user;     /* free for the policy: what it writes here in loads->begin stays with the load */
    uint32_t seq;      /* dynamic number of the warp's instruction, modulo 2^32 */
    uint32_t pc;       /* address of the instruction, unique in the program */
    uint16_t warp;     /* the warp's slot in the SM, 0 to g.warps - 1 */
    uint16_t rank;     /* the warp's age among the live warps of its scheduler when it issued the load; 0: the oldest */
    uint16_t loop;     /* number of the innermost loop around the load; 0xffff: none */
    uint16_t requests; /* coalesced requests of the load; with more than 2 it is called divergent */
    uint16_t missed;   /* requests so far that did not hit; those merged and bypassed are among them */
    uint16_t merged;   /* requests so far that joined a fetch in flight */
    uint16_t bypassed; /* requests so far that bypassed the cache */
    uint8_t lanes;     /* active lanes of the load */
    uint8_t space;     /* enum wl_space: global or local */
    bool left_loop;    /* the warp has left `loop` since it issued the load; valid only with leave_loop */
    uint16_t outer_loop; /* number of the outermost loop around the load, as `loop`; valid only with leave_loop */
    uint32_t cta;        /* linear number of the CTA in the grid */
};

/* One request that meets the cache. */
struct wl_access {
    uint64_t line;         /* byte address / line bytes */
    uint64_t cycle;        /* the current cycle of the cache's clock */
    uint32_t set;          /* the set the line belongs to */
    uint32_t pc;           /* address of the instruction */
    uint32_t cta;          /* linear number of the CTA in the grid; UINT32_MAX: not known (always in the L2) */
    uint16_t warp;         /* the warp's slot in its SM */
    uint16_t rank;         /* the warp's age rank, as in struct wl_load */
    uint8_t kind;          /* enum wl_kind */
    uint8_t space;         /* enum wl_space */
    uint8_t sectors;       /* touched 32-byte sectors, one bit each */
    uint8_t lanes;         /* active lanes in this request, 1..32; 0: the request comes from no lane */
    uint8_t number;        /* 0-based number of the request in its instruction */
    uint8_t sm;            /* number of the SM the request comes from */
    bool nvm;              /* the line lies in non-volatile memory */
    uint8_t note;          /* the byte the L1 policy sent along with a read (policy_notes.h); 0: none */
    struct wl_load *load;  /* the load of an L1 request of kind WL_LOAD; NULL otherwise */
    const uint64_t *bytes; /* L2: two words with one bit per byte of the line that the lanes touch; NULL in the L1 */
};

/* The ways of one set as the victim search sees them. */
struct wl_set {
    const uint8_t *state; /* [ways] enum wl_line_state, or-ed with enum wl_line_flags */
    uint32_t ways;        /* g.ways */
    bool full;            /* no way is INVALID, so a search for one can be left out */
};

/* One line of the cache. */
struct wl_line {
    uint32_t set, way;
    uint64_t line; /* byte address / line bytes */
    uint8_t state; /* as in struct wl_set */
};

/* How full the miss resources of a cache are. */
struct wl_fill {
    uint32_t mshr_used, mshr_total, missq_used, missq_total;
};

/* The size class of a request, 32, 64 or 128 bytes, from the sectors it touches: the least aligned
 * block that has them all. */
static inline uint32_t wl_request_bytes(uint8_t sectors)
{
    if (sectors & 3 && sectors & 12) return 128;
    return sectors & (sectors - 1) ? 64 : 32;
}

/* For storage_bits(): how many bits a field needs that takes this many different values. */
static inline uint64_t wl_bits_for(uint64_t values)
{
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < values) bits++;
    return bits;
}

/* ---- where a policy lives ---- */

struct wl_cache;

/* What the cache does for its policy; called through the functions below. */
struct wl_host {
    struct wl_fill (*occupancy)(const struct wl_cache *c);
    bool (*prefetch)(struct wl_cache *c, uint64_t line);
};

/* One cache with one policy. The cache makes, owns and frees all of it. */
struct wl_cache {
    struct wl_geometry g;
    const int64_t *param; /* the values of the parameters, indexed as the table `params` */
    uint64_t *count;      /* the counters, indexed as the table `counters`, all 0 at the start: c->count[N_HITS]++ */
    void *self;           /* the policy's state: bytes() bytes, zeroed before init() */
    void **shared;  /* one pointer per SM (in the L2, per slice) through which a cache policy and a scheduler of one
                       scheme meet */
    uint64_t epoch; /* the scheme sets it in init(): on_epoch is called every `epoch` cycles; 0: never */
    const struct wl_host *host; /* for the functions below */
};

/* How full the MSHRs and the miss queue of this cache are now. */
static inline struct wl_fill wl_occupancy(const struct wl_cache *c) { return c->host->occupancy(c); }

/* Asks for a line before any load does; to be called from the on_* functions and hooks only. The request waits in a
 * short queue (l1d.prefetch_queue) for a cycle in which no load or store is at the tags, and is dropped there if the
 * line is present or in flight. Else it takes a line as a miss does: victim() and on_access() are called for it, with
 * kind WL_PREFETCH. Returns false when the queue is full, and in caches that do not prefetch: the L2, an infinite L1D
 * and one of grains. */
static inline bool wl_prefetch(struct wl_cache *c, uint64_t line) { return c->host->prefetch(c, line); }

/* ---- the table ---- */

enum wl_decision { WL_NORMAL, WL_BYPASS };
enum { WL_NO_WAY_STALL = -1, WL_NO_WAY_BYPASS = -2 }; /* answers of victim() that are not a way */

/* What became of an accepted access, and where. */
enum wl_outcome {
    WL_HIT,      /* found at `way` */
    WL_MERGED,   /* its line is at `way`, but some of the data is in flight or is fetched now */
    WL_MISSED,   /* took `way`; on_leave was called before for a valid line that was there. In the L1 a store can miss
                    so, too (l1d.write_alloc), under policies whose `levels` have both */
    WL_BYPASSED, /* goes to the next level without a line; way is -1 */
    WL_STORED,   /* L1 only: the store passed on and took no way; `way` still has or awaits a copy of its line, -1: none
                    does. In the L2   a store hits, misses or bypasses */
};

/* Why a line left. */
enum wl_leave {
    WL_EVICTED, /* `by` takes its way */
    WL_KILLED,  /* L1: the store `by` invalidated it */
    WL_FLUSHED, /* the cache was emptied, or lost the way, between two kernels; `by` is NULL */
};

enum wl_phase {
    WL_BEGIN, /* the kernel is about to run; g.ways is what it will have */
    WL_END,   /* the kernel has run */
    WL_FLUSH, /* after WL_END, L1D with l1d.flush: the cache is empty now; on_leave was called for each valid line */
};

struct wl_load_hooks;  /* warpline/policy_loads.h */
struct wl_note_hooks;  /* warpline/policy_notes.h */
struct wl_grain_hooks; /* warpline/grain.h */

struct wl_cache_policy {
    uint32_t abi;     /* WL_ABI */
    const char *name; /* as the user writes it: --l1 NAME */
    const char *help; /* one line */
    uint32_t levels;  /* where it can live: 1 << WL_L1, 1 << WL_L2, or both */
    /* Set it when the answers of decide() and victim() can change between two accepted accesses for another reason than
     * a line that was filled or an epoch that began: because a reply arrived, a warp began or ended, or the scheduler
     * of the scheme changed something. A refused access is then tried again each time the SM works, which takes longer
     * to simulate. */
    bool answers_drift;
    const struct wl_param *params;     /* table that ends with WL_PARAM_END, or NULL */
    const struct wl_counter *counters; /* table that ends with WL_COUNTER_END, or NULL */

    /* ---- life ---- */
    /* How many bytes `self` needs. NULL: none. */
    size_t (*bytes)(const struct wl_geometry *g, const int64_t *param);
    /* Fills `self`; false when the policy cannot work here (then *why says the reason). */
    bool (*init)(struct wl_cache *c, const char **why);
    /* Gives back what the policy has taken from the system itself; also called when init() has failed. */
    void (*fini)(struct wl_cache *c);
    /* Storage the scheme adds to the cache, in bits. */
    uint64_t (*storage_bits)(const struct wl_cache *c);

    /* ---- asked: changes nothing ---- */
    /* Before the tags are searched: WL_BYPASS sends the L1 load on without looking. */
    enum wl_decision (*decide)(const struct wl_cache *c, const struct wl_access *a);
    /* A way to evict or fill (INVALID or VALID, never RESERVED), or WL_NO_WAY_*. */
    int (*victim)(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s);

    /* ---- reported: here the policy learns ---- */
    /* An access was accepted. A new line enters the replacement order here, when it is reserved, not when its data
     * arrives. */
    void (*on_access)(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way);
    /* A valid line left the cache; `by` is the access that caused it, or NULL. */
    void (*on_leave)(struct wl_cache *c, const struct wl_line *gone, enum wl_leave why, const struct wl_access *by);
    /* A kernel begins or has ended. Kernels that overlap are one: it begins with the first of them, has its name, and
     * ends when none is left. */
    void (*on_kernel)(struct wl_cache *c, enum wl_phase phase, const struct wl_kernel *k);
    /* Called every c->epoch cycles, before any access of that cycle. */
    void (*on_epoch)(struct wl_cache *c, uint64_t cycle);

    /* ---- rare powers; NULL: none ---- */
    const struct wl_load_hooks *loads;   /* L1: events of whole loads, warps and loops */
    const struct wl_note_hooks *notes;   /* a byte that travels from the L1 policy to the L2 policy and back */
    const struct wl_grain_hooks *grains; /* L1: makes the cache one of grains */
};

#ifdef __cplusplus
}
#endif

#endif
