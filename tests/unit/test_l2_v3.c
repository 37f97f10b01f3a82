/* test_l2_v3.c - an L2 slice with the rules of GPGPU-Sim 3.2, one rule a function, cycle by cycle. */
#include "unit/l2_rig.h"

#define LINES "l2.sectored=no l2.write=forward "

static struct req *send_line(enum wl_kind kind, uint64_t line) { return send(kind, line, 15); }
static struct req *store(uint64_t line) { return send_write(line, 1, 0xff, 0); }

/* ---- the data port ---- */

/* So many cycles after the request's own the next one, a hit of one sector, is answered. */
static unsigned port_cycles(void)
{
    struct req *next = send(WL_LOAD, 7, 1), *r;
    for (unsigned n = 0; n < 20; n++) {
        step(1);
        while ((r = replied()))
            if (r == next) return n;
    }
    fail_msg("the port is never free");
    return 0;
}

TEST(a_hit_pays_for_its_own_size)
{
    begin(LINES "l2.port_time=hit");
    read_in(7, 15);
    send_line(WL_LOAD, 7);
    assert_int_equal(port_cycles(), 4);
    store(7);
    assert_int_equal(port_cycles(), 1);
    end();
}

TEST(merges_and_clean_misses_pay_nothing)
{
    begin(LINES "l2.port_time=hit");
    read_in(7, 15);
    send_line(WL_LOAD, 8); /* the other way is empty */
    assert_int_equal(port_cycles(), 1);
    send_line(WL_LOAD, 8); /* merges */
    assert_int_equal(port_cycles(), 1);
    assert_int_equal(rig.l2.stats.hits_reserved, 1);
    end();
    begin(LINES "l2.port_time=line"); /* as it was: everything pays for a line */
    read_in(7, 15);
    send_line(WL_LOAD, 8);
    assert_int_equal(port_cycles(), 4);
    end();
}

TEST(a_read_miss_pays_for_a_dirty_victim_and_a_store_miss_does_not)
{
    static const unsigned pays[] = {4, 1};
    for (unsigned i = 0; i < 2; i++) {
        begin(LINES "l2.port_time=hit");
        read_in(8, 15);
        store(8); /* dirty, and the older one */
        step(4);
        assert_non_null(replied());
        read_in(7, 15);
        if (i == 0) send_line(WL_LOAD, 9);
        else store(9);
        assert_int_equal(port_cycles(), pays[i]);
        assert_int_equal(rig.l2.stats.writebacks, 1);
        end();
    }
}

/* ---- queues ---- */

/* Four places: a read that misses or merges wants two of them, a store that misses three. */
TEST(accesses_want_room_for_the_worst_case)
{
    begin(LINES "l2.ways=8 l2.missq_rule=worst l2.memq=1 l2.port_time=hit");
    send_line(WL_LOAD, 1);
    step(1); /* this one is in the queue to memory, which has one place */
    send_line(WL_LOAD, 2), send_line(WL_LOAD, 3);
    step(4);
    assert_int_equal(rig.l2.missq_used, 2);
    store(4);
    step(4);
    assert_int_equal(rig.l2.stalled, L2_STALL_MISSQ); /* three places are not free */
    end();
    begin(LINES "l2.ways=8 l2.missq_rule=worst l2.memq=1 l2.port_time=hit");
    for (uint64_t line = 1; line <= 4; line++) send_line(WL_LOAD, line);
    send_line(WL_LOAD, 4);
    step(10);
    assert_int_equal(rig.l2.missq_used, 3);           /* the third read found two places */
    assert_int_equal(rig.l2.stalled, L2_STALL_MISSQ); /* the merge does not, though it needs none */
    assert_int_equal(rig.l2.stats.hits_reserved, 0);
    assert_non_null(asked());
    step(4);
    assert_int_equal(rig.l2.stats.hits_reserved, 1);
    end();
}

