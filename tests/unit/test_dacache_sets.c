/* test_dacache_sets.c - DaCache over many loads: few warps kept whole, one set under pressure, what is
 * learned of coherent loads. */
#include "unit/l1_bench.h"

/* ---- 8.4 four warps of four lines on a cache of three ---- */

TEST(the_same_misses_can_complete_two_warps_or_none)
{
    static const uint8_t scattered[4] = {1, 1, 1, 1}, gathered[4] = {0, 0, 2, 2};
    struct bench b;
    bench_begin(&b, "dacache");
    for (unsigned w = 0; w < 4; w++) load_end(&b, &(struct wl_load){.requests = 4, .missed = scattered[w]});
    assert_int_equal(counter(&b, "divergent_full"), 0);
    for (unsigned w = 0; w < 4; w++) load_end(&b, &(struct wl_load){.requests = 4, .missed = gathered[w]});
    assert_int_equal(counter(&b, "divergent_full"), 2);
    bench_end(&b);
}

static void four_warps(const char *spec, const unsigned expect[4])
{
    struct bench b;
    bench_shape(&b, spec, 1, 4, 3);
    for (unsigned round = 0; round < 12; round++)
        for (uint16_t w = 0; w < 4; w++) {
            unsigned m = bench_load(&b, load_of(4, w), w * 4u, 4);
            if (round >= 6) assert_int_equal(m, expect[w]);
        }
    bench_end(&b);
}

TEST(two_of_four_warps_are_kept)
{
    four_warps("lru", (const unsigned[]){4, 4, 4, 4});
    four_warps("dacache:partition=static,static_n=2,width=4,mru_req_max=0,replace=uncon",
               (const unsigned[]){0, 0, 4, 4});
    four_warps("dacache:partition=static,static_n=2,width=4,mru_req_max=0", (const unsigned[]){0, 0, 4, 4});
}

/* ---- 8.5 one set, many warps ---- */

static unsigned one_set_hits(const char *spec, unsigned warps, unsigned phases, unsigned rounds, unsigned skip)
{
    struct bench b;
    unsigned hit = 0;
    bench_begin(&b, spec);
    for (unsigned p = 0; p < phases; p++)
        for (unsigned r = 0; r < rounds; r++)
            for (unsigned w = 0; w < warps; w++) {
                struct wl_load l = {.requests = 32, .warp = (uint16_t)w, .rank = (uint16_t)(w / 2)};
                load_begin(&b, &l);
                bool is_hit = bench_access(&b, &l, SET, p * 100 + w) == HIT;
                hit += is_hit && r >= skip;
            }
    bench_end(&b);
    return hit;
}

static const char *const promos[] = {"1", "2", "3", "4", "5", "mru"};

TEST(steady_state_of_one_set)
{
    static const unsigned warps[] = {10, 12, 16, 24};
    char spec[96];
    for (unsigned i = 0; i < COUNT(warps); i++) {
        assert_int_equal(one_set_hits("lru", warps[i], 1, 24, 16), 0);
        for (unsigned n = 0; n <= 4; n++)
            for (unsigned k = 0; k < COUNT(promos); k++) {
                snprintf(spec, sizeof spec, "dacache:partition=static,replace=uncon,static_n=%u,promo=%s", n,
                         promos[k]);
                assert_int_equal(one_set_hits(spec, warps[i], 1, 24, 16), 7 * 8);
                assert_int_equal(one_set_hits(spec, 8, 1, 24, 16), 8 * 8);
            }
    }
}

TEST(dead_blocks_in_one_set)
{
    static const struct {
        unsigned warps, lru, s[5], gt[2];
    } table[] = {
        {8, 1120, {56, 322, 588, 854, 1120}, {1120, 1120}},
        {10, 0, {49, 315, 581, 847, 980}, {980, 980}},
        {16, 0, {49, 315, 581, 847, 980}, {980, 980}},
    };
    static const char *const replaces[] = {"uncon", "stall", "bypass"};
    char spec[96];
    for (unsigned i = 0; i < COUNT(table); i++) {
        unsigned w = table[i].warps;
        assert_int_equal(one_set_hits("lru", w, 20, 8, 0), table[i].lru);
        for (unsigned n = 0; n <= 4; n++)
            for (unsigned k = 0; k < COUNT(promos); k++)
                for (unsigned r = 0; r < 3; r++) { /* nothing is in flight: replacement modes agree */
                    snprintf(spec, sizeof spec, "dacache:partition=static,static_n=%u,promo=%s,replace=%s", n,
                             promos[k], replaces[r]);
                    assert_int_equal(one_set_hits(spec, w, 20, 8, 0), table[i].s[n]);
                }
        for (unsigned n = 0; n < 2; n++) {
            snprintf(spec, sizeof spec, "dacache:partition=static,static_n=%u,thrash_cmp=gt,replace=uncon", n + 3);
            assert_int_equal(one_set_hits(spec, w, 20, 8, 0), table[i].gt[n]);
        }
    }
}

