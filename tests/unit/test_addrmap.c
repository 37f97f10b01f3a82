/* test_addrmap.c - addresses to channels, slices, banks, rows and L2 sets. */
#include "test.h"

#include "mem/addrmap.h"
#include "stream/spaces.h"

#define ZERO32 "00000000.00000000.00000000.00000000."
/* SM2_GTX480: from bit 0 up: 6 S, 2 C, 1 B, 4 C, 3 B, 12 R. */
static const char gtx480[] = "dramid@8;" ZERO32 "0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS";
static const char titanv[] = "dramid@8;" ZERO32 "0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS";
/* Channel in bits 8 and 9, bank in 10 to 13, row from 16 up. */
static const char letters[] = ZERO32 "0000RRRR.RRRRRRRR.CCBBBBDD.CCSSSSSS";

static struct addrmap make(const char *text, unsigned channels, unsigned slices, unsigned banks)
{
    struct addrmap m;
    struct wl_err e = {.code = WL_OK};
    if (addrmap_init(&m, text, channels, slices, banks, &e)) fail_msg("%s", e.text);
    m.l2_index = INDEX_LINEAR;
    m.l2_sets = 64;
    return m;
}

static uint64_t bits(uint64_t v, unsigned from, unsigned count) { return v >> from & ((UINT64_C(1) << count) - 1); }

static uint64_t some_address(uint64_t *seed, unsigned i)
{
    return i & 1 ? splitmix64(seed) >> 32 : DEVICE_BASE + draw(seed, 1 << 24);
}

TEST(six_channels_by_division)
{
    struct addrmap m = make(gtx480, 6, 2, 16);
    uint64_t seed = 1;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t a = some_address(&seed, i), rest = (a >> 8) / 6 << 8 | (a & 255);
        struct place p;
        addrmap_place(&m, a, &p);
        assert_int_equal(p.channel, (a >> 8) % 6);
        assert_int_equal(p.bank, bits(rest, 8, 1) | bits(rest, 13, 3) << 1);
        assert_int_equal(p.row, bits(rest, 16, 12));
        assert_int_equal(p.slice, p.channel * 2 + bits(rest, 8, 1));
        /* The set: the address without the channel and without the slice's bit 8. */
        uint64_t inside = bits(rest, 0, 8) | rest >> 9 << 8;
        assert_int_equal(p.set, (inside >> 7) % 64);
    }
}

TEST(power_of_two_channels_are_inserted)
{
    struct addrmap m = make(gtx480, 4, 2, 16);
    uint64_t seed = 2;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t a = some_address(&seed, i);
        struct place p;
        addrmap_place(&m, a, &p);
        assert_int_equal(p.channel, bits(a, 8, 2)); /* all above moves up by two */
        assert_int_equal(p.bank, bits(a, 10, 1) | bits(a, 15, 3) << 1);
        assert_int_equal(p.row, bits(a, 18, 12));
        assert_int_equal(p.slice, p.channel * 2 + bits(a, 10, 1));
        uint64_t inside = bits(a, 0, 8) | a >> 11 << 8;
        assert_int_equal(p.set, (inside >> 7) % 64);
    }
}

TEST(one_channel_has_no_channel_bits)
{
    struct addrmap m = make(gtx480, 1, 1, 16);
    struct place p;
    addrmap_place(&m, 0x12345678, &p);
    assert_int_equal(p.channel, 0);
    assert_int_equal(p.slice, 0);
    assert_int_equal(p.row, bits(0x12345678, 16, 12));
    assert_int_equal(p.set, (0x12345678 >> 7) % 64);
}

TEST(letters_name_the_channel)
{
    struct addrmap m = make(letters, 4, 4, 16);
    uint64_t seed = 3;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t a = some_address(&seed, i);
        struct place p;
        addrmap_place(&m, a, &p);
        assert_int_equal(p.channel, bits(a, 8, 2));
        assert_int_equal(p.bank, bits(a, 10, 4));
        assert_int_equal(p.row, bits(a, 16, 12));
        assert_int_equal(p.slice, p.channel * 4 + bits(a, 10, 2)); /* the lowest bank bits */
        uint64_t inside = bits(a, 0, 8) | a >> 12 << 8;
        assert_int_equal(p.set, (inside >> 7) % 64);
    }
}

