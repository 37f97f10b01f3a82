/* probe.c - would another warp's load have hit while the ld/st unit was stalled? (Mascar, Fig. 5)
 *
 * Looks, changes nothing. A load counts when it has its operands and one of the lines it asks for
 * is valid in the L1D: in the pipe behind the refused request, dispatched, in the unit's queue, or
 * as the head of a warp that is ready.
 *
 * A stall is long and little changes during it, so the lines these loads want are collected once, in a
 * hash table, and collected again when an instruction moves; a fill only asks for each line of the
 * cache whether it is wanted. */
#include <stdlib.h>

#include "sm/sm.h"

/* Every warp's head and every place of the unit's queue may want SM_MAX_TXNS lines. */
enum { FEW_SLOTS = 1024, SLOTS = 4 * SM_MAX_WARPS * SM_MAX_TXNS };

struct wanted {
    uint64_t line;
    uint32_t stamp; /* of the collection it belongs to */
    uint8_t sectors;
};

/* What the waiting loads are: two equal moments have the same ones. */
struct moment {
    uint64_t stalled, heads, instructions, accesses;
    const struct memop *op;
    uint32_t next_txn, head, tail;
};

struct probe {
    struct moment moment;
    bool valid; /* moment describes the table */
    bool answer;
    uint64_t changes;            /* of the tags when the answer was found */
    uint32_t stamp, count, mask; /* the table grows to the programs that need it */
    struct wanted slot[SLOTS];
};

int probe_init(struct sm *s)
{
    s->probe = calloc(1, sizeof *s->probe);
    if (s->probe) s->probe->mask = FEW_SLOTS - 1;
    return s->probe ? 0 : -1;
}

/* ---- the table ---- */

static uint32_t slot_of(const struct probe *p, uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 40) & p->mask;
}

static void want(struct probe *p, uint64_t line, uint8_t sectors)
{
    uint32_t i = slot_of(p, line);
    for (; p->slot[i].stamp == p->stamp; i = (i + 1) & p->mask)
        if (p->slot[i].line == line && p->slot[i].sectors == sectors) return;
    if (2 * p->count > p->mask) return; /* full: collected again with a larger table */
    p->slot[i] = (struct wanted){line, p->stamp, sectors};
    p->count++;
}

static void want_all(struct probe *p, const struct txn *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) want(p, t[i].line, t[i].sectors);
}

/* ---- who waits ---- */

static bool to_l1d(const struct sm *s, const struct code_inst *in)
{
    if (in->kind != INST_LOAD || in->cache_op == CACHE_NC) return false;
    return in->space == SPACE_LOCAL || (in->space == SPACE_GLOBAL && in->cache_op != CACHE_CG && s->l1d_global);
}

static void want_op(const struct sm *s, const struct memop *op)
{
    struct txn txn[SM_MAX_TXNS];
    if (to_l1d(s, op->inst)) want_all(s->probe, txn, coalesce(s, op, txn));
}

static void want_head(const struct sm *s, unsigned w)
{
    const struct warp *p = &s->warp[w];
    if (!p->exec || !to_l1d(s, p->inst)) return;
    struct stream_reader here = p->stream;
    struct memop op;
    op.load.warp = (uint16_t)w;
    op.inst = p->inst;
    stream_next_addrs(&here, p->exec, &op.addrs);
    want_op(s, &op);
}

static void collect_once(const struct sm *s, uint64_t stalled)
{
    struct probe *p = s->probe;
    const struct lsu *u = &s->lsu;
    p->stamp++;
    p->count = 0;
    if (l1_refused(s->pipe[FROM_L1D].refused))
        for (const struct req *r = s->pipe[FROM_L1D].list.head; r; r = r->next)
            if (r->kind == WL_LOAD && !r->bypass && !(stalled >> r->warp & 1)) want(p, r->line, r->touched);
    if (u->op && to_l1d(s, u->op->inst) && !(stalled >> u->op->load.warp & 1))
        want_all(p, s->txn + u->next_txn, u->ntxn - u->next_txn);
    for (uint32_t i = u->head; i != u->tail; i++)
        if (!(stalled >> u->queue[i & u->mask]->load.warp & 1)) want_op(s, u->queue[i & u->mask]);
    for (uint64_t m = s->ready & s->memory & ~stalled; m; m &= m - 1) want_head(s, bit_low64(m));
}

static void collect(const struct sm *s, uint64_t stalled)
{
    struct probe *p = s->probe;
    collect_once(s, stalled);
    while (2 * p->count > p->mask && p->mask < SLOTS - 1) {
        p->mask = 2 * p->mask + 1;
        collect_once(s, stalled);
    }
}

/* ---- what is there ---- */

/* From the wanted lines to the cache: where it has no end, or holds grains. */
static bool find_wanted(const struct sm *s)
{
    for (uint32_t i = 0; i <= s->probe->mask; i++) {
        const struct wanted *w = &s->probe->slot[i];
        if (w->stamp == s->probe->stamp && l1_would_hit(&s->l1d, w->line, w->sectors)) return true;
    }
    return false;
}

/* From the lines of the cache to the table. */
static bool find_present(const struct sm *s)
{
    const struct probe *p = s->probe;
    const struct tags *t = &s->l1d.tags;
    size_t lines = (size_t)t->sets * t->ways;
    for (size_t at = 0; at < lines; at++) {
        if (!t->sectors[at].valid) continue;
        for (uint32_t i = slot_of(p, t->line[at]); p->slot[i].stamp == p->stamp; i = (i + 1) & p->mask)
            if (p->slot[i].line == t->line[at] && l1_would_hit(&s->l1d, t->line[at], p->slot[i].sectors)) return true;
    }
    return false;
}

/* ---- the question ---- */

static bool same_moment(const struct moment *a, const struct moment *b)
{
    return a->stalled == b->stalled && a->heads == b->heads && a->instructions == b->instructions &&
           a->accesses == b->accesses && a->op == b->op && a->next_txn == b->next_txn && a->head == b->head &&
           a->tail == b->tail;
}

static uint64_t stalled_warps(const struct sm *s)
{
    uint64_t warps = 0;
    for (unsigned i = 0; i < 3; i++)
        if (l1_refused(s->pipe[i].refused) && s->pipe[i].list.head) warps |= bit64(s->pipe[i].list.head->warp);
    return warps;
}

bool probe_stalled(const struct sm *s)
{
    struct probe *p = s->probe;
    uint64_t stalled = stalled_warps(s);
    if (!stalled) return false;
    const struct l1d_stats *c = &s->l1d.stats;
    struct moment now = {.stalled = stalled,
                         .heads = s->ready & s->memory,
                         .instructions = s->stats.warp_instructions,
                         .head = s->lsu.head,
                         .tail = s->lsu.tail};
    if (s->pipe[FROM_L1D].depth > 1) now.accesses = c->accesses; /* requests behind the first */
    if (s->lsu.op && !(stalled >> s->lsu.op->load.warp & 1)) now.op = s->lsu.op, now.next_txn = s->lsu.next_txn;
    uint64_t changes = c->fills + c->load_misses + c->store_hits + c->prefetch_fetches;
    bool same = p->valid && same_moment(&p->moment, &now);
    if (same && changes == p->changes && !s->l1d.sectored && !s->l1d.grains)
        return p->answer; /* a sector may come without a fill */
    if (!same) collect(s, stalled);
    p->moment = now;
    p->valid = true;
    p->changes = changes;
    return p->answer = s->l1d.tags.infinite || s->l1d.grains ? find_wanted(s) : find_present(s);
}
