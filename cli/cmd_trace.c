/* cmd_trace.c - traces: saved instruction streams, replayed like a program. */
#include <string.h>

#include "cli/cli.h"

static int not_built(const char *what, struct wl_err *e)
{
    return wl_fail(e, WL_EINPUT, "%s: this build has no trace files yet", what);
}

int cmd_run_trace(const struct options *o, const char *file, struct wl_err *e)
{
    (void)o;
    return not_built(file, e);
}

int cmd_trace(const struct options *o, struct wl_err *e)
{
    if (o->words.count == 2 && (strcmp(o->words.item[0], "record") == 0 || strcmp(o->words.item[0], "info") == 0))
        return not_built("trace", e);
    return wl_fail(e, WL_EINPUT, "write 'warpline trace record WORKLOAD -o F.wlt' or 'warpline trace info F.wlt'");
}
