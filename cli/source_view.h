/* source_view.h - the source of a program with what each of its lines costs. */
#ifndef WL_CLI_SOURCE_VIEW_H
#define WL_CLI_SOURCE_VIEW_H

#include "cli/cli.h"

enum source_order { SOURCE_IN_PLACE, SOURCE_BY_STALLS, SOURCE_BY_AWAITED, SOURCE_BY_INSTRUCTIONS, SOURCE_BY_REQUESTS };

/* "line", "stalls", "awaited", "instructions" or "requests"; NULL: in place. */
int source_order(const char *word, enum source_order *out, struct wl_err *e);
/* The result must have a profile. */
int source_write(const struct run_result *r, enum source_order order, FILE *out, struct wl_err *e);
/* One row per instruction. */
void source_write_csv(const struct run_result *r, FILE *out);

#endif
