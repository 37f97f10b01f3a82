/* issue.c - each scheduler chooses one warp per cycle and sends its head to a unit.
 *
 * The scheme's answers are checked in every build: a wrong one is noted (base/check.h), replaced by a harmless one, and
 * ends the run. Answers of foreign schemes must also be the same when the question is asked again. */
#include <string.h>

#include "sm/sm_priv.h"

enum { NO_PIPE = PIPE_UNITS * SM_MAX_PIPES };

/* A free pipe of the unit for a warp; with sub-cores one that belongs to its scheduler. */
static uint32_t find_own_pipe(const struct sm *s, unsigned unit, unsigned sched, tick_t now)
{
    for (uint32_t i = (unit ? s->pipe_end[unit - 1] : 0u) + sched; i < s->pipe_end[unit]; i += s->schedulers)
        if (s->pipe_free[i] <= now) return i;
    return NO_PIPE;
}

static uint32_t find_pipe(const struct sm *s, unsigned unit, unsigned w, tick_t now)
{
    if (s->sub_cores) return find_own_pipe(s, unit, w % s->schedulers, now);
    for (uint32_t i = unit ? s->pipe_end[unit - 1] : 0; i < s->pipe_end[unit]; i++)
        if (s->pipe_free[i] <= now) return i;
    return NO_PIPE;
}

/* With sub-cores: warps whose unit has no free pipe in their part of the SM. */
static __attribute__((noinline)) uint64_t own_blocked(const struct sm *s, unsigned unit, tick_t now, tick_t *next)
{
    uint64_t blocked = 0;
    for (unsigned sched = 0; sched < s->schedulers; sched++) {
        uint64_t mine = s->head_unit[unit] & s->owned[sched];
        if (!(mine & s->ready) || find_own_pipe(s, unit, sched, now) != NO_PIPE) continue;
        blocked |= mine;
        for (uint32_t i = (unit ? s->pipe_end[unit - 1] : 0u) + sched; i < s->pipe_end[unit]; i += s->schedulers)
            *next = tick_min(*next, s->pipe_free[i]);
    }
    return blocked;
}

/* Ready warps whose pipes are all busy. *next: when the first of these pipes is free. */
static __attribute__((noinline)) uint64_t pipes_busy(const struct sm *s, tick_t now, tick_t *next)
{
    uint64_t blocked = 0;
    for (unsigned u = UNIT_ALU; u < s->units; u++) {
        if (!(s->head_unit[u] & s->ready)) continue;
        if (s->sub_cores) {
            blocked |= own_blocked(s, u, now, next);
            continue;
        }
        if (find_pipe(s, u, 0, now) != NO_PIPE) continue;
        blocked |= s->head_unit[u];
        for (uint32_t i = u ? s->pipe_end[u - 1] : 0; i < s->pipe_end[u]; i++) *next = tick_min(*next, s->pipe_free[i]);
    }
    return blocked;
}

uint64_t issue_blocked(const struct sm *s, tick_t now)
{
    tick_t next = 0; /* nobody asks for it */
    uint64_t blocked = lsu_blocks(s);
    if (s->lsu.ext && s->lsu.ext->queue.used) blocked |= reexec_holds_back(s);
    return s->pipes_until > now ? blocked | pipes_busy(s, now, &next) : blocked;
}

/* Warps whose unit is free. *next: when a busy pipe that a warp waits for frees. */
static inline uint64_t can_issue(const struct sm *s, tick_t now, tick_t *next)
{
    uint64_t blocked = lsu_blocks(s);
    if (s->lsu.ext && s->lsu.ext->queue.used) blocked |= reexec_holds_back(s);
    if (s->pipes_until > now) blocked |= pipes_busy(s, now, next);
    return s->ready & ~blocked;
}

unsigned sm_age_rank(const struct sm *s, unsigned w) { return bit_count64(s->older[w] & s->live); }

/* A memory instruction as policies see it. Written field by field: a struct built elsewhere and copied makes the host
 * wait for its own stores. */
