/* account.c - the cycles of schedulers and warps (account.h): what is not done where things happen. */
#include "sm/sm_priv.h"

/* ---- schedulers without a ready warp ---- */

/* No warp of the scheduler is ready or waits for a result. Of those at a fence, a barrier or their end it is the one
 * nearest to issue that counts; who is at none of these has no instruction yet. `barrier`: who was there before the
 * issue stage, because another scheduler may have let warps go in it. */
static __attribute__((noinline)) uint64_t *reason_idle(struct sm *s, unsigned sched, uint64_t barrier)
{
    struct account_stats *a = &s->account.stats;
    uint64_t mine = s->live & s->owned[sched];
    if (!mine) return &a->no_warp;
    if (mine & ~(barrier | s->membar | s->ended)) return &a->fetch;
    if (mine & s->membar) return &a->fence;
    return mine & barrier ? &a->barrier : &a->drain;
}

/* So many cycles of the scheduler, outside the issue stage, have this reason. */
static inline void close_cycles(struct account *a, unsigned sched, uint64_t *reason, uint64_t cycles)
{
    *reason += cycles;
    a->closed[sched] += (uint32_t)cycles;
}

void account_idle(struct sm *s, unsigned sched, uint64_t barrier) { ++*reason_idle(s, sched, barrier); }

/* ---- ready warps that did not issue ---- */

/* Why ready warps did not issue: each is in one set. */
struct held_warps {
    uint64_t throttled, pipe, lsu, held, unselected;
};

/* The ld/st unit is full because of a request that may not miss, or whose warp has an earlier one in the queue. */
static bool gate_stops_unit(const struct sm *s)
{
    for (unsigned i = 0; i < s->lsu.pipes; i++)
        if (s->lsu.pipe[i].refused == L1_GATED || s->lsu.pipe[i].refused == L1_ORDER) return true;
    return false;
}

/* Of the warps that find the ld/st unit full, those that the gate or the re-execution queue holds back. */
static __attribute__((noinline)) uint64_t sort_held(const struct sm *s, uint64_t full)
{
    if (gate_stops_unit(s)) return full;
    return s->lsu.ext->queue.used ? full & reexec_holds_back(s) : 0;
}

/* `left`: the warps; `can`: those whose unit would have taken them; `refused`: those the scheme kept. */
static inline struct held_warps sort_kept(const struct sm *s, uint64_t left, uint64_t can, uint64_t refused)
{
    struct held_warps k = {.throttled = left & refused, .unselected = left & can & ~refused};
    uint64_t blocked = left & ~(can | refused);
    k.pipe = blocked & ~s->head_unit[UNIT_LSU];
    k.lsu = blocked & s->head_unit[UNIT_LSU];
    if (s->lsu.ext && k.lsu) k.held = sort_held(s, k.lsu);
    k.lsu &= ~k.held;
    return k;
}

static void add_states(struct warp_states_stats *st, const struct held_warps *k, uint64_t cycles)
{
    st->throttled += bit_count64(k->throttled) * cycles;
    st->pipe_busy += bit_count64(k->pipe) * cycles;
    st->lsu_full += bit_count64(k->lsu) * cycles;
    st->held_back += bit_count64(k->held) * cycles;
    st->not_selected += bit_count64(k->unselected) * cycles;
}

/* The scheduler had ready warps and issued none; those that are left are in one of the sets. If none is left, their
 * buffers held the wrong path. */
static uint64_t *reason_kept(struct sm *s, unsigned sched, const struct held_warps *k)
{
    struct account_stats *a = &s->account.stats;
    uint64_t mine = s->owned[sched];
    if (mine & k->throttled) return &a->throttled;
    if (mine & k->pipe) return &a->pipe_busy;
    if (mine & k->lsu) return &a->lsu_full;
    return mine & k->held ? &a->held_back : &a->fetch;
}

void account_sort_left(struct sm *s, uint64_t stuck, uint64_t left, uint64_t can, uint64_t refused)
{
    /* A warp that could have issued and whose scheduler issued none was not chosen. */
    struct held_warps k = sort_kept(s, left, can, refused | (can & stuck));
    add_states(&s->account.states, &k, 1);
    for (unsigned i = 0; i < s->schedulers; i++)
        if (stuck & s->owned[i]) ++*reason_kept(s, i, &k);
}

void account_left_stuck(struct sm *s, uint64_t can)
{
    struct account *a = &s->account;
    if (s->counts.warp_instructions == a->before) account_vain(s);
    a->not_selected -= bit_count64(can);
    account_sort_left(s, a->stuck, can | a->blocked, can, 0);
    a->stuck = 0;
}

/* If none was issued either, that is said here; of stages in which the scheme picked none it is said above. */
void account_left_passed(struct sm *s)
{
    s->account.passed = false;
    if (!s->account.stuck && s->counts.warp_instructions == s->account.before) account_vain(s);
}

void account_flush(struct sm *s, unsigned w) { s->account.since[w] = (uint32_t)s->cycle; }

