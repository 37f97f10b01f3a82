/* l2_build.c - a slice of the L2 is built, described and checked: what is not done cycle by cycle (l2.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem/l2_halves.h"
#include "mem/net.h"

/* ---- services for the policy ---- */

static struct wl_fill l2_occupancy(const struct wl_cache *w)
{
    const struct l2 *s = (const struct l2 *)(const void *)w;
    return (struct wl_fill){s->mshr_sectors, s->mshr_limit, s->missq_used, s->missq_cap};
}

static bool no_prefetch(struct wl_cache *w, uint64_t line)
{
    (void)w, (void)line;
    return false;
}

static const struct wl_host services = {l2_occupancy, no_prefetch};

/* ---- building ---- */

static int make_policy(struct l2 *s, const struct gpu_config *c, struct wl_err *e)
{
    const int64_t *v = c->v;
    struct wl_geometry g = {.level = WL_L2,
                            .index = s->index,
                            .sets = s->tags.sets,
                            .ways = s->tags.ways,
                            .max_ways = s->tags.ways,
                            .line_bytes = LINE_BYTES,
                            .sms = (uint32_t)v[P_SM_COUNT],
                            .schedulers = (uint32_t)v[P_SM_SCHEDULERS],
                            .warps = (uint32_t)v[P_SM_WARPS],
                            .warp_size = 32};
    return policy_open(&s->pol, &c->l2, &g, &s->shared, &services, s->part.clock->breach, e);
}

/* Hints to the host: a request comes, a fill comes. */
static void warm_access(const struct part *p, const struct req *r, bool pushed)
{
    (void)pushed;
    const struct l2 *s = (const struct l2 *)(const void *)((const char *)p - offsetof(struct l2, part));
    tags_warm(&s->tags, r->set);
    __builtin_prefetch(r->next);
}

static void warm_fill(const struct part *p, const struct req *r, bool pushed)
{
    (void)pushed;
    const struct l2 *s = (const struct l2 *)(const void *)((const char *)p - offsetof(struct l2, part));
    __builtin_prefetch(&s->mshr.entry[r->l2_mshr]);
    __builtin_prefetch(r->next);
}

void l2_warm_ports(struct l2 *s)
{
    if (!s->tags.large) return;
    s->in.warm = warm_access;
    s->fill.warm = warm_fill;
}

int l2_init(struct l2 *s, const struct gpu_config *c, uint32_t index, const struct addrmap *map,
            const struct nvm_map *nvm, struct req_pool *pool, struct wl_err *e)
{
    const int64_t *v = c->v;
    s->index = index;
    s->map = map;
    s->nvm = nvm;
    s->pool = pool;
    s->sectored = v[P_L2_SECTORED];
    s->write = (enum l2_write)v[P_L2_WRITE];
    for (uint32_t i = 0; i <= LINE_SECTORS; i++)
        s->port_ticks[i] = s->part.period * (i * SECTOR_BYTES / (uint32_t)v[P_L2_PORT]);
    s->port_time = s->sectored ? L2_PAY_REQUEST : (enum l2_port_time)v[P_L2_PORT_TIME];
    s->forward_pending = v[P_L2_PENDING_STORE] == 1;
    s->await_pending = v[P_L2_PENDING_STORE] == 2;
    s->by_sector = v[P_SM_COALESCE] == 3 && v[P_L2_SECTORED];
    s->late_ack = v[P_L2_ACK];
    s->worst = v[P_L2_MISSQ_RULE];
    s->stop_all = v[P_L2_MEMQ_STOPS];
    s->hop = v[P_L2_HOP];
    s->texture_skips = v[P_L2_TEXTURE];
    s->queue_cap = v[P_L2_ENTRY] ? (uint32_t)v[P_L2_INQ] : 0;
    s->promote = (uint8_t)v[P_L2_PROMOTE];
    s->mshr_limit = (uint32_t)v[P_L2_MSHR];
    s->missq_cap = (uint32_t)v[P_L2_MISSQ];
    s->last = NEVER;
    list_init(&s->missq);
    list_init(&s->done);
    list_init(&s->queue);
    list_init(&s->rop);
    list_init(&s->outq);
    s->outq_cap = v[P_ICNT_IN_FLITS] ? (uint32_t)v[P_L2_OUTQ] : 0;
    s->spaced = v[P_ICNT_SENDS];
    s->plain = !(s->late_ack || s->stop_all || s->hop || s->queue_cap || s->outq_cap);
    uint32_t sets = (uint32_t)v[P_L2_SETS], ways = (uint32_t)v[P_L2_WAYS];
    s->written = calloc((size_t)sets * ways, sizeof *s->written);
    s->bypassing = malloc(sets * sizeof *s->bypassing);
    if (!s->written || !s->bypassing || tags_init(&s->tags, sets, ways, (enum index_fn)v[P_L2_INDEX], false) ||
        mshr_init(&s->mshr, s->mshr_limit, (uint32_t)v[P_L2_MERGE]))
        return wl_fail(e, WL_ERUN, "out of memory");
    memset(s->bypassing, 0xff, sets * sizeof *s->bypassing);
    return make_policy(s, c, e);
}

