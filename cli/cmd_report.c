/* cmd_report.c - figures and claims of several experiments as one page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/lab.h"
#include "experiment/report.h"

static int write_page(const struct lab *labs, unsigned n, const char *file, struct wl_err *e)
{
    const struct plan *plans[64];
    char made[64];
    time_t now = time(NULL);
    struct tm utc;
    strftime(made, sizeof made, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
    bool same = true;
    for (unsigned i = 0; i < n; i++) {
        plans[i] = labs[i].plan;
        same = same && labs[i].plan->size == labs[0].plan->size;
    }
    const char *version = *labs[0].shown.version ? labs[0].shown.version : WL_VERSION;
    const struct report_info info = {version, labs[0].build,
                                     same ? workload_size_name(labs[0].plan->size) : "as each says", made};
    bool to_stdout = strcmp(file, "-") == 0;
    FILE *out = to_stdout ? stdout : fopen(file, "w");
    if (!out) return wl_fail(e, WL_EINPUT, "cannot write %s: %s", file, strerror(errno));
    int rc = report_write(plans, n, &info, out, e);
    bool bad = ferror(out) != 0;
    if (!to_stdout && fclose(out) != 0) bad = true;
    return rc || !bad ? rc : wl_fail(e, WL_ERUN, "cannot write %s: is the disk full?", file);
}

int cmd_report(const struct options *o, struct wl_err *e)
{
    const char *names[64];
    const char *file = o->output ? o->output : "report.html";
    unsigned n = o->words.count || o->from ? 0 : experiment_names(names, 64), opened = 0;
    struct lab *labs = calloc(64, sizeof *labs);
    if (!labs) return wl_fail(e, WL_ERUN, "out of memory");
    for (unsigned i = 0; i < o->words.count && n < 64; i++) names[n++] = o->words.item[i];
    int rc = n ? 0 : wl_fail(e, WL_EINPUT, "there is no experiment to report");
    for (unsigned i = 0; !rc && i < n; i++) {
        rc = lab_open(&labs[opened++], names[i], o, e);
        if (!rc) rc = lab_plan_all(&labs[i], e);
        if (!rc) rc = lab_run(&labs[i], o, e);
    }
    if (!rc) rc = write_page(labs, n, file, e);
    if (!rc && !o->quiet && strcmp(file, "-") != 0) printf("%s\n", file);
    for (unsigned i = 0; !rc && i < n; i++) rc = lab_failed(&labs[i], o, e);
    for (unsigned i = 0; i < opened; i++) lab_close(&labs[i]);
    free(labs);
    return rc;
}