/* ---- cycles in which nothing can issue ---- */

static void end_stretch(struct account *a, unsigned schedulers, uint64_t end)
{
    uint64_t cycles = end - a->began, *reason = (uint64_t *)(void *)&a->stats;
    for (unsigned i = 0; i < schedulers; i++)
        if (a->to[i] != TO_OPEN) close_cycles(a, i, &reason[a->to[i]], cycles);
    a->states.lsu_full += a->kept * cycles;
    a->began = 0;
}

void account_end_stretch(struct sm *s)
{
    end_stretch(&s->account, s->schedulers, s->cycle);
    s->steady = false;
}

static uint8_t place_of(const struct sm *s, const uint64_t *reason)
{
    return (uint8_t)(reason - (const uint64_t *)(const void *)&s->account.stats);
}

/* Finds every scheduler's reason. */
static void find_reasons(struct sm *s, const struct held_warps *k)
{
    uint64_t results = awaits_result(s);
    for (unsigned i = 0; i < s->schedulers; i++) {
        uint8_t *to = &s->account.to[i];
        if (s->ready & s->owned[i]) *to = place_of(s, reason_kept(s, i, k));
        else if (results & s->owned[i]) *to = TO_OPEN;
        else *to = place_of(s, reason_idle(s, i, s->barrier));
    }
}

/* The same if no warp is ready. */
static void unready_reasons(struct sm *s)
{
    uint64_t results = awaits_result(s);
    for (unsigned i = 0; i < s->schedulers; i++)
        s->account.to[i] = results & s->owned[i] ? TO_OPEN : place_of(s, reason_idle(s, i, s->barrier));
}

/* So many cycles without a ready warp. */
static void add_unready(struct sm *s, uint64_t cycles)
{
    uint64_t results = awaits_result(s);
    for (unsigned i = 0; i < s->schedulers; i++)
        if (!(results & s->owned[i])) close_cycles(&s->account, i, reason_idle(s, i, s->barrier), cycles);
}

/* So many cycles with ready warps that all find their unit taken, under a scheme that only picks. */
static void add_blocked(struct sm *s, uint64_t cycles)
{
    struct account *a = &s->account;
    uint64_t results = awaits_result(s), lsu = s->ready & s->head_unit[UNIT_LSU], pipe = s->ready ^ lsu;
    a->lsu_full += bit_count64(lsu) * cycles;
    a->pipe_busy += bit_count64(pipe) * cycles;
    for (unsigned i = 0; i < s->schedulers; i++) {
        uint64_t mine = s->owned[i];
        if (s->ready & mine) close_cycles(a, i, pipe & mine ? &a->stats.pipe_busy : &a->stats.lsu_full, cycles);
        else if (!(results & mine)) close_cycles(a, i, reason_idle(s, i, s->barrier), cycles);
    }
}

/* The same if all ready warps wait for the ld/st unit, on a machine without gate and re-execution queue. */
static void full_reasons(struct sm *s)
{
    uint64_t results = awaits_result(s);
    uint8_t full = place_of(s, &s->account.stats.lsu_full);
    for (unsigned i = 0; i < s->schedulers; i++) {
        uint64_t mine = s->owned[i];
        if (s->ready & mine) s->account.to[i] = full;
        else s->account.to[i] = results & mine ? TO_OPEN : place_of(s, reason_idle(s, i, s->barrier));
    }
}

void account_begin_stretch(struct sm *s)
{
    struct account *a = &s->account;
    if (a->began) end_stretch(a, s->schedulers, s->cycle);
    s->steady = true;
    if (!s->live) return;
    a->began = s->cycle;
    if (!s->ready) {
        unready_reasons(s);
        a->kept = 0;
        return;
    }
    if (!s->lsu.ext && !(s->ready & ~s->head_unit[UNIT_LSU])) {
        full_reasons(s);
        a->kept = bit_count64(s->ready);
        return;
    }
    struct held_warps k = sort_kept(s, s->ready, 0, 0);
    find_reasons(s, &k);
    a->kept = bit_count64(k.lsu);
    s->steady = !k.pipe && !s->lsu.ext; /* a pipe is busy for a while, and a gate has its own mind */
    if (s->steady) return;
    add_states(&a->states, &k, 1);
    a->kept = 0;
    end_stretch(a, s->schedulers, s->cycle + 1);
}

void account_add_skipped(struct sm *s, uint64_t skipped, tick_t then)
{
    struct account *a = &s->account;
    if (a->began) end_stretch(a, s->schedulers, s->cycle - skipped); /* the change came behind the issue stage */
    if (!s->live) return;
    if (!s->ready) {
        add_unready(s, skipped);
        return;
    }
    if (s->only_picks) {
        add_blocked(s, skipped);
        return;
    }
    uint64_t can = s->ready & ~issue_blocked(s, then); /* only the scheme can have kept these */
    struct held_warps k = sort_kept(s, s->ready, can, can);
    add_states(&a->states, &k, skipped);
    uint64_t results = awaits_result(s);
    for (unsigned i = 0; i < s->schedulers; i++) {
        if (s->ready & s->owned[i]) close_cycles(a, i, reason_kept(s, i, &k), skipped);
        else if (!(results & s->owned[i])) close_cycles(a, i, reason_idle(s, i, s->barrier), skipped);
    }
}

