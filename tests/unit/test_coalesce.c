/* test_coalesce.c - transactions and bank passes against brute force.
 *
 * Addresses go through the stream's encoder and decoder, so that the coalescer sees the affine and
 * gathered forms it sees in a run. */
#include "test.h"

#include "sm/sm_priv.h"

/* A machine of 3 SMs with room for 2 CTAs of 4 warps each; warps 0 to 3 are the CTA of slot 0. */
enum { SMS = 3, SLOTS = 2, CTA_WARPS = 4 };
static struct sm_kernel kernel = {.need = {.warps = CTA_WARPS}, .cta_limit = SLOTS};
static struct sm sm = {.kernels = &kernel, .sms = SMS, .cta = {[1] = {.place = 1}}};

/* ---- patterns ---- */

static struct warp_addrs encode(uint32_t mask, const uint64_t *addr)
{
    struct stream_writer w = {0};
    struct stream_reader r;
    struct warp_addrs a;
    stream_begin(&w);
    stream_addrs(&w, mask, addr);
    stream_open(&r, (struct warp_stream){w.data, w.size});
    stream_next_addrs(&r, mask, &a);
    assert_true(stream_done(&r));
    free(w.data);
    for (uint32_t m = mask; m; m &= m - 1) assert_int_equal(warp_addr(&a, bit_low32(m)), addr[bit_low32(m)]);
    return a;
}

/* Aligned addresses as programs make them: strided up and down, clustered, scattered. */
static void pattern(uint64_t *seed, unsigned width, uint64_t *addr)
{
    uint64_t base = DEVICE_BASE + draw(seed, 4096) * width;
    static const int64_t strides[] = {0, 1, 1, 2, 3, 4, 8, 31, 32, 33, 64, -1, -2, -8, -32, -100};
    int64_t stride = strides[draw(seed, COUNT(strides))];
    uint64_t kind = draw(seed, 5);
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        uint64_t lane;
        if (kind < 3) lane = (uint64_t)((int64_t)l * stride * (int64_t)width);
        else if (kind == 3) lane = draw(seed, 64) * width;
        else lane = draw(seed, 1 << 20) * width;
        addr[l] = base + (UINT64_C(1) << 22) * width + lane;
    }
}

static uint32_t some_mask(uint64_t *seed)
{
    uint32_t m = draw(seed, 3) ? UINT32_MAX : (uint32_t)splitmix64(seed);
    return m ? m : 1;
}

/* ---- brute force ---- */

static void touch(struct txn *t, uint64_t addr, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        unsigned byte = (unsigned)(addr + i) & 127;
        t->bytes[byte >> 6] |= bit64(byte & 63);
        t->sectors |= (uint8_t)(1u << (byte >> 5));
    }
    t->lanes++;
}

/* A lane joins the first transaction of its segment in which, for atomics, nobody has its
 * address yet. */
static uint32_t brute_force(const uint64_t *addr, uint32_t mask, unsigned width, unsigned segment, bool atomic,
                            struct txn *out)
{
    uint64_t of[WARP_SIZE], member[WARP_SIZE][WARP_SIZE];
    unsigned members[WARP_SIZE] = {0};
    uint32_t n = 0;
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        if (!(mask >> l & 1)) continue;
        uint32_t i = 0;
        for (; i < n; i++) {
            bool taken = false;
            for (unsigned k = 0; atomic && k < members[i]; k++) taken |= member[i][k] == addr[l];
            if (of[i] == addr[l] / segment && !taken) break;
        }
        if (i == n) {
            of[n] = addr[l] / segment;
            out[n++] = (struct txn){.line = addr[l] / 128};
        }
        member[i][members[i]++] = addr[l];
        touch(&out[i], addr[l], width);
    }
    return n;
}

static int compare(const void *x, const void *y)
{
    const struct txn *a = x, *b = y;
    if (a->line != b->line) return a->line < b->line ? 1 : -1;
    if (a->sectors != b->sectors) return a->sectors < b->sectors ? 1 : -1;
    for (int i = 1; i >= 0; i--)
        if (a->bytes[i] != b->bytes[i]) return a->bytes[i] < b->bytes[i] ? 1 : -1;
    return (int)b->lanes - (int)a->lanes;
}

