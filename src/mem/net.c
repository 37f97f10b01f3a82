#include "mem/net.h"

#include <stdio.h>
#include <stdlib.h>

/* A sectored L2 answers sector by sector, data and acknowledgements alike: so many small packets
 * in a row. Everything else is one packet. */
static uint32_t packet_count(const struct net *n, uint32_t sectors)
{
    return n->replies && n->sectored && sectors ? sectors : 1;
}

static uint32_t packet_flits(const struct net *n, enum wl_kind kind, uint32_t sectors)
{
    /* Data travels with stores and atomics on the way down, with loads and atomics on the way back. */
    bool data = n->replies ? kind == WL_LOAD || kind == WL_ATOMIC : kind != WL_LOAD;
    uint32_t packets = packet_count(n, sectors);
    uint32_t bytes = n->header_bytes + (data ? sectors * SECTOR_BYTES / packets : 0);
    return packets * ((bytes + n->flit_bytes - 1) / n->flit_bytes);
}

int net_init(struct net *n, const struct gpu_config *c, bool replies, uint32_t from, uint32_t to)
{
    if (from > NET_MAX_PORTS || to > NET_MAX_PORTS) return -1;
    n->cluster = (uint32_t)c->v[P_SM_CLUSTER];
    uint32_t inputs = replies ? from : from / n->cluster, outputs = replies ? to / n->cluster : to;
    n->in_ports = from;
    n->replies = replies;
    n->sectored = c->v[P_L2_SECTORED];
    n->inputs = inputs;
    n->outputs = outputs;
    n->flit_bytes = (uint32_t)c->v[P_ICNT_FLIT];
    n->header_bytes = (uint32_t)c->v[P_ICNT_HEADER];
    n->latency = n->part.period * (tick_t)c->v[P_ICNT_LATENCY];
    n->in = calloc(from, sizeof *n->in);
    n->out = calloc(to, sizeof *n->out);
    n->current = calloc(inputs, sizeof *n->current);
    n->served = calloc(inputs, sizeof *n->served);
    for (uint32_t i = 0; n->current && i < inputs; i++) n->current[i] = NET_NOBODY;
    n->in_free = calloc(inputs, sizeof *n->in_free);
    n->out_free = calloc(outputs, sizeof *n->out_free);
    n->turn = calloc(outputs, sizeof *n->turn);
    n->wants = calloc((size_t)outputs * ((inputs + 63) / 64), sizeof *n->wants);
    for (enum wl_kind k = WL_LOAD; k <= WL_WRITEBACK; k++)
        for (uint32_t i = 0; i <= ALL_SECTORS; i++) {
            n->flits_of[k][i] = (uint8_t)packet_flits(n, k, bit_count32(i));
            n->gap_of[k][i] = (uint8_t)(packet_count(n, bit_count32(i)) * (uint32_t)c->v[P_ICNT_GAP]);
        }
    bool bad = false;
    if (!replies) n->join = join_new(c, n->part.period, outputs, &bad);
    n->store_hold = replies ? 0 : (uint32_t)c->v[P_ICNT_STORE_HOLD];
    bool joins = c->v[P_ICNT_JOIN] > 1; /* replies, too: an answer may be for several */
    n->rising = c->v[P_ICNT_SENDS] && !joins;
    for (uint32_t i = 0; n->rising && n->turn && i < outputs; i++) n->turn[i] = inputs - 1; /* input 0 is first */
    bool any = n->rising || n->cluster > 1 || n->store_hold || joins || inputs > 64 || outputs > 64;
    n->kind = any ? NET_ANY : c->v[P_ICNT_GAP] ? NET_FLITS : NET_USUAL;
    return !bad && n->in && n->out && n->current && n->served && n->in_free && n->out_free && n->turn && n->wants ? 0
                                                                                                                  : -1;
}

void net_destroy(struct net *n)
{
    join_delete(n->join);
    free(n->in);
    free(n->out);
    free(n->current);
    free(n->served);
    free(n->in_free);
    free(n->out_free);
    free(n->turn);
    free(n->wants);
}

void net_connect_input(struct net *n, uint32_t i, uint32_t capacity, const struct part *producer)
{
    port_init(&n->in[i], capacity, producer, &n->part);
    n->in[i].filled = &n->filled[i >> 6];
    n->in[i].filled_bit = bit64(i & 63);
}

/* ---- queues that are counted in flits ---- */

