/* split_run.c - the front of a split machine, and its loop: SMs, the request network and the dispatcher.
 *
 * A step of the loop is a window of some core cycles. First the SMs, each by itself, work as far as is certain, at most
 * to the end of the window; then the network (split_hub.c) and the dispatcher, cycle by cycle, to where the slowest SM
 * has come. The SMs' packets wait in a calendar, from which the network gets them at the cycles in which they were
 * sent. */
#include <string.h>

#include "sim/split_priv.h"

/* ---- an SM ---- */

/* How far the SM may go without knowing more. The dispatcher sees that it wants a CTA in the next cycle and gives it
 * one as soon as it may give another (gpu.cta_interval); what it gives is seen in the cycle after that. What was given
 * up to x->exact is known. */
static tick_t lane_bound(const struct split *x, const struct lane *l)
{
    tick_t bound = x->limit, period = x->g->core_period;
    if (x->dispatching && l->sm->wants_at != NEVER) {
        tick_t given = tick_max(l->sm->wants_at + period, tick_max(x->start, x->g->dispatch.ready_at));
        bound = tick_min(bound, given + period);
    }
    if (l->request.producer_waits) bound = x->exact;
    return tick_max(bound, x->exact + period);
}

/* The next edge at which the SM works, which a meeting is. */
static tick_t lane_tick(const struct split *x, const struct lane *l, tick_t now)
{
    tick_t next = split_next_edge(&l->sm->part, now, sm_tick(l->sm, now));
    return now < x->meeting ? tick_min(next, x->meeting) : next;
}

/* Whether the SM may work at an edge up to which not everything is known: there is room for all it may send, and the
 * kernel has not ended before. */
static bool lane_is_certain(const struct lane *l)
{
    enum { MOST = 4 }; /* that an SM sends in a cycle: one per cache */
    const struct port *p = &l->request;
    return sm_keeps_kernel(l->sm) && (p->used + MOST <= p->capacity || p->used + sm_may_send(l->sm) <= p->capacity);
}

/* What so many SMs may need in so many cycles; see set_round in gpu_build.c. More than all SMs together may need is
 * lent. */
static bool refill(struct split *x, struct split_worker *w, uint64_t sms, uint64_t cycles)
{
    enum { BATCH = 512 };
    uint64_t requests = 12 * sms * cycles, ops = sms * ((uint64_t)x->g->config.v[P_SM_LSU_QUEUE] + cycles);
    uint64_t plenty = (uint64_t)12 * (x->window_cycles + 1) * x->g->sms + 8 * BATCH;
    bool lends = w->pool.available > plenty, lends_ops = w->ops.available > plenty;
    if (w->pool.available >= requests && w->ops.available >= ops && !lends && !lends_ops) return true;
    team_lock(&x->spare_lock);
    struct split_worker *s = &x->spare;
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
    uint32_t i = x->todo[number];
    struct lane *l = &x->lane[i];
    struct split_worker *w = &x->worker[thread];
    tick_t t = x->next[i], bound = lane_bound(x, l), wants_at = l->sm->wants_at;
    if (!refill(x, w, 1, x->window_cycles + 1)) {
        atomic_store(&x->no_memory, true);
        return;
    }
    sm_use_pools(l->sm, &w->pool, &w->ops);
    sm_knows(l->sm, bound);
    while (t < bound) {
        if ((t > x->exact && !lane_is_certain(l)) || l->breach.broken) {
            bound = t;
            break;
        }
        l->last = t;
        t = lane_tick(x, l, t);
        if (l->sm->wants_at == wants_at && !l->request.producer_waits) continue;
        wants_at = l->sm->wants_at;
        bound = lane_bound(x, l);
        sm_knows(l->sm, bound);
    }
    sm_knows(l->sm, 0);
    x->next[i] = t;
    x->reached[i] = tick_max(x->reached[i], bound);
    if (l->breach.broken) atomic_store(&x->broken, true);
}

/* The replies that have come go to their SMs. */
static void take_replies(struct split *x)
{
    if (!split_receive(x, &x->up, &x->has_up, &x->came)) return;
    for (uint32_t i = 0; i < x->came.count; i++) {
        struct req *r = handover_get(&x->came, i);
        split_give_reply(x, r, part_edge_after(&x->core, r->ready));
    }
}

/* What the machine must know of an SM that has worked. */
static void note_lane(struct split *x, uint32_t i)
{
    struct lane *l = &x->lane[i];
    while (l->request.list.head) {
        struct req *r = cut_take(&l->request);
        uint32_t day = (uint32_t)part_cycles(&x->core, r->ready) & (CALENDAR - 1);
        list_push(&x->calendar[day], r);
        x->noted[day >> 6] |= bit64(day & 63);
    }
    if (l->sm->wants_at != NEVER) x->wanting[i >> 6] |= bit64(i & 63);
}

