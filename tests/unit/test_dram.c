/* test_dram.c - one memory channel, command by command.
 *
 * The channel counts its commands; a test that looks at the counters after every cycle sees the
 * command bus. Times are DRAM cycles from the push of the first request. */
#include "unit/rig.h"

#include "mem/dram.h"

/* From the port to the queue, from the queue to the bank: a cycle each, then commands begin. */
enum { TO_BANK = 2 };

static struct {
    struct clock clock;
    struct part slice;
    struct req_pool pool;
    struct dram dram;
    struct port out;
    struct gpu_config config;
    tick_t now;
    char bus[4096];   /* what was issued in each cycle: a p r w, or '.' */
    int answered[64]; /* numbers of finished reads, in order */
    tick_t answered_at[64];
    unsigned answers;
} rig;

static int64_t P(enum param_id id) { return rig.config.v[id]; }

static void begin_room(const char *settings, uint32_t room)
{
    struct wl_err e = {.code = WL_OK};
    char copy[256];
    memset(&rig, 0, sizeof rig);
    config_defaults(&rig.config);
    snprintf(copy, sizeof copy, "l2.sectored=no l2.slices_per_channel=1 %s", settings);
    for (char *s = strtok(copy, " "); s; s = strtok(NULL, " "))
        if (config_set(&rig.config, s, &e)) fail_msg("%s", e.text);
    rig_pool(&rig.pool);
    assert_int_equal(clock_init(&rig.clock, 2, NULL), 0);
    rig_part(&rig.clock, &rig.dram.part, 0, 1);
    rig_part(&rig.clock, &rig.slice, 1, 1);
    assert_int_equal(dram_init(&rig.dram, &rig.config, 0, &rig.pool), 0);
    port_init(&rig.dram.in[0], 256, &rig.slice, &rig.dram.part);
    port_init(&rig.out, room, &rig.dram.part, &rig.slice);
    rig.dram.out[0] = &rig.out;
}

static void begin(const char *settings) { begin_room(settings, 64); }

static void end(void)
{
    dram_destroy(&rig.dram);
    req_pool_destroy(&rig.pool);
    clock_destroy(&rig.clock);
}

static struct req *push_to(int number, uint8_t bank, uint32_t row, uint8_t sectors, bool write, bool nvm)
{
    struct req *r = req_alloc(&rig.pool);
    *r = rig_req(write ? WL_WRITEBACK : WL_LOAD, (uint64_t)number, sectors);
    r->fetch = sectors;
    r->bank = bank;
    r->row = row;
    r->is_write = write;
    r->nvm = nvm;
    port_push(&rig.dram.in[0], r, rig.now);
    return r;
}

/* Half a line: one column command of 64 bytes. */
static void read(int number, uint8_t bank, uint32_t row) { push_to(number, bank, row, 3, false, false); }
static void write(uint8_t bank, uint32_t row) { push_to(-1, bank, row, 3, true, false); }

static char issued(const struct dram_stats *a, const struct dram_stats *b)
{
    int kinds = (b->activates != a->activates) + (b->precharges != a->precharges) + (b->reads != a->reads) +
                (b->writes != a->writes);
    if (rig.dram.dual && kinds == 2) return b->reads != a->reads || b->writes != a->writes ? '2' : '!';
    assert_true(kinds <= 1); /* one command bus; the columns of a request count as one */
    if (!kinds) return '.';
    return b->activates != a->activates ? 'a' : b->precharges != a->precharges ? 'p' : b->reads != a->reads ? 'r' : 'w';
}

static void step(unsigned cycles)
{
    while (cycles--) {
        struct dram_stats before = rig.dram.stats;
        dram_tick(&rig.dram, ++rig.now);
        if (rig.now < sizeof rig.bus) rig.bus[rig.now] = issued(&before, &rig.dram.stats);
        struct req *r;
        while ((r = port_peek(&rig.out, rig.now))) {
            assert_true(rig.answers < COUNT(rig.answered));
            rig.answered[rig.answers] = (int)r->line;
            rig.answered_at[rig.answers++] = rig.now;
            port_pop(&rig.out, rig.now);
            req_free(&rig.pool, r);
        }
    }
}

/* The cycle of the nth command of a kind, counted from 1. */
static tick_t bus(char command, unsigned nth)
{
    for (tick_t t = 1; t <= rig.now; t++)
        if (rig.bus[t] == command && --nth == 0) return t;
    fail_msg("too few commands '%c'", command);
    return 0;
}

