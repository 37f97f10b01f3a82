/* test_l1.c - loads at a first-level cache: hits, misses, refusals, bypass, and what the policy hears; one behaviour a function. */
#include "unit/l1_rig.h"

/* ---- 1: hits and misses ---- */

TEST(l01_miss_reserves_a_line_and_sends_a_fetch)
{
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 4);
    assert_int_equal(access(r), L1_MISSED);
    assert_int_equal(state_of(5), WL_RESERVED);
    assert_int_equal(cache.mshr.used, 1);
    assert_ptr_equal(sent(), r);              /* the request itself travels */
    assert_int_equal(r->sectors, ALL_SECTORS); /* for the whole line, whatever was touched */
    assert_int_equal(cache.stats.misses, 1);
    assert_int_equal(cache.stats.load_misses, 1);
}

TEST(l02_fill_makes_the_line_valid_and_frees_the_entry)
{
    make_valid(5);
    assert_int_equal(state_of(5), WL_VALID);
    assert_int_equal(cache.mshr.used, 0);
    assert_int_equal(cache.stats.fills, 1);
}

TEST(l03_hit)
{
    make_valid(5);
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 2);
    assert_int_equal(access(r), L1_HIT);
    assert_null(l1_missq_head(&cache));
    assert_int_equal(cache.stats.hits, 1);
    assert_int_equal(cache.stats.load_hits, 1);
}

TEST(l04_load_to_a_reserved_line_merges)
{
    assert_int_equal(load(5), L1_MISSED);
    assert_int_equal(load(5), L1_MERGED);
    assert_int_equal(cache.missq_used, 1); /* no second fetch */
    assert_int_equal(cache.mshr.used, 1);
    assert_int_equal(cache.stats.hits_reserved, 1);
    assert_int_equal(cache.stats.hits, 0);
    assert_int_equal(cache.stats.misses, 1);
}

TEST(l05_hit_under_miss)
{
    make_valid(1);
    assert_int_equal(load(2), L1_MISSED);
    assert_int_equal(load(1), L1_HIT);
}

TEST(l06_fill_wakes_all_waiters_in_order)
{
    struct req *a = request(WL_LOAD, WL_GLOBAL, 5, 1), *b = request(WL_LOAD, WL_GLOBAL, 5, 8);
    assert_int_equal(access(a), L1_MISSED);
    assert_int_equal(access(b), L1_MERGED);
    struct req_list done;
    list_init(&done);
    l1_fill(&cache, sent(), &done);
    assert_ptr_equal(list_pop(&done), a);
    assert_ptr_equal(list_pop(&done), b);
    assert_null(done.head);
    assert_int_equal(pool.alive, 2);
}

/* ---- 2: refusals ---- */

TEST(l07_merge_limit_refuses)
{
    assert_int_equal(load(5), L1_MISSED);
    assert_int_equal(load(5), L1_MERGED);
    refuses_load(5, L1_NO_MERGE);
}

TEST(l08_mshr_full_refuses_and_changes_nothing)
{
    for (uint64_t line = 0; line < MSHRS; line++) assert_int_equal(load(line), L1_MISSED);
    refuses_load(3, L1_NO_MSHR);
    answer(sent());
    assert_int_equal(load(3), L1_MISSED);
}

TEST(l09_reserved_lines_are_never_evicted)
{
    assert_int_equal(load(0), L1_MISSED);
    assert_int_equal(load(4), L1_MISSED); /* both ways of set 0 are in flight */
    refuses_load(8, L1_NO_LINE);
    answer(sent()); /* line 0 */
    assert_int_equal(load(8), L1_MISSED);
    assert_int_equal(seen.evicted_line, 0);
    assert_int_equal(state_of(4), WL_RESERVED);
}

TEST(l10_miss_queue_full_refuses)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.missq = 2;
    begin_shape(shape);
    make_valid(7);
    assert_int_equal(load(0), L1_MISSED);
    assert_int_equal(load(1), L1_MISSED);
    refuses_load(2, L1_NO_QUEUE);
    refuses(request(WL_STORE, WL_GLOBAL, 2, 1), L1_NO_QUEUE);
    refuses(request(WL_ATOMIC, WL_GLOBAL, 2, 1), L1_NO_QUEUE);
    struct req *past = request(WL_LOAD, WL_GLOBAL, 9, 1);
    past->bypass = true;
    refuses(past, L1_NO_QUEUE);
    assert_int_equal(load(7), L1_HIT); /* what needs no queue goes on */
    assert_int_equal(load(0), L1_MERGED);
}

