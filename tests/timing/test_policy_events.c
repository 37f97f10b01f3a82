/* test_policy_events.c - what policies of both levels hear in a whole machine: kernels, ways, epochs, CTAs. Whatever
 * the engine, they hear the same at the same time. */
#include "timing/run_rig.h"

#include "base/bits.h"
#include "timing/synth.h"

extern const struct wl_cache_policy lru_policy;

/* ---- kernels ---- */

static struct {
    unsigned begins[3], ends[3], flushes[3]; /* by level */
    uint64_t hash[3];
    uint32_t ways;
    char name[3][32];
} heard;

static void hear_kernel(struct wl_cache *c, enum wl_phase phase, const struct wl_kernel *k)
{
    unsigned level = c->g.level;
    heard.begins[level] += phase == WL_BEGIN;
    heard.ends[level] += phase == WL_END;
    heard.flushes[level] += phase == WL_FLUSH;
    heard.hash[level] = k->hash;
    snprintf(heard.name[level], sizeof heard.name[level], "%s", k->name);
    if (level == WL_L1) heard.ways = c->g.ways;
    assert_true(c->g.ways <= c->g.max_ways);
}

static void one_load(struct synth *p, const char *name, uint32_t shared_bytes)
{
    synth_begin(p, name, 1);
    synth_load(p, 1, SPACE_GLOBAL, 4);
    synth_add(p, 2, 1, 1);
    synth_cta(p);
    synth_warp(p);
    synth_enter(p, 0, UINT32_MAX);
    synth_affine(p, UINT64_C(0xC0000000), 4);
    p->info.shared_bytes = shared_bytes;
}

static void run_one(struct gpu *g, const char *name, uint32_t shared_bytes)
{
    struct synth p;
    struct wl_err e = {.code = WL_OK};
    one_load(&p, name, shared_bytes);
    if (gpu_run(g, synth_source(&p), &e)) fail_msg("%s", e.text);
    synth_end(&p);
}

static struct wl_cache_policy hearing(void)
{
    struct wl_cache_policy p = lru_policy;
    p.on_kernel = hear_kernel;
    return p;
}

TEST(both_levels_hear_a_kernel_begin_and_end)
{
    struct wl_cache_policy p = hearing();
    struct gpu_config c = synth_config("sm.count=2");
    c.l1.policy = c.l2.policy = &p;
    struct gpu *g = synth_gpu(&c);
    memset(&heard, 0, sizeof heard);
    run_one(g, "first", 0);
    unsigned slices = (unsigned)(c.v[P_MEM_CHANNELS] * c.v[P_L2_SLICES]);
    for (unsigned i = 1; i <= 2; i++) {
        assert_string_equal(heard.name[WL_L1], i == 1 ? "first" : "second");
        assert_string_equal(heard.name[WL_L2], i == 1 ? "first" : "second");
        assert_int_equal(heard.hash[WL_L1], heard.hash[WL_L2]);
        assert_int_equal(heard.begins[WL_L1], 2 * i);
        assert_int_equal(heard.ends[WL_L1], 2 * i);
        assert_int_equal(heard.flushes[WL_L1], 2 * i);
        assert_int_equal(heard.begins[WL_L2], slices * i);
        assert_int_equal(heard.ends[WL_L2], slices * i);
        assert_int_equal(heard.flushes[WL_L2], 0); /* it keeps its lines */
        uint64_t before = heard.hash[WL_L2];
        if (i == 1) run_one(g, "second", 0);
        if (i == 1) assert_int_not_equal(heard.hash[WL_L2], before);
    }
    gpu_free(g);
}

TEST(an_l1d_knows_the_ways_of_each_kernel)
{
    struct wl_cache_policy p = hearing();
    struct gpu_config c = synth_config("sm.count=1 l1d.ways=8 sm.shared=49152 sm.ctas=1");
    c.v[P_SHARED_UNIFIED] = 64 << 10;
    snprintf(c.shared_options, sizeof c.shared_options, "0,16,32,48");
    c.l1.policy = &p;
    struct gpu *g = synth_gpu(&c);
    run_one(g, "plain", 0);
    assert_int_equal(heard.ways, 8);
    run_one(g, "half", 30000);
    assert_int_equal(heard.ways, 4);
    run_one(g, "most", 49152);
    assert_int_equal(heard.ways, 2);
    run_one(g, "plain", 0);
    assert_int_equal(heard.ways, 8);
    gpu_free(g);
}

/* ---- CTAs ---- */

static uint64_t ctas; /* one bit each */
static void hear_cta(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    if (c->g.level == WL_L2) {
        assert_int_equal(a->cta, UINT32_MAX);
    } else {
        assert_true(a->cta < 64);
        ctas |= bit64(a->cta);
        if (a->load) assert_int_equal(a->load->cta, a->cta);
    }
    lru_policy.on_access(c, a, outcome, way);
}

TEST(an_access_knows_its_cta)
{
    struct wl_cache_policy p = lru_policy;
    struct gpu_config c;
    config_defaults(&c);
    p.on_access = hear_cta;
    c.l1.policy = c.l2.policy = &p;
    ctas = 0;
    struct outcome out = run_workload(workload_find("vectoradd"), &c, (struct gpu_options){0});
    assert_true(out.stats.sm.ctas <= 64);
    assert_int_equal(ctas, out.stats.sm.ctas == 64 ? UINT64_MAX : bit64((unsigned)out.stats.sm.ctas) - 1);
}

