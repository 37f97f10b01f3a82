/* test_moves_windows.c - how long windows are where streams are moved on. */
#include "test.h"

#include "sim/sampling_waves.h"

/* Twice as long while the first one is short, as far as they may be; none after that. */
TEST(windows_widen_while_the_first_is_short)
{
    static struct waves w = {.unit = 100, .most_unit = 450};
    assert_true(moves_widen(&w, 16384));
    assert_int_equal(w.unit, 200);
    assert_false(moves_widen(&w, 16385));
    assert_true(moves_widen(&w, 1));
    assert_int_equal(w.unit, 400);
    assert_false(moves_widen(&w, 1));
    w = (struct waves){.unit = 100, .most_unit = 450, .report = {.windows = 1}};
    assert_false(moves_widen(&w, 1));
    assert_int_equal(w.unit, 100);
}
