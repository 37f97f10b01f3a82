/* sm_priv.h - between the files of this folder. */
#ifndef WL_SM_SM_PRIV_H
#define WL_SM_SM_PRIV_H

#include "sm/sm.h"

/* The memory instruction a request belongs to. */
static inline struct memop *memop_of(const struct req *r) { return (struct memop *)(void *)r->load; }

static inline struct l1 *l1d_of(struct sm *s) { return &s->lsu.l1[L1_DATA]; }

/* The kernel of a warp. */
static inline const struct sm_kernel *kernel_of(const struct sm *s, const struct sm_warp *p)
{
    return &s->kernels[p->stream.kernel];
}

/* kernels.c */
tick_t sm_epoch_tick(const struct sm *s); /* when the L1D wants to be told the time */

/* route.c */
/* Finds a route for every instruction of the kernel. -1: out of memory. */
int route_kernel(const struct sm *s, struct route_table *t, const struct code *code);
void route_table_destroy(struct route_table *t);
extern const struct route route_none; /* of a warp without a head */

/* warps.c */
int warps_init(struct sm *s);
void warps_destroy(struct sm *s);
int warps_kernel_begin(struct sm *s, const struct sm_kernel *k); /* -1: out of memory */
void warp_install_cta(struct sm *s, const struct cta_stream *cta, tick_t now);
void warp_advance(struct sm *s, unsigned w, tick_t now);            /* the head was issued: fetches the next */
bool warp_is_inside(const struct sm *s, unsigned w, uint16_t loop); /* with at least one lane */
void warp_check_head(struct sm *s, unsigned w, tick_t now);         /* a register can be read now */
/* Enters the head in the sets of its unit. */
static inline void warp_show_head(struct sm *s, unsigned w)
{
    const struct sm_warp *p = &s->warp[w];
    const struct route *r = p->route;
    uint64_t bit = bit64(w);
    s->head_unit[r->unit] |= bit;
    if (r->unit == UNIT_LSU && p->exec) {
        if (!r->leaves) s->shared |= bit;
        else s->memory |= bit;
        if (r->data_load) s->loads |= bit;
    }
}

/* The warp becomes ready in that cycle, or in the first after tick `at`; returns the cycle. */
static inline uint64_t wheel_enter(struct sm *s, unsigned w, uint64_t cycle)
{
    uint32_t slot = (uint32_t)cycle & s->wheel_mask;
    s->wheel[slot] |= bit64(w);
    s->wheel_used[slot >> 6] |= bit64(slot & 63);
    s->in_wheel |= bit64(w);
    return cycle;
}

static inline uint64_t wheel_add(struct sm *s, unsigned w, tick_t at, tick_t now)
{
    return wheel_enter(s, w, s->cycle + part_cycles(&s->part, at - now + s->part.period - 1));
}

/* The tick from which the head may issue, as a due: NEVER while it waits for a load, and then the other registers do
 * not matter. (Without this way out the compiler would make vectors of these few numbers, which takes longer.) */
static inline tick_t head_ready_at(const struct sm *s, unsigned w, const struct code_inst *in)
{
    const uint64_t *board = s->board + (size_t)w * s->board_regs;
    const uint16_t *reg = in->reg, *end = reg + in->ndst + in->nsrc;
    tick_t t = 0;
    for (; reg != end && t != NEVER; reg++) t = tick_max(t, board[*reg]);
    return t;
}

/* starve.c */
void starve_kernel_begin(struct sm *s);
void warp_starve(struct sm *s, unsigned w); /* its next instruction is not known yet */

void warp_arrive(struct sm *s, unsigned w, tick_t now);     /* the warp came to a barrier */
void warp_memop_done(struct sm *s, unsigned w, tick_t now); /* one of its memory instructions has finished */
/* Asynchronous copies: the group of one that is issued, and the end of one; the warp's open group ends; it waits until
 * at most `allowed` of the groups ended so far are on their way. */
unsigned warp_copy_begins(struct sm *s, unsigned w);
void warp_copy_ends(struct sm *s, unsigned w, unsigned group, tick_t now);
/* An mbarrier instruction or a bulk copy is issued; a bulk copy, and other copies of a warp, have ended (mbarrier.c).
 */
int mbarrier_init(struct sm *s, struct wl_err *e);
void mbarrier_destroy(struct sm *s);
void mbarrier_install(struct sm *s, unsigned cta);
void mbarrier_issue(struct sm *s, unsigned w, struct memop *op, tick_t now);
void mbarrier_copy_ends(struct sm *s, const struct memop *op, tick_t now);
void mbarrier_copies_end(struct sm *s, unsigned w, tick_t now);
void warp_go_on(struct sm *s, unsigned w, tick_t now);
void warp_end_group(struct sm *s, unsigned w);
/* The open group of copies ends, but not for those who count groups. Whether the group and all before it are back; all.
 */
