/* split_run.c - the front of a split machine, and its loop: SMs, the request network and the dispatcher.
 *
 * A step of the loop is a window of some core cycles. First the SMs, each by itself, work as far as is certain, at most
 * to the end of the window; then the network and the dispatcher, cycle by cycle, to where the slowest SM has come. The
 * SMs' packets are handed to the network at the cycles in which they were sent. */
#include <string.h>

#include "sim/split_priv.h"

/* ---- an SM ---- */

/* How far the SM may go without knowing more. The dispatcher sees that it wants a CTA in the next cycle, and what it
 * gives is seen in the cycle after that. */
static tick_t lane_bound(const struct split *x, const struct lane *l)
{
    tick_t bound = x->limit, period = x->g->core_period;
    if (x->dispatching && l->sm->wants_at != NEVER)
        bound = tick_min(bound, tick_max(l->sm->wants_at + 2 * period, x->start + period));
    if (l->request.producer_waits) bound = tick_min(bound, x->exact + period);
    return bound;
}

/* The SM works at tick `t`, one of its edges; it may want to work again at a tick between two. */
static void lane_tick(struct lane *l, tick_t t)
{
    tick_t next = sm_tick(l->sm, t);
    if (next != NEVER && next != t + l->sm->part.period) next = part_edge_after(&l->sm->part, next - 1);
    l->next = next;
}

static bool lane_idle(const struct lane *l) { return !l->sm->live && sm_idle(l->sm); }

static bool certain_of_room(const struct lane *l)
{
    return l->request.used + sm_may_send(l->sm) <= l->request.capacity;
}

/* What the SM may need until the limit; see set_round in gpu.c. */
static bool refill(struct split *x, struct worker *w, const struct lane *l)
{
    enum { BATCH = 512 };
    uint64_t cycles = (x->limit - l->time) / x->g->core_period + 1, requests = 12 * cycles;
    uint64_t ops = (uint64_t)x->g->config.v[P_SM_LSU_QUEUE] + cycles;
    bool lends = w->pool.available > requests + 8 * BATCH, lends_ops = w->ops.available > ops + 8 * BATCH;
    if (w->pool.available >= requests && w->ops.available >= ops && !lends && !lends_ops) return true;
    team_lock(&x->spare_lock);
    struct worker *s = &x->spare;
    for (unsigned i = 0; lends && i < BATCH; i++) req_free(&s->pool, req_alloc(&w->pool));
    if (lends_ops) memop_move(&w->ops, &s->ops, BATCH);
    while (w->pool.available < requests && s->pool.available) req_free(&w->pool, req_alloc(&s->pool));
    if (w->ops.available < ops) memop_move(&s->ops, &w->ops, ops);
    team_unlock(&x->spare_lock);
    while (w->pool.available < requests)
        if (req_grow(&w->pool)) return false;
    while (w->ops.available < ops)
        if (memop_grow(&w->ops)) return false;
    return true;
}

void split_lane(void *arg, unsigned thread, uint32_t number)
{
    struct split *x = arg;
    struct lane *l = &x->lane[x->todo[number]];
    struct worker *w = &x->worker[thread];
    tick_t t, bound;
    if (!refill(x, w, l)) {
        atomic_store(&x->no_memory, true);
        return;
    }
    sm_use_pools(l->sm, &w->pool, &w->ops);
    while ((t = l->next) < (bound = lane_bound(x, l)) && !lane_idle(l)) {
        if ((t > x->exact && !certain_of_room(l)) || l->breach.broken) {
            bound = t;
            break;
        }
        lane_tick(l, t);
        l->last = t;
    }
    l->time = tick_max(l->time, bound);
    if (l->breach.broken) atomic_store(&x->broken, true);
}

/* The replies that have come go to their SMs. */
static void take_replies(struct split *x)
{
    struct req_list in;
    list_init(&in);
    team_lock(&x->exchange);
    list_join(&in, &x->up);
    team_unlock(&x->exchange);
    while (in.head) {
        struct req *r = list_pop(&in);
        struct lane *l = &x->lane[r->sm];
        struct port *p = &l->sm->reply;
        if (p->warm) p->warm(p->consumer, r);
        if (cut_append(p, r)) l->next = tick_min(l->next, part_edge_after(&l->sm->part, r->ready));
    }
}

