/* rrip.c - DRRIP: each line carries a guess of how far away its next use is.
 *
 * Idea (Jaleel et al., ISCA 2010; "RRIP" in DaCache): a line has a re-reference prediction value
 * of 3 bits, 0 = soon, 7 = in the distant future. A new line is guessed to be far but not
 * furthest (6, SRRIP), so that a scan passes through without pushing out what is used; when the
 * working set thrashes it is guessed furthest (7, BRRIP) with one in 32 at 6. Sets duel for the two
 * as in dip.c. The victim is a line with value 7; when there is none all lines of the set age
 * until one has it. A hit lowers the value by one (frequency priority, what DaCache configured)
 * or to 0 (hit priority).
 *
 * Ageing belongs to the replacement, not to the search for it: a request that is refused for want
 * of an MSHR must leave no trace. The search therefore takes the lowest way with the highest value
 * among the valid lines, which is the one that ageing would have found, and the ageing itself is
 * done when that line is evicted: everybody gains what the victim lacked to 7. Lines in flight age
 * with the others but are never victims. A merge is a hit.
 *
 * State and storage: `bits` a line (3: 96 bytes for 256 lines), the selector (10 bits) and the
 * counter of BRRIP insertions (5 bits). */
#include <stdlib.h>
#include <string.h>

#include "warpline/duel.h"
#include "warpline/policy.h"

enum { RRIP_MODE, RRIP_BITS, RRIP_HIT, RRIP_THROTTLE, RRIP_LEADERS, RRIP_PSEL_BITS };
enum { MODE_DUEL, MODE_SRRIP, MODE_BRRIP };
enum { HIT_FREQUENCY, HIT_PRIORITY };

static const struct wl_param rrip_params[] = {
    {"mode", "", 0, 0, 2, "duel|srrip|brrip", "who decides how lines are inserted", "ISCA 2010: duel (DRRIP)"},
    {"bits", "bits", 1, 3, 7, NULL, "width of the prediction of a line", "DaCache, section 5: M = 3"},
    {"hit", "", 0, 0, 1, "fp|hp", "a hit lowers the prediction by one, or to 0",
     "DaCache, section 5: frequency priority"},
    {"brrip_throttle", "insertions", 0, 32, 65536, NULL, "every n-th BRRIP insertion is not furthest; 0: none",
     "ISCA 2010: 1/32"},
    {"leaders", "sets", 1, 4, 1024, NULL, "sets that always use SRRIP, and as many BRRIP", "as DIP"},
    {"psel_bits", "bits", 2, 10, 16, NULL, "width of the selector", "ISCA 2010"},
    WL_PARAM_END,
};

enum { INS_LONG, INS_DISTANT, AGED, LEADER_S, LEADER_B, B_FOLLOWED, PSEL_NOW, RRIP_COUNTERS };
static const struct wl_counter rrip_counters[] = {
    [INS_LONG] = {"insert_long", "lines", "lines inserted one below the furthest prediction"},
    [INS_DISTANT] = {"insert_distant", "lines", "lines inserted with the furthest prediction"},
    [AGED] = {"ageings", "evictions", "evictions that had to age their set first"},
    [LEADER_S] = {"leader_misses_srrip", "misses", "misses in sets that lead for SRRIP"},
    [LEADER_B] = {"leader_misses_brrip", "misses", "misses in sets that lead for BRRIP"},
    [B_FOLLOWED] = {"followed_brrip", "misses", "misses in following sets while BRRIP was winning"},
    [PSEL_NOW] = {"psel", "", "the selector at the end, summed over caches"},
    WL_COUNTER_END,
};

struct rrip {
    struct wl_duel duel; /* SRRIP against BRRIP */
    uint32_t sets, ways, throttle, mode, bits, furthest;
    bool hit_priority;
    uint32_t brrip_insertions;
    uint64_t count[RRIP_COUNTERS];
    uint8_t rrpv[]; /* [sets * ways] */
};

