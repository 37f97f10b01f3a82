/* cmd_report.c - placeholder while the page is being written. */
#include "cli/lab.h"
int cmd_report(const struct options *o, struct wl_err *e) { (void)o; return wl_fail(e, WL_ERUN, "not yet"); }
