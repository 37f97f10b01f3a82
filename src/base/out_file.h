/* out_file.h - a file that appears whole or not at all.
 *
 * What is written goes into a file without a name in the folder of the target, which gets the target's name when all of
 * it is on the disk. Until then an older file of that name is as it was, whatever happens: an error, a full disk, a
 * signal, a power cut. A file without a name is gone when its process is (O_TMPFILE). Where a file system has none, the
 * name is the target's with the process's number and ".part"; out_file_drop_all removes those before a signal ends the
 * process.
 *
 * "-" is standard output. What is no regular file (a device, a pipe) is written directly. */
#ifndef WL_BASE_OUT_FILE_H
#define WL_BASE_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

struct out_file {
    FILE *file;        /* write here; NULL: not open */
    char *name, *temp; /* the target; the name until then, NULL: it has none */
    char *spoken;      /* the target as the user wrote it */
    bool direct;       /* no regular file: there is nothing to keep */
};

/* 0, or WL_EINPUT. */
int out_file_open(struct out_file *f, const char *name, struct wl_err *e);
/* Ends it: with rc 0 the target is replaced, otherwise everything stays as it was. Returns rc, or the failure to write.
 * A file that is not open is nothing to do. */
int out_file_close(struct out_file *f, int rc, struct wl_err *e);
/* As out_file_close with rc 0, but never replaces: *taken says that there is a file of that name now; then this one
 * stays open, and `name` may be changed by out_file_rename. */
int out_file_close_new(struct out_file *f, bool *taken, struct wl_err *e);
int out_file_rename(struct out_file *f, const char *name, struct wl_err *e);

/* For tests: from here on as on a file system that has no files without a name. */
void out_file_use_names(bool on);

/* For a signal handler that ends the process: removes the files of this process that are not whole. */
void out_file_drop_all(void);

#endif
