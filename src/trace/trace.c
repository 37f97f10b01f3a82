#include "trace/trace.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/accel/accel.h"
#include "trace/wlt/wlt_priv.h"

struct trace_reader {
    struct wlt_reader *wlt; /* one of the two */
    struct accel_reader *accel;
    const char *only; /* names of the kernels that are wanted; NULL: all */
};

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

bool trace_named(const char *path)
{
    static const char *const endings[] = {".wlt",        ".traceg", ".traceg.xz", ".traceg.gz",
                                          ".traceg.zst", ".trace",  ".trace.xz"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct stat st;
    for (unsigned i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (ends_with(name, endings[i])) return true;
    return strncmp(name, "kernelslist", 11) == 0 || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* By its name, or by its first bytes. */
static bool is_wlt(const char *path)
{
    char first[WLT_MAGIC_BYTES] = "";
    if (ends_with(path, ".wlt")) return true;
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(first, 1, sizeof first, f) : 0;
    if (f) fclose(f);
    return n == sizeof first && memcmp(first, WLT_MAGIC, sizeof first) == 0;
}

struct trace_reader *trace_open(const char *path, struct wl_err *e)
{
    struct trace_reader *r = calloc(1, sizeof *r);
    if (!r) {
        wl_fail(e, WL_ERUN, "out of memory");
        return NULL;
    }
    if (is_wlt(path)) r->wlt = wlt_open(path, e);
    else r->accel = accel_open(path, e);
    if (r->wlt || r->accel) return r;
    free(r);
    return NULL;
}

void trace_close(struct trace_reader *r)
{
    if (!r) return;
    wlt_close(r->wlt);
    accel_close(r->accel);
    free(r);
}

void trace_only(struct trace_reader *r, const char *pattern)
{
    r->only = pattern;
    if (r->accel) accel_only(r->accel, pattern);
}

void trace_keep_named(struct trace_reader *r)
{
    if (r->wlt) wlt_keep_named(r->wlt);
    else accel_keep_named(r->accel);
}

const struct wlt_header *trace_header(const struct trace_reader *r)
{
    return r->wlt ? wlt_header(r->wlt) : accel_header(r->accel);
}

int trace_next(struct trace_reader *r, struct wlt_item *out, struct wl_err *e)
{
    if (r->accel) return accel_next(r->accel, out, e);
    int got = wlt_next(r->wlt, out, e);
    if (got > 0 && out->kind == WLT_LAUNCH && r->only)
        out->unwanted = fnmatch(r->only, out->source->info->kernel, 0) != 0;
    return got;
}

struct wlt_counts trace_launch_counts(const struct trace_reader *r)
{
    return r->wlt ? wlt_launch_counts(r->wlt) : accel_launch_counts(r->accel);
}

struct wlt_totals trace_totals(const struct trace_reader *r)
{
    return r->wlt ? wlt_totals(r->wlt) : accel_totals(r->accel);
}

bool trace_code_is_fleeting(const struct trace_reader *r) { return r->accel; }

void trace_warnings(const struct trace_reader *r, trace_say *say, void *arg)
{
    if (r->accel) accel_warnings(r->accel, say, arg);
}

int trace_files(const char *path, trace_each *each, void *arg, struct wl_err *e)
{
    return is_wlt(path) ? each(arg, path, e) : accel_files(path, each, arg, e);
}
