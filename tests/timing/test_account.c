/* test_account.c - the account of cycles of programs for which it can be written down.
 *
 * One SM, equal clocks. A chain is a program in which every instruction waits for the one before it, so that the
 * distance of two issues is the latency. */
#include "mem/req.h"
#include "timing/synth.h"

static const uint64_t base = DEVICE_BASE;
#define EQUAL "sm.count=1 clock.core=700000 clock.icnt=700000 clock.l2=700000 clock.dram=700000 "
#define ONE   EQUAL "sm.schedulers=1 "
#define TWO   EQUAL "sm.schedulers=2 "

static struct synth p;

/* Runs p, with these lines in the L2; counts everything, laws included, in both engines. */
static struct run_stats run_on(const char *settings, const char *sched, uint64_t resident)
{
    struct gpu_config c = synth_config(settings);
    if (sched) assert_int_equal(config_set_sched(&c, sched, NULL), 0);
    struct run_stats s[2];
    for (int tick = 0; tick < 2; tick++) {
        struct gpu_options o = {.tick = tick};
        struct wl_err e = {.code = WL_OK};
        struct gpu *g = gpu_new(&c, &o, &e);
        if (!g) fail_msg("%s", e.text);
        gpu_host_copy(g, base, resident * 128);
        synth_run(g, &p);
        gpu_read_stats(g, &s[tick]);
        gpu_free(g);
    }
    assert_memory_equal(&s[0], &s[1], sizeof s[0]);
    synth_end(&p);
    return s[0];
}

/* Every member that is not named in `want` is zero. */
static void expect_account(const struct account_stats *have, struct account_stats want)
{
    const uint64_t *h = (const uint64_t *)(const void *)have, *w = (const uint64_t *)(const void *)&want;
    const struct counter_desc *d = counter_descs;
    while (d->group != GROUP_account) d++;
    for (unsigned i = 0; i < sizeof want / sizeof *w; i++)
        if (h[i] != w[i])
            fail_msg("account.%s is %llu, not %llu", d[i].key, (unsigned long long)h[i], (unsigned long long)w[i]);
}

/* From the issue of an addition to that of one that needs it. */
static uint64_t add_latency(void)
{
    struct gpu_config c = synth_config(ONE);
    return (uint64_t)(c.v[P_LAT_INT_ADD] + c.v[P_SM_ISSUE_DELAY]);
}

static void write_adds(unsigned n)
{
    for (unsigned i = 0; i < n; i++) synth_add(&p, 1, 1, 1);
}

static void all_warps(unsigned warps)
{
    synth_cta(&p);
    for (unsigned w = 0; w < warps; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
    }
}

/* ---- one warp ---- */

TEST(a_chain_of_additions_issues_and_waits_for_the_alu)
{
    enum { N = 20 };
    uint64_t latency = add_latency();
    synth_begin(&p, "chain", 1);
    write_adds(N);
    all_warps(1);
    struct run_stats s = run_on(ONE, NULL, 0);
    expect_account(&s.account,
                   (struct account_stats){.total = (N - 1) * latency + 1, .issued = N, .alu = (N - 1) * (latency - 1)});
    assert_int_equal(s.warp_states.total, s.account.total);
    assert_int_equal(s.warp_states.issued, N);
    assert_int_equal(s.warp_states.alu, s.account.alu);
}

/* N loads, each of which needs the one before. The lines are all in the L2, or all but the first in the L1D, or
 * nowhere.
 */
static struct run_stats chase(unsigned n, bool same_line, bool resident)
{
    synth_begin(&p, "chase", 1);
    for (unsigned i = 0; i < n; i++) synth_load_at(&p, 1, 1);
    all_warps(1);
    for (unsigned i = 0; i < n; i++) synth_affine(&p, base + (same_line ? 0 : i * 128), 4);
    return run_on(ONE, NULL, resident ? n : 0);
}

