/* test_net.c - the crossbar: packet sizes, timing, fairness, back-pressure. */
#include "unit/rig.h"

#include "mem/net.h"

enum { MAX_PORTS = 150 };

static struct {
    struct clock clock;
    struct part source, sink;
    struct net net;
    struct port out[MAX_PORTS];
    struct req req[4096];
    unsigned used;
    const struct req *taken; /* by arrival */
    tick_t now;
} rig;

static void begin_as(const char *settings, bool replies, uint32_t inputs, uint32_t outputs, uint32_t room)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    char copy[256];
    memset(&rig, 0, sizeof rig);
    config_defaults(&c);
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *s = strtok(copy, " "); s; s = strtok(NULL, " "))
        if (config_set(&c, s, &e)) fail_msg("%s", e.text);
    assert_int_equal(clock_init(&rig.clock, 3, NULL), 0);
    rig_part(&rig.clock, &rig.net.part, 0, 1);
    rig_part(&rig.clock, &rig.source, 1, 1);
    rig_part(&rig.clock, &rig.sink, 2, 1);
    assert_int_equal(net_init(&rig.net, &c, replies, inputs, outputs), 0);
    for (uint32_t i = 0; i < inputs; i++) net_connect_input(&rig.net, i, 1024, &rig.source);
    for (uint32_t o = 0; o < outputs; o++) {
        port_init(&rig.out[o], room, &rig.net.part, &rig.sink);
        rig.net.out[o] = &rig.out[o];
    }
}

static void begin(const char *settings, uint32_t inputs, uint32_t outputs)
{
    begin_as(settings, false, inputs, outputs, 1024);
}

static void end(void)
{
    net_destroy(&rig.net);
    clock_destroy(&rig.clock);
}

/* A store of `sectors` from an input to an output of the request network. */
static struct req *push(uint32_t input, uint32_t output, uint8_t sectors)
{
    struct req *r = &rig.req[rig.used++];
    *r = rig_req(WL_STORE, input, sectors);
    r->slice = (uint16_t)output;
    port_push(&rig.net.in[input], r, rig.now);
    return r;
}

static void step(unsigned cycles)
{
    while (cycles--) net_tick(&rig.net, ++rig.now);
}

static struct req *take(uint32_t output)
{
    struct req *r = port_peek(&rig.out[output], rig.now);
    if (r) port_pop(&rig.out[output], rig.now);
    return r;
}

/* The cycle, counted from now, in which a packet is first seen at the output. */
static unsigned arrival(uint32_t output)
{
    for (unsigned n = 1; n < 1000; n++) {
        step(1);
        if ((rig.taken = take(output))) return n;
    }
    fail_msg("nothing arrived at output %u", output);
    return 0;
}

static uint32_t flits(bool replies, const char *settings, enum wl_kind kind, uint8_t sectors)
{
    struct req r = rig_req(kind, 1, sectors);
    begin_as(settings, replies, 1, 1, 1);
    uint32_t n = net_flits(&rig.net, &r);
    end();
    return n;
}

TEST(flits_of_requests)
{
    static const char narrow[] = "icnt.flit=32 icnt.header=8", wide[] = "icnt.flit=40 icnt.header=8";
    assert_int_equal(flits(false, narrow, WL_LOAD, 15), 1); /* an address */
    assert_int_equal(flits(false, wide, WL_LOAD, 15), 1);
    assert_int_equal(flits(false, narrow, WL_STORE, 1), 2); /* 8 + 32 */
    assert_int_equal(flits(false, wide, WL_STORE, 1), 1);
    assert_int_equal(flits(false, narrow, WL_STORE, 15), 5); /* 8 + 128 */
    assert_int_equal(flits(false, wide, WL_STORE, 15), 4);
    assert_int_equal(flits(false, narrow, WL_ATOMIC, 2), 2);
    assert_int_equal(flits(false, wide, WL_ATOMIC, 2), 1);
    assert_int_equal(flits(false, narrow, WL_WRITEBACK, 3), 3); /* 8 + 64 */
    assert_int_equal(flits(false, wide, WL_WRITEBACK, 3), 2);
}

