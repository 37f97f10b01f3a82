/* test_l2_waits.c - what makes an L2 slice wait, and what its policy may decide: one behaviour a function. */
#include "unit/l2_rig.h"

/* ---- stalls: each has its reason, its counter, and ends ---- */

TEST(stall_for_an_mshr)
{
    begin("l2.mshr=1");
    send(WL_LOAD, 1, 1);
    send(WL_LOAD, 2, 1);
    step(5);
    assert_int_equal(rig.l2.stalled, L2_STALL_MSHR);
    assert_int_equal(rig.l2.stats.stall_mshr, 4); /* the first was served in cycle 1 */
    assert_int_equal(rig.l2.stats.accesses, 1);
    fill(asked());
    step(1);
    assert_int_equal(rig.l2.stalled, L2_GO);
    assert_int_equal(rig.l2.stats.accesses, 2);
    end();
}

TEST(stall_for_sectors_of_an_mshr)
{
    begin("l2.mshr=4"); /* sectors, in a sectored cache */
    send(WL_LOAD, 1, 7);
    send(WL_LOAD, 2, 3);
    step(6);
    assert_int_equal(rig.l2.stalled, L2_STALL_MSHR);
    fill(asked());
    step(4);
    assert_int_equal(rig.l2.stalled, L2_GO);
    end();
}

TEST(stall_for_room_to_merge)
{
    begin("l2.merge=1");
    send(WL_LOAD, 1, 1);
    send(WL_LOAD, 1, 1);
    step(4);
    assert_int_equal(rig.l2.stalled, L2_STALL_MERGE);
    assert_true(rig.l2.stats.stall_merge > 0);
    fill(asked());
    step(1);
    assert_int_equal(rig.l2.stalled, L2_GO);
    assert_int_equal(rig.l2.stats.hits, 1);
    end();
}

/* Where a request is a sector, so is what the limit is for; another sector of the line is a fetch of its own. */
TEST(room_to_merge_is_the_sectors_where_requests_are)
{
    begin("l2.merge=2 sm.coalesce=sector");
    send(WL_LOAD, 1, 1);
    send(WL_LOAD, 1, 1);
    send(WL_LOAD, 1, 2);
    step(4);
    assert_int_equal(rig.l2.stalled, L2_GO);
    assert_int_equal(rig.l2.stats.fetches, 2);
    assert_int_equal(rig.l2.stats.hits_reserved, 1);
    send(WL_LOAD, 1, 2); /* the second of its sector */
    send(WL_LOAD, 1, 1); /* the third */
    step(4);
    assert_int_equal(rig.l2.stats.hits_reserved, 2);
    assert_int_equal(rig.l2.stalled, L2_STALL_MERGE);
    fill(asked());
    step(4);
    assert_int_equal(rig.l2.stalled, L2_GO);
    assert_int_equal(rig.l2.stats.hits, 1);
    end();
}

/* Hits wait behind it, as behind any other that waits. */
TEST(a_store_to_sectors_on_their_way_waits_for_them)
{
    for (int waits = 0; waits < 2; waits++) {
        begin(waits ? "l2.pending_store=wait" : "");
        read_in(3, 1);
        send(WL_LOAD, 1, 1);
        struct req *other = send(WL_STORE, 1, 2), *same = send(WL_STORE, 1, 1), *hit = send(WL_LOAD, 3, 1);
        step(9);
        assert_ptr_equal(replied(), other);
        assert_ptr_equal(replied(), waits ? NULL : same);
        assert_ptr_equal(replied(), waits ? NULL : hit);
        assert_int_equal(rig.l2.stalled, waits ? L2_STALL_LINE : L2_GO);
        fill(asked());
        step(9);
        assert_non_null(replied()); /* the load */
        if (waits) {
            assert_ptr_equal(replied(), same);
            assert_ptr_equal(replied(), hit);
        }
        end();
    }
}

TEST(stall_for_a_way)
{
    begin("");
    send(WL_LOAD, 1, 1);
    send(WL_LOAD, 2, 1);
    send(WL_LOAD, 3, 1);
    step(8);
    assert_int_equal(rig.l2.stalled, L2_STALL_LINE);
    assert_true(rig.l2.stats.stall_line > 0);
    assert_true(at(1) >= 0 && at(2) >= 0); /* lines in flight are never evicted */
    fill(asked());
    step(1);
    assert_int_equal(rig.l2.stalled, L2_GO);
    assert_int_equal(at(1), -1);
    end();
}

