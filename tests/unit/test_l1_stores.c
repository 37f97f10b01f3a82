/* test_l1_stores.c - stores and atomics at a first-level cache, sectors, and caches of other shapes; one behaviour a
 * function. */
#include "unit/l1_rig.h"

/* ---- 4: stores and atomics ---- */

TEST_WITH(global_store_hit_evicts, begin, end)
{
    make_valid(5);
    struct req *r = request(WL_STORE, WL_GLOBAL, 5, 1);
    assert_int_equal(access(r), L1_STORED);
    assert_false(r->is_reply);
    assert_int_equal(state_of(5), WL_INVALID);
    assert_ptr_equal(sent(), r); /* written through */
    assert_int_equal(l1_stats(&cache).store_hits, 1);
    assert_int_equal(l1_stats(&cache).hits, 1);
    assert_int_equal(seen.kills, 1);
    assert_int_equal(l1_stats(&cache).evictions, 0); /* that counter is for replacement */
}

TEST_WITH(global_store_miss_allocates_nothing, begin, end)
{
    assert_int_equal(store(WL_GLOBAL, 5, 1), L1_STORED);
    assert_int_equal(state_of(5), WL_INVALID);
    assert_int_equal(cache.mshr.used, 0);
    assert_int_equal(l1_stats(&cache).misses, 1);
    assert_int_equal(l1_stats(&cache).load_misses, 0);
    assert_int_equal(sent()->kind, WL_STORE);
}

TEST_WITH(store_to_a_reserved_line_leaves_it, begin, end)
{
    assert_int_equal(load(5), L1_MISSED);
    assert_int_equal(store(WL_GLOBAL, 5, 1), L1_STORED);
    assert_int_equal(state_of(5), WL_RESERVED);
    assert_int_equal(seen.kills, 0);
    assert_int_equal(answer(sent()), 1);
    assert_int_equal(state_of(5), WL_VALID);
}

TEST_WITH(local_store_hit_marks_dirty, begin, end)
{
    make_valid(5);
    struct req *r = request(WL_STORE, WL_LOCAL, 5, 2);
    assert_int_equal(access(r), L1_STORED);
    assert_true(r->is_reply); /* finished here */
    assert_null(l1_missq_head(&cache));
    assert_int_equal(state_of(5), WL_VALID);
    int at = tags_find(&cache.tags, 1, 5);
    assert_true(cache.tags.state[at] & WL_DIRTY);
    assert_int_equal(cache.tags.sectors[at].dirty, 2);
}

TEST_WITH(local_store_miss_goes_down, begin, end)
{
    struct req *r = request(WL_STORE, WL_LOCAL, 5, 2);
    assert_int_equal(access(r), L1_STORED);
    assert_false(r->is_reply);
    assert_ptr_equal(sent(), r);
    assert_int_equal(state_of(5), WL_INVALID);
}

TEST_WITH(local_stores_can_be_written_through, begin, end)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.update = shape.local_through = true;
    begin_shape(shape);
    make_valid(5);
    struct req *r = request(WL_STORE, WL_LOCAL, 5, 2);
    assert_int_equal(access(r), L1_STORED);
    assert_false(r->is_reply);
    assert_ptr_equal(sent(), r);
    int at = tags_find(&cache.tags, 1, 5);
    assert_int_equal(state_of(5), WL_VALID);
    assert_false(cache.tags.state[at] & WL_DIRTY);
    assert_int_equal(cache.tags.sectors[at].dirty, 0);
}

TEST_WITH(evicting_a_dirty_line_writes_its_dirty_sectors_back, begin, end)
{
    make_valid(0);
    make_valid(4);
    assert_int_equal(store(WL_LOCAL, 0, 1), L1_STORED);
    assert_int_equal(store(WL_LOCAL, 0, 8), L1_STORED);
    assert_int_equal(load(8), L1_MISSED); /* line 0 is the oldest: stores are no uses */
    assert_int_equal(seen.evicted_line, 0);
    const struct req *w = sent();
    assert_int_equal(w->kind, WL_WRITEBACK);
    assert_int_equal(w->line, 0);
    assert_int_equal(w->sectors, 9);
    assert_int_equal(w->bytes[0], UINT64_C(0xffffffff));
    assert_int_equal(w->bytes[1], UINT64_C(0xffffffff00000000));
    assert_int_equal(sent()->line, 8);
    assert_int_equal(l1_stats(&cache).writebacks, 1);
    assert_int_equal(l1_stats(&cache).evictions, 1);
}