/* From the cycle in which a packet's first flit is sent to the one in which its place in the input queue can be used
 * again: VC and switch allocation, and the credit's way back (GPGPU-Sim 3.2.2: three cycles and two). */
enum { CREDIT_CYCLES = 5, MOST_LEAVING = 64 - CREDIT_CYCLES };

void net_count_flits(struct net *n, struct port *p, uint32_t flits)
{
    if (n->kind == NET_USUAL) n->kind = NET_FLITS;
    p->flit = (struct flit_count){.of = n->flits_of, .capacity = (uint16_t)flits};
    p->capacity = flits; /* a packet has at least one */
}

/* The places that flits on their way out still hold at `now`. */
static uint64_t places_leaving(const struct port *p, tick_t now)
{
    uint64_t past = part_cycles(p->consumer, now) - p->flit.leaving_from + 1;
    return past < 64 ? p->flit.leaving >> past << past : 0;
}

/* It does not, or has to wait for flits that are leaving. */
static __attribute__((noinline)) bool flits_fit_soon(struct port *p, uint32_t flits, tick_t now)
{
    uint64_t leaving = p->flit.leaving ? places_leaving(p, now) : 0;
    uint32_t left = bit_count64(leaving), all = p->flit.held + left + flits;
    p->producer_waits = all > p->flit.capacity;
    if (!p->producer_waits) return true;
    uint32_t missing = all - p->flit.capacity;
    p->refused = (uint8_t)flits;
    p->flit.fits_at = NEVER;
    if (missing > left) return false; /* the next pop wakes the producer */
    while (--missing) leaving &= leaving - 1;
    p->flit.fits_at = (p->flit.leaving_from + bit_low64(leaving)) * p->consumer->period;
    part_wake_at(p->producer, p->flit.fits_at);
    return false;
}

bool net_flits_fit(struct port *p, const struct req *r, tick_t now)
{
    uint32_t flits = p->flit.of[r->kind][r->sectors];
    if (p->producer_waits && now < p->flit.fits_at && flits >= p->refused) return false;
    return flits_fit_soon(p, flits, now);
}

bool net_flits_certain(const struct port *p, const struct req *r, tick_t now)
{
    uint32_t all = p->flit.held + p->flit.of[r->kind][r->sectors];
    if (p->producer_waits || all > p->flit.capacity) return false;
    return !p->flit.leaving || all + bit_count64(places_leaving(p, now)) <= p->flit.capacity;
}

/* A packet has been popped: its flits leave one by one. */
static void free_one_by_one(struct port *p, uint32_t flits, tick_t now)
{
    uint64_t cycle = part_cycles(p->consumer, now), past = cycle - p->flit.leaving_from;
    uint32_t n = flits < MOST_LEAVING ? flits : MOST_LEAVING;
    p->flit.leaving = past < 64 ? p->flit.leaving >> past : 0;
    p->flit.leaving |= (bit64(n) - 1) << CREDIT_CYCLES;
    p->flit.leaving_from = cycle;
    p->flit.held -= flits;
}

/* `kind` in what follows is a constant: the usual network pays for none of the rest, nor one with flits. The compiler
 * would make one copy for all of them if it were free to. */
#define INTO_EACH static inline __attribute__((always_inline))

INTO_EACH uint32_t net_destination(const struct net *n, enum net_kind kind, const struct req *r)
{
    return !n->replies ? r->slice : kind != NET_ANY ? r->sm : r->sm / n->cluster;
}

/* The port behind an output that the request goes to. */
INTO_EACH struct port *port_behind(const struct net *n, enum net_kind kind, const struct req *r, uint32_t output)
{
    return n->out[kind == NET_ANY && n->replies ? r->sm : output];
}

static bool shares_inputs(const struct net *n) { return n->cluster > 1 && !n->replies; }

/* The port that has the input's oldest packet. */
INTO_EACH struct port *port_before(const struct net *n, enum net_kind kind, uint32_t input)
{
    return &n->in[kind == NET_ANY && shares_inputs(n) ? n->current[input] : input];
}

static bool has_flits_behind(const struct port *p, const struct req *r, tick_t now)
{
    uint32_t used = p->flit.held + (p->freed_at == now ? p->flit.freed : 0u);
    return used + p->flit.of[r->kind][r->sectors] <= p->flit.capacity;
}

