/* mascar_fig3.h - a paper's example, cycle by cycle, as text. */
#ifndef WL_RUN_MASCAR_FIG3_H
#define WL_RUN_MASCAR_FIG3_H

#include <stdio.h>

#include "base/err.h"

int mascar_fig3(FILE *out, struct wl_err *e);

#endif
