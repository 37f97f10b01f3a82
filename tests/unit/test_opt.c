/* test_opt.c - the bound on hits against slower ways to find it. */
#include "unit/policy_rig.h"
#include "unit/rig.h"

#include "timing/run_rig.h"

enum event { LOAD, STORE, FLUSH };
struct step {
    enum event event;
    uint64_t line;
};

/* ---- what the policy counts ---- */

static uint64_t counted(const struct step *s, unsigned n, uint32_t sets, uint32_t ways)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    config_defaults(&c);
    assert_int_equal(config_set_l1(&c, "opt", &e), 0);
    const struct wl_cache_policy *p = c.l1.policy;
    struct policy_rig r;
    struct wl_cache *cache = policy_rig_make(
        &r, &c.l1, (struct wl_geometry){.level = WL_L1, .sets = sets, .ways = ways, .line_bytes = 128, .sms = 1});
    for (unsigned i = 0; i < n; i++) {
        struct wl_access a = {.line = s[i].line, .set = (uint32_t)(s[i].line % sets)};
        if (s[i].event == LOAD) p->on_access(cache, &a, WL_MISSED, 0);
        else if (s[i].event == STORE) p->on_access(cache, &a, WL_STORED, -1);
        else p->on_kernel(cache, WL_FLUSH, &(struct wl_kernel){"k", 1});
    }
    assert_int_equal(policy_counter(p, cache, "uncounted"), 0);
    uint64_t hits = policy_counter(p, cache, "hits");
    policy_rig_close(&r);
    return hits;
}

/* ---- Belady with the future in hand ---- */

/* When the line held since step `i` is loaded next, n if a store or flush comes before that. */
static unsigned next_use(const struct step *s, unsigned n, unsigned i)
{
    for (unsigned k = i + 1; k < n; k++) {
        if (s[k].event == FLUSH) return n;
        if (s[k].line == s[i].line) return s[k].event == LOAD ? k : n;
    }
    return n;
}

/* One set: keeps the `ways` lines that are used soonest, the new one among them. */
static uint64_t belady(const struct step *s, unsigned n, uint32_t ways)
{
    unsigned held[8], hits = 0; /* the step at which each way's line is needed; n: never */
    for (uint32_t w = 0; w < ways; w++) held[w] = n;
    for (unsigned i = 0; i < n; i++) {
        if (s[i].event != LOAD) continue;
        uint32_t way = ways;
        for (uint32_t w = 0; w < ways; w++)
            if (held[w] == i) way = w;
        hits += way < ways;
        unsigned next = next_use(s, n, i);
        if (way == ways) { /* replaces the line needed last, unless that is itself */
            way = 0;
            for (uint32_t w = 1; w < ways; w++)
                if (held[w] > held[way]) way = w;
            if (held[way] <= next) continue;
        }
        held[way] = next;
    }
    return hits;
}

/* Every choice there is: which of the held lines to give up, or none of them. */
static uint64_t exhaustive(const struct step *s, unsigned n, unsigned i, const uint64_t *held, uint32_t ways)
{
    uint64_t now[4], best = 0;
    if (i == n) return 0;
    memcpy(now, held, ways * sizeof *now);
    if (s[i].event != LOAD) {
        for (uint32_t w = 0; w < ways; w++)
            if (s[i].event == FLUSH || now[w] == s[i].line) now[w] = 0;
        return exhaustive(s, n, i + 1, now, ways);
    }
    for (uint32_t w = 0; w < ways; w++)
        if (now[w] == s[i].line) return 1 + exhaustive(s, n, i + 1, now, ways);
    best = exhaustive(s, n, i + 1, now, ways);
    for (uint32_t w = 0; w < ways; w++) {
        memcpy(now, held, ways * sizeof *now);
        now[w] = s[i].line;
        uint64_t hits = exhaustive(s, n, i + 1, now, ways);
        if (hits > best) best = hits;
    }
    return best;
}

static void draw_steps(struct step *s, unsigned n, uint64_t lines, uint64_t *seed)
{
    for (unsigned i = 0; i < n; i++) {
        uint64_t what = draw(seed, 20);
        s[i] = (struct step){what == 0 ? FLUSH : what < 3 ? STORE : LOAD, 1 + draw(seed, lines)};
    }
}

/* ---- the tests ---- */

TEST(op1_a_loop_one_line_too_long)
{
    /* LRU never hits a b c a b c a b c with two ways; keeping two of the three lines does. */
    struct step s[9];
    for (unsigned i = 0; i < 9; i++) s[i] = (struct step){LOAD, 1 + i % 3};
    assert_int_equal(counted(s, 9, 1, 2), 4);
    assert_int_equal(counted(s, 9, 1, 1), 2); /* one way: a stays, b and c pass by */
}

TEST(op2_a_store_and_a_flush_end_what_was_kept)
{
    const struct step store[] = {{LOAD, 7}, {STORE, 7}, {LOAD, 7}, {LOAD, 7}};
    assert_int_equal(counted(store, 4, 1, 2), 1);
    const struct step flush[] = {{LOAD, 7}, {LOAD, 8}, {FLUSH, 0}, {LOAD, 7}, {LOAD, 8}, {LOAD, 7}};
    assert_int_equal(counted(flush, 6, 1, 2), 1);
}

TEST(op3_equals_belady_with_bypass)
{
    uint64_t seed = 3;
    struct step s[400];
    for (unsigned round = 0; round < 300; round++) {
        uint32_t ways = 1 + (uint32_t)draw(&seed, 8);
        draw_steps(s, COUNT(s), 2 + draw(&seed, 24), &seed);
        assert_int_equal(counted(s, COUNT(s), 1, ways), belady(s, COUNT(s), ways));
    }
}

TEST(op4_no_choice_is_better)
{
    uint64_t seed = 4;
    struct step s[11];
    for (unsigned round = 0; round < 60; round++) {
        uint32_t ways = 1 + (uint32_t)draw(&seed, 2);
        draw_steps(s, COUNT(s), 5, &seed);
        const uint64_t nothing[4] = {0};
        assert_int_equal(counted(s, COUNT(s), 1, ways), exhaustive(s, COUNT(s), 0, nothing, ways));
    }
}

TEST(op5_sets_are_apart)
{
    uint64_t seed = 5;
    struct step s[300], half[300];
    draw_steps(s, COUNT(s), 40, &seed);
    uint64_t sum = 0;
    for (uint64_t set = 0; set < 2; set++) {
        unsigned n = 0;
        for (unsigned i = 0; i < COUNT(s); i++)
            if (s[i].event == FLUSH || s[i].line % 2 == set) half[n++] = s[i];
        sum += belady(half, n, 4);
    }
    assert_int_equal(counted(s, COUNT(s), 2, 4), sum);
}
