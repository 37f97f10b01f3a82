/* split_back.c - the back of a split machine: L2 slices, memory channels and the reply network, ahead of the SMs.
 *
 * One thread at a time works here, any of them. What the front has sent before a tick is seen here so much later
 * (lookahead), so the back can do all edges before that; and it does not wait for what SMs take out of their ports,
 * because it knows when they do. It says how far it has come when it has handed over all replies up to there. */
#include "engine/step.h"
#include "sim/split_priv.h"

/* ---- parts whose ports are cut ---- */

tick_t split_tick_slice(void *self, tick_t now)
{
    struct to_slice *t = self;
    uint32_t used = t->l2->in.used;
    tick_t next = l2_tick(t->l2, now);
    for (; used > t->l2->in.used; used--) dates_add(&t->popped, now);
    return next;
}

/* Places in front of SMs that had none left and have one now. */
static void free_taken(struct split *x, tick_t now)
{
    uint64_t left = 0;
    for (uint32_t w = 0; w < x->sm_words; w++)
        for (uint64_t m = x->reply_full[w]; m; m &= m - 1) {
            struct to_sm *t = &x->to_sm[w * 64 + bit_low64(m)];
            cut_free_places(&t->port, &t->taken, now);
            if (t->port.used == t->port.capacity) continue;
            t->port.producer_waits = false;
            x->reply_full[w] &= ~(m & -m);
        }
    for (uint32_t w = 0; w < x->sm_words; w++) left |= x->reply_full[w];
    x->some_reply_full = left;
}

/* When an SM that had no room for a reply will have some. */
static tick_t next_taken(const struct split *x)
{
    tick_t next = NEVER;
    for (uint32_t w = 0; w < x->sm_words; w++)
        for (uint64_t m = x->reply_full[w]; m; m &= m - 1) {
            const struct to_sm *t = &x->to_sm[w * 64 + bit_low64(m)];
            if (t->port.producer_waits) next = tick_min(next, dates_first(&t->taken));
        }
    return next == NEVER ? NEVER : part_edge_after(&x->g->net[1].part, next);
}

/* Replies that the network has just sent to an SM: each is taken at the SM's first edge at which it can be seen, one
 * per cycle. */
static inline void carry_replies(struct split *x, uint32_t sm)
{
    struct to_sm *t = &x->to_sm[sm];
    const struct part *part = &x->core;
    while (t->port.list.head) {
        struct req *r = cut_take(&t->port);
        tick_t edge = part_edge_after(part, r->ready);
        t->last = tick_max(t->last + part->period, edge);
        dates_add(&t->taken, t->last);
        x->replied++;
        if (x->threads > 1) handover_add(x, &x->replies, r);
        else split_give_reply(x, r, edge);
    }
    if (t->port.used < t->port.capacity) return;
    x->reply_full[sm >> 6] |= bit64(sm & 63);
    x->some_reply_full = true;
}

tick_t split_tick_replies(void *self, tick_t now)
{
    struct split *x = self;
    if (x->some_reply_full) free_taken(x, now);
    tick_t next = net_tick(&x->g->net[1], now);
    for (uint32_t w = 0; w < x->sm_words; w++) {
        for (uint64_t m = x->reply_filled[w]; m; m &= m - 1) carry_replies(x, w * 64 + bit_low64(m));
        x->reply_filled[w] = 0;
    }
    return x->some_reply_full ? tick_min(next, next_taken(x)) : next;
}

/* ---- a stretch of work ---- */

static bool holds_any(const struct split *x) { return x->received - x->replied + x->back_pool.alive != ALIVE_ZERO; }

static inline void back_step(struct piece *b)
{
    if (b->clock.words == 1) step_word(&b->clock, b->driven);
    else clock_step(&b->clock, b->driven, b->parts, false, NULL);
    b->last = b->clock.now;
}

void split_back_run(struct split *x, tick_t limit)
{
    if (x->parted) split_run_parts(x, limit);
    while (!x->parted && next_wake(&x->back.clock) < limit) back_step(&x->back);
}

