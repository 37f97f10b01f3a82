/* test_prefetch.c - what becomes of the lines a policy asks for before any load does. */
#include "unit/l1_rig.h"
#include "unit/policy_rig.h"

static bool ask(uint64_t line) { return wl_prefetch(&cache.pol.cache, line); }

/* A cycle in which the tags are free. */
static void idle_cycle(void) { l1_prefetch(&cache, 2); }

static void check_counts(uint64_t asked, uint64_t fetched, uint64_t dropped, uint64_t useful)
{
    assert_int_equal(l1_stats(&cache).prefetches, asked);
    assert_int_equal(l1_stats(&cache).prefetch_fetches, fetched);
    assert_int_equal(l1_stats(&cache).prefetch_drops, dropped);
    assert_int_equal(l1_stats(&cache).prefetch_uses, useful);
}

TEST_WITH(a_prefetch_brings_its_line_and_wakes_nobody, begin, end)
{
    assert_true(ask(5));
    assert_null(l1_missq_head(&cache)); /* not before the tags are free */
    idle_cycle();
    assert_int_equal(seen.inserts, 1);
    assert_int_equal(seen.last.kind, WL_PREFETCH);
    assert_null(seen.last.load);
    assert_int_equal(seen.last.line, 5);
    struct req *f = sent();
    assert_int_equal(f->sectors, ALL_SECTORS);
    assert_int_equal(answer(f), 0);
    assert_int_equal(pool.alive, 0);
    assert_int_equal(load(5), L1_HIT);
    assert_int_equal(load(5), L1_HIT); /* of use once */
    check_counts(1, 1, 0, 1);
    assert_int_equal(l1_stats(&cache).accesses, 2); /* a prefetch is no access */
    assert_int_equal(l1_stats(&cache).misses, 0);
    l1_walk(&cache);
}

TEST_WITH(a_load_joins_a_prefetch_in_flight, begin, end)
{
    ask(5);
    idle_cycle();
    assert_int_equal(load(5), L1_MERGED);
    assert_int_equal(answer(sent()), 1); /* the load alone */
    check_counts(1, 1, 0, 1);
}

TEST_WITH(what_is_there_or_in_flight_is_not_fetched_again, begin, end)
{
    make_valid(5);
    assert_int_equal(load(6), L1_MISSED);
    ask(5);
    ask(6);
    idle_cycle();
    idle_cycle();
    check_counts(2, 0, 2, 0);
    assert_int_equal(cache.missq_used, 1); /* the load's */
}

TEST_WITH(a_full_queue_says_so, begin, end)
{
    assert_true(ask(1) && ask(2));
    assert_false(ask(3));
    check_counts(3, 0, 1, 0);
    idle_cycle();
    assert_true(ask(3));
    l1_kernel_end(&cache, &some_kernel); /* nothing waits for the next kernel */
    check_counts(4, 1, 3, 0);
    assert_false(l1_wants_tags(&cache));
}

/* It needs what a miss needs, and waits for it. */
TEST_WITH(a_prefetch_waits_for_an_mshr_a_way_and_the_queue, begin, end)
{
    for (uint64_t i = 0; i < MSHRS; i++) assert_int_equal(load(i), L1_MISSED);
    ask(9);
    idle_cycle();
    check_counts(1, 0, 0, 0);
    assert_int_equal(answer(sent()), 1);
    seen.victim = WL_NO_WAY_STALL;
    idle_cycle();
    check_counts(1, 0, 0, 0);
    seen.victim = 0;
    cache.missq_cap = cache.missq_used;
    idle_cycle();
    check_counts(1, 0, 0, 0);
    cache.missq_cap = MISSQ;
    idle_cycle();
    check_counts(1, 1, 0, 0);
    ask(10);
    assert_int_equal(answer(sent()), 1);
    seen.victim = WL_NO_WAY_BYPASS; /* the policy has no way for it */
    idle_cycle();
    check_counts(2, 1, 1, 0);
}

TEST_WITH(an_unused_prefetch_is_of_no_use, begin, end)
{
    ask(0);
    idle_cycle();
    answer(sent());
    make_valid(4);
    make_valid(8); /* the set has two ways: line 0 goes */
    assert_int_equal(seen.evicted_line, 0);
    assert_int_equal(load(0), L1_MISSED);
    check_counts(1, 1, 0, 0);
}

TEST_WITH(some_caches_do_not_prefetch, begin, end)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.infinite = true;
    begin_shape(shape);
    assert_false(ask(1));
    l1_destroy(&cache);
    shape = plain_shape();
    shape.prefetch_queue = 0;
    begin_shape(shape);
    assert_false(ask(1));
    check_counts(0, 0, 0, 0);
}

/* ---- next-line ---- */

TEST(nextline_asks_for_the_lines_behind_a_miss)
{
    struct gpu_config c;
    config_defaults(&c);
    assert_int_equal(config_set_l1(&c, "nextline:degree=3", NULL), 0);
    const struct wl_cache_policy *p = c.l1.policy;
    struct policy_rig r;
    struct wl_cache *w = policy_rig_make(&r, &c.l1, (struct wl_geometry){.level = WL_L1, .sets = 4, .ways = 2});
    struct wl_access a = {.line = 100, .set = 0, .kind = WL_LOAD};
    p->on_access(w, &a, WL_MISSED, 0);
    assert_int_equal(rig_prefetches, 3);
    for (uint64_t i = 0; i < 3; i++) assert_int_equal(rig_prefetched[i], 101 + i);
    p->on_access(w, &a, WL_HIT, 0);
    p->on_access(w, &a, WL_MERGED, 0);
    a.kind = WL_PREFETCH; /* no chain of prefetches */
    p->on_access(w, &a, WL_MISSED, 1);
    a.kind = WL_STORE;
    p->on_access(w, &a, WL_STORED, -1);
    assert_int_equal(rig_prefetches, 3);
    policy_rig_close(&r);
}
