/* test_dip_rrip.c - DIP and DRRIP by the laws DaCache's specification gives for them. */
#include "unit/l1_bench.h"

/* ---- 8.7 the comparators ---- */

static enum got miss_in(struct bench *b, uint32_t set, uint64_t line)
{
    struct wl_load l = load_of(1, 0);
    return bench_access(b, &l, set, line);
}

static void leader_sets(const char *policy)
{
    for (uint32_t set = 0; set < 32; set++) {
        struct bench b;
        bench_begin(&b, policy);
        assert_int_equal(counter(&b, "psel"), 511);
        miss_in(&b, set, 1000);
        bool first = set == 0 || set == 9 || set == 18 || set == 27,
             second = set == 7 || set == 14 || set == 21 || set == 28;
        assert_int_equal(counter(&b, "psel"), first ? 512 : second ? 510 : 511);
        assert_int_equal(miss_in(&b, set, 1000), HIT);
        assert_int_equal(counter(&b, "psel"), first ? 512 : second ? 510 : 511);
        bench_end(&b);
    }
    struct bench b; /* 64 sets: {0,17,34,51} and {15,30,45,60}; the counter saturates */
    bench_shape(&b, policy, 2, 64, 8);
    for (uint32_t i = 0; i < 100; i++) miss_in(&b, 17 * (i % 4), 1000 + i);
    assert_int_equal(counter(&b, "psel"), 611);
    for (uint64_t i = 0; i < 1100; i++) miss_in(&b, 51, 5000 + i);
    assert_int_equal(counter(&b, "psel"), 1023);
    for (uint32_t i = 0; i < 1100; i++) miss_in(&b, 15 * (1 + i % 4), 9000 + i);
    assert_int_equal(counter(&b, "psel"), 0);
    bench_end(&b);
}

TEST(leaders_move_the_selector)
{
    leader_sets("dip");
    leader_sets("rrip");
}

TEST(dip_followers_follow)
{
    struct bench b;
    bench_letters(&b, "dip");
    assert_int_equal(touch(&b, 'X', 32, 0), MISS); /* the selector starts for LRU */
    assert_string_equal(chain_of(&b), "Xabcdefg");
    miss_in(&b, 0, 1000);
    assert_int_equal(touch(&b, 'Y', 32, 0), MISS);
    assert_string_equal(chain_of(&b), "XabcdefY");
    touch(&b, 'e', 32, 0); /* a hit is LRU's */
    assert_string_equal(chain_of(&b), "eXabcdfY");
    set_states(&b, "Y", WL_RESERVED); /* in flight at the old end: the next victim stands before it */
    touch(&b, 'Z', 32, 0);
    assert_string_equal(chain_of(&b), "eXabcdYZ");
    assert_int_equal(counter(&b, "followed_bip"), 2);
    assert_int_equal(counter(&b, "insert_lru"), 2);
    bench_end(&b);
}

TEST(bip_inserts_every_32nd_as_most_recent)
{
    struct bench b;
    bench_letters(&b, "dip:mode=bip");
    for (unsigned i = 1; i <= 64; i++) {
        miss_in(&b, SET, 1000 + i);
        assert_int_equal(counter(&b, "insert_mru"), i / 32);
    }
    bench_end(&b);
    bench_letters(&b, "dip:mode=bip,epsilon=0"); /* LIP */
    for (unsigned i = 1; i <= 100; i++) miss_in(&b, SET, 1000 + i);
    assert_int_equal(counter(&b, "insert_mru"), 0);
    bench_end(&b);
}

TEST(rrip_victims_and_ageing)
{
    struct bench b;
    struct wl_load l = load_of(1, 0);
    bench_begin(&b, "rrip");
    for (uint64_t w = 0; w < 8; w++) {
        if (w == 2) continue;
        if (w == 3) b.state[SET * 8 + 2] = WL_RESERVED; /* keep way 2 for later */
        assert_int_equal(miss_in(&b, SET, 'a' + w), MISS);
    }
    b.state[SET * 8 + 2] = WL_INVALID;
    miss_in(&b, 0, 1000); /* now BRRIP wins: 6 6 7 6 6 6 6 6 */
    assert_int_equal(miss_in(&b, SET, 'c'), MISS);
    const struct wl_access a = {.set = SET, .load = &l};
    const struct wl_set view = {b.state + SET * 8, 8, true};
    assert_int_equal(b.p->victim(b.c, &a, &view), 2);
    assert_int_equal(counter(&b, "ageings"), 0);
    bench_end(&b);

    bench_begin(&b, "rrip:mode=srrip");
    for (uint64_t w = 0; w < 8; w++) miss_in(&b, SET, 'a' + w); /* all 6 */
    const struct wl_set all = {b.state + SET * 8, 8, true};
    for (int i = 0; i < 3; i++) assert_int_equal(b.p->victim(b.c, &a, &all), 0); /* asked, not taken: no ageing */
    assert_int_equal(counter(&b, "ageings"), 0);
    assert_int_equal(miss_in(&b, SET, 'X'), MISS); /* 6 7 7 7 7 7 7 7 */
    assert_int_equal(counter(&b, "ageings"), 1);
    assert_int_equal(b.p->victim(b.c, &a, &all), 1);
    bench_end(&b);
}

TEST(rrip_hits)
{
    const struct wl_access a = {.set = SET};
    struct bench b;
    bench_begin(&b, "rrip:mode=srrip");
    for (uint64_t w = 0; w < 8; w++) miss_in(&b, SET, 'a' + w);
    const struct wl_set view = {b.state + SET * 8, 8, true};
    for (uint64_t w = 0; w < 8; w++)
        miss_in(&b, SET, w == 1 ? 'a' : 'a' + w); /* all hit: 4 5 5 ... but way 1 untouched */
    assert_int_equal(b.p->victim(b.c, &a, &view), 1);
    for (int i = 0; i < 20; i++) miss_in(&b, SET, 'b'); /* 0, not below */
    assert_int_equal(b.p->victim(b.c, &a, &view), 2);
    for (int i = 0; i < 8; i++) b.state[SET * 8 + i] = WL_RESERVED;
    assert_int_equal(miss_in(&b, SET, 'X'), WAIT);
    assert_int_equal(counter(&b, "ageings"), 0);
    for (int i = 0; i < 8; i++) b.state[SET * 8 + i] = WL_VALID;
    assert_int_equal(miss_in(&b, SET, 'X'), MISS); /* 6+ : the set ages by 2: 6 2 [7] 7 7 7 7 7 */
    assert_int_equal(b.p->victim(b.c, &a, &view), 3);
    bench_end(&b);
    bench_begin(&b, "rrip:mode=srrip,hit=hp");
    for (uint64_t w = 0; w < 8; w++) miss_in(&b, SET, 'a' + w);
    miss_in(&b, SET, 'a');
    miss_in(&b, SET, 'X'); /* ages by 1: 1 6 7 7 ...; then 'b' is X at way 1 */
    assert_int_equal(b.p->victim(b.c, &a, &view), 2);
    bench_end(&b);
    bench_begin(&b, "rrip:mode=brrip");
    for (unsigned i = 1; i <= 64; i++) {
        miss_in(&b, SET, 1000 + i);
        assert_int_equal(counter(&b, "insert_long"), i / 32);
    }
    bench_end(&b);
}
