/* test_clock.c - clock ratios, and who is woken when. */
#include "unit/rig.h"

static void periods(int64_t a, int64_t b, int64_t c, int64_t d, tick_t out[4])
{
    int64_t khz[4] = {a, b, c, d};
    clock_periods(khz, 4, out);
}

TEST(ratios_are_exact)
{
    static const int64_t machine[][4] = {{700000, 700000, 700000, 924000},
                                         {1400000, 1400000, 700000, 924000},
                                         {876000, 876000, 876000, 1750000},
                                         {1365000, 1365000, 1365000, 3500500},
                                         {1000, 10000000, 3000, 7000}};
    for (unsigned i = 0; i < COUNT(machine); i++) {
        tick_t p[4];
        const int64_t *f = machine[i];
        periods(f[0], f[1], f[2], f[3], p);
        for (int k = 1; k < 4; k++) assert_int_equal(p[0] * (uint64_t)f[0], p[k] * (uint64_t)f[k]);
    }
}

TEST(doubling_all_clocks_changes_nothing)
{
    tick_t a[4], b[4];
    periods(700000, 600000, 500000, 924000, a);
    periods(1400000, 1200000, 1000000, 1848000, b);
    assert_memory_equal(a, b, sizeof a);
    periods(700000, 700000, 700000, 700000, a);
    for (int i = 0; i < 4; i++) assert_int_equal(a[i], 1);
}

TEST(without_a_common_tick_periods_are_right_to_a_femtosecond)
{
    static const int64_t f[4] = {999983, 1999993, 2999999, 1234577}; /* no common factor worth having */
    tick_t p[4];
    periods(f[0], f[1], f[2], f[3], p);
    for (int i = 0; i < 4; i++) {
        int64_t off = (int64_t)p[i] * f[i] - INT64_C(1000000000000); /* 1 s in fs x kHz */
        assert_true(off <= f[i] / 2 && -off <= f[i] / 2);
    }
}

/* ---- the wheel ---- */

static struct {
    struct clock clock;
    struct part part[3];
    struct driven driven[3];
    tick_t target[3]; /* when the part wants to work, NEVER: not */
    tick_t worked[3][6000];
    unsigned calls[3];
    uint32_t sequence[64], sequence_len;
} rig;

static tick_t work(void *self, tick_t now)
{
    unsigned i = (unsigned)((struct part *)self - rig.part);
    if (rig.calls[i] < COUNT(rig.worked[0])) rig.worked[i][rig.calls[i]] = now;
    rig.calls[i]++;
    if (rig.sequence_len < COUNT(rig.sequence)) rig.sequence[rig.sequence_len++] = i;
    return now < rig.target[i] ? rig.target[i] : NEVER;
}

static void begin(tick_t a, tick_t b, tick_t c)
{
    memset(&rig, 0, sizeof rig);
    tick_t period[3] = {a, b, c};
    assert_int_equal(clock_init(&rig.clock, 3, NULL), 0);
    for (uint32_t i = 0; i < 3; i++) {
        rig_part(&rig.clock, &rig.part[i], i, period[i]);
        rig.driven[i] = (struct driven){.part = &rig.part[i], .tick = work, .self = &rig.part[i]};
    }
}

static void end(void) { clock_destroy(&rig.clock); }
static bool step(bool tick, const uint32_t *order) { return clock_step(&rig.clock, rig.driven, 3, tick, order); }

TEST(a_part_works_at_its_first_edge_after)
{
    begin(1, 3, 5);
    part_wake_after(&rig.part[1], 0);
    part_wake_after(&rig.part[2], 5); /* after 5: not at 5 */
    assert_true(step(false, NULL));
    assert_int_equal(rig.clock.now, 3);
    assert_true(step(false, NULL));
    assert_int_equal(rig.clock.now, 10);
    assert_false(step(false, NULL));
    assert_int_equal(rig.calls[0], 0);
    end();
}

TEST(asking_twice_is_asking_once)
{
    begin(1, 1, 1);
    part_wake_after(&rig.part[0], 3);
    part_wake_after(&rig.part[0], 3);
    part_wake_at(&rig.part[0], 4); /* the same edge */
    while (step(false, NULL)) {
    }
    assert_int_equal(rig.calls[0], 1);
    assert_int_equal(rig.worked[0][0], 4);
    end();
}

TEST(the_past_means_the_next_edge)
{
    begin(2, 1, 1);
    part_wake_after(&rig.part[0], 9);
    assert_true(step(false, NULL));
    assert_int_equal(rig.clock.now, 10);
    part_wake_at(&rig.part[0], 4);
    assert_true(step(false, NULL));
    assert_int_equal(rig.clock.now, 12);
    end();
}

