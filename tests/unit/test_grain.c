/* test_grain.c - the tag store of a cache of grains by its worked examples: address split, tag masks,
 * sequences of loads in one set. A load that misses is filled at once unless the test says otherwise. */
#include "test.h"

#include "mem/grain_tags.h"

static struct grains *g;
static struct wl_grain_stats stats;

static void begin(uint32_t sets, uint32_t ways, uint32_t bytes)
{
    stats = (struct wl_grain_stats){0};
    g = grain_create(sets, ways, &(struct wl_grains){.bytes = bytes}, &stats);
    assert_non_null(g);
}
static void begin_16k(uint32_t bytes) { begin(32, 4, bytes); }
static void end(void) { grain_destroy(g); }

static uint8_t sectors_of(uint64_t address, uint32_t bytes)
{
    return (uint8_t)((bytes == 128 ? 15u : bytes == 64 ? 3u : 1u) << (address >> 5 & 3));
}

/* What happened, and where. */
enum got { HIT, MISS, PARTIAL, PENDING, NO_ROOM };
static struct grain_place place;
static uint8_t fetched;

static enum got try_load(uint64_t address, uint32_t bytes, bool fill)
{
    struct grain_want w =
        grain_want(g, address >> 7, (uint32_t)(address >> 7) & (g->sets - 1), sectors_of(address, bytes));
    fetched = 0;
    switch (grain_lookup(g, &w, &place)) {
    case GRAIN_HIT: grain_touch(g, &w, &place); return HIT;
    case GRAIN_PENDING: return PENDING;
    case GRAIN_PARTIAL:
        for (uint32_t at = w.set * g->ways; at < (w.set + 1) * g->ways; at++)
            grain_kill(g, at, grain_partial(g, &w, at));
        return PARTIAL;
    case GRAIN_MISS: break;
    }
    if (!grain_room(g, &w, &place)) return NO_ROOM;
    grain_take(g, &w, &place, 7);
    fetched = w.fetch;
    if (fill) grain_arrived(g, place.at, 7);
    return MISS;
}
static enum got load(uint64_t address, uint32_t bytes) { return try_load(address, bytes, true); }

static void set_granularity(uint32_t bytes)
{
    grain_change(g, bytes);
    while (grain_flushing(g)) grain_flush_line(g);
}

/* The chunk tags of a line of set 0, -1 where it holds nothing valid. */
static void check_tags(uint32_t way, int a, int b, int c, int d)
{
    const int want[] = {a, b, c, d};
    const struct grain_line *l = &g->line[way];
    for (unsigned i = 0; i < GRAIN_SLOTS; i++) {
        int got = l->valid >> i & 1 ? (int)grain_split(l->sector[i] << 5, g->sets).chunk : -1;
        if (got != want[i]) fail_msg("way %u slot %u holds %d, not %d", way, i, got, want[i]);
    }
}

static uint32_t resident(void)
{
    uint32_t n = 0;
    for (uint32_t at = 0; at < g->sets * g->ways; at++) n += bit_count32(g->line[at].valid);
    return n;
}

static void load_sixteen(void)
{
    for (uint64_t k = 0; k < 16; k++) assert_int_equal(load(k << 12, 32), MISS);
}

/* ---- 8.1, 8.3 and the masks ---- */

static void check_split(uint64_t address, uint32_t sets, uint64_t common, uint32_t chunk, uint32_t set)
{
    struct grain_split s = grain_split(address, sets);
    assert_int_equal(s.common, common);
    assert_int_equal(s.chunk, chunk);
    assert_int_equal(s.set, set);
}

TEST(an_address_is_split_as_in_the_paper)
{
    check_split(0x04000100, 32, 0x01, 0x0000, 0x02);
    check_split(0x04000100, 64, 0x01, 0x0000, 0x02);
    check_split(0x12345678, 32, 0x04, 0x8d17, 0x0c);
    check_split(0x12345678, 64, 0x04, 0x468b, 0x2c);
    check_split(0xdeadbeef, 32, 0x37, 0xab6f, 0x1d);
    check_split(0xdeadbeef, 64, 0x37, 0x55b7, 0x3d);
    check_split(0x80000060, 32, 0x20, 0x0003, 0x00);
    check_split(0x80000060, 64, 0x20, 0x0003, 0x00);
    check_split(0x1234567890, 32, 0x48d, 0x159c, 0x11);
    check_split(0x1234567890, 64, 0x48d, 0x0acc, 0x31);
}

/* The store compares sector numbers; the hardware would compare (common, chunk) within a set. */
TEST(common_tag_chunk_tag_and_set_name_a_sector)
{
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++) {
        uint64_t a = splitmix64(&seed) >> 20, b = a ^ (UINT64_C(32) << draw(&seed, 39)) * draw(&seed, 2);
        uint32_t sets = 32u << draw(&seed, 2);
        struct grain_split x = grain_split(a, sets), y = grain_split(b, sets);
        bool same = x.common == y.common && x.chunk == y.chunk && x.set == y.set;
        assert_int_equal(same, a >> 5 == b >> 5);
    }
}