static inline void describe_load(const struct sm *s, unsigned w, struct wl_load *l)
{
    const struct sm_warp *p = &s->warp[w];
    const struct code_inst *in = p->inst;
    l->seq = p->seq;
    l->user = 0;
    l->pc = in->pc;
    l->warp = (uint16_t)w;
    l->rank = (uint16_t)sm_age_rank(s, w);
    l->loop = in->loop;
    l->outer_loop = s->tracks_loops && p->nloops && in->loop != CODE_NO_LOOP ? p->loop[0] : in->loop;
    l->cta = s->cta_id[w];
    l->lanes = (uint8_t)bit_count32(p->exec);
    l->space = p->route->space == WL_LOCAL ? WL_LOCAL : WL_GLOBAL;
    l->requests = l->missed = l->merged = l->bypassed = 0;
    l->left_loop = false;
}

__attribute__((noinline)) static void begin_async(struct sm *s, unsigned w, struct memop *op, tick_t now)
{
    if (op->inst->async == ASYNC_COPY) op->group = (uint8_t)warp_copy_begins(s, w);
    else mbarrier_issue(s, w, op, now);
}

static void issue_memory(struct sm *s, unsigned w, tick_t now)
{
    struct sm_warp *p = &s->warp[w];
    const struct code_inst *in = p->inst;
    struct memop *op = memop_alloc(s);
    bool shared = !p->route->leaves;
    if (shared) op->load.warp = (uint16_t)w; /* shared memory is not reported to cache policies */
    else describe_load(s, w, &op->load);
    op->inst = in;
    op->route = p->route;
    op->ready = now + p->route->delay;
    op->waiting = 0;
    op->sent = 0;
    op->done = 0;
    op->begun = false;
    stream_next_addrs(&p->stream, p->exec, &op->addrs);
    uint64_t *board = s->board + (size_t)w * s->board_regs;
    for (unsigned i = 0; i < in->ndst; i++) board[in->reg[i]] = NEVER;
    p->outstanding++;
    if (in->async) begin_async(s, w, op, now);
    if (shared) s->stats.shared_accesses++;
    else if (in->kind == INST_LOAD) s->stats.loads++;
    else if (in->kind == INST_STORE) s->stats.stores++;
    else s->stats.atomics++;
    lsu_accept(s, op);
}

/* ---- products of warp groups (PRODUCT_REGS) ---- */

static uint64_t *product_regs(struct sm *s, unsigned w)
{
    return s->board + (size_t)w * s->board_regs + (kernel_of(s, &s->warp[w])->code->nregs - PRODUCT_REGS);
}

__attribute__((cold)) static void note_product(struct sm *s, unsigned w, tick_t done)
{
    uint64_t *r = product_regs(s, w);
    r[0] = tick_max(r[0], due_make(done, WAIT_ALU));
}

/* The open group is the newest that has ended, and all before it move up; who waits for the last of the registers
 * waits for all groups that are as old. */
__attribute__((cold)) static void end_products(struct sm *s, unsigned w)
{
    uint64_t *r = product_regs(s, w);
    r[PRODUCT_REGS - 1] = tick_max(r[PRODUCT_REGS - 1], r[PRODUCT_REGS - 2]);
    memmove(&r[1], &r[0], (PRODUCT_REGS - 2) * sizeof *r);
}

/* A product whose result is no register, or a constant that is an operand: nothing is done with its address. */
__attribute__((noinline)) static void odd_compute(struct sm *s, unsigned w, tick_t result)
{
    struct sm_warp *p = &s->warp[w];
    struct warp_addrs unused;
    if (!inst_is_mem(p->inst)) note_product(s, w, result);
    else if (p->exec) stream_next_addrs(&p->stream, p->exec, &unused);
}