TEST(domains_share_a_period)
{
    begin(4, 4, 6);
    assert_int_equal(rig.clock.ndomains, 2);
    assert_int_equal(rig.part[0].domain, rig.part[1].domain);
    end();
}

/* A wish further away than the wheel reaches: the part is woken early, asks again, and is there in
 * time. */
static void far_wake(tick_t period, tick_t target)
{
    begin(period, 1, 1);
    rig.target[0] = target;
    part_wake_at(&rig.part[0], target);
    unsigned steps = 0;
    while (step(false, NULL)) steps++;
    tick_t edge = (target + period - 1) / period * period;
    assert_int_equal(rig.worked[0][rig.calls[0] - 1], edge);
    assert_true(steps <= edge / period / (WHEEL_SLOTS - 1) + 1);
    end();
}

TEST(wishes_beyond_the_wheel)
{
    for (tick_t target = WHEEL_SLOTS - 3; target < WHEEL_SLOTS + 3; target++) {
        far_wake(1, target);
        far_wake(7, target * 7);
        far_wake(7, target * 7 + 3);
    }
    far_wake(1, 5000);
    far_wake(3, 1000000);
}

/* Many wishes at random distances, some beyond the wheel: every one is kept, none invented. */
TEST(every_wish_is_kept)
{
    uint64_t seed = 3;
    begin(2, 3, 5);
    for (int i = 0; i < 3; i++) {
        rig.target[i] = 1 + draw(&seed, 5000);
        part_wake_at(&rig.part[i], rig.target[i]);
    }
    for (int n = 0; n < 3000; n++) {
        tick_t before = rig.clock.now;
        assert_true(step(false, NULL));
        assert_true(rig.clock.now > before);
        for (int i = 0; i < 3; i++) {
            tick_t p = rig.part[i].period, edge = (rig.target[i] + p - 1) / p * p;
            bool worked = rig.calls[i] && rig.worked[i][rig.calls[i] - 1] == rig.clock.now;
            if (rig.clock.now < edge) continue;
            assert_int_equal(edge, rig.clock.now); /* not later */
            assert_true(worked);
            rig.target[i] = rig.clock.now + 1 + draw(&seed, 5000);
            part_wake_at(&rig.part[i], rig.target[i]);
        }
        for (int i = 0; i < 3; i++) /* room for more notes */
            if (rig.calls[i] > 5000) rig.calls[i] = 0;
    }
    end();
}

TEST(the_reference_engine_visits_every_edge)
{
    begin(2, 3, 3);
    while (rig.clock.now < 60) assert_true(step(true, NULL));
    assert_int_equal(rig.calls[0], 30);
    assert_int_equal(rig.calls[1], 20);
    for (unsigned i = 0; i < 30; i++) assert_int_equal(rig.worked[0][i], 2 * (i + 1));
    end();
}

TEST(the_order_of_parts_is_as_asked)
{
    static const uint32_t order[] = {2, 0, 1};
    begin(1, 1, 1);
    for (int i = 0; i < 3; i++) part_wake_after(&rig.part[i], 0);
    assert_true(step(false, order));
    for (int i = 0; i < 3; i++) assert_int_equal(rig.sequence[i], order[i]);
    assert_true(step(true, NULL));
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(rig.sequence[3 + i], i);
    end();
}

TEST(a_part_knows_its_cycle)
{
    begin(3, 7, 1);
    for (tick_t t = 0; t < 100; t++) {
        assert_int_equal(part_cycles(&rig.part[0], t), t / 3);
        assert_int_equal(part_cycles(&rig.part[2], t), t);
        assert_int_equal(part_edge_after(&rig.part[1], t), (t / 7 + 1) * 7);
    }
    end();
}

/* No slot is used twice while its wheel turns. */
TEST(a_clock_that_slept_long_is_woken_in_time)
{
    for (tick_t far = 0; far < 3 * 3 * WHEEL_SLOTS; far += 2999) {
        begin(3, 7, 1);
        rig.target[1] = 7 * 5000;
        part_wake_at(&rig.part[1], rig.target[1]);
        while (rig.clock.now < rig.target[1]) assert_true(step(false, NULL));
        rig.target[0] = rig.clock.now + 1 + far;
        part_wake_at(&rig.part[0], rig.target[0]);
        while (step(false, NULL)) {
        }
        assert_int_equal(rig.worked[0][rig.calls[0] - 1], (rig.target[0] + 2) / 3 * 3);
        assert_true(rig.calls[0] <= far / 3 / (WHEEL_SLOTS - 1) + 1);
        end();
    }
}

TEST(too_many_parts_are_refused)
{
    struct clock c;
    assert_int_not_equal(clock_init(&c, CLOCK_MAX_WORDS * 64 + 1, NULL), 0);
}
