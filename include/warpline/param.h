/* param.h - a parameter is a row in a table.
 *
 * The command line, configuration files, the help text, range errors and the run record all
 * come from these rows. Part of the plugin interface. */
#ifndef WARPLINE_PARAM_H
#define WARPLINE_PARAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wl_param {
    const char *name;      /* "promote"; machine parameters carry their part: "l1d.mshr" */
    const char *unit;      /* "cycles", "entries", ...; "" for a pure number */
    int64_t min, def, max; /* smallest value, default, largest value */
    const char *choices;   /* "linear|xor|fermi": the value is the index; NULL for a number */
    const char *help;      /* one line */
    const char *source;    /* where the default comes from */
};

/* Tables end with a row whose name is NULL. Values are kept as int64_t[rows]. */
#define WL_PARAM_END                                                                                                   \
    {                                                                                                                  \
        0, 0, 0, 0, 0, 0, 0, 0                                                                                         \
    }
enum { WL_MAX_POLICY_PARAMS = 48 };

/* A counter that a policy publishes in the results.
 *
 * Two names have a meaning of their own: a policy that adds tables or queues to the machine counts its accesses to
 * them in counters called WL_TABLE_ACCESSES and WL_QUEUE_ACCESSES, and the energy model prices each access
 * ("energy" in the results). A policy without such counters is taken to cost no energy itself. */
#define WL_TABLE_ACCESSES "table_accesses"
#define WL_QUEUE_ACCESSES "queue_accesses"
struct wl_counter {
    const char *name; /* "promotions" */
    const char *unit; /* "lines", "requests", ... */
    const char *help; /* the definition, one line */
};
#define WL_COUNTER_END                                                                                                 \
    {                                                                                                                  \
        0, 0, 0                                                                                                        \
    }
enum { WL_MAX_POLICY_COUNTERS = 32 };

#ifdef __cplusplus
}
#endif

#endif
