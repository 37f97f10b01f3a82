/* lsu.c - the ld/st unit: one memory instruction at a time, one request per cycle.
 *
 * An issued instruction waits in a short queue, is dispatched and coalesced, and gives one
 * request per cycle to the cache it belongs to (lsu_feed.c). Requests travel a fixed pipe to the tags; the
 * one at its end is accepted or refused. A refused request keeps its place and all
 * requests behind it wait: that is the stall the papers are about. A scheduling scheme may add a queue
 * to which refused requests step aside, and a gate (ext_reexec.c, ext_gate.c). When the unit works again, and what it
 * does ahead of the clock, is in lsu_ahead.c. */
#include "mem/net.h"
#include "sm/lsu_priv.h"

static void make_pipe(struct access_pipe *p, int64_t cycles, int64_t slots, tick_t period)
{
    list_init(&p->list);
    p->depth = slots ? (uint32_t)slots : cycles > 1 ? (uint32_t)cycles : 1;
    p->delay = (tick_t)cycles * period;
    p->refused = L1_HIT;
}

void lsu_init(struct sm *s, const struct gpu_config *c)
{
    enum { WRITEBACKS = 1024 }; /* register writes that can be reserved */
    struct lsu *u = &s->lsu;
    u->writeback_limit = WRITEBACKS * s->part.period;
    u->common = (struct req){.sm = (uint8_t)s->index};
    u->depth = u->limit = (uint32_t)c->v[P_SM_LSU_QUEUE];
    while (u->mask + 1 < u->depth) u->mask = 2 * u->mask + 1;
    make_pipe(&u->pipe[L1_DATA], c->v[P_L1D_PIPE], c->v[P_L1D_SLOTS], s->part.period);
    make_pipe(&u->pipe[L1_TEXTURE], c->v[P_L1T_PIPE], 0, s->part.period);
    make_pipe(&u->pipe[L1_CONSTANT], 0, 0, s->part.period);
    u->single = c->v[P_L1D_PIPE] == 0;
    u->lines = (uint32_t)c->v[P_L1D_LINES];
    constants_init(&s->constants, c->v, s->part.period);
    texture_unit_init(&s->textures, c->v);
    u->banks = s->segment_shift == SECTOR_SHIFT ? (uint32_t)c->v[P_L1D_BANKS] : 1;
    u->usual = !u->single;
    u->plain_place = u->single && u->lines == 1 && u->banks == 1;
    u->pipe[L1_DATA].depth *= u->lines;
    u->pipes = SM_CACHES + u->banks - 1;
    for (uint32_t i = SM_CACHES; i < u->pipes; i++)
        make_pipe(&u->pipe[i], c->v[P_L1D_PIPE], c->v[P_L1D_SLOTS], s->part.period);
    if (!c->v[P_L1D_ASIDE]) return;
    u->aside = u->pipes++;
    make_pipe(&u->pipe[u->aside], 0, 1, s->part.period);
}

void lsu_join_banks(struct lsu *u)
{
    u->pipe[L1_DATA].depth *= u->banks;
    u->banks = 1;
    u->pipes = SM_CACHES;
    u->aside = 0;
}

/* ---- instructions in flight ---- */

__attribute__((noinline)) static void unmark(struct sm *s, const struct memop *op)
{
    for (unsigned i = 0; i < op->inst->ndst; i++) s->mark[(size_t)op->load.warp * s->board_regs + op->inst->reg[i]] = 0;
}

/* The instruction has all it waited for; its registers can be read when `due` says. That tick is
 * known now, so no later event is needed for it. */
void lsu_finish_op(struct sm *s, struct memop *op, uint64_t due, tick_t now)
{
    const struct code_inst *in = op->inst;
    unsigned w = op->load.warp;
    if (in->space == SPACE_TEX) due = due_later(due, texture_late(&s->textures, in) * s->part.period);
    uint64_t *board = s->board + (size_t)w * s->board_regs;
    for (unsigned i = 0; i < in->ndst; i++) board[in->reg[i]] = due;
    if (s->mark && due_time(due) <= now + s->hit_ticks) unmark(s, op); /* all of it hit */
    if (op->begun) l1_load_done(l1d_of(s), &op->load);
    op->next = s->ops->free;
    s->ops->free = op;
    s->ops->available++;
    if (in->ndst && s->long_stall >> w & 1 && !((s->barrier | s->membar) >> w & 1)) warp_check_head(s, w, now);
    if (s->membar) warp_result_came(s, w, op->route->holds, now);
    if (in->async == ASYNC_COPY) warp_copy_ends(s, w, op->group, now);
    else if (in->async == ASYNC_BULK) mbarrier_copy_ends(s, op, now);
    warp_memop_done(s, w, now);
    POISON(op, sizeof *op);
}

