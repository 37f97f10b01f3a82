/* trace.h - any trace: a .wlt file, or a trace of Accel-Sim's tracer.
 *
 * Both give the same things, so whoever runs, inspects or converts traces need not know which. */
#ifndef WL_TRACE_TRACE_H
#define WL_TRACE_TRACE_H

#include "trace/wlt/wlt.h"

struct trace_reader;

/* Whether `path` names a trace by what it is called: *.wlt, kernelslist*, *.traceg with or without
 * .xz, .gz or .zst, or an existing folder. */
bool trace_named(const char *path);
struct trace_reader *trace_open(const char *path, struct wl_err *e);
void trace_close(struct trace_reader *r);
/* Only launches of kernels with such names are wanted; the others need not be read whole. The text outlives the
 * reader. */
void trace_only(struct trace_reader *r, const char *pattern);
/* trace.registers = named: from the next item on, wide loads of machine code write the register they name alone. */
void trace_keep_named(struct trace_reader *r);
const struct wlt_header *trace_header(const struct trace_reader *r);
/* As wlt_next, wlt_launch_counts and wlt_totals. */
int trace_next(struct trace_reader *r, struct wlt_item *out, struct wl_err *e);
struct wlt_counts trace_launch_counts(const struct trace_reader *r);
struct wlt_totals trace_totals(const struct trace_reader *r);
/* Whether the code of a launch is gone when the next item is read. */
bool trace_code_is_fleeting(const struct trace_reader *r);
/* What was read with a guess, and what the trace lacks; nothing in a .wlt file. */
void trace_warnings(const struct trace_reader *r, trace_say *say, void *arg);
/* Calls `each` with every file of the trace; ends with the first answer that is not 0, and gives it. */
int trace_files(const char *path, trace_each *each, void *arg, struct wl_err *e);

#endif
