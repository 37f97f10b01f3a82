/* accel_name.c - what a trace in Accel-Sim's format is called, and which one it is. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/accel/accel_priv.h"

/* Takes the last folder off `path`; its name, or "" where none is left. */
static const char *cut_last(char *path)
{
    for (char *end = path + strlen(path); end > path + 1 && end[-1] == '/';) *--end = 0;
    char *slash = strrchr(path, '/');
    if (!slash) return path;
    *slash = 0;
    return slash + 1;
}

/* Accel-Sim's scripts name a folder after the program's arguments: NO_ARGS, or these with '_' for what is no letter. */
static bool names_arguments(const char *folder) { return strcmp(folder, "NO_ARGS") == 0 || folder[0] == '_'; }

static void keep_name(char *to, size_t size, const char *name)
{
    snprintf(to, size, "%s", name);
    for (char *p = to; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f) *p = '?';
}

/* What the program is called: the file of a kernel, else the folder of the list. Accel-Sim's scripts leave lists in
 * PROGRAM/ARGUMENTS/traces, so a folder `traces` says nothing and the ones above it do. */
void accel_name_program(struct wlt_header *h, const char *path)
{
    char copy[PATH_MAX], above[PATH_MAX] = "";
    struct stat st;
    bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    snprintf(copy, sizeof copy, "%s", path);
    const char *name = cut_last(copy);
    bool list = folder || strncmp(name, "kernelslist", 11) == 0;
    if (list && realpath(path, above)) { /* "." and "traces" have names, too */
        if (!folder) cut_last(above);
        name = cut_last(above);
    }
    if (list && strcmp(name, "traces") == 0 && *above) name = cut_last(above);
    if (list && names_arguments(name) && *above) {
        keep_name(h->inputs, sizeof h->inputs, name);
        name = cut_last(above);
    }
    keep_name(h->workload, sizeof h->workload, *name ? name : path);
}

/* Which trace it is, without reading all of it: the list's lines and the sizes of the files they name. A list of which
 * only a part could be read would be taken for another trace. */
int accel_identify(const char *path, uint64_t *hash, struct wl_err *e)
{
    struct accel_list l;
    struct stat st;
    uint64_t h = WL_HASH_INIT;
    int command = accel_list_open(&l, path, e) ? -(int)e->code : accel_list_next(&l, e);
    for (; command > ACCEL_END; command = accel_list_next(&l, e)) {
        uint64_t size = 0;
        if (command == ACCEL_KERNEL && stat(l.file, &st) == 0) size = (uint64_t)st.st_size;
        h = hash_bytes(h, &size, sizeof size);
        if (command == ACCEL_COPY) h = hash_bytes(hash_bytes(h, &l.addr, sizeof l.addr), &l.bytes, sizeof l.bytes);
    }
    accel_list_close(&l);
    *hash = h;
    return command < 0 ? (int)e->code : WL_OK;
}