/* ---- epochs ---- */

enum { N_EPOCHS, N_HASH, N_ACCESSES, N_FULL };
static const struct wl_counter epoch_counters[] = {
    {"epochs", "", ""}, {"hash", "", ""}, {"accesses", "", ""}, {"full", "", ""}, WL_COUNTER_END};

static bool epoch_init(struct wl_cache *c, const char **why)
{
    c->epoch = c->g.level == WL_L1 ? 97 : 61;
    return lru_policy.init(c, why);
}

/* Whatever is not the same in two engines, be it only the cycle, makes another hash. */
static void on_epoch(struct wl_cache *c, uint64_t cycle)
{
    struct wl_fill f = wl_occupancy(c);
    const uint64_t here[] = {c->count[N_HASH], cycle, c->count[N_ACCESSES], f.mshr_used, f.missq_used};
    assert_int_equal(cycle % c->epoch, 0);
    c->count[N_EPOCHS]++;
    c->count[N_FULL] += f.mshr_used;
    c->count[N_HASH] = hash_bytes(WL_HASH_INIT, here, sizeof here) >> 16; /* sums of it do not overflow */
}

static void epoch_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    assert_int_equal(a->cycle / c->epoch, c->count[N_EPOCHS]); /* none is late, none is early */
    c->count[N_ACCESSES]++;
    lru_policy.on_access(c, a, outcome, way);
}

/* Every other epoch no line may be replaced: refused requests must be tried again when it ends. */
static int epoch_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    return c->count[N_EPOCHS] % 2 && s->full ? WL_NO_WAY_STALL : lru_policy.victim(c, a, s);
}

TEST(epochs_are_the_same_in_every_engine)
{
    static const char *const names[] = {"atax", "bfs", "histogram"};
    struct wl_cache_policy p = lru_policy;
    p.counters = epoch_counters;
    p.init = epoch_init;
    p.on_epoch = on_epoch;
    p.on_access = epoch_access;
    p.victim = epoch_victim;
    for (unsigned i = 0; i < COUNT(names); i += SLOW_BUILD ? 2 : 1) {
        struct gpu_config c;
        config_defaults(&c);
        c.v[P_L2_COPY_FILLS] = 0;
        c.l1.policy = c.l2.policy = &p;
        const struct workload *w = workload_find(names[i]);
        struct outcome fast = run_workload(w, &c, (struct gpu_options){0});
        struct outcome tick = run_workload(w, &c, (struct gpu_options){.tick = true});
        struct outcome mixed = run_workload(w, &c, (struct gpu_options){.shuffle = 5});
        check_same_counters(&fast.stats, &tick.stats, names[i]);
        check_same_counters(&fast.stats, &mixed.stats, names[i]);
        assert_memory_equal(&fast.policy, &tick.policy, sizeof fast.policy);
        assert_memory_equal(&fast.policy, &mixed.policy, sizeof fast.policy);
        assert_true(fast.policy.l1[N_EPOCHS] > 100 && fast.policy.l2[N_EPOCHS] > 100);
        assert_true(fast.policy.l1[N_FULL] > 100 && fast.policy.l2[N_FULL] > 100); /* occupancy is real */
    }
}

/* ---- prefetches ---- */

TEST(prefetches_are_the_same_in_every_engine)
{
    static const char *const names[] = {"atax", "bfs", "histogram", "conv2d"};
    static const char *const specs[] = {"nextline", "nextline:degree=4"};
    static const char *const gpus[] = {"gtx480", "qv100"};
    for (unsigned i = 0; i < COUNT(names) * COUNT(specs) * COUNT(gpus); i += SLOW_BUILD ? 5 : 1) {
        struct gpu_config c;
        struct wl_err e = {.code = WL_OK};
        const struct workload *w = workload_find(names[i % COUNT(names)]);
        if (config_load(&c, gpus[i / COUNT(names) % COUNT(gpus)], &e)) fail_msg("%s", e.text);
        assert_int_equal(config_set_l1(&c, specs[i / COUNT(names) / COUNT(gpus)], &e), 0);
        c.v[P_STATS_PROFILE] = i % 2;
        struct outcome fast = run_workload(w, &c, (struct gpu_options){0});
        struct outcome tick = run_workload(w, &c, (struct gpu_options){.tick = true});
        struct outcome mixed = run_workload(w, &c, (struct gpu_options){.shuffle = 7});
        check_same_counters(&fast.stats, &tick.stats, w->name);
        check_same_counters(&fast.stats, &mixed.stats, w->name);
        assert_true(fast.stats.l1d.prefetch_fetches > 0 && fast.stats.l1d.prefetch_uses > 0);
    }
}

TEST(without_prefetches_nextline_is_lru)
{
    struct gpu_config c, plain;
    config_defaults(&plain);
    c = plain;
    assert_int_equal(config_set_l1(&c, "nextline:degree=0", NULL), 0);
    struct outcome a = run_workload(workload_find("atax"), &plain, (struct gpu_options){0});
    struct outcome b = run_workload(workload_find("atax"), &c, (struct gpu_options){0});
    check_same_counters(&a.stats, &b.stats, "nextline:degree=0");
}
