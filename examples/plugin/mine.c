/* mine.c - a cache policy and a warp scheduler of your own, outside the simulator's tree.
 *
 *     make
 *     warpline run atax --size tiny --plugin ./mine.so --l1 random:seed=7 --sched oldest
 *
 * random: replaces a random line. Shows a parameter, a counter, and the rule that matters most:
 * victim() may be asked several times for one access, so it only looks at the current random
 * number; on_insert(), called once per accepted miss, moves on to the next.
 *
 * oldest: always the oldest warp that can issue; stateless. */
#include <stdlib.h>

#include "warpline/plugin.h"

/* ---- random: a cache policy ---- */

struct random_policy {
    uint64_t state; /* xorshift; never 0 */
    uint64_t replacements;
};

enum { SEED };
static const struct wl_param random_params[] = {
    {"seed", "", 1, 1, 1000000, NULL, "start of the random sequence", "arbitrary"},
    WL_PARAM_END,
};

static const struct wl_counter random_counters[] = {
    {"replacements", "lines", "valid lines that were replaced"},
    WL_COUNTER_END,
};

static void *random_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    struct random_policy *p = calloc(1, sizeof *p);
    if (!p) {
        *why = "out of memory";
        return NULL;
    }
    /* Every cache has its own sequence, and every run the same ones. */
    p->state = ((uint64_t)values[SEED] << 20) + g->index + 1;
    return p;
}

static int random_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    const struct random_policy *p = self;
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

static void random_on_insert(void *self, const struct wl_access *a, uint32_t way)
{
    struct random_policy *p = self;
    (void)a;
    (void)way;
    p->state ^= p->state << 13;
    p->state ^= p->state >> 7;
    p->state ^= p->state << 17;
}

static void random_on_evict(void *self, const struct wl_access *a, uint32_t way, uint64_t line, uint8_t state)
{
    (void)a;
    (void)way;
    (void)line;
    (void)state;
    ((struct random_policy *)self)->replacements++;
}

static void random_read_counters(const void *self, uint64_t *out)
{
    out[0] = ((const struct random_policy *)self)->replacements;
}

static const struct wl_cache_policy random_policy = {
    .abi = WL_ABI,
    .name = "random",
    .help = "replaces a random line of the set",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .params = random_params,
    .counters = random_counters,
    .create = random_create,
    .destroy = free,
    .read_counters = random_read_counters,
    .victim = random_victim,
    .on_insert = random_on_insert,
    .on_evict = random_on_evict,
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