static void check_same(struct txn *got, uint32_t n, struct txn *expected, uint32_t m)
{
    assert_int_equal(n, m);
    for (uint32_t i = 1; i < n; i++) assert_true(got[i - 1].line >= got[i].line); /* highest first */
    qsort(got, n, sizeof *got, compare);
    qsort(expected, m, sizeof *expected, compare);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(got[i].line, expected[i].line);
        assert_int_equal(got[i].sectors, expected[i].sectors);
        assert_int_equal(got[i].lanes, expected[i].lanes);
        assert_int_equal(got[i].bytes[0], expected[i].bytes[0]);
        assert_int_equal(got[i].bytes[1], expected[i].bytes[1]);
    }
}

static void check_global(enum inst_kind kind, unsigned width, unsigned segment, uint64_t seed)
{
    struct code_inst in = {.kind = (uint8_t)kind, .space = SPACE_GLOBAL, .width = (uint8_t)width};
    static struct txn got[SM_MAX_TXNS], expected[WARP_SIZE];
    for (int i = 0; i < 3000; i++) {
        uint64_t addr[WARP_SIZE];
        uint32_t mask = some_mask(&seed);
        pattern(&seed, width, addr);
        struct memop op = {.inst = &in, .addrs = encode(mask, addr)};
        uint32_t n = coalesce(&sm, &op, got);
        check_same(got, n, expected, brute_force(addr, mask, width, segment, kind == INST_ATOMIC, expected));
    }
}

TEST(bytes_join_per_32) { check_global(INST_LOAD, 1, 32, 1); }
TEST(half_words_join_per_64) { check_global(INST_LOAD, 2, 64, 2); }
TEST(words_join_per_128)
{
    check_global(INST_LOAD, 4, 128, 3);
    check_global(INST_STORE, 4, 128, 4);
}
TEST(double_words_join_per_128) { check_global(INST_LOAD, 8, 128, 5); }
TEST(vectors_join_per_128) { check_global(INST_STORE, 16, 128, 6); }

TEST(later_machines_join_per_128)
{
    sm.segment_shift = LINE_SHIFT;
    check_global(INST_LOAD, 1, 128, 9);
    check_global(INST_STORE, 2, 128, 10);
    check_global(INST_LOAD, 4, 128, 11);
    sm.segment_shift = 0;
}

TEST(sectors_can_be_requests_of_their_own)
{
    sm.segment_shift = SECTOR_SHIFT;
    check_global(INST_LOAD, 1, 32, 12);
    check_global(INST_LOAD, 4, 32, 13);
    check_global(INST_STORE, 8, 32, 14);
    check_global(INST_LOAD, 16, 32, 15);
    check_global(INST_ATOMIC, 4, 32, 16);
    sm.segment_shift = 0;
}

TEST(atomics_that_meet_take_turns)
{
    check_global(INST_ATOMIC, 4, 128, 7);
    check_global(INST_ATOMIC, 8, 128, 8);
    struct code_inst in = {.kind = INST_ATOMIC, .space = SPACE_GLOBAL, .width = 4};
    static struct txn got[SM_MAX_TXNS];
    uint64_t addr[WARP_SIZE];
    for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = DEVICE_BASE;
    struct memop op = {.inst = &in, .addrs = encode(UINT32_MAX, addr)};
    assert_int_equal(coalesce(&sm, &op, got), 32); /* all at one word */
}

/* Lanes 0 to 31 add to two lines, 16 words each: a transaction per line, or per line and half of the warp. */
TEST(halves_of_a_warp_can_have_atomics_of_their_own)
{
    struct code_inst in = {.kind = INST_ATOMIC, .space = SPACE_GLOBAL, .width = 4};
    struct txn got[SM_MAX_TXNS];
    uint64_t addr[WARP_SIZE];
    for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = DEVICE_BASE + l % 2 * 128 + l / 2 * 4;
    struct memop op = {.inst = &in, .addrs = encode(UINT32_MAX, addr)};
    assert_int_equal(coalesce(&sm, &op, got), 2);
    sm.halved_atomics = true;
    assert_int_equal(coalesce(&sm, &op, got), 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(got[i].line, (DEVICE_BASE >> 7) + (i % 2 == 0)); /* the upper half first, high lines first */
        assert_int_equal(got[i].sectors, i < 2 ? 2 : 1);
        assert_int_equal(got[i].lanes, 8);
    }
    op.addrs = encode(0xffff, addr); /* only one half has lanes */
    assert_int_equal(coalesce(&sm, &op, got), 2);
    sm.halved_atomics = false;
}