/* What a warp waits for that waits for the request, which has left the SM. */
static inline enum wait wait_of(const struct req *r)
{
    static const uint8_t wait[] = {
        [ANSWER_L2] = WAIT_L2, [ANSWER_DRAM] = WAIT_DRAM, [ANSWER_IN_FLIGHT] = WAIT_IN_FLIGHT};
    return r->kind == WL_ATOMIC ? WAIT_ATOMIC : (enum wait)wait[r->answer];
}

/* One request of the instruction has its data at tick `at`, or its acknowledgement; `what` a warp waited for. */
static inline void finish_request(struct sm *s, struct req *r, tick_t at, enum wait what, tick_t now)
{
    struct memop *op = memop_of(r);
    WL_ASSERT(op->waiting);
    s->lsu.readonly -= r->cache != L1_DATA;
    if (r->traced) s->part.clock->tracer->done(s->part.clock->tracer, r, at);
    req_free(s->pool, r);
    op->done =
        tick_max(op->done, due_make(at, what)); /* a hit may come after a miss whose register write still waits */
    if (--op->waiting == 0) lsu_finish_op(s, op, op->done, now);
}

/* ---- what comes back ---- */

/* What came back is written to the registers one request per cycle, sm.writeback cycles later at the earliest. */
static tick_t writeback_slot(struct sm *s, tick_t now)
{
    tick_t at = tick_max(now + s->writeback_ticks, s->lsu.writeback_free);
    if (at > now + s->lsu.writeback_limit) at = now + s->lsu.writeback_limit; /* the wheel reaches no further */
    s->lsu.writeback_free = at + s->part.period;
    return at;
}

/* There is one. */
void lsu_accept_reply(struct sm *s, tick_t now)
{
    struct req *r = s->reply.list.head;
    port_pop(&s->reply, now);
    reexec_changed(s);
    s->lsu.lifted = true;
    if (r->cache == L1_CODE) {
        fetch_fill(s, r);
    } else if (r->kind == WL_STORE) {
        finish_request(s, r, now, WAIT_L2, now);
    } else if (r->kind == WL_ATOMIC || r->bypass) {
        l1_bypass_done(l1d_of(s), r);
        finish_request(s, r, writeback_slot(s, now), wait_of(r), now);
    } else {
        struct req_list done;
        list_init(&done);
        struct l1 *c = &s->lsu.l1[r->cache];
        l1_fill(c, r, &done);
        tick_t at = now + s->part.period;
        while (done.head) {
            struct req *one = list_pop(&done);
            finish_request(s, one, at = writeback_slot(s, now), wait_of(one), now);
        }
        l1_written(c, s->cycle + part_cycles(&s->part, at - now));
    }
}

/* A texture cache with a fragment FIFO took a hit: what need not wait there is written as what comes back is. */
static void finish_ready(struct sm *s, struct l1 *c, tick_t now)
{
    struct req_list done;
    list_init(&done);
    l1_take_ready(c, &done);
    while (done.head) finish_request(s, list_pop(&done), writeback_slot(s, now), WAIT_L1, now);
}

/* ---- to the network ---- */

static void send_miss(struct sm *s, struct l1 *c, tick_t now)
{
    if (!net_can_send(s->request, l1_missq_head(c), now)) return;
    struct req *r = l1_missq_pop(c);
    reexec_changed(s);
    s->lsu.lifted = true;
    if (c == &s->lsu.l1[L1_DATA]) s->lsu.sent_for = now;
    addrmap_route(s->map, r);
    net_send(s->request, r, now);
}

static inline void send_misses(struct sm *s, struct l1 *c, tick_t now)
{
    if (l1_has_misses(c)) send_miss(s, c, now);
}

/* ---- at the tags ---- */

/* Reports a load to the L1D's policy and to observers when its last request was accepted. */
static void note_load(struct sm *s, struct memop *op, enum l1_outcome outcome, bool last)
{
    struct wl_load *l = &op->load;
    l->missed = (uint16_t)(l->missed + (outcome != L1_HIT));
    l->merged = (uint16_t)(l->merged + (outcome == L1_MERGED));
    l->bypassed = (uint16_t)(l->bypassed + (outcome == L1_BYPASSED));
    if (!last) return;
    for (unsigned i = 0; i < s->observers; i++)
        if (s->observer[i].hooks->load) s->observer[i].hooks->load(s->observer[i].self, l);
    if (op->begun) l1_load_end(l1d_of(s), l);
}

