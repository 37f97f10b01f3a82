/* warps.c - the life of a warp: installed with its CTA, head after head, barriers, end. */
#include <stdlib.h>
#include <string.h>

#include "sm/sm_priv.h"

/* ---- the wheel: warps that will be ready at a known cycle ---- */

/* It must reach as far as the slowest result: a pipe's, shared memory's after all its passes, or a register write
 * behind others. */
static int make_wheel(struct sm *s)
{
    tick_t p = s->part.period, reach = s->shared_latency + s->between.latency + 16 * WARP_SIZE * p;
    for (int i = 0; i < EXEC_CLASSES; i++)
        reach = tick_max(reach, (s->exec_class[i].latency + CODE_MAX_REGS) * p + s->issue_delay);
    reach = tick_max(tick_max(reach, s->lsu.writeback_limit), s->hit_ticks) + 2 * p;
    enum { MOST_COLUMNS = 32 }; /* of a product, in eights */
    tick_t product = s->product.least + MOST_COLUMNS * s->product.init + s->product.latency;
    reach = tick_max(reach, (product + 2) * p);
    if (s->stages) reach += stages_reach(s);
    uint32_t size = 64;
    while (size * p <= reach) size *= 2;
    s->wheel_mask = size - 1;
    s->wheel = calloc(size, sizeof *s->wheel);
    s->wheel_used = calloc(size / 64, sizeof *s->wheel_used);
    return s->wheel && s->wheel_used ? 0 : -1;
}

void warp_wake_due(struct sm *s)
{
    uint32_t slot = (uint32_t)s->cycle & s->wheel_mask;
    if (!(s->wheel_used[slot >> 6] >> (slot & 63) & 1)) return;
    uint64_t due = s->wheel[slot];
    account_changed(s);
    s->ready |= due;
    s->in_wheel &= ~due;
    s->wheel[slot] = 0;
    s->wheel_used[slot >> 6] &= ~bit64(slot & 63);
}

tick_t warp_next_wake(const struct sm *s, tick_t now)
{
    uint32_t size = s->wheel_mask + 1, here = (uint32_t)s->cycle & s->wheel_mask;
    for (uint32_t d = 1; d <= size;) {
        uint32_t slot = (here + d) & s->wheel_mask;
        uint64_t word = s->wheel_used[slot >> 6] >> (slot & 63);
        if (word) return now + (d + bit_low64(word)) * s->part.period;
        d += 64 - (slot & 63);
    }
    return NEVER;
}

/* ---- heads ---- */

/* The head may issue when it is due; the warp has waited for that since its last note. */
static inline void place_head(struct sm *s, unsigned w, uint64_t due, tick_t now)
{
    if (due == NEVER) {
        s->long_stall |= bit64(w);
        return;
    }
    s->long_stall &= ~bit64(w);
    if (due_time(due) <= s->head_limit) {
        s->ready |= bit64(w);
        account_due(s, w, s->next_issue, due_what(due));
    } else {
        account_due(s, w, wheel_add(s, w, due_time(due), now), due_what(due));
    }
}

/* The same for the first head of a warp and one that follows on another: it begins to wait now. */
static inline void place_next_head(struct sm *s, struct sm_warp *p, unsigned w, uint64_t due, tick_t now)
{
    if (due_time(due) <= s->head_limit) {
        s->ready |= bit64(w);
        if (WL_ACCOUNT) p->stream.note = WAITS;
    } else if (due == NEVER) {
        s->long_stall |= bit64(w);
        account_waits(s, w);
    } else {
        enum wait what = due_what(due);
        uint64_t cycle = wheel_add(s, w, due_time(due), now);
        if (!WL_ACCOUNT) return;
        p->stream.note = (uint8_t)what;
        s->account.warp_wait[what] += cycle - s->next_issue;
    }
}

/* A head must have come; a path that was not taken waits for no register. */
static __attribute__((noinline)) void check_fetched_head(struct sm *s, unsigned w, tick_t now)
{
    if (!fetch_has_head(s, w)) return; /* looked at when it has come */
    account_changed(s);
    uint64_t fetched = due_make(s->fetch->at[w], WAIT_FETCH);
    place_head(s, w, s->wrong >> w & 1 ? fetched : tick_max(head_ready_at(s, w, s->warp[w].inst), fetched), now);
}

