/* cmd_experiment.c - a whole experiment file: its figures and claims, here or on a cluster. */
#include "cli/lab.h"

int cmd_experiment(const struct options *o, struct wl_err *e)
{
    struct claim_counts counts = {{0}, {0}, {0}};
    struct lab l;
    if (o->words.count != 1) return wl_fail(e, WL_EINPUT, "experiment takes one file: warpline experiment mine.ini");
    int rc = lab_open(&l, o->words.item[0], o, e);
    if (!rc) rc = lab_plan_all(&l, e);
    if (!rc && o->task) {
        rc = lab_run_task(&l, o, e);
        lab_close(&l);
        return rc;
    }
    if (!rc) rc = o->slurm ? lab_run_slurm(&l, o, e) : lab_run(&l, o, e);
    if (!rc && o->json) rc = runs_json(&l, o->json, e);
    for (unsigned i = 0; !rc && i < l.x->nfigures; i++) rc = show_figure(&l, &l.x->figures[i], o, e);
    if (!rc && l.x->nclaims && !o->quiet) {
        show_claims(&l, NULL, &counts);
        show_claim_summary(&counts);
    }
    if (!rc) rc = lab_failed(&l, o, e);
    lab_close(&l);
    return rc;
}
