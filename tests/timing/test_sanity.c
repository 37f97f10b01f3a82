/* test_sanity.c - what must hold of any machine, and the SM's rules as a whole machine shows them. */
#include "timing/run_rig.h"
#include "timing/synth.h"

/* ---- never slower without limits ---- */

/* Everything a request may wait for. */
static const enum param_id places[] = {P_L1D_MSHR,  P_L1D_MERGE, P_L1D_MISSQ, P_L1T_MSHR,  P_L1T_MERGE,
                                       P_L1T_MISSQ, P_L1C_MSHR,  P_L1C_MERGE, P_L1C_MISSQ, P_ICNT_IN,
                                       P_ICNT_OUT,  P_L2_MSHR,   P_L2_MERGE,  P_L2_MISSQ,  P_L2_INQ,
                                       P_L2_MEMQ,   P_L2_FILLQ,  P_L2_OUTQ,   P_MEM_QUEUE, P_MEM_RETURNQ};

static void lift_limits(struct gpu_config *c)
{
    for (unsigned i = 0; i < COUNT(places); i++) c->v[places[i]] = 8192; /* no tiny input has more requests out */
    c->v[P_ICNT_FLIT] = 1024;
    c->v[P_L2_PORT] = 128;
    c->v[P_DRAM_BURST] = c->v[P_DRAM_CCD] = 1;
    c->v[P_DRAM_CCDL] = 0;
}

/* Both machines have an L1D that never evicts. With a real one the limits can help: they throttle
 * warps that would thrash it (kmeans_1 on gtx480 takes 4.5 % longer without them), which is what the
 * papers live on. Even so "never slower" cannot hold for each program with many warps: a request that
 * waits no more lets another warp go first, and an unlimited memory queue lets row hits pass an old
 * request for longer. Starting a kernel one cycle later, which changes nothing but which scheduler
 * begins, is worth 2 % of the tiny matmul. So: no program may lose more than a tenth, and together
 * they must not lose at all. A single warp is held to one in a thousand below. */
static void never_slower(const char *gpu)
{
    unsigned count;
    const struct workload *const *list = workloads(&count);
    struct wl_err e = {.code = WL_OK};
    double product = 1;
    for (unsigned i = 0; i < count; i += stride(3, 48)) {
        struct gpu_config finite, infinite;
        assert_int_equal(config_load(&finite, gpu, &e), 0);
        finite.v[P_L1D_INFINITE] = 1;
        infinite = finite;
        lift_limits(&infinite);
        uint64_t a = run_workload(list[i], &finite, (struct gpu_options){0}).stats.cycles;
        uint64_t b = run_workload(list[i], &infinite, (struct gpu_options){0}).stats.cycles;
        print_message("  %s %s: %llu, without limits %llu\n", gpu, list[i]->name, (unsigned long long)a,
                      (unsigned long long)b);
        assert_true(b * 10 <= a * 11);
        product *= (double)a / (double)b;
    }
    assert_true(SLOW_BUILD || product >= 1);
}

TEST(a_gtx480_without_limits_is_never_slower) { never_slower("gtx480"); }
TEST(a_gtx480_v322_without_limits_is_never_slower) { never_slower("gtx480-v322"); }

/* One warp that loads, stores and computes at random, so that every queue fills. */
static void write_lone_warp(struct synth *p, uint64_t seed)
{
    synth_begin(p, "lone", 1);
    for (uint16_t i = 0; i < 60; i++) {
        uint64_t what = draw(&seed, 4);
        if (what == 0) synth_store(p, (uint16_t)draw(&seed, 60), SPACE_GLOBAL, 4);
        else if (what == 1) synth_add(p, i, (uint16_t)draw(&seed, 60), i);
        else synth_load(p, i, SPACE_GLOBAL, 4);
    }
    synth_cta(p);
    synth_warp(p);
    for (int n = 0; n < 10; n++) {
        synth_enter(p, 0, UINT32_MAX);
        for (uint32_t i = 0; i < 60; i++)
            if (inst_is_mem(&p->inst[i]))
                synth_affine(p, DEVICE_BASE + draw(&seed, 512) * 128, (int64_t)draw(&seed, 33) * 4);
    }
}

static uint64_t lone_cycles(const struct gpu_config *c, struct synth *p)
{
    struct gpu *g = synth_gpu(c);
    uint64_t cycles = synth_run(g, p);
    gpu_free(g);
    return cycles;
}

/* Small queues everywhere; then each made large, alone and all together. In-order issue of one
 * warp leaves no choice to a scheduler. The banks of the channel still have one, between reads and
 * writes that now meet sooner: one cycle in a thousand is allowed for that. */