TEST(stall_for_the_miss_queue)
{
    begin("l2.missq=1 l2.memq=1");
    send_write(1, 1, 1, 0);
    step(2);
    send(WL_LOAD, 2, 1); /* fills the queue to memory, */
    step(2);
    send(WL_LOAD, 3, 1); /* and this one needs a write-back and a fetch: two places where one is */
    step(4);
    assert_int_equal(rig.l2.stalled, L2_STALL_MISSQ);
    assert_true(rig.l2.stats.stall_missq > 0);
    assert_true(at(1) >= 0); /* nothing has been evicted yet */
    end();
}

TEST(stall_for_the_network)
{
    begin("l2.outq=1");
    read_in(7, 1);
    send(WL_LOAD, 7, 1);
    send(WL_LOAD, 7, 1);
    step(5);
    assert_int_equal(rig.l2.stalled, L2_STALL_REPLY);
    assert_true(rig.l2.stats.stall_reply > 0);
    assert_non_null(replied());
    step(1);
    assert_int_equal(rig.l2.stalled, L2_GO);
    assert_non_null(replied());
    end();
}

/* A slice that sleeps through a stall counts the cycles it slept. */
TEST(stall_cycles_do_not_depend_on_being_called)
{
    begin("l2.mshr=1");
    send(WL_LOAD, 1, 1);
    send(WL_LOAD, 2, 1);
    step(3);
    uint64_t counted = rig.l2.stats.stall_mshr;
    rig.now += 99; /* nobody calls for 99 cycles */
    step(1);
    assert_int_equal(rig.l2.stats.stall_mshr, counted + 100);
    end();
}

/* A request that needs two places in the miss queue is refused, and in the same cycle the last entry
 * leaves. What is left in the queue says nothing of the room that was made: the slice must ask for
 * the next cycle, or it sleeps until something else wakes it. */
TEST(a_refused_request_is_tried_again_after_the_last_send)
{
    begin("l2.missq=2 l2.write=lazy");
    send_write(1, 1, 1, 0);
    send_write(2, 1, 1, 0);
    step(4); /* both ways are dirty */
    send(WL_LOAD, 3, 1);
    send(WL_LOAD, 4, 1);
    step(1); /* line 1 goes back, line 3 is asked for: one of the two leaves */
    tick_t wanted = l2_tick(&rig.l2, ++rig.now);
    assert_int_equal(rig.l2.stalled, L2_STALL_MISSQ);
    assert_null(rig.l2.missq.head); /* there is room for two now */
    assert_int_equal(wanted, rig.now + 1);
    end();
}

/* ---- the policy ---- */

