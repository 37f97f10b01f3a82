/* lsu_feed.c - how memory instructions become requests: the oldest is dispatched, coalesced, and given to the pipe of
 * its cache, one request per cycle where nothing wider is said. Shared memory is served here as a whole. */
#include "sm/lsu_priv.h"

/* An access to the shared memory of other CTAs of the cluster takes longer, and so many bytes per cycle pass between
 * SMs. What it does to the banks there is not seen. Returns how much longer it takes. */
__attribute__((noinline)) static tick_t reach_others(struct sm *s, const struct memop *op, tick_t now)
{
    const struct warp_addrs *a = &op->addrs;
    const struct cta *c = &s->cta[s->warp[op->load.warp].cta];
    uint32_t own = c->stream.order % launch_cluster(s->kernels[c->kernel].launch), lanes = 0;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint32_t above = (uint32_t)(warp_addr(a, bit_low32(m)) >> CLUSTER_RANK_SHIFT) & 0xff;
        lanes += above && above - 1 != own;
    }
    if (!lanes) return 0;
    uint32_t bytes = lanes * op->inst->width;
    tick_t until = now + (bytes + s->between.bytes - 1) / s->between.bytes * s->part.period;
    s->lsu.busy_until = tick_max(s->lsu.busy_until, until);
    return s->between.latency;
}

static void dispatch_shared(struct sm *s, struct memop *op, tick_t now)
{
    bool turns = op->inst->kind == INST_ATOMIC && s->shared_turns;
    uint32_t passes = shared_passes(&op->addrs, s->shared_banks, turns);
    s->stats.shared_passes += passes;
    s->lsu.busy_until = now + passes * s->part.period;
    tick_t far = s->clusters ? reach_others(s, op, now) : 0;
    lsu_finish_op(s, op, due_make(s->lsu.busy_until + s->shared_latency + far, WAIT_SHARED), now);
}

static void count_requests(struct sm *s, const struct route *route, uint32_t n)
{
    if (route->kind == WL_STORE) s->stats.store_requests += n;
    if (!route->data_load) return;
    s->stats.l1d_loads++;
    s->stats.load_requests += n;
    s->stats.divergent_loads += n > 2;
}

/* What all requests of the instruction have in common, written field by field: see describe_load in issue.c. */
static inline void set_common(struct req *r, struct memop *op)
{
    const struct route *route = op->route;
    r->load = &op->load;
    r->pc = op->inst->pc;
    r->warp = (uint8_t)op->load.warp;
    r->rank = (uint8_t)op->load.rank;
    r->kind = route->kind;
    r->space = route->space;
    r->cache = route->cache;
    r->bypass = route->bypass;
}

/* A segment is halved as long as one half of it is not touched. */
static uint8_t halved(uint8_t sectors)
{
    enum { LOW = 3, HIGH = 12 };
    if (is_pow2(sectors)) return sectors;
    return !(sectors & HIGH) ? LOW : !(sectors & LOW) ? HIGH : ALL_SECTORS;
}

/* How many lines of a load go together: so many that they take as long as the busiest bank does. */
static uint32_t lines_together(const struct sm *s, const struct memop *op, uint32_t n)
{
    uint32_t most = s->lsu.lines;
    bool plain = op->route->kind == WL_LOAD && op->route->cache == L1_DATA && op->inst->space != SPACE_TEX;
    if (n < 2 || !plain || has_queue(s)) return 1;
    uint32_t cycles = (n + most - 1) / most, passes = shared_passes(&op->addrs, s->shared_banks, false);
    if (passes > cycles) cycles = passes;
    return (n + cycles - 1) / cycles;
}

/* A texture fetch keeps those behind it waiting while the texture unit works on it. */
static void take_texture_turns(struct sm *s, const struct memop *op, tick_t now)
{
    struct lsu *u = &s->lsu;
    uint32_t words = shared_passes(&op->addrs, s->shared_banks, false);
    u->busy_until = now + texture_turns(&s->textures, op->inst, u->ntxn, words) * s->part.period;
    if (u->lines > 1 && !texture_is_plane(op->inst)) u->rate = 2;
}

