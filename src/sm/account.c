/* account.c - the cycles of schedulers and warps (account.h): what is not done where things happen. */
#include "sm/sm_priv.h"

/* ---- a scheduler that has no ready warp ---- */

/* A warp waits for a result, in the wheel or for a load. */
static inline uint64_t awaits_result(const struct sm *s) { return s->in_wheel | s->long_stall; }

/* No warp of the scheduler waits for a result. Of those at a fence, a barrier or their end it is the one nearest to
 * issue that counts; who is at none of these has no instruction yet. */
static __attribute__((noinline)) uint64_t *reason_idle(struct sm *s, uint64_t mine)
{
    struct account_stats *a = &s->account.stats;
    if (!mine) return &a->no_warp;
    if (mine & ~(s->barrier | s->membar | s->ended)) return &a->fetch;
    if (mine & s->membar) return &a->fence;
    return mine & s->barrier ? &a->barrier : &a->drain;
}

static inline void add_idle(struct sm *s, unsigned sched, uint64_t results, uint64_t cycles)
{
    if (results & s->owned[sched]) s->account.open[sched] += cycles;
    else *reason_idle(s, s->live & s->owned[sched]) += cycles;
}

void account_before(struct sm *s)
{
    uint64_t ready = s->ready, results = awaits_result(s);
    s->account.issued = s->account.can = s->account.refused = 0;
    for (unsigned i = 0; i < s->schedulers; i++)
        if (!(ready & s->owned[i])) add_idle(s, i, results, 1);
}

/* ---- ready warps that did not issue ---- */

/* Why ready warps did not issue: each is in one set. */
struct kept {
    uint64_t throttled, pipe, lsu, held, unselected;
};

/* The ld/st unit is full because of a request that may not miss, or whose warp has an earlier one in the queue. */
static bool gate_stops_unit(const struct sm *s)
{
    for (unsigned i = 0; i < SM_CACHES; i++)
        if (s->lsu.pipe[i].refused == L1_GATED || s->lsu.pipe[i].refused == L1_ORDER) return true;
    return false;
}

/* `left`: the warps; `free`: those whose unit would have taken them; `refused`: of these, those the scheme kept. */
static inline struct kept sort_kept(const struct sm *s, uint64_t left, uint64_t free, uint64_t refused)
{
    struct kept k = {.throttled = left & refused, .unselected = left & free & ~refused};
    uint64_t blocked = left & ~(free | refused);
    k.pipe = blocked & ~s->head_unit[UNIT_LSU];
    k.lsu = blocked & s->head_unit[UNIT_LSU];
    if (!s->lsu.ext || !k.lsu) return k;
    k.held = gate_stops_unit(s) ? k.lsu : s->lsu.ext->queue.used ? k.lsu & reexec_holds_back(s) : 0;
    k.lsu &= ~k.held;
    return k;
}

static inline void add_states(struct warp_states_stats *st, const struct kept *k, uint64_t cycles)
{
    st->throttled += bit_count64(k->throttled) * cycles;
    st->pipe_busy += bit_count64(k->pipe) * cycles;
    st->lsu_full += bit_count64(k->lsu) * cycles;
    st->held_back += bit_count64(k->held) * cycles;
    st->not_selected += bit_count64(k->unselected) * cycles;
}

/* The scheduler had ready warps and issued none; those that are left are in one of the sets. If none is left, their
 * buffers held the wrong path. */
static inline void add_kept(struct sm *s, unsigned sched, const struct kept *k, uint64_t cycles)
{
    struct account_stats *a = &s->account.stats;
    uint64_t mine = s->owned[sched];
    if (mine & k->lsu && !(mine & (k->throttled | k->pipe))) a->lsu_full += cycles;
    else if (mine & k->throttled) a->throttled += cycles;
    else if (mine & k->pipe) a->pipe_busy += cycles;
    else if (mine & k->held) a->held_back += cycles;
    else a->fetch += cycles;
}

