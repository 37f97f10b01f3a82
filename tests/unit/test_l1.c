/* test_l1.c - loads at a first-level cache: hits, misses, refusals, bypass, and what the policy hears; one behaviour a
 * function. */
#include "unit/l1_rig.h"

/* ---- 1: hits and misses ---- */

TEST_WITH(miss_reserves_a_line_and_sends_a_fetch, begin, end)
{
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 4);
    assert_int_equal(access(r), L1_MISSED);
    assert_int_equal(state_of(5), WL_RESERVED);
    assert_int_equal(cache.mshr.used, 1);
    assert_ptr_equal(sent(), r);               /* the request itself travels */
    assert_int_equal(r->sectors, ALL_SECTORS); /* for the whole line, whatever was touched */
    assert_int_equal(l1_stats(&cache).misses, 1);
    assert_int_equal(l1_stats(&cache).load_misses, 1);
}

TEST_WITH(fill_makes_the_line_valid_and_frees_the_entry, begin, end)
{
    make_valid(5);
    assert_int_equal(state_of(5), WL_VALID);
    assert_int_equal(cache.mshr.used, 0);
    assert_int_equal(l1_stats(&cache).fills, 1);
}

TEST_WITH(hit, begin, end)
{
    make_valid(5);
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 2);
    assert_int_equal(access(r), L1_HIT);
    assert_null(l1_missq_head(&cache));
    assert_int_equal(l1_stats(&cache).hits, 1);
    assert_int_equal(l1_stats(&cache).load_hits, 1);
}

TEST_WITH(load_to_a_reserved_line_merges, begin, end)
{
    assert_int_equal(load(5), L1_MISSED);
    assert_int_equal(load(5), L1_MERGED);
    assert_int_equal(cache.missq_used, 1); /* no second fetch */
    assert_int_equal(cache.mshr.used, 1);
    assert_int_equal(l1_stats(&cache).hits_reserved, 1);
    assert_int_equal(l1_stats(&cache).hits, 0);
    assert_int_equal(l1_stats(&cache).misses, 1);
}

TEST_WITH(hit_under_miss, begin, end)
{
    make_valid(1);
    assert_int_equal(load(2), L1_MISSED);
    assert_int_equal(load(1), L1_HIT);
}

TEST_WITH(fill_wakes_all_waiters_in_order, begin, end)
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

TEST_WITH(merge_limit_refuses, begin, end)
{
    assert_int_equal(load(5), L1_MISSED);
    assert_int_equal(load(5), L1_MERGED);
    refuses_load(5, L1_NO_MERGE);
}

TEST_WITH(mshr_full_refuses_and_changes_nothing, begin, end)
{
    for (uint64_t line = 0; line < MSHRS; line++) assert_int_equal(load(line), L1_MISSED);
    refuses_load(3, L1_NO_MSHR);
    answer(sent());
    assert_int_equal(load(3), L1_MISSED);
}

TEST_WITH(reserved_lines_are_never_evicted, begin, end)
{
    assert_int_equal(load(0), L1_MISSED);
    assert_int_equal(load(4), L1_MISSED); /* both ways of set 0 are in flight */
    refuses_load(8, L1_NO_LINE);
    answer(sent()); /* line 0 */
    assert_int_equal(load(8), L1_MISSED);
    assert_int_equal(seen.evicted_line, 0);
    assert_int_equal(state_of(4), WL_RESERVED);
}

TEST_WITH(miss_queue_full_refuses, begin, end)
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

TEST_WITH(a_store_that_would_evict_waits_whole, begin, end)
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

TEST_WITH(a_gated_warp_may_hit_and_merge_but_not_miss, begin, end)
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

TEST_WITH(where_merges_are_gated_too_it_may_only_hit, begin, end)
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

TEST_WITH(bypass_needs_no_line_and_no_mshr, begin, end)
{
    for (uint64_t line = 0; line < MSHRS; line++) assert_int_equal(load(line), L1_MISSED);
    struct req *r = request(WL_LOAD, WL_GLOBAL, 100, 6);
    r->bypass = true;
    assert_int_equal(access(r), L1_BYPASSED);
    assert_int_equal(cache.mshr.used, MSHRS);
    assert_int_equal(state_of(100), WL_INVALID);
    for (uint64_t line = 0; line < MSHRS; line++) assert_int_equal(sent()->line, line);
    const struct req *down = sent();
    assert_ptr_equal(down, r);          /* it goes itself, */
    assert_int_equal(down->sectors, 6); /* with the sectors its lanes touch */
    assert_int_equal(l1_stats(&cache).bypasses, 1);
}

