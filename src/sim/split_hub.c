/* split_hub.c - the request network of a split machine, between the SMs, which are ahead of it, and the back.
 *
 * What SMs have sent waits in the calendar. The network gets it at the cycles in which it was sent, goes from one of
 * them to the next, and hands over what leaves it. Packets that meet no other pass it in one step. Places become free
 * on both sides: in front of slices when the back says so, behind SMs when packets have left. */
#include "sim/split_priv.h"

static void free_popped(struct split *x, tick_t now)
{
    uint64_t left = 0;
    for (uint32_t w = 0; w < x->slice_words; w++)
        for (uint64_t m = x->full[w]; m; m &= m - 1) {
            struct to_slice *t = &x->to_slice[w * 64 + bit_low64(m)];
            cut_free_places(&t->port, &t->popped, now);
            if (t->port.used == t->port.capacity) continue;
            t->port.producer_waits = false;
            x->full[w] &= ~(m & -m);
        }
    for (uint32_t w = 0; w < x->slice_words; w++) left |= x->full[w];
    x->some_full = left;
}

/* A place that was popped is free when the network looks, which it does before it sends the one packet of a cycle: then
 * only ports without any place need be asked. Reads that were joined may leave for one slice several at a time. */
static void free_for_joined(struct split *x, const struct join *j, tick_t now)
{
    for (const struct req *r = j->waiting.head; r && r->ready <= now; r = r->next) {
        struct to_slice *t = &x->to_slice[r->slice];
        cut_free_places(&t->port, &t->popped, now);
    }
}

/* When a slice that had no room for a packet will have some, as far as is known. */
tick_t hub_next_room(const struct split *x)
{
    tick_t next = NEVER;
    for (uint32_t w = 0; x->some_full && w < x->slice_words; w++)
        for (uint64_t m = x->full[w]; m; m &= m - 1) {
            const struct to_slice *t = &x->to_slice[w * 64 + bit_low64(m)];
            if (t->port.producer_waits) next = tick_min(next, dates_first(&t->popped));
        }
    return next == NEVER ? NEVER : part_edge_after(&x->g->net[0].part, next);
}

static void tick_network(struct split *x, tick_t now)
{
    if (x->some_full) free_popped(x, now);
    const struct join *j = x->g->net[0].join;
    uint64_t joined = j ? j->joined : 0;
    if (j) free_for_joined(x, j, now);
    tick_t next = net_tick(&x->g->net[0], now);
    if (j) x->hub_holds -= j->joined - joined; /* they are with the leaders now */
    for (uint32_t w = 0; w < x->slice_words; w++) {
        for (uint64_t m = x->filled[w]; m; m &= m - 1) {
            uint32_t i = w * 64 + bit_low64(m);
            struct to_slice *t = &x->to_slice[i];
            for (; t->port.list.head; x->hub_holds--) handover_add(x, &x->sent, cut_take(&t->port));
            if (t->port.used < t->port.capacity) continue;
            x->full[w] |= bit64(i & 63);
            x->some_full = true;
        }
        x->filled[w] = 0;
    }
    x->hub.last = tick_max(x->hub.last, now);
    x->hub_next = split_next_edge(&x->g->net[0].part, now, tick_min(next, hub_next_room(x)));
}

void hub_run(struct split *x, tick_t limit)
{
    while (x->hub_next < limit) tick_network(x, x->hub_next);
}

/* The same while it holds any: without that its wake-ups change nothing, and are postponed. */
static void run_held(struct split *x, tick_t limit)
{
    while (x->hub_holds && x->hub_next < limit) tick_network(x, x->hub_next);
}

/* Packets that come to an empty network and are not in one another's way, nor in that of those before them, leave it at
 * `now`, the first edge at which they are seen. False: it is not that case. */
