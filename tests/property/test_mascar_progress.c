/* test_mascar_progress.c - under any saturation every warp gets on, and both engines agree.
 *
 * Random machines with few miss resources run small programs under Mascar in all its variants and
 * under the other schedulers that hold warps back. A hang would end in the watchdog's words, a lost
 * request in a broken law; and every counter, the policies' own included, must be the same with the
 * fast engine, the reference engine and any order of parts. WL_SEED=n runs one machine alone. */
#include "timing/run_rig.h"

static int64_t one_of(uint64_t *seed, const int64_t *list, unsigned n) { return list[draw(seed, n)]; }
#define ONE_OF(...)    one_of(&s, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))
#define SET(id, value) (c->v[P_##id] = (value))

/* Half of the L1s are nearly without resources, so that saturation comes and goes at all times. */
static void random_l1(struct gpu_config *c, uint64_t s)
{
    SET(L1D_SETS, ONE_OF(1, 4, 32, 64));
    SET(L1D_INDEX, 0);
    SET(L1D_WAYS, ONE_OF(1, 2, 4));
    SET(L1D_SECTORED, (int64_t)draw(&s, 2));
    SET(L1D_MSHR, ONE_OF(1, 2, 3, 8, 64));
    SET(L1D_MERGE, ONE_OF(1, 2, 8));
    SET(L1D_MISSQ, ONE_OF(2, 3, 8));
    SET(L1D_PIPE, ONE_OF(0, 0, 1, 2, 9));
    SET(L1D_SLOTS, ONE_OF(0, 0, 1, 5));
    SET(L1D_HIT, ONE_OF(0, 1, 5));
    SET(L1D_GLOBAL, draw(&s, 6) != 0);
    SET(L1T_MSHR, ONE_OF(1, 4, 128));
    SET(L1T_MISSQ, ONE_OF(1, 4));
    SET(L1C_MSHR, ONE_OF(1, 2));
    SET(L1C_MISSQ, ONE_OF(1, 4));
    SET(L1T_PIPE, ONE_OF(0, 1, 35));
}

static void random_rest(struct gpu_config *c, uint64_t s)
{
    SET(SM_COUNT, ONE_OF(1, 2, 5));
    SET(SM_WARPS, ONE_OF(32, 48, 64));
    SET(SM_SCHEDULERS, ONE_OF(1, 2, 4));
    SET(SM_LSU_QUEUE, ONE_OF(1, 4, 9));
    SET(SM_MEM_DELAY, ONE_OF(1, 5));
    SET(SM_ISSUE_DELAY, ONE_OF(0, 6));
    SET(ICNT_IN, ONE_OF(1, 8));
    SET(ICNT_OUT, ONE_OF(1, 8));
    SET(MEM_CHANNELS, ONE_OF(1, 6));
    SET(L2_MSHR, ONE_OF(4, 32));
    SET(CLOCK_DRAM, ONE_OF(924000, 350000, 700000));
    SET(SM_REGISTERS, 65536);
}

static void random_mascar(char *spec, size_t size, uint64_t s)
{
    static const char *const part[] = {"both", "both", "both", "sched", "reexec"}, *const mode[] = {"auto", "auto",
                                                                                                    "auto", "mp", "ep"};
    static const char *const nonowner[] = {"snapshot", "strict", "any"}, *const lsu[] = {"always", "switch", "no"};
    static const char *const same[] = {"all", "stores", "push"}, *const yes[] = {"yes", "no"};
    const char *in = mode[draw(&s, 5)], *handover = yes[draw(&s, 2)], *which = part[draw(&s, 5)],
               *stores = yes[draw(&s, 2)];
    if (strcmp(in, "mp") == 0) { /* else only the end of saturation, which never comes, would free a blocked unit */
        handover = stores = "yes";
        which = "both";
    }
    int n = snprintf(spec, size,
                     "mascar:part=%s,mode=%s,nonowner=%s,drain=%s,release=%s,owner_lsu=%s,queue_handover=%s,same_warp=%"
                     "s,queue_stores=%s,"
                     "owner_first=%s,entries=%d,sat_hyst=%d,sat_latency=%d,sat_l1c=%d",
                     which, in, nonowner[draw(&s, 3)], yes[draw(&s, 2)], draw(&s, 2) ? "any" : "miss", lsu[draw(&s, 3)],
                     handover, same[draw(&s, 3)], stores, yes[draw(&s, 2)], (int)ONE_OF(1, 2, 7, 32, 64),
                     (int)ONE_OF(0, 0, 1, 4), (int)ONE_OF(1, 1, 2, 9), (int)ONE_OF(1, 16, 100));
    snprintf(spec + n, size - (size_t)n,
             ",nonowner_merge=%s,shared_is_mem=%s,mp_dual_slot=%s,owner_timeout=%d,tex_gate=%s", yes[draw(&s, 2)],
             yes[draw(&s, 2)], yes[draw(&s, 2)], (int)ONE_OF(0, 1, 2, 30, 1000), draw(&s, 3) ? "cache" : "issue");
}