TEST(tag_masks)
{
    static const uint8_t table[3][3] = {{1, 3, 15}, {1, 1, 5}, {1, 1, 1}}; /* 5: (0, -, +2, -) */
    for (unsigned granularity = 0; granularity < 3; granularity++)
        for (unsigned size = 0; size < 3; size++)
            assert_int_equal(grain_tag_mask(32u << granularity, 32u << size), table[granularity][size]);
}

TEST(request_sizes)
{
    static const uint8_t bytes[16] = {[1] = 32, [2] = 32, [4] = 32, [8] = 32, [3] = 64, [12] = 64};
    for (uint8_t q = 1; q < 16; q++) assert_int_equal(wl_request_bytes(q), bytes[q] ? bytes[q] : 128);
}

TEST(storage_of_the_tags)
{
    assert_int_equal(wl_grain_tag_bits(32, 4), (6 + 4 * 16) * 128 - 20 * 128);
    assert_int_equal(wl_grain_tag_bits(64, 4), (6 + 4 * 15) * 256 - 19 * 256);
    assert_int_equal(wl_grain_tag_bits(64, 6), (6 + 4 * 15) * 384 - 19 * 384);
}

/* ---- 8.2 ---- */

TEST(figure_6)
{
    begin(64, 4, 64);
    struct grain_want w = grain_want(g, 0x04000100 >> 7, 2, 15);
    assert_int_equal(w.need, 5); /* 0x0000 and 0x0002 */
    assert_int_equal(load(0x04000100, 128), MISS);
    assert_int_equal(fetched, 15);
    assert_int_equal(place.at, 2 * 4);
    assert_int_equal(g->line[8].common, 1);
    assert_int_equal(load(0x04000100, 128), HIT);
    assert_int_equal(load(0x04000160, 32), HIT);   /* tag 3 */
    assert_int_equal(load(0x00000100, 128), MISS); /* another common tag: no chunk is compared */
    assert_int_equal(place.at, 2 * 4 + 1);
    grain_kill(g, 8, 12); /* only (0, 1) left */
    assert_int_equal(load(0x04000100, 128), PARTIAL);
    assert_int_equal(g->line[8].valid, 0);
    assert_int_equal(load(0x04000100, 128), MISS);
    assert_int_equal(fetched, 15);
    end();
}

/* ---- 8.4 ---- */

TEST(sixteen_chunks_of_one_region)
{
    begin_16k(32);
    load_sixteen();
    for (uint32_t way = 0; way < 4; way++) {
        int first = 16 * (int)way;
        check_tags(way, first, first + 4, first + 8, first + 12);
    }
    assert_int_equal(load(16 << 12, 32), MISS);
    check_tags(0, 64, 4, 8, 12);
    assert_int_equal(load(0, 32), MISS);
    check_tags(0, 64, 0, 8, 12);
    assert_int_equal(load(2 << 12, 32), HIT);
    assert_int_equal(place.at, 0);
    assert_int_equal(stats.chunk_evictions, 2);
    assert_int_equal(stats.line_evictions, 0);
    assert_int_equal(stats.opened_ways, 3);
    end();
}

TEST(one_line_a_region)
{
    begin_16k(32);
    g->single = true;
    for (uint64_t k = 0; k < 6; k++) assert_int_equal(load(k << 12, 32), MISS);
    check_tags(0, 16, 20, 8, 12);
    assert_int_equal(resident(), 4);
    assert_int_equal(load(0, 128), MISS); /* replaces that line whole */
    check_tags(0, 0, 1, 2, 3);
    end();
}

TEST(partial_hit)
{
    begin_16k(32);
    assert_int_equal(load(0, 32), MISS);
    assert_int_equal(load(0, 64), PARTIAL);
    assert_int_equal(resident(), 0);
    assert_int_equal(load(0, 64), MISS);
    check_tags(0, 0, 1, -1, -1);
    assert_int_equal(load(0x20, 32), HIT);
    end();
}

TEST(chunks_in_two_lines)
{
    begin_16k(32);
    for (uint64_t k = 0; k < 4; k++) load(k << 12, 32);
    assert_int_equal(load(0x20, 32), MISS);
    check_tags(1, 1, -1, -1, -1);
    assert_int_equal(load(0, 64), PARTIAL);
    check_tags(0, -1, 4, 8, 12);
    check_tags(1, -1, -1, -1, -1);
    assert_int_equal(load(0, 64), MISS);
    check_tags(1, 0, 1, -1, -1);
    end();
}