void warp_end_part(struct sm *s, unsigned w);
bool warp_groups_back(const struct sm *s, unsigned w, uint32_t group);
bool warp_copies_back(const struct sm *s, unsigned w);
void warp_wait_groups(struct sm *s, unsigned w, unsigned allowed);
bool warp_awaits_result(const struct sm *s, unsigned w); /* of a memory instruction, in a register */
/* One of its memory instructions has finished, though others may not have: one that held the warp, or any other. */
void warp_result_came(struct sm *s, unsigned w, bool held, tick_t now);
void warp_wake_due(struct sm *s); /* wakes the warps in the wheel's slot of this cycle */
tick_t warp_next_wake(const struct sm *s, tick_t now);
void warps_walk(const struct sm *s);

/* fetch.c: only when s->fetch is not NULL, but for the first two */
int fetch_init(struct sm *s, const struct gpu_config *c, struct wl_err *e);
void fetch_destroy(struct sm *s);

/* `from` was issued; the head is known, but not whether it is in the buffer. */
void fetch_advance(struct sm *s, unsigned w, const struct code_inst *from, tick_t now);
void fetch_drop(struct sm *s, unsigned w);    /* the warp has issued its last */
void fetch_flush(struct sm *s, unsigned w);   /* a scheduler met the wrong path */
void fetch_fill(struct sm *s, struct req *r); /* a line has come */
bool fetch_cycle(struct sm *s, tick_t now);   /* returns whether it has something to do in the next cycle */
bool fetch_idle(const struct sm *s);
struct l1i_stats fetch_stats(const struct sm *s);
void fetch_walk(const struct sm *s);

/* The warp's head is in its buffer, which is usable from fetch->at on. */
static inline bool fetch_has_head(const struct sm *s, unsigned w)
{
    return !((s->fetch->want | s->fetch->held) >> w & 1);
}

/* Whether a warp goes from one instruction to another that it need not wait for: within a line, as far as that is known
 * (fetch_lines.c), where it reads lines; to the second of the pair in its buffer, which is the head then. */
static inline bool fetch_goes_on(struct sm *s, unsigned w, const struct code_inst *from, const struct code_inst *to)
{
    if (s->fetches_lines) return from && (from->pc ^ to->pc) < s->line_bytes;
    if (!(s->second >> w & 1) || to != from + 1 || code_is_form(to) || from->kind == INST_EXIT) return false;
    s->second &= ~bit64(w);
    return true;
}

/* stages.c */
int stages_init(struct sm *s, const struct gpu_config *c, struct wl_err *e);
tick_t stages_reach(const struct sm *s); /* how long an instruction can wait on its way to the pipe */
/* The head of the warp is issued to a pipe of its unit: books its way. *taken: when it leaves the register it is issued
 * to. Returns when its result can be read. */
tick_t stages_book(struct sm *s, unsigned w, tick_t now, tick_t *taken);

/* ---- account.c: the account of cycles (account.h) ---- */

/* What an issue stage with a warp that can issue remembers for the account. */
struct issue_stage {
    uint64_t ready, results, barrier; /* sets of warps when it began: ready, waiting for a result, at a barrier */
    uint64_t issued;                  /* set of warps that issued */
    uint64_t stuck;                   /* warps of schedulers that had a ready one and issued none */
};

void account_begin_stretch(struct sm *s); /* with this cycle, in which no warp can issue */
void account_end_stretch(struct sm *s);   /* before this cycle */
void account_add_skipped(struct sm *s, uint64_t skipped, tick_t then);
void account_idle(struct sm *s, unsigned sched, uint64_t barrier);
void account_sort_left(struct sm *s, uint64_t stuck, uint64_t left, uint64_t can, uint64_t refused);
void account_arrive(struct sm *s); /* the first warps come */
void account_leave(struct sm *s);  /* the last warp has gone */
void account_spread(struct sm *s); /* warps have come or gone */
void account_left_stuck(struct sm *s, uint64_t can);
void account_left_passed(struct sm *s);       /* a scheduler has met a warp with the wrong path */
void account_flush(struct sm *s, unsigned w); /* the buffer of a ready warp was emptied: it waits for a fetch */
void account_add(const struct sm *s, struct run_stats *out);
uint64_t account_active_cycles(const struct sm *s); /* cycles so far in which the SM had a warp, and in which it */
uint64_t account_issue_cycles(const struct sm *s);  /* issued one: the account knows both without counting them */

