/* test_dacache.c - DaCache by its worked examples: where lines enter, the chain, the counter. */
#include "unit/l1_bench.h"

/* ---- 8.1 where lines enter ---- */

static uint32_t entry_position(const char *spec, const uint32_t shape[3], uint8_t requests, uint16_t rank)
{
    struct bench b;
    bench_shape(&b, spec, shape[0], shape[1], shape[2]);
    for (uint32_t w = 0; w < b.ways; w++) b.line[SET * b.ways + w] = '.';
    assert_int_equal(touch(&b, 'X', requests, rank), MISS);
    const char *text = chain_of(&b);
    uint32_t at = (uint32_t)(strchr(text, 'X') - text);
    bench_end(&b);
    return at;
}

TEST(equation_1)
{
    static const struct {
        uint32_t shape[3];
        char expect[9];
    } table[] = {
        {{2, 32, 8}, "02467777"}, {{1, 32, 8}, "01234567"}, {{4, 32, 8}, "04777777"},  {{2, 64, 6}, "01234555"},
        {{2, 32, 4}, "02333333"}, {{2, 16, 8}, "04777777"}, {{2, 128, 8}, "00112233"},
    };
    for (unsigned i = 0; i < COUNT(table); i++)
        for (uint16_t r = 0; r < 8; r++)
            assert_int_equal(entry_position("dacache:partition=static,static_n=64", table[i].shape, 32, r),
                             table[i].expect[r] - '0');
}

static const uint32_t paper_shape[3] = {2, 32, 8};

TEST(warps_outside_the_partition_enter_at_the_old_end)
{
    static const struct {
        int fcw;
        char expect[7];
    } table[] = {{1, "077777"}, {2, "077777"}, {3, "027777"}, {4, "027777"},
                 {5, "024777"}, {6, "024777"}, {7, "024677"}, {8, "024677"}};
    char spec[64];
    for (unsigned i = 0; i < COUNT(table); i++) {
        snprintf(spec, sizeof spec, "dacache:fcw_init=%d", table[i].fcw);
        for (uint16_t r = 0; r < 6; r++)
            assert_int_equal(entry_position(spec, paper_shape, 32, r), table[i].expect[r] - '0');
    }
    for (uint16_t r = 0; r < 6; r++)
        assert_int_equal(entry_position("dacache:partition=static,static_n=0", paper_shape, 32, r), 7);
    for (uint16_t r = 0; r < 6; r++) /* Static0 protects nobody, whatever the test */
        assert_int_equal(entry_position("dacache:partition=static,static_n=0,thrash_cmp=gt", paper_shape, 32, r), 7);
    /* read as "higher than": one more rank is local */
    assert_int_equal(entry_position("dacache:fcw_init=6,thrash_cmp=gt", paper_shape, 32, 3), 6);
    assert_int_equal(entry_position("dacache:fcw_init=6,thrash_cmp=gt", paper_shape, 32, 4), 7);
    assert_int_equal(entry_position("dacache:width=16,fcw_init=8", paper_shape, 32, 2), 2);
}

TEST(small_and_coherent_loads_enter_as_most_recent)
{
    for (uint8_t n = 1; n <= 5; n++) assert_int_equal(entry_position("dacache", paper_shape, n, 20), 0);
    assert_int_equal(entry_position("dacache", paper_shape, 6, 20), 7);
    assert_int_equal(entry_position("dacache:mru_req_max=0", paper_shape, 3, 20), 7);
    assert_int_equal(entry_position("dacache:coherent_max=8", paper_shape, 8, 20), 0);
    assert_int_equal(entry_position("dacache:partition=static,static_n=0", paper_shape, 3, 0), 0);
    assert_int_equal(entry_position("dacache:partition=static,static_n=0,static0_strict=yes", paper_shape, 3, 0), 7);
    assert_int_equal(entry_position("dacache:partition=static,static_n=1,static0_strict=yes", paper_shape, 3, 9), 0);
}