static void issue_compute(struct sm *s, unsigned w, tick_t now)
{
    const struct code_inst *in = s->warp[w].inst;
    struct exec_class *c = &s->exec_class[s->warp[w].route->exec];
    c->lanes += bit_count32(s->warp[w].exec);
    tick_t free_at = now + s->warp[w].route->init * s->part.period;
    uint32_t pipe = find_pipe(s, c->unit, w, now);
    WL_ASSERT(pipe != NO_PIPE);
    tick_t result = now + s->warp[w].route->delay;
    if (s->stages && s->stages->collector[c->unit].n) result = stages_book(s, w, now, &free_at);
    s->pipe_free[pipe] = free_at;
    s->pipes_until = tick_max(s->pipes_until, free_at);
    uint64_t *board = s->board + (size_t)w * s->board_regs;
    for (unsigned i = 0; i < in->ndst; i++) board[in->reg[i]] = due_make(result, WAIT_ALU);
    if (s->warp[w].route->odd) odd_compute(s, w, result);
}

/* A load from outside the SM marks its result as slow; an instruction that computes it anew takes the mark away. */
static void mark_results(struct sm *s, unsigned w)
{
    const struct sm_warp *p = &s->warp[w];
    const struct code_inst *in = p->inst;
    bool slow = p->route->unit == UNIT_LSU && p->exec && p->route->leaves && in->space != SPACE_CONST;
    if (!slow && in->kind != INST_ALU) return;
    for (unsigned i = 0; i < in->ndst; i++) s->mark[(size_t)w * s->board_regs + in->reg[i]] = slow;
}

/* Whose head reads a marked register; addresses, which come first, do not count. */
static uint64_t slow_heads(const struct sm *s)
{
    uint64_t slow = 0;
    for (uint64_t m = s->live & ~(s->ended | s->wrong); m; m &= m - 1) {
        unsigned w = bit_low64(m);
        if (s->fetch && !fetch_has_head(s, w)) continue;
        const struct code_inst *in = s->warp[w].inst;
        const uint8_t *mark = s->mark + (size_t)w * s->board_regs;
        if (in->kind == INST_LOAD) continue;
        for (unsigned i = inst_is_mem(in) ? 1 : 0, n = inst_operands(in); i < n; i++)
            if (mark[in->reg[in->ndst + i]]) slow |= bit64(w);
    }
    return slow;
}

__attribute__((cold)) static void note_issue(struct sm *s, unsigned w)
{
    if (s->mark) mark_results(s, w);
    for (unsigned i = 0; i < s->observers; i++)
        if (s->observer[i].hooks->issue) s->observer[i].hooks->issue(s->observer[i].self, s, w);
}

/* Sends the warp's head to its unit, which is returned. */
static inline __attribute__((always_inline)) unsigned issue_warp(struct sm *s, unsigned sched, unsigned w, tick_t now)
{
    struct sm_warp *p = &s->warp[w];
    const struct code_inst *in = p->inst;
    unsigned unit = p->route->unit;
    s->counts.warp_instructions++;
    if (s->notes_issues) note_issue(s, w);
    unsigned lanes = bit_count32(p->exec);
    s->counts.thread_instructions += lanes;
    s->counts.register_reads += in->nsrc * lanes;
    s->counts.register_writes += in->ndst * lanes;
    p->seq++;
    account_issue(s, sched, p);
    bool arrive = false;
    if (unit == UNIT_LSU) {
        if (p->exec) issue_memory(s, w, now);
        if (p->exec && p->route->holds) s->held |= bit64(w), s->membar |= bit64(w);
    } else if (unit != UNIT_NONE) {
        issue_compute(s, w, now);
    } else if (in->kind == INST_BARRIER && p->exec) { /* without lanes nobody arrives */
        s->stats.barriers++;
        s->barrier |= bit64(w);
        arrive = true;
    } else if (in->kind == INST_MEMBAR && p->outstanding && (!s->membar_registers || warp_awaits_result(s, w))) {
        s->membar |= bit64(w);
    } else if (in->kind >= INST_COMMIT) {
        if (in->async == ASYNC_PRODUCT) end_products(s, w);
        else if (in->kind == INST_COMMIT) warp_end_group(s, w);
        else warp_wait_groups(s, w, in->width);
    }
    warp_advance(s, w, now);
    if (arrive && (s->live >> w & 1)) warp_arrive(s, w, now);
    return unit;
}