TEST(one_warp_is_never_slower_with_more_of_anything)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct gpu_config
            tight = synth_config(
                "sm.count=1 mem.channels=1 l2.slices_per_channel=1 mem.scheduler=fifo l1d.infinite=yes l2.ways=64"),
            loose;
        struct synth p;
        for (unsigned i = 0; i < COUNT(places); i++) tight.v[places[i]] = places[i] == P_L2_MSHR ? 8 : 2;
        write_lone_warp(&p, seed);
        uint64_t slow = lone_cycles(&tight, &p);
        for (unsigned i = 0; i < COUNT(places); i++) {
            loose = tight;
            loose.v[places[i]] = 1024;
            uint64_t fast = lone_cycles(&loose, &p);
            if (fast * 1000 > slow * 1001)
                fail_msg("%s: %d, with more %d", gpu_params[places[i]].name, (int)slow, (int)fast);
        }
        loose = tight;
        lift_limits(&loose);
        assert_true(lone_cycles(&loose, &p) < slow);
        synth_end(&p);
    }
}

/* ---- time ---- */

TEST(doubling_all_clocks_leaves_every_counter)
{
    unsigned count;
    const struct workload *const *list = workloads(&count);
    for (unsigned i = 0; i < count; i += stride(3, 48)) {
        struct gpu_config once, twice;
        config_defaults(&once);
        twice = once;
        static const enum param_id clock[] = {P_CLOCK_CORE, P_CLOCK_ICNT, P_CLOCK_L2, P_CLOCK_DRAM};
        for (unsigned k = 0; k < COUNT(clock); k++) twice.v[clock[k]] *= 2;
        struct outcome a = run_workload(list[i], &once, (struct gpu_options){0});
        struct outcome b = run_workload(list[i], &twice, (struct gpu_options){0});
        check_same_counters(&a.stats, &b.stats, list[i]->name);
    }
}

TEST(a_run_from_cold_is_repeatable)
{
    unsigned count;
    const struct workload *const *list = workloads(&count);
    for (unsigned i = 0; i < count; i++) {
        struct gpu_config c;
        config_defaults(&c);
        struct outcome a = run_workload(list[i], &c, (struct gpu_options){0});
        struct outcome b = run_workload(list[i], &c, (struct gpu_options){0});
        check_same_counters(&a.stats, &b.stats, list[i]->name);
    }
}

TEST(thread_instructions_are_the_emulators)
{
    unsigned count;
    const struct workload *const *list = workloads(&count);
    for (unsigned i = 0; i < count; i++) {
        struct gpu_config c;
        config_defaults(&c);
        struct outcome a = run_workload(list[i], &c, (struct gpu_options){0});
        assert_int_equal(a.stats.sm.thread_instructions, a.executed.thread_instructions);
        assert_int_equal(a.stats.sm.warp_instructions, a.executed.warp_instructions);
    }
}

TEST(kernels_may_follow_one_another)
{
    struct gpu_config c = synth_config("sm.count=2");
    struct gpu *g = synth_gpu(&c);
    struct synth p;
    synth_begin(&p, "again", 1);
    synth_load(&p, 1, SPACE_GLOBAL, 4);
    synth_add(&p, 2, 1, 1);
    for (int i = 0; i < 4; i++) {
        synth_cta(&p);
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        synth_affine(&p, DEVICE_BASE, 4);
    }
    uint64_t cold = synth_run(g, &p), warm = synth_run(g, &p);
    assert_true(warm < cold); /* the L2 keeps the line, the L1D is flushed */
    assert_int_equal(p.released, 4);
    struct run_stats s;
    gpu_read_stats(g, &s);
    assert_int_equal(s.kernels, 2);
    assert_int_equal(s.cycles, cold + warm);
    assert_int_equal(s.sm.ctas, 8);
    assert_int_equal(s.l1d.misses + s.l1d.hits_reserved + s.l1d.hits, 8);
    synth_end(&p);
    gpu_free(g);
}

TEST(a_cycle_limit_stops_a_kernel)
{
    struct gpu_config c = synth_config("sm.count=1");
    struct wl_err e = {.code = WL_OK};
    struct gpu *g = gpu_new(&c, &(struct gpu_options){.max_cycles = 100}, &e);
    struct synth p;
    synth_begin(&p, "long", 1);
    for (int i = 0; i < 50; i++) synth_add(&p, 1, 1, 1);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    assert_int_equal(gpu_run(g, synth_source(&p), &e), WL_ERUN);
    assert_non_null(strstr(e.text, "100 cycles"));
    assert_int_equal(gpu_run(g, synth_source(&p), &e), WL_ERUN); /* its state means nothing any more */
    synth_end(&p);
    gpu_free(g);
}