static bool flits_fit_behind(struct port *p, const struct req *r, tick_t now)
{
    if (has_flits_behind(p, r, now)) return true;
    if (p->settle) {
        p->settle(p->consumer, now);
        if (has_flits_behind(p, r, now)) return true;
    }
    if (p->freed_at == now) part_wake_after(p->producer, now);
    else p->producer_waits = true;
    return false;
}

/* Whether the input's packet fits behind the output; if not, the network is woken when something is taken out there. */
INTO_EACH bool output_fits(struct net *n, enum net_kind kind, uint32_t input, uint32_t output, tick_t now)
{
    if (kind == NET_USUAL) return port_can_push(n->out[output], now);
    if (kind == NET_ANY && n->join) return join_open(n->join, output);
    const struct req *r = port_before(n, kind, input)->list.head;
    struct port *p = port_behind(n, kind, r, output);
    return p->flit.of ? flits_fit_behind(p, r, now) : port_can_push(p, now);
}

/* Enters the oldest packet of an input for the output it wants. */
INTO_EACH void net_enter(struct net *n, uint32_t words, enum net_kind kind, uint32_t input)
{
    uint32_t o = net_destination(n, kind, port_before(n, kind, input)->list.head);
    n->wants[o * words + (input >> 6)] |= bit64(input & 63);
    n->wanted[o >> 6] |= bit64(o & 63);
}

/* The oldest packet of a cluster's SMs that has been noticed is the input's; of equally old ones that of the SM behind
 * the one that was served last. */
static void next_of_cluster(struct net *n, uint32_t words, uint32_t input)
{
    tick_t oldest = NEVER;
    n->current[input] = NET_NOBODY;
    for (uint32_t k = 1; k <= n->cluster; k++) {
        uint32_t p = input * n->cluster + (n->served[input] + k) % n->cluster;
        bool noticed = !port_empty(&n->in[p]) && !(n->filled[p >> 6] >> (p & 63) & 1);
        if (!noticed || n->in[p].visible_at >= oldest) continue;
        oldest = n->in[p].visible_at;
        n->current[input] = p;
    }
    if (n->current[input] != NET_NOBODY) net_enter(n, words, NET_ANY, input);
}

/* The input has sent a packet of its current port. What an SM pushes at this very tick, before or after this, is
 * noticed in the next cycle. Returns whether a packet is left. */
static bool cluster_sent(struct net *n, uint32_t words, uint32_t input, tick_t now)
{
    uint32_t p = n->served[input] = n->current[input];
    bool hidden = !port_empty(&n->in[p]) && n->in[p].visible_at > now;
    if (hidden) n->filled[p >> 6] |= bit64(p & 63);
    next_of_cluster(n, words, input);
    return hidden || n->current[input] != NET_NOBODY;
}

/* Of a word of ports that were empty, notices those whose packet can be seen now; *next: when the first of the others
 * can. Returns the set. */
static uint64_t notice_filled(struct net *n, uint32_t w, tick_t now, tick_t *next)
{
    uint64_t noticed = 0;
    for (uint64_t m = n->filled[w]; m; m &= m - 1) {
        tick_t seen = n->in[w * 64 + bit_low64(m)].visible_at;
        if (seen <= now) noticed |= m & -m;
        else *next = tick_min(*next, seen);
    }
    n->filled[w] &= ~noticed;
    return noticed;
}

/* All ports are looked at before the first input chooses among its own. */
static void enter_clusters(struct net *n, uint32_t words, tick_t now, tick_t *next)
{
    uint64_t noticed[NET_WORDS];
    uint32_t port_words = (n->in_ports + 63) / 64;
    for (uint32_t w = 0; w < port_words; w++) noticed[w] = notice_filled(n, w, now, next);
    for (uint32_t w = 0; w < port_words; w++)
        for (uint64_t m = noticed[w]; m; m &= m - 1) {
            uint32_t i = (w * 64 + bit_low64(m)) / n->cluster;
            if (n->current[i] == NET_NOBODY) next_of_cluster(n, words, i);
        }
}

/* Enters the inputs that were empty and whose packet can be seen now. *next: when the first of the others can. */
INTO_EACH void enter_filled(struct net *n, uint32_t words, enum net_kind kind, tick_t now, tick_t *next)
{
    if (kind == NET_ANY && shares_inputs(n)) {
        enter_clusters(n, words, now, next);
        return;
    }
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t m = n->filled[w]; m; m &= m - 1) {
            uint32_t i = w * 64 + bit_low64(m);
            if (n->in[i].visible_at > now) {
                *next = tick_min(*next, n->in[i].visible_at);
                continue;
            }
            n->filled[w] &= ~bit64(i & 63);
            net_enter(n, words, kind, i);
        }
}

