/* test_stream.c - streams: what was written is read, and damaged bytes are found. */
#include "test.h"

#include "stream/stream.h"

/* Five blocks: plain, with memory, guarded, mixed, and generic. */
enum { LISTED = 10, GENERICS = 2 };
static struct code_inst insts[LISTED + GENERICS * GENERIC_FORMS] = {
    {.kind = INST_ALU},
    {.kind = INST_LOAD, .space = SPACE_GLOBAL, .width = 4},
    {.kind = INST_ALU},
    {.kind = INST_STORE, .space = SPACE_SHARED, .width = 8},
    {.kind = INST_ALU, .guarded = 1},
    {.kind = INST_LOAD, .space = SPACE_GLOBAL, .width = 4, .guarded = 1},
    {.kind = INST_ATOMIC, .space = SPACE_GLOBAL, .width = 4},
    {.kind = INST_EXIT},
    {.kind = INST_LOAD, .space = SPACE_GENERIC, .width = 4},
    {.kind = INST_STORE, .space = SPACE_GENERIC, .width = 4, .guarded = 1},
};
static const struct code_block blocks[] = {
    {0, 1, CODE_NO_LOOP}, {1, 3, CODE_NO_LOOP}, {4, 2, CODE_NO_LOOP}, {6, 2, CODE_NO_LOOP}, {8, 2, CODE_NO_LOOP}};
static const struct code code = {.inst = insts,
                                 .block = blocks,
                                 .ninst = COUNT(insts),
                                 .nblock = COUNT(blocks),
                                 .nregs = 1,
                                 .nforms = COUNT(insts) - LISTED};

/* ---- writing a random stream, with a copy of everything in it ---- */

enum { MAX_ITEMS = 4000 };
struct item {
    enum { BLOCK, GUARD, ADDRS, GENERIC } kind;
    uint32_t number, mask;
    uint64_t addr[WARP_SIZE];
    uint32_t lanes[GENERIC_FORMS];
};
static struct item item[MAX_ITEMS];
static unsigned items;

static uint32_t some_mask(uint64_t *seed)
{
    switch (draw(seed, 4)) {
    case 0: return UINT32_MAX;
    case 1: return 1u << draw(seed, 32);
    case 2: return 0xffffu << draw(seed, 16);
    default: return (uint32_t)splitmix64(seed) | 1u << draw(seed, 32);
    }
}

static void some_addrs(uint64_t *seed, uint64_t *addr)
{
    static const int64_t strides[] = {0, 1, -1, 4, -4, 8, 31, 32, -32, -33, 33, 128, 4096, -4096, INT64_C(1) << 40};
    uint64_t base = draw(seed, 3) ? DEVICE_BASE + draw(seed, 1 << 20) : splitmix64(seed);
    int64_t stride = strides[draw(seed, COUNT(strides))];
    uint64_t kind = draw(seed, 4);
    for (unsigned l = 0; l < WARP_SIZE; l++)
        addr[l] = kind < 2    ? base + (uint64_t)((int64_t)l * stride)
                  : kind == 2 ? base + draw(seed, 256)
                              : splitmix64(seed); /* anywhere in 64 bits */
}

/* Lanes of one space or of several. */
static void some_spaces(uint64_t *seed, const struct code_inst *in, uint32_t mask, uint32_t lanes[GENERIC_FORMS])
{
    unsigned spaces = in->kind == INST_LOAD ? GENERIC_FORMS : 3, only = (unsigned)draw(seed, 2 * spaces);
    for (uint32_t m = mask; m; m &= m - 1) lanes[only < spaces ? only : draw(seed, spaces)] |= m & (0u - m);
}

static void write_block(struct stream_writer *w, uint64_t *seed)
{
    uint32_t block = (uint32_t)draw(seed, COUNT(blocks)), mask = draw(seed, 2) ? some_mask(seed) : w->mask;
    stream_block(w, block, mask);
    item[items++] = (struct item){.kind = BLOCK, .number = block, .mask = mask};
    for (uint32_t i = blocks[block].first; i < blocks[block].first + blocks[block].count; i++) {
        uint32_t exec = mask;
        if (insts[i].guarded) {
            exec &= draw(seed, 4) ? (uint32_t)splitmix64(seed) : 0;
            stream_guard(w, exec);
            item[items++] = (struct item){.kind = GUARD, .mask = exec};
        }
        if (!inst_is_mem(&insts[i]) || !exec) continue;
        struct item *it = &item[items++];
        *it = (struct item){.kind = ADDRS, .mask = exec};
        some_addrs(seed, it->addr);
        if (insts[i].space == SPACE_GENERIC) {
            it->kind = GENERIC;
            some_spaces(seed, &insts[i], exec, it->lanes);
            stream_generic(w, it->lanes, it->addr);
        } else {
            stream_addrs(w, exec, it->addr);
        }
    }
}