/* Lets all SMs work that have something to do; returns the edge before which all have worked. */
static tick_t run_lanes(struct split *x)
{
    uint32_t n = 0, sms = x->g->sms;
    for (uint32_t i = 0; i < sms; i++) {
        struct lane *l = &x->lane[i];
        tick_t bound = lane_bound(x, l);
        if (l->next < bound && !lane_idle(l)) x->todo[n++] = i;
        else l->time = tick_max(l->time, bound);
    }
    enum { LEAST_EDGES = 24 }; /* below that it is done before others have heard of it */
    if (n * ((x->limit - x->exact) / x->g->core_period) < LEAST_EDGES)
        for (uint32_t i = 0; i < n; i++) split_lane(x, 0, i);
    else
        team_each(x->team, n);
    tick_t time = NEVER;
    for (uint32_t i = 0; i < sms; i++) time = tick_min(time, x->lane[i].time);
    return time;
}

/* ---- the request network ---- */

static void free_popped(struct split *x, tick_t now)
{
    for (uint32_t w = 0; w < x->slice_words; w++)
        for (uint64_t m = x->full[w]; m; m &= m - 1) {
            struct to_slice *t = &x->to_slice[w * 64 + bit_low64(m)];
            cut_free_places(&t->port, &t->popped, now);
            if (t->port.used == t->port.capacity) continue;
            t->port.producer_waits = false;
            x->full[w] &= ~(m & -m);
        }
}

/* When a slice that had no room for a packet will have some, as far as is known. */
static tick_t next_room(const struct split *x)
{
    tick_t next = NEVER;
    for (uint32_t w = 0; w < x->slice_words; w++)
        for (uint64_t m = x->full[w]; m; m &= m - 1) {
            const struct to_slice *t = &x->to_slice[w * 64 + bit_low64(m)];
            if (t->port.producer_waits) next = tick_min(next, dates_first(&t->popped));
        }
    return next == NEVER ? NEVER : part_edge_after(&x->g->net[0].part, next);
}

tick_t split_tick_requests(void *self, tick_t now)
{
    struct split *x = self;
    free_popped(x, now);
    tick_t next = net_tick(&x->g->net[0], now);
    for (uint32_t w = 0; w < x->slice_words; w++) {
        for (uint64_t m = x->filled[w]; m; m &= m - 1) {
            uint32_t i = w * 64 + bit_low64(m);
            struct to_slice *t = &x->to_slice[i];
            for (; t->port.list.head; x->hub_holds--) list_push(&x->sent, cut_take(&t->port));
            if (t->port.used == t->port.capacity) x->full[w] |= bit64(i & 63);
        }
        x->filled[w] = 0;
    }
    return tick_min(next, next_room(x));
}

/* An empty network postpones its wake-ups until it gets a packet. */
static void run_network(struct split *x, tick_t limit)
{
    if (x->hub_holds) piece_run(&x->hub, limit);
}

/* The packets that SMs have sent in the cycle that begins at `edge`, or before, come to the network. */
static void feed_network(struct split *x, uint32_t n, tick_t edge)
{
    for (uint32_t i = 0; i < n; i++) {
        struct lane *l = &x->lane[x->todo[i]];
        while (l->request.list.head && l->request.list.head->ready <= edge) {
            struct port *p = &x->g->net[0].in[x->todo[i]];
            if (!x->hub_holds++) piece_run(&x->hub, edge);
            piece_set_time(&x->hub, edge);
            if (cut_append(p, cut_take(&l->request))) {
                *p->filled |= p->filled_bit;
                part_wake_after(&x->g->net[0].part, edge);
            }
            l->in_network++;
        }
    }
}

/* What has left the network has freed places for the SMs. */
static void free_sent(struct split *x, tick_t time)
{
    for (uint32_t i = 0; i < x->g->sms; i++) {
        struct lane *l = &x->lane[i];
        uint32_t left = l->in_network ? l->in_network - x->g->net[0].in[i].used : 0;
        if (!left) continue;
        l->in_network -= left;
        l->request.used -= left;
        if (!l->request.producer_waits) continue;
        l->request.producer_waits = false;
        l->next = tick_min(l->next, time);
    }
}

/* ---- the dispatcher ---- */

static void run_dispatcher(struct split *x, tick_t edge)
{
    struct dispatch *d = &x->g->dispatch;
    if (edge < x->start || dispatch_idle(d)) return;
    uint32_t given = d->given;
    dispatch_tick(d, edge);
    if (d->given == given && !dispatch_idle(d)) return;
    x->dispatched = edge;
    for (uint32_t i = 0; i < x->g->sms; i++) {
        struct lane *l = &x->lane[i];
        if (l->sm->offered_at != edge) continue;
        while (l->next <= edge) lane_tick(l, l->next); /* what an empty SM postponed */
        l->next = tick_min(l->next, edge + x->g->core_period);
    }
}

static bool any_wants(const struct split *x)
{
    for (uint32_t i = 0; x->dispatching && i < x->g->sms; i++)
        if (x->g->sm[i].wants_at != NEVER) return true;
    return false;
}