void warp_check_head(struct sm *s, unsigned w, tick_t now)
{
    if (s->fetch) {
        check_fetched_head(s, w, now);
        return;
    }
    account_changed(s);
    place_head(s, w, head_ready_at(s, w, s->warp[w].inst), now);
}

/* ---- loops: for policies that want to know when a warp has left one ----
 *
 * Lanes leave one by one, and those that break out may run ahead of the others; a loop is left when
 * its last lane is seen outside it or ends. */

bool warp_is_inside(const struct sm *s, unsigned w, uint16_t loop)
{
    const struct sm_warp *p = &s->warp[w];
    for (unsigned i = 0; i < p->nloops; i++)
        if (p->loop[i] == loop) return true;
    return false;
}

static void leave_loop(struct sm *s, unsigned w, unsigned i)
{
    struct sm_warp *p = &s->warp[w];
    uint16_t gone = p->loop[i];
    p->nloops--;
    memmove(&p->loop[i], &p->loop[i + 1], (p->nloops - i) * sizeof p->loop[0]);
    memmove(&p->lanes[i], &p->lanes[i + 1], (p->nloops - i) * sizeof p->lanes[0]);
    l1_leave_loop(l1d_of(s), w, gone);
    lsu_policy_heard(s);
}

static void enter_loop(struct sm *s, struct sm_warp *p, unsigned w, uint16_t loop, uint32_t lanes)
{
    if (loop == CODE_NO_LOOP || warp_is_inside(s, w, loop)) return;
    enter_loop(s, p, w, kernel_of(s, p)->code->loop[loop].parent, lanes);
    if (p->nloops == WARP_MAX_LOOPS) return;
    p->loop[p->nloops] = loop;
    p->lanes[p->nloops++] = lanes;
}

/* `lanes` are now in a block whose innermost loop is `to`. */
static void track_loops(struct sm *s, struct sm_warp *p, unsigned w, uint16_t to, uint32_t lanes)
{
    for (unsigned i = p->nloops; i-- > 0;) { /* inner ones first */
        if (code_in_loop(kernel_of(s, p)->code, p->loop[i], to)) p->lanes[i] |= lanes;
        else if (!(p->lanes[i] &= ~lanes)) leave_loop(s, w, i);
    }
    enter_loop(s, p, w, to, lanes);
}

static void finish_warp(struct sm *s, unsigned w, tick_t now);

static void make_head(const struct sm_kernel *k, struct sm_warp *p, const struct code_inst *inst)
{
    p->inst = inst;
    p->route = k->route + (inst - k->inst);
}

/* The head is a generic instruction: the next of its parts, one per space its lanes touch, becomes the head. Parts
 * issue one after another, like instructions of their own. */
static void next_part(const struct sm *s, struct sm_warp *p)
{
    enum mem_space space = stream_next_part(&p->stream, &p->exec);
    const struct sm_kernel *k = kernel_of(s, p);
    make_head(k, p, code_form(k->code, p->inst, space));
}

/* The bytes the warp was given are read: asks for more. False: there are none, or none yet, and then it starves. */
static bool read_on(struct sm *s, struct sm_warp *p, unsigned w)
{
    struct warp_stream next;
    struct stream_source *source = kernel_of(s, p)->source;
    if (!source->more) return false;
    int got = source->more(source, &s->cta[p->cta].stream, p->rank, &next);
    if (got < 0 && source->feed) s->starved |= bit64(w);
    else if (got < 0) breach_note(s->part.clock->breach, "an instruction stream cannot be read back from its file");
    if (got == 1) stream_continue(&p->stream, next);
    else if (got > 0) stream_jump(&p->stream, next);
    return got > 0;
}

