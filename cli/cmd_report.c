/* cmd_report.c - figures and claims of several experiments as one page. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/lab.h"
#include "experiment/report.h"

/* An experiment on the page: its runs, and a second plan of what the store has of its range. */
struct report_lab {
    struct lab lab;
    struct plan *shadow;
    struct exp_range *range; /* NULL: there is none */
};

/* docs/results/dacache.csv has its ranges in docs/results/ranges-dacache.json, if there are any. */
static int ranges_beside(struct report_lab *l, const char *results, struct wl_err *e)
{
    char path[4200];
    const char *slash = strrchr(results, '/');
    int folder = slash ? (int)(slash + 1 - results) : 0;
    snprintf(path, sizeof path, "%.*s%s%s.json", folder < 4000 ? folder : 0, results, "ranges-", l->lab.x->name);
    return access(path, R_OK) == 0 ? range_read(l->lab.plan, path, &l->range, e) : 0;
}

/* What 'claims --range' has stored, or written to the file of --ranges; nothing is run for it. */
static int find_range(struct report_lab *l, const char *name, const struct options *o, struct wl_err *e)
{
    if (o->ranges) return range_read(l->lab.plan, o->ranges, &l->range, e);
    const struct range_spec spec = {.design_points = (unsigned)o->range.n};
    if (!l->lab.x->nunknowns) return 0;
    if (o->from) return ranges_beside(l, name, e);
    l->shadow = plan_new(l->lab.x, l->lab.plan->size, l->lab.build, e);
    if (!l->shadow || !(l->range = range_new(l->shadow, &spec, e))) return e->code ? (int)e->code : WL_ERUN;
    return range_evaluate(l->range, l->lab.store, true, e);
}

static void report_close(struct report_lab *l)
{
    range_free(l->range);
    plan_free(l->shadow);
    lab_close(&l->lab);
}

static int write_page(const struct report_lab *labs, unsigned n, const char *file, const struct options *o,
                      struct wl_err *e)
{
    const struct plan *plans[64];
    const struct exp_range *ranges[64];
    char made[64];
    time_t now = time(NULL);
    struct tm utc;
    strftime(made, sizeof made, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
    bool same = true;
    for (unsigned i = 0; i < n; i++) {
        plans[i] = labs[i].lab.plan;
        ranges[i] = labs[i].range;
        same = same && plans[i]->size == labs[0].lab.plan->size;
    }
    const char *version = *labs[0].lab.shown.version ? labs[0].lab.shown.version : WL_VERSION;
    const struct report_info info = {version, labs[0].lab.build,
                                     same ? workload_size_name(labs[0].lab.plan->size) : "as each says", made,
                                     o->from ? NULL : o->store};
    struct out_file f;
    struct wl_err undrawn = {.code = WL_OK};
    int rc = out_file_open(&f, file, e);
    if (!rc) rc = out_file_close(&f, report_write(plans, ranges, n, &info, f.file, &undrawn, e), e);
    if (rc || !undrawn.code) return rc;
    return wl_fail(e, WL_ERUN, "%.200s is written, but pictures are missing: %.1000s", file, undrawn.text);
}

int cmd_report(const struct options *o, struct wl_err *e)
{
    const char *names[64];
    const char *file = o->output ? o->output : "report.html";
    unsigned n = o->words.count || o->from ? 0 : experiment_names(names, 64), opened = 0;
    if (o->words.count > 64) return wl_fail(e, WL_EINPUT, "a page takes up to 64 experiments, not %u", o->words.count);
    if (o->known && o->range.given) return wl_fail(e, WL_EINPUT, "--known goes without --range here: it names results");
    if (o->range.n > RANGE_MAX_DESIGN) return wl_fail(e, WL_EINPUT, "--range takes up to %d points", RANGE_MAX_DESIGN);
    struct report_lab *labs = calloc(64, sizeof *labs);
    if (!labs) return wl_fail(e, WL_ERUN, "out of memory");
    for (unsigned i = 0; i < o->words.count && n < 64; i++) names[n++] = o->words.item[i];
    int rc = n ? 0 : wl_fail(e, WL_EINPUT, "there is no experiment to report");
    for (unsigned i = 0; !rc && i < n; i++) {
        rc = lab_open(&labs[opened++].lab, names[i], o, e);
        if (!rc) rc = lab_plan_all(&labs[i].lab, e);
        if (!rc) rc = lab_run(&labs[i].lab, o, e);
        if (!rc) rc = find_range(&labs[i], names[i], o, e);
    }
    if (!rc) rc = write_page(labs, n, file, o, e);
    if (!rc && !o->quiet && strcmp(file, "-") != 0) printf("%s\n", file);
    for (unsigned i = 0; !rc && i < n; i++) rc = lab_failed(&labs[i].lab, o, e);
    for (unsigned i = 0; i < opened; i++) report_close(&labs[i]);
    free(labs);
    return rc;
}
