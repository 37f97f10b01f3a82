/* test_dycache.c - DyCache and Elastic-Cache: the selector by its worked examples, an L1D of grains with
 * its queues and MSHRs, and whole runs. The tag store itself: test_grain.c, property/test_grain_model.c. */
#include "unit/rig.h"

#include "mem/grain_tags.h"
#include "mem/l1.h"
#include "unit/policy_rig.h"
#include "timing/run_rig.h"

static struct cache_choice choose(const char *spec)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    config_defaults(&c);
    if (config_set_l1(&c, spec, &e)) fail_msg("%s", e.text);
    return c.l1;
}

/* ---- 8.5: the selector ---- */

static const struct wl_geometry geometry_16k = {
    .level = WL_L1, .sets = 32, .ways = 4, .line_bytes = 128, .sms = 1, .schedulers = 2, .warps = 48, .warp_size = 32};

static uint32_t ask(const struct wl_cache_policy *p, struct wl_cache *c, const struct wl_access *a, enum wl_outcome o)
{
    p->on_access(c, a, o, -1);
    return p->grains->granularity(c);
}

/* A sample of loads; the granularity chosen after it. */
static uint32_t sample(const char *spec, unsigned n32, unsigned n64, unsigned n128, unsigned misses)
{
    static const uint8_t sectors[] = {1, 3, 15};
    const unsigned n[] = {n32, n64, n128};
    struct cache_choice c = choose(spec);
    struct policy_rig r;
    struct wl_cache *cache = policy_rig_make(&r, &c, geometry_16k);
    struct wl_grains shape = c.policy->grains->shape(cache);
    uint32_t bytes = shape.bytes;
    for (unsigned size = 0; size < 3; size++)
        for (unsigned i = 0; i < n[size]; i++) {
            assert_int_equal(bytes, shape.bytes); /* nothing changes before the end of the sample */
            const struct wl_access a = {.kind = WL_LOAD, .sectors = sectors[size]};
            bytes = ask(c.policy, cache, &a, misses ? WL_MISSED : i & 1 ? WL_HIT : WL_MERGED);
            misses -= misses != 0;
        }
    assert_int_equal(policy_counter(c.policy, cache, "periods"), 1);
    policy_rig_close(&r);
    return bytes;
}

TEST(the_selector_decides_as_in_figure_7)
{
    assert_int_equal(sample("dycache:threshold=50,start=128", 600, 200, 200, 700), 32);
    assert_int_equal(sample("dycache:threshold=50,start=128", 600, 200, 200, 500), 128);
    assert_int_equal(sample("dycache:threshold=50,start=128", 200, 400, 400, 700), 64);
    assert_int_equal(sample("dycache:threshold=50,start=128", 300, 300, 400, 700), 64);
    assert_int_equal(sample("dycache:threshold=50,start=32", 100, 100, 800, 900), 128);
    assert_int_equal(sample("dycache:threshold=50,start=32", 900, 50, 50, 100), 32);
    assert_int_equal(sample("dycache:threshold=50,start=64", 900, 50, 50, 900), 32);
    assert_int_equal(sample("dycache:threshold=50,start=32", 100, 800, 100, 900), 64);
    assert_int_equal(sample("dycache:threshold=75,start=128", 600, 200, 200, 700), 128);
    assert_int_equal(sample("dycache:threshold=25,start=128", 200, 100, 700, 300), 32);
    assert_int_equal(sample("dycache:threshold=50,start=64", 300, 200, 500, 700), 128);
}

TEST(the_parameters_of_the_selector)
{
    assert_int_equal(sample("dycache:start=64,fg_reselect=no", 900, 50, 50, 900), 64);
    assert_int_equal(sample("dycache:t_miss=90", 600, 200, 200, 700), 128);
    assert_int_equal(sample("dycache:t_fine=90,start=32", 600, 200, 200, 700), 128);
    assert_int_equal(sample("dycache:period=10", 10, 0, 0, 6), 32);
    assert_int_equal(sample("dycache:threshold=100,start=128", 1000, 0, 0, 1000), 128);
}