/* The same for one thread: SM after SM. */
static tick_t run_lanes_alone(struct split *x)
{
    tick_t time = x->limit;
    for (uint32_t i = 0; i < x->g->sms; i++) {
        if (x->reached[i] >= x->limit) continue;
        x->todo[0] = i;
        if (x->next[i] < x->limit) {
            split_lane(x, 0, 0);
            note_lane(x, i);
        } else {
            x->reached[i] = tick_max(x->reached[i], lane_bound(x, &x->lane[i]));
        }
        time = tick_min(time, x->reached[i]);
    }
    return time;
}

/* Lets all SMs work that have something to do; returns the edge before which all have worked. */
static tick_t run_lanes(struct split *x)
{
    if (x->threads == 1) return run_lanes_alone(x);
    enum { LEAST_EDGES = 24 }; /* below that it is done before others have heard of it */
    uint32_t n = 0, sms = x->g->sms;
    uint64_t edges = 0;
    for (uint32_t i = 0; i < sms; i++) {
        if (x->reached[i] >= x->limit) continue;
        struct lane *l = &x->lane[i];
        tick_t bound = lane_bound(x, l);
        if (x->next[i] < bound) {
            x->todo[n++] = i;
            edges += (bound - x->next[i]) / x->g->core_period;
        } else {
            x->reached[i] = tick_max(x->reached[i], bound);
        }
    }
    if (n == 1 || edges < LEAST_EDGES)
        for (uint32_t i = 0; i < n; i++) split_lane(x, 0, i);
    else team_each(x->team, n);
    for (uint32_t i = 0; i < n; i++) note_lane(x, x->todo[i]);
    tick_t time = NEVER;
    for (uint32_t i = 0; i < sms; i++) time = tick_min(time, x->reached[i]);
    return time;
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
    for (uint32_t w = 0; w < x->sm_words; w++)
        for (uint64_t m = x->wanting[w]; m; m &= m - 1) {
            uint32_t i = w * 64 + bit_low64(m);
            const struct sm *s = x->lane[i].sm;
            if (s->wants_at == NEVER) x->wanting[w] &= ~(m & -m);
            if (s->offered_at == edge) x->next[i] = tick_min(x->next[i], edge + x->g->core_period);
        }
}

static bool any_of(const uint64_t *set, uint32_t words)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < words; w++) any |= set[w];
    return any;
}

static bool any_wants(const struct split *x) { return x->dispatching && any_of(x->wanting, x->sm_words); }

/* ---- a window ---- */

static bool in_lockstep(const struct gpu *g)
{
    return g->dispatch.several || g->dispatch.count > 1 || g->sm[0].first->source->feed;
}

/* The back may know of everything up to there. */
static void publish(struct split *x, tick_t time)
{
    x->time = time;
    split_send(x, &x->down, &x->has_down, &x->sent);
    atomic_store_explicit(&x->front_time, time, memory_order_release);
}

/* Network and dispatcher come to where the SMs are. */
static void run_hub(struct split *x, tick_t time)
{
    x->hub_next = tick_min(x->hub_next, hub_next_room(x));
    if (!any_wants(x)) hub_catch_up(x, time);
    else
        for (tick_t edge = x->exact; edge < time; edge += x->core.period) {
            hub_cycle(x, edge);
            run_dispatcher(x, edge);
        }
    hub_free_sent(x, time);
    publish(x, time);
}

/* ---- in step ----
 *
 * An SM whose queue to the network is full has to know in each cycle whether a place is free. Where that is so, windows
 * are a cycle long and cost more than the work in them. Then the leader alone does SMs, network and dispatcher, one
 * cycle after the other, and another thread the back. So it is where all SMs have to be at the same cycle: while
 * kernels overlap, and where the functional half reads the clock. */

/* The kernel has certainly not ended. `keeper` is an SM that said so before. */
static bool front_keeps(const struct split *x, uint32_t *keeper)
{
    if (x->hub_holds || sm_keeps_kernel(x->lane[*keeper].sm)) return true;
    for (uint32_t i = 0; i < x->g->sms; i++)
        if (sm_keeps_kernel(x->lane[i].sm)) {
            *keeper = i;
            return true;
        }
    return false;
}

/* The SMs that work at `edge`. */
static void lanes_in_step(struct split *x, tick_t edge)
{
    for (uint32_t i = 0; i < x->g->sms; i++) {
        if (x->next[i] > edge) continue;
        struct lane *l = &x->lane[i];
        l->last = x->next[i];
        x->next[i] = lane_tick(x, l, x->next[i]);
        if (l->breach.broken) atomic_store(&x->broken, true);
        note_lane(x, i);
    }
}