/* The boundary is seen from what may be replaced: with positions p+1.. in flight, nothing. */
TEST(the_boundary_follows_fcw)
{
    static const int expect[] = {-1, 0, 1, 2, 3, 4, 5, 6, 6, 6};
    for (int fcw = 0; fcw < 10; fcw++) {
        struct bench b;
        char spec[64], tail[9] = "abcdefgh";
        snprintf(spec, sizeof spec, fcw ? "dacache:fcw_init=%d" : "dacache:partition=static,static_n=%d", fcw);
        bench_letters(&b, spec);
        set_states(&b, tail + expect[fcw] + 1, WL_RESERVED);
        assert_int_equal(touch(&b, 'X', 32, 0), BYPASS);
        bench_end(&b);
        bench_letters(&b, spec);
        if (tail[expect[fcw] + 2]) set_states(&b, tail + expect[fcw] + 2, WL_RESERVED);
        assert_int_equal(touch(&b, 'X', 32, 0), MISS);
        bench_end(&b);
    }
    struct bench b; /* the largest FCW still leaves one way */
    bench_letters(&b, "dacache:fcw_init=48");
    assert_int_equal(touch(&b, 'X', 32, 9), MISS);
    assert_string_equal(chain_of(&b), "abcdefgX");
    bench_end(&b);
}

/* ---- 8.2 the chain ---- */

static void hits(const char *spec, const char *letters, const char *expect)
{
    struct bench b;
    bench_letters(&b, spec);
    for (; *letters; letters++) assert_int_equal(touch(&b, *letters, 32, 0), HIT);
    assert_string_equal(chain_of(&b), expect);
    bench_end(&b);
}

TEST(promotion_goes_by_steps)
{
    hits("dacache", "g", "abgcdefh");
    hits("dacache", "gg", "gabcdefh");
    hits("dacache", "ggh", "gabhcdef");
    hits("dacache", "a", "abcdefgh");
    hits("dacache:promo=2", "g", "abcdgefh");
    hits("dacache:promo=1", "g", "abcdegfh");
    hits("dacache:promo=7", "h", "habcdefg");
    hits("dacache:promo=7", "c", "cabdefgh");
    hits("dacache:promo=mru", "g", "gabcdefh");
    struct bench b;
    bench_letters(&b, "dacache:promote_on_merge=no");
    set_states(&b, "g", WL_RESERVED);
    touch(&b, 'g', 32, 0);
    assert_string_equal(chain_of(&b), "abcdefgh");
    touch(&b, 'f', 32, 0);
    assert_string_equal(chain_of(&b), "afbcdegh");
    assert_int_equal(counter(&b, "promotions"), 1);
    bench_end(&b);
}

static void missing(const char *spec, uint16_t rank, const char *reserved, const char *invalid, enum got got,
                    const char *expect)
{
    struct bench b;
    bench_letters(&b, spec);
    set_states(&b, reserved, WL_RESERVED);
    set_states(&b, invalid, WL_INVALID);
    assert_int_equal(touch(&b, 'X', 32, rank), got);
    assert_string_equal(chain_of(&b), expect);
    bench_end(&b);
}

TEST(insertion_and_replacement)
{
    static const char all[] = "dacache:partition=static,static_n=64,replace=uncon";
    static const char uncon[] = "dacache:replace=uncon", stall[] = "dacache:replace=stall", bypass[] = "dacache";
    missing(all, 0, "", "", MISS, "Xabcdefg");
    missing(all, 1, "", "", MISS, "abXcdefg");
    missing(all, 2, "", "", MISS, "abcdXefg");
    missing(all, 3, "", "", MISS, "abcdefXg");
    missing(all, 4, "", "", MISS, "abcdefgX");
    missing(uncon, 9, "gh", "", MISS, "abcdeghX");
    missing(uncon, 1, "gh", "", MISS, "abXcdegh");
    missing(stall, 9, "efgh", "", WAIT, "abcdefgh");
    missing(bypass, 9, "efgh", "", BYPASS, "abcdefgh");
    missing(uncon, 1, "efgh", "", MISS, "abXcefgh");
    missing(bypass, 9, "fgh", "", MISS, "abcdfghX");
    missing(bypass, 0, "", "e", MISS, "Xabcdfgh");
    missing(bypass, 9, "", "b", MISS, "acdefghX");
    missing(uncon, 0, "abcdefgh", "", WAIT, "abcdefgh");
    missing("dacache:partition=static,static_n=0", 0, "bcdefgh", "", MISS,
            "bcdefghX"); /* S0: the whole set is replaceable */
    missing("dacache:partition=static,static_n=0", 0, "abcdefgh", "", BYPASS, "abcdefgh");
}

TEST(a_line_killed_by_a_store_goes_to_the_old_end)
{
    struct bench b;
    bench_letters(&b, "dacache");
    const struct wl_line c = {SET, 5, 0, WL_VALID};
    b.p->on_leave(b.c, &c, WL_KILLED, NULL);
    assert_string_equal(chain_of(&b), "abdefghc");
    bench_end(&b);
}

