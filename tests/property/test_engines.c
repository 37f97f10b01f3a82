/* test_engines.c - the fast engine, the reference engine and any order of parts count the same.
 *
 * Over all workloads on all presets, and over random machines: every counter must be equal, byte
 * for byte, and every law must hold. A machine that fails is named by its seed; run
 * this program with WL_SEED=n to see only that one, with its whole description, or with WL_LONG=1 to see many more
 * machines. */
#include "property/random_machine.h"
#include "timing/run_rig.h"

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
            struct gpu_config c;
            struct wl_err e = {.code = WL_OK};
            char what[128];
            if (config_load(&c, gpu, &e)) fail_msg("%s", e.text);
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
            struct gpu_config c;
            struct wl_err e = {.code = WL_OK};
            char what[128];
            if (config_load(&c, names[g], &e)) fail_msg("%s", e.text);
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
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (getenv("WL_SEED")) skip();
    if (config_load(&c, "mascar", &e)) fail_msg("%s", e.text);
    for (unsigned i = 0; i < COUNT(rules); i++)
        if (config_set(&c, rules[i], &e)) fail_msg("%s", e.text);
    for (unsigned i = 0; i < COUNT(some); i += stride(1, 3))
        compare_engines(workload_find(some[i]), &c, i + 1, some[i]);
}

/* ---- policies ---- */

static void compare_policy(const char *sched, const char *l1, const char *l2)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    char what[128];
    if (config_load(&c, "hac", &e) || config_set_sched(&c, sched, &e) || config_set_l1(&c, l1, &e) ||
        config_set_l2(&c, l2, &e) || config_set(&c, "l2.sets=16", &e)) /* a small L2, which every policy can manage */
        fail_msg("%s", e.text);
    snprintf(what, sizeof what, "sched %s, l1 %s, l2 %s", sched, l1, l2);
    compare_engines(workload_find("bfs"), &c, 3, what);
}

TEST(every_policy)
{
    if (getenv("WL_SEED")) skip();
    unsigned ncaches, nscheds;
    const struct wl_cache_policy *const *caches = cache_policies(&ncaches);
    const struct wl_sched_policy *const *orders = sched_policies(&nscheds);
    for (unsigned i = 0; i < ncaches; i += stride(1, 3)) {
        if (caches[i]->levels & 1u << WL_L1) compare_policy("gto", caches[i]->name, "lru");
        if (caches[i]->levels & 1u << WL_L2) compare_policy("gto", "lru", caches[i]->name);
    }
    for (unsigned i = 0; i < nscheds; i += stride(1, 3)) { /* two are halves of a scheme and want the other half */
        const char *name = orders[i]->name;
        compare_policy(name,
                       strcmp(name, "ccws") == 0   ? "ccws_tags"
                       : strcmp(name, "pcal") == 0 ? "pcal"
                                                   : "lru",
                       "lru");
    }
}

/* ---- random machines ---- */

TEST(random_machines)
{
    /* By name, so that a seed means the same when workloads are added. */
    static const char *const names[] = {"vectoradd", "matmul", "matmul_naive", "reduction", "histogram", "atax",
                                        "bicg",      "gemm",   "conv2d",       "conv3d",    "bfs"};
    const char *only = getenv("WL_SEED");
    uint64_t first = only ? strtoull(only, NULL, 10) : 1, last = only ? first : SLOW_BUILD ? 8 : long_run() ? 400 : 40;
    for (uint64_t seed = first; seed <= last; seed++) {
        struct gpu_config c;
        char what[128];
        struct wl_err e = {.code = WL_OK};
        if (random_machine(&c, seed, &e)) fail_msg("seed %llu: %s", (unsigned long long)seed, e.text);
        const struct workload *w = workload_find(names[seed % COUNT(names)]);
        if (only) config_print(&c, stdout);
        snprintf(what, sizeof what, "WL_SEED=%llu: %s", (unsigned long long)seed, w->name);
        compare_engines(w, &c, seed * 31, what);
    }
}
