/* test_ranks.c - how far warps go in a time that is left out: by rank, through the ends of those before them, and apart
 * as far as chance takes them. */
#include "test.h"

#include "ptx/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMS = 12, WARPS = 4 };

struct bench {
    struct rank_book k;
    struct ranked warp[SMS * WARPS];
};

/* SMs of as many warps, each of which does what its rank says in both periods. */
static struct bench *make(const double rate[WARPS], double left)
{
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->k.warp = b->warp;
    b->k.n = SMS * WARPS;
    for (uint32_t i = 0; i < b->k.n; i++)
        b->warp[i] = (struct ranked){.sm = i / WARPS, .crew = WARPS, .did = rate[i % WARPS], .left = left};
    for (uint32_t i = 0; i < b->k.n; i++) b->warp[i].before = b->warp[i].did;
    return b;
}

static const double greedy[WARPS] = {1000, 500, 100, 0};

TEST(a_rank_keeps_its_pace)
{
    struct bench *b = make(greedy, 1e6);
    ranks_learn(&b->k, 1);
    struct outlook o = ranks_go(&b->k, 10);
    for (uint32_t i = 0; i < b->k.n; i++) assert_true(fabs(b->warp[i].way - 10 * greedy[i % WARPS]) < 1);
    assert_int_equal(o.ends, 0);
    assert_int_equal(o.sms, SMS);
    free(b);
}

TEST(those_behind_take_the_place_of_one_that_ends)
{
    struct bench *b = make(greedy, 1e6);
    for (uint32_t i = 0; i < b->k.n; i += WARPS) b->warp[i].left = 2000;
    ranks_learn(&b->k, 1);
    struct outlook o = ranks_go(&b->k, 10); /* two periods, and eight in which each is one rank further */
    assert_int_equal(o.ends, SMS);
    assert_int_equal(o.empty, 0);
    for (uint32_t i = 0; i < b->k.n; i += WARPS) {
        assert_true(fabs(b->warp[i].way - 2000) < 1);
        assert_true(fabs(b->warp[i + 1].way - (2 * 500 + 8 * 1000)) < 1);
        assert_true(fabs(b->warp[i + 2].way - (2 * 100 + 8 * 500)) < 1);
        assert_true(fabs(b->warp[i + 3].way - 8 * 100) < 1);
    }
    free(b);
}

TEST(an_sm_whose_warps_all_end_is_empty)
{
    struct bench *b = make(greedy, 1e6);
    for (uint32_t i = 0; i < WARPS; i++) b->warp[i].left = 100;
    ranks_learn(&b->k, 1);
    assert_int_equal(ranks_go(&b->k, 100).empty, 1);
    for (uint32_t i = 0; i < WARPS; i++) assert_true(fabs(b->warp[i].way - 100) < 1);
    free(b);
}

/* Warps that wait for one another's lines are in step: what they differ by is chance. */
TEST(ranks_that_hardly_differ_are_one)
{
    static const double in_step[WARPS] = {1020, 1010, 990, 980};
    struct bench *b = make(in_step, 1e6);
    ranks_learn(&b->k, 1);
    ranks_go(&b->k, 10);
    for (uint32_t i = 1; i < b->k.n; i++) assert_true(fabs(b->warp[i].way - b->warp[0].way) < 1);
    assert_true(fabs(b->warp[0].way - 10 * 1000) < 1);
    free(b);
}

/* What a rank came ahead by in one period it falls back by in the next one: warps take turns. */
TEST(what_does_not_last_is_left_to_no_rank)
{
    struct bench *b = make(greedy, 1e6);
    for (uint32_t i = 0; i < b->k.n; i++) b->warp[i].before = 800 - b->warp[i].did;
    ranks_learn(&b->k, 1);
    ranks_go(&b->k, 10);
    for (uint32_t i = 0; i < b->k.n; i++) assert_true(fabs(b->warp[i].way - 4000) < 1);
    free(b);
}

/* Differences as small as what streams are made of say nothing, so warps in step stay in step. */
TEST(what_is_less_than_the_grain_counts_for_nothing)
{
    struct bench *b = make(greedy, 1e6);
    b->k.grain = 30;
    for (uint32_t i = 0; i < b->k.n; i++) b->warp[i].did = b->warp[i].before = 400 + 20 * (double)(i % 2);
    ranks_learn(&b->k, 1);
    ranks_go(&b->k, 10);
    for (uint32_t i = 0; i < b->k.n; i++) assert_true(fabs(b->warp[i].way - 4100) < 1);
    free(b);
}

static double spread_of_sms(const struct bench *b)
{
    double sum = 0, square = 0;
    for (uint32_t i = 0; i < b->k.n; i += WARPS) {
        sum += b->warp[i].way / SMS;
        square += b->warp[i].way * b->warp[i].way / SMS;
    }
    return sqrt(square - sum * sum);
}

TEST(sms_wander_apart_as_the_root_of_the_time_and_the_same_way_each_time)
{
    double spread[2], first = 0;
    for (unsigned again = 0; again < 2; again++) {
        struct bench *b = make(greedy, 1e9);
        for (uint32_t i = 0; i < b->k.n; i++) /* every second SM is a tenth faster */
            b->warp[i].did *= i / WARPS % 2 ? 1.1 : 0.9, b->warp[i].before = b->warp[i].did;
        ranks_learn(&b->k, 7);
        for (unsigned i = 0; i < 2; i++) {
            ranks_go(&b->k, i ? 1600 : 400);
            spread[i] = spread_of_sms(b);
        }
        assert_true(spread[0] > 0);
        assert_true(fabs(spread[1] / spread[0] - 2) < 0.3);
        if (again) assert_true(first == b->warp[5].way);
        first = b->warp[5].way;
        free(b);
    }
}
