/* pd.c - static protecting distance: a line stays for N accesses to its set.
 *
 * Idea (Duong, Zhao, Kim, Cammarota, Valero, Veidenbaum, MICRO 2012, with a fixed distance): lines that
 * are reused are reused within some number of accesses; keep each line that long after its last use,
 * let none displace it, and let requests that find no free line bypass the cache.
 *
 * State: the remaining distance of each line, ceil(log2(N+1)) bits. Kept here as the number of the
 * access after which the line is free, so that nothing is counted down. A line is protected during
 * the N accesses that follow its own; lines in flight count down from their insertion.
 * The distance counts accesses to the set, as proposed; scope=cache counts those to the whole cache, as
 * a paper that compared with it describes it. A hit starts the distance anew (rearm). Victims are the
 * least recently used of the free lines. */
#include "warpline/chain.h"

enum { DISTANCE, SCOPE, REARM };
enum { SCOPE_SET, SCOPE_CACHE };

static const struct wl_param pd_params[] = {
    [DISTANCE] = {"n", "accesses", 0, 16, 65535, NULL, "how long a line is protected; 0: LRU", "to be swept"},
    [SCOPE] = {"scope", "", 0, 0, 1, "set|cache", "whose accesses are counted", "the original: set"},
    [REARM] = {"rearm", "", 0, 1, 1, "no|yes", "a hit protects the line anew", "the original: yes"},
    WL_PARAM_END,
};

enum { N_BYPASSES, N_REARMED, N_UNREUSED };
static const struct wl_counter pd_counters[] = {
    [N_BYPASSES] = {"protected_bypasses", "requests",
                    "loads that bypassed the cache: every line of the set was protected"},
    [N_REARMED] = {"rearmed", "hits", "hits that protected their line anew"},
    [N_UNREUSED] = {"unreused", "lines", "lines evicted without a hit"},
    WL_COUNTER_END,
};

struct pd_line {
    uint64_t until; /* protected while the clock is below it */
    bool reused;
};

struct pd {
    struct wl_chain chain;
    uint64_t *clock;       /* [sets] accesses so far; with scope=cache only the first */
    struct pd_line line[]; /* [sets * max_ways]; behind it the clocks and the chain */
};

static size_t pd_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    size_t lines = wl_chain_entries(g);
    return sizeof(struct pd) + lines * sizeof(struct pd_line) + g->sets * sizeof(uint64_t) + lines * sizeof(uint16_t);
}

static bool pd_init(struct wl_cache *c, const char **why)
{
    (void)why;
    struct pd *s = c->self;
    s->clock = (uint64_t *)(s->line + wl_chain_entries(&c->g));
    wl_chain_init(&s->chain, (uint16_t *)(s->clock + c->g.sets), &c->g);
    return true;
}

static uint64_t pd_storage_bits(const struct wl_cache *c)
{
    return wl_bits_for((uint64_t)c->param[DISTANCE] + 1) * c->g.sets * c->g.max_ways;
}

static uint64_t *clock_of(const struct wl_cache *c, uint32_t set)
{
    return &((const struct pd *)c->self)->clock[c->param[SCOPE] == SCOPE_CACHE ? 0 : set];
}

static int pd_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *set)
{
    const struct pd *s = c->self;
    const uint16_t *order = s->chain.order + (size_t)a->set * c->g.max_ways;
    const struct pd_line *lines = s->line + (size_t)a->set * c->g.max_ways;
    uint64_t now = *clock_of(c, a->set);
    bool is_protected = false;
    int best = -1;
    for (uint32_t p = set->ways; p-- > 0;) {
        unsigned state = WL_STATE(set->state[order[p]]);
        if (state == WL_INVALID) return order[p];
        if (lines[order[p]].until > now) is_protected = true;
        else if (state == WL_VALID && best < 0) best = order[p];
    }
    if (best >= 0) return best;
    return is_protected ? WL_NO_WAY_BYPASS : WL_NO_WAY_STALL;
}

static void pd_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct pd *s = c->self;
    if (outcome == WL_STORED) return;
    uint64_t now = ++*clock_of(c, a->set);
    if (outcome == WL_BYPASSED) {
        c->count[N_BYPASSES]++;
        return;
    }
    struct pd_line *l = &s->line[(size_t)a->set * c->g.max_ways + (uint32_t)way];
    bool hit = outcome != WL_MISSED;
    wl_chain_touch(&s->chain, a->set, (uint32_t)way);
    l->reused = hit;
    if (hit && !c->param[REARM]) return;
    l->until = now + (uint64_t)c->param[DISTANCE];
    c->count[N_REARMED] += hit;
}

static void pd_on_leave(struct wl_cache *c, const struct wl_line *gone, enum wl_leave why, const struct wl_access *by)
{
    (void)by;
    struct pd_line *l = &((struct pd *)c->self)->line[(size_t)gone->set * c->g.max_ways + gone->way];
    if (why == WL_EVICTED) c->count[N_UNREUSED] += !l->reused;
    else l->until = 0;
}

extern const struct wl_cache_policy pd_policy;
const struct wl_cache_policy pd_policy = {
    .abi = WL_ABI,
    .name = "pd",
    .help = "static protecting distance: a line stays for n accesses to its set, others bypass",
    .levels = 1u << WL_L1,
    .params = pd_params,
    .counters = pd_counters,
    .bytes = pd_bytes,
    .init = pd_init,
    .storage_bits = pd_storage_bits,
    .victim = pd_victim,
    .on_access = pd_on_access,
    .on_leave = pd_on_leave,
    .on_kernel = wl_chain_on_kernel,
};
