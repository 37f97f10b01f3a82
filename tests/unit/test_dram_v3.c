/* test_dram_v3.c - a memory channel with the rules of GPGPU-Sim 3.2: what its queue counts, how it is fed, bank groups,
 * column commands one by one, and the bank that is looked at first. Times are DRAM cycles. */
#include "unit/rig.h"

#include "mem/dram.h"

enum { SLICES = 2 };

static struct {
    struct clock clock;
    struct part slice;
    struct req_pool pool;
    struct dram dram;
    struct port out[SLICES];
    struct gpu_config config;
    tick_t now, column_at[256];
    unsigned columns;
    struct req *answer[256];
    tick_t answer_at[256];
    unsigned answers;
} rig;

static void begin(const char *settings)
{
    struct wl_err e = {.code = WL_OK};
    char copy[320];
    memset(&rig, 0, sizeof rig);
    config_defaults(&rig.config);
    snprintf(copy, sizeof copy, "l2.sectored=no l2.slices_per_channel=2 mem.queue=16 mem.returnq=116 l2.fillq=8 %s",
             settings);
    for (char *s = strtok(copy, " "); s; s = strtok(NULL, " "))
        if (config_set(&rig.config, s, &e)) fail_msg("%s", e.text);
    rig_pool(&rig.pool);
    assert_int_equal(clock_init(&rig.clock, 2, NULL), 0);
    rig_part(&rig.clock, &rig.dram.part, 0, 1);
    rig_part(&rig.clock, &rig.slice, 1, 1);
    assert_int_equal(dram_init(&rig.dram, &rig.config, 0, &rig.pool), 0);
    for (unsigned i = 0; i < SLICES; i++) {
        port_init(&rig.dram.in[i], 256, &rig.slice, &rig.dram.part);
        port_init(&rig.out[i], 66, &rig.dram.part, &rig.slice);
        rig.dram.out[i] = &rig.out[i];
    }
}

static void end(void)
{
    dram_destroy(&rig.dram);
    req_pool_destroy(&rig.pool);
    clock_destroy(&rig.clock);
}

/* A whole line: two column commands of 64 bytes. */
static struct req *push(unsigned slice, uint8_t bank, uint32_t row, enum wl_kind kind, bool write)
{
    struct req *r = req_alloc(&rig.pool);
    *r = rig_req(kind, 1, 15);
    r->fetch = 15;
    r->slice = (uint16_t)slice;
    r->bank = bank;
    r->row = row;
    r->is_write = write;
    port_push(&rig.dram.in[slice], r, rig.now);
    return r;
}
static struct req *read(uint8_t bank, uint32_t row) { return push(0, bank, row, WL_LOAD, false); }

static void step_and(unsigned cycles, bool take)
{
    while (cycles--) {
        uint64_t before = rig.dram.stats.reads + rig.dram.stats.writes;
        dram_tick(&rig.dram, ++rig.now);
        uint64_t issued = rig.dram.stats.reads + rig.dram.stats.writes - before;
        for (; issued; issued--)
            if (rig.columns < COUNT(rig.column_at)) rig.column_at[rig.columns++] = rig.now;
        dram_walk(&rig.dram);
        for (unsigned i = 0; take && i < SLICES; i++)
            for (struct req *r; (r = port_peek(&rig.out[i], rig.now));) {
                port_pop(&rig.out[i], rig.now);
                assert_true(rig.answers < COUNT(rig.answer));
                rig.answer_at[rig.answers] = rig.now;
                rig.answer[rig.answers++] = r;
            }
    }
}
static void step(unsigned cycles) { step_and(cycles, true); }

/* ---- columns and groups ---- */

#define TWO_GROUPS "dram.groups=2 dram.grouping=high "