/* Warps that wait for the unit to which warp w has issued, if it takes no more in this cycle. */
static uint64_t waiting_for(const struct sm *s, unsigned unit, unsigned w, tick_t now)
{
    if (unit == UNIT_NONE) return 0;
    bool room = unit == UNIT_LSU ? lsu_has_room(s) : find_pipe(s, unit, w, now) != NO_PIPE;
    if (room) return 0;
    return s->sub_cores && unit != UNIT_LSU ? s->head_unit[unit] & s->owned[w % s->schedulers] : s->head_unit[unit];
}

/* What schemes see. The masks change while a cycle goes on, so this is refreshed once per cycle. */
static void refresh_view(struct sm *s)
{
    struct wl_sched_view *v = &s->view;
    v->live = s->live;
    v->ready = s->ready;
    v->memory = s->memory;
    v->long_stall = s->long_stall;
    v->barrier = s->barrier | s->membar;
    v->l1d = l1_occupancy(&s->lsu.l1[L1_DATA]);
    v->loads = s->loads;
    v->shared = s->shared;
    v->ended = s->ended;
    if (s->mark) v->slow = slow_heads(s);
    if (s->lsu.ext) ext_refresh_view(s);
}

/* ---- asking the scheme ---- */

/* A question got two answers; sets of warps are written as masks. */
__attribute__((cold)) static void changed_answer(const struct sm *s, const char *function, long long first,
                                                 long long second)
{
    breach_note(s->part.clock->breach,
                "scheduler %s: %s() answered %lld and, asked again, %lld; it must not change state; SM %u",
                s->policy->name, function, first, second, s->index);
}

__attribute__((cold)) static void changed_set(const struct sm *s, const char *function, unsigned long long first,
                                              unsigned long long second)
{
    breach_note(s->part.clock->breach,
                "scheduler %s: %s() answered the warps 0x%llx and, asked again, 0x%llx; it must not change state; SM "
                "%u",
                s->policy->name, function, first, second, s->index);
}

static bool is_candidate(int w, uint64_t candidates) { return w >= 0 && w < SM_MAX_WARPS && candidates >> w & 1; }

__attribute__((cold)) static int pick_again(const struct sm *s, unsigned sched, uint64_t candidates, int w)
{
    if (s->ask_twice) {
        int again = s->policy->pick(&s->sched, &s->view, sched, candidates);
        if (again != w) changed_answer(s, "pick", w, again);
    }
    if (is_candidate(w, candidates)) return w;
    if (w != -1)
        breach_note(s->part.clock->breach,
                    "scheduler %s: pick() answered %d, which is none of the candidates 0x%llx and not -1; SM %u, "
                    "scheduler %u",
                    s->policy->name, w, (unsigned long long)candidates, s->index, sched);
    return -1;
}

/* A warp of `candidates`, or -1. */
static inline int ask_pick(const struct sm *s, unsigned sched, uint64_t candidates)
{
    int w = s->policy->pick(&s->sched, &s->view, sched, candidates);
    return s->ask_twice || !is_candidate(w, candidates) ? pick_again(s, sched, candidates, w) : w;
}

static uint64_t ask_allowed(const struct sm *s)
{
    if (!s->policy->allowed) return UINT64_MAX;
    uint64_t warps = s->policy->allowed(&s->sched, &s->view);
    if (s->ask_twice) {
        uint64_t again = s->policy->allowed(&s->sched, &s->view);
        if (again != warps) changed_set(s, "allowed", warps, again);
    }
    return warps;
}

/* Which scheduler goes first this cycle. */
static unsigned ask_first(const struct sm *s)
{
    uint32_t n = s->schedulers;
    unsigned turn = (unsigned)(s->turn_mask != UINT32_MAX ? s->cycle & s->turn_mask : s->cycle % n);
    if (!s->policy->order || !s->policy->order->first) return turn;
    unsigned first = s->policy->order->first(&s->sched, &s->view);
    if (s->ask_twice) {
        unsigned again = s->policy->order->first(&s->sched, &s->view);
        if (again != first) changed_answer(s, "first", first, again);
    }
    if (first < n) return first;
    breach_note(s->part.clock->breach, "scheduler %s: first() answered %u, but there are schedulers 0 to %u; SM %u",
                s->policy->name, first, n - 1, s->index);
    return turn;
}

