/* process.h - runs another program and waits for it. */
#ifndef WL_EXPERIMENT_PROCESS_H
#define WL_EXPERIMENT_PROCESS_H

#include <stddef.h>

#include "base/err.h"

enum { PROCESS_MISSING = -2, PROCESS_FAILED = -1 };

/* Looks argv[0] up in PATH, gives it `input`, keeps the first `size` bytes of what it writes to
 * standard output and standard error in `out`. Its exit status; PROCESS_MISSING when there is no
 * such program; PROCESS_FAILED with *e when it could not be run or was killed. */
int process_run(const char *const argv[], const char *input, char *out, size_t size, struct wl_err *e);
/* The same with everything from standard output in *text, which the caller frees, and standard error alone in `said`.
 */
int process_read(const char *const argv[], const char *input, char **text, char *said, size_t size, struct wl_err *e);

#endif
