/* cmd_gpu.c - `gpu show`: a machine with every parameter, in the format that --gpu reads; `gpu convert`: the
 * same into a file, for machines that come from elsewhere (a gpgpusim.config). */
#include <string.h>

#include "cli/cli.h"

static int write_machine(const struct gpu_config *c, const char *file, struct wl_err *e)
{
    struct out_file f;
    int rc = out_file_open(&f, file, e);
    if (!rc) machine_print(c, f.file);
    return rc ? rc : out_file_close(&f, 0, e);
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
    if (!o->quiet && !convert) {
        printf("# %s\n", line);
        if (*c.preset && strcmp(c.preset, named.gpu) != 0) printf("# made on top of %s\n", c.preset);
    }
    return write_machine(&c, o->output ? o->output : "-", e);
}
