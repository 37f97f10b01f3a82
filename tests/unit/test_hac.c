/* test_hac.c - HAC, and WBAR beside it, by the formula tables and set traces of their specification. */
#include "unit/l2_bench.h"

/* ---- 8.1 to 8.3: the formulas ---- */

/* The counter frozen at a value above the oldest place a clean line can take shows EA as such. */
TEST(effective_addresses_are_quantized)
{
    for (uint8_t ea = 1; ea <= 32; ea++) {
        assert_int_equal(enters("hac:mc_fixed=0", 16, WL_LOAD, NVM, ea), 8 + (ea - 1) / 4);
        assert_int_equal(enters("hac:mc_fixed=0", 8, WL_LOAD, NVM, ea), 4 + (ea - 1) / 8);
    }
}

struct row {
    int mc;
    uint32_t dnp, ddp, cnp[2], cdp[2], nvm, dram; /* [ea 1, ea 32] */
};

static void check_rows(uint32_t ways, const struct row *rows, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        char spec[32];
        snprintf(spec, sizeof spec, "hac:mc_fixed=%d", r->mc);
        for (uint8_t ea = 1; ea <= 32; ea = (uint8_t)(ea + 31)) {
            assert_int_equal(enters(spec, ways, WL_STORE, NVM, ea), r->dnp);
            assert_int_equal(enters(spec, ways, WL_STORE, DRAM, ea), r->ddp);
            assert_int_equal(enters(spec, ways, WL_WRITEBACK, NVM, 0), r->dnp);
            assert_int_equal(enters(spec, ways, WL_LOAD, NVM, ea), r->cnp[ea > 1]);
            assert_int_equal(enters(spec, ways, WL_LOAD, DRAM, ea), r->cdp[ea > 1]);
            assert_int_equal(enters(spec, ways, WL_ATOMIC, DRAM, ea), r->cdp[ea > 1]);
        }
        assert_int_equal(rises(spec, ways, NVM), r->nvm);
        assert_int_equal(rises(spec, ways, DRAM), r->dram);
        snprintf(spec, sizeof spec, "wbar:mc_fixed=%d", r->mc); /* the same without ea */
        assert_int_equal(enters(spec, ways, WL_STORE, NVM, 32), r->dnp);
        assert_int_equal(enters(spec, ways, WL_STORE, DRAM, 32), r->ddp);
        assert_int_equal(enters(spec, ways, WL_LOAD, NVM, 32), r->cnp[0]);
        assert_int_equal(enters(spec, ways, WL_LOAD, DRAM, 32), r->cdp[0]);
        assert_int_equal(rises(spec, ways, NVM), r->nvm);
        assert_int_equal(rises(spec, ways, DRAM), r->dram);
    }
}

TEST(formulas_for_16_ways)
{
    static const struct row rows[] = {
        {0, 15, 8, {8, 15}, {1, 8}, 15, 8},     {4, 15, 9, {8, 15}, {2, 9}, 15, 9},
        {8, 14, 10, {7, 14}, {3, 10}, 14, 10},  {12, 14, 11, {7, 14}, {4, 11}, 14, 11},
        {16, 13, 12, {6, 13}, {5, 12}, 13, 12}, {20, 13, 13, {6, 13}, {6, 13}, 13, 13},
        {24, 12, 14, {5, 12}, {7, 14}, 12, 14}, {28, 12, 15, {5, 12}, {8, 15}, 12, 15},
        {31, 12, 15, {5, 12}, {8, 15}, 12, 15},
    };
    check_rows(16, rows, COUNT(rows));
}

TEST(formulas_for_8_ways)
{
    static const struct row rows[] = {
        {0, 7, 4, {4, 7}, {0, 3}, 7, 4},  {4, 7, 5, {4, 7}, {1, 4}, 7, 5},  {8, 6, 6, {3, 6}, {2, 5}, 6, 6},
        {12, 6, 7, {3, 6}, {3, 6}, 6, 7}, {15, 6, 7, {3, 6}, {3, 6}, 6, 7},
    };
    check_rows(8, rows, COUNT(rows));
}

