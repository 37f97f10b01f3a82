/* cmd_run.c - one run of a workload, a kernel file or a trace. */
#include "cli/cli.h"
#include "run/write_account.h"

static int write_launches(const struct run_result *r, const char *file, struct wl_err *e)
{
    struct out_file f = {0};
    int rc = out_file_open(&f, file, e);
    if (!rc) rc = result_write_launches(&r, 1, f.file, e);
    return out_file_close(&f, rc, e);
}

static int run_and_write(struct run *r, const struct options *o, struct wl_err *e)
{
    struct output out = {0};
    int rc = output_open(&out, o, e);
    long long sms = run_config(r)->v[P_SM_COUNT];
    if (!rc && out.timeline && out.timeline_last_sm >= sms)
        rc = wl_fail(e, WL_EINPUT, "--timeline-sms: there is no SM %u; this machine has SMs 0 to %lld",
                     out.timeline_last_sm, sms - 1);
    if (!rc && o->samples && !run_config(r)->v[P_STATS_INTERVAL])
        rc = wl_fail(e, WL_EINPUT, "--samples FILE needs an interval: add --samples CYCLES");
    if (!rc && (o->samples || o->loads) && o->functional)
        rc = wl_fail(e, WL_EINPUT, "--samples and --loads are of runs that are timed, not of --functional ones");
    run_show(r, out.timeline);
    if (!rc) rc = run_go(r, e);
    if (!rc) rc = output_run(&out, run_result(r), e);
    if (!rc && out.text && o->verbose) kernel_counters_write_text(run_result(r), stdout);
    if (!rc && o->launches) rc = write_launches(run_result(r), o->launches, e);
    if (!rc) rc = run_dump(r, stdout, e);
    return output_close(&out, rc, e);
}

int cmd_run(const struct options *o, struct wl_err *e)
{
    if (o->words.count == 0)
        return wl_fail(e, WL_EINPUT, "run needs a workload, a .ptx file or a trace; see 'warpline list workloads'");
    if (o->words.count > 1)
        return wl_fail(e, WL_EINPUT, "run takes one program; '%s' is too much (use 'compare' for several)",
                       o->words.item[1]);
    static struct options own;
    o = loads_words(o, &own);
    const struct run_spec spec = run_words(o, o->words.item[0]);
    int rc = refuse_options(o, run_kind(spec.program), e);
    if (!rc && o->launches && o->functional)
        rc = wl_fail(e, WL_EINPUT, "--launches has the counters of timed launches; nothing is timed here");
    struct run *r = rc ? NULL : run_new(&spec, e);
    if (r) rc = run_and_write(r, o, e);
    else if (!rc) rc = (int)e->code;
    run_free(r);
    return rc;
}
