/* test_fatbin.c - fat binaries: which PTX is taken, how it is packed, and every way in which one can be damaged. */
#include "test.h"

#include <sys/mman.h>
#include <unistd.h>
#include <lz4.h>
#include <zstd.h>

#include "cuda/fatbin.h"

enum { KIND_PTX = 1, KIND_CUBIN = 2, LZ4 = 0x2000, ZSTD = 0x8000 };

/* A container under construction. */
struct image {
    uint8_t bytes[65536];
    size_t size;
};

static void put(struct image *m, uint64_t value, unsigned bytes)
{
    assert_true(bytes <= 8 && m->size <= sizeof m->bytes - 8);
    for (unsigned i = 0; i < bytes; i++) m->bytes[m->size++] = (uint8_t)(value >> 8 * i);
}

static void set(struct image *m, size_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) m->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void begin(struct image *m)
{
    m->size = 0;
    put(m, 0xba55ed50, 4);
    put(m, 1, 2);
    put(m, 16, 2);
    put(m, 0, 8);
}

/* An entry with a header of `header` bytes; `packed` is 0 for a plain payload. */
static void add(struct image *m, unsigned kind, unsigned arch, unsigned header, const void *payload, size_t bytes,
                uint64_t flags, size_t packed, size_t text_bytes)
{
    size_t start = m->size, padded = (bytes + 7) / 8 * 8;
    put(m, kind, 2);
    put(m, 0x0101, 2);
    put(m, header, 4);
    put(m, padded, 8);
    put(m, packed, 4);
    put(m, 0, 4);
    put(m, 0, 2);
    put(m, 9, 2);
    put(m, arch, 4);
    put(m, 0, 8);
    put(m, flags, 8);
    put(m, 0, 8);
    put(m, text_bytes, 8);
    while (m->size < start + header) put(m, 0, 1);
    memcpy(m->bytes + m->size, payload, bytes);
    m->size += bytes;
    while (m->size < start + header + padded) put(m, 0, 1);
    set(m, 8, m->size - 16, 8);
}

static void add_plain(struct image *m, unsigned arch, const char *text)
{
    add(m, KIND_PTX, arch, 64, text, strlen(text) + 1, 0x11, 0, 0);
}

/* Read from memory of exactly its size, so that a sanitizer sees a step too far. */
static char *read_image(const struct image *m, size_t size, struct wl_err *e)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, m->bytes, size);
    char *text = fatbin_ptx(copy, size, 75, e);
    free(copy);
    return text;
}

static void expect_text(const struct image *m, const char *want)
{
    struct wl_err e = {.text = ""};
    char *text = read_image(m, m->size, &e);
    if (!text) fail_msg("%s", e.text);
    assert_string_equal(text, want);
    free(text);
}

static void expect_refusal(const struct image *m, size_t size, const char *words)
{
    struct wl_err e = {.text = ""};
    char *text = read_image(m, size, &e);
    assert_null(text);
    assert_int_equal(e.code, WL_EINPUT);
    if (!strstr(e.text, words)) fail_msg("'%s' does not say '%s'", e.text, words);
}

static struct image m;

TEST(plain_text)
{
    begin(&m);
    add_plain(&m, 75, ".version 9.0");
    expect_text(&m, ".version 9.0");
}

/* An ELF file with two sections, one for names and one for the code of kernel `k` with `registers`. */
static size_t put_cubin(uint8_t *elf, unsigned registers)
{
    static const char names[] = ".shstrtab\0.text.k";
    memset(elf, 0, 256);
    memcpy(elf, "\177ELF\2", 5);
    elf[40] = 128; /* sections begin behind the names */
    elf[58] = 64;
    elf[60] = 2;
    memcpy(elf + 64, names, sizeof names);
    elf[128 + 24] = 64;
    elf[128 + 32] = sizeof names;
    elf[192] = 10; /* .text.k */
    elf[192 + 44 + 3] = (uint8_t)registers;
    return 256;
}

TEST(registers_of_machine_code)
{
    uint8_t elf[256];
    size_t bytes = put_cubin(elf, 40), got = 0;
    begin(&m);
    add_plain(&m, 75, ".version 9.0");
    assert_null(fatbin_cubin(m.bytes, m.size, 75, &got));
    add(&m, 2, 75, 64, elf, bytes, 0x11, 0, 0);
    put_cubin(elf, 50);
    add(&m, 2, 80, 64, elf, bytes, 0x11, 0, 0);
    for (unsigned capability = 75; capability <= 80; capability += 5) {
        char *cubin = fatbin_cubin(m.bytes, m.size, capability, &got);
        assert_non_null(cubin);
        assert_int_equal(got, bytes); /* the file's length, not that of the container */
        assert_int_equal(cubin_registers(cubin, got, "k"), capability == 75 ? 40 : 50);
        assert_int_equal(cubin_registers(cubin, got, "kk"), 0);
        assert_int_equal(cubin_registers(cubin, got, ""), 0);
        for (size_t cut = 0; cut < got; cut++) { /* of exactly this size, for the sanitizer */
            char *part = malloc(cut + 1);
            assert_non_null(part);
            memcpy(part, cubin, cut);
            assert_int_equal(cubin_registers(part, cut, "k"), 0);
            free(part);
        }
        free(cubin);
    }
    for (size_t cut = 0; cut < m.size; cut++) { /* a container that is not all there has no machine code */
        uint8_t *part = malloc(cut + 1);
        assert_non_null(part);
        memcpy(part, m.bytes, cut);
        assert_null(fatbin_cubin(part, cut, 75, &got));
        free(part);
    }
}

