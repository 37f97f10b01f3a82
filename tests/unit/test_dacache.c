/* test_dacache.c - DaCache and its comparators by their worked examples.
 *
 * Three levels. A bench drives a policy's table by hand with lines whose states the test sets, for
 * the examples about one chain or one counter; a real L1D shows what becomes of the policy's
 * refusals; whole runs show that neutral variants are LRU and that both engines agree.
 *
 * A policy's inside is seen only through its table: the chain by asking for victims of a set whose
 * ways are made invalid one after another, the rest through its counters. */
#include "unit/rig.h"

#include "mem/l1.h"
#include "timing/runner.h"

enum { MAX_LINES = 64 * 16 };

/* ---- the bench ---- */

struct bench {
    struct cache_choice choice;
    const struct wl_cache_policy *p;
    void *self;
    uint32_t sets, ways;
    uint64_t line[MAX_LINES];
    uint8_t state[MAX_LINES];
};

static struct cache_choice choose(const char *spec)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    config_defaults(&c);
    if (config_set_l1(&c, spec, &e)) fail_msg("%s", e.text);
    return c.l1;
}

static void bench_shape(struct bench *b, const char *spec, uint32_t schedulers, uint32_t sets, uint32_t ways)
{
    *b = (struct bench){.choice = choose(spec), .sets = sets, .ways = ways};
    const struct wl_geometry g = {.level = WL_L1,
                                  .sets = sets,
                                  .ways = ways,
                                  .line_bytes = 128,
                                  .sms = 1,
                                  .schedulers = schedulers,
                                  .warps = 48,
                                  .warp_size = 32};
    const char *why = "";
    assert_true(sets * ways <= MAX_LINES);
    b->p = b->choice.policy;
    b->self = b->p->create(&g, b->choice.values, &why);
    if (!b->self) fail_msg("%s: %s", spec, why);
}

/* The paper's L1D: 32 sets of 8 ways, two schedulers. */
static void bench_begin(struct bench *b, const char *spec) { bench_shape(b, spec, 2, 32, 8); }
static void bench_end(struct bench *b) { b->p->destroy(b->self); }

static uint64_t counter(const struct bench *b, const char *name)
{
    uint64_t out[WL_MAX_POLICY_COUNTERS];
    b->p->read_counters(b->self, out);
    for (unsigned i = 0; b->p->counters[i].name; i++)
        if (strcmp(b->p->counters[i].name, name) == 0) return out[i];
    fail_msg("no counter %s", name);
    return 0;
}

static struct wl_load load_of(uint8_t requests, uint16_t rank)
{
    return (struct wl_load){.requests = requests, .rank = rank};
}

/* Whether the load hit. A miss takes a way at once: the bench's memory needs no time. */
enum got { HIT, MISS, WAIT, BYPASS };
static enum got bench_access(struct bench *b, struct wl_load *l, uint32_t set, uint64_t line)
{
    struct wl_access a = {.line = line, .set = set, .pc = l->pc, .warp = l->warp, .rank = l->rank, .load = l};
    uint64_t *lines = b->line + (size_t)set * b->ways;
    uint8_t *states = b->state + (size_t)set * b->ways;
    for (uint32_t w = 0; w < b->ways; w++)
        if (states[w] != WL_INVALID && lines[w] == line) {
            b->p->on_hit(b->self, &a, w, states[w] == WL_RESERVED);
            return HIT;
        }
    const struct wl_set view = {states, b->ways, false};
    int way = b->p->victim(b->self, &a, &view);
    assert_int_equal(b->p->victim(b->self, &a, &view), way); /* asking changes nothing */
    if (way == WL_NO_WAY_STALL) return WAIT;
    if (way == WL_NO_WAY_BYPASS) {
        if (b->p->on_bypass) b->p->on_bypass(b->self, &a);
        return BYPASS;
    }
    assert_true(states[way] != WL_RESERVED);
    if (states[way] == WL_VALID && b->p->on_evict) b->p->on_evict(b->self, &a, (uint32_t)way, lines[way], states[way]);
    b->p->on_insert(b->self, &a, (uint32_t)way);
    lines[way] = line;
    states[way] = WL_VALID;
    return MISS;
}

/* A whole load of one request in each of the sets 0..n-1, lines base, base + 1, ...; its misses. */
static unsigned bench_load(struct bench *b, struct wl_load l, uint64_t base, uint32_t n)
{
    if (b->p->load_begin) b->p->load_begin(b->self, &l);
    for (uint32_t i = 0; i < n; i++) l.missed = (uint16_t)(l.missed + (bench_access(b, &l, i, base + i) != HIT));
    if (b->p->load_end) b->p->load_end(b->self, &l);
    return l.missed;
}

/* ---- seeing the chain: a set of lines with one-letter names ---- */

enum { SET = 5 };

static void bench_letters(struct bench *b, const char *spec)
{
    bench_begin(b, spec);
    for (uint32_t w = 0; w < b->ways; w++) { /* way 7 is at position 0 in a new chain */
        b->line[SET * b->ways + w] = (uint64_t)('a' + (b->ways - 1 - w));
        b->state[SET * b->ways + w] = WL_VALID;
    }
}