/* Lines of banks in one group: a column command every tCCDL = 3 cycles, 64 bytes each. */
TEST(a_stream_inside_one_group_moves_64_bytes_in_three_cycles)
{
    begin(TWO_GROUPS "dram.columns=single");
    for (uint8_t i = 0; i < 8; i++) read(i, 0);
    step(400);
    unsigned first = rig.columns;
    assert_int_equal(first, 16);
    for (unsigned n = 0; n < 4; n++)
        for (uint8_t i = 0; i < 8; i++) read(i, 0);
    step(400);
    for (unsigned i = first + 8; i < rig.columns; i++) assert_int_equal(rig.column_at[i] - rig.column_at[i - 1], 3);
    end();
}

TEST(a_stream_over_two_groups_moves_64_bytes_in_two_cycles)
{
    begin(TWO_GROUPS "dram.columns=single");
    for (uint8_t i = 0; i < 16; i++) read(i, 0);
    step(400);
    unsigned first = rig.columns;
    for (unsigned n = 0; n < 16; n++) read(0, 0), read(8, 0);
    step(400);
    assert_int_equal(rig.columns - first, 64);
    unsigned twos = 0;
    for (unsigned i = first + 1; i < rig.columns; i++) twos += rig.column_at[i] - rig.column_at[i - 1] == 2;
    assert_true(twos >= 60); /* all but those at the ends */
    end();
}

TEST(with_the_groups_of_the_low_bits_neighbours_do_not_hinder_each_other)
{
    begin("dram.groups=4 dram.grouping=low dram.columns=single");
    assert_int_equal(rig.dram.bank[5].group, 1);
    end();
    begin("dram.groups=2 dram.grouping=high");
    assert_int_equal(rig.dram.bank[7].group, 0);
    assert_int_equal(rig.dram.bank[8].group, 1);
    end();
}

/* Activate, tRCD, two columns tCCDL apart, CL, and a cycle. */
TEST(the_data_of_a_line_come_a_cycle_after_the_latency_of_its_last_column)
{
    begin("dram.columns=single");
    read(0, 0);
    step(100);
    assert_int_equal(rig.columns, 2);
    assert_int_equal(rig.column_at[1] - rig.column_at[0], 3);
    assert_int_equal(rig.column_at[0], 2 + 12);
    assert_int_equal(rig.answer_at[0], rig.column_at[1] + 12 + 1);
    assert_true(dram_idle(&rig.dram));
    end();
}

/* ---- stores that are answered ---- */

TEST(a_store_that_waits_for_its_data_comes_back)
{
    begin("dram.columns=single");
    struct req *w = push(1, 0, 0, WL_STORE, true), *victim = push(0, 1, 0, WL_WRITEBACK, true);
    (void)victim;
    step(200);
    assert_int_equal(rig.answers, 1); /* what was written back is not */
    assert_ptr_equal(rig.answer[0], w);
    assert_int_equal(rig.dram.stats.read_requests, 0);
    assert_int_equal(rig.pool.alive, 1);
    end();
}

/* ---- the window ---- */

/* Requests taken of 60 for rows of 16 banks, none of which is open for a long time. */
static uint64_t taken(const char *settings)
{
    begin(settings);
    for (unsigned i = 0; i < 60; i++) read((uint8_t)(i % 16), i / 16);
    step(150);
    assert_int_equal(rig.columns, 0);
    uint64_t n = rig.dram.stats.requests;
    end();
    return n;
}

TEST(the_queue_counts_all_or_those_that_no_bank_has_taken)
{
    assert_int_equal(taken("dram.trcd=200"), 16);
    assert_int_equal(taken("dram.trcd=200 mem.window=waiting"), 16 + 16);
    assert_int_equal(taken("dram.trcd=200 mem.window=waiting dram.turn=rows"), 16 + 16);
}

/* ---- how it is fed ---- */

