/* l1_sector.c - misses sector by sector: sm.coalesce = sector.
 *
 * GPGPU-Sim's sectored L1 keeps its MSHRs by sector (gpu-cache.h, mshr_addr): each sector under way takes an entry, has
 * its own requests that wait for it up to l1d.merge, and lets them go when it comes. Here the sectors of a line still
 * share one entry, which is how a line finds it; what is counted is counted per sector. A request of odd addresses may
 * want two sectors: it counts with the lower one and waits for both. */
#include "mem/l1_priv.h"

void sector_fetched(struct l1 *c, uint32_t m, uint8_t sectors, bool first)
{
    c->mshr.further += !first;
    mshr_begin_sectors(&c->mshr, m, sectors);
}

/* The requests whose sectors have all come; the others wait on, in their order. */
static void let_go(struct mshr_entry *e, uint8_t valid, struct req_list *done)
{
    struct req_list all = e->waiting;
    list_init(&e->waiting);
    while (all.head) {
        struct req *r = list_pop(&all);
        list_push(r->touched & ~valid ? &e->waiting : done, r);
    }
}

void sector_fill(struct l1 *c, struct req *reply, struct req_list *done)
{
    struct tags *t = &c->tags;
    uint32_t m = reply->mshr, at = c->mshr.entry[m].at;
    struct mshr_entry *e = &c->mshr.entry[m];
    struct line_sectors *l = &t->sectors[at];
    WL_ASSERT(l->mshr == m && WL_STATE(t->state[at]) == WL_RESERVED && !(reply->sectors & ~l->pending));
    l->valid |= reply->sectors;
    l->pending &= (uint8_t)~reply->sectors;
    if (reply->prefetch) req_free(c->pool, reply); /* no load waits for it */
    else list_push(reply->touched & ~l->valid ? &e->waiting : done, reply);
    let_go(e, l->valid, done);
    if (l->pending) {
        c->mshr.further--;
        return;
    }
    list_join(done, &e->waiting);
    t->state[at] = (uint8_t)((t->state[at] & ~3) | WL_VALID);
    l->mshr = NO_MSHR;
    c->stats.fills++;
    mshr_release(&c->mshr, m);
}