/* What warps wait for has changed. */
static inline void account_changed(struct sm *s)
{
    if (WL_ACCOUNT) s->steady = false;
}

/* An issue stage in which none was issued: the scheme wanted none of the warps that could. */
static inline void account_vain(struct sm *s) { s->account.vain++; }

/* The warp begins to wait, from the next cycle in which it could issue on, for something of unknown length. */
static inline void account_waits(struct sm *s, unsigned w)
{
    if (WL_ACCOUNT) s->account.since[w] = (uint32_t)s->next_issue;
}

/* It has waited since then and can issue from `cycle` on, because of what comes then. */
static inline void account_due(struct sm *s, unsigned w, uint64_t cycle, enum wait what)
{
    if (!WL_ACCOUNT) return;
    uint32_t waited = (uint32_t)cycle - s->account.since[w];
    s->account.warp_wait[what] += waited;
    s->warp[w].stream.note = waited ? (uint8_t)what : WAITS;
}

/* It has waited until now in that state. */
static inline void account_state(struct sm *s, unsigned w, uint64_t *state)
{
    if (WL_ACCOUNT) *state += account_note(&s->account, w, s->next_issue);
}

/* These warps have left a barrier. */
static inline void account_released(struct sm *s, uint64_t warps)
{
    if (!WL_ACCOUNT) return;
    s->released = warps | (s->released_at == s->cycle ? s->released : 0);
    s->released_at = s->cycle;
    s->steady = false;
}

static inline uint64_t awaits_result(const struct sm *s) { return s->in_wheel | s->long_stall; }

/* The scheduler issues a warp that has waited for what its note says: cycles that are open were spent on the same. */
static inline void account_issue(struct sm *s, unsigned sched, const struct sm_warp *p)
{
    if (!WL_ACCOUNT) return;
    uint32_t outside = (uint32_t)s->account.outside;
    if (s->account.closed[sched] == outside || p->stream.note == WAITS) return;
    s->account.scheduler_wait[p->stream.note] += outside - s->account.closed[sched];
    s->account.closed[sched] = outside;
}

/* Whether each scheduler has a warp that waits for a result and none that is ready, after cycles of which the same was
 * true: there is nothing to note, as such cycles stay open. */
static inline bool all_open(const struct sm *s)
{
    uint64_t results = awaits_result(s);
    if (s->account.began || s->ready) return false;
    if (results == s->live) return s->account.spread;
    for (unsigned i = 0; i < s->schedulers; i++)
        if (!(results & s->owned[i])) return false;
    return true;
}

/* No warp can issue in this cycle, whatever the scheme wants. */
static inline void account_stall(struct sm *s)
{
    if (!WL_ACCOUNT) return;
    s->account.outside++;
    if (s->steady) return; /* nothing has changed since the last */
    if (all_open(s)) s->steady = true;
    else account_begin_stretch(s);
}

/* The same for the cycles that the SM has slept through, the first of them at tick `then`. */
static inline void account_skip(struct sm *s, uint64_t skipped, tick_t then)
{
    if (!WL_ACCOUNT) return;
    s->account.outside += skipped;
    if (!s->steady && !all_open(s)) account_add_skipped(s, skipped, then);
}

static inline struct issue_stage account_stage(struct sm *s)
{
    if (!WL_ACCOUNT) return (struct issue_stage){0};
    if (s->account.began) account_end_stretch(s);
    return (struct issue_stage){.ready = s->ready, .results = awaits_result(s), .barrier = s->barrier};
}

/* The scheduler has issued nothing. */
static inline void account_none(struct sm *s, unsigned sched, struct issue_stage *st)
{
    if (!WL_ACCOUNT) return;
    uint64_t mine = s->owned[sched];
    if (st->ready & mine) st->stuck |= mine;
    else if (st->results & mine) s->account.closed[sched]--; /* the cycle is open */
    else account_idle(s, sched, st->barrier);
}

/* The issue stage is over: what of the warps that were ready and are left? `can`: their unit would have taken them. */
static inline void account_left(struct sm *s, const struct issue_stage *st, uint64_t can, uint64_t refused)
{
    if (!WL_ACCOUNT) return;
    uint64_t left = st->ready & ~st->issued & s->ready;
    if (st->stuck | (left & ~can)) account_sort_left(s, st->stuck, left, can, refused);
    else s->account.not_selected += bit_count64(left);
}

