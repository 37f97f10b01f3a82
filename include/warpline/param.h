/* param.h - a parameter is a row in a table.
 *
 * The command line, configuration files, the help text, range errors and the run record all
 * come from these rows. Part of the plugin interface. */
#ifndef WARPLINE_PARAM_H
#define WARPLINE_PARAM_H

#include <stdint.h>

struct wl_param {
    const char *name; /* "promote"; machine parameters carry their part: "l1d.mshr" */
    const char *unit; /* "cycles", "entries", ...; "" for a pure number */
    int64_t min, def, max;
    const char *choices; /* "linear|xor|fermi": the value is the index; NULL for a number */
    const char *help;    /* one line */
    const char *source;  /* where the default comes from */
};

/* Tables end with a row whose name is NULL. Values are kept as int64_t[rows]. */
#define WL_PARAM_END                                                                                                   \
    {                                                                                                                  \
        0, 0, 0, 0, 0, 0, 0, 0                                                                                         \
    }
enum { WL_MAX_POLICY_PARAMS = 48 };

/* A counter a policy publishes so that a user can see it fire. */
struct wl_counter {
    const char *name; /* "promotions" */
    const char *unit;
    const char *help; /* the definition, one line */
};
#define WL_COUNTER_END                                                                                                 \
    {                                                                                                                  \
        0, 0, 0                                                                                                        \
    }
enum { WL_MAX_POLICY_COUNTERS = 32 };

#endif
