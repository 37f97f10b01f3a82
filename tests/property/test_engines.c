/* test_engines.c - the fast engine, the reference engine and any order of parts count the same.
 *
 * Over all workloads on all presets, and over random machines: every counter must be equal, byte
 * for byte, and every law must hold. A machine that fails is named by its seed; run
 * this program with WL_SEED=n to see only that one, with its whole description, or with WL_LONG=1 to see many more
 * machines. */
#include "property/machine_sweeps.h"

static void compare_engines(const struct workload *w, const struct gpu_config *c, uint64_t shuffle, const char *what)
{
    struct outcome fast = run_workload(w, c, (struct gpu_options){0});
    struct outcome tick = run_workload(w, c, (struct gpu_options){.tick = true});
    check_same_counters(&fast.stats, &tick.stats, what);
    if (memcmp(&fast.policy, &tick.policy, sizeof fast.policy)) fail_msg("%s: counters of a policy differ", what);
    struct outcome mixed = run_workload(w, c, (struct gpu_options){.shuffle = shuffle});
    check_same_counters(&fast.stats, &mixed.stats, what);
    if (memcmp(&fast.policy, &mixed.policy, sizeof fast.policy)) fail_msg("%s: counters of a policy differ", what);
}

/* ---- presets ---- */

/* Every third workload on one preset; in a long run every one on two, so chosen that each preset meets many. */
TEST(all_workloads_on_presets)
{
    const unsigned presets_each = long_run() ? 2 : 1;
    if (getenv("WL_SEED")) skip();
    const char *names[64];
    unsigned gpus = preset_names(names, 64), count;
    const struct workload *const *list = workloads(&count);
    assert_true(gpus >= 8);
    for (unsigned i = 0; i < count; i += stride(3, 18))
        for (unsigned k = 0; k < presets_each; k++) {
            const char *gpu = names[(i + k * (gpus / 2)) % gpus];
            struct gpu_config c = preset(gpu);
            char what[128];
            snprintf(what, sizeof what, "%s on %s", list[i]->name, gpu);
            compare_engines(list[i], &c, i * 100 + k + 1, what);
        }
}

/* A tiled product, a reduction, atomics and graph search: together they use every unit. */
TEST(some_workloads_on_all_presets)
{
    static const char *const some[] = {"matmul", "reduction", "histogram", "bfs"};
    if (getenv("WL_SEED") || !long_run()) skip();
    const char *names[64];
    unsigned gpus = preset_names(names, 64);
    for (unsigned g = 0; g < gpus; g++)
        for (unsigned i = 0; i < COUNT(some); i++) {
            struct gpu_config c = preset(names[g]);
            char what[128];
            snprintf(what, sizeof what, "%s on %s", some[i], names[g]);
            compare_engines(workload_find(some[i]), &c, g + 1, what);
        }
}

/* Every rule of GPGPU-Sim 3.2 at once. */
TEST(all_rules_of_gpgpusim_3)
{
    static const char *const rules[] = {"icnt.gap=1",
                                        "icnt.in_flits=17",
                                        "l1d.missq_rule=worst",
                                        "l1d.store_way=yes",
                                        "l1d.mshr_free=written",
                                        "l2.port_time=hit",
                                        "l2.missq_rule=worst",
                                        "l2.memq_stops=all",
                                        "l2.pending_store=forward",
                                        "l2.ack=memory",
                                        "l2.hop=1",
                                        "l2.entry=queue",
                                        "icnt.out_flits=24",
                                        "l2.texture=skip",
                                        "mem.window=waiting",
                                        "mem.feed=gated",
                                        "mem.delay_clock=core",
                                        "dram.columns=single",
                                        "dram.grouping=high",
                                        "dram.groups=2",
                                        "dram.turn=rows"};
    static const char *const some[] = {"bfs", "srad", "histogram", "kmeans", "reduction"};
    if (getenv("WL_SEED")) skip();
    struct gpu_config c = preset("mascar");
    struct wl_err e = {.code = WL_OK};
    for (unsigned i = 0; i < COUNT(rules); i++)
        if (config_set(&c, rules[i], &e)) fail_msg("%s", e.text);
    for (unsigned i = 0; i < COUNT(some); i += stride(1, 3))
        compare_engines(workload_find(some[i]), &c, i + 1, some[i]);
}

/* Atomics past the pipe of the L1D, where the miss queue and the network have little room for them. */
TEST(atomics_past_the_l1d)
{
    static const char *const some[] = {"degree", "histo_1", "histogram", "sssp"};
    static const char *const tight[] = {"l1d.missq=2", "icnt.in=2"};
    if (getenv("WL_SEED")) skip();
    struct gpu_config c = preset("qv100");
    struct wl_err e = {.code = WL_OK};
    for (unsigned i = 0; i < COUNT(tight); i++)
        if (config_set(&c, tight[i], &e)) fail_msg("%s", e.text);
    assert_int_equal(c.v[P_L1D_ASIDE], 1);
    for (unsigned i = 0; i < COUNT(some); i += stride(1, 3))
        compare_engines(workload_find(some[i]), &c, i + 1, some[i]);
}

/* ---- many machines ---- */

static void compare_some_order(const struct workload *w, const struct gpu_config *c, unsigned number, const char *what)
{
    compare_engines(w, c, number * 31u + 3, what);
}

TEST(every_policy)
{
    if (getenv("WL_SEED")) skip();
    sweep_policies(compare_some_order);
}

TEST(random_machines) { sweep_random_machines(compare_some_order, NULL); }
