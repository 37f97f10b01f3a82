/* timeline_file.c - the options of --timeline, and a paper's example as text. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "run/mascar_fig3.h"

enum { TIMELINE_EVENTS = 2000000 }; /* some 200 MB: more than a viewer likes */

static int read_window(const char *text, uint64_t *from, uint64_t *to, struct wl_err *e)
{
    char first[32];
    const char *dots = strstr(text, "..");
    size_t len = dots ? (size_t)(dots - text) : 0;
    if (dots && len < sizeof first) {
        memcpy(first, text, len);
        first[len] = 0;
        if (read_size(first, from) && read_size(dots + 2, to) && *from < *to) return 0;
    }
    return wl_fail(e, WL_EINPUT, "--timeline-window needs two cycles, the first smaller: 1000..3000, not '%s'", text);
}

static int read_sms(const char *text, bool sms[RUN_TIMELINE_SMS], struct wl_err *e)
{
    for (const char *p = text;; p++) {
        char *end;
        unsigned long n = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : RUN_TIMELINE_SMS;
        if (n >= RUN_TIMELINE_SMS || (*end && *end != ','))
            return wl_fail(e, WL_EINPUT, "--timeline-sms needs numbers of SMs below %d: 0,1, not '%s'",
                           RUN_TIMELINE_SMS, text);
        sms[n] = true;
        if (!*end) return 0;
        p = end;
    }
}

int timeline_open(struct output *out, const struct options *o, struct wl_err *e)
{
    uint64_t from = 0, to = 20000;
    bool sms[RUN_TIMELINE_SMS] = {false};
    int rc = 0;
    if (!o->timeline) {
        const char *lost = o->timeline_window ? "window" : o->timeline_sms ? "sms" : NULL;
        return lost ? wl_fail(e, WL_EINPUT, "--timeline-%s needs --timeline FILE", lost) : 0;
    }
    if (o->functional) return wl_fail(e, WL_EINPUT, "--timeline needs a timed run; leave --functional out");
    if (strcmp(o->timeline, "-") == 0) return wl_fail(e, WL_EINPUT, "--timeline needs a file");
    if (o->timeline_window) rc = read_window(o->timeline_window, &from, &to, e);
    if (!rc) rc = read_sms(o->timeline_sms ? o->timeline_sms : "0", sms, e);
    if (rc) return rc;
    rc = out_file_open(&out->timeline_file, o->timeline, e);
    if (rc) return rc;
    for (unsigned i = 0; i < RUN_TIMELINE_SMS; i++)
        if (sms[i]) out->timeline_last_sm = i;
    out->timeline = run_timeline(out->timeline_file.file, from, to, sms, TIMELINE_EVENTS);
    return out->timeline ? 0 : wl_fail(e, WL_ERUN, "out of memory");
}

void timeline_close(struct output *out)
{
    if (!out->timeline) return;
    if (run_timeline_end(out->timeline))
        print_warning(NULL,
                      "the timeline ends after two million events; choose a smaller --timeline-window or fewer SMs");
    out->timeline = NULL;
}

int cmd_timeline(const struct options *o, struct wl_err *e)
{
    if (o->words.count == 1 && strcmp(o->words.item[0], "mascar-fig3") == 0) return mascar_fig3(stdout, e);
    if (o->words.count == 0)
        return wl_fail(e, WL_EINPUT,
                       "timeline needs the name of an example: mascar-fig3; 'run ... --timeline FILE' records a run");
    return wl_fail(e, WL_EINPUT,
                   "there is no example '%s'; there is mascar-fig3 ('run ... --timeline FILE' records a run)",
                   o->words.item[o->words.count > 1 ? 1 : 0]);
}
