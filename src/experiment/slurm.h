/* slurm.h - the missing runs of a plan as a Slurm job array.
 *
 * A task is `warpline experiment ... --task KEY --spool DIR`: it does one run and leaves its row
 * as a file in the spool folder, which all nodes must share. Only the process that submitted
 * touches the store: SQLite is not safe on network file systems. Stopping the wait loses nothing:
 * the job goes on, and the same command collects it later. */
#ifndef WL_EXPERIMENT_SLURM_H
#define WL_EXPERIMENT_SLURM_H

#include "experiment/runner.h"

struct slurm {
    const char *command; /* of a task up to the key, quoted for a shell: "'warpline' experiment 'x.ini'" */
    const char *spool;
    const struct runner *runner; /* retry, progress, stop */
};

/* 0 when every run has an outcome; a task that ended without one is stored as failed. */
int slurm_run(struct plan *p, struct store *s, const struct slurm *how, struct wl_err *e);

/* Leaves a row in the folder, complete or not at all. */
int spool_put(const char *folder, const struct store_row *row, struct wl_err *e);

#endif