/* ---- rows ---- */

TEST(closed_row_is_activated_first)
{
    begin("");
    read(1, 3, 5);
    step(200);
    tick_t act = TO_BANK, col = act + (tick_t)P(P_DRAM_RCD);
    assert_int_equal(bus('a', 1), act);
    assert_int_equal(bus('r', 1), col);
    assert_int_equal(rig.answered_at[0], col + (tick_t)(P(P_DRAM_CL) + P(P_DRAM_BURST)));
    assert_int_equal(rig.dram.stats.row_hits, 0);
    assert_true(dram_idle(&rig.dram));
    end();
}

TEST(open_row_needs_only_the_column)
{
    begin("");
    read(1, 3, 5);
    step(100);
    tick_t start = rig.now;
    read(2, 3, 5);
    step(100);
    assert_int_equal(bus('r', 2), start + TO_BANK);
    assert_int_equal(rig.answered_at[1], start + TO_BANK + (tick_t)(P(P_DRAM_CL) + P(P_DRAM_BURST)));
    assert_int_equal(rig.dram.stats.row_hits, 1);
    assert_int_equal(rig.dram.stats.activates, 1);
    end();
}

TEST(another_row_costs_precharge_and_activate)
{
    begin("");
    read(1, 3, 5);
    step(100);
    tick_t start = rig.now;
    read(2, 3, 6);
    step(100);
    tick_t pre = start + TO_BANK, act = pre + (tick_t)P(P_DRAM_RP), col = act + (tick_t)P(P_DRAM_RCD);
    assert_int_equal(bus('p', 1), pre);
    assert_int_equal(bus('a', 2), act);
    assert_int_equal(rig.answered_at[1], col + (tick_t)(P(P_DRAM_CL) + P(P_DRAM_BURST)));
    end();
}

TEST(a_row_stays_open_for_tras_and_a_bank_cycles_in_trc)
{
    begin("dram.tras=28 dram.trc=50 dram.trp=12");
    read(1, 3, 5);
    read(2, 3, 6);
    step(200);
    assert_int_equal(bus('p', 1), bus('a', 1) + 28);
    assert_int_equal(bus('a', 2), bus('a', 1) + 50); /* 28 + 12 would be sooner */
    end();
}

TEST(a_written_row_closes_late)
{
    begin("dram.tras=1");
    write(3, 5);
    read(1, 3, 6);
    step(300);
    tick_t col = bus('w', 1);
    assert_int_equal(bus('p', 1), col + (tick_t)(P(P_DRAM_WL) + P(P_DRAM_BURST) + P(P_DRAM_WR)));
    end();
}

TEST(a_write_may_follow_its_activate_sooner)
{
    begin("");
    write(3, 5);
    step(100);
    assert_int_equal(bus('w', 1), bus('a', 1) + (tick_t)(P(P_DRAM_RCD) - P(P_DRAM_WL) - 1));
    end();
}

TEST(a_whole_line_is_two_commands_tccd_apart)
{
    begin("dram.tccd=3");
    push_to(1, 3, 5, 15, false, false);
    step(100);
    assert_int_equal(rig.answered_at[0], bus('r', 1) + 3 + (tick_t)(P(P_DRAM_CL) + P(P_DRAM_BURST)));
    assert_int_equal(rig.dram.stats.reads, 2);
    assert_int_equal(rig.dram.stats.read_bytes, 128);
    assert_int_equal(rig.dram.stats.busy_cycles, 2 * (uint64_t)P(P_DRAM_BURST));
    end();
}

TEST(a_sectored_l2_reads_an_atom_per_sector)
{
    begin("l2.sectored=yes");
    push_to(1, 3, 5, 7, false, false);
    push_to(-1, 4, 5, 7, true, false); /* but writes what it has at once: 96 bytes, two atoms */
    step(200);
    assert_int_equal(rig.dram.stats.reads, 3);
    assert_int_equal(rig.dram.stats.writes, 2);
    assert_int_equal(rig.dram.stats.read_bytes, 96);
    end();
}

/* ---- order ---- */

TEST(row_hits_go_first)
{
    begin("mem.scheduler=frfcfs");
    read(1, 3, 5);
    read(2, 3, 6);
    read(3, 3, 5);
    read(4, 3, 5);
    step(400);
    static const int order[] = {1, 3, 4, 2};
    for (unsigned i = 0; i < 4; i++) assert_int_equal(rig.answered[i], order[i]);
    assert_int_equal(rig.dram.stats.activates, 2);
    assert_int_equal(rig.dram.stats.row_hits, 2);
    end();
}

