/* references.h - the runs of reference files, for the commands that make something of them. */
#ifndef WL_CLI_REFERENCES_H
#define WL_CLI_REFERENCES_H

#include "cli/cli.h"
#include "experiment/fidelity.h"

/* What is done with a reference when its runs are. */
typedef int references_show(void *self, const struct fid_reference *f, struct wl_err *e);

/* Runs the references that the words of the command line name, or all that are built in, so many times and so many runs
 * at a time (0: as many as there are cores), and shows each. */
int references_run(const struct options *o, unsigned repeats, unsigned jobs, references_show *show, void *self,
                   struct wl_err *e);

#endif