static void write_stream(struct stream_writer *w, uint64_t seed, unsigned n)
{
    stream_begin(w);
    items = 0;
    while (n--) write_block(w, &seed);
    assert_false(w->failed);
}

/* ---- */

static void check_addresses(struct stream_reader *r, const struct item *it, uint32_t mask)
{
    struct warp_addrs a;
    stream_next_addrs(r, mask, &a);
    assert_int_equal(a.mask, mask);
    for (uint32_t m = mask; m; m &= m - 1) assert_true(warp_addr(&a, bit_low32(m)) == it->addr[bit_low32(m)]);
}

static void check_parts(struct stream_reader *r, const struct item *it)
{
    assert_false(stream_has_parts(r));
    for (unsigned k = 0; k < GENERIC_FORMS; k++) {
        uint32_t mask = it->mask;
        if (!it->lanes[k]) continue;
        assert_int_equal(stream_next_part(r, &mask), SPACE_GLOBAL + k);
        assert_int_equal(mask, it->lanes[k]);
        check_addresses(r, it, mask);
    }
    assert_false(stream_has_parts(r));
}

static void check_reads_back(struct warp_stream s)
{
    struct stream_reader r;
    stream_open(&r, s);
    for (unsigned i = 0; i < items; i++) {
        const struct item *it = &item[i];
        if (it->kind == BLOCK) {
            assert_false(stream_done(&r));
            assert_int_equal(stream_next_block(&r), it->number);
            assert_int_equal(r.mask, it->mask);
        } else if (it->kind == GUARD) {
            assert_int_equal(stream_next_guard(&r), it->mask);
        } else if (it->kind == GENERIC) {
            check_parts(&r, it);
        } else {
            check_addresses(&r, it, it->mask);
        }
    }
    assert_true(stream_done(&r));
}

TEST(what_was_written_is_read)
{
    struct stream_writer w = {0};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        write_stream(&w, seed, 200);
        struct warp_stream s = {w.data, w.size};
        struct wl_err e = {.code = WL_OK};
        assert_int_equal(stream_check(&code, s, &e), 0);
        check_reads_back(s);
    }
    free(w.data);
}

/* Whether anybody wants to know its addresses or not. */
TEST(a_skipped_block_is_passed_as_a_whole)
{
    struct stream_writer w = {0};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct stream_reader knows, skips;
        struct stream_counts known = {0, 0}, skipped = {0, 0};
        struct stream_recent recent = {.n = 0};
        write_stream(&w, seed, 200);
        stream_open(&knows, (struct warp_stream){w.data, w.size});
        stream_open(&skips, (struct warp_stream){w.data, w.size});
        while (!stream_done(&knows)) {
            stream_skip_block(&knows, &code, &known, &recent);
            stream_skip_block(&skips, &code, &skipped, NULL);
            assert_ptr_equal(knows.p, skips.p);
            assert_true(knows.base == skips.base && knows.mask == skips.mask);
        }
        assert_true(known.warp == skipped.warp && known.thread == skipped.thread);
    }
    free(w.data);
}

TEST(usual_accesses_are_short)
{
    struct stream_writer w = {0};
    uint64_t addr[WARP_SIZE];
    for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = DEVICE_BASE + 4 * l;
    stream_begin(&w);
    stream_addrs(&w, UINT32_MAX, addr);
    size_t before = w.size;
    for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] += 128;
    stream_addrs(&w, UINT32_MAX, addr);
    assert_int_equal(w.size - before, 3); /* tag, and two bytes of zigzag(128) */
    before = w.size;
    stream_block(&w, 5, UINT32_MAX);
    assert_int_equal(w.size - before, 1);
    free(w.data);
}

