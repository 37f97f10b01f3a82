#include "mem/net.h"

#include <stdio.h>
#include <stdlib.h>

/* A sectored L2 answers sector by sector, data and acknowledgements alike: so many small packets
 * in a row. Everything else is one packet. */
static uint32_t packet_flits(const struct net *n, bool data, uint32_t sectors)
{
    uint32_t packets = n->replies && n->sectored && sectors ? sectors : 1;
    uint32_t bytes = n->header_bytes + (data ? sectors * SECTOR_BYTES / packets : 0);
    return packets * ((bytes + n->flit_bytes - 1) / n->flit_bytes);
}

int net_init(struct net *n, const struct gpu_config *c, bool replies, uint32_t inputs, uint32_t outputs)
{
    if (inputs > NET_MAX_PORTS || outputs > NET_MAX_PORTS) return -1;
    n->replies = replies;
    n->sectored = c->v[P_L2_SECTORED];
    n->inputs = inputs;
    n->outputs = outputs;
    n->flit_bytes = (uint32_t)c->v[P_ICNT_FLIT];
    n->header_bytes = (uint32_t)c->v[P_ICNT_HEADER];
    n->latency = n->part.period * (tick_t)c->v[P_ICNT_LATENCY];
    n->in = calloc(inputs, sizeof *n->in);
    n->out = calloc(outputs, sizeof *n->out);
    n->in_free = calloc(inputs, sizeof *n->in_free);
    n->out_free = calloc(outputs, sizeof *n->out_free);
    n->turn = calloc(outputs, sizeof *n->turn);
    n->best = calloc(outputs, sizeof *n->best);
    for (uint32_t i = 0; i <= LINE_SECTORS; i++)
        for (int data = 0; data < 2; data++) n->flits_of[data][i] = (uint8_t)packet_flits(n, data, i);
    return n->in && n->out && n->in_free && n->out_free && n->turn && n->best ? 0 : -1;
}

void net_destroy(struct net *n)
{
    for (uint32_t i = 0; n->in && i < n->inputs; i++) port_destroy(&n->in[i]);
    free(n->in);
    free(n->out);
    free(n->in_free);
    free(n->out_free);
    free(n->turn);
    free(n->best);
}

uint32_t net_flits(const struct net *n, const struct req *r)
{
    /* Data travels with stores and atomics on the way down, with loads and atomics on the way back. */
    bool carries = n->replies ? r->kind == WL_LOAD || r->kind == WL_ATOMIC : r->kind != WL_LOAD;
    return n->flits_of[carries][bit_count32(r->sectors)];
}

static void deliver(struct net *n, uint32_t input, uint32_t output, tick_t now)
{
    struct port *in = &n->in[input];
    struct req *r = in->slot[in->head & in->mask].req;
    uint32_t flits = net_flits(n, r);
    tick_t busy = flits * n->part.period;
    port_pop(in, now);
    if (port_empty(in)) n->waiting[input >> 6] &= ~bit64(input & 63);
    n->in_free[input] = n->out_free[output] = now + busy;
    n->turn[output] = input;
    n->packets++;
    n->flits += flits;
    port_push_after(n->out[output], r, now + busy - n->part.period + n->latency - 1);
}

static uint32_t destination(const struct net *n, const struct req *r) { return n->replies ? r->sm : r->slice; }

/* Looks at one waiting input: enters it for the output its oldest packet wants, if it is the one
 * nearest to its turn there. Returns when to look again. */
static inline tick_t look_at(struct net *n, uint32_t i, tick_t now, uint64_t *outputs)
{
    const struct port *in = &n->in[i];
    const struct port_slot *head = &in->slot[in->head & in->mask];
    if (head->after >= now) return now + n->part.period; /* pushed at this very tick */
    if (n->in_free[i] > now) return n->in_free[i];
    uint32_t o = destination(n, head->req);
    if (n->out_free[o] > now) return n->out_free[o];
    uint32_t after = n->turn[o] + 1, distance = i >= after ? i - after : i + n->inputs - after;
    if (!(outputs[o >> 6] >> (o & 63) & 1) || distance < n->best[o].distance) {
        n->best[o].input = i;
        n->best[o].distance = distance;
    }
    outputs[o >> 6] |= bit64(o & 63);
    return NEVER;
}

static inline tick_t serve(struct net *n, uint32_t in_words, uint32_t out_words, uint64_t *outputs, tick_t now)
{
    tick_t next = NEVER;
    for (uint32_t w = 0; w < in_words; w++) {
        for (uint64_t m = n->waiting[w]; m; m &= m - 1) {
            tick_t t = look_at(n, w * 64 + bit_low64(m), now, outputs);
            if (t < next) next = t;
        }
    }
    for (uint32_t w = 0; w < out_words; w++) {
        for (uint64_t m = outputs[w]; m; m &= m - 1) {
            uint32_t o = w * 64 + bit_low64(m);
            if (!port_can_push(n->out[o], now)) continue;
            deliver(n, n->best[o].input, o, now);
            /* Whoever else wants this output, and whatever comes next at this input. */
            if (n->out_free[o] < next) next = n->out_free[o];
        }
    }
    return next;
}

tick_t net_tick(struct net *n, tick_t now)
{
    if (n->inputs <= 64 && n->outputs <= 64) { /* the usual machine: masks of one word */
        uint64_t outputs = 0;
        return serve(n, 1, 1, &outputs, now);
    }
    uint64_t outputs[NET_WORDS] = {0};
    return serve(n, (n->inputs + 63) / 64, (n->outputs + 63) / 64, outputs, now);
}

bool net_idle(const struct net *n)
{
    for (uint32_t i = 0; i < n->inputs; i++)
        if (!port_empty(&n->in[i])) return false;
    return true;
}

void net_describe(const struct net *n, char *out, size_t size)
{
    uint32_t packets = 0;
    for (uint32_t i = 0; i < n->inputs; i++) packets += n->in[i].tail - n->in[i].head;
    snprintf(out, size, "%s network: %u packets wait at the inputs", n->replies ? "reply" : "request", packets);
}