/* Stores count among the sizes, not in the miss rate; or not at all. */
TEST(stores_in_the_sample)
{
    for (int counted = 0; counted < 2; counted++) {
        struct cache_choice c = choose(counted ? "dycache:period=10" : "dycache:period=10,sample_stores=no");
        struct policy_rig r;
        struct wl_cache *cache = policy_rig_make(&r, &c, geometry_16k);
        const struct wl_access load = {.kind = WL_LOAD, .sectors = 15}, store = {.kind = WL_STORE, .sectors = 1};
        uint32_t bytes = 0;
        for (int i = 0; i < 7; i++) bytes = ask(c.policy, cache, &store, WL_STORED);
        for (int i = 0; i < 3; i++) bytes = ask(c.policy, cache, &load, WL_MISSED);
        assert_int_equal(bytes, counted ? 32 : 128); /* three misses of three loads, seven fine of ten */
        assert_int_equal(policy_counter(c.policy, cache, "periods"), counted);
        policy_rig_close(&r);
    }
}

TEST(storage)
{
    static const struct {
        const char *spec;
        uint64_t bits;
    } want[] = {
        {"dycache", 6400 + 62}, {"dycache:period=10000", 6400 + 86}, {"elastic", 6400}, {"elastic:grain=64", 6400}};
    for (unsigned i = 0; i < COUNT(want); i++) {
        struct cache_choice c = choose(want[i].spec);
        struct policy_rig r;
        assert_int_equal(c.policy->storage_bits(policy_rig_make(&r, &c, geometry_16k)), want[i].bits);
        policy_rig_close(&r);
    }
}

/* ---- an L1D ---- */

static struct l1 cache;
static struct req_pool pool;
static struct breach breach;
static void *shared;

static struct l1_shape shape_of(uint32_t ways)
{
    return (struct l1_shape){
        .sets = 32, .ways = ways, .mshr = 8, .merge = 3, .missq = 8, .index = INDEX_LINEAR, .id = L1_DATA};
}

static int try_begin(const char *spec, struct l1_shape shape, struct wl_err *e)
{
    struct cache_choice choice = choose(spec);
    rig_pool(&pool);
    const struct l1_site site = {geometry_16k, &shared, &pool, &breach};
    return l1_init(&cache, &shape, &choice, &site, e);
}
static void begin(const char *spec, uint32_t ways)
{
    struct wl_err e = {.code = WL_OK};
    if (try_begin(spec, shape_of(ways), &e)) fail_msg("%s", e.text);
}
static void end(void)
{
    l1_destroy(&cache);
    req_pool_destroy(&pool);
}

static struct req *request(enum wl_kind kind, enum wl_space space, uint64_t address, uint32_t bytes)
{
    struct req *r = req_alloc(&pool);
    *r = rig_req(kind, address >> 7, (uint8_t)((bytes == 128 ? 15u : bytes == 64 ? 3u : 1u) << (address >> 5 & 3)));
    r->space = (uint8_t)space;
    return r;
}
static enum l1_outcome access(struct req *r) { return l1_access(&cache, r, 1, true); }
static enum l1_outcome load(uint64_t address, uint32_t bytes)
{
    return access(request(WL_LOAD, WL_LOCAL, address, bytes));
}
static enum l1_outcome store(enum wl_space space, uint64_t address)
{
    struct req *r = request(WL_STORE, space, address, 32);
    enum l1_outcome o = access(r);
    if (o == L1_STORED) assert_int_equal(r->is_reply, space == WL_LOCAL && !l1_missq_head(&cache));
    return o;
}

static unsigned fill(struct req *r)
{
    struct req_list done;
    unsigned n = 0;
    list_init(&done);
    l1_fill(&cache, r, &done);
    for (; done.head; n++) list_pop(&done);
    return n;
}
static void load_and_fill(uint64_t address, uint32_t bytes)
{
    assert_int_equal(load(address, bytes), L1_MISSED);
    fill(l1_missq_pop(&cache));
}
static uint32_t resident(void)
{
    uint32_t n = 0;
    for (uint32_t at = 0; at < 32 * cache.grains->ways; at++) n += bit_count32(cache.grains->line[at].valid);
    return n;
}

