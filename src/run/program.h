/* program.h - finds the workload of a run. */
#ifndef WL_RUN_PROGRAM_H
#define WL_RUN_PROGRAM_H

#include "run/run_priv.h"

/* The workload spec.program with its size and inputs. */
int find_program(struct run *r, struct wl_err *e);
/* Its name, size and inputs as the record has them. */
void describe_program(struct run *r);

#endif
