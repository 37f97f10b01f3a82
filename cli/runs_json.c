/* runs_json.c - the runs of an experiment for other programs: which series on which workload, and the whole record. */
#include "cli/lab.h"

static json_t *one_run(const struct lab *l, unsigned series, unsigned workload)
{
    const struct exp_series *s = l->x->series[series];
    const struct exp_workload *w = l->x->workloads[workload];
    const struct exp_run *r = l->plan->cell[series * l->x->nworkloads + workload];
    static const char *const states[] = {"missing", "done", "failed"};
    json_t *one = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "workload", w->name, "workload_label", w->label, "series",
                            s->name, "series_label", s->label, "key", r->key, "state", states[r->state]);
    if (one && r->state == RUN_FAILED) json_object_set_new(one, "reason", json_string(r->reason ? r->reason : ""));
    if (one && r->result) json_object_set(one, "result", r->result);
    return one;
}

int runs_json(const struct lab *l, const char *file, struct wl_err *e)
{
    struct out_file f;
    json_t *all = json_array();
    bool good = all != NULL;
    for (unsigned s = 0; good && s < l->x->nseries; s++)
        for (unsigned w = 0; good && w < l->x->nworkloads; w++)
            if (l->plan->cell[s * l->x->nworkloads + w]) good = !json_array_append_new(all, one_run(l, s, w));
    int rc = good ? out_file_open(&f, file, e) : wl_no_memory(e);
    if (!rc) {
        int written = json_dumpf(all, f.file, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        rc = out_file_close(&f, written ? wl_no_memory(e) : 0, e);
    }
    json_decref(all);
    return rc;
}
