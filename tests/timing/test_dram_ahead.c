/* test_dram_ahead.c - a memory channel works ahead of the clock, and nobody can tell: short programs for the places
 * where it might show. All workloads and random machines are in test_engines.c. */
#include "timing/synth.h"

#include "base/check.h"

static const uint64_t base = UINT64_C(0xC0000000);

/* Warps that load from or store to line after line. */
static void write_walk(struct synth *p, bool store, unsigned ctas, unsigned warps, unsigned steps)
{
    synth_begin(p, "walk", warps);
    if (store) synth_store(p, 2, SPACE_GLOBAL, 4);
    else synth_load(p, 1, SPACE_GLOBAL, 4);
    synth_add(p, 2, 1, 1);
    for (unsigned c = 0; c < ctas; c++) {
        synth_cta(p);
        for (unsigned w = 0; w < warps; w++) {
            synth_warp(p);
            for (unsigned i = 0; i < steps; i++) {
                synth_enter(p, 0, UINT32_MAX);
                synth_affine(p, base + 128 * ((uint64_t)(c * warps + w) * steps + i), 4);
            }
        }
    }
}

static struct run_stats run(const char *settings, struct gpu_options o, bool store, unsigned ctas, unsigned warps,
                            unsigned steps)
{
    static struct synth p;
    struct gpu_config c = synth_config(settings);
    struct wl_err e = {.code = WL_OK};
    struct run_stats out;
    wl_set_paranoid(true); /* what is left behind after a kernel is noticed */
    struct gpu *g = gpu_new(&c, &o, &e);
    if (!g) fail_msg("%s", e.text);
    write_walk(&p, store, ctas, warps, steps);
    for (unsigned i = 0; i < 2; i++) synth_run(g, &p); /* the second kernel begins where the first one ended */
    synth_end(&p);
    gpu_read_stats(g, &out);
    gpu_free(g);
    return out;
}

static void same_as_reference(const char *settings, bool store, unsigned ctas, unsigned warps, unsigned steps)
{
    struct run_stats fast = run(settings, (struct gpu_options){0}, store, ctas, warps, steps),
                     tick = run(settings, (struct gpu_options){.tick = true}, store, ctas, warps, steps),
                     mixed = run(settings, (struct gpu_options){.shuffle = 5}, store, ctas, warps, steps);
    assert_memory_equal(&fast, &tick, sizeof fast);
    assert_memory_equal(&fast, &mixed, sizeof fast);
}

/* The store is acknowledged long before memory has it; the kernel ends when memory has. */
TEST(a_kernel_ends_with_its_last_write)
{
    struct run_stats near = run("sm.count=1 l2.write=forward mem.latency=0", (struct gpu_options){0}, true, 1, 1, 1),
                     far = run("sm.count=1 l2.write=forward mem.latency=1000", (struct gpu_options){0}, true, 1, 1, 1);
    assert_in_range(far.cycles, near.cycles + 999, near.cycles + 1001); /* the second store hits */
    same_as_reference("sm.count=1 l2.write=forward mem.latency=1000", true, 1, 1, 1);
}

TEST(slices_that_fill_their_ports_see_the_same_room)
{
    for (unsigned store = 0; store < 2; store++) {
        same_as_reference("l2.memq=1 mem.latency=3 mem.channels=1 mem.queue=2", store, 30, 4, 4);
        same_as_reference("l2.memq=2 mem.latency=1 mem.channels=1 mem.queue=1 l2.write=forward", store, 30, 4, 4);
    }
}

TEST(data_that_finds_no_room_in_the_L2_waits_as_long)
{
    same_as_reference("l2.fillq=1 mem.returnq=1 mem.latency=100 mem.channels=1 l2.port=8", false, 30, 4, 4);
    same_as_reference("l2.fillq=1 mem.returnq=1 mem.latency=100 mem.zero=dram_read", false, 30, 4, 4);
}

/* Longer than the clock's wheel: the channel has worked beyond the tick at which the wheel wakes it. */
TEST(a_pipeline_longer_than_the_wheel_loses_nothing)
{
    same_as_reference("sm.count=2 mem.latency=1500", false, 4, 4, 4);
    same_as_reference("sm.count=2 mem.latency=1500 l2.write=forward clock.dram=123457", true, 4, 4, 4);
}

TEST(the_largest_machine_that_passes_the_check_is_built)
{
    struct run_stats s = run("sm.count=256 mem.channels=128", (struct gpu_options){0}, false, 300, 1, 1);
    assert_int_equal(s.sm.ctas, 600);
    same_as_reference("sm.count=256 mem.channels=128", false, 300, 1, 1);
}
