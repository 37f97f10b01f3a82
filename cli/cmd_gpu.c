/* cmd_gpu.c - `gpu show`: a machine with every parameter, in the format that --gpu reads; `gpu convert`: the
 * same into a file, for machines that come from elsewhere (a gpgpusim.config). */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"

static int write_machine(const struct gpu_config *c, const char *file, struct wl_err *e)
{
    FILE *f = strcmp(file, "-") == 0 ? stdout : fopen(file, "w");
    if (!f) return wl_fail(e, WL_EINPUT, "cannot write %s: %s", file, strerror(errno));
    machine_print(c, f);
    bool bad = ferror(f);
    errno = 0;
    if (f != stdout && (fclose(f) != 0 || bad))
        return wl_fail(e, WL_ERUN, "cannot write %s: %s", file, errno ? strerror(errno) : "the disk is full");
    return 0;
}

int cmd_gpu(const struct options *o, struct wl_err *e)
{
    const char *what = o->words.count == 2 ? o->words.item[0] : "";
    bool convert = strcmp(what, "convert") == 0;
    if (!convert && strcmp(what, "show") != 0)
        return wl_fail(
            e, WL_EINPUT,
            "write 'warpline gpu show NAME|FILE' or 'warpline gpu convert FILE -o F.ini'; 'warpline list gpus' has "
            "the names");
    if (!convert && o->output) return wl_fail(e, WL_EINPUT, "-o is for 'gpu convert'");
    struct gpu_config c;
    struct options named = *o;
    named.gpu = o->words.item[1];
    const struct machine_spec spec = machine_words(&named);
    int rc = machine_make(&spec, &c, e);
    if (rc) return rc;
    char line[256];
    machine_line(&c, line, sizeof line);
    if (!o->quiet && !convert) printf("# %s\n", line);
    return write_machine(&c, o->output ? o->output : "-", e);
}