/* Time has come to just before `limit`: no wake-up is left before that. */
static void set_time(struct split *x, tick_t limit)
{
    if (x->back.clock.now + 1 < limit) x->back.clock.now = limit - 1;
}

/* The oldest request at the slice can be seen after that tick. */
static inline void wake_slice(struct split *x, uint32_t slice, tick_t after)
{
    const struct part *p = &x->g->l2[slice].part;
    tick_t *next = &x->part_next[1 + slice];
    if (x->parted) *next = tick_min(*next, part_edge_after(p, after));
    else part_wake_after(p, after);
}

/* What the front has sent. An empty back first makes up the wake-ups it postponed. */
static void take_requests(struct split *x, tick_t time)
{
    if (!split_receive(x, &x->down, &x->has_down, &x->arrived)) return;
    split_back_run(x, time);
    set_time(x, time);
    for (uint32_t i = 0; i < x->arrived.count; i++) {
        struct req *r = handover_get(&x->arrived, i);
        struct port *p = &x->g->l2[r->slice].in;
        if (p->warm) p->warm(p->consumer, r, true);
        if (cut_append(p, r)) wake_slice(x, r->slice, r->ready);
        x->received += 1 + r->leads;
    }
    const struct l2 *l2 = x->g->l2;
    for (uint32_t i = 0; l2_warms_lines(l2) && i < x->arrived.count; i++)
        l2_warm_line(&l2[x->arrived.at[i]->slice], x->arrived.at[i]);
}

static int refill(struct split *x, tick_t ticks)
{
    uint64_t cycles = ticks / x->g->l2[0].part.period + 2, need = cycles * slice_requests(&x->g->config) * x->g->slices;
    enum { BATCH = 1024 };
    if (x->back_pool.available > need + 4 * BATCH) {
        team_lock(&x->spare_lock);
        for (unsigned i = 0; i < BATCH; i++) req_free(&x->spare.pool, req_alloc(&x->back_pool));
        team_unlock(&x->spare_lock);
    }
    while (x->back_pool.available < need)
        if (req_grow(&x->back_pool)) return -1;
    return 0;
}

static void hand_over(struct split *x)
{
    split_send(x, &x->up, &x->has_up, &x->replies);
    atomic_store_explicit(&x->back_progress, x->back.clock.progress + x->back.nowhere.progress, memory_order_relaxed);
}

static void back_run(struct split *x, tick_t time, tick_t limit)
{
    struct piece *b = &x->back;
    take_requests(x, time);
    if (!x->parted && x->may_part) split_part(x);
    if (x->parted && holds_any(x)) split_run_parts(x, limit);
    while (!x->parted && holds_any(x) && next_wake(&b->clock) < limit && !b->breach.broken) back_step(b);
    if (x->parted || next_wake(&b->clock) >= limit) set_time(x, limit);
    hand_over(x);
    atomic_store_explicit(&x->back_time, limit, memory_order_release);
}

bool split_back_work(struct split *x, tick_t least)
{
    tick_t limit = atomic_load_explicit(&x->front_time, memory_order_acquire) + x->lookahead;
    if (x->meeting != NEVER) limit = tick_min(limit, x->meeting + 1);
    tick_t time = atomic_load_explicit(&x->back_time, memory_order_relaxed);
    if (limit < time + least || !team_try(&x->back_lock)) return false;
    time = atomic_load_explicit(&x->back_time, memory_order_relaxed);
    limit = tick_min(limit, time + x->back_cycles * x->g->core_period);
    bool can = limit >= time + least && !x->closed;
    if (can && refill(x, limit - time)) atomic_store(&x->no_memory, true);
    else if (can) back_run(x, time, limit);
    if (x->back.breach.broken) atomic_store(&x->broken, true);
    team_unlock(&x->back_lock);
    return can;
}

bool split_background(void *arg)
{
    struct split *x = arg;
    return split_back_work(x, x->back_cycles / 2 * x->g->core_period);
}
