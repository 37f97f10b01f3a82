/* starve.c - warps whose next instruction is not known yet.
 *
 * A kernel that reads a clock is executed in step with the machine: what a warp does after it has read the clock may
 * depend on the time, which is known when the reading instruction issues. From then until the functional half has gone
 * on the warp starves. Its head is an instruction that waits for a register of its own, behind those of the program, so
 * that nothing else need know of this. The run loop feeds starving warps as soon as all parts have worked, SM by SM and
 * warp by warp: the new head can issue in the next cycle, as if it had been known all the time, and no order of the
 * parts within a tick can be seen. */
#include "sm/sm_priv.h"

static uint64_t *own_register(struct sm *s, unsigned w) { return s->board + (size_t)(w + 1) * s->board_regs - 1; }

void starve_kernel_begin(struct sm *s)
{
    s->no_inst = (struct code_inst){.kind = INST_NOP, .nsrc = 1, .loop = CODE_NO_LOOP};
    s->no_inst.reg[0] = (uint16_t)s->board_regs++;
}

void warp_starve(struct sm *s, unsigned w)
{
    struct sm_warp *p = &s->warp[w];
    s->fed_from[w] = p->inst;
    p->inst = &s->no_inst;
    p->exec = 0;
    *own_register(s, w) = NEVER;
    if (!((s->barrier | s->membar) >> w & 1)) s->long_stall |= bit64(w); /* else when it is let go */
    account_waits(s, w);
    account_changed(s);
    ++*s->starving;
}

/* How long it starved is time without an instruction, but for a warp that could not have issued it either. */
static uint64_t note_starving(struct sm *s, unsigned w)
{
    uint64_t cycles = account_note(&s->account, w, s->next_issue);
    if (s->barrier >> w & 1) s->account.states.barrier += cycles;
    else if (s->membar >> w & 1) s->account.states.fence += cycles;
    else s->account.warp_wait[WAIT_FETCH] += cycles;
    return cycles;
}

static void end_starving(struct sm *s, unsigned w, tick_t now)
{
    s->starved &= ~bit64(w);
    s->long_stall &= ~bit64(w);
    *own_register(s, w) = 0;
    s->warp[w].inst = s->fed_from[w];
    --*s->starving;
    account_changed(s);
    bool starved = note_starving(s, w);
    warp_advance(s, w, now);
    if (starved && s->warp[w].stream.note == WAITS) s->warp[w].stream.note = WAIT_FETCH;
}

int sm_feed(struct sm *s, tick_t now, struct wl_err *e)
{
    int fed = 0;
    uint64_t cycle = part_cycles(&s->part, now);
    if (s->cycle < cycle) sm_tick(s, cycle * s->part.period); /* it slept while others worked: nothing happens in it */
    s->lsu.policy_heard = false;
    for (uint64_t m = s->starved; m; m &= m - 1) {
        unsigned w = bit_low64(m);
        const struct sm_warp *p = &s->warp[w];
        struct stream_source *source = kernel_of(s, p)->source;
        int got = source->feed(source, &s->cta[p->cta].stream, p->rank, s->cycle, e);
        if (got < 0) return got;
        if (!got) continue;
        end_starving(s, w, now);
        fed++;
    }
    if (s->lsu.policy_heard) reexec_changed(s);
    if (fed) part_wake_after(&s->part, now);
    return fed;
}