/* Every line of a range has its own place, and every place of the range its line. */
static void check_hashed(const char *text, unsigned channels, unsigned slices, unsigned row_bytes, unsigned hash)
{
    enum { SETS = 1024 };
    struct addrmap m = make(text, channels, slices, 16);
    m.hash = hash;
    m.l2_sets = SETS;
    unsigned lines = channels * slices * SETS;
    uint8_t *taken = calloc(lines, 1);
    unsigned(*row_lines)[16][32] = calloc(channels, sizeof *row_lines);
    assert_non_null(taken);
    assert_non_null(row_lines);
    unsigned per_row = row_bytes / LINE_BYTES, rows = lines / (channels * 16 * per_row);
    for (uint64_t line = 0; line < lines; line++) {
        struct place p;
        addrmap_place(&m, line << LINE_SHIFT, &p);
        assert_true(p.channel < channels && p.slice < channels * slices && p.bank < 16 && p.row < rows);
        assert_int_equal(taken[p.slice * SETS + p.set]++, 0);
        row_lines[p.channel][p.bank][p.row]++;
    }
    for (unsigned c = 0; c < channels; c++)
        for (unsigned b = 0; b < 16; b++)
            for (unsigned r = 0; r < rows; r++) assert_int_equal(row_lines[c][b][r], per_row);
    free(taken);
    free(row_lines);
}

static void check_bijective(const char *text, unsigned channels, unsigned slices, unsigned row_bytes)
{
    check_hashed(text, channels, slices, row_bytes, MAP_PLAIN);
}

/* The hashes of mem.hash only move lines between slices: nothing meets that was apart. And they spread
 * what a power of two apart would put into one slice. */
TEST(hashed_places_are_bijective)
{
    check_hashed(gtx480, 8, 2, 4096, MAP_XOR);
    check_hashed(gtx480, 8, 2, 4096, MAP_IPOLY);
    check_hashed(gtx480, 16, 2, 4096, MAP_IPOLY);
    check_hashed(gtx480, 32, 2, 4096, MAP_IPOLY);
    struct addrmap m = make(gtx480, 32, 2, 16);
    m.l2_sets = 64;
    for (unsigned hash = MAP_PLAIN; hash <= MAP_IPOLY; hash++) {
        uint64_t used = 0;
        m.hash = hash;
        for (uint64_t i = 0; i < 256; i++) {
            struct place p;
            addrmap_place(&m, i * 65536, &p);
            used |= bit64(p.slice);
        }
        if (hash == MAP_PLAIN) assert_int_equal(bit_count64(used), 1);
        else assert_true(bit_count64(used) >= (hash == MAP_XOR ? 8 : 48));
    }
}

/* 24 channels of two slices, TITAN V: hashed as 64, of which the last 16 begin again. Worked by hand from the equations
 * of hashing.cc for 64 banks: the upper bits are the address / 256 / 24. */
TEST(ipoly_of_slices_that_are_no_power_of_two)
{
    struct addrmap m;
    struct place p;
    struct wl_err e = {.code = WL_OK};
    unsigned lines[48] = {0};
    assert_int_equal(addrmap_init(&m, titanv, 24, 2, 16, &e), 0);
    m.hash = MAP_IPOLY;
    m.l2_sets = 32;
    addrmap_place(&m, 5 * 256, &p); /* upper bits 0: the index itself, channel 5 and the lowest bank bit 0 */
    assert_int_equal(p.slice, 10);
    addrmap_place(&m, UINT64_C(1) * 24 * 256 + 5 * 256,
                  &p); /* bit 0 is also the lowest bank bit, 11, and turns bits 0 and 1 over */
    assert_int_equal(p.slice, 8);
    addrmap_place(&m, UINT64_C(32) * 24 * 256 + 5 * 256, &p); /* bit 5 turns bits 0, 1 and 5 over: 41 */
    assert_int_equal(p.slice, 41);
    addrmap_place(&m, UINT64_C(16) * 24 * 256 + 20 * 256, &p); /* 40, bit 4: bits 4 and 5: 24 */
    assert_int_equal(p.slice, 24);
    addrmap_place(&m, UINT64_C(16) * 24 * 256 + 5 * 256, &p); /* 10, bits 4 and 5: 58, ten too many */
    assert_int_equal(p.slice, 10);
    for (uint64_t a = 0; a < 48 * 4096 * 256; a += 256) {
        addrmap_place(&m, a, &p);
        assert_true(p.slice < 48 && p.channel == p.slice / 2);
        lines[p.slice]++;
    }
    for (unsigned i = 0; i < 48; i++) assert_true(lines[i] > 0);
}