/* Takes the next instruction from the queue. */
static void lsu_dispatch(struct sm *s, tick_t now)
{
    struct lsu *u = &s->lsu;
    if (u->op || u->head == u->tail || u->busy_until > now || u->goes_aside || lsu_held(u)) return;
    struct memop *op = u->queue[u->head & u->mask];
    if (op->ready > now) return;
    u->head++;
    u->limit++;
    s->part.clock->progress++;
    if (!op->route->leaves) {
        dispatch_shared(s, op, now);
        return;
    }
    u->op = op;
    u->cache = (enum cache_id)op->route->cache;
    u->goes_aside = u->aside && u->cache == L1_DATA && (op->route->kind == WL_ATOMIC || op->route->bypass);
    set_common(&u->common, op);
    u->ntxn = coalesce(s, op, u->txn);
    if (op->inst->space == SPACE_CONST && s->constants.near)
        u->busy_until = now + constants_turns(&s->constants, &op->addrs) * s->part.period;
    u->next_txn = 0;
    if (u->lines > 1) u->rate = lines_together(s, op, u->ntxn);
    if (op->inst->space == SPACE_TEX && s->textures.turn[0]) take_texture_turns(s, op, now);
    if (s->halved_stores && (op->route->kind != WL_LOAD || op->route->bypass))
        for (uint32_t i = 0; i < u->ntxn; i++) u->txn[i].sectors = halved(u->txn[i].sectors);
    op->load.requests = (uint16_t)u->ntxn;
    op->waiting = (uint16_t)u->ntxn;
    count_requests(s, op->route, u->ntxn);
}

static struct req *make_request(struct sm *s, tick_t now)
{
    const struct txn *t = &s->lsu.txn[s->lsu.next_txn];
    struct req *r = req_alloc(s->pool);
    memcpy(r, &s->lsu.common, offsetof(struct req, bytes));
    r->line = t->line;
    if (s->lsu.load_bytes || r->kind != WL_LOAD) {
        r->bytes[0] = t->bytes[0];
        r->bytes[1] = t->bytes[1];
    }
    r->sectors = r->touched = t->sectors;
    r->lanes = t->lanes;
    r->number = (uint8_t)s->lsu.next_txn;
    struct req_tracer *tracer = s->part.clock->tracer;
    r->traced = tracer && tracer->choose(tracer, r, s->part.id, s->lsu.op->inst, now);
    return r;
}

__attribute__((noinline)) void lsu_feed_one(struct sm *s, struct access_pipe *p, tick_t now)
{
    struct lsu *u = &s->lsu;
    enum cache_id cache = u->cache;
    if (p->used >= p->depth) return;
    if (cache == L1_DATA && u->ext && u->ext->queue.pushed_at == s->cycle) return;
    WL_ASSERT(u->next_txn < u->ntxn && u->ntxn <= SM_MAX_TXNS);
    struct req *r = make_request(s, now);
    r->ready = now + p->delay;
    l1_warm_access(&u->l1[cache], r->line);
    list_push(&p->list, r);
    p->used++;
    u->readonly += cache != L1_DATA;
    if (++u->next_txn == u->ntxn) u->op = NULL;
}

/* One sector into each bank, in order, until one's bank has been taken or is full. */
static void feed_banks(struct sm *s, tick_t now)
{
    struct lsu *u = &s->lsu;
    for (uint32_t taken = 0; u->op;) {
        uint32_t bank = next_bank(u);
        struct access_pipe *p = bank_pipe(u, bank);
        if (taken >> bank & 1 || p->used >= p->depth) return;
        taken |= 1u << bank;
        u->filled |= 1u << bank;
        lsu_feed_one(s, p, now);
    }
}

void lsu_feed(struct sm *s, tick_t now)
{
    struct lsu *u = &s->lsu;
    lsu_dispatch(s, now);
    if (u->goes_aside) {
        lsu_feed_aside(s, now);
        return;
    }
    if (!u->op) return;
    if (u->banks > 1 && u->cache == L1_DATA) {
        feed_banks(s, now);
        return;
    }
    struct access_pipe *p = &u->pipe[u->cache];
    lsu_feed_one(s, p, now);
    if (u->lines > 1)
        for (uint32_t n = 1; n < u->rate && u->op; n++) lsu_feed_one(s, p, now);
}

void lsu_accept(struct sm *s, struct memop *op)
{
    WL_ASSERT(lsu_has_room(s));
    s->lsu.queue[s->lsu.tail++ & s->lsu.mask] = op;
}
