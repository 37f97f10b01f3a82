/* test_gpgpusim3_sm.c - the SM as GPGPU-Sim 3.2 had it, option by option, in closed form. */
#include "timing/lone_sm.h"

/* ---- the order of schedulers, and one memory instruction per cycle ---- */

enum { STORES = 6 };

/* Two warps, one of each scheduler, with independent stores; notes every issue. */
static void two_warps_store(const char *settings)
{
    struct gpu_config c = synth_config(settings);
    c.sched.policy = recording_lrr();
    struct gpu *g = synth_gpu(&c);
    struct synth p;
    synth_begin(&p, "stores", 2);
    for (int i = 0; i < STORES; i++) synth_store(&p, 1, SPACE_GLOBAL, 4);
    synth_cta(&p);
    for (unsigned w = 0; w < 2; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        for (unsigned i = 0; i < STORES; i++) synth_affine(&p, DEVICE_BASE + 128 * (w * STORES + i), 4);
    }
    record_reset();
    synth_run(g, &p);
    assert_int_equal(issue_count, 2 * STORES);
    synth_end(&p);
    gpu_free(g);
}

#define ROOMY "sm.count=1 sm.schedulers=2 sm.lsu_queue=64 l1d.missq=64 "

TEST(both_schedulers_issue_a_memory_instruction_in_a_cycle)
{
    two_warps_store(ROOMY);
    for (unsigned i = 0; i < STORES; i++) assert_int_equal(issued_at(0, i), issued_at(1, i));
}

TEST(schedulers_take_turns_for_the_only_memory_slot)
{
    two_warps_store(ROOMY "sm.mem_issue=1");
    for (unsigned i = 1; i < 2 * STORES; i++) {
        assert_int_equal(issue_log[i].cycle, issue_log[0].cycle + i);
        assert_int_not_equal(issue_log[i].warp, issue_log[i - 1].warp);
    }
}

/* Warp 0 issues all it has before warp 1 gets the slot once. */
TEST(scheduler_0_always_gets_the_only_memory_slot)
{
    two_warps_store(ROOMY "sm.mem_issue=1 sm.order=fixed");
    for (unsigned i = 0; i < 2 * STORES; i++) {
        assert_int_equal(issue_log[i].cycle, issue_log[0].cycle + i);
        assert_int_equal(issue_log[i].warp, i / STORES);
    }
}

/* With room for one instruction the queue is the slot, whatever sm.mem_issue says. */
TEST(a_fixed_order_decides_who_gets_the_last_place_of_the_queue)
{
    two_warps_store("sm.count=1 sm.schedulers=2 sm.lsu_queue=1 sm.mem_delay=1 sm.order=fixed");
    for (unsigned i = 0; i < 2 * STORES; i++) assert_int_equal(issue_log[i].warp, i / STORES);
}

/* ---- fetch ---- */

/* `n` independent instructions. */
static void straight_line(struct synth *p, unsigned n)
{
    while (n--) synth_add(p, (uint16_t)(p->code.ninst % 64 + 1), 100, 100);
}

static void one_warp(struct synth *p)
{
    synth_cta(p);
    synth_warp(p);
    synth_enter(p, 0, UINT32_MAX);
}

static struct gpu *recorded_gpu(const char *settings)
{
    struct gpu_config c = synth_config(settings);
    c.sched.policy = recording_lrr();
    record_reset();
    return synth_gpu(&c);
}

static void run_and_free(struct gpu *g, struct synth *p)
{
    synth_run(g, p);
    synth_end(p);
    gpu_free(g);
}

TEST(ideal_fetch_never_waits)
{
    struct synth p;
    struct gpu *g = recorded_gpu("sm.count=1");
    synth_begin(&p, "line", 1);
    straight_line(&p, 12);
    one_warp(&p);
    run_and_free(g, &p);
    for (unsigned i = 0; i < 12; i++) assert_int_equal(issued_at(0, i) - issued_at(0, 0), i);
}

/* The buffer is refilled in the cycle in which its second instruction issues, and used two cycles later. */
TEST(a_warp_issues_two_instructions_in_three_cycles)
{
    struct synth p;
    struct gpu *g = recorded_gpu("sm.count=1 sm.fetch=buffer");
    synth_begin(&p, "line", 1);
    straight_line(&p, 12);
    one_warp(&p);
    run_and_free(g, &p);
    for (unsigned i = 0; i < 12; i++) assert_int_equal(issued_at(0, i) - issued_at(0, 0), i / 2 * 3 + i % 2);
}

/* Four warps of two schedulers have more to issue than one fetch of two instructions brings per cycle. */
TEST(one_warp_per_cycle_is_fetched_for)
{
    struct synth p;
    struct gpu *g = recorded_gpu("sm.count=1 sm.fetch=buffer sm.alu_pipes=4 sm.schedulers=4");
    synth_begin(&p, "line", 4);
    straight_line(&p, 24);
    synth_cta(&p);
    for (int w = 0; w < 4; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
    }
    run_and_free(g, &p);
    for (unsigned w = 0; w < 4; w++)
        for (unsigned i = 0; i < 24; i++) assert_int_equal(issued_at(w, i) - issued_at(0, 0), w + i / 2 * 4 + i % 2);
}

