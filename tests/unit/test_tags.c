/* test_tags.c - set index functions against their definitions bit by bit; the infinite array. */
#include "test.h"

#include "mem/tags.h"

static unsigned address_bit(uint64_t line, unsigned bit) { return (unsigned)(line >> (bit - 7)) & 1; }

/* A line number as a program makes them: small, large, strided. */
static uint64_t some_line(uint64_t *seed, unsigned i)
{
    if (i % 3 == 0) return i;
    if (i % 3 == 1) return (uint64_t)i << draw(seed, 20);
    return splitmix64(seed) >> 24;
}

TEST(linear_takes_the_low_bits)
{
    uint64_t seed = 1;
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t line = some_line(&seed, i);
        assert_int_equal(set_index(INDEX_LINEAR, 32, line), line % 32);
        assert_int_equal(set_index(INDEX_LINEAR, 1, line), 0);
        assert_int_equal(set_index(INDEX_LINEAR, 48, line), line % 48);
    }
}

TEST(xor_folds_the_next_bits)
{
    uint64_t seed = 2;
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t line = some_line(&seed, i);
        for (unsigned bits = 1; bits <= 8; bits++) {
            unsigned expected = 0;
            for (unsigned b = 0; b < bits; b++) expected |= (unsigned)((line >> b ^ line >> (b + bits)) & 1) << b;
            assert_int_equal(set_index(INDEX_XOR, 1u << bits, line), expected);
        }
    }
}

/* i[4:0] xor (a13, a14, a15, a17, a19), a13 lowest; 64 sets add address bit 12 as bit 5. */
TEST(fermi_hash)
{
    static const unsigned partner[] = {13, 14, 15, 17, 19};
    uint64_t seed = 3;
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t line = some_line(&seed, i);
        unsigned expected = 0;
        for (unsigned b = 0; b < 5; b++) expected |= (address_bit(line, 7 + b) ^ address_bit(line, partner[b])) << b;
        assert_int_equal(set_index(INDEX_FERMI, 32, line), expected);
        assert_int_equal(set_index(INDEX_FERMI, 64, line), expected | address_bit(line, 12) << 5);
    }
}

/* Bits of h that are xored into each index bit; -1 ends a list. */
static const signed char ipoly16[4][10] = {{0, 3, 4, 6, 8, 9, 10, 11, -1},
                                           {0, 1, 3, 5, 6, 7, 8, 12, -1},
                                           {1, 2, 4, 6, 7, 8, 9, -1},
                                           {2, 3, 5, 7, 8, 9, 10, -1}};
static const signed char ipoly32[5][10] = {{0, 3, 5, 6, 9, 10, 11, 12, 13, -1},
                                           {1, 4, 6, 7, 10, 11, 12, 13, 14, -1},
                                           {0, 2, 3, 6, 7, 8, 9, 10, 14, -1},
                                           {1, 3, 4, 7, 8, 9, 10, 11, -1},
                                           {2, 4, 5, 8, 9, 10, 11, 12, -1}};
static const signed char ipoly64[6][10] = {{0, 5, 6, 10, 12, 15, 16, 17, 18, -1}, {0, 1, 5, 7, 10, 11, 12, 13, 15, -1},
                                           {1, 2, 6, 8, 11, 12, 13, 14, 16, -1},  {2, 3, 7, 9, 12, 13, 14, 15, 17, -1},
                                           {3, 4, 8, 10, 13, 14, 15, 16, 18, -1}, {4, 5, 9, 11, 14, 15, 16, 17, -1}};

static void check_ipoly(const signed char (*list)[10], unsigned bits)
{
    uint64_t seed = 4;
    for (unsigned i = 0; i < 3000; i++) {
        uint64_t line = some_line(&seed, i), h = line >> bits;
        unsigned expected = 0;
        for (unsigned b = 0; b < bits; b++) {
            unsigned v = (unsigned)(line >> b) & 1;
            for (const signed char *k = list[b]; *k >= 0; k++) v ^= (unsigned)(h >> *k) & 1;
            expected |= v << b;
        }
        assert_int_equal(set_index(INDEX_IPOLY, 1u << bits, line), expected);
    }
}

