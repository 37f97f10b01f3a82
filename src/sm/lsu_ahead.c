/* lsu_ahead.c - when the ld/st unit has something to do again, and what it does now so that this is later.
 *
 * A cycle leaves two things behind for the next one that happen whatever comes: a miss that has a place in the network
 * leaves, and a request that finds neither line nor MSHR is refused. Both are done now and dated, and the SM sleeps. */
#include "mem/net.h"
#include "sm/lsu_priv.h"

/* Whether the oldest miss has a place in the network in the next cycle. A network that looks at the date of the first
 * packet only gets it only when it is that. */
static inline bool has_room_ahead(const struct sm *s, tick_t soon)
{
    const struct port *p = s->request;
    if (p->flit.of) return net_flits_certain(p, l1_missq_head(&s->lsu.l1[L1_DATA]), soon - s->part.period);
    return s->lsu.dated ? p->used < p->capacity : port_empty(p);
}

/* Ahead of the clock: a miss that waits when a cycle is over leaves in the next one, whatever comes, if the port has
 * room, as nobody else fills it. It is sent now and dated then, so that the SM need not wake for it. Not if a request
 * was refused, which may be because the queue was full. */
static void send_ahead(struct sm *s, tick_t soon)
{
    struct lsu *u = &s->lsu;
    if (lsu_refused(u) || !has_room_ahead(s, soon)) return;
    struct req *r = l1_missq_pop(&u->l1[L1_DATA]);
    addrmap_route(s->map, r);
    net_send_after(s->request, r, soon);
    u->sent_for = soon;
}

static tick_t pipe_next(const struct access_pipe *p)
{
    return p->list.head && !l1_refused(p->refused) ? p->list.head->ready : NEVER;
}

/* When the texture or constant pipe has work: a refusal by the gate may end because of requests behind it. */
static tick_t readonly_next(const struct sm *s, const struct access_pipe *p)
{
    if (!p->list.head || p->refused != L1_GATED) return pipe_next(p);
    return gate_holds_up(s, p) ? 0 : NEVER;
}

/* A request that will be refused in the next cycle is refused from now on, so that the SM need not wake for that. If it
 * is presented in the cycle in which it is made, it is made now. */
static void refuse_ahead(struct sm *s, tick_t soon)
{
    struct lsu *u = &s->lsu;
    struct access_pipe *p = &u->pipe[L1_DATA];
    if (u->banks > 1) return; /* a bank before it may have accepted one by then */
    if (s->reply.visible_at <= soon) return;
    bool feeds = u->single && u->op && !u->goes_aside && u->lines == 1 && u->cache == L1_DATA && !p->used;
    if (feeds) lsu_feed_one(s, p, soon);
    const struct req *r = p->list.head;
    if (!r || r->ready > soon) return;
    p->refused = l1_foresee(l1d_of(s), r, s->cycle + 1);
}

/* While a request waits for a way of its set, nothing looks at the tags. So a reply that fills another set, and is not
 * the last of its instruction, changes nothing that anybody sees before the wait is over: it is taken now, as of the
 * cycle in which it comes, and the SM does not wake for it. */
static void take_replies_ahead(struct sm *s, tick_t now)
{
    const struct l1 *c = &s->lsu.l1[L1_DATA];
    struct port *p = &s->reply;
    for (tick_t at = now; p->visible_at < s->lsu.known;) {
        const struct req *r = p->list.head;
        if (r->kind != WL_LOAD || r->cache != L1_DATA || r->bypass || memop_of(r)->waiting < 2) return;
        if (!l1_fills_aside(c, r)) return;
        at = tick_max(at + s->part.period, part_edge_after(&s->part, p->visible_at - 1));
        if (at >= s->lsu.known) return;
        lsu_accept_reply(s, at);
    }
}

/* Whether the next transaction finds no place. */
static inline bool pipe_full(struct lsu *u)
{
    const struct access_pipe *p = u->goes_aside                         ? &u->pipe[u->aside]
                                  : u->banks > 1 && u->cache == L1_DATA ? bank_pipe(u, next_bank(u))
                                                                        : &u->pipe[u->cache];
    return p->used >= p->depth;
}

/* Refused requests wait for a reply or for the network to take a miss; both wake the SM. Where the port counts flits, a
 * read may fit where a store did not, because it is smaller: the read is tried again. */
tick_t lsu_next(struct sm *s, tick_t now)
{
    struct lsu *u = &s->lsu;
    if (u->pipe[L1_DATA].refused == L1_NO_LINE && u->known > now) take_replies_ahead(s, now);
    tick_t soon = now + s->part.period, next = s->reply.visible_at;
    bool others = u->readonly && (l1_has_misses(&u->l1[L1_TEXTURE]) || l1_has_misses(&u->l1[L1_CONSTANT]));
    bool misses = others;
    if (l1_has_misses(&u->l1[L1_DATA])) {
        if (u->ahead) send_ahead(s, soon);
        if (u->sent_for != soon) misses = true;
        else if (l1_has_misses(&u->l1[L1_DATA])) next = tick_min(next, soon + s->part.period);
    }
    if (misses && (!s->request->producer_waits || (others && s->request->flit.of))) return soon;
    if (has_queue(s) && reexec_busy(s)) return soon;
    if (l1_wants_tags(&u->l1[L1_DATA]) && lsu_tags_free(u)) return soon;
    bool feeds = u->op && !pipe_full(u);
    if (feeds && !u->single) return soon;
    if (u->ahead && l1_is_crowded(&u->l1[L1_DATA]) && !l1_refused(u->pipe[L1_DATA].refused)) refuse_ahead(s, soon);
    if (feeds && u->op && !pipe_full(u)) return soon;
    if (u->banks == 1) next = tick_min(next, pipe_next(&u->pipe[L1_DATA]));
    for (uint32_t m = u->filled & ~u->refused; m; m &= m - 1)
        next = tick_min(next, bank_pipe(u, bit_low32(m))->list.head->ready);
    if (u->readonly) {
        next = tick_min(next, readonly_next(s, &u->pipe[L1_TEXTURE]));
        next = tick_min(next, readonly_next(s, &u->pipe[L1_CONSTANT]));
    }
    if (!u->op && u->head != u->tail && !lsu_held(u))
        next = tick_min(next, tick_max(u->queue[u->head & u->mask]->ready, u->busy_until));
    return next == NEVER ? NEVER : tick_max(next, soon);
}
