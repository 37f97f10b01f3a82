/* l1_grain.c - an L1D of grains: the same queues, MSHRs, stores and counters as l1.c over another tag store.
 *
 * At a granularity of 128 every outcome is that of l1.c with LRU. Below it, a fetch is as large as the
 * tag store says, an MSHR entry belongs to the slots that fetch fills, and a load joins it when all
 * its chunks are in one line and those in flight come with one entry. A partial hit invalidates what it
 * found and is tried again in the next cycle, when it is a miss. Dirty local data is written back line
 * of memory by line of memory, so that one packet never carries two. A flush takes as many cycles as it
 * has lines with dirty data; nothing is accepted before its end. */
#include "mem/l1_priv.h"

#include "base/bits.h"

/* ---- slots that are given up ---- */

/* Reports to the observer what the slots of a line held; `by`: the miss that replaced them. */
static void observe_lost(struct l1 *c, const struct wl_access *by, uint32_t at, const struct grain_line *old,
                         uint8_t slots)
{
    struct grain_part part[GRAIN_SLOTS];
    uint32_t n = grain_parts(old, slots, part);
    for (uint32_t i = 0; i < n; i++) {
        if (grain_has_line(c->grains, at / c->grains->ways, part[i].line))
            c->observer->part(c->observer, part[i].line, part[i].sectors);
        else if (by) c->observer->evict(c->observer, by, part[i].line);
        else c->observer->kill(c->observer, part[i].line);
    }
}

static void l1_kill_grains(struct l1 *c, uint32_t at, uint8_t slots)
{
    struct grain_line old = c->grains->line[at];
    grain_kill(c->grains, at, slots);
    if (c->observer) observe_lost(c, NULL, at, &old, slots);
}

static uint32_t write_backs(const struct grains *g, uint32_t at, uint8_t slots, struct grain_part out[GRAIN_SLOTS])
{
    return grain_parts(&g->line[at], slots & g->line[at].dirty, out);
}

/* ---- after acceptance ---- */

/* Goes on with a flush; L1_HIT: it is done, else the reason to wait. */
static enum l1_outcome flush_some(struct l1 *c)
{
    struct grains *g = c->grains;
    while (grain_flushing(g)) {
        struct grain_part w[GRAIN_SLOTS];
        uint32_t at = g->flush_at;
        struct grain_line old = g->line[at];
        uint8_t lost = grain_flushes(g);
        uint32_t n = write_backs(g, at, lost, w);
        if (!l1_missq_room(c, n)) return L1_NO_QUEUE;
        for (uint32_t i = 0; i < n; i++) l1_write_back(c, w[i].line, w[i].sectors);
        grain_flush_line(g);
        if (c->observer) observe_lost(c, NULL, at, &old, lost);
        if (n && grain_flushing(g)) return L1_AGAIN;
    }
    return L1_HIT;
}

static void grain_accepted(struct l1 *c, const struct wl_access *a, enum wl_outcome outcome)
{
    struct grains *g = c->grains;
    uint32_t size = wl_request_bytes(a->sectors);
    g->stats->size_32 += size == 32;
    g->stats->size_64 += size == 64;
    g->stats->size_128 += size == 128;
    g->stats->at_32 += g->bytes == 32;
    g->stats->at_64 += g->bytes == 64;
    g->stats->at_128 += g->bytes == 128;
    policy_access(&c->pol, a, outcome, -1);
    uint32_t bytes = policy_granularity(&c->pol, g->bytes);
    if (bytes == g->bytes) return;
    grain_change(g, bytes);
    flush_some(c);
}

static enum l1_outcome accept_load(struct l1 *c, const struct wl_access *a, enum wl_outcome outcome)
{
    grain_accepted(c, a, outcome);
    return outcome == WL_HIT ? L1_HIT : outcome == WL_MERGED ? L1_MERGED : L1_MISSED;
}

/* ---- loads ---- */

static enum l1_outcome grain_merge(struct l1 *c, struct req *r, const struct wl_access *a, const struct grain_want *w,
                                   const struct grain_place *p)
{
    const struct grain_line *l = &c->grains->line[p->at];
    uint8_t waits = p->slots & l->reserved;
    uint32_t entry = l->mshr[bit_low32(waits)];
    for (uint8_t m = waits; m; m &= (uint8_t)(m - 1))
        if (l->mshr[bit_low32(m)] != entry) return L1_NO_MERGE;
    if (!mshr_can_merge(&c->mshr, entry)) return L1_NO_MERGE;
    mshr_wait(&c->mshr, entry, r);
    grain_touch(c->grains, w, p);
    return accept_load(c, a, WL_MERGED);
}

/* A partial hit that need not wait: its data is fetched for it alone and not kept. */
static enum l1_outcome fetch_bypassing(struct l1 *c, struct req *r, const struct wl_access *a,
                                       const struct grain_want *w)
{
    if (!l1_missq_room(c, 1)) return L1_NO_QUEUE;
    r->bypass = true;
    r->sectors = w->fetch;
    l1_send(c, r);
    c->grains->stats->partial_bypasses++;
    return accept_load(c, a, WL_MISSED);
}

