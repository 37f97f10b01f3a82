/* machine_sweeps.h - what is compared on many machines: every policy, and random machines. The comparison gets a number
 * to choose by, which is the same in every run. */
#ifndef WL_TESTS_MACHINE_SWEEPS_H
#define WL_TESTS_MACHINE_SWEEPS_H

#include "property/random_machine.h"
#include "timing/run_rig.h"

typedef void compare_on(const struct workload *w, const struct gpu_config *c, unsigned number, const char *what);

static struct gpu_config preset(const char *name)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (config_load(&c, name, &e)) fail_msg("%s", e.text);
    return c;
}

static void sweep_policy(compare_on *compare, const char *sched, const char *l1, const char *l2, unsigned number)
{
    struct gpu_config c = preset("hac");
    struct wl_err e = {.code = WL_OK};
    char what[128];
    if (config_set_sched(&c, sched, &e) || config_set_l1(&c, l1, &e) || config_set_l2(&c, l2, &e) ||
        config_set(&c, "l2.sets=16", &e)) /* a small L2, which every policy can manage */
        fail_msg("%s", e.text);
    snprintf(what, sizeof what, "sched %s, l1 %s, l2 %s", sched, l1, l2);
    compare(workload_find("bfs"), &c, number, what);
}

static void sweep_policies(compare_on *compare)
{
    unsigned ncaches, nscheds;
    const struct wl_cache_policy *const *caches = cache_policies(&ncaches);
    const struct wl_sched_policy *const *orders = sched_policies(&nscheds);
    for (unsigned i = 0; i < ncaches; i += stride(1, 3)) {
        if (caches[i]->levels & 1u << WL_L1) sweep_policy(compare, "gto", caches[i]->name, "lru", i);
        if (caches[i]->levels & 1u << WL_L2) sweep_policy(compare, "gto", "lru", caches[i]->name, i);
    }
    for (unsigned i = 0; i < nscheds; i += stride(1, 3)) { /* two are halves of a scheme and want the other half */
        const char *name = orders[i]->name, *partner = strcmp(name, "ccws") == 0   ? "ccws_tags"
                                                       : strcmp(name, "pcal") == 0 ? "pcal"
                                                                                   : "lru";
        sweep_policy(compare, name, partner, "lru", i);
    }
}

/* `fit` changes a machine so that it can be compared; false: it cannot. NULL: all can. */
static void compare_on_random(compare_on *compare, bool (*fit)(struct gpu_config *c), uint64_t seed, bool shown)
{
    /* By name, so that a seed means the same when workloads are added. */
    static const char *const names[] = {"vectoradd", "matmul", "matmul_naive", "reduction", "histogram", "atax",
                                        "bicg",      "gemm",   "conv2d",       "conv3d",    "bfs"};
    struct gpu_config c;
    char what[128];
    struct wl_err e = {.code = WL_OK};
    if (random_machine(&c, seed, &e)) fail_msg("seed %llu: %s", (unsigned long long)seed, e.text);
    if (fit && !fit(&c)) return;
    const struct workload *w = workload_find(names[seed % COUNT(names)]);
    if (shown) config_print(&c, stdout);
    snprintf(what, sizeof what, "WL_SEED=%llu: %s", (unsigned long long)seed, w->name);
    compare(w, &c, (unsigned)seed, what);
}

/* WL_SEED=n shows only that one. */
static void sweep_random_machines(compare_on *compare, bool (*fit)(struct gpu_config *c))
{
    const char *only = getenv("WL_SEED");
    uint64_t first = only ? strtoull(only, NULL, 10) : 1, last = only ? first : SLOW_BUILD ? 8 : long_run() ? 400 : 40;
    for (uint64_t seed = first; seed <= last; seed++) compare_on_random(compare, fit, seed, only != NULL);
}

#endif