/* An accepted request of constant memory, where some lines are nearer than others (constants.h). */
static enum l1_outcome read_constant(struct sm *s, struct l1 *c, struct req *r, enum l1_outcome outcome, tick_t now)
{
    struct constants *k = &s->constants;
    uint64_t other = r->line ^ 1;
    tick_t wait = constants_wait(k, r);
    if (outcome == L1_HIT) finish_request(s, r, now + wait, WAIT_L1, now);
    else if (outcome == L1_MERGED) r->answer = ANSWER_IN_FLIGHT;
    else if (k->pair) l1_fetch_too(c, other, s->cycle);
    return outcome;
}

/* `gated`: a scheme may forbid misses. The usual machine has a copy of its own of this, in which that is a constant. */
#define INTO_EACH static inline __attribute__((always_inline))
INTO_EACH enum l1_outcome try_request(struct sm *s, enum cache_id cache, bool gated, struct req *r, tick_t now)
{
    struct l1 *c = &s->lsu.l1[cache];
    struct memop *op = memop_of(r);
    bool data_load = cache == L1_DATA && r->kind == WL_LOAD;
    if (data_load && !op->begun &&
        !r->bypass) { /* loads that bypass because of their cache operator are not reported to the policy */
        op->begun = true;
        l1_load_begin(c, &op->load);
    }
    if (data_load && s->tracks_loops)
        op->load.left_loop = op->load.loop != CODE_NO_LOOP && !warp_is_inside(s, r->warp, op->load.loop);
    bool may_miss = !gated || ext_may_miss(s, cache, r);
    bool last = op->sent + 1 == op->load.requests;
    enum l1_outcome outcome = l1_access(c, r, s->cycle, may_miss);
    if (l1_refused(outcome)) return outcome;
    s->part.clock->progress++;
    op->sent++;
    if (!may_miss) l1_count_gate_hit(c);
    if (data_load) note_load(s, op, outcome, last);
    if (cache == L1_CONSTANT && s->constants.near && constants_own(r)) return read_constant(s, c, r, outcome, now);
    if (outcome == L1_HIT) finish_request(s, r, now + s->hit_ticks, WAIT_L1, now);
    else if (outcome == L1_STORED && r->is_reply) finish_request(s, r, now, WAIT_L1, now);
    else if (outcome == L1_MERGED) {
        r->answer = ANSWER_IN_FLIGHT;
        if (l1_has_fifo(c)) finish_ready(s, c, now);
    }
    return outcome;
}

enum l1_outcome lsu_try(struct sm *s, enum cache_id cache, struct req *r, tick_t now)
{
    return try_request(s, cache, s->lsu.ext, r, now);
}

/* `again`: a request that was refused is presented again even if nothing has happened that the cache knows of. */
INTO_EACH void access_first(struct sm *s, struct access_pipe *p, enum cache_id cache, bool gated, bool again,
                            tick_t now)
{
    struct l1 *c = &s->lsu.l1[cache];
    enum l1_outcome outcome = p->refused;
    p->refused = L1_HIT;
    struct req *r = p->list.head;
    if (r->ready > now) return;
    struct req *next = r->next;
    __builtin_prefetch(next);
    if (!l1_refused(outcome) || again || l1_retry_worthwhile(c)) outcome = try_request(s, cache, gated, r, now);
    if (outcome == L1_AGAIN) return;
    if (l1_refused(outcome)) {
        p->refused = outcome;
        l1_refuse(c, outcome, 1);
        return;
    }
    lsu_leave_pipe(p, next);
}

static void access_tags(struct sm *s, enum cache_id cache, tick_t now)
{
    access_first(s, &s->lsu.pipe[cache], cache, s->lsu.ext, false, now);
}

/* Lines that went into the pipe together are looked up together, until one is refused. */
static void access_lines(struct sm *s, tick_t now)
{
    struct access_pipe *p = &s->lsu.pipe[L1_DATA];
    const struct req *head = p->list.head;
    tick_t together = head->ready;
    do {
        head = p->list.head;
        access_tags(s, L1_DATA, now);
    } while (p->used && p->list.head != head && p->list.head->ready == together);
}

/* Each bank looks up its own first request, the lowest bank first: one that is refused holds up its bank alone. The
 * cache remembers one refusal only, so all are presented again when a reply has come or a miss has left. */
INTO_EACH void access_banks(struct sm *s, bool gated, tick_t now)
{
    struct lsu *u = &s->lsu;
    bool again = u->lifted;
    u->lifted = false;
    for (uint32_t m = u->filled; m; m &= m - 1) {
        uint32_t bank = bit_low32(m), bit = m & -m;
        struct access_pipe *p = bank_pipe(u, bank);
        if (p->list.head->ready > now) continue;
        access_first(s, p, L1_DATA, gated, again, now);
        u->refused = l1_refused(p->refused) ? u->refused | bit : u->refused & ~bit;
        if (!p->used) u->filled &= ~bit;
    }
}