static void random_policies(struct gpu_config *c, uint64_t s)
{
    static const char *const others[] = {
        "twolevel",          "twolevel:group=3",       "owl", "owl:loc=no,min_warps=2", "owl:blp=no", "ccws",
        "ccws:throttle=200", "ccws:base=7,throttle=40"};
    char spec[512];
    if (draw(&s, 3)) random_mascar(spec, sizeof spec, splitmix64(&s));
    else snprintf(spec, sizeof spec, "%s", others[draw(&s, COUNT(others))]);
    struct wl_err e = {.code = WL_OK};
    if (config_set_sched(c, spec, &e)) fail_msg("%s", e.text);
    const char *l1 = strncmp(spec, "ccws", 4) == 0 ? "ccws_tags" : draw(&s, 3) ? "lru" : "dacache:replace=stall";
    if (config_set_l1(c, l1, &e)) fail_msg("%s", e.text);
}

static void same(const struct outcome *a, const struct outcome *b, const char *what)
{
    check_same_counters(&a->stats, &b->stats, what);
    for (unsigned i = 0; i < WL_MAX_POLICY_COUNTERS; i++) {
        if (a->policy.sched[i] != b->policy.sched[i])
            fail_msg("%s: counter %u of the scheduler is %llu and %llu", what, i,
                     (unsigned long long)a->policy.sched[i], (unsigned long long)b->policy.sched[i]);
        if (a->policy.l1[i] != b->policy.l1[i]) fail_msg("%s: counter %u of the L1D policy differs", what, i);
    }
}

static uint64_t sched_counter(const struct outcome *o, const struct wl_sched_policy *p, const char *name)
{
    for (unsigned i = 0; p->counters[i].name; i++)
        if (strcmp(p->counters[i].name, name) == 0) return o->policy.sched[i];
    fail_msg("no counter %s", name);
    return 0;
}

TEST(everybody_gets_on)
{
    static const char *const names[] = {"bfs",      "histogram", "kmeans_1", "reduction", "spmv_jds",
                                        "kmeans_2", "matmul",    "conv2d",   "mummer"};
    const char *only = getenv("WL_SEED");
    uint64_t first = only ? strtoull(only, NULL, 10) : 1, last = only ? first : SLOW_BUILD ? 8 : long_run() ? 200 : 40;
    uint64_t queued = 0, owned = 0, expired = 0, dual = 0;
    for (uint64_t seed = first; seed <= last; seed++) {
        struct gpu_config c;
        uint64_t s = seed * 7919;
        char what[128];
        config_defaults(&c);
        random_l1(&c, splitmix64(&s));
        random_rest(&c, splitmix64(&s));
        random_policies(&c, splitmix64(&s));
        snprintf(c.name, sizeof c.name, "seed %llu", (unsigned long long)seed);
        if (only) config_print(&c, stdout);
        const struct workload *w = workload_find(names[seed % COUNT(names)]);
        snprintf(what, sizeof what, "WL_SEED=%llu: %s", (unsigned long long)seed, w->name);
        struct outcome fast = run_workload(w, &c, (struct gpu_options){0});
        struct outcome tick = run_workload(w, &c, (struct gpu_options){.tick = true});
        same(&fast, &tick, what);
        struct outcome mixed = run_workload(w, &c, (struct gpu_options){.shuffle = seed});
        same(&fast, &mixed, what);
        queued += fast.stats.sm.reexec_accepted;
        if (strcmp(c.sched.policy->name, "mascar") == 0) {
            expired += sched_counter(&fast, c.sched.policy, "released_timeout");
            dual += sched_counter(&fast, c.sched.policy, "dual_issues");
        }
        owned += fast.stats.l1d.stall_gate + fast.stats.l1d.gate_hits;
        assert_int_equal(fast.stats.sm.reexec_pushes, fast.stats.sm.reexec_accepted);
    }
    if (!only && !SLOW_BUILD) assert_true(expired > 0 && dual > 0);
    if (!only) assert_true(queued > 0 && owned > 0); /* the test met what it is about */
}
