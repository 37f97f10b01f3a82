/* test_marks.c - what a launch counted up to some place, from what it counted up to the marks before and behind it. */
#include "test.h"

#include "sim/sampling_waves.h"

#include <stdlib.h>

/* Three marks: the beginning, 1000 warp instructions, and 3000, which took a cycle each at first and three later. */
static struct launch_marks *make(void)
{
    struct launch_marks *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->n = 3;
    m->at[1].stats = (struct run_stats){.cycles = 1000, .sm.warp_instructions = 1000, .l2.misses = 10};
    m->at[2].stats = (struct run_stats){.cycles = 7000, .sm.warp_instructions = 3000, .l2.misses = 4};
    return m;
}

TEST(marks_places_between)
{
    struct launch_marks *m = make();
    struct sample s;
    assert_true(marks_at(m, 500, &s));
    assert_int_equal(s.stats.cycles, 500);
    assert_int_equal(s.stats.sm.warp_instructions, 500);
    assert_true(marks_at(m, 2000, &s));
    assert_int_equal(s.stats.cycles, 4000);
    assert_int_equal(s.stats.l2.misses, 7); /* what is no sum may fall */
    assert_true(marks_between(m, 500, 2000, &s));
    assert_int_equal(s.stats.cycles, 3500);
    assert_int_equal(s.stats.sm.warp_instructions, 1500);
    free(m);
}

TEST(marks_ends)
{
    struct launch_marks *m = make();
    struct sample s;
    assert_true(marks_at(m, 0, &s));
    assert_int_equal(s.stats.cycles, 0);
    assert_true(marks_at(m, 3000, &s));
    assert_int_equal(s.stats.cycles, 7000);
    assert_false(marks_at(m, 3001, &s)); /* nobody looked there */
    m->n = 1;
    assert_false(marks_at(m, 0, &s));
    free(m);
}