/* The next edge, from `edge` on and at most `end`, at which anything happens. */
static tick_t edge_in_step(const struct split *x, tick_t edge, tick_t end)
{
    tick_t next = x->hub_holds ? x->hub_next : NEVER;
    for (uint32_t i = 0; i < x->g->sms; i++) next = tick_min(next, x->next[i]);
    next = tick_min(next, hub_next_packets(x, edge, NEVER));
    if (next < edge + x->g->core_period || any_wants(x)) return edge;
    return tick_min(end, next / x->g->core_period * x->g->core_period);
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
            if (n) x->next[i] = tick_min(x->next[i], x->exact + x->g->core_period);
            fed += n;
        }
    }
}

/* One of several kernels has ended: the next may begin, and all pieces have to know. */
static bool one_ended(const struct split *x)
{
    const struct dispatch *d = &x->g->dispatch;
    for (unsigned i = 0; d->count > 1 && i < d->count; i++)
        if (dispatch_ended(d, &d->queue[i])) return true;
    return false;
}

static void run_in_step(struct split *x, tick_t end)
{
    tick_t period = x->g->core_period, first = x->exact;
    uint32_t keeper = 0;
    struct split_worker *w = &x->worker[0];
    if (!refill(x, w, x->g->sms, (end - first) / period + 1)) {
        atomic_store(&x->no_memory, true);
        return;
    }
    for (uint32_t i = 0; i < x->g->sms; i++) sm_use_pools(x->lane[i].sm, &w->pool, &w->ops);
    x->hub_next = tick_min(x->hub_next, hub_next_room(x)); /* all places that become free before `end` are known */
    tick_t edge = first;
    bool ended = false, feeds = x->g->sm[0].first->source->feed;
    while (edge < end && !ended && (edge == first || front_keeps(x, &keeper))) {
        x->exact = edge;
        lanes_in_step(x, edge);
        hub_cycle(x, edge);
        if (any_wants(x)) run_dispatcher(x, edge);
        hub_free_sent(x, edge + period);
        if (x->g->dispatch.clusters && mail_move(&x->g->post, &x->g->dispatch, edge, x->next))
            atomic_store(&x->no_memory, true);
        if (feeds) feed_lanes(x);
        if (atomic_load_explicit(&x->broken, memory_order_relaxed) || x->g->dispatch.failed) break;
        ended = one_ended(x);
        edge = ended ? edge + period : edge_in_step(x, edge + period, end);
    }
    for (uint32_t i = 0; i < x->g->sms; i++) x->reached[i] = tick_max(x->reached[i], edge);
    publish(x, edge);
}

/* Up to which edge the SMs know what comes to them from the back. Where it stands still for a meeting nothing comes
 * before the next edge. */
static tick_t back_known(const struct split *x)
{
    tick_t time = atomic_load_explicit(&x->back_time, memory_order_acquire);
    return x->meeting == NEVER || time <= x->meeting ? time : x->meeting + x->g->core_period;
}

