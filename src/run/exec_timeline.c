/* exec_timeline.c - a timeline of a program: the order goes to its processes, what they wrote comes back.
 *
 * A process writes into the folder of its report and gives the file its ending when it ends, so that one that was
 * killed leaves no half of a timeline. Files are taken in the order in which the processes began. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_file.h"
#include "run/exec_report.h"

int exec_timeline_order(const struct exec_spec *s, const char *folder, struct wl_err *e)
{
    if (!s->timeline) return 0;
    struct timeline_order order = {.spec = s->timeline_spec};
    char file[PATH_MAX];
    if (order.spec.kernel) snprintf(order.kernel, sizeof order.kernel, "%s", order.spec.kernel);
    order.spec.kernel = NULL;
    snprintf(file, sizeof file, "%s/%s", folder, TIMELINE_FILE);
    FILE *f = fopen(file, "wb");
    bool bad = !f || fwrite(&order, sizeof order, 1, f) != 1;
    if (f && fclose(f) != 0) bad = true;
    return bad ? wl_fail(e, WL_ERUN, "cannot write %s: %s", file, strerror(errno)) : 0;
}

static int is_timeline(const struct dirent *d)
{
    size_t n = strlen(d->d_name), m = strlen(TIMELINE_ENDING);
    return n > m && strcmp(d->d_name + n - m, TIMELINE_ENDING) == 0;
}

static int copy_file(const char *from, const char *to, struct wl_err *e)
{
    char block[1 << 16];
    struct out_file out = {0};
    FILE *in = fopen(from, "rb");
    if (!in) return wl_fail(e, WL_ERUN, "cannot read %s: %s", from, strerror(errno));
    int rc = out_file_open(&out, to, e);
    for (size_t n; !rc && (n = fread(block, 1, sizeof block, in)) > 0;) fwrite(block, 1, n, out.file);
    fclose(in);
    return out_file_close(&out, rc, e);
}

int exec_timeline_take(const struct exec_spec *s, const char *folder, unsigned *taken, struct wl_err *e)
{
    struct dirent **names;
    *taken = 0;
    int rc = 0, n = s->timeline ? scandir(folder, &names, is_timeline, alphasort) : 0;
    if (n < 0) return wl_fail(e, WL_ERUN, "cannot read %s: %s", folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        char from[PATH_MAX], to[PATH_MAX];
        snprintf(from, sizeof from, "%s/%s", folder, names[i]->d_name);
        if (i) snprintf(to, sizeof to, "%.*s.%d", PATH_MAX - 16, s->timeline, i + 1);
        else snprintf(to, sizeof to, "%s", s->timeline);
        if (!rc) rc = copy_file(from, to, e);
        *taken += !rc;
        free(names[i]);
    }
    if (s->timeline) free(names);
    return rc;
}