TEST(flits_of_replies_of_whole_lines)
{
    static const char narrow[] = "l2.sectored=no icnt.flit=32 icnt.header=8";
    static const char wide[] = "l2.sectored=no icnt.flit=40 icnt.header=8";
    assert_int_equal(flits(true, narrow, WL_LOAD, 15), 5);
    assert_int_equal(flits(true, wide, WL_LOAD, 15), 4);
    assert_int_equal(flits(true, narrow, WL_LOAD, 1), 2); /* a bypass: what it touched */
    assert_int_equal(flits(true, wide, WL_LOAD, 1), 1);
    assert_int_equal(flits(true, narrow, WL_ATOMIC, 1), 2);
    assert_int_equal(flits(true, narrow, WL_STORE, 15), 1); /* an acknowledgement */
    assert_int_equal(flits(true, wide, WL_STORE, 15), 1);
}

TEST(flits_of_replies_of_sectors)
{
    static const char narrow[] = "l2.sectored=yes icnt.flit=32 icnt.header=8";
    static const char wide[] = "l2.sectored=yes icnt.flit=40 icnt.header=8";
    assert_int_equal(flits(true, narrow, WL_LOAD, 15), 4 * 2); /* four packets, each with its header */
    assert_int_equal(flits(true, wide, WL_LOAD, 15), 4);
    assert_int_equal(flits(true, narrow, WL_LOAD, 1), 2);
    assert_int_equal(flits(true, wide, WL_LOAD, 1), 1);
    assert_int_equal(flits(true, narrow, WL_ATOMIC, 1), 2);
    assert_int_equal(flits(true, narrow, WL_STORE, 15), 4); /* a sectored L2 acknowledges sectors */
    assert_int_equal(flits(true, wide, WL_STORE, 3), 2);
}

TEST(a_packet_arrives_latency_after_its_last_flit_left)
{
    begin("icnt.flit=32 icnt.header=8 icnt.latency=5", 1, 1);
    push(0, 0, 1); /* seen in cycle 1, flits leave in 1 and 2 */
    assert_int_equal(arrival(0), 1 + (2 - 1) + 5);
    assert_int_equal(rig.net.packets, 1);
    assert_int_equal(rig.net.flits, 2);
    assert_true(net_idle(&rig.net));
    end();
}

TEST(an_output_takes_one_flit_a_cycle)
{
    begin("icnt.flit=32 icnt.header=8 icnt.latency=1", 4, 1);
    for (uint32_t i = 0; i < 4; i++) push(i, 0, 15); /* 5 flits each */
    unsigned first = arrival(0);
    for (int i = 0; i < 3; i++) assert_int_equal(arrival(0), 5);
    assert_int_equal(first, 1 + 4 + 1);
    end();
}

TEST(an_input_sends_one_flit_a_cycle)
{
    begin("icnt.flit=32 icnt.header=8 icnt.latency=1", 1, 2);
    push(0, 0, 15);
    push(0, 1, 15);
    assert_int_equal(arrival(0), 6);
    assert_int_equal(arrival(1), 5);
    end();
}

/* GPGPU-Sim 3.2.2 was measured at 6.00 cycles per packet of five flits, at an output and at an input. */
TEST(a_gap_follows_each_packet_at_its_output_and_at_its_input)
{
    static const char gap[] = "icnt.flit=32 icnt.header=8 icnt.latency=1 icnt.gap=1";
    begin(gap, 4, 1);
    for (uint32_t i = 0; i < 4; i++) push(i, 0, 15);
    assert_int_equal(arrival(0), 1 + 4 + 1); /* the packet itself is no later */
    for (int i = 0; i < 3; i++) assert_int_equal(arrival(0), 6);
    end();
    begin(gap, 1, 2);
    push(0, 0, 15);
    push(0, 1, 15);
    assert_int_equal(arrival(0), 6);
    assert_int_equal(arrival(1), 6);
    assert_int_equal(rig.net.flits, 10);
    end();
}