TEST(fifo_keeps_the_order)
{
    begin("mem.scheduler=fifo");
    read(1, 3, 5);
    read(2, 3, 6);
    read(3, 3, 5);
    step(400);
    for (int i = 0; i < 3; i++) assert_int_equal(rig.answered[i], i + 1);
    assert_int_equal(rig.dram.stats.activates, 3);
    end();
}

TEST(the_oldest_goes_first_among_misses)
{
    begin("");
    read(1, 3, 5);
    read(2, 3, 6);
    read(3, 3, 7);
    step(400);
    for (int i = 0; i < 3; i++) assert_int_equal(rig.answered[i], i + 1);
    end();
}

TEST(the_queue_is_bounded)
{
    begin("mem.queue=2");
    for (int i = 0; i < 8; i++) read(i, 3, (uint32_t)i);
    step(5);
    assert_int_equal(rig.dram.queued, 2);
    step(1000);
    assert_int_equal(rig.answers, 8);
    end();
}

TEST(one_request_a_cycle_enters)
{
    begin("");
    for (int i = 0; i < 4; i++) read(i, (uint8_t)i, 0);
    step(1);
    assert_int_equal(rig.dram.queued, 1);
    step(2);
    assert_int_equal(rig.dram.queued, 3);
    end();
}

/* ---- between banks ---- */

TEST(activates_keep_trrd)
{
    begin("dram.trrd=6");
    read(1, 0, 0);
    read(2, 1, 0);
    read(3, 2, 0);
    step(200);
    assert_int_equal(bus('a', 2), bus('a', 1) + 6);
    assert_int_equal(bus('a', 3), bus('a', 2) + 6);
    end();
}

/* Opens row 0 of banks 0 and 1, which are in different groups, and of 4, in the group of 0. */
static void open_three(void)
{
    read(90, 0, 0);
    read(91, 1, 0);
    read(92, 4, 0);
    step(200);
    memset(rig.bus, '.', sizeof rig.bus);
}

TEST(columns_keep_tccd_and_tccdl)
{
    begin("dram.tccd=2 dram.tccdl=5");
    open_three();
    read(1, 0, 0);
    read(2, 1, 0); /* another group: tCCD */
    read(3, 4, 0); /* the group of the first: tCCDL */
    step(100);
    assert_int_equal(bus('r', 2), bus('r', 1) + 2);
    assert_int_equal(bus('r', 3), bus('r', 1) + 5);
    end();
}

TEST(read_to_write_turnaround)
{
    begin("");
    open_three();
    read(1, 0, 0);
    write(1, 0);
    step(100);
    tick_t rtw = (tick_t)(P(P_DRAM_CL) + P(P_DRAM_BURST) + 2 - P(P_DRAM_WL));
    assert_int_equal(bus('w', 1), bus('r', 1) + rtw);
    end();
}

TEST(write_to_read_turnaround)
{
    begin("");
    open_three();
    write(0, 0);
    read(1, 1, 0);
    step(100);
    tick_t wtr = (tick_t)(P(P_DRAM_WL) + P(P_DRAM_BURST) + P(P_DRAM_CDLR));
    assert_int_equal(bus('r', 1), bus('w', 1) + wtr);
    end();
}

TEST(reads_close_a_group_late)
{
    begin("dram.trtpl=20 dram.tras=1 dram.trc=1");
    open_three();
    read(1, 0, 0);
    read(2, 4, 1); /* another bank of the group: its precharge waits for tRTPL */
    step(200);
    assert_true(bus('p', 1) >= bus('r', 1) + 20 || bus('p', 1) < bus('r', 1));
    assert_true(bus('p', 1) > bus('r', 1));
    end();
}

static void stream_of_hits(unsigned n)
{
    for (unsigned i = 0; i < n; i++) read(1, i & 1, 0);
    step(40 + 8 * n);
}

TEST(row_hits_fill_the_data_bus)
{
    begin("dram.tccd=2 dram.tccdl=2 dram.burst=2");
    open_three();
    stream_of_hits(32);
    assert_int_equal(bus('r', 32), bus('r', 1) + 31 * 2);
    end();
}

/* A burst longer than tCCD: the data bus, not the command, is what the next column waits for. */
TEST(a_long_burst_limits_the_data_bus)
{
    begin("dram.tccd=2 dram.tccdl=2 dram.burst=4");
    open_three();
    stream_of_hits(32);
    assert_int_equal(bus('r', 32), bus('r', 1) + 31 * 4);
    end();
}