/* The block is over: the head comes before the first instruction of the next one; false when the stream is over. */
static __attribute__((noinline)) bool next_block(struct sm *s, struct sm_warp *p, unsigned w)
{
    bool loops = s->tracks_loops;
    const struct code_inst *last = p->inst; /* NULL: this is the first */
    if (loops && last && last->kind == INST_EXIT) track_loops(s, p, w, CODE_NO_LOOP, p->exec);
    while (!p->left) {
        if (stream_done(&p->stream) && !read_on(s, p, w)) return false;
        const struct sm_kernel *k = kernel_of(s, p);
        const struct code_block *b = &k->block[stream_next_block(&p->stream)];
        p->inst = k->inst + b->first - 1;
        p->route = k->route + b->first - 1;
        p->left = b->count;
        if (loops && (p->nloops || b->loop != CODE_NO_LOOP)) track_loops(s, p, w, b->loop, p->stream.mask);
    }
    return true;
}

/* Makes the next instruction of the stream the head; false when the stream is over. */
static inline bool warp_fetch(struct sm *s, struct sm_warp *p, unsigned w)
{
    if (p->route->generic && code_is_form(p->inst)) {
        const struct sm_kernel *k = kernel_of(s, p);
        make_head(k, p, k->inst + p->inst->form - 1);
        if (stream_has_parts(&p->stream)) {
            next_part(s, p);
            return true;
        }
    }
    if (!p->left && !next_block(s, p, w)) return false;
    p->inst++;
    p->route++;
    p->left--;
    p->exec = p->inst->guarded ? stream_next_guard(&p->stream) : p->stream.mask;
    if (p->route->generic && p->exec) next_part(s, p);
    return true;
}

void warp_advance(struct sm *s, unsigned w, tick_t now)
{
    struct sm_warp *p = &s->warp[w];
    uint64_t bit = bit64(w);
    const struct code_inst *from = p->inst;
    s->ready &= ~bit;
    s->head_unit[p->route->unit] &= ~bit;
    if (p->route->unit == UNIT_LSU) {
        s->memory &= ~bit;
        s->loads &= ~bit;
        s->shared &= ~bit;
    }
    if (!warp_fetch(s, p, w)) {
        p->route = &route_none;
        if (s->starved & bit) {
            warp_starve(s, w);
            return;
        }
        s->ended |= bit;
        account_waits(s, w);
        if (s->fetch) fetch_drop(s, w);
        if (!p->outstanding) finish_warp(s, w, now);
        return;
    }
    if (s->fetch && !fetch_goes_on(s, w, from, p->inst)) {
        if (!fetch_begins(s, w, from)) fetch_advance(s, w, from, now);
        return;
    }
    warp_show_head(s, w);
    if ((s->barrier | s->membar) & bit) { /* looked at when released */
        account_waits(s, w);
        return;
    }
    place_next_head(s, p, w, head_ready_at(s, w, p->inst), now);
}

/* ---- barriers ---- */

static void release_barrier(struct sm *s, struct cta *c, tick_t now)
{
    if (!c->arrived || c->arrived != c->warps) return;
    uint64_t m = c->arrived;
    c->arrived = 0;
    s->barrier &= ~m;
    account_released(s, m);
    for (; m; m &= m - 1) {
        unsigned w = bit_low64(m);
        account_state(s, w, &s->account.states.barrier);
        if (!(s->ended >> w & 1)) warp_check_head(s, w, now);
    }
}

void warp_arrive(struct sm *s, unsigned w, tick_t now)
{
    struct cta *c = &s->cta[s->warp[w].cta];
    c->arrived |= bit64(w);
    release_barrier(s, c, now);
}

/* ---- the end ---- */

static void finish_cta(struct sm *s, struct cta *c, tick_t now)
{
    struct sm_kernel *k = &s->kernels[c->kernel];
    struct cta_exits *x = &s->exits[c->kernel];
    k->source->release(k->source, &c->stream);
    __atomic_fetch_add(&k->ended, 1, __ATOMIC_RELAXED); /* SMs may work in several threads */
    if (x->at != now) *x = (struct cta_exits){.at = now, .all = x->all};
    x->all++;
    x->last++;
    c->used = false;
    s->ctas_resident--;
    s->stats.ctas++;
    if (s->wants_at == NEVER && s->offered_at == NEVER) s->wants_at = now;
    else if (s->wants_at == NEVER) return;
    part_wake_after(s->dispatcher, now); /* also if it knew of room: that may have been too little */
}