static void run_window(struct split *x)
{
    enum { LEAST_CYCLES = 3 }; /* after a shorter window the next one is in step */
    enum { PATIENCE = 512 };   /* the back is best done by one thread, in whose cache it lies */
    const struct gpu *g = x->g;
    tick_t period = g->core_period, first = (x->time + period - 1) / period * period, ahead;
    for (unsigned n = 0; (ahead = back_known(x)) < first + period; n++) {
        if (atomic_load(&x->no_memory)) return;
        if (n == PATIENCE / 8) team_call(x->team);
        if ((x->threads > 1 && n < PATIENCE) || !split_back_work(x, 1)) team_relax(n);
    }
    /* A window is begun when the one before is over, so that SMs which need not wait for the slowest do much at once.
     */
    uint64_t cycles = (ahead - first) / period;
    tick_t end = first + (cycles < x->window_cycles ? cycles : x->window_cycles) * period;
    x->exact = first;
    if (x->limit <= first) x->limit = end;
    x->dispatching = !dispatch_idle(&g->dispatch);
    x->start = g->dispatch.queue[0].start;
    for (unsigned i = 1; i < g->dispatch.count; i++) x->start = tick_min(x->start, g->dispatch.queue[i].start);
    take_replies(x);
    if (x->in_step || in_lockstep(g)) {
        x->in_step = false;
        run_in_step(x, end);
        return;
    }
    tick_t time = run_lanes(x);
    x->in_step = time < x->limit && time < first + LEAST_CYCLES * period;
    run_hub(x, time);
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

/* The SMs come to the last edge at which anything happened. Whether nothing is alive then either: the tags of one that
 * was behind may have become free for a prefetch. */
static bool all_ended(struct split *x)
{
    tick_t end = last_edge(x);
    struct split_worker *w = &x->worker[0];
    for (uint32_t i = 0; i < x->g->sms; i++) {
        if (x->next[i] > end) continue;
        if (!refill(x, w, 1, x->window_cycles + 1)) {
            atomic_store(&x->no_memory, true);
            return false;
        }
        sm_use_pools(x->lane[i].sm, &w->pool, &w->ops);
        while (x->next[i] <= end) x->next[i] = lane_tick(x, &x->lane[i], x->next[i]);
        note_lane(x, i);
    }
    return !alive(x);
}

/* Nothing is alive: all pieces come to the end of the kernel. Nobody else works now. */
static void end_together(struct split *x)
{
    struct gpu *g = x->g;
    tick_t end = last_edge(x);
    for (uint32_t i = 0; i < g->sms; i++) {
        cut_free_places(&x->to_sm[i].port, &x->to_sm[i].taken, NEVER);
        x->to_sm[i].port.producer_waits = false;
    }
    for (uint32_t i = 0; i < g->slices; i++) {
        cut_free_places(&x->to_slice[i].port, &x->to_slice[i].popped, NEVER);
        x->to_slice[i].port.producer_waits = false;
    }
    memset(x->full, 0, sizeof x->full);
    memset(x->reply_full, 0, sizeof x->reply_full);
    x->some_full = x->some_reply_full = false;
    hub_run(x, end + 1);
    split_back_run(x, end + 1);
    x->back.clock.now = end;
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
        l->last = now;
        x->reached[i] = first;
        x->next[i] = tick_min(x->next[i], first); /* its policies may want a later edge: it will ask for it there */
    }
    x->limit = 0;
    atomic_store(&x->back_time, now + 1);
    atomic_store(&x->front_time, now + 1);
}

static const struct dispatched *find_ended(struct split *x)
{
    struct gpu *g = x->g;
    const struct dispatch *d = &g->dispatch;
    if (d->count == 1) {
        if (!front_empty(x) || alive(x) || !all_ended(x)) return NULL;
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

/* Where counters are read all pieces have to stand at one edge, at which every SM works. It is said so early that none
 * has come that far. */
static void arrange_meeting(struct split *x)
{
    const struct sampler *s = &x->g->sampler;
    tick_t at = s->sample ? s->at : waves_meeting(x->g);
    if (at == x->meeting) return;
    x->meeting = at;
    if (at == NEVER) return;
    WL_ASSERT(x->limit <= at + x->g->core_period && atomic_load(&x->back_time) <= at + 1);
    for (uint32_t i = 0; i < x->g->sms; i++) x->next[i] = tick_min(x->next[i], at);
}

/* All stand at the edge at which they meet. Sources hear of the CTAs that have ended by then, as in one piece. */
static void hold_meeting(struct split *x)
{
    x->g->clock.now = x->meeting;
    for (unsigned i = 0; i < SM_MAX_KERNELS; i++) split_release(&x->source[i]);
}

static int run_windows(struct split *x, const struct dispatched **ended, struct wl_err *e)
{
    struct gpu *g = x->g;
    tick_t patience = (tick_t)g->config.v[P_RUN_WATCHDOG] * g->core_period, look_at = g->clock.now;
    for (unsigned i = 0; i < g->dispatch.count; i++) look_at = tick_max(look_at, g->dispatch.queue[i].start);
    uint64_t known = progress(x);
    while (!(*ended = find_ended(x))) {
        arrange_meeting(x);
        run_window(x);
        g->clock.now = x->exact;
        if (x->time > x->meeting) hold_meeting(x);
        if (atomic_load_explicit(&x->no_memory, memory_order_relaxed)) return wl_fail(e, WL_ERUN, "out of memory");
        if (atomic_load_explicit(&x->broken, memory_order_relaxed)) find_breach(x);
        if (gpu_check_window(g, e)) return (int)e->code;
        if (x->time <= look_at + patience) continue;
        uint64_t now = progress(x);
        if (now == known) return gpu_fail_deadlock(g, e);
        look_at = x->time;
        known = now;
    }
    if (g->clock.now != x->meeting) return 0;
    hold_meeting(x); /* the kernel has ended there */
    return gpu_check_window(g, e);
}

int split_run(struct gpu *g, const struct dispatched **ended, struct wl_err *e)
{
    struct split *x = g->split;
    team_lock(&x->back_lock);
    if (!x->running) begin_together(x);
    memset(x->wanting, 255, sizeof x->wanting); /* any SM may want a CTA of a new kernel */
    if (g->sms & 63) x->wanting[g->sms >> 6] = bit64(g->sms & 63) - 1;
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
