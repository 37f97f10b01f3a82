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
 * done when that line is evicted: all lines gain what the victim lacked to 7. Lines in flight age
 * with the others but are never victims. A merge is a hit.
 *
 * State and storage: `bits` per line (3: 96 bytes for 256 lines), the selector (10 bits) and the
 * counter of BRRIP insertions (5 bits). */
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

enum { INS_LONG, INS_DISTANT, AGED, DUEL /* WL_DUEL_COUNTERS of them */ };
static const struct wl_counter rrip_counters[] = {
    [INS_LONG] = {"insert_long", "lines", "lines inserted one below the furthest prediction"},
    [INS_DISTANT] = {"insert_distant", "lines", "lines inserted with the furthest prediction"},
    [AGED] = {"ageings", "evictions", "evictions that had to age their set first"},
    WL_DUEL_ROWS("srrip", "brrip"),
    WL_COUNTER_END,
};

struct rrip {
    struct wl_duel duel; /* SRRIP against BRRIP */
    uint32_t furthest;
    uint32_t brrip_insertions; /* since the last one that was not furthest */
    uint8_t rrpv[];            /* [sets * max_ways] */
};

static size_t rrip_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return sizeof(struct rrip) + (size_t)g->sets * g->max_ways;
}

static bool rrip_init(struct wl_cache *c, const char **why)
{
    struct rrip *r = c->self;
    const int64_t *v = c->param;
    r->furthest = (1u << v[RRIP_BITS]) - 1;
    memset(r->rrpv, (int)r->furthest, (size_t)c->g.sets * c->g.max_ways);
    return wl_duel_init(&r->duel, c->g.sets, v[RRIP_LEADERS], v[RRIP_PSEL_BITS], c->count + DUEL, why);
}

static uint64_t rrip_storage_bits(const struct wl_cache *c)
{
    const int64_t *v = c->param;
    return (uint64_t)v[RRIP_BITS] * c->g.sets * c->g.max_ways + (uint64_t)v[RRIP_PSEL_BITS] +
           wl_bits_for((uint64_t)v[RRIP_THROTTLE]);
}

static int rrip_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    const struct rrip *r = c->self;
    const uint8_t *v = r->rrpv + (size_t)a->set * c->g.max_ways;
    int best = WL_NO_WAY_STALL;
    for (uint32_t w = 0; w < s->ways; w++) {
        unsigned st = WL_STATE(s->state[w]);
        if (st == WL_INVALID) return (int)w;
        if (st == WL_VALID && (best < 0 || v[w] > v[best])) best = (int)w;
    }
    return best;
}

/* The victim was the furthest valid line: all age by what it lacked to the furthest value. */
static void rrip_on_leave(struct wl_cache *c, const struct wl_line *gone, enum wl_leave why, const struct wl_access *by)
{
    (void)by;
    struct rrip *r = c->self;
    uint8_t *v = r->rrpv + (size_t)gone->set * c->g.max_ways;
    uint32_t step = r->furthest - v[gone->way];
    if (why != WL_EVICTED || !step) return;
    c->count[AGED]++;
    for (uint32_t w = 0; w < c->g.ways; w++) v[w] = (uint8_t)(v[w] + step > r->furthest ? r->furthest : v[w] + step);
}

/* The prediction of a new line. */
static uint8_t first_guess(struct wl_cache *c, uint32_t set)
{
    struct rrip *r = c->self;
    bool brrip = c->param[RRIP_MODE] == MODE_DUEL ? wl_duel_miss(&r->duel, set) : c->param[RRIP_MODE] == MODE_BRRIP;
    bool nearer = !brrip || wl_every_nth(&r->brrip_insertions, c->param[RRIP_THROTTLE]);
    c->count[nearer ? INS_LONG : INS_DISTANT]++;
    return (uint8_t)(r->furthest - nearer);
}

static void rrip_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct rrip *r = c->self;
    if (outcome > WL_MISSED) return;
    uint8_t *v = &r->rrpv[(size_t)a->set * c->g.max_ways + (uint32_t)way];
    if (outcome == WL_MISSED) *v = first_guess(c, a->set);
    else if (c->param[RRIP_HIT] == HIT_PRIORITY) *v = 0;
    else if (*v) --*v;
}

extern const struct wl_cache_policy rrip_policy;
const struct wl_cache_policy rrip_policy = {
    .abi = WL_ABI,
    .name = "rrip",
    .help = "re-reference interval prediction: DRRIP, 3 bits, frequency priority",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .params = rrip_params,
    .counters = rrip_counters,
    .bytes = rrip_bytes,
    .init = rrip_init,
    .storage_bits = rrip_storage_bits,
    .victim = rrip_victim,
    .on_access = rrip_on_access,
    .on_leave = rrip_on_leave,
};