TEST(every_packet_of_a_sectored_reply_has_its_gap)
{
    begin_as("l2.sectored=yes icnt.flit=32 icnt.header=8 icnt.latency=1 icnt.gap=1", true, 1, 1, 16);
    for (int i = 0; i < 2; i++) {
        struct req *r = &rig.req[rig.used++];
        *r = rig_req(WL_LOAD, 0, 15);
        port_push(&rig.net.in[0], r, rig.now);
    }
    assert_int_equal(arrival(0), 1 + 7 + 1); /* four packets of two flits each */
    assert_int_equal(arrival(0), 4 * (2 + 1));
    end();
}

/* ---- queues counted in flits ---- */

static void count_flits(uint32_t in, uint32_t out)
{
    for (uint32_t i = 0; in && i < rig.net.inputs; i++) net_count_flits(&rig.net, &rig.net.in[i], in);
    for (uint32_t o = 0; out && o < rig.net.outputs; o++) net_count_flits(&rig.net, &rig.out[o], out);
}

/* A packet of so many sectors that wants to be sent; whether it could. */
static bool try_send(uint32_t input, uint32_t output, uint8_t sectors)
{
    struct req *r = &rig.req[rig.used];
    *r = rig_req(sectors ? WL_STORE : WL_LOAD, input, sectors);
    r->slice = (uint16_t)output;
    if (!net_can_send(&rig.net.in[input], r, rig.now)) return false;
    rig.used++;
    net_send(&rig.net.in[input], r, rig.now);
    return true;
}

TEST(an_input_holds_flits_not_packets)
{
    begin("icnt.flit=32 icnt.header=8 icnt.gap=1", 1, 1);
    count_flits(17, 0);
    for (int i = 0; i < 3; i++) assert_true(try_send(0, 0, 15)); /* 5 flits each */
    assert_false(try_send(0, 0, 15));
    assert_true(rig.net.in[0].producer_waits);
    assert_true(try_send(0, 0, 0)); /* a read request has one */
    assert_true(try_send(0, 0, 0));
    assert_false(try_send(0, 0, 0));
    net_walk(&rig.net);
    end();
}

/* The first flit leaves in cycle 1; its place can be used from the fifth cycle after it on, that of the next
 * flit a cycle later. */
TEST(places_become_free_one_by_one_when_their_credits_are_back)
{
    begin("icnt.flit=32 icnt.header=8 icnt.gap=1", 1, 1);
    count_flits(17, 0);
    for (int i = 0; i < 3; i++) try_send(0, 0, 15);
    try_send(0, 0, 0), try_send(0, 0, 0);
    for (tick_t t = 1; t < 6; t++) {
        step(1);
        assert_false(try_send(0, 0, 0));
    }
    for (tick_t t = 6; t <= 10; t++) {
        step(1);
        assert_true(try_send(0, 0, 0)); /* one place per cycle: packets 1 and 2 begin in cycles 1 and 7 */
        assert_false(try_send(0, 0, 0));
    }
    assert_true(rig_wakes(&rig.source)); /* and the source has been told when */
    net_walk(&rig.net);
    end();
}

TEST(an_output_holds_flits_not_packets)
{
    begin("icnt.flit=32 icnt.header=8 icnt.latency=1", 2, 1);
    count_flits(0, 24);
    for (int i = 0; i < 6; i++) push(0, 0, 15);
    push(1, 0, 7); /* 4 flits */
    step(100);
    assert_int_equal(rig.out[0].used, 5); /* 4 x 5 + 4 */
    net_walk(&rig.net);
    assert_true(rig.out[0].producer_waits);
    net_take(&rig.out[0], rig.now);
    assert_false(rig.out[0].producer_waits);
    step(10);
    assert_int_equal(rig.out[0].used, 4); /* input 1 was served first: four places are not enough for five flits */
    net_take(&rig.out[0], rig.now);
    step(1);
    assert_int_equal(rig.out[0].used, 4);
    end();
}