TEST(affine_addresses_stay_affine)
{
    static const int64_t strides[] = {0, 1, 4, -4, 31, 32, -32, -33, 33, 1000000, -1000000};
    for (unsigned i = 0; i < COUNT(strides); i++) {
        struct stream_writer w = {0};
        struct stream_reader r;
        struct warp_addrs a;
        uint64_t addr[WARP_SIZE];
        uint32_t mask = 0xf0f0f0f0;
        for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = DEVICE_BASE + (uint64_t)((int64_t)l * strides[i]);
        stream_begin(&w);
        stream_addrs(&w, mask, addr);
        stream_open(&r, (struct warp_stream){w.data, w.size});
        stream_next_addrs(&r, mask, &a);
        assert_true(a.affine);
        assert_int_equal(a.stride, strides[i]);
        assert_int_equal(a.base, addr[4]);
        free(w.data);
    }
}

TEST(affine_addresses_of_all_lanes_are_the_same_bytes)
{
    static const int64_t strides[] = {0, 1, 4, 8, -4, 31, 32, -33, 1000000};
    struct stream_writer a = {0}, b = {0};
    stream_begin(&a);
    stream_begin(&b);
    for (unsigned i = 0; i < COUNT(strides); i++) {
        uint64_t addr[WARP_SIZE], base = DEVICE_BASE + 4096 * (uint64_t)i;
        for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = base + (uint64_t)((int64_t)l * strides[i]);
        stream_addrs(&a, UINT32_MAX, addr);
        stream_affine(&b, base, strides[i]);
    }
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    free(a.data);
    free(b.data);
}

/* ---- damage ---- */

/* Walks a stream that stream_check accepted; a reader that leaves it is caught by the sanitizer,
 * because the copy ends where the stream ends. */
static void walk(struct warp_stream s)
{
    struct stream_reader r;
    stream_open(&r, s);
    while (!stream_done(&r)) {
        const struct code_block *b = &blocks[stream_next_block(&r)];
        for (uint32_t i = b->first; i < b->first + b->count; i++) {
            uint32_t exec = insts[i].guarded ? stream_next_guard(&r) : r.mask;
            struct warp_addrs a;
            if (!inst_is_mem(&insts[i]) || !exec) continue;
            do {
                uint32_t lanes = exec;
                if (insts[i].space == SPACE_GENERIC) stream_next_part(&r, &lanes);
                stream_next_addrs(&r, lanes, &a);
            } while (stream_has_parts(&r));
        }
        assert_true(r.p <= r.end);
    }
}

static bool check_copy(const uint8_t *data, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    int rc = stream_check(&code, (struct warp_stream){copy, size}, &e);
    if (rc) {
        assert_int_equal(rc, WL_EINPUT);
        assert_non_null(strstr(e.text, "byte"));
    } else {
        walk((struct warp_stream){copy, size});
    }
    free(copy);
    return rc == 0;
}

TEST(a_cut_stream_is_found_unless_cut_between_records)
{
    struct stream_writer w = {0};
    write_stream(&w, 77, 40);
    unsigned accepted = 0;
    for (size_t n = 0; n < w.size; n++) accepted += check_copy(w.data, n);
    assert_int_equal(accepted, 40); /* before each of the 40 records */
    free(w.data);
}

TEST(changed_bytes_never_lead_a_reader_astray)
{
    struct stream_writer w = {0};
    uint64_t seed = 5;
    unsigned refused = 0;
    for (int i = 0; i < 4000; i++) {
        write_stream(&w, (uint64_t)i % 20 + 1, 20);
        for (uint64_t n = 1 + draw(&seed, 3); n; n--) w.data[draw(&seed, w.size)] = (uint8_t)splitmix64(&seed);
        refused += !check_copy(w.data, w.size);
    }
    assert_true(refused > 100);
    free(w.data);
}

static void refused(const uint8_t *data, size_t size) { assert_false(check_copy(data, size)); }