void account_after(struct sm *s, uint64_t ready)
{
    struct account *a = &s->account;
    struct kept k = {0};
    uint64_t issued = a->issued, left = ready & ~issued & s->ready;
    if (left) {
        uint64_t idle = 0; /* warps of the schedulers that issued none: had one of them been free, it was not chosen */
        for (unsigned i = 0; i < s->schedulers; i++)
            if (!(issued & s->owned[i])) idle |= s->owned[i];
        k = sort_kept(s, left, a->can, a->refused | (a->can & idle));
        add_states(&a->states, &k, 1);
    }
    for (unsigned i = 0; i < s->schedulers; i++) {
        if (issued & s->owned[i]) a->stats.issued++;
        else if (ready & s->owned[i]) add_kept(s, i, &k, 1);
    }
}

void account_flush(struct sm *s, unsigned w)
{
    struct account *a = &s->account;
    a->warp_wait[due_what(a->time[w].ready)] += account_waited(a, w);
    a->time[w].since = s->cycle - 1;
}

/* ---- cycles slept through ---- */

void account_skip(struct sm *s, uint64_t skipped, tick_t then)
{
    uint64_t ready = s->ready, results = awaits_result(s);
    struct kept k = {0};
    if (ready) {
        uint64_t free = ready & ~issue_blocked(s, then); /* whom only the scheme can have kept */
        k = sort_kept(s, ready, free, free);
        add_states(&s->account.states, &k, skipped);
    }
    for (unsigned i = 0; i < s->schedulers; i++) {
        if (ready & s->owned[i]) add_kept(s, i, &k, skipped);
        else add_idle(s, i, results, skipped);
    }
}

/* ---- reading ---- */

/* Cycles of schedulers that are not given to a reason yet. */
static uint64_t open_cycles(const struct sm *s)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < s->schedulers; i++) sum += s->account.open[i];
    return sum;
}

/* Cycles of live warps that have not been noted: what the warp has done since its last note, but the cycles in which it
 * was ready, which are counted already. */
static uint64_t open_warp_cycles(const struct sm *s)
{
    uint64_t sum = 0;
    for (uint64_t m = s->live; m; m &= m - 1) {
        const struct warp_time *t = &s->account.time[bit_low64(m)];
        uint64_t end = s->account.at;
        if (s->ready >> bit_low64(m) & 1) end = due_time(t->ready);
        sum += end - 1 - t->since;
    }
    return sum;
}

void account_add(const struct sm *s, struct run_stats *out)
{
    const struct account *a = &s->account;
    const uint64_t *w = a->wait, *v = a->warp_wait;
    struct account_stats all = a->stats;
    struct warp_states_stats states = a->states;
    all.total = (a->resident + (s->live ? a->at : 0)) * s->schedulers - open_cycles(s);
    all.alu = w[WAIT_ALU];
    all.shared = w[WAIT_SHARED];
    all.load_l1 = w[WAIT_L1];
    all.load_l2 = w[WAIT_L2];
    all.load_dram = w[WAIT_DRAM];
    all.load_in_flight = w[WAIT_IN_FLIGHT];
    all.fence += w[WAIT_ATOMIC];
    all.fetch += w[WAIT_FETCH];
    account_stats_add(&out->account, &all);
    states.total += bit_count64(s->live) * a->at - open_warp_cycles(s);
    states.issued = s->stats.warp_instructions;
    states.alu = v[WAIT_ALU];
    states.shared = v[WAIT_SHARED];
    states.load_l1 = v[WAIT_L1];
    states.load_l2 = v[WAIT_L2];
    states.load_dram = v[WAIT_DRAM];
    states.load_in_flight = v[WAIT_IN_FLIGHT];
    states.fence += v[WAIT_ATOMIC];
    states.fetch += v[WAIT_FETCH];
    warp_states_stats_add(&out->warp_states, &states);
}