TEST(ipoly_hash)
{
    check_ipoly(ipoly16, 4);
    check_ipoly(ipoly32, 5);
    check_ipoly(ipoly64, 6);
}

TEST(every_function_spreads_a_full_range_evenly)
{
    static const enum index_fn fn[] = {INDEX_LINEAR, INDEX_XOR, INDEX_FERMI, INDEX_IPOLY};
    for (unsigned f = 0; f < COUNT(fn); f++)
        for (unsigned sets = 32; sets <= 64; sets *= 2) {
            unsigned hits[64] = {0};
            for (uint64_t line = 0; line < 64 * 1024; line++) hits[set_index(fn[f], sets, line)]++;
            for (unsigned s = 0; s < sets; s++) assert_int_equal(hits[s], 64 * 1024 / sets);
        }
}

TEST(finds_what_was_put_and_nothing_else)
{
    struct tags t;
    assert_int_equal(tags_init(&t, 4, 2, INDEX_LINEAR, false), 0);
    assert_int_equal(tags_find(&t, 1, 5), -1);
    tags_take(&t, 1, 3, 5);
    t.state[3] = WL_VALID;
    assert_int_equal(tags_find(&t, 1, 5), 3);
    assert_int_equal(tags_find(&t, 1, 9), -1); /* same set, another line */
    assert_false(tags_view(&t, 1).full);
    tags_take(&t, 1, 2, 9);
    t.state[2] = WL_RESERVED;
    assert_true(tags_view(&t, 1).full);
    tags_take(&t, 1, 3, 13); /* replaced: still as many */
    assert_true(tags_view(&t, 1).full);
    tags_invalidate(&t, 1, 3);
    assert_int_equal(tags_find(&t, 1, 13), -1);
    assert_false(tags_view(&t, 1).full);
    tags_destroy(&t);
}

TEST(infinite_array_grows_and_forgets_nothing)
{
    enum { LINES = 50000 };
    struct tags t;
    assert_int_equal(tags_init(&t, 32, 4, INDEX_FERMI, true), 0);
    assert_int_equal(tags_set(&t, 12345), 0);
    for (uint64_t i = 0; i < LINES; i++) {
        uint64_t line = i * 37 + (i % 5 << 40);
        assert_int_equal(tags_find(&t, 0, line), -1);
        int at = tags_add_infinite(&t, line);
        assert_int_equal(at, i);
        assert_int_equal(t.state[at], WL_INVALID);
        assert_int_equal(t.sectors[at].mshr, NO_MSHR);
        t.sectors[at].valid = (uint8_t)(i & 15);
    }
    for (uint64_t i = 0; i < LINES; i++) {
        int at = tags_find(&t, 0, i * 37 + (i % 5 << 40));
        assert_int_equal(at, i);
        assert_int_equal(t.sectors[at].valid, i & 15);
    }
    assert_int_equal(tags_find(&t, 0, 1), -1);
    tags_clear(&t);
    assert_int_equal(tags_find(&t, 0, 37), -1);
    assert_int_equal(tags_add_infinite(&t, 37), 0);
    tags_destroy(&t);
}

/* Sets of more than 32 ways are searched by a byte per line, which many lines share. */
TEST(a_line_is_found_among_many_ways)
{
    enum { WAYS = 55 };
    struct tags t;
    uint64_t seed = 5, lines[WAYS] = {0};
    assert_int_equal(tags_init(&t, 2, WAYS, INDEX_LINEAR, false), 0);
    for (unsigned i = 0; i < 5000; i++) {
        uint32_t way = (uint32_t)draw(&seed, WAYS);
        uint64_t line = 2 * draw(&seed, 200);
        if (tags_find(&t, 0, line) < 0) {
            if (lines[way]) tags_invalidate(&t, 0, way);
            tags_take(&t, 0, way, line);
            t.state[way] = WL_VALID;
            lines[way] = line + 1;
        }
        for (unsigned k = 0; k < 400; k++) {
            int expected = -1;
            for (unsigned w = 0; w < WAYS; w++)
                if (lines[w] == k + 1) expected = (int)w;
            if (i % 100 == 0) assert_int_equal(tags_find(&t, 0, k), expected);
        }
        assert_int_equal(tags_find(&t, 1, line), -1);
    }
    tags_destroy(&t);
}
