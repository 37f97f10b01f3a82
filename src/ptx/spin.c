/* spin.c - warps that wait by asking again: locks, flags, barriers between CTAs.
 *
 * A block that reads memory is a poll. After some polls without progress (no store, no atomic that changed a value, no
 * barrier, no exit, of any warp) the state of the warp - stack, registers, local memory - is hashed at a poll, kept,
 * and compared at the next few. If it comes again the warp spins: it has read the same values and will do the same
 * until somebody makes progress. Its turn is over, so a wait costs about POLLS_FIRST rounds of its loop, and one more
 * each time it gets a turn again. The kept state is renewed at powers of two, so a loop that settles later is found
 * later, and hashing stays rare in loops that do not wait.
 *
 * Lanes of one warp can wait for one another too: the lane that has the lock stands where the loop ends, the others
 * ask for it. A GPU of today lets each lane go on by itself. So a warp that spins lets lanes past that wait at the end
 * of a divergent path, if no part of the round that came again was executed there: lanes that take part in it (one
 * asks for the lock, then all shuffle the answer) do not wait. Those let past go on first and alone until the next
 * place where all meet; at a barrier of the CTA they wait for the others (apart.c). In a kernel with barriers they are
 * let past only when nobody else in the whole grid can go on: then all that can are at the barrier, and few part.
 *
 * A wait that looks at the clock as well, to ask less often, is never in the same state again. There many polls without
 * progress, of what others write, have to do: then lanes are let past by the same rules. Nothing else is concluded,
 * since time may end such a loop; but where all barriers are such that lanes can wait at them apart, lanes are let past
 * before everybody else has asked as long. */
#include "ptx/exec_priv.h"

#include <string.h>

enum { POLLS_FIRST = 16, POLLS_WINDOW = 8, POLLS_PATIENCE = 64 };

/* Registers are many: a word at a time. */
static uint64_t hash_words(uint64_t h, const uint8_t *p, size_t n)
{
    for (uint64_t word; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return hash_bytes(h, p, n);
}

uint64_t spin_hash(uint64_t h, const struct exec_warp *w)
{
    const struct call_frame *f = &w->frame[w->nframe - 1];
    h = hash_bytes(h, w->stack, w->depth * sizeof *w->stack);
    h = hash_words(h, w->regs, f->regs + f->f->reg_bytes);
    h = hash_bytes(h, &w->carry, sizeof w->carry);
    if (w->local) h = hash_words(h, w->local, (size_t)WARP_SIZE * w->local_stride);
    return hash_bytes(h, &w->id, sizeof w->id);
}

bool spin_let_past(struct exec_warp *w)
{
    if (w->spin.yields == WARP_SIZE || !w->nframe) return false;
    uint32_t bottom = w->frame[w->nframe - 1].stack, above = w->stack[w->depth - 1].mask;
    for (uint32_t j = w->depth - 1; j-- > bottom;) {
        struct simt wait = w->stack[j];
        if (j + 1 >= w->spin.round) continue; /* it was executed in the round */
        if (!(wait.mask & ~above)) continue;  /* all its lanes are on paths above */
        if (wait.mask & above) { /* those above would have met it there: now they meet it where it leaves */
            for (uint32_t k = j + 1; k < w->depth; k++)
                if (w->stack[k].reconv == wait.block) w->stack[k].reconv = wait.reconv;
            wait.mask &= ~above;
        }
        for (uint32_t k = j + 1; k < w->depth; k++) w->stack[k - 1] = w->stack[k];
        w->stack[w->depth - 1] = wait;
        w->spin.yields++;
        w->spin.polls = 0;
        w->spin.spins = w->spin.spun = false;
        w->split = true;
        return true;
    }
    return false;
}

static void count_anew(struct exec_warp *w)
{
    struct spin *s = &w->spin;
    s->polls = s->yields = 0;
    s->progress = w->run->progress;
}

/* Whether the state is looked at after so many polls. */
static bool looks(const struct spin *s)
{
    if (s->spun && s->polls <= POLLS_WINDOW) return true; /* with luck in the same state */
    if (s->polls < POLLS_FIRST) return false;
    uint32_t power = 1u << (31 - (uint32_t)__builtin_clz(s->polls));
    return s->polls - power <= POLLS_WINDOW;
}

static bool asks_long(const struct exec_run *r, const struct spin *s)
{
    return s->progress == r->progress && (s->spins || s->polls >= POLLS_PATIENCE);
}

/* Whether all that can run, in the whole grid, ask in vain. */
static bool everyone_asks(const struct exec_run *r)
{
    if (!r->in_step && r->next_cta < r->info.ctas && r->nlive < r->room) return false;
    for (const struct exec_cta *c = r->live; c; c = c->next)
        for (uint32_t i = 0; i < r->nwarps; i++)
            if (c->warp[i].state == WARP_READY && !asks_long(r, &c->warp[i].spin)) return false;
    return true;
}

/* A warp of a kernel that reads a clock has asked so often that it waits, whatever the clock says. */
static bool lost_patience(struct exec_warp *w)
{
    w->spin.round = w->spin.low;
    return (!w->run->whole_barriers || everyone_asks(w->run)) && spin_let_past(w);
}

bool spin_polled(struct exec_warp *w, const struct xblock *b)
{
    struct spin *s = &w->spin;
    s->spins = false;
    if (b->polls == POLL_STRONG) s->strong++;
    if (s->progress != w->run->progress) count_anew(w);
    if (++s->polls == UINT32_MAX) count_anew(w);
    if (w->run->clocks && s->polls % POLLS_PATIENCE == 0 && lost_patience(w)) return false;
    if (!w->nframe || !looks(s)) return false;
    uint64_t hash = spin_hash(WL_HASH_INIT, w);
    bool renew = s->polls >= POLLS_FIRST && !(s->polls & (s->polls - 1));
    if (hash == s->kept && (s->spun || !renew)) {
        s->round = s->low;
        s->low = UINT32_MAX;
        if (!w->run->barriers && spin_let_past(w)) return false;
        s->spins = s->spun = true;
        s->progress = w->run->progress;
        return true;
    }
    if (renew) {
        s->kept = hash;
        s->low = UINT32_MAX;
        s->spun = false;
    }
    return false;
}
