/* test_mascar.c - Mascar's rules one by one: saturation, modes, owner, issue, storage. */
#include "unit/sched_rig.h"

/* ---- storage, Table II of the paper ---- */

static uint64_t storage(const char *spec)
{
    struct sched_rig r;
    rig_sched(&r, spec, 0, NULL);
    uint64_t bits = r.p->storage_bits(&r.s);
    assert_int_equal(bits % 8, 0);
    rig_sched_free(&r);
    return bits / 8;
}

TEST(storage_is_the_papers)
{
    assert_int_equal(storage("mascar:part=sched"), 1 + 12);
    assert_int_equal(storage("mascar:part=reexec"), 1216);
    assert_int_equal(storage("mascar"), 1 + 12 + 1216);
    assert_int_equal(storage("mascar:part=reexec,entries=8"), 304);
    assert_int_equal(storage("mascar:part=reexec,entries=64"), 2432);
}

TEST(the_queue_is_asked_for)
{
    struct sched_rig r;
    rig_sched(&r, "mascar:entries=16,same_warp=stores,queue_stores=no", 0, NULL);
    struct wl_reexec q = r.p->lsu->reexec(&r.s);
    assert_int_equal(q.entries, 16);
    assert_int_equal(q.same_warp, WL_BLOCK_STORES);
    assert_false(q.stores);
    rig_sched_free(&r);
    rig_sched(&r, "mascar:part=sched", 0, NULL);
    assert_int_equal(r.p->lsu->reexec(&r.s).entries, 0);
    rig_sched_free(&r);
}

/* ---- saturation and mode ---- */

static bool in_mp(struct sched_rig *r)
{
    uint64_t before = rig_counter(r, "mp_cycles");
    rig_cycle(r);
    return rig_counter(r, "mp_cycles") == before + 1;
}

/* Saturates the SM and lets the flag arrive. */
static void saturate(struct sched_rig *r, const char *spec)
{
    rig_sched(r, spec, 0, NULL);
    r->v.live = BIT(RIG_WARPS) - 1;
    r->v.l1d.mshr_used = 56;
    rig_cycle(r);
    rig_cycle(r);
}

TEST(flag_at_seven_eighths_a_cycle_later)
{
    struct sched_rig r;
    rig_sched(&r, "mascar", 0, NULL);
    r.v.live = 1;
    r.v.l1d.mshr_used = 55;
    assert_false(in_mp(&r));
    assert_false(in_mp(&r));
    r.v.l1d.mshr_used = 56;
    assert_false(in_mp(&r)); /* seen in this cycle, */
    assert_true(in_mp(&r));  /* acted on in the next */
    r.v.l1d.mshr_used = 55;
    assert_true(in_mp(&r));
    assert_false(in_mp(&r));
    r.v.l1d.mshr_used = 0;
    r.v.l1d.missq_used = 6;
    assert_false(in_mp(&r) || in_mp(&r));
    r.v.l1d.missq_used = 7;
    assert_false(in_mp(&r));
    assert_true(in_mp(&r));
    rig_sched_free(&r);
}

/* Asleep for a while means: the same flag all the time, and the wish to be called says so. */
TEST(sleeping_cycles_count)
{
    struct sched_rig r;
    rig_sched(&r, "mascar", 0, NULL);
    r.v.live = 1;
    r.v.l1d.mshr_used = 60;
    uint64_t wish = rig_cycle(&r);
    assert_int_equal(wish, r.v.cycle + 1); /* the flag is on its way */
    rig_cycle(&r);
    assert_int_equal(rig_cycle(&r), UINT64_MAX);
    uint64_t before = rig_counter(&r, "mp_cycles");
    r.v.cycle += 999;
    rig_cycle(&r);
    assert_int_equal(rig_counter(&r, "mp_cycles"), before + 1000);
    rig_sched_free(&r);
}

