/* test_split.c - a split machine, on one thread or several, counts what it counts as one piece.
 *
 * Over workloads on presets, over policies and over random machines, where queues are short and parts wait for one
 * another: every counter must be equal, byte for byte, for any number of threads. A random machine that fails is named
 * by its seed, and WL_SEED=n runs only that one; WL_LONG=1 runs many more. */
#include "property/machine_sweeps.h"
#include "sim/split.h"

static void compare_threads(const struct workload *w, const struct gpu_config *c, unsigned threads, const char *what)
{
    char text[160];
    struct outcome one = run_workload(w, c, (struct gpu_options){.whole = true});
    struct outcome many = run_workload(w, c, (struct gpu_options){.threads = threads});
    snprintf(text, sizeof text, "%s, %u threads", what, threads);
    check_same_counters(&one.stats, &many.stats, text);
    if (memcmp(&one.policy, &many.policy, sizeof one.policy)) fail_msg("%s: counters of a policy differ", text);
}

/* One wave and many, caches that are shared and not, atomics, barriers, launches that follow one another. */
TEST(workloads_on_presets)
{
    static const char *const gpus[] = {"gtx480", "qv100", "h200", "dacache", "gtx480-v322"};
    static const char *const names[] = {"mvt", "gemm", "bfs", "histogram", "reduction", "srad", "kmeans", "conv3d"};
    static const unsigned threads[] = {2, 1, 8, 3};
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

static void compare_some_threads(const struct workload *w, const struct gpu_config *c, unsigned number,
                                 const char *what)
{
    compare_threads(w, c, 1 + number % 4, what);
}

TEST(every_policy)
{
    if (getenv("WL_SEED")) skip();
    sweep_policies(compare_some_threads);
}

/* Queues that count flits cannot be split. */
static bool count_packets(struct gpu_config *c)
{
    struct wl_err e = {.code = WL_OK};
    c->v[P_ICNT_IN_FLITS] = c->v[P_ICNT_OUT_FLITS] = 0;
    return !config_check(c, &e); /* else it needs them */
}

TEST(random_machines) { sweep_random_machines(compare_some_threads, count_packets); }

/* Joined reads leave for one slice several at a time: what was wrong with that only assertions see, and builds that
 * have them run few seeds. */
TEST(machine_that_joins_reads)
{
    if (getenv("WL_SEED")) skip();
    compare_on_random(compare_some_threads, count_packets, 32, false);
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
    c.v[P_ICNT_LATENCY] = 2, c.v[P_L2_ROP] = 0;
    assert_non_null(strstr(split_refuses(&c, &none), "three core cycles"));
    c = preset("gtx480");
    c.l1.foreign = true;
    assert_non_null(strstr(split_refuses(&c, &none), "plugin"));
}
