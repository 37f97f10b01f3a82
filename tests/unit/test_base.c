/* test_base.c - the ground everything stands on: arena, errors, bits, the recency chain. */
#include "test.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "warpline/chain.h"

/* ---- arena ---- */

TEST(arena_gives_zeroed_aligned_memory)
{
    struct arena a = {0};
    uint64_t seed = 1;
    for (int i = 0; i < 2000; i++) {
        size_t n = draw(&seed, 300);
        unsigned char *p = arena_alloc(&a, n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t k = 0; k < n; k++) assert_int_equal(p[k], 0);
        memset(p, 0xff, n); /* whoever gets the next piece must not see this */
    }
    arena_free(&a);
}

TEST(arena_serves_what_is_larger_than_a_chunk)
{
    struct arena a = {0};
    char *small = arena_alloc(&a, 8), *large = arena_alloc(&a, 1 << 20), *after = arena_alloc(&a, 8);
    memset(large, 1, 1 << 20);
    assert_int_equal(small[0], 0);
    assert_int_equal(after[0], 0);
    arena_free(&a);
}

TEST(arena_refuses_the_impossible)
{
    struct arena a = {0};
    assert_null(arena_alloc(&a, SIZE_MAX));
    assert_null(arena_alloc(&a, SIZE_MAX - 8));
    assert_non_null(arena_alloc(&a, 1));
    arena_free(&a);
}

TEST(arena_is_usable_after_free)
{
    struct arena a = {0};
    (void)arena_alloc(&a, 100);
    arena_free(&a);
    assert_int_equal(a.total, 0);
    assert_string_equal(arena_printf(&a, "%s-%d", "x", 7), "x-7");
    assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
    assert_string_equal(arena_strndup(&a, "", 0), "");
    arena_free(&a);
    arena_free(&a);
}

/* ---- errors ---- */

TEST(fail_fills_and_returns)
{
    struct wl_err e = {.code = WL_OK};
    assert_int_equal(wl_fail(&e, WL_ERUN, "%d bottles", 99), WL_ERUN);
    assert_int_equal(e.code, WL_ERUN);
    assert_string_equal(e.text, "99 bottles");
    assert_int_equal(wl_fail(NULL, WL_EDEADLOCK, "nobody listens"), WL_EDEADLOCK);
}

TEST(fail_cuts_what_is_too_long)
{
    static char long_text[5000];
    struct wl_err e;
    memset(long_text, 'x', sizeof long_text - 1);
    wl_fail(&e, WL_ERUN, "%s", long_text);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    wl_fail_at(&e, "f", 1, 1, long_text, "%s", long_text);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
}

TEST(a_caret_points_at_the_column)
{
    struct wl_err e;
    assert_int_equal(wl_fail_at(&e, "k.ptx", 2, 5, "one\n  two three\nfour\n", "what is '%s'?", "two"), WL_EINPUT);
    assert_string_equal(e.text, "k.ptx:2:5: error: what is 'two'?\n    two three\n      ^");
}

TEST(a_caret_keeps_its_column_behind_tabs)
{
    struct wl_err e;
    wl_fail_at(&e, "f", 1, 3, "\tab", "x");
    assert_string_equal(e.text, "f:1:3: error: x\n  \tab\n  \t ^");
}

TEST(no_column_no_caret_no_text_no_line)
{
    struct wl_err e;
    wl_fail_at(&e, "f", 1, 0, "abc", "x");
    assert_string_equal(e.text, "f:1: error: x\n  abc");
    wl_fail_at(&e, "f", 1, 2, NULL, "x");
    assert_string_equal(e.text, "f:1:2: error: x");
    wl_fail_at(&e, "f", 9, 2, "abc", "x"); /* there is no ninth line */
    assert_string_equal(e.text, "f:9:2: error: x");
}

TEST(unprintable_bytes_are_not_printed)
{
    struct wl_err e;
    wl_fail_at(&e, "f", 1, 1, "a\x1b[2Jb\r\n", "x");
    assert_string_equal(e.text, "f:1:1: error: x\n  a?[2Jb\n  ^");
}