TEST(l11_a_store_that_would_evict_waits_whole)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.missq = 1;
    begin_shape(shape);
    make_valid(7);
    assert_int_equal(load(0), L1_MISSED);
    refuses(request(WL_STORE, WL_GLOBAL, 7, 1), L1_NO_QUEUE);
    assert_int_equal(state_of(7), WL_VALID);
}

TEST(l12_a_gated_warp_may_hit_and_merge_but_not_miss)
{
    make_valid(1);
    assert_int_equal(load(2), L1_MISSED);
    assert_int_equal(l1_access(&cache, request(WL_LOAD, WL_GLOBAL, 1, 1), 1, false), L1_HIT);
    assert_int_equal(l1_access(&cache, request(WL_LOAD, WL_GLOBAL, 2, 1), 1, false), L1_MERGED);
    uint64_t alive = pool.alive;
    assert_int_equal(l1_access(&cache, request(WL_LOAD, WL_GLOBAL, 3, 1), 1, false), L1_GATED);
    assert_int_equal(l1_access(&cache, request(WL_STORE, WL_GLOBAL, 3, 1), 1, false), L1_GATED);
    assert_int_equal(l1_access(&cache, request(WL_ATOMIC, WL_GLOBAL, 3, 1), 1, false), L1_GATED);
    assert_int_equal(pool.alive, alive + 3); /* ours, still */
    assert_int_equal(cache.missq_used, 1);
}

TEST(l12b_where_merges_are_gated_too_it_may_only_hit)
{
    cache.gate_merges = true;
    make_valid(1);
    assert_int_equal(load(2), L1_MISSED);
    assert_int_equal(l1_access(&cache, request(WL_LOAD, WL_GLOBAL, 1, 1), 1, false), L1_HIT);
    uint64_t print = fingerprint();
    struct req *r = request(WL_LOAD, WL_GLOBAL, 2, 1);
    assert_int_equal(l1_access(&cache, r, 1, false), L1_GATED);
    pool.alive--; /* the request itself */
    assert_int_equal(fingerprint(), print);
    pool.alive++;
    assert_int_equal(l1_access(&cache, r, 1, true), L1_MERGED); /* others merge as ever */
}

/* ---- 3: bypass ---- */

TEST(l13_bypass_needs_no_line_and_no_mshr)
{
    for (uint64_t line = 0; line < MSHRS; line++) assert_int_equal(load(line), L1_MISSED);
    struct req *r = request(WL_LOAD, WL_GLOBAL, 100, 6);
    r->bypass = true;
    assert_int_equal(access(r), L1_BYPASSED);
    assert_int_equal(cache.mshr.used, MSHRS);
    assert_int_equal(state_of(100), WL_INVALID);
    for (uint64_t line = 0; line < MSHRS; line++) assert_int_equal(sent()->line, line);
    const struct req *down = sent();
    assert_ptr_equal(down, r);            /* it goes itself, */
    assert_int_equal(down->sectors, 6);   /* with the sectors its lanes touch */
    assert_int_equal(cache.stats.bypasses, 1);
}

TEST(l14_policy_decides_to_bypass)
{
    make_valid(5);
    seen.decide = WL_BYPASS;
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 1);
    assert_int_equal(access(r), L1_BYPASSED); /* before the tags: even a line that is there */
    assert_true(r->bypass);
    assert_int_equal(sent()->sectors, 1);
}

TEST(l15_policy_finds_no_way_and_bypasses)
{
    seen.victim = WL_NO_WAY_BYPASS;
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 3);
    assert_int_equal(access(r), L1_BYPASSED);
    assert_int_equal(state_of(5), WL_INVALID);
    assert_int_equal(cache.mshr.used, 0);
    assert_int_equal(sent()->sectors, 3);
}

TEST(l16_policy_finds_no_way_and_waits)
{
    seen.victim = WL_NO_WAY_STALL;
    refuses_load(5, L1_NO_LINE);
}

/* ---- 7: flush and hooks ---- */

TEST(l31_flush_empties_the_cache)
{
    make_valid(1);
    make_valid(2);
    assert_int_equal(store(WL_LOCAL, 2, 1), L1_STORED);
    l1_flush(&cache);
    assert_int_equal(state_of(1), WL_INVALID);
    assert_int_equal(state_of(2), WL_INVALID);
    assert_int_equal(seen.kills, 2);
    assert_int_equal(load(1), L1_MISSED);
    answer(sent());
    assert_int_equal(load(2), L1_MISSED); /* nothing dirty is left to write back */
    assert_int_equal(cache.stats.writebacks, 0);
}

TEST(l32_lru_evicts_the_oldest)
{
    make_valid(0);
    make_valid(4);
    assert_int_equal(load(0), L1_HIT);
    assert_int_equal(load(8), L1_MISSED);
    assert_int_equal(seen.evicted_line, 4);
}