/* Any number of slices: all get their share of many lines, and of few lines some get several, others none. */
TEST(mixed_places_are_as_if_by_lot)
{
    struct addrmap m;
    struct place p;
    struct wl_err e = {.code = WL_OK};
    unsigned lines[94] = {0}, few = 0, empty = 0;
    assert_int_equal(addrmap_init(&m, titanv, 47, 2, 16, &e), 0);
    m.hash = MAP_MIXED;
    m.l2_sets = 32;
    for (uint64_t line = 0; line < 94 * 1000; line++) {
        addrmap_place(&m, line * 128, &p);
        assert_true(p.slice < 94 && p.channel == p.slice / 2);
        lines[p.slice]++;
        if (line != 127) continue;
        for (unsigned i = 0; i < 94; i++) few = lines[i] > few ? lines[i] : few, empty += !lines[i];
    }
    assert_in_range(few, 3, 8); /* of 128 lines in their turn no slice had more than 2, and none none */
    assert_in_range(empty, 10, 40);
    for (unsigned i = 0; i < 94; i++) assert_in_range(lines[i], 850, 1150);
}

/* dram.cc, dram_req_t: the bank is mixed with the row once it has named the slice. */
TEST(banks_are_hashed_with_rows)
{
    struct addrmap m = make(gtx480, 6, 2, 16);
    struct place plain, hashed;
    bool moved[3] = {false};
    m.l2_sets = 64;
    for (uint64_t a = 0; a < UINT64_C(1) << 26; a += 4096 + 256) {
        m.bank_hash = MAP_PLAIN;
        addrmap_place(&m, a, &plain);
        for (unsigned hash = MAP_XOR; hash <= MAP_IPOLY; hash++) {
            m.bank_hash = (enum map_hash)hash;
            addrmap_place(&m, a, &hashed);
            if (hash == MAP_XOR) assert_int_equal(hashed.bank, plain.bank ^ (plain.row & 15));
            assert_true(hashed.bank < 16);
            assert_int_equal(hashed.slice, plain.slice);
            assert_int_equal(hashed.row, plain.row);
            moved[hash] |= hashed.bank != plain.bank;
        }
    }
    assert_true(moved[MAP_XOR] && moved[MAP_IPOLY]);
}

TEST(places_are_bijective)
{
    check_bijective(gtx480, 6, 2, 4096);
    check_bijective(gtx480, 8, 2, 4096);
    check_bijective(gtx480, 12, 1, 4096);
    check_bijective(gtx480, 1, 4, 4096);
    check_bijective(gtx480, 5, 2, 4096);
    check_bijective(letters, 4, 4, 1024);
}

TEST(a_request_is_routed_like_its_address)
{
    struct addrmap m = make(gtx480, 6, 2, 16);
    struct req r = {.line = 0xC0001234 >> LINE_SHIFT};
    struct place p;
    addrmap_route(&m, &r);
    addrmap_place(&m, r.line << LINE_SHIFT, &p);
    assert_int_equal(r.slice, p.slice);
    assert_int_equal(r.set, p.set);
    assert_int_equal(r.bank, p.bank);
    assert_int_equal(r.row, p.row);
}

static void refused(const char *text, unsigned channels, unsigned slices, unsigned banks, const char *why)
{
    struct addrmap m;
    struct wl_err e = {.code = WL_OK};
    assert_int_equal(addrmap_init(&m, text, channels, slices, banks, &e), WL_EINPUT);
    if (!strstr(e.text, why)) fail_msg("\"%s\" says nothing of \"%s\"", e.text, why);
}

TEST(bad_strings_are_refused)
{
    refused("dramid@8;" ZERO32 "0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSS", 6, 2, 16, "64 letters");
    refused("dramid@8;" ZERO32 "0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSSS", 6, 2, 16, "64 letters");
    refused("dramid@8;" ZERO32 "0000RRRR.RRRRRRRR.BBBCCCCX.CCSSSSSS", 6, 2, 16, "'X'");
    refused("dramid@;" ZERO32 "0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS", 6, 2, 16, "dramid");
    refused("dramid@99;" ZERO32 "0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS", 6, 2, 16, "dramid");
    refused("dramid@8" ZERO32 "0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS", 6, 2, 16, "dramid");
    refused("", 6, 2, 16, "64 letters");
    refused(letters, 6, 2, 16, "channels"); /* two D letters name four */
    refused(letters, 8, 2, 16, "channels");
    refused(gtx480, 6, 2, 8, "bank");
    refused(gtx480, 6, 32, 16, "slices");
}