TEST(latency_and_hysteresis)
{
    struct sched_rig r;
    rig_sched(&r, "mascar:sat_latency=3,sat_hyst=8,sat_mshr=32", 0, NULL);
    r.v.live = 1;
    r.v.l1d.mshr_used = 32;
    assert_false(in_mp(&r) || in_mp(&r) || in_mp(&r));
    assert_true(in_mp(&r));
    r.v.l1d.mshr_used = 24; /* still within the hysteresis */
    for (int i = 0; i < 8; i++) assert_true(in_mp(&r));
    r.v.l1d.mshr_used = 23;
    assert_true(in_mp(&r) && in_mp(&r) && in_mp(&r));
    assert_false(in_mp(&r));
    rig_sched_free(&r);
}

TEST(texture_at_once_constant_after_16_cycles)
{
    struct sched_rig r;
    rig_sched(&r, "mascar", 0, NULL);
    r.v.live = 1;
    r.u.l1t.missq_used = 3;
    assert_false(in_mp(&r));
    assert_true(in_mp(&r));
    r.u.l1t.missq_used = 0;
    in_mp(&r);
    assert_false(in_mp(&r));
    r.u.l1c.mshr_used = 1;
    uint64_t from = r.v.cycle + 1;
    assert_int_equal(rig_cycle(&r), from + 15); /* it wants to be called then */
    for (int i = 1; i < 15; i++) assert_false(in_mp(&r));
    assert_false(in_mp(&r)); /* the 16th: seen */
    assert_true(in_mp(&r));
    rig_sched_free(&r);
}

/* ---- the owner ---- */

TEST(first_memory_instruction_makes_the_owner)
{
    struct sched_rig r;
    saturate(&r, "mascar:nonowner=strict");
    r.v.ready = r.v.memory = BIT(4) | BIT(5) | BIT(7);
    rig_cycle(&r);
    assert_int_equal(r.p->order->first(&r.s, &r.v), 0); /* warp 4 is the oldest */
    assert_int_equal(rig_issue(&r, 0, BIT(4)), 4);
    assert_int_equal(rig_issue(&r, 1, BIT(5) | BIT(7)), -1); /* the other scheduler knows */
    assert_true(rig_may_miss(&r, 4));
    assert_false(rig_may_miss(&r, 5));
    r.v.ready = r.v.memory = BIT(4) | BIT(5);
    rig_cycle(&r);
    assert_int_equal(rig_allowed(&r) & r.v.memory, BIT(4));
    assert_int_equal(rig_counter(&r, "owner_by_issue"), 1);
    rig_sched_free(&r);
}

/* Two loads, then an instruction that needs them: released when the last request was accepted. */
TEST(dependence_releases_when_drained)
{
    struct sched_rig r;
    saturate(&r, "mascar");
    r.v.ready = r.v.memory = BIT(3);
    assert_int_equal(rig_issue(&r, 1, BIT(3)), 3);
    r.v.ready = r.v.memory = 0;
    r.v.long_stall = BIT(3);
    r.u.holds = BIT(3);
    for (int i = 0; i < 5; i++) rig_cycle(&r);
    assert_false(rig_may_miss(&r, 9));
    r.u.holds = 0;
    uint64_t wish = rig_cycle(&r);
    assert_int_equal(wish, r.v.cycle + 1); /* said to the engine */
    assert_true(rig_may_miss(&r, 9));
    assert_int_equal(rig_counter(&r, "released_dependence"), 1);
    rig_sched_free(&r);
}

/* A hit: the register comes in the cycle in which the request is accepted. */
static bool hit_releases(const char *spec)
{
    struct sched_rig r;
    saturate(&r, spec);
    r.v.ready = r.v.memory = BIT(3);
    rig_issue(&r, 1, BIT(3));
    r.v.ready = r.v.memory = 0;
    r.v.long_stall = r.u.holds = BIT(3);
    rig_cycle(&r);
    r.v.long_stall = r.u.holds = 0;
    rig_cycle(&r);
    bool released = rig_may_miss(&r, 9);
    rig_sched_free(&r);
    return released;
}

