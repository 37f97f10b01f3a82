/* bench_against.h - `warpline bench --against`: our seconds next to another simulator's. */
#ifndef WL_CLI_BENCH_AGAINST_H
#define WL_CLI_BENCH_AGAINST_H

#include "cli/cli.h"

int bench_against(const struct options *o, struct wl_err *e);

#endif