TEST(positions_stay_in_the_set)
{
    assert_int_equal(enters("hac:mc_fixed=63", 32, WL_LOAD, DRAM, 32), 31); /* 4 + 15 + 15 - 1 = 33 */
    assert_int_equal(enters("hac:mc_fixed=31", 8, WL_STORE, DRAM, 1), 7);   /* 11 */
    assert_int_equal(enters("hac:mc_fixed=31", 8, WL_LOAD, DRAM, 32), 7);   /* 10 */
    assert_int_equal(enters("hac:mc_fixed=31", 8, WL_STORE, NVM, 1), 4);
    assert_int_equal(enters("hac:mc_fixed=255", 8, WL_STORE, NVM, 1), 0); /* 7 - 31 */
    assert_int_equal(enters("hac:mc_fixed=255", 8, WL_LOAD, NVM, 1), 0);
    assert_int_equal(rises("hac:mc_fixed=255", 8, NVM), 0);
}

/* ---- 8.4 the miss counter ---- */

static void expect_mc(struct bench *b, bool nvm, uint64_t mc)
{
    uint64_t before = counter(b, "mc_sum");
    memset(b->line, '.', b->ways); /* so that it misses, in an empty set */
    memset(b->state, 0, b->ways);
    assert_int_equal(demand(b, 'x', nvm, 1), MISS);
    assert_int_equal(counter(b, "mc_sum") - before, mc);
}

TEST(the_miss_counter_saturates)
{
    static const uint64_t down[] = {14, 12, 10, 8, 6, 4, 2, 0, 0};
    struct bench b;
    begin(&b, "hac", 16);
    for (unsigned i = 0; i < COUNT(down); i++) expect_mc(&b, NVM, down[i]);
    expect_mc(&b, DRAM, 1);
    expect_mc(&b, NVM, 0);
    end(&b);
    begin(&b, "hac", 16);
    for (uint64_t mc = 17; mc <= 31; mc++) expect_mc(&b, DRAM, mc);
    expect_mc(&b, DRAM, 31);
    expect_mc(&b, NVM, 29);
    assert_int_equal(counter(&b, "mc_high"), 2);
    end(&b);
    begin(&b, "hac", 8);
    for (uint64_t mc = 9; mc <= 15; mc++) expect_mc(&b, DRAM, mc);
    expect_mc(&b, DRAM, 15);
    end(&b);
}

TEST(the_first_miss)
{
    static const uint8_t ea[] = {1, 16, 32};
    static const uint32_t nvm[] = {7, 10, 14}, dram[] = {5, 8, 12};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(enters("hac", 16, WL_LOAD, NVM, ea[i]), nvm[i]);
        assert_int_equal(enters("hac", 16, WL_LOAD, DRAM, ea[i]), dram[i]);
    }
}

TEST(only_demand_misses_move_the_counter)
{
    struct bench b;
    begin_full(&b, "hac", 16);
    store(&b, 'x', NVM, 32);
    use(&b, WL_WRITEBACK, 'y', DRAM, 0);
    demand(&b, 'x', NVM, 8);
    store(&b, 'y', DRAM, 8);
    assert_int_equal(counter(&b, "mc_samples"), 0);
    use(&b, WL_ATOMIC, 'z', DRAM, 8);
    assert_int_equal(counter(&b, "mc_sum"), 17);
    demand(&b, 'v', NVM, 8);
    assert_int_equal(counter(&b, "mc_sum"), 17 + 15);
    end(&b);
    begin_full(&b, "hac:mc_fixed=20", 16);
    demand(&b, 'x', NVM, 1);
    demand(&b, 'y', DRAM, 1);
    assert_int_equal(counter(&b, "mc_sum"), 40);
    end(&b);
}

/* ---- 8.5, 8.6: whole traces. n, d: NVM and DRAM; capitals by a write ---- */

static void trace(uint32_t ways, const uint32_t place[8], const uint64_t mc[4], const char *expect)
{
    static const struct {
        enum wl_kind kind;
        char name; /* n p N: NVM n1 n2 N3; d e D: DRAM d1 d2 D3 */
        bool nvm;
        uint8_t ea;
    } op[8] = {{WL_LOAD, 'n', NVM, 32}, {WL_LOAD, 'd', DRAM, 32}, {WL_LOAD, 'p', NVM, 1},  {WL_LOAD, 'e', DRAM, 1},
               {WL_STORE, 'N', NVM, 8}, {WL_STORE, 'D', DRAM, 8}, {WL_LOAD, 'd', DRAM, 4}, {WL_LOAD, 'p', NVM, 4}};
    struct bench b;
    begin(&b, "hac", ways);
    uint64_t sum = 0;
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(use(&b, op[i].kind, op[i].name, op[i].nvm, op[i].ea), i < 6 ? MISS : HIT);
        assert_int_equal(place_of(&b, op[i].name), place[i]);
        if (i < 4) sum += mc[i];
        assert_int_equal(counter(&b, "mc_sum"), sum);
    }
    assert_string_equal(chain(&b), expect);
    end(&b);
}

