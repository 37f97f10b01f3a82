/* probe.c - what stats.profile wants to know of an SM's own work: who issues, what loads met, and whether another
 * warp's load would have hit while the ld/st unit was stalled (Mascar, Fig. 5).
 *
 * Looks, changes nothing. A load counts when it has its operands and one of the lines it asks for
 * is valid in the L1D: in the pipe behind the refused request, dispatched, in the unit's queue, or
 * as the head of a warp that is ready.
 *
 * A stall is long and little changes during it, so the lines that these loads want are kept in a hash table. Those of a
 * warp's head stay there until it issues; those of the unit, which are few, are collected again when an instruction
 * moves. A fill only asks for each line of the cache whether it is wanted. */
#include "observe/probe.h"

#include <stdlib.h>

#include "base/bits.h"
#include "observe/profile.h"

/* Every warp's head, every place of the unit's queue and the pipe may want SM_MAX_TXNS lines. */
enum { BUCKETS = 4096, UNIT = SM_MAX_WARPS, OWNERS, MAX_WANTED = 4 * SM_MAX_WARPS * SM_MAX_TXNS };

struct wanted {
    uint64_t line;
    uint32_t next, prev; /* in the bucket; 0: none */
    uint32_t mate;       /* the owner's next, or the next free one; 0: none */
    uint16_t bucket;
    uint8_t owner; /* the warp whose head it is, or UNIT */
    uint8_t sectors;
};

struct probe {
    struct observer *to;
    struct l1 *l1d;
    bool would_hit;  /* the answer of stalled() before the issue stage worked */
    uint64_t issued; /* warp instructions of the SM at that time */
    struct sm_moment moment;
    bool valid;                 /* the table holds the lines of `moment` */
    bool answer;                /* the last answer found */
    uint64_t changes;           /* the cache's change count when the answer was found */
    uint64_t heads;             /* warps whose head's lines are in the table */
    uint64_t asking;            /* of those the ones that count at `moment` */
    uint64_t age[SM_MAX_WARPS]; /* the warp in whose time they came there */
    uint32_t first[OWNERS];     /* its lines; 0: none */
    uint32_t free, used;        /* entries that were given back; entries that were ever used, and entry 0 */
    unsigned owner;             /* whose lines are being collected */
    uint32_t bucket[BUCKETS];   /* first entry; 0: none */
    struct wanted entry[MAX_WANTED];
};

/* ---- the table ---- */

static uint32_t bucket_of(uint64_t line) { return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BUCKETS; }

static void probe_want(void *self, uint64_t line, uint8_t sectors)
{
    struct probe *p = self;
    uint32_t b = bucket_of(line), i = p->free;
    if (i) p->free = p->entry[i].mate;
    else if (p->used < MAX_WANTED) i = p->used++;
    else return;
    p->entry[i] = (struct wanted){line, p->bucket[b], 0, p->first[p->owner], (uint16_t)b, (uint8_t)p->owner, sectors};
    if (p->bucket[b]) p->entry[p->bucket[b]].prev = i;
    p->bucket[b] = p->first[p->owner] = i;
}

static void probe_forget(struct probe *p, unsigned owner)
{
    for (uint32_t i = p->first[owner], mate; i; i = mate) {
        struct wanted *w = &p->entry[i];
        mate = w->mate;
        if (w->prev) p->entry[w->prev].next = w->next;
        else p->bucket[w->bucket] = w->next;
        if (w->next) p->entry[w->next].prev = w->prev;
        w->mate = p->free;
        p->free = i;
    }
    p->first[owner] = 0;
}

static void probe_collect(struct probe *p, const struct sm *s, const struct sm_moment *now)
{
    probe_forget(p, p->owner = UNIT);
    sm_unit_lines(s, now->stalled, probe_want, p);
    p->asking = now->heads & ~now->stalled;
    for (uint64_t m = p->asking; m; m &= m - 1) {
        unsigned w = p->owner = bit_low64(m);
        if (p->heads >> w & 1 && p->age[w] == sm_ages(s)[w]) continue;
        probe_forget(p, w);
        sm_head_lines(s, w, probe_want, p);
        p->heads |= bit64(w);
        p->age[w] = sm_ages(s)[w];
    }
}

/* ---- what is there ---- */

/* From the wanted lines to the cache. */
static bool find_wanted(const struct probe *p)
{
    for (unsigned o = 0; o < OWNERS; o++) {
        if (o != UNIT && !(p->asking >> o & 1)) continue;
        for (uint32_t i = p->first[o]; i; i = p->entry[i].mate)
            if (l1_would_hit(p->l1d, p->entry[i].line, p->entry[i].sectors)) return true;
    }
    return false;
}

/* From the lines of the cache to the table. */
static bool find_present(const struct probe *p)
{
    uint64_t line;
    for (size_t at = 0; l1_next_line(p->l1d, &at, &line);)
        for (uint32_t i = p->bucket[bucket_of(line)]; i; i = p->entry[i].next) {
            const struct wanted *w = &p->entry[i];
            if (w->line != line || (w->owner != UNIT && !(p->asking >> w->owner & 1))) continue;
            if (l1_would_hit(p->l1d, line, w->sectors)) return true;
        }
    return false;
}

/* ---- the question ---- */

static bool same_moment(const struct sm_moment *a, const struct sm_moment *b)
{
    return a->stalled == b->stalled && a->heads == b->heads && a->instructions == b->instructions &&
           a->accesses == b->accesses && a->op == b->op && a->next_txn == b->next_txn && a->head == b->head &&
           a->tail == b->tail;
}

/* The unit is stalled, and another warp's load would hit. */
static bool stalled(struct probe *p, const struct sm *s)
{
    struct sm_moment now;
    sm_moment(s, &now);
    if (!now.stalled) return false;
    uint64_t changes = l1_changes(p->l1d);
    bool same = p->valid && same_moment(&p->moment, &now);
    if (same && changes == p->changes && !l1_changes_silently(p->l1d)) return p->answer;
    if (!same) probe_collect(p, s, &now);
    p->moment = now;
    p->valid = true;
    p->changes = changes;
    return p->answer = l1_can_list(p->l1d) ? find_present(p) : find_wanted(p);
}

/* ---- the SM's side ---- */

static void probe_slept(void *self, const struct sm *s, uint64_t cycles)
{
    struct probe *p = self;
    if (stalled(p, s)) observe_stall(p->to, cycles, cycles);
}

static void probe_before_issue(void *self, const struct sm *s)
{
    struct probe *p = self;
    p->would_hit = stalled(p, s);
    p->issued = sm_issued(s);
}

static void probe_issue(void *self, const struct sm *s, unsigned warp)
{
    struct probe *p = self;
    observe_issue(p->to, sm_age_rank(s, warp));
    p->heads &= ~bit64(warp);
}

static void probe_load(void *self, const struct wl_load *l) { observe_load(((struct probe *)self)->to, l); }

static void probe_end(void *self, const struct sm *s)
{
    struct probe *p = self;
    if (p->would_hit) observe_stall(p->to, 1, sm_issued(s) == p->issued);
}

static const struct sm_observer probe_hooks = {.slept = probe_slept,
                                               .before_issue = probe_before_issue,
                                               .issue = probe_issue,
                                               .load = probe_load,
                                               .end = probe_end};

struct probe *probe_new(struct sm *s, struct observer *to)
{
    struct probe *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->to = to;
    p->l1d = sm_l1d(s);
    p->used = 1; /* entry 0 is none */
    l1_observe(p->l1d, &to->l1);
    sm_observe(s, &probe_hooks, p);
    return p;
}
