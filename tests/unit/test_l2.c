/* test_l2.c - what an L2 slice does with reads, stores, atomics and victims, one behaviour a function, cycle by cycle.
 */
#include "unit/l2_rig.h"

/* ---- reads ---- */

TEST(read_miss_fetches_then_answers)
{
    begin("");
    struct req *r = send(WL_LOAD, 7, 3);
    step(1);
    assert_null(replied());
    struct req *f = asked(); /* in the cycle of the tags */
    assert_ptr_equal(f, r);  /* the request itself */
    assert_int_equal(f->fetch, 3);
    assert_false(f->is_write);
    fill(f);
    step(1);
    assert_ptr_equal(replied(), r);
    assert_true(r->is_reply);
    assert_int_equal(rig.l2.stats.accesses, 2); /* sectors */
    assert_int_equal(rig.l2.stats.misses, 2);
    assert_int_equal(rig.l2.stats.fetches, 2);
    assert_int_equal(rig.l2.stats.fills, 2);
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(read_hit_answers_in_the_cycle_of_the_tags)
{
    begin("");
    read_in(7, 3);
    struct req *r = send(WL_LOAD, 7, 2);
    step(1);
    assert_ptr_equal(replied(), r);
    assert_null(asked());
    assert_int_equal(rig.l2.stats.hits, 1);
    end();
}

TEST(the_data_port_is_busy_one_cycle_per_32_bytes)
{
    begin("");
    read_in(7, 15);
    send(WL_LOAD, 7, 15);
    send(WL_LOAD, 7, 1);
    send(WL_LOAD, 7, 1);
    step(1);
    assert_non_null(replied());
    step(3);
    assert_null(replied()); /* 128 bytes take four cycles */
    step(1);
    assert_non_null(replied());
    step(1);
    assert_non_null(replied()); /* 32 bytes take one */
    end();
}

TEST(a_read_of_a_line_in_flight_merges)
{
    begin("");
    struct req *a = send(WL_LOAD, 7, 1), *b = send(WL_LOAD, 7, 1);
    step(3);
    struct req *f = asked();
    assert_null(asked()); /* one fetch for both */
    fill(f);
    step(2);
    assert_ptr_equal(replied(), a);
    assert_ptr_equal(replied(), b);
    assert_int_equal(rig.l2.stats.hits_reserved, 1);
    assert_int_equal(rig.l2.stats.misses, 1);
    end();
}

TEST(only_missing_sectors_are_fetched)
{
    begin("");
    read_in(7, 1);
    struct req *r = send(WL_LOAD, 7, 7);
    step(1);
    struct req *f = asked();
    assert_int_equal(f->fetch, 6);
    fill(f);
    step(1);
    assert_ptr_equal(replied(), r);
    assert_int_equal(rig.l2.stats.hits, 1);
    assert_int_equal(rig.l2.stats.misses, 1 + 2);
    end();
}

TEST(a_cache_without_sectors_fetches_the_line)
{
    begin("l2.sectored=no");
    struct req *r = send(WL_LOAD, 7, 1);
    step(1);
    struct req *f = asked();
    assert_int_equal(f->fetch, ALL_SECTORS);
    fill(f);
    step(1);
    assert_ptr_equal(replied(), r);
    assert_int_equal(rig.l2.stats.accesses, 1); /* requests, not sectors */
    r = send(WL_LOAD, 7, 8);
    step(4);
    assert_ptr_equal(replied(), r);
    end();
}

TEST(sectors_of_one_line_return_one_by_one)
{
    begin("");
    struct req *a = send(WL_LOAD, 7, 1), *b = send(WL_LOAD, 7, 2);
    step(3);
    struct req *fa = asked(), *fb = asked();
    assert_int_equal(fa->fetch, 1);
    assert_int_equal(fb->fetch, 2);
    assert_int_equal(rig.l2.mshr.used, 1);
    fill(fb); /* the second is back first: who waits for it alone may go */
    step(2);
    assert_ptr_equal(replied(), b);
    assert_null(replied());
    fill(fa);
    step(2);
    assert_ptr_equal(replied(), a);
    assert_true(l2_idle(&rig.l2));
    end();
}

/* ---- stores ---- */

TEST(lazy_store_miss_fetches_nothing)
{
    begin("l2.write=lazy");
    struct req *w = send_write(7, 1, 0xff, 0);
    step(1);
    assert_null(asked());
    assert_ptr_equal(replied(), w); /* acknowledged */
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 1);
    assert_int_equal(rig.l2.stats.misses, 1);
    assert_int_equal(rig.l2.stats.writes, 1);
    end();
}

