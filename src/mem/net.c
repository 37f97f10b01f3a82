#include "mem/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int net_init(struct net *n, const struct gpu_config *c, bool replies, uint32_t inputs, uint32_t outputs)
{
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
    n->want = calloc(outputs, sizeof *n->want);
    return n->in && n->out && n->in_free && n->out_free && n->turn && n->want ? 0 : -1;
}

void net_destroy(struct net *n)
{
    for (uint32_t i = 0; n->in && i < n->inputs; i++) port_destroy(&n->in[i]);
    free(n->in);
    free(n->out);
    free(n->in_free);
    free(n->out_free);
    free(n->turn);
    free(n->want);
}

/* Bytes of data behind the header: stores and atomics on the way down, loads on the way back. */
static uint32_t payload(const struct net *n, const struct req *r)
{
    bool carries = n->replies ? r->kind == WL_LOAD || r->kind == WL_ATOMIC : r->kind != WL_LOAD;
    return carries ? bit_count32(r->sectors) * SECTOR_BYTES : 0;
}

uint32_t net_flits(const struct net *n, const struct req *r)
{
    uint32_t data = payload(n, r), packets = n->replies && n->sectored && data ? data / SECTOR_BYTES : 1;
    uint32_t bytes = n->header_bytes + data / packets;
    return packets * ((bytes + n->flit_bytes - 1) / n->flit_bytes);
}

/* The first input after `last`, cyclic, in a non-empty set. */
static uint32_t next_turn(const uint64_t *set, uint32_t words, uint32_t last)
{
    uint32_t word = (last + 1) / 64 % words;
    uint64_t m = set[word] & (last + 1 >= words * 64 ? UINT64_MAX : UINT64_MAX << ((last + 1) & 63));
    for (uint32_t i = 0;; i++) {
        if (m) return word * 64 + bit_low64(m);
        word = word + 1 == words ? 0 : word + 1;
        m = set[word];
    }
}

static void deliver(struct net *n, uint32_t input, uint32_t output, tick_t now)
{
    struct req *r = port_peek(&n->in[input], now);
    uint32_t flits = net_flits(n, r);
    tick_t busy = flits * n->part.period;
    port_pop(&n->in[input], now);
    if (port_empty(&n->in[input])) n->waiting[input >> 6] &= ~bit64(input & 63);
    n->in_free[input] = n->out_free[output] = now + busy;
    n->turn[output] = input;
    n->packets++;
    n->flits += flits;
    /* The last flit arrives `latency` after it left. */
    port_push_after(n->out[output], r, now + busy - n->part.period + n->latency - 1);
}

static uint32_t destination(const struct net *n, const struct req *r) { return n->replies ? r->sm : r->slice; }

tick_t net_tick(struct net *n, tick_t now)
{
    uint32_t words = (n->inputs + 63) / 64;
    uint64_t outputs[NET_WORDS] = {0};
    tick_t next = NEVER;
    for (uint32_t w = 0; w < words; w++) {
        for (uint64_t m = n->waiting[w]; m; m &= m - 1) {
            uint32_t i = w * 64 + bit_low64(m);
            struct req *r = port_peek(&n->in[i], now);
            if (!r) { /* pushed at this very tick */
                next = now + n->part.period;
                continue;
            }
            if (n->in_free[i] > now) {
                if (n->in_free[i] < next) next = n->in_free[i];
                continue;
            }
            uint32_t o = destination(n, r);
            n->want[o][w] |= m & -m;
            outputs[o >> 6] |= bit64(o & 63);
        }
    }
    for (uint32_t w = 0; w < (n->outputs + 63) / 64; w++) {
        for (uint64_t m = outputs[w]; m; m &= m - 1) {
            uint32_t o = w * 64 + bit_low64(m);
            if (n->out_free[o] > now) {
                if (n->out_free[o] < next) next = n->out_free[o];
            } else if (port_can_push(n->out[o], now)) {
                deliver(n, next_turn(n->want[o], words, n->turn[o]), o, now);
                /* Whoever else wants this output, or whatever comes next at this input. */
                if (n->out_free[o] < next) next = n->out_free[o];
            }
            memset(n->want[o], 0, words * sizeof(uint64_t));
        }
    }
    return next;
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