static __attribute__((noinline)) void finish_warp(struct sm *s, unsigned w, tick_t now)
{
    struct cta *c = &s->cta[s->warp[w].cta];
    uint64_t bit = bit64(w);
    if (l1_warp_exit(l1d_of(s), w)) lsu_policy_heard(s);
    if (s->policy->on_warp) s->policy->on_warp(&s->sched, &s->view, WL_WARP_EXIT, w);
    account_state(s, w, &s->account.states.drain);
    s->account.states.total += s->next_issue;
    account_changed(s);
    s->live &= ~bit;
    account_spread(s);
    if (!s->live) {
        account_leave(s);
        s->stats.issue_ends += s->next_issue - s->cycle;
    }
    s->ended &= ~bit;
    s->barrier &= ~bit;
    s->membar &= ~bit;
    s->held &= ~bit;
    s->await_copies &= ~bit;
    s->await_mbarrier &= ~bit;
    s->long_stall &= ~bit;
    c->warps &= ~bit;
    c->arrived &= ~bit;
    s->stats.warps++;
    s->part.clock->progress++;
    if (!c->warps) finish_cta(s, c, now);
    else release_barrier(s, c, now); /* the others no longer wait for this one */
}

static __attribute__((noinline)) void release_membar(struct sm *s, unsigned w, tick_t now)
{
    s->membar &= ~bit64(w);
    s->held &= ~bit64(w);
    s->await_copies &= ~bit64(w);
    s->await_mbarrier &= ~bit64(w);
    account_changed(s);
    account_state(s, w, &s->account.states.fence);
    if (!(s->barrier & bit64(w))) warp_check_head(s, w, now);
}

void warp_memop_done(struct sm *s, unsigned w, tick_t now)
{
    struct sm_warp *p = &s->warp[w];
    if (--p->outstanding) return;
    if (s->ended >> w & 1) finish_warp(s, w, now); /* the stream is over; this was the last it waited for */
    else if (s->membar & ~s->await_mbarrier & bit64(w)) release_membar(s, w, now);
}

void warp_go_on(struct sm *s, unsigned w, tick_t now) { release_membar(s, w, now); }

/* ---- asynchronous copies ---- */

/* Whether all groups below this one are back. Those that have left the ring are: it is never overtaken. */
static bool groups_back(const struct warp_copies *c, uint32_t below)
{
    uint32_t first = c->ended >= COPY_GROUPS ? c->ended - COPY_GROUPS + 1 : 0;
    for (uint32_t g = first; g < below; g++)
        if (c->out[g % COPY_GROUPS]) return false;
    return true;
}

static void await_copies(struct sm *s, unsigned w)
{
    if (groups_back(&s->copies[w], s->copies[w].wait_for)) return;
    s->await_copies |= bit64(w);
    s->membar |= bit64(w);
}

bool warp_groups_back(const struct sm *s, unsigned w, uint32_t group) { return groups_back(&s->copies[w], group + 1); }
bool warp_copies_back(const struct sm *s, unsigned w) { return warp_groups_back(s, w, s->copies[w].ended); }

void warp_end_part(struct sm *s, unsigned w)
{
    struct warp_copies *c = &s->copies[w];
    c->ended++;
    if (!c->out[c->ended % COPY_GROUPS]) return;
    c->wait_for = c->ended + 1; /* the ring is full: the place of the group that begins must be free */
    await_copies(s, w);
}

void warp_end_group(struct sm *s, unsigned w)
{
    struct warp_copies *c = &s->copies[w];
    c->mark[c->commits++ % COPY_GROUPS] = c->ended + 1;
    warp_end_part(s, w);
}

void warp_wait_groups(struct sm *s, unsigned w, unsigned allowed)
{
    struct warp_copies *c = &s->copies[w];
    if (allowed == WAIT_ALL) c->wait_for = c->ended + 1;
    else
        c->wait_for =
            c->commits > allowed && allowed < COPY_GROUPS ? c->mark[(c->commits - 1 - allowed) % COPY_GROUPS] : 0;
    await_copies(s, w);
}

unsigned warp_copy_begins(struct sm *s, unsigned w)
{
    struct warp_copies *c = &s->copies[w];
    unsigned group = c->ended % COPY_GROUPS;
    c->out[group]++;
    return group;
}

