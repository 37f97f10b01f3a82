/* grain_tags.c - lookup, replacement and flush in a cache of grains.
 *
 * Lookup. A request of 32, 64 or 128 bytes compares the tags that a mask gives for its size and the
 * granularity: at 32 every chunk of it, at 64 the first of each pair, at 128 the first of the line. It hits
 * when one line has them all. Some, or all but in several lines, is a partial hit; what was found is
 * invalidated and the request fetches everything.
 *
 * Replacement. What is fetched is as large as the request and at least a grain. A whole line takes an
 * empty way or the least recently used line. Less than that looks at the lines of its region: the
 * first with free slots; else an empty way; else the slots least recently used among all lines of
 * the region; only when there is no such line does a foreign one go. Slots in flight never go.
 *
 * Flush. A finer granularity keeps everything, because each slot has a tag anyway. A coarser one
 * gives up all slots, or (retain) all but the blocks that are as large as the new grain; those are
 * moved to aligned slots. Fills under way are dropped when they arrive. */
#include "mem/grain_tags.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { REGION_SECTORS = WL_REGION_SHIFT - 5 };

struct grains *grain_create(uint32_t sets, uint32_t ways, const struct wl_grains *shape, struct wl_grain_stats *stats)
{
    struct grains *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    *g = (struct grains){.sets = sets,
                         .ways = ways,
                         .bytes = shape->bytes,
                         .single = shape->single,
                         .retain = shape->retain,
                         .bypass = shape->bypass,
                         .stats = stats};
    g->line = calloc((size_t)sets * ways, sizeof *g->line);
    if (!g->line) {
        free(g);
        return NULL;
    }
    grain_clear(g);
    return g;
}

void grain_destroy(struct grains *g)
{
    if (!g) return;
    free(g->line);
    free(g);
}

void grain_clear(struct grains *g)
{
    memset(g->line, 0, (size_t)g->sets * g->ways * sizeof *g->line);
    g->flush_at = g->sets * g->ways;
}

/* ---- addresses and masks ---- */

static uint64_t common_of(uint64_t sector) { return sector >> REGION_SECTORS; }

struct grain_split grain_split(uint64_t address, uint32_t sets)
{
    unsigned s = log2_floor(sets);
    uint32_t high = (uint32_t)(address >> (7 + s)) & ((1u << (WL_REGION_SHIFT - 7 - s)) - 1);
    return (struct grain_split){common_of(address >> 5), high << 2 | ((uint32_t)(address >> 5) & 3),
                                (uint32_t)(address >> 7) & (sets - 1)};
}

static unsigned class_of(uint32_t bytes) { return bytes >> 6; } /* 32, 64, 128: 0, 1, 2 */

uint8_t grain_tag_mask(uint32_t granularity, uint32_t bytes)
{
    static const uint8_t mask[3][3] = {{1, 3, 15}, {1, 1, 5}, {1, 1, 1}};
    return mask[class_of(granularity)][class_of(bytes)];
}

/* The least aligned block of at least `bytes` that has these sectors. */
static uint8_t block_of(uint8_t sectors, uint32_t bytes)
{
    if (bytes == 128) return GRAIN_ALL;
    return bytes == 32 ? sectors : sectors & 3 ? 3 : 12;
}

struct grain_want grain_want(const struct grains *g, uint64_t line, uint32_t set, uint8_t touched)
{
    uint32_t bytes = wl_request_bytes(touched), unit = bytes > g->bytes ? bytes : g->bytes;
    unsigned first = g->bytes == 128 ? 0 : (unsigned)bit_low32(block_of(touched, bytes));
    return (struct grain_want){.line = line,
                               .set = set,
                               .touched = touched,
                               .fetch = block_of(touched, unit),
                               .need = (uint8_t)(grain_tag_mask(g->bytes, bytes) << first)};
}

/* Slots to the whole units of the granularity they lie in. */
static uint8_t whole_units(const struct grains *g, uint8_t slots)
{
    if (g->bytes == 32 || !slots) return slots;
    if (g->bytes == 128) return GRAIN_ALL;
    return (uint8_t)((slots & 3 ? 3 : 0) | (slots & 12 ? 12 : 0));
}

static uint8_t slots_in_use(const struct grain_line *l) { return l->valid | l->reserved | l->doomed; }

/* The slots of the line among `slots` that hold one of these sectors; *exact: which ones. */
static uint8_t slots_with(const struct grain_line *l, uint8_t slots, uint64_t line, uint8_t sectors, uint8_t *exact)
{
    uint8_t found = 0;
    *exact = 0;
    for (; slots; slots &= (uint8_t)(slots - 1)) {
        unsigned i = (unsigned)bit_low32(slots), sector = (unsigned)l->sector[i] & 3;
        if (l->sector[i] >> 2 != line || !(sectors >> sector & 1)) continue;
        found |= (uint8_t)(1u << i);
        *exact |= (uint8_t)(1u << sector);
    }
    return found;
}