/* The same three for a scheme that only picks, on a machine without gate and re-execution queue. In a stage of theirs
 * nothing happens to warps but that they issue or leave a barrier (released_now): a ready one that does not issue could
 * and was not picked, or is one of the `blocked`, whose unit takes no more. */
static inline void simple_begin(struct sm *s, uint64_t can)
{
    s->account.before = s->counts.warp_instructions;
    if (!WL_ACCOUNT) return;
    WL_ASSERT(!s->steady || s->account.began); /* if all had waited for results, none could issue */
    if (s->account.began) account_end_stretch(s);
    s->account.blocked = s->ready ^ can;
}

static inline uint64_t released_now(const struct sm *s) { return s->released_at == s->cycle ? s->released : 0; }

/* No warp of the scheduler could issue. That cannot change within the stage: the reason is known at once. */
static inline void simple_none(struct sm *s, unsigned sched)
{
    if (!WL_ACCOUNT) return;
    struct account *a = &s->account;
    uint64_t mine = s->owned[sched], blocked = a->blocked & mine;
    if (blocked) {
        bool pipe = blocked & ~s->head_unit[UNIT_LSU];
        a->stats.pipe_busy += pipe;
        a->stats.lsu_full += !pipe;
    } else if (awaits_result(s) & mine & ~released_now(s)) {
        s->account.closed[sched]--; /* the cycle is open */
    } else {
        account_idle(s, sched, s->barrier | (released_now(s) & mine));
    }
}

/* Of `mine`, warps of the scheduler that could issue, `left` are those whose buffer does not hold the wrong path. Of
 * the others some have met the scheduler and wait for a fetch; the rest is kept, as is who finds a pipe busy. If nobody
 * is left or kept the scheduler waits for a fetch, too. */
static inline void simple_passed(struct sm *s, unsigned sched, uint64_t mine, uint64_t left)
{
    if (!WL_ACCOUNT) return;
    struct account *a = &s->account;
    a->blocked |= mine & ~left & s->ready;
    a->passed = true;
    if (left) return;
    if (a->blocked & s->owned[sched]) simple_none(s, sched);
    else a->stats.fetch++;
}

/* An issue has filled the unit of these warps. */
static inline void simple_full(struct sm *s, uint64_t warps)
{
    if (WL_ACCOUNT) s->account.blocked |= warps;
}

/* The scheme picked none of `mine`, the warps of the scheduler that could issue. */
static inline void simple_stuck(struct sm *s, unsigned sched, uint64_t mine)
{
    if (!WL_ACCOUNT) return;
    s->account.stuck |= s->owned[sched];
    s->account.blocked |= mine;
}

static inline void simple_left(struct sm *s, uint64_t can)
{
    if (!WL_ACCOUNT) return;
    struct account *a = &s->account;
    a->not_selected += bit_count64(can);
    if (!a->blocked) return;
    if (a->stuck) {
        account_left_stuck(s, can);
        return;
    }
    uint64_t lsu = a->blocked & s->head_unit[UNIT_LSU];
    a->lsu_full += bit_count64(lsu);
    a->pipe_busy += bit_count64(a->blocked ^ lsu);
}

/* fetch.c, again */

/* The buffer is empty, the usual case: the head is fetched along the path that falls through, and nothing is special
 * about either instruction. False: it is not that case. */
static inline bool fetch_begins(struct sm *s, unsigned w, const struct code_inst *from)
{
    struct fetch *f = s->fetch;
    const struct sm_warp *p = &s->warp[w];
    const struct sm_kernel *k = kernel_of(s, p);
    uint64_t bit = bit64(w);
    if (s->fetches_lines || s->second & bit || !from || from + 1 >= k->last || p->inst->form || from->form)
        return false;
    f->wanted[w] = k->code_line + (from[1].pc >> LINE_SHIFT);
    f->want |= bit;
    s->second |= bit;
    s->ends_cycles = true;
    account_waits(s, w);
    if (p->inst == from + 1) {
        warp_show_head(s, w);
    } else {
        s->wrong |= bit;
        s->head_unit[UNIT_NONE] |= bit; /* shown when a scheduler has met the wrong path */
    }
    return true;
}

/* issue.c */
uint64_t issue_blocked(const struct sm *s, tick_t now); /* warps whose unit would take nothing of them at `now` */
/* Returns whether a warp can issue in the next cycle; else *next is when a pipe frees. */
bool issue_cycle(struct sm *s, tick_t now, tick_t *next);