TEST(reading_a_partly_written_sector_fetches_it)
{
    begin("l2.write=lazy");
    send_write(7, 1, 0xff, 0);
    step(2);
    struct req *r = send(WL_LOAD, 7, 1);
    step(1);
    struct req *f = asked();
    assert_non_null(f);
    assert_int_equal(f->fetch, 1);
    fill(f);
    step(1);
    (void)replied();
    assert_ptr_equal(replied(), r);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 1); /* still ours to write back */
    end();
}

TEST(a_sector_written_whole_needs_no_fetch)
{
    begin("l2.write=lazy");
    send_write(7, 2, UINT64_C(0x0000ffff00000000), 0);
    send_write(7, 2, UINT64_C(0xffff000000000000), 0); /* in two stores */
    step(2);
    (void)replied();
    (void)replied();
    struct req *r = send(WL_LOAD, 7, 2);
    step(2);
    assert_ptr_equal(replied(), r);
    assert_null(asked());
    end();
}

TEST(a_store_hit_is_a_hit_whatever_was_there)
{
    begin("l2.write=lazy");
    send_write(7, 1, 1, 0);
    step(2);
    send_write(7, 8, 0, UINT64_C(1) << 63);
    step(1);
    assert_int_equal(rig.l2.stats.write_hits, 1);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 9);
    end();
}

TEST(forward_sends_the_store_on_and_reads_the_line)
{
    begin("l2.write=forward l2.sectored=no");
    struct req *w = send_write(7, 1, 0xff, 0);
    step(2);
    assert_ptr_equal(replied(), w);
    struct req *down = asked(), *f = asked();
    assert_true(down->is_write);
    assert_int_equal(down->sectors, 1);
    assert_false(f->is_write);
    assert_int_equal(f->fetch, ALL_SECTORS);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 0); /* memory has it: clean */
    assert_int_equal(rig.l2.stats.forwarded_writes, 1);
    fill(f);
    step(1);
    assert_null(replied()); /* nobody waits for that line */
    assert_true(l2_idle(&rig.l2));
    struct req *r = send(WL_LOAD, 7, 1);
    step(6);
    assert_ptr_equal(replied(), r);
    end();
}

TEST(fetch_policy_reads_what_the_store_does_not_cover)
{
    begin("l2.write=fetch l2.sectored=no");
    send_write(7, 1, 0xff, 0);
    step(1);
    assert_non_null(replied());
    struct req *f = asked();
    assert_int_equal(f->fetch, ALL_SECTORS);
    assert_false(f->is_write);
    fill(f);
    step(1);
    assert_int_equal(rig.l2.tags.sectors[at(7)].valid, ALL_SECTORS);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 1);
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(fetch_policy_trusts_a_store_of_the_whole_line)
{
    begin("l2.write=fetch l2.sectored=no");
    send_write(7, 15, UINT64_MAX, UINT64_MAX);
    step(4);
    assert_non_null(replied());
    assert_null(asked());
    struct req *r = send(WL_LOAD, 7, 15);
    step(4);
    assert_ptr_equal(replied(), r);
    end();
}

TEST(write_backs_of_the_l1_want_no_answer)
{
    begin("");
    struct req *w = send(WL_WRITEBACK, 7, 1);
    w->bytes[0] = 0xffffffff;
    step(2);
    assert_null(replied());
    assert_int_equal(rig.pool.alive, 0);
    end();
}