TEST(header_sizes_are_believed)
{
    for (unsigned header = 64; header <= 112; header += 8) {
        begin(&m);
        add(&m, KIND_PTX, 75, header, "text", 5, 0x11, 0, 0);
        expect_text(&m, "text");
    }
}

TEST(zstd_text)
{
    char text[5000], packed[5000];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + i % 7);
    text[sizeof text - 1] = 0;
    size_t n = ZSTD_compress(packed, sizeof packed, text, sizeof text, 3);
    assert_false(ZSTD_isError(n));
    begin(&m);
    add(&m, KIND_PTX, 75, 80, packed, n, ZSTD | 0x11, n, sizeof text);
    expect_text(&m, text);
}

/* As nvcc 11 and 12 compress PTX: one LZ4 block. */
static size_t pack_lz4(const char *plain, size_t size, uint8_t *out, size_t room)
{
    int n = LZ4_compress_default(plain, (char *)out, (int)size, (int)room);
    assert_true(n > 0);
    return (size_t)n;
}

TEST(lz4_text)
{
    static const char plain[] = "abcabcabcabcabcabcabcabcabcabcabcabcabcabcX, which ends in letters of its own";
    uint8_t packed[200];
    size_t n = pack_lz4(plain, sizeof plain, packed, sizeof packed);
    assert_true(n < sizeof plain);
    begin(&m);
    add(&m, KIND_PTX, 75, 80, packed, n, LZ4 | 0x11, n, sizeof plain);
    expect_text(&m, plain);
}

TEST(lz4_damage)
{
    char plain[400];
    uint8_t packed[500];
    for (unsigned i = 0; i < sizeof plain - 1; i++) plain[i] = (char)('a' + i % 7);
    plain[sizeof plain - 1] = 0;
    size_t n = pack_lz4(plain, sizeof plain, packed, sizeof packed);
    for (size_t cut = 1; cut < 5; cut++) { /* a block that ends inside its last letters */
        begin(&m);
        add(&m, KIND_PTX, 75, 80, packed, n - cut, LZ4 | 0x11, n - cut, sizeof plain);
        expect_refusal(&m, m.size, "LZ4");
    }
    begin(&m);
    add(&m, KIND_PTX, 75, 80, packed, n, LZ4 | 0x11, n, sizeof plain - 1); /* no room for the last byte */
    expect_refusal(&m, m.size, "LZ4");
}

/* The newest target not above the device's, wherever it stands; else the oldest. */
TEST(choice_of_target)
{
    static const struct {
        unsigned arch[3];
        const char *want;
    } cases[] = {
        {{52, 75, 90}, "75"}, {{90, 70, 61}, "70"}, {{100, 90, 80}, "80"}, {{75, 80, 75}, "75"}, {{35, 52, 61}, "61"}};
    for (unsigned i = 0; i < COUNT(cases); i++) {
        begin(&m);
        for (unsigned k = 0; k < 3; k++) {
            char text[8];
            snprintf(text, sizeof text, "%u", cases[i].arch[k]);
            add_plain(&m, cases[i].arch[k], text);
        }
        expect_text(&m, cases[i].want);
    }
}

TEST(cubins_are_passed_over)
{
    begin(&m);
    add(&m, KIND_CUBIN, 75, 64, "\177ELF....", 8, 0x11, 0, 0);
    add_plain(&m, 75, "after");
    expect_text(&m, "after");
}

TEST(no_ptx_names_the_flag)
{
    begin(&m);
    add(&m, KIND_CUBIN, 80, 64, "\177ELF....", 8, 0x11, 0, 0);
    add(&m, KIND_CUBIN, 90, 64, "\177ELF....", 8, 0x11, 0, 0);
    expect_refusal(&m, m.size, "only machine code for sm_80, sm_90");
    expect_refusal(&m, m.size, "code=compute_75");
    begin(&m); /* nothing at all, as nvcc writes for a file without device code */
    expect_refusal(&m, m.size, "no PTX");
}