TEST(a_chase_through_the_l2_waits_for_the_l2)
{
    struct run_stats a = chase(6, false, true), b = chase(11, false, true);
    uint64_t wait = a.account.load_l2 / 5; /* five of six loads are waited for; the last one's warp has ended */
    assert_true(wait > 50);
    assert_int_equal(a.account.drain, b.account.drain);
    assert_true(a.account.drain > wait / 2);
    expect_account(&a.account, (struct account_stats){.total = 6 + 5 * wait + a.account.drain,
                                                      .issued = 6,
                                                      .load_l2 = 5 * wait,
                                                      .drain = a.account.drain});
    expect_account(&b.account, (struct account_stats){.total = 11 + 10 * wait + a.account.drain,
                                                      .issued = 11,
                                                      .load_l2 = 10 * wait,
                                                      .drain = a.account.drain});
}

TEST(a_chase_through_memory_waits_for_memory)
{
    struct run_stats s = chase(6, false, false);
    expect_account(&s.account, (struct account_stats){.total = 6 + s.account.load_dram + s.account.drain,
                                                      .issued = 6,
                                                      .load_dram = s.account.load_dram,
                                                      .drain = s.account.drain});
    assert_int_equal(s.warp_states.load_dram, s.account.load_dram);
}

TEST(a_chase_within_a_line_waits_for_the_l1_after_the_first)
{
    struct run_stats a = chase(6, true, true), b = chase(11, true, true);
    uint64_t wait = (b.account.load_l1 - a.account.load_l1) / 5;
    assert_true(wait > 0);
    expect_account(&b.account, (struct account_stats){.total = 11 + a.account.load_l2 + 9 * wait + b.account.drain,
                                                      .issued = 11,
                                                      .load_l1 = 9 * wait,
                                                      .load_l2 = a.account.load_l2,
                                                      .drain = b.account.drain});
}

TEST(a_fence_waits_for_the_store_before_it)
{
    synth_begin(&p, "fence", 1);
    synth_store(&p, 1, SPACE_GLOBAL, 4);
    synth_inst(&p, INST_MEMBAR);
    synth_add(&p, 2, 2, 2);
    all_warps(1);
    synth_affine(&p, base, 4);
    struct run_stats s = run_on(ONE, NULL, 1);
    assert_true(s.account.fence > 20);
    expect_account(&s.account,
                   (struct account_stats){.total = 3 + s.account.fence, .issued = 3, .fence = s.account.fence});
    assert_int_equal(s.warp_states.fence, s.account.fence);
}

TEST(a_read_of_shared_memory_is_its_own_reason)
{
    synth_begin(&p, "shared", 1);
    synth_load(&p, 1, SPACE_SHARED, 4);
    synth_add(&p, 2, 1, 1);
    all_warps(1);
    synth_affine(&p, 0, 4);
    struct run_stats s = run_on(ONE, NULL, 0);
    expect_account(&s.account,
                   (struct account_stats){.total = 2 + s.account.shared, .issued = 2, .shared = s.account.shared});
    assert_true(s.account.shared > 0);
}

/* ---- two warps ---- */

/* Warp 0 computes before it comes to the barrier; warp 1, of the other scheduler, waits for it there. */
TEST(two_warps_at_a_barrier)
{
    enum { N = 10 };
    uint64_t arrives = (N - 1) * add_latency() + 1; /* the cycle of warp 0's barrier, from 0 */
    synth_begin(&p, "barrier", 2);
    write_adds(N);
    synth_block(&p);
    synth_inst(&p, INST_BARRIER);
    synth_add(&p, 2, 2, 2);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    synth_enter(&p, 1, UINT32_MAX);
    synth_warp(&p);
    synth_enter(&p, 1, UINT32_MAX);
    struct run_stats s = run_on(TWO, NULL, 0);
    expect_account(&s.account, (struct account_stats){.total = 2 * (arrives + 2),
                                                      .issued = N + 4,
                                                      .alu = (N - 1) * (add_latency() - 1),
                                                      .barrier = arrives});
    assert_int_equal(s.warp_states.barrier, arrives);
}

