/* exec_process.c - the simulated GPU inside a program's own process: what makes libcuda.so.1 of the
 * driver API.
 *
 * The first CUDA call builds the session that the environment describes (sim/process_report.h);
 * `warpline exec` has checked the settings before. Text printed by kernels goes to the program's
 * standard output, as on a real device. Everything else, faults and calls that are not supported,
 * goes to standard error; results go to the report file. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "cuda/driver.h"
#include "run/machine.h"
#include "run/run.h"
#include "sim/process_report.h"
#include "stats/timeline.h"
#include "trace/wlt/wlt.h"

static struct {
    struct session *session;
    struct process_report report;
    int fd; /* of the report file; -1: none */
    char file[1200];
    unsigned written;       /* launches in the file */
    unsigned inherited;     /* launches before the fork that made this process; 0: it was not forked */
    bool ending;            /* nothing comes after this */
    bool late;              /* forked, and no file yet */
    struct run_stats known; /* counters at the end of the last of them */
    struct policy_stats known_policies;
    const char *pattern; /* NULL: all kernels */
    unsigned first, last;
    struct wlt_writer *trace;
    struct timeline *timeline; /* NULL: not asked for */
    FILE *timeline_file;
    char pattern_of_timeline[256];
    char said[256]; /* the last complaint: a loop must not fill the screen */
} self = {.fd = -1, .first = 1, .last = UINT32_MAX};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- what the session tells ---- */

static void print_text(void *arg, const char *text, size_t len)
{
    (void)arg;
    fwrite(text, 1, len, stdout);
}

static void print_assert(void *arg, const char *text, size_t len)
{
    (void)arg;
    fflush(stdout);
    fwrite(text, 1, len, stderr);
}

static void complain(void *arg, const char *text)
{
    (void)arg;
    if (strncmp(self.said, text, sizeof self.said - 1) == 0) return;
    snprintf(self.said, sizeof self.said, "%s", text);
    fflush(stdout);
    fprintf(stderr, "warpline: %s\n", text);
    if (self.report.failed) return;
    const struct wl_err *e = self.session ? session_error(self.session) : NULL;
    self.report.failed = e && e->code ? (uint32_t)e->code : WL_ERUN;
    snprintf(self.report.error, sizeof self.report.error, "%s", text);
}

static bool label(void *arg, const char *kernel, char *out, size_t size)
{
    (void)arg;
    return kernel_label(kernel, out, size);
}

static bool selected(void *arg, const char *kernel, unsigned launch)
{
    (void)arg;
    if (launch < self.first || launch > self.last) return false;
    return !self.pattern || kernel_matches(self.pattern, kernel);
}

/* ---- the report ---- */