static void access_data(struct sm *s, tick_t now)
{
    if (has_queue(s)) reexec_access(s, now);
    else if (s->lsu.banks > 1) access_banks(s, s->lsu.ext, now);
    else if (!s->lsu.pipe[L1_DATA].used) return;
    else if (s->lsu.lines > 1) access_lines(s, now);
    else access_tags(s, L1_DATA, now);
}

/* A request per cycle that passes the pipe: it is presented when it is made, and sent in the same cycle if no miss was.
 * All that can be wrong is that the miss queue is full. */
void lsu_feed_aside(struct sm *s, tick_t now)
{
    struct lsu *u = &s->lsu;
    struct access_pipe *p = &u->pipe[u->aside];
    if (!p->used) lsu_feed_one(s, p, now);
    access_first(s, p, L1_DATA, false, l1_missq_room(&u->l1[L1_DATA], 1), now);
    if (u->sent_for != now) send_misses(s, &u->l1[L1_DATA], now);
    u->goes_aside = p->used || u->op;
}

/* ---- the cycle ---- */

static bool some_refused(const struct lsu *u)
{
    return lsu_refused(u) ||
           (u->readonly && (l1_refused(u->pipe[L1_TEXTURE].refused) || l1_refused(u->pipe[L1_CONSTANT].refused)));
}

/* Cycles the SM slept through: what was refused stayed refused. */
static void account_skipped(struct sm *s, uint64_t skipped)
{
    struct lsu *u = &s->lsu;
    if (has_queue(s)) reexec_skip(s, skipped);
    s->stats.lsu_stall_cycles += skipped * some_refused(u);
    for (unsigned i = 0; i < (u->readonly ? SM_CACHES : 1u); i++) l1_refuse(&u->l1[i], u->pipe[i].refused, skipped);
    for (unsigned i = SM_CACHES; i < u->pipes; i++) l1_refuse(&u->l1[L1_DATA], u->pipe[i].refused, skipped);
}

/* A pipe without stages is fed and read in the same cycle. */
static void access_fed(struct sm *s, tick_t now)
{
    const struct access_pipe *texture = &s->lsu.pipe[L1_TEXTURE];
    if (texture->used && !texture->delay) access_tags(s, L1_TEXTURE, now);
    if (s->lsu.pipe[L1_CONSTANT].used) access_tags(s, L1_CONSTANT, now);
}

/* A cycle of the usual kind of unit, one with stages before the tags and nothing that a scheme adds, in which only the
 * L1D has requests when it begins. */
static void usual_cycle(struct sm *s, tick_t now, uint64_t skipped)
{
    struct lsu *u = &s->lsu;
    struct access_pipe *p = &u->pipe[L1_DATA];
    if (skipped && lsu_refused(u)) account_skipped(s, skipped);
    if (port_peek(&s->reply, now)) lsu_accept_reply(s, now);
    if (u->sent_for != now) send_misses(s, &u->l1[L1_DATA], now);
    if (u->banks > 1) access_banks(s, false, now);
    else if (p->used && u->lines > 1) access_lines(s, now);
    else if (p->used) access_first(s, p, L1_DATA, false, false, now);
    lsu_feed(s, now);
    if (u->readonly) access_fed(s, now);
    s->stats.lsu_stall_cycles += some_refused(u);
}

/* The same of a unit that is one place: what it gets is presented in the same cycle. */
static __attribute__((noinline)) void place_cycle(struct sm *s, tick_t now, uint64_t skipped)
{
    struct lsu *u = &s->lsu;
    struct access_pipe *p = &u->pipe[L1_DATA];
    if (skipped && lsu_refused(u)) account_skipped(s, skipped);
    if (port_peek(&s->reply, now)) lsu_accept_reply(s, now);
    if (u->sent_for != now) send_misses(s, &u->l1[L1_DATA], now);
    lsu_feed(s, now);
    if (p->used) access_first(s, p, L1_DATA, false, false, now);
    if (u->readonly) access_fed(s, now);
    s->stats.lsu_stall_cycles += some_refused(u);
}