void warp_copy_ends(struct sm *s, unsigned w, unsigned group, tick_t now)
{
    struct warp_copies *c = &s->copies[w];
    WL_ASSERT(c->out[group]);
    c->out[group]--;
    if (s->await_later >> w & 1) mbarrier_copies_end(s, w, now);
    if ((s->await_copies & ~s->ended) >> w & 1 && groups_back(c, c->wait_for)) release_membar(s, w, now);
}

bool warp_awaits_result(const struct sm *s, unsigned w)
{
    const uint64_t *board = s->board + (size_t)w * s->board_regs;
    uint32_t n = kernel_of(s, &s->warp[w])->code->nregs;
    for (uint32_t i = 0; i < n; i++)
        if (board[i] == NEVER) return true;
    return false;
}

void warp_result_came(struct sm *s, unsigned w, bool held, tick_t now)
{
    if (!((s->membar & ~(s->await_copies | s->await_mbarrier)) >> w & 1) || (s->ended >> w & 1)) return;
    if (held || (s->membar_registers && !(s->held >> w & 1) && !warp_awaits_result(s, w))) {
        release_membar(s, w, now);
    }
}

/* ---- arrival ---- */

static void install_warp(struct sm *s, unsigned w, unsigned slot, unsigned rank, tick_t now)
{
    struct sm_warp *p = &s->warp[w];
    *p = (struct sm_warp){.cta = (uint8_t)slot, .rank = (uint8_t)rank, .route = &route_none};
    account_waits(s, w);
    s->account.states.total -= s->next_issue;
    s->copies[w] = (struct warp_copies){0};
    stream_open(&p->stream, s->cta[slot].stream.warp[rank]);
    p->stream.kernel = s->cta[slot].kernel;
    memset(s->board + (size_t)w * s->board_regs, 0, s->board_regs * sizeof *s->board);
    if (s->mark) memset(s->mark + (size_t)w * s->board_regs, 0, s->board_regs);
    s->age[w] = s->next_age++;
    for (unsigned i = 0; i < s->warps; i++) s->older[i] &= ~bit64(w); /* the newcomer is the youngest */
    s->older[w] = s->live & s->owned[w % s->schedulers] & ~bit64(w);
    s->cta_of[w] = (uint8_t)slot;
    s->cta_id[w] = s->cta[slot].stream.cta;
    s->live |= bit64(w);
    account_changed(s);
    s->cta[slot].warps |= bit64(w);
    l1_warp_launch(l1d_of(s), w);
    if (s->policy->on_warp) s->policy->on_warp(&s->sched, &s->view, WL_WARP_LAUNCH, w);
    warp_advance(s, w, now);
}

/* The lowest number that no CTA of the kernel has. While one kernel runs, that of the slot. */
static uint8_t find_place(const struct sm *s, uint8_t kernel)
{
    uint64_t taken = 0;
    for (unsigned i = 0; i < SM_MAX_CTAS; i++)
        if (s->cta[i].used && s->cta[i].kernel == kernel) taken |= bit64(s->cta[i].place);
    return (uint8_t)bit_low64(~taken);
}

void warp_install_cta(struct sm *s, const struct cta_stream *cta, tick_t now)
{
    uint8_t kernel = s->offered_kernel, place = find_place(s, kernel);
    unsigned slot = 0, w = 0;
    while (s->cta[slot].used) slot++;
    s->cta[slot] = (struct cta){.used = true, .kernel = kernel, .place = place, .stream = *cta};
    mbarrier_install(s, slot);
    s->ctas_resident++;
    if (!s->live) account_arrive(s);
    unsigned slots[CTA_MAX_WARPS];
    for (unsigned i = 0; i < cta->nwarps; i++, w++) {
        while (s->live >> w & 1) w++;
        slots[i] = w;
        s->cta[slot].warps |= bit64(w); /* all are members before the first can meet a barrier */
        s->live |= bit64(w);
    }
    account_spread(s);
    for (unsigned i = 0; i < cta->nwarps; i++) install_warp(s, slots[i], slot, i, now);
}

/* ---- building, kernels, checking ---- */