TEST(the_delay_is_fed_while_the_queue_has_room)
{
    begin("mem.feed=gated mem.latency=10 mem.queue=4 mem.window=waiting dram.trcd=400");
    for (unsigned i = 0; i < 40; i++) push(i & 1, 0, i, WL_LOAD, false);
    step(10);
    assert_int_equal(rig.dram.stats.requests, 0); /* one per cycle enters the delay, slices in turn */
    assert_int_equal(rig.dram.in[0].used, 40 / 2 - 5);
    assert_int_equal(rig.dram.in[1].used, 40 / 2 - 5);
    step(60);
    assert_int_equal(rig.dram.stats.requests, 1 + 4); /* the bank has one, four wait for it */
    uint32_t waiting = rig.dram.in[0].used + rig.dram.in[1].used;
    assert_int_equal(waiting, 40 - 15); /* what entered before the queue was full is in the delay */
    step(60);
    assert_int_equal(rig.dram.in[0].used + rig.dram.in[1].used, waiting);
    end();
}

TEST(requests_under_way_are_limited)
{
    begin("mem.feed=gated mem.latency=1000 mem.returnq=8"); /* 16 + 8 - 1 shared, and one of each slice */
    for (unsigned i = 0; i < 60; i++) push(i & 1, 0, 0, WL_LOAD, false);
    step(200);
    assert_int_equal(60 - rig.dram.in[0].used - rig.dram.in[1].used, 16 + 8 - 1 + SLICES);
    step(3000);
    assert_int_equal(rig.answers, 60); /* each answer lets one more pass */
    assert_int_equal(rig.dram.shared, 0);
    assert_true(dram_idle(&rig.dram));
    end();
}

TEST(a_slice_whose_answers_wait_is_not_fed)
{
    begin("mem.feed=gated mem.latency=0");
    for (unsigned i = 0; i < 30; i++) push(0, 0, 0, WL_LOAD, false);
    for (unsigned i = 0; i < 4; i++) push(1, 8, 0, WL_LOAD, false);
    step_and(400, false); /* nobody takes answers */
    assert_true(rig.dram.in[0].used > 0);
    assert_true(rig.out[0].used >= 8);
    assert_int_equal(rig.dram.in[1].used, 0); /* the other slice goes on */
    assert_true(rig.out[0].producer_waits);
    step(400);
    assert_int_equal(rig.answers, 34);
    end();
}

/* What the slice takes in the very cycle in which the channel looks is noticed in the next one. */
TEST(an_answer_taken_at_this_tick_wakes_the_channel)
{
    begin("mem.feed=gated mem.latency=0 l2.fillq=1");
    push(0, 0, 0, WL_LOAD, false);
    step_and(100, false);
    assert_int_equal(rig.out[0].used, 1);
    push(0, 0, 0, WL_LOAD, false);
    rig.now++;
    port_pop(&rig.out[0], rig.now); /* the slice comes first in this tick */
    for (unsigned i = 0; i < WHEEL_SLOTS; i++) rig.clock.domain[0].wheel[i] = 0;
    dram_tick(&rig.dram, rig.now);
    assert_int_equal(rig.dram.in[0].used, 1);
    assert_true(rig_wakes(&rig.dram.part));
    end();
}

/* ---- the turn ---- */

TEST(one_bank_takes_a_request_per_cycle)
{
    begin("dram.turn=rows mem.window=waiting");
    for (uint8_t i = 0; i < 4; i++) push(i & 1, i, 0, WL_LOAD, false);
    step(2); /* the first request is in the queue after the first cycle, in its bank after the second */
    assert_int_equal(bit_count64(rig.dram.busy[0]), 1);
    assert_int_equal(rig.dram.stats.activates, 1);
    end();
}

TEST(columns_leave_the_turn_alone)
{
    begin("dram.turn=rows dram.columns=single");
    read(3, 0);
    step(2); /* taken by bank 3, and activated */
    assert_int_equal(rig.dram.turn, 4);
    step(100);
    assert_int_equal(rig.columns, 2);
    assert_int_equal(rig.dram.turn, 4);
    end();
    begin("dram.columns=single");
    read(3, 0);
    read(5, 0);
    step(100);
    assert_int_equal(rig.dram.turn, 6);
    end();
}
