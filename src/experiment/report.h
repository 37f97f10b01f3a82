/* report.h - figures and claims of experiments as one HTML page that needs nothing else. */
#ifndef WL_EXPERIMENT_REPORT_H
#define WL_EXPERIMENT_REPORT_H

#include "experiment/plan.h"

struct report_info {
    const char *version, *build, *size, *made; /* made: the date, as text */
};

/* The plans hold their results. Without gnuplot the page has tables instead of pictures and says
 * so. Errors of `out` stay in ferror(out). */
int report_write(const struct plan *const *plans, unsigned count, const struct report_info *info, FILE *out,
                 struct wl_err *e);

/* report_page.c: the constant parts. */
extern const char report_style[], report_script[];

#endif