/* Invalidates what a partial hit found; chunks in flight must arrive first. */
static enum l1_outcome partial_hit(struct l1 *c, struct req *r, const struct wl_access *a, const struct grain_want *w)
{
    struct grains *g = c->grains;
    uint32_t start = w->set * g->ways, end = start + g->ways;
    uint8_t dirty = 0, waits = 0;
    for (uint32_t at = start; at < end; at++) {
        uint8_t slots = grain_partial(g, w, at);
        waits |= slots & g->line[at].reserved;
        struct grain_part out[GRAIN_SLOTS];
        if (slots && write_backs(g, at, slots, out)) dirty |= out[0].sectors; /* all of one line of memory */
    }
    if (waits) return g->bypass && !dirty ? fetch_bypassing(c, r, a, w) : L1_NO_MERGE;
    if (dirty && !l1_missq_room(c, 1)) return L1_NO_QUEUE;
    if (dirty) l1_write_back(c, w->line, dirty);
    for (uint32_t at = start; at < end; at++) {
        uint8_t slots = grain_partial(g, w, at);
        g->stats->partial_chunks += bit_count32(slots);
        l1_kill_grains(c, at, slots);
        if (slots && g->single) break; /* now the next line of the region would be the one to look at */
    }
    g->stats->partial_hits++;
    return L1_AGAIN;
}

static enum l1_outcome grain_miss(struct l1 *c, struct req *r, const struct wl_access *a, const struct grain_want *w)
{
    struct grains *g = c->grains;
    struct grain_place p;
    if (!grain_room(g, w, &p)) return L1_NO_LINE;
    if (mshr_full(&c->mshr)) return L1_NO_MSHR;
    struct grain_part out[GRAIN_SLOTS];
    uint8_t lost = grain_loses(g, w, &p);
    uint32_t n = write_backs(g, p.at, lost, out);
    if (!l1_missq_room(c, 1 + n)) return L1_NO_QUEUE;
    for (uint32_t i = 0; i < n; i++) l1_write_back(c, out[i].line, out[i].sectors);
    uint64_t lines_before = g->stats->line_evictions;
    r->mshr = (uint16_t)mshr_alloc(&c->mshr, p.at);
    c->mshr.entry[r->mshr].count = 1;
    struct grain_line old = g->line[p.at];
    grain_take(g, w, &p, r->mshr);
    if (c->observer) observe_lost(c, a, p.at, &old, lost);
    c->stats.evictions += g->stats->line_evictions - lines_before;
    r->sectors = w->fetch;
    l1_send(c, r);
    return accept_load(c, a, WL_MISSED);
}

enum l1_outcome grain_load(struct l1 *c, struct req *r, const struct wl_access *a, bool may_miss)
{
    enum l1_outcome flushed = flush_some(c);
    if (flushed != L1_HIT) return flushed;
    struct grain_want w = grain_want(c->grains, r->line, a->set, r->touched);
    struct grain_place p;
    enum grain_found found = grain_lookup(c->grains, &w, &p);
    if (found == GRAIN_PENDING && (may_miss || !c->gate_merges)) return grain_merge(c, r, a, &w, &p);
    if (found == GRAIN_HIT) {
        grain_touch(c->grains, &w, &p);
        return accept_load(c, a, WL_HIT);
    }
    if (!may_miss) return L1_GATED;
    return found == GRAIN_PARTIAL ? partial_hit(c, r, a, &w) : grain_miss(c, r, a, &w);
}

/* ---- stores ---- */

/* A store whose local data is all in this cache is done here; every other goes on, and its data here is invalidated. */
enum l1_outcome grain_store(struct l1 *c, struct req *r, const struct wl_access *a, bool *found)
{
    struct grains *g = c->grains;
    enum l1_outcome flushed = flush_some(c);
    if (flushed != L1_HIT) return flushed;
    uint32_t start = a->set * g->ways, end = start + g->ways;
    uint8_t any = 0, dirty = 0, exact;
    bool whole = false;
    for (uint32_t at = start; at < end; at++) {
        struct grain_part out[GRAIN_SLOTS];
        uint8_t slots = grain_holds(g, at, r->line, r->sectors, &exact);
        if (!slots) continue;
        any = 1;
        if (r->space == WL_LOCAL && exact == r->sectors) {
            grain_dirty(g, at, r->line, r->sectors);
            whole = true;
            break;
        }
        if (write_backs(g, at, slots, out)) dirty |= out[0].sectors;
    }
    if (whole) {
        r->is_reply = true;
    } else {
        if (!l1_missq_room(c, dirty ? 2 : 1)) return L1_NO_QUEUE;
        if (dirty) l1_write_back(c, r->line, dirty);
        for (uint32_t at = start; any && at < end; at++)
            l1_kill_grains(c, at, grain_holds(g, at, r->line, r->sectors, &exact));
        l1_send(c, r);
    }
    *found = any;
    grain_accepted(c, a, WL_STORED);
    return L1_STORED;
}

/* ---- fills ---- */

void grain_fill(struct l1 *c, struct req *reply, struct req_list *done)
{
    uint32_t m = reply->mshr;
    grain_arrived(c->grains, c->mshr.entry[m].at, m);
    list_push(done, reply);
    list_join(done, &c->mshr.entry[m].waiting);
    mshr_release(&c->mshr, m);
    c->stats.fills++;
}
