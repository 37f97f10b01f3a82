/* issue.c - each scheduler chooses one warp a cycle and sends its head to a unit. */
#include "sm/sm.h"

enum { NO_PIPE = 3 * SM_MAX_PIPES };

static uint32_t find_pipe(const struct sm *s, unsigned unit, tick_t now)
{
    for (uint32_t i = unit ? s->pipe_end[unit - 1] : 0; i < s->pipe_end[unit]; i++)
        if (s->pipe_free[i] <= now) return i;
    return NO_PIPE;
}

/* Warps whose unit is free. *next: when a busy pipe that somebody waits for frees. */
static uint64_t can_issue(const struct sm *s, tick_t now, tick_t *next)
{
    uint64_t blocked = ldst_has_room(s) ? 0 : s->head_unit[UNIT_LSU];
    if (s->reexec.used) blocked |= reexec_holds_back(s);
    if (s->pipes_until <= now) return s->ready & ~blocked; /* all pipes are free */
    for (unsigned u = UNIT_ALU; u <= UNIT_DP; u++) {
        if (!(s->head_unit[u] & s->ready) || find_pipe(s, u, now) != NO_PIPE) continue;
        blocked |= s->head_unit[u];
        for (uint32_t i = u ? s->pipe_end[u - 1] : 0; i < s->pipe_end[u]; i++) *next = earlier(*next, s->pipe_free[i]);
    }
    return s->ready & ~blocked;
}

/* Age rank of a warp among the live warps of its scheduler: 0 = oldest. */
static uint16_t age_rank(const struct sm *s, unsigned w) { return (uint16_t)bit_count64(s->older[w] & s->live); }

/* What policies are told of a memory instruction. */
static struct wl_load describe(const struct sm *s, unsigned w)
{
    const struct warp *p = &s->warp[w];
    const struct code_inst *in = p->inst;
    return (struct wl_load){.seq = p->seq,
                            .pc = in->pc,
                            .warp = (uint16_t)w,
                            .rank = age_rank(s, w),
                            .loop = in->loop,
                            .lanes = (uint8_t)bit_count32(p->exec),
                            .space = in->space == SPACE_LOCAL ? WL_LOCAL : WL_GLOBAL,
                            .outer_loop = p->nloops && in->loop != CODE_NO_LOOP ? p->loops[0].loop : in->loop,
                            .cta = s->cta[p->cta].stream.cta};
}

static void issue_memory(struct sm *s, unsigned w, tick_t now)
{
    struct warp *p = &s->warp[w];
    const struct code_inst *in = p->inst;
    struct memop *op = memop_alloc(s);
    bool shared = in->space == SPACE_SHARED;
    if (shared) op->load.warp = (uint16_t)w; /* no policy hears of it */
    else op->load = describe(s, w);
    op->inst = in;
    op->regs = s->board + (size_t)w * s->board_regs;
    op->ready = now + s->mem_delay;
    op->waiting = 0;
    op->sent = 0;
    op->done = 0;
    op->begun = false;
    stream_next_addrs(&p->stream, p->exec, &op->addrs);
    for (unsigned i = 0; i < in->ndst; i++) op->regs[in->reg[i]] = NEVER;
    p->outstanding++;
    if (shared) s->stats.shared_accesses++;
    else if (in->kind == INST_LOAD) s->stats.loads++;
    else if (in->kind == INST_STORE) s->stats.stores++;
    else s->stats.atomics++;
    ldst_accept(s, op);
}

/* Returns the unit. */
static unsigned issue_compute(struct sm *s, unsigned w, tick_t now)
{
    const struct code_inst *in = s->warp[w].inst;
    struct exec_class *c = &s->exec_class[in->kind == INST_ALU ? in->lat : LAT_INT_ADD];
    c->lanes += bit_count32(s->warp[w].exec);
    tick_t free_at = now + c->init * s->part.period;
    s->pipe_free[find_pipe(s, c->unit, now)] = free_at;
    s->pipes_until = later(s->pipes_until, free_at);
    uint64_t *board = s->board + (size_t)w * s->board_regs;
    for (unsigned i = 0; i < in->ndst; i++) board[in->reg[i]] = now + c->latency * s->part.period + s->issue_delay;
    return c->unit;
}

/* Sends the warp's head to its unit, which is returned. */
static unsigned issue(struct sm *s, unsigned w, tick_t now)
{
    struct warp *p = &s->warp[w];
    const struct code_inst *in = p->inst;
    s->stats.warp_instructions++;
    if (s->timeline) timeline_issue(s->timeline, s, w);
    if (s->observer) observe_issue(s->observer, age_rank(s, w));
    unsigned lanes = bit_count32(p->exec);
    s->stats.thread_instructions += lanes;
    s->stats.register_reads += in->nsrc * lanes;
    s->stats.register_writes += in->ndst * lanes;
    p->seq++;
    bool arrive = false;
    unsigned unit = UNIT_NONE;
    switch (in->kind) {
    case INST_LOAD:
    case INST_STORE:
    case INST_ATOMIC:
        if (p->exec) issue_memory(s, w, now);
        unit = UNIT_LSU;
        break;
    case INST_ALU:
    case INST_BRANCH: unit = issue_compute(s, w, now); break;
    case INST_BARRIER:
        s->stats.barriers++;
        s->barrier |= bit64(w);
        arrive = true;
        break;
    case INST_MEMBAR:
        if (p->outstanding) s->membar |= bit64(w);
        break;
    default: break;
    }
    warp_advance(s, w, now);
    if (arrive && (s->live >> w & 1)) warp_arrive(s, w, now);
    return unit;
}

