/* test_apcm_rivals.c - what APCM is compared with: protecting distance, PCAL, bypassing by PC; and
 * that all of them count the same with any engine. */
#include "unit/rig.h"
#include "unit/sched_rig.h"

#include "mem/l1.h"
#include "unit/policy_rig.h"
#include "timing/run_rig.h"

static struct gpu_config machine(const char *l1, const char *l2, const char *sched)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (config_load(&c, "apcm", &e) || config_set_l1(&c, l1, &e) || config_set_l2(&c, l2, &e) ||
        config_set_sched(&c, sched, &e))
        fail_msg("%s", e.text);
    return c;
}

/* ---- a real L1D of one set, driven by hand ---- */

struct rig {
    struct l1 cache;
    struct req_pool pool;
    struct breach breach;
    void *shared;
};

static void begin(struct rig *r, const char *spec, uint32_t ways)
{
    struct wl_err e = {.code = WL_OK};
    struct gpu_config c = machine(spec, "lru", "gto");
    const struct l1_shape shape = {.sets = 1, .ways = ways, .mshr = 64, .merge = 8, .missq = 64, .index = INDEX_LINEAR};
    *r = (struct rig){.shared = NULL};
    rig_pool(&r->pool);
    const struct l1_site site = {.g = {.sms = 1, .schedulers = 2, .warps = 48, .warp_size = 32},
                                 .shared = &r->shared,
                                 .pool = &r->pool,
                                 .breach = &r->breach};
    if (l1_init(&r->cache, &shape, &c.l1, &site, &e)) fail_msg("%s", e.text);
}

static void end(struct rig *r)
{
    l1_destroy(&r->cache);
    req_pool_destroy(&r->pool);
}

static uint64_t counter(const struct rig *r, const char *name)
{
    return policy_counter(r->cache.pol.policy, &r->cache.pol.cache, name);
}

/* One request, answered at once; `note`: what the L2 writes on the reply. Returns what was sent. */
static enum l1_outcome read_line(struct rig *r, unsigned warp, uint32_t pc, uint64_t line, uint8_t note, uint8_t *sent)
{
    struct wl_load l = {.pc = pc, .warp = (uint16_t)warp, .requests = 1};
    l1_load_begin(&r->cache, &l);
    struct req *q = req_alloc(&r->pool);
    *q = rig_req(WL_LOAD, line, 1);
    q->load = &l;
    q->pc = pc;
    q->warp = (uint8_t)warp;
    enum l1_outcome o = l1_access(&r->cache, q, 1, true);
    if (o == L1_HIT || l1_refused(o)) return req_free(&r->pool, q), o;
    q = l1_missq_pop(&r->cache);
    if (sent) *sent = q->note;
    q->note = note;
    struct req_list done;
    list_init(&done);
    if (!q->bypass) l1_fill(&r->cache, q, &done);
    else l1_bypass_done(&r->cache, q);
    req_free(&r->pool, q);
    return o;
}
static enum l1_outcome read1(struct rig *r, uint64_t line) { return read_line(r, 0, 8, line, 0, NULL); }

/* ---- protecting distance ---- */

TEST(a_line_stays_for_n_accesses)
{
    struct rig r;
    begin(&r, "pd:n=2", 1);
    assert_int_equal(read1(&r, 1), L1_MISSED);
    assert_int_equal(read1(&r, 2), L1_BYPASSED);
    assert_int_equal(read1(&r, 1), L1_HIT); /* anew */
    assert_int_equal(read1(&r, 2), L1_BYPASSED);
    assert_int_equal(read1(&r, 2), L1_BYPASSED);
    assert_int_equal(read1(&r, 2), L1_MISSED);
    assert_int_equal(counter(&r, "protected_bypasses"), 3);
    assert_int_equal(counter(&r, "rearmed"), 1);
    end(&r);
    begin(&r, "pd:n=2,rearm=no", 1);
    assert_int_equal(read1(&r, 1), L1_MISSED);
    assert_int_equal(read1(&r, 1), L1_HIT);
    assert_int_equal(read1(&r, 2), L1_BYPASSED);
    assert_int_equal(read1(&r, 2), L1_MISSED);
    end(&r);
}