/* ---- a window ---- */

static bool in_lockstep(const struct gpu *g)
{
    return g->dispatch.several || g->dispatch.count > 1 || g->sm[0].first->source->feed;
}

/* Network and dispatcher come to where the SMs are. */
static void run_hub(struct split *x, tick_t time)
{
    uint32_t n = 0;
    tick_t period = x->g->core_period;
    bool wants = any_wants(x);
    for (uint32_t i = 0; i < x->g->sms; i++)
        if (x->lane[i].request.list.head) x->todo[n++] = i;
    if (x->hub_holds && next_room(x) != NEVER) {
        piece_set_time(&x->hub, tick_min(x->time, clock_next(&x->hub.clock, false)));
        part_wake_at(&x->g->net[0].part, next_room(x));
    }
    for (tick_t edge = x->exact; edge < time; edge += period) {
        run_network(x, edge);
        feed_network(x, n, edge);
        run_network(x, edge + period);
        if (wants) run_dispatcher(x, edge);
    }
    free_sent(x, time);
    x->time = time;
    if (x->sent.head) {
        team_lock(&x->exchange);
        list_join(&x->down, &x->sent);
        team_unlock(&x->exchange);
    }
    atomic_store_explicit(&x->front_time, time, memory_order_release);
}

/* Lets the functional half go on for the warps that wait for it; see feed_warps in gpu.c. */
static void feed_lanes(struct split *x)
{
    struct dispatch *d = &x->g->dispatch;
    for (int fed = 1; fed > 0;) {
        fed = 0;
        for (uint32_t i = 0; i < x->g->sms; i++) {
            struct lane *l = &x->lane[i];
            int n = l->sm->starved ? sm_feed(l->sm, x->exact, d->e) : 0;
            if (n < 0) d->failed = -n;
            if (n < 0) return;
            if (n) l->next = tick_min(l->next, x->exact + x->g->core_period);
            fed += n;
        }
    }
}

static void run_window(struct split *x)
{
    const struct gpu *g = x->g;
    tick_t period = g->core_period, first = (x->time + period - 1) / period * period, ahead;
    for (unsigned n = 0; (ahead = atomic_load_explicit(&x->back_time, memory_order_acquire)) < first + period; n++) {
        if (atomic_load(&x->no_memory)) return;
        if (!split_back_work(x, 1)) team_relax(n);
    }
    uint64_t cycles = (ahead - first) / period;
    if (cycles > WINDOW_CYCLES) cycles = WINDOW_CYCLES;
    bool lockstep = in_lockstep(g);
    x->exact = first;
    x->limit = first + (lockstep ? 1 : cycles) * period;
    x->dispatching = !dispatch_idle(&g->dispatch);
    x->start = g->dispatch.queue[0].start;
    for (unsigned i = 1; i < g->dispatch.count; i++) x->start = tick_min(x->start, g->dispatch.queue[i].start);
    take_replies(x);
    run_hub(x, run_lanes(x));
    if (g->sm[0].first->source->feed) feed_lanes(x);
}

/* ---- the loop ---- */

static bool front_empty(const struct split *x)
{
    if (!dispatch_idle(&x->g->dispatch)) return false;
    for (uint32_t i = 0; i < x->g->sms; i++)
        if (sm_has_work(&x->g->sm[i])) return false;
    return true;
}

static uint64_t alive(struct split *x)
{
    team_lock(&x->back_lock);
    uint64_t sum = x->spare.pool.alive + x->back_pool.alive - 2 * ALIVE_ZERO;
    for (unsigned i = 0; i < x->threads; i++) sum += x->worker[i].pool.alive - ALIVE_ZERO;
    team_unlock(&x->back_lock);
    return sum;
}

/* The last edge at which anything happened. */
static tick_t last_edge(const struct split *x)
{
    const struct gpu *g = x->g;
    tick_t last = tick_max(tick_max(x->hub.last, x->back.last), x->dispatched);
    for (uint32_t i = 0; i < g->sms; i++) last = tick_max(last, x->lane[i].last);
    for (uint32_t i = 0; i < g->channels; i++) last = tick_max(last, g->dram[i].freed_at);
    return last;
}

