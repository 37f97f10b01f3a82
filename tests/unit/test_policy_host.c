/* test_policy_host.c - what a policy is given, and what happens when it answers what it may not; and the walk
 * that looks for a cache that does not agree with itself. */
#define access unistd_access /* the rig has an access of its own */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#undef access

#include "unit/l1_rig.h"
#include "unit/policy_rig.h"

/* ---- gifts of the host ---- */

static uint64_t epochs, last_epoch;

static size_t some_bytes(const struct wl_geometry *g, const int64_t *param)
{
    assert_int_equal(param[0], 7);
    return g->sets * sizeof(uint64_t);
}
static bool some_init(struct wl_cache *c, const char **why)
{
    const uint64_t *self = c->self;
    (void)why;
    for (uint32_t i = 0; i < c->g.sets; i++) assert_int_equal(self[i], 0);
    for (unsigned i = 0; i < WL_MAX_POLICY_COUNTERS; i++) assert_int_equal(c->count[i], 0);
    assert_int_equal(c->param[0], 7);
    c->epoch = 100;
    return true;
}
static void some_epoch(struct wl_cache *c, uint64_t cycle)
{
    (void)c;
    epochs++;
    last_epoch = cycle;
}

static int answer_with; /* of victim() */
static int alternate;   /* added to it every second time */
static unsigned asked;
static int some_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    (void)c, (void)a, (void)s;
    return answer_with + (asked++ % 2 ? alternate : 0);
}
static const struct wl_cache_policy some = {.abi = WL_ABI,
                                            .name = "some",
                                            .help = "answers as the test says",
                                            .levels = 1u << WL_L1 | 1u << WL_L2,
                                            .bytes = some_bytes,
                                            .init = some_init,
                                            .victim = some_victim,
                                            .on_epoch = some_epoch};

static void make(struct policy_rig *r, bool foreign)
{
    const struct cache_choice choice = {.policy = &some, .foreign = foreign, .values = {7}};
    policy_rig_make(r, &choice, (struct wl_geometry){.level = WL_L2, .index = 3, .sets = 8, .ways = 2});
    asked = 0;
    alternate = 0;
}

TEST(epochs_begin_at_multiples)
{
    struct policy_rig r;
    make(&r, false);
    epochs = 0;
    assert_false(policy_epoch(&r.host, 99));
    assert_true(policy_epoch(&r.host, 100));
    assert_int_equal(last_epoch, 100);
    assert_false(policy_epoch(&r.host, 100));
    assert_int_equal(r.host.next_epoch, 200);
    assert_true(policy_epoch(&r.host, 200));
    assert_int_equal(epochs, 2);
    policy_rig_close(&r);
}

/* ---- answers ---- */

TEST(a_victim_must_be_a_way_that_can_go)
{
    static const struct {
        int answer, used;
        const char *says;
    } c[] = {
        {0, 0, NULL},
        {WL_NO_WAY_STALL, WL_NO_WAY_STALL, NULL},
        {WL_NO_WAY_BYPASS, WL_NO_WAY_BYPASS, NULL},
        {1, WL_NO_WAY_STALL,
         "policy some: victim() answered way 1, which is RESERVED, in set 5 of L2 slice 3; allowed are ways 0 to 1"},
        {2, WL_NO_WAY_STALL, "policy some: victim() answered way 2 in set 5 of L2 slice 3; allowed are ways 0 to 1"},
        {-3, WL_NO_WAY_STALL, "victim() answered way -3"},
        {INT32_MAX, WL_NO_WAY_STALL, "victim() answered way 2147483647"},
        {INT32_MIN, WL_NO_WAY_STALL, "victim() answered way -2147483648"},
    };
    const uint8_t ways[2] = {WL_VALID | WL_DIRTY, WL_RESERVED};
    const struct wl_set set = {ways, 2, true};
    for (unsigned i = 0; i < COUNT(c); i++) {
        struct policy_rig r;
        make(&r, false);
        answer_with = c[i].answer;
        assert_int_equal(policy_victim(&r.host, &(struct wl_access){.set = 5}, &set), c[i].used);
        assert_int_equal(r.breach.broken, c[i].says != NULL);
        if (c[i].says && !strstr(r.breach.text, c[i].says)) fail_msg("%s", r.breach.text);
        policy_rig_close(&r);
    }
}

TEST(a_foreign_policy_is_asked_twice)
{
    const uint8_t ways[2] = {WL_VALID, WL_VALID};
    const struct wl_set set = {ways, 2, true};
    for (int foreign = 0; foreign < 2; foreign++) {
        struct policy_rig r;
        make(&r, foreign);
        answer_with = 0;
        alternate = 1;
        policy_victim(&r.host, &(struct wl_access){.set = 5}, &set);
        if (!WL_CHECKING) assert_int_equal(asked, 1 + foreign);
        if (!WL_CHECKING) assert_int_equal(r.breach.broken, foreign);
        if (foreign)
            assert_non_null(strstr(r.breach.text, "answered 0 and, asked again at once, 1 in set 5 of L2 slice 3"));
        policy_rig_close(&r);
    }
}

/* ---- the walk ---- */

enum fault { INTACT, LOST_MSHR, WRONG_MSHR, DIRTY_NOWHERE, BAD_COUNT, LONG_QUEUE, WRONG_SET, TWICE };

static void spoil(enum fault f)
{
    struct tags *t = &cache.tags;
    int flying = tags_find(t, 1, 1), valid = tags_find(t, 2, 2);
    switch (f) {
    case INTACT: break;
    case LOST_MSHR: t->sectors[flying].mshr = NO_MSHR; break;
    case WRONG_MSHR: cache.mshr.entry[t->sectors[flying].mshr].at++; break;
    case DIRTY_NOWHERE: t->sectors[flying].valid = 0, t->sectors[valid].valid = 0, t->sectors[valid].dirty = 1; break;
    case BAD_COUNT: t->filled[2]++; break;
    case LONG_QUEUE: cache.missq_used++; break;
    case WRONG_SET: t->line[valid] = 3; break;
    case TWICE: t->state[valid ^ 1] = WL_VALID, t->line[valid ^ 1] = 2, t->filled[2]++; break;
    }
}

/* Whether the walk aborts; in a child, whose complaint goes nowhere. */
static bool walk_aborts(enum fault f)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        signal(SIGABRT, SIG_DFL);
        wl_set_paranoid(true);
        spoil(f);
        l1_walk(&cache);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST_WITH(a_walk_finds_what_does_not_agree, begin, end)
{
    assert_int_equal(load(1), L1_MISSED); /* in flight, and in the queue */
    struct req *first = sent();
    make_valid(2);
    assert_int_equal(load(3), L1_MISSED);
    assert_false(walk_aborts(INTACT));
    for (int f = LOST_MSHR; f <= TWICE; f++)
        if (!walk_aborts((enum fault)f)) fail_msg("fault %d passes", f);
    answer(first);
}
