/* test_observed.c - a run that is profiled and sampled counts what it counts unobserved, and both
 * engines see the same at the same cycle. */
#include "timing/run_rig.h"

struct seen {
    struct run_stats stats;
    struct profile_report profile;
    struct sample *sample;
    unsigned samples;
};

static struct seen watch(const struct workload *w, const struct gpu_config *c, struct gpu_options o)
{
    struct seen out;
    struct wl_err e = {.code = WL_OK};
    struct session *s = run_session(w, c, o);
    gpu_read_stats(session_gpu(s), &out.stats);
    assert_int_equal(gpu_read_profile(session_gpu(s), &out.profile, &e), 0);
    assert_int_equal(gpu_read_samples(session_gpu(s), &out.sample, &out.samples, &e), 0);
    session_free(s);
    return out;
}

static void forget(struct seen *s)
{
    free(s->profile.load);
    free(s->profile.inst);
    free(s->profile.heat.count);
    free(s->sample);
}

/* In order of time, never falling, and the last one is the end of the run. */
static void check_samples(const struct seen *s, uint64_t interval, const char *what)
{
    if (!s->samples) fail_msg("%s: no samples", what);
    assert_true(s->samples <= 1024);
    uint64_t step = s->sample[0].stats.cycles;
    while (interval < step && s->samples > 1) interval *= 2; /* doubled when there were too many */
    for (unsigned i = 0; i + 1 < s->samples; i++) {
        if (s->sample[i].stats.cycles != (i + 1) * interval) fail_msg("%s: sample %u is not at its cycle", what, i);
        for (const struct counter_desc *d = counter_descs; d->key; d++)
            if (counter_value(&s->sample[i].stats, d) > counter_value(&s->sample[i + 1].stats, d))
                fail_msg("%s: %s falls after sample %u", what, d->key, i);
    }
    check_same_counters(&s->stats, &s->sample[s->samples - 1].stats, what);
}

static void check_same(const struct seen *a, const struct seen *b, const char *what)
{
    check_same_counters(&a->stats, &b->stats, what);
    assert_int_equal(a->samples, b->samples);
    for (unsigned i = 0; i < a->samples; i++) {
        check_same_counters(&a->sample[i].stats, &b->sample[i].stats, what);
        assert_memory_equal(&a->sample[i], &b->sample[i], sizeof a->sample[i]);
    }
    assert_int_equal(a->profile.loads, b->profile.loads);
    assert_int_equal(a->profile.insts, b->profile.insts);
    assert_memory_equal(a->profile.inst, b->profile.inst, a->profile.insts * sizeof *a->profile.inst);
    assert_memory_equal(a->profile.load, b->profile.load, a->profile.loads * sizeof *a->profile.load);
    assert_memory_equal(a->profile.rank, b->profile.rank, sizeof a->profile.rank);
    assert_memory_equal(a->profile.reuse, b->profile.reuse, sizeof a->profile.reuse);
}

/* The rows of the loads add up to the counters. */
static void check_rows(const struct seen *s, const char *what)
{
    uint64_t loads = 0, requests = 0, outcome[4] = {0}, lines = 0;
    for (unsigned i = 0; i < s->profile.loads; i++) {
        const struct load_record *l = &s->profile.load[i];
        loads += l->loads;
        requests += l->requests;
        for (unsigned k = 0; k < 4; k++) outcome[k] += l->outcome[k], lines += l->lines[k];
    }
    if (loads != s->stats.sm.l1d_loads || requests != s->stats.l1d.loads || outcome[0] != s->stats.l1d.load_hits ||
        outcome[1] != s->stats.l1d.hits_reserved || outcome[2] != s->stats.l1d.load_misses ||
        outcome[3] != s->stats.l1d.bypasses || lines != s->stats.profile.infinite_lines)
        fail_msg("%s: the loads do not add up", what);
}

