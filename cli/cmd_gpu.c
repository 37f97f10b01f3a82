/* cmd_gpu.c - `gpu show`: a machine with every parameter, in the format that --gpu reads. */
#include <string.h>

#include "cli/cli.h"

int cmd_gpu(const struct options *o, struct wl_err *e)
{
    if (o->words.count != 2 || strcmp(o->words.item[0], "show") != 0)
        return wl_fail(e, WL_EINPUT, "write 'warpline gpu show NAME|FILE'; 'warpline list gpus' has the names");
    struct gpu_config c;
    int rc = make_config(&c, o->words.item[1], &o->set, NULL, NULL, NULL, e);
    if (rc) return rc;
    char line[256];
    machine_line(&c, line, sizeof line);
    if (!o->quiet) printf("# %s\n", line);
    config_print(&c, stdout);
    return 0;
}
