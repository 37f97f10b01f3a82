/* test_partition.c - memory partitions run ahead where they may, and only there. That no counter can tell is
 * tested over all workloads and random machines (test_engines.c). */
#include "timing/synth.h"

#include "sim/gpu_priv.h"

static const uint64_t base = UINT64_C(0xC0000000);

/* Warps that read line after line, or store to one, one after another. */
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

static struct gpu *run(const char *settings, const struct gpu_options *o, bool store, unsigned ctas, unsigned warps,
                       unsigned steps)
{
    static struct synth p;
    struct gpu_config c = synth_config(settings);
    struct wl_err e = {.code = WL_OK};
    struct gpu *g = gpu_new(&c, o, &e);
    if (!g) fail_msg("%s", e.text);
    write_walk(&p, store, ctas, warps, steps);
    if (!store) gpu_host_copy(g, base, 128 * (uint64_t)ctas * warps * steps); /* what is read lies in the L2 */
    synth_run(g, &p);
    synth_end(&p);
    return g;
}

TEST(a_lone_warp_leaves_them_ahead)
{
    struct gpu *g = run("sm.count=1", NULL, false, 1, 1, 400);
    assert_true(g->ahead);
    assert_true(g->lookahead > 100 * g->core_period); /* the network's latency and the slices' pipeline */
    gpu_free(g);
}

TEST(where_replies_wait_for_the_network_the_clock_drives_them)
{
    struct gpu *g = run("icnt.flit=8 l2.outq=1", NULL, false, 60, 8, 8);
    assert_false(g->ahead);
    assert_true(g->trial_at > g->clock.now); /* it will be tried again */
    gpu_free(g);
}

TEST(under_other_engines_and_a_sampler_they_stay_with_the_clock)
{
    static const struct gpu_options other[] = {{.tick = true}, {.shuffle = 7}};
    for (unsigned i = 0; i < COUNT(other); i++) {
        struct gpu *g = run("sm.count=1", &other[i], false, 1, 1, 4);
        assert_null(g->partition);
        gpu_free(g);
    }
    struct gpu *g = run("sm.count=1 stats.interval=100", NULL, false, 1, 1, 4);
    assert_null(g->partition);
    gpu_free(g);
}

/* The store is acknowledged long before memory has it; the kernel ends when memory has. */
TEST(a_kernel_ends_with_a_write_that_was_ahead)
{
    static const char settings[] = "sm.count=1 l2.write=forward";
    struct gpu *fast = run(settings, NULL, true, 1, 1, 1),
               *tick = run(settings, &(struct gpu_options){.tick = true}, true, 1, 1, 1);
    assert_true(fast->ahead);
    assert_true(fast->freed_at > 0);
    assert_int_equal(fast->clock.now, fast->freed_at);
    assert_int_equal(fast->clock.now, tick->clock.now);
    gpu_free(fast);
    gpu_free(tick);
}
