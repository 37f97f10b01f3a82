/* report.h - figures and claims of experiments as one HTML page that needs nothing else. */
#ifndef WL_EXPERIMENT_REPORT_H
#define WL_EXPERIMENT_REPORT_H

#include "experiment/range.h"

struct report_info {
    const char *version, *build, *size, *made; /* made: the date, as text */
    const char *store;                         /* where the results are, if somebody named it; else NULL */
};

/* The plans hold their results; ranges[i] goes with plans[i] and has been evaluated, or is NULL. Without gnuplot the
 * page has tables instead of pictures and says so. A picture that could not be drawn is said there too; undrawn->code
 * is 0 or the first such failure's. Errors of `out` stay in ferror(out). */
int report_write(const struct plan *const *plans, const struct exp_range *const *ranges, unsigned count,
                 const struct report_info *info, FILE *out, struct wl_err *undrawn, struct wl_err *e);

#endif
