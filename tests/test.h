/* test.h - cmocka with the headers it wants before it, and a few shorthands. */
#ifndef WL_TESTS_TEST_H
#define WL_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bits.h"
#include "policy/registry.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A case is written once: TEST(name) { ... } defines it and enters it in the section that main() runs. TEST_WITH also
 * names the functions to call before and after it; NULL stands for none. A test program is one source file. */
#define TEST_WITH(name, setup, teardown)                                                                               \
    static void name(void **state);                                                                                    \
    static const struct CMUnitTest case_##name = {#name, name, setup, teardown, NULL};                                 \
    static const struct CMUnitTest *const entry_##name __attribute__((used, section("wl_cases"))) = &case_##name;      \
    static void name(void **state __attribute__((unused)))
#define TEST(name) TEST_WITH(name, NULL, NULL)

extern const struct CMUnitTest *const __start_wl_cases[], *const __stop_wl_cases[]; /* made by the linker */

/* Runs all cases, or those whose names match the pattern given, test_l1 'stores_*', or do not, test_l1 '-stores_*'. */
int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] == '-') cmocka_set_skip_filter(argv[1] + 1);
    else if (argc > 1) cmocka_set_test_filter(argv[1]);
    size_t count = (size_t)(__stop_wl_cases - __start_wl_cases);
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    if (!tests) return 1;
    for (size_t i = 0; i < count; i++) tests[i] = *__start_wl_cases[i];
    registry_open();
    int failed = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
    free(tests);
    return failed;
}

/* A seeded generator: the same numbers on every machine. */
static inline uint64_t draw(uint64_t *seed, uint64_t below) { return splitmix64(seed) % below; }

/* A sanitized build runs some ten times slower. */
#if defined(__SANITIZE_ADDRESS__)
#define SLOW_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOW_BUILD 1
#endif
#endif
#ifndef SLOW_BUILD
#define SLOW_BUILD 0
#endif

/* How much a sweep over many cases does: all of it with WL_LONG=1, little in a slow build. */
static inline bool long_run(void) { return !SLOW_BUILD && getenv("WL_LONG"); }
/* The step from one case to the next. */
static inline unsigned stride(unsigned usual, unsigned slow) { return long_run() ? 1 : SLOW_BUILD ? slow : usual; }

#endif
