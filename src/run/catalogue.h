/* catalogue.h - what there is to choose from, as lists for people and for scripts. */
#ifndef WL_RUN_CATALOGUE_H
#define WL_RUN_CATALOGUE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

enum catalogue_kind {
    LIST_WORKLOADS,
    LIST_GROUPS,
    LIST_POLICIES,
    LIST_SCHEDULERS,
    LIST_SCHEMES,
    LIST_GPUS,
    LIST_COUNTERS,
    LIST_OPTIONS
};

struct catalogue_view {
    bool plain;   /* one name per line, nothing else */
    bool verbose; /* parameters, inputs and sources too */
    /* With verbose, after each workload: writes more about it. NULL: nothing more. */
    int (*workload)(void *arg, const char *name, unsigned number, unsigned count, struct wl_err *e);
    void *arg;
};

int catalogue_list(enum catalogue_kind kind, const struct catalogue_view *how, FILE *out, struct wl_err *e);
/* The same list as an array of objects (a json_t *, jansson). NULL: *e says why. */
void *catalogue_json(enum catalogue_kind kind, struct wl_err *e);
/* One row of any such list. */
void catalogue_row(const struct catalogue_view *how, const char *name, int width, const char *rest, FILE *out);

#endif