static bool write_at(const void *data, size_t bytes, uint64_t at)
{
    const char *p = data;
    while (bytes) {
        ssize_t n = pwrite(self.fd, p, bytes, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        at += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return true;
}

/* What the counters gained since they were last looked at. */
static void take_gain(struct launch_record *r)
{
    const struct gpu *gpu = session_gpu(self.session);
    struct run_stats now;
    struct policy_stats policies;
    gpu_read_stats(gpu, &now);
    gpu_read_policy_stats(gpu, &policies);
    r->stats = now;
    r->policies = policies;
    stats_subtract(&r->stats, &self.known, sizeof now);
    stats_subtract(&r->policies, &self.known_policies, sizeof policies);
    self.known = now;
    self.known_policies = policies;
}

/* Launches that are not in the file yet: one, since this is called after each; or those that overlapped, and then the
 * first has what all of them counted. Those of a sampled run are all written again: what is timed later changes what
 * was projected before. */
static bool write_launches(const struct kernel_record *k, unsigned n)
{
    bool ok = true;
    for (unsigned i = 0; i < n && ok && self.report.sampling.on; i++) {
        struct launch_record r = {0};
        session_read_launch(self.session, i, &r.stats, &r.policies);
        r.kernel = k[i];
        ok = write_at(&r, sizeof r, sizeof self.report + i * sizeof r);
        self.written = i + 1;
    }
    for (; self.written < n && ok; self.written++) {
        struct launch_record r = {.kernel = k[self.written]};
        const struct kernel_record *before = self.written ? &k[self.written - 1] : NULL;
        bool counted = before && r.kernel.overlap && before->overlap == r.kernel.overlap;
        if (session_gpu(self.session) && !counted) take_gain(&r);
        ok = write_at(&r, sizeof r, sizeof self.report + self.written * sizeof r);
    }
    return ok;
}

/* Results are lost, which `warpline exec` must hear of: its mark is emptied, which needs no room on a disk, or goes,
 * which needs no descriptor. */
static void note_loss(const char *file)
{
    char mark[sizeof self.file];
    const char *folder = getenv(ENV_REPORT);
    fprintf(stderr, "warpline: cannot write the results to %s: %s\n", file, strerror(errno));
    snprintf(mark, sizeof mark, "%s/%s", folder ? folder : ".", LOST_FILE);
    int fd = open(mark, O_WRONLY | O_CLOEXEC);
    if ((fd < 0 || ftruncate(fd, 0) != 0) && unlink(mark) != 0)
        fprintf(stderr, "warpline: %s: %s\n", mark, strerror(errno));
    if (fd >= 0) close(fd);
}

static void open_report(void)
{
    const char *folder = getenv(ENV_REPORT);
    char *file = self.file;
    if (!folder) return;
    self.report.pid = (uint64_t)getpid();
    self.report.started_ns = now_ns();
    self.written = 0;
    snprintf(file, sizeof self.file, "%s/%020llu-%ld", folder, (unsigned long long)self.report.started_ns,
             (long)getpid());
    self.fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (self.fd < 0 || fchmod(self.fd, 0600) != 0) note_loss(file); /* the umask may have taken our own rights */
}

static void write_report(void)
{
    struct process_report *r = &self.report;
    if (!self.session) return;
    unsigned n;
    const struct kernel_record *k = session_kernels(self.session, &n);
    if (self.late && n > self.inherited) {
        self.late = false;
        open_report();
    }
    if (self.fd < 0) return;
    struct gpu *gpu = session_gpu(self.session);
    struct rusage u;
    r->launches = session_launches(self.session);
    r->counts = session_counts(self.session);
    if (gpu && r->sampling.on && n > 256 && (n & (n - 1)) && !self.ending) return; /* it takes its time */
    struct wl_err e;
    if (gpu && session_read(self.session, &r->stats, &r->policies, &r->sampling, &e)) complain(NULL, e.text);
    r->seconds = (double)(now_ns() - r->started_ns) * 1e-9;
    r->peak_memory_bytes = getrusage(RUSAGE_SELF, &u) == 0 ? (uint64_t)u.ru_maxrss * 1024 : 0;
    r->kernels = n;
    if (write_launches(k, n) && write_at(r, sizeof *r, 0)) return;
    note_loss(self.file);
    close(self.fd);
    self.fd = -1;
}

static void launched(void *arg)
{
    (void)arg;
    write_report();
}

static void failed(void *arg, const struct launch_failure *f)
{
    struct process_report *r = &self.report;
    (void)arg;
    if (r->failures < MAX_FAILURES) r->failure[r->failures] = *f;
    r->failures++;
    write_report();
}

static const struct session_watch watch = {.label = label,
                                           .select = selected,
                                           .launched = launched,
                                           .failed = failed,
                                           .complain = complain,
                                           .print_assert = print_assert};

/* A forked process goes on with a copy of the device and of what that has counted. It reports, launches before the fork
 * included, when it has launched a kernel of its own: most processes that are forked never do. When another thread was
 * inside a CUDA call, the copy is half changed: its calls fail, and there is nothing to account for. */
static void after_fork(void)
{
    struct process_report *r = &self.report;
    if (self.fd >= 0) close(self.fd);
    self.fd = -1;
    self.trace = NULL;        /* the parent writes it, and reports it */
    if (self.timeline_file) { /* and the timeline: what it has not written yet must not be written twice */
        __fpurge(self.timeline_file);
        self.timeline_file = freopen("/dev/null", "w", self.timeline_file);
        self.timeline = NULL;
    }
    r->recording = r->trace_finished = 0;
    r->trace[0] = 0;
    if (driver_is_lost()) self.session = NULL;
    if (!self.session) return;
    session_kernels(self.session, &self.inherited);
    self.late = true;
}

static void write_array(const char *ending, const void *array, size_t bytes)
{
    char name[sizeof self.file + 16];
    snprintf(name, sizeof name, "%s%s", self.file, ending);
    FILE *f = bytes ? fopen(name, "wb") : NULL;
    if (!bytes) return;
    bool bad = !f || fchmod(fileno(f), 0600) != 0 || fwrite(array, 1, bytes, f) != bytes;
    if (f && fclose(f) != 0) bad = true;
    if (bad) note_loss(name);
}

/* What stats.profile and stats.interval gathered; at the end only, since it may be large. */
static void write_arrays(void)
{
    struct process_report *r = &self.report;
    const struct gpu *gpu = session_gpu(self.session);
    struct sample *sample = NULL;
    struct wl_err e;
    unsigned samples = 0;
    if (self.fd < 0 || !gpu) return;
    if (gpu_read_profile(gpu, &r->profile, &e) == 0) {
        write_array(LOADS_ENDING, r->profile.load, r->profile.loads * sizeof *r->profile.load);
        write_array(INSTS_ENDING, r->profile.inst, r->profile.insts * sizeof *r->profile.inst);
        if (r->profile.heat.count)
            write_array(HEAT_ENDING, r->profile.heat.count,
                        (size_t)r->profile.heat.samples * r->profile.heat.width * sizeof *r->profile.heat.count);
    }
    if (gpu_read_samples(gpu, &sample, &samples, &e) == 0)
        write_array(SAMPLES_ENDING, sample, samples * sizeof *sample);
    free(r->profile.load);
    free(r->profile.inst);
    r->profile.load = NULL;
    r->profile.inst = NULL;
    free(r->profile.heat.count);
    r->profile.heat.count = NULL;
    free(sample);
    r->samples = samples;
}

/* ---- the timeline ---- */

static void timeline_name(char *out, size_t size, bool whole)
{
    snprintf(out, size, "%s%s%s", self.file, TIMELINE_ENDING, whole ? "" : ".part");
}

static void open_timeline(void)
{
    char name[sizeof self.file + 32];
    static struct timeline_order order;
    const char *folder = getenv(ENV_REPORT);
    if (!folder || self.fd < 0) return;
    snprintf(name, sizeof name, "%s/%s", folder, TIMELINE_FILE);
    FILE *f = fopen(name, "rb");
    bool wanted = f && fread(&order, sizeof order, 1, f) == 1;
    if (f) fclose(f);
    if (!wanted) return;
    memcpy(self.pattern_of_timeline, order.kernel, sizeof order.kernel);
    order.spec.kernel = *order.kernel ? self.pattern_of_timeline : NULL;
    timeline_name(name, sizeof name, false);
    self.timeline_file = fopen(name, "wbe");
    if (self.timeline_file) self.timeline = run_timeline(self.timeline_file, &order.spec);
    if (!self.timeline) note_loss(name);
}

/* It gets its name now: a process that is killed leaves none. */
static void close_timeline(void)
{
    char part[sizeof self.file + 32], whole[sizeof self.file + 32];
    bool seen, bad = false;
    if (!self.timeline) return;
    if (run_timeline_end(self.timeline, &seen))
        fprintf(stderr,
                "warpline: warning: the timeline is cut off; choose a smaller --timeline-window or fewer SMs\n");
    if (!seen)
        fprintf(stderr, "warpline: warning: the timeline is empty: what --timeline-from waits for did not happen\n");
    timeline_name(part, sizeof part, false);
    timeline_name(whole, sizeof whole, true);
    bad = ferror(self.timeline_file);
    if (fclose(self.timeline_file) != 0 || bad || rename(part, whole) != 0) note_loss(part);
    self.timeline = NULL;
    self.timeline_file = NULL;
}

/* ---- which program this is ---- */

static void describe_program(void)
{
    struct process_report *r = &self.report;
    char line[4096];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (n < 0 && errno != ENOENT) note_loss("a record (/proc/self/cmdline cannot be read)");
    if (fd >= 0) close(fd);
    if (n < 0) n = 0;
    line[n] = 0;
    const char *slash = strrchr(line, '/');
    snprintf(r->program, sizeof r->program, "%.127s", *line ? (slash ? slash + 1 : line) : "program");
    size_t at = 0;
    for (const char *p = line + strlen(line) + 1; p < line + n && at < sizeof r->arguments; p += strlen(p) + 1)
        at += (size_t)snprintf(r->arguments + at, sizeof r->arguments - at, "%s%s", at ? " " : "", p);
    uint64_t h = hash_bytes(WL_HASH_INIT, line, (size_t)n);
    FILE *f = fopen("/proc/self/exe", "rb");
    bool bad = !f && errno != ENOENT; /* a system without /proc is no failure */
    for (size_t got; f && (got = fread(line, 1, sizeof line, f)) > 0;) h = hash_bytes(h, line, got);
    if (bad || (f && ferror(f))) note_loss("a record (/proc/self/exe cannot be read)"); /* not under another's hash */
    if (f) fclose(f);
    r->program_hash = h;
}

/* ---- the session ---- */

enum { MAX_LINES = 1024 };

/* Cuts a text of one entry per line in place; returns how many there are. */
static unsigned split_lines(char *text, const char *out[MAX_LINES])
{
    unsigned n = 0;
    char *save = NULL;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && n < MAX_LINES;
         line = strtok_r(NULL, "\n", &save))
        out[n++] = line;
    return n;
}

static int read_machine(struct gpu_config *c, struct wl_err *e)
{
    const char *plugins = getenv(ENV_PLUGIN), *sets = getenv(ENV_SET);
    const char *plugin[MAX_LINES], *set[MAX_LINES];
    char *plugin_text = strdup(plugins ? plugins : ""), *set_text = strdup(sets ? sets : "");
    struct machine_spec spec = {.gpu = getenv(ENV_GPU),
                                .l1 = getenv(ENV_L1),
                                .l2 = getenv(ENV_L2),
                                .sched = getenv(ENV_SCHED),
                                .set = set,
                                .sets = split_lines(set_text, set)};
    unsigned n = split_lines(plugin_text, plugin);
    int rc = plugin_text && set_text ? 0 : wl_fail(e, WL_ERUN, "out of memory");
    for (unsigned i = 0; !rc && i < n; i++) rc = machine_plugin(plugin[i], e);
    if (!rc) rc = machine_make(&spec, c, e);
    free(plugin_text);
    free(set_text);
    return rc;
}

static uint64_t number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

static int record_launch(void *trace, struct stream_source *s, struct wl_err *e)
{
    (void)trace;
    return self.trace ? wlt_write_launch(self.trace, s, e)
                      : wl_fail(e, WL_ERUN, "the trace belongs to another process");
}

static void record_copy(void *trace, uint64_t addr, uint64_t bytes)
{
    (void)trace;
    if (self.trace) wlt_write_copy(self.trace, addr, bytes);
}

/* "FOLDER/program.wlt"; it gets a number at its end when another process has that. */
static int open_trace(const char *folder, struct wl_err *e)
{
    struct process_report *r = &self.report;
    struct wlt_header h = {.workload_hash = r->program_hash};
    memcpy(h.workload, r->program, sizeof h.workload);
    memcpy(h.inputs, r->arguments, sizeof h.inputs);
    char name[sizeof r->trace];
    snprintf(name, sizeof name, "%.880s/%s.wlt", folder, r->program);
    self.trace = wlt_create(name, &h, e);
    if (!self.trace) return (int)e->code;
    r->recording = 1;
    const char *until = wlt_part(self.trace);
    snprintf(r->trace, sizeof r->trace, "%s", until ? until : "");
    return 0;
}

static void build_session(void)
{
    static struct session_options o;
    struct wl_err e = {.code = WL_OK};
    const char *engine = getenv(ENV_ENGINE), *launch = getenv(ENV_LAUNCH), *folder = getenv(ENV_RECORD);
    o = (struct session_options){.mode = number(ENV_FUNCTIONAL) ? SESSION_FUNCTIONAL : SESSION_TIMING,
                                 .print = print_text,
                                 .unified = true,
                                 .watch = &watch};
    o.gpu.tick = engine && strcmp(engine, "tick") == 0;
    o.gpu.shuffle = number(ENV_SHUFFLE);
    o.gpu.threads = (unsigned)number(ENV_THREADS);
    o.gpu.cut_cycles = number(ENV_MAX_CYCLES);
    self.pattern = getenv(ENV_KERNEL);
    describe_program();
    open_report();
    open_timeline();
    o.gpu.timeline = self.timeline;
    int rc = read_machine(&o.config, &e);
    if (!rc && launch && !launch_range(launch, &self.first, &self.last))
        rc = wl_fail(&e, WL_EINPUT, "%s: '%s' is not a range of launches such as 2..5", ENV_LAUNCH, launch);
    if (!rc && folder) {
        rc = open_trace(folder, &e);
        o.mode = SESSION_RECORD;
        o.record = record_launch;
        o.record_copy = record_copy;
    }
    if (!rc) self.session = session_new(&o, &e);
    self.report.magic = PROCESS_REPORT_MAGIC;
    self.report.bytes = sizeof self.report;
    if (!self.session) {
        complain(NULL, e.text);
        if (self.fd >= 0) write_at(&self.report, sizeof self.report, 0); /* it tried */
    }
    write_report();
}

static struct session *the_session(void)
{
    pthread_once(&once, build_session);
    return self.session;
}

__attribute__((constructor)) static void begin(void)
{
    session_provider(the_session);
    pthread_atfork(NULL, NULL, after_fork);
}

__attribute__((destructor)) static void end(void)
{
    if (!self.session) return;
    struct wlt_totals t = {0};
    struct wl_err e = {.code = WL_OK};
    if (session_flush(self.session, &e)) complain(NULL, e.text);
    if (self.trace) {
        self.report.trace_finished =
            wlt_finish_new(self.trace, self.report.trace, sizeof self.report.trace, &t, &e) == 0;
        if (!self.report.trace_finished) fprintf(stderr, "warpline: %s\n", e.text);
        if (!self.report.trace_finished) self.report.trace[0] = 0;
        self.report.trace_launches = t.launches;
        self.report.trace_bytes = t.file_bytes;
    }
    close_timeline();
    write_arrays();
    self.ending = true;
    write_report();
}
