/* test_split.c - a machine that several threads work on counts what it counts in one thread.
 *
 * Over workloads on presets, over policies and over random machines, where queues are short and parts wait for one
 * another: every counter must be equal, byte for byte, for any number of threads. A random machine that fails is named
 * by its seed, and WL_SEED=n runs only that one; WL_LONG=1 runs many more. */
#include "property/random_machine.h"
#include "sim/split.h"
#include "timing/run_rig.h"

static void compare_threads(const struct workload *w, const struct gpu_config *c, unsigned threads, const char *what)
{
    char text[160];
    struct outcome one = run_workload(w, c, (struct gpu_options){0});
    struct outcome many = run_workload(w, c, (struct gpu_options){.threads = threads});
    snprintf(text, sizeof text, "%s, %u threads", what, threads);
    check_same_counters(&one.stats, &many.stats, text);
    if (memcmp(&one.policy, &many.policy, sizeof one.policy)) fail_msg("%s: counters of a policy differ", text);
}

static struct gpu_config preset(const char *name)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (config_load(&c, name, &e)) fail_msg("%s", e.text);
    return c;
}

/* One wave and many, caches that are shared and not, atomics, barriers, launches that follow one another. */
TEST(workloads_on_presets)
{
    static const char *const gpus[] = {"gtx480", "qv100", "h200", "dacache", "gtx480-v322"};
    static const char *const names[] = {"mvt", "gemm", "bfs", "histogram", "reduction", "srad", "kmeans", "conv3d"};
    static const unsigned threads[] = {2, 3, 8};
    if (getenv("WL_SEED")) skip();
    unsigned n = 0;
    for (unsigned g = 0; g < COUNT(gpus); g++)
        for (unsigned i = 0; i < COUNT(names); i++, n++) {
            char what[128];
            if (!long_run() && n % stride(2, 5)) continue;
            struct gpu_config c = preset(gpus[g]);
            snprintf(what, sizeof what, "%s on %s", names[i], gpus[g]);
            compare_threads(workload_find(names[i]), &c, threads[(n / 2 + g) % COUNT(threads)], what);
        }
}

static void compare_policy(const char *sched, const char *l1, const char *l2, unsigned threads)
{
    struct gpu_config c = preset("hac");
    struct wl_err e = {.code = WL_OK};
    char what[128];
    if (config_set_sched(&c, sched, &e) || config_set_l1(&c, l1, &e) || config_set_l2(&c, l2, &e) ||
        config_set(&c, "l2.sets=16", &e))
        fail_msg("%s", e.text);
    snprintf(what, sizeof what, "sched %s, l1 %s, l2 %s", sched, l1, l2);
    compare_threads(workload_find("bfs"), &c, threads, what);
}

TEST(every_policy)
{
    if (getenv("WL_SEED")) skip();
    unsigned ncaches, nscheds;
    const struct wl_cache_policy *const *caches = cache_policies(&ncaches);
    const struct wl_sched_policy *const *orders = sched_policies(&nscheds);
    for (unsigned i = 0; i < ncaches; i += stride(1, 3)) {
        if (caches[i]->levels & 1u << WL_L1) compare_policy("gto", caches[i]->name, "lru", 2 + i % 3);
        if (caches[i]->levels & 1u << WL_L2) compare_policy("gto", "lru", caches[i]->name, 2 + i % 3);
    }
    for (unsigned i = 0; i < nscheds; i += stride(1, 3)) { /* two are halves of a scheme and want the other half */
        const char *name = orders[i]->name, *partner = strcmp(name, "ccws") == 0   ? "ccws_tags"
                                                       : strcmp(name, "pcal") == 0 ? "pcal"
                                                                                   : "lru";
        compare_policy(name, partner, "lru", 2 + i % 3);
    }
}

TEST(random_machines)
{
    static const char *const names[] = {"vectoradd", "matmul", "matmul_naive", "reduction", "histogram", "atax",
                                        "bicg",      "gemm",   "conv2d",       "conv3d",    "bfs"};
    const char *only = getenv("WL_SEED");
    uint64_t first = only ? strtoull(only, NULL, 10) : 1, last = only ? first : SLOW_BUILD ? 8 : long_run() ? 400 : 40;
    for (uint64_t seed = first; seed <= last; seed++) {
        struct gpu_config c;
        char what[128];
        struct wl_err e = {.code = WL_OK};
        if (random_machine(&c, seed, &e)) fail_msg("seed %llu: %s", (unsigned long long)seed, e.text);
        c.v[P_ICNT_IN_FLITS] = c.v[P_ICNT_OUT_FLITS] = 0;
        if (config_check(&c, &e)) continue; /* it needs them */
        const struct workload *w = workload_find(names[seed % COUNT(names)]);
        snprintf(what, sizeof what, "WL_SEED=%llu: %s", (unsigned long long)seed, w->name);
        compare_threads(w, &c, 2 + (unsigned)seed % 4, what);
    }
}

/* What cannot be split says why, in words. */
TEST(what_cannot_be_split)
{
    if (getenv("WL_SEED")) skip();
    struct gpu_config c = preset("gtx480");
    const struct gpu_options none = {0}, tick = {.tick = true}, shuffle = {.shuffle = 3};
    assert_null(split_refuses(&c, &none));
    assert_non_null(strstr(split_refuses(&c, &tick), "reference engine"));
    assert_non_null(strstr(split_refuses(&c, &shuffle), "--shuffle"));
    c.v[P_STATS_PROFILE] = 1;
    assert_non_null(strstr(split_refuses(&c, &none), "profile"));
    c = preset("gtx480-v322");
    assert_non_null(strstr(split_refuses(&c, &none), "flits"));
    c = preset("gtx480");
    c.l1.foreign = true;
    assert_non_null(strstr(split_refuses(&c, &none), "plugin"));
}
