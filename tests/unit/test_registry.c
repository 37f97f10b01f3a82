/* test_registry.c - the list of policies, and the three built-in ones by their rules. */

#include "unit/policy_rig.h"
#include "unit/sched_rig.h"

#include "param/config.h"

static struct wl_err e;

static const struct wl_cache_policy *cache_named(const char *name)
{
    unsigned n;
    const struct wl_cache_policy *const *all = cache_policies(&n);
    for (unsigned i = 0; i < n; i++)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    return NULL;
}

static const struct wl_sched_policy *sched_named(const char *name)
{
    unsigned n;
    const struct wl_sched_policy *const *all = sched_policies(&n);
    for (unsigned i = 0; i < n; i++)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    return NULL;
}

/* 1. Every built-in table satisfies what is asked of a plugin. */
TEST(tables_are_sane)
{
    unsigned n;
    const struct wl_cache_policy *const *caches = cache_policies(&n);
    assert_true(n >= 1);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(caches[i]->abi, WL_ABI);
        assert_true(caches[i]->name && caches[i]->help && caches[i]->levels);
        assert_true(caches[i]->victim || (caches[i]->grains && caches[i]->levels == 1u << WL_L1));
        assert_ptr_equal(cache_named(caches[i]->name), caches[i]);
    }
    const struct wl_sched_policy *const *scheds = sched_policies(&n);
    assert_true(n >= 2);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(scheds[i]->abi, WL_ABI);
        assert_true(scheds[i]->name && scheds[i]->help && scheds[i]->pick);
        assert_ptr_equal(sched_named(scheds[i]->name), scheds[i]);
    }
}

/* 2. Objects that are no plugins. */
TEST(no_plugins)
{
    unsigned before, after;
    cache_policies(&before);
    assert_int_equal(plugin_load("/nonexistent/x.so", &e), WL_EINPUT);
    assert_int_equal(plugin_load("x.so", &e), WL_EINPUT);
    assert_int_equal(plugin_load("/dev/null", &e), WL_EINPUT);
    cache_policies(&after);
    assert_int_equal(before, after);
}

/* 3. A policy specification shows what differs from the defaults. */
TEST(specs)
{
    const struct wl_param params[] = {{"promote", "ways", 1, 4, 7, NULL, "h", "s"},
                                      {"replace", "", 0, 2, 2, "uncon|stall|bypass", "h", "s"},
                                      WL_PARAM_END};
    int64_t values[] = {4, 2};
    char out[64];
    policy_spec("x", params, values, out, sizeof out);
    assert_string_equal(out, "x");
    values[1] = 1;
    policy_spec("x", params, values, out, sizeof out);
    assert_string_equal(out, "x:replace=stall");
    values[0] = 2;
    policy_spec("x", params, values, out, sizeof out);
    assert_string_equal(out, "x:promote=2,replace=stall");
    policy_spec("x", params, values, out, 8); /* cut, not overrun */
    assert_string_equal(out, "x:promo");
}

/* 4. LRU: empty ways first, then the least recent valid one, never one in flight. */
TEST(lru_rules)
{
    const struct wl_cache_policy *p = cache_named("lru");
    struct policy_rig rig;
    const struct cache_choice choice = {.policy = p};
    struct wl_cache *self =
        policy_rig_make(&rig, &choice, (struct wl_geometry){.level = WL_L1, .sets = 2, .ways = 4, .line_bytes = 128});
    assert_int_equal(p->storage_bits(self), 2 * 4 * 2);
    uint8_t state_of[4] = {WL_INVALID, WL_INVALID, WL_INVALID, WL_INVALID};
    const struct wl_set set = {state_of, 4, false};
    struct wl_access a = {.set = 1};
    int way[4];
    for (unsigned i = 0; i < 4; i++) {
        way[i] = p->victim(self, &a, &set);
        assert_in_range(way[i], 0, 3);
        assert_int_equal(state_of[way[i]], WL_INVALID);
        assert_int_equal(p->victim(self, &a, &set), way[i]); /* asking changes nothing */
        p->on_access(self, &a, WL_MISSED, way[i]);
        state_of[way[i]] = WL_RESERVED;
    }
    assert_int_equal(p->victim(self, &a, &set), WL_NO_WAY_STALL);
    for (unsigned i = 0; i < 4; i++) state_of[i] = WL_VALID;
    assert_int_equal(p->victim(self, &a, &set), way[0]);
    p->on_access(self, &a, WL_MERGED, way[0]); /* a merge is a use */
    assert_int_equal(p->victim(self, &a, &set), way[1]);
    state_of[way[1]] = WL_RESERVED;
    assert_int_equal(p->victim(self, &a, &set), way[2]);
    state_of[way[3]] = WL_INVALID; /* killed by a store */
    assert_int_equal(p->victim(self, &a, &set), way[3]);
    policy_rig_close(&rig);
}

/* 5. GTO: the last one while it can, else the oldest. */
TEST(gto_rules)
{
    struct sched_rig r;
    rig_sched(&r, "gto", 0, NULL);
    static const uint64_t age[4] = {30, 10, 20, 40};
    memcpy(r.age, age, sizeof age);
    assert_int_equal(rig_pick(&r, 0, 0xf), 1);
    r.p->on_issue(&r.s, &r.v, 0, 3);
    assert_int_equal(rig_pick(&r, 0, 0xf), 3); /* greedy, although the youngest */
    assert_int_equal(rig_pick(&r, 1, 0xf), 1); /* the other scheduler has its own */
    assert_int_equal(rig_pick(&r, 0, 0x5), 2); /* blocked: the oldest of the rest */
    assert_int_equal(rig_pick(&r, 0, 0xf), 3); /* not issued: still its turn */
    assert_int_equal(r.p->storage_bits(&r.s), 12);
    rig_sched_free(&r);
}

/* 6. LRR: the next slot behind the last, cyclic. */
TEST(lrr_rules)
{
    struct sched_rig r;
    rig_sched(&r, "lrr", 0, NULL);
    assert_int_equal(rig_issue(&r, 0, 0xf), 0);
    assert_int_equal(rig_pick(&r, 0, 0xf), 1);
    assert_int_equal(rig_pick(&r, 0, 0x9), 3); /* those that cannot are skipped */
    assert_int_equal(rig_pick(&r, 0, 0x1), 0);
    r.p->on_issue(&r.s, &r.v, 0, 63); /* the last slot of a full machine */
    assert_int_equal(rig_pick(&r, 0, UINT64_C(1) << 63 | 4), 2);
    assert_int_equal(rig_pick(&r, 0, UINT64_C(1) << 63), 63);
    rig_sched_free(&r);
}
