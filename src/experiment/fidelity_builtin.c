/* fidelity_builtin.c - the references that are built into the program, and a folder with the kernels that they run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/out_file.h"
#include "base/text.h"
#include "experiment/fidelity_builtin.h"

static const char suffix[] = ".reference";

const char *fid_builtin_name(unsigned i, char *out, size_t size)
{
    for (const struct embed_file *f = embed_files; f->name; f++) {
        if (!text_ends_with(f->name, suffix) || i--) continue;
        snprintf(out, size, "%.*s", (int)(strlen(f->name) - strlen(suffix)), f->name);
        return out;
    }
    return NULL;
}

const char *fid_builtin_text(const char *name)
{
    char file[128];
    snprintf(file, sizeof file, "%s%s", name, suffix);
    const struct embed_file *f = embed_find(file);
    return f ? f->data : NULL;
}

int fid_folder_make(char *folder, size_t size, struct wl_err *e)
{
    int rc = 0;
    snprintf(folder, size, "/tmp/warpline-kernels.XXXXXX");
    if (!mkdtemp(folder)) return wl_fail(e, WL_ERUN, "cannot make a folder in /tmp: %s", strerror(errno));
    for (const struct embed_file *f = embed_files; !rc && f->name; f++) {
        struct out_file out = {.file = NULL};
        char path[512];
        if (!text_ends_with(f->name, ".ptx")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, f->name);
        rc = out_file_open(&out, path, e);
        if (!rc && fwrite(f->data, 1, f->size, out.file) != f->size) rc = wl_fail(e, WL_ERUN, "%s: cannot write", path);
        rc = out_file_close(&out, rc, e);
    }
    if (rc) fid_folder_drop(folder);
    return rc;
}

void fid_folder_drop(const char *folder)
{
    for (const struct embed_file *f = embed_files; f->name; f++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, f->name);
        if (text_ends_with(f->name, ".ptx")) unlink(path);
    }
    rmdir(folder);
}