/* A branch back, at an even or an odd place of the program: it is the first or the second of its pair. */
static uint64_t branch_costs(const char *settings, unsigned before)
{
    struct synth p;
    struct gpu *g = recorded_gpu(settings);
    synth_begin(&p, "loop", 1);
    straight_line(&p, before);
    synth_inst(&p, INST_BRANCH);
    synth_block(&p);
    straight_line(&p, 4); /* what falls through */
    one_warp(&p);
    synth_enter(&p, 0, UINT32_MAX); /* taken once */
    synth_enter(&p, 1, UINT32_MAX);
    run_and_free(g, &p);
    return issued_at(0, before + 1) - issued_at(0, before);
}

TEST(a_taken_branch_costs_what_was_fetched_behind_it)
{
    assert_int_equal(branch_costs("sm.count=1", 20), 1);
    assert_int_equal(branch_costs("sm.count=1 sm.fetch=buffer", 20), 3); /* met, fetched, decoded */
    assert_int_equal(branch_costs("sm.count=1 sm.fetch=buffer", 21),
                     4); /* and the wrong pair fetched and decoded first */
}

TEST(a_branch_that_falls_through_costs_nothing)
{
    struct synth p;
    struct gpu *g = recorded_gpu("sm.count=1 sm.fetch=buffer");
    synth_begin(&p, "through", 1);
    straight_line(&p, 4);
    synth_inst(&p, INST_BRANCH);
    synth_block(&p);
    straight_line(&p, 5);
    one_warp(&p);
    synth_enter(&p, 1, UINT32_MAX);
    run_and_free(g, &p);
    for (unsigned i = 0; i < 10; i++) assert_int_equal(issued_at(0, i) - issued_at(0, 0), i / 2 * 3 + i % 2);
}

/* ---- the instruction cache ---- */

#define COLD "sm.count=1 l2.sectored=no sm.fetch=buffer il1.perfect=no "

/* Sixteen instructions of 8 bytes are a line. It is missed when the buffer has run empty, comes `latency` cycles
 * later, the warp is let go, asks again in the next cycle and issues two later; its eight pairs take 22 cycles up to
 * the last issue, in which the next line is asked for. */
TEST(cold_code_costs_one_memory_latency_per_line)
{
    enum { LATENCY = 290, LINES = 6 };
    struct gpu_config c = synth_config(COLD);
    c.sched.policy = recording_lrr();
    record_reset();
    struct lone *l = lone_new(&c, LATENCY);
    struct synth p;
    synth_begin(&p, "cold", 1);
    straight_line(&p, 16 * LINES);
    one_warp(&p);
    lone_launch(l, &p);
    lone_finish(l);
    for (unsigned i = 0; i + 1 < LINES; i++)
        assert_int_equal(issued_at(0, 16 * (i + 1)) - issued_at(0, 16 * i), LATENCY + 3 + 22);
    assert_int_equal(l->sent, LINES);
    synth_end(&p);
    lone_free(l);
}

static struct run_stats stats_of(const char *settings, struct synth *p)
{
    struct run_stats s;
    struct gpu *g = recorded_gpu(settings);
    synth_run(g, p);
    gpu_read_stats(g, &s);
    gpu_free(g);
    return s;
}

/* A loop of `lines` lines, run `rounds` times by one warp. */
static void loop_of(struct synth *p, unsigned lines, unsigned rounds)
{
    synth_begin(p, "loop", 1);
    straight_line(p, 16 * lines - 2);
    synth_inst(p, INST_BRANCH);
    synth_block(p);
    straight_line(p, 1);
    synth_cta(p);
    synth_warp(p);
    for (unsigned i = 0; i < rounds; i++) synth_enter(p, 0, UINT32_MAX);
    synth_enter(p, 1, UINT32_MAX);
}

/* 4 sets of 4 ways hold 16 lines; of 17, in turn, the five of one set always miss. All are read from the L2. */
TEST(a_loop_larger_than_the_cache_misses_in_every_round)
{
    struct synth p;
    loop_of(&p, 16, 5);
    struct run_stats s = stats_of(COLD, &p);
    assert_int_equal(s.l1i.misses, 16);
    assert_int_equal(s.l2.reads, 16);
    synth_end(&p);
    loop_of(&p, 17, 5);
    s = stats_of(COLD, &p);
    assert_int_equal(s.l1i.misses, 17 + 4 * 5);
    assert_int_equal(s.l1i.flushes, 4); /* the branch falls through once */
    assert_int_equal(s.l2.reads, s.l1i.misses);
    synth_end(&p);
}

/* Warps that want a line in flight wait for it together, as many as il1.merge says; the others ask until it is there.
 */
TEST(warps_share_a_miss)
{
    struct synth p;
    synth_begin(&p, "shared", 8);
    straight_line(&p, 16);
    synth_cta(&p);
    for (int w = 0; w < 8; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
    }
    struct run_stats s = stats_of(COLD, &p);
    assert_int_equal(s.l1i.misses, 1);
    assert_int_equal(s.l1i.hits_reserved, 7);
    assert_int_equal(s.l1i.stall_cycles, 0);
    s = stats_of(COLD "il1.merge=3", &p);
    assert_int_equal(s.l1i.misses, 1);
    assert_int_equal(s.l1i.hits_reserved, 2);
    assert_true(s.l1i.stall_cycles > 100);
    synth_end(&p);
}

/* Lines stay from kernel to kernel. */
TEST(code_is_cold_once)
{
    struct synth p;
    struct run_stats s;
    struct gpu *g = recorded_gpu(COLD);
    synth_begin(&p, "twice", 1);
    straight_line(&p, 32);
    one_warp(&p);
    synth_run(g, &p);
    synth_run(g, &p);
    gpu_read_stats(g, &s);
    assert_int_equal(s.l1i.misses, 2);
    synth_end(&p);
    gpu_free(g);
}
