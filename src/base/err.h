/* err.h - how every layer reports failure.
 *
 * A function that can fail takes a `struct wl_err *` and returns non-zero (or NULL)
 * after filling it. Nothing below cli/ prints, exits or aborts. The code is the
 * process's exit status, so the command line only has to pass it on. */
#ifndef WL_BASE_ERR_H
#define WL_BASE_ERR_H

enum wl_code {
    WL_OK = 0,
    WL_ERUN = 1,      /* the run failed (a kernel faulted, memory ran out, ...) */
    WL_EINPUT = 2,    /* usage or bad input: the text names the place and the fix */
    WL_EDEADLOCK = 3, /* no progress with work outstanding */
    WL_ELAW = 4       /* a conservation law broke: a defect of the simulator */
};

struct wl_err {
    enum wl_code code;
    char text[2048]; /* one or more lines, no newline at the end */
};

/* Fills *e (a NULL e is allowed) and returns code, so callers write `return wl_fail(...)`. */
int wl_fail(struct wl_err *e, enum wl_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* "out of memory", the run fails. */
int wl_no_memory(struct wl_err *e);

/* Bad input at a place in a text: "file:line:col: error: message", the source line and a
 * caret below column `col` (1-based; 0: no caret). `text` is the whole text the line is
 * cut from, or NULL. Returns WL_EINPUT. */
int wl_fail_at(struct wl_err *e, const char *file, unsigned line, unsigned col, const char *text, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* The candidate closest to `word`, or NULL when none is near: for "did you mean". */
const char *wl_nearest(const char *word, const char *const *candidates, unsigned count);

#endif
