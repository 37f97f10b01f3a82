/* exec_report.h - from the reports of a program's processes to records. */
#ifndef WL_RUN_EXEC_REPORT_H
#define WL_RUN_EXEC_REPORT_H

#include "run/exec_run.h"

/* Reads the reports in `folder` into out->process. */
int read_reports(const char *folder, const struct exec_spec *spec, struct exec_outcome *out, struct wl_err *e);
void remove_reports(const char *folder);

/* exec_timeline.c: tells the processes to write a timeline; copies what they left to where it was asked for. */
int exec_timeline_order(const struct exec_spec *s, const char *folder, struct wl_err *e);
int exec_timeline_take(const struct exec_spec *s, const char *folder, unsigned *taken, struct wl_err *e);

#endif