TEST(a_hit_releases_too)
{
    assert_true(hit_releases("mascar"));
    assert_false(hit_releases("mascar:release=miss"));
}

static void release_by(uint64_t *mask, struct sched_rig *r, const char *counter)
{
    r->v.ready = r->v.memory = BIT(3);
    assert_int_equal(rig_issue(r, 1, BIT(3)), 3);
    r->v.ready = r->v.memory = 0;
    rig_cycle(r);
    assert_false(rig_may_miss(r, 9)); /* computing, say: keeps it */
    *mask = r->u.holds = BIT(3);
    rig_cycle(r);
    assert_false(rig_may_miss(r, 9));
    r->u.holds = 0;
    rig_cycle(r);
    assert_true(rig_may_miss(r, 9));
    assert_int_equal(rig_counter(r, counter), 1);
    *mask = 0;
}

TEST(barrier_and_end_release_when_drained)
{
    struct sched_rig r;
    saturate(&r, "mascar");
    release_by(&r.v.barrier, &r, "released_barrier");
    release_by(&r.v.ended, &r, "released_exit");
    rig_sched_free(&r);
}

TEST(a_new_warp_in_the_slot_is_no_owner)
{
    struct sched_rig r;
    saturate(&r, "mascar");
    r.v.ready = r.v.memory = BIT(3);
    rig_issue(&r, 1, BIT(3));
    r.v.ready = r.v.memory = 0;
    rig_exit(&r, 3);
    rig_launch(&r, 3, 0);
    rig_cycle(&r);
    assert_true(rig_may_miss(&r, 9));
    rig_sched_free(&r);
}

TEST(the_unit_then_the_queue_make_owners)
{
    struct sched_rig r;
    saturate(&r, "mascar");
    r.u.warp = 6;
    r.u.holds = BIT(6);
    rig_cycle(&r);
    assert_true(rig_may_miss(&r, 6));
    assert_false(rig_may_miss(&r, 3));
    r.v.long_stall = BIT(6);
    r.u.warp = -1;
    r.u.holds = r.u.queued = BIT(20);
    r.u.queue_used = 2;
    r.u.queue_head = 20;
    r.v.ready = r.v.memory = BIT(30); /* somebody else could issue: wait for it */
    rig_cycle(&r);
    assert_true(rig_may_miss(&r, 3));
    r.v.ready = r.v.memory = 0; /* nobody can: the head of the queue */
    rig_cycle(&r);
    assert_true(rig_may_miss(&r, 20));
    assert_false(rig_may_miss(&r, 3));
    assert_int_equal(rig_counter(&r, "owner_by_queue"), 1);
    rig_sched_free(&r);
}

static void blocked_unit(const char *spec, bool moves)
{
    struct sched_rig r;
    saturate(&r, spec);
    r.v.ready = r.v.memory = BIT(3);
    rig_issue(&r, 1, BIT(3));
    r.u.blocked = true;
    r.u.queued = r.u.holds = BIT(20);
    r.u.queue_used = 32;
    r.u.queue_head = 20;
    rig_cycle(&r);
    assert_int_equal(rig_may_miss(&r, 20), moves);
    assert_int_equal(rig_may_miss(&r, 3), !moves);
    rig_sched_free(&r);
}

TEST(a_blocked_unit_hands_over)
{
    blocked_unit("mascar", true);
    blocked_unit("mascar:queue_handover=no", false);
}

TEST(nothing_is_held_back_when_saturation_ends)
{
    struct sched_rig r;
    saturate(&r, "mascar:nonowner=strict");
    r.v.ready = r.v.memory = BIT(3) | BIT(5);
    rig_issue(&r, 1, BIT(3));
    rig_cycle(&r);
    assert_int_equal(rig_allowed(&r) & r.v.memory, BIT(3));
    r.v.l1d.mshr_used = 0;
    rig_cycle(&r);
    rig_cycle(&r);
    assert_int_equal(rig_allowed(&r), UINT64_MAX);
    for (unsigned w = 0; w < RIG_WARPS; w++) assert_true(rig_may_miss(&r, w));
    rig_sched_free(&r);
}

