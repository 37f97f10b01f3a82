/* test_examples.c - the worked examples that figures show: every number of Mascar's two (its Figs. 3 and 7), and that
 * playing one twice gives the same. */
#include "test.h"

#include "run/example.h"

static void expect(const char *name, const char *row, const char *const *columns, const double *want)
{
    const struct example *x = example_find(name);
    struct wl_err e = {.code = WL_OK};
    double value[2][EXAMPLE_ROWS * EXAMPLE_COLUMNS];
    unsigned n = 0;
    assert_non_null(x);
    while (x->columns[n]) n++;
    for (unsigned i = 0; i < 2; i++)
        if (x->play(value[i], &e)) fail_msg("%s", e.text);
    int at = example_index(x->rows, row);
    if (at < 0) fail_msg("%s has no row %s", name, row);
    for (unsigned i = 0; columns[i]; i++) {
        unsigned cell = (unsigned)at * n + (unsigned)example_index(x->columns, columns[i]);
        if (value[0][cell] != want[i] || value[1][cell] != want[i])
            fail_msg("%s, %s, %s: %g and %g, not %g", name, row, columns[i], value[0][cell], value[1][cell], want[i]);
    }
}

TEST(mascar_figure_3)
{
    static const char *const systems[] = {"infinite", "rr2", "mascar2", NULL};
    static const struct {
        const char *row;
        double want[3];
    } table[] = {{"W0.r1", {1, 1, 1}},    {"W0.r2", {4, 8, 2}},   {"W0.add1", {10, 14, 8}},  {"W0.add4", {19, 17, 11}},
                 {"W1.r1", {2, 2, 7}},    {"W1.r2", {5, 13, 8}},  {"W1.add1", {11, 19, 14}}, {"W1.add4", {20, 25, 17}},
                 {"W2.r1", {3, 7, 13}},   {"W2.r2", {6, 14, 14}}, {"W2.add1", {12, 20, 20}}, {"W2.add4", {21, 26, 23}},
                 {"finish", {21, 26, 23}}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        expect("mascar-fig3", table[i].row, systems, table[i].want);
}

TEST(mascar_figure_7)
{
    static const char *const systems[] = {"a", "b", NULL};
    static const struct {
        const char *row;
        double want[2];
    } table[] = {{"W0.queued", {0, 2}},   {"W0.accepted", {6, 6}},   {"W1.entered", {6, 2}},  {"W1.accepted", {7, 3}},
                 {"W1.hit", {0, 1}},      {"W2.entered", {7, 3}},    {"W2.refused", {8, 4}},  {"W2.accepted", {12, 7}},
                 {"W3.entered", {12, 7}}, {"W3.accepted", {13, 12}}, {"LSU.stalled", {9, 3}}, {"fetches", {4, 3}}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        expect("mascar-fig7", table[i].row, systems, table[i].want);
}

TEST(names)
{
    assert_null(example_find("mascar-fig8"));
    for (unsigned i = 0; examples[i]; i++) {
        unsigned rows = 0, columns = 0;
        while (examples[i]->rows[rows]) rows++;
        while (examples[i]->columns[columns]) columns++;
        assert_in_range(rows, 1, EXAMPLE_ROWS);
        assert_in_range(columns, 1, EXAMPLE_COLUMNS);
    }
}
