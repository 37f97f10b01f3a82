/* check.h - contracts that are checked while the machine runs.
 *
 * Two kinds, because two kinds of people break them:
 *
 *  - Foreign code (a policy, a plugin) gives an answer that the interface does not allow. This is checked in every
 *    build. Whoever notices it writes a sentence into the machine's `struct breach`, puts a harmless answer in place of
 *    the wrong one and goes on; the run loop looks at the breach after each step and ends the run (WL_ERUN). Nothing
 *    on the cycle path has to be able to fail.
 *  - We break one of our own invariants. WL_ASSERT says so and aborts. It is compiled in where WL_ASSERTS is 1 (Debug,
 *    sanitizer and fuzz builds); elsewhere it is one predictable branch that `--paranoid` turns on. Put the conditions
 *    of one place into one WL_ASSERT: the branch is then paid once. */
#ifndef WL_BASE_CHECK_H
#define WL_BASE_CHECK_H

#include <stdbool.h>

#ifndef WL_ASSERTS
#define WL_ASSERTS 0
#endif

/* Set by --paranoid before the machine is built, through the function: the variable is not for other libraries, so that
 * reading it costs one instruction. */
void wl_set_paranoid(bool on);
extern bool wl_paranoid __attribute__((visibility("hidden")));

#define WL_CHECKING (WL_ASSERTS || __builtin_expect(wl_paranoid, 0))
#define WL_ASSERT(condition)                                                                                           \
    do {                                                                                                               \
        if (WL_CHECKING && !(condition)) wl_assert_failed(__FILE__, __LINE__, #condition);                             \
    } while (0)

/* For what every request passes many times: only where WL_ASSERTS is 1, as even a branch would cost there. */
#define WL_ASSERT_HOT(condition)                                                                                       \
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
