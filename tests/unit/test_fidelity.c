/* test_fidelity.c - reference files: statistics after a worked example, CSV records and words as a shell cuts them. */
#include <math.h>

#include "experiment/fidelity.h"
#include "tests/test.h"

/* Errors +10, -20 and 0 per cent; the fourth is below `least`, of the fifth nothing is known. */
TEST(statistics_follow_their_definitions)
{
    struct fid_reference f;
    struct wl_err e = {.code = WL_OK};
    const double ours[] = {110, 160, 300, 99, 5};
    assert_int_equal(fid_read(&f, "t",
                              "least = 50\naim = cycles mean 10 worst 20 r 0.9\naim = cycles worst 19\n"
                              "name,command,cycles\na,run x,100\nb,run x,200\nc,run x,300\nd,run x,49\ne,run x,-\n",
                              &e),
                     0);
    assert_int_equal(f.nrows, 5);
    for (unsigned i = 0; i < 5; i++) f.row[i].ours[0] = ours[i];
    struct fid_stat s = fid_statistics(&f, 0);
    assert_int_equal(s.rows, 3);
    assert_int_equal(s.equal, 1);
    assert_true(fabs(s.mean - 10) < 1e-9);
    assert_true(fabs(s.bias + 10.0 / 3) < 1e-9);
    assert_true(fabs(s.worst + 20) < 1e-9);
    assert_string_equal(s.where->name, "b");
    /* x - mean: -100 0 100; y - mean: -80 -30 110; r = 19000 / sqrt(20000 * 19400). */
    assert_true(fabs(s.r - 19000 / sqrt(20000.0 * 19400)) < 1e-12);
    assert_true(fid_reached(&f.aim[0], &s));
    assert_false(fid_reached(&f.aim[1], &s));
    fid_free(&f);
}

TEST(one_row_has_no_correlation_and_none_reaches_no_aim)
{
    struct fid_reference f;
    struct wl_err e = {.code = WL_OK};
    assert_int_equal(fid_read(&f, "t", "aim = cycles mean 10\nname,command,cycles\na,run x,100\n", &e), 0);
    struct fid_stat none = fid_statistics(&f, 0);
    assert_int_equal(none.rows, 0);
    assert_false(fid_reached(&f.aim[0], &none));
    f.row[0].ours[0] = 100;
    struct fid_stat one = fid_statistics(&f, 0);
    assert_true(isnan(one.r));
    assert_true(fid_reached(&f.aim[0], &one));
    fid_free(&f);
}

TEST(records_keep_quoted_commas_quotes_and_lines)
{
    char text[] = "a,\"b,\"\"c\"\"\nd\",\r\n\nlast", *p = text, *field[4];
    unsigned line = 1;
    assert_int_equal(fid_record(&p, field, 4, &line), 3);
    assert_string_equal(field[0], "a");
    assert_string_equal(field[1], "b,\"c\"\nd");
    assert_string_equal(field[2], "");
    assert_int_equal(line, 3);
    assert_int_equal(fid_record(&p, field, 4, &line), 1);
    assert_string_equal(field[0], "");
    assert_int_equal(fid_record(&p, field, 4, &line), 1);
    assert_string_equal(field[0], "last");
    assert_int_equal(fid_record(&p, field, 4, &line), 0);
}

TEST(words_are_cut_as_a_shell_cuts_them)
{
    struct arena a = {0};
    const char *word[5];
    unsigned n;
    assert_true(fid_words(&a, " exec  -- './my app' a\\ b \"c 'd'\" ", word, 5, &n));
    assert_int_equal(n, 5);
    assert_string_equal(word[0], "exec");
    assert_string_equal(word[2], "./my app");
    assert_string_equal(word[3], "a b");
    assert_string_equal(word[4], "c 'd'");
    assert_false(fid_words(&a, "a b c d e f", word, 5, &n));
    assert_false(fid_words(&a, "run 'open", word, 5, &n));
    arena_free(&a);
}