/* ---- clusters of SMs ---- */

TEST(requests_of_a_cluster_leave_in_the_order_in_which_they_came)
{
    begin("icnt.flit=32 icnt.header=8 icnt.latency=1 sm.cluster=2", 4, 2);
    assert_int_equal(rig.net.inputs, 2);
    const struct req *order[4];
    order[0] = push(1, 0, 15); /* 5 flits each */
    rig.now++;
    order[1] = push(0, 1, 15); /* to another output: it waits for the cluster's input, not for the output */
    rig.now++;
    order[2] = push(1, 0, 15);
    order[3] = push(0, 0, 15); /* as old as the one before, and the other SM was served last */
    const struct req *third = NULL;
    unsigned gap[4] = {0};
    for (unsigned n = 0, last = 0, cycle = 1; n < 4; cycle++) {
        step(1);
        for (uint32_t o = 0; o < 2; o++) {
            const struct req *r = take(o);
            if (!r) continue;
            if (n < 2) assert_ptr_equal(r, order[n]);
            if (n == 2) third = r;
            gap[n++] = cycle - last;
            last = cycle;
        }
        net_walk(&rig.net);
        assert_true(cycle < 100);
    }
    for (unsigned i = 1; i < 4; i++) assert_int_equal(gap[i], 5); /* one flit per cycle for both */
    assert_ptr_equal(third, order[2]);
    assert_true(net_idle(&rig.net));
    end();
}

TEST(replies_to_a_cluster_share_an_output)
{
    begin_as("l2.sectored=no icnt.flit=32 icnt.header=8 icnt.latency=1 sm.cluster=2", true, 3, 4, 16);
    assert_int_equal(rig.net.outputs, 2);
    for (uint32_t i = 0; i < 3; i++) {
        struct req *r = &rig.req[rig.used++];
        *r = rig_req(WL_LOAD, i, 15);
        r->sm = (uint8_t)(i == 0 ? 0 : i + 1 == 2 ? 1 : 2); /* SMs 0 and 1 are one cluster, 2 is of the other */
        port_push(&rig.net.in[i], r, rig.now);
    }
    step(6);
    assert_int_equal(!!take(0) + !!take(1), 1); /* one of the two */
    assert_non_null(take(2));
    step(5);
    assert_int_equal(!!take(0) + !!take(1), 1);
    net_walk(&rig.net);
    assert_true(net_idle(&rig.net));
    end();
}

TEST(inputs_and_outputs_work_side_by_side)
{
    begin("icnt.latency=1", 2, 2);
    push(0, 1, 1);
    push(1, 0, 1);
    step(2);
    assert_non_null(take(0));
    assert_non_null(take(1));
    end();
}

/* Only the oldest packet of an input is seen: one that waits for a busy output holds up the rest. */
TEST(the_head_of_a_queue_blocks_it)
{
    begin("icnt.flit=32 icnt.header=8 icnt.latency=1", 2, 2);
    push(1, 0, 15);
    step(1); /* output 0 is busy for five cycles */
    push(0, 0, 1);
    push(0, 1, 1);
    unsigned n = arrival(1);
    assert_int_equal(n,
                     5 /* output 0 is free */ + 2 /* flits of the first packet */ + 1 /* the second's last flit */ + 1);
    end();
}

static void serve_in_turn(uint32_t inputs)
{
    begin("icnt.latency=1", inputs, 1);
    unsigned served[256] = {0}, rounds = 400 / inputs;
    uint64_t before = inputs - 1;
    for (unsigned n = 0; n < rounds; n++)
        for (uint32_t i = 0; i < inputs; i++) push((i + 1) % inputs, 0, 1); /* input 0 was served last, so to say */
    for (unsigned n = 0; n < rounds * inputs; n++) {
        arrival(0);
        const struct req *r = rig.taken;
        if (n) assert_int_equal(r->line, (before + 1) % inputs);
        before = r->line;
        served[r->line]++;
    }
    for (uint32_t i = 0; i < inputs; i++) assert_int_equal(served[i], rounds);
    end();
}