TEST(merges_and_waits)
{
    begin("elastic", 4);
    assert_int_equal(load(0, 32), L1_MISSED);
    struct req *f = l1_missq_pop(&cache);
    assert_int_equal(f->sectors, 1);
    assert_int_equal(load(0, 32), L1_MERGED);
    assert_null(l1_missq_head(&cache)); /* one read for both */
    struct req *wide = request(WL_LOAD, WL_GLOBAL, 0, 64);
    assert_int_equal(access(wide), L1_NO_MERGE);
    assert_int_equal(fill(f), 2);
    assert_int_equal(access(wide), L1_AGAIN);
    assert_int_equal(access(wide), L1_MISSED);
    assert_int_equal(l1_missq_head(&cache)->sectors, 3);
    assert_int_equal(l1_stats(&cache).load_misses, 2);
    assert_int_equal(l1_stats(&cache).hits_reserved, 1);
    assert_int_equal(l1_stats(&cache).loads, 3); /* each request once */
    assert_int_equal(policy_counter(cache.pol.policy, &cache.pol.cache, "partial_hits"), 1);
    assert_int_equal(policy_counter(cache.pol.policy, &cache.pol.cache, "partial_chunks"), 1);
    end();
}

TEST(a_gated_warp_merges_unless_that_is_gated_too)
{
    begin("elastic", 4);
    load_and_fill(4096, 32);
    assert_int_equal(load(0, 32), L1_MISSED);
    struct req *r = request(WL_LOAD, WL_GLOBAL, 0, 32);
    assert_int_equal(l1_access(&cache, r, 1, false), L1_MERGED);
    cache.gate_merges = true;
    r = request(WL_LOAD, WL_GLOBAL, 0, 32);
    assert_int_equal(l1_access(&cache, r, 1, false), L1_GATED);
    assert_int_equal(l1_stats(&cache).hits_reserved, 1);
    assert_int_equal(l1_access(&cache, request(WL_LOAD, WL_GLOBAL, 4096, 32), 1, false), L1_HIT);
    assert_int_equal(l1_access(&cache, r, 1, true), L1_MERGED);
    end();
}

TEST(a_partial_hit_on_data_in_flight_may_bypass)
{
    begin("elastic:pending=bypass", 4);
    assert_int_equal(load(0, 32), L1_MISSED);
    assert_int_equal(load(0, 64), L1_MISSED);
    assert_int_equal(cache.mshr.used, 1); /* only the first has one */
    struct req *f = l1_missq_pop(&cache), *past = l1_missq_pop(&cache);
    assert_true(past->bypass && !f->bypass);
    assert_int_equal(past->sectors, 3);
    assert_int_equal(fill(f), 1);
    assert_int_equal(load(0, 32), L1_HIT);
    assert_int_equal(policy_counter(cache.pol.policy, &cache.pol.cache, "partial_bypasses"), 1);
    assert_int_equal(l1_stats(&cache).load_misses, 2);
    end();
}

/* Two halves in flight by two fetches: nothing to merge with. */
TEST(a_load_joins_one_fetch_only)
{
    begin("elastic", 4);
    assert_int_equal(load(0, 32), L1_MISSED);
    assert_int_equal(load(0x20, 32), L1_MISSED);
    assert_int_equal(load(0, 64), L1_NO_MERGE);
    fill(l1_missq_pop(&cache));
    assert_int_equal(load(0, 64), L1_MERGED); /* one half is here, the other comes */
    end();
}

TEST(refusals_change_nothing)
{
    begin("elastic", 1);
    for (uint64_t k = 0; k < 4; k++) load_and_fill(k << 12, 32);
    for (uint64_t k = 4; k < 8; k++) assert_int_equal(load(k << 12, 32), L1_MISSED);
    assert_int_equal(load(8 << 12, 32), L1_NO_LINE); /* all four slots wait */
    for (uint64_t k = 1; k < 5; k++) assert_int_equal(load(k << 7, 32), L1_MISSED);
    assert_int_equal(load(5 << 7, 32), L1_NO_MSHR);
    assert_int_equal(load(4 << 12, 32), L1_MERGED);
    assert_int_equal(load(4 << 12, 32), L1_MERGED);
    assert_int_equal(load(4 << 12, 32), L1_NO_MERGE);
    assert_int_equal(l1_access(&cache, request(WL_LOAD, WL_GLOBAL, 5 << 7, 32), 1, false), L1_GATED);
    while (cache.mshr.used) fill(l1_missq_pop(&cache));
    for (uint64_t k = 0; k < 8; k++) assert_int_equal(store(WL_GLOBAL, k << 20), L1_STORED);
    assert_int_equal(load(9 << 12, 32), L1_NO_QUEUE);
    assert_int_equal(l1_stats(&cache).loads, 12 + 2);
    end();
}

