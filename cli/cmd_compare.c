/* cmd_compare.c - workloads and traces across machines, policies and settings, normalised to the first.
 *
 * The same as a sweep for a table that is looked at once: results are kept only where --store asks for it, and a run
 * that fails ends the command. */
#include "cli/study.h"

/* The sentence of the first run that failed. */
static int refuse_failed(const struct study *s, struct wl_err *e)
{
    for (unsigned i = 0; i < s->lab.plan->nruns; i++) {
        const struct exp_run *r = s->lab.plan->runs[i];
        if (r->state == RUN_FAILED)
            return wl_fail(e, WL_ERUN, "with %.120s: %.1800s", r->series_label, r->reason ? r->reason : "failed");
    }
    return 0;
}

/* A store holds what ordinary runs give. */
static int refuse_store(const struct options *o, struct wl_err *e)
{
    const char *name = o->engine       ? "engine"
                       : o->check      ? "check"
                       : o->paranoid   ? "paranoid"
                       : o->max_cycles ? "max-cycles"
                                       : NULL;
    return o->store && name ? wl_fail(e, WL_EINPUT, "--store and --%s do not go together", name) : 0;
}

int cmd_compare(const struct options *o, struct wl_err *e)
{
    if (o->words.count == 0)
        return wl_fail(e, WL_EINPUT, "compare needs workloads or traces: warpline compare atax bfs --sched lrr,gto");
    struct study s;
    struct output out = {0};
    int rc = refuse_store(o, e);
    if (rc) return rc;
    rc = study_open(&s, "compare", o->store != NULL, o, e);
    if (!rc) rc = output_open(&out, o, e);
    s.lab.how = o;
    if (!rc) rc = study_run(&s, o, e);
    if (!rc) rc = refuse_failed(&s, e);
    if (!rc) rc = study_write(&s, &out, e);
    rc = output_close(&out, rc, e);
    study_close(&s);
    return rc;
}
