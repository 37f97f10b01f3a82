/* identity.h - what a run is known by: which program it was, and which simulator ran it.
 *
 * A workload is known by the device code it really loads. It chooses that itself (two workloads may share
 * a file, one workload may choose between files by its inputs), so it is asked: its host code runs up to
 * the point where it wants its PTX. The run itself is watched in the same way and must ask for the same. */
#ifndef WL_RUN_IDENTITY_H
#define WL_RUN_IDENTITY_H

#include "base/err.h"
#include "workloads/workload.h"

/* The sources this program was built from, with compiler and flags; made by scripts/build_id.sh. */
extern const char wl_build_id[];

/* The PTX texts a workload asked for. */
struct module_set {
    uint64_t hash; /* of the texts, in the order they were asked for */
    unsigned count;
};

/* What the workload would load with these inputs; nothing is executed. */
struct module_set modules_of(const struct workload *w, const int64_t input[WORKLOAD_MAX_INPUTS]);
/* Runs the workload on the current session and notes what it loads. As workload.run, 0 or 1. */
int modules_run(const struct workload *w, struct workload_run *run, struct module_set *loaded);
/* Program, device code, inputs ("n=64") and seed. */
uint64_t identity_hash(const char *workload, const char *inputs, uint64_t seed, struct module_set modules);
/* Continues the hash with what is in the file. */
int hash_file(const char *path, uint64_t *h, struct wl_err *e);

#endif
