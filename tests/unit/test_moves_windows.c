/* test_moves_windows.c - how long windows are where streams are moved on. */
#include "test.h"

#include "sim/sampling_waves.h"

TEST(windows_widen_as_far_as_they_may)
{
    static struct waves w = {.moves = true, .unit = 100, .most_unit = 450};
    assert_true(moves_widen(&w));
    assert_true(moves_widen(&w));
    assert_int_equal(w.unit, 400);
    assert_false(moves_widen(&w));
    assert_int_equal(w.unit, 400);
    w = (struct waves){.unit = 100, .most_unit = 450};
    assert_false(moves_widen(&w)); /* they are waves */
}
