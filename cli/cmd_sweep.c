/* cmd_sweep.c - programs over lists of settings: the most common study, without a file. */
#include "cli/study.h"

int cmd_sweep(const struct options *o, struct wl_err *e)
{
    if (o->words.count == 0)
        return wl_fail(
            e, WL_EINPUT,
            "sweep needs workloads or traces: warpline sweep atax bfs --set l1d.size=16K,32K --sched lrr,gto");
    struct study s;
    struct output out = {0};
    int rc = study_open(&s, "sweep", true, o, e);
    if (!rc) rc = output_open(&out, o, e);
    if (!rc) rc = study_run(&s, o, e);
    if (!rc) rc = study_write(&s, &out, e);
    rc = output_close(&out, rc, e);
    if (!rc) rc = lab_failed(&s.lab, o, e);
    study_close(&s);
    return rc;
}
