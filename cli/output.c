/* output.c - results leave the program here, and it is checked that they arrive.
 *
 * A result that could not be written is an error, not a warning: a script must not go on with
 * half a file. When JSON or CSV goes to standard output the readable summary is not printed, so that
 * a program can parse the output. */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"

static int open_one(struct out_file *f, const char *name, FILE **out, struct wl_err *e)
{
    int rc = name ? out_file_open(f, name, e) : 0;
    *out = f->file;
    return rc;
}

int output_open(struct output *out, const struct options *o, struct wl_err *e)
{
    *out = (struct output){.text = !o->quiet, .detail = o->verbose};
    const char *const file[] = {o->json, o->csv, o->samples, o->loads}, *const name[] = {"json", "csv", "samples",
                                                                                         "loads"};
    const char *first = NULL;
    for (unsigned i = 0; i < 4; i++) {
        if (!file[i] || strcmp(file[i], "-") != 0) continue;
        if (first)
            return wl_fail(e, WL_EINPUT, "--%s and --%s cannot both go to standard output; give one of them a file",
                           first, name[i]);
        first = name[i];
    }
    if (first && o->dump.count)
        return wl_fail(e, WL_EINPUT, "--dump writes to standard output; give --%s a file", first);
    if (first) out->text = false;
    int rc = open_one(&out->json_file, o->json, &out->json, e);
    if (!rc) rc = open_one(&out->csv_file, o->csv, &out->csv, e);
    if (!rc) rc = open_one(&out->samples_file, o->samples, &out->samples, e);
    if (!rc) rc = open_one(&out->loads_file, o->loads, &out->loads, e);
    return rc ? rc : timeline_open(out, o, e);
}

int output_run(struct output *out, const struct run_result *r, struct wl_err *e)
{
    int rc = out->json ? result_write_json(r, out->json, e) : 0;
    if (!rc && out->csv) result_write_csv(&r, 1, out->csv);
    if (!rc && out->samples) rc = result_write_rows(&r, 1, "samples", out->samples, e);
    if (!rc && out->loads) rc = result_write_rows(&r, 1, "loads", out->loads, e);
    if (!rc && out->text) result_write_text(r, stdout);
    if (!rc && out->text && out->detail) result_write_detail(r, stdout);
    return rc;
}

int output_close(struct output *out, int rc, struct wl_err *e)
{
    timeline_close(out);
    rc = out_file_close(&out->timeline_file, rc, e);
    rc = out_file_close(&out->json_file, rc, e);
    rc = out_file_close(&out->samples_file, rc, e);
    rc = out_file_close(&out->loads_file, rc, e);
    return out_file_close(&out->csv_file, rc, e);
}

int output_flush(struct wl_err *e)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return memory_was_short() ? wl_no_memory(e) : 0;
    return wl_fail(e, WL_ERUN, "cannot write to standard output: %s",
                   errno ? strerror(errno) : "earlier output was lost");
}
