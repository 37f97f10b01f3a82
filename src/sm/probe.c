/* probe.c - would another warp's load have hit while the ld/st unit was stalled? (Mascar, Fig. 5)
 *
 * Looks, changes nothing. A load counts when it has its operands and one of the lines it asks for
 * is valid in the L1D: in the pipe behind the refused request, dispatched, in the unit's queue, or
 * as the head of a warp that is ready. */
#include "mem/grain.h"
#include "sm/sm.h"

static bool to_l1d(const struct sm *s, const struct code_inst *in)
{
    if (in->kind != INST_LOAD || in->cache_op == CACHE_NC) return false;
    return in->space == SPACE_LOCAL || (in->space == SPACE_GLOBAL && in->cache_op != CACHE_CG && s->l1d_global);
}

static bool valid_in_l1d(const struct sm *s, uint64_t line, uint8_t sectors)
{
    const struct tags *tags = &s->l1d.tags;
    if (s->l1d.grains) {
        struct grain_want want = grain_want(s->l1d.grains, line, tags_set(tags, line), sectors);
        struct grain_place place;
        return grain_lookup(s->l1d.grains, &want, &place) == GRAIN_HIT;
    }
    int at = tags_find(tags, tags_set(tags, line), line);
    uint8_t want = s->l1d.sectored ? sectors : ALL_SECTORS;
    return at >= 0 && WL_STATE(tags->state[at]) != WL_INVALID && (tags->valid[at] & want) == want;
}

static bool any_valid(const struct sm *s, const struct txn *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (valid_in_l1d(s, t[i].line, t[i].sectors)) return true;
    return false;
}

static bool op_would_hit(const struct sm *s, const struct memop *op)
{
    struct txn txn[SM_MAX_TXNS];
    return to_l1d(s, op->inst) && any_valid(s, txn, coalesce(s, op, txn));
}

/* Loads that were issued and wait behind the refused request. */
static bool unit_would_hit(const struct sm *s, uint64_t stalled)
{
    const struct lsu *u = &s->lsu;
    if (l1_refused(s->pipe[FROM_L1D].refused))
        for (const struct req *r = s->pipe[FROM_L1D].list.head; r; r = r->next)
            if (r->kind == WL_LOAD && !r->bypass && !(stalled >> r->warp & 1) && valid_in_l1d(s, r->line, r->touched))
                return true;
    if (u->op && to_l1d(s, u->op->inst) && !(stalled >> u->op->load.warp & 1) &&
        any_valid(s, u->txn + u->next_txn, u->ntxn - u->next_txn))
        return true;
    for (uint32_t i = u->head; i != u->tail; i++) {
        const struct memop *op = u->queue[i & 63];
        if (!(stalled >> op->load.warp & 1) && op_would_hit(s, op)) return true;
    }
    return false;
}

static bool head_would_hit(const struct sm *s, unsigned w)
{
    const struct warp *p = &s->warp[w];
    if (!p->exec || !to_l1d(s, p->inst)) return false;
    struct stream_reader here = p->stream;
    struct memop op;
    op.load.warp = (uint16_t)w;
    op.inst = p->inst;
    stream_next_addrs(&here, p->exec, &op.addrs);
    return op_would_hit(s, &op);
}

bool probe_stalled(const struct sm *s)
{
    uint64_t stalled = 0;
    for (unsigned i = 0; i < 3; i++)
        if (l1_refused(s->pipe[i].refused) && s->pipe[i].list.head) stalled |= bit64(s->pipe[i].list.head->warp);
    if (!stalled) return false;
    if (unit_would_hit(s, stalled)) return true;
    for (uint64_t m = s->ready & s->memory & ~stalled; m; m &= m - 1)
        if (head_would_hit(s, bit_low64(m))) return true;
    return false;
}