/* Warps that wait for the unit, if it takes no more in this cycle. */
static uint64_t waiting_for(const struct sm *s, unsigned unit, tick_t now)
{
    if (unit == UNIT_NONE) return 0;
    bool room = unit == UNIT_LSU ? ldst_has_room(s) : find_pipe(s, unit, now) != NO_PIPE;
    return room ? 0 : s->head_unit[unit];
}

static void refresh_memory_view(const struct sm *s, struct wl_sched_view *v)
{
    const struct reexec *q = &s->reexec;
    v->lsu_holds = ldst_holds(s);
    v->lsu_warp = ldst_warp(s);
    v->l1t = l1_occupancy(&s->l1t);
    v->l1c = l1_occupancy(&s->l1c);
    v->queued = q->warps;
    v->queue_used = q->used;
    v->queue_head = q->used ? q->list.head->warp : -1;
    v->lsu_blocked = q->blocked;
}

/* What policies see. The masks change while a cycle goes on, so this is refreshed per cycle. */
static void refresh_view(struct sm *s)
{
    struct wl_sched_view *v = &s->view;
    v->live = s->live;
    v->ready = s->ready;
    v->memory = s->memory;
    v->long_stall = s->long_stall;
    v->barrier = s->barrier | s->membar;
    v->mshr_used = s->l1d.mshr.used;
    v->missq_used = s->l1d.missq_used;
    v->lsu_free = ldst_has_room(s);
    v->loads = s->loads;
    v->shared = s->shared;
    v->ended = s->ended;
    if (s->sched->cycle) refresh_memory_view(s, v); /* a walk: only for policies that work every cycle */
}

/* Who of `can` this scheduler may issue beside the warp it has just issued. */
static uint64_t beside(const struct sm *s, unsigned sched, unsigned issued, uint64_t can)
{
    can &= s->owned[sched];
    return can ? can & s->sched->beside(s->sched_self, &s->view, sched, issued) : 0;
}

/* Schedulers take turns in going first. */
static unsigned turn(const struct sm *s)
{
    uint32_t n = s->schedulers;
    return (uint32_t)(is_pow2(n) ? s->cycle & (n - 1) : s->cycle % n);
}

/* Returns whether a warp can issue in the next cycle; else *next is when a pipe frees. */
bool issue_cycle(struct sm *s, tick_t now, tick_t *next)
{
    uint64_t can = s->ready ? can_issue(s, now, next) : 0;
    if (!can && !s->sched->cycle) return false;
    s->view.cycle = s->cycle;
    if (!s->sched->ignores_state) refresh_view(s);
    if (s->sched->cycle) {
        uint64_t again = s->sched->cycle(s->sched_self, &s->view);
        s->sched_next = again == UINT64_MAX ? NEVER : now + (again - s->cycle) * s->part.period;
        if (again == s->cycle + 1) reexec_changed(s); /* it may have changed its mind about may_miss */
        if (!can) return false;
    }
    uint64_t allowed = s->sched->allowed ? s->sched->allowed(s->sched_self, &s->view) : UINT64_MAX;
    can &= allowed;
    unsigned first = s->sched->first ? s->sched->first(s->sched_self, &s->view) : turn(s);
    bool issued = false;
    for (unsigned i = 0; i < s->schedulers && can; i++) {
        unsigned sched = first + i < s->schedulers ? first + i : first + i - s->schedulers;
        uint64_t mine = can & s->owned[sched];
        if (!mine) continue;
        do {
            int w = s->sched->pick(s->sched_self, &s->view, sched, mine);
            if (w < 0) break;
            unsigned unit = issue(s, (unsigned)w, now);
            if (s->sched->issued) s->sched->issued(s->sched_self, &s->view, sched, (unsigned)w);
            issued = true;
            can &= ~(bit64((unsigned)w) | waiting_for(s, unit, now));
            mine = s->sched->beside ? beside(s, sched, (unsigned)w, can) : 0;
        } while (mine);
    }
    s->stats.issue_cycles += issued;
    if (issued) allowed = UINT64_MAX;           /* the issue may have changed it */
    if (issued && s->sched->cycle) return true; /* and more: the policy is asked */
    return s->ready && (can_issue(s, now + s->part.period, next) & allowed);
}
