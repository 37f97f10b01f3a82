/* test_hac_static.c - static HAC, Di_Nj and EABP by their worked examples; what all of these store. */
#include "unit/l2_bench.h"

/* ---- 8.8 static HAC, Di_Nj ---- */

static void miss_into(const char *spec, bool nvm, uint8_t ea, const char *expect)
{
    struct bench b;
    begin_full(&b, spec, 8);
    assert_int_equal(demand(&b, 'X', nvm, ea), MISS);
    assert_string_equal(chain(&b), expect);
    end(&b);
    begin_full(&b, spec, 8); /* a write is no different */
    assert_int_equal(store(&b, 'X', nvm, ea), MISS);
    assert_string_equal(chain(&b), expect);
    end(&b);
}

static uint32_t hit_at(const char *spec, uint32_t place, bool nvm)
{
    struct bench b;
    begin_full(&b, spec, 8);
    demand(&b, (char)('a' + place), nvm, 1);
    uint32_t at = place_of(&b, (char)('a' + place));
    end(&b);
    return at;
}

TEST(static_places)
{
    miss_into("hac_static", NVM, 32, "bcdefghX");
    miss_into("hac_static", DRAM, 32, "bcdefgXh");
    miss_into("hac_static", NVM, 16, "bcdeXfgh");
    miss_into("hac_static", DRAM, 16, "bcdXefgh");
    miss_into("hac_static", NVM, 1, "bXcdefgh");
    miss_into("hac_static", DRAM, 1, "Xbcdefgh");
    static const struct {
        uint8_t ea;
        uint32_t nvm, dram;
    } edge[] = {{1, 1, 0}, {8, 1, 0}, {9, 8, 7}, {23, 8, 7}, {24, 15, 14}, {32, 15, 14}};
    for (unsigned i = 0; i < COUNT(edge); i++) {
        assert_int_equal(enters("hac_static", 16, WL_LOAD, NVM, edge[i].ea), edge[i].nvm);
        assert_int_equal(enters("hac_static", 16, WL_LOAD, DRAM, edge[i].ea), edge[i].dram);
    }
    assert_int_equal(hit_at("hac_static", 2, NVM), 6);
    assert_int_equal(hit_at("hac_static", 5, NVM), 7);
    assert_int_equal(hit_at("hac_static", 2, DRAM), 4);
    assert_int_equal(hit_at("hac_static", 6, DRAM), 7);
}

TEST(fixed_places)
{
    miss_into("fixed:d=0,n=7", DRAM, 32, "Xbcdefgh");
    miss_into("fixed:d=0,n=7", NVM, 1, "bcdefghX");
    miss_into("fixed:d=4,n=2", DRAM, 1, "bcdeXfgh");
    miss_into("fixed:d=4,n=2", NVM, 1, "bcXdefgh");
    assert_int_equal(hit_at("fixed:d=4,n=2", 2, DRAM), 7);
}

/* ---- EABP ---- */

TEST(eabp_evicts_what_few_lanes_asked_for)
{
    struct bench b;
    begin(&b, "eabp", 8);
    static const uint8_t ea[] = {20, 5, 32, 5, 9, 32, 32, 32};
    for (char c = 'a'; c <= 'h'; c++) assert_int_equal(demand(&b, c, NVM, ea[c - 'a']), MISS);
    assert_int_equal(counter(&b, "aged"), 1); /* by the eighth miss, before its own line has a priority */
    assert_int_equal(demand(&b, 'x', DRAM, 1), MISS);
    assert_null(strchr(b.line, 'b')); /* the older of the two with 5 lanes */
    demand(&b, 'x', DRAM, 6);         /* a hit raises */
    assert_int_equal(demand(&b, 'y', DRAM, 3), MISS);
    assert_null(strchr(b.line, 'd'));
    assert_int_equal(demand(&b, 'z', DRAM, 32), MISS);
    assert_null(strchr(b.line, 'y'));
    assert_int_equal(demand(&b, 'v', DRAM, 1), MISS);
    assert_null(strchr(b.line, 'x'));
    demand(&b, 'a', DRAM, 1); /* a hit does not lower: 20 lanes, less one of ageing */
    assert_int_equal(demand(&b, 'w', DRAM, 1), MISS);
    assert_null(strchr(b.line, 'v'));
    end(&b);
}

TEST(eabp_may_pass)
{
    struct bench b;
    begin(&b, "eabp:bypass=on", 8);
    for (char c = 'a'; c <= 'h'; c++) demand(&b, c, NVM, 16); /* 7 of them age to priority 14 */
    assert_int_equal(demand(&b, 'x', NVM, 14), BYPASS);
    assert_int_equal(store(&b, 'x', NVM, 14), MISS);
    assert_int_equal(demand(&b, 'y', NVM, 14), MISS); /* x, of the same priority */
    assert_int_equal(counter(&b, "bypassed"), 1);
    end(&b);
}

TEST(eabp_by_insertion)
{
    static const uint32_t expect[] = {0, 3, 4, 7, 8, 15};
    static const uint8_t ea[] = {1, 8, 9, 16, 17, 32};
    for (unsigned i = 0; i < COUNT(ea); i++)
        assert_int_equal(enters("eabp:mode=insert", 16, WL_LOAD, NVM, ea[i]), expect[i]);
    assert_int_equal(rises("eabp:mode=insert", 16, DRAM), 15);
}

/* ---- 8.9 storage; what is refused ---- */

static uint64_t storage(const char *spec, uint32_t sets, uint32_t ways)
{
    struct policy_rig r;
    assert_int_equal(create(&r, spec, sets, ways), 0);
    uint64_t bits = r.host.policy->storage_bits(&r.host.cache);
    policy_rig_close(&r);
    assert_int_equal(bits % 8, 0);
    return bits / 8;
}

TEST(storage_is_the_papers)
{
    assert_int_equal(storage("hac", 384, 16), 3312);
    assert_int_equal(storage("hac", 384, 16) * 10000 / (768 * 1024), 42); /* 0.42 % of the L2 */
    assert_int_equal(storage("hac", 768, 8), 2688);
    assert_int_equal(storage("wbar", 384, 16), 1008);
    assert_int_equal(storage("hac_static", 384, 16), 768);
    assert_int_equal(storage("eabp", 384, 16), (384 * 4 + 6144 * 5) / 8);
}

TEST(what_cannot_work_is_refused)
{
    /* clang-format off */
    static const struct { const char *spec; uint32_t ways; } bad[] = {
        {"hac", 4}, {"hac", 12}, {"wbar", 4}, {"hac_static", 6}, {"fixed:d=8", 8}, {"fixed:n=9", 8},
        {"eabp:mode=insert,bypass=on", 8}};
    for (unsigned i = 0; i < COUNT(bad); i++) {
        struct policy_rig r;
        assert_int_equal(create(&r, bad[i].spec, SETS, bad[i].ways), WL_EINPUT);
        assert_non_null(strstr(r.e.text, "cannot manage this L2: "));
        policy_rig_close(&r);
    }
    /* clang-format on */
}