TEST_WITH(policy_decides_to_bypass, begin, end)
{
    make_valid(5);
    seen.decide = WL_BYPASS;
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 1);
    assert_int_equal(access(r), L1_BYPASSED); /* before the tags: even a line that is there */
    assert_true(r->bypass);
    assert_int_equal(sent()->sectors, 1);
}

TEST_WITH(policy_finds_no_way_and_bypasses, begin, end)
{
    seen.victim = WL_NO_WAY_BYPASS;
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 3);
    assert_int_equal(access(r), L1_BYPASSED);
    assert_int_equal(state_of(5), WL_INVALID);
    assert_int_equal(cache.mshr.used, 0);
    assert_int_equal(sent()->sectors, 3);
}

TEST_WITH(policy_finds_no_way_and_waits, begin, end)
{
    seen.victim = WL_NO_WAY_STALL;
    refuses_load(5, L1_NO_LINE);
}

/* ---- 7: flush and hooks ---- */

TEST_WITH(flush_empties_the_cache, begin, end)
{
    make_valid(1);
    make_valid(2);
    assert_int_equal(store(WL_LOCAL, 2, 1), L1_STORED);
    l1_flush(&cache, &some_kernel);
    assert_int_equal(state_of(1), WL_INVALID);
    assert_int_equal(state_of(2), WL_INVALID);
    assert_int_equal(seen.kills, 2);
    assert_int_equal(load(1), L1_MISSED);
    answer(sent());
    assert_int_equal(load(2), L1_MISSED); /* nothing dirty is left to write back */
    assert_int_equal(l1_stats(&cache).writebacks, 0);
}

TEST_WITH(lru_evicts_the_oldest, begin, end)
{
    make_valid(0);
    make_valid(4);
    assert_int_equal(load(0), L1_HIT);
    assert_int_equal(load(8), L1_MISSED);
    assert_int_equal(seen.evicted_line, 4);
}

TEST_WITH(one_hook_per_accepted_load, begin, end)
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
    assert_int_equal(l1_stats(&cache).accesses, accepted);
    assert_int_equal(l1_stats(&cache).accesses, l1_stats(&cache).hits + l1_stats(&cache).hits_reserved +
                                                    l1_stats(&cache).misses + l1_stats(&cache).bypasses);
    assert_int_equal(seen.hits, l1_stats(&cache).hits);
    assert_int_equal(seen.merges, l1_stats(&cache).hits_reserved);
    assert_int_equal(seen.inserts, l1_stats(&cache).misses);
    assert_int_equal(seen.bypasses + own_wish, l1_stats(&cache).bypasses);
    assert_true(own_wish > 100);
    assert_int_equal(seen.evicts, l1_stats(&cache).evictions);
    assert_true(seen.evicts > 100 && seen.merges > 100);
}

TEST_WITH(notes_of_the_l2_reach_the_policy, begin, end)
{
    assert_int_equal(load(5), L1_MISSED);
    struct req *f = sent();
    f->note = 3;
    answer(f);
    assert_int_equal(seen.replies, 1);
}

TEST_WITH(a_store_is_told_of_when_no_copy_stays, begin, end)
{
    make_valid(1);
    assert_int_equal(access(request(WL_STORE, WL_GLOBAL, 1, 1)), L1_STORED); /* kills it */
    assert_int_equal(access(request(WL_STORE, WL_GLOBAL, 2, 1)), L1_STORED); /* was never here */
    assert_int_equal(seen.stores_without_copy, 2);
    while (l1_missq_head(&cache)) req_free(&pool, sent());
    make_valid(4);
    assert_int_equal(load(3), L1_MISSED);
    assert_int_equal(access(request(WL_STORE, WL_GLOBAL, 3, 1)), L1_STORED); /* its line still comes */
    assert_int_equal(access(request(WL_STORE, WL_LOCAL, 4, 1)), L1_STORED);  /* written into the line */
    assert_int_equal(seen.stores, 4);
    assert_int_equal(seen.stores_without_copy, 2);
}

TEST_WITH(a_flush_is_told_of_once, begin, end)
{
    make_valid(1);
    make_valid(2);
    l1_flush(&cache, &some_kernel);
    assert_int_equal(seen.kills, 2);
    assert_int_equal(seen.flushes, 1);
}

/* ---- what GPGPU-Sim 3.2 did ---- */

