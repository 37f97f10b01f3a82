/* test_warp_groups.c - two-level scheduling and OWL: which group goes first, and when that changes. */
#include "unit/sched_rig.h"

/* ---- two-level ---- */

/* Scheduler 0 owns the even slots: groups of 8 are 0..14, 16..30, 32..46. */
TEST(two_level_stays_with_a_group)
{
    struct sched_rig r;
    rig_sched(&r, "twolevel", 0, NULL);
    r.v.live = BIT(RIG_WARPS) - 1;
    assert_int_equal(r.p->storage_bits(&r.s), 2 * (2 + 3 * 3));
    uint64_t all = r.owned[0];
    static const int turn[] = {0, 2, 4, 6, 8, 10, 12, 14, 0};
    for (unsigned i = 0; i < COUNT(turn); i++) {
        rig_cycle(&r);
        assert_int_equal(rig_issue(&r, 0, all), turn[i]);
    }
    assert_int_equal(rig_issue(&r, 0, BIT(16) | BIT(32)), 16); /* fills an idle slot, */
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, all), 2); /* no more than that */
    r.v.long_stall = BIT(16) - 1;              /* all of the first group wait */
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, all), 18);
    assert_int_equal(rig_counter(&r, "group_switches"), 2); /* on both schedulers */
    r.v.long_stall = 0;
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, all), 18); /* it does not go back */
    r.v.long_stall = BIT(20) | BIT(22) | BIT(24);
    r.v.barrier = BIT(16) | BIT(18);
    r.v.ended = BIT(26) | BIT(28);
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, all), 18); /* warp 30 still moves */
    r.v.live &= ~BIT(30);
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, all), 32);
    rig_sched_free(&r);
}

TEST(two_level_stays_when_all_wait)
{
    struct sched_rig r;
    rig_sched(&r, "twolevel:group=4", 0, NULL);
    r.v.live = BIT(RIG_WARPS) - 1;
    r.v.long_stall = r.v.live;
    rig_cycle(&r);
    rig_cycle(&r);
    assert_int_equal(rig_counter(&r, "group_switches"), 0);
    rig_sched_free(&r);
}

/* ---- GPGPU-Sim's two-level ---- */

/* Scheduler 0 owns the even slots: 0 to 10 are active at first, 12 to 46 pending. */
TEST(active_warps_take_turns)
{
    struct sched_rig r;
    rig_sched(&r, "twolevel_active", 0, NULL);
    r.v.live = BIT(RIG_WARPS) - 1;
    r.v.cycle = 0;
    assert_int_equal(r.p->storage_bits(&r.s), 2 * 24 * 5);
    static const int turn[] = {0, 2, 4, 6, 8, 10, 0, 2};
    for (unsigned i = 0; i < COUNT(turn); i++) {
        rig_cycle(&r);
        assert_int_equal(rig_issue(&r, 0, r.owned[0]), turn[i]);
    }
    assert_int_equal(rig_pick(&r, 0, r.owned[0] & ~(BIT(12) - 1)), -1); /* none of the active ones can issue */
    assert_int_equal(rig_counter(&r, "demotions"), 0);
    rig_sched_free(&r);
}

TEST(waiting_warps_make_room)
{
    struct sched_rig r;
    rig_sched(&r, "twolevel_active:active=3", 0, NULL);
    r.v.live = BIT(RIG_WARPS) - 1;
    r.v.cycle = 0; /* no cycle has passed with empty slots, which would turn the list */
    rig_cycle(&r);
    assert_int_equal(rig_issue(&r, 0, r.owned[0]), 0); /* now 2 4 0 */
    r.v.slow = BIT(4);
    rig_cycle(&r); /* 2 0 6 */
    assert_int_equal(rig_pick(&r, 0, r.owned[0] & ~BIT(2)), 0);
    assert_int_equal(rig_pick(&r, 0, BIT(4) | BIT(6)), 6);
    assert_int_equal(rig_pick(&r, 0, BIT(4) | BIT(8)), -1);
    r.v.slow = 0;
    r.v.barrier = BIT(2) | BIT(0) | BIT(6);
    rig_cycle(&r); /* 8 10 12: a pending warp that waits may be promoted, but only for a cycle */
    assert_int_equal(rig_pick(&r, 0, r.owned[0]), 8);
    assert_int_equal(rig_counter(&r, "demotions"), 4);
    rig_sched_free(&r);
}