/* Which of `can` this scheduler may issue in the cycle in which it has issued `issued`. */
static uint64_t ask_second(const struct sm *s, unsigned sched, unsigned issued, uint64_t can)
{
    const struct wl_order_hooks *order = s->policy->order;
    can &= s->owned[sched];
    if (!order || !order->second || !can) return 0;
    uint64_t warps = order->second(&s->sched, &s->view, sched, issued);
    if (s->ask_twice) {
        uint64_t again = order->second(&s->sched, &s->view, sched, issued);
        if (again != warps) changed_set(s, "second", warps, again);
    }
    if (warps & ~s->owned[sched])
        breach_note(s->part.clock->breach,
                    "scheduler %s: second() answered the warps 0x%llx, but those of its own are 0x%llx; SM %u, "
                    "scheduler %u",
                    s->policy->name, (unsigned long long)warps, (unsigned long long)s->owned[sched], s->index, sched);
    return can & warps;
}

/* Reports the cycle to the scheme. */
static void report_cycle(struct sm *s, tick_t now)
{
    uint64_t again = s->policy->on_cycle(&s->sched, &s->view);
    if (again <= s->cycle) {
        breach_note(s->part.clock->breach,
                    "scheduler %s: on_cycle() answered cycle %llu, but it must be later than this one, %llu; SM %u",
                    s->policy->name, (unsigned long long)again, (unsigned long long)s->cycle, s->index);
        again = s->cycle + 1;
    }
    s->sched_next = again == UINT64_MAX ? NEVER : now + (again - s->cycle) * s->part.period;
    if (again == s->cycle + 1) reexec_changed(s); /* its answers to may_miss() may have changed */
}

/* ---- the cycle ---- */

/* Warps whose buffer holds a path they did not take, and whose turn comes before that of one that can issue: meeting
 * them empties the buffer and costs the others nothing. Returns the warps that are left. */
static __attribute__((noinline)) uint64_t pass_wrong(struct sm *s, unsigned sched, uint64_t mine)
{
    while (mine) {
        int w = s->policy->pick(&s->sched, &s->view, sched, mine);
        if (w < 0 || w >= SM_MAX_WARPS || !(mine & s->wrong & bit64((unsigned)w))) break;
        fetch_flush(s, (unsigned)w);
        mine &= ~bit64((unsigned)w);
    }
    return mine & ~s->wrong;
}

/* All schedulers choose among the warps in `can`, but for those that the scheme has `refused`. Returns whether one was
 * issued. */
static bool choose_warp(struct sm *s, uint64_t can, uint64_t refused, tick_t now)
{
    unsigned first = ask_first(s);
    struct issue_stage st = account_stage(s);
    can &= ~refused;
    if (s->mem_issue) lsu_limit(s, s->mem_issue);
    for (unsigned i = 0; i < s->schedulers; i++) {
        unsigned sched = first + i < s->schedulers ? first + i : first + i - s->schedulers;
        uint64_t mine = can & s->owned[sched];
        if (mine & s->wrong) {
            mine = pass_wrong(s, sched, mine);
            can &= mine | ~s->owned[sched];
        }
        unsigned issued = 0;
        while (mine) {
            int w = ask_pick(s, sched, mine);
            if (w < 0) break;
            unsigned unit = issue_warp(s, sched, (unsigned)w, now);
            if (s->policy->on_issue) s->policy->on_issue(&s->sched, &s->view, sched, (unsigned)w);
            s->account.second += issued++;
            st.issued |= bit64((unsigned)w);
            can &= ~(bit64((unsigned)w) | waiting_for(s, unit, (unsigned)w, now));
            mine = s->policy->order ? ask_second(s, sched, (unsigned)w, can) : 0;
        }
        if (!issued) account_none(s, sched, &st);
    }
    if (s->mem_issue) lsu_limit(s, s->lsu.depth);
    account_left(s, &st, can, refused);
    return st.issued;
}