/* Eight places mean seven: with seven taken the next load that misses is refused, and so is one that would merge. */
TEST_WITH(loads_want_room_for_the_worst_case, begin, end)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.worst = true;
    shape.missq = 8;
    begin_shape(shape);
    make_valid(2);
    assert_int_equal(load(0), L1_MISSED);
    for (uint64_t line = 16; line < 22; line++) assert_int_equal(store(WL_GLOBAL, line, 1), L1_STORED);
    assert_int_equal(cache.missq_used, 7);
    refuses_load(1, L1_NO_QUEUE);
    refuses_load(0, L1_NO_QUEUE); /* it would only merge */
    assert_int_equal(load(2), L1_HIT);
    assert_int_equal(store(WL_GLOBAL, 22, 1), L1_STORED); /* a store knows that it is one request */
    assert_int_equal(cache.missq_used, 8);
    sent(), sent();
    assert_true(l1_retry_worthwhile(&cache));
    assert_int_equal(load(0), L1_MERGED);
    assert_int_equal(load(1), L1_MISSED);
    l1_walk(&cache);
}

TEST_WITH(without_that_rule_seven_places_are_enough, begin, end)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.missq = 8;
    begin_shape(shape);
    assert_int_equal(load(0), L1_MISSED);
    for (uint64_t line = 16; line < 22; line++) assert_int_equal(store(WL_GLOBAL, line, 1), L1_STORED);
    assert_int_equal(load(1), L1_MISSED);
    assert_int_equal(cache.missq_used, 8);
    assert_int_equal(load(0), L1_MERGED);
}

TEST_WITH(stores_wait_for_a_way_they_do_not_take, begin, end)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.store_way = true;
    begin_shape(shape);
    assert_int_equal(load(0), L1_MISSED);
    assert_int_equal(store(WL_GLOBAL, 8, 1), L1_STORED); /* one way of the set is free */
    assert_int_equal(load(4), L1_MISSED);
    refuses(request(WL_STORE, WL_GLOBAL, 8, 1), L1_NO_LINE);
    refuses(request(WL_STORE, WL_LOCAL, 8, 1), L1_NO_LINE);
    assert_int_equal(store(WL_GLOBAL, 4, 1), L1_STORED); /* its line is there, if only on its way */
    struct req *first = sent();
    assert_int_equal(answer(first), 1);
    assert_true(l1_retry_worthwhile(&cache));
    assert_int_equal(store(WL_GLOBAL, 8, 1), L1_STORED);
    assert_int_equal(state_of(8), WL_INVALID);
}

/* Two requests that waited for a line are written in two cycles; the entry is free when the second one begins. */
TEST_WITH(an_entry_may_be_free_only_when_its_requests_are_written, begin, end)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.late = true;
    shape.mshr = 1;
    begin_shape(shape);
    assert_int_equal(load(0), L1_MISSED);
    assert_int_equal(load(0), L1_MERGED);
    assert_int_equal(answer(sent()), 2);
    l1_written(&cache, 13); /* the later of the two */
    assert_int_equal(l1_next_event(&cache), 12);
    assert_int_equal(load(0), L1_HIT);
    refuses_load(1, L1_NO_MSHR);
    l1_walk(&cache);
    assert_false(l1_cycle(&cache, 11));
    assert_false(l1_retry_worthwhile(&cache));
    assert_true(l1_cycle(&cache, 12));
    assert_true(l1_retry_worthwhile(&cache));
    assert_int_equal(l1_next_event(&cache), UINT64_MAX);
    assert_int_equal(load(1), L1_MISSED);
    assert_int_equal(answer(sent()), 1);
    l1_kernel_end(&cache, &some_kernel); /* nothing is left behind */
    assert_true(l1_idle(&cache));
}

/* ---- a texture cache with a fragment FIFO ---- */

static void begin_fifo(uint32_t entries)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.id = L1_TEXTURE;
    shape.fifo = entries;
    begin_shape(shape);
}

static unsigned ready(void)
{
    struct req_list done;
    unsigned n = 0;
    list_init(&done);
    l1_take_ready(&cache, &done);
    for (; done.head; n++) req_free(&pool, list_pop(&done));
    return n;
}

