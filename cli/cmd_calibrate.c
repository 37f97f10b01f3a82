/* cmd_calibrate.c - a machine file from measurements on a real GPU, and the program that measures. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "experiment/calibrate.h"

static int write_source(const char *file, struct wl_err *e)
{
    struct out_file f;
    int rc = out_file_open(&f, file ? file : "-", e);
    if (!rc) fputs(calibrate_source(), f.file);
    return rc ? rc : out_file_close(&f, 0, e);
}

static int write_machine(const struct measurements *m, const struct options *o, struct wl_err *e)
{
    struct out_file f = {.file = NULL};
    struct calibration *k = malloc(sizeof *k);
    if (!k) return wl_no_memory(e);
    int rc = calibrate(k, m, o->base, e);
    if (!rc) rc = out_file_open(&f, o->output ? o->output : "-", e);
    if (!rc) calibrate_write(k, f.file);
    rc = out_file_close(&f, rc, e);
    free(k);
    return rc;
}

int cmd_calibrate(const struct options *o, struct wl_err *e)
{
    struct measurements m = {.count = 0};
    if (o->source && o->words.count) return wl_fail(e, WL_EINPUT, "--source takes no files: it prints the program");
    if (o->source) return write_source(o->output, e);
    if (!o->words.count)
        return wl_fail(e, WL_EINPUT,
                       "which measurements? 'warpline calibrate --source > calibrate.cu' prints the program that makes "
                       "them, then: warpline calibrate FILE -o MACHINE.ini");
    int rc = 0;
    for (unsigned i = 0; !rc && i < o->words.count; i++) rc = measurements_load(&m, o->words.item[i], e);
    if (!rc) rc = write_machine(&m, o, e);
    measurements_free(&m);
    return rc;
}
