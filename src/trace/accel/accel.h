/* accel.h - traces of NVIDIA GPUs in the text format of Accel-Sim's tracer.
 *
 * A trace is a folder with a list of commands (kernelslist.g) and a file per kernel launch
 * (kernel-N.traceg, also compressed). It is read as the same things a .wlt trace gives: copies
 * and launches, so nothing behind this reader knows where a trace comes from. Tracer versions
 * without a number and 1 to 5; docs/traces.md says what is inferred and what is not there.
 *
 * A kernel's file is read twice: once to learn its code (instructions, control flow, loops) and
 * to check every line, once to hand out its CTAs. Memory: the code, the CTAs handed out and not
 * released, and a constant. */
#ifndef WL_TRACE_ACCEL_ACCEL_H
#define WL_TRACE_ACCEL_ACCEL_H

#include "trace/wlt/wlt.h"

struct accel_reader;

/* A folder, a list, or the file of one kernel. NULL on failure: WL_EINPUT with file and line. */
struct accel_reader *accel_open(const char *path, struct wl_err *e);
void accel_close(struct accel_reader *r);
void accel_keep_named(struct accel_reader *r); /* as trace_keep_named */
/* The name of the folder or file stands for the program; of a folder `traces`, those above it do. */
const struct wlt_header *accel_header(const struct accel_reader *r);
/* As wlt_next and its companions. */
/* As trace_only. */
void accel_only(struct accel_reader *r, const char *pattern);
int accel_next(struct accel_reader *r, struct wlt_item *out, struct wl_err *e);
struct wlt_counts accel_launch_counts(const struct accel_reader *r);
struct wlt_totals accel_totals(const struct accel_reader *r);

/* Sentences for the user. Losses: what the machine was not asked to do although the program did it, counted: accesses
 * without addresses, bulk copies of which only the beginning is moved, blocks that are not there. The others: what was
 * read with a guess: unknown mnemonics, architectures without a table, lines of header and list that mean nothing
 * here. */
void accel_warnings(const struct accel_reader *r, trace_say *say, void *arg);
/* Calls `each` with every file of the trace, the list first. */
int accel_files(const char *path, trace_each *each, void *arg, struct wl_err *e);

#endif
