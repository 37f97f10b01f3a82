/* output.c - results leave the program here, and it is checked that they arrive.
 *
 * A result that could not be written is an error, not a warning: a script must not go on with
 * half a file. When JSON or CSV goes to standard output the readable summary is not printed, so that
 * a program can parse the output. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"

static int open_one(const char *name, FILE **out, struct wl_err *e)
{
    if (!name) return 0;
    *out = strcmp(name, "-") == 0 ? stdout : fopen(name, "w");
    return *out ? 0 : wl_fail(e, WL_EINPUT, "cannot write %s: %s", name, strerror(errno));
}

int output_open(struct output *out, const struct options *o, struct wl_err *e)
{
    *out = (struct output){.json_name = o->json, .csv_name = o->csv, .text = !o->quiet};
    bool json_stdout = o->json && strcmp(o->json, "-") == 0, csv_stdout = o->csv && strcmp(o->csv, "-") == 0;
    if (json_stdout && csv_stdout)
        return wl_fail(e, WL_EINPUT, "--json and --csv cannot both go to standard output; give one of them a file");
    if ((json_stdout || csv_stdout) && o->dump.count)
        return wl_fail(e, WL_EINPUT, "--dump writes to standard output; give --json or --csv a file");
    if (json_stdout || csv_stdout) out->text = false;
    int rc = open_one(o->json, &out->json, e);
    if (!rc) rc = open_one(o->csv, &out->csv, e);
    return rc ? rc : timeline_open(out, o, e);
}

int output_run(struct output *out, const struct run_result *r, struct wl_err *e)
{
    int rc = out->json ? result_write_json(r, out->json, e) : 0;
    if (!rc && out->csv) result_write_csv(&r, 1, out->csv);
    if (!rc && out->text) result_write_text(r, stdout);
    return rc;
}

/* Standard output is only flushed: main closes the account of it. */
static int close_one(FILE *f, const char *name, int rc, struct wl_err *e)
{
    if (!f) return rc;
    struct stat st;
    bool regular = f != stdout && fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode); /* never unlink a device */
    errno = 0;
    bool bad = fflush(f) != 0 || ferror(f);
    int why = errno;
    if (f != stdout && fclose(f) != 0 && !bad) bad = true, why = errno;
    if (rc) {
        if (regular) remove(name); /* half a result is worse than none */
        return rc;
    }
    return bad ? wl_fail(e, WL_ERUN, "cannot write %s: %s", f == stdout ? "to standard output" : name,
                         why ? strerror(why) : "earlier output was lost")
               : 0;
}

int output_close(struct output *out, int rc, struct wl_err *e)
{
    timeline_close(out);
    rc = close_one(out->timeline_file, out->timeline_name, rc, e);
    rc = close_one(out->json, out->json_name, rc, e);
    return close_one(out->csv, out->csv_name, rc, e);
}

int output_flush(struct wl_err *e)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    return wl_fail(e, WL_ERUN, "cannot write to standard output: %s",
                   errno ? strerror(errno) : "earlier output was lost");
}
