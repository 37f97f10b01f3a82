/* test_together.c - schemes of different levels in one machine.
 *
 * Every scheduler with every L1D policy: the machine runs and keeps its laws, or says in a sentence that the
 * two do not go together. The five papers' schemes in all combinations: both engines and any order of
 * parts count the same, and a scheme at one level sees nothing of the others but their effects. */
#include "timing/run_rig.h"

static const char *const l1s[] = {"lru", "apcm", "dycache", "dacache"};
static const char *const l2s[] = {"lru", "hac"};
static const char *const scheds[] = {"gto", "mascar"};

static void machine(struct gpu_config *c, const char *sched, const char *l1, const char *l2)
{
    struct wl_err e = {.code = WL_OK};
    if (config_load(c, "hac", &e) || config_set_sched(c, sched, &e) || config_set_l1(c, l1, &e) ||
        config_set_l2(c, l2, &e) || config_set(c, "l2.sets=4", &e)) /* an L2 that tiny inputs fill */
        fail_msg("%s", e.text);
}

TEST(the_five_schemes_in_all_combinations)
{
    static const char *const programs[] = {"bfs", "kmeans_1", "histogram"};
    for (unsigned i = 0; i < COUNT(l1s) * COUNT(l2s) * COUNT(scheds); i++) {
        struct gpu_config c;
        char what[96];
        const char *sched = scheds[i & 1], *l2 = l2s[i >> 1 & 1], *l1 = l1s[i >> 2];
        const struct workload *w = workload_find(programs[i % COUNT(programs)]);
        if (SLOW_BUILD && i % 3) continue;
        machine(&c, sched, l1, l2);
        snprintf(what, sizeof what, "%s with %s, %s, %s", w->name, sched, l1, l2);
        struct outcome fast = run_workload(w, &c, (struct gpu_options){0});
        struct outcome tick = run_workload(w, &c, (struct gpu_options){.tick = true});
        check_same_counters(&fast.stats, &tick.stats, what);
        struct outcome mixed = run_workload(w, &c, (struct gpu_options){.shuffle = i + 1});
        check_same_counters(&fast.stats, &mixed.stats, what);
    }
}

/* Runs the pair, or gives up with a sentence. */
static bool goes_together(const struct gpu_config *c)
{
    struct wl_err e = {.code = WL_OK};
    struct session_options so = {.mode = SESSION_TIMING, .config = *c};
    struct session *s = session_new(&so, &e);
    if (!s) {
        assert_int_equal(e.code, WL_EINPUT);
        assert_true(strlen(e.text) > 20);
        return false;
    }
    session_free(s);
    run_workload(workload_find("bfs"), c, (struct gpu_options){0});
    return true;
}

/* Two schedulers are halves of a scheme and want the other half; the rest take anything. */
static bool is_partner(const char *sched, const char *l1)
{
    if (strcmp(sched, "ccws") == 0) return strcmp(l1, "ccws_tags") == 0;
    if (strcmp(sched, "pcal") == 0) return strcmp(l1, "pcal") == 0;
    return true;
}

TEST(every_scheduler_with_every_l1d_policy)
{
    unsigned nl1, nscheds;
    const struct wl_cache_policy *const *caches = cache_policies(&nl1);
    const struct wl_sched_policy *const *orders = sched_policies(&nscheds);
    for (unsigned i = 0; i < nscheds; i++)
        for (unsigned k = 0; k < nl1; k++) {
            struct gpu_config c;
            if (!(caches[k]->levels & 1u << WL_L1) || (SLOW_BUILD && (i + k) % 4)) continue;
            machine(&c, orders[i]->name, caches[k]->name, "lru");
            if (goes_together(&c) != is_partner(orders[i]->name, caches[k]->name))
                fail_msg("%s with %s", orders[i]->name, caches[k]->name);
        }
}
