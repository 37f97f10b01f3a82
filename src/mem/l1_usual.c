/* l1_usual.c - a load that hits or misses in the usual data cache.
 *
 * Nine loads of ten meet a cache of lines under LRU with none of the rules that a scheme, a texture cache or an older
 * simulator adds, and find either all they want or no line at all. They go through here: the same decisions in the same
 * order as in l1.c, without the questions whose answer is known, and LRU is told no more of them than it looks at. All
 * else, a merge, a line with some of the sectors, a bypass, goes through l1.c. */
#include "base/bits.h"
#include "mem/l1_priv.h"

static enum l1_outcome count_load(struct l1 *c, const struct req *r, enum l1_outcome outcome)
{
    c->warp = r->warp;
    c->loads[outcome]++;
    c->load_sectors[outcome] += bit_count32(r->touched);
    return outcome;
}

/* The way `at` is the request's, which fetches the sectors. */
static inline void take_way(struct l1 *c, struct req *r, const struct wl_access *a, uint32_t at, uint8_t sectors)
{
    struct tags *t = &c->tags;
    uint32_t first = a->set * t->ways;
    uint8_t dirty = t->sectors[at].dirty;
    bool evicts = WL_STATE(t->state[at]) == WL_VALID;
    WL_ASSERT(WL_STATE(t->state[at]) != WL_RESERVED && t->sectors[at].mshr == NO_MSHR && !t->sectors[at].pending);
    c->stats.evictions += evicts;
    if (dirty && evicts) l1_write_back(c, t->line[at], dirty);
    policy_access(&c->pol, a, WL_MISSED, (int)(at - first));
    t->filled[a->set] = (uint16_t)(t->filled[a->set] + !evicts);
    t->line[at] = r->line;
    if (t->mark) t->mark[at] = line_mark(r->line);
    t->state[at] = WL_RESERVED;
    uint32_t m = mshr_alloc(&c->mshr, at);
    t->sectors[at] = (struct line_sectors){.mshr = m, .pending = sectors};
    c->mshr.entry[m].count = 1;
    if (c->by_sector) sector_fetched(c, m, sectors, true);
    r->mshr = (uint16_t)m;
    r->sectors = sectors;
    l1_send(c, r);
}

enum l1_outcome l1_usual_load(struct l1 *c, struct req *r, uint64_t cycle, bool may_miss)
{
    struct tags *t = &c->tags;
    uint32_t set = t->index == INDEX_FERMI ? fermi_index(r->line, t->sets) : set_index(t->index, t->sets, r->line);
    uint8_t want = c->sectored ? r->touched : ALL_SECTORS;
    const struct wl_access a = {.line = r->line, .cycle = cycle, .set = set};
    int at = tags_find_set(t, set, r->line);
    if (at >= 0 && (t->sectors[at].valid & want) == want) { /* it is not INVALID */
        WL_ASSERT(!t->sectors[at].prefetched);
        c->busy_at = cycle;
        policy_access(&c->pol, &a, WL_HIT, at - (int)(set * t->ways));
        return count_load(c, r, L1_HIT);
    }
    if (at >= 0) return L1_AGAIN;
    c->busy_at = cycle;
    if (!may_miss) return l1_note_refusal(c, L1_GATED, set);
    struct wl_set ways = tags_view(t, set);
    int way = policy_victim(&c->pol, &a, &ways);
    if (way < 0) return l1_note_refusal(c, L1_NO_LINE, set);
    uint32_t place = set * t->ways + (uint32_t)way;
    if (mshr_full(&c->mshr)) return l1_note_refusal(c, L1_NO_MSHR, set);
    if (!l1_missq_room(c, t->sectors[place].dirty ? 2 : 1)) return l1_note_refusal(c, L1_NO_QUEUE, set);
    take_way(c, r, &a, place, want);
    return count_load(c, r, L1_MISSED);
}
