/* broken_plugin.c - policies that break the contract of warpline/policy.h, each in the way its parameter names. */
#include "warpline/grain.h"
#include "warpline/plugin.h"

enum { FAULT };
enum { NONE, OUT_OF_RANGE, NEGATIVE, RESERVED, FICKLE, DECISION, UNDECIDED, NO_REASON };
static const struct wl_param broken_params[] = {
    {"fault", "", 0, 0, 7, "none|out_of_range|negative|reserved|fickle|decision|undecided|no_reason", "what is wrong",
     ""},
    WL_PARAM_END,
};

static int asked; /* state where it must not be */

static bool broken_init(struct wl_cache *c, const char **why)
{
    (void)why;
    return c->param[FAULT] != NO_REASON;
}

/* The lowest way that may be taken. */
static int good_way(const struct wl_set *s)
{
    for (uint32_t w = 0; w < s->ways; w++)
        if (WL_STATE(s->state[w]) != WL_RESERVED) return (int)w;
    return WL_NO_WAY_STALL;
}

static int reserved_way(const struct wl_set *s)
{
    for (uint32_t w = 0; w < s->ways; w++)
        if (WL_STATE(s->state[w]) == WL_RESERVED) return (int)w;
    return good_way(s);
}

static int broken_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    (void)a;
    switch (c->param[FAULT]) {
    case OUT_OF_RANGE: return (int)s->ways;
    case NEGATIVE: return -7;
    case RESERVED: return reserved_way(s);
    case FICKLE: return good_way(s) < 0 ? WL_NO_WAY_STALL : asked++ % 2 && WL_STATE(s->state[1]) != WL_RESERVED;
    default: return good_way(s);
    }
}

static enum wl_decision broken_decide(const struct wl_cache *c, const struct wl_access *a)
{
    (void)a;
    if (c->param[FAULT] == DECISION) return (enum wl_decision)77;
    return c->param[FAULT] == UNDECIDED && asked++ % 2 ? WL_BYPASS : WL_NORMAL;
}

static const struct wl_cache_policy broken = {
    .abi = WL_ABI,
    .name = "broken",
    .help = "breaks the contract",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .params = broken_params,
    .init = broken_init,
    .decide = broken_decide,
    .victim = broken_victim,
};

/* ---- a cache of grains ---- */

enum { GOOD, GRANULARITY, FICKLE_GRAIN, SHAPE, ROWS };
static const struct wl_param grain_params[] = {
    {"fault", "", 0, 0, 4, "none|granularity|fickle_grain|shape|rows", "what is wrong", ""},
    WL_PARAM_END,
};

static struct wl_grains broken_shape(const struct wl_cache *c)
{
    struct wl_grains g = {.bytes = c->param[FAULT] == SHAPE ? 48 : 128, .counter = c->param[FAULT] == ROWS ? 12 : 0};
    return g;
}

static uint32_t broken_granularity(const struct wl_cache *c)
{
    if (c->param[FAULT] == FICKLE_GRAIN) return asked++ % 2 ? 32 : 64;
    return c->param[FAULT] == GRANULARITY ? 48 : 128;
}

static const struct wl_grain_hooks broken_grain_hooks = {broken_shape, broken_granularity};
static const struct wl_cache_policy broken_grains = {
    .abi = WL_ABI,
    .name = "broken_grains",
    .help = "breaks the contract of a cache of grains",
    .levels = 1u << WL_L1,
    .params = grain_params,
    .grains = &broken_grain_hooks,
};

static const struct wl_cache_policy *const caches[] = {&broken, &broken_grains, NULL};

extern const struct wl_plugin wl_plugin;
const struct wl_plugin wl_plugin = {WL_ABI, sizeof(struct wl_plugin), "broken", caches, NULL};