void account_arrive(struct sm *s)
{
    if (!WL_ACCOUNT) return;
    struct account *a = &s->account;
    a->resident -= s->next_issue;
    for (unsigned i = 0; i < s->schedulers; i++) a->closed[i] += (uint32_t)a->outside - a->left_at;
}

void account_spread(struct sm *s)
{
    s->account.spread = true;
    for (unsigned i = 0; i < s->schedulers; i++) s->account.spread &= (s->live & s->owned[i]) != 0;
}

void account_leave(struct sm *s)
{
    if (!WL_ACCOUNT) return;
    s->account.resident += s->next_issue;
    s->account.left_at = (uint32_t)s->account.outside;
}

/* ---- reading ---- */

/* Cycles of warps that are not in their states yet, less those that are there ahead of time. */
static uint64_t open_warp_cycles(const struct sm *s)
{
    uint64_t sum = 0;
    for (uint64_t m = s->live & ~(s->ready | s->in_wheel); m; m &= m - 1)
        sum += (uint32_t)s->cycle + 1 - s->account.since[bit_low64(m)];
    for (uint32_t d = 0; s->in_wheel && d <= s->wheel_mask; d++)
        sum -= bit_count64(s->wheel[(s->cycle + 1 + d) & s->wheel_mask]) * (uint64_t)d;
    return sum;
}

/* Adds the stretch that goes on, which is not yet given to its reasons. Returns how many cycles of schedulers it would
 * close. */
static uint64_t add_stretch(const struct sm *s, struct run_stats *out)
{
    const struct account *a = &s->account;
    uint64_t cycles = s->cycle + 1 - a->began, *reason = (uint64_t *)(void *)&out->account, closed = 0;
    if (!a->began) return 0;
    for (unsigned i = 0; i < s->schedulers; i++) {
        if (a->to[i] == TO_OPEN) continue;
        reason[a->to[i]] += cycles;
        closed += cycles;
    }
    out->warp_states.lsu_full += a->kept * cycles;
    return closed;
}

static void add_waits(const struct account *a, struct account_stats *c, struct warp_states_stats *w)
{
    c->alu += a->scheduler_wait[WAIT_ALU];
    c->shared += a->scheduler_wait[WAIT_SHARED];
    c->load_l1 += a->scheduler_wait[WAIT_L1];
    c->load_l2 += a->scheduler_wait[WAIT_L2];
    c->load_dram += a->scheduler_wait[WAIT_DRAM];
    c->load_in_flight += a->scheduler_wait[WAIT_IN_FLIGHT];
    c->fence += a->scheduler_wait[WAIT_ATOMIC];
    c->fetch += a->scheduler_wait[WAIT_FETCH];
    w->alu += a->warp_wait[WAIT_ALU];
    w->shared += a->warp_wait[WAIT_SHARED];
    w->load_l1 += a->warp_wait[WAIT_L1];
    w->load_l2 += a->warp_wait[WAIT_L2];
    w->load_dram += a->warp_wait[WAIT_DRAM];
    w->load_in_flight += a->warp_wait[WAIT_IN_FLIGHT];
    w->fence += a->warp_wait[WAIT_ATOMIC];
    w->fetch += a->warp_wait[WAIT_FETCH];
}

/* A warp that comes in a cycle is there from the next one on. */
uint64_t account_active_cycles(const struct sm *s)
{
    return s->account.resident + (s->live ? s->cycle : 0) - s->stats.issue_ends;
}

/* Every cycle that is not outside the issue stage. */
uint64_t account_issue_cycles(const struct sm *s) { return s->cycle - s->account.outside - s->account.vain; }

void account_add(const struct sm *s, struct run_stats *out)
{
    if (!WL_ACCOUNT) return;
    const struct account *a = &s->account;
    struct account_stats *c = &out->account;
    struct warp_states_stats *w = &out->warp_states;
    account_stats_add(c, &a->stats);
    warp_states_stats_add(w, &a->states);
    c->total += (a->resident + (s->live ? s->cycle + 1 : 0)) * s->schedulers + add_stretch(s, out);
    for (unsigned i = 0; i < s->schedulers; i++)
        c->total -= (s->live ? (uint32_t)a->outside : a->left_at) - a->closed[i];
    c->issued += s->counts.warp_instructions - a->second;
    w->total += bit_count64(s->live) * (s->cycle + 1) - open_warp_cycles(s);
    w->issued += s->counts.warp_instructions;
    w->not_selected += a->not_selected;
    w->lsu_full += a->lsu_full;
    w->pipe_busy += a->pipe_busy;
    add_waits(a, c, w);
}