TEST(a_store_takes_its_chunk_along)
{
    begin("elastic", 4);
    for (uint64_t k = 0; k < 16; k++) load_and_fill(k << 12, 32);
    assert_int_equal(store(WL_GLOBAL, 0x2000), L1_STORED);
    assert_int_equal(resident(), 15);
    assert_int_equal(cache.missq_used, 1);
    assert_int_equal(l1_stats(&cache).store_hits, 1);
    assert_int_equal(load(0x2000, 32), L1_MISSED);
    end();
    begin("elastic:grain=64", 4);
    load_and_fill(0, 128);
    assert_int_equal(store(WL_GLOBAL, 0x20), L1_STORED); /* and the other half of its grain */
    assert_int_equal(resident(), 2);
    end();
}

TEST(dirty_chunks_are_written_back_by_line_of_memory)
{
    begin("elastic", 1);
    load_and_fill(0, 64);
    load_and_fill(0x1000, 32);
    load_and_fill(0x2000, 32);
    for (uint64_t a = 0; a < 0x60; a += 0x20) assert_int_equal(store(WL_LOCAL, a < 0x40 ? a : 0x1000), L1_STORED);
    assert_int_equal(cache.missq_used, 0);
    assert_int_equal(load(0, 128), L1_AGAIN); /* half of it is here */
    struct req *w = l1_missq_pop(&cache);
    assert_int_equal(w->kind, WL_WRITEBACK);
    assert_int_equal(w->sectors, 3);
    assert_int_equal(load(0, 128), L1_MISSED); /* takes the line: chunk 0x1000 is dirty, 0x2000 is not */
    w = l1_missq_pop(&cache);
    assert_int_equal(w->kind, WL_WRITEBACK);
    assert_int_equal(w->line, 0x1000 >> 7);
    assert_int_equal(w->sectors, 1);
    assert_int_equal(l1_missq_pop(&cache)->sectors, 15);
    assert_int_equal(l1_stats(&cache).writebacks, 2);
    end();
}

/* ---- the flush ---- */

/* All loads of a sample of ten but the last two are fine; then only coarse ones: 32, later 128. */
static void begin_fine(const char *spec)
{
    begin(spec, 4);
    for (uint64_t k = 0; k < 10; k++) load_and_fill(k << 12, 32);
    assert_int_equal(cache.grains->bytes, 32);
    cache.grains->stats->flushes = 0;
}

TEST(a_fill_after_the_flush_is_dropped)
{
    begin_fine("dycache:period=10");
    assert_int_equal(load(0x20, 32), L1_MISSED);
    struct req *f = l1_missq_pop(&cache);
    assert_int_equal(load(0x20, 32), L1_MERGED);
    for (uint64_t k = 1; k < 9; k++) load_and_fill(k << 7, 128);
    assert_int_equal(cache.grains->bytes, 128);
    assert_int_equal(resident(), 0);
    assert_int_equal(fill(f), 2); /* both get their data */
    assert_int_equal(resident(), 0);
    assert_int_equal(policy_counter(cache.pol.policy, &cache.pol.cache, "dropped_fills"),
                     2); /* this one and that of the last load */
    assert_int_equal(policy_counter(cache.pol.policy, &cache.pol.cache, "from_32_to_128"), 1);
    end();
}

TEST(a_flush_waits_for_the_miss_queue)
{
    begin_fine("dycache:period=10");
    for (uint64_t k = 0; k < 8; k++) load_and_fill(0x80 + (k << 12), 32);       /* set 1 */
    for (uint64_t k = 0; k < 2; k++) load_and_fill(0x80 + ((k + 8) << 12), 32); /* still fine: 10 */
    for (uint64_t k = 6; k < 10; k++) assert_int_equal(store(WL_LOCAL, k << 12), L1_STORED);
    for (uint64_t k = 6; k < 10; k++) assert_int_equal(store(WL_LOCAL, 0x80 + (k << 12)), L1_STORED);
    for (uint64_t k = 0; k < 12; k++) load_and_fill((k + 2) << 7, 128); /* the last ten of these are a coarse sample */
    assert_int_equal(cache.grains->bytes, 128);
    assert_true(grain_flushing(cache.grains)); /* write-backs of one line a cycle */
    struct req *r = request(WL_LOAD, WL_GLOBAL, 0x8000, 128);
    unsigned tries = 0;
    enum l1_outcome o;
    while ((o = access(r)) != L1_MISSED) {
        assert_true(o == L1_AGAIN || o == L1_NO_QUEUE);
        if (o == L1_NO_QUEUE) l1_missq_pop(&cache);
        tries++;
    }
    assert_true(tries > 2);
    assert_int_equal(l1_stats(&cache).writebacks, 8);
    assert_int_equal(resident(), 0);
    end();
}