/* Whether cycles are reported one by one or slept through makes no difference. */
TEST(the_list_turns_while_the_sm_sleeps)
{
    for (unsigned slept = 1; slept < 100; slept++) {
        struct sched_rig a, b;
        rig_sched(&a, "twolevel_active:active=5", 0, NULL);
        rig_sched(&b, "twolevel_active:active=5", 0, NULL);
        a.v.live = b.v.live = BIT(40) - 1;
        a.v.slow = b.v.slow = a.v.live & ~(BIT(12) | BIT(30) | BIT(7));
        rig_cycle(&a);
        rig_cycle(&b);
        for (unsigned i = 0; i < slept; i++) rig_cycle(&a);
        b.v.cycle += slept;
        rig_cycle(&a);
        rig_cycle(&b);
        for (unsigned w = 0; w < RIG_WARPS; w++)
            assert_int_equal(rig_pick(&a, w % 2, BIT(w)), rig_pick(&b, w % 2, BIT(w)));
        assert_int_equal(rig_pick(&b, 0, BIT(12)), slept < 2 ? rig_pick(&a, 0, BIT(12)) : 12);
        rig_sched_free(&a);
        rig_sched_free(&b);
    }
}

/* ---- OWL ---- */

static void launch_cta(struct sched_rig *r, unsigned cta, unsigned first, unsigned warps)
{
    for (unsigned w = first; w < first + warps; w++) rig_launch(r, w, cta);
}

static void exit_cta(struct sched_rig *r, unsigned first, unsigned warps)
{
    for (unsigned w = first; w < first + warps; w++) rig_exit(r, w);
}

/* CTAs of 6 warps: two make a group of 12. */
TEST(owl_joins_whole_ctas)
{
    struct sched_rig r;
    rig_sched(&r, "owl", 0, NULL);
    for (unsigned c = 0; c < 8; c++) launch_cta(&r, c, 6 * c, 6);
    assert_int_equal(rig_counter(&r, "groups"), 4);
    uint64_t all = r.owned[0];
    static const int turn[] = {0, 2, 4, 6, 8, 10, 0};
    for (unsigned i = 0; i < COUNT(turn); i++) assert_int_equal(rig_issue(&r, 0, all), turn[i]);
    assert_int_equal(rig_pick(&r, 0, all & ~(BIT(24) - 1)), 24);
    rig_sched_free(&r);
}

TEST(owl_keeps_a_group_until_it_has_finished)
{
    struct sched_rig r;
    rig_sched(&r, "owl", 0, NULL);
    for (unsigned c = 0; c < 4; c++) launch_cta(&r, c, 8 * c, 8);
    uint64_t all = BIT(32) - 1;
    r.v.long_stall = BIT(8) - 1;
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, all & r.owned[0]), 0); /* waiting does not matter */
    exit_cta(&r, 0, 7);
    assert_int_equal(rig_pick(&r, 1, BIT(7) | BIT(9)), 7);
    exit_cta(&r, 7, 1);
    assert_int_equal(rig_pick(&r, 1, BIT(9) | BIT(17)), 9); /* the next group is first, */
    launch_cta(&r, 0, 0, 8);                                /* a new CTA last */
    assert_int_equal(rig_pick(&r, 1, BIT(1) | BIT(25)), 25);
    assert_int_equal(rig_counter(&r, "groups"), 5);
    rig_sched_free(&r);
}

TEST(owl_begins_elsewhere_on_each_sm)
{
    struct sched_rig r;
    for (unsigned sm = 0; sm < 9; sm++) {
        rig_sched(&r, "owl", sm, NULL);
        for (unsigned c = 0; c < 4; c++) launch_cta(&r, c, 8 * c, 8);
        unsigned first = sm % 4, last = (sm + 3) % 4;
        assert_int_equal(rig_pick(&r, 0, (BIT(32) - 1) & r.owned[0]), 8 * first);
        uint64_t two = BIT(8 * last) | BIT(8 * ((sm + 2) % 4));
        assert_int_equal(rig_pick(&r, 0, two), 8 * ((sm + 2) % 4)); /* the launch order goes on from there */
        rig_sched_free(&r);
        rig_sched(&r, "owl:blp=no", sm, NULL);
        for (unsigned c = 0; c < 4; c++) launch_cta(&r, c, 8 * c, 8);
        assert_int_equal(rig_pick(&r, 0, (BIT(32) - 1) & r.owned[0]), 0);
        rig_sched_free(&r);
    }
}

TEST(owl_without_locality_moves_on_when_all_wait)
{
    struct sched_rig r;
    rig_sched(&r, "owl:loc=no", 0, NULL);
    for (unsigned c = 0; c < 4; c++) launch_cta(&r, c, 8 * c, 8);
    exit_cta(&r, 24, 8);
    r.v.long_stall = BIT(8) - 1;
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, (BIT(24) - 1) & r.owned[0]), 8);
    assert_int_equal(rig_pick(&r, 0, BIT(0) | BIT(16)), 16);
    rig_sched_free(&r);
}
