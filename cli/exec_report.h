/* exec_report.h - from the reports of a program's processes to results. */
#ifndef WL_CLI_EXEC_REPORT_H
#define WL_CLI_EXEC_REPORT_H

#include "cli/cli.h"
#include "sim/process_report.h"

/* Reads the reports in `folder` and writes one result a process: readable on standard error, and to
 * --json and --csv; one row a launch to `launches` when it is not NULL. `status` is the program's: without a report it
 * decides what to say. A broken law is WL_ELAW: the numbers cannot be trusted. */
int write_reports(struct job *j, const struct options *o, const char *folder, struct output *out, FILE *launches,
                  int status, struct wl_err *e);
void remove_reports(const char *folder);

#endif
