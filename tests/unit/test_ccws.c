/* test_ccws.c - CCWS: victim tags, scores, who may load. Counted by hand. */
#include "unit/policy_rig.h"
#include "unit/sched_rig.h"

extern const struct wl_cache_policy ccws_tags_policy, lru_policy;

enum { SETS = 32, WAYS = 4 };
struct both {
    struct policy_rig cache;
    struct wl_cache *tags;
    struct sched_rig r;
};

static void begin(struct both *b, const char *spec, unsigned warps)
{
    const struct cache_choice choice = {.policy = &ccws_tags_policy};
    b->tags = policy_rig_make(&b->cache, &choice,
                              (struct wl_geometry){.level = WL_L1, .sets = SETS, .ways = WAYS, .warps = RIG_WARPS});
    rig_sched(&b->r, spec, 0, b->cache.shared);
    for (unsigned w = 0; w < warps; w++) rig_launch(&b->r, w, 0);
}

static void end(struct both *b) { policy_rig_close(&b->cache); }

static struct wl_access load_of(const struct both *b, unsigned warp, uint64_t line)
{
    return (struct wl_access){
        .line = line, .set = (uint32_t)(line % SETS), .warp = (uint16_t)warp, .cycle = b->r.v.cycle};
}

static void miss(struct both *b, unsigned warp, uint64_t line, uint32_t way)
{
    struct wl_access a = load_of(b, warp, line);
    ccws_tags_policy.on_access(b->tags, &a, WL_MISSED, (int)way);
}

/* `warp` misses on a line of the set and evicts `line`. */
static void evict(struct both *b, unsigned warp, uint64_t line, uint32_t way)
{
    struct wl_access a = load_of(b, warp, line + 1000 * SETS);
    policy_take(&ccws_tags_policy, b->tags, &a, (int)way, line, WL_VALID);
}

static uint64_t tag_hits(const struct both *b) { return policy_counter(&ccws_tags_policy, b->tags, "vta_hits"); }

static void issue(struct both *b, unsigned warp, unsigned n)
{
    while (n--) b->r.p->on_issue(&b->r.s, &b->r.v, warp % 2, warp);
}

static uint64_t may_load(struct both *b)
{
    rig_cycle(&b->r);
    b->r.v.loads = b->r.v.live;
    return rig_allowed(&b->r) & b->r.v.live;
}

TEST(storage)
{
    struct both b;
    begin(&b, "ccws", 1);
    assert_int_equal(ccws_tags_policy.storage_bits(b.tags), 48 * 16 * 25 + 6 * SETS * WAYS);
    assert_int_equal(b.r.p->storage_bits(&b.r.s), 48 * 16 + 2 * 6);
    end(&b);
}

/* A line counts as lost for the warp that had brought it in, not for others. */
TEST(victim_tags_know_whose_line_it_was)
{
    struct both b;
    begin(&b, "ccws", 8);
    miss(&b, 3, 5, 0);
    evict(&b, 4, 5, 0);
    miss(&b, 6, 5, 1);
    assert_int_equal(tag_hits(&b), 0);
    miss(&b, 3, 5, 2);
    assert_int_equal(tag_hits(&b), 1);
    end(&b);
}

/* 8 tags in each of two sets, first in first out. */
TEST(victim_tags_forget_the_oldest)
{
    struct both b;
    begin(&b, "ccws", 2);
    for (uint64_t i = 0; i < 9; i++) { /* even lines: one VTA set */
        miss(&b, 1, 2 * i, 0);
        evict(&b, 0, 2 * i, 0);
    }
    miss(&b, 1, 0, 1);
    assert_int_equal(tag_hits(&b), 0); /* pushed out by the ninth */
    miss(&b, 1, 2, 1);
    miss(&b, 1, 16, 1);
    assert_int_equal(tag_hits(&b), 2);
    end(&b);
}