/* ---- lookup ---- */

/* Whether a load may look into the line: it is not empty, holds the region and waits for no data that a flush gave up.
 */
static bool line_visible(const struct grain_line *l, uint64_t common)
{
    return (l->valid | l->reserved) && !l->doomed && l->common == common;
}

enum grain_found grain_lookup(const struct grains *g, const struct grain_want *w, struct grain_place *p)
{
    uint64_t common = common_of(w->line << 2);
    bool some = false;
    for (uint32_t at = w->set * g->ways, end = at + g->ways; at < end; at++) {
        const struct grain_line *l = &g->line[at];
        if (!line_visible(l, common)) continue;
        uint8_t exact, slots = slots_with(l, l->valid | l->reserved, w->line, w->need, &exact);
        if (exact == w->need) {
            *p = (struct grain_place){at, whole_units(g, slots)};
            return p->slots & l->reserved ? GRAIN_PENDING : GRAIN_HIT;
        }
        some |= exact != 0;
        if (g->single && g->bytes < 128) break;
    }
    return some ? GRAIN_PARTIAL : GRAIN_MISS;
}

uint8_t grain_partial(const struct grains *g, const struct grain_want *w, uint32_t at)
{
    const struct grain_line *l = &g->line[at];
    uint64_t common = common_of(w->line << 2);
    if (!line_visible(l, common)) return 0;
    if (g->single)
        for (uint32_t before = w->set * g->ways; before < at; before++)
            if (line_visible(&g->line[before], common)) return 0;
    uint8_t exact;
    return whole_units(g, slots_with(l, l->valid | l->reserved, w->line, w->need, &exact));
}

/* ---- replacement ---- */

/* An empty way, else the least recently used line with nothing in flight; -1: none. */
static int line_victim(const struct grains *g, uint32_t set)
{
    int best = -1;
    for (uint32_t at = set * g->ways, end = at + g->ways; at < end; at++) {
        const struct grain_line *l = &g->line[at];
        if (!slots_in_use(l)) return (int)at;
        if (l->reserved | l->doomed) continue;
        if (best < 0 || l->last < g->line[best].last) best = (int)at;
    }
    return best;
}

/* n free slots of the line, the lowest; 0: it has fewer. */
static uint8_t free_slots(const struct grains *g, const struct grain_line *l, unsigned n)
{
    uint8_t room = (uint8_t)(GRAIN_ALL & ~slots_in_use(l));
    if (g->bytes == 64) return (room & 3) == 3 ? 3 : (room & 12) == 12 ? 12 : 0;
    if (bit_count32(room) < n) return 0;
    uint8_t slots = 0;
    for (; n; n--, room &= (uint8_t)(room - 1)) slots |= (uint8_t)(room & -room);
    return slots;
}

static uint64_t slot_age(const struct grain_line *l, unsigned slot)
{
    return l->valid >> slot & 1 ? l->stamp[slot] : 0;
}

/* The n slots (at 64 bytes: the pair) of the line that were used longest ago, and when the last of
 * them was; 0: too few can go. */
static uint8_t oldest_slots(const struct grains *g, const struct grain_line *l, unsigned n, uint64_t *when)
{
    uint8_t may = (uint8_t)(GRAIN_ALL & ~l->reserved), slots = 0;
    if (g->bytes == 64) {
        for (unsigned i = 0; i < GRAIN_SLOTS; i += 2) {
            uint64_t used = slot_age(l, i) > slot_age(l, i + 1) ? slot_age(l, i) : slot_age(l, i + 1);
            if ((may >> i & 3) != 3 || (slots && used >= *when)) continue;
            slots = (uint8_t)(3u << i);
            *when = used;
        }
        return slots;
    }
    if (bit_count32(may) < n) return 0;
    for (; n; n--) {
        unsigned best = GRAIN_SLOTS;
        for (uint8_t m = may & (uint8_t)~slots; m; m &= (uint8_t)(m - 1)) {
            unsigned i = (unsigned)bit_low32(m);
            if (best == GRAIN_SLOTS || slot_age(l, i) < slot_age(l, best)) best = i;
        }
        slots |= (uint8_t)(1u << best);
        *when = slot_age(l, best);
    }
    return slots;
}

static const uint8_t first_slots[] = {0, 1, 3, 7, 15};

/* Room for less than a line among the lines of its region. 1: found; 0: there is no such line, or all
 * of them are in flight; -1: the only line that may be used is in flight. */