TEST(a_read_may_pass_without_a_line)
{
    begin("");
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *r = send(WL_LOAD, 7, 3);
    step(1);
    assert_ptr_equal(asked(), r); /* it goes itself */
    assert_int_equal(at(7), -1);
    assert_int_equal(rig.l2.mshr.used, 1); /* an entry, but no line */
    assert_int_equal(rig.l2.stats.bypasses, 2);
    fill(r);
    step(1);
    assert_ptr_equal(replied(), r);
    assert_int_equal(at(7), -1);
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(reads_join_a_read_that_bypassed)
{
    begin("l2.mshr=4 l2.merge=2");
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *first = send(WL_LOAD, 7, 3);
    step(4);
    assert_ptr_equal(asked(), first);
    struct req *second = send(WL_LOAD, 7, 1); /* what is on its way will do */
    step(4);
    assert_null(asked());
    assert_int_equal(rig.l2.stats.hits_reserved, 1);
    send(WL_LOAD, 7, 2); /* the entry is full */
    step(2);
    assert_int_equal(rig.l2.stalled, L2_STALL_MERGE);
    fill(first);
    step(2);
    assert_ptr_equal(replied(), first);
    step(1);
    assert_ptr_equal(replied(), second);
    struct req *third = asked(); /* nothing in flight any more: past again */
    assert_non_null(third);
    fill(third);
    step(2);
    assert_ptr_equal(replied(), third);
    assert_int_equal(rig.l2.stats.bypasses, 3);
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(what_is_not_on_its_way_bypasses_alone)
{
    begin("l2.mshr=8");
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *a = send(WL_LOAD, 7, 1), *b = send(WL_LOAD, 7, 6), *c = send(WL_LOAD, 9, 1);
    step(12);
    assert_ptr_equal(asked(), a);
    assert_ptr_equal(asked(), b);
    assert_ptr_equal(asked(), c);
    assert_int_equal(rig.l2.bypassing_used, 3);
    fill(b); /* any order */
    step(4);
    assert_ptr_equal(replied(), b);
    fill(c);
    step(4);
    assert_ptr_equal(replied(), c);
    struct req *d = send(WL_LOAD, 7, 1);
    step(4);
    assert_null(asked());
    fill(a);
    step(4);
    assert_ptr_equal(replied(), a);
    assert_ptr_equal(replied(), d);
    assert_int_equal(rig.l2.mshr.used, 0);
    assert_int_equal(rig.l2.mshr_sectors, 0);
    end();
}

TEST(a_store_takes_its_own_line_while_a_bypassed_read_is_under_way)
{
    begin("l2.sectored=no l2.write=fetch");
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *r = send(WL_LOAD, 7, 15);
    step(4);
    assert_ptr_equal(asked(), r);
    victim_answer = 0;
    struct req *w = send_write(7, 15, UINT64_MAX, UINT64_MAX);
    step(8);
    assert_ptr_equal(replied(), w);
    assert_true(at(7) >= 0);
    fill(r);
    step(4);
    assert_ptr_equal(replied(), r);
    assert_true(rig.l2.tags.sectors[at(7)].dirty); /* the fill did not touch it */
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(a_store_may_pass_without_a_line)
{
    begin("l2.sectored=no l2.write=fetch");
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *w = send_write(7, 6, UINT64_C(0xff00000000), 1);
    step(4);
    assert_ptr_equal(replied(), w);
    struct req *down = asked();
    assert_true(down->is_write);
    assert_int_equal(down->fetch, 6); /* whole sectors */
    assert_null(asked());
    assert_int_equal(at(7), -1);
    assert_int_equal(rig.l2.stats.bypassed_writes, 1);
    assert_int_equal(rig.l2.stats.bypassed_write_bytes, 64);
    req_free(&rig.pool, down);
    struct req *x = send(WL_ATOMIC, 7, 1); /* needs the L2 to be done */
    step(4);
    assert_int_equal(rig.l2.stalled, L2_STALL_LINE);
    victim_answer = 0;
    step(4);
    assert_ptr_equal(asked(), x);
    end();
}

TEST(requests_to_nvm_are_counted_apart)
{
    begin("l2.sectored=no l2.write=fetch");
    rig.nvm = (struct nvm_map){.rule = NVM_PAGE_LSB};
    read_in(NVM_PAGE_LINES, 15);
    read_in(1, 15);
    struct req *hit = send(WL_LOAD, NVM_PAGE_LINES, 15);
    step(8);
    assert_ptr_equal(replied(), hit);
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *r = send(WL_LOAD, NVM_PAGE_LINES + 1, 15);
    step(8);
    assert_ptr_equal(asked(), r);
    assert_int_equal(rig.l2.stats.nvm_accesses, 3);
    assert_int_equal(rig.l2.stats.nvm_misses, 1);
    assert_int_equal(rig.l2.stats.nvm_bypasses, 1);
    assert_int_equal(rig.l2.stats.misses, 2);
    assert_int_equal(rig.l2.stats.accesses, 4);
    end();
}

TEST(the_policy_may_make_a_miss_wait)
{
    begin("");
    victim_answer = WL_NO_WAY_STALL;
    send(WL_LOAD, 7, 1);
    step(3);
    assert_int_equal(rig.l2.stalled, L2_STALL_LINE);
    victim_answer = 0;
    step(1);
    assert_int_equal(rig.l2.stalled, L2_GO);
    end();
}

TEST(accepted_reads_carry_the_policys_note)
{
    begin("");
    struct req *r = send(WL_LOAD, 7, 1);
    r->note = 4;
    step(1);
    fill(asked());
    step(1);
    assert_int_equal(replied()->note, 5);
    end();
}