/* ---- residency ---- */

static unsigned most_live;

static int live_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, uint64_t candidates)
{
    (void)s, (void)scheduler;
    if (bit_count64(v->live) > most_live) most_live = bit_count64(v->live);
    return (int)wl_next_slot(0, candidates);
}
static const struct wl_sched_policy live_watcher = {
    .abi = WL_ABI, .name = "live", .help = "notes how many warps live", .pick = live_pick};

static void write_idlers(struct synth *p, unsigned ctas, unsigned warps)
{
    synth_begin(p, "idlers", warps);
    for (int i = 0; i < 40; i++) synth_add(p, 1, 1, 1); /* 400 cycles: longer than all launches take */
    for (unsigned c = 0; c < ctas; c++) {
        synth_cta(p);
        for (unsigned w = 0; w < warps; w++) {
            synth_warp(p);
            synth_enter(p, 0, UINT32_MAX);
        }
    }
}

/* Live warps of a kernel with more CTAs than fit. */
static unsigned resident(const char *settings, unsigned warps, uint32_t regs, uint32_t shared)
{
    struct gpu_config c = synth_config(settings);
    struct synth p;
    c.sched.policy = &live_watcher;
    struct gpu *g = synth_gpu(&c);
    write_idlers(&p, 40, warps);
    p.info.regs_per_thread = regs;
    p.info.shared_bytes = shared;
    most_live = 0;
    synth_run(g, &p);
    assert_int_equal(p.released, 40);
    synth_end(&p);
    gpu_free(g);
    return most_live;
}

TEST(resident_ctas_are_limited)
{
    static const char one[] = "sm.count=1";
    assert_int_equal(resident("sm.count=1 sm.warps=16", 4, 0, 0), 16);       /* threads */
    assert_int_equal(resident("sm.count=1 sm.warps=18", 4, 0, 0), 16);       /* whole CTAs only */
    assert_int_equal(resident("sm.count=1 sm.ctas=3", 1, 0, 0), 3);          /* slots */
    assert_int_equal(resident("sm.count=1 sm.registers=4096", 1, 32, 0), 4); /* 32 x 32 registers per warp */
    assert_int_equal(resident("sm.count=1 sm.registers=4096", 2, 33, 0), 2);
    assert_int_equal(resident("sm.count=1 sm.shared=49152", 1, 0, 16384), 3); /* shared memory */
    assert_int_equal(resident("sm.count=1 sm.shared=49152", 1, 0, 16385), 2);
    assert_int_equal(resident(one, 1, 0, 0), 8);
    assert_int_equal(resident(one, 6, 0, 0), 48);
}

static void does_not_fit(const char *settings, unsigned warps, uint32_t regs, uint32_t shared)
{
    struct gpu_config c = synth_config(settings);
    struct synth p;
    struct wl_err e = {.code = WL_OK};
    struct gpu *g = synth_gpu(&c);
    write_idlers(&p, 1, warps);
    p.info.regs_per_thread = regs;
    p.info.shared_bytes = shared;
    assert_int_equal(gpu_run(g, synth_source(&p), &e), WL_ERUN);
    assert_non_null(strstr(e.text, "idlers"));
    assert_non_null(strstr(e.text, "does not fit"));
    synth_end(&p);
    gpu_free(g);
}

TEST(a_cta_that_does_not_fit_is_an_error)
{
    does_not_fit("sm.count=1 sm.warps=4", 5, 0, 0);
    does_not_fit("sm.count=1 sm.registers=32768", 32, 33, 0);
    does_not_fit("sm.count=1 sm.shared=49152", 1, 0, 49153);
}

/* ---- barriers ---- */

/* Runs a two-warp program of two blocks: warp 0 skips the first, warp 1 runs it. */
static void run_pair(struct synth *p, bool second_warp_runs_on)
{
    struct gpu_config c = synth_config("sm.count=1");
    c.sched.policy = recording_lrr();
    struct gpu *g = synth_gpu(&c);
    synth_cta(p);
    synth_warp(p);
    synth_enter(p, 1, UINT32_MAX);
    synth_warp(p);
    synth_enter(p, 0, UINT32_MAX);
    if (second_warp_runs_on) synth_enter(p, 1, UINT32_MAX);
    record_reset();
    synth_run(g, p);
    gpu_free(g);
}