/* ---- eviction ---- */

TEST(a_victim_writes_its_dirty_sectors_back)
{
    begin("l2.write=lazy");
    send_write(1, 5, 0xff, 0xff);
    step(4);
    (void)replied();
    read_in(2, 1);
    send(WL_LOAD, 3, 1);
    step(2);
    struct req *w = asked(), *f = asked();
    assert_true(w->is_write);
    assert_int_equal(w->line, 1);
    assert_int_equal(w->sectors, 5);
    assert_int_equal(f->line, 3);
    assert_int_equal(rig.l2.stats.writebacks, 2);
    assert_int_equal(rig.l2.stats.evictions, 1);
    end();
}

TEST(without_sectors_the_whole_line_is_written_back)
{
    begin("l2.sectored=no l2.write=lazy");
    send_write(1, 1, 0xff, 0);
    step(6);
    (void)replied();
    read_in(2, 1);
    send(WL_LOAD, 3, 1);
    step(2);
    assert_int_equal(asked()->sectors, ALL_SECTORS);
    assert_int_equal(rig.l2.stats.writebacks, 1);
    end();
}

TEST(a_clean_victim_is_just_dropped)
{
    begin("");
    read_in(1, 1);
    read_in(2, 1);
    read_in(3, 1);
    assert_int_equal(rig.l2.stats.evictions, 1);
    assert_int_equal(rig.l2.stats.writebacks, 0);
    assert_int_equal(at(1), -1);
    end();
}

/* The lazy policy knows which sectors stores have covered; a cache without sectors may not use that
 * to fetch three quarters of a line. */
TEST(without_sectors_a_partly_written_line_is_fetched_whole)
{
    begin("l2.sectored=no l2.write=lazy");
    send_write(7, 1, 0xffffffff, 0); /* all of sector 0 */
    step(6);
    send(WL_LOAD, 7, 15);
    step(6);
    struct req *f = asked();
    assert_non_null(f);
    assert_int_equal(f->fetch, ALL_SECTORS);
    end();
}

/* ---- atomics ---- */

TEST(an_atomic_reads_and_leaves_the_line_dirty)
{
    begin("");
    struct req *r = send(WL_ATOMIC, 7, 2);
    step(1);
    fill(asked());
    step(1);
    assert_ptr_equal(replied(), r);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 2);
    assert_int_equal(rig.l2.stats.atomics, 1);
    send(WL_ATOMIC, 7, 2);
    step(1);
    assert_int_equal(rig.l2.stats.hits, 1);
    end();
}

/* ---- host copies ---- */

TEST(a_host_copy_leaves_its_line_clean_and_valid)
{
    begin("");
    l2_host_copy(&rig.l2, 7, 0, 5, rig.now);
    struct req *r = send(WL_LOAD, 7, 5);
    step(1);
    assert_ptr_equal(replied(), r);
    send(WL_LOAD, 7, 2);
    step(3);
    assert_int_equal(asked()->fetch, 2);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 0);
    end();
}

TEST(neighbouring_sectors_come_along)
{
    begin("l2.promote=2");
    struct req *r = send(WL_LOAD, 5, 1);
    step(8);
    struct req *f = asked();
    assert_int_equal(f->fetch, 3);
    assert_int_equal(rig.l2.stats.misses, 1); /* what was asked for */
    assert_int_equal(rig.l2.stats.fetches, 2);
    fill(f);
    step(8);
    assert_ptr_equal(replied(), r);
    assert_int_equal(rig.l2.tags.sectors[at(5)].valid, 3);
    req_free(&rig.pool, r);
    send_write(5, 8, 0, UINT64_C(0xff) << 56); /* part of sector 3: its neighbour is fetched without it */
    step(8);
    req_free(&rig.pool, replied());
    r = send(WL_LOAD, 5, 4);
    step(8);
    f = asked();
    assert_int_equal(f->fetch, 4);
    fill(f);
    step(8);
    req_free(&rig.pool, replied());
    end();
}