TEST(chunks_in_pairs)
{
    begin_16k(64);
    assert_int_equal(load(0x20, 32), MISS);
    assert_int_equal(fetched, 3);
    check_tags(0, 0, 1, -1, -1);
    assert_int_equal(load(0, 32), HIT);
    assert_int_equal(load(0x40, 32), MISS);
    assert_int_equal(fetched, 12);
    check_tags(0, 0, 1, 2, 3);
    assert_int_equal(load(0, 128), HIT);
    end();
}

TEST(a_finer_granularity_keeps_everything)
{
    begin_16k(128);
    assert_int_equal(load(0, 128), MISS);
    set_granularity(32);
    assert_int_equal(load(0x60, 32), HIT);
    assert_int_equal(load(0x40, 64), HIT);
    assert_int_equal(load(0, 128), HIT);
    assert_int_equal(stats.flushes, 0);
    end();
    begin_16k(128);
    assert_int_equal(load(0x60, 32), MISS);
    assert_int_equal(fetched, 15);
    assert_int_equal(load(0, 32), HIT);
    end();
}

TEST(whole_lines_replace_the_oldest_line)
{
    begin_16k(32);
    for (uint64_t k = 0; k < 5; k++) {
        assert_int_equal(load(k << 12, 128), MISS);
        assert_int_equal(place.at, k % 4);
    }
    assert_int_equal(load(0x1000, 32), HIT);
    assert_int_equal(place.at, 1);
    assert_int_equal(stats.line_evictions, 1);
    assert_int_equal(stats.evicted_chunks, 4);
    end();
}

TEST(the_two_oldest_chunks_need_not_be_neighbours)
{
    begin(32, 1, 32);
    for (uint64_t k = 0; k < 4; k++) load(k << 12, 32);
    assert_int_equal(load(0, 32), HIT);
    assert_int_equal(load(0x4000, 64), MISS);
    check_tags(0, 0, 16, 17, 12);
    assert_int_equal(stats.chunk_evictions, 2);
    end();
}

TEST(another_region_takes_a_whole_line)
{
    begin_16k(32);
    for (uint64_t k = 0; k < 5; k++) {
        assert_int_equal(load(k << 26, 32), MISS);
        assert_int_equal(place.at, k % 4);
    }
    assert_int_equal(g->line[0].common, 4);
    check_tags(0, 0, -1, -1, -1);
    end();
}

TEST(a_coarser_granularity_flushes)
{
    begin_16k(32);
    load_sixteen();
    set_granularity(128);
    assert_int_equal(resident(), 0);
    assert_int_equal(stats.flushed_chunks, 16);
    assert_int_equal(load(0, 32), MISS);
    assert_int_equal(fetched, 15);
    end();
}

/* ---- in flight ---- */

TEST(chunks_in_flight)
{
    begin_16k(32);
    assert_int_equal(try_load(0, 32, false), MISS);
    assert_int_equal(load(0, 32), PENDING);
    struct grain_want w = grain_want(g, 0, 0, 3);
    assert_int_equal(grain_lookup(g, &w, &place), GRAIN_PARTIAL);
    assert_int_equal(grain_partial(g, &w, 0) & g->line[0].reserved, 1); /* so it has to wait */
    end();
}

TEST(a_flush_dooms_what_is_in_flight)
{
    begin(32, 1, 32);
    assert_int_equal(try_load(0, 32, false), MISS);
    set_granularity(128);
    assert_int_equal(load(0, 32), NO_ROOM);
    grain_arrived(g, 0, 7);
    assert_int_equal(resident(), 0);
    assert_int_equal(stats.dropped_fills, 1);
    assert_int_equal(load(0, 32), MISS);
    check_tags(0, 0, 1, 2, 3);
    end();
}

TEST(what_is_in_flight_is_never_replaced)
{
    begin(32, 1, 32);
    for (uint64_t k = 0; k < 4; k++) assert_int_equal(try_load(k << 12, 32, false), MISS);
    assert_int_equal(load(4 << 12, 32), NO_ROOM);
    assert_int_equal(load(1 << 26, 32), NO_ROOM);
    assert_int_equal(load(4 << 12, 128), NO_ROOM);
    end();
}

/* ---- retain ---- */

TEST(retain_keeps_pairs_and_lines)
{
    begin_16k(32);
    g->retain = true;
    load(0x1020, 32);
    load(0x2000, 64);
    load(0x1000, 32); /* way 0: 5, 8, 9, 4: two pairs, one of them the wrong way round */
    load(0x3000, 32);
    load(0x4000, 128);
    set_granularity(64);
    check_tags(0, 8, 9, 4, 5);
    check_tags(1, -1, -1, -1, -1);
    check_tags(2, 16, 17, 18, 19);
    assert_int_equal(stats.kept_chunks, 8);
    assert_int_equal(stats.flushed_chunks, 1);
    assert_int_equal(load(0x1000, 64), HIT);
    set_granularity(128);
    assert_int_equal(resident(), 4);
    assert_int_equal(load(0x4060, 32), HIT);
    end();
}
