/* test_mshr.c - misses in flight: entries, merging, order, reuse; the lists they are made of. */
#include "test.h"

#include "mem/mshr.h"

TEST(entries_are_distinct_until_full)
{
    struct mshrs m;
    bool seen[5] = {false};
    assert_int_equal(mshr_init(&m, 5, 8), 0);
    for (uint32_t i = 0; i < 5; i++) {
        assert_false(mshr_full(&m));
        uint32_t e = mshr_alloc(&m, 100 + i);
        assert_true(e < 5 && !seen[e]);
        seen[e] = true;
        assert_int_equal(m.entry[e].at, 100 + i);
    }
    assert_true(mshr_full(&m));
    assert_int_equal(m.used, 5);
    mshr_destroy(&m);
}

TEST(a_released_entry_is_used_again_clean)
{
    struct mshrs m;
    struct req r = {0};
    assert_int_equal(mshr_init(&m, 2, 8), 0);
    uint32_t a = mshr_alloc(&m, 1), b = mshr_alloc(&m, 2);
    mshr_wait(&m, a, &r);
    struct req_list done;
    list_init(&done);
    list_join(&done, &m.entry[a].waiting);
    mshr_release(&m, a);
    assert_false(mshr_full(&m));
    assert_int_equal(mshr_alloc(&m, 3), a);
    assert_int_equal(m.entry[a].count, 0);
    assert_null(m.entry[a].waiting.head);
    assert_int_equal(m.entry[b].at, 2);
    mshr_destroy(&m);
}

TEST(the_merge_limit_counts_the_first_request)
{
    struct mshrs m;
    struct req r[3] = {{0}};
    assert_int_equal(mshr_init(&m, 4, 3), 0);
    uint32_t e = mshr_alloc(&m, 0);
    for (int i = 0; i < 3; i++) {
        assert_true(mshr_can_merge(&m, e));
        mshr_wait(&m, e, &r[i]);
    }
    assert_false(mshr_can_merge(&m, e));
    mshr_destroy(&m);
}

TEST(requests_wait_in_order)
{
    struct mshrs m;
    struct req r[4] = {{0}};
    assert_int_equal(mshr_init(&m, 1, 8), 0);
    uint32_t e = mshr_alloc(&m, 0);
    for (int i = 0; i < 4; i++) mshr_wait(&m, e, &r[i]);
    for (int i = 0; i < 4; i++) assert_ptr_equal(list_pop(&m.entry[e].waiting), &r[i]);
    assert_null(m.entry[e].waiting.head);
    mshr_destroy(&m);
}

TEST(lists_join_behind)
{
    struct req r[4] = {{0}};
    struct req_list a, b;
    list_init(&a);
    list_init(&b);
    list_join(&a, &b); /* nothing to nothing */
    assert_null(a.head);
    list_push(&b, &r[0]);
    list_push(&b, &r[1]);
    list_join(&a, &b);
    assert_null(b.head);
    list_push(&b, &r[2]);
    list_join(&a, &b);
    list_push(&a, &r[3]);
    for (int i = 0; i < 4; i++) assert_ptr_equal(list_pop(&a), &r[i]);
    assert_null(a.head);
    list_push(&a, &r[0]); /* usable after it ran empty */
    assert_ptr_equal(list_pop(&a), &r[0]);
}

TEST(the_pool_counts_what_is_alive)
{
    struct req_pool pool = {0};
    struct req *r[3000];
    for (unsigned i = 0; i < COUNT(r); i++) {
        if (!pool.available) assert_int_equal(req_grow(&pool), 0);
        r[i] = req_alloc(&pool);
    }
    assert_int_equal(pool.alive, COUNT(r));
    for (unsigned i = 0; i < COUNT(r); i++) {
        for (unsigned k = i + 1; k < i + 3 && k < COUNT(r); k++) assert_ptr_not_equal(r[i], r[k]);
        req_free(&pool, r[i]);
    }
    assert_int_equal(pool.alive, 0);
    req_pool_destroy(&pool);
}
