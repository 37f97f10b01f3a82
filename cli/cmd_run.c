/* cmd_run.c - one run of a workload, a kernel file or a trace. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

int refuse_ptx_options(const struct options *o, struct wl_err *e)
{
    const char *name = o->kernel       ? "kernel"
                       : o->grid       ? "grid"
                       : o->block      ? "block"
                       : o->arg.count  ? "arg"
                       : o->dump.count ? "dump"
                       : o->shared     ? "shared"
                                       : NULL;
    return name ? wl_fail(e, WL_EINPUT, "--%s is for 'run FILE.ptx'; a workload or a trace brings its own launches",
                          name)
                : 0;
}

static int run_workload(const struct options *o, const char *name, struct wl_err *e)
{
    struct job *j = calloc(1, sizeof *j);
    if (!j) return wl_fail(e, WL_ERUN, "out of memory");
    j->functional = o->functional;
    struct output out = {0};
    int rc = refuse_ptx_options(o, e);
    if (!rc) rc = job_workload(j, name, o, e);
    if (!rc) rc = make_config(&j->config, o->gpu, &o->set, o->l1, o->l2, o->sched, e);
    if (!rc) rc = engine_options(o, &j->engine, e);
    if (!rc) rc = output_open(&out, o, e);
    j->engine.timeline = out.timeline;
    if (!rc) rc = job_run(j, e);
    if (!rc) rc = output_run(&out, &j->result, e);
    rc = output_close(&out, rc, e);
    job_free(j);
    free(j);
    return rc;
}

int cmd_run(const struct options *o, struct wl_err *e)
{
    if (o->words.count == 0)
        return wl_fail(e, WL_EINPUT, "run needs a workload, a .ptx file or a trace; see 'warpline list workloads'");
    if (o->words.count > 1)
        return wl_fail(e, WL_EINPUT, "run takes one program; '%s' is too much (use 'compare' for several)",
                       o->words.item[1]);
    const char *what = o->words.item[0];
    if (ends_with(what, ".ptx")) return cmd_run_ptx(o, what, e);
    if (names_trace(what)) return cmd_run_trace(o, what, e);
    return run_workload(o, what, e);
}
