/* test_join.c - reads of several SMs that become one: who joins whom, for how long, and that each gets its answer. */
#include "unit/rig.h"

#include "mem/net.h"

enum { SMS = 36, SLICES = 4, WAIT = 20 };

static struct {
    struct clock clock;
    struct part source, sink;
    struct net down, up;
    struct port slice[SLICES], sm[SMS];
    struct req req[256];
    unsigned used;
    tick_t now;
} rig;

static void make_net(struct net *n, const struct gpu_config *c, bool replies, uint32_t from, uint32_t to,
                     struct port *out, uint32_t room)
{
    assert_int_equal(net_init(n, c, replies, from, to), 0);
    for (uint32_t i = 0; i < from; i++) net_connect_input(n, i, 64, &rig.source);
    for (uint32_t o = 0; o < to; o++) {
        port_init(&out[o], room, &n->part, &rig.sink);
        n->out[o] = &out[o];
    }
}

static void begin(uint32_t room)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    const char *const settings[] = {"icnt.join=4", "icnt.join_cycles=20", "icnt.join_groups=8", "icnt.latency=5"};
    memset(&rig, 0, sizeof rig);
    config_defaults(&c);
    for (unsigned i = 0; i < COUNT(settings); i++) assert_int_equal(config_set(&c, settings[i], &e), 0);
    assert_int_equal(clock_init(&rig.clock, 4, NULL), 0);
    rig_part(&rig.clock, &rig.down.part, 0, 1);
    rig_part(&rig.clock, &rig.up.part, 1, 1);
    rig_part(&rig.clock, &rig.source, 2, 1);
    rig_part(&rig.clock, &rig.sink, 3, 1);
    make_net(&rig.down, &c, false, SMS, SLICES, rig.slice, room);
    make_net(&rig.up, &c, true, SLICES, SMS, rig.sm, 64);
}

static void end(void)
{
    assert_true(net_idle(&rig.down) && net_idle(&rig.up));
    net_destroy(&rig.down);
    net_destroy(&rig.up);
    clock_destroy(&rig.clock);
}

static struct req *ask(enum wl_kind kind, uint32_t sm, uint64_t line, uint8_t sectors)
{
    struct req *r = &rig.req[rig.used++];
    *r = rig_req(kind, line, sectors);
    r->sm = (uint8_t)sm;
    r->slice = (uint16_t)(line % SLICES);
    port_push(&rig.down.in[sm], r, rig.now);
    return r;
}

static void step(unsigned cycles)
{
    while (cycles--) {
        ++rig.now;
        net_tick(&rig.down, rig.now);
        net_tick(&rig.up, rig.now);
    }
}

static struct req *take(struct port *p)
{
    struct req *r = port_peek(p, rig.now);
    if (r) port_pop(p, rig.now);
    return r;
}

/* How many packets the slice has got when nothing moves any more; each of them is answered. */
static unsigned reached(uint64_t line)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 200; i++) {
        step(1);
        struct req *r = take(&rig.slice[line % SLICES]);
        if (!r) continue;
        r->is_reply = true;
        r->answer = ANSWER_DRAM;
        r->note = 7;
        port_push(&rig.up.in[line % SLICES], r, rig.now);
        n++;
    }
    return n;
}

static unsigned answered(uint32_t sm)
{
    unsigned n = 0;
    for (const struct req *r; (r = take(&rig.sm[sm])); n++) {
        assert_true(r->is_reply && r->sm == sm);
        assert_int_equal(r->answer, ANSWER_DRAM);
        assert_int_equal(r->note, 7);
        step(1);
    }
    return n;
}

TEST(four_reads_of_a_group_become_one_and_all_are_answered)
{
    begin(64);
    const uint32_t sms[] = {0, 1, 16, 17}; /* pairs 0 and 8 of 18: group 0 */
    for (unsigned i = 0; i < 4; i++) ask(WL_LOAD, sms[i], 100, 15);
    assert_int_equal(reached(100), 1);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(answered(sms[i]), 1);
    assert_int_equal(rig.down.join->joined, 3);
    end();
}

TEST(the_fifth_leads_again)
{
    begin(64);
    const uint32_t sms[] = {0, 1, 16, 17, 32};
    for (unsigned i = 0; i < 5; i++) ask(WL_LOAD, sms[i], 100, 15);
    assert_int_equal(reached(100), 2);
    for (unsigned i = 0; i < 5; i++) assert_int_equal(answered(sms[i]), 1);
    end();
}

TEST(other_groups_lines_sectors_and_kinds_go_alone)
{
    begin(64);
    ask(WL_LOAD, 0, 100, 3);
    ask(WL_LOAD, 2, 100, 3);   /* another group */
    ask(WL_LOAD, 1, 104, 3);   /* another line of the slice */
    ask(WL_LOAD, 16, 100, 4);  /* a sector that the first does not ask for */
    ask(WL_STORE, 17, 100, 3); /* a store */
    ask(WL_ATOMIC, 32, 100, 3);
    assert_int_equal(reached(100), 6);
    assert_int_equal(rig.down.join->joined, 0);
    for (unsigned i = 0; i < SMS; i++) answered(i);
    end();
}

TEST(a_read_joins_while_the_first_one_waits_and_not_later)
{
    for (unsigned late = 1; late < 2 * WAIT; late++) {
        begin(64);
        ask(WL_LOAD, 0, 100, 15);
        step(late);
        ask(WL_LOAD, 1, 100, 15);
        assert_int_equal(reached(100), late < WAIT ? 1 : 2);
        assert_int_equal(answered(0), 1);
        assert_int_equal(answered(1), 1);
        end();
    }
}

TEST(every_packet_waits_as_long)
{
    unsigned seen[2] = {0, 0};
    for (unsigned k = 0; k < 2; k++) {
        begin(64);
        ask(k ? WL_STORE : WL_LOAD, 0, 100, 1);
        while (!take(&rig.slice[0])) step(1), seen[k]++;
        end();
    }
    assert_int_equal(seen[0], 1 + WAIT + 5); /* a cycle in the input queue, icnt.latency behind it */
    assert_int_equal(seen[1], seen[0]);
}

TEST(a_full_slice_stops_the_inputs_and_loses_nothing)
{
    begin(1);
    for (unsigned i = 0; i < 16; i++) ask(WL_STORE, i % 8, 100 + 4 * i, 1);
    step(300);
    assert_int_equal(rig.slice[0].used, 1);
    assert_int_equal(reached(100), 16);
    for (unsigned i = 0; i < 8; i++) assert_int_equal(answered(i), 2);
    end();
}