TEST(outputs_serve_their_inputs_in_turn)
{
    static const uint32_t inputs[] = {2, 5, 63, 64, 65, 130, 200};
    for (unsigned i = 0; i < COUNT(inputs); i++) serve_in_turn(inputs[i]);
}

/* More ports than a word has bits: each packet comes out where it wants to, those of an input in order. */
TEST(many_ports)
{
    enum { PORTS = 150 };
    uint64_t seed = 9;
    uint64_t last[PORTS][PORTS] = {{0}};
    begin("icnt.latency=2", PORTS, PORTS);
    unsigned sent = 0, came = 0;
    for (unsigned cycle = 0; came < sent || cycle < 100; cycle++) {
        for (uint32_t i = 0; i < PORTS && cycle < 100; i++)
            if (draw(&seed, 8) == 0) push(i, (uint32_t)draw(&seed, PORTS), 1), sent++;
        step(1);
        for (uint32_t o = 0; o < PORTS; o++) {
            const struct req *r = take(o);
            if (!r) continue;
            uint64_t number = (uint64_t)(r - rig.req) + 1;
            assert_int_equal(r->slice, o);
            assert_true(number > last[r->line][o]);
            last[r->line][o] = number;
            came++;
        }
        assert_true(cycle < 10000);
    }
    assert_true(sent > 1000);
    assert_true(net_idle(&rig.net));
    end();
}

TEST(turns_skip_inputs_without_packets)
{
    begin("icnt.latency=1", 4, 1);
    for (unsigned n = 0; n < 20; n++) push(1, 0, 1);
    for (unsigned n = 0; n < 20; n++) push(3, 0, 1);
    arrival(0);
    for (unsigned n = 0; n < 39; n++) assert_int_equal(arrival(0), 1);
    end();
}

TEST(a_full_output_pushes_back)
{
    begin_as("icnt.latency=1", false, 2, 2, 2);
    for (unsigned n = 0; n < 6; n++) push(0, 0, 1);
    push(1, 1, 1);
    step(20);
    assert_int_equal(rig.out[0].used, 2); /* what the queue holds */
    assert_int_equal(rig.net.in[0].used, 4);
    assert_non_null(take(1)); /* others are not concerned */
    assert_true(rig.out[0].producer_waits);
    assert_non_null(take(0));
    step(1);
    assert_int_equal(rig.out[0].used, 2);
    assert_int_equal(rig.net.in[0].used, 3);
    for (unsigned n = 0; n < 5; n++) {
        assert_non_null(take(0));
        step(3);
    }
    assert_true(net_idle(&rig.net));
    end();
}

/* A network that says when it wants to work next does the same as one that is asked every cycle. */
static unsigned play(bool sleepy, tick_t *log)
{
    uint64_t seed = 5;
    unsigned n = 0;
    tick_t wanted = 1;
    begin_as("icnt.flit=32 icnt.latency=3", false, 6, 4, 3);
    for (rig.now = 1; rig.now < 3000; rig.now++) {
        if (!sleepy || wanted <= rig.now || rig_wakes(&rig.net.part)) {
            struct domain *d = &rig.clock.domain[0];
            for (unsigned i = 0; i < WHEEL_SLOTS; i++) d->wheel[i] &= ~UINT64_C(1);
            wanted = net_tick(&rig.net, rig.now);
        }
        for (uint32_t i = 0; i < 6; i++)
            if (rig.used < COUNT(rig.req) && draw(&seed, 8) == 0 && rig.net.in[i].used < 8)
                push(i, (uint32_t)draw(&seed, 4), (uint8_t)(1 + draw(&seed, 15)));
        for (uint32_t o = 0; o < 4; o++) {
            const struct req *r = draw(&seed, 3) ? take(o) : NULL;
            if (r) log[n++] = rig.now * 4096 + (tick_t)(r - rig.req);
        }
    }
    end();
    return n;
}

