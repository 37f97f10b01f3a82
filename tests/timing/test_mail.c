/* test_mail.c - events at mbarriers of other CTAs of a cluster that no program of ours makes, but a trace may hold. */
#include "timing/synth.h"

enum { CTAS = 16 };

/* One warp per CTA. Every lane arrives at an mbarrier of its own, in all CTAs of the cluster at once, and then waits
 * for what all of them have done at the mbarrier of lane 0. */
static void everybody_to_everybody(struct synth *p, uint32_t awaited)
{
    synth_begin(p, "k", 1);
    struct code_inst *arrive = synth_store(p, 1, SPACE_SHARED, 8);
    arrive->async = ASYNC_ARRIVE;
    struct code_inst *await = synth_load(p, 2, SPACE_SHARED, 8);
    await->async = ASYNC_AWAIT;
    synth_add(p, 3, 2, 2);
    for (unsigned i = 0; i < CTAS; i++) {
        uint64_t to[WARP_SIZE], at[WARP_SIZE] = {0};
        for (unsigned l = 0; l < WARP_SIZE; l++) to[l] = mbar_note_to(1 + l % (MBAR_CLUSTER - 1), 0xffff) | 8 * l;
        at[0] = mbar_note(1, awaited);
        synth_cta(p);
        synth_warp(p);
        synth_enter(p, 0, UINT32_MAX);
        stream_addrs(synth_last(p), UINT32_MAX, to);
        for (unsigned l = 0; l < WARP_SIZE; l++) at[l] = at[0];
        stream_addrs(synth_last(p), UINT32_MAX, at);
    }
    p->info.cluster[0] = CTAS;
    p->info.cluster[1] = p->info.cluster[2] = 1;
    p->info.shared_bytes = 1024;
}

static uint64_t cycles(uint32_t awaited, struct gpu_options o, int wanted)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    struct run_stats stats;
    struct synth p;
    config_defaults(&c);
    c.v[P_SM_COUNT] = CTAS;
    c.v[P_SM_CTAS] = 1;
    c.v[P_RUN_WATCHDOG] = 100000;
    everybody_to_everybody(&p, awaited);
    struct gpu *g = gpu_new(&c, &o, &e);
    assert_non_null(g);
    int rc = gpu_run(g, synth_source(&p), &e);
    if (rc != wanted) fail_msg("%d: %s", rc, e.text);
    gpu_read_stats(g, &stats);
    gpu_free(g);
    synth_end(&p);
    return stats.cycles;
}

TEST(a_warp_may_post_hundreds_of_events_in_a_cycle)
{
    uint32_t all = CTAS * 2; /* two of 32 lanes share one of 30 mbarriers */
    uint64_t fast = cycles(all, (struct gpu_options){.max_cycles = 0}, 0);
    assert_int_equal(cycles(all, (struct gpu_options){.tick = true}, 0), fast);
    assert_int_equal(cycles(all, (struct gpu_options){.shuffle = 5}, 0), fast);
}

TEST(one_more_than_all_is_a_deadlock)
{
    cycles(CTAS * 2 + 1, (struct gpu_options){.max_cycles = 0}, WL_EDEADLOCK);
    cycles(CTAS * 2 + 1, (struct gpu_options){.tick = true}, WL_EDEADLOCK);
}