TEST(free_lines_go_by_age)
{
    struct rig r;
    begin(&r, "pd:n=3", 4);
    for (uint64_t i = 1; i <= 4; i++) assert_int_equal(read1(&r, i), L1_MISSED);
    assert_int_equal(read1(&r, 5), L1_MISSED); /* 1 was three accesses ago: free */
    assert_int_equal(read1(&r, 3), L1_HIT);
    assert_int_equal(read1(&r, 2), L1_HIT);
    assert_int_equal(read1(&r, 6), L1_MISSED); /* 4 is the only free one */
    assert_int_equal(read1(&r, 2), L1_HIT);
    assert_int_equal(read1(&r, 4), L1_MISSED); /* 5 is free by now */
    end(&r);
}

TEST(storage_of_pd)
{
    struct gpu_config c = machine("pd:n=32", "lru", "gto");
    struct policy_rig r;
    struct wl_cache *cache = policy_rig_make(&r, &c.l1, (struct wl_geometry){.level = WL_L1, .sets = 32, .ways = 4});
    assert_int_equal(c.l1.policy->storage_bits(cache), 6 * 128);
    policy_rig_close(&r);
}

/* ---- bypassing by PC ---- */

TEST(loads_whose_lines_die_bypass)
{
    struct rig r;
    uint8_t sent = 0;
    begin(&r, "abyp:threshold=2", 1);
    assert_int_equal(read_line(&r, 0, 0x40, 1, 0, NULL), L1_MISSED);
    assert_int_equal(read_line(&r, 0, 0x40, 2, 0, NULL), L1_MISSED);  /* 1 died: counter 1 */
    assert_int_equal(read_line(&r, 0, 0x40, 3, 0, &sent), L1_MISSED); /* 2 died: counter 2 */
    assert_int_equal(sent, 0);
    assert_int_equal(read_line(&r, 0, 0x40, 4, 0, &sent), L1_BYPASSED);
    assert_int_equal(sent, 128 | 8);                                         /* 0x40 / 8 */
    assert_int_equal(read_line(&r, 0, 0x40, 3, 0, NULL), L1_HIT);            /* what lies there may be hit: counter 1 */
    assert_int_equal(read_line(&r, 0, 0x40, 5, 0, NULL), L1_MISSED);         /* 3 was used: no count */
    assert_int_equal(read_line(&r, 0, 0x80, 6, 0, NULL), L1_MISSED);         /* 5 died: counter of 0x40 is 2 again */
    assert_int_equal(read_line(&r, 0, 0x40, 7, 128 | 8, NULL), L1_BYPASSED); /* the L2 says: read again */
    assert_int_equal(read_line(&r, 0, 0x40, 7, 0, NULL), L1_MISSED);
    assert_int_equal(counter(&r, "corrections"), 1);
    assert_int_equal(counter(&r, "first_hits"), 1);
    end(&r);
}

/* The L2's side: the same SM reads a line again it has bypassed to. */
TEST(the_l2_remembers_who_bypassed)
{
    struct gpu_config c = machine("abyp", "abyp", "gto");
    const struct wl_cache_policy *p = c.l2.policy;
    struct policy_rig r;
    struct wl_cache *s =
        policy_rig_make(&r, &c.l2, (struct wl_geometry){.level = WL_L2, .sets = 1, .ways = 4, .sms = 2});
    struct wl_access a = {.kind = WL_LOAD, .sm = 1, .note = 128 | 9}, other = {.kind = WL_LOAD, .sm = 0};
    p->on_access(s, &a, WL_MISSED, 2);
    assert_int_equal(p->notes->reply(s, &a), 0);
    p->on_access(s, &other, WL_HIT, 2); /* another SM: nothing */
    assert_int_equal(p->notes->reply(s, &other), 0);
    p->on_access(s, &a, WL_HIT, 2); /* the same again, again bypassed */
    assert_int_equal(p->notes->reply(s, &a), 128 | 9);
    a.note = 0;
    p->on_access(s, &a, WL_HIT, 2); /* a read that was not bypassed takes the mark */
    assert_int_equal(p->notes->reply(s, &a), 128 | 9);
    p->on_access(s, &a, WL_HIT, 2);
    assert_int_equal(p->notes->reply(s, &a), 0);
    assert_int_equal(p->storage_bits(s), 12 * 4);
    policy_rig_close(&r);
}

/* ---- PCAL ---- */

