/* check.h - contracts that are checked while the machine runs.
 *
 * Two kinds, because two kinds of people break them:
 *
 *  - Foreign code (a policy, a plugin) gives an answer that the interface does not allow. This is checked in every
 *    build. Whoever notices it writes a sentence into the machine's `struct breach`, puts a harmless answer in place of
 *    the wrong one and goes on; the run loop looks at the breach after each step and ends the run (WL_ERUN). Nothing
 *    on the cycle path has to be able to fail.
 *  - We break one of our own invariants. There are two ways to notice. WL_ASSERT stands where the invariant matters; it
 *    is compiled in where WL_ASSERTS is 1 (Debug, sanitizer and fuzz builds) and costs nothing elsewhere. A walk
 *    (l1_walk, net_walk, ...) compares everything a part holds with everything else it holds, with WL_VERIFY; it is in
 *    every build, and the run loop calls it again and again while WL_CHECKING: in those builds and with --paranoid. */
#ifndef WL_BASE_CHECK_H
#define WL_BASE_CHECK_H

#include <stdbool.h>

#ifndef WL_ASSERTS
#define WL_ASSERTS 0
#endif

/* Set by --paranoid before the machine is built, through the function: the variable is not for other libraries. */
void wl_set_paranoid(bool on);
extern bool wl_paranoid __attribute__((visibility("hidden")));

#define WL_CHECKING (WL_ASSERTS || wl_paranoid)
#define WL_VERIFY(condition)                                                                                           \
    do {                                                                                                               \
        if (!(condition)) wl_assert_failed(__FILE__, __LINE__, #condition);                                            \
    } while (0)
#define WL_ASSERT(condition)                                                                                           \
    do {                                                                                                               \
        if (WL_ASSERTS && !(condition)) wl_assert_failed(__FILE__, __LINE__, #condition);                              \
    } while (0)

_Noreturn void wl_assert_failed(const char *file, int line, const char *condition) __attribute__((cold));

/* The first broken promise of foreign code. */
struct breach {
    bool broken;
    char text[512];
};

/* Keeps the first sentence; later ones are consequences of it. */
void breach_note(struct breach *b, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));

#endif