static void compare(const struct workload *w, const struct gpu_config *base, int64_t interval, const char *what)
{
    struct gpu_config c = *base;
    struct seen plain = watch(w, &c, (struct gpu_options){0});
    c.v[P_STATS_PROFILE] = 1;
    c.v[P_STATS_INTERVAL] = interval;
    struct seen fast = watch(w, &c, (struct gpu_options){0}), tick = watch(w, &c, (struct gpu_options){.tick = true});
    struct seen mixed = watch(w, &c, (struct gpu_options){.shuffle = 77});
    check_samples(&fast, (uint64_t)interval, what);
    check_rows(&fast, what);
    check_same(&fast, &tick, what);
    check_same(&fast, &mixed, what);
    struct run_stats unobserved = fast.stats;
    memset(&unobserved.profile, 0, sizeof unobserved.profile);
    check_same_counters(&plain.stats, &unobserved, what);
    assert_int_equal(plain.samples, 0);
    forget(&plain), forget(&fast), forget(&tick), forget(&mixed);
}

static const char *const names[] = {"vectoradd", "matmul", "reduction", "histogram", "atax", "bfs", "gemm", "conv3d"};

/* Each preset meets a quarter of the programs; in a long run half of them. */
TEST(presets_with_their_policies)
{
    const char *gpus[64];
    unsigned n = preset_names(gpus, 64);
    for (unsigned g = 0; g < n; g += SLOW_BUILD ? 11 : 1)
        for (unsigned i = g % 4; i < COUNT(names); i += long_run() ? 2 : SLOW_BUILD ? 8 : 4) {
            struct gpu_config c;
            struct wl_err e = {.code = WL_OK};
            char what[128];
            if (config_load(&c, gpus[g], &e)) fail_msg("%s", e.text);
            snprintf(what, sizeof what, "%s on %s", names[i], gpus[g]);
            compare(workload_find(names[i]), &c, 1 + 137 * (int64_t)i, what);
        }
}

/* Caches of other kinds, clocks without a common period, little room everywhere. */
TEST(odd_machines)
{
    static const struct {
        enum param_id id;
        int64_t value;
    } odd[] = {{P_L1D_SECTORED, 1}, {P_L1D_INFINITE, 1}, {P_L1D_FLUSH, 0},        {P_L1D_GLOBAL, 0},
               {P_L1D_MSHR, 1},     {P_L2_MSHR, 4},      {P_CLOCK_CORE, 1000003}, {P_CLOCK_L2, 123457}};
    for (unsigned k = 0; k < COUNT(odd); k += SLOW_BUILD ? 3 : 1)
        for (unsigned i = k % 4; i < COUNT(names); i += long_run() ? 2 : SLOW_BUILD ? 8 : 4) {
            struct gpu_config c;
            char what[128];
            config_defaults(&c);
            c.v[odd[k].id] = odd[k].value;
            snprintf(what, sizeof what, "%s with %s = %lld", names[i], gpu_params[odd[k].id].name,
                     (long long)odd[k].value);
            compare(workload_find(names[i]), &c, 3 + 50 * (int64_t)k, what);
        }
}

/* Policies that bypass and keep counters of their own. */
TEST(policies)
{
    unsigned count;
    const struct wl_cache_policy *const *list = cache_policies(&count);
    for (unsigned i = 0; i < count; i += stride(1, 5)) {
        struct gpu_config c;
        struct wl_err e = {.code = WL_OK};
        if (!(list[i]->levels >> WL_L1 & 1)) continue;
        if (config_load(&c, "dacache", &e)) fail_msg("%s", e.text);
        if (config_set_l1(&c, list[i]->name, &e)) fail_msg("%s", e.text);
        if (long_run() || i % 2) compare(workload_find("atax"), &c, 250, list[i]->name);
        if (long_run() || i % 2 == 0) compare(workload_find("bfs"), &c, 250, list[i]->name);
    }
}
