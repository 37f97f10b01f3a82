/* test_dacache_l1d.c - DaCache in a machine: its storage, its refusals at a real L1D, and whole runs that
 * show neutral variants to be LRU and both engines to agree. */
#include "unit/l1_bench.h"

/* ---- storage ---- */

static uint64_t storage(const char *spec)
{
    struct bench b;
    bench_begin(&b, spec);
    uint64_t bits = b.p->storage_bits(b.c);
    bench_end(&b);
    return bits;
}

TEST(storage_is_the_papers)
{
    assert_int_equal(storage("dacache"), 1376 + 1472);
    assert_int_equal(storage("dacache:vc_entries=32") - storage("dacache"), 8 * 172);
    assert_int_equal(storage("dacache:clp_entries=64") - storage("dacache"), 8 * 184);
    assert_int_equal(storage("dacache:clp=off"), 0);
    assert_int_equal(storage("dip") - storage("lru"), 15);
    assert_int_equal(storage("rrip"), 96 * 8 + 15);
}

TEST(impossible_parameters_are_refused)
{
    static const char *const bad[] = {"dacache:fcw_init=49", "dacache:cnt_init=256", "dip:leaders=17",
                                      "rrip:leaders=17"};
    for (unsigned i = 0; i < COUNT(bad); i++) {
        struct cache_choice c = choose(bad[i]);
        struct policy_rig r;
        const struct wl_geometry g = {.level = WL_L1, .sets = 32, .ways = 8, .schedulers = 2};
        assert_int_equal(policy_rig_open(&r, &c, g), WL_EINPUT);
        assert_non_null(strstr(r.e.text, "cannot manage this L1D: "));
        policy_rig_close(&r);
    }
}

/* ---- 8.9 and the refusals of a real L1D ---- */

static struct l1 cache;
static struct req_pool pool;
static struct breach breach;
static void *shared;

static void cache_begin(const char *spec, uint32_t mshrs)
{
    struct wl_err e = {.code = WL_OK};
    const struct l1_site site = {.g = {.sms = 1, .schedulers = 1, .warps = 48, .warp_size = 32},
                                 .shared = &shared,
                                 .pool = &pool,
                                 .breach = &breach};
    const struct l1_shape shape = {
        .sets = 4, .ways = 4, .mshr = mshrs, .merge = 4, .missq = 16, .index = INDEX_LINEAR, .id = L1_DATA};
    struct cache_choice choice = choose(spec);
    rig_pool(&pool);
    if (l1_init(&cache, &shape, &choice, &site, &e)) fail_msg("%s", e.text);
}

static void cache_end(void)
{
    l1_destroy(&cache);
    req_pool_destroy(&pool);
}

static enum l1_outcome cache_load(struct wl_load *l, uint64_t line, uint8_t sectors)
{
    struct req *r = req_alloc(&pool);
    *r = rig_req(WL_LOAD, line, sectors);
    r->load = l;
    return l1_access(&cache, r, 1, true);
}

static struct req *last_sent(void)
{
    struct req *r = l1_missq_head(&cache);
    while (r->next) r = r->next;
    return r;
}

TEST(without_a_victim_the_l1d_bypasses_or_waits)
{
    static const char *const specs[] = {"dacache:width=4,fcw_init=2", "dacache:width=4,fcw_init=2,replace=stall"};
    for (unsigned i = 0; i < 2; i++) {
        struct wl_load l = load_of(32, 9);
        cache_begin(specs[i], 8);
        l1_load_begin(&cache, &l);
        for (uint64_t n = 0; n < 4; n++) assert_int_equal(cache_load(&l, 4 * n, 1), L1_MISSED);
        assert_int_equal(last_sent()->sectors, ALL_SECTORS); /* a miss fetches the line */
        assert_int_equal(cache_load(&l, 8, 1), L1_MERGED);   /* a line in flight is not bypassed */
        assert_int_equal(cache_load(&l, 16, 1), i ? L1_NO_LINE : L1_BYPASSED);
        if (!i) {
            assert_int_equal(last_sent()->sectors, 1); /* 32 bytes */
            assert_int_equal(cache_load(&l, 16, 9),
                             L1_BYPASSED); /* again a packet of its own: bytes 0 and 127, 64 bytes */
            assert_int_equal(last_sent()->sectors, 9);
            assert_int_equal(cache_load(&l, 20, ALL_SECTORS), L1_BYPASSED); /* 128 bytes */
            assert_int_equal(last_sent()->sectors, ALL_SECTORS);
            assert_int_equal(cache.mshr.used, 4);
        }
        cache_end();
    }
}

TEST(a_full_mshr_is_no_reason_to_bypass)
{
    struct wl_load l = load_of(32, 9);
    cache_begin("dacache:width=4", 2);
    l1_load_begin(&cache, &l);
    assert_int_equal(cache_load(&l, 0, 1), L1_MISSED);
    assert_int_equal(cache_load(&l, 4, 1), L1_MISSED);
    for (int i = 0; i < 3; i++) assert_int_equal(cache_load(&l, 8, 1), L1_NO_MSHR);
    assert_int_equal(l1_stats(&cache).bypasses, 0);
    assert_int_equal(l1_stats(&cache).misses, 2);
    cache_end();
}

/* ---- whole runs ---- */

static const char *const programs[] = {"atax", "bicg", "kmeans_1", "bfs"};

static struct outcome run_with(const char *program, const char *l1, bool tick)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (config_load(&c, "dacache", &e) || config_set_l1(&c, l1, &e)) fail_msg("%s", e.text);
    const struct workload *w = workload_find(program);
    assert_non_null(w);
    return run_workload(w, &c, (struct gpu_options){.tick = tick});
}

/* Everything in as most recent, promoted to the front, replaced anywhere: LRU by other words. */
TEST(neutral_variants_are_lru)
{
    static const char *const neutral[] = {
        "dip:mode=lru", "dacache:clp=off,mru_req_max=256,promo=mru,replace=uncon",
        "dacache:partition=static,static_n=0,clp=off,mru_req_max=256,promo=mru,replace=stall"};
    for (unsigned i = 0; i < COUNT(programs); i++) {
        struct outcome lru = run_with(programs[i], "lru", false);
        for (unsigned k = 0; k < COUNT(neutral); k++) {
            struct outcome other = run_with(programs[i], neutral[k], false);
            check_same_counters(&lru.stats, &other.stats, neutral[k]);
        }
    }
}

TEST(both_engines_agree)
{
    static const char *const policies[] = {"dip",
                                           "rrip",
                                           "dacache",
                                           "dacache:replace=uncon",
                                           "dacache:replace=stall",
                                           "dacache:partition=static,static_n=1"};
    for (unsigned i = 0; i < COUNT(programs); i += SLOW_BUILD ? 3 : 1)
        for (unsigned k = 0; k < (SLOW_BUILD ? 3 : COUNT(policies)); k++) {
            struct outcome fast = run_with(programs[i], policies[k], false),
                           tick = run_with(programs[i], policies[k], true);
            check_same_counters(&fast.stats, &tick.stats, policies[k]);
        }
}
