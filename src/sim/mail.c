/* mail.c - see mail.h.
 *
 * An event takes cluster.event cycles to another CTA, one at the barrier of a cluster cluster.barrier. The SM of that
 * CTA works in the cycle in which it comes, so that all engines bring it at the same moment. A CTA that was not
 * installed yet gets it when it is; one that has ended needs it no more. */
#include "sim/mail.h"

#include "sim/dispatch.h"

#include <stdlib.h>

static const struct dispatched *kernel_of_letter(const struct dispatch *d, const struct mail *m)
{
    for (unsigned i = 0; i < d->count; i++)
        if (d->queue[i].number == m->kernel) return &d->queue[i];
    return NULL;
}

/* The SM of the CTA, or NOWHERE while it has none. */
static uint32_t place_of(const struct dispatch *d, const struct mail *m)
{
    const struct dispatched *k = kernel_of_letter(d, m);
    return k && k->sm_of && m->order < k->ctas ? k->sm_of[m->order] : (uint32_t)NOWHERE;
}

static void wake(const struct dispatch *d, uint32_t sm, tick_t at, tick_t *next)
{
    if (sm == NOWHERE) return;
    part_wake_at(&d->sm[sm].part, at);
    if (next) next[sm] = tick_min(next[sm], at);
}

static int collect(struct post *p, struct dispatch *d, tick_t now, tick_t *next)
{
    for (uint32_t i = 0; i < d->sms; i++) {
        struct mbarriers *b = d->sm[i].mbarrier;
        if (p->count + b->posted > p->cap) {
            uint32_t cap = 2 * (p->cap + b->posted);
            struct letter *l = realloc(p->letter, cap * sizeof *l);
            if (!l) return -1;
            p->letter = l;
            p->cap = cap;
        }
        for (unsigned k = 0; k < b->posted; k++) {
            tick_t due = now + (b->post[k].mbarrier == MBAR_CLUSTER ? p->barrier : p->event);
            p->letter[p->count++] = (struct letter){.mail = b->post[k], .due = due};
            wake(d, place_of(d, &b->post[k]), due, next);
        }
        b->posted = 0;
    }
    return 0;
}

/* Whether the letter needs no further care. */
static bool bring(struct dispatch *d, const struct letter *l, tick_t now, tick_t *next)
{
    uint32_t n = place_of(d, &l->mail);
    if (l->due > now) {
        wake(d, n, l->due, next);
        return false;
    }
    if (n == NOWHERE) return false; /* its CTA has not been given out */
    struct sm *s = &d->sm[n];
    if (s->offered_at != NEVER && s->offered_kernel == l->mail.kernel && s->offered.order == l->mail.order)
        return false;
    int slot = mbarrier_slot(s, l->mail.kernel, l->mail.order);
    if (slot < 0) return true;
    mbarrier_deliver(s, (unsigned)slot, &l->mail, now);
    if (next) next[n] = tick_min(next[n], now + s->part.period);
    return true;
}

int mail_move(struct post *p, struct dispatch *d, tick_t now, tick_t *next)
{
    uint32_t kept = 0, was;
    if (collect(p, d, now, next)) return -1;
    was = p->count;
    for (uint32_t i = 0; i < was; i++)
        if (!bring(d, &p->letter[i], now, next)) p->letter[kept++] = p->letter[i];
    p->count = kept;
    if (p->starving) *p->starving -= was - kept;
    return 0;
}

void mail_drop(struct post *p, unsigned kernel)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->letter[i].mail.kernel != kernel) p->letter[kept++] = p->letter[i];
    if (p->starving) *p->starving -= p->count - kept;
    p->count = kept;
}
