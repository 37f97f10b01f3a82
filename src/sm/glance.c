/* glance.c - what observers may see of an SM. Nothing here changes anything. */
#include "sm/sm_priv.h"

uint64_t sm_cycle(const struct sm *s) { return s->cycle; }
uint32_t sm_cta(const struct sm *s, unsigned slot) { return s->cta[slot].stream.cta; }
const struct code *sm_code(const struct sm *s) { return s->first->code; }
const uint64_t *sm_ages(const struct sm *s) { return s->age; }
uint64_t sm_issued(const struct sm *s) { return s->counts.warp_instructions; }
const struct code_inst *sm_head(const struct sm *s, unsigned warp) { return s->warp[warp].inst; }

unsigned sm_head_lanes(const struct sm *s, unsigned warp) { return bit_count32(s->warp[warp].exec); }

bool sm_holds_warp(const struct sm *s, const struct code_inst *in)
{
    return in->kind == INST_BARRIER || in->kind == INST_MEMBAR || in->kind == INST_WAIT ||
           s->first->route[in - s->first->inst].holds;
}

uint64_t sm_head_readable(const struct sm *s, unsigned warp, unsigned *reg)
{
    const struct code_inst *in = s->warp[warp].inst;
    const uint64_t *board = s->board + (size_t)warp * s->board_regs;
    uint64_t due = 0;
    for (unsigned i = 0; i < (unsigned)in->ndst + in->nsrc; i++)
        if (board[in->reg[i]] > due) due = board[in->reg[i]], *reg = in->reg[i];
    return due == NEVER ? UINT64_MAX : (due_time(due) + s->part.period - 1) / s->part.period;
}

bool sm_head_is_shared(const struct sm *s, unsigned warp)
{
    const struct route *r = s->warp[warp].route;
    return r->unit == UNIT_LSU && !r->leaves;
}

void sm_glance(const struct sm *s, struct sm_glance *out)
{
    const struct lsu *u = &s->lsu;
    *out = (struct sm_glance){.cycle = s->cycle,
                              .wait_barrier = s->barrier,
                              .wait_fence = s->membar & ~s->barrier,
                              .has_state = s->policy->state != NULL,
                              .l1d = l1_occupancy(&u->l1[L1_DATA]),
                              .unit_warp = lsu_warp(s),
                              .refused = L1_HIT,
                              .has_queue = has_queue(s),
                              .queued = has_queue(s) ? u->ext->queue.used : 0};
    uint64_t free = s->live & ~(s->barrier | s->membar | s->ended); /* one state each */
    out->wait_load = s->long_stall & free;
    out->wait_result = s->in_wheel & free & ~s->long_stall;
    out->ready = s->ready & free & ~(s->long_stall | s->in_wheel);
    for (unsigned i = 0; i < SM_MAX_CTAS; i++) out->ctas |= (uint64_t)s->cta[i].used << i;
    if (s->policy->state) out->sched = s->policy->state(&s->sched);
    if (out->unit_warp < 0 && u->op) out->unit_warp = u->op->load.warp;
    for (unsigned i = 0; i < u->pipes; i++) {
        const struct access_pipe *p = &u->pipe[i];
        if (!l1_refused(p->refused) || !p->list.head) continue;
        out->refused = p->refused;
        out->refused_by = i < SM_CACHES ? (enum cache_id)i : L1_DATA;
        out->unit_warp = p->list.head->warp;
        return;
    }
}

/* ---- loads that wait ---- */

static uint64_t stalled_warps(const struct lsu *u)
{
    uint64_t warps = 0;
    for (unsigned i = 0; i < u->pipes; i++)
        if (l1_refused(u->pipe[i].refused) && u->pipe[i].list.head) warps |= bit64(u->pipe[i].list.head->warp);
    return warps;
}

void sm_moment(const struct sm *s, struct sm_moment *out)
{
    const struct lsu *u = &s->lsu;
    *out = (struct sm_moment){.stalled = stalled_warps(u),
                              .heads = s->ready & s->memory,
                              .instructions = s->counts.warp_instructions,
                              .head = u->head,
                              .tail = u->tail};
    if (u->pipe[L1_DATA].depth > 1) out->accesses = l1_stats(&u->l1[L1_DATA]).accesses; /* requests behind the first */
    if (!u->op || out->stalled >> u->op->load.warp & 1) return;
    out->op = u->op;
    out->next_txn = u->next_txn;
}

struct line_asker {
    void (*want)(void *arg, uint64_t line, uint8_t sectors);
    void *arg;
};

static void want_all(const struct line_asker *to, const struct txn *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) to->want(to->arg, t[i].line, t[i].sectors);
}

static bool uses_l1d(const struct route *r) { return r->data_load && !r->bypass; }

static void want_op(const struct sm *s, const struct memop *op, const struct line_asker *to)
{
    struct txn txn[SM_MAX_TXNS];
    if (uses_l1d(op->route)) want_all(to, txn, coalesce(s, op, txn));
}

void sm_head_lines(const struct sm *s, unsigned warp, void (*want)(void *arg, uint64_t line, uint8_t sectors),
                   void *arg)
{
    const struct sm_warp *p = &s->warp[warp];
    if (!p->exec || !uses_l1d(p->route)) return;
    struct stream_reader here = p->stream;
    struct memop op;
    op.load.warp = (uint16_t)warp;
    op.inst = p->inst;
    op.route = p->route;
    stream_next_addrs(&here, p->exec, &op.addrs);
    warp_addrs_note(&op.addrs, p->inst->async);
    want_op(s, &op, &(struct line_asker){want, arg});
}

static void want_behind(const struct access_pipe *p, uint64_t stalled, const struct line_asker *to)
{
    for (const struct req *r = p->list.head; r; r = r->next)
        if (r->kind == WL_LOAD && !r->bypass && !(stalled >> r->warp & 1)) to->want(to->arg, r->line, r->touched);
}

void sm_unit_lines(const struct sm *s, uint64_t stalled, void (*want)(void *arg, uint64_t line, uint8_t sectors),
                   void *arg)
{
    const struct line_asker to = {want, arg};
    const struct lsu *u = &s->lsu;
    for (unsigned i = 0; i < u->pipes; i++)
        if ((i == L1_DATA || i >= SM_CACHES) && l1_refused(u->pipe[i].refused)) want_behind(&u->pipe[i], stalled, &to);
    if (u->op && uses_l1d(u->op->route) && !(stalled >> u->op->load.warp & 1))
        want_all(&to, u->txn + u->next_txn, u->ntxn - u->next_txn);
    for (uint32_t i = u->head; i != u->tail; i++)
        if (!(stalled >> u->queue[i & u->mask]->load.warp & 1)) want_op(s, u->queue[i & u->mask], &to);
}