/* lsu.c */
static inline bool lsu_has_room(const struct sm *s) { return s->lsu.tail != s->lsu.limit; }
/* Warps whose head finds no room there: all or none, without a branch that is hard to guess. */
static inline uint64_t lsu_blocks(const struct sm *s)
{
    return s->head_unit[UNIT_LSU] & (0 - (uint64_t)!lsu_has_room(s));
}
/* Takes at most `more` instructions from now on, as far as there is room. */
static inline void lsu_limit(struct sm *s, uint32_t more)
{
    uint32_t room = s->lsu.depth - (s->lsu.tail - s->lsu.head);
    s->lsu.limit = s->lsu.tail + (more < room ? more : room);
}
void lsu_init(struct sm *s, const struct gpu_config *c);
struct memop *memop_alloc(struct sm *s);
void lsu_accept(struct sm *s, struct memop *op);
void lsu_cycle(struct sm *s, tick_t now, uint64_t skipped);
tick_t lsu_next(struct sm *s, tick_t now); /* when the unit has something to do again */
bool lsu_idle(const struct sm *s);
uint64_t lsu_holds(const struct sm *s); /* warps with requests no cache has accepted */
int lsu_warp(const struct sm *s);       /* the warp whose request is at the L1D or will be next; -1: none */
/* Presents a request to its cache. Once accepted, it is no longer the caller's. */
enum l1_outcome lsu_try(struct sm *s, enum cache_id cache, struct req *r, tick_t now);
/* The first request of the pipe was accepted or moved elsewhere; `next` was behind it. */
static inline void lsu_leave_pipe(struct access_pipe *p, struct req *next)
{
    WL_ASSERT(p->used);
    p->list.head = next;
    if (!next) p->list.tail = &p->list.head;
    p->used--;
}
void lsu_walk(const struct sm *s);
void lsu_join_banks(struct lsu *u); /* the L1D's banks are fed and looked up as one */

/* The L1D's policy heard of something outside the ld/st unit: a refused request may be accepted now. */
static inline void lsu_policy_heard(struct sm *s) { s->lsu.policy_heard = true; }
/* Whether the L1D, or one of its banks, has refused a request. */
static inline bool lsu_refused(const struct lsu *u)
{
    return u->refused || l1_refused(u->pipe[L1_DATA].refused) || (u->goes_aside && u->pipe[u->aside].used);
}
/* Whether the SM is to be woken for what the L1D does at a known time. Where misses are sent ahead it only frees
 * entries of the MSHRs then, which nobody sees but who was refused for want of one. */
static inline bool lsu_wants_event(const struct sm *s)
{
    return !s->lsu.ahead || s->lsu.refused || s->lsu.pipe[L1_DATA].refused == L1_NO_MSHR;
}
/* Whether a request that was refused this cycle is worth presenting in the next one for that reason. */
static inline bool lsu_retries(const struct sm *s) { return s->lsu.policy_heard && lsu_refused(&s->lsu); }

/* ext_gate.c and ext_reexec.c: for schemes with the `lsu` facet, s->lsu.ext != NULL */
int ext_init(struct sm *s, const struct wl_lsu_hooks *hooks, struct wl_err *e);
void ext_refresh_view(struct sm *s);
/* Whether the scheme lets the request's warp miss in this cache. */
bool ext_may_miss(const struct sm *s, enum cache_id cache, const struct req *r);
/* The first request of the pipe holds up a warp that may miss. */
bool gate_holds_up(const struct sm *s, const struct access_pipe *p);
void reexec_access(struct sm *s, tick_t now);    /* makes this cycle's access to the L1D */
void reexec_skip(struct sm *s, uint64_t cycles); /* cycles slept through: the queue went round, all refused */
bool reexec_busy(const struct sm *s);            /* a try in the next cycle may end differently */
uint64_t reexec_holds_back(const struct sm *s);  /* warps whose memory instruction may not issue */
void reexec_walk(const struct sm *s);
static inline void reexec_changed(struct sm *s)
{
    if (s->lsu.ext) s->lsu.ext->queue.refused = 0;
}
/* The L1D has freed MSHRs in this cycle; what was refused until then has not been accounted for yet. */
static inline void reexec_freed(struct sm *s)
{
    if (s->lsu.ext) s->lsu.ext->queue.freed = true;
}
/* Whether there is a re-execution queue. */
static inline bool has_queue(const struct sm *s) { return s->lsu.ext && s->lsu.ext->queue.entries; }

/* coalesce.c */
uint32_t coalesce(const struct sm *s, const struct memop *op, struct txn *out);
/* `atomic`: lanes that meet at one word take turns too. */
uint32_t shared_passes(const struct warp_addrs *a, uint32_t banks, bool atomic);

#endif