/* Both ask for one line: the second request merges with the first. */
TEST(who_merges_waits_for_a_line_in_flight)
{
    synth_begin(&p, "merge", 2);
    synth_load(&p, 1, SPACE_GLOBAL, 4);
    synth_add(&p, 2, 1, 1);
    synth_cta(&p);
    for (unsigned w = 0; w < 2; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        synth_affine(&p, base, 4);
    }
    struct run_stats s = run_on(TWO, NULL, 0);
    assert_true(s.account.load_dram > 0 && s.account.load_in_flight > 0);
    expect_account(&s.account, (struct account_stats){.total = s.account.issued + s.account.load_dram +
                                                               s.account.load_in_flight + s.account.no_warp,
                                                      .issued = 4,
                                                      .load_dram = s.account.load_dram,
                                                      .load_in_flight = s.account.load_in_flight,
                                                      .no_warp = s.account.no_warp}); /* one ends before the other */
}

/* A limit of one warp: the second is ready all the time the first one waits. Then it is alone. */
TEST(a_limit_of_one_warp_throttles_the_other)
{
    enum { N = 10 };
    uint64_t waits = (N - 1) * (add_latency() - 1);
    synth_begin(&p, "limit", 2);
    write_adds(N);
    all_warps(2);
    struct run_stats s = run_on(ONE, "swl:limit=1", 0);
    expect_account(&s.account,
                   (struct account_stats){.total = 2 * (N + waits), .issued = 2 * N, .throttled = waits, .alu = waits});
    assert_int_equal(s.warp_states.throttled + s.warp_states.not_selected, N + waits);
    assert_int_equal(s.warp_states.not_selected + s.warp_states.throttled + s.warp_states.alu + 2 * N,
                     s.warp_states.total);
}

/* ---- many warps ---- */

/* Each warp chases through lines of its own, in one channel that needs CCD cycles for each of the four sectors of
 * a line, longer than a row change: behind the first loads the channel is never idle. */
enum { CCD = 64, CHASERS = 8 };
static struct run_stats saturate(unsigned loads)
{
    synth_begin(&p, "stream", CHASERS);
    for (unsigned i = 0; i < loads; i++) synth_load_at(&p, 1, 1);
    synth_cta(&p);
    for (unsigned w = 0; w < CHASERS; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        for (unsigned i = 0; i < loads; i++) synth_affine(&p, base + (uint64_t)(w * loads + i) * 128, 4);
    }
    return run_on(ONE "mem.channels=1 dram.tccd=64 dram.tccdl=64 ", NULL, 0);
}

/* So eight loads more of each warp are waited for in exactly the time that the channel needs for their lines. */
TEST(saturated_memory_is_what_schedulers_wait_for)
{
    enum { MORE = 8 };
    struct run_stats a = saturate(8), b = saturate(8 + MORE);
    struct account_stats want = a.account;
    want.total += CHASERS * MORE * LINE_SECTORS * CCD;
    want.issued += CHASERS * MORE;
    want.load_dram += CHASERS * MORE * (LINE_SECTORS * CCD - 1);
    expect_account(&b.account, want);
}

/* Mascar's gate: in the memory-parallel mode only the owner may miss, so the others' misses wait in the re-execution
 * queue, and their warps may not issue another memory instruction meanwhile. */
TEST(the_gate_holds_warps_back)
{
    enum { WARPS = 8, LOADS = 6 };
    synth_begin(&p, "gate", WARPS);
    for (uint16_t i = 0; i < LOADS; i++) synth_load(&p, (uint16_t)(i + 1), SPACE_GLOBAL, 4);
    synth_cta(&p);
    for (unsigned w = 0; w < WARPS; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        for (unsigned i = 0; i < LOADS; i++) synth_lines(&p, base / 128 + (uint64_t)(w * LOADS + i) * 32, 32);
    }
    struct run_stats s = run_on(ONE "l1d.mshr=8 ", "mascar:sat_mshr=1", 0);
    assert_true(s.account.held_back > 0 && s.warp_states.held_back >= s.account.held_back);
    assert_true(s.account.throttled > 0);
    assert_int_equal(s.account.issued, WARPS * LOADS);
}