TEST(without_a_token_nothing_is_allocated)
{
    static const char *const spec[] = {"pcal", "pcal:probe=no"};
    for (unsigned blind = 0; blind < 2; blind++) {
        struct rig r;
        begin(&r, spec[blind], 2);
        struct gpu_config c = machine("pcal", "lru", "pcal:tokens=1,others=2");
        struct sched_rig s = {.shared = r.shared};
        memcpy(s.param, c.sched.values, sizeof s.param);
        rig_sched_begin(&s, c.sched.policy, &(struct wl_sched_geometry){.warps = 4, .schedulers = 1});
        s.v.live = 15;
        assert_int_equal(rig_allowed(&s), 7); /* 0 has the token, 1 and 2 run too, 3 waits */
        rig_issue(&s, 0, 7);
        assert_int_equal(read_line(&r, 0, 8, 1, 0, NULL), L1_MISSED);
        assert_int_equal(read_line(&r, 1, 8, 1, 0, NULL), blind ? L1_BYPASSED : L1_HIT);
        assert_int_equal(read_line(&r, 2, 8, 2, 0, NULL), L1_BYPASSED);
        assert_int_equal(l1_stats(&r.cache).bypass_lookups, !blind);
        s.v.barrier = 1; /* the holder waits: its token passes on */
        assert_int_equal(rig_allowed(&s), 14);
        rig_issue(&s, 0, 14);
        assert_int_equal(read_line(&r, 1, 8, 2, 0, NULL), L1_MISSED);
        assert_int_equal(read_line(&r, 3, 8, 3, 0, NULL), L1_BYPASSED);
        rig_sched_free(&s);
        end(&r);
    }
}

TEST(pcal_needs_both_tables)
{
    struct gpu_config c = machine("lru", "lru", "pcal:tokens=2");
    struct wl_err e = {.code = WL_OK};
    assert_null(gpu_new(&c, NULL, &e));
    assert_int_equal(e.code, WL_EINPUT);
    assert_non_null(strstr(e.text, "--l1 pcal"));
}

/* ---- whole runs ---- */

static void same(const struct gpu_config *a, const struct gpu_config *b, const char *what)
{
    struct outcome x = run_workload(workload_find("bfs"), a, (struct gpu_options){0});
    struct outcome y = run_workload(workload_find("bfs"), b, (struct gpu_options){0});
    check_same_counters(&x.stats, &y.stats, what);
}

TEST(neutral_settings_are_the_baseline)
{
    struct gpu_config lru = machine("lru", "lru", "swl:limit=3"), pcal = machine("pcal", "lru", "pcal:tokens=3");
    same(&lru, &pcal, "pcal without others is swl");
    struct gpu_config base = machine("lru", "lru", "lrr"), pd = machine("pd:n=0", "lru", "lrr");
    same(&base, &pd, "pd of no distance is lru");
    struct gpu_config second = machine("lru", "abyp", "lrr");
    same(&base, &second, "abyp in the L2 alone is lru");
}

TEST(engines_agree)
{
    static const struct {
        const char *l1, *l2, *sched;
    } c[] = {{"apcm", "lru", "lrr"},
             {"apcm:mode=protect,unpin=eager", "lru", "gto"},
             {"apcm", "lru", "swl:limit=4"},
             {"apcm:release=pd,pd=8", "lru", "lrr"},
             {"pd:n=8", "lru", "lrr"},
             {"abyp:threshold=2", "abyp", "lrr"},
             {"pcal", "lru", "pcal:tokens=1,others=4"}};
    static const char *const some[] = {"bfs", "kmeans_1", "wordcount", "spmv_jds"};
    for (unsigned i = 0; i < COUNT(c); i++)
        for (unsigned k = 0; k < COUNT(some); k++) {
            if (SLOW_BUILD && (i + k) % 4) continue;
            struct gpu_config m = machine(c[i].l1, c[i].l2, c[i].sched);
            const struct workload *w = workload_find(some[k]);
            char what[128];
            snprintf(what, sizeof what, "%s with %s, %s", some[k], c[i].l1, c[i].sched);
            struct outcome fast = run_workload(w, &m, (struct gpu_options){0});
            struct outcome tick = run_workload(w, &m, (struct gpu_options){.tick = true});
            struct outcome mixed = run_workload(w, &m, (struct gpu_options){.shuffle = 7});
            check_same_counters(&fast.stats, &tick.stats, what);
            check_same_counters(&fast.stats, &mixed.stats, what);
        }
}
