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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* A test that uses no fixture. */
#define TEST(name) static void name(void **state __attribute__((unused)))

/* A seeded generator: the same numbers on every machine. */
static inline uint64_t draw(uint64_t *seed, uint64_t below) { return splitmix64(seed) % below; }

/* Sanitized builds run some ten times slower: tests that sweep do less there. */
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

#endif