/* Two warps of `loads` loads with ten additions between them and a chain of additions at the end. */
static struct run_stats owned(unsigned loads, unsigned adds, const char *mascar)
{
    synth_begin(&p, "owner", 2);
    for (uint16_t i = 0; i < loads; i++) {
        if (i) write_adds(10);
        synth_load(&p, (uint16_t)(10 + i), SPACE_GLOBAL, 4);
    }
    write_adds(adds);
    synth_cta(&p);
    for (unsigned w = 0; w < 2; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        for (unsigned i = 0; i < loads; i++) synth_affine(&p, base + (uint64_t)(w * loads + i) * 128, 4);
    }
    return run_on(ONE, mascar, 2 * loads);
}

/* Always in MP: the first warp owns the right to miss until it ends, and the other's load is ready all the time. */
TEST(who_is_not_the_owner_is_throttled)
{
    enum { N = 40 };
    uint64_t waits = (N - 1) * (add_latency() - 1);
    struct run_stats s = owned(1, N, "mascar:mode=mp");
    expect_account(
        &s.account,
        (struct account_stats){.total = 2 * (1 + N + waits), .issued = 2 * (1 + N), .throttled = waits, .alu = waits});
}

/* Others may issue, but the L1D refuses their misses: the first load of the second warp waits in the re-execution
 * queue until the owner has ended, and its second load is held back. So every addition more at the end of the
 * programs is waited for once by a warp held back and once by nobody else. */
TEST(a_refused_miss_holds_its_warp_back)
{
    enum { MORE = 20 };
    uint64_t waits = MORE * (add_latency() - 1);
    struct run_stats a = owned(2, 40, "mascar:mode=mp,nonowner=any"),
                     b = owned(2, 40 + MORE, "mascar:mode=mp,nonowner=any");
    struct account_stats want = a.account;
    assert_true(a.account.held_back > 0);
    want.total += 2 * (MORE + waits);
    want.issued += 2 * MORE;
    want.held_back += waits;
    want.alu += waits;
    expect_account(&b.account, want);
}

/* ---- time ---- */

/* At any moment the reasons that are known add up to the total that is reported. */
TEST(samples_add_up)
{
    struct gpu_config c = synth_config(ONE "stats.interval=7");
    struct gpu *g = synth_gpu(&c);
    struct wl_err e = {.code = WL_OK};
    struct sample *sample;
    unsigned n;
    synth_begin(&p, "chase", 2);
    for (unsigned i = 0; i < 6; i++) synth_load_at(&p, 1, 1), synth_add(&p, 2, 2, 2), synth_add(&p, 2, 2, 2);
    synth_cta(&p);
    for (unsigned w = 0; w < 2; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        for (unsigned i = 0; i < 6; i++) synth_affine(&p, base + (w * 6 + i) * 128, 4);
    }
    synth_run(g, &p);
    assert_int_equal(gpu_read_samples(g, &sample, &n, &e), 0);
    assert_true(n > 20);
    uint64_t before = 0;
    for (unsigned i = 0; i < n; i++) {
        const uint64_t *v = (const uint64_t *)(const void *)&sample[i].stats.account,
                       *w = (const uint64_t *)(const void *)&sample[i].stats.warp_states;
        uint64_t sum = 0, states = 0;
        for (unsigned k = 1; k < sizeof sample[i].stats.account / 8; k++) sum += v[k];
        for (unsigned k = 1; k < sizeof sample[i].stats.warp_states / 8; k++) states += w[k];
        assert_int_equal(sum, v[0]);
        assert_int_equal(states, w[0]);
        assert_true(sum >= before);
        before = sum;
    }
    free(sample);
    synth_end(&p);
    gpu_free(g);
}