TEST(what_the_cache_cannot_be)
{
    struct l1_shape bad[3] = {shape_of(4), shape_of(4), shape_of(4)};
    bad[0].sectored = true;
    bad[1].infinite = true;
    bad[2].missq = 4;
    for (unsigned i = 0; i < COUNT(bad); i++) {
        struct wl_err e = {.code = WL_OK};
        assert_int_equal(try_begin("dycache", bad[i], &e), WL_EINPUT);
        assert_non_null(strstr(e.text, "l1d."));
        end();
    }
}

/* ---- whole runs ---- */

static struct outcome run_on(const char *program, const char *l1, const char *set, struct gpu_options o)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (config_load(&c, "dycache", &e) || config_set_l1(&c, l1, &e) || (set && config_set(&c, set, &e)))
        fail_msg("%s", e.text);
    if (c.v[P_L2_SECTORED])
        c.v[P_L2_PENDING_STORE] = c.v[P_ICNT_IN_FLITS] = c.v[P_ICNT_OUT_FLITS] = 0; /* whole lines only */
    const struct workload *w = workload_find(program);
    assert_non_null(w);
    return run_workload(w, &c, o);
}
static struct outcome run_with(const char *program, const char *l1)
{
    return run_on(program, l1, NULL, (struct gpu_options){0});
}

TEST(coarse_is_lru_in_every_counter)
{
    static const char *const programs[] = {"bfs",  "nw",    "kmeans", "streamcluster", "triangles", "particlefilter",
                                           "srad", "lavamd"};
    static const char *const machines[] = {"stats.profile=1", "l1d.index=linear", "l1d.ways=6"};
    for (unsigned i = 0; i < COUNT(programs); i += stride(2, 3))
        for (unsigned k = 0; k < (SLOW_BUILD ? 1 : COUNT(machines)); k++) {
            struct outcome lru = run_on(programs[i], "lru", machines[k], (struct gpu_options){0}),
                           coarse = run_on(programs[i], "dycache:threshold=100", machines[k], (struct gpu_options){0});
            check_same_counters(&lru.stats, &coarse.stats, programs[i]);
        }
}

TEST(both_engines_and_any_order_agree)
{
    static const char *const programs[] = {"bfs", "streamcluster", "particlefilter", "nw"};
    static const char *const policies[] = {
        "dycache:threshold=25,period=200", "dycache:threshold=25,period=200,retain=yes", "elastic",
        "elastic:grain=64,pending=bypass", "dycache:threshold=25,period=200,match=single"};
    for (unsigned i = 0; i < (SLOW_BUILD ? 1 : COUNT(programs)); i++)
        for (unsigned k = 0; k < COUNT(policies); k++) {
            struct outcome fast = run_with(programs[i], policies[k]),
                           tick = run_on(programs[i], policies[k], NULL, (struct gpu_options){.tick = true}),
                           mixed = run_on(programs[i], policies[k], NULL, (struct gpu_options){.shuffle = 7});
            check_same_counters(&fast.stats, &tick.stats, policies[k]);
            check_same_counters(&fast.stats, &mixed.stats, policies[k]);
        }
}

/* Small fetches are small packets, and with a sectored L2 small reads of memory. */
TEST(saved_bytes_show)
{
    struct outcome line = run_on("kmeans", "lru", "l2.copy_fills=no", (struct gpu_options){0}),
                   grain = run_on("kmeans", "elastic", "l2.copy_fills=no", (struct gpu_options){0});
    uint64_t misses = grain.stats.l1d.load_misses;
    assert_true(misses && misses < line.stats.l1d.load_misses);
    assert_true(grain.stats.icnt.reply_flits < line.stats.icnt.reply_flits / 2);
    assert_true(grain.stats.cycles < line.stats.cycles);
    struct outcome sectored_line = run_on("kmeans", "lru", "l2.sectored=yes", (struct gpu_options){0}),
                   sectored = run_on("kmeans", "elastic", "l2.sectored=yes", (struct gpu_options){0});
    assert_true(sectored.stats.l2.reads < sectored_line.stats.l2.reads / 2); /* sectors */
}
