/* warps.c - the life of a warp: installed with its CTA, head after head, barriers, end. */
#include <string.h>

#include "sm/sm.h"

/* ---- the wheel: warps that will be ready at a known cycle ---- */

static void wheel_add(struct sm *s, unsigned w, tick_t at, tick_t now)
{
    uint32_t slot = (uint32_t)(s->cycle + part_cycles(&s->part, at - now + s->part.period - 1)) & s->wheel_mask;
    s->wheel[slot] |= bit64(w);
    s->wheel_used[slot >> 6] |= bit64(slot & 63);
    s->in_wheel |= bit64(w);
}

void warp_wake_due(struct sm *s)
{
    uint32_t slot = (uint32_t)s->cycle & s->wheel_mask;
    if (!(s->wheel_used[slot >> 6] >> (slot & 63) & 1)) return;
    uint64_t due = s->wheel[slot];
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

/* The tick from which the head may issue: NEVER while it waits for a load. */
static tick_t hazard(const struct sm *s, unsigned w, const struct code_inst *in)
{
    const uint64_t *board = s->board + (size_t)w * s->board_regs;
    tick_t t = 0;
    for (unsigned i = 0, n = (unsigned)in->ndst + in->nsrc; i < n; i++) t = later(t, board[in->reg[i]]);
    return t;
}

void warp_check_head(struct sm *s, unsigned w, tick_t now)
{
    tick_t t = hazard(s, w, s->warp[w].inst);
    if (t == NEVER) {
        s->long_stall |= bit64(w);
        return;
    }
    s->long_stall &= ~bit64(w);
    if (t <= s->head_limit) s->ready |= bit64(w);
    else wheel_add(s, w, t, now);
}

static bool leaves_sm(const struct code_inst *in) { return inst_is_mem(in) && in->space != SPACE_SHARED; }

static unsigned head_unit(const struct sm *s, const struct code_inst *in)
{
    switch (in->kind) {
    case INST_ALU: return s->exec_class[in->lat].unit;
    case INST_BRANCH: return UNIT_ALU;
    case INST_LOAD:
    case INST_STORE:
    case INST_ATOMIC: return UNIT_LSU;
    default: return UNIT_NONE;
    }
}

/* ---- loops: for policies that want to know when a warp has left one ----
 *
 * Lanes leave one by one, and those that break out may run ahead of the others; a loop is left when
 * its last lane is seen outside it or ends. */

bool warp_is_inside(const struct sm *s, unsigned w, uint16_t loop)
{
    const struct warp *p = &s->warp[w];
    for (unsigned i = 0; i < p->nloops; i++)
        if (p->loops[i].loop == loop) return true;
    return false;
}

static void leave_loop(struct sm *s, unsigned w, unsigned i)
{
    struct warp *p = &s->warp[w];
    uint16_t gone = p->loops[i].loop;
    p->nloops--;
    memmove(&p->loops[i], &p->loops[i + 1], (p->nloops - i) * sizeof p->loops[0]);
    l1_leave_loop(&s->l1d, w, gone);
    s->ask_again = true;
}

static void enter_loop(struct sm *s, struct warp *p, unsigned w, uint16_t loop, uint32_t lanes)
{
    if (loop == CODE_NO_LOOP || warp_is_inside(s, w, loop)) return;
    enter_loop(s, p, w, s->launch->code->loop[loop].parent, lanes);
    if (p->nloops < WARP_MAX_LOOPS) p->loops[p->nloops++] = (struct warp_loop){loop, lanes};
}

/* `lanes` are now in a block whose innermost loop is `to`. */
static void follow_loops(struct sm *s, struct warp *p, unsigned w, uint16_t to, uint32_t lanes)
{
    for (unsigned i = p->nloops; i-- > 0;) { /* inner ones first */
        struct warp_loop *l = &p->loops[i];
        if (code_in_loop(s->launch->code, l->loop, to)) l->lanes |= lanes;
        else if (!(l->lanes &= ~lanes)) leave_loop(s, w, i);
    }
    enter_loop(s, p, w, to, lanes);
}

static void finish_warp(struct sm *s, unsigned w, tick_t now);

/* The head is a generic instruction, or one part of it: the next part becomes the head. Parts issue one after
 * another, like instructions of their own. */
static void next_part(struct sm *s, struct warp *p, const struct code_inst *generic)
{
    enum mem_space space = stream_next_part(&p->stream, &p->exec);
    p->inst = code_form(s->launch->code, generic, space);
}

/* Makes the next instruction of the stream the head; false when the stream is over. */
static bool fetch(struct sm *s, struct warp *p, unsigned w)
{
    if (p->inst && code_is_form(p->inst)) {
        const struct code_inst *generic = s->launch->code->inst + p->inst->form - 1;
        p->inst = generic;
        if (stream_has_parts(&p->stream)) {
            next_part(s, p, generic);
            return true;
        }
    }
    bool loops = l1_follows_loops(&s->l1d);
    if (loops && !p->left && p->inst && p->inst->kind == INST_EXIT) follow_loops(s, p, w, CODE_NO_LOOP, p->exec);
    while (!p->left) {
        if (stream_done(&p->stream)) return false;
        const struct code_block *b = &s->launch->code->block[stream_next_block(&p->stream)];
        p->inst = s->launch->code->inst + b->first - 1;
        p->left = b->count;
        if (loops && (p->nloops || b->loop != CODE_NO_LOOP)) follow_loops(s, p, w, b->loop, p->stream.mask);
    }
    p->inst++;
    p->left--;
    p->exec = p->inst->guarded ? stream_next_guard(&p->stream) : p->stream.mask;
    if (p->inst->space == SPACE_GENERIC && p->exec) next_part(s, p, p->inst);
    return true;
}

void warp_advance(struct sm *s, unsigned w, tick_t now)
{
    struct warp *p = &s->warp[w];
    uint64_t bit = bit64(w);
    s->ready &= ~bit;
    if (s->head_unit[UNIT_LSU] & bit) {
        s->memory &= ~bit;
        s->loads &= ~bit;
        s->shared &= ~bit;
    }
    for (unsigned u = 0; u < 4; u++) s->head_unit[u] &= ~bit;
    if (!fetch(s, p, w)) {
        p->ended = true;
        s->ended |= bit;
        if (!p->outstanding) finish_warp(s, w, now);
        return;
    }
    unsigned unit = head_unit(s, p->inst);
    if (unit != UNIT_NONE) s->head_unit[unit] |= bit;
    if (leaves_sm(p->inst) && p->exec) {
        s->memory |= bit;
        if (p->inst->kind == INST_LOAD && ldst_is_data(s, p->inst)) s->loads |= bit;
    } else if (unit == UNIT_LSU && p->exec) {
        s->shared |= bit;
    }
    if ((s->barrier | s->membar) & bit) return; /* looked at when released */
    warp_check_head(s, w, now);
}

/* ---- barriers ---- */

static void release_barrier(struct sm *s, struct cta *c, tick_t now)
{
    if (!c->arrived || c->arrived != c->warps) return;
    uint64_t m = c->arrived;
    c->arrived = 0;
    s->barrier &= ~m;
    for (; m; m &= m - 1)
        if (!s->warp[bit_low64(m)].ended) warp_check_head(s, bit_low64(m), now);
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
    s->source->release(s->source, &c->stream);
    c->used = false;
    s->ctas_resident--;
    s->stats.ctas++;
    if (s->wants_at == NEVER && s->offered_at == NEVER) {
        s->wants_at = now;
        part_wake_after(s->dispatcher, now);
    }
}

static void finish_warp(struct sm *s, unsigned w, tick_t now)
{
    struct cta *c = &s->cta[s->warp[w].cta];
    uint64_t bit = bit64(w);
    if (l1_warp_exit(&s->l1d, w)) s->ask_again = true;
    if (s->sched->warp_exit) s->sched->warp_exit(s->sched_self, &s->view, w);
    s->live &= ~bit;
    s->ended &= ~bit;
    s->barrier &= ~bit;
    s->membar &= ~bit;
    s->long_stall &= ~bit;
    c->warps &= ~bit;
    c->arrived &= ~bit;
    s->stats.warps++;
    s->part.clock->progress++;
    if (!c->warps) finish_cta(s, c, now);
    else release_barrier(s, c, now); /* the others no longer wait for this one */
}

void warp_memop_done(struct sm *s, unsigned w, tick_t now)
{
    struct warp *p = &s->warp[w];
    if (--p->outstanding) return;
    if (p->ended) {
        finish_warp(s, w, now);
    } else if (s->membar & bit64(w)) {
        s->membar &= ~bit64(w);
        if (!(s->barrier & bit64(w))) warp_check_head(s, w, now);
    }
}

/* ---- arrival ---- */

static void install_warp(struct sm *s, unsigned w, unsigned slot, unsigned rank, tick_t now)
{
    struct warp *p = &s->warp[w];
    *p = (struct warp){.cta = (uint8_t)slot, .rank = (uint8_t)rank};
    stream_open(&p->stream, s->cta[slot].stream.warp[rank]);
    memset(s->board + (size_t)w * s->board_regs, 0, s->board_regs * sizeof *s->board);
    s->age[w] = s->next_age++;
    for (unsigned i = 0; i < s->warps; i++) s->older[i] &= ~bit64(w); /* the newcomer is the youngest */
    s->older[w] = s->live & s->owned[w % s->schedulers] & ~bit64(w);
    s->cta_of[w] = (uint8_t)slot;
    s->live |= bit64(w);
    s->cta[slot].warps |= bit64(w);
    l1_warp_launch(&s->l1d, w);
    if (s->sched->warp_launch) s->sched->warp_launch(s->sched_self, &s->view, w);
    warp_advance(s, w, now);
}

void warp_install_cta(struct sm *s, const struct cta_stream *cta, tick_t now)
{
    unsigned slot = 0, w = 0;
    while (s->cta[slot].used) slot++;
    s->cta[slot] = (struct cta){.used = true, .stream = *cta};
    s->ctas_resident++;
    unsigned slots[CTA_MAX_WARPS];
    for (unsigned i = 0; i < cta->nwarps; i++, w++) {
        while (s->live >> w & 1) w++;
        slots[i] = w;
        s->cta[slot].warps |= bit64(w); /* all are members before the first can meet a barrier */
        s->live |= bit64(w);
    }
    for (unsigned i = 0; i < cta->nwarps; i++) install_warp(s, slots[i], slot, i, now);
}
