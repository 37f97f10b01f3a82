/* test_swl.c - the static warp limit: who is admitted, in which order, and that a limit nobody
 * reaches is plain GTO or LRR. */
#include "timing/run_rig.h"

static struct gpu_config machine(const char *gpu, const char *sched)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (config_load(&c, gpu, &e) || config_set_sched(&c, sched, &e)) fail_msg("%s", e.text);
    return c;
}

/* Two schedulers, eight slots; the higher the slot the older, so that age and slot differ. */
struct bench {
    struct sched_choice choice;
    void *self;
    uint64_t age[64], owned[2];
    struct wl_sched_view v;
    void *shared;
};

static void bench_begin(struct bench *b, const char *spec)
{
    *b = (struct bench){.choice = machine("apcm", spec).sched, .owned = {0x55, 0xaa}};
    for (unsigned w = 0; w < 64; w++) b->age[w] = 63 - w;
    b->v = (struct wl_sched_view){.live = 0xff, .ready = 0xff, .age = b->age, .owned = b->owned};
    const struct wl_sched_geometry g = {.sms = 1, .warps = 8, .schedulers = 2, .shared = &b->shared};
    const char *why = "";
    b->self = b->choice.policy->create(&g, b->choice.values, &why);
    assert_non_null(b->self);
}
static void bench_end(struct bench *b) { b->choice.policy->destroy(b->self); }
static uint64_t allowed(struct bench *b) { return b->choice.policy->allowed(b->self, &b->v); }
static int pick(struct bench *b, unsigned scheduler, uint64_t set)
{
    return b->choice.policy->pick(b->self, &b->v, scheduler, set);
}
static void issued(struct bench *b, unsigned warp) { b->choice.policy->issued(b->self, &b->v, warp & 1, warp); }

/* The two oldest of each scheduler: 6, 4 and 7, 5. */
TEST(the_oldest_are_admitted)
{
    struct bench b;
    bench_begin(&b, "swl:limit=2");
    assert_int_equal(allowed(&b), 0xf0);
    b.v.live = 0x7f; /* 7 ended: 3 takes its place, scheduler 0 keeps what it has */
    assert_int_equal(allowed(&b), 0x78);
    b.v.live = 0xff; /* a young warp comes into slot 7 */
    b.age[7] = 100;
    b.choice.policy->warp_launch(b.self, &b.v, 7);
    assert_int_equal(allowed(&b), 0x78);
    bench_end(&b);
}

/* Waiting warps do not use up the limit, or the others would never reach the barrier. */
TEST(barriers_cannot_deadlock)
{
    struct bench b;
    bench_begin(&b, "swl:limit=1");
    assert_int_equal(allowed(&b), 0xc0);
    b.v.barrier = 0xc0;
    assert_int_equal(allowed(&b), 0x30);
    b.v.barrier = 0xf0;
    assert_int_equal(allowed(&b), 0x0c);
    b.v.barrier = 0;
    assert_int_equal(allowed(&b), 0xc0);
    bench_end(&b);
}

TEST(a_slot_that_changes_hands_is_seen)
{
    struct bench b;
    bench_begin(&b, "swl:limit=1");
    assert_int_equal(allowed(&b), 0xc0);
    b.age[7] = 100; /* ended and launched again between two questions: the mask is the same */
    b.choice.policy->warp_launch(b.self, &b.v, 7);
    assert_int_equal(allowed(&b), 0x60);
    bench_end(&b);
}

TEST(orders)
{
    struct bench b;
    bench_begin(&b, "swl:limit=4");
    assert_int_equal(pick(&b, 0, 0x55), 6);
    issued(&b, 2);
    assert_int_equal(pick(&b, 0, 0x55), 2); /* greedy */
    assert_int_equal(pick(&b, 0, 0x51), 6); /* then oldest */
    bench_end(&b);
    bench_begin(&b, "swl:limit=4,order=lrr");
    assert_int_equal(pick(&b, 0, 0x55), 0);
    issued(&b, 2);
    assert_int_equal(pick(&b, 0, 0x55), 4);
    issued(&b, 6);
    assert_int_equal(pick(&b, 0, 0x55), 0);
    bench_end(&b);
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
