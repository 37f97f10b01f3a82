/* traces.h - what can be done with a trace other than running it. */
#ifndef WL_RUN_TRACES_H
#define WL_RUN_TRACES_H

#include "trace/wlt/wlt.h"

/* Whether the trace can be opened: found out before the first of many runs. */
int trace_check(const char *file, struct wl_err *e);
/* A hash of the contents of all its files. */
int trace_content(const char *file, uint64_t *hash, struct wl_err *e);
/* What is in it. `say` gets warnings; NULL: they are dropped. */
int trace_info(const char *file, struct wlt_summary *out, trace_say *say, void *arg, struct wl_err *e);
/* Writes it again: as a .wlt file when `to` ends so, else as a folder in the format of Accel-Sim. */
int trace_rewrite(const char *from, const char *to, struct wlt_totals *out, trace_say *say, void *arg,
                  struct wl_err *e);

#endif
