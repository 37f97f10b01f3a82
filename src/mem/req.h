/* req.h - the one message of the memory system.
 *
 * A request is made by the ld/st unit (one per coalesced transaction) or by a cache (a
 * write-back), travels down through ports, and comes back as its own reply. It is freed where
 * it ends: at the register file, at the store acknowledgement, or at the memory. The pool
 * counts what is alive; a kernel has ended when nothing is. */
#ifndef WL_MEM_REQ_H
#define WL_MEM_REQ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/poison.h"
#include "warpline/policy.h"

enum { LINE_BYTES = 128, LINE_SHIFT = 7, SECTOR_BYTES = 32, SECTOR_SHIFT = 5, LINE_SECTORS = 4, ALL_SECTORS = 15 };

/* The cache a request belongs to: its reply goes back there. */
enum cache_id { L1_DATA, L1_TEXTURE, L1_CONSTANT, SM_CACHES, L2_SLICE = SM_CACHES, L1_CODE };

/* Who answers a request that leaves its SM: the L2, memory, or a fetch that was under way to the L2 already. */
enum answer { ANSWER_L2, ANSWER_DRAM, ANSWER_IN_FLIGHT };

/* l2.halves: whether a request has to cross to the other half of the L2, or has done so and not come back. */
enum trip { TRIP_NONE, TRIP_FAR, TRIP_CROSSED };

/* Hundreds are under way at a time and every hop looks at them: what a load needs is one line of the
 * host's cache. A store's bytes are in the next; the third is empty, so that the first lines of
 * neighbours fall into all sets of that cache. */
struct req {
    _Alignas(64) struct req *next; /* in whatever list or port holds it */
    uint64_t line;                 /* byte address / 128 */
    uint64_t ready;                /* a tick whose meaning is up to the part or port that holds it */
    struct wl_load *load;          /* the load it belongs to (its head: the SM keeps more behind it), or NULL */
    uint32_t pc;
    uint32_t row;     /* of the DRAM bank */
    uint16_t mshr;    /* the L1 entry it will fill */
    uint16_t l2_mshr; /* the L2 entry it will fill */
    uint16_t set;     /* in the L2 slice */
    uint16_t slice;
    uint8_t warp, rank;
    uint8_t kind;    /* enum wl_kind */
    uint8_t space;   /* enum wl_space */
    uint8_t cache;   /* enum cache_id */
    uint8_t sectors; /* sectors asked for or written */
    uint8_t fetch;   /* sectors to read from memory: those of `sectors` that the L2 does not have */
    uint8_t touched; /* sectors the lanes touch */
    uint8_t lanes, number, sm, note;
    uint8_t commands; /* DRAM column commands */
    uint8_t bank;
    bool nvm : 1;                   /* the line lies in non-volatile memory */
    bool bypass : 1;                /* it bypasses the L1D: the reply fills no line */
    bool is_reply : 1;              /* it is on its way back */
    bool is_write : 1;              /* it writes to DRAM */
    bool prefetch : 1;              /* an L1D asked for it before any load did: no load waits */
    bool traced : 1;                /* an observer follows it */
    uint8_t answer : 2;             /* enum answer; known when the L2 has seen it */
    uint8_t leads : 6;              /* so many reads of other SMs are answered with it: `others` (join.h) */
    uint8_t trip : 2;               /* enum trip */
    _Alignas(64) uint64_t bytes[2]; /* touched bytes of the line, one bit each: of stores, and of loads if asked for */
    struct req *others;             /* the next read of the chain */
    _Alignas(64) char unused[64];
};
_Static_assert(sizeof(struct req) == 192, "a load's part of a request is one cache line");

/* An observer of chosen requests on their way: looks on and changes nothing (src/observe). Times are ticks. */
struct req_tracer {
    /* An SM made the request for an instruction; whether to follow it. */
    bool (*choose)(struct req_tracer *t, const struct req *r, uint32_t part, const void *inst, uint64_t at);
    void (*hop)(struct req_tracer *t, const struct req *r, uint32_t from, uint32_t to, uint64_t at); /* between parts */
    void (*done)(struct req_tracer *t, const struct req *r, uint64_t at); /* it has all it came for */
};

struct req_pool {
    struct req *free;
    struct req_chunk *chunks;
    uint64_t alive, available;
};

/* Adds free requests. The run loop calls it between rounds of steps so often that more requests are free than
 * a round can use; so taking one never fails. Returns -1 when the system has no more memory. */
int req_grow(struct req_pool *p);
/* The free ones, one by one. */
uint64_t req_count_free(const struct req_pool *p);

static inline struct req *req_alloc(struct req_pool *p)
{
    struct req *r = p->free;
    WL_ASSERT(r && p->available);
    UNPOISON(r, sizeof *r);
    p->free = r->next;
    p->alive++;
    p->available--;
    return r;
}

static inline void req_free(struct req_pool *p, struct req *r)
{
    r->next = p->free;
    p->free = r;
    p->alive--;
    p->available++;
    POISON(r, sizeof *r);
}

static inline void req_clear(struct req *r) { memset(r, 0, offsetof(struct req, unused)); }

void req_pool_destroy(struct req_pool *p);

/* A singly linked first-in first-out list. */
struct req_list {
    struct req *head, **tail;
};

static inline void list_init(struct req_list *l)
{
    l->head = NULL;
    l->tail = &l->head;
}

static inline void list_push(struct req_list *l, struct req *r)
{
    r->next = NULL;
    *l->tail = r;
    l->tail = &r->next;
}

static inline struct req *list_pop(struct req_list *l)
{
    struct req *r = l->head;
    l->head = r->next;
    if (!l->head) l->tail = &l->head;
    return r;
}

/* Moves all of `from` behind `l`. */
static inline void list_join(struct req_list *l, struct req_list *from)
{
    if (!from->head) return;
    *l->tail = from->head;
    l->tail = from->tail;
    list_init(from);
}

#endif