static int region_room(const struct grains *g, const struct grain_want *w, unsigned n, struct grain_place *p)
{
    uint64_t common = common_of(w->line << 2), when = 0, best = 0;
    uint32_t start = w->set * g->ways, end = start + g->ways, empty = end;
    bool any = false;
    p->slots = 0;
    for (uint32_t at = start; at < end; at++) {
        const struct grain_line *l = &g->line[at];
        if (!slots_in_use(l) && empty == end) empty = at;
        if (!line_visible(l, common)) continue;
        any = true;
        uint8_t room = free_slots(g, l, n);
        if (room) {
            *p = (struct grain_place){at, room};
            return 1;
        }
        uint8_t old = oldest_slots(g, l, n, &when);
        if (old && (!p->slots || when < best)) {
            *p = (struct grain_place){at, old};
            best = when;
        }
        if (g->single) return old ? 1 : -1;
    }
    if (any && empty < end) *p = (struct grain_place){empty, first_slots[n]};
    return p->slots != 0;
}

bool grain_room(const struct grains *g, const struct grain_want *w, struct grain_place *p)
{
    unsigned n = bit_count32(w->fetch);
    if (n < GRAIN_SLOTS) {
        int found = region_room(g, w, n, p);
        if (found) return found > 0;
    } else if (g->single && g->bytes < 128) {
        for (uint32_t at = w->set * g->ways, end = at + g->ways; at < end; at++)
            if (line_visible(&g->line[at], common_of(w->line << 2))) {
                *p = (struct grain_place){at, GRAIN_ALL};
                return !g->line[at].reserved;
            }
    }
    int at = line_victim(g, w->set);
    if (at < 0) return false;
    *p = (struct grain_place){(uint32_t)at, first_slots[n]};
    return true;
}

/* A place in a line of the region takes only its slots; else the line is taken whole. */
static bool fetch_joins(const struct grains *g, const struct grain_want *w, const struct grain_place *p)
{
    return bit_count32(w->fetch) < GRAIN_SLOTS && line_visible(&g->line[p->at], common_of(w->line << 2));
}

uint8_t grain_loses(const struct grains *g, const struct grain_want *w, const struct grain_place *p)
{
    return g->line[p->at].valid & (fetch_joins(g, w, p) ? p->slots : GRAIN_ALL);
}

/* Counts what replacement takes; `whole`: the line goes, not only some slots of it. */
static void count_eviction(struct grains *g, const struct grain_line *l, uint8_t lost, bool whole)
{
    if (!lost) return;
    if (whole) g->stats->line_evictions++;
    else g->stats->chunk_evictions += bit_count32(lost);
    g->stats->evicted_chunks += bit_count32(lost);
    g->stats->referenced_chunks += bit_count32(lost & l->used);
}

static bool region_is_there(const struct grains *g, uint32_t set, uint64_t common)
{
    for (uint32_t at = set * g->ways, end = at + g->ways; at < end; at++)
        if (line_visible(&g->line[at], common)) return true;
    return false;
}

void grain_take(struct grains *g, const struct grain_want *w, const struct grain_place *p, uint32_t mshr)
{
    struct grain_line *l = &g->line[p->at];
    bool joined = fetch_joins(g, w, p);
    uint8_t lost = grain_loses(g, w, p), from = w->fetch;
    count_eviction(g, l, lost, !joined);
    if (!slots_in_use(l) && from != GRAIN_ALL && region_is_there(g, w->set, common_of(w->line << 2)))
        g->stats->opened_ways++;
    if (bit_count32(from) == 4) g->stats->fetch_128++;
    else if (bit_count32(from) == 2) g->stats->fetch_64++;
    else g->stats->fetch_32++;
    grain_kill(g, p->at, lost);
    l->common = common_of(w->line << 2);
    l->last = ++g->now;
    l->reserved |= p->slots;
    for (uint8_t to = p->slots; to; to &= (uint8_t)(to - 1), from &= (uint8_t)(from - 1)) {
        unsigned i = (unsigned)bit_low32(to), sector = (unsigned)bit_low32(from);
        l->sector[i] = w->line << 2 | sector;
        l->stamp[i] = g->now;
        l->mshr[i] = mshr;
        if (w->touched >> sector & 1) l->used |= (uint8_t)(1u << i);
    }
}

/* ---- what happens to slots ---- */

void grain_touch(struct grains *g, const struct grain_want *w, const struct grain_place *p)
{
    struct grain_line *l = &g->line[p->at];
    l->last = ++g->now;
    for (uint8_t m = p->slots; m; m &= (uint8_t)(m - 1)) {
        unsigned i = (unsigned)bit_low32(m);
        l->stamp[i] = g->now;
        l->used |= (uint8_t)((w->touched >> (l->sector[i] & 3) & 1) << i);
    }
}

