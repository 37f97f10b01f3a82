/* design.h - points that fill a space of discrete values evenly.
 *
 * A point has one value of each factor. The points come one after another and each is chosen to balance what went
 * before, so that the first n points are the same however many are asked for: a larger design goes on where a smaller
 * one stopped. The default, value 0 of every factor, counts as there already. The uses of two values of a factor never
 * differ by more than one, so that k - 1 points use all of k values. */
#ifndef WL_EXPERIMENT_DESIGN_H
#define WL_EXPERIMENT_DESIGN_H

#include "base/err.h"

enum { DESIGN_FACTORS = 32, DESIGN_LEVELS = 16 };

/* levels[f]: how many values factor f has, 1..DESIGN_LEVELS. out[p * factors + f] becomes the value of point p. */
int design_make(const unsigned *levels, unsigned factors, unsigned points, unsigned *out, struct wl_err *e);

#endif