TEST(trace_of_16_ways)
{
    trace(16, (const uint32_t[]){14, 11, 7, 4, 14, 11, 15, 15}, (const uint64_t[]){14, 15, 13, 14}, "..e......D.nN.dp");
}

TEST(trace_of_8_ways)
{
    trace(8, (const uint32_t[]){7, 4, 4, 1, 7, 5, 6, 7}, (const uint64_t[]){6, 7, 5, 6}, "e..DndNp");
}

/* ---- 8.7 bypass ---- */

/* Hits bring the lines to the top, one after another: what is left is the oldest. */
static void all_above(struct bench *b, char first, char last)
{
    for (char c = first; c <= last; c++)
        for (int i = 0; i < 2; i++) assert_int_equal(demand(b, c, NVM, 1), HIT);
}

/* a is dirty, lies in NVM and was last asked for by `ea` lanes; it is the oldest. */
static void begin_dirty(struct bench *b, const char *spec, uint8_t ea)
{
    begin_full(b, spec, 8);
    assert_int_equal(store(b, 'a', NVM, ea), HIT);
    b->state[0] |= WL_NVM;
    all_above(b, 'b', 'h');
    assert_string_equal(chain(b), "abcdefgh");
}

TEST(a_low_request_passes_a_dirty_nvm_line)
{
    struct bench b;
    begin_dirty(&b, "hac", 24);                          /* EA 2 */
    assert_int_equal(demand(&b, 'x', DRAM, 16), BYPASS); /* EA 1 */
    assert_int_equal(demand(&b, 'y', NVM, 8), BYPASS);
    assert_string_equal(chain(&b), "abcdefgh");
    assert_int_equal(counter(&b, "mc_samples"), 0);
    assert_int_equal(counter(&b, "bypassed_dram"), 1);
    assert_int_equal(counter(&b, "bypassed_nvm"), 1);
    assert_int_equal(demand(&b, 'x', DRAM, 24), MISS); /* equal is not greater */
    assert_string_equal(chain(&b), "bcdexfgh");
    assert_int_equal(counter(&b, "mc_sum"), 9);
    end(&b);
    begin_dirty(&b, "hac", 24);
    assert_int_equal(store(&b, 'x', DRAM, 1), MISS);
    assert_string_equal(chain(&b), "bcdefgxh");
    assert_int_equal(counter(&b, "mc_samples"), 0);
    end(&b);
}

static enum got against(const char *spec, uint8_t state, enum wl_kind kind)
{
    struct bench b;
    begin_dirty(&b, spec, 32);
    b.state[0] = state;
    enum got got = use(&b, kind, 'x', DRAM, 1);
    end(&b);
    return got;
}

TEST(who_is_passed_and_who_passes)
{
    enum { DIRTY_NVM = WL_VALID | WL_DIRTY | WL_NVM };
    assert_int_equal(against("hac", DIRTY_NVM, WL_LOAD), BYPASS);
    assert_int_equal(against("hac", WL_VALID | WL_NVM, WL_LOAD), MISS);
    assert_int_equal(against("hac", WL_VALID | WL_DIRTY, WL_LOAD), MISS);
    assert_int_equal(against("hac", WL_INVALID, WL_LOAD), MISS);
    assert_int_equal(against("hac", WL_RESERVED | WL_DIRTY | WL_NVM, WL_LOAD), MISS); /* b is the victim */
    assert_int_equal(against("hac", DIRTY_NVM, WL_ATOMIC), MISS);
    assert_int_equal(against("hac", DIRTY_NVM, WL_STORE), MISS);
    assert_int_equal(against("hac", DIRTY_NVM, WL_WRITEBACK), MISS);
    assert_int_equal(against("hac:write_class=l1_wrbk_only", DIRTY_NVM, WL_STORE), BYPASS);
    assert_int_equal(against("hac:write_class=l1_wrbk_only", DIRTY_NVM, WL_WRITEBACK), MISS);
    assert_int_equal(against("hac:bypass=off", DIRTY_NVM, WL_LOAD), MISS);
    assert_int_equal(against("hac:ea=off", DIRTY_NVM, WL_LOAD), MISS);
    assert_int_equal(against("hac:type=off", DIRTY_NVM, WL_LOAD), MISS);
    assert_int_equal(against("wbar", DIRTY_NVM, WL_LOAD), MISS);
}

