/* test_gpgpusim3_sm.c - the SM as GPGPU-Sim 3.2 had it, option by option, in closed form. */
#include "timing/synth.h"

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