TEST_WITH(evicting_a_dirty_line_needs_two_queue_entries, begin, end)
{
    make_valid(0);
    make_valid(4);
    assert_int_equal(store(WL_LOCAL, 0, 1), L1_STORED);
    for (uint64_t i = 1; i < MISSQ; i++) assert_int_equal(store(WL_GLOBAL, 100 + i, 1), L1_STORED);
    refuses_load(8, L1_NO_QUEUE); /* one entry is left */
    (void)sent();
    assert_int_equal(load(8), L1_MISSED);
}

TEST_WITH(atomics_pass_and_leave_no_trace, begin, end)
{
    make_valid(5);
    struct l1d_stats before = l1_stats(&cache);
    unsigned calls = hooks();
    struct req *r = request(WL_ATOMIC, WL_GLOBAL, 5, 1);
    assert_int_equal(access(r), L1_STORED);
    assert_false(r->is_reply);
    assert_ptr_equal(sent(), r);
    assert_int_equal(state_of(5), WL_VALID);
    struct l1d_stats after = l1_stats(&cache);
    assert_memory_equal(&after, &before, sizeof before);
    assert_int_equal(hooks(), calls);
}

/* ---- 5: sectors ---- */

static void begin_sectored(void)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.sectored = true;
    begin_shape(shape);
}

TEST_WITH(sectored_cache_fetches_missing_sectors_only, begin, end)
{
    begin_sectored();
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 1)), L1_MISSED);
    struct req *f = sent();
    assert_int_equal(f->sectors, 1);
    assert_int_equal(answer(f), 1);
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 1)), L1_HIT);
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 7)), L1_MISSED);
    f = sent();
    assert_int_equal(f->sectors, 6);                                     /* sector 0 is there */
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 1)), L1_HIT); /* the line waits, its sector does not */
    assert_int_equal(answer(f), 1);
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 7)), L1_HIT);
    assert_int_equal(l1_stats(&cache).evictions, 0);
}

TEST_WITH(sectored_loads_of_one_line_in_flight, begin, end)
{
    begin_sectored();
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 1)), L1_MISSED);
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 2)), L1_MISSED); /* another sector: its own fetch */
    assert_int_equal(cache.mshr.used, 1);                                   /* in the same entry */
    struct req *a = sent(), *b = sent();
    assert_int_equal(a->sectors, 1);
    assert_int_equal(b->sectors, 2);
    assert_int_equal(answer(a), 0); /* the entry answers when all its sectors are there */
    assert_int_equal(answer(b), 2);
    assert_int_equal(cache.mshr.used, 0);
}

TEST_WITH(sector_in_flight_merges, begin, end)
{
    begin_sectored();
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 3)), L1_MISSED);
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 2)), L1_MERGED);
    refuses(request(WL_LOAD, WL_GLOBAL, 5, 1), L1_NO_MERGE);
    refuses(request(WL_LOAD, WL_GLOBAL, 5, 8), L1_NO_MERGE); /* another sector, the same full entry */
    assert_int_equal(answer(sent()), 2);
}

TEST_WITH(sector_miss_keeps_dirty_sectors, begin, end)
{
    begin_sectored();
    assert_int_equal(access(request(WL_LOAD, WL_LOCAL, 5, 1)), L1_MISSED);
    answer(sent());
    assert_int_equal(store(WL_LOCAL, 5, 1), L1_STORED);
    assert_int_equal(access(request(WL_LOAD, WL_LOCAL, 5, 2)), L1_MISSED);
    answer(sent());
    int at = tags_find(&cache.tags, 1, 5);
    assert_int_equal(cache.tags.sectors[at].dirty, 1);
    assert_int_equal(cache.tags.sectors[at].valid, 3);
}