TEST(each_kind_of_damage)
{
    refused((const uint8_t[]){5 << 1}, 1);                             /* no such block */
    refused((const uint8_t[]){0 << 1 | 1, 0, 0, 0}, 4);                /* mask cut short */
    refused((const uint8_t[]){0 << 1 | 1, 0, 0, 0, 0}, 5);             /* no lane at all */
    refused((const uint8_t[]){1 << 1}, 1);                             /* no address */
    refused((const uint8_t[]){1 << 1, 100, 0}, 3);                     /* no such tag */
    refused((const uint8_t[]){1 << 1, 0, 0x80}, 3);                    /* varint cut short */
    refused((const uint8_t[]){2 << 1 | 1, 1, 0, 0, 0, 3, 0, 0, 0}, 9); /* guard wider than the block */
    refused((const uint8_t[]){0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}, 10); /* over 64 bits */
    refused((const uint8_t[]){0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 11);
    /* the last block under mask 3: a generic load and a guarded store that nobody executes */
#define GENERIC_BLOCK(...)                                                                                             \
    (const uint8_t[]){4 << 1 | 1, 3, 0, 0, 0, __VA_ARGS__, 0, 0, 0, 0},                                                \
        sizeof(const uint8_t[]){4 << 1 | 1, 3, 0, 0, 0, __VA_ARGS__, 0, 0, 0, 0}
    refused(GENERIC_BLOCK(0, 0, 0));                               /* to no space */
    refused(GENERIC_BLOCK(32, 0, 0));                              /* no such space */
    refused(GENERIC_BLOCK(3, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0)); /* lane 0 in two spaces */
    refused(GENERIC_BLOCK(3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)); /* a space without lanes */
    refused(GENERIC_BLOCK(3, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0)); /* a lane that is not there */
    refused(GENERIC_BLOCK(3, 1, 0, 0, 0, 0, 0));                   /* lane 1 nowhere */
    assert_true(check_copy(GENERIC_BLOCK(3, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0)));
    assert_true(check_copy(GENERIC_BLOCK(16, 0, 0)));
    refused((const uint8_t[]){4 << 1 | 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 8, 0, 0}, 15); /* a store to constants */
    assert_true(check_copy((const uint8_t[]){4 << 1 | 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 4, 0, 0}, 15));
#undef GENERIC_BLOCK
    assert_true(check_copy((const uint8_t[]){0}, 1));
    assert_true(check_copy((const uint8_t[]){0}, 0)); /* a warp may do nothing */
}

/* ---- forms of generic instructions ---- */

TEST(a_generic_instruction_has_a_form_per_space)
{
    assert_int_equal(code_count_forms(insts, LISTED), GENERICS * GENERIC_FORMS);
    code_add_forms(insts, LISTED);
    assert_int_equal(code_listed(&code), LISTED);
    for (unsigned i = 0; i < LISTED; i++) {
        const struct code_inst *in = &insts[i];
        assert_int_equal(in->form != 0, in->space == SPACE_GENERIC);
        assert_false(code_is_form(in));
        if (!in->form) continue;
        for (unsigned space = SPACE_GLOBAL; space <= SPACE_PARAM; space++) {
            const struct code_inst *f = code_form(&code, in, (enum mem_space)space);
            assert_true(code_is_form(f));
            assert_int_equal(f->space, space);
            assert_int_equal(f->kind, in->kind);
            assert_int_equal(f->guarded, in->guarded);
            assert_ptr_equal(&insts[f->form - 1], in);
        }
    }
}

/* ---- launches ---- */

TEST(launch_shapes)
{
    struct launch_info i = {.grid = {3, 4, 5}, .block = {33, 2, 1}};
    struct wl_err e = {.code = WL_OK};
    assert_int_equal(launch_shape(&i, &e), 0);
    assert_int_equal(i.ctas, 60);
    assert_int_equal(i.threads_per_cta, 66);
    assert_int_equal(i.warps_per_cta, 3);
    i = (struct launch_info){.grid = {1, 0, 1}, .block = {1, 1, 1}};
    assert_int_equal(launch_shape(&i, &e), WL_EINPUT);
    i = (struct launch_info){.grid = {1, 1, 1}, .block = {1025, 1, 1}};
    assert_int_equal(launch_shape(&i, &e), WL_EINPUT);
    i = (struct launch_info){.grid = {65536, 65536, 1}, .block = {1, 1, 1}};
    assert_int_equal(launch_shape(&i, &e), WL_EINPUT);
    i = (struct launch_info){.grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, .block = {1, 1, 1}};
    assert_int_equal(launch_shape(&i, &e), WL_EINPUT);
}
