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

static int read_sms(const char *text, bool sms[TIMELINE_MAX_SMS], struct wl_err *e)
{
    for (const char *p = text;; p++) {
        char *end;
        unsigned long n = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : TIMELINE_MAX_SMS;
        if (n >= TIMELINE_MAX_SMS || (*end && *end != ','))
            return wl_fail(e, WL_EINPUT, "--timeline-sms needs numbers of SMs below %d: 0,1, not '%s'",
                           TIMELINE_MAX_SMS, text);
        sms[n] = true;
        if (!*end) return 0;
        p = end;
    }
}

/* "kernel:NAME", "kernel:NAME#3": the pattern without the number. */
static bool read_kernel(const char *text, struct timeline_spec *t, char *pattern, size_t size)
{
    const char *number = strrchr(text, '#');
    uint64_t n = 1;
    size_t len = number ? (size_t)(number - text) : strlen(text);
    if (!len || len >= size || (number && (!read_size(number + 1, &n) || !n || n > UINT32_MAX))) return false;
    memcpy(pattern, text, len);
    pattern[len] = 0;
    t->trigger = TIMELINE_KERNEL;
    t->kernel = pattern;
    t->launch = (unsigned)n;
    return true;
}

static bool read_stall(const char *text, struct timeline_spec *t)
{
    static const char *const words[] = {"", "mshr", "merge", "line", "missq", "gate"};
    t->trigger = TIMELINE_STALL;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0) return t->stall = (enum timeline_stall)i, true;
    return false;
}

static int read_trigger(const char *text, struct timeline_spec *t, struct wl_err *e)
{
    static char pattern[256]; /* outlives the run */
    uint64_t pc;
    bool ok = false;
    if (strncmp(text, "kernel:", 7) == 0) ok = read_kernel(text + 7, t, pattern, sizeof pattern);
    else if (strncmp(text, "stall", 5) == 0 && (!text[5] || text[5] == ':'))
        ok = read_stall(text[5] ? text + 6 : "", t);
    else if (strncmp(text, "pc:", 3) == 0 && read_size(text + 3, &pc) && pc <= UINT32_MAX) {
        t->trigger = TIMELINE_PC;
        t->pc = (uint32_t)pc;
        ok = true;
    }
    if (ok) return 0;
    return wl_fail(
        e, WL_EINPUT,
        "--timeline-from is kernel:NAME, kernel:NAME#LAUNCH, pc:N, stall or stall:mshr|merge|line|missq|gate, "
        "not '%s'",
        text);
}

static int read_spec(const struct options *o, struct timeline_spec *t, struct wl_err *e)
{
    enum { ONE_OF = 64 };
    int rc = o->timeline_window ? read_window(o->timeline_window, &t->from, &t->to, e) : 0;
    t->requests = o->timeline_requests.given ? o->timeline_requests.n : ONE_OF;
    if (!rc && o->timeline_from) rc = read_trigger(o->timeline_from, t, e);
    return rc ? rc : read_sms(o->timeline_sms ? o->timeline_sms : "0", t->sms, e);
}

int timeline_words(const struct options *o, struct timeline_spec *spec, struct wl_err *e)
{
    *spec = (struct timeline_spec){.to = 20000, .limit = TIMELINE_EVENTS};
    if (!o->timeline) {
        const char *lost = o->timeline_window           ? "window"
                           : o->timeline_sms            ? "sms"
                           : o->timeline_from           ? "from"
                           : o->timeline_requests.given ? "requests"
                                                        : NULL;
        return lost ? wl_fail(e, WL_EINPUT, "--timeline-%s needs --timeline FILE", lost) : 0;
    }
    if (o->functional) return wl_fail(e, WL_EINPUT, "--timeline needs a timed run; leave --functional out");
    if (strcmp(o->timeline, "-") == 0) return wl_fail(e, WL_EINPUT, "--timeline needs a file");
    return read_spec(o, spec, e);
}

int timeline_open(struct output *out, const struct options *o, struct wl_err *e)
{
    struct timeline_spec spec;
    int rc = timeline_words(o, &spec, e);
    if (!rc && o->timeline && !o->program) rc = out_file_open(&out->timeline_file, o->timeline, e);
    if (rc || !out->timeline_file.file) return rc; /* a program writes its own */
    for (unsigned i = 0; i < TIMELINE_MAX_SMS; i++)
        if (spec.sms[i]) out->timeline_last_sm = i;
    out->timeline = run_timeline(out->timeline_file.file, &spec);
    return out->timeline ? 0 : wl_fail(e, WL_ERUN, "out of memory");
}

void timeline_close(struct output *out)
{
    bool seen = true;
    if (!out->timeline) return;
    if (run_timeline_end(out->timeline, &seen))
        print_warning(NULL,
                      "the timeline ends after two million events; choose a smaller --timeline-window or fewer SMs");
    if (!seen) print_warning(NULL, "the timeline is empty: what --timeline-from waits for did not happen");
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