/* ---- who may issue, and in which order ---- */

static uint64_t let_through(const char *spec)
{
    struct sched_rig r;
    rig_sched(&r, spec, 0, NULL);
    r.v.live = BIT(RIG_WARPS) - 1;
    r.v.l1d.mshr_used = 56;
    r.v.ready = r.v.memory = BIT(2) | BIT(8); /* ready when the mode changes */
    rig_cycle(&r);
    rig_cycle(&r);
    r.v.ready = r.v.memory = BIT(2) | BIT(8) | BIT(11) | BIT(12);
    rig_issue(&r, 0, BIT(12));
    rig_cycle(&r);
    uint64_t through = rig_allowed(&r) & r.v.memory;
    assert_true(rig_allowed(&r) >> 40 & 1); /* not about memory: always */
    rig_sched_free(&r);
    return through;
}

TEST(leftovers)
{
    assert_int_equal(let_through("mascar"), BIT(2) | BIT(8) | BIT(12));
    assert_int_equal(let_through("mascar:nonowner=strict"), BIT(12));
    assert_int_equal(let_through("mascar:nonowner=any"), BIT(2) | BIT(8) | BIT(11) | BIT(12));
}

TEST(memory_first_greedy_then_compute_first_oldest)
{
    struct sched_rig r;
    rig_sched(&r, "mascar", 0, NULL);
    r.v.live = BIT(RIG_WARPS) - 1;
    r.v.memory = BIT(10) | BIT(20);
    uint64_t candidates = BIT(4) | BIT(10) | BIT(20) | BIT(30);
    r.v.ready = candidates;
    rig_cycle(&r);
    assert_int_equal(rig_issue(&r, 0, candidates), 10); /* EP: memory, the oldest */
    assert_int_equal(rig_issue(&r, 0, BIT(20) | BIT(4)), 20);
    r.v.memory = 0;
    assert_int_equal(rig_pick(&r, 0, candidates), 20);              /* greedy */
    assert_int_equal(r.p->order->first(&r.s, &r.v), r.v.cycle % 2); /* the schedulers alternate */
    r.v.memory = BIT(10) | BIT(20);
    r.v.l1d.mshr_used = 64;
    rig_cycle(&r);
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, candidates), 4); /* MP: compute, the oldest */
    assert_int_equal(rig_pick(&r, 0, BIT(20) | BIT(30)), 30);
    assert_int_equal(rig_pick(&r, 0, BIT(10) | BIT(20)), 10);
    r.v.ready = BIT(11) | BIT(20);
    r.v.memory = BIT(11) | BIT(20);
    assert_int_equal(r.p->order->first(&r.s, &r.v), 1); /* the oldest will own: its scheduler first */
    rig_issue(&r, 0, BIT(20));
    rig_cycle(&r);
    assert_int_equal(r.p->order->first(&r.s, &r.v), 0); /* the owner's */
    rig_sched_free(&r);
}

TEST(re_execution_alone_is_round_robin)
{
    struct sched_rig r;
    rig_sched(&r, "mascar:part=reexec", 0, NULL);
    r.v.live = BIT(RIG_WARPS) - 1;
    r.v.l1d.mshr_used = 64;
    r.v.memory = BIT(2);
    uint64_t all = BIT(2) | BIT(4) | BIT(6);
    static const int turn[] = {2, 4, 6, 2};
    for (unsigned i = 0; i < COUNT(turn); i++) {
        assert_int_equal(rig_cycle(&r), UINT64_MAX);
        assert_int_equal(rig_issue(&r, 0, all), turn[i]);
        assert_true(rig_may_miss(&r, 7));
    }
    assert_int_equal(rig_counter(&r, "mp_cycles"), 0);
    rig_sched_free(&r);
}