static void set_states(struct bench *b, const char *letters, uint8_t state)
{
    for (uint32_t w = 0; w < b->ways; w++)
        if (strchr(letters, (int)b->line[SET * b->ways + w])) b->state[SET * b->ways + w] = state;
}

static const char *chain_of(struct bench *b)
{
    static char text[17];
    uint8_t state[16] = {0};
    const struct wl_access a = {.set = SET};
    text[b->ways] = 0;
    for (uint32_t p = b->ways; p-- > 0;) {
        const struct wl_set view = {state, b->ways, false};
        int way = b->p->victim(b->self, &a, &view);
        assert_in_range(way, 0, b->ways - 1);
        state[way] = WL_RESERVED;
        text[p] = (char)b->line[SET * b->ways + (uint32_t)way];
    }
    return text;
}

static enum got touch(struct bench *b, char letter, uint8_t requests, uint16_t rank)
{
    struct wl_load l = load_of(requests, rank);
    if (b->p->load_begin) b->p->load_begin(b->self, &l);
    return bench_access(b, &l, SET, (uint64_t)letter);
}

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
    b.p->on_kill(b.self, SET, 5); /* c */
    assert_string_equal(chain_of(&b), "abdefghc");
    bench_end(&b);
}

/* ---- 8.3 the counter ---- */

static void loads(struct bench *b, unsigned n, bool full, uint16_t rank)
{
    struct wl_load l = load_of(32, rank);
    l.missed = full ? 0 : 3;
    while (n--) b->p->load_end(b->self, &l);
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
    b.p->load_end(b.self, &two);
    two.missed = 2;
    b.p->load_end(b.self, &two);
    expect_fcw(&b, 4, 128);
    assert_int_equal(counter(&b, "coherent_loads"), 2);
    assert_int_equal(counter(&b, "coherent_full"), 1);
    bench_end(&b);
    bench_begin(&b, "dacache:partition=static,static_n=3");
    loads(&b, 300, true, 0);
    expect_fcw(&b, 6, 128);
    bench_end(&b);
}

/* ---- 8.4 four warps of four lines on a cache of three ---- */

TEST(the_same_misses_can_complete_two_warps_or_none)
{
    static const uint8_t scattered[4] = {1, 1, 1, 1}, gathered[4] = {0, 0, 2, 2};
    struct bench b;
    bench_begin(&b, "dacache");
    for (unsigned w = 0; w < 4; w++) b.p->load_end(b.self, &(struct wl_load){.requests = 4, .missed = scattered[w]});
    assert_int_equal(counter(&b, "divergent_full"), 0);
    for (unsigned w = 0; w < 4; w++) b.p->load_end(b.self, &(struct wl_load){.requests = 4, .missed = gathered[w]});
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
                if (b.p->load_begin) b.p->load_begin(b.self, &l);
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
    assert_int_equal(b.p->victim(b.self, &a, &view), 2);
    assert_int_equal(counter(&b, "ageings"), 0);
    bench_end(&b);

    bench_begin(&b, "rrip:mode=srrip");
    for (uint64_t w = 0; w < 8; w++) miss_in(&b, SET, 'a' + w); /* all 6 */
    const struct wl_set all = {b.state + SET * 8, 8, true};
    for (int i = 0; i < 3; i++) assert_int_equal(b.p->victim(b.self, &a, &all), 0); /* asked, not taken: no ageing */
    assert_int_equal(counter(&b, "ageings"), 0);
    assert_int_equal(miss_in(&b, SET, 'X'), MISS); /* 6 7 7 7 7 7 7 7 */
    assert_int_equal(counter(&b, "ageings"), 1);
    assert_int_equal(b.p->victim(b.self, &a, &all), 1);
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
    assert_int_equal(b.p->victim(b.self, &a, &view), 1);
    for (int i = 0; i < 20; i++) miss_in(&b, SET, 'b'); /* 0, not below */
    assert_int_equal(b.p->victim(b.self, &a, &view), 2);
    for (int i = 0; i < 8; i++) b.state[SET * 8 + i] = WL_RESERVED;
    assert_int_equal(miss_in(&b, SET, 'X'), WAIT);
    assert_int_equal(counter(&b, "ageings"), 0);
    for (int i = 0; i < 8; i++) b.state[SET * 8 + i] = WL_VALID;
    assert_int_equal(miss_in(&b, SET, 'X'), MISS); /* 6+ : the set ages by 2: 6 2 [7] 7 7 7 7 7 */
    assert_int_equal(b.p->victim(b.self, &a, &view), 3);
    bench_end(&b);
    bench_begin(&b, "rrip:mode=srrip,hit=hp");
    for (uint64_t w = 0; w < 8; w++) miss_in(&b, SET, 'a' + w);
    miss_in(&b, SET, 'a');
    miss_in(&b, SET, 'X'); /* ages by 1: 1 6 7 7 ...; then 'b' is X at way 1 */
    assert_int_equal(b.p->victim(b.self, &a, &view), 2);
    bench_end(&b);
    bench_begin(&b, "rrip:mode=brrip");
    for (unsigned i = 1; i <= 64; i++) {
        miss_in(&b, SET, 1000 + i);
        assert_int_equal(counter(&b, "insert_long"), i / 32);
    }
    bench_end(&b);
}