TEST_WITH(a_fragment_waits_for_those_before_it, begin, end)
{
    begin_fifo(8);
    assert_int_equal(load(0), L1_MISSED);
    struct req *first = sent();
    assert_int_equal(answer(first), 1);
    assert_int_equal(load(1), L1_MISSED);
    assert_int_equal(load(0), L1_MERGED); /* its data is here, but it is behind a miss */
    assert_int_equal(load(2), L1_MISSED);
    assert_int_equal(load(1), L1_MERGED); /* its line is on its way: the tags have it already */
    assert_int_equal(ready(), 0);
    struct req *one = sent(), *two = sent();
    assert_int_equal(answer(two), 0); /* data in order */
    l1_walk(&cache);
    assert_int_equal(answer(one), 4);
    assert_true(l1_idle(&cache));
    assert_int_equal(load(2), L1_MERGED);
    assert_int_equal(ready(), 1); /* nothing is before it */
    assert_int_equal(l1_stats(&cache).load_misses, 3);
    assert_int_equal(l1_stats(&cache).hits_reserved, 3);
}

/* No way is ever reserved: more misses of a set than it has ways can be under way. */
TEST_WITH(tags_without_data_never_run_out_of_ways, begin, end)
{
    begin_fifo(8);
    for (uint64_t i = 0; i < WAYS + 1; i++) assert_int_equal(load(i * SETS), L1_MISSED);
    sent();
    refuses_load(5 * SETS, L1_NO_MSHR); /* three may be under way */
    l1_walk(&cache);
}

TEST_WITH(a_full_fragment_fifo_refuses, begin, end)
{
    begin_fifo(2);
    assert_int_equal(load(0), L1_MISSED);
    assert_int_equal(load(0), L1_MERGED);
    refuses_load(0, L1_NO_QUEUE);
    assert_int_equal(answer(sent()), 2);
    assert_true(l1_retry_worthwhile(&cache));
    assert_int_equal(load(0), L1_MERGED);
}

/* ---- every sector a miss of its own ---- */

static void begin_by_sector(void)
{
    struct l1_shape shape = plain_shape();
    shape.sectored = shape.by_sector = true;
    l1_destroy(&cache);
    begin_shape(shape);
}

static enum l1_outcome load_sector(uint64_t line, uint8_t sectors)
{
    return access(request(WL_LOAD, WL_GLOBAL, line, sectors));
}

TEST_WITH(sectors_of_a_line_come_and_go_by_themselves, begin, end)
{
    begin_by_sector();
    assert_int_equal(load_sector(8, 1), L1_MISSED);
    assert_int_equal(load_sector(8, 2), L1_MISSED);
    struct req *first = sent(), *second = sent();
    assert_int_equal(load_sector(8, 1), L1_MERGED);
    assert_int_equal(load_sector(8, 2), L1_MERGED);
    assert_int_equal(load_sector(8, 1), L1_NO_MERGE); /* the limit is the sector's */
    assert_int_equal(answer(second), 2);              /* its requests do not wait for the other sector */
    assert_int_equal(load_sector(8, 2), L1_HIT);
    assert_int_equal(state_of(8), WL_RESERVED);
    l1_walk(&cache);
    assert_int_equal(answer(first), 2);
    assert_int_equal(state_of(8), WL_VALID);
    assert_int_equal(cache.mshr.used + cache.mshr.further, 0);
    l1_walk(&cache);
}

TEST_WITH(sectors_under_way_fill_the_mshrs, begin, end)
{
    begin_by_sector();
    struct req *f[MSHRS];
    for (uint8_t i = 0; i < MSHRS; i++) assert_int_equal(load_sector(8, (uint8_t)(1 << i)), L1_MISSED);
    for (unsigned i = 0; i < MSHRS; i++) f[i] = sent();
    assert_int_equal(load_sector(8, 8), L1_NO_MSHR); /* of the same line */
    assert_int_equal(load_sector(9, 1), L1_NO_MSHR); /* of another */
    assert_int_equal(answer(f[1]), 1);
    assert_int_equal(load_sector(9, 1), L1_MISSED);
    f[1] = sent();
    for (unsigned i = 0; i < MSHRS; i++) assert_int_equal(answer(f[i]), 1);
    assert_int_equal(cache.mshr.used + cache.mshr.further, 0);
    l1_walk(&cache);
}

/* Odd addresses may want two sectors: such a load waits for both. */
TEST_WITH(a_load_of_two_sectors_waits_for_both, begin, end)
{
    begin_by_sector();
    assert_int_equal(load_sector(8, 1), L1_MISSED);
    struct req *first = sent();
    assert_int_equal(load_sector(8, 3), L1_MISSED);
    struct req *second = sent();
    assert_int_equal(second->sectors, 2);
    assert_int_equal(answer(second), 0);
    assert_int_equal(answer(first), 2);
    assert_int_equal(cache.mshr.used + cache.mshr.further, 0);
    l1_walk(&cache);
}