TEST(a_barrier_waits_for_the_slowest)
{
    struct synth p;
    synth_begin(&p, "barrier", 2);
    for (int i = 0; i < 20; i++) synth_add(&p, 1, 1, 1);
    synth_block(&p);
    synth_inst(&p, INST_BARRIER);
    synth_add(&p, 2, 2, 2);
    run_pair(&p, true);
    uint64_t last_arrival = issued_at(1, 20);
    assert_true(issued_at(0, 0) + 100 < last_arrival); /* warp 0 was there long before */
    assert_int_equal(issued_at(0, 1), last_arrival + 1);
    assert_int_equal(issued_at(1, 21), last_arrival + 1);
    synth_end(&p);
}

TEST(a_warp_that_has_ended_holds_no_barrier)
{
    struct synth p;
    synth_begin(&p, "barrier", 2);
    for (int i = 0; i < 20; i++) synth_add(&p, 1, 1, 1);
    synth_block(&p);
    synth_inst(&p, INST_BARRIER);
    synth_add(&p, 2, 2, 2);
    run_pair(&p, false); /* warp 1 ends without meeting it */
    assert_int_equal(issued_at(0, 1), issued_at(1, 19) + 1);
    synth_end(&p);
}

TEST(barriers_are_per_cta)
{
    struct gpu_config c = synth_config("sm.count=1");
    struct gpu *g = synth_gpu(&c);
    struct synth p;
    synth_begin(&p, "barriers", 2);
    synth_inst(&p, INST_BARRIER);
    synth_add(&p, 1, 1, 1);
    synth_inst(&p, INST_BARRIER);
    for (int i = 0; i < 12; i++) {
        synth_cta(&p);
        for (int w = 0; w < 2; w++) {
            synth_warp(&p);
            synth_enter(&p, 0, UINT32_MAX);
        }
    }
    synth_run(g, &p);
    struct run_stats s;
    gpu_read_stats(g, &s);
    assert_int_equal(s.sm.barriers, 12 * 2 * 2);
    synth_end(&p);
    gpu_free(g);
}

/* ---- membar ---- */

static uint64_t store_then_add(bool membar)
{
    struct gpu_config c = synth_config("sm.count=1");
    struct synth p;
    c.sched.policy = recording_lrr();
    struct gpu *g = synth_gpu(&c);
    synth_begin(&p, "membar", 1);
    synth_store(&p, 1, SPACE_GLOBAL, 4);
    synth_inst(&p, membar ? INST_MEMBAR : INST_NOP);
    synth_add(&p, 2, 2, 2);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    synth_affine(&p, DEVICE_BASE, 4);
    record_reset();
    synth_run(g, &p);
    uint64_t cycles = issued_at(0, 2) - issued_at(0, 0);
    synth_end(&p);
    gpu_free(g);
    return cycles;
}

/* The store: 40 cycles to the tags, 1 in the miss queue, 1 + 4 flits - 1 + 5 to the L2, 120 in it, and
 * as a sectored L2's four acknowledgements 1 + 4 - 1 + 5 back. */
TEST(membar_waits_for_the_warps_own_stores)
{
    assert_int_equal(store_then_add(false), 2);
    assert_int_equal(store_then_add(true), 40 + 1 + 9 + 120 + 9);
}

/* ---- guards and divergence ---- */

TEST(an_access_without_lanes_does_nothing)
{
    struct gpu_config c = synth_config("sm.count=1");
    struct gpu *g = synth_gpu(&c);
    struct synth p;
    synth_begin(&p, "guarded", 1);
    synth_load(&p, 1, SPACE_GLOBAL, 4)->guarded = 1;
    synth_add(&p, 2, 1, 1);
    synth_cta(&p);
    struct stream_writer *w = synth_warp(&p);
    synth_enter(&p, 0, 0xffff);
    stream_guard(w, 0);
    synth_run(g, &p);
    struct run_stats s;
    gpu_read_stats(g, &s);
    assert_int_equal(s.sm.warp_instructions, 2);
    assert_int_equal(s.sm.thread_instructions, 16); /* the add's lanes; the load has none */
    assert_int_equal(s.sm.loads, 0);
    assert_int_equal(s.l1d.accesses, 0);
    synth_end(&p);
    gpu_free(g);
}