/* st.v4.u8 of neighbours, 128 bytes: one segment, or segments of 32 bytes as bytes have. */
TEST(small_elements_can_decide_on_the_segment)
{
    struct code_inst in = {.kind = INST_STORE, .space = SPACE_GLOBAL, .width = 4, .element = 1};
    struct txn got[SM_MAX_TXNS];
    uint64_t addr[WARP_SIZE];
    for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = DEVICE_BASE + 4 * l;
    struct memop op = {.inst = &in, .addrs = encode(UINT32_MAX, addr)};
    assert_int_equal(coalesce(&sm, &op, got), 1);
    sm.by_element = true;
    assert_int_equal(coalesce(&sm, &op, got), 4);
    in.element = 2; /* st.v2.u16 */
    assert_int_equal(coalesce(&sm, &op, got), 2);
    in.element = 0; /* st.u32 */
    assert_int_equal(coalesce(&sm, &op, got), 1);
    sm.by_element = false;
}

TEST(constants_join_per_64)
{
    struct code_inst in = {.kind = INST_LOAD, .space = SPACE_CONST, .width = 4};
    static struct txn got[SM_MAX_TXNS];
    uint64_t addr[WARP_SIZE];
    for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = 4 * l;
    struct memop op = {.inst = &in, .addrs = encode(UINT32_MAX, addr)};
    assert_int_equal(coalesce(&sm, &op, got), 2);
    assert_int_equal(got[0].line, got[1].line);
    assert_int_equal(got[0].sectors ^ got[1].sectors, 15);
}

/* ---- local memory: the layout is the SM's, its properties are not ---- */

static uint32_t local(unsigned warp, unsigned width, uint32_t mask, const uint64_t *offset, struct txn *out)
{
    struct code_inst in = {.kind = INST_LOAD, .space = SPACE_LOCAL, .width = (uint8_t)width};
    struct memop op = {.inst = &in, .addrs = encode(mask, offset)};
    op.load.warp = (uint16_t)warp;
    sm.warp[warp].cta = (uint8_t)(warp / CTA_WARPS);
    sm.warp[warp].rank = (uint8_t)(warp % CTA_WARPS);
    return coalesce(&sm, &op, out);
}

TEST(equal_local_offsets_are_one_line_a_word)
{
    static struct txn t[SM_MAX_TXNS];
    uint64_t offset[WARP_SIZE];
    for (unsigned l = 0; l < WARP_SIZE; l++) offset[l] = 48;
    for (unsigned width = 1; width <= 16; width *= 2) {
        uint32_t words = width < 4 ? 1 : width / 4, n = local(3, width, UINT32_MAX, offset, t);
        assert_int_equal(n, words);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(t[i].lanes, 32);
            assert_int_equal(t[i].sectors, 15);
            assert_int_equal(bit_count64(t[i].bytes[0]) + bit_count64(t[i].bytes[1]), 32 * (width < 4 ? width : 4));
        }
    }
}

TEST(local_words_of_threads_never_collide)
{
    static struct txn t[SM_MAX_TXNS], u[SM_MAX_TXNS];
    uint64_t seed = 11;
    for (int i = 0; i < 500; i++) {
        uint64_t a[WARP_SIZE], b[WARP_SIZE];
        for (unsigned l = 0; l < WARP_SIZE; l++) {
            a[l] = 4 * draw(&seed, 64);
            b[l] = 4 * draw(&seed, 64);
        }
        uint32_t n = local(3, 4, UINT32_MAX, a, t), m = local(4, 4, UINT32_MAX, b, u);
        unsigned bytes = 0;
        for (uint32_t k = 0; k < n; k++) bytes += bit_count64(t[k].bytes[0]) + bit_count64(t[k].bytes[1]);
        assert_int_equal(bytes, 128); /* 32 lanes, 32 different words */
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t j = 0; j < m; j++) assert_int_not_equal(t[k].line, u[j].line); /* another warp's */
    }
}

