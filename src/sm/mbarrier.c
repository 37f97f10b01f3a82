/* mbarrier.c - warps that wait at mbarriers for what other warps of their CTA do and for bulk copies.
 *
 * The executor has found out who arrived before whom; here only the time is made. Every mbarrier counts events, from
 * the CTA's first one on and through all its phases. A wait that succeeded names the number of events that had happened
 * when its phase was complete, and the warp stays until the count here is as high. All these events stand before the
 * wait in the order of execution, so nobody waits in a circle. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sm/sm_priv.h"

int mbarrier_init(struct sm *s, struct wl_err *e)
{
    s->mbarrier = calloc(1, sizeof *s->mbarrier);
    return s->mbarrier ? 0 : wl_fail(e, WL_ERUN, "out of memory for mbarriers");
}

void mbarrier_install(struct sm *s, unsigned cta)
{
    struct mbarriers *b = s->mbarrier;
    if (!(b->used >> cta & 1)) return;
    b->used &= ~bit64(cta);
    memset(b->events[cta], 0, sizeof b->events[cta]);
}

/* Counts wrap: what is needed is never far from what there is. */
static bool is_reached(uint32_t have, uint32_t need) { return (int32_t)(have - need) >= 0; }

static void count(struct sm *s, unsigned cta, unsigned mbarrier, unsigned events, tick_t now)
{
    struct mbarriers *b = s->mbarrier;
    if (!mbarrier) return;
    b->used |= bit64(cta);
    uint32_t have = b->events[cta][mbarrier] += events;
    for (uint64_t m = s->await_mbarrier & s->cta[cta].warps; m; m &= m - 1) {
        unsigned w = bit_low64(m);
        if (b->need[w].mbarrier == mbarrier && is_reached(have, b->need[w].events)) warp_go_on(s, w, now);
    }
}

void mbarrier_issue(struct sm *s, unsigned w, struct memop *op, uint64_t note, tick_t now)
{
    unsigned mbarrier = (unsigned)(note >> MBAR_SHIFT), cta = s->warp[w].cta;
    op->group = (uint8_t)mbarrier;
    if (op->inst->async == ASYNC_ARRIVE) count(s, cta, mbarrier, bit_count32(op->addrs.mask), now);
    if (op->inst->async != ASYNC_AWAIT || !mbarrier) return;
    uint32_t need = (uint32_t)(note >> MBAR_COUNT_SHIFT);
    if (is_reached(s->mbarrier->events[cta][mbarrier], need)) return;
    s->mbarrier->need[w].events = need;
    s->mbarrier->need[w].mbarrier = (uint8_t)mbarrier;
    s->await_mbarrier |= bit64(w);
    s->membar |= bit64(w);
}

void mbarrier_copy_ends(struct sm *s, unsigned w, unsigned mbarrier, tick_t now)
{
    count(s, s->warp[w].cta, mbarrier, 1, now);
}