static bool pass_network(struct split *x, struct req *first, tick_t now)
{
    struct net *n = &x->g->net[0];
    uint64_t outputs = 0, inputs = 0;
    for (const struct req *r = first; r; r = r->next) {
        uint64_t output = bit64(r->slice), input = bit64(r->sm);
        if (outputs & output || inputs & input || !net_passes(n, r, now)) return false;
        outputs |= output;
        inputs |= input;
    }
    for (struct req *r = first, *behind; r; r = behind) {
        struct to_slice *t = &x->to_slice[r->slice];
        behind = r->next;
        r->ready = net_pass(n, r, now) + t->port.delay;
        x->in_network[r->sm]++; /* until its place is free for the SM (hub_free_sent) */
        x->sending[r->sm >> 6] |= bit64(r->sm & 63);
        handover_add(x, &x->sent, r);
        x->hub.nowhere.progress++;
        if (++t->port.used < t->port.capacity) continue;
        x->full[0] |= bit64(r->slice);
        x->some_full = true;
    }
    x->hub.last = tick_max(x->hub.last, now);
    return true;
}

/* The packets that SMs have sent in the cycle that begins at `edge` come to the network, all of which up to `time` are
 * known. */
static void feed_network(struct split *x, tick_t edge, tick_t time)
{
    uint32_t day = (uint32_t)part_cycles(&x->core, edge) & (CALENDAR - 1);
    if (!(x->noted[day >> 6] >> (day & 63) & 1)) return;
    x->noted[day >> 6] &= ~bit64(day & 63);
    struct net *n = &x->g->net[0];
    if (x->passes && !x->hub_holds && !x->some_full) {
        tick_t seen = part_edge_after(&n->part, edge);
        struct req *first = x->calendar[day].head;
        if (seen < time && pass_network(x, first, seen)) {
            list_init(&x->calendar[day]);
            return;
        }
    }
    if (!x->hub_holds) hub_run(x, edge + 1); /* what an empty network postponed */
    struct req *r = x->calendar[day].head;
    list_init(&x->calendar[day]);
    tick_t next = x->hub_next;
    for (struct req *behind; r; r = behind, x->hub_holds++) {
        struct port *to = &n->in[r->sm];
        behind = r->next;
        x->in_network[r->sm]++;
        x->sending[r->sm >> 6] |= bit64(r->sm & 63);
        if (!cut_append(to, r)) continue;
        *to->filled |= to->filled_bit;
        next = tick_min(next, part_edge_after(&n->part, edge));
    }
    x->hub_next = next;
}

/* The first edge from `edge` on, at most `end`, at which packets of SMs come to the network. */
tick_t hub_next_packets(const struct split *x, tick_t edge, tick_t end)
{
    uint64_t cycle = part_cycles(&x->core, edge);
    for (uint32_t ahead = 0; ahead < CALENDAR;) {
        uint32_t day = (uint32_t)(cycle + ahead) & (CALENDAR - 1);
        uint64_t word = x->noted[day >> 6] >> (day & 63);
        if (word) return tick_min(end, (cycle + ahead + bit_low64(word)) * x->core.period);
        ahead += 64 - (day & 63);
    }
    return end;
}

/* What has left the network has freed places for the SMs. */
void hub_free_sent(struct split *x, tick_t time)
{
    const struct net *n = &x->g->net[0];
    if (x->left == n->packets) return;
    x->left = n->packets;
    for (uint32_t w = 0; w < x->sm_words; w++)
        for (uint64_t m = x->sending[w]; m; m &= m - 1) {
            uint32_t i = w * 64 + bit_low64(m), left = x->in_network[i] - n->in[i].used;
            if (!left) continue;
            struct port *p = &x->lane[i].request;
            if (!(x->in_network[i] -= left)) x->sending[w] &= ~(m & -m);
            p->used -= left;
            if (!p->producer_waits) continue;
            p->producer_waits = false;
            x->next[i] = tick_min(x->next[i], time);
        }
}

/* The network works for a cycle of the core. */
void hub_cycle(struct split *x, tick_t edge)
{
    if (x->hub_holds) hub_run(x, edge + 1); /* it sees what SMs send at this edge at its next one */
    feed_network(x, edge, 0);
    if (x->hub_holds) hub_run(x, edge + x->g->core_period);
}

/* The network alone comes to where the SMs are: from one cycle in which they have sent anything to the next. */
void hub_catch_up(struct split *x, tick_t time)
{
    for (tick_t edge = x->exact;; edge += x->core.period) {
        edge = hub_next_packets(x, edge, time);
        run_held(x, tick_min(edge + 1, time)); /* it sees what SMs send at an edge at its next one */
        if (edge >= time) return;
        feed_network(x, edge, time);
    }
}
