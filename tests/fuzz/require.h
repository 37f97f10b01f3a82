/* require.h - what must hold, whatever the input was. */
#ifndef WL_TESTS_REQUIRE_H
#define WL_TESTS_REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

#define require(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
