/* ext_gate.c - who may miss: the scheduling scheme decides, except where that would stop a warp that may.
 *
 * At the L1D a warp that may not miss (may_miss of the scheme) has its misses and stores refused; the
 * re-execution queue or the scheme's own rules keep it out of the way. A scheme may have the texture and
 * constant caches do the same (wl_gate.readonly). Their pipes are in order and nothing steps aside there, so a
 * refused request can stand in front of the very warp that may miss, and that one may have to get on
 * before the scheme changes its answer: both would wait for ever. Therefore the refusal ends while it holds such
 * a warp up:
 *  - a request of the warp is behind it in the pipe; or
 *  - the pipe is full, the ld/st unit's instruction waits for a place in it, and the warp has this
 *    instruction, one behind it in the unit's queue, or one that is ready and finds the queue full.
 * Shared-memory instructions count: the unit takes them in the same order. */
#include <stdlib.h>

#include "sm/sm_priv.h"

/* ---- what the scheme asks for ---- */

int ext_init(struct sm *s, const struct wl_lsu_hooks *hooks, struct wl_err *e)
{
    struct lsu_ext *x = s->lsu.ext = calloc(1, sizeof *x);
    if (!x) return wl_fail(e, WL_ERUN, "out of memory");
    s->lsu.usual = s->lsu.plain_place = false;
    x->hooks = hooks;
    x->sched = &s->sched;
    if (hooks->gate) x->gate = hooks->gate(x->sched);
    for (unsigned i = 0; i < SM_CACHES; i++)
        l1_set_gate(&s->lsu.l1[i], x->gate.merges, i == L1_DATA ? hooks->may_miss != NULL : x->gate.readonly);
    struct wl_reexec wanted = {0};
    if (hooks->reexec) wanted = hooks->reexec(x->sched);
    if (wanted.same_warp > WL_BLOCK_PUSH)
        return wl_fail(e, WL_EINPUT,
                       "scheduler %s cannot run this SM: it asks for a re-execution queue with same_warp = %u; the "
                       "largest is %d",
                       s->policy->name, wanted.same_warp, WL_BLOCK_PUSH);
    x->queue.entries = wanted.entries;
    if (wanted.entries) lsu_join_banks(&s->lsu);
    x->queue.same_warp = wanted.same_warp;
    x->queue.stores = wanted.stores;
    x->queue.pushed_at = UINT64_MAX;
    list_init(&x->queue.list);
    x->view.warp = x->view.queue_head = -1;
    return 0;
}

void ext_refresh_view(struct sm *s)
{
    struct wl_lsu_view *v = &s->lsu.ext->view;
    const struct reexec *q = &s->lsu.ext->queue;
    v->holds = lsu_holds(s);
    v->warp = lsu_warp(s);
    v->l1t = l1_occupancy(&s->lsu.l1[L1_TEXTURE]);
    v->l1c = l1_occupancy(&s->lsu.l1[L1_CONSTANT]);
    v->queued = q->warps;
    v->queue_used = q->used;
    v->queue_head = q->used ? q->list.head->warp : -1;
    v->blocked = q->blocked;
}

/* ---- the gate ---- */

__attribute__((cold)) static void changed_answer(const struct sm *s, unsigned warp, bool may)
{
    breach_note(s->part.clock->breach,
                "scheduler %s: may_miss() answered %s for warp %u and, asked again, the opposite; it must not change "
                "state; SM %u",
                s->policy->name, may ? "yes" : "no", warp, s->index);
}

static inline bool lets_miss(const struct sm *s, unsigned warp)
{
    const struct lsu_ext *x = s->lsu.ext;
    if (!x->hooks->may_miss) return true;
    bool may = x->hooks->may_miss(x->sched, warp);
    if (s->ask_twice && x->hooks->may_miss(x->sched, warp) != may) changed_answer(s, warp, may);
    return may;
}

bool gate_holds_up(const struct sm *s, const struct access_pipe *p)
{
    const struct lsu *u = &s->lsu;
    for (const struct req *r = p->list.head->next; r; r = r->next)
        if (lets_miss(s, r->warp)) return true;
    if (p->used < p->depth || !u->op || &u->pipe[u->op->route->cache] != p) return false;
    uint64_t warps = bit64(u->op->load.warp) | (lsu_has_room(s) ? 0 : s->ready & s->head_unit[UNIT_LSU]);
    for (uint32_t i = u->head; i != u->tail; i++) warps |= bit64(u->queue[i & u->mask]->load.warp);
    for (; warps; warps &= warps - 1)
        if (lets_miss(s, bit_low64(warps))) return true;
    return false;
}

bool ext_may_miss(const struct sm *s, enum cache_id cache, const struct req *r)
{
    if (cache == L1_DATA) return lets_miss(s, r->warp);
    return !s->lsu.ext->gate.readonly || lets_miss(s, r->warp) || gate_holds_up(s, &s->lsu.pipe[cache]);
}