/* A policy that is called at the end of an epoch, or one of a plugin, may look at the queue of misses (wl_occupancy).
 */
void l2_destroy(struct l2 *s)
{
    policy_close(&s->pol);
    tags_destroy(&s->tags);
    mshr_destroy(&s->mshr);
    free(s->written);
    free(s->bypassing);
    l2_half_destroy(s);
}

/* ---- for the machine ---- */

bool l2_idle(const struct l2 *s)
{
    return !s->missq.head && !s->done.head && !s->queue.head && !s->rop.head && !s->outq.head && port_empty(&s->in) &&
           port_empty(&s->fill) && s->mshr.used == 0 && s->mshr_sectors == 0 && l2_half_idle(s);
}

void l2_describe(const struct l2 *s, char *out, size_t size)
{
    static const char *const why[] = {"nothing", "a free MSHR",    "room to merge",
                                      "a way",   "the miss queue", "the network"};
    snprintf(out, size, "L2 slice %u: %u requests queued, oldest waits for %s; %u MSHRs used, %u in the miss queue",
             s->index, s->in.used + s->queue_used, why[s->stalled], s->mshr.used, s->missq_used);
}

/* ---- consistency checks ---- */

static uint32_t list_length(const struct req_list *l)
{
    uint32_t n = 0;
    for (const struct req *r = l->head; r; r = r->next) n++;
    return n;
}

static void walk_line(const struct l2 *s, uint32_t set, uint32_t at)
{
    const struct tags *t = &s->tags;
    const struct line_sectors *l = &t->sectors[at];
    unsigned state = WL_STATE(t->state[at]);
    WL_VERIFY((state == WL_RESERVED) == (l->pending != 0) && !(s->sectored && l->valid & l->pending));
    WL_VERIFY((l->mshr != NO_MSHR) == (l->pending != 0));
    WL_VERIFY(l->mshr == NO_MSHR || (l->mshr < s->mshr.entries && s->mshr.entry[l->mshr].at == at));
    WL_VERIFY(state == WL_INVALID || tags_find(t, set, t->line[at]) == (int)at);
}

void l2_walk(const struct l2 *s)
{
    const struct tags *t = &s->tags;
    uint32_t entries = 0, sectors = 0, bypassing = 0;
    WL_VERIFY(list_length(&s->missq) == s->missq_used && s->missq_used <= s->missq_cap);
    WL_VERIFY(list_length(&s->queue) == s->queue_used && s->queue_used <= s->queue_cap);
    WL_VERIFY(list_length(&s->outq) == s->outq_used && s->outq_used <= s->outq_cap);
    WL_VERIFY(mshr_count_free(&s->mshr) + s->mshr.used == s->mshr.entries);
    for (uint32_t set = 0; set < t->sets; set++) {
        uint32_t filled = 0;
        for (uint32_t at = set * t->ways; at < (set + 1) * t->ways; at++) {
            walk_line(s, set, at);
            filled += WL_STATE(t->state[at]) != WL_INVALID;
            entries += t->sectors[at].mshr != NO_MSHR;
            sectors += l2_weight(s, t->sectors[at].pending);
        }
        WL_VERIFY(filled == t->filled[set]);
        for (uint32_t m = s->bypassing[set]; m != NO_MSHR; m = s->mshr.entry[m].next_bypass) {
            sectors += l2_weight(s, s->mshr.entry[m].sectors);
            bypassing++;
        }
    }
    l2_half_walk(s);
    WL_VERIFY(bypassing == s->bypassing_used && entries + bypassing == s->mshr.used && sectors == s->mshr_sectors);
}