TEST(l33_one_hook_per_accepted_load)
{
    uint64_t seed = 9, accepted = 0, own_wish = 0; /* ld.cg: nothing the policy hears of */
    for (int i = 0; i < 5000; i++) {
        uint64_t line = draw(&seed, 16);
        struct req *r = request(WL_LOAD, WL_GLOBAL, line, (uint8_t)(1 + draw(&seed, 15)));
        unsigned before = seen.hits + seen.merges + seen.inserts + seen.bypasses;
        bool past = r->bypass = draw(&seed, 8) == 0;
        enum l1_outcome o = access(r);
        unsigned heard = seen.hits + seen.merges + seen.inserts + seen.bypasses - before;
        assert_int_equal(heard, !past && !l1_refused(o));
        accepted += !l1_refused(o);
        own_wish += past && !l1_refused(o);
        if (l1_refused(o) || o == L1_HIT) req_free(&pool, r);
        if (l1_missq_head(&cache) && draw(&seed, 2)) {
            struct req *f = sent();
            if (f->bypass) req_free(&pool, f);
            else answer(f);
        }
    }
    assert_int_equal(cache.stats.accesses, accepted);
    assert_int_equal(cache.stats.accesses,
                     cache.stats.hits + cache.stats.hits_reserved + cache.stats.misses + cache.stats.bypasses);
    assert_int_equal(seen.hits, cache.stats.hits);
    assert_int_equal(seen.merges, cache.stats.hits_reserved);
    assert_int_equal(seen.inserts, cache.stats.misses);
    assert_int_equal(seen.bypasses + own_wish, cache.stats.bypasses);
    assert_true(own_wish > 100);
    assert_int_equal(seen.evicts, cache.stats.evictions);
    assert_int_equal(seen.fills, cache.stats.fills);
    assert_true(seen.evicts > 100 && seen.merges > 100);
}

TEST(l34_notes_of_the_l2_reach_the_policy)
{
    assert_int_equal(load(5), L1_MISSED);
    struct req *f = sent();
    f->note = 3;
    answer(f);
    assert_int_equal(seen.replies, 1);
}

TEST(l35_a_store_is_told_of_when_no_copy_stays)
{
    make_valid(1);
    assert_int_equal(access(request(WL_STORE, WL_GLOBAL, 1, 1)), L1_STORED); /* kills it */
    assert_int_equal(access(request(WL_STORE, WL_GLOBAL, 2, 1)), L1_STORED); /* was never here */
    assert_int_equal(seen.stores, 2);
    while (l1_missq_head(&cache)) req_free(&pool, sent());
    make_valid(4);
    assert_int_equal(load(3), L1_MISSED);
    assert_int_equal(access(request(WL_STORE, WL_GLOBAL, 3, 1)), L1_STORED); /* its line still comes */
    assert_int_equal(access(request(WL_STORE, WL_LOCAL, 4, 1)), L1_STORED); /* written into the line */
    assert_int_equal(seen.stores, 2);
}

TEST(l36_a_flush_is_told_of_once)
{
    make_valid(1);
    make_valid(2);
    l1_flush(&cache);
    assert_int_equal(seen.kills, 2);
    assert_int_equal(seen.flushes, 1);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(l01_miss_reserves_a_line_and_sends_a_fetch),
        CASE(l02_fill_makes_the_line_valid_and_frees_the_entry),
        CASE(l03_hit),
        CASE(l04_load_to_a_reserved_line_merges),
        CASE(l05_hit_under_miss),
        CASE(l06_fill_wakes_all_waiters_in_order),
        CASE(l07_merge_limit_refuses),
        CASE(l08_mshr_full_refuses_and_changes_nothing),
        CASE(l09_reserved_lines_are_never_evicted),
        CASE(l10_miss_queue_full_refuses),
        CASE(l11_a_store_that_would_evict_waits_whole),
        CASE(l12_a_gated_warp_may_hit_and_merge_but_not_miss),
        CASE(l12b_where_merges_are_gated_too_it_may_only_hit),
        CASE(l13_bypass_needs_no_line_and_no_mshr),
        CASE(l14_policy_decides_to_bypass),
        CASE(l15_policy_finds_no_way_and_bypasses),
        CASE(l16_policy_finds_no_way_and_waits),
        CASE(l31_flush_empties_the_cache),
        CASE(l32_lru_evicts_the_oldest),
        CASE(l33_one_hook_per_accepted_load),
        CASE(l34_notes_of_the_l2_reach_the_policy),
        CASE(l35_a_store_is_told_of_when_no_copy_stays),
        CASE(l36_a_flush_is_told_of_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