/* ---- 8.3 the counter ---- */

static void loads(struct bench *b, unsigned n, bool full, uint16_t rank)
{
    struct wl_load l = load_of(32, rank);
    l.missed = full ? 0 : 3;
    while (n--) load_end(b, &l);
}

static void expect_fcw(struct bench *b, unsigned fcw, unsigned cnt)
{
    assert_int_equal(counter(b, "fcw"), fcw);
    assert_int_equal(counter(b, "cnt"), cnt);
}

TEST(fully_cached_loads_raise_fcw)
{
    struct bench b;
    bench_begin(&b, "dacache");
    expect_fcw(&b, 4, 128);
    loads(&b, 127, true, 0);
    expect_fcw(&b, 4, 255);
    loads(&b, 1, true, 0);
    expect_fcw(&b, 5, 128);
    assert_int_equal(counter(&b, "fcw_up"), 1);
    assert_int_equal(counter(&b, "fcw_sum"), 4 * 128);
    assert_int_equal(counter(&b, "divergent_full"), 128);
    bench_end(&b);
    bench_begin(&b, "dacache:fcw_init=48,cnt_init=254");
    loads(&b, 1, true, 0);
    expect_fcw(&b, 48, 255);
    loads(&b, 1, true, 0);
    expect_fcw(&b, 48, 255);
    loads(&b, 1, false, 0);
    expect_fcw(&b, 48, 207);
    bench_end(&b);
}

/* A load of which one request joined a fetch in flight, and none missed. */
static void merged_load(const char *spec, unsigned cnt)
{
    struct bench b;
    struct wl_load l = load_of(32, 20);
    bench_begin(&b, spec);
    load_begin(&b, &l);
    l.missed = l.merged = 1;
    load_end(&b, &l);
    expect_fcw(&b, 4, cnt);
    bench_end(&b);
}

TEST(a_merge_makes_a_load_incomplete_unless_told_otherwise)
{
    merged_load("dacache", 127);
    merged_load("dacache:merge_counts=no", 129);
}

TEST(incomplete_loads_lower_fcw)
{
    static const struct {
        uint16_t rank;
        unsigned cnt;
    } one[] = {{0, 124}, {1, 125}, {2, 126}, {3, 127}, {4, 127}, {23, 127}};
    struct bench b;
    for (unsigned i = 0; i < COUNT(one); i++) {
        bench_begin(&b, "dacache");
        loads(&b, 1, false, one[i].rank);
        expect_fcw(&b, 4, one[i].cnt);
        bench_end(&b);
    }
    bench_begin(&b, "dacache:cnt_rank_unit=sm");
    loads(&b, 1, false, 1); /* two older warps on the SM */
    expect_fcw(&b, 4, 126);
    bench_end(&b);
    bench_begin(&b, "dacache");
    loads(&b, 31, false, 0);
    expect_fcw(&b, 4, 4);
    loads(&b, 1, false, 0);
    expect_fcw(&b, 3, 128);
    loads(&b, 1, false, 0);
    expect_fcw(&b, 3, 125);
    loads(&b, 75 - 33, false, 0);
    expect_fcw(&b, 2, 128);
    loads(&b, 139 - 75, false, 0);
    expect_fcw(&b, 1, 128);
    loads(&b, 266 - 139, false, 0);
    expect_fcw(&b, 1, 1);
    loads(&b, 1, false, 0);
    expect_fcw(&b, 1, 0);
    loads(&b, 5, false, 0);
    expect_fcw(&b, 1, 0);
    loads(&b, 1, true, 0);
    expect_fcw(&b, 1, 1);
    assert_int_equal(counter(&b, "fcw_down"), 3);
    bench_end(&b);
    bench_begin(&b, "dacache:cnt_init=3");
    loads(&b, 1, false, 0);
    expect_fcw(&b, 3, 128);
    bench_end(&b);
}

TEST(only_divergent_loads_and_only_dyn_count)
{
    struct bench b;
    struct wl_load two = load_of(2, 0);
    bench_begin(&b, "dacache");
    load_end(&b, &two);
    two.missed = 2;
    load_end(&b, &two);
    expect_fcw(&b, 4, 128);
    assert_int_equal(counter(&b, "coherent_loads"), 2);
    assert_int_equal(counter(&b, "coherent_full"), 1);
    bench_end(&b);
    bench_begin(&b, "dacache:partition=static,static_n=3");
    loads(&b, 300, true, 0);
    expect_fcw(&b, 6, 128);
    bench_end(&b);
}