/* The next packet of an input that is free again at tick `at`, if it can be seen then; it may have only just come, or
 * be dated for later, and is then noticed. Returns when to look. */
INTO_EACH tick_t enter_if_seen(struct net *n, uint32_t words, enum net_kind kind, uint32_t input, tick_t at)
{
    const struct port *in = &n->in[input];
    if (in->visible_at <= at) net_enter(n, words, kind, input);
    else n->filled[input >> 6] |= bit64(input & 63);
    return tick_max(in->visible_at, at);
}

/* Of a word of outputs those that want to be served behind one that was; what a packet has uncovered is among them. */
INTO_EACH uint64_t outputs_behind(const struct net *n, enum net_kind kind, uint32_t w, uint64_t m)
{
    return kind == NET_ANY && n->rising ? n->wanted[w] & ~(m ^ (m - 1)) : m & (m - 1);
}

/* The header and a sector each; a lone word of an atomic travels with the header. */
static tick_t store_hold(const struct net *n, const struct req *r)
{
    bool lone = r->kind == WL_ATOMIC && r->lanes == 1;
    return n->store_hold * (tick_t)(lone ? 1 : 1 + bit_count32(r->sectors));
}

/* For how long a packet keeps its input and its output. */
INTO_EACH tick_t net_hold(const struct net *n, enum net_kind kind, const struct req *r)
{
    uint32_t cycles = net_flits(n, r);
    if (kind != NET_USUAL) cycles += n->gap_of[r->kind][r->sectors];
    return cycles * n->part.period;
}

/* A packet goes from an input to an output; returns behind which tick it is seen there. */
static inline tick_t count_packet(struct net *n, const struct req *r, uint32_t input, uint32_t output, tick_t hold,
                                  tick_t now)
{
    uint32_t flits = net_flits(n, r);
    n->in_free[input] = n->out_free[output] = now + hold;
    n->turn[output] = input;
    n->packets++;
    n->flits += flits;
    return now + (flits - 1) * n->part.period + n->latency - 1;
}

/* The oldest packet of the port goes there. */
INTO_EACH void send_packet(struct net *n, enum net_kind kind, struct port *in, struct req *r, uint32_t input,
                           uint32_t output, tick_t hold, tick_t now)
{
    struct port *out = port_behind(n, kind, r, output);
    uint32_t flits = net_flits(n, r);
    WL_ASSERT(net_destination(n, kind, r) == output && n->in_free[input] <= now && n->out_free[output] <= now);
    if (kind == NET_ANY && r->leads && n->replies) port_replace(in, join_next(r));
    else port_pop(in, now);
    if (kind != NET_USUAL && in->flit.of) free_one_by_one(in, flits, now);
    if (kind != NET_USUAL && out->flit.of) out->flit.held += flits;
    tick_t seen = count_packet(n, r, input, output, hold, now);
    if (kind == NET_ANY && n->rising) n->in_free[input] = now;
    if (kind == NET_ANY && n->store_hold && r->kind != WL_LOAD)
        n->in_free[input] = now + store_hold(n, r) * n->part.period;
    if (kind == NET_ANY && n->join) join_take(n->join, r, now + (flits - 1) * n->part.period, now);
    else port_push_after(out, r, seen);
}

/* Returns when to look again: for another input that wants this output, or for the next packet of this input. */
INTO_EACH tick_t net_deliver(struct net *n, uint32_t words, enum net_kind kind, uint32_t input, uint32_t output,
                             tick_t now)
{
    struct port *in = port_before(n, kind, input);
    struct req *r = in->list.head;
    tick_t hold = net_hold(n, kind, r);
    uint64_t *wants = n->wants + output * words, left = 0;
    send_packet(n, kind, in, r, input, output, hold, now);
    wants[input >> 6] &= ~bit64(input & 63);
    for (uint32_t w = 0; w < words; w++) left |= wants[w];
    if (!left) n->wanted[output >> 6] &= ~bit64(output & 63);
    bool more = !port_empty(in);
    tick_t next = left || more ? now + hold : NEVER;
    if (kind == NET_ANY && shares_inputs(n)) more = cluster_sent(n, words, input, now);
    else if (more) return tick_min(next, enter_if_seen(n, words, kind, input, n->in_free[input]));
    return more ? tick_min(next, n->in_free[input]) : next; /* a store may hold its input for less */
}