/* The same in the stage of choose_simply. */
static __attribute__((noinline)) uint64_t pass_wrong_simply(struct sm *s, unsigned sched, uint64_t mine)
{
    uint64_t left = pass_wrong(s, sched, mine);
    simple_passed(s, sched, mine, left);
    return left;
}

/* The same for a scheme that only picks and adds nothing to the ld/st unit (s->only_picks): nearly every run of every
 * paper has it, and nothing else is asked. `rules`: the machine limits memory instructions per cycle, or a buffer holds
 * the wrong path; other stages have a copy of their own of this, in which that is a constant. */
static inline __attribute__((always_inline)) void choose_simply(struct sm *s, uint64_t can, bool rules, tick_t now)
{
    uint32_t n = s->schedulers;
    unsigned sched = (unsigned)(s->turn_mask != UINT32_MAX ? s->cycle & s->turn_mask : s->cycle % n);
    simple_begin(s, can);
    if (rules && s->mem_issue) lsu_limit(s, s->mem_issue);
    for (uint32_t left = n; left; left--, sched++) {
        sched &= 0u - (sched != n); /* the first again after the last: no branch, as it would be guessed wrongly */
        uint64_t mine = can & s->owned[sched];
        if (!mine) {
            simple_none(s, sched);
            continue;
        }
        if (rules && mine & s->wrong) {
            mine = pass_wrong_simply(s, sched, mine);
            can &= mine | ~s->owned[sched];
            if (!mine) continue;
        }
        int w = ask_pick(s, sched, mine);
        if (w < 0) {
            simple_stuck(s, sched, mine);
            continue;
        }
        unsigned unit = issue_warp(s, sched, (unsigned)w, now);
        if (s->policy->on_issue) s->policy->on_issue(&s->sched, &s->view, sched, (unsigned)w);
        can &= ~bit64((unsigned)w);
        uint64_t full = can & waiting_for(s, unit, (unsigned)w, now);
        if (!full) continue;
        can ^= full;
        simple_full(s, full);
    }
    if (rules && s->mem_issue) lsu_limit(s, s->lsu.depth);
    if (COUNT_CYCLES) s->counts.issue_cycles += s->counts.warp_instructions != s->account.before;
    if (rules && s->account.passed) account_left_passed(s);
    simple_left(s, can);
}

static __attribute__((noinline)) void choose_by_rules(struct sm *s, uint64_t can, tick_t now)
{
    choose_simply(s, can, true, now);
}

/* A cycle of any scheme. */
static __attribute__((noinline)) bool issue_any(struct sm *s, tick_t now, tick_t *next)
{
    uint64_t can = s->ready ? can_issue(s, now, next) : 0;
    if (!can) {
        account_stall(s);
        if (!s->policy->on_cycle) return false;
    }
    s->view.cycle = s->cycle;
    if (!s->policy->ignores_state) refresh_view(s);
    if (s->policy->on_cycle) {
        report_cycle(s, now);
        if (!can) return false;
    }
    uint64_t allowed = ask_allowed(s);
    bool issued = choose_warp(s, can, can & ~allowed, now);
    if (COUNT_CYCLES) s->counts.issue_cycles += issued;
    if (!issued) account_vain(s);
    if (issued) allowed = UINT64_MAX;               /* the issue may have changed it */
    if (issued && s->policy->on_cycle) return true; /* the scheme wants to hear of the cycle after an issue */
    return s->ready && (can_issue(s, now + s->part.period, next) & allowed);
}

bool issue_cycle(struct sm *s, tick_t now, tick_t *next)
{
    WL_ASSERT(!(s->ready & ~s->live) && !(s->head_unit[UNIT_LSU] & s->head_unit[UNIT_ALU]));
    if (!s->only_picks) return issue_any(s, now, next);
    uint64_t can = s->ready ? can_issue(s, now, next) : 0;
    if (!can) {
        account_stall(s);
        return false;
    }
    s->view.cycle = s->cycle;
    if ((can & s->wrong) | s->mem_issue) choose_by_rules(s, can, now);
    else choose_simply(s, can, false, now);
    return s->ready && can_issue(s, now + s->part.period, next);
}