void lsu_cycle(struct sm *s, tick_t now, uint64_t skipped)
{
    struct lsu *u = &s->lsu;
    if (u->usual && !u->readonly && !l1_wants_tags(&u->l1[L1_DATA])) {
        usual_cycle(s, now, skipped);
        return;
    }
    if (u->plain_place && !u->readonly && !l1_wants_tags(&u->l1[L1_DATA])) {
        place_cycle(s, now, skipped);
        return;
    }
    if (skipped) account_skipped(s, skipped);
    if (port_peek(&s->reply, now)) lsu_accept_reply(s, now);
    if (u->sent_for != now) send_misses(s, &u->l1[L1_DATA], now);
    if (u->readonly) {
        send_misses(s, &u->l1[L1_TEXTURE], now);
        send_misses(s, &u->l1[L1_CONSTANT], now);
    }
    const struct access_pipe *data = &u->pipe[L1_DATA], *texture = &u->pipe[L1_TEXTURE];
    if (data->delay) access_data(s, now);
    if (u->readonly && texture->used && texture->delay) access_tags(s, L1_TEXTURE, now);
    lsu_feed(s, now);
    if (!data->delay) access_data(s, now);
    if (u->readonly) access_fed(s, now);
    if (l1_wants_tags(&u->l1[L1_DATA]) && lsu_tags_free(u) && !l1_busy(&u->l1[L1_DATA], s->cycle))
        l1_prefetch(&u->l1[L1_DATA], s->cycle);
    s->stats.lsu_stall_cycles += some_refused(u);
}

/* ---- for other files ---- */

bool lsu_idle(const struct sm *s)
{
    const struct lsu *u = &s->lsu;
    if (u->op || u->head != u->tail || (u->ext && u->ext->queue.used) || !port_empty(&s->reply)) return false;
    for (unsigned i = 0; i < SM_CACHES; i++)
        if (u->pipe[i].used || !l1_idle(&u->l1[i])) return false;
    return !u->filled && !u->goes_aside;
}

uint64_t lsu_holds(const struct sm *s)
{
    const struct lsu *u = &s->lsu;
    uint64_t warps = (u->ext ? u->ext->queue.warps : 0) | (u->op ? bit64(u->op->load.warp) : 0);
    for (uint32_t i = u->head; i != u->tail; i++) {
        const struct memop *op = u->queue[i & u->mask];
        warps |= (uint64_t)op->route->leaves << op->load.warp;
    }
    for (unsigned c = 0; c < (u->readonly ? SM_CACHES : 1u); c++)
        for (const struct req *r = u->pipe[c].list.head; r; r = r->next) warps |= bit64(r->warp);
    for (unsigned c = SM_CACHES; c < u->pipes; c++)
        for (const struct req *r = u->pipe[c].list.head; r; r = r->next) warps |= bit64(r->warp);
    return warps;
}

static bool goes_to_l1d(const struct memop *op) { return op->route->leaves && op->route->cache == L1_DATA; }

int lsu_warp(const struct sm *s)
{
    const struct lsu *u = &s->lsu;
    const struct req *r = u->pipe[L1_DATA].list.head;
    for (uint32_t i = SM_CACHES; i < u->pipes; i++) {
        const struct req *other = u->pipe[i].list.head;
        if (other && (!r || other->ready < r->ready)) r = other;
    }
    if (r) return r->warp;
    if (u->op) return goes_to_l1d(u->op) ? u->op->load.warp : -1;
    const struct memop *next = u->head != u->tail ? u->queue[u->head & u->mask] : NULL;
    return next && goes_to_l1d(next) ? next->load.warp : -1;
}

static uint32_t list_length(const struct req_list *l)
{
    uint32_t n = 0;
    for (const struct req *r = l->head; r; r = r->next) n++;
    return n;
}

void lsu_walk(const struct sm *s)
{
    const struct lsu *u = &s->lsu;
    WL_VERIFY(u->tail - u->head <= u->depth && u->depth <= u->mask + 1 && u->limit == u->head + u->depth);
    WL_VERIFY(!u->op || (u->next_txn < u->ntxn && u->ntxn <= SM_MAX_TXNS));
    for (unsigned i = 0; i < u->pipes; i++) {
        const struct access_pipe *p = &u->pipe[i];
        unsigned bank = i < SM_CACHES ? 0 : i - SM_CACHES + 1;
        WL_VERIFY(p->used <= p->depth && p->used == list_length(&p->list));
        if (u->banks > 1 && (i == L1_DATA || bank) && i != u->aside) {
            WL_VERIFY((u->filled >> bank & 1) == (p->used != 0));
            WL_VERIFY((u->refused >> bank & 1) == l1_refused(p->refused));
        }
        for (const struct req *r = p->list.head; r; r = r->next)
            WL_VERIFY(r->cache == (bank ? L1_DATA : i) && s->live >> r->warp & 1 && memop_of(r)->waiting);
    }
}