TEST(local_memory_of_sms_is_apart)
{
    static struct txn t[SM_MAX_TXNS], u[SM_MAX_TXNS];
    uint64_t offset[WARP_SIZE] = {0};
    local(0, 4, UINT32_MAX, offset, t);
    sm.index = 1;
    local(0, 4, UINT32_MAX, offset, u);
    sm.index = 0;
    assert_int_not_equal(t[0].line, u[0].line);
}

/* Words of a thread are as far apart as the machine has threads for this kernel, and no line is left out. */
TEST(local_memory_is_dense)
{
    static struct txn t[SM_MAX_TXNS];
    enum { WARPS = SMS * SLOTS * CTA_WARPS };
    bool seen[2 * WARPS] = {false};
    for (unsigned word = 0; word < 2; word++)
        for (sm.index = 0; sm.index < SMS; sm.index++)
            for (unsigned w = 0; w < SLOTS * CTA_WARPS; w++) {
                uint64_t offset[WARP_SIZE];
                for (unsigned l = 0; l < WARP_SIZE; l++) offset[l] = 4 * word;
                assert_int_equal(local(w, 4, UINT32_MAX, offset, t), 1);
                uint64_t line = t[0].line - (L2_LOCAL >> LINE_SHIFT);
                assert_in_range(line, word * WARPS, word * WARPS + WARPS - 1);
                assert_false(seen[line]);
                seen[line] = true;
            }
    sm.index = 0;
}

/* ---- shared memory ---- */

static uint32_t brute_passes(const uint64_t *addr, uint32_t mask, uint32_t banks, bool atomic)
{
    uint32_t most = 1;
    for (uint32_t b = 0; b < banks; b++) {
        uint32_t passes = 0;
        for (unsigned l = 0; l < WARP_SIZE; l++) {
            uint64_t word = addr[l] / 4;
            if (!(mask >> l & 1) || word % banks != b) continue;
            bool seen = false; /* a word read for an earlier lane is there for all */
            for (unsigned k = 0; k < l && !atomic; k++) seen |= (mask >> k & 1) && addr[k] / 4 == word;
            passes += !seen;
        }
        if (passes > most) most = passes;
    }
    return most;
}

TEST(bank_passes)
{
    static const unsigned widths[] = {1, 2, 4, 8, 16};
    uint64_t seed = 12;
    for (int i = 0; i < 4000; i++) {
        uint64_t addr[WARP_SIZE];
        uint32_t mask = some_mask(&seed), banks = draw(&seed, 2) ? 32 : 16;
        pattern(&seed, widths[draw(&seed, COUNT(widths))], addr);
        struct warp_addrs a = encode(mask, addr);
        assert_int_equal(shared_passes(&a, banks, false), brute_passes(addr, mask, banks, false));
        assert_int_equal(shared_passes(&a, banks, true), brute_passes(addr, mask, banks, true));
    }
}

/* The two rows of a 16-wide tile, at every distance that matters. */
TEST(bank_passes_of_two_halves)
{
    uint64_t seed = 13;
    for (int64_t apart = -200; apart <= 200; apart++) {
        for (unsigned stride = 0; stride <= 8; stride += 4) {
            uint64_t addr[WARP_SIZE];
            uint32_t mask = draw(&seed, 2) ? UINT32_MAX : some_mask(&seed);
            for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = 8192 + (uint64_t)(l / 16 * apart * 4) + l % 16 * stride;
            struct warp_addrs a = encode(mask, addr);
            for (uint32_t banks = 16; banks <= 64; banks *= 2)
                assert_int_equal(shared_passes(&a, banks, false), brute_passes(addr, mask, banks, false));
        }
    }
}

TEST(bank_passes_of_known_strides)
{
    static const struct {
        int64_t stride;
        uint32_t passes;
    } known[] = {{0, 1}, {4, 1}, {8, 2}, {12, 1}, {16, 4}, {64, 16}, {128, 32}, {132, 1}, {-4, 1}};
    for (unsigned i = 0; i < COUNT(known); i++) {
        uint64_t addr[WARP_SIZE];
        for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = 8192 + (uint64_t)((int64_t)l * known[i].stride);
        struct warp_addrs a = encode(UINT32_MAX, addr);
        assert_int_equal(shared_passes(&a, 32, false), known[i].passes);
    }
}