/* The first of the inputs in `m` that can send now, bit 0 standing for input `from`, in a circle of `size`; size
 * when none can, and *next is then when the first of them can. */
static inline uint32_t first_free(const struct net *n, uint64_t m, uint32_t from, uint32_t size, tick_t now,
                                  tick_t *next)
{
    for (; m; m &= m - 1) {
        uint32_t i = (from + bit_low64(m)) & (size - 1);
        if (n->in_free[i] <= now) return i;
        *next = tick_min(*next, n->in_free[i]);
    }
    return size;
}

/* The input nearest to its turn among those that want the output and can send now; NET_MAX_PORTS when none
 * can, and *next is then when the first of them can. */
static inline uint32_t net_choose(const struct net *n, uint32_t words, uint32_t output, tick_t now, tick_t *next)
{
    const uint64_t *wants = n->wants + output * words;
    uint32_t turn = n->turn[output], word = turn >> 6, i;
    if (words == 1) { /* the next may be on either side of the last one served: one loop for both */
        i = first_free(n, rotate_right64(wants[0], turn + 1), turn + 1, 64, now, next);
        return i < 64 ? i : NET_MAX_PORTS;
    }
    uint64_t m = wants[word] & ~UINT64_C(1) << (turn & 63); /* those behind the last one served */
    for (uint32_t pass = 0; pass <= words; pass++) {
        i = first_free(n, m, word * 64, NET_MAX_PORTS, now, next);
        if (i < NET_MAX_PORTS) return i;
        word = word + 1 == words ? 0 : word + 1;
        m = wants[word]; /* the last pass sees the first ones again: harmless */
    }
    return NET_MAX_PORTS;
}

INTO_EACH tick_t net_serve(struct net *n, uint32_t in_words, uint32_t out_words, enum net_kind kind, tick_t now)
{
    tick_t next = NEVER;
    if (kind == NET_ANY && n->join) join_release(n->join, n->out, n->latency, now);
    tick_t seen = NEVER;
    enter_filled(n, in_words, kind, now, &seen);
    next = tick_min(next, seen);
    for (uint32_t w = 0; w < out_words; w++) {
        for (uint64_t m = n->wanted[w]; m; m = outputs_behind(n, kind, w, m)) {
            uint32_t o = w * 64 + bit_low64(m);
            if (n->out_free[o] > now) {
                next = tick_min(next, n->out_free[o]);
                continue;
            }
            uint32_t i = net_choose(n, in_words, o, now, &next);
            if (i == NET_MAX_PORTS || !output_fits(n, kind, i, o, now)) continue;
            next = tick_min(next, net_deliver(n, in_words, kind, i, o, now));
        }
    }
    if (kind == NET_ANY && n->join && n->join->waiting.head) next = tick_min(next, n->join->waiting.head->ready);
    return next;
}

/* The one packet that has come to a network without any, in the commonest case, in which nothing is in its way. False:
 * it is not that case. */
INTO_EACH bool pass_alone(struct net *n, enum net_kind kind, uint64_t filled, tick_t now, tick_t *next)
{
    uint32_t input = bit_low64(filled);
    struct port *in = &n->in[input];
    struct req *r = in->list.head;
    if (in->visible_at > now || n->in_free[input] > now) return false;
    uint32_t output = net_destination(n, kind, r);
    if (n->out_free[output] > now || !output_fits(n, kind, input, output, now)) return false;
    n->filled[0] = 0;
    tick_t hold = net_hold(n, kind, r);
    send_packet(n, kind, in, r, input, output, hold, now);
    *next = NEVER;
    if (port_empty(in)) return true;
    *next = tick_min(now + hold, enter_if_seen(n, 1, kind, input, n->in_free[input]));
    return true;
}

static __attribute__((noinline)) tick_t serve_any(struct net *n, tick_t now)
{
    if (n->inputs <= 64 && n->outputs <= 64) return net_serve(n, 1, 1, NET_ANY, now);
    return net_serve(n, (n->inputs + 63) / 64, (n->outputs + 63) / 64, NET_ANY, now);
}

