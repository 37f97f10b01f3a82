#include "mem/join.h"

#include <stdlib.h>

/* Lines of a group whose leaders are remembered. In a window of 60 cycles 16 SMs send some hundreds of reads. */
enum { JOIN_LINES = 1024 };

struct join *join_new(const struct gpu_config *c, tick_t period, uint32_t outputs, bool *bad)
{
    if (c->v[P_ICNT_JOIN] < 2) return NULL;
    struct join *j = calloc(1, sizeof *j);
    *bad = !j;
    if (!j) return NULL;
    j->most = (uint32_t)c->v[P_ICNT_JOIN];
    j->groups = (uint32_t)c->v[P_ICNT_JOIN_GROUPS];
    j->window = period * (tick_t)c->v[P_ICNT_JOIN_CYCLES];
    j->words = (outputs + 63) / 64;
    j->stopped = calloc(outputs, sizeof *j->stopped);
    j->full = calloc(j->words, sizeof *j->full);
    j->leader = calloc((size_t)j->groups * JOIN_LINES, sizeof *j->leader);
    *bad = !j->stopped || !j->full || !j->leader;
    list_init(&j->waiting);
    for (uint32_t i = 0; j->stopped && i < outputs; i++) list_init(&j->stopped[i]);
    return j;
}

void join_delete(struct join *j)
{
    if (!j) return;
    free(j->stopped);
    free(j->full);
    free(j->leader);
    free(j);
}

bool join_idle(const struct join *j)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < j->words; w++) any |= j->full[w];
    return !j->waiting.head && !any;
}

/* SMs come in pairs, and pairs are dealt out to the groups (docs/results/h200-memory.txt, pairs of SM 0). */
static struct join_entry *entry_of(struct join *j, const struct req *r)
{
    uint32_t group = r->sm / 2 % j->groups;
    uint64_t hash = r->line ^ r->line >> 10 ^ r->line >> 20;
    return &j->leader[group * JOIN_LINES + hash % JOIN_LINES];
}

static bool leads(const struct join *j, const struct join_entry *e, const struct req *r, tick_t now)
{
    return e->until > now && e->line == r->line && !(r->sectors & ~e->leader->sectors) &&
           e->leader->cache == r->cache && e->leader->leads + 1u < j->most;
}

void join_take(struct join *j, struct req *r, tick_t sent, tick_t now)
{
    if (r->kind == WL_LOAD) {
        struct join_entry *e = entry_of(j, r);
        if (leads(j, e, r, now)) {
            r->others = e->leader->others;
            e->leader->others = r;
            e->leader->leads++;
            j->joined++;
            return;
        }
        *e = (struct join_entry){r->line, sent + j->window, r};
    }
    r->leads = 0;
    r->others = NULL;
    r->ready = sent + j->window;
    list_push(&j->waiting, r);
}

static void send_stopped(struct join *j, struct port **out, tick_t latency, tick_t now)
{
    for (uint32_t w = 0; w < j->words; w++)
        for (uint64_t m = j->full[w]; m; m &= m - 1) {
            uint32_t o = w * 64 + bit_low64(m);
            while (j->stopped[o].head && port_can_push(out[o], now))
                port_push_after(out[o], list_pop(&j->stopped[o]), now + latency - 1);
            if (!j->stopped[o].head) j->full[w] &= ~(m & -m);
        }
}

tick_t join_release(struct join *j, struct port **out, tick_t latency, tick_t now)
{
    send_stopped(j, out, latency, now);
    while (j->waiting.head && j->waiting.head->ready <= now) {
        struct req *r = list_pop(&j->waiting);
        uint32_t o = r->slice;
        if (r->kind == WL_LOAD && entry_of(j, r)->leader == r) entry_of(j, r)->until = 0;
        if (join_open(j, o) && port_can_push(out[o], now)) port_push_after(out[o], r, now + latency - 1);
        else {
            list_push(&j->stopped[o], r);
            j->full[o >> 6] |= bit64(o & 63);
        }
    }
    return j->waiting.head ? j->waiting.head->ready : NEVER;
}
