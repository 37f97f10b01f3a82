/* convert.h - from one trace format to the other. */
#ifndef WL_TRACE_CONVERT_H
#define WL_TRACE_CONVERT_H

#include "trace/accel/accel_write.h"

/* Reads the trace `from` and writes `to`: a .wlt file when its name ends so, else a folder in the format
 * of Accel-Sim. `say` gets the warnings of both sides, as sentences; it may be NULL. */
int trace_convert(const char *from, const char *to, struct wlt_totals *out, trace_say *say, void *arg,
                  struct wl_err *e);

#endif