TEST(a_store_removes_a_line_from_all_tags)
{
    struct both b;
    begin(&b, "ccws", 8);
    miss(&b, 3, 5, 0);
    evict(&b, 4, 5, 0);
    struct wl_access a = load_of(&b, 7, 5);
    a.kind = WL_STORE;
    ccws_tags_policy.on_access(b.tags, &a, WL_STORED, -1);
    miss(&b, 3, 5, 0);
    assert_int_equal(tag_hits(&b), 0);
    end(&b);
}

/* 10 warps: the height is 1000. One VTA hit in 16 instructions scores 1 * 8 * 1000 / 16 = 500: with
 * it 5 warps at 100 fit. It sinks by one per cycle. */
TEST(a_score_holds_others_back)
{
    struct both b;
    begin(&b, "ccws", 10);
    assert_int_equal(may_load(&b), 0x3ff);
    issue(&b, 0, 16);
    miss(&b, 7, 5, 0);
    evict(&b, 4, 5, 0);
    miss(&b, 7, 5, 0);
    uint64_t at = b.r.v.cycle;
    assert_int_equal(may_load(&b), BIT(7) | 0x3f); /* 499 + 6 * 100: 0 to 5 */
    b.r.v.loads = 0;
    assert_int_equal(rig_allowed(&b.r) & 0x3ff, 0x3ff); /* other instructions may issue */
    b.r.v.cycle = at + 99;
    assert_int_equal(may_load(&b), BIT(7) | 0x3f); /* 400 + 600: just enough */
    assert_int_equal(may_load(&b), BIT(7) | 0x7f); /* 399 + 700 */
    b.r.v.cycle = at + 299;
    assert_int_equal(may_load(&b), 0x3ff & ~BIT(9)); /* 200 + 800 */
    assert_int_equal(may_load(&b), 0x3ff);           /* 199: all are needed to reach the height */
    end(&b);
}

/* Between two wishes the answer may not change. */
TEST(wakes_when_the_answer_changes)
{
    struct both b;
    begin(&b, "ccws", 10);
    issue(&b, 0, 16);
    miss(&b, 7, 5, 0);
    evict(&b, 4, 5, 0);
    miss(&b, 7, 5, 0);
    uint64_t wish = 0, before = 0;
    for (unsigned i = 0; i < 500; i++) {
        uint64_t now = may_load(&b);
        if (i && now != before) assert_true(b.r.v.cycle >= wish);
        if (now != before || b.r.v.cycle >= wish) {
            b.r.v.cycle--;
            wish = rig_cycle(&b.r);
            assert_true(wish > b.r.v.cycle);
        }
        before = now;
    }
    assert_int_equal(wish, UINT64_MAX);
    end(&b);
}

TEST(a_warp_takes_its_share_with_it)
{
    struct both b;
    begin(&b, "ccws", 10);
    issue(&b, 0, 16);
    miss(&b, 7, 5, 0);
    evict(&b, 4, 5, 0);
    miss(&b, 7, 5, 0);
    rig_exit(&b.r, 7);
    assert_int_equal(may_load(&b), 0x3ff & ~BIT(7)); /* nobody is raised */
    rig_launch(&b.r, 7, 0);
    miss(&b, 4, 6, 0);
    evict(&b, 5, 6, 0);
    miss(&b, 4, 6, 0); /* one hit again, not two: 500 */
    assert_int_equal(may_load(&b), BIT(4) | 0x6f);
    end(&b);
}

TEST(needs_its_tags)
{
    struct gpu_config c;
    const char *why = "";
    void *nothing = NULL;
    config_defaults(&c);
    assert_int_equal(config_set_sched(&c, "ccws", NULL), 0);
    struct wl_sched s = {.g = {0, 15, RIG_WARPS, RIG_SCHEDULERS}, .param = c.sched.values, .shared = &nothing};
    assert_false(c.sched.policy->init(&s, &why));
    assert_non_null(strstr(why, "--l1 ccws_tags"));
    uint64_t foreign[4] = {1, 2, 3, 4}; /* another scheme's state in the shared slot */
    nothing = foreign;
    assert_false(c.sched.policy->init(&s, &why));
}