/* ---- back-pressure ---- */

TEST(reads_wait_for_room_on_the_way_back)
{
    begin_room("", 2);
    open_three();
    rig.dram.stats.reads = 0;
    for (int i = 0; i < 5; i++) read(i, 0, 0);
    for (int i = 0; i < 100; i++) dram_tick(&rig.dram, ++rig.now); /* nobody takes the data */
    assert_int_equal(rig.dram.stats.reads, 2);
    assert_true(rig.out.producer_waits);
    rig.answers = 0;
    step(200);
    assert_int_equal(rig.answers, 5);
    end();
}

TEST(writes_do_not_wait_for_it)
{
    begin_room("", 1);
    open_three();
    read(1, 0, 0);
    read(2, 0, 0);
    write(1, 0);
    for (int i = 0; i < 100; i++) dram_tick(&rig.dram, ++rig.now);
    assert_int_equal(rig.dram.stats.writes, 1);
    end();
}

/* ---- non-volatile memory ---- */

TEST(nvm_activates_slowly)
{
    begin("nvm.map=page_hash");
    push_to(1, 3, 5, 3, false, true);
    step(300);
    assert_int_equal(bus('r', 1), bus('a', 1) + (tick_t)P(P_NVM_RCD));
    assert_int_equal(rig.dram.stats.nvm_reads, 1);
    end();
}

TEST(nvm_closes_a_clean_row_fast_and_a_written_one_slowly)
{
    begin("nvm.map=page_hash");
    push_to(1, 3, 5, 3, false, true);
    push_to(2, 3, 6, 3, false, true);
    step(400);
    assert_int_equal(bus('a', 2), bus('p', 1) + (tick_t)P(P_NVM_RP_CLEAN));
    push_to(-1, 3, 6, 3, true, true);
    push_to(3, 3, 7, 3, false, true);
    step(600);
    assert_int_equal(bus('a', 3), bus('p', 2) + (tick_t)P(P_NVM_RP));
    end();
}

TEST(nvm_precharges_keep_their_distance)
{
    begin("nvm.map=page_hash nvm.trrd_pre=22");
    for (uint8_t bank = 0; bank < 2; bank++) push_to(bank, bank, 0, 3, false, true);
    step(200);
    memset(rig.bus, '.', sizeof rig.bus);
    for (uint8_t bank = 0; bank < 2; bank++) push_to(bank, bank, 1, 3, false, true);
    step(300);
    assert_int_equal(bus('p', 2), bus('p', 1) + 22);
    end();
}

TEST(so_do_those_of_dram_when_asked)
{
    for (int gap = 0; gap < 2; gap++) {
        begin(gap ? "nvm.map=page_hash dram.trrd_pre=22" : "nvm.map=page_hash");
        for (uint8_t bank = 0; bank < 2; bank++) push_to(bank, bank, 0, 3, false, false);
        push_to(2, 5, 0, 3, false, true);
        step(300);
        memset(rig.bus, '.', sizeof rig.bus);
        for (uint8_t bank = 0; bank < 2; bank++) push_to(bank, bank, 1, 3, false, false);
        step(300);
        if (gap) assert_int_equal(bus('p', 2), bus('p', 1) + 22);
        else assert_true(bus('p', 2) < bus('p', 1) + 22);
        end();
    }
}

TEST(reads_are_timed_and_nvm_rows_counted)
{
    begin("nvm.map=page_hash");
    push_to(1, 3, 5, 3, false, true);
    push_to(-1, 3, 5, 3, true, true);
    push_to(2, 3, 6, 3, false, true);
    push_to(3, 3, 5, 3, false, false);
    step(900);
    const struct dram_stats *s = &rig.dram.stats;
    assert_int_equal(s->read_requests, 3);
    assert_int_equal(s->nvm_read_requests, 2);
    assert_int_equal(s->nvm_activates, 2);
    assert_int_equal(s->activates, 3);
    assert_int_equal(s->nvm_precharges, 1);
    assert_int_equal(s->nvm_dirty_precharges, 1);
    /* accepted, activated in the next cycle, read, data */
    uint64_t dram = s->read_cycles - s->nvm_read_cycles,
             least = (uint64_t)(P(P_DRAM_RCD) + P(P_DRAM_CL) + P(P_DRAM_BURST));
    assert_in_range(dram, least, least + 8);
    assert_in_range(s->nvm_read_cycles, 2 * (uint64_t)P(P_NVM_RCD) + (uint64_t)P(P_NVM_RP), 900);
    end();
}