TEST(a_full_queue_to_memory_stops_hits)
{
    for (int all = 0; all < 2; all++) {
        begin(all ? LINES "l2.ways=8 l2.memq=1 l2.memq_stops=all" : LINES "l2.ways=8 l2.memq=1");
        read_in(7, 15);
        send_line(WL_LOAD, 8);
        step(4);
        struct req *hit = send_line(WL_LOAD, 7);
        step(6);
        assert_ptr_equal(replied(), all ? NULL : hit);
        assert_non_null(asked()); /* one place is free now */
        step(2);
        if (all) assert_ptr_equal(replied(), hit);
        end();
    }
}

/* ---- stores ---- */

TEST(a_store_to_a_line_in_flight_goes_to_memory_too)
{
    begin(LINES "l2.pending_store=forward l2.missq=8");
    struct req *r = send_line(WL_LOAD, 7);
    step(4);
    struct req *f = asked();
    assert_ptr_equal(f, r);
    struct req *w = store(7);
    step(4);
    assert_ptr_equal(replied(), w);
    struct req *down = asked();
    assert_true(down->is_write);
    assert_int_equal(down->sectors, 1);
    assert_int_equal(rig.l2.stats.hits_reserved, 1);
    assert_int_equal(rig.l2.stats.forwarded_writes, 1);
    fill(f);
    step(8);
    assert_ptr_equal(replied(), r);
    assert_null(replied()); /* the store's own read is dropped */
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 0);
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(such_stores_take_places_to_merge)
{
    begin(LINES "l2.pending_store=forward l2.missq=8 l2.merge=4");
    store(7); /* a miss: its read is the first of the entry */
    for (int i = 0; i < 4; i++) store(7);
    step(30);
    assert_int_equal(rig.l2.stats.hits_reserved, 3);
    assert_int_equal(rig.l2.stalled, L2_STALL_MERGE);
    struct req *f;
    while ((f = asked())->is_write) req_free(&rig.pool, f);
    fill(f);
    step(8);
    assert_int_equal(rig.l2.stats.write_hits, 1); /* the last one finds the line */
    end();
}