void grain_arrived(struct grains *g, uint32_t at, uint32_t mshr)
{
    struct grain_line *l = &g->line[at];
    uint8_t slots = 0;
    for (uint8_t m = l->reserved | l->doomed; m; m &= (uint8_t)(m - 1))
        if (l->mshr[bit_low32(m)] == mshr) slots |= (uint8_t)(m & -m);
    g->stats->dropped_fills += (slots & l->doomed) != 0;
    l->valid |= slots & l->reserved;
    l->used &= (uint8_t) ~(slots & l->doomed);
    l->reserved &= (uint8_t)~slots;
    l->doomed &= (uint8_t)~slots;
}

void grain_kill(struct grains *g, uint32_t at, uint8_t slots)
{
    struct grain_line *l = &g->line[at];
    l->valid &= (uint8_t)~slots;
    l->dirty &= (uint8_t)~slots;
    l->used &= (uint8_t)~slots;
}

uint8_t grain_holds(const struct grains *g, uint32_t at, uint64_t line, uint8_t sectors, uint8_t *exact)
{
    const struct grain_line *l = &g->line[at];
    return whole_units(g, slots_with(l, l->valid, line, sectors, exact)) & l->valid;
}

void grain_dirty(struct grains *g, uint32_t at, uint64_t line, uint8_t sectors)
{
    struct grain_line *l = &g->line[at];
    uint8_t exact;
    l->dirty |= slots_with(l, l->valid, line, sectors, &exact);
}

bool grain_has_line(const struct grains *g, uint32_t set, uint64_t line)
{
    uint8_t exact;
    for (uint32_t at = set * g->ways, end = at + g->ways; at < end; at++)
        if (slots_with(&g->line[at], g->line[at].valid | g->line[at].reserved, line, GRAIN_ALL, &exact)) return true;
    return false;
}

uint32_t grain_parts(const struct grain_line *l, uint8_t slots, struct grain_part out[GRAIN_SLOTS])
{
    uint32_t n = 0;
    for (uint8_t m = slots; m; m &= (uint8_t)(m - 1)) {
        uint64_t sector = l->sector[bit_low32(m)];
        uint32_t i = 0;
        while (i < n && out[i].line != sector >> 2) i++;
        if (i == n) out[n++] = (struct grain_part){sector >> 2, 0};
        out[i].sectors |= (uint8_t)(1u << (sector & 3));
    }
    return n;
}

/* ---- change of granularity ---- */

void grain_change(struct grains *g, uint32_t bytes)
{
    if (bytes > g->bytes) {
        g->stats->flushes++;
        g->flush_at = 0;
    }
    g->bytes = bytes;
}

/* The valid slots that form complete, aligned blocks of a grain; none in a line that waits for data. */
static uint8_t complete_blocks(const struct grains *g, const struct grain_line *l)
{
    if (!g->retain || l->reserved || l->doomed) return 0;
    uint8_t kept = 0, exact;
    for (uint8_t m = l->valid; m; m &= (uint8_t)(m - 1)) {
        uint64_t sector = l->sector[bit_low32(m)];
        uint8_t block = block_of((uint8_t)(1u << (sector & 3)), g->bytes);
        uint8_t slots = slots_with(l, l->valid, sector >> 2, block, &exact);
        if (exact == block) kept |= slots;
    }
    return kept;
}

uint8_t grain_flushes(const struct grains *g)
{
    const struct grain_line *l = &g->line[g->flush_at];
    return l->valid & (uint8_t)~complete_blocks(g, l);
}

/* Moves the complete blocks of the line to aligned slots, in the order of their first sectors' slots. */
static void align_blocks(const struct grains *g, struct grain_line *l)
{
    struct grain_line old = *l;
    unsigned n = g->bytes / 32, next = 0;
    l->valid = l->dirty = l->used = 0;
    for (uint8_t m = old.valid; m; m &= (uint8_t)(m - 1)) {
        uint64_t first = old.sector[bit_low32(m)];
        if (first % n) continue;
        for (uint64_t s = first; s < first + n; s++, next++) {
            uint8_t exact;
            unsigned from = (unsigned)bit_low32(slots_with(&old, old.valid, s >> 2, (uint8_t)(1u << (s & 3)), &exact));
            l->sector[next] = s;
            l->stamp[next] = old.stamp[from];
            l->valid |= (uint8_t)(1u << next);
            l->dirty |= (uint8_t)((old.dirty >> from & 1) << next);
            l->used |= (uint8_t)((old.used >> from & 1) << next);
        }
    }
}

void grain_flush_line(struct grains *g)
{
    struct grain_line *l = &g->line[g->flush_at];
    uint8_t lost = grain_flushes(g);
    g->stats->flushed_chunks += bit_count32(lost);
    grain_kill(g, g->flush_at, lost);
    g->stats->kept_chunks += bit_count32(l->valid);
    if (l->valid) align_blocks(g, l);
    l->doomed |= l->reserved;
    l->reserved = 0;
    g->flush_at++;
}