TEST(nearest_word)
{
    static const char *const words[] = {"vectoradd", "matmul", "matmul_naive", "atax", "bicg"};
    assert_string_equal(wl_nearest("matmull", words, 5), "matmul");
    assert_string_equal(wl_nearest("MATMUL", words, 5), "matmul");
    assert_string_equal(wl_nearest("vetcoradd", words, 5), "vectoradd"); /* two letters exchanged */
    assert_string_equal(wl_nearest("vec", words, 5), "vectoradd");       /* a beginning */
    assert_string_equal(wl_nearest("atxa", words, 5), "atax");
    assert_null(wl_nearest("quicksort", words, 5));
    assert_null(wl_nearest("x", words, 0));
}

/* The distance by its definition: the whole recursion, no table, no band. */
static unsigned steps_between(const char *a, const char *b)
{
    if (!*a || !*b) return (unsigned)(strlen(a) + strlen(b));
    unsigned best = steps_between(a + 1, b + 1) + (*a != *b), other = steps_between(a + 1, b) + 1;
    if (other < best) best = other;
    if ((other = steps_between(a, b + 1) + 1) < best) best = other;
    if (a[1] && a[0] == b[1] && a[1] == b[0] && (other = steps_between(a + 2, b + 2) + 1) < best) best = other;
    return best;
}

TEST(nearest_word_is_the_first_of_those_at_the_least_distance)
{
    uint64_t seed = 7;
    for (int round = 0; round < 300; round++) {
        char text[5][8] = {{0}};
        const char *words[5];
        for (int w = 0; w < 5; w++) {
            size_t n = 1 + draw(&seed, 6);
            for (size_t k = 0; k < n; k++) text[w][k] = (char)('a' + draw(&seed, 3));
            words[w] = text[w];
        }
        const char *word = words[4], *want = NULL;
        unsigned least = 1 + (unsigned)strlen(word) / 3; /* further away is not what was meant */
        for (int w = 0; w < 4; w++) {
            unsigned d = steps_between(word, words[w]);
            if (strlen(word) >= 3 && strncmp(word, words[w], strlen(word)) == 0 && d > 1) d = 1;
            if (d < least || (d == least && !want)) want = words[w], least = d;
        }
        assert_ptr_equal(wl_nearest(word, words, 4), want);
    }
}

/* ---- bits ---- */

TEST(bits)
{
    assert_int_equal(log2_floor(1), 0);
    assert_int_equal(log2_floor(1023), 9);
    assert_int_equal(log2_floor(1024), 10);
    assert_true(is_pow2(64) && !is_pow2(0) && !is_pow2(48));
    assert_int_equal(bit_low64(UINT64_C(1) << 40), 40);
    assert_int_equal(bit_count64(UINT64_MAX), 64);
    uint64_t seed = 2;
    for (int i = 0; i < 1000; i++) {
        uint64_t a = splitmix64(&seed) >> draw(&seed, 64), b = (splitmix64(&seed) >> draw(&seed, 64)) | 1;
        struct reciprocal r = reciprocal_of(b);
        assert_true(reciprocal_divide(a, &r) == a / b);
    }
}

TEST(division_by_a_reciprocal_is_division)
{
    static const uint64_t by[] = {
        1, 2, 3, 5, 6, 7, 25, 33, 64, 825, 1000003, UINT64_C(1) << 31, UINT64_C(999999999989), UINT64_MAX};
    uint64_t seed = 4;
    for (unsigned i = 0; i < COUNT(by); i++) {
        struct reciprocal r = reciprocal_of(by[i]);
        for (int n = 0; n < 20000; n++) {
            uint64_t a = splitmix64(&seed) >> (n % 64), edge = a / by[i] * by[i]; /* and around a multiple */
            assert_int_equal(reciprocal_divide(a, &r), a / by[i]);
            assert_int_equal(reciprocal_divide(edge, &r), edge / by[i]);
            if (edge) assert_int_equal(reciprocal_divide(edge - 1, &r), (edge - 1) / by[i]);
        }
        assert_int_equal(reciprocal_divide(UINT64_MAX, &r), UINT64_MAX / by[i]);
    }
}

/* ---- the recency chain every policy is built on ---- */

