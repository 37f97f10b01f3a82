/* ext_reexec.c - the re-execution queue: refused requests step aside.
 *
 * Without it a request the L1D refuses keeps the ld/st unit, and a later one that would hit waits
 * behind it. With it (Mascar, HPCA 2015, section III-C; it exists only when the scheduling scheme
 * asks for one) a refused request moves to a first-in first-out queue and the unit goes on. One
 * request per cycle reaches the tags, from the unit or from the queue:
 *
 *  - from the unit while it has one, and it is not blocked;
 *  - from the queue when the unit has none, or when the unit's request was refused and may not
 *    be queued (queue full, or the warp has another instruction there). Then the unit is blocked,
 *    a stall as without the queue, until the queue has got one request accepted; the unit's own
 *    is looked up again in the cycle after.
 *  - A queued request that is refused again goes to the end of the queue.
 *
 * A warp has requests of one instruction only in the queue, so that its stores and loads stay in
 * order: its other memory instructions are not issued (same_warp). One that was issued before blocks
 * the unit when it is refused too, or when it or the queued one writes.
 *
 * Time: the queue tries one request each idle cycle. When a whole round was refused and nothing
 * changed since (no reply, no miss sent, no acceptance, no new answer of may_miss()) further
 * rounds must end the same way; the SM may sleep, and adds tries and rotation when it wakes. */
#include "sm/sm_priv.h"

static bool request_writes(const struct memop *op) { return op->route->kind != WL_LOAD; }

/* ---- order within a warp ---- */

uint64_t reexec_holds_back(const struct sm *s)
{
    const struct reexec *q = &s->lsu.ext->queue;
    uint64_t m = q->warps & s->memory;
    if (q->same_warp == WL_BLOCK_ALL) return m;
    if (q->same_warp == WL_BLOCK_PUSH) return 0;
    uint64_t back = m & q->writers;
    for (m &= ~back; m; m &= m - 1)
        if (s->warp[bit_low64(m)].route->kind != WL_LOAD) back |= m & -m;
    return back;
}

/* The unit's request belongs to a younger instruction than the warp's queued ones and must wait. A
 * load that was issued before an earlier load stepped aside may go on: nothing orders the two. */
static bool out_of_turn(const struct reexec *q, const struct req *r)
{
    const struct memop *op = memop_of(r), *queued = q->op[r->warp];
    if (!q->count[r->warp] || queued == op || q->same_warp == WL_BLOCK_PUSH) return false;
    return request_writes(op) || request_writes(queued);
}

/* ---- in and out ---- */

static bool can_push(const struct reexec *q, const struct req *r)
{
    const struct memop *op = memop_of(r);
    return q->used < q->entries && (q->stores || !request_writes(op)) && (!q->count[r->warp] || q->op[r->warp] == op);
}

static void reexec_push(struct sm *s, struct req *r)
{
    struct reexec *q = &s->lsu.ext->queue;
    const struct memop *op = memop_of(r);
    WL_ASSERT(q->used < q->entries);
    list_push(&q->list, r);
    if (++q->used > s->stats.reexec_peak) s->stats.reexec_peak = q->used;
    q->count[r->warp]++;
    q->op[r->warp] = op;
    q->warps |= bit64(r->warp);
    if (request_writes(op)) q->writers |= bit64(r->warp);
    q->pushed_at = s->cycle;
    s->stats.reexec_pushes++;
    s->part.clock->progress++;
    reexec_changed(s);
}

static void reexec_forget(struct reexec *q, unsigned warp)
{
    q->used--;
    if (--q->count[warp]) return;
    q->warps &= ~bit64(warp);
    q->writers &= ~bit64(warp);
    q->op[warp] = NULL;
}

/* ---- the access of a cycle ---- */

static void try_queued(struct sm *s, tick_t now)
{
    struct reexec *q = &s->lsu.ext->queue;
    struct req *r = list_pop(&q->list);
    unsigned warp = r->warp;
    enum l1_outcome outcome = lsu_try(s, L1_DATA, r, now);
    s->stats.reexec_retries++;
    if (l1_refused(outcome)) {
        s->stats.reexec_refusals++;
        list_push(&q->list, r);
        if (outcome == L1_AGAIN) reexec_changed(s); /* the state of the cache has changed */
        else if (q->refused < q->used) q->refused++;
        return;
    }
    reexec_forget(q, warp);
    s->stats.reexec_accepted++;
    s->stats.reexec_hits += outcome == L1_HIT || outcome == L1_MERGED;
    q->blocked = false;
    reexec_changed(s);
}

/* The unit's request is at the tags. Returns whether it used the L1D. */
static bool try_unit(struct sm *s, tick_t now)
{
    struct reexec *q = &s->lsu.ext->queue;
    struct access_pipe *p = &s->lsu.pipe[L1_DATA];
    struct req *r = p->list.head, *next = r->next;
    bool wait = out_of_turn(q, r);
    enum l1_outcome outcome = wait ? L1_ORDER : lsu_try(s, L1_DATA, r, now);
    p->refused = L1_HIT;
    s->stats.reexec_refusals += l1_refused(outcome) && !wait;
    if (outcome == L1_AGAIN) return true; /* stays where it is */
    q->blocked = l1_refused(outcome) && (wait || !can_push(q, r));
    if (q->blocked) {
        p->refused = outcome;
        l1_refuse(l1d_of(s), outcome, 1);
        return !wait;
    }
    lsu_leave_pipe(p, next);
    if (l1_refused(outcome)) reexec_push(s, r);
    else reexec_changed(s);
    return true;
}

void reexec_access(struct sm *s, tick_t now)
{
    struct reexec *q = &s->lsu.ext->queue;
    struct access_pipe *p = &s->lsu.pipe[L1_DATA];
    s->stats.reexec_occupancy += q->used;
    if (q->freed) reexec_changed(s);
    q->freed = false;
    if (q->blocked && q->used) {
        l1_refuse(l1d_of(s), p->refused, 1);
    } else {
        p->refused = L1_HIT;
        if (p->used && p->list.head->ready <= now && try_unit(s, now)) return;
    }
    if (q->used) try_queued(s, now);
}

/* ---- sleeping ---- */

void reexec_skip(struct sm *s, uint64_t cycles)
{
    struct reexec *q = &s->lsu.ext->queue;
    if (q->used || q->blocked)
        s->stats.reexec_refusals += cycles; /* with an empty queue the unit's own request is tried */
    if (!q->used) return;
    s->stats.reexec_retries += cycles;
    s->stats.reexec_occupancy += cycles * q->used;
    for (uint64_t n = cycles % q->used; n; n--) list_push(&q->list, list_pop(&q->list));
}

bool reexec_busy(const struct sm *s)
{
    const struct reexec *q = &s->lsu.ext->queue;
    if (!q->blocked && l1_refused(s->lsu.pipe[L1_DATA].refused)) return true; /* the unit may go on */
    return q->used && q->refused < q->used;
}

void reexec_walk(const struct sm *s)
{
    const struct reexec *q = &s->lsu.ext->queue;
    uint64_t warps = 0;
    uint32_t n = 0, sum = 0;
    for (const struct req *r = q->list.head; r; r = r->next, n++) {
        warps |= bit64(r->warp);
        WL_VERIFY(q->op[r->warp] == memop_of(r) && q->count[r->warp]);
    }
    for (unsigned w = 0; w < SM_MAX_WARPS; w++) sum += q->count[w];
    WL_VERIFY(n == q->used && sum == n && n <= q->entries && warps == q->warps && !(q->writers & ~warps));
}