TEST(a_limit_thaws_a_frozen_set)
{
    struct bench b;
    begin_dirty(&b, "hac:bypass_limit=3", 32);
    for (int i = 0; i < 3; i++) assert_int_equal(demand(&b, 'x', DRAM, 1), BYPASS);
    assert_int_equal(demand(&b, 'x', DRAM, 1), MISS);
    assert_int_equal(counter(&b, "limited"), 1);
    end(&b);
    begin_dirty(&b, "hac", 32);
    for (int i = 0; i < 1000; i++) assert_int_equal(demand(&b, 'x', DRAM, 1), BYPASS);
    assert_int_equal(counter(&b, "frozen_sets"), 1);
    end(&b);
}

/* ---- what makes a line's EA ---- */

TEST(the_last_request_with_lanes_sets_ea)
{
    struct bench b;
    begin_dirty(&b, "hac", 32);
    assert_int_equal(use(&b, WL_WRITEBACK, 'a', NVM, 0), HIT); /* no lanes: EA stays */
    all_above(&b, 'b', 'h');
    assert_int_equal(demand(&b, 'x', DRAM, 24), BYPASS);
    demand(&b, 'a', NVM, 8); /* overwritten, also by less */
    all_above(&b, 'b', 'h');
    assert_int_equal(demand(&b, 'x', DRAM, 8), MISS);
    end(&b);
    begin(&b, "hac", 8);
    assert_int_equal(use(&b, WL_WRITEBACK, 'a', NVM, 0), MISS);
    for (char c = 'b'; c <= 'h'; c++) demand(&b, c, DRAM, 32);
    all_above(&b, 'b', 'h');
    assert_int_equal(demand(&b, 'x', DRAM, 1), MISS); /* EA 0: nothing is smaller */
    end(&b);
}

TEST(words_may_be_counted_instead_of_lanes)
{
    static const uint64_t word[2] = {0xf0, 0}, words[2] = {UINT64_C(0x1000000010010), UINT64_C(1) << 63};
    struct wl_access a = {.set = SET, .nvm = true, .lanes = 32, .bytes = word};
    struct bench b;
    begin_full(&b, "hac:mc_fixed=0", 16);
    access(&b, '*', &a);
    assert_int_equal(place_of(&b, '*'), 15);
    end(&b);
    begin_full(&b, "hac:mc_fixed=0,ea_count=words", 16); /* all lanes read one word */
    access(&b, '*', &a);
    assert_int_equal(place_of(&b, '*'), 8);
    end(&b);
    a.bytes = words; /* single bytes of four words */
    begin_full(&b, "hac:mc_fixed=0,ea_count=words", 32);
    access(&b, '*', &a);
    assert_int_equal(place_of(&b, '*'), 16 + 32 * 3 / 64);
    end(&b);
    a.space = WL_CONST; /* everybody waits for a constant */
    begin_full(&b, "hac:mc_fixed=0,ea_count=words", 16);
    access(&b, '*', &a);
    assert_int_equal(place_of(&b, '*'), 15);
    end(&b);
}

TEST(a_merge_promotes_unless_told)
{
    for (int yes = 0; yes < 2; yes++) {
        struct bench b;
        begin_full(&b, yes ? "hac" : "hac:promote_on_merge=no", 8);
        b.state[0] = WL_RESERVED;
        assert_int_equal(demand(&b, 'a', DRAM, 1), HIT);
        assert_int_equal(place_of(&b, 'a'), yes ? 6 : 0);
        end(&b);
    }
}

TEST(victims_are_invalid_first_and_never_in_flight)
{
    struct bench b;
    begin_full(&b, "hac", 8);
    b.state[5] = WL_INVALID;
    demand(&b, 'x', NVM, 32);
    assert_int_equal(b.line[5], 'x');
    assert_string_equal(chain(&b), "abcdeghx");
    memset(b.state, WL_RESERVED, 8);
    assert_int_equal(demand(&b, 'y', NVM, 1), WAIT);
    b.state[2] = WL_VALID;
    assert_int_equal(demand(&b, 'y', NVM, 1), MISS);
    assert_int_equal(b.line[2], 'y');
    end(&b);
}