/* ---- 6: other shapes ---- */

TEST_WITH(constant_cache_keeps_half_lines, begin, end)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.half_lines = true;
    begin_shape(shape);
    assert_int_equal(access(request(WL_LOAD, WL_CONST, 5, 1)), L1_MISSED);
    struct req *f = sent();
    assert_int_equal(f->sectors, 3); /* 64 bytes */
    answer(f);
    assert_int_equal(access(request(WL_LOAD, WL_CONST, 5, 2)), L1_HIT);
    assert_int_equal(access(request(WL_LOAD, WL_CONST, 5, 4)), L1_MISSED); /* the other half */
    assert_int_equal(sent()->sectors, 12);
}

TEST_WITH(infinite_cache_never_evicts, begin, end)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.infinite = true;
    begin_shape(shape);
    for (uint64_t line = 0; line < 10000; line++) make_valid(line);
    for (uint64_t line = 0; line < 10000; line += 97) assert_int_equal(load(line), L1_HIT);
    for (int i = 0; i < 3; i++) { /* what a store invalidates comes back to its old place */
        assert_int_equal(store(WL_GLOBAL, 5, 1), L1_STORED);
        sent();
        assert_int_equal(load(5), L1_MISSED);
        assert_int_equal(load(5), L1_MERGED);
        answer(sent());
        assert_int_equal(load(5), L1_HIT);
    }
    assert_int_equal(cache.tags.used, 10000);
    assert_int_equal(l1_stats(&cache).evictions, 0);
    assert_int_equal(hooks(), 0); /* there is nothing to manage */
}

/* ---- later machines ---- */

TEST_WITH(a_store_may_leave_its_line, begin, end)
{
    struct l1_shape shape = plain_shape();
    shape.update = true;
    end(NULL);
    begin_shape(shape);
    make_valid(5);
    struct req *r = request(WL_STORE, WL_GLOBAL, 5, 1);
    assert_int_equal(access(r), L1_STORED);
    assert_int_equal(state_of(5), WL_VALID);
    assert_ptr_equal(sent(), r); /* written through all the same */
    assert_int_equal(seen.kills, 0);
    assert_int_equal(l1_stats(&cache).store_hits, 1);
}

TEST_WITH(a_perfect_cache_always_hits, begin, end)
{
    struct l1_shape shape = plain_shape();
    shape.perfect = true;
    end(NULL);
    begin_shape(shape);
    for (uint64_t line = 0; line < 100; line++) assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, line, 15)), L1_HIT);
    assert_int_equal(l1_stats(&cache).load_hits, 100);
    assert_int_equal(cache.mshr.used, 0);
}

/* Ways that are switched off hold nothing and are nobody's victim; switched on again they are empty. */
TEST_WITH(ways_can_be_switched_off, begin, end)
{
    for (uint64_t i = 0; i < WAYS; i++) make_valid(i * SETS);
    unsigned kills = seen.kills;
    l1_kernel_begin(&cache, &some_kernel, 1);
    assert_int_equal(seen.kills - kills, WAYS - 1);
    make_valid(100 * SETS);
    make_valid(101 * SETS); /* takes the place of the one before */
    assert_int_equal(state_of(100 * SETS), WL_INVALID);
    assert_int_equal(state_of(101 * SETS), WL_VALID);
    l1_kernel_begin(&cache, &some_kernel, WAYS);
    for (uint64_t i = 0; i + 1 < WAYS; i++) make_valid((200 + i) * SETS);
    assert_int_equal(state_of(101 * SETS), WL_VALID); /* all the others found room */
    for (uint64_t i = 0; i + 1 < WAYS; i++) assert_int_equal(state_of((200 + i) * SETS), WL_VALID);
    l1_flush(&cache, &some_kernel);
    l1_kernel_begin(&cache, &some_kernel, 2);
    l1_kernel_begin(&cache, &some_kernel, 2); /* twice is once */
    assert_int_equal(cache.tags.filled[0], 0);
    assert_int_equal(seen.ways, 2); /* the policy knows */
}
