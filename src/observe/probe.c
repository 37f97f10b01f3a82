/* probe.c - what stats.profile wants to know of an SM's own work: who issues, what loads met, and whether another
 * warp's load would have hit while the ld/st unit was stalled (Mascar, Fig. 5).
 *
 * Looks, changes nothing. A load counts when it has its operands and one of the lines it asks for
 * is valid in the L1D: in the pipe behind the refused request, dispatched, in the unit's queue, or
 * as the head of a warp that is ready.
 *
 * A stall is long and little changes during it, so the lines these loads want are collected once, in a
 * hash table, and collected again when an instruction moves; a fill only asks for each line of the
 * cache whether it is wanted. */
#include "observe/probe.h"

#include <stdlib.h>

#include "observe/profile.h"

/* Every warp's head and every place of the unit's queue may want SM_MAX_TXNS lines. */
enum { FEW_SLOTS = 1024, SLOTS = 4 * SM_MAX_WARPS * SM_MAX_TXNS };

struct wanted {
    uint64_t line;
    uint32_t stamp; /* number of the collection the entry belongs to */
    uint8_t sectors;
};

struct probe {
    struct observer *to;
    struct l1 *l1d;
    bool would_hit;  /* the answer of stalled() before the issue stage worked */
    uint64_t issued; /* warp instructions of the SM at that time */
    struct sm_moment moment;
    bool valid;       /* the table holds the lines of `moment` */
    bool answer;      /* the last answer found */
    uint64_t changes; /* the cache's change count when the answer was found */
    uint32_t stamp;   /* number of the collection that is in the table */
    uint32_t count;   /* entries of that collection */
    uint32_t mask;    /* slots in use - 1; grows when a program needs more */
    struct wanted slot[SLOTS];
};

/* ---- the table ---- */

static uint32_t slot_of(const struct probe *p, uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 40) & p->mask;
}

static void probe_want(void *self, uint64_t line, uint8_t sectors)
{
    struct probe *p = self;
    uint32_t i = slot_of(p, line);
    for (; p->slot[i].stamp == p->stamp; i = (i + 1) & p->mask)
        if (p->slot[i].line == line && p->slot[i].sectors == sectors) return;
    if (2 * p->count > p->mask) return; /* full: collected again with a larger table */
    p->slot[i] = (struct wanted){line, p->stamp, sectors};
    p->count++;
}

static void probe_collect(struct probe *p, const struct sm *s, uint64_t stalled)
{
    for (;; p->mask = 2 * p->mask + 1) {
        p->stamp++;
        p->count = 0;
        sm_waiting_lines(s, stalled, probe_want, p);
        if (2 * p->count <= p->mask || p->mask >= SLOTS - 1) return;
    }
}

/* ---- what is there ---- */

/* From the wanted lines to the cache. */
static bool find_wanted(const struct probe *p)
{
    for (uint32_t i = 0; i <= p->mask; i++) {
        const struct wanted *w = &p->slot[i];
        if (w->stamp == p->stamp && l1_would_hit(p->l1d, w->line, w->sectors)) return true;
    }
    return false;
}

/* From the lines of the cache to the table. */
static bool find_present(const struct probe *p)
{
    uint64_t line;
    for (size_t at = 0; l1_next_line(p->l1d, &at, &line);)
        for (uint32_t i = slot_of(p, line); p->slot[i].stamp == p->stamp; i = (i + 1) & p->mask)
            if (p->slot[i].line == line && l1_would_hit(p->l1d, line, p->slot[i].sectors)) return true;
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
    if (!same) probe_collect(p, s, now.stalled);
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
    observe_issue(((struct probe *)self)->to, sm_age_rank(s, warp));
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
    p->mask = FEW_SLOTS - 1;
    l1_observe(p->l1d, &to->l1);
    sm_observe(s, &probe_hooks, p);
    return p;
}
