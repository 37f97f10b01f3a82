/* ldst.c - the ld/st unit: one memory instruction at a time, one request a cycle.
 *
 * An issued instruction waits in a short queue, is dispatched and coalesced, and gives one
 * request a cycle to the cache it belongs to. Requests travel a fixed pipe to the tags; the
 * one at its end is accepted or refused. A refused request keeps its place and everybody
 * behind it waits: that is the stall the papers are about. */
#include <stdlib.h>

#include "sm/sm.h"

/* ---- instructions in flight ---- */

enum { OP_CHUNK = 256 };
struct memop_chunk {
    struct memop_chunk *next;
    struct memop op[OP_CHUNK];
};

int memop_grow(struct memop_pool *p)
{
    struct memop_chunk *c = calloc(1, sizeof *c);
    if (!c) return -1;
    c->next = p->chunks;
    p->chunks = c;
    for (int i = 0; i < OP_CHUNK; i++) {
        c->op[i].next = p->free;
        p->free = &c->op[i];
    }
    p->available += OP_CHUNK;
    return 0;
}

void memop_pool_destroy(struct memop_pool *p)
{
    for (struct memop_chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
}

struct memop *memop_alloc(struct sm *s)
{
    struct memop *op = s->ops->free;
    s->ops->free = op->next;
    s->ops->available--;
    return op;
}

/* The instruction has all it waited for; its registers can be read from tick `at` on. That tick is
 * known now, so nobody has to come back for it. */
static void finish_op(struct sm *s, struct memop *op, tick_t at, tick_t now)
{
    const struct code_inst *in = op->inst;
    unsigned w = op->load.warp;
    for (unsigned i = 0; i < in->ndst; i++) op->regs[in->reg[i]] = at;
    if (op->begun) l1_load_done(&s->l1d, &op->load);
    op->next = s->ops->free;
    s->ops->free = op;
    s->ops->available++;
    if (in->ndst && s->long_stall >> w & 1 && !((s->barrier | s->membar) >> w & 1)) warp_check_head(s, w, now);
    warp_memop_done(s, w, now);
}

/* One request of the instruction has its data at tick `at`, or its acknowledgement. */
static void finish_request(struct sm *s, struct req *r, tick_t at, tick_t now)
{
    struct memop *op = (struct memop *)(void *)r->load;
    s->readonly -= r->origin != FROM_L1D;
    req_free(s->pool, r);
    op->done = later(op->done, at); /* a hit may come after a miss whose register write still waits */
    if (--op->waiting == 0) finish_op(s, op, op->done, now);
}

/* ---- what comes back ---- */

static struct l1 *cache_of(struct sm *s, const struct req *r)
{
    return r->origin == FROM_L1T ? &s->l1t : r->origin == FROM_L1C ? &s->l1c : &s->l1d;
}

/* What came back is written to the registers one request a cycle, from the next cycle on. */
static tick_t writeback_slot(struct sm *s, tick_t now)
{
    tick_t at = later(now + s->part.period, s->writeback_free);
    if (at > now + s->writeback_limit) at = now + s->writeback_limit; /* the wheel reaches no further */
    s->writeback_free = at + s->part.period;
    return at;
}

static void accept_reply(struct sm *s, tick_t now)
{
    struct req *r = port_peek(&s->reply, now);
    if (!r) return;
    port_pop(&s->reply, now);
    reexec_changed(s);
    if (r->kind == WL_STORE) {
        finish_request(s, r, now, now);
    } else if (r->kind == WL_ATOMIC || r->bypass) {
        l1_bypass_done(&s->l1d, r);
        finish_request(s, r, writeback_slot(s, now), now);
    } else {
        struct req_list done;
        list_init(&done);
        l1_fill(cache_of(s, r), r, &done);
        while (done.head) finish_request(s, list_pop(&done), writeback_slot(s, now), now);
    }
}

/* ---- to the network ---- */

static void send_misses(struct sm *s, struct l1 *c, tick_t now)
{
    if (!l1_missq_head(c) || !port_can_push(s->request, now)) return;
    struct req *r = l1_missq_pop(c);
    reexec_changed(s);
    addrmap_route(s->map, r);
    port_push(s->request, r, now);
}

/* ---- at the tags ---- */

/* Tells the L1D's policy about loads: when the first request meets the tags, when the last left. */
static void note_load(struct sm *s, struct memop *op, enum l1_outcome outcome, bool last)
{
    struct wl_load *l = &op->load;
    l->missed = (uint16_t)(l->missed + (outcome != L1_HIT));
    l->merged = (uint16_t)(l->merged + (outcome == L1_MERGED));
    l->bypassed = (uint16_t)(l->bypassed + (outcome == L1_BYPASSED));
    if (last && s->observer) observe_load(s->observer, l);
    if (last && op->begun) l1_load_end(&s->l1d, l);
}

/* Whether this is the instruction's last request to be accepted. */
static bool is_last(const struct sm *s, struct memop *op, const struct req *r)
{
    return s->reexec.entries ? op->sent + 1 == op->load.requests : r->number + 1u == op->load.requests;
}

/* Presents a request to its cache. Accepted, it is counted and belongs to the cache or is finished. */
enum l1_outcome ldst_try(struct sm *s, struct l1 *c, struct req *r, tick_t now)
{
    bool data_load = c == &s->l1d && r->kind == WL_LOAD;
    struct memop *op = (struct memop *)(void *)r->load;
    if (data_load && !op->begun && !r->bypass) { /* bypassed by its cache operator, it is not the policy's business */
        op->begun = true;
        l1_load_begin(c, &op->load);
    }
    if (data_load && l1_follows_loops(c))
        op->load.left_loop = op->load.loop != CODE_NO_LOOP && !warp_is_inside(s, r->warp, op->load.loop);
    bool may_miss =
        !s->sched->may_miss || (c == &s->l1d ? s->sched->may_miss(s->sched_self, r->warp) : gate_lets_readonly(s, r));
    bool last = is_last(s, op, r);
    enum l1_outcome outcome = l1_access(c, r, s->cycle, may_miss);
    if (l1_refused(outcome)) return outcome;
    s->part.clock->progress++;
    op->sent++;
    if (!may_miss) c->stats.gate_hits++;
    if (data_load) note_load(s, op, outcome, last);
    if (outcome == L1_HIT) finish_request(s, r, now + s->hit_ticks, now);
    else if (outcome == L1_STORED && r->is_reply) finish_request(s, r, now, now);
    return outcome;
}

static void access_tags(struct sm *s, struct l1 *c, struct access_pipe *p, tick_t now)
{
    enum l1_outcome outcome = p->refused;
    p->refused = L1_HIT;
    struct req *r = p->list.head;
    if (r->ready > now) return;
    struct req *next = r->next;
    if (!l1_refused(outcome) || c->changed || !c->steady) outcome = ldst_try(s, c, r, now);
    if (outcome == L1_AGAIN) return;
    if (l1_refused(outcome)) {
        p->refused = outcome;
        c->refusals[outcome]++;
        return;
    }
    p->list.head = next;
    if (!next) p->list.tail = &p->list.head;
    p->used--;
}

static void access_data(struct sm *s, tick_t now)
{
    if (s->reexec.entries) reexec_access(s, now);
    else if (s->pipe[FROM_L1D].used) access_tags(s, &s->l1d, &s->pipe[FROM_L1D], now);
}

/* ---- dispatch ---- */

/* The cache an instruction goes to. */
static enum req_origin origin_of(const struct sm *s, const struct code_inst *in)
{
    if (in->space == SPACE_CONST || in->space == SPACE_PARAM) return FROM_L1C;
    if (s->l1d_readonly) return FROM_L1D;
    return in->space == SPACE_TEX || in->cache_op == CACHE_NC ? FROM_L1T : FROM_L1D;
}

const struct access_pipe *ldst_waits_for(const struct sm *s) { return s->lsu.op ? &s->pipe[s->lsu.origin] : NULL; }

bool ldst_is_data(const struct sm *s, const struct code_inst *in) { return origin_of(s, in) == FROM_L1D; }

static void dispatch_shared(struct sm *s, struct memop *op, tick_t now)
{
    uint32_t passes = shared_passes(&op->addrs, s->shared_banks, op->inst->kind == INST_ATOMIC);
    s->stats.shared_passes += passes;
    s->lsu.busy_until = now + passes * s->part.period;
    finish_op(s, op, s->lsu.busy_until + s->shared_latency, now);
}

static void count_requests(struct sm *s, const struct memop *op, enum req_origin origin, uint32_t n)
{
    if (op->inst->kind == INST_STORE) s->stats.store_requests += n;
    if (op->inst->kind != INST_LOAD || origin != FROM_L1D) return;
    s->stats.l1d_loads++;
    s->stats.load_requests += n;
    s->stats.divergent_loads += n > 2;
}

static const uint8_t kind_of[] = {[INST_LOAD] = WL_LOAD, [INST_STORE] = WL_STORE, [INST_ATOMIC] = WL_ATOMIC};

static struct req common_of(const struct sm *s, struct memop *op, enum req_origin origin)
{
    const struct code_inst *in = op->inst;
    enum wl_space space = in->space == SPACE_LOCAL ? WL_LOCAL
                          : origin == FROM_L1T     ? WL_TEXTURE
                          : origin == FROM_L1C     ? WL_CONST
                                                   : WL_GLOBAL;
    bool past = in->kind == INST_LOAD && origin == FROM_L1D && space == WL_GLOBAL &&
                (in->cache_op == CACHE_CG || !s->l1d_global);
    return (struct req){.load = &op->load,
                        .pc = in->pc,
                        .warp = (uint8_t)op->load.warp,
                        .rank = (uint8_t)op->load.rank,
                        .kind = kind_of[in->kind],
                        .space = (uint8_t)space,
                        .origin = (uint8_t)origin,
                        .sm = (uint8_t)s->index,
                        .bypass = past};
}

/* Takes the next instruction from the queue. */
static void dispatch(struct sm *s, tick_t now)
{
    struct lsu *u = &s->lsu;
    if (u->op || u->head == u->tail || u->busy_until > now) return;
    struct memop *op = u->queue[u->head & u->mask];
    if (op->ready > now) return;
    u->head++;
    s->part.clock->progress++;
    if (op->inst->space == SPACE_SHARED) {
        dispatch_shared(s, op, now);
        return;
    }
    u->op = op;
    u->origin = origin_of(s, op->inst);
    u->like = common_of(s, op, u->origin);
    u->ntxn = coalesce(s, op, s->txn);
    u->next_txn = 0;
    op->load.requests = (uint16_t)u->ntxn;
    op->waiting = u->ntxn;
    count_requests(s, op, u->origin, u->ntxn);
}

static struct req *make_request(struct sm *s)
{
    const struct txn *t = &s->txn[s->lsu.next_txn];
    struct req *r = req_alloc(s->pool);
    memcpy(r, &s->lsu.like, offsetof(struct req, bytes));
    r->line = t->line;
    r->bytes[0] = t->bytes[0];
    r->bytes[1] = t->bytes[1];
    r->sectors = r->touched = t->sectors;
    r->lanes = t->lanes;
    r->number = (uint8_t)s->lsu.next_txn;
    return r;
}

/* Gives one request of the dispatched instruction to its cache's pipe. */
static void feed(struct sm *s, tick_t now)
{
    struct lsu *u = &s->lsu;
    dispatch(s, now);
    if (!u->op) return;
    struct access_pipe *p = &s->pipe[u->origin];
    if (p->used >= p->depth) return;
    if (u->origin == FROM_L1D && s->reexec.pushed_at == s->cycle) return;
    struct req *r = make_request(s);
    r->ready = now + p->delay;
    list_push(&p->list, r);
    p->used++;
    s->readonly += u->origin != FROM_L1D;
    if (++u->next_txn == u->ntxn) u->op = NULL;
}

uint64_t ldst_holds(const struct sm *s)
{
    const struct lsu *u = &s->lsu;
    uint64_t warps = s->reexec.warps | (u->op ? bit64(u->op->load.warp) : 0);
    for (uint32_t i = u->head; i != u->tail; i++)
        if (u->queue[i & u->mask]->inst->space != SPACE_SHARED) warps |= bit64(u->queue[i & u->mask]->load.warp);
    for (unsigned c = FROM_L1D; c <= FROM_L1C; c++)
        for (const struct req *r = s->pipe[c].list.head; r; r = r->next) warps |= bit64(r->warp);
    return warps;
}

int ldst_warp(const struct sm *s)
{
    const struct req *r = s->pipe[FROM_L1D].list.head;
    const struct lsu *u = &s->lsu;
    if (r) return r->warp;
    if (u->op) return u->origin == FROM_L1D ? u->op->load.warp : -1;
    const struct memop *next = u->head != u->tail ? u->queue[u->head & u->mask] : NULL;
    return next && next->inst->space != SPACE_SHARED && ldst_is_data(s, next->inst) ? next->load.warp : -1;
}

void ldst_accept(struct sm *s, struct memop *op) { s->lsu.queue[s->lsu.tail++ & s->lsu.mask] = op; }

/* ---- the cycle ---- */

static bool some_refused(const struct sm *s)
{
    return l1_refused(s->pipe[FROM_L1D].refused) ||
           (s->readonly && (l1_refused(s->pipe[FROM_L1T].refused) || l1_refused(s->pipe[FROM_L1C].refused)));
}

static void account_skipped(struct sm *s, uint64_t skipped)
{
    if (s->reexec.entries) reexec_skip(s, skipped);
    s->stats.lsu_stall_cycles += skipped * some_refused(s);
    s->l1d.refusals[s->pipe[FROM_L1D].refused] += skipped;
    if (!s->readonly) return;
    s->l1t.refusals[s->pipe[FROM_L1T].refused] += skipped;
    s->l1c.refusals[s->pipe[FROM_L1C].refused] += skipped;
}

/* No load or store uses the L1D's tags in this cycle: the policy's prefetches may. */
static bool tags_free(const struct sm *s)
{
    return s->l1d.busy_at != s->cycle && !l1_refused(s->pipe[FROM_L1D].refused) && !s->reexec.used;
}

void ldst_cycle(struct sm *s, tick_t now, uint64_t skipped)
{
    account_skipped(s, skipped); /* often 0, often not */
    accept_reply(s, now);
    send_misses(s, &s->l1d, now);
    if (s->readonly) {
        send_misses(s, &s->l1t, now);
        send_misses(s, &s->l1c, now);
    }
    struct access_pipe *data = &s->pipe[FROM_L1D], *texture = &s->pipe[FROM_L1T], *constant = &s->pipe[FROM_L1C];
    /* A pipe without stages is fed and read in the same cycle. */
    if (data->delay) access_data(s, now);
    if (s->readonly && texture->used && texture->delay) access_tags(s, &s->l1t, texture, now);
    feed(s, now);
    if (!data->delay) access_data(s, now);
    if (s->readonly && texture->used && !texture->delay) access_tags(s, &s->l1t, texture, now);
    if (s->readonly && constant->used) access_tags(s, &s->l1c, constant, now);
    if (l1_wants_tags(&s->l1d) && tags_free(s)) l1_prefetch(&s->l1d, s->cycle);
    s->stats.lsu_stall_cycles += some_refused(s);
}

static tick_t pipe_next(const struct access_pipe *p)
{
    return p->list.head && !l1_refused(p->refused) ? p->list.head->ready : NEVER;
}

/* The texture or constant cache's: a refusal by the gate may end with what has come behind it since. */
static tick_t readonly_next(const struct sm *s, const struct access_pipe *p)
{
    if (!p->list.head || p->refused != L1_GATED) return pipe_next(p);
    return gate_holds_up(s, p) ? 0 : NEVER;
}

/* When the unit has something to do again. Refused requests wait for a reply or for the
 * network to take a miss; both wake the SM. */
tick_t ldst_next(const struct sm *s, tick_t now)
{
    tick_t soon = now + s->part.period, next = s->reply.visible_at;
    const struct lsu *u = &s->lsu;
    bool misses = s->l1d.missq.head || (s->readonly && (s->l1t.missq.head || s->l1c.missq.head));
    if (misses && !s->request->producer_waits) return soon;
    if (s->reexec.entries && reexec_busy(s)) return soon;
    if (l1_wants_tags(&s->l1d) && !l1_refused(s->pipe[FROM_L1D].refused) && !s->reexec.used) return soon;
    next = earlier(next, pipe_next(&s->pipe[FROM_L1D]));
    if (s->readonly)
        next = earlier(next, earlier(readonly_next(s, &s->pipe[FROM_L1T]), readonly_next(s, &s->pipe[FROM_L1C])));
    if (u->op) {
        const struct access_pipe *p = &s->pipe[u->origin];
        if (p->used < p->depth) return soon;
    } else if (u->head != u->tail) {
        next = earlier(next, later(u->queue[u->head & u->mask]->ready, u->busy_until));
    }
    return next == NEVER ? NEVER : later(next, soon);
}

bool ldst_idle(const struct sm *s)
{
    return !s->lsu.op && s->lsu.head == s->lsu.tail && !s->reexec.used && !s->pipe[FROM_L1D].used &&
           !s->pipe[FROM_L1T].used && !s->pipe[FROM_L1C].used && !s->l1d.missq.head && !s->l1t.missq.head &&
           !s->l1c.missq.head && !s->l1d.mshr.used && !s->l1t.mshr.used && !s->l1c.mshr.used && port_empty(&s->reply);
}
