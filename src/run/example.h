/* example.h - worked examples of papers as tables: what happened in which cycle of a real run on a miniature machine.
 */
#ifndef WL_RUN_EXAMPLE_H
#define WL_RUN_EXAMPLE_H

#include "base/err.h"

struct example {
    const char *name;
    const char *const *rows, *const *columns; /* each ends with NULL */
    /* Plays it: value[row * number of columns + column], in the example's own cycles. */
    int (*play)(double *value, struct wl_err *e);
};

enum { EXAMPLE_ROWS = 32, EXAMPLE_COLUMNS = 8 }; /* the most of any */

extern const struct example *const examples[]; /* ends with NULL */
const struct example *example_find(const char *name);
/* The place of a name in a list that ends with NULL, or -1. */
int example_index(const char *const *names, const char *name);

#endif
