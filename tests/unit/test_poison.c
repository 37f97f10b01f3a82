/* test_poison.c - a step over the end of an object of an arena or a pool ends a sanitizer build. */
#include "test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/poison.h"
#include "mem/req.h"

static volatile char sink;

/* Whether reading the byte ends the process. */
static bool dies(const void *p)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY); /* what the sanitizer says is not for the log of the tests */
        dup2(null, 2);
        sink = *(const volatile char *)p;
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status != 0;
}

#ifdef WL_POISON
enum { SEEN = 1 };
#else
enum { SEEN = 0 };
#endif

TEST(objects_of_an_arena_have_ends)
{
    struct arena a = {0};
    char *first = arena_alloc(&a, 20), *second = arena_alloc(&a, 24), *none = arena_alloc(&a, 0);
    char *large = arena_alloc(&a, 200000);
    assert_non_null(large);
    memset(first, 1, 20);
    memset(second, 2, 24);
    memset(large, 3, 200000);
    assert_false(dies(first + 19));
    assert_false(dies(second));
    assert_false(dies(large + 199999));
    if (SEEN) {
        assert_true(dies(first + 20)); /* the padding */
        assert_true(dies(first + 32)); /* the red zone */
        assert_true(dies(second - 1));
        assert_true(dies(second + 24));
        assert_true(dies(none));
        assert_true(dies(large + 200000));
    }
    arena_free(&a);
}

TEST(requests_of_a_pool_have_ends_and_a_free_one_is_gone)
{
    struct req_pool p = {0};
    assert_int_equal(req_grow(&p), 0);
    struct req *a = req_alloc(&p), *b = req_alloc(&p);
    assert_false(dies((char *)a));
    assert_false(dies((char *)a + sizeof *a - 1));
    if (SEEN) {
        assert_true(dies((char *)a + sizeof *a)); /* between two of them */
        assert_true(dies((char *)b - 1));
        assert_true(dies((char *)p.free)); /* not handed out yet */
        req_free(&p, a);
        assert_true(dies((char *)a));
        assert_int_equal(req_count_free(&p), p.available);
        assert_ptr_equal(req_alloc(&p), a);
        assert_false(dies((char *)a));
    }
    req_pool_destroy(&p);
}
