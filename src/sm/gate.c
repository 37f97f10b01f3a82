/* gate.c - who may miss: the scheduling scheme's word, and where it would stop the wrong one.
 *
 * At the L1D a warp that may not miss (may_miss of the scheme) has its misses and stores refused; the
 * re-execution queue or the scheme's own rules keep it out of the way. A scheme may have the texture and
 * constant caches do the same (wl_gate.readonly). Their pipes are in order and nothing steps aside there, so a
 * refused request can stand in front of the very warp that may miss, and that one may have to get on
 * before the scheme changes its mind: both would wait for ever. Therefore the refusal ends while it holds such
 * a warp up:
 *  - a request of the warp is behind it in the pipe; or
 *  - the pipe is full, the ld/st unit's instruction waits for a place in it, and the warp has this
 *    instruction, one behind it in the unit's queue, or one that is ready and finds the queue full.
 * Shared-memory instructions count: the unit takes them in the same order. */
#include "sm/sm.h"

static bool lets_miss(const struct sm *s, unsigned warp) { return s->sched->may_miss(s->sched_self, warp); }

bool gate_holds_up(const struct sm *s, const struct access_pipe *p)
{
    const struct lsu *u = &s->lsu;
    for (const struct req *r = p->list.head->next; r; r = r->next)
        if (lets_miss(s, r->warp)) return true;
    if (p->used < p->depth || ldst_waits_for(s) != p) return false;
    uint64_t warps = bit64(u->op->load.warp) | (ldst_has_room(s) ? 0 : s->ready & s->head_unit[UNIT_LSU]);
    for (uint32_t i = u->head; i != u->tail; i++) warps |= bit64(u->queue[i & u->mask]->load.warp);
    for (; warps; warps &= warps - 1)
        if (lets_miss(s, bit_low64(warps))) return true;
    return false;
}

bool gate_lets_readonly(const struct sm *s, const struct req *r)
{
    return !s->gate.readonly || lets_miss(s, r->warp) || gate_holds_up(s, &s->pipe[r->origin]);
}