int warps_init(struct sm *s)
{
    for (unsigned w = 0; w < s->warps; w++) {
        s->owned[w % s->schedulers] |= bit64(w);
        s->warp[w].route = &route_none;
    }
    return make_wheel(s);
}

void warps_destroy(struct sm *s)
{
    free(s->board);
    free(s->mark);
    free(s->wheel);
    free(s->wheel_used);
}

/* Makes room for `regs` registers per warp; 0, or -1: out of memory. */
static int grow_board(struct sm *s, uint32_t regs)
{
    if (regs <= s->board_cap) return 0;
    uint64_t *b = realloc(s->board, (size_t)regs * s->warps * sizeof *b);
    if (!b) return -1;
    s->board = b;
    if (s->policy->marks) {
        uint8_t *mark = realloc(s->mark, (size_t)regs * s->warps);
        if (!mark) return -1;
        s->mark = mark;
    }
    s->board_cap = regs;
    return 0;
}

/* Warps that are there get longer rows; from the last on, so that none is overwritten before it is moved. */
static void spread_board(struct sm *s, uint32_t regs)
{
    uint32_t old = s->board_regs;
    for (unsigned w = s->warps; w-- > 0;) {
        memmove(s->board + (size_t)w * regs, s->board + (size_t)w * old, old * sizeof *s->board);
        memset(s->board + (size_t)w * regs + old, 0, (regs - old) * sizeof *s->board);
        if (!s->mark) continue;
        memmove(s->mark + (size_t)w * regs, s->mark + (size_t)w * old, old);
        memset(s->mark + (size_t)w * regs + old, 0, regs - old);
    }
    s->board_regs = regs;
}

int warps_kernel_begin(struct sm *s, const struct sm_kernel *k)
{
    uint32_t regs = k->code->nregs ? k->code->nregs : 1;
    if (k != s->first) {
        if (grow_board(s, regs)) return -1;
        if (regs > s->board_regs) spread_board(s, regs);
        return 0;
    }
    s->board_regs = regs;
    if (k->source->feed) starve_kernel_begin(s);
    return grow_board(s, s->board_regs);
}

void warps_walk(const struct sm *s)
{
    uint64_t heads = 0, members = 0, all = s->warps == 64 ? UINT64_MAX : bit64(s->warps) - 1;
    uint32_t resident = 0;
    for (unsigned u = 0; u < UNITS; u++) {
        WL_VERIFY(!(heads & s->head_unit[u]));
        heads |= s->head_unit[u];
    }
    WL_VERIFY(!((s->held | s->await_copies | s->await_mbarrier) & ~s->membar) &&
              !(s->starved & ~(s->live & ~s->ended)));
    WL_VERIFY(!(s->live & ~all) && !(heads & ~s->live) && !(heads & s->ended));
    WL_VERIFY(!((s->ready | s->barrier | s->membar | s->long_stall | s->ended | s->in_wheel) & ~s->live));
    WL_VERIFY(!((s->memory | s->shared) & ~s->head_unit[UNIT_LSU]) && !(s->memory & s->shared) &&
              !(s->loads & ~s->memory) && !(s->ready & (s->in_wheel | s->long_stall | s->ended)));
    for (unsigned i = 0; i < SM_MAX_CTAS; i++) {
        const struct cta *c = &s->cta[i];
        if (!c->used) continue;
        resident++;
        WL_VERIFY(c->warps && !(c->warps & members) && !(c->arrived & ~c->warps));
        members |= c->warps;
    }
    WL_VERIFY(members == s->live && resident == s->ctas_resident);
    for (uint64_t m = s->live; m; m &= m - 1) {
        const struct sm_warp *p = &s->warp[bit_low64(m)];
        WL_VERIFY(s->cta_of[bit_low64(m)] == p->cta);
    }
    uint64_t turning = 0;
    for (uint32_t i = 0; i <= s->wheel_mask; i++) {
        WL_VERIFY((s->wheel[i] != 0) == (s->wheel_used[i >> 6] >> (i & 63) & 1) && !(s->wheel[i] & turning));
        turning |= s->wheel[i];
    }
    WL_VERIFY(turning == s->in_wheel);
}
