/* exec_report.h - from the reports of a program's processes to records. */
#ifndef WL_RUN_EXEC_REPORT_H
#define WL_RUN_EXEC_REPORT_H

#include "run/exec_run.h"

/* Reads the reports in `folder` into out->process. */
int read_reports(const char *folder, const struct exec_spec *spec, struct exec_outcome *out, struct wl_err *e);
void remove_reports(const char *folder);

#endif
