/* mine.c - a cache policy and a warp scheduler of your own, outside the simulator's tree.
 *
 *     make
 *     ../../build/warpline run atax --size tiny --plugin ./mine.so --l1 random:seed=7 --sched oldest
 *
 * random: replaces a random line. Shows a parameter, a counter, and the rule that matters most:
 * victim() may be asked several times for one access, so it only looks at the current random
 * number; on_access(), called once per accepted access, moves on to the next when a line was taken.
 *
 * oldest: always the oldest warp that can issue; stateless. */
#include "warpline/plugin.h"

/* ---- random: a cache policy ---- */

struct random_policy {
    uint64_t state; /* xorshift; never 0 */
};

enum { SEED };
static const struct wl_param random_params[] = {
    [SEED] = {.name = "seed",
              .unit = "",
              .min = 1,
              .def = 1,
              .max = 1000000,
              .help = "start of the random sequence",
              .source = "arbitrary"},
    WL_PARAM_END,
};

enum { REPLACEMENTS };
static const struct wl_counter random_counters[] = {
    [REPLACEMENTS] = {.name = "replacements", .unit = "lines", .help = "valid lines that were replaced"},
    WL_COUNTER_END,
};

static size_t random_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)g, (void)param;
    return sizeof(struct random_policy);
}

/* Every cache has its own sequence, and every run the same ones. */
static bool random_init(struct wl_cache *c, const char **why)
{
    struct random_policy *p = c->self;
    (void)why;
    p->state = ((uint64_t)c->param[SEED] << 20) + c->g.index + 1;
    return true;
}

static int random_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    const struct random_policy *p = c->self;
    uint32_t start = (uint32_t)(p->state % s->ways);
    int best = WL_NO_WAY_STALL;
    (void)a;
    for (uint32_t i = 0; i < s->ways; i++) {
        uint32_t way = (start + i) % s->ways;
        unsigned state = WL_STATE(s->state[way]);
        if (state == WL_INVALID) return (int)way;
        if (state == WL_VALID && best < 0) best = (int)way;
    }
    return best;
}

static void random_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    struct random_policy *p = c->self;
    (void)a, (void)way;
    if (outcome != WL_MISSED) return;
    p->state ^= p->state << 13;
    p->state ^= p->state >> 7;
    p->state ^= p->state << 17;
}

static void random_on_leave(struct wl_cache *c, const struct wl_line *gone, enum wl_leave why,
                            const struct wl_access *by)
{
    (void)gone, (void)by;
    if (why == WL_EVICTED) c->count[REPLACEMENTS]++;
}

static const struct wl_cache_policy random_policy = {
    .abi = WL_ABI,
    .name = "random",
    .help = "replaces a random line of the set",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .params = random_params,
    .counters = random_counters,
    .bytes = random_bytes,
    .init = random_init,
    .victim = random_victim,
    .on_access = random_on_access,
    .on_leave = random_on_leave,
};

/* ---- oldest: a scheduler ---- */

static int oldest_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    (void)s;
    (void)scheduler;
    return (int)wl_oldest(v, candidates);
}

static const struct wl_sched_policy oldest_policy = {
    .abi = WL_ABI,
    .name = "oldest",
    .help = "always the oldest warp that can issue",
    .pick = oldest_pick,
};

/* ---- what the simulator looks for ---- */

static const struct wl_cache_policy *const caches[] = {&random_policy, NULL};
static const struct wl_sched_policy *const scheds[] = {&oldest_policy, NULL};

extern const struct wl_plugin wl_plugin;
const struct wl_plugin wl_plugin = {WL_ABI, sizeof(struct wl_plugin), "mine", caches, scheds};
