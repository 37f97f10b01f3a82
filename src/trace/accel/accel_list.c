/* accel_list.c - kernelslist.g: copies and kernels in the order of the program.
 *
 * A line that begins with MemcpyHtoD is a copy, one that begins with kernel names a file next to the
 * list; nothing else is a command. The file may lie there compressed under a longer name. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/accel/accel_priv.h"

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static char *join(const char *a, const char *b, const char *c)
{
    size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
    char *p = malloc(n);
    if (p) snprintf(p, n, "%s%s%s", a, b, c);
    return p;
}

static int no_memory(struct wl_err *e) { return wl_fail(e, WL_ERUN, "out of memory"); }

/* ---- which file is the list ---- */

static bool is_list(const char *name) { return strncmp(name, "kernelslist", 11) == 0 && ends_with(name, ".g"); }

/* The list in a folder: kernelslist.g, or the only one with a longer name. */
static int find_list(const char *folder, char **out, struct wl_err *e)
{
    DIR *d = opendir(folder);
    if (!d) return wl_fail(e, WL_EINPUT, "cannot read the folder %.1000s: %s", folder, strerror(errno));
    char name[300] = "";
    unsigned lists = 0;
    bool raw = false;
    for (struct dirent *f; (f = readdir(d));) {
        if (strcmp(f->d_name, "kernelslist") == 0) raw = true;
        if (!is_list(f->d_name)) continue;
        lists++;
        bool plain = strcmp(f->d_name, "kernelslist.g") == 0;
        if (lists == 1 || plain) snprintf(name, sizeof name, "%s", f->d_name);
        if (!plain) continue;
        lists = 1;
        break;
    }
    closedir(d);
    if (lists == 0)
        return wl_fail(
            e, WL_EINPUT, "%.1000s has no kernelslist.g%s", folder,
            raw ? "; its kernelslist is what the tracer wrote: Accel-Sim's post-processing makes the .g files" : "");
    if (lists > 1)
        return wl_fail(e, WL_EINPUT, "%.1000s has %u lists; name one of them, for example %.1000s/%s", folder, lists,
                       folder, name);
    *out = join(folder, ends_with(folder, "/") ? "" : "/", name);
    return *out ? 0 : no_memory(e);
}

static int open_list(struct accel_list *l, const char *file, struct wl_err *e)
{
    const char *slash = strrchr(file, '/');
    l->folder = slash ? strndup(file, (size_t)(slash + 1 - file)) : strdup("");
    if (!l->folder) return no_memory(e);
    if (lines_open(&l->in, file) == 0) return 0;
    *e = l->in.err;
    return (int)e->code;
}

int accel_list_open(struct accel_list *l, const char *path, struct wl_err *e)
{
    struct stat st;
    *l = (struct accel_list){0};
    if (stat(path, &st) != 0) return wl_fail(e, WL_EINPUT, "cannot read %.1000s: %s", path, strerror(errno));
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (S_ISDIR(st.st_mode)) {
        char *file = NULL;
        int rc = find_list(path, &file, e);
        if (!rc) rc = open_list(l, file, e);
        free(file);
        return rc;
    }
    if (is_list(name)) return open_list(l, path, e);
    if (strcmp(name, "kernelslist") == 0 || ends_with(name, ".trace") || ends_with(name, ".trace.xz"))
        return wl_fail(e, WL_EINPUT,
                       "%.1000s is what the tracer wrote; Accel-Sim's post-processing makes the .g and .traceg files "
                       "that can be run",
                       path);
    l->single = true;
    l->file = strdup(path);
    return l->file ? 0 : no_memory(e);
}

void accel_list_close(struct accel_list *l)
{
    lines_close(&l->in);
    free(l->folder);
    free(l->file);
    l->folder = l->file = NULL;
}

/* ---- commands ---- */

/* "MemcpyHtoD,0x00007fb0fc400000,200000" */
static void read_copy(struct accel_list *l, char *line)
{
    char *addr = strchr(line, ','), *bytes = addr ? strchr(addr + 1, ',') : NULL, *end = NULL;
    bool ok = addr && bytes && addr == line + 10;
    if (ok) {
        *bytes++ = 0;
        errno = 0;
        l->addr = strtoull(addr + 1, &end, 16);
        ok = end != addr + 1 && !*end && !errno && !strchr("-+ ", addr[1]);
    }
    for (size_t n = ok ? strlen(bytes) : 0; n && bytes[n - 1] == ' ';) bytes[--n] = 0;
    if (!ok || !accel_number(bytes, UINT64_MAX, &l->bytes))
        lines_fail(&l->in, "a copy is written MemcpyHtoD,ADDRESS,BYTES");
    else if (l->bytes > WLT_MAX_COPY_BYTES || l->addr >= WLT_ADDRESS_END || l->bytes > WLT_ADDRESS_END - l->addr)
        lines_fail(&l->in, "a copy of %" PRIu64 " bytes to 0x%" PRIx64 " is outside of any memory", l->bytes, l->addr);
}

static void read_kernel(struct accel_list *l, char *line)
{
    static const char *const endings[] = {"", ".xz", ".gz", ".zst"};
    struct stat st;
    for (size_t n = strlen(line); n && line[n - 1] == ' ';) line[--n] = 0;
    for (unsigned i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        free(l->file);
        l->file = join(l->folder, line, endings[i]);
        if (!l->file) lines_no_memory(&l->in);
        if (!l->file || stat(l->file, &st) == 0) return;
    }
    lines_fail(&l->in, "there is no file %.400s next to the list (nor with .xz, .gz or .zst behind it)", line);
}

int accel_list_next(struct accel_list *l, struct wl_err *e)
{
    if (l->single) {
        bool first = !l->given;
        l->given = true;
        return first ? ACCEL_KERNEL : ACCEL_END;
    }
    char *line;
    size_t len;
    int command = ACCEL_END;
    while (command == ACCEL_END && (line = lines_next(&l->in, &len))) {
        if (strncmp(line, "MemcpyHtoD", 10) == 0) {
            command = ACCEL_COPY;
            read_copy(l, line);
        } else if (strncmp(line, "kernel", 6) == 0) {
            command = ACCEL_KERNEL;
            read_kernel(l, line);
        } else if (line[strspn(line, " \t")]) {
            if (!l->ignored++) snprintf(l->first_ignored, sizeof l->first_ignored, "%.60s", line);
        }
    }
    if (!l->in.failed) return command;
    *e = l->in.err;
    return -(int)e->code;
}

int accel_files(const char *path, trace_each *each, void *arg, struct wl_err *e)
{
    struct accel_list l;
    int rc = accel_list_open(&l, path, e), command;
    if (!rc && !l.single) rc = each(arg, l.in.name, e);
    while (!rc && (command = accel_list_next(&l, e)) != ACCEL_END) {
        if (command < 0) rc = -command;
        else if (command == ACCEL_KERNEL) rc = each(arg, l.file, e);
    }
    accel_list_close(&l);
    return rc;
}