/* ---- 8.8 what is learned of coherent loads ---- */

/* A coherent load of one warp; lines may be one or two. */
static uint64_t coherent(struct bench *b, uint16_t warp, uint16_t rank, uint32_t pc, uint64_t line, unsigned n)
{
    struct wl_load l = {.requests = (uint8_t)n, .warp = warp, .rank = rank, .pc = pc};
    b->p->load_begin(b->self, &l);
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
    b.p->warp_exit(b.self, 1); /* somebody else's end */
    coherent(&b, 0, 0, 16, 300, 1);
    coherent(&b, 0, 0, 16, 300, 1);
    expect_verdicts(&b, 1, 0);
    b.p->warp_exit(b.self, 0); /* its own: what was met is forgotten */
    coherent(&b, 2, 0, 8, 300, 1);
    expect_verdicts(&b, 1, 0);
    b.p->kernel_begin(b.self, 1);
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

/* ---- storage ---- */

static uint64_t storage(const char *spec)
{
    struct bench b;
    bench_begin(&b, spec);
    uint64_t bits = b.p->storage_bits(b.self);
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
    const struct wl_geometry g = {.level = WL_L1, .sets = 32, .ways = 8, .schedulers = 2};
    for (unsigned i = 0; i < COUNT(bad); i++) {
        const char *why = NULL;
        struct cache_choice c = choose(bad[i]);
        assert_null(c.policy->create(&g, c.values, &why));
        assert_non_null(why);
    }
}

/* ---- 8.9 and the refusals of a real L1D ---- */

static struct l1 cache;
static struct req_pool pool;

static void cache_begin(const char *spec, uint32_t mshrs)
{
    struct wl_err e = {.code = WL_OK};
    const struct wl_geometry g = {.sms = 1, .schedulers = 1, .warps = 48, .warp_size = 32};
    const struct l1_shape shape = {
        .sets = 4, .ways = 4, .mshr = mshrs, .merge = 4, .missq = 16, .index = INDEX_LINEAR, .origin = FROM_L1D};
    struct cache_choice choice = choose(spec);
    rig_pool(&pool);
    if (l1_init(&cache, &shape, &choice, &g, &pool, &e)) fail_msg("%s", e.text);
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
        cache.policy->load_begin(cache.self, &l);
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
    cache.policy->load_begin(cache.self, &l);
    assert_int_equal(cache_load(&l, 0, 1), L1_MISSED);
    assert_int_equal(cache_load(&l, 4, 1), L1_MISSED);
    for (int i = 0; i < 3; i++) assert_int_equal(cache_load(&l, 8, 1), L1_NO_MSHR);
    assert_int_equal(cache.stats.bypasses, 0);
    assert_int_equal(cache.stats.misses, 2);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equation_1),
        cmocka_unit_test(warps_outside_the_partition_enter_at_the_old_end),
        cmocka_unit_test(small_and_coherent_loads_enter_as_most_recent),
        cmocka_unit_test(the_boundary_follows_fcw),
        cmocka_unit_test(promotion_goes_by_steps),
        cmocka_unit_test(insertion_and_replacement),
        cmocka_unit_test(a_line_killed_by_a_store_goes_to_the_old_end),
        cmocka_unit_test(fully_cached_loads_raise_fcw),
        cmocka_unit_test(incomplete_loads_lower_fcw),
        cmocka_unit_test(only_divergent_loads_and_only_dyn_count),
        cmocka_unit_test(the_same_misses_can_complete_two_warps_or_none),
        cmocka_unit_test(two_of_four_warps_are_kept),
        cmocka_unit_test(steady_state_of_one_set),
        cmocka_unit_test(dead_blocks_in_one_set),
        cmocka_unit_test(row_pitches_meet_few_sets),
        cmocka_unit_test(leaders_move_the_selector),
        cmocka_unit_test(dip_followers_follow),
        cmocka_unit_test(bip_inserts_every_32nd_as_most_recent),
        cmocka_unit_test(rrip_victims_and_ageing),
        cmocka_unit_test(rrip_hits),
        cmocka_unit_test(a_line_met_again_decides_for_reuse),
        cmocka_unit_test(sixteen_lines_without_reuse_decide_against),
        cmocka_unit_test(only_the_oldest_warp_of_scheduler_0_is_watched),
        cmocka_unit_test(verdicts_leave_in_order),
        cmocka_unit_test(storage_is_the_papers),
        cmocka_unit_test(impossible_parameters_are_refused),
        cmocka_unit_test(without_a_victim_the_l1d_bypasses_or_waits),
        cmocka_unit_test(a_full_mshr_is_no_reason_to_bypass),
        cmocka_unit_test(neutral_variants_are_lru),
        cmocka_unit_test(both_engines_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