TEST(damage)
{
    begin(&m);
    add_plain(&m, 75, ".version 9.0");
    for (size_t n = 0; n < m.size; n++) expect_refusal(&m, n, "damaged");
    struct image bad = m;
    set(&bad, 0, 0, 4);
    expect_refusal(&bad, bad.size, "not a container");
    bad = m;
    set(&bad, 6, 8, 2);
    expect_refusal(&bad, bad.size, "not a container");
    bad = m;
    set(&bad, 16 + 4, 32, 4); /* a header that is too short */
    expect_refusal(&bad, bad.size, "past the end");
    bad = m;
    set(&bad, 16 + 8, UINT64_MAX - 8, 8); /* a payload that wraps around */
    expect_refusal(&bad, bad.size, "past the end");
    bad = m;
    set(&bad, 8, 8, 8); /* room for half an entry */
    expect_refusal(&bad, bad.size, "past the end");
}

TEST(damaged_compression)
{
    begin(&m);
    add(&m, KIND_PTX, 75, 80, "not zstd", 8, ZSTD, 8, 100);
    expect_refusal(&m, m.size, "zstd");
    begin(&m);
    add(&m, KIND_PTX, 75, 80, "\xff\xff\xff\xff", 4, LZ4, 4, 100);
    expect_refusal(&m, m.size, "LZ4");
    begin(&m);
    add(&m, KIND_PTX, 75, 80, "a block!", 8, LZ4, 1000, 14); /* longer than its entry */
    expect_refusal(&m, m.size, "past its entry");
    begin(&m);
    add(&m, KIND_PTX, 75, 80, "a block!", 8, LZ4, 8, (size_t)1 << 40);
    expect_refusal(&m, m.size, "1 GiB");
}

/* ---- what a program passes ---- */

struct wrapper {
    uint32_t magic, version;
    const void *data, *objects;
};

TEST(wrappers)
{
    static struct image a, b;
    struct wl_err e = {.text = ""};
    begin(&a);
    add_plain(&a, 75, ".version 9.0\n.global .u32 x;\n");
    begin(&b);
    add_plain(&b, 75, ".version 9.0\n.global .u32 y;\n");
    struct wrapper w = {0x466243b1, 1, a.bytes, NULL};
    assert_int_equal(fatbin_kind(&w), FATBIN_WRAPPER);
    assert_int_equal(fatbin_kind(a.bytes), FATBIN_CONTAINER);
    assert_int_equal(fatbin_kind(".version"), FATBIN_NONE);
    assert_int_equal(fatbin_kind("P"), FATBIN_NONE); /* the first byte of a container's magic */
    char *text = fatbin_program(&w, 75, &e);
    assert_string_equal(text, ".version 9.0\n.global .u32 x;\n");
    free(text);
    text = fatbin_program(a.bytes, 75, &e);
    assert_non_null(strstr(text, "x;"));
    free(text);

    const void *objects[] = {a.bytes, b.bytes, NULL};
    w = (struct wrapper){0x466243b1, 2, NULL, objects};
    text = fatbin_program(&w, 75, &e);
    assert_non_null(text);
    assert_non_null(strstr(text, "x;"));
    assert_non_null(strstr(text, "y;"));
    free(text);
    w = (struct wrapper){0x466243b1, 1, NULL, NULL};
    assert_null(fatbin_program(&w, 75, &e));
    w.magic = 1;
    assert_null(fatbin_program(&w, 75, &e));
}

/* What a program passes has no size. A container whose length runs into memory that is not there, a wrapper that names
 * such memory, and a list of objects without an end are damage, not a crash. */
TEST(lengths_are_held_to_what_can_be_read)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(two != MAP_FAILED);
    assert_int_equal(mprotect(two + page, page, PROT_NONE), 0);
    begin(&m);
    add_plain(&m, 75, ".version 7.0");
    uint8_t *end = two + page - m.size;
    memcpy(end, m.bytes, m.size);
    struct wl_err e = {.text = ""};
    char *text = fatbin_program(end, 75, &e);
    assert_non_null(text);
    free(text);

    set(&m, 8, 0x100000, 8); /* the container's length */
    memcpy(end, m.bytes, m.size);
    assert_null(fatbin_program(end, 75, &e));
    assert_non_null(strstr(e.text, "cut off"));
    memcpy(two + page - 8, m.bytes, 8);
    assert_null(fatbin_program(two + page - 8, 75, &e));
    assert_non_null(strstr(e.text, "no header"));

    struct {
        uint32_t magic, version;
        const void *data, *objects;
    } w = {0x466243b1, 1, two + page, NULL};
    assert_null(fatbin_program(&w, 75, &e)); /* around memory that cannot be read */
    const void **list = (const void **)(two + page) - 2;
    list[0] = list[1] = end;
    w.version = 2;
    w.objects = list;
    assert_null(fatbin_program(&w, 75, &e));
    assert_non_null(strstr(e.text, "no end"));
    w.objects = two + page;
    assert_null(fatbin_program(&w, 75, &e));
    assert_non_null(strstr(e.text, "nowhere"));
    munmap(two, 2 * page);
}
