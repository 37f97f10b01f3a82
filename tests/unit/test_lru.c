/* test_lru.c - least recently used in sets of many ways, which are linked, against the definition. */
#include <stdlib.h>

#include "test.h"

#include "warpline/policy.h"

extern const struct wl_cache_policy lru_policy;

enum { SETS = 2, MOST = 48 };

/* What the definition needs: the state and the last use of every way. */
struct model {
    struct wl_cache c;
    uint8_t state[SETS][MOST];
    uint64_t used[SETS][MOST], uses;
};

static void model_open(struct model *m, uint32_t ways)
{
    *m = (struct model){.c.g = {.level = WL_L1, .sets = SETS, .ways = ways, .max_ways = MOST, .line_bytes = 128}};
    m->c.self = calloc(1, lru_policy.bytes(&m->c.g, NULL));
    assert_non_null(m->c.self);
    assert_true(lru_policy.init(&m->c, NULL));
}

static struct wl_set view(const struct model *m, uint32_t set)
{
    bool full = true;
    for (uint32_t w = 0; w < m->c.g.ways; w++) full &= WL_STATE(m->state[set][w]) != WL_INVALID;
    return (struct wl_set){m->state[set], m->c.g.ways, full};
}

/* An answer is right if it is a free way where there is one, else the way with a line whose use lies furthest back. */
static void check_victim(const struct model *m, uint32_t set, int way)
{
    bool any_free = !view(m, set).full, any_valid = false;
    for (uint32_t w = 0; w < m->c.g.ways; w++) any_valid |= WL_STATE(m->state[set][w]) == WL_VALID;
    if (!any_free && !any_valid) {
        assert_int_equal(way, WL_NO_WAY_STALL);
        return;
    }
    assert_in_range(way, 0, m->c.g.ways - 1);
    assert_int_equal(WL_STATE(m->state[set][way]), any_free ? WL_INVALID : WL_VALID);
    for (uint32_t w = 0; !any_free && w < m->c.g.ways; w++)
        if (WL_STATE(m->state[set][w]) == WL_VALID) assert_true(m->used[set][way] <= m->used[set][w]);
}

static void use(struct model *m, uint32_t set, uint32_t way, enum wl_outcome outcome)
{
    struct wl_access a = {.set = set};
    lru_policy.on_access(&m->c, &a, outcome, (int)way);
    m->used[set][way] = ++m->uses;
}

static void one_step(struct model *m, uint64_t *seed)
{
    uint32_t set = (uint32_t)draw(seed, SETS), way = (uint32_t)draw(seed, m->c.g.ways);
    uint8_t *state = &m->state[set][way];
    struct wl_access a = {.set = set};
    struct wl_set s = view(m, set);
    int victim = lru_policy.victim(&m->c, &a, &s);
    check_victim(m, set, victim);
    switch (draw(seed, 4)) {
    case 0: /* a miss takes the way */
        if (victim < 0) return;
        use(m, set, (uint32_t)victim, WL_MISSED);
        m->state[set][victim] = WL_RESERVED;
        return;
    case 1: /* a fill comes, or a store makes a line invalid */
        *state = WL_STATE(*state) == WL_RESERVED ? WL_VALID : draw(seed, 8) ? *state : WL_INVALID;
        return;
    default:
        if (WL_STATE(*state) == WL_VALID) use(m, set, way, WL_HIT);
        else if (WL_STATE(*state) == WL_RESERVED) use(m, set, way, WL_MERGED);
        return;
    }
}

TEST(victims_in_linked_sets_are_those_of_the_definition)
{
    struct model m;
    uint64_t seed = 7;
    model_open(&m, MOST);
    for (unsigned i = 0; i < 20000; i++) one_step(&m, &seed);
    free(m.c.self);
}

TEST(a_kernel_may_have_more_ways_than_the_last_or_fewer)
{
    static const uint32_t ways[] = {MOST, 40, 3, 1, 33, MOST};
    struct model m;
    uint64_t seed = 11;
    model_open(&m, 20);
    for (unsigned k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        for (uint32_t set = 0; set < SETS; set++)
            for (uint32_t w = 0; w < MOST; w++)
                if (w >= ways[k] || WL_STATE(m.state[set][w]) == WL_RESERVED) m.state[set][w] = WL_INVALID;
        m.c.g.ways = ways[k];
        lru_policy.on_kernel(&m.c, WL_BEGIN, NULL);
        for (unsigned i = 0; i < 5000; i++) one_step(&m, &seed);
    }
    free(m.c.self);
}

TEST(a_set_whose_ways_are_all_in_flight_makes_the_request_wait)
{
    struct model m;
    model_open(&m, MOST);
    for (uint32_t w = 0; w < MOST; w++) m.state[1][w] = WL_RESERVED;
    struct wl_access a = {.set = 1};
    struct wl_set s = view(&m, 1);
    assert_int_equal(lru_policy.victim(&m.c, &a, &s), WL_NO_WAY_STALL);
    free(m.c.self);
}