TEST(chain_moves_keep_the_others_in_order)
{
    uint16_t order[8];
    struct wl_chain c;
    wl_chain_init(&c, order, &(struct wl_geometry){.sets = 2, .ways = 4, .max_ways = 4});
    static const uint16_t at_first[] = {3, 2, 1, 0};
    assert_memory_equal(order + 4, at_first, sizeof at_first);
    wl_chain_move(&c, 1, 3, 0); /* the oldest becomes the newest */
    assert_memory_equal(order + 4, ((uint16_t[]){0, 3, 2, 1}), 8);
    wl_chain_move(&c, 1, 0, 2);
    assert_memory_equal(order + 4, ((uint16_t[]){3, 2, 0, 1}), 8);
    assert_memory_equal(order, at_first, sizeof at_first); /* the other set */
    assert_int_equal(wl_chain_position(&c, 1, 0), 2);
}

TEST(chain_victims)
{
    uint16_t order[4];
    struct wl_chain c;
    uint8_t ways[] = {WL_VALID, WL_VALID, WL_VALID, WL_VALID};
    struct wl_set s = {ways, 4, false};
    wl_chain_init(&c, order, &(struct wl_geometry){.sets = 1, .ways = 4, .max_ways = 4});
    assert_int_equal(wl_chain_victim(&c, 0, &s, 0), 0); /* the oldest */
    ways[0] = WL_RESERVED;
    assert_int_equal(wl_chain_victim(&c, 0, &s, 0), 1); /* never one in flight */
    s.full = true;                                      /* what the cache knows saves the search, and changes nothing */
    assert_int_equal(wl_chain_victim(&c, 0, &s, 0), 1);
    s.full = false;
    ways[3] = WL_INVALID;
    assert_int_equal(wl_chain_victim(&c, 0, &s, 0), 3); /* an empty one first */
    ways[3] = WL_VALID | WL_DIRTY;
    assert_int_equal(wl_chain_victim(&c, 0, &s, 3), -1); /* only the oldest place, and it is in flight */
    for (int i = 0; i < 4; i++) ways[i] = WL_RESERVED;
    assert_int_equal(wl_chain_victim(&c, 0, &s, 0), -1);
}

/* ---- text ---- */

TEST(endings_of_texts)
{
    assert_true(text_ends_with("k.traceg.xz", ".xz"));
    assert_true(text_ends_with(".xz", ".xz"));
    assert_true(text_ends_with("k", ""));
    assert_false(text_ends_with("xz", ".xz"));
    assert_false(text_ends_with("k.xz.gz", ".xz"));
}

TEST(hash_of_texts_knows_where_each_ends)
{
    uint64_t ab_c = hash_text(hash_text(WL_HASH_INIT, "ab"), "c"), a_bc = hash_text(hash_text(WL_HASH_INIT, "a"), "bc");
    assert_true(ab_c != a_bc);
    assert_true(ab_c == hash_text(hash_text(WL_HASH_INIT, "ab"), "c"));
}

TEST(csv_fields_are_quoted_only_when_they_must_be)
{
    char out[100];
    FILE *f = fmemopen(out, sizeof out, "w");
    static const char *const fields[] = {"plain text", "a,b", "say \"x\"", "two\nlines"};
    for (unsigned i = 0; i < COUNT(fields); i++) {
        put_csv(f, fields[i]);
        fputc(';', f);
    }
    fclose(f);
    assert_string_equal(out, "plain text;\"a,b\";\"say \"\"x\"\"\";\"two\nlines\";");
}

TEST(a_chain_follows_the_number_of_ways)
{
    uint16_t order[12];
    struct wl_chain c;
    struct wl_geometry g = {.sets = 2, .ways = 6, .max_ways = 6};
    wl_chain_init(&c, order, &g);
    wl_chain_touch(&c, 1, 2); /* 2 5 4 3 1 0 */
    g.ways = 4;
    wl_chain_resize(&c, &g);
    assert_memory_equal(order + 6, ((uint16_t[]){2, 3, 1, 0}), 8); /* the others are gone, the order is kept */
    wl_chain_put_above_oldest(&c, 1, 2, 0);
    assert_int_equal(wl_chain_position(&c, 1, 2), 3); /* the old end is that of the ways in use */
    g.ways = 6;
    wl_chain_resize(&c, &g);
    assert_memory_equal(order + 6, ((uint16_t[]){3, 1, 0, 2, 5, 4}), 12); /* new ones are the oldest */
}
