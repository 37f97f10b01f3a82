/* mbarrier.c - warps that wait at mbarriers for what other warps do and for copies.
 *
 * The executor has found out who arrived before whom; here only the time is made. Every mbarrier counts events, from
 * the CTA's first one on and through all its phases. A wait that succeeded names the number of events that had happened
 * when its phase was complete, and the warp stays until the count here is as high. All these events stand before the
 * wait in the order of execution, so nobody waits in a circle.
 *
 * Events at mbarriers of other CTAs of the cluster are posted; the machine takes them over to the other SM
 * (sim/mail.c). The barrier of a cluster is such an mbarrier in each of its CTAs. An arrival that comes when copies of
 * its warp are back stays with the warp until then. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "sm/sm_priv.h"

int mbarrier_init(struct sm *s, struct wl_err *e)
{
    s->mbarrier = calloc(1, sizeof *s->mbarrier);
    return s->mbarrier ? 0 : wl_fail(e, WL_ERUN, "out of memory for mbarriers");
}

void mbarrier_destroy(struct sm *s)
{
    if (s->mbarrier) free(s->mbarrier->post);
    free(s->mbarrier);
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

/* ---- events elsewhere ---- */

/* More events elsewhere in one cycle than ever before: a trace may hold as many as it likes. */
static bool grow_post(struct sm *s)
{
    struct mbarriers *b = s->mbarrier;
    unsigned cap = b->post_cap ? 2 * b->post_cap : 64;
    struct mail *more = realloc(b->post, cap * sizeof *more);
    if (!more) {
        breach_note(s->part.clock->breach, "out of memory for events at mbarriers");
        return false;
    }
    b->post = more;
    b->post_cap = cap;
    return true;
}

static void post(struct sm *s, const struct cta *from, unsigned rank, unsigned mbarrier, unsigned events)
{
    struct mbarriers *b = s->mbarrier;
    uint32_t size = launch_cluster(s->kernels[from->kernel].launch);
    struct mail letter = {.order = from->stream.order / size * size + rank,
                          .events = (uint16_t)events,
                          .kernel = from->kernel,
                          .mbarrier = (uint8_t)mbarrier};
    for (unsigned i = 0; i < b->posted; i++) {
        struct mail *other = &b->post[i];
        if (other->order != letter.order || other->kernel != letter.kernel || other->mbarrier != mbarrier) continue;
        other->events = (uint16_t)(other->events + events);
        return;
    }
    if (b->posted == b->post_cap && !grow_post(s)) return;
    b->post[b->posted++] = letter;
    ++*s->starving;
}

/* So many events at the CTA's own mbarrier, or at that of others. The cluster's barrier takes its time to all alike. */
static void happen(struct sm *s, unsigned cta, uint64_t note, unsigned events, tick_t now)
{
    unsigned mbarrier = (unsigned)(note >> MBAR_SHIFT);
    uint32_t ranks = (uint32_t)(note >> MBAR_RANKS_SHIFT) & 0xffff;
    const struct cta *c = &s->cta[cta];
    uint32_t size = launch_cluster(s->kernels[c->kernel].launch), own = c->stream.order % size;
    if (!mbarrier) return;
    if (!ranks || size == 1) {
        count(s, cta, mbarrier, events, now);
        return;
    }
    for (; ranks; ranks &= ranks - 1) {
        unsigned rank = bit_low32(ranks);
        if (rank == own && mbarrier != MBAR_CLUSTER) count(s, cta, mbarrier, events, now);
        else if (rank < size) post(s, c, rank, mbarrier, events);
    }
}

int mbarrier_slot(const struct sm *s, unsigned kernel, uint32_t order)
{
    for (unsigned i = 0; i < SM_MAX_CTAS; i++)
        if (s->cta[i].used && s->cta[i].kernel == kernel && s->cta[i].stream.order == order) return (int)i;
    return -1;
}

void mbarrier_deliver(struct sm *s, unsigned cta, const struct mail *m, tick_t now)
{
    count(s, cta, m->mbarrier, m->events, now);
    part_wake_after(&s->part, now);
}

/* ---- instructions ---- */

/* Arrivals that wait for copies: those of a warp are in the order of their groups. */
static void keep_later(struct sm *s, unsigned w, uint64_t note, unsigned events, tick_t now)
{
    struct mbarriers *b = s->mbarrier;
    if (warp_copies_back(s, w) || b->laters[w] == LATER_MAX) {
        happen(s, s->warp[w].cta, note, events, now);
        return;
    }
    b->later[w][b->laters[w]++] = (struct later){.note = note, .events = events, .group = s->copies[w].ended};
    s->await_later |= bit64(w);
}

void mbarrier_copies_end(struct sm *s, unsigned w, tick_t now)
{
    struct mbarriers *b = s->mbarrier;
    unsigned n = 0;
    while (n < b->laters[w] && warp_groups_back(s, w, b->later[w][n].group)) {
        happen(s, s->warp[w].cta, b->later[w][n].note, b->later[w][n].events, now);
        n++;
    }
    b->laters[w] = (uint8_t)(b->laters[w] - n);
    memmove(&b->later[w][0], &b->later[w][n], b->laters[w] * sizeof b->later[w][0]);
    if (!b->laters[w]) s->await_later &= ~bit64(w);
}

/* Lanes may arrive at several mbarriers, each with a note of its own. */
static void arrive(struct sm *s, unsigned w, const struct memop *op, tick_t now)
{
    const struct warp_addrs *a = &op->addrs;
    unsigned role = op->inst->async, cta = s->warp[w].cta;
    for (uint32_t left = a->mask; left;) {
        uint64_t note = warp_addr_note(a, bit_low32(left), role);
        unsigned events = 0;
        for (uint32_t m = left; m; m &= m - 1) {
            if (warp_addr_note(a, bit_low32(m), role) != note) continue;
            events++;
            left &= ~(1u << bit_low32(m));
        }
        if (role == ASYNC_LATER) keep_later(s, w, note, events, now);
        else happen(s, cta, note, events, now);
    }
    if (role == ASYNC_LATER && s->await_later >> w & 1) warp_end_part(s, w);
}

static void await(struct sm *s, unsigned w, uint64_t note)
{
    unsigned mbarrier = (unsigned)(note >> MBAR_SHIFT), cta = s->warp[w].cta;
    uint32_t need = (uint32_t)(note >> MBAR_COUNT_SHIFT);
    if (!mbarrier || is_reached(s->mbarrier->events[cta][mbarrier], need)) return;
    s->mbarrier->need[w].events = need;
    s->mbarrier->need[w].mbarrier = (uint8_t)mbarrier;
    s->await_mbarrier |= bit64(w);
    s->membar |= bit64(w);
}

void mbarrier_issue(struct sm *s, unsigned w, struct memop *op, tick_t now)
{
    unsigned role = op->inst->async;
    if (role == ASYNC_ARRIVE || role == ASYNC_LATER) arrive(s, w, op, now);
    op->note = warp_addrs_note(&op->addrs, role);
    if (role == ASYNC_AWAIT) await(s, w, op->note);
}

void mbarrier_copy_ends(struct sm *s, const struct memop *op, tick_t now)
{
    happen(s, s->warp[op->load.warp].cta, op->note, 1, now);
}
