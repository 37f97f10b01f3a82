/* test_swl.c - the static warp limit: who is admitted, in which order, and that a limit nobody
 * reaches is plain GTO or LRR. */
#include "timing/run_rig.h"
#include "unit/sched_rig.h"

static struct gpu_config machine(const char *gpu, const char *sched)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (config_load(&c, gpu, &e) || config_set_sched(&c, sched, &e)) fail_msg("%s", e.text);
    return c;
}

/* Two schedulers, eight slots; the higher the slot the older, so that age and slot differ. */
static void bench_begin(struct sched_rig *r, const char *spec)
{
    struct sched_choice choice = machine("apcm", spec).sched;
    memset(r, 0, sizeof *r);
    memcpy(r->param, choice.values, sizeof r->param);
    rig_sched_begin(r, choice.policy, &(struct wl_sched_geometry){.sms = 1, .warps = 8, .schedulers = 2});
    for (unsigned w = 0; w < 64; w++) r->age[w] = 63 - w;
    r->v.live = r->v.ready = 0xff;
}
static void issued(struct sched_rig *r, unsigned warp) { r->p->on_issue(&r->s, &r->v, warp & 1, warp); }

/* The two oldest of each scheduler: 6, 4 and 7, 5. */
TEST(the_oldest_are_admitted)
{
    struct sched_rig b;
    bench_begin(&b, "swl:limit=2");
    assert_int_equal(rig_allowed(&b), 0xf0);
    b.v.live = 0x7f; /* 7 ended: 3 takes its place, scheduler 0 keeps what it has */
    assert_int_equal(rig_allowed(&b), 0x78);
    b.v.live = 0xff; /* a young warp comes into slot 7 */
    b.age[7] = 100;
    rig_launch(&b, 7, 0);
    assert_int_equal(rig_allowed(&b), 0x78);
    rig_sched_free(&b);
}

/* Waiting warps do not use up the limit, or the others would never reach the barrier. */
TEST(barriers_cannot_deadlock)
{
    struct sched_rig b;
    bench_begin(&b, "swl:limit=1");
    assert_int_equal(rig_allowed(&b), 0xc0);
    b.v.barrier = 0xc0;
    assert_int_equal(rig_allowed(&b), 0x30);
    b.v.barrier = 0xf0;
    assert_int_equal(rig_allowed(&b), 0x0c);
    b.v.barrier = 0;
    assert_int_equal(rig_allowed(&b), 0xc0);
    rig_sched_free(&b);
}

TEST(a_slot_that_changes_hands_is_seen)
{
    struct sched_rig b;
    bench_begin(&b, "swl:limit=1");
    assert_int_equal(rig_allowed(&b), 0xc0);
    b.age[7] = 100; /* ended and launched again between two questions: the mask is the same */
    rig_launch(&b, 7, 0);
    assert_int_equal(rig_allowed(&b), 0x60);
    rig_sched_free(&b);
}

/* The set that on_issue() keeps answers as long as the same warps compete, and no longer. */
TEST(what_a_choice_keeps_is_dropped_when_others_compete)
{
    struct sched_rig b;
    bench_begin(&b, "swl:limit=1");
    issued(&b, 6);
    assert_int_equal(rig_allowed(&b), 0xc0);
    b.v.barrier = 0x40;
    assert_int_equal(rig_allowed(&b), 0x90);
    issued(&b, 4);
    assert_int_equal(rig_allowed(&b), 0x90);
    assert_int_equal(rig_counter(&b, "admissions"), 2);
    assert_int_equal(rig_counter(&b, "choices"), 2);
    assert_int_equal(rig_counter(&b, "admitted_sum"), 2);
    rig_sched_free(&b);
}

TEST(orders)
{
    struct sched_rig b;
    bench_begin(&b, "swl:limit=4");
    assert_int_equal(rig_pick(&b, 0, 0x55), 6);
    issued(&b, 2);
    assert_int_equal(rig_pick(&b, 0, 0x55), 2); /* greedy */
    assert_int_equal(rig_pick(&b, 0, 0x51), 6); /* then oldest */
    rig_sched_free(&b);
    bench_begin(&b, "swl:limit=4,order=lrr");
    assert_int_equal(rig_pick(&b, 0, 0x55), 0);
    issued(&b, 2);
    assert_int_equal(rig_pick(&b, 0, 0x55), 4);
    issued(&b, 6);
    assert_int_equal(rig_pick(&b, 0, 0x55), 0);
    rig_sched_free(&b);
}

/* A limit of all 24 warps of a scheduler is no limit. */
TEST(no_limit_is_no_change)
{
    static const char *const pair[][2] = {{"gto", "swl:limit=24"}, {"lrr", "swl:limit=24,order=lrr"}};
    for (unsigned i = 0; i < COUNT(pair); i++) {
        struct gpu_config a = machine("apcm", pair[i][0]), b = machine("apcm", pair[i][1]);
        struct outcome x = run_workload(workload_find("bfs"), &a, (struct gpu_options){0});
        struct outcome y = run_workload(workload_find("bfs"), &b, (struct gpu_options){0});
        check_same_counters(&x.stats, &y.stats, pair[i][1]);
    }
}

/* A held-back warp sleeps: the engines must still agree, with barriers too. */
TEST(engines_agree)
{
    static const char *const some[] = {"bfs", "matmul", "reduction", "kmeans"};
    for (unsigned i = 0; i < COUNT(some); i++) {
        struct gpu_config c = machine("apcm", i & 1 ? "swl:limit=2" : "swl:limit=1");
        const struct workload *w = workload_find(some[i]);
        assert_non_null(w);
        struct outcome fast = run_workload(w, &c, (struct gpu_options){0});
        struct outcome tick = run_workload(w, &c, (struct gpu_options){.tick = true});
        struct outcome mixed = run_workload(w, &c, (struct gpu_options){.shuffle = 7});
        check_same_counters(&fast.stats, &tick.stats, some[i]);
        check_same_counters(&fast.stats, &mixed.stats, some[i]);
    }
}