/* ---- 8.6 the set index under equation 1 ---- */

TEST(row_pitches_meet_few_sets)
{
    static const struct {
        unsigned pitch, fermi[2], linear[2];
    } table[] = {{8192, {8, 4}, {1, 32}}, {4096, {8, 4}, {1, 32}}, {2048, {16, 2}, {1, 32}}, {1024, {8, 4}, {1, 32}},
                 {512, {16, 2}, {2, 16}}, {256, {16, 2}, {4, 8}},  {136, {29, 2}, {20, 2}},  {2049, {16, 2}, {1, 32}}};
    for (unsigned i = 0; i < COUNT(table); i++)
        for (int f = 0; f < 2; f++) {
            unsigned used = 0, most = 0, n[32] = {0};
            for (unsigned lane = 0; lane < 32; lane++) {
                uint32_t s = set_index(f ? INDEX_FERMI : INDEX_LINEAR, 32, (uint64_t)lane * table[i].pitch * 4 / 128);
                used += n[s]++ == 0;
                if (n[s] > most) most = n[s];
            }
            const unsigned *expect = f ? table[i].fermi : table[i].linear;
            assert_int_equal(used, expect[0]);
            assert_int_equal(most, expect[1]);
        }
}

/* ---- 8.8 what is learned of coherent loads ---- */

/* A coherent load of one warp; lines may be one or two. */
static uint64_t coherent(struct bench *b, uint16_t warp, uint16_t rank, uint32_t pc, uint64_t line, unsigned n)
{
    struct wl_load l = {.requests = (uint8_t)n, .warp = warp, .rank = rank, .pc = pc};
    load_begin(b, &l);
    for (unsigned i = 0; i < n; i++) bench_access(b, &l, (uint32_t)((line + i) % 32), line + i);
    return l.user;
}

static void expect_verdicts(struct bench *b, unsigned reuse, unsigned stream)
{
    assert_int_equal(counter(b, "clp_reuse"), reuse);
    assert_int_equal(counter(b, "clp_stream"), stream);
}

TEST(a_line_met_again_decides_for_reuse)
{
    struct bench b;
    bench_begin(&b, "dacache");
    coherent(&b, 0, 0, 8, 100, 1);
    expect_verdicts(&b, 0, 0);
    coherent(&b, 0, 0, 8, 100, 1);
    expect_verdicts(&b, 1, 0);
    coherent(&b, 4, 2, 8, 100, 1); /* everybody profits */
    assert_int_equal(counter(&b, "clp_known"), 1);
    for (uint64_t i = 0; i < 40; i++) coherent(&b, 0, 0, 8, 200 + i, 1); /* the first verdict stays */
    expect_verdicts(&b, 1, 0);
    coherent(&b, 0, 0, 16, 100, 1); /* another pc's line is no reuse */
    expect_verdicts(&b, 1, 0);
    bench_end(&b);
}

TEST(sixteen_lines_without_reuse_decide_against)
{
    struct bench b;
    bench_begin(&b, "dacache");
    for (uint64_t i = 0; i < 16; i++) coherent(&b, 0, 0, 8, 100 + i, 1);
    expect_verdicts(&b, 0, 0);
    assert_int_equal(counter(&b, "insert_0"), 16);
    coherent(&b, 0, 0, 8, 116, 1);
    expect_verdicts(&b, 0, 1);
    assert_int_equal(counter(&b, "insert_7"), 1); /* the 17th line itself */
    coherent(&b, 3, 1, 8, 117, 1);
    assert_int_equal(counter(&b, "insert_7"), 2);
    bench_end(&b);
    bench_begin(&b, "dacache"); /* two requests, two entries */
    for (uint64_t i = 0; i < 8; i++) coherent(&b, 0, 0, 8, 100 + 2 * i, 2);
    expect_verdicts(&b, 0, 0);
    coherent(&b, 0, 0, 8, 116, 2);
    expect_verdicts(&b, 0, 1);
    bench_end(&b);
    bench_begin(&b, "dacache:clp=off");
    for (uint64_t i = 0; i < 40; i++) coherent(&b, 0, 0, 8, 100 + i, 1);
    expect_verdicts(&b, 0, 0);
    assert_int_equal(counter(&b, "insert_0"), 40);
    bench_end(&b);
}