TEST(a_store_that_missed_is_acknowledged_by_memory)
{
    begin(LINES "l2.ack=memory");
    struct req *w = store(7);
    step(4);
    assert_null(replied());
    struct req *down = asked(), *read = asked();
    assert_ptr_equal(down, w); /* the store itself goes on */
    assert_true(w->is_write);
    assert_int_equal(w->fetch, 1);
    fill(read);
    port_push(&rig.l2.fill, w, rig.now);
    step(1); /* the fill keeps its port busy for four cycles, which does not concern an acknowledgement */
    step(1);
    assert_ptr_equal(replied(), w);
    assert_true(w->is_reply);
    struct req *hit = store(7); /* a hit is acknowledged at once */
    step(4);
    assert_ptr_equal(replied(), hit);
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(an_acknowledgement_waits_for_room_to_the_network)
{
    begin(LINES "l2.ack=memory l2.outq=1 l2.port_time=hit");
    read_in(8, 15);
    struct req *w = store(7);
    step(4);
    asked();
    struct req *hit = send_line(WL_LOAD, 8);
    step(2);
    port_push(&rig.l2.fill, w, rig.now);
    step(3);
    assert_true(rig.l2.fill_waits);
    assert_ptr_equal(replied(), hit);
    step(1);
    assert_ptr_equal(replied(), w);
    end();
}

/* ---- time ---- */

TEST(misses_and_answers_take_a_hop)
{
    begin(LINES "l2.hop=1");
    struct req *r = send_line(WL_LOAD, 7);
    step(1);
    assert_null(asked());
    step(1);
    struct req *f = asked();
    assert_ptr_equal(f, r);
    fill(f);
    step(1);
    assert_null(replied());
    step(1);
    assert_ptr_equal(replied(), r);
    end();
}

/* ---- from the network to the tags ---- */

TEST(packets_leave_the_network_while_the_queue_has_room)
{
    begin(LINES "l2.entry=queue l2.inq=2 l2.memq=1 l2.memq_stops=all");
    rig.l2.rop_ticks = 9; /* as l2.latency = 10 has it */
    send_line(WL_LOAD, 1);
    step(20); /* fills the queue to memory: nothing is served any more */
    assert_int_equal(rig.l2.stats.misses, 1);
    for (uint64_t line = 2; line < 10; line++) send_line(WL_LOAD, line);
    step(5);
    assert_int_equal(rig.l2.in.used, 3); /* one per cycle enters the pipeline, which has no end */
    step(5);
    assert_int_equal(rig.l2.queue_used, 1);
    step(1);
    assert_int_equal(rig.l2.queue_used, 2);
    step(20);
    assert_int_equal(rig.l2.queue_used, 2);
    assert_int_equal(rig.l2.in.used, 0); /* all were in the pipeline before the queue was full */
    send_line(WL_LOAD, 11);
    step(20);
    assert_int_equal(rig.l2.in.used, 1); /* now the network has to keep it */
    assert_non_null(asked());
    step(2);
    assert_int_equal(rig.l2.stats.misses, 2);
    l2_walk(&rig.l2);
    end();
}

TEST(the_pipeline_delays_as_the_port_does)
{
    begin(LINES "l2.entry=queue");
    rig.l2.rop_ticks = 9;
    struct req *r = send_line(WL_LOAD, 1);
    step(10);
    assert_null(asked());
    step(1); /* seen in cycle 1, at the tags in 11 */
    assert_ptr_equal(asked(), r);
    end();
}

TEST(textures_skip_the_pipeline)
{
    begin(LINES "l2.entry=queue l2.texture=skip");
    rig.l2.rop_ticks = 9;
    send_line(WL_LOAD, 1);
    struct req *t = send_line(WL_LOAD, 2);
    t->cache = L1_TEXTURE;
    step(2); /* the second packet */
    assert_ptr_equal(asked(), t);
    end();
}

/* ---- sleeping ---- */

/* A slice that says when it wants to work next does the same as one that is asked in every cycle. */
static unsigned play(bool sleepy, tick_t *log)
{
    uint64_t seed = 11;
    unsigned n = 0;
    tick_t wanted = 1;
    struct req *under_way[64];
    unsigned used = 0;
    begin(LINES "l2.entry=queue l2.inq=3 l2.memq=2 l2.memq_stops=all l2.pending_store=forward l2.ack=memory l2.hop=1 "
                "l2.missq_rule=worst l2.port_time=hit l2.outq=3 l2.mshr=4 l2.ways=4");
    rig.l2.rop_ticks = 5;
    for (rig.now = 1; rig.now < 6000; rig.now++) {
        if (!sleepy || wanted <= rig.now || rig_wakes(&rig.l2.part)) {
            struct domain *d = &rig.clock.domain[0];
            for (unsigned i = 0; i < WHEEL_SLOTS; i++) d->wheel[i] &= ~UINT64_C(1);
            wanted = l2_tick(&rig.l2, rig.now);
        }
        if (draw(&seed, 6) == 0 && rig.l2.in.used < 8 && rig.pool.alive < 200) {
            uint64_t line = draw(&seed, 12);
            if (draw(&seed, 3)) send_line(WL_LOAD, line);
            else store(line);
        }
        struct req *r = draw(&seed, 4) == 0 ? port_peek(&rig.mem, rig.now) : NULL;
        if (r && used < COUNT(under_way)) {
            port_pop(&rig.mem, rig.now);
            if (r->is_write && r->kind != WL_STORE) req_free(&rig.pool, r);
            else under_way[used++] = r;
        }
        if (used && draw(&seed, 6) == 0 && rig.l2.fill.used < 8) {
            unsigned i = (unsigned)draw(&seed, used);
            port_push(&rig.l2.fill, under_way[i], rig.now);
            under_way[i] = under_way[--used];
        }
        r = draw(&seed, 3) ? port_peek(&rig.out, rig.now) : NULL;
        if (r) {
            port_pop(&rig.out, rig.now);
            log[n++] = rig.now * 64 + r->line * 4 + r->kind;
            req_free(&rig.pool, r);
        }
        l2_walk(&rig.l2);
    }
    log[n++] = rig.l2.stats.stall_missq + rig.l2.stats.stall_merge * 64 + rig.l2.stats.stall_reply * 4096;
    end();
    return n;
}

TEST(sleeping_changes_nothing)
{
    static tick_t a[4096], b[4096];
    unsigned n = play(false, a), m = play(true, b);
    assert_true(n > 200);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, (n - 1) * sizeof a[0]);
}