/* Nothing is alive: all pieces come to the end of the kernel. Nobody else works now. */
static void end_together(struct split *x)
{
    struct gpu *g = x->g;
    tick_t end = last_edge(x);
    for (uint32_t i = 0; i < g->sms; i++) {
        struct lane *l = &x->lane[i];
        while (l->next <= end) lane_tick(l, l->next);
        cut_free_places(&x->to_sm[i].port, &x->to_sm[i].taken, NEVER);
        x->to_sm[i].port.producer_waits = false;
    }
    for (uint32_t i = 0; i < g->slices; i++) {
        cut_free_places(&x->to_slice[i].port, &x->to_slice[i].popped, NEVER);
        x->to_slice[i].port.producer_waits = false;
    }
    memset(x->full, 0, sizeof x->full);
    memset(x->reply_full, 0, sizeof x->reply_full);
    piece_run(&x->hub, end + 1);
    piece_run(&x->back, end + 1);
    piece_set_time(&x->hub, end + 1);
    piece_set_time(&x->back, end + 1);
    g->clock.now = end;
}

/* A kernel begins on an empty machine: all pieces are at the same time. */
static void begin_together(struct split *x)
{
    const struct gpu *g = x->g;
    tick_t now = g->clock.now, first = (now / g->core_period + 1) * g->core_period;
    x->time = now + 1;
    x->hub.last = x->back.last = x->dispatched = now;
    for (uint32_t i = 0; i < g->sms; i++) {
        struct lane *l = &x->lane[i];
        l->time = first;
        l->last = now;
        l->next = tick_min(l->next, first); /* its policies may want a later edge: it will ask for it there */
    }
    atomic_store(&x->back_time, now + 1);
    atomic_store(&x->front_time, now + 1);
}

static const struct dispatched *find_ended(struct split *x)
{
    struct gpu *g = x->g;
    const struct dispatch *d = &g->dispatch;
    if (d->count == 1) {
        if (!front_empty(x) || alive(x)) return NULL;
        team_lock(&x->back_lock);
        end_together(x);
        x->closed = true;
        team_unlock(&x->back_lock);
        return &d->queue[0];
    }
    for (unsigned i = 0; i < d->count; i++)
        if (dispatch_ended(d, &d->queue[i])) return &d->queue[i];
    return NULL;
}

static uint64_t progress(const struct split *x)
{
    uint64_t sum = x->hub.clock.progress + x->hub.nowhere.progress + x->g->dispatch.given +
                   atomic_load_explicit(&x->back_progress, memory_order_relaxed);
    for (uint32_t i = 0; i < x->g->sms; i++) sum += x->lane[i].clock.progress + x->g->sm[i].counts.warp_instructions;
    return sum;
}

/* The first broken promise of a policy, by time and by SM. */
static void find_breach(struct split *x)
{
    struct gpu *g = x->g;
    const struct breach *first = NULL;
    tick_t at = NEVER;
    for (uint32_t i = 0; i < g->sms; i++)
        if (x->lane[i].breach.broken && x->lane[i].last < at) first = &x->lane[i].breach, at = x->lane[i].last;
    team_lock(&x->back_lock);
    if (x->back.breach.broken && x->back.last < at) first = &x->back.breach;
    if (first) g->breach = *first;
    team_unlock(&x->back_lock);
}

static int run_windows(struct split *x, const struct dispatched **ended, struct wl_err *e)
{
    struct gpu *g = x->g;
    tick_t patience = (tick_t)g->config.v[P_RUN_WATCHDOG] * g->core_period, look_at = g->clock.now;
    for (unsigned i = 0; i < g->dispatch.count; i++) look_at = tick_max(look_at, g->dispatch.queue[i].start);
    uint64_t known = progress(x);
    while (!(*ended = find_ended(x))) {
        run_window(x);
        g->clock.now = x->exact;
        if (atomic_load_explicit(&x->no_memory, memory_order_relaxed)) return wl_fail(e, WL_ERUN, "out of memory");
        if (atomic_load_explicit(&x->broken, memory_order_relaxed)) find_breach(x);
        if (gpu_check_window(g, e)) return (int)e->code;
        if (x->time <= look_at + patience) continue;
        uint64_t now = progress(x);
        if (now == known) return gpu_fail_deadlock(g, e);
        look_at = x->time;
        known = now;
    }
    return 0;
}

int split_run(struct gpu *g, const struct dispatched **ended, struct wl_err *e)
{
    struct split *x = g->split;
    team_lock(&x->back_lock);
    if (!x->running) begin_together(x);
    x->running = true;
    x->closed = false;
    team_unlock(&x->back_lock);
    team_begin(x->team);
    int rc = run_windows(x, ended, e);
    team_end(x->team);
    team_lock(&x->back_lock);
    x->closed = true;
    team_unlock(&x->back_lock);
    x->running = !rc && g->dispatch.count > 1;
    for (unsigned i = 0; i < SM_MAX_KERNELS && !x->running; i++) split_release(&x->source[i]);
    return rc;
}