TEST(transactions_are_the_coalescers)
{
    struct gpu_config c = synth_config("sm.count=1");
    struct gpu *g = synth_gpu(&c);
    struct synth p;
    synth_begin(&p, "stride", 1);
    for (uint16_t i = 0; i < 3; i++) synth_load(&p, i, SPACE_GLOBAL, 4);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    synth_affine(&p, DEVICE_BASE, 4);             /* 1 */
    synth_affine(&p, DEVICE_BASE + 0x10000, 8);   /* 2 */
    synth_affine(&p, DEVICE_BASE + 0x20000, 128); /* 32: divergent */
    synth_run(g, &p);
    struct run_stats s;
    gpu_read_stats(g, &s);
    assert_int_equal(s.sm.load_requests, 35);
    assert_int_equal(s.sm.divergent_loads, 1);
    assert_int_equal(s.l1d.loads, 35);
    synth_end(&p);
    gpu_free(g);
}

/* ---- deadlock ---- */

extern const struct wl_cache_policy lru_policy;

static int stuck_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    (void)c;
    (void)a;
    (void)s;
    return WL_NO_WAY_STALL;
}
static const struct wl_cache_policy stuck_cache = {.abi = WL_ABI,
                                                   .name = "stuck",
                                                   .help = "never finds a way",
                                                   .levels = 1u << WL_L1 | 1u << WL_L2,
                                                   .victim = stuck_victim};

static int refuse_to_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler,
                          uint64_t candidates)
{
    (void)s;
    (void)v;
    (void)scheduler;
    (void)candidates;
    return -1;
}
static const struct wl_sched_policy stuck_sched = {
    .abi = WL_ABI, .name = "stuck", .help = "never issues", .pick = refuse_to_pick};

static void deadlocks(const struct gpu_config *c, bool tick, const char *word)
{
    struct wl_err e = {.code = WL_OK};
    struct gpu *g = gpu_new(c, &(struct gpu_options){.tick = tick}, &e);
    struct synth p;
    assert_non_null(g);
    synth_begin(&p, "stuck", 1);
    synth_load(&p, 1, SPACE_GLOBAL, 4);
    synth_add(&p, 2, 1, 1);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    synth_affine(&p, DEVICE_BASE, 4);
    assert_int_equal(gpu_run(g, synth_source(&p), &e), WL_EDEADLOCK);
    assert_int_equal(e.code, WL_EDEADLOCK);
    assert_non_null(strstr(e.text, "kernel stuck"));
    assert_non_null(strstr(e.text, "SM 0"));
    if (!strstr(e.text, word)) fail_msg("no '%s' in: %s", word, e.text);
    synth_end(&p);
    gpu_free(g);
}

TEST(a_deadlock_is_described)
{
    for (int tick = 0; tick < 2; tick++) {
        struct gpu_config c = synth_config("sm.count=2 run.watchdog=100000");
        c.l1.policy = &stuck_cache;
        deadlocks(&c, tick, "refused");
        c = synth_config("sm.count=2 run.watchdog=100000");
        c.l2.policy = &stuck_cache;
        deadlocks(&c, tick, "L2 slice");
        c = synth_config("sm.count=2 run.watchdog=100000");
        c.sched.policy = &stuck_sched;
        deadlocks(&c, tick, "1 ready");
    }
}

/* 60,000 dependent additions take longer than the watchdog waits, and nothing but the issue moves. */
TEST(issuing_is_progress)
{
    for (int tick = 0; tick < 2; tick++) {
        struct gpu_config c = synth_config("sm.count=1 run.watchdog=100000");
        struct wl_err e = {.code = WL_OK};
        struct gpu *g = gpu_new(&c, &(struct gpu_options){.tick = tick}, &e);
        struct synth p;
        synth_begin(&p, "compute", 1);
        synth_add(&p, 1, 1, 1);
        synth_cta(&p);
        synth_warp(&p);
        for (int i = 0; i < 60000; i++) synth_enter(&p, 0, UINT32_MAX);
        if (gpu_run(g, synth_source(&p), &e)) fail_msg("%s", e.text);
        struct run_stats s;
        gpu_read_stats(g, &s);
        assert_true(s.cycles > 2 * 100000);
        assert_int_equal(s.sm.warp_instructions, 60000);
        synth_end(&p);
        gpu_free(g);
    }
}

/* ---- sources ---- */

static int broken_next(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    (void)s;
    (void)out;
    return -wl_fail(e, WL_ERUN, "the trace ends here");
}

TEST(a_failing_source_fails_the_kernel)
{
    struct gpu_config c = synth_config("sm.count=1");
    struct gpu *g = synth_gpu(&c);
    struct synth p;
    struct wl_err e = {.code = WL_OK};
    write_idlers(&p, 1, 1);
    struct stream_source *s = synth_source(&p);
    s->next = broken_next;
    assert_int_equal(gpu_run(g, s, &e), WL_ERUN);
    assert_string_equal(e.text, "the trace ends here");
    synth_end(&p);
    gpu_free(g);
}