INTO_EACH tick_t serve_word(struct net *n, enum net_kind kind, tick_t now)
{
    uint64_t filled = n->filled[0];
    tick_t next;
    if (!n->wanted[0] && is_pow2(filled) && pass_alone(n, kind, filled, now, &next)) return next;
    return net_serve(n, 1, 1, kind, now);
}

static __attribute__((noinline)) tick_t serve_usual(struct net *n, tick_t now) { return serve_word(n, NET_USUAL, now); }
static __attribute__((noinline)) tick_t serve_flits(struct net *n, tick_t now) { return serve_word(n, NET_FLITS, now); }

tick_t net_tick(struct net *n, tick_t now)
{
    if (n->kind == NET_USUAL) return serve_usual(n, now);
    return n->kind == NET_FLITS ? serve_flits(n, now) : serve_any(n, now);
}

tick_t net_next_seen(const struct net *n)
{
    tick_t next = NEVER;
    for (uint32_t w = 0; w < NET_WORDS; w++)
        for (uint64_t m = n->filled[w]; m; m &= m - 1) next = tick_min(next, n->in[w * 64 + bit_low64(m)].visible_at);
    return next;
}

bool net_passes(const struct net *n, const struct req *r, tick_t now)
{
    return n->in_free[r->sm] <= now && n->out_free[r->slice] <= now;
}

tick_t net_pass(struct net *n, struct req *r, tick_t now)
{
    tick_t hold = net_hold(n, NET_FLITS, r);
    return count_packet(n, r, r->sm, r->slice, hold, now);
}

bool net_idle(const struct net *n)
{
    for (uint32_t i = 0; i < n->in_ports; i++)
        if (!port_empty(&n->in[i])) return false;
    return !n->join || join_idle(n->join);
}

static void walk_flits(const struct port *p)
{
    uint32_t held = 0;
    if (!p->flit.of) return;
    for (const struct req *r = p->list.head; r; r = r->next) held += p->flit.of[r->kind][r->sectors];
    WL_VERIFY(held == p->flit.held && held <= p->flit.capacity);
}

/* How many packets of the input are known: wanted at an output, or still to be noticed at one of its ports. */
static uint64_t known_packets(const struct net *n, uint32_t input, uint32_t words)
{
    uint64_t known = 0;
    for (uint32_t o = 0; o < n->outputs; o++) known += n->wants[o * words + (input >> 6)] >> (input & 63) & 1;
    if (!shares_inputs(n)) return known + (n->filled[input >> 6] >> (input & 63) & 1);
    WL_VERIFY(known == (n->current[input] != NET_NOBODY));
    return known;
}

/* Every packet at the head of an input is wanted at its output, or is still to be noticed; nothing else is. */
void net_walk(const struct net *n)
{
    uint32_t words = (n->inputs + 63) / 64, out_ports = n->replies ? n->outputs * n->cluster : n->outputs;
    for (uint32_t i = 0; i < n->in_ports; i++) {
        port_walk(&n->in[i]);
        walk_flits(&n->in[i]);
    }
    for (uint32_t i = 0; i < n->inputs; i++) {
        uint64_t known = known_packets(n, i, words), waiting = 0;
        for (uint32_t p = i * (shares_inputs(n) ? n->cluster : 1); p < n->in_ports && !waiting; p++) {
            if (p >= (i + 1) * (shares_inputs(n) ? n->cluster : 1)) break;
            bool noticed = !shares_inputs(n) || !(n->filled[p >> 6] >> (p & 63) & 1);
            waiting = noticed && !port_empty(&n->in[p]);
        }
        WL_VERIFY(known == waiting);
    }
    for (uint32_t o = 0; o < out_ports; o++) {
        port_walk(n->out[o]);
        walk_flits(n->out[o]);
    }
    for (uint32_t o = 0; o < n->outputs; o++) {
        uint64_t any = 0;
        for (uint32_t w = 0; w < words; w++) any |= n->wants[o * words + w];
        WL_VERIFY((any != 0) == (n->wanted[o >> 6] >> (o & 63) & 1));
    }
}

void net_describe(const struct net *n, char *out, size_t size)
{
    uint32_t packets = 0;
    for (uint32_t i = 0; i < n->in_ports; i++) packets += n->in[i].used;
    snprintf(out, size, "%s network: %u packets wait at the inputs", n->replies ? "reply" : "request", packets);
}