TEST(sleeping_changes_nothing)
{
    static tick_t a[8192], b[8192];
    unsigned n = play(false, a), m = play(true, b);
    assert_true(n > 500);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n * sizeof a[0]);
}

TEST(more_ports_than_the_network_has_are_refused)
{
    struct gpu_config c;
    config_defaults(&c);
    struct net n = {.part = {.period = 1}};
    assert_int_not_equal(net_init(&n, &c, true, NET_MAX_PORTS + 1, 1), 0);
    assert_int_not_equal(net_init(&n, &c, true, 1, NET_MAX_PORTS + 1), 0);
    net_destroy(&n);
}

/* Measured on an H200: a store of s sectors takes s + 1 cycles of its SM; an atomic of one lane one. */
TEST(a_store_holds_its_input_for_its_header_and_each_sector)
{
    for (unsigned sectors = 1; sectors <= 4; sectors++) {
        begin("icnt.store_hold=4 icnt.flit=40 icnt.latency=1", 1, 2);
        push(0, 0, (uint8_t)((1u << sectors) - 1));
        push(0, 1, 1);
        unsigned first = arrival(0), second = arrival(1);
        assert_int_equal(first + second, 2 + 4 * (1 + sectors));
        end();
    }
    begin("icnt.store_hold=4 icnt.flit=40 icnt.latency=1", 1, 2);
    struct req *r = push(0, 0, 1);
    r->kind = WL_ATOMIC;
    r->lanes = 1;
    push(0, 1, 1);
    unsigned first = arrival(0), second = arrival(1);
    assert_int_equal(first + second, 2 + 4);
    end();
}

/* What an input uncovers goes on in the same cycle to an output that has not chosen yet, and only there. */
TEST(an_input_may_send_to_outputs_of_rising_number)
{
    static const struct {
        const char *sends;
        uint32_t outputs[3];
        unsigned arrival[3];
    } cases[] = {{"one", {0, 1, 2}, {2, 3, 4}},
                 {"rising", {0, 1, 2}, {2, 2, 2}},
                 {"rising", {0, 2, 1}, {2, 2, 3}},
                 {"rising", {1, 1, 2}, {2, 3, 3}}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "icnt.latency=1 icnt.flit=40 icnt.sends=%s", cases[i].sends);
        begin(settings, 2, 3);
        const struct req *packet[3];
        for (unsigned k = 0; k < 3; k++) packet[k] = push(0, cases[i].outputs[k], 1);
        unsigned left = 3;
        for (unsigned cycle = 1; left && cycle < 9; cycle++) {
            step(1);
            for (unsigned k = 0; k < 3; k++) {
                if (port_peek(&rig.out[cases[i].outputs[k]], rig.now) != packet[k]) continue;
                assert_ptr_equal(take(cases[i].outputs[k]), packet[k]);
                assert_int_equal(cycle, cases[i].arrival[k]);
                left--;
            }
        }
        assert_int_equal(left, 0);
        net_walk(&rig.net);
        end();
    }
}

/* A packet that comes while the network works is not sent before the next cycle, whoever works first. */
TEST(rising_sends_see_no_packet_of_the_same_tick)
{
    begin("icnt.latency=1 icnt.flit=40 icnt.sends=rising", 1, 2);
    push(0, 0, 1);
    rig.now = 1; /* the source works first in the tick in which the network sees the first packet */
    push(0, 1, 1);
    rig.now = 0;
    step(1);
    net_walk(&rig.net);
    step(1);
    assert_non_null(take(0));
    assert_null(take(1));
    step(1);
    assert_non_null(take(1));
    end();
}
