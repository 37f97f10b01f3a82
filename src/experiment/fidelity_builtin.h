/* fidelity_builtin.h - the reference files of references/, which are part of the program. */
#ifndef WL_EXPERIMENT_FIDELITY_BUILTIN_H
#define WL_EXPERIMENT_FIDELITY_BUILTIN_H

#include <stddef.h>

#include "base/err.h"

/* The i-th name, written to `out`; NULL behind the last. */
const char *fid_builtin_name(unsigned i, char *out, size_t size);
/* NULL: there is none of that name. */
const char *fid_builtin_text(const char *name);
/* A new folder with the kernel files of all workloads, in which their commands run; and its end. */
int fid_folder_make(char *folder, size_t size, struct wl_err *e);
void fid_folder_drop(const char *folder);

#endif