TEST(only_the_oldest_warp_of_scheduler_0_is_watched)
{
    struct bench b;
    bench_begin(&b, "dacache");
    for (unsigned i = 0; i < 40; i++) {
        coherent(&b, 1, 0, 8, 100, 1);     /* scheduler 1 */
        coherent(&b, 2, 1, 8, 200 + i, 1); /* not the oldest */
    }
    expect_verdicts(&b, 0, 0);
    coherent(&b, 0, 0, 8, 300, 1);
    b.p->loads->warp_exit(b.c, 1); /* somebody else's end */
    coherent(&b, 0, 0, 16, 300, 1);
    coherent(&b, 0, 0, 16, 300, 1);
    expect_verdicts(&b, 1, 0);
    b.p->loads->warp_exit(b.c, 0); /* its own: what was met is forgotten */
    coherent(&b, 2, 0, 8, 300, 1);
    expect_verdicts(&b, 1, 0);
    b.p->on_kernel(b.c, WL_BEGIN, &(struct wl_kernel){"k", 1});
    coherent(&b, 2, 0, 8, 300, 1);
    expect_verdicts(&b, 1, 0);
    coherent(&b, 2, 0, 8, 300, 1);
    expect_verdicts(&b, 2, 0);
    bench_end(&b);
}

TEST(verdicts_leave_in_order)
{
    struct bench b;
    bench_begin(&b, "dacache:clp_entries=2");
    for (uint32_t pc = 8; pc <= 24; pc += 8)
        for (int i = 0; i < 2; i++) coherent(&b, 0, 0, pc, 100, 1);
    expect_verdicts(&b, 3, 0);
    uint64_t known = counter(&b, "clp_known");
    coherent(&b, 5, 5, 8, 100, 1); /* the first is gone */
    assert_int_equal(counter(&b, "clp_known"), known);
    coherent(&b, 5, 5, 16, 100, 1);
    coherent(&b, 5, 5, 24, 100, 1);
    assert_int_equal(counter(&b, "clp_known"), known + 2);
    bench_end(&b);
}

/* An L1D that gives ways to shared memory: the region, the gauge and the old end are those of the ways in use. */
TEST(only_ways_in_use_count)
{
    struct bench b;
    bench_begin(&b, "dacache:fcw_init=6,replace=stall"); /* 32 sets of 8 ways: 6 warps of 32 lines fill 6 ways */
    b.c->g.ways = 4;
    b.p->on_kernel(b.c, WL_BEGIN, &(struct wl_kernel){"k", 1});
    uint8_t all[4] = {WL_VALID, WL_VALID, WL_VALID, WL_VALID};
    const struct wl_set set = {all, 4, true};
    const struct wl_access a = {.set = SET, .kind = WL_LOAD};
    assert_int_equal(b.p->victim(b.c, &a, &set), 0); /* the region leaves one way: that of the oldest of four */
    struct wl_load l = load_of(32, 40);              /* a young warp: enters at the old end */
    load_begin(&b, &l);
    const struct wl_access young = {.set = SET, .kind = WL_LOAD, .rank = 40, .load = &l};
    b.p->on_access(b.c, &young, WL_MISSED, 3);
    assert_int_equal(b.p->victim(b.c, &a, &set), 3);
    assert_int_equal(counter(&b, "insert_3"), 1); /* position 3 is the last */
    b.c->g.ways = 8;
    b.p->on_kernel(b.c, WL_BEGIN, &(struct wl_kernel){"k", 1});
    uint8_t eight[8];
    memset(eight, WL_VALID, sizeof eight);
    assert_in_range(b.p->victim(b.c, &a, &(struct wl_set){eight, 8, true}), 4, 7); /* new ways are the oldest */
    bench_end(&b);
}
