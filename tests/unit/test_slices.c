/* test_slices.c - long streams: packed, kept, unpacked, byte for byte. */
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "stream/slices.h"

static uint32_t pick(uint64_t *seed, uint32_t below) { return (uint32_t)draw(seed, below); }

/* Bytes of which a share, in percent, repeats what stood some way before. */
static void fill(uint8_t *p, size_t n, unsigned share, uint64_t *seed)
{
    for (size_t i = 0; i < n;) {
        if (i && pick(seed, 100) < share) {
            size_t back = 1 + pick(seed, (uint32_t)(i < 300 ? i : 300)), len = 1 + pick(seed, 60);
            for (; len && i < n; len--, i++) p[i] = p[i - back];
        } else {
            p[i++] = (uint8_t)pick(seed, 256);
        }
    }
}

TEST(what_is_packed_comes_back)
{
    static uint8_t in[40000];
    uint64_t seed = 1;
    for (unsigned round = 0; round < 300; round++) {
        struct slice_store store = {.limit = UINT64_MAX, .fd = -1};
        struct slice_chain chain = {.store = &store};
        struct warp_stream s;
        size_t n = round < 60 ? round : pick(&seed, sizeof in);
        fill(in, n, pick(&seed, 101), &seed);
        assert_true(slice_add(&chain, in, n) && slice_prepare(&chain));
        assert_int_equal(slice_take(&chain, &s), 1);
        assert_int_equal(s.size, n);
        if (n) assert_memory_equal(in, s.data, n);
        slice_free(&chain);
    }
}

TEST(a_loop_packs_to_little_more_than_one_round_of_it)
{
    static uint8_t in[SLICE_BYTES];
    struct slice_store store = {.limit = UINT64_MAX, .fd = -1};
    struct slice_chain chain = {.store = &store};
    for (size_t i = 0; i < sizeof in; i++) in[i] = (uint8_t)(i % 25 * 7);
    assert_true(slice_add(&chain, in, sizeof in));
    assert_true(chain.kept < 100);
    slice_free(&chain);
}

/* Two rounds over four warps: with room in memory, with some, with none. */
static void chains(uint64_t limit)
{
    enum { WARPS = 4, SLICES = 20 };
    static uint8_t data[WARPS][SLICES][SLICE_BYTES];
    struct slice_store store = {.limit = limit, .fd = -1};
    struct slice_chain chain[WARPS] = {{0}};
    uint64_t seed = limit + 5, length = 0;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < SLICES; i++)
            for (unsigned w = 0; w < WARPS; w++) {
                fill(data[w][i], SLICE_BYTES, 20 * w, &seed);
                chain[w].store = &store;
                assert_true(slice_add(&chain[w], data[w][i], SLICE_BYTES - i));
            }
        for (unsigned w = 0; w < WARPS; w++) assert_true(slice_prepare(&chain[w]));
        for (unsigned i = 0; i < SLICES; i++)
            for (unsigned w = 0; w < WARPS; w++) {
                struct warp_stream s;
                if (round && i >= SLICES / 2) break; /* the second time they are dropped half read */
                assert_int_equal(slice_take(&chain[w], &s), 1);
                assert_int_equal(s.size, SLICE_BYTES - i);
                assert_memory_equal(s.data, data[w][i], s.size);
            }
        for (unsigned w = 0; w < WARPS; w++) slice_clear(&chain[w]);
        assert_int_equal(store.in_memory, 0);
        if (round) assert_true(store.end <= length + length / 4); /* places are used again */
        length = store.end;
    }
    assert_true(limit < UINT64_MAX ? store.fd >= 0 && store.end : store.fd == -1);
    for (unsigned w = 0; w < WARPS; w++) slice_free(&chain[w]);
    slice_store_free(&store);
}

TEST(slices_in_memory) { chains(UINT64_MAX); }
TEST(slices_in_memory_and_in_the_file) { chains(100000); }
TEST(slices_in_the_file) { chains(0); }

TEST(without_a_file_all_stays_in_memory)
{
    struct slice_store store = {.fd = -2};
    struct slice_chain chain = {.store = &store};
    uint8_t data[100] = {1, 2, 3};
    struct warp_stream s;
    assert_true(slice_add(&chain, data, sizeof data) && slice_prepare(&chain));
    assert_int_equal(slice_take(&chain, &s), 1);
    assert_memory_equal(s.data, data, sizeof data);
    assert_int_equal(slice_take(&chain, &s), 0);
    slice_free(&chain);
    slice_store_free(&store);
}

/* Three windows of two slices each: what they stand for is told when their slices are taken. */
TEST(windows_stand_for_what_was_left_out)
{
    static uint8_t in[100];
    static const uint64_t passed[] = {0, 30, 80, 80, 90, 90};
    struct slice_store store = {.limit = UINT64_MAX, .fd = -1};
    struct slice_chain chain = {.store = &store};
    struct warp_stream s;
    for (unsigned i = 0; i < 6; i++) {
        assert_true(slice_add(&chain, in, sizeof in));
        if (i % 2) slice_cut(&chain);
        if (i == 3) slice_stand_for(&chain, 30, 50); /* the first window's last slice, the second one's first */
    }
    slice_stand_for(&chain, 0, 10);
    assert_true(slice_prepare(&chain));
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(slice_take(&chain, &s), 1);
        assert_int_equal(chain.passed, passed[i]);
    }
    slice_clear(&chain);
    assert_int_equal(chain.passed, 90); /* of all streams that the chain has held */
    slice_free(&chain);
    slice_store_free(&store);
}

/* The same records by a writer with slices and by one without. */
TEST(a_sliced_stream_is_the_whole_one)
{
    struct slice_store store = {.limit = 1000, .fd = -1};
    struct slice_chain chain = {.store = &store};
    struct stream_writer whole = {0}, sliced = {.chain = &chain};
    struct warp_stream s;
    uint64_t seed = 9, addr[WARP_SIZE];
    size_t at = 0;
    unsigned count = 0;
    stream_begin(&whole);
    stream_begin(&sliced);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t mask = pick(&seed, 4) ? UINT32_MAX : 1 + pick(&seed, 1000), block = pick(&seed, 300);
        bool scattered = pick(&seed, 10) == 0;
        for (unsigned l = 0; l < WARP_SIZE; l++)
            addr[l] = scattered ? pick(&seed, 1 << 30) : UINT64_C(4096) + 4 * l + 128 * (uint64_t)i;
        stream_block(&whole, block, mask);
        stream_block(&sliced, block, mask);
        stream_addrs(&whole, mask, addr);
        stream_addrs(&sliced, mask, addr);
    }
    assert_true(stream_end(&whole) && stream_end(&sliced));
    assert_int_equal(chain.raw, whole.size);
    for (; slice_take(&chain, &s) == 1; at += s.size, count++) {
        assert_true(at + s.size <= whole.size && s.size < SLICE_BYTES + 1000);
        assert_memory_equal(s.data, whole.data + at, s.size);
    }
    assert_int_equal(at, whole.size);
    assert_true(count > 10);
    free(whole.data);
    slice_free(&chain);
    slice_store_free(&store);
}
