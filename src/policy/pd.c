/* pd.c - static protecting distance: a line stays for N accesses to its set.
 *
 * Idea (Duong, Zhao, Kim, Cammarota, Valero, Veidenbaum, MICRO 2012, with a fixed distance): lines that
 * are reused are reused within some number of accesses; keep each line that long after its last use,
 * let none displace it, and send requests that find no free line past the cache.
 *
 * State: the remaining distance of each line, ceil(log2(N+1)) bits. Kept here as the number of the
 * access after which the line is free, so that nothing is counted down. A line is protected during
 * the N accesses that follow its own; lines in flight count down from their insertion.
 * The distance counts accesses to the set, as proposed; scope=cache counts those to the whole cache, as
 * a paper that compared with it describes it. A hit starts the distance anew (rearm). Victims are the
 * least recently used of the free lines. */
#include <stdlib.h>

#include "warpline/policy.h"

enum { DISTANCE, SCOPE, REARM };
enum { SCOPE_SET, SCOPE_CACHE };

static const struct wl_param pd_params[] = {
    [DISTANCE] = {"n", "accesses", 0, 16, 65535, NULL, "how long a line is protected; 0: LRU", "to be swept"},
    [SCOPE] = {"scope", "", 0, 0, 1, "set|cache", "whose accesses are counted", "the original: set"},
    [REARM] = {"rearm", "", 0, 1, 1, "no|yes", "a hit protects the line anew", "the original: yes"},
    WL_PARAM_END,
};

enum { N_BYPASSES, N_REARMED, N_UNREUSED, N_COUNTERS };
static const struct wl_counter pd_counters[] = {
    [N_BYPASSES] = {"protected_bypasses", "requests", "loads sent past the cache: every line of the set was protected"},
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
    uint32_t sets;
    uint64_t distance;
    bool per_cache, rearm;
    uint64_t count[N_COUNTERS];
    uint64_t *clock; /* [sets] accesses so far; with scope=cache only the first */
    struct pd_line *line;
    uint16_t order[];
};

static void pd_destroy(void *self)
{
    struct pd *s = self;
    free(s->clock);
    free(s->line);
    free(s);
}

static void *pd_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    size_t lines = (size_t)g->sets * g->ways;
    struct pd *s = calloc(1, sizeof *s + lines * sizeof s->order[0]);
    *why = "out of memory";
    if (!s) return NULL;
    s->sets = g->sets;
    s->distance = (uint64_t)values[DISTANCE];
    s->per_cache = values[SCOPE] == SCOPE_CACHE;
    s->rearm = values[REARM];
    s->clock = calloc(g->sets, sizeof *s->clock);
    s->line = calloc(lines, sizeof *s->line);
    if (!s->clock || !s->line) return pd_destroy(s), NULL;
    wl_chain_init(&s->chain, s->order, g->sets, g->ways);
    return s;
}

static uint64_t pd_storage_bits(const void *self)
{
    const struct pd *s = self;
    uint64_t bits = 0;
    while ((UINT64_C(1) << bits) < s->distance + 1) bits++;
    return bits * s->sets * s->chain.ways;
}

static void pd_read_counters(const void *self, uint64_t *out)
{
    for (unsigned i = 0; i < N_COUNTERS; i++) out[i] = ((const struct pd *)self)->count[i];
}

static uint64_t *clock_of(const struct pd *s, uint32_t set) { return &s->clock[s->per_cache ? 0 : set]; }

static int pd_victim(void *self, const struct wl_access *a, const struct wl_set *set)
{
    const struct pd *s = self;
    const uint16_t *order = s->chain.order + (size_t)a->set * s->chain.ways;
    const struct pd_line *lines = s->line + (size_t)a->set * s->chain.ways;
    uint64_t now = *clock_of(s, a->set);
    bool is_protected = false;
    int best = -1;
    for (uint32_t p = s->chain.ways; p-- > 0;) {
        unsigned state = WL_STATE(set->state[order[p]]);
        if (state == WL_INVALID) return order[p];
        if (lines[order[p]].until > now) is_protected = true;
        else if (state == WL_VALID && best < 0) best = order[p];
    }
    if (best >= 0) return best;
    return is_protected ? WL_NO_WAY_BYPASS : WL_NO_WAY_STALL;
}

static void pd_on_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)merged;
    struct pd *s = self;
    struct pd_line *l = &s->line[a->set * s->chain.ways + way];
    uint64_t now = ++*clock_of(s, a->set);
    wl_chain_touch(&s->chain, a->set, way);
    l->reused = true;
    if (!s->rearm) return;
    l->until = now + s->distance;
    s->count[N_REARMED]++;
}

static void pd_on_insert(void *self, const struct wl_access *a, uint32_t way)
{
    struct pd *s = self;
    uint64_t now = ++*clock_of(s, a->set);
    wl_chain_touch(&s->chain, a->set, way);
    s->line[a->set * s->chain.ways + way] = (struct pd_line){.until = now + s->distance};
}

static void pd_on_evict(void *self, const struct wl_access *a, uint32_t way, uint64_t line, uint8_t state)
{
    (void)line, (void)state;
    struct pd *s = self;
    s->count[N_UNREUSED] += !s->line[a->set * s->chain.ways + way].reused;
}

static void pd_on_bypass(void *self, const struct wl_access *a)
{
    struct pd *s = self;
    ++*clock_of(s, a->set);
    s->count[N_BYPASSES]++;
}

static void pd_on_kill(void *self, uint32_t set, uint32_t way)
{
    struct pd *s = self;
    s->line[set * s->chain.ways + way].until = 0;
}

extern const struct wl_cache_policy pd_policy;
const struct wl_cache_policy pd_policy = {
    .abi = WL_ABI,
    .name = "pd",
    .help = "static protecting distance: a line stays for n accesses to its set, others bypass",
    .levels = 1u << WL_L1,
    .params = pd_params,
    .counters = pd_counters,
    .create = pd_create,
    .destroy = pd_destroy,
    .storage_bits = pd_storage_bits,
    .read_counters = pd_read_counters,
    .victim = pd_victim,
    .on_hit = pd_on_hit,
    .on_evict = pd_on_evict,
    .on_insert = pd_on_insert,
    .on_bypass = pd_on_bypass,
    .on_kill = pd_on_kill,
};