TEST(the_two_memories_have_their_own_banks)
{
    begin("nvm.map=page_hash");
    read(1, 3, 5);
    push_to(2, 3, 6, 3, false, true); /* the same bank number, another row: no conflict */
    step(300);
    read(3, 3, 5);
    push_to(4, 3, 6, 3, false, true);
    step(300);
    assert_int_equal(rig.dram.stats.precharges, 0);
    assert_int_equal(rig.dram.stats.row_hits, 2);
    end();
}

TEST(zero_time_requests)
{
    begin("nvm.map=page_hash mem.zero=nvm_read");
    push_to(1, 3, 5, 3, false, true);
    step(50);
    assert_int_equal(rig.answered_at[0], 2); /* accepted in 1, seen in 2 */
    assert_int_equal(rig.dram.stats.activates, 0);
    push_to(-1, 3, 5, 3, true, true); /* only what was named */
    step(200);
    assert_int_equal(rig.dram.stats.activates, 1);
    end();
    begin("mem.zero=dram_write");
    write(3, 5);
    step(5);
    assert_int_equal(rig.pool.alive, 0);
    assert_int_equal(rig.dram.stats.write_bytes, 64);
    end();
}

/* They take no time in memory, but a place on the way back they do. */
TEST(zero_time_reads_wait_for_room_too)
{
    begin_room("mem.zero=dram_read", 2);
    for (int i = 0; i < 6; i++) read(i, 0, 0);
    for (int i = 0; i < 20; i++) {
        dram_tick(&rig.dram, ++rig.now); /* nobody takes the data */
        assert_true(rig.out.used <= rig.out.capacity);
    }
    step(50);
    assert_int_equal(rig.answers, 6);
    end();
}

/* ---- sleep ---- */

/* A channel called only when it asked for it, or when a port woke it, does what one does that is
 * called every cycle. */
static void play(bool sleepy, struct dram_stats *stats, tick_t *last)
{
    uint64_t seed = 7;
    tick_t wanted = 1;
    begin_room("nvm.map=page_hash", 3);
    for (rig.now = 1; rig.now < 20000; rig.now++) {
        if (!sleepy || wanted <= rig.now || rig_wakes(&rig.dram.part)) {
            struct domain *d = &rig.clock.domain[0];
            for (unsigned i = 0; i < WHEEL_SLOTS; i++) d->wheel[i] &= ~UINT64_C(1);
            wanted = dram_tick(&rig.dram, rig.now);
        }
        if (draw(&seed, 12) == 0 && rig.dram.in[0].used < 200)
            push_to(1, (uint8_t)draw(&seed, 16), (uint32_t)draw(&seed, 3), (uint8_t)(1 + draw(&seed, 15)),
                    draw(&seed, 3) == 0, draw(&seed, 4) == 0);
        struct req *r = draw(&seed, 8) ? NULL : port_peek(&rig.out, rig.now);
        if (!r) continue;
        port_pop(&rig.out, rig.now);
        req_free(&rig.pool, r);
        *last = *last * 31 + rig.now;
    }
    *stats = rig.dram.stats;
    end();
}

TEST(sleeping_changes_nothing)
{
    struct dram_stats a, b;
    tick_t x = 0, y = 0;
    play(false, &a, &x);
    play(true, &b, &y);
    assert_true(a.reads > 100 && a.writes > 100 && a.nvm_writes > 10);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(x, y);
}

/* Banks that open rows while others read: with two buses both happen in one cycle. */
TEST(two_command_buses)
{
    tick_t took[2];
    for (int dual = 0; dual < 2; dual++) {
        begin(dual ? "dram.dual=yes dram.tccd=1 dram.burst=1 dram.trrd=1"
                   : "dram.dual=no dram.tccd=1 dram.burst=1 dram.trrd=1");
        for (int i = 0; i < 48; i++) read(i, (uint8_t)(i % 16), (uint32_t)(i / 16));
        step(400);
        assert_int_equal(rig.answers, 48);
        took[dual] = rig.answered_at[47];
        if (dual) assert_non_null(memchr(rig.bus, '2', sizeof rig.bus));
        assert_null(memchr(rig.bus, '!', sizeof rig.bus)); /* never two rows */
        end();
    }
    assert_true(took[1] < took[0]);
}