static void *rrip_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    if (g->sets < 2 * values[RRIP_LEADERS]) {
        *why = "each group of sets needs two leaders: lower 'leaders'";
        return NULL;
    }
    struct rrip *r = calloc(1, sizeof *r + (size_t)g->sets * g->ways);
    if (!r) {
        *why = "out of memory";
        return NULL;
    }
    r->sets = g->sets;
    r->ways = g->ways;
    r->throttle = (uint32_t)values[RRIP_THROTTLE];
    r->mode = (uint32_t)values[RRIP_MODE];
    r->bits = (uint32_t)values[RRIP_BITS];
    r->furthest = (1u << r->bits) - 1;
    r->hit_priority = values[RRIP_HIT] == HIT_PRIORITY;
    wl_duel_init(&r->duel, g->sets, (uint32_t)values[RRIP_LEADERS], (uint32_t)values[RRIP_PSEL_BITS]);
    memset(r->rrpv, (int)r->furthest, (size_t)g->sets * g->ways);
    return r;
}

static uint64_t rrip_storage_bits(const void *self)
{
    const struct rrip *r = self;
    uint64_t counter = 0;
    while ((UINT64_C(1) << counter) < r->throttle) counter++;
    return (uint64_t)r->bits * r->sets * r->ways + r->duel.psel_bits + counter;
}

static void rrip_read_counters(const void *self, uint64_t *out)
{
    const struct rrip *r = self;
    for (unsigned i = 0; i < RRIP_COUNTERS; i++) out[i] = r->count[i];
    out[LEADER_S] = r->duel.leader_misses[0];
    out[LEADER_B] = r->duel.leader_misses[1];
    out[B_FOLLOWED] = r->duel.followed;
    out[PSEL_NOW] = r->duel.psel;
}

static int rrip_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    const struct rrip *r = self;
    const uint8_t *v = r->rrpv + (size_t)a->set * r->ways;
    int best = WL_NO_WAY_STALL;
    for (uint32_t w = 0; w < r->ways; w++) {
        unsigned st = WL_STATE(s->state[w]);
        if (st == WL_INVALID) return (int)w;
        if (st == WL_VALID && (best < 0 || v[w] > v[best])) best = (int)w;
    }
    return best;
}

static void rrip_on_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)merged;
    struct rrip *r = self;
    uint8_t *v = &r->rrpv[(size_t)a->set * r->ways + way];
    if (r->hit_priority) *v = 0;
    else if (*v) --*v;
}

/* The victim was the furthest valid line: all age by what it lacked to the furthest value. */
static void rrip_on_evict(void *self, const struct wl_access *a, uint32_t way, uint64_t line, uint8_t state)
{
    (void)line;
    (void)state;
    struct rrip *r = self;
    uint8_t *v = r->rrpv + (size_t)a->set * r->ways;
    uint32_t step = r->furthest - v[way];
    if (!step) return;
    r->count[AGED]++;
    for (uint32_t w = 0; w < r->ways; w++) v[w] = (uint8_t)(v[w] + step > r->furthest ? r->furthest : v[w] + step);
}

static bool brrip_inserts_nearer(struct rrip *r)
{
    if (!r->throttle || ++r->brrip_insertions < r->throttle) return false;
    r->brrip_insertions = 0;
    return true;
}

static void rrip_on_insert(void *self, const struct wl_access *a, uint32_t way)
{
    struct rrip *r = self;
    bool brrip = r->mode == MODE_DUEL ? wl_duel_miss(&r->duel, a->set) : r->mode == MODE_BRRIP;
    bool nearer = !brrip || brrip_inserts_nearer(r);
    r->count[nearer ? INS_LONG : INS_DISTANT]++;
    r->rrpv[(size_t)a->set * r->ways + way] = (uint8_t)(r->furthest - nearer);
}

extern const struct wl_cache_policy rrip_policy;
const struct wl_cache_policy rrip_policy = {
    .abi = WL_ABI,
    .name = "rrip",
    .help = "re-reference interval prediction: DRRIP, 3 bits, frequency priority",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .params = rrip_params,
    .counters = rrip_counters,
    .create = rrip_create,
    .destroy = free,
    .storage_bits = rrip_storage_bits,
    .read_counters = rrip_read_counters,
    .victim = rrip_victim,
    .on_hit = rrip_on_hit,
    .on_evict = rrip_on_evict,
    .on_insert = rrip_on_insert,
};
