/* measurements.h - what calibrate.cu printed: a file of lines "key value" or "key median lowest highest".
 *
 * Comments begin with '#'. Files and runs may follow one another: what was measured several times has the median of its
 * values, and its lowest and highest are those of all. The last line of a run is "end 1"; without it the run was cut
 * off. */
#ifndef WL_EXPERIMENT_MEASUREMENTS_H
#define WL_EXPERIMENT_MEASUREMENTS_H

#include "base/err.h"

enum { MEASURED_KEY = 64, MEASURED_TIMES = 64 };

struct measured {
    char key[MEASURED_KEY];
    double value[MEASURED_TIMES]; /* of each run */
    double low, high;
    unsigned times;
};

struct measurements {
    char device[128]; /* device.name; "" if there is none */
    struct measured *list;
    unsigned count, room;
};

/* Adds what a file says; "-" is standard input. The sentence of an error names file and line. */
int measurements_load(struct measurements *m, const char *file, struct wl_err *e);
void measurements_free(struct measurements *m);

/* NULL: it was not measured. */
const struct measured *measurement(const struct measurements *m, const char *key);
double measured_value(const struct measured *x); /* the median */

/* The measurements of a sweep, "sweep.l1_kib." and a number: the i-th with its number; NULL behind the last. In the
 * order of the file. */
const struct measured *measurement_at(const struct measurements *m, const char *prefix, unsigned i, long *at);

#endif
